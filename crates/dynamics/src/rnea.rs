//! Inverse dynamics: the joint efforts that go with an acceleration.
//!
//! τ = M(q) v̇ + C(q,v) v + g(q), armature included, by the recursive Newton–Euler algorithm in the
//! common frame [Featherstone2008, ch. 5]. With D_b the part of the acceleration due to v̇ and
//! gravity, on top of the bias acceleration A_b that [`Velocities`] holds:
//!
//! ```text
//!     D_b = D_P + Σ_{i of b} S_i v̇_i,   D_world = (0, −gravity)        (1)
//!     p_b = I_b A_b + V_b ×* (I_b V_b)                                  (2)
//!     F_b = I_b D_b + p_b + Σ_{c child of b} F_c                        (3)
//!     τ_i = S_i · F_b + armature_i v̇_i                                  (4)
//! ```
//!
//! I_b (A_b + D_b) + V_b ×* (I_b V_b) is the force of Newton and the moment of Euler at the centre
//! of mass c, for which no inertia is carried to the common frame: with (α, a) = A_b + D_b,
//! r = c − O, and J the inertia about c in axes of the body,
//!
//! ```text
//!     f = m (a + α × r + ω × (v + ω × r))                               (5)
//!     n = R (J α_B + ω_B × J ω_B) + r × f,   α_B = Rᵀ α, ω_B = Rᵀ ω     (6)
//! ```
//!
//! Units: N·m or N. Cost O(nb + nv); no allocation.

use crate::kinematics::Kinematics;
use crate::model::Model;
use crate::poses::Poses;
use crate::real::Real;
use crate::spatial::{Force, Inertia, Mat3, Motion, Sym3, Vec3};
use crate::velocity::Velocities;

/// Scratch of [`rnea_into`] and [`bias_into`].
#[derive(Clone, Debug)]
pub struct RneaWorkspace<T = f64> {
    /// Per body.
    masses: Vec<Central<T>>,
    /// Per body: D of (1).
    acceleration: Vec<Motion<T>>,
    /// Per body: F of (3).
    force: Vec<Force<T>>,
}

/// The mass of a body about its centre, constants of (5) and (6).
#[derive(Clone, Copy, Debug)]
struct Central<T> {
    mass: T,
    /// From the origin of the body, in its axes.
    com: Vec3<T>,
    /// J.
    about_com: Sym3<T>,
}

impl<T: Real> RneaWorkspace<T> {
    pub fn new(model: &Model<T>) -> Self {
        let (kind, nb) = (model.kind(), model.bodies.len());
        Self {
            masses: model.bodies.iter().map(|b| Central::new(&b.inertia)).collect(),
            acceleration: vec![Motion::zero(kind); nb],
            force: vec![Force::zero(kind); nb],
        }
    }
}

impl<T: Real> Central<T> {
    fn new(I: &Inertia<T>) -> Self {
        let (zero, one) = (I.mass.zero(), I.mass.one());
        let massive = zero.less(I.mass);
        let com = I.first * T::select(massive, one / I.mass, zero);
        Self { mass: I.mass, com, about_com: I.second - Sym3::point_mass(com, I.mass) }
    }

    /// (5), (6): what moves the body at (R, p) from O, with acceleration A and velocity V.
    #[inline(always)]
    fn force(&self, R: &Mat3<T>, p: Vec3<T>, A: Motion<T>, V: Motion<T>) -> Force<T> {
        let r = p + *R * self.com;
        let f = (A.linear_at(r) + V.angular.cross(V.linear_at(r))) * self.mass;
        let (alpha_B, omega_B) = (R.transpose_mul(A.angular), R.transpose_mul(V.angular));
        let n_B = self.about_com * alpha_B + omega_B.cross(self.about_com * omega_B);
        Force::new(*R * n_B + r.cross(f), f)
    }
}

