//! URDF with the extensions that stiction, Bullet, Drake and Gazebo read, and an SRDF beside it.
//!
//! Bodies with several joints become chains of links without mass. One tree whose root moves freely is written
//! from that root, to be read with a free base; anything else hangs on a link called `world`.

use super::files::MeshFiles;
use super::names::Unique;
use super::tree::{Branch, branches, losses};
use super::urdf_joint::{Kind, Step, UNBOUNDED, chain};
use super::urdf_link::{self, origin};
use super::urdf_writer::Writer;
use super::xml::{Xml, number};
use super::{Notes, Written};
use stiction_dynamics::JointKind;
use stiction_dynamics::spatial::{Pose, vec3};
use stiction_world::{Coupling, World};

/// `world` as URDF; files beside it are named after `stem`.
pub fn to_urdf(world: &World, stem: &str) -> Written {
    // Every field is written or noted; a new one does not compile until it is.
    let World {
        name,
        model,
        geometries,
        visuals: _,
        excluded,
        excluded_from_world,
        pairs: _,
        actuators: _,
        couplings: _,
        loops: _,
        tendons: _,
        gravity_compensation: _,
        extras: _,
        keyframes,
        drive_limits: _,
        time_step: _,
        ledger: _,
    } = world;
    let mut notes = Notes::default();
    let (mut link_names, mut joint_names, mut geom_names) =
        (Unique::default(), Unique::default(), Unique::default());
    let links = model.links.iter().map(|l| link_names.give(&l.name, "link", &mut notes)).collect();
    let joints = model.joints.iter().map(|j| joint_names.give(&j.name, "joint", &mut notes)).collect();
    let geoms = geometries.iter().map(|g| geom_names.give(&g.name, "shape", &mut notes)).collect();
    let mut w = Writer { world, xml: Xml::new(), notes, meshes: MeshFiles::new(stem), links, joints, geoms };
    let branches = branches(model);

    w.xml.open("robot").attribute("name", name).attribute("xmlns:drake", "http://drake.mit.edu");
    let free_root = free_root(world, &branches);
    let ground = (!free_root && !hangs_on_itself(world, &branches))
        .then(|| link_names.give("world", "", &mut w.notes));
    if free_root {
        w.notes.note("the base moves freely: read the file with a free base (--free-base)", "");
        if branches.first().is_some_and(|b| b.X_PL != Pose::IDENTITY) {
            w.notes.note("where the base starts is left out, but in postures", "");
        }
    }
    if let Some(ground) = &ground {
        urdf_link::write(&mut w, ground, None);
    }
    for branch in &branches {
        let link = w.links[branch.link].clone();
        urdf_link::write(&mut w, &link, Some(branch.link));
        let parent = model.links[branch.link].parent.map(|p| w.links[p].clone()).or_else(|| ground.clone());
        let Some(parent) = parent else { continue };
        let stated = (link.as_str(), branch.X_PL, branch.joints.as_slice());
        let steps = chain((model, &w.joints), &world.drive_limits, stated, &mut w.notes);
        let mut before = parent;
        let last = steps.len() - 1;
        for (i, step) in steps.into_iter().enumerate() {
            let after = if i == last {
                link.clone()
            } else {
                link_names.give(&format!("{link}_{i}"), "", &mut w.notes)
            };
            if i != last {
                w.xml.open("link").attribute("name", &after).close();
            }
            joint(&mut w, &step, &before, &after);
            before = after;
        }
    }
    transmissions(&mut w);
    springs(&mut w);
    note_what_is_left_out(world, &mut w.notes);
    let mut files = w.meshes.files;
    if !excluded.is_empty() || !excluded_from_world.is_empty() || !keyframes.is_empty() {
        let srdf = srdf(world, &w.links, &w.joints, ground.as_deref(), &mut w.notes);
        w.notes.note("pairs that never touch and postures are in the .srdf beside it (--srdf)", "");
        files.push((format!("{stem}.srdf"), srdf));
    }
    Written { text: w.xml.finished(), files, notes: w.notes.lines() }
}

/// Notes what URDF cannot say.
fn note_what_is_left_out(world: &World, notes: &mut Notes) {
    if world.couplings.iter().any(|c| follower(world, c).is_none()) {
        notes.note("couplings that no mimic can say are left out", "");
    }
    if !world.pairs.is_empty() {
        notes.note("URDF has no rules for single pairs of shapes", "");
    }
    if !world.tendons.is_empty() {
        notes.note("URDF has no tendons", "");
    }
    if !world.loops.is_empty() {
        notes.note("URDF has no loops: what they hold together moves apart", "");
    }
    if !world.gravity_compensation.is_empty() {
        notes.note("URDF has no weight that is carried", "");
    }
    if !world.extras.is_empty() {
        notes.note("sites, sensors, softness and data that no step uses are left out", "");
    }
    if world
        .actuators
        .iter()
        .any(|a| a.law.bias_length != 0.0 || a.law.bias_velocity != 0.0 || a.law.bias != 0.0)
    {
        notes.note("URDF drives exert efforts: servos are motors now, without their gains", "");
    }
    if world.time_step.is_some() {
        notes.note("URDF has no time step", "");
    }
    if world.model.gravity != vec3(0.0, 0.0, -9.81) {
        notes.note("URDF has no gravity: readers take theirs", "");
    }
}

