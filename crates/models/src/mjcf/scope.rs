//! The models a file consists of, and the copies of their parts that make up the tree.
//!
//! A scope is one model: the main file, or one that <attach> brings in, each with its compiler,
//! classes and assets. <replicate> and <attach> copy parts of a scope under other names:
//!
//! ```text
//!     name in the world = prefix + name in the file + suffix,   innermost copy first            (1)
//! ```
//!
//! What stands outside the tree (tendons, actuators, …) is copied along: an element is there once
//! for every copy of the tree in which all names it mentions exist, in MuJoCo's order. Of contacts and
//! tendons some of these may stand outside of the copy.

use super::Reader;
use super::asset::Assets;
use super::compiler::Compiler;
use super::defaults::Defaults;
use super::include::Models;
use super::vocabulary::INDEX;
use crate::audit::Index;
use crate::error::LoadError;
use crate::names::Names;
use crate::xml::Attribute;
use crate::xml::{Document, Element};
use std::collections::{BTreeMap, BTreeSet};
use stiction_dynamics::spatial::Pose;
use stiction_world::Fate;

/// Most copies times elements outside the tree.
const MAX_WORK: usize = 10_000_000;
/// Most copies.
const MAX_COPIES: usize = 200_000;
/// Most copies inside copies.
const MAX_DEPTH: usize = 50;

/// An element of a body.
#[derive(Clone, Copy)]
pub(crate) struct Item<'d> {
    pub(crate) element: Element<'d>,
    /// Pose of the frame the element is stated in, in the body.
    pub(crate) X: Pose,
    /// Default class around it.
    pub(crate) class: usize,
    /// The model it is written in.
    pub(crate) scope: usize,
    /// The copy of that model's tree it belongs to.
    pub(crate) copy: usize,
}

/// One model of a file: its root element, its settings, and the names in it.
pub(crate) struct Scope<'d> {
    pub(crate) root: Element<'d>,
    pub(crate) compiler: Compiler,
    pub(crate) defaults: Defaults<'d>,
    pub(crate) assets: Assets<'d>,
    /// Names of the geoms that <pair>s speak of.
    pub(crate) paired: BTreeSet<&'d str>,
    /// Names of the geoms that tendons go around.
    pub(crate) wrapped: BTreeSet<&'d str>,
    /// Models that can be attached, by scope.
    pub(crate) models: Names<'d>,
}

/// All scopes, the main file first.
pub(crate) fn read<'d>(document: &'d Document, found: &Models) -> Result<Vec<Scope<'d>>, LoadError> {
    let mut scopes = Vec::new();
    for (root, folder) in &found.roots {
        let root = document.element(*root);
        root.mark(Fate::Used, "");
        let defaults = Defaults::read(root)?;
        let assets = Assets::read(root, &defaults)?;
        let pairs = root.children_named("contact").flat_map(Element::children);
        let geoms = pairs.flat_map(|pair| ["geom1", "geom2"].into_iter().filter_map(move |g| pair.peek(g)));
        let paired = geoms.map(|g| g.value().trim()).collect();
        let spatial = root.children_named("tendon").flat_map(Element::children);
        let around = spatial.flat_map(|tendon| tendon.children().filter_map(|point| point.peek("geom")));
        let wrapped = around.map(|g| g.value().trim()).collect();
        let compiler = Compiler::read(root, folder)?;
        let models = Names::new("model");
        scopes.push(Scope { root, compiler, defaults, assets, paired, wrapped, models });
    }
    for (element, (from, scope)) in &found.named {
        let element = document.element(*element);
        let of_file = scopes.get(*scope).and_then(|s: &Scope<'_>| s.root.peek("model"));
        let Some(name) = element.get("name").or(of_file) else {
            return Err(element.missing("the attribute `name`", "a name: the file has none"));
        };
        if let Some(scope_with_model) = scopes.get_mut(*from) {
            scope_with_model.models.insert(name.value(), *scope, element)?;
        }
    }
    Ok(scopes)
}

/// One copy of a part of the tree; the first is what is not copied.
pub(crate) struct Copy {
    /// The scope of what is inside.
    scope: usize,
    prefix: String,
    suffix: String,
    parent: Option<usize>,
    /// <replicate> or <attach>, and the number of the copy.
    order: (usize, usize),
    depth: usize,
}

impl Copy {
    pub(crate) fn original() -> Self {
        let (prefix, suffix) = (String::new(), String::new());
        Self { scope: 0, prefix, suffix, parent: None, order: (0, 0), depth: 0 }
    }
}

