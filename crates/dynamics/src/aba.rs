//! Articulated-body algorithm: forward dynamics in O(nv).
//!
//! v̇ from M(q) v̇ + C v + g = τ without forming M [Featherstone2008, ch. 7]. In the common frame,
//! and with accelerations split as in [`crate::rnea_into`] (D on top of the bias acceleration), no
//! transform and no velocity product is left in the recursions. Dof by dof, tip to base,
//! Iᴬ and pᴬ starting from I_b and p_b of the body:
//!
//! ```text
//!     U_i = Iᴬ S_i,   d_i = S_i · U_i + armature_i,   u_i = τ_i − S_i · pᴬ    (1)
//!     Iᴬ −= U_i U_iᵀ / d_i,   pᴬ += U_i u_i / d_i                             (2)
//! ```
//!
//! then added to the parent's; and base to tip, D from D_world = (0, −gravity):
//!
//! ```text
//!     v̇_i = (u_i − U_i · D) / d_i,   D += S_i v̇_i                             (3)
//! ```

use crate::kinematics::Kinematics;
use crate::model::Model;
use crate::real::Real;
use crate::rnea::{body_force, weightless};
use crate::spatial::{ArticulatedInertia, Force, Motion};
use crate::velocity::Velocities;

/// Scratch of [`aba_into`].
#[derive(Clone, Debug)]
pub struct AbaWorkspace<T = f64> {
    /// Per body: Iᴬ, pᴬ, D.
    inertia: Vec<ArticulatedInertia<T>>,
    force: Vec<Force<T>>,
    acceleration: Vec<Motion<T>>,
    /// Per dof: U, 1/d, u of (1).
    U: Vec<Force<T>>,
    inverse_d: Vec<T>,
    u: Vec<T>,
}

impl<T: Real> AbaWorkspace<T> {
    pub fn new(model: &Model<T>) -> Self {
        let (kind, nb, nv) = (model.kind(), model.bodies.len(), model.nv());
        let rigid = crate::spatial::Inertia::zero(kind);
        Self {
            inertia: vec![ArticulatedInertia::from_rigid(&rigid); nb],
            force: vec![Force::zero(kind); nb],
            acceleration: vec![Motion::zero(kind); nb],
            U: vec![Force::zero(kind); nv],
            inverse_d: vec![kind; nv],
            u: vec![kind; nv],
        }
    }
}

/// acceleration = v̇ under the joint efforts `tau`. A dof without inertia gives infinite or NaN.
#[inline(always)]
pub fn aba_into<T: Real>(
    model: &Model<T>,
    kin: &Kinematics<T>,
    vel: &Velocities<T>,
    tau: &[T],
    workspace: &mut AbaWorkspace<T>,
    acceleration: &mut [T],
) {
    let nv = model.nv();
    assert_eq!((tau.len(), acceleration.len()), (nv, nv), "efforts and accelerations have nv coordinates");
    let (topology, w) = (&kin.topology, workspace);
    for b in 0..w.inertia.len() {
        w.inertia[b] = ArticulatedInertia::from_rigid(&kin.I[b]);
        w.force[b] = body_force(&kin.I[b], vel.bias_acceleration[b], vel.V[b]);
    }
    for b in (0..w.inertia.len()).rev() {
        let (mut IA, mut pA) = (w.inertia[b], w.force[b]);
        for i in topology.dofs[b].clone().rev() {
            let S = kin.S[i];
            let U = IA * S; // (1)
            let d = S.dot(U) + model.dofs[i].armature;
            let inverse_d = d.one() / d;
            let u = tau[i] - S.dot(pA);
            (w.U[i], w.inverse_d[i], w.u[i]) = (U, inverse_d, u);
            IA = IA.minus_outer(U, inverse_d); // (2)
            pA += U * (u * inverse_d);
        }
        if let Some(p) = topology.parent[b] {
            w.inertia[p] += IA;
            w.force[p] += pA;
        }
    }
    for b in 0..w.inertia.len() {
        let mut D = match topology.parent[b] {
            Some(p) => w.acceleration[p],
            None => weightless(model),
        };
        for i in topology.dofs[b].clone() {
            let a = (w.u[i] - D.dot(w.U[i])) * w.inverse_d[i]; // (3)
            D += kin.S[i] * a;
            acceleration[i] = a;
        }
        w.acceleration[b] = D;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spatial::Vec3;
    use crate::testing::*;

    fn aba(model: &Model, kin: &Kinematics, vel: &Velocities, tau: &[f64]) -> Vec<f64> {
        let mut a = vec![0.0; model.nv()];
        aba_into(model, kin, vel, tau, &mut AbaWorkspace::new(model), &mut a);
        a
    }

    /// The second witness: M⁻¹ (τ − bias).
    #[test]
    fn agrees_with_mass_matrix_and_bias() {
        for seed in 40..44 {
            let model = random_trees(seed, 24);
            let (q, v) = random_state(&model, seed);
            let (kin, vel) = at(&model, &q, &v);
            let tau = Dice::new(seed).vector(model.nv());
            let mut a = plus(&tau, &bias(&model, &kin, &vel), -1.0);
            factored(&model, &mass_matrix(&model, &kin)).solve_in_place(&mut a);
            assert_close(&aba(&model, &kin, &vel, &tau), &a, 1e-11);
        }
    }

    #[test]
    fn undoes_inverse_dynamics() {
        let model = random_trees(45, 24);
        let (q, v) = random_state(&model, 45);
        let (kin, vel) = at(&model, &q, &v);
        let a = Dice::new(45).vector(model.nv());
        assert_close(&aba(&model, &kin, &vel, &rnea(&model, &kin, &vel, &a)), &a, 1e-11);
    }

    /// A free body under gravity alone: ṗ = m g, L̇ = 0 about its centre of mass.
    #[test]
    fn free_flight_keeps_the_angular_momentum() {
        let (model, h) = (free_body(), 1e-5);
        let (q, v) = random_state(&model, 46);
        let (kin, vel) = at(&model, &q, &v);
        let a = aba(&model, &kin, &vel, &[0.0; 6]);
        let momentum = |h: f64| {
            let (k, w) = at(&model, &moved(&model, &q, &plus(&v, &a, 0.5 * h), h), &plus(&v, &a, h));
            crate::momentum(&model, &k, &w)
        };
        let (ahead, behind) = (momentum(h), momentum(-h));
        let weight: Vec3 = model.gravity * model.moving_mass();
        assert!(((ahead.linear - behind.linear) * (0.5 / h) - weight).norm() < 1e-8);
        assert!(((ahead.angular - behind.angular) * (0.5 / h)).norm() < 1e-8);
    }
}
