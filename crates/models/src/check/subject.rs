//! What the rules look at: the document, and the world read from it where it could be read.

use super::condition::{Condition, condition};
use crate::options::Context;
use crate::xml::{Document, Element};
use std::collections::BTreeMap;
use stiction_collision::Aabb;
use stiction_dynamics::Kinematics;
use stiction_dynamics::spatial::{Pose, Vec3};
use stiction_world::{Drawing, World};

/// Kinds of names; each has a table of its own: a link and a joint may be called alike.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Link,
    Joint,
    Geometry,
    Actuator,
    Keyframe,
}

/// Links smaller than this are marks for frames: their geometry says nothing about their mass [m].
pub(super) const MARK: f64 = 5e-3;

/// A robot file as the rules see it: its text, and the world it makes, if it makes one.
pub(super) struct Subject<'d> {
    pub(super) document: &'d Document,
    pub(super) context: Context<'d>,
    /// `None`: the reader refused the file.
    pub(super) world: Option<&'d World>,
    /// First element of a name.
    named: BTreeMap<(Kind, &'d str), Element<'d>>,
    /// MJCF bodies in the order of the file, for those without a name.
    bodies: Vec<Element<'d>>,
    /// Box around everything that a link shows or touches with, in its axes; `None` for
    /// a link without geometry, with an endless one, or with one that is only a mark.
    pub(super) extents: Vec<Option<Aabb>>,
    /// True for links that show something, and so presumably all of themselves.
    pub(super) drawn: Vec<bool>,
    /// Condition of the mass matrix at the reference posture.
    pub(super) condition: Option<Condition>,
    /// Link that every body of the model is named after.
    links: Vec<Option<usize>>,
    /// Mass of all links [kg].
    mass: f64,
}

impl<'d> Subject<'d> {
    pub(super) fn new(document: &'d Document, context: Context<'d>, world: Option<&'d World>) -> Self {
        let (mut named, mut bodies) = (BTreeMap::new(), Vec::new());
        for element in elements(document) {
            let kind = match (element.parent_name(), element.name()) {
                ("default", _) => continue,
                ("actuator", _) => Kind::Actuator,
                ("keyframe", _) => Kind::Keyframe,
                (_, "link") => Kind::Link,
                (_, "body") => {
                    bodies.push(element);
                    Kind::Link
                }
                ("fixed" | "equality", _) => continue,
                (_, "joint" | "freejoint") => Kind::Joint,
                (_, "geom" | "collision") => Kind::Geometry,
                _ => continue,
            };
            if let Some(name) = element.peek("name") {
                named.entry((kind, name.value().trim())).or_insert(element);
            }
        }
        let (extents, links) = world.map(|w| (extents(w), first_links(w))).unwrap_or_default();
        let mass = world.iter().flat_map(|w| &w.model.links).map(|l| l.inertia.mass).sum();
        let condition = world.and_then(condition);
        let mut drawn = vec![false; extents.len()];
        for link in world.iter().flat_map(|w| &w.visuals).filter_map(|v| v.link) {
            drawn[link] = true;
        }
        Self { document, context, world, named, bodies, extents, drawn, condition, links, mass }
    }

    /// The link that a body of the model is named after.
    pub(super) fn link_of(&self, body: usize) -> Option<usize> {
        self.links.get(body).copied().flatten()
    }

