//! Actuators, springs and dampers, taken at the end of the step.
//!
//! An actuator with control u, length l = cᵀq and law e = e₀ − k (l̇⁺ − l̇), where
//!
//! ```text
//!     e₀ = gain u + bias + b_l (l + θ h l̇) + b_v l̇,     k = −(θ² h b_l + θ b_v)        (1)
//! ```
//!
//! is the value of its affine law at the share θ of the step, to first order. With k > 0 the effort
//! is implicit: on a single dof, k adds h k c² to the diagonal of M (2). Joint springs and dampers are
//! the same law with e₀ = −K (q + θ h v − q₀) − D v, k = θ² h K + θ D. Beyond its limit the effort is the limit
//! and k drops out (3). On several dofs (tendons), and where contacts decide whether the limit is reached
//! ([`super::effort_limits`]), it becomes a row of the constraint problem with compliance 1/(h k) and set
//! ±h·limit (4).
//!
//! In trees that move by the trapezoidal rule , with m the inertia of the dof,
//!
//! ```text
//!     θ = ⅔ − 1/z within [½, ⅔],     z = (h D + h² K)/m                                 (5)
//! ```
//!
//! the least at which a motion that it damps changes its sign, if at all, at half its size from step to step; elsewhere
//! θ = 1, and where trees with z > 4 would move by v⁺: with θ of (5) undamped springs then grow to twice their size from
//! step to step, and ever more as they hit ever faster.
//!
//! Units: effort [N or N·m], k [N·s/m or N·m·s/rad].

use std::sync::Arc;
use stiction_dynamics::spatial::{Quat, Vec3};
use stiction_dynamics::{JointKind, Model, Real};
use stiction_models::{Actuator, World};

/// One actuator at one step.
#[derive(Clone, Copy, Debug, Default)]
pub struct Effort {
    /// e₀ of (1).
    pub start: f64,
    /// k of (1), ≥ 0; zero when explicit or at its limit.
    pub implicit: f64,
}

impl Effort {
    /// After a change of l̇.
    #[inline]
    pub fn after(&self, change: f64) -> f64 {
        self.start - self.implicit * change
    }
}

/// True of actuators whose effort depends on how the robot stands or moves.
pub fn is_servo(a: &Actuator) -> bool {
    a.law.bias_length != 0.0 || a.law.bias_velocity != 0.0
}

/// (1) for actuator `a` under control `u`.
pub fn evaluate(
    a: &Actuator,
    u: f64,
    q: &[f64],
    v: &[f64],
    q_of_dof: &[usize],
    h: f64,
    theta: impl FnOnce(&Actuator) -> f64,
) -> Effort {
    let u = a.control_limit.map_or(u, |[lo, hi]| u.clamp(lo, hi));
    let (mut length, mut rate) = (0.0, 0.0);
    for &(dof, c) in &a.transmission {
        length += c * q[q_of_dof[dof]];
        rate += c * v[dof];
    }
    let (law, theta) = (a.law, theta(a));
    let k = -theta * (theta * h * law.bias_length + law.bias_velocity);
    let now = law.gain * u + law.bias + law.bias_length * length + law.bias_velocity * rate;
    if k > 0.0 {
        Effort { start: now + theta * h * law.bias_length * rate, implicit: k }
    } else {
        Effort { start: clamp(a, now), implicit: 0.0 }
    }
}

/// `effort` within the limit of `a`.
#[inline]
pub fn clamp(a: &Actuator, effort: f64) -> f64 {
    a.effort_limit.map_or(effort, |[lo, hi]| effort.clamp(lo, hi))
}

/// Effort at the velocity v⁺, from (1).
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

/// (5)
#[inline(always)]
pub fn share<T: Real>(z: T) -> T {
    let (least, most) = (z.like(0.5), z.like(2.0 / 3.0));
    let theta = most - z.one() / z;
    let theta = T::select(theta.less(least), least, theta);
    T::select(z.zero().less(z), theta, least)
}

/// Adds spring and damper efforts at the start to `tau` and (2) to `diagonal`, with θ of a dof and its h D and h² K.
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
        tau[i] -= dof.damping * v[i];
        diagonal[i] += h * dof.damping * theta(i, [h * dof.damping, 0.0]);
    }
    for joint in model.joints.iter().filter(|j| j.stiffness > 0.0) {
        let (i, n) = (joint.idx_v, joint.kind.nv());
        let displacement = match joint.kind {
            JointKind::Hinge | JointKind::Slide | JointKind::Screw => {
                [q[joint.idx_q] - joint.spring_rest, 0.0, 0.0]
            }
            // A spring that turns back about the axis of the rotation.
            JointKind::Ball => rotation_vector(&q[joint.idx_q..]).to_array(),
            JointKind::Free => continue,
        };
        for k in 0..n {
            let theta = theta(i + k, [0.0, h * h * joint.stiffness]);
            tau[i + k] -= joint.stiffness * (displacement[k] + theta * h * v[i + k]);
            diagonal[i + k] += (theta * h).powi(2) * joint.stiffness;
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
