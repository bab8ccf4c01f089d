//! MJCF: MuJoCo's format.
//!
//! State, order of bodies, joints and dofs, and defaults are MuJoCo's, so that its keyframes and
//! reference values apply as they are. What MuJoCo softens (contacts, limits) is exact and rigid
//! here; the ledger says so at every parameter that shapes the softness.

mod actuator;
mod asset;
mod body;
mod build;
mod compiler;
mod contact;
mod defaults;
mod equality;
mod flatten;
mod geom;
mod include;
mod joint;
mod keyframe;
mod option;
mod orientation;
mod servo;
mod tendon;
mod vocabulary;

use crate::audit::audit;
use crate::error::LoadError;
use crate::ledger::{Fate, Ledger, Place};
use crate::load::Context;
use crate::mesh::MeshStore;
use crate::names::Names;
use crate::world::{Geometry, Visual, World};
use crate::xml::{Document, Element};
use asset::Assets;
use compiler::Compiler;
use defaults::Defaults;
use option::Settings;

/// What the parts of the reader share, and what they have found so far.
pub(crate) struct Reader<'d> {
    root: Element<'d>,
    load_visuals: bool,
    compiler: Compiler,
    settings: Settings,
    defaults: Defaults<'d>,
    assets: Assets<'d>,
    files: MeshStore,
    geometries: Vec<Geometry>,
    visuals: Vec<Visual>,
    body_names: Names<'d>,
    joint_names: Names<'d>,
    joint_count: usize,
    geom_names: Names<'d>,
    warnings: Vec<(Place, String)>,
}

impl<'d> Reader<'d> {
    fn warn(&mut self, place: Place, message: impl Into<String>) {
        self.warnings.push((place, message.into()));
    }

    /// All children of all sections called `section`, in order.
    fn section(&self, section: &'static str) -> impl Iterator<Item = Element<'d>> + use<'d> {
        self.root.children_named(section).flat_map(Element::children)
    }
}

/// Reads a document whose root is <mujoco>.
pub(crate) fn read(mut document: Document, context: &Context<'_>) -> Result<World, LoadError> {
    let included = include::resolve(&mut document, context)?;
    let document = &document;
    let root = document.root();
    root.mark(Fate::Used, "");
    let compiler = Compiler::read(root, context)?;
    let defaults = Defaults::read(root)?;
    let assets = Assets::read(root, &defaults)?;
    let mut reader = Reader {
        root,
        load_visuals: context.options.visuals,
        compiler,
        settings: Settings::read(root)?,
        defaults,
        assets,
        files: MeshStore::default(),
        geometries: Vec::new(),
        visuals: Vec::new(),
        body_names: Names::new("body"),
        joint_names: Names::new("joint"),
        joint_count: 0,
        geom_names: Names::new("geom"),
        warnings: Vec::new(),
    };
    let bodies = body::read(&mut reader)?;
    let gravity = context.options.gravity.unwrap_or(reader.settings.gravity);
    let mut world = build::world(&mut reader, &bodies, gravity)?;
    contact::read(&mut reader, &mut world)?;
    let tendons = tendon::read(&mut reader, &world.model)?;
    equality::read(&mut reader, &mut world, &tendons)?;
    actuator::read(&mut reader, &mut world, &tendons)?;
    keyframe::read(&mut reader, &mut world)?;

    let mut ledger = Ledger::default();
    audit(document, &vocabulary::VOCABULARY, &included, &mut ledger);
    ledger.warnings = reader.warnings;
    world.ledger = ledger;
    Ok(world)
}