/// An element outside the tree, to be read with the names of one copy of the tree.
#[derive(Clone, Copy)]
pub(crate) struct Mention<'d> {
    pub(crate) element: Element<'d>,
    pub(crate) scope: usize,
    pub(crate) copy: usize,
}

/// Kinds of things that have names.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Kind {
    Body,
    Joint,
    Geom,
    Site,
    Camera,
    Tendon,
    Actuator,
}

/// The names in the world, (1).
pub(crate) struct Registry<'d> {
    body: Names<'d>,
    joint: Names<'d>,
    geom: Names<'d>,
    site: Names<'d>,
    camera: Names<'d>,
    tendon: Names<'d>,
    actuator: Names<'d>,
    /// The copy of the tree that a thing of a given kind and index belongs to, if not the first.
    copies: BTreeMap<(Kind, usize), usize>,
}

impl<'d> Registry<'d> {
    pub(crate) fn new() -> Self {
        Self {
            body: Names::new("body"),
            joint: Names::new("joint"),
            geom: Names::new("geom"),
            site: Names::new("site"),
            camera: Names::new("camera"),
            tendon: Names::new("tendon"),
            actuator: Names::new("actuator"),
            copies: BTreeMap::new(),
        }
    }

    fn of(&self, kind: Kind) -> &Names<'d> {
        match kind {
            Kind::Body => &self.body,
            Kind::Joint => &self.joint,
            Kind::Geom => &self.geom,
            Kind::Site => &self.site,
            Kind::Camera => &self.camera,
            Kind::Tendon => &self.tendon,
            Kind::Actuator => &self.actuator,
        }
    }

    /// `name` is that of a thing of the given copy; of the first, any will do, for a file may say the
    /// names that copies get.
    fn has(&self, kind: Kind, name: &str, copy: usize) -> bool {
        match self.of(kind).get(name) {
            Some(index) => copy == 0 || name == "world" || self.copies.get(&(kind, index)) == Some(&copy),
            None => false,
        }
    }

    pub(crate) fn of_mut(&mut self, kind: Kind) -> &mut Names<'d> {
        match kind {
            Kind::Body => &mut self.body,
            Kind::Joint => &mut self.joint,
            Kind::Geom => &mut self.geom,
            Kind::Site => &mut self.site,
            Kind::Camera => &mut self.camera,
            Kind::Tendon => &mut self.tendon,
            Kind::Actuator => &mut self.actuator,
        }
    }
}

/// Attributes that name things.
const MENTIONS: [(&str, Kind); 26] = [
    ("camera", Kind::Camera),
    ("body", Kind::Body),
    ("body1", Kind::Body),
    ("body2", Kind::Body),
    ("subtree1", Kind::Body),
    ("subtree2", Kind::Body),
    ("joint", Kind::Joint),
    ("joint1", Kind::Joint),
    ("joint2", Kind::Joint),
    ("jointinparent", Kind::Joint),
    ("geom", Kind::Geom),
    ("geom1", Kind::Geom),
    ("geom2", Kind::Geom),
    ("site", Kind::Site),
    ("site1", Kind::Site),
    ("site2", Kind::Site),
    ("refsite", Kind::Site),
    ("slidersite", Kind::Site),
    ("cranksite", Kind::Site),
    ("sidesite", Kind::Site),
    ("tendon", Kind::Tendon),
    ("tendon1", Kind::Tendon),
    ("tendon2", Kind::Tendon),
    ("actuator", Kind::Actuator),
    ("objname", Kind::Body),
    ("refname", Kind::Body),
];

/// Kind that a word of `objtype` or `reftype` means.
pub(crate) fn kind_of(word: &str) -> Option<Kind> {
    match word {
        "body" | "xbody" => Some(Kind::Body),
        "joint" => Some(Kind::Joint),
        "geom" => Some(Kind::Geom),
        "site" => Some(Kind::Site),
        "camera" => Some(Kind::Camera),
        "tendon" => Some(Kind::Tendon),
        "actuator" => Some(Kind::Actuator),
        _ => None,
    }
}

/// The names that `element` and its children mention.
fn mentions<'d>(element: Element<'d>, index: &Index) -> Vec<(Kind, Attribute<'d>)> {
    let mut found = Vec::new();
    for e in std::iter::once(element).chain(element.children()) {
        let key = index.key_in(e.parent_name(), e.name());
        for (name, kind) in MENTIONS.into_iter().filter(|(name, _)| index.row(&key, name).is_some()) {
            let word = match name {
                "objname" => e.peek("objtype"),
                "refname" => e.peek("reftype"),
                _ => None,
            };
            let kind = word.map_or(Some(kind), |w| kind_of(w.value().trim()));
            found.extend(kind.zip(e.peek(name)));
        }
    }
    found
}

