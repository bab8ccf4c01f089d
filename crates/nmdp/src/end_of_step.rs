//! The end of a step: where a trial velocity takes the bodies, and how that depends on it.
//!
//! ```text
//!     q⁺ = q ⊕ h ν                                                                   (1)
//!     ∂q⁺/∂ν = h D,   D = J_r(h ω) where three axes turn with their body, 1 elsewhere (2)
//! ```
//!
//! Backward Euler takes ν for the velocity at the end. Two-step differences [HairerWanner1996, V.1], with ω = h/h₋ and the step
//! before given by its mean velocity ν₋ and the velocity v₋ it started with, take
//!
//! ```text
//!     v⁺ = a ν − b ν₋,               a = (1 + 2ω)/(1 + ω),   b = ω/(1 + ω)               (5)
//!     v̇⁺ = (a (v⁺ − v) − ω b (v − v₋))/h                                              (6)
//! ```
//!
//! in the tangent coordinates of q⁺ ([`stiction_dynamics`], derivatives), with the right Jacobian of the exponential map,
//! φ = |r| [Chirikjian2011]:
//!
//! ```text
//!     J_r(r) = 1 − (1 − cos φ)/φ² r̂ + (φ − sin φ)/φ³ r̂²                            (3)
//!     J_r(r)⁻¹ = 1 + ½ r̂ + (1/φ² − (1 + cos φ)/(2 φ sin φ)) r̂²                      (4)
//! ```

use crate::body_forces::cross_matrix;
use stiction_dynamics::spatial::{Mat3, Vec3, vec3};
use stiction_dynamics::{JointKind, Kinematics, Model, integrate_into};

/// The start of a step, and all that acts during it.
#[derive(Clone, Copy, Debug)]
pub struct Start<'a> {
    /// Positions q and velocities v; v is the step that led to q, per second.
    pub q: &'a [f64],
    pub v: &'a [f64],
    /// Length of the step, and of the one that led to q [s].
    pub h: f64,
    pub last_h: f64,
    /// One control per actuator, held during the step: targets are those at its end.
    pub control: &'a [f64],
    /// Generalized forces beside them [N or N·m].
    pub generalized: &'a [f64],
    /// The step before, if two-step differences are to be taken; none: backward Euler.
    pub before: Option<Before<'a>>,
}

/// A step that led to where another starts.
#[derive(Clone, Copy, Debug)]
pub struct Before<'a> {
    /// The mean velocity ν₋: q = q₋ ⊕ h₋ ν₋.
    pub mean: &'a [f64],
    /// The velocity v₋ with which it started.
    pub v: &'a [f64],
}

impl Start<'_> {
    /// Weights a, b and ω b of (5) and (6); of backward Euler 1, 0 and 0.
    fn weights(&self) -> [f64; 3] {
        let ratio = self.h / self.last_h;
        match self.before {
            Some(_) => {
                [(1.0 + 2.0 * ratio) / (1.0 + ratio), ratio / (1.0 + ratio), ratio * ratio / (1.0 + ratio)]
            }
            None => [1.0, 0.0, 0.0],
        }
    }
}

/// Positions at the end of a step: who holds one has run [`Self::update`].
#[derive(Clone, Debug)]
pub struct EndOfStep {
    pub q: Vec<f64>,
    pub kin: Kinematics,
    /// Velocity at the end, and its rate, of (5) and (6).
    pub v: Vec<f64>,
    pub rate: Vec<f64>,
    /// The derivative a of v by ν; that of the rate is a²/h.
    pub gain: f64,
    /// First dof of three axes that turn with their body, and D there.
    turns: Vec<(usize, Mat3)>,
}