    /// The element of a body of the model.
    pub(super) fn body(&self, body: usize) -> Element<'d> {
        self.link_of(body).map_or(self.document.root(), |l| self.link(l))
    }

    /// The element called `name`; for a copy (`leg03`) or a scoped name (`robot::leg`) the one it
    /// comes from.
    fn find(&self, kind: Kind, name: &str) -> Option<Element<'d>> {
        let last = name.rsplit("::").next().unwrap_or(name);
        let stem = last.trim_end_matches(|c: char| c.is_ascii_digit());
        let shorter = stem.trim_end_matches(['_', '-', '.']);
        [name, last, stem, shorter].into_iter().find_map(|n| self.named.get(&(kind, n)).copied())
    }

    /// The element of a link of the world; the root where it is not to be found.
    pub(super) fn link(&self, link: usize) -> Element<'d> {
        let name = self.world.and_then(|w| w.model.links.get(link)).map_or("", |l| &l.name);
        let unnamed = || {
            let number: usize = name.strip_prefix("body#")?.parse().ok()?;
            self.bodies.get(number.checked_sub(1)?).copied()
        };
        self.find(Kind::Link, name).or_else(unnamed).unwrap_or(self.document.root())
    }

    /// The element of a joint of the world; its body's where it has no name.
    pub(super) fn joint(&self, joint: usize) -> Element<'d> {
        let Some(joint) = self.world.and_then(|w| w.model.joints.get(joint)) else {
            return self.document.root();
        };
        let part = ["_x", "_y", "_turn"].iter().find_map(|end| joint.name.strip_suffix(end));
        let found = self.find(Kind::Joint, &joint.name);
        found.or_else(|| self.find(Kind::Joint, part?)).unwrap_or_else(|| self.body(joint.body))
    }

    /// The element of a geometry of the world; its link's where it has no name.
    pub(super) fn geometry(&self, geometry: usize) -> Element<'d> {
        let Some(g) = self.world.and_then(|w| w.geometries.get(geometry)) else {
            return self.document.root();
        };
        let link = g.link.map_or(self.document.root(), |l| self.link(l));
        let inside = |e: &Element<'d>| e.parent().is_some_and(|p| p.id() == link.id());
        let named = self.find(Kind::Geometry, &g.name).filter(|e| e.name() != "collision" || inside(e));
        named.or_else(|| link.children().find(|c| matches!(c.name(), "collision" | "geom"))).unwrap_or(link)
    }

    /// How messages call a geometry: by its link, and by its name where it has one of its own.
    pub(super) fn owner(&self, geometry: usize) -> String {
        let Some(g) = self.world.and_then(|w| w.geometries.get(geometry)) else { return String::new() };
        match (&*g.name, self.link_name(g.link)) {
            ("", link) => format!("`{link}`"),
            (shape, link) if shape == link => format!("`{link}`"),
            (shape, link) => format!("`{link}` (shape `{shape}`)"),
        }
    }

    pub(super) fn actuator(&self, name: &str) -> Element<'d> {
        self.find(Kind::Actuator, name).unwrap_or_else(|| self.section("actuator"))
    }

    pub(super) fn keyframe(&self, name: &str) -> Element<'d> {
        self.find(Kind::Keyframe, name).unwrap_or_else(|| self.section("keyframe"))
    }

    /// The child of the root called `name`, else the root.
    fn section(&self, name: &str) -> Element<'d> {
        let root = self.document.root();
        root.children().find(|c| c.name() == name).unwrap_or(root)
    }

    /// Whether a link's mass matters: at least a percent of the body that carries it, or, fixed to
    /// the world, of the model.
    pub(super) fn weighs(&self, world: &World, link: usize) -> bool {
        let links = &world.model.links;
        let Some(own) = links.get(link) else { return false };
        let whole = match own.body.and_then(|b| world.model.bodies.get(b)) {
            Some(body) => body.inertia.mass,
            None => self.mass,
        };
        own.inertia.mass > 0.01 * whole
    }

    /// How messages call a link.
    pub(super) fn link_name(&self, link: Option<usize>) -> &'d str {
        let named = link.and_then(|l| self.world?.model.links.get(l));
        named.map_or("the world", |l| l.name.as_str())
    }

    /// The time step that a rule about stability assumes [s].
    pub(super) fn time_step(&self) -> f64 {
        self.world.and_then(|w| w.time_step).unwrap_or(1e-3)
    }

    /// Every element of the file.
    pub(super) fn elements(&self) -> Vec<Element<'d>> {
        elements(self.document)
    }
}

/// Every element, parents first, in the order of the file.
fn elements(document: &Document) -> Vec<Element<'_>> {
    let (mut all, mut stack) = (Vec::new(), vec![document.root()]);
    while let Some(element) = stack.pop() {
        stack.extend(element.children().rev());
        all.push(element);
    }
    all
}

/// The part of `element` found by going down `path`, as deep as it goes.
pub(super) fn part<'d>(element: Element<'d>, path: &[&str]) -> Element<'d> {
    path.iter().fold(element, |at, name| at.children().find(|c| c.name() == *name).unwrap_or(at))
}

/// Kinematics at `q`.
pub(super) fn posed(world: &World, q: &[f64]) -> Kinematics {
    let mut kin = Kinematics::new(&world.model);
    kin.update(&world.model, q);
    kin
}

fn extents(world: &World) -> Vec<Option<Aabb>> {
    let touched = world.geometries.iter().map(|g| (g.link, Some(g.shape.aabb(&g.X_LG, 0.0))));
    let drawn = world.visuals.iter().map(|v| (v.link, drawn_box(&v.drawing, &v.X_LV)));
    let mut extents: Vec<Option<Aabb>> = vec![None; world.model.links.len()];
    for (link, part) in touched.chain(drawn) {
        if let (Some(slot), Some(part)) = (link.and_then(|l| extents.get_mut(l)), part) {
            *slot = Some(slot.map_or(part, |whole| whole.joined(&part)));
        }
    }
    let meant = |b: &Aabb| (MARK..f64::INFINITY).contains(&(b.max - b.min).norm());
    extents.into_iter().map(|e| e.filter(meant)).collect()
}

fn first_links(world: &World) -> Vec<Option<usize>> {
    let mut links = vec![None; world.model.bodies.len()];
    for (l, link) in world.model.links.iter().enumerate() {
        if let Some(slot) = link.body.and_then(|b| links.get_mut(b)) {
            slot.get_or_insert(l);
        }
    }
    links
}

fn drawn_box(drawing: &Drawing, X: &Pose) -> Option<Aabb> {
    match drawing {
        Drawing::Shape(shape) => Some(shape.aabb(X, 0.0)),
        Drawing::Mesh { vertices, .. } => {
            let point = |v: &Vec3| Aabb::around(X.transform(*v), Vec3::ZERO);
            vertices.iter().map(point).reduce(|a, b| a.joined(&b))
        }
    }
}