/// tau = M a + C v + g, armature included. Needs positions and velocities only.
#[inline(always)]
pub fn rnea_into<T: Real>(
    model: &Model<T>,
    kin: &Poses<T>,
    vel: &Velocities<T>,
    a: &[T],
    workspace: &mut RneaWorkspace<T>,
    tau: &mut [T],
) {
    assert_eq!(a.len(), model.nv(), "a has nv coordinates");
    let RneaWorkspace { masses, acceleration, force } = workspace;
    let topology = &kin.topology;
    for bodies in &kin.selection.bodies {
        for b in bodies.clone() {
            let mut D = match topology.parent[b] {
                Some(p) => acceleration[p],
                None => weightless(model),
            };
            if let Some(i) = topology.single[b] {
                D += kin.S[i] * a[i];
            } else {
                let dofs = topology.dofs[b].clone();
                for (S, a) in kin.S[dofs.clone()].iter().zip(&a[dofs]) {
                    D += *S * *a; // (1)
                }
            }
            acceleration[b] = D;
            force[b] = masses[b].force(&kin.R_WB[b], kin.p_OB[b], D + vel.bias_acceleration[b], vel.V[b]);
        }
    }
    project(model, kin, force, tau);
    for dofs in kin.selection.dofs.iter().cloned() {
        for ((tau, a), dof) in tau[dofs.clone()].iter_mut().zip(&a[dofs.clone()]).zip(&model.dofs[dofs]) {
            *tau += dof.armature * *a; // (4)
        }
    }
}

/// bias = C(q,v) v + g(q): [`rnea_into`] at zero acceleration.
#[inline(always)]
pub fn bias_into<T: Real>(
    model: &Model<T>,
    kin: &Kinematics<T>,
    vel: &Velocities<T>,
    workspace: &mut RneaWorkspace<T>,
    bias: &mut [T],
) {
    let D = weightless(model);
    let force = &mut workspace.force;
    for r in kin.selection.bodies.iter().cloned() {
        let rates = vel.bias_acceleration[r.clone()].iter().zip(&vel.V[r.clone()]);
        for ((F, I), (A, V)) in force[r.clone()].iter_mut().zip(&kin.I[r]).zip(rates) {
            *F = body_force(I, *A + D, *V);
        }
    }
    project(model, kin, force, bias);
}

/// The acceleration whose inertia forces are the weights: (0, −gravity).
#[inline(always)]
pub(crate) fn weightless<T: Real>(model: &Model<T>) -> Motion<T> {
    Motion::new(Vec3::zero(model.kind()), -model.gravity)
}

/// I A + V ×* (I V): what moves a body of inertia I and velocity V with acceleration A.
#[inline(always)]
pub(crate) fn body_force<T: Real>(I: &Inertia<T>, A: Motion<T>, V: Motion<T>) -> Force<T> {
    *I * A + V.cross_force(*I * V)
}

