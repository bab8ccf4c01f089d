//! Derivatives of inverse dynamics τ(q, v, v̇), armature included.
//!
//! With the composites of all that dof i moves, its inertia Iᶜ, Coriolis operator Γᶜ (see
//! [`Coriolis`]) and force Fᶜ = Σ (I A + V ×* I V), four vectors per dof give every entry
//! [Singh2022]:
//!
//! ```text
//!     f_i = Iᶜ S_i,   r_i = Γᶜᵀ S_i                                     (1)
//!     g_i = Iᶜ ψ̈_i + Γᶜ ψ̇_i + S_i ×* Fᶜ,   h_i = Iᶜ (Ṡ_i + ψ̇_i) + Γᶜ S_i (2)
//!
//!     j before i or of the same motion:        j before i:
//!       ∂τ_i/∂q_j = f_i·ψ̈_j + r_i·ψ̇_j            ∂τ_j/∂q_i = S_j·g_i      (3)
//!       ∂τ_i/∂v_j = f_i·(Ṡ_j + ψ̇_j) + r_i·S_j     ∂τ_j/∂v_i = S_j·h_i      (4)
//!       ∂τ_i/∂v̇_j = M_ij = f_i·S_j                                       (5)
//! ```
//!
//! r is a three-vector, Γ having no right half. The columns of a free root are trivial: nothing
//! depends on where it is or how fast it translates, and its rotations are the body axes R
//! through O itself. With its velocity (ω, v) and the proper acceleration Ȧ of its origin,
//!
//! ```text
//!     ∂τ_i/∂q_rot = Rᵀ (f.linear × Ȧ)
//!     ∂τ_i/∂v_rot = Rᵀ (f.angular × ω + 2 f.linear × v + r)              (6)
//! ```
//!
//! Cost O(nv · depth); no allocation in [`RneaDerivatives::update`].

use super::external::ExternalForces;
use crate::acceleration::Accelerations;
use crate::kinematics::Kinematics;
use crate::mass_matrix::MassMatrix;
use crate::model::{JointKind, Model};
use crate::rates::ColumnRates;
use crate::real::Real;
use crate::spatial::{Coriolis, Force, Inertia, Mat3, Motion, Vec3};
use crate::velocity::Velocities;
use std::ops::Range;

/// ∂τ/∂(q, v, v̇): who holds one has run [`Self::update`].
#[derive(Clone, Debug)]
pub struct RneaDerivatives<T = f64> {
    /// ∂τ/∂v̇ = M(q).
    pub M: MassMatrix<T>,
    /// `tau_q[i * nv + j]` = ∂τ_i/∂q_j; zero unless i and j are on one chain, not written there.
    pub tau_q: Vec<T>,
    /// `tau_v[i * nv + j]` = ∂τ_i/∂v_j, likewise.
    pub tau_v: Vec<T>,
    columns: Vec<Column<T>>,
    composite: Vec<Composite<T>>,
    /// Per tree: its root, if that is a free body.
    free: Vec<Option<usize>>,
}

/// Quantities of dof j in (3) to (5).
#[derive(Clone, Copy, Debug)]
struct Column<T> {
    S: Motion<T>,
    psi_ddot: Motion<T>,
    /// Ṡ + ψ̇
    turning: Motion<T>,
    /// Angular part of ψ̇.
    psi_dot: Vec3<T>,
}

/// Inertia, Coriolis matrix and force of a body, later with those of all bodies it carries.
#[derive(Clone, Copy, Debug)]
struct Composite<T> {
    inertia: Inertia<T>,
    coriolis: Coriolis<T>,
    force: Force<T>,
}

/// (1) and (2) of dof i.
struct Row<T> {
    f: Force<T>,
    r: Vec3<T>,
    g: Force<T>,
    h: Force<T>,
}

/// A free root as (6) sees it.
struct FreeRoot<T> {
    /// First dof of the root.
    first: usize,
    R: Mat3<T>,
    V: Motion<T>,
    /// Ȧ of (6).
    lift: Vec3<T>,
}

impl<T: Real> RneaDerivatives<T> {
    /// Zero.
    pub fn new(model: &Model<T>) -> Self {
        let (kind, nv) = (model.kind(), model.nv());
        let (vector, motion, force) = (Vec3::zero(kind), Motion::zero(kind), Force::zero(kind));
        let column = Column { S: motion, psi_ddot: motion, turning: motion, psi_dot: vector };
        let composite = Composite { inertia: Inertia::zero(kind), coriolis: Coriolis::zero(kind), force };
        let mut free = vec![None; model.trees];
        for (b, body) in model.bodies.iter().enumerate() {
            if model.joints[body.joints.start].kind == JointKind::Free {
                free[body.tree] = Some(b);
            }
        }
        Self {
            M: MassMatrix::new(model),
            tau_q: vec![kind; nv * nv],
            tau_v: vec![kind; nv * nv],
            columns: vec![column; nv],
            composite: vec![composite; model.bodies.len()],
            free,
        }
    }

