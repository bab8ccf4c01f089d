//! What is named in a world: models, links, joints and frames, each in the scope of its model.
//!
//! A scope is the world or a model. Names inside are unique; a nested model is a name of the scope around it,
//! and `a::b::c` goes down from scope to scope. Everything named is a frame; [`frame`](super::frame) says
//! where it is.

use super::include::Included;
use super::pose::{FRAMES, Version, pose, relative_to, switch, value, version};
use crate::error::LoadError;
use crate::words::{hint, shortened};
use crate::xml::Attribute;
use crate::xml::{Document, Element};
use std::collections::BTreeMap;
use stiction_dynamics::spatial::Pose;
use stiction_world::Fate;

/// Models inside models inside …, files that include files counted in.
const MAX_DEPTH: usize = 64;
/// Most models, links, joints and frames together.
const MAX_THINGS: usize = 200_000;

/// The frame a pose is stated in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Base {
    /// The frame of the scope itself: the world, or the model's `__model__`.
    Root,
    Frame(usize),
}

/// A frame, or the root of the scope it is named in.
pub(crate) type Spot = (usize, Base);

/// The world.
pub(crate) const WORLD: Spot = (0, Base::Root);

/// Where a name is looked up.
#[derive(Clone, Copy)]
pub(crate) struct Site {
    pub(crate) scope: usize,
    /// Frame that `__model__` means: the root, or, in a model merged into this scope, the frame it had.
    pub(crate) model: Base,
    pub(crate) version: Version,
}

/// Thing that a frame moves with.
#[derive(Clone, Copy)]
pub(crate) enum Attached<'d> {
    Link(usize),
    To(Base),
    /// To what the attribute names, in the scope of the frame.
    Named(Attribute<'d>),
    /// To the child of the joint.
    Child(usize),
    /// To the canonical link of the model that is this scope.
    Model(usize),
}

/// A named place.
pub(crate) struct Frame<'d> {
    pub(crate) element: Element<'d>,
    pub(crate) site: Site,
    /// Stated pose, in `base`, or in the frame that `relative_to` names.
    pub(crate) X_BF: Pose,
    pub(crate) base: Base,
    pub(crate) relative_to: Option<Attribute<'d>>,
    pub(crate) attached: Attached<'d>,
    /// Scope of a model, and the frame in it that the pose places.
    pub(crate) scope: Option<(usize, Option<Attribute<'d>>)>,
}

/// A world or a model.
pub(crate) struct Scope<'d> {
    /// The scope around it, and its frame there.
    pub(crate) around: Option<(usize, usize)>,
    /// Beginning of the names inside, in the world that is made.
    pub(crate) prefix: String,
    pub(crate) names: BTreeMap<String, usize>,
    /// Links and models directly inside, by frame, in order.
    pub(crate) first_link: Option<usize>,
    pub(crate) first_model: Option<usize>,
    pub(crate) canonical: Option<Attribute<'d>>,
    pub(crate) fixed: bool,
    pub(crate) self_collide: bool,
    /// The outermost model it belongs to.
    pub(crate) top: usize,
}

/// A <link> or <joint>, once for every copy of its model.
pub(crate) struct Part<'d> {
    pub(crate) element: Element<'d>,
    pub(crate) name: String,
    pub(crate) frame: usize,
    pub(crate) site: Site,
}

/// All scopes of a file and the frames in them.
pub(crate) struct Scopes<'d> {
    pub(crate) scopes: Vec<Scope<'d>>,
    pub(crate) frames: Vec<Frame<'d>>,
    pub(crate) links: Vec<Part<'d>>,
    pub(crate) joints: Vec<Part<'d>>,
}

/// A model about to be read: its element, and the <include> that names it.
struct Model<'d> {
    element: Element<'d>,
    include: Option<Element<'d>>,
    version: Version,
    depth: usize,
}

/// Where a model stands, and who says so: the <include> that names it, or the model itself.
struct Placement<'d> {
    name: &'d str,
    element: Element<'d>,
    site: Site,
    stated_by: Element<'d>,
    stated_in: Site,
}

