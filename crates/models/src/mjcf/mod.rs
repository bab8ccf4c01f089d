//! MJCF: MuJoCo's format.
//!
//! State, order of bodies, joints and dofs, and defaults are MuJoCo's, so that its keyframes and
//! reference values apply as they are. What MuJoCo softens (contacts, limits) is rigid
//! here but under the law `mujoco`; the ledger says so at every parameter that shapes the softness.

mod actuator;
pub(crate) mod asset;
mod body;
mod build;
mod builtin;
mod camera;
pub(crate) mod compiler;
mod contact;
pub(crate) mod defaults;
mod dofs;
mod equality;
mod fit;
mod flatten;
mod geom;
mod geom_kind;
mod hfield;
pub(crate) mod include;
mod joint;
mod keyframe;
pub(crate) mod msh;
mod option;
mod orientation;
mod places;
mod refused;
mod scope;
mod sensor;
mod servo;
mod shell;
mod site;
mod solid;
mod tendon;
mod vocabulary;

#[cfg(test)]
pub(crate) use vocabulary::VOCABULARY;

use crate::audit::audit;
use crate::error::LoadError;
use crate::mesh::MeshStore;
use crate::meshes::Meshes;
use crate::options::Context;
use crate::xml::{Document, Element};
use asset::Loaded;
use option::Settings;
use scope::{Copy, Registry, Scope};
use std::collections::BTreeMap;
use std::rc::Rc;
use stiction_collision::Shape;
use stiction_dynamics::spatial::Pose;
use stiction_world::Extras;
use stiction_world::{Geometry, Visual, World};
use stiction_world::{Ledger, Place};

/// State that the parts of the reader share, and their findings so far.
pub(crate) struct Reader<'d> {
    scopes: Rc<[Scope<'d>]>,
    copies: Vec<Copy>,
    names: Registry<'d>,
    load_visuals: bool,
    /// Shapes by which meshes touch.
    touching: Meshes,
    /// Inertias that no body has are accepted, with a warning.
    unphysical: bool,
    settings: Settings,
    files: MeshStore,
    loaded: Loaded,
    geometries: Vec<Geometry>,
    /// Number of geometries of every geom that touches, by the index of its first.
    parts: BTreeMap<usize, usize>,
    visuals: Vec<Visual>,
    /// Link, pose and shape of the geoms that tendons go around, by name in the world.
    wrapped: BTreeMap<String, (Option<usize>, Pose, Shape)>,
    extras: Extras,
    gravity_compensation: Vec<(usize, f64)>,
    /// The copy of the tree that every joint belongs to.
    joint_copies: Vec<usize>,
    /// The copy of the tree that every actuator belongs to.
    actuator_copies: Vec<usize>,
    /// Elements of bodies, copies included.
    items: usize,
    warnings: Vec<(Place, String)>,
}

impl<'d> Reader<'d> {
    fn warn(&mut self, place: Place, message: impl Into<String>) {
        self.warnings.push((place, message.into()));
    }

    /// The model of a given index; those of items and mentions exist.
    // Indices come from the list itself, which never changes.
    #[allow(clippy::indexing_slicing)]
    fn scope(&self, scope: usize) -> &Scope<'d> {
        &self.scopes[scope]
    }

    fn root(&self) -> Element<'d> {
        self.scope(0).root
    }
}

/// Reads a document whose root is <mujoco>.
pub(crate) fn read(mut document: Document, context: &Context<'_>) -> Result<World, LoadError> {
    let models = include::resolve(&mut document, context.folder)?;
    let document = &document;
    let mut reader = Reader {
        scopes: scope::read(document, &models)?.into(),
        copies: vec![Copy::original()],
        names: Registry::new(),
        load_visuals: context.options.visuals,
        touching: context.options.meshes.clone(),
        unphysical: context.options.unphysical,
        settings: Settings::read(document.root())?,
        files: MeshStore::default(),
        loaded: Loaded::default(),
        geometries: Vec::new(),
        parts: BTreeMap::new(),
        visuals: Vec::new(),
        wrapped: BTreeMap::new(),
        extras: Extras::default(),
        gravity_compensation: Vec::new(),
        joint_copies: Vec::new(),
        actuator_copies: Vec::new(),
        items: 0,
        warnings: Vec::new(),
    };
    let bodies = body::read(&mut reader)?;
    let gravity = context.options.gravity.unwrap_or(reader.settings.gravity);
    let mut world = build::world(&mut reader, &bodies, gravity)?;
    contact::read(&mut reader, &mut world)?;
    tendon::read(&mut reader, &mut world)?;
    equality::read(&mut reader, &mut world)?;
    actuator::read(&mut reader, &mut world)?;
    sensor::read(&reader, &mut world.extras)?;
    keyframe::read(&mut reader, &mut world)?;
    refused::check(&reader, &world)?;

    let mut ledger = Ledger::default();
    audit(document, &vocabulary::INDEX, &models.cut, &mut ledger);
    ledger.warnings = reader.warnings;
    world.ledger = ledger;
    Ok(world)
}
