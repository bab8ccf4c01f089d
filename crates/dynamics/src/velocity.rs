//! Velocities of the bodies, and what their accelerations are when v̇ = 0.
//!
//! In the common frame of [`Poses`], with m running over the motions of a body (its
//! joints in order; of a free joint first the translations, then the rotations), U the velocity
//! of what carries the axes of m [Featherstone2008, eq. 3.27, 2.45]:
//!
//! ```text
//!     step = Σ_{i in m} S_i v_i                                         (1)
//!     A   += U × step           since Ṡ_i = U × S_i for a single axis,  (2)
//!                               and Σ Ṡ_i v_i = U × step for three axes
//!                               fixed in the turning body, (step × step = 0)
//!     U   += step                                                       (3)
//! ```
//!
//! A is the spatial acceleration about the fixed point that coincides with O at this instant:
//! the linear part is not that of a body-fixed point. Gravity is not included. Units: rad/s, m/s.

use crate::model::Model;
use crate::poses::Poses;
use crate::real::Real;
use crate::spatial::{Motion, Vec3};

/// Velocities of a model: who holds one has run [`Self::update`].
#[derive(Clone, Debug)]
pub struct Velocities<T = f64> {
    /// Per body, world axes, about the tree's reference point.
    pub V: Vec<Motion<T>>,
    /// Per body: acceleration at v̇ = 0 without gravity, world axes, about the reference point.
    pub bias_acceleration: Vec<Motion<T>>,
}

impl<T: Real> Velocities<T> {
    /// At rest.
    pub fn new(model: &Model<T>) -> Self {
        let zero = vec![Motion::zero(model.kind()); model.bodies.len()];
        Self { V: zero.clone(), bias_acceleration: zero }
    }

    /// Moves with `v` (length nv).
    #[inline(always)]
    pub fn update(&mut self, model: &Model<T>, kin: &Poses<T>, v: &[T]) {
        assert_eq!(v.len(), model.nv(), "v has nv coordinates");
        assert_eq!(self.V.len(), kin.X_WB.len(), "velocities and kinematics belong to one model");
        let (topology, zero) = (&kin.topology, Motion::zero(model.kind()));
        for bodies in &kin.selection.bodies {
            for b in bodies.clone() {
                let (mut U, mut A) = match topology.parent[b] {
                    Some(p) => (self.V[p], self.bias_acceleration[p]),
                    None => (zero, zero),
                };
                if let Some(i) = topology.single[b] {
                    let step = kin.S[i] * v[i];
                    A += U.cross(step);
                    U += step;
                } else {
                    for dofs in &topology.motion_dofs[topology.motions[b].clone()] {
                        let mut step = zero;
                        for (S, v) in kin.S[dofs.clone()].iter().zip(&v[dofs.clone()]) {
                            step += *S * *v; // (1)
                        }
                        A += U.cross(step); // (2)
                        U += step; // (3)
                    }
                }
                self.V[b] = U;
                self.bias_acceleration[b] = A;
            }
        }
    }
}

/// [`Velocities::V`] alone, of the selected trees, into `out`: for those who ask for no accelerations.
#[inline(always)]
pub fn motions_into<T: Real>(model: &Model<T>, kin: &Poses<T>, v: &[T], out: &mut [Motion<T>]) {
    assert_eq!(v.len(), model.nv(), "v has nv coordinates");
    assert_eq!(out.len(), kin.X_WB.len(), "motions and kinematics belong to one model");
    let (topology, zero) = (&kin.topology, Motion::zero(model.kind()));
    for bodies in &kin.selection.bodies {
        for b in bodies.clone() {
            let mut U = topology.parent[b].map_or(zero, |p| out[p]);
            if let Some(i) = topology.single[b] {
                U += kin.S[i] * v[i];
            } else {
                for dofs in &topology.motion_dofs[topology.motions[b].clone()] {
                    let mut step = zero;
                    for (S, v) in kin.S[dofs.clone()].iter().zip(&v[dofs.clone()]) {
                        step += *S * *v; // (1)
                    }
                    U += step; // (3)
                }
            }
            out[b] = U;
        }
    }
}

/// Velocity in W of the point of `body` now at `p_W` [m/s].
#[inline(always)]
pub fn point_velocity<T: Real>(kin: &Poses<T>, vel: &Velocities<T>, body: usize, p_W: Vec3<T>) -> Vec3<T> {
    vel.V[body].linear_at(p_W - kin.reference[kin.topology.tree[body]])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{at, moved, random_state, random_trees};

    /// V and A about the *fixed* point that is the reference now, from V a little before and after.
    #[test]
    fn bias_acceleration_is_the_rate_of_the_velocity() {
        let (model, h) = (random_trees(4, 18), 1e-5);
        let (q, v) = random_state(&model, 4);
        let (kin, vel) = at(&model, &q, &v);
        let sample = |h: f64, b: usize| {
            let (k, w) = at(&model, &moved(&model, &q, &v, h), &v);
            let tree = k.tree_of(b);
            Motion::new(w.V[b].angular, w.V[b].linear_at(kin.reference[tree] - k.reference[tree]))
        };
        for b in 0..model.bodies.len() {
            let rate = (sample(h, b) - sample(-h, b)) * (0.5 / h);
            let error = rate - vel.bias_acceleration[b];
            assert!(error.angular.norm() < 1e-7 && error.linear.norm() < 1e-7, "body {b}: {error:?}");
        }
    }

    #[test]
    fn velocity_is_the_sum_of_the_columns() {
        let model = random_trees(5, 18);
        let (q, v) = random_state(&model, 5);
        let (kin, vel) = at(&model, &q, &v);
        let mut alone = vec![Motion::ZERO; model.bodies.len()];
        motions_into(&model, &kin, &v, &mut alone);
        assert_eq!(alone, vel.V);
        for b in 0..model.bodies.len() {
            let sum = model.chain(Some(b)).fold(Motion::ZERO, |s, i| s + kin.S[i] * v[i]);
            assert!((sum - vel.V[b]).linear.norm() + (sum - vel.V[b]).angular.norm() < 1e-13);
        }
    }
}
