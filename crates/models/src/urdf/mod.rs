//! URDF: links, joints and what is fixed to them.
//!
//! The tree is laid out depth first, children in the order of their joints in the file. The root
//! link is fixed to the world, or moves freely with [`LoadOptions::free_base`](crate::LoadOptions).
//! Neighbours, also across fixed joints, never touch, nor do links that overlap before anything
//! has moved; all other pairs of links do.

mod exclusion;
mod gazebo;
mod geometry;
mod joint;
mod link;
mod material;
mod places;
mod semantics;
mod transmission;
mod tree;
mod vocabulary;

#[cfg(test)]
pub(crate) use vocabulary::VOCABULARY;

use crate::audit::audit;
use crate::error::LoadError;
use crate::mesh::MeshStore;
use crate::meshes::Filled;
use crate::names::Names;
use crate::neighbours::{exclude_base, exclude_neighbours};
use crate::options::Context;
use crate::overlap::exclude_overlaps;
use crate::plugins;
use crate::xml::{Document, Element};
use material::Materials;
use stiction_dynamics::spatial::{Pose, Quat, Vec3, vec3};
use stiction_dynamics::{JointKind, JointSpec, Model, ModelBuilder, ModelError};
use stiction_world::{DriveLimit, World};
use stiction_world::{Fate, Ledger, Note, Place, Severity};

/// State that the parts of the reader share.
pub(crate) struct Reader<'a> {
    context: &'a Context<'a>,
    meshes: MeshStore,
    materials: Materials,
    warnings: Vec<(Place, String)>,
    filled: Filled,
}

impl Reader<'_> {
    fn warn(&mut self, place: Place, message: impl Into<String>) {
        self.warnings.push((place, message.into()));
    }
}

/// The model of a robot, and where its parts are in it.
struct Built {
    model: Model,
    /// Index of every link.
    links: Vec<usize>,
    /// First dof of every joint, if it has any.
    first_dof: Vec<Option<usize>>,
    drive_limits: Vec<DriveLimit>,
}

/// Reads a document whose root is <robot>.
pub(crate) fn read(document: &Document, context: &Context<'_>) -> Result<World, LoadError> {
    let robot = document.root();
    robot.mark(Fate::Used, "");
    refuse_macros(document)?;
    let idle = plugins::mark(document, |_| false);
    let materials = Materials::read(robot)?;
    let mut reader = Reader {
        context,
        meshes: MeshStore::default(),
        materials,
        warnings: idle,
        filled: Filled::default(),
    };

    let gazebo = gazebo::read(&mut reader, robot)?;
    let rotors = transmission::read(robot)?;
    let (mut links, link_names, implied) = links(&mut reader, robot, &gazebo)?;
    let mut joint_names = Names::new("joint");
    let mut joints = Vec::new();
    let drake = robot.children_named("drake:joint");
    for (i, element) in robot.children_named("joint").chain(drake).enumerate() {
        joint_names.insert(element.require("name", "the name of the joint")?.value().trim(), i, element)?;
        let mut joint = joint::read(&mut reader, element, &link_names)?;
        let says = gazebo.get(joint.name.as_str()).copied().unwrap_or_default();
        for spec in &mut joint.specs {
            (spec.stiffness, spec.spring_rest) =
                (says.stiffness.unwrap_or(0.0), says.spring_rest.unwrap_or(0.0));
            if let Some(&(inertia, ratio)) = rotors.get(joint.name.as_str()) {
                (spec.rotor_inertia, spec.gear_ratio) = (inertia, ratio);
            }
        }
        joints.push(joint);
    }
    gazebo::look(&mut reader, robot, &link_names, &joint_names);
    let tree = tree::order(robot, &links, &joints)?;

    let Built { model, links: built, first_dof, drive_limits } =
        build(robot, context, &tree, (&links, &joints))?;
    let name = robot.get("name").map_or("robot", |n| n.value());
    let mut world = World::new(name, model);
    world.drive_limits = drive_limits;
    give_shapes(&mut world, &tree, &mut links, &built);
    for (link, &index) in links.iter().zip(&built) {
        if gazebo.get(link.name.as_str()).is_some_and(|says| says.weighs == Some(false)) {
            world.gravity_compensation.push((index, 1.0));
        }
    }
    for (i, joint) in joints.iter().enumerate() {
        let dof = first_dof.get(i).copied().flatten();
        if let Some(coupling) = joint::mimic(&mut reader, joint, dof, &joints, &joint_names, &first_dof)? {
            world.couplings.push(coupling);
        }
    }
    let excluded = exclusion::read(&mut reader, robot, &link_names, &gazebo)?;
    let index = |l: usize| built.get(l).copied();
    world.excluded.extend(excluded.into_iter().filter_map(|(a, b)| Some((index(a)?, index(b)?))));
    let mut ledger = Ledger::default();
    if let Some(path) = &context.options.srdf {
        semantics::read(&mut reader, &mut world, &mut ledger, path)?;
    }
    exclude_neighbours(&mut world, robot)?;
    exclude_base(&mut world, robot)?;
    for message in exclude_overlaps(&mut world).map_err(|e| robot.structure(e.to_string()))? {
        reader.warn(robot.place(), message);
    }
    audit(document, &vocabulary::INDEX, &[], &mut ledger);
    ledger.warnings = reader.warnings;
    ledger.remarks.extend(reader.filled.note());
    ledger.remarks.extend(implied.map(|joint| Note {
        place: Some(joint.place()),
        ..Note::of_scene(
            Severity::Note,
            "no <link> is called `world`: the parent is the world itself, as in Drake",
        )
    }));
    world.ledger = ledger;
    Ok(world)
}