/// (3) and the first term of (4), tip to base; consumes `force`.
#[inline(always)]
fn project<T: Real>(model: &Model<T>, kin: &Poses<T>, force: &mut [Force<T>], tau: &mut [T]) {
    assert_eq!(tau.len(), model.nv(), "the efforts have nv coordinates");
    assert_eq!(force.len(), kin.X_WB.len(), "the workspace belongs to this model");
    let topology = &kin.topology;
    for bodies in kin.selection.bodies.iter().rev() {
        for b in bodies.clone().rev() {
            let F = force[b];
            if let Some(i) = topology.single[b] {
                tau[i] = kin.S[i].dot(F);
            } else {
                let dofs = topology.dofs[b].clone();
                for (tau, S) in tau[dofs.clone()].iter_mut().zip(&kin.S[dofs]) {
                    *tau = S.dot(F);
                }
            }
            if let Some(p) = topology.parent[b] {
                force[p] += F;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::*;

    /// m l² q̈ + m g l sin q.
    #[test]
    fn pendulum_closed_form() {
        let model = pendulum(2.0, 0.5);
        let (kin, vel) = at(&model, &[0.7], &[3.0]);
        let tau = rnea(&model, &kin, &vel, &[1.5]);
        assert_close(&tau, &[0.5 * 1.5 + 2.0 * 9.81 * 0.5 * 0.7_f64.sin()], 1e-15);
    }

    /// The textbook equations with m = l = 1, relative angles: c = cos q2, s = sin q2.
    #[test]
    fn double_pendulum_closed_form() {
        let model = double_pendulum(1.0, 1.0);
        let (q, v, a) = ([0.4, -1.1], [0.8, 2.0], [-0.5, 1.7]);
        let (kin, vel) = at(&model, &q, &v);
        let (c, s) = (q[1].cos(), q[1].sin());
        let (g1, g12) = (9.81 * q[0].sin(), 9.81 * (q[0] + q[1]).sin());
        let expected = [
            (3.0 + 2.0 * c) * a[0] + (1.0 + c) * a[1] - s * v[1] * (2.0 * v[0] + v[1]) + 2.0 * g1 + g12,
            (1.0 + c) * a[0] + a[1] + s * v[0] * v[0] + g12,
        ];
        assert_close(&rnea(&model, &kin, &vel, &a), &expected, 1e-14);
    }

    /// Newton and Euler body by body: forces from finite differences of momenta, projected on the
    /// columns. Shares with (1)–(4) nothing but S and V.
    #[test]
    fn efforts_balance_the_rates_of_momentum() {
        let (model, h) = (random_trees(6, 16), 1e-5);
        let (q, v) = random_state(&model, 6);
        let a = Dice::new(6).vector(model.nv());
        let (kin, vel) = at(&model, &q, &v);
        let momentum = |h: f64, b: usize| {
            let (k, w) = at(&model, &moved(&model, &q, &plus(&v, &a, 0.5 * h), h), &plus(&v, &a, h));
            let I = model.bodies[b].inertia;
            let (R, V) = (k.R_WB[b], com_motion(&model, &k, &w, b));
            Force::new(I.about_com().rotated(&R) * V.angular, V.linear * I.mass)
        };
        let mut tau: Vec<f64> = model.dofs.iter().zip(&a).map(|(d, a)| d.armature * a).collect();
        for (b, body) in model.bodies.iter().enumerate() {
            let mut F = (momentum(h, b) - momentum(-h, b)) * (0.5 / h);
            F.linear -= model.gravity * body.inertia.mass;
            let r = kin.X_WB[b].transform(body.inertia.com()) - kin.reference[body.tree];
            for i in model.chain(Some(b)) {
                tau[i] += kin.S[i].angular.dot(F.angular) + kin.S[i].linear_at(r).dot(F.linear);
            }
        }
        assert_close(&rnea(&model, &kin, &vel, &a), &tau, 1e-8);
    }

    /// Power in = rate of energy; at a = 0 this is vᵀ(½Ṁ − C)v = 0 and vᵀg = U̇.
    #[test]
    fn power_is_the_rate_of_energy() {
        let (model, h) = (random_trees(7, 16), 1e-5);
        let (q, v) = random_state(&model, 7);
        for a in [vec![0.0; model.nv()], Dice::new(7).vector(model.nv())] {
            let (kin, vel) = at(&model, &q, &v);
            let energy = |h: f64| {
                let v_h = plus(&v, &a, h);
                let (k, w) = at(&model, &moved(&model, &q, &plus(&v, &a, 0.5 * h), h), &v_h);
                crate::kinetic_energy(&model, &k, &w, &v_h) + crate::potential_energy(&model, &k)
            };
            let power = dot(&v, &rnea(&model, &kin, &vel, &a));
            assert_close(&[power], &[(energy(h) - energy(-h)) / (2.0 * h)], 1e-7);
        }
    }

    #[test]
    fn bias_is_rnea_at_rest_of_acceleration() {
        let model = random_trees(8, 16);
        let (q, v) = random_state(&model, 8);
        let (kin, vel) = at(&model, &q, &v);
        assert_close(&bias(&model, &kin, &vel), &rnea(&model, &kin, &vel, &vec![0.0; model.nv()]), 1e-13);
    }
}