impl<'d> Reader<'d> {
    /// A copy of what `scope` holds, inside the copy `parent`; its index.
    pub(crate) fn add_copy(
        &mut self,
        of: Element<'d>,
        number: usize,
        scope: usize,
        parent: usize,
        affixes: (&str, &str),
    ) -> Result<usize, LoadError> {
        let Some(around) = self.copies.get(parent) else { return Ok(parent) };
        let depth = around.depth + 1;
        for (count, what, limit) in
            [(depth, "copies inside copies", MAX_DEPTH), (self.copies.len(), "copies", MAX_COPIES)]
        {
            if count > limit {
                return Err(LoadError::Limit { place: of.place(), what: what.to_owned(), limit });
            }
        }
        let prefix = format!("{}{}", around.prefix, affixes.0);
        let suffix = format!("{}{}", affixes.1, around.suffix);
        let order = (of.id(), number);
        self.copies.push(Copy { scope, prefix, suffix, parent: Some(parent), order, depth });
        Ok(self.copies.len() - 1)
    }

    /// The copies that <attach> made of other models.
    pub(crate) fn attached(&self) -> Vec<usize> {
        let of = |c: usize| self.copies.get(c).map(|c| c.scope);
        let other = |c: &usize| {
            let around = self.copies.get(*c).and_then(|c| c.parent);
            around.is_some_and(|a| of(a) != of(*c))
        };
        self.copies_in_order().into_iter().filter(other).collect()
    }

    /// The model that a copy is of.
    pub(crate) fn scope_of(&self, copy: usize) -> Option<usize> {
        self.copies.get(copy).map(|c| c.scope)
    }

    /// Whether `copy` is `around` or a copy inside it.
    pub(crate) fn is_inside(&self, copy: usize, around: usize) -> bool {
        std::iter::successors(Some(copy), |&c| self.copies.get(c).and_then(|c| c.parent)).any(|c| c == around)
    }

    /// Name (1) in the world.
    pub(crate) fn name_in_world(&self, copy: usize, name: &str) -> String {
        match self.copies.get(copy) {
            Some(c) if name != "world" => format!("{}{}{}", c.prefix, name.trim(), c.suffix),
            _ => name.trim().to_owned(),
        }
    }

    /// Enters what `item` is, a thing of a given index, under its name in the world, if it has one.
    pub(crate) fn named(&mut self, kind: Kind, item: &Item<'d>, index: usize) -> Result<String, LoadError> {
        let Some(name) = item.element.get("name") else { return Ok(String::new()) };
        let name = self.name_in_world(item.copy, name.value());
        self.names.of_mut(kind).insert(&name, index, item.element)?;
        if item.copy != 0 {
            self.names.copies.insert((kind, index), item.copy);
        }
        Ok(name)
    }

    /// Enters the name of a thing that stands outside the tree.
    pub(crate) fn enter(
        &mut self,
        kind: Kind,
        mention: Mention<'d>,
        index: usize,
    ) -> Result<String, LoadError> {
        let Mention { element, scope, copy } = mention;
        let (X, class) = (Pose::IDENTITY, super::defaults::MAIN);
        self.named(kind, &Item { element, X, class, scope, copy }, index)
    }

    /// The index of what `attribute` names.
    pub(crate) fn find(&self, kind: Kind, copy: usize, attribute: Attribute<'_>) -> Result<usize, LoadError> {
        let found = self.names.of(kind).find_as(&self.name_in_world(copy, attribute.value()), attribute);
        found.map_err(|e| self.with_what_is_missing(e))
    }

    /// Finds a thing of the copy, or else of one around it: parts that a contact or a tendon
    /// mentions may stand outside.
    pub(crate) fn find_near(
        &self,
        kind: Kind,
        copy: usize,
        attribute: Attribute<'_>,
    ) -> Result<usize, LoadError> {
        self.find(kind, self.copy_near(kind, copy, attribute), attribute)
    }

    /// The copy in which [`Self::find_near`] finds a thing.
    pub(crate) fn copy_near(&self, kind: Kind, copy: usize, attribute: Attribute<'_>) -> usize {
        self.copy_with(kind, copy, attribute).unwrap_or(copy)
    }

