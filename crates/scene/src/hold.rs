//! Servos that keep a posture, on joints that no actuator drives.
//!
//! ```text
//!     effort = k (q₀ − q) − d q̇,   within the drive's limit                    (1)
//!     without k:   k = (2π f)² I                                                (2)
//!     without d:   d = 2 √(k I), critical damping                               (3)
//! ```
//!
//! I is the inertia that the joint moves in the starting posture when all others are locked: that of the bodies beyond it, or of a
//! robot that floats that of all its other bodies, if that is more, for the limb may stand on the ground and carry them. Time
//! stepping takes (1) implicitly: no gain makes it unstable.

use super::spec::{ActuatorKind, HoldSpec};
use std::f64::consts::TAU;
use stiction::State;
use stiction::dynamics::{CrbaWorkspace, Joint, JointKind, Kinematics, MassMatrix, crba_into};
use stiction::world::{Actuator, ActuatorLaw, Note, Severity, World};

/// f of (2) [Hz].
const DEFAULT_FREQUENCY: f64 = 10.0;

/// Adds one servo for every hinge, slide and screw not driven yet; returns their controls, q₀.
pub(super) fn add_servos(world: &mut World, state: &State, hold: &HoldSpec) -> Vec<f64> {
    let inertia = joint_inertias(world, state);
    let driven = |dof: usize| world.actuators.iter().any(|a| a.transmission.iter().any(|t| t.0 == dof));
    let (mut servos, mut balls) = (Vec::new(), Vec::new());
    let mut control = Vec::new();
    for joint in &world.model.joints {
        let dof = joint.idx_v;
        if joint.kind == JointKind::Ball && !(0..3).any(|i| driven(dof + i)) {
            balls.push(joint.name.clone());
        }
        if !joint.kind.is_scalar() || driven(dof) {
            continue;
        }
        let omega = TAU * hold.frequency.map_or(DEFAULT_FREQUENCY, |f| f.0);
        let k = hold.stiffness.map_or(omega * omega * inertia[dof], |k| k.0); // (2)
        let d = hold.damping.map_or(2.0 * (k * inertia[dof]).sqrt(), |d| d.0); // (3)
        servos.push(Actuator {
            name: format!("hold {}", joint.name),
            transmission: vec![(dof, 1.0)],
            law: ActuatorLaw { gain: k, bias: 0.0, bias_length: -k, bias_velocity: -d },
            effort_limit: world.drive_limits.get(dof).and_then(|l| l.effort),
            control_limit: None,
        });
        control.push(state.q[joint.idx_q]);
    }
    world.actuators.extend(servos);
    tell_balls(world, &balls);
    control
}

/// A note on ball joints, whose posture is no coordinate that a servo could keep.
fn tell_balls(world: &mut World, balls: &[String]) {
    if !balls.is_empty() {
        let names = balls.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let text = format!("ball joints get no servos of position, and turn freely: {names}");
        world.ledger.remarks.push(Note::of_scene(Severity::Warning, text));
    }
}

/// Adds one actuator for every hinge, slide and screw that none drives and that follows no other joint, and one for each axis of
/// such a ball; returns their controls: 0, or for position servos the coordinates of `state`. Efforts end where the file ends
/// those of the joint, and controls where it ends effort, position or speed. Balls have no position servos, which is noted.
pub fn add_actuators(world: &mut World, state: &State, kind: ActuatorKind) -> Vec<f64> {
    let inertia = joint_inertias(world, state);
    let driven = |dof: usize| world.actuators.iter().any(|a| a.transmission.iter().any(|t| t.0 == dof));
    let follows = |dof: usize| world.couplings.iter().any(|c| c.terms.len() > 1 && c.terms[0].0 == dof);
    let (mut added, mut balls) = (Vec::new(), Vec::new());
    let mut control = Vec::new();
    for joint in &world.model.joints {
        let ball = joint.kind == JointKind::Ball;
        let dofs = joint.idx_v..joint.idx_v + joint.kind.nv();
        if !(ball || joint.kind.is_scalar()) || dofs.clone().any(|dof| driven(dof) || follows(dof)) {
            continue;
        }
        if ball && matches!(kind, ActuatorKind::Position) {
            balls.push(joint.name.clone());
            continue;
        }
        for (dof, axis) in dofs.zip(["x", "y", "z"]) {
            let name = if ball { format!("{}_{axis}", joint.name) } else { joint.name.clone() };
            let (actuator, start) = actuator(world, (state, joint), (dof, inertia[dof]), kind, name);
            added.push(actuator);
            control.push(start);
        }
    }
    world.actuators.extend(added);
    tell_balls(world, &balls);
    control
}

/// An actuator of one velocity of a joint, which moves this inertia; and its control at the start.
fn actuator(
    world: &World,
    (state, joint): (&State, &Joint),
    (dof, inertia): (usize, f64),
    kind: ActuatorKind,
    name: String,
) -> (Actuator, f64) {
    let limits = world.drive_limits.get(dof).copied().unwrap_or_default();
    let omega = TAU * DEFAULT_FREQUENCY;
    let k = omega * omega * inertia; // (2)
    let law = |gain: f64, bias_length: f64, bias_velocity: f64| ActuatorLaw {
        gain,
        bias: 0.0,
        bias_length,
        bias_velocity,
    };
    let (law, control_limit, start) = match kind {
        ActuatorKind::Motor => (law(1.0, 0.0, 0.0), limits.effort, 0.0),
        ActuatorKind::Position => {
            (law(k, -k, -2.0 * omega * inertia), joint.limit, state.q[joint.idx_q]) // (3)
        }
        ActuatorKind::Velocity => {
            let d = omega * inertia;
            (law(d, 0.0, -d), limits.velocity.map(|v| [-v, v]), 0.0)
        }
    };
    let transmission = vec![(dof, 1.0)];
    (Actuator { name, transmission, law, effort_limit: limits.effort, control_limit }, start)
}

/// I of (2) of every dof.
fn joint_inertias(world: &World, state: &State) -> Vec<f64> {
    let model = &world.model;
    let mut kin = Kinematics::new(model);
    kin.update(model, &state.q);
    let mut mass = MassMatrix::new(model);
    crba_into(model, &kin, &mut CrbaWorkspace::new(model), &mut mass);
    let floats = |tree: usize| {
        let root = model.joints.iter().find(|j| model.bodies[model.dofs[j.idx_v].body].tree == tree);
        root.is_some_and(|j| j.kind == JointKind::Free)
    };
    let inertia = |dof: usize| {
        let body = model.dofs[dof].body;
        let tree = model.bodies[body].tree;
        let beyond = mass.row(dof)[0];
        if !floats(tree) {
            return beyond;
        }
        // Of all bodies of the tree about the axis of the joint, less those beyond it.
        let S = kin.S[dof];
        let of_tree = model.bodies.iter().enumerate().filter(|(_, b)| b.tree == tree);
        let whole: f64 = of_tree.map(|(b, _)| S.dot(kin.I[b] * S)).sum();
        beyond.max(whole - beyond + model.dofs[dof].armature)
    };
    (0..model.nv()).map(inertia).collect()
}