const NAME: &str = "a name";

impl<'d> Scopes<'d> {
    /// Reads everything named in `world`, the <world> or the root of a file of models.
    pub(crate) fn read(
        document: &'d Document,
        included: &Included,
        world: Element<'d>,
    ) -> Result<Self, LoadError> {
        let mut scopes =
            Self { scopes: Vec::new(), frames: Vec::new(), links: Vec::new(), joints: Vec::new() };
        scopes.scopes.push(Scope {
            around: None,
            prefix: String::new(),
            names: BTreeMap::new(),
            first_link: None,
            first_model: None,
            canonical: None,
            fixed: false,
            self_collide: false,
            top: 0,
        });
        let site = Site { scope: 0, model: Base::Root, version: version(document.root())? };
        let lonely = models_of(world, document, included).count() < 2;
        scopes.contents(document, included, world, site, (0, lonely))?;
        Ok(scopes)
    }

    /// Everything named directly inside `element`. `lonely`: the only model of the file, whose name does not
    /// go into those of its parts.
    fn contents(
        &mut self,
        document: &'d Document,
        included: &Included,
        element: Element<'d>,
        site: Site,
        (depth, lonely): (usize, bool),
    ) -> Result<(), LoadError> {
        for child in element.children() {
            match child.name() {
                "link" if site.scope != 0 => {
                    let frame = self.frame(child, site, Attached::Link(self.links.len()))?;
                    self.scope_mut(site.scope).first_link.get_or_insert(frame);
                    let part = self.part(child, site, frame)?;
                    self.links.push(part);
                }
                "joint" => {
                    let index = self.joints.len();
                    let frame = self.frame(child, site, Attached::Child(index))?;
                    let part = self.part(child, site, frame)?;
                    self.joints.push(part);
                }
                "frame" if site.version >= FRAMES => {
                    let to = child.get("attached_to").filter(|a| !a.value().trim().is_empty());
                    let attached = to.map_or(Attached::To(site.model), Attached::Named);
                    let frame = self.frame(child, site, attached)?;
                    if let Some(frame) = self.frames.get_mut(frame)
                        && frame.relative_to.is_none()
                    {
                        frame.relative_to = to;
                    }
                }
                "model" | "include" => {
                    let Some((model, version)) = model_of(child, document, included, site.version)? else {
                        continue;
                    };
                    let include = (child.name() == "include").then_some(child);
                    let model = Model { element: model, include, version, depth: depth + 1 };
                    self.model(document, included, model, site, lonely)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn model(
        &mut self,
        document: &'d Document,
        included: &Included,
        model: Model<'d>,
        site: Site,
        lonely: bool,
    ) -> Result<(), LoadError> {
        let element = model.element;
        element.mark(Fate::Used, "");
        if model.depth > MAX_DEPTH {
            let what = "models inside models (does a file include itself?)".to_owned();
            return Err(LoadError::Limit { place: element.place(), what, limit: MAX_DEPTH });
        }
        let over = |name: &str| model.include.map_or(Ok(None), |i| value(i, name));
        let own_name = element.require("name", "the name of the model")?;
        let name = over("name")?.filter(|n| !n.value().is_empty()).unwrap_or(own_name).value().trim();
        let static_of = |e: Element<'d>| switch(e, "static");
        let fixed = match model.include.map_or(Ok(None), static_of)? {
            Some(fixed) => fixed,
            None => static_of(element)?.unwrap_or(false),
        };
        let around = self.scope(site.scope);
        let fixed = fixed || around.fixed;
        let placed = over("placement_frame")?.or_else(|| element.get("placement_frame"));
        let placed = placed.filter(|a| !a.value().trim().is_empty());
        // The <include> says where, else the model itself.
        let where_from =
            model.include.filter(|i| i.children().any(|c| c.name() == "pose")).unwrap_or(element);
        let stated_in = if where_from.id() == element.id() && model.include.is_some() {
            Site { version: model.version, ..site }
        } else {
            site
        };
        let at = Placement { name, element, site, stated_by: where_from, stated_in };
        let merged = model.include.and_then(|i| i.get("merge")).map_or(Ok(false), super::pose::truth)?;
        if merged {
            if let Some(placed) = placed {
                return Err(
                    placed.error("no placement frame beside merge: state the pose of the model instead")
                );
            }
            return self.merge(document, included, model, &at);
        }
        let scope = self.scopes.len();
        let prefix = match (lonely && site.scope == 0, self.scope(site.scope).prefix.as_str()) {
            (true, around) => around.to_owned(),
            (false, around) => format!("{around}{name}::"),
        };
        let self_collide = switch(element, "self_collide")?.unwrap_or(false);
        let top = if site.scope == 0 { scope } else { self.scope(site.scope).top };
        let frame = self.place(&at, Attached::Model(scope), Some((scope, placed)))?;
        self.name(site.scope, name, frame, element, site.version)?;
        self.scope_mut(site.scope).first_model.get_or_insert(frame);
        self.scopes.push(Scope {
            around: Some((site.scope, frame)),
            prefix,
            names: BTreeMap::new(),
            first_link: None,
            first_model: None,
            canonical: element.get("canonical_link").filter(|a| !a.value().trim().is_empty()),
            fixed,
            self_collide,
            top,
        });
        let inner = Site { scope, model: Base::Root, version: model.version };
        self.contents(document, included, element, inner, (model.depth, false))
    }

    /// The frame of a model.
    fn place(
        &mut self,
        at: &Placement<'d>,
        attached: Attached<'d>,
        scope: Option<(usize, Option<Attribute<'d>>)>,
    ) -> Result<usize, LoadError> {
        self.push(Frame {
            element: at.element,
            site: at.stated_in,
            X_BF: pose(at.stated_by)?,
            base: at.site.model,
            relative_to: relative_to(at.stated_by, at.stated_in.version)?,
            attached,
            scope,
        })
    }

    /// A model that is merged: its frame stays, under the name libsdformat gives it; its parts join the scope around it.
    fn merge(
        &mut self,
        document: &'d Document,
        included: &Included,
        model: Model<'d>,
        at: &Placement<'d>,
    ) -> Result<(), LoadError> {
        let site = at.site;
        let frame = self.place(at, Attached::To(site.model), None)?;
        let proxy = format!("_merged__{}__model__", at.name);
        self.scope_mut(site.scope).names.insert(proxy, frame);
        let inner = Site { scope: site.scope, model: Base::Frame(frame), version: model.version };
        let before = self.links.len();
        self.contents(document, included, at.element, inner, (model.depth, false))?;
        let canonical = at.element.get("canonical_link").filter(|a| !a.value().trim().is_empty());
        let attached = canonical.map(Attached::Named);
        let attached = attached.or((before < self.links.len()).then_some(Attached::Link(before)));
        if let (Some(frame), Some(attached)) = (self.frames.get_mut(frame), attached) {
            frame.attached = attached;
        }
        Ok(())
    }

    /// A link, joint or frame.
    fn frame(
        &mut self,
        element: Element<'d>,
        site: Site,
        attached: Attached<'d>,
    ) -> Result<usize, LoadError> {
        element.mark(Fate::Used, "");
        let name = element.require("name", NAME)?.value().trim();
        let frame = self.push(Frame {
            element,
            site,
            X_BF: pose(element)?,
            base: site.model,
            relative_to: relative_to(element, site.version)?,
            attached,
            scope: None,
        })?;
        self.name(site.scope, name, frame, element, site.version)?;
        Ok(frame)
    }

    fn push(&mut self, frame: Frame<'d>) -> Result<usize, LoadError> {
        if self.frames.len() >= MAX_THINGS {
            let (place, what) = (frame.element.place(), "models, links, joints and frames".to_owned());
            return Err(LoadError::Limit { place, what, limit: MAX_THINGS });
        }
        self.frames.push(frame);
        Ok(self.frames.len() - 1)
    }

    /// Before version 1.7 a joint may be called like a link; links keep the name then.
    fn name(
        &mut self,
        scope: usize,
        name: &str,
        frame: usize,
        element: Element<'d>,
        version: Version,
    ) -> Result<(), LoadError> {
        let first = self.scope(scope).names.get(name).and_then(|&f| self.frames.get(f)).map(|f| f.element);
        match first {
            Some(first) if version >= FRAMES || first.name() == element.name() => {
                let (place, first) = (element.place(), first.place());
                Err(LoadError::Duplicate { place, kind: "thing called", name: shortened(name), first })
            }
            Some(first) if first.name() == "link" => Ok(()),
            _ => {
                self.scope_mut(scope).names.insert(name.to_owned(), frame);
                Ok(())
            }
        }
    }

    fn part(&self, element: Element<'d>, site: Site, frame: usize) -> Result<Part<'d>, LoadError> {
        let name = element.require("name", NAME)?.value().trim();
        let name = format!("{}{name}", self.scope(site.scope).prefix);
        Ok(Part { element, name, frame, site })
    }

    /// Frame that `named` means at `site`.
    pub(crate) fn find(&self, site: Site, named: Attribute<'_>) -> Result<Base, LoadError> {
        let name = named.value().trim();
        match name {
            "__model__" if site.scope != 0 => return Ok(site.model),
            "world" if site.scope == 0 => return Ok(Base::Root),
            _ => {}
        }
        let mut scope = site.scope;
        let mut rest = name;
        loop {
            if let Some(&frame) = self.scope(scope).names.get(rest) {
                return Ok(Base::Frame(frame));
            }
            let inner = |(first, after): (&str, _)| {
                let &frame = self.scope(scope).names.get(first)?;
                let (inner, _) = self.frames.get(frame)?.scope?;
                Some((frame, inner, after))
            };
            match rest.split_once("::").and_then(inner) {
                Some((frame, _, "__model__")) => return Ok(Base::Frame(frame)),
                Some((_, inner, after)) => (scope, rest) = (inner, after),
                None => {
                    let names = self.scope(scope).names.keys().map(String::as_str);
                    return Err(LoadError::Reference {
                        place: named.place(),
                        element: named.element.described(),
                        kind: "frame",
                        name: shortened(name),
                        hint: hint(rest, names),
                    });
                }
            }
        }
    }

    // Scopes are never removed, and their numbers come from here.
    #[allow(clippy::indexing_slicing)]
    pub(crate) fn scope(&self, scope: usize) -> &Scope<'d> {
        &self.scopes[scope]
    }

    #[allow(clippy::indexing_slicing)]
    fn scope_mut(&mut self, scope: usize) -> &mut Scope<'d> {
        &mut self.scopes[scope]
    }
}

/// The model that <model> is or <include> names, with the version of its file; `None` for an included actor
/// or light.
fn model_of<'d>(
    element: Element<'d>,
    document: &'d Document,
    included: &Included,
    around: Version,
) -> Result<Option<(Element<'d>, Version)>, LoadError> {
    if element.name() == "model" {
        return Ok(Some((element, around)));
    }
    let Some(&root) = included.roots.get(&element.id()) else { return Ok(None) };
    let root = document.element(root);
    let model = root.children().find(|c| c.name() == "model");
    if model.is_none() {
        if root.children().any(|c| matches!(c.name(), "actor" | "light")) {
            return Ok(None);
        }
        return Err(root.missing("<model>", "a model to include"));
    }
    let version = version(root)?;
    Ok(model.map(|m| (m, version)))
}

/// The models directly inside `world`, included ones too.
fn models_of<'d>(
    world: Element<'d>,
    document: &'d Document,
    included: &Included,
) -> impl Iterator<Item = Element<'d>> {
    world.children().filter(move |c| match c.name() {
        "model" => true,
        "include" => included
            .roots
            .get(&c.id())
            .is_some_and(|&root| document.element(root).children().any(|m| m.name() == "model")),
        _ => false,
    })
}