/// Links and their names, and the joint that hangs on a world which no <link> states.
type Links<'d> = (Vec<link::UrdfLink<'d>>, Names<'d>, Option<Element<'d>>);

fn links<'d>(
    reader: &mut Reader<'_>,
    robot: Element<'d>,
    gazebo: &gazebo::Gazebo<'d>,
) -> Result<Links<'d>, LoadError> {
    let mut names = Names::new("link");
    let mut links = Vec::new();
    for (i, element) in robot.children_named("link").enumerate() {
        names.insert(element.require("name", "the name of the link")?.value().trim(), i, element)?;
        links.push(link::read(reader, element, gazebo)?);
    }
    let implied = hangs_on_the_world(robot, &links);
    if let Some(joint) = implied {
        names.insert("world", links.len(), joint)?;
        links.push(link::UrdfLink::world(joint));
    }
    Ok((links, names, implied))
}

/// The first joint whose parent is called `world`, in a file that has no link of this name.
fn hangs_on_the_world<'d>(robot: Element<'d>, links: &[link::UrdfLink<'d>]) -> Option<Element<'d>> {
    if links.is_empty() || links.iter().any(|link| link.name == "world") {
        return None;
    }
    let parents = |joint: Element<'d>| joint.children_named("parent").filter_map(|p| p.peek("link"));
    let joints = robot.children().filter(|e| matches!(e.name(), "joint" | "drake:joint"));
    joints.into_iter().find(|joint| parents(*joint).any(|link| link.value().trim() == "world"))
}

/// An error at the first macro of xacro.
fn refuse_macros(document: &Document) -> Result<(), LoadError> {
    for element in (0..document.len()).map(|id| document.element(id)) {
        let macro_of = |text: &str| text.contains("${") || text.contains("$(");
        let unexpanded = element.attributes().find(|a| macro_of(a.value()));
        if element.name().starts_with("xacro:") || unexpanded.is_some() {
            let place = unexpanded.map_or(element.place(), |a| a.place());
            let file = place.file.display();
            let message = format!(
                "{} is a macro of xacro: expand the file first (`xacro {file} > robot.urdf`), then load the result",
                element.described()
            );
            return Err(LoadError::Structure { place, message });
        }
    }
    Ok(())
}

/// The model of the tree, every link with the joint above it, parents first.
fn build(
    robot: Element<'_>,
    context: &Context<'_>,
    tree: &[tree::Step],
    (links, joints): (&[link::UrdfLink], &[joint::UrdfJoint<'_>]),
) -> Result<Built, LoadError> {
    let mut builder = ModelBuilder::new();
    let mut built = vec![0; links.len()];
    let mut drive_limits = Vec::new();
    let mut first_dof = vec![None; joints.len()];
    for step in tree {
        let Some(link) = links.get(step.link) else { continue };
        let joint = step.joint.and_then(|j| joints.get(j));
        let parent = joint.and_then(|j| built.get(j.parent).copied());
        let X_PL = joint.map_or(Pose::IDENTITY, |j| j.X_PL);
        let index = builder.link(link.name.clone(), parent, X_PL, link.inertia);
        if let Some(slot) = built.get_mut(step.link) {
            *slot = index;
        }
        let specs = match joint {
            Some(joint) => joint.specs.clone(),
            None if context.options.free_base && !link.is_world => {
                vec![JointSpec::new("floating_base", JointKind::Free, Vec3::Z)]
            }
            None => Vec::new(),
        };
        if let (Some(j), false) = (step.joint, specs.is_empty())
            && let Some(slot) = first_dof.get_mut(j)
        {
            *slot = Some(drive_limits.len());
        }
        for spec in specs {
            let limit = joint.map(|j| j.drive).unwrap_or_default();
            drive_limits.extend(std::iter::repeat_n(limit, spec.kind.nv()));
            builder.joint(index, spec);
        }
    }
    let gravity = context.options.gravity.unwrap_or(vec3(0.0, 0.0, -9.81));
    let builder = builder.unphysical(context.options.unphysical);
    let model = builder.build(gravity).map_err(|source| located(robot, source))?;
    Ok(Built { model, links: built, first_dof, drive_limits })
}

/// Hands the geometries and visuals of the links to the world.
fn give_shapes(world: &mut World, tree: &[tree::Step], links: &mut [link::UrdfLink], built: &[usize]) {
    for step in tree {
        let (Some(link), Some(&index)) = (links.get_mut(step.link), built.get(step.link)) else { continue };
        world.geometries.extend(link.geometries.drain(..).map(|mut g| {
            g.link = Some(index);
            g
        }));
        world.visuals.extend(link.visuals.drain(..).map(|mut v| {
            v.link = Some(index);
            v
        }));
    }
}

/// The place of the link or joint that the builder complains about.
fn located(robot: Element<'_>, source: ModelError) -> LoadError {
    let named = |tag: &str, name: &str| {
        let fits = |e: &Element<'_>| e.name() == tag && e.peek("name").is_some_and(|n| n.value() == name);
        robot.children().find(fits)
    };
    let element = match &source {
        ModelError::Value { element, .. } => {
            let (tag, name) = element.split_once(" `").unwrap_or_default();
            named(tag, name.trim_end_matches('`'))
        }
        ModelError::Massless { body, .. } => named("link", body),
        ModelError::FreeBelow { link } => named("link", link),
        ModelError::TooLarge { .. } | ModelError::TooDeep { .. } => None,
    };
    LoadError::Model { place: element.unwrap_or(robot).place(), source }
}

/// <origin xyz rpy>; the identity when there is none.
fn origin(of: Element<'_>) -> Result<Pose, LoadError> {
    let Some(origin) = of.child("origin")? else { return Ok(Pose::IDENTITY) };
    let translation = origin.get("xyz").map_or(Ok(Vec3::ZERO), |a| a.vector())?;
    let rotation = match (origin.get("rpy"), origin.get("quat_xyzw")) {
        (Some(_), Some(quat)) => return Err(quat.error("either rpy or quat_xyzw, not both")),
        (Some(rpy), None) => {
            let [r, p, y] = rpy.array::<3>()?;
            Quat::from_rpy(r, p, y)
        }
        (None, Some(quat)) => {
            let [x, y, z, w] = quat.array::<4>()?;
            quat.unit(Quat::new(w, x, y, z))?
        }
        (None, None) => Quat::IDENTITY,
    };
    Ok(Pose::new(rotation, translation))
}