    /// At the configuration, velocity and acceleration of the receipts.
    #[inline(always)]
    pub fn update(
        &mut self,
        model: &Model<T>,
        kin: &Kinematics<T>,
        vel: &Velocities<T>,
        rates: &ColumnRates<T>,
        acc: &Accelerations<T>,
    ) {
        assert_eq!(self.columns.len(), model.nv(), "the derivatives belong to this model");
        for (i, column) in self.columns.iter_mut().enumerate() {
            let (S_dot, psi_dot) = (rates.S_dot[i], rates.psi_dot[i]);
            let turning = S_dot + psi_dot;
            *column = Column { S: kin.S[i], psi_ddot: acc.psi_ddot[i], turning, psi_dot: psi_dot.angular };
        }
        for (b, composite) in self.composite.iter_mut().enumerate() {
            let (I, V) = (kin.I[b], vel.V[b]);
            let coriolis = Coriolis::new(&I, V);
            let force = I * acc.A[b] + V.cross_force(coriolis.momentum);
            *composite = Composite { inertia: I, coriolis, force };
        }
        for b in (0..self.composite.len()).rev() {
            self.rows_of_body(b, kin, vel, acc);
            if let Some(p) = kin.topology.parent[b] {
                let Composite { inertia, coriolis, force } = self.composite[b];
                let onto = &mut self.composite[p];
                onto.inertia += inertia;
                onto.coriolis += coriolis;
                onto.force += force;
            }
        }
        for (i, dof) in model.dofs.iter().enumerate() {
            self.M.add_diagonal(i, dof.armature);
        }
    }

    /// Subtracts what `external` contributes: the derivatives become those of
    /// τ(q, v, v̇) − Σ Jᵀ F, the efforts that are left to the joints.
    #[inline(always)]
    pub fn subtract_external(&mut self, kin: &Kinematics<T>, external: &ExternalForces<T>) {
        external.subtract_derivative(kin, &self.M.pattern, &mut self.tau_q);
    }

    #[inline(always)]
    fn rows_of_body(&mut self, b: usize, kin: &Kinematics<T>, vel: &Velocities<T>, acc: &Accelerations<T>) {
        let topology = &kin.topology;
        let Composite { inertia, coriolis, force } = self.composite[b];
        for dofs in &topology.motion_dofs[topology.motions[b].clone()] {
            for i in dofs.clone() {
                let Column { S, psi_ddot, turning, psi_dot } = self.columns[i];
                let row = Row {
                    f: inertia * S,
                    r: coriolis.apply_transposed(S),
                    g: inertia * psi_ddot + coriolis.apply(psi_dot) + S.cross_force(force),
                    h: inertia * turning + coriolis.apply(S.angular),
                };
                match self.free[topology.tree[b]] {
                    Some(root) if root != b => {
                        let (V, A) = (vel.V[root], acc.A[root]);
                        let lift = A.linear + V.angular.cross(V.linear);
                        let first = topology.dofs[root].start;
                        self.entries_of_row(i, dofs, &row, 6);
                        self.entries_of_free_root(i, &row, &FreeRoot { first, R: kin.R_WB[root], V, lift });
                    }
                    _ => self.entries_of_row(i, dofs, &row, 0),
                }
            }
        }
    }

    /// (3) to (5) for dof i, of the motion `dofs`, and all before it but the last `spared`.
    #[inline(always)]
    fn entries_of_row(&mut self, i: usize, dofs: &Range<usize>, row: &Row<T>, spared: usize) {
        let nv = self.columns.len();
        let chain = self.M.pattern.columns(i);
        let chain = &chain[..chain.len() - spared];
        let start = self.M.pattern.start(i);
        for (M_ij, j) in self.M.entries[start..start + chain.len()].iter_mut().zip(chain) {
            *M_ij = self.columns[*j as usize].S.dot(row.f); // (5)
        }
        for j in dofs.clone() {
            let (by_q, by_v) = row.dot(&self.columns[j]);
            self.tau_q[i * nv + j] = by_q;
            self.tau_v[i * nv + j] = by_v;
        }
        for j in &chain[i - dofs.start + 1..] {
            let j = *j as usize;
            let column = &self.columns[j];
            let (by_q, by_v) = row.dot(column);
            self.tau_q[i * nv + j] = by_q;
            self.tau_v[i * nv + j] = by_v;
            self.tau_q[j * nv + i] = column.S.dot(row.g);
            self.tau_v[j * nv + i] = column.S.dot(row.h);
        }
    }

