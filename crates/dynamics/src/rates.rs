//! How the columns S turn as the bodies move.
//!
//! With U_i the velocity of what carries the motion of dof i (see [`crate::Velocities`]) and
//! U⁺_i = U_i + step that of what it moves [Singh2022]:
//!
//! ```text
//!     ψ̇_i = U_i × S_i    as if the column were fixed in the carrier     (1)
//!     Ṡ_i = U⁺_i × S_i   as it is, fixed in what it moves               (2)
//! ```
//!
//! The two differ for ball and free joints only, whose axes turn with the body. ψ̇ belongs to
//! derivatives in q (a perturbation q ⊕ δ at given v is a displacement fixed in the carrier), Ṡ to
//! derivatives in time. Rates are those about a point fixed in the world that coincides with the
//! tree's reference point at this instant. Units: those of S per second.

use crate::model::Model;
use crate::poses::Poses;
use crate::real::Real;
use crate::spatial::Motion;
use crate::velocity::Velocities;

/// The rates of the columns of [`Poses::S`]: who holds one has run [`Self::update`].
#[derive(Clone, Debug)]
pub struct ColumnRates<T = f64> {
    /// Per dof: Ṡ of (2), world axes.
    pub S_dot: Vec<Motion<T>>,
    /// Per dof: ψ̇ of (1), world axes.
    pub psi_dot: Vec<Motion<T>>,
}

impl<T: Real> ColumnRates<T> {
    /// At rest.
    pub fn new(model: &Model<T>) -> Self {
        let zero = vec![Motion::zero(model.kind()); model.nv()];
        Self { S_dot: zero.clone(), psi_dot: zero }
    }

    /// At the velocity `v` (length nv) that made `vel`.
    #[inline(always)]
    pub fn update(&mut self, model: &Model<T>, kin: &Poses<T>, vel: &Velocities<T>, v: &[T]) {
        assert_eq!(v.len(), model.nv(), "v has nv coordinates");
        assert_eq!(self.S_dot.len(), kin.S.len(), "the rates belong to this model");
        let topology = &kin.topology;
        for b in 0..vel.V.len() {
            let mut U = match topology.parent[b] {
                Some(p) => vel.V[p],
                None => Motion::zero(model.kind()),
            };
            for dofs in &topology.motion_dofs[topology.motions[b].clone()] {
                let mut step = Motion::zero(model.kind());
                for i in dofs.clone() {
                    step += kin.S[i] * v[i];
                    self.psi_dot[i] = U.cross(kin.S[i]); // (1)
                    self.S_dot[i] = self.psi_dot[i];
                }
                U += step;
                if dofs.len() > 1 {
                    for i in dofs.clone() {
                        self.S_dot[i] = U.cross(kin.S[i]); // (2)
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spatial::Vec3;
    use crate::testing::*;

    /// Ṡ against columns a little before and after, taken about one fixed point.
    #[test]
    fn rates_are_finite_differences_along_the_motion() {
        let (model, h) = (random_trees(90, 18), 1e-5);
        let (q, v) = random_state(&model, 90);
        let (kin, vel) = at(&model, &q, &v);
        let mut rates = ColumnRates::new(&model);
        rates.update(&model, &kin, &vel, &v);
        let sample = |h: f64, i: usize| {
            let (k, _) = at(&model, &moved(&model, &q, &v, h), &v);
            let tree = model.bodies[model.dofs[i].body].tree;
            let r: Vec3 = kin.reference[tree] - k.reference[tree];
            Motion::new(k.S[i].angular, k.S[i].linear_at(r))
        };
        for i in 0..model.nv() {
            let error = (sample(h, i) - sample(-h, i)) * (0.5 / h) - rates.S_dot[i];
            assert!(error.angular.norm() + error.linear.norm() < 1e-8, "dof {i}: {error:?}");
        }
    }

    /// Σ Ṡ v = Σ ψ̇ v is the bias acceleration.
    #[test]
    fn both_sum_to_the_bias_acceleration() {
        let model = random_trees(91, 18);
        let (q, v) = random_state(&model, 91);
        let (kin, vel) = at(&model, &q, &v);
        let mut rates = ColumnRates::new(&model);
        rates.update(&model, &kin, &vel, &v);
        for b in 0..model.bodies.len() {
            for columns in [&rates.S_dot, &rates.psi_dot] {
                let sum = model.chain(Some(b)).fold(Motion::ZERO, |s, i| s + columns[i] * v[i]);
                let error = sum - vel.bias_acceleration[b];
                assert!(error.angular.norm() + error.linear.norm() < 1e-13, "body {b}");
            }
        }
    }
}
