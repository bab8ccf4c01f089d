//! Accelerations of the bodies and of their points.
//!
//! With U the velocity of the carrier of a motion m and G the acceleration of free fall:
//!
//! ```text
//!     A_b = A_P + Σ_m Σ_{i in m} (S_i v̇_i + ψ̇_i v_i),   A_world = −G     (1)
//!     ψ̈_i = A_carrier × S_i + U × ψ̇_i                                   (2)
//!     a_p = A.linear + A.angular × r + ω × v_p + gravity,  r = p − O    (3)
//! ```
//!
//! A is a *proper* acceleration: on top of free fall, zero for a body that falls freely, and in
//! (3) without the last term what an accelerometer at p feels. It is about the fixed point that
//! coincides with O at this instant: its linear part is not that of a body-fixed point
//! [Featherstone2008, §2.11]. (2) is the rate of ψ̇ that derivatives need [Singh2022].
//! Units: rad/s², m/s².

use crate::kinematics::Kinematics;
use crate::model::Model;
use crate::rates::ColumnRates;
use crate::real::Real;
use crate::rnea::weightless;
use crate::spatial::{Motion, Vec3};
use crate::velocity::Velocities;

/// Accelerations of a model: who holds one has run [`Self::update`].
#[derive(Clone, Debug)]
pub struct Accelerations<T = f64> {
    /// Per body: (1), world axes, about the tree's reference point.
    pub A: Vec<Motion<T>>,
    /// Per dof: (2).
    pub psi_ddot: Vec<Motion<T>>,
}

impl<T: Real> Accelerations<T> {
    /// In free fall.
    pub fn new(model: &Model<T>) -> Self {
        let zero = Motion::zero(model.kind());
        Self { A: vec![zero; model.bodies.len()], psi_ddot: vec![zero; model.nv()] }
    }

    /// At the velocity `v` that made `vel` and `rates`, accelerating with `a` (both of length nv).
    #[inline(always)]
    pub fn update(
        &mut self,
        model: &Model<T>,
        kin: &Kinematics<T>,
        vel: &Velocities<T>,
        rates: &ColumnRates<T>,
        v: &[T],
        a: &[T],
    ) {
        assert_eq!((v.len(), a.len()), (model.nv(), model.nv()), "v and a have nv coordinates");
        assert_eq!(self.A.len(), kin.X_WB.len(), "the accelerations belong to this model");
        let (topology, zero) = (&kin.topology, Motion::zero(model.kind()));
        for b in 0..self.A.len() {
            let (mut U, mut A) = match topology.parent[b] {
                Some(p) => (vel.V[p], self.A[p]),
                None => (zero, weightless(model)),
            };
            for dofs in &topology.motion_dofs[topology.motions[b].clone()] {
                let (mut step, mut gain) = (zero, zero);
                for i in dofs.clone() {
                    let (S, psi_dot) = (kin.S[i], rates.psi_dot[i]);
                    self.psi_ddot[i] = A.cross(S) + U.cross(psi_dot); // (2)
                    step += S * v[i];
                    gain += S * a[i] + psi_dot * v[i];
                }
                U += step;
                A += gain; // (1)
            }
            self.A[b] = A;
        }
    }
}

/// (3): acceleration in W of the point of `body` now at `p_W` [m/s²].
#[inline(always)]
pub fn point_acceleration<T: Real>(
    model: &Model<T>,
    kin: &Kinematics<T>,
    vel: &Velocities<T>,
    acc: &Accelerations<T>,
    body: usize,
    p_W: Vec3<T>,
) -> Vec3<T> {
    let r = p_W - kin.reference[kin.topology.tree[body]];
    let (V, A) = (vel.V[body], acc.A[body]);
    A.linear_at(r) + V.angular.cross(V.linear_at(r)) + model.gravity
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::derivatives::testing::receipts;
    use crate::spatial::vec3;
    use crate::testing::*;

    /// Velocities of body-fixed points a little before and after.
    #[test]
    fn points_accelerate_as_finite_differences_say() {
        let (model, h) = (random_trees(92, 18), 1e-5);
        let (q, v) = random_state(&model, 92);
        let a = Dice::new(92).vector(model.nv());
        let (kin, vel, _, acc) = receipts(&model, &q, &v, &a);
        let p_B = vec3(0.2, -0.4, 0.3);
        let velocity = |h: f64, b: usize| {
            let (k, w) = at(&model, &moved(&model, &q, &plus(&v, &a, 0.5 * h), h), &plus(&v, &a, h));
            crate::point_velocity(&k, &w, b, k.X_WB[b].transform(p_B))
        };
        for b in 0..model.bodies.len() {
            let rate = (velocity(h, b) - velocity(-h, b)) * (0.5 / h);
            let a_p = point_acceleration(&model, &kin, &vel, &acc, b, kin.X_WB[b].transform(p_B));
            assert!((a_p - rate).norm() < 1e-7 * (1.0 + rate.norm()), "body {b}: {a_p:?}, {rate:?}");
        }
    }
}
