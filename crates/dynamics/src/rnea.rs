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
//! Units: N·m or N. Cost O(nb + nv); no allocation.

use crate::spatial::{Force, Inertia, Motion, Vec3};
use crate::{Kinematics, Model, Real, Velocities};

/// Scratch of [`rnea_into`] and [`bias_into`].
#[derive(Clone, Debug)]
pub struct RneaWorkspace<T = f64> {
    /// Per body: D of (1).
    acceleration: Vec<Motion<T>>,
    /// Per body: F of (3).
    force: Vec<Force<T>>,
}

impl<T: Real> RneaWorkspace<T> {
    pub fn new(model: &Model<T>) -> Self {
        let (kind, nb) = (model.kind(), model.bodies.len());
        Self { acceleration: vec![Motion::zero(kind); nb], force: vec![Force::zero(kind); nb] }
    }
}

/// tau = M a + C v + g, armature included.
#[inline(always)]
pub fn rnea_into<T: Real>(
    model: &Model<T>,
    kin: &Kinematics<T>,
    vel: &Velocities<T>,
    a: &[T],
    workspace: &mut RneaWorkspace<T>,
    tau: &mut [T],
) {
    assert_eq!(a.len(), model.nv(), "a has nv coordinates");
    let RneaWorkspace { acceleration, force } = workspace;
    let topology = &kin.topology;
    for b in 0..force.len() {
        let mut D = match topology.parent[b] {
            Some(p) => acceleration[p],
            None => weightless(model),
        };
        let dofs = topology.dofs[b].clone();
        for (S, a) in kin.S[dofs.clone()].iter().zip(&a[dofs]) {
            D += *S * *a; // (1)
        }
        acceleration[b] = D;
        force[b] = body_force(&kin.I[b], D + vel.bias_acceleration[b], vel.V[b]);
    }
    project(model, kin, force, tau);
    for ((tau, a), dof) in tau.iter_mut().zip(a).zip(&model.dofs) {
        *tau += dof.armature * *a; // (4)
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
    for (((F, I), A), V) in force.iter_mut().zip(&kin.I).zip(&vel.bias_acceleration).zip(&vel.V) {
        *F = body_force(I, *A + D, *V);
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
fn project<T: Real>(model: &Model<T>, kin: &Kinematics<T>, force: &mut [Force<T>], tau: &mut [T]) {
    assert_eq!(tau.len(), model.nv(), "the efforts have nv coordinates");
    assert_eq!(force.len(), kin.I.len(), "the workspace belongs to this model");
    let topology = &kin.topology;
    for b in (0..force.len()).rev() {
        let F = force[b];
        let dofs = topology.dofs[b].clone();
        for (tau, S) in tau[dofs.clone()].iter_mut().zip(&kin.S[dofs]) {
            *tau = S.dot(F);
        }
        if let Some(p) = topology.parent[b] {
            force[p] += F;
        }
    }
}
