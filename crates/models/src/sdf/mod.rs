//! SDF, versions 1.4 to 1.12: worlds and models of Gazebo, and what Drake adds.
//!
//! A file is one world, or models that stand in an empty one. Links that no joint holds move freely; a static
//! model and what is joined to the world stand or hang there. Trees are laid out depth first, links and joints
//! in the order of the file. The joints of a loop but the last make the tree; the frames of the last are held together.
//!
//! Names are those of the file, inside models after `model::` unless the file has one model only. What the
//! file leaves out is as its specification says, the gravity of a world 9.8 m/s², of models alone 9.81.

mod closure;
mod controller;
mod coupling;
mod exclusion;
mod frame;
mod friction;
mod geometry;
mod heightmap;
mod include;
mod joint;
mod link;
mod material;
mod places;
mod pose;
mod scope;
mod sensor;
mod tree;
mod vocabulary;

#[cfg(test)]
pub(crate) use vocabulary::VOCABULARY;

use crate::audit::audit;
use crate::error::LoadError;
use crate::mesh::MeshStore;
use crate::meshes::Filled;
use crate::options::Context;
use crate::plugins;
use crate::words::shortened;
use crate::xml::{Document, Element};
use frame::Places;
use joint::SdfJoint;
use link::SdfLink;
use scope::Scopes;
use std::path::{Path, PathBuf};
use stiction_dynamics::spatial::{Pose, Vec3, vec3};
use stiction_dynamics::{JointKind, JointSpec, ModelBuilder, ModelError};
use stiction_world::{DriveLimit, World};
use stiction_world::{Fate, Ledger, Place};
use stiction_world::{Grain, GrainFrame};
use tree::{Forest, Hold};

/// State that the parts of the reader share.
pub(crate) struct Reader<'a, 'd> {
    context: &'a Context<'a>,
    /// The file that names the others.
    main: &'d Path,
    scopes: Scopes<'d>,
    places: Places,
    meshes: MeshStore,
    warnings: Vec<(Place, String)>,
    filled: Filled,
}

impl Reader<'_, '_> {
    /// The folder that relative paths in `element` start from.
    fn folder(&self, element: Element<'_>) -> PathBuf {
        if element.file() == self.main {
            self.context.folder.to_owned()
        } else {
            element.file().parent().unwrap_or(Path::new("")).to_owned()
        }
    }

    fn warn(&mut self, place: Place, message: impl Into<String>) {
        self.warnings.push((place, message.into()));
    }
}

/// The axis of a surface in the axes of the link that carries it, by its index in the model.
fn placed(grain: Grain, X_WL: &[Pose], built: &[usize]) -> Grain {
    let GrainFrame::Link(Some(link)) = grain.fixed_in else { return grain };
    let index = built.get(link).copied();
    let axis = X_WL.get(link).map_or(grain.axis, |X_WL| X_WL.rotation.conjugate().rotate(grain.axis));
    Grain { axis, fixed_in: GrainFrame::Link(index), ..grain }
}