/// One tree, with a root that moves freely, and nothing else.
fn free_root(world: &World, branches: &[Branch]) -> bool {
    let mut roots = branches.iter().filter(|b| b.depth == 0);
    let free = |j: &[usize]| matches!(j, [j] if world.model.joints[*j].kind == JointKind::Free);
    let one = roots.next().is_some_and(|b| free(&b.joints)) && roots.next().is_none();
    one && !on_the_world(world)
}

/// One tree, whose root stands where the world is.
fn hangs_on_itself(world: &World, branches: &[Branch]) -> bool {
    let mut roots = branches.iter().filter(|b| b.depth == 0);
    let still = |b: &Branch| b.joints.is_empty() && b.X_PL == Pose::IDENTITY;
    roots.next().is_some_and(still) && roots.next().is_none() && !on_the_world(world)
}

/// Shapes or drawings are on the world itself.
fn on_the_world(world: &World) -> bool {
    world.geometries.iter().any(|g| g.link.is_none()) || world.visuals.iter().any(|v| v.link.is_none())
}

fn joint(w: &mut Writer<'_>, step: &Step, parent: &str, child: &str) {
    let world = w.world;
    w.xml.open("joint").attribute("name", &step.name).attribute("type", step.kind.word());
    origin(w, &step.X);
    w.xml.open("parent").attribute("link", parent).close();
    w.xml.open("child").attribute("link", child).close();
    if !matches!(step.kind, Kind::Fixed | Kind::Floating) {
        w.xml.open("axis").numbers("xyz", &step.axis.to_array()).close();
        limit(w, step);
    }
    if let Some(j) = step.of {
        let [_, damping, friction] = losses(&world.model, &world.model.joints[j]);
        if damping != 0.0 || friction != 0.0 {
            w.xml.open("dynamics").number("damping", damping).number("friction", friction).close();
        }
    }
    let coupled = step.of.and_then(|j| {
        let dof = world.model.joints[j].idx_v;
        world.couplings.iter().find_map(|c| follower(world, c).filter(|f| f.0 == dof))
    });
    if let Some((_, leader, multiplier, offset)) = coupled {
        let leader = &w.joints[world.model.dofs[leader].joint];
        w.xml.open("mimic").attribute("joint", leader);
        w.xml.number("multiplier", multiplier).number("offset", offset).close();
    }
    if let Some((leader, multiplier)) = &step.mimic {
        w.xml.open("mimic").attribute("joint", leader).number("multiplier", *multiplier).close();
    }
    w.xml.close();
}

/// Follower, leader, multiplier and offset of a coupling that <mimic> can say.
fn follower(world: &World, coupling: &Coupling) -> Option<(usize, usize, f64, f64)> {
    if coupling.curve.is_some() {
        return None;
    }
    let &[(y, c1), (x, c2)] = coupling.terms.as_slice() else { return None };
    let hinge = |dof: usize| {
        let kind = world.model.joints[world.model.dofs[dof].joint].kind;
        matches!(kind, JointKind::Hinge | JointKind::Slide)
    };
    (c1 != 0.0 && x != y && hinge(x) && hinge(y)).then_some((y, x, -c2 / c1, coupling.offset / c1))
}

fn limit(w: &mut Writer<'_>, step: &Step) {
    let ranged = step.kind != Kind::Continuous;
    if ranged {
        let [lo, hi] = step.limit.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
        if !(lo.is_finite() && hi.is_finite()) {
            w.notes.note("limits that are not stated are 1e10 now", &step.name);
        }
        let bounded = |x: f64| x.clamp(-UNBOUNDED, UNBOUNDED);
        w.xml.open("limit").number("lower", bounded(lo)).number("upper", bounded(hi));
    } else {
        w.xml.open("limit");
    }
    let effort = step.drive.effort.map(|[lo, hi]| {
        if lo != -hi {
            w.notes.note("limits of effort are the same both ways in URDF: the larger", &step.name);
        }
        hi.abs().max(lo.abs())
    });
    // Both must be stated; 0 would be no drive at all to some programs.
    w.xml.number("effort", effort.unwrap_or(UNBOUNDED));
    w.xml.number("velocity", step.drive.velocity.unwrap_or(UNBOUNDED)).close();
}

