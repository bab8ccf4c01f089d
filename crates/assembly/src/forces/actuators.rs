//! Actuators, springs and dampers of joints, taken at the end of the step: the laws of [`crate::laws::actuator`] and
//! [`crate::laws::spring`], of a world.
//!
//! On a single dof the implicit part of an effort is part of the mass matrix. On several dofs (tendons), and where contacts
//! decide whether its limit is reached ([`super::effort_limits`]), it becomes a row of the constraint problem.
//!
//! In trees that are posed in the middle of the step the share θ is [`crate::laws::spring::share`]; elsewhere θ = 1.

use super::tendons::length_and_rate;
use crate::laws::actuator::{AffineActuator, Effort};
use crate::laws::spring;
use std::sync::Arc;
use stiction_dynamics::spatial::{Quat, Vec3};
use stiction_dynamics::{Dual, JointKind, Model};
use stiction_world::{Actuator, World};

/// True of actuators whose effort depends on how the robot stands or moves.
pub fn is_servo(a: &Actuator) -> bool {
    a.law.bias_length != 0.0 || a.law.bias_velocity != 0.0
}

/// The law of an actuator.
#[inline]
pub fn law(a: &Actuator) -> AffineActuator {
    let range = |r: Option<[f64; 2]>| r.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
    AffineActuator {
        gain: a.law.gain,
        bias: a.law.bias,
        bias_length: a.law.bias_length,
        bias_velocity: a.law.bias_velocity,
        effort_range: range(a.effort_limit),
        control_range: range(a.control_limit),
    }
}

/// The effort of actuator `a` under control `u` at its share `theta` of a step of h [s].
pub fn evaluate(
    a: &Actuator,
    u: f64,
    q: &[f64],
    v: &[f64],
    q_of_dof: &[usize],
    h: f64,
    theta: impl FnOnce(&Actuator) -> f64,
) -> Effort {
    let (length, rate) = length_and_rate(&a.transmission, q, v, q_of_dof);
    law(a).at_share(u, length, rate, h, theta(a))
}

/// The effort of `law` under the control u where it stands, (2) of [`crate::laws::actuator`], with its
/// derivatives by length, rate and control; without its limit.
pub fn effort_and_slopes(law: &AffineActuator, u: f64, length: f64, rate: f64) -> Dual<3> {
    let [length, rate, u] = [Dual::variable(length, 0), Dual::variable(rate, 1), Dual::variable(u, 2)];
    law.cast(u).effort(u, length, rate)
}

/// `effort` within the limit of `a`.
#[inline]
pub fn clamp(a: &Actuator, effort: f64) -> f64 {
    law(a).limited(effort)
}

/// Effort at the velocity v⁺.
#[inline]
pub fn at_velocity(a: &Actuator, e: &Effort, v: &[f64], v_next: &[f64]) -> f64 {
    e.after(change(a, v, v_next))
}

/// l̇⁺ − l̇.
#[inline]
pub fn change(a: &Actuator, v: &[f64], v_next: &[f64]) -> f64 {
    let of = |&(dof, c): &(usize, f64)| c * (v_next[dof] - v[dof]);
    match &a.transmission[..] {
        [only] => of(only),
        several => several.iter().map(of).sum(),
    }
}

/// Adds the efforts of springs and dampers to `tau` and what they add to the diagonal of M to `diagonal`, with θ of a dof and its h D and
/// h² K.
pub fn add_passive(
    model: &Model,
    q: &[f64],
    v: &[f64],
    h: f64,
    mut theta: impl FnMut(usize, [f64; 2]) -> f64,
    tau: &mut [f64],
    diagonal: &mut [f64],
) {
    for (i, dof) in model.dofs.iter().enumerate().filter(|(_, dof)| dof.damping > 0.0) {
        let damper = spring::damper(dof.damping, v[i], h, theta(i, [h * dof.damping, 0.0]));
        tau[i] += damper.effort;
        diagonal[i] += damper.inertia;
    }
    for joint in model.joints.iter().filter(|j| j.stiffness > 0.0) {
        let (i, n) = (joint.idx_v, joint.kind.nv());
        if joint.kind == JointKind::Free {
            continue;
        }
        // The spring of a ball joint turns back about the axis of the rotation.
        let displacement = joint.spring_stretch(&q[joint.idx_q..]);
        for k in 0..n {
            let theta = theta(i + k, [0.0, h * h * joint.stiffness]);
            let spring = spring::spring(joint.stiffness, displacement[k], v[i + k], h, theta);
            tau[i + k] += spring.effort;
            diagonal[i + k] += spring.inertia;
        }
    }
}

/// `world`, with the limit of every actuator that drives a dof alone narrowed to what the drive of that dof can do. Where
/// several share a dof, each keeps its own limit.
pub fn with_drive_limits(mut world: Arc<World>) -> Arc<World> {
    for i in 0..world.actuators.len() {
        if let Some(narrowed) = drive_limit(&world, i)
            && world.actuators[i].effort_limit != Some(narrowed)
        {
            Arc::make_mut(&mut world).actuators[i].effort_limit = Some(narrowed);
        }
    }
    world
}

/// The limit of actuator i that the drive of its dof leaves, if it drives a dof alone that states one.
fn drive_limit(world: &World, i: usize) -> Option<[f64; 2]> {
    let drives = |a: &Actuator, dof: usize| a.transmission.iter().any(|t| t.0 == dof);
    let [(dof, c)] = world.actuators[i].transmission[..] else { return None };
    let [lo, hi] = world.drive_limits.get(dof).and_then(|l| l.effort)?;
    let alone = world.actuators.iter().filter(|a| drives(a, dof)).count() == 1;
    if !alone || c == 0.0 {
        return None;
    }
    let (p, q) = (lo / c, hi / c);
    let own = world.actuators[i].effort_limit.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
    let narrowed = [own[0].max(p.min(q)), own[1].min(p.max(q))];
    (narrowed[0] <= narrowed[1]).then_some(narrowed)
}

/// log of the rotation of a ball joint whose quaternion starts `q` [rad]: the same in parent and body.
pub fn rotation_vector(q: &[f64]) -> Vec3 {
    Quat::new(q[0], q[1], q[2], q[3]).log()
}

/// Index in q of every dof of a scalar joint; 0 for the others, which carry no actuator.
pub fn q_of_dofs(world: &World) -> Vec<usize> {
    let model = &world.model;
    model
        .dofs
        .iter()
        .enumerate()
        .map(|(i, d)| {
            let joint = &model.joints[d.joint];
            match joint.kind {
                JointKind::Hinge | JointKind::Slide | JointKind::Screw => joint.idx_q + (i - joint.idx_v),
                JointKind::Ball | JointKind::Free => 0,
            }
        })
        .collect()
}