/// Closes the loops of the forest, and says of each what does not act.
fn close_loops(
    reader: &mut Reader<'_, '_>,
    world: &mut World,
    forest: &Forest,
    joints: &[SdfJoint<'_>],
    links: &[SdfLink],
    built: &Built,
) {
    for joint in forest.loops.iter().filter_map(|&j| joints.get(j)) {
        let name = shortened(&joint.name);
        let closed = closure::closure(joint, links, built);
        let message = if closed.is_none() {
            joint.element.mark(Fate::Unsupported, "closes a loop: left open");
            format!("the joint `{name}` closes a loop, which is left open")
        } else if closure::does_more(joint) {
            format!(
                "the joint `{name}` closes a loop: it holds, but its limits, springs and friction do not act"
            )
        } else {
            String::new()
        };
        if !message.is_empty() {
            reader.warn(joint.element.place(), message);
        }
        world.loops.extend(closed);
    }
}

/// Hands the geometries and visuals of the links to the world.
fn give_shapes(
    world: &mut World,
    forest: &Forest,
    (links, X_WL): (&mut [SdfLink], &[Pose]),
    built: &[usize],
) {
    for step in &forest.steps {
        let (Some(link), Some(&index)) = (links.get_mut(step.link), built.get(step.link)) else {
            continue;
        };
        world.geometries.extend(link.geometries.drain(..).map(|mut g| {
            g.link = Some(index);
            g.material.grain = g.material.grain.map(|grain| placed(grain, X_WL, built));
            g
        }));
        world.visuals.extend(link.visuals.drain(..).map(|mut v| {
            v.link = Some(index);
            v
        }));
    }
}

/// Reads a document whose root is <sdf>.
pub(crate) fn read(mut document: Document, context: &Context<'_>) -> Result<World, LoadError> {
    let included = include::read(&mut document, context)?;
    let document = &document;
    let idle = plugins::mark(document, controller::prescribes);
    let root = document.root();
    root.mark(Fate::Used, "");
    include::mark(document, &included);
    let mut worlds = root.children_named("world");
    let world_of_file = worlds.next();
    let top = world_of_file.unwrap_or(root);
    let scopes = Scopes::read(document, &included, top)?;
    if scopes.frames.is_empty() && world_of_file.is_none() {
        return Err(root.missing("<world> or <model>", "a world, or models"));
    }
    let ends: Vec<_> = scopes.joints.iter().map(|j| joint::ends(&scopes, j)).collect::<Result<_, _>>()?;
    let bases = frame::bases(&scopes, &ends)?;
    let places = Places::new(&scopes, &ends, &bases)?;
    let meshes = MeshStore::default();
    let mut reader = Reader {
        context,
        main: root.file(),
        scopes,
        places,
        meshes,
        warnings: idle,
        filled: Filled::default(),
    };
    if let Some(world) = world_of_file.filter(|world| world.peek("name").is_none()) {
        reader.warn(world.place(), "a <world> without a name, which the specification wants");
    }
    for second in worlds {
        second.mark(Fate::Unsupported, "one world is simulated: the first");
        reader.warn(second.place(), "a second <world>: the first is read");
    }

    let link_parts = std::mem::take(&mut reader.scopes.links);
    let mut links = link_parts.iter().map(|p| link::read(&mut reader, p)).collect::<Result<Vec<_>, _>>()?;
    let parts = std::mem::take(&mut reader.scopes.joints);
    let X_WL: Vec<Pose> = links.iter().map(|l| l.X_WL).collect();
    let held = std::mem::take(&mut reader.places.ends);
    let joints = parts.iter().zip(held).map(|(part, ends)| joint::read(&mut reader, part, ends, &X_WL));
    let joints = joints.collect::<Result<Vec<_>, _>>()?;
    let forest = tree::order(&links, &joints);
    let settings = Settings::read(world_of_file)?;
    let gravity = context.options.gravity.unwrap_or(settings.gravity);
    let builder = ModelBuilder::new().unphysical(context.options.unphysical);
    let (mut world, built) = build(builder, (root, &links, &joints), &forest, gravity)?;
    close_loops(&mut reader, &mut world, &forest, &joints, &links, &built);
    world.time_step = settings.time_step;
    world.name = name(root, top);
    give_shapes(&mut world, &forest, (&mut links, &X_WL), &built.links);
    sensor::of_links(&mut reader, &mut world, &link_parts, &links, &built)?;
    sensor::of_joints(&mut reader, &mut world, &parts, (&joints, &forest), &X_WL, &built)?;
    let idle = links.iter().zip(&built.links).filter(|(link, _)| !link.weighs);
    world.gravity_compensation.extend(idle.map(|(_, &index)| (index, 1.0)));
    coupling::read(&mut reader, &mut world, &parts, &joints, &built)?;
    controller::read(&mut reader, &mut world, &joints, &built)?;
    exclusion::read(&mut reader, &mut world, root, &links, &joints, &built.links)?;
    let mut ledger = Ledger::default();
    audit(document, &vocabulary::INDEX, &included.files, &mut ledger);
    ledger.warnings = reader.warnings;
    ledger.remarks.extend(reader.filled.note());
    world.ledger = ledger;
    Ok(world)
}

/// Where the links and joints of the file are in the model.
pub(crate) struct Built {
    pub(crate) links: Vec<usize>,
    /// First dof of every joint, if it has any, and whether it is turned round.
    pub(crate) dofs: Vec<Option<(usize, bool)>>,
}

/// The model, and what drives may do.
fn build(
    mut builder: ModelBuilder,
    (root, links, joints): (Element<'_>, &[SdfLink<'_>], &[SdfJoint<'_>]),
    forest: &Forest,
    gravity: Vec3,
) -> Result<(World, Built), LoadError> {
    let mut built = Built { links: vec![0; links.len()], dofs: vec![None; joints.len()] };
    let mut drive_limits = Vec::new();
    for step in &forest.steps {
        let Some(link) = links.get(step.link) else { continue };
        let parent = step.parent.and_then(|p| built.links.get(p).copied());
        let X_WP = step.parent.and_then(|p| links.get(p)).map_or(Pose::IDENTITY, |p| p.X_WL);
        let X_PL = X_WP.inverse() * link.X_WL;
        let index = builder.link(link.name.clone(), parent, X_PL, link.inertia);
        if let Some(slot) = built.links.get_mut(step.link) {
            *slot = index;
        }
        let mut specs: Vec<JointSpec> = Vec::new();
        match step.hold {
            Hold::Free => {
                drive_limits.extend([DriveLimit::default(); 6]);
                builder.joint(index, JointSpec::new(format!("{}_free", link.name), JointKind::Free, Vec3::Z));
            }
            Hold::Fixed => {}
            Hold::Joint { joint, turned } => {
                let Some(stated) = joints.get(joint) else { continue };
                let of_joint: Vec<JointSpec> = stated.specs.iter().map(|(s, _)| s.clone()).collect();
                let mut drives: Vec<_> = stated.specs.iter().map(|(_, d)| *d).collect();
                // The child of a turned joint is the link it hangs on.
                specs = if turned { tree::turned(&of_joint, X_PL.inverse()) } else { of_joint };
                if turned {
                    drives.reverse();
                }
                if let (false, Some(slot)) = (specs.is_empty(), built.dofs.get_mut(joint)) {
                    *slot = Some((drive_limits.len(), turned));
                }
                for (spec, drive) in specs.iter().zip(drives) {
                    drive_limits.extend(std::iter::repeat_n(drive, spec.kind.nv()));
                }
            }
        }
        for spec in specs {
            builder.joint(index, spec);
        }
    }
    let model = builder.build(gravity).map_err(|source| located(root, links, joints, source))?;
    let mut world = World::new("", model);
    world.drive_limits = drive_limits;
    Ok((world, built))
}

/// Settings of a <world>.
struct Settings {
    gravity: Vec3,
    time_step: Option<f64>,
}

impl Settings {
    fn read(world: Option<Element<'_>>) -> Result<Self, LoadError> {
        let Some(world) = world else { return Ok(Self { gravity: vec3(0.0, 0.0, -9.81), time_step: None }) };
        let mut settings = Self { gravity: vec3(0.0, 0.0, -9.8), time_step: None };
        let mut physics: Vec<Element<'_>> = world.children_named("physics").collect();
        let chosen = |p: &Element<'_>| p.get("default").is_some_and(|d| matches!(d.value(), "true" | "1"));
        physics.sort_by_key(|p| !chosen(p));
        if let Some(physics) = physics.first() {
            // Until version 1.5 gravity was a matter of the engine.
            settings.gravity = pose::vector(*physics, "gravity", settings.gravity)?;
            settings.time_step = match pose::value(*physics, "max_step_size")? {
                Some(step) => Some(step.positive()?),
                None => None,
            };
        }
        settings.gravity = pose::vector(world, "gravity", settings.gravity)?;
        Ok(settings)
    }
}

/// Name of the world, or of the first model.
fn name(root: Element<'_>, top: Element<'_>) -> String {
    let first = if top.id() == root.id() { root.children().find(|c| c.name() == "model") } else { Some(top) };
    first.and_then(|m| m.get("name")).map_or("sdf".to_owned(), |n| n.value().to_owned())
}

/// The place of the link or joint that the builder complains about.
fn located(
    root: Element<'_>,
    links: &[SdfLink<'_>],
    joints: &[SdfJoint<'_>],
    source: ModelError,
) -> LoadError {
    let link = |name: &str| links.iter().find(|l| l.name == name).map(|l| l.element);
    let joint =
        |name: &str| joints.iter().find(|j| j.specs.iter().any(|(s, _)| s.name == name)).map(|j| j.element);
    let element = match &source {
        ModelError::Value { element, .. } => {
            let (kind, name) = element.split_once(" `").unwrap_or_default();
            let name = name.trim_end_matches('`');
            if kind == "joint" { joint(name) } else { link(name) }
        }
        ModelError::Massless { body: name, .. } | ModelError::FreeBelow { link: name } => link(name),
        ModelError::TooLarge { .. } | ModelError::TooDeep { .. } => None,
    };
    LoadError::Model { place: element.unwrap_or(root).place(), source }
}