/// A <transmission> for every drive, and one for every rotor without.
fn transmissions(w: &mut Writer<'_>) {
    let world = w.world;
    let model = &world.model;
    let mut geared = vec![false; model.joints.len()];
    for actuator in &world.actuators {
        let &[(dof, gear)] = actuator.transmission.as_slice() else {
            w.notes.note("URDF drives move one joint each: other actuators are left out", &actuator.name);
            continue;
        };
        let joint = model.dofs[dof].joint;
        let first = !std::mem::replace(&mut geared[joint], true);
        let name = if actuator.name.is_empty() {
            format!("{}_drive", w.joints[joint])
        } else {
            actuator.name.clone()
        };
        transmission(w, joint, &name, gear, first);
    }
    for joint in (0..model.joints.len()).filter(|&j| !geared[j]) {
        if losses(model, &model.joints[joint])[0] != 0.0 {
            let name = format!("{}_rotor", w.joints[joint]);
            transmission(w, joint, &name, 1.0, true);
        }
    }
}

/// The rotor is written as Drake does; seen through a gear of ratio 1, it is what it is at the joint.
fn transmission(w: &mut Writer<'_>, joint: usize, name: &str, gear: f64, rotor: bool) {
    let [armature, ..] = losses(&w.world.model, &w.world.model.joints[joint]);
    let joint = w.joints[joint].clone();
    w.xml.open("transmission").attribute("name", name);
    w.xml.open("type").text("transmission_interface/SimpleTransmission").close();
    w.xml.open("joint").attribute("name", &joint);
    w.xml.open("hardwareInterface").text("hardware_interface/EffortJointInterface").close().close();
    w.xml.open("actuator").attribute("name", name);
    if gear != 1.0 {
        w.xml.open("mechanicalReduction").text(&number(gear)).close();
    }
    if rotor && armature != 0.0 {
        w.xml.open("drake:gear_ratio").number("value", 1.0).close();
        w.xml.open("drake:rotor_inertia").number("value", armature).close();
    }
    w.xml.close().close();
}

/// Joint springs, as Gazebo's <gazebo reference>.
fn springs(w: &mut Writer<'_>) {
    let world = w.world;
    for (j, joint) in world.model.joints.iter().enumerate().filter(|(_, j)| j.stiffness != 0.0) {
        let name = w.joints[j].clone();
        if !joint.kind.is_scalar() {
            w.notes.note("springs of ball joints are left out", &name);
            continue;
        }
        w.xml.open("gazebo").attribute("reference", &name);
        w.xml.open("springStiffness").text(&number(joint.stiffness)).close();
        w.xml.open("springReference").text(&number(joint.spring_rest)).close();
        w.xml.close();
    }
}

/// Pairs that never touch, and postures.
fn srdf(
    world: &World,
    links: &[String],
    joints: &[String],
    ground: Option<&str>,
    notes: &mut Notes,
) -> String {
    let model = &world.model;
    let mut xml = Xml::new();
    xml.open("robot").attribute("name", &world.name);
    for key in &world.keyframes {
        if key.v.iter().any(|v| *v != 0.0) || key.control.iter().any(|u| *u != 0.0) {
            notes.note("postures have neither velocities nor controls", &key.name);
        }
        xml.open("group_state").attribute("name", &key.name).attribute("group", "all");
        for (j, joint) in model.joints.iter().enumerate() {
            let Some(q) = key.q.get(joint.idx_q..joint.idx_q + joint.kind.nq()) else { continue };
            let value = match (joint.kind, q) {
                // Quaternions have their scalar last.
                (JointKind::Free, &[x, y, z, qw, qx, qy, qz]) => {
                    super::xml::joined(&[x, y, z, qx, qy, qz, qw])
                }
                (JointKind::Ball, _) => {
                    notes.note("postures of ball joints are left out", &joints[j]);
                    continue;
                }
                (_, q) => super::xml::joined(q),
            };
            let free_base = joint.kind == JointKind::Free && ground.is_none();
            let name = if free_base { "root_joint" } else { joints[j].as_str() };
            xml.open("joint").attribute("name", name).attribute("value", &value).close();
        }
        xml.close();
    }
    let mut never = |a: &str, b: &str| {
        xml.open("disable_collisions").attribute("link1", a).attribute("link2", b).close();
    };
    world.excluded.iter().for_each(|&(a, b)| never(&links[a], &links[b]));
    if let Some(ground) = ground {
        world.excluded_from_world.iter().for_each(|&l| never(ground, &links[l]));
    }
    xml.finished()
}