    /// Tells of an element that would have made more names.
    fn with_what_is_missing(&self, mut error: LoadError) -> LoadError {
        let not_built = |e: &Element<'_>| matches!(e.name(), "composite" | "flexcomp");
        if let LoadError::Reference { hint, .. } = &mut error
            && let Some(e) = self.root().descendants().find(not_built)
        {
            let (name, place) = (e.name(), e.place());
            hint.push_str(&format!("; the <{name}> at {place} may have made it: that is not simulated yet"));
        }
        error
    }

    /// The copy nearest around `copy`, itself first, that has what `attribute` names.
    fn copy_with(&self, kind: Kind, copy: usize, attribute: Attribute<'_>) -> Option<usize> {
        let mut around = std::iter::successors(Some(copy), |&c| self.copies.get(c).and_then(|c| c.parent));
        around.find(|&c| self.names.has(kind, &self.name_in_world(c, attribute.value()), c))
    }

    /// All names that `element` mentions exist in `copy`; of some sections one is enough, the others may be around.
    fn is_in(&self, copy: usize, section: &str, mentions: &[(Kind, Attribute<'_>)]) -> bool {
        if matches!(section, "contact" | "tendon") {
            let found: Option<Vec<usize>> =
                mentions.iter().map(|&(kind, name)| self.copy_with(kind, copy, name)).collect();
            return found.is_some_and(|found| found.contains(&copy));
        }
        mentions
            .iter()
            .all(|&(kind, name)| self.names.has(kind, &self.name_in_world(copy, name.value()), copy))
    }

    /// Elements in the sections called `section`, of the model and of its copies.
    pub(crate) fn section(&self, section: &'static str) -> Result<Vec<Mention<'d>>, LoadError> {
        let of_scope = |scope: usize| -> Vec<Element<'d>> {
            let root = self.scopes.get(scope).map(|s| s.root);
            root.into_iter().flat_map(|r| r.children_named(section)).flat_map(Element::children).collect()
        };
        let main = of_scope(0);
        if self.copies.len() == 1 {
            return Ok(main.into_iter().map(|element| Mention { element, scope: 0, copy: 0 }).collect());
        }
        let elements: BTreeMap<usize, Vec<_>> = (0..self.scopes.len())
            .map(|s| (s, of_scope(s).into_iter().map(|e| (e, mentions(e, &INDEX))).collect()))
            .collect();
        let (mut found, mut work) = (Vec::new(), 0);
        let mut seen: BTreeSet<usize> = BTreeSet::new();
        for copy in self.copies_in_order() {
            let Some(Copy { scope, .. }) = self.copies.get(copy) else { continue };
            for (element, mentions) in elements.get(scope).into_iter().flatten() {
                work += 1;
                // What names nothing is there once for every model.
                let once = mentions.is_empty() && !seen.contains(&element.id());
                if once || (!mentions.is_empty() && self.is_in(copy, section, mentions)) {
                    seen.insert(element.id());
                    found.push(Mention { element: *element, scope: *scope, copy });
                }
            }
            if work > MAX_WORK {
                let (place, what) = (self.root().place(), "copies of elements outside the bodies".to_owned());
                return Err(LoadError::Limit { place, what, limit: MAX_WORK });
            }
        }
        // A name that exists nowhere is a mistake, to be found by whoever reads the element.
        let lost = main.iter().filter(|e| !seen.contains(&e.id()));
        found.extend(lost.map(|&element| Mention { element, scope: 0, copy: 0 }));
        Ok(found)
    }

    /// Copies, each before those inside it, as the document writes them.
    fn copies_in_order(&self) -> Vec<usize> {
        let mut position = BTreeMap::new();
        for scope in self.scopes.iter() {
            let mut stack = vec![scope.root];
            while let Some(e) = stack.pop() {
                let next = position.len();
                position.insert(e.id(), next);
                stack.extend(e.children().rev());
            }
        }
        let mut inside: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (i, copy) in self.copies.iter().enumerate() {
            if let Some(parent) = copy.parent {
                inside.entry(parent).or_default().push(i);
            }
        }
        let key = |&c: &usize| self.copies.get(c).map(|c| (position.get(&c.order.0).copied(), c.order.1));
        let (mut order, mut stack) = (Vec::new(), vec![0]);
        while let Some(copy) = stack.pop() {
            order.push(copy);
            let mut next = inside.remove(&copy).unwrap_or_default();
            next.sort_by_key(key);
            stack.extend(next.into_iter().rev());
        }
        order
    }
}