impl EndOfStep {
    /// At the neutral configuration of `model`.
    pub fn new(model: &Model) -> Self {
        let of_joint = |joint: &stiction_dynamics::Joint| match joint.kind {
            JointKind::Ball => Some((joint.idx_v, Mat3::IDENTITY)),
            JointKind::Free => Some((joint.idx_v + 3, Mat3::IDENTITY)),
            JointKind::Hinge | JointKind::Slide | JointKind::Screw => None,
        };
        Self {
            q: model.neutral(),
            kin: Kinematics::new(model),
            v: vec![0.0; model.nv()],
            rate: vec![0.0; model.nv()],
            gain: 1.0,
            turns: model.joints.iter().filter_map(of_joint).collect(),
        }
    }

    /// Moves to the end of the step that ν leads to: (1), (2), (5) and (6).
    #[inline(always)]
    pub fn update(&mut self, model: &Model, start: &Start<'_>, nu: &[f64]) {
        integrate_into(model, start.q, nu, start.h, &mut self.q);
        self.kin.update(model, &self.q);
        let [a, b, c] = start.weights();
        self.gain = a;
        for (i, (v, rate)) in self.v.iter_mut().zip(&mut self.rate).enumerate() {
            let [mean, before] = start.before.map_or([0.0; 2], |step| [step.mean[i], step.v[i]]);
            *v = a * nu[i] - b * mean;
            *rate = (a * (*v - start.v[i]) - c * (start.v[i] - before)) / start.h;
        }
        for (dof, D) in &mut self.turns {
            *D = right_jacobian(vec3(nu[*dof], nu[*dof + 1], nu[*dof + 2]) * start.h);
        }
    }

    /// rows := rows · D, for `rows` of nv columns each.
    pub fn times_turns(&self, nv: usize, rows: &mut [f64]) {
        for (dof, D) in &self.turns {
            for row in rows.chunks_exact_mut(nv) {
                let x = D.transpose_mul(vec3(row[*dof], row[*dof + 1], row[*dof + 2]));
                row[*dof..*dof + 3].copy_from_slice(&x.to_array());
            }
        }
    }
}

/// The right Jacobian (3).
pub fn right_jacobian(r: Vec3) -> Mat3 {
    let (x, s) = (cross_matrix(r), r.norm_squared());
    let phi = s.sqrt();
    // Below the switch the series' next terms are smaller than rounding.
    let (a, b) = if phi < 1e-3 {
        (0.5 - s / 24.0, 1.0 / 6.0 - s / 120.0)
    } else {
        ((1.0 - phi.cos()) / s, (phi - phi.sin()) / (s * phi))
    };
    Mat3::IDENTITY - x * a + x * x * b
}

/// The inverse (4) of the right Jacobian, for less than half a turn.
pub fn right_jacobian_inverse(r: Vec3) -> Mat3 {
    let (x, s) = (cross_matrix(r), r.norm_squared());
    let phi = s.sqrt();
    let b = if phi < 1e-3 {
        1.0 / 12.0 + s / 720.0
    } else {
        1.0 / s - (1.0 + phi.cos()) / (2.0 * phi * phi.sin())
    };
    Mat3::IDENTITY + x * 0.5 + x * x * b
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction_dynamics::spatial::Quat;

    /// exp(r + ε δ) = exp(r) exp(ε J_r δ), and (4) undoes (3).
    #[test]
    fn the_right_jacobian_is_that_of_the_exponential_map() {
        for r in [vec3(1e-5, 2e-5, -1e-5), vec3(0.3, -0.2, 0.5), vec3(1.5, 2.0, -0.4)] {
            for delta in [Vec3::X, Vec3::Y, Vec3::Z] {
                let eps = 1e-6;
                let log = |e: f64| (Quat::exp(r).conjugate() * Quat::exp(r + delta * e)).log();
                let slope = (log(eps) - log(-eps)) * (0.5 / eps);
                assert!((slope - right_jacobian(r) * delta).norm() < 1e-9, "{r:?}");
                let back = right_jacobian_inverse(r) * (right_jacobian(r) * delta);
                assert!((back - delta).norm() < 1e-12, "{r:?}");
            }
        }
    }
}
