//! The contents of a body in document order, with <frame>s, <replicate>s and <attach>es worked in.

use super::Reader;
use super::orientation::{euler, pose};
use super::scope::{Item, Scope};
use crate::error::LoadError;
use crate::xml::Element;
use stiction_dynamics::spatial::{Pose, Vec3};
use stiction_world::Fate;

/// Most elements after copying.
const MAX_ITEMS: usize = 1_000_000;

impl<'d> Item<'d> {
    /// Elements inside `element`, in a frame at X with the default class `class`; last comes first.
    fn inside(self, element: Element<'d>, X: Pose, class: usize) -> impl Iterator<Item = Self> + use<'d> {
        element.children().rev().map(move |element| Item { element, X, class, ..self })
    }
}

/// The elements inside `body`, whose own class is given.
pub(crate) fn contents<'d>(
    reader: &mut Reader<'d>,
    body: Item<'d>,
    class: usize,
) -> Result<Vec<Item<'d>>, LoadError> {
    let scopes = reader.scopes.clone();
    let mut items = Vec::new();
    let mut stack: Vec<Item<'d>> = body.inside(body.element, Pose::IDENTITY, class).collect();
    while let Some(item) = stack.pop() {
        reader.items += 1;
        if reader.items > MAX_ITEMS || stack.len() > MAX_ITEMS {
            return Err(too_many(item.element));
        }
        let Some(scope) = scopes.get(item.scope) else { continue };
        match item.element.name() {
            "frame" => stack.extend(frame(scope, item, item.element)?),
            "replicate" => replicate(reader, scope, item, &mut stack)?,
            "attach" => attach(reader, scope, item, &mut stack)?,
            _ => items.push(item),
        }
    }
    Ok(items)
}

fn too_many(at: Element<'_>) -> LoadError {
    let what = "elements in bodies, copies included".to_owned();
    LoadError::Limit { place: at.place(), what, limit: MAX_ITEMS }
}

/// Elements inside the <frame> `element`, which stands where `item` stands.
fn frame<'d>(
    scope: &Scope<'d>,
    item: Item<'d>,
    element: Element<'d>,
) -> Result<impl Iterator<Item = Item<'d>> + use<'d>, LoadError> {
    element.mark(Fate::Used, "");
    let class = scope.defaults.childclass(element, item.class)?;
    let X = item.X * pose(std::iter::once(element), &scope.compiler)?;
    Ok(item.inside(element, X, class))
}

/// Copy i is turned by i·euler, and stands `offset` beyond copy i − 1, measured in its frame.
fn replicate<'d>(
    reader: &mut Reader<'d>,
    scope: &Scope<'d>,
    item: Item<'d>,
    stack: &mut Vec<Item<'d>>,
) -> Result<(), LoadError> {
    let e = item.element;
    e.mark(Fate::Used, "");
    let count = e.require("count", "how many copies")?;
    let n = usize::try_from(count.integer()?).map_err(|_| count.error("an integer >= 0"))?;
    if n > MAX_ITEMS {
        return Err(too_many(e));
    }
    let offset = e.get("offset").map_or(Ok(Vec3::ZERO), |a| a.vector())?;
    let turn = e.get("euler").map_or(Ok([0.0; 3]), |a| a.array::<3>())?;
    let separator = e.get("sep").map_or("", |a| a.value());
    let class = scope.defaults.childclass(e, item.class)?;
    let digits = n.to_string().len();
    let mut copies = Vec::with_capacity(n);
    let mut X = Pose::IDENTITY;
    for i in 0..n {
        let degrees = scope.compiler.degrees;
        let angle = |a: f64| if degrees { (i as f64 * a).to_radians() } else { i as f64 * a };
        X.rotation = euler(turn.map(angle), &scope.compiler);
        let suffix = format!("{separator}{i:0digits$}");
        let copy = reader.add_copy(e, i, item.scope, item.copy, ("", &suffix))?;
        copies.push(Item { X: item.X * X, copy, ..item });
        X.translation = X.transform(offset);
    }
    for copy in copies.into_iter().rev() {
        stack.extend(copy.inside(e, copy.X, class));
        if stack.len() > MAX_ITEMS {
            return Err(too_many(e));
        }
    }
    Ok(())
}

/// A body, a frame or the whole world of another model, or a body or frame of this one.
fn attach<'d>(
    reader: &mut Reader<'d>,
    scope: &Scope<'d>,
    item: Item<'d>,
    stack: &mut Vec<Item<'d>>,
) -> Result<(), LoadError> {
    let e = item.element;
    e.mark(Fate::Used, "");
    let prefix = e.require("prefix", "what the names of the copies begin with")?.value();
    let from = e.get("model").map_or(Ok(item.scope), |model| scope.models.index(model))?;
    let scopes = reader.scopes.clone();
    let Some(source) = scopes.get(from) else { return Ok(()) };
    let part = match (e.get("body"), e.get("frame")) {
        (Some(_), Some(frame)) => return Err(frame.error("a body or a frame, not both")),
        (Some(body), None) => Some(("body", body)),
        (None, frame) => frame.map(|frame| ("frame", frame)),
    };
    if part.is_none() && from == item.scope {
        return Err(e.missing("the attribute `model`", "a model, or a body or frame of this one"));
    }
    let copy = reader.add_copy(e, 0, from, item.copy, (prefix, ""))?;
    let item = Item { class: super::defaults::MAIN, scope: from, copy, ..item };
    let Some((kind, name)) = part else {
        for world in source.root.children_named("worldbody").collect::<Vec<_>>().into_iter().rev() {
            stack.extend(item.inside(world, item.X, item.class));
        }
        return Ok(());
    };
    let called =
        |f: &Element<'d>| f.name() == kind && f.peek("name").is_some_and(|n| n.value() == name.value());
    let mut found = source.root.children_named("worldbody").flat_map(Element::descendants).filter(called);
    let Some(element) = found.next() else {
        return Err(name.error(format!("the name of a <{kind}> of the model")));
    };
    let item = Item { class: source.defaults.around(element)?, ..item };
    if kind == "body" {
        stack.push(Item { element, ..item });
    } else {
        stack.extend(frame(source, item, element)?);
    }
    Ok(())
}
