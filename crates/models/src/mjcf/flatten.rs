//! The contents of a body in document order, with <frame>s and <replicate>s worked in.

use super::Reader;
use super::orientation::{euler, pose};
use crate::error::LoadError;
use crate::ledger::Fate;
use crate::xml::Element;
use std::rc::Rc;
use stiction_dynamics::spatial::{Pose, Vec3};

/// Most elements after copying.
const MAX_ITEMS: usize = 1_000_000;

/// An element of a body.
#[derive(Clone)]
pub(crate) struct Item<'d> {
    pub(crate) element: Element<'d>,
    /// Pose of the frame the element is stated in, in the body.
    pub(crate) X: Pose,
    /// Default class around it.
    pub(crate) class: usize,
    /// What copying adds to its name; empty for an element that is not copied.
    pub(crate) suffix: Rc<str>,
}

/// The elements inside `body`, whose own class and suffix are given; `count` grows with every copy.
pub(crate) fn contents<'d>(
    reader: &Reader<'d>,
    body: Element<'d>,
    class: usize,
    suffix: &Rc<str>,
    count: &mut usize,
) -> Result<Vec<Item<'d>>, LoadError> {
    let inside = |of: Element<'d>, X: Pose, class: usize, suffix: &Rc<str>| {
        let suffix = suffix.clone();
        of.children().rev().map(move |element| Item { element, X, class, suffix: suffix.clone() })
    };
    let mut items = Vec::new();
    let mut stack: Vec<Item<'d>> = inside(body, Pose::IDENTITY, class, suffix).collect();
    while let Some(item) = stack.pop() {
        *count += 1;
        if *count > MAX_ITEMS {
            let what = "elements in bodies, copies included".to_owned();
            return Err(LoadError::Limit { place: item.element.place(), what, limit: MAX_ITEMS });
        }
        match item.element.name() {
            "frame" => {
                item.element.mark(Fate::Used, "");
                let class = reader.defaults.childclass(item.element, item.class)?;
                let X = item.X * pose(std::iter::once(item.element), &reader.compiler)?;
                stack.extend(inside(item.element, X, class, &item.suffix));
            }
            "replicate" => {
                let copies = copies(reader, &item)?;
                for copy in copies.into_iter().rev() {
                    stack.extend(inside(item.element, copy.X, copy.class, &copy.suffix));
                    if stack.len() > MAX_ITEMS {
                        let what = "elements in bodies, copies included".to_owned();
                        return Err(LoadError::Limit { place: item.element.place(), what, limit: MAX_ITEMS });
                    }
                }
            }
            _ => items.push(item),
        }
    }
    Ok(items)
}

/// The frames of the copies: copy i is turned by i·euler, and stands `offset` beyond copy i − 1,
/// measured in its frame.
fn copies<'d>(reader: &Reader<'d>, item: &Item<'d>) -> Result<Vec<Item<'d>>, LoadError> {
    let e = item.element;
    e.mark(Fate::Used, "");
    let count = e.require("count", "how many copies")?;
    let n = count.integer()?;
    let n = usize::try_from(n).map_err(|_| count.error("an integer >= 0"))?;
    if n > MAX_ITEMS {
        let what = "elements in bodies, copies included".to_owned();
        return Err(LoadError::Limit { place: count.place(), what, limit: MAX_ITEMS });
    }
    let offset = e.get("offset").map_or(Ok(Vec3::ZERO), |a| a.vector())?;
    let turn = e.get("euler").map_or(Ok([0.0; 3]), |a| a.array::<3>())?;
    let separator = e.get("sep").map_or("", |a| a.value());
    let class = reader.defaults.childclass(e, item.class)?;
    let digits = n.to_string().len();
    let mut copies = Vec::with_capacity(n);
    let mut X = Pose::IDENTITY;
    for i in 0..n {
        let degrees = reader.compiler.degrees;
        let angle = |a: f64| if degrees { (i as f64 * a).to_radians() } else { i as f64 * a };
        X.rotation = euler(turn.map(angle), &reader.compiler);
        let suffix: Rc<str> = format!("{separator}{i:0digits$}{}", item.suffix).into();
        copies.push(Item { element: e, X: item.X * X, class, suffix });
        X.translation = X.transform(offset);
    }
    Ok(copies)
}
