//! Configurations within the limits of the joints, and directions that lead out of them.
//!
//! A scalar joint keeps to its range, a ball to rotations of at most its largest angle. At a limit,
//! what would lead out is no freedom: the column of a scalar joint is zero, and the three of a ball
//! lose their component along the axis of its rotation. Random numbers are SplitMix64's [Steele2014].

use super::residual::Problem;
use crate::model::{Joint, JointKind, Model};
use crate::spatial::{Quat, Vec3, vec3};
use std::f64::consts::PI;

/// Nearer to a limit than this is at it [rad or m].
const AT: f64 = 1e-12;

/// Small reproducible numbers.
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// In [lo, hi).
    fn between(&mut self, lo: f64, hi: f64) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        lo + (hi - lo) * ((z >> 11) as f64 / (1_u64 << 53) as f64)
    }
}

impl Problem {
    /// The nearest configuration within the limits, of the joints that matter.
    pub(super) fn clamp(&self, model: &Model, q: &mut [f64]) {
        for joint in model.joints.iter().filter(|j| self.column_of(j.idx_v).is_some()) {
            let Some([lo, hi]) = joint.limit else { continue };
            let q = &mut q[joint.idx_q..];
            if joint.kind.is_scalar() {
                q[0] = q[0].clamp(lo, hi);
            } else if joint.kind == JointKind::Ball {
                let turn = rotation(q);
                let angle = turn.norm();
                if angle > hi {
                    q[..4].copy_from_slice(&Quat::exp(turn * (hi.max(0.0) / angle)).to_array());
                }
            }
        }
    }

    /// A random configuration of the joints that matter: within their limits; without, half a turn or
    /// a metre to either side of the start. A free joint stays where it started.
    pub(super) fn scatter(&self, model: &Model, dice: &mut Dice, start: &[f64], q: &mut [f64]) {
        q.copy_from_slice(start);
        for joint in model.joints.iter().filter(|j| self.column_of(j.idx_v).is_some()) {
            let q = &mut q[joint.idx_q..];
            match joint.kind {
                JointKind::Hinge | JointKind::Screw | JointKind::Slide => {
                    let reach = if joint.kind == JointKind::Slide { 1.0 } else { PI };
                    let [lo, hi] = joint.limit.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
                    let (lo, hi) = match (lo.is_finite(), hi.is_finite()) {
                        (true, true) => (lo, hi),
                        (true, false) => (lo, lo + 2.0 * reach),
                        (false, true) => (hi - 2.0 * reach, hi),
                        (false, false) => (q[0] - reach, q[0] + reach),
                    };
                    q[0] = dice.between(lo, hi);
                }
                JointKind::Ball => {
                    let mut turn = || dice.between(-PI, PI);
                    q[..4].copy_from_slice(&Quat::exp(vec3(turn(), turn(), turn())).to_array());
                }
                JointKind::Free => {}
            }
        }
        self.clamp(model, q);
    }

    /// Takes from J and the gradient what would lead out of the limits at `q` when going down the
    /// gradient. Returns the square of what the gradient lost.
    pub(super) fn hold_at_limits(&mut self, model: &Model, q: &[f64]) -> f64 {
        let m = self.r.len();
        let mut held = 0.0;
        for joint in &model.joints {
            let Some(k) = self.column_of(joint.idx_v) else { continue };
            if leads_out(joint, &q[joint.idx_q..], -self.gradient[k]) {
                self.J[k * m..(k + 1) * m].fill(0.0);
                held += self.gradient[k] * self.gradient[k];
                self.gradient[k] = 0.0;
            }
            if let Some(axis) = ball_axis(joint, &q[joint.idx_q..]) {
                let g = vec3(self.gradient[k], self.gradient[k + 1], self.gradient[k + 2]);
                if g.dot(axis) < 0.0 {
                    let across = g - axis * g.dot(axis);
                    self.gradient[k..k + 3].copy_from_slice(&across.to_array());
                    for row in 0..m {
                        let at = [k * m + row, (k + 1) * m + row, (k + 2) * m + row];
                        let J = Vec3::from(at.map(|at| self.J[at]));
                        let across = (J - axis * J.dot(axis)).to_array();
                        at.iter().zip(across).for_each(|(at, J)| self.J[*at] = J);
                    }
                    held += g.dot(axis) * g.dot(axis);
                }
            }
        }
        held
    }
}

/// Whether a scalar joint at `q` is at a limit, and moving in `direction` would pass it.
pub(super) fn leads_out(joint: &Joint, q: &[f64], direction: f64) -> bool {
    let Some([lo, hi]) = joint.limit.filter(|_| joint.kind.is_scalar()) else { return false };
    (q[0] >= hi - AT && direction > 0.0) || (q[0] <= lo + AT && direction < 0.0)
}

/// Axis of the rotation of a ball joint that is at its limit.
fn ball_axis(joint: &Joint, q: &[f64]) -> Option<Vec3> {
    let [_, hi] = joint.limit.filter(|_| joint.kind == JointKind::Ball)?;
    let turn = rotation(q);
    if turn.norm() >= hi - AT { turn.normalized() } else { None }
}

fn rotation(q: &[f64]) -> Vec3 {
    Quat::new(q[0], q[1], q[2], q[3]).renormalized().log()
}