    /// Entries of row i in the six columns of a free root, by (6).
    #[inline(always)]
    fn entries_of_free_root(&mut self, i: usize, row: &Row<T>, root: &FreeRoot<T>) {
        let nv = self.columns.len();
        let Row { f, r, g, h } = row;
        let (lin, rot) = (root.first, root.first + 3);

        let M_rot = root.R.transpose_mul(f.angular);
        let end = self.M.pattern.row(i).end;
        let M_i = &mut self.M.entries[end - 6..end];
        // Towards the root: rotation z, y, x, translation z, y, x.
        for k in 0..3 {
            M_i[k] = M_rot[2 - k];
            M_i[3 + k] = f.linear[2 - k];
        }

        let by_q = root.R.transpose_mul(f.linear.cross(root.lift));
        let spin = f.angular.cross(root.V.angular);
        let by_v = root.R.transpose_mul(spin + f.linear.cross(root.V.linear + root.V.linear) + *r);
        let (g_rot, h_rot) = (root.R.transpose_mul(g.angular), root.R.transpose_mul(h.angular));
        for k in 0..3 {
            self.tau_q[i * nv + rot + k] = by_q[k];
            self.tau_v[i * nv + rot + k] = by_v[k];
            self.tau_q[(rot + k) * nv + i] = g_rot[k];
            self.tau_v[(rot + k) * nv + i] = h_rot[k];
            self.tau_q[(lin + k) * nv + i] = g.linear[k];
            self.tau_v[(lin + k) * nv + i] = h.linear[k];
        }
    }
}

impl<T: Real> Row<T> {
    /// The left halves of (3) and (4).
    #[inline(always)]
    fn dot(&self, j: &Column<T>) -> (T, T) {
        let by_q = j.psi_ddot.dot(self.f) + j.psi_dot.dot(self.r);
        let by_v = j.turning.dot(self.f) + j.S.angular.dot(self.r);
        (by_q, by_v)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;
    use crate::testing::*;
    use crate::{RneaWorkspace, rnea_into};

    /// τ(q, v, v̇).
    struct InverseDynamics;
    impl Function for InverseDynamics {
        fn call<T: Real>(&self, model: &Model<T>, [q, v, a]: [&[T]; 3]) -> Vec<T> {
            let (kin, vel, _, _) = receipts(model, q, v, a);
            let mut tau = v.to_vec();
            rnea_into(model, &kin, &vel, a, &mut RneaWorkspace::new(model), &mut tau);
            tau
        }
    }

    /// τ − Σ Jᵀ F.
    struct Loaded(Vec<Force>);
    impl Function for Loaded {
        fn call<T: Real>(&self, model: &Model<T>, x: [&[T]; 3]) -> Vec<T> {
            let (kin, _, _, _) = receipts(model, x[0], x[1], x[2]);
            let mut efforts = vec![model.kind(); model.nv()];
            loads(model, &kin, &self.0).add_efforts(&kin, &mut efforts);
            let tau = InverseDynamics.call(model, x);
            tau.into_iter().zip(efforts).map(|(tau, effort)| tau - effort).collect()
        }
    }

    fn derivatives(model: &Model, x: [&[f64]; 3]) -> RneaDerivatives {
        let (kin, vel, rates, acc) = receipts(model, x[0], x[1], x[2]);
        let mut d = RneaDerivatives::new(model);
        d.update(model, &kin, &vel, &rates, &acc);
        d
    }

    #[test]
    fn agree_with_duals_and_differences() {
        for seed in 100..104 {
            let model = random_trees(seed, 16);
            let (q, v) = random_state(&model, seed);
            let a = Dice::new(seed).vector(model.nv());
            let x: [&[f64]; 3] = [&q, &v, &a];
            let d = derivatives(&model, x);
            let ours = [d.tau_q, d.tau_v, d.M.to_dense()];
            for (k, (exact, about)) in by_duals(&model, x, &InverseDynamics)
                .iter()
                .zip(by_differences(&model, x, &InverseDynamics))
                .enumerate()
            {
                assert_close(&ours[k], exact, 1e-13);
                assert_close(&ours[k], &about, 1e-8);
            }
        }
    }

    #[test]
    fn external_forces_agree_with_duals() {
        let model = random_trees(104, 16);
        let (q, v) = random_state(&model, 104);
        let a = Dice::new(104).vector(model.nv());
        let x: [&[f64]; 3] = [&q, &v, &a];
        let forces = random_forces(&model, 104);
        let mut d = derivatives(&model, x);
        let (kin, _) = at(&model, &q, &v);
        d.subtract_external(&kin, &loads(&model, &kin, &forces));
        let [by_q, _, _] = by_duals(&model, x, &Loaded(forces));
        assert_close(&d.tau_q, &by_q, 1e-13);
    }

    /// A second update forgets the first.
    #[test]
    fn an_update_leaves_nothing_behind() {
        let model = random_trees(105, 16);
        let (q, v) = random_state(&model, 105);
        let (r, w) = random_state(&model, 106);
        let mut d = derivatives(&model, [&q, &v, &w]);
        let (kin, vel, rates, acc) = receipts(&model, &r, &w, &v);
        d.update(&model, &kin, &vel, &rates, &acc);
        let fresh = derivatives(&model, [&r, &w, &v]);
        assert_eq!((d.tau_q, d.tau_v), (fresh.tau_q, fresh.tau_v));
        assert_eq!(d.M.to_dense(), fresh.M.to_dense());
    }
}
