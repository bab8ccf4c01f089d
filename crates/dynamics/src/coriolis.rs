//! The Coriolis matrix C(q, v), the one that belongs to M: Ṁ − 2 C is skew-symmetric.
//!
//! C v + g = bias; of the many matrices with that property this one keeps the power balance term
//! by term, Ṁ = C + Cᵀ, as passivity-based control wants it. With the composites of
//! [`crate::RneaDerivatives`] and the true rates Ṡ of the columns [Echeandia2021]:
//!
//! ```text
//!     C_ij = f_i·Ṡ_j + ½ r_i·S_j        j before i or of the same motion,
//!                                       f_i = Iᶜ S_i, r_i = Γᶜᵀ S_i     (1)
//!     C_ji = S_j·(Iᶜ Ṡ_i + ½ Γᶜ S_i)    j before i                      (2)
//! ```
//!
//! Units: those of M per second. Cost O(nv · depth); no allocation in [`CoriolisMatrix::update`].

use crate::kinematics::Kinematics;
use crate::mass_matrix::Pattern;
use crate::model::Model;
use crate::rates::ColumnRates;
use crate::real::Real;
use crate::spatial::{Coriolis, Inertia};
use crate::velocity::Velocities;

/// C(q, v): who holds one has run [`Self::update`].
#[derive(Clone, Debug)]
pub struct CoriolisMatrix<T = f64> {
    /// By rows, nv × nv; zero unless i and j are on one chain, not written there.
    pub entries: Vec<T>,
    /// Per body: Iᶜ, Γᶜ.
    composite: Vec<(Inertia<T>, Coriolis<T>)>,
    pattern: Pattern,
}

impl<T: Real> CoriolisMatrix<T> {
    /// At rest: zero.
    pub fn new(model: &Model<T>) -> Self {
        let (kind, nv) = (model.kind(), model.nv());
        Self {
            entries: vec![kind; nv * nv],
            composite: vec![(Inertia::zero(kind), Coriolis::zero(kind)); model.bodies.len()],
            pattern: Pattern::new(model),
        }
    }

    /// At the configuration and velocity of the receipts.
    #[inline(always)]
    pub fn update(&mut self, kin: &Kinematics<T>, vel: &Velocities<T>, rates: &ColumnRates<T>) {
        assert_eq!(self.pattern.size(), kin.S.len(), "the matrix belongs to this model");
        let (topology, nv) = (&kin.topology, kin.S.len());
        for (b, composite) in self.composite.iter_mut().enumerate() {
            *composite = (kin.I[b], Coriolis::new(&kin.I[b], vel.V[b]));
        }
        for b in (0..self.composite.len()).rev() {
            let (inertia, coriolis) = self.composite[b];
            for dofs in &topology.motion_dofs[topology.motions[b].clone()] {
                for i in dofs.clone() {
                    let (S, half) = (kin.S[i], inertia.mass.like(0.5));
                    let f = inertia * S;
                    let r = coriolis.apply_transposed(S) * half;
                    let column = inertia * rates.S_dot[i] + coriolis.apply(S.angular) * half;
                    for j in dofs.clone() {
                        self.entries[i * nv + j] = rates.S_dot[j].dot(f) + kin.S[j].angular.dot(r); // (1)
                    }
                    for j in &self.pattern.columns(i)[i - dofs.start + 1..] {
                        let j = *j as usize;
                        self.entries[i * nv + j] = rates.S_dot[j].dot(f) + kin.S[j].angular.dot(r);
                        self.entries[j * nv + i] = kin.S[j].dot(column); // (2)
                    }
                }
            }
            if let Some(p) = topology.parent[b] {
                self.composite[p].0 += inertia;
                self.composite[p].1 += coriolis;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::derivatives::testing::{Function, by_duals, receipts};
    use crate::testing::*;
    use crate::{CrbaWorkspace, MassMatrix, crba_into};

    struct DenseMassMatrix;
    impl Function for DenseMassMatrix {
        fn call<T: Real>(&self, model: &Model<T>, [q, v, a]: [&[T]; 3]) -> Vec<T> {
            let mut M = MassMatrix::new(model);
            crba_into(model, &receipts(model, q, v, a).0, &mut CrbaWorkspace::new(model), &mut M);
            M.to_dense()
        }
    }

    fn coriolis(model: &Model, q: &[f64], v: &[f64]) -> Vec<f64> {
        let (kin, vel, rates, _) = receipts(model, q, v, v);
        let mut C = CoriolisMatrix::new(model);
        C.update(&kin, &vel, &rates);
        C.entries
    }

    /// C v is the bias without gravity.
    #[test]
    fn product_with_the_velocity_is_the_bias() {
        let mut model = random_trees(140, 18);
        model.gravity = crate::spatial::Vec3::ZERO;
        let (q, v) = random_state(&model, 140);
        let (kin, vel) = at(&model, &q, &v);
        let C = coriolis(&model, &q, &v);
        let Cv: Vec<f64> = C.chunks(model.nv()).map(|row| dot(row, &v)).collect();
        assert_close(&Cv, &bias(&model, &kin, &vel), 1e-13);
    }

    /// Ṁ = C + Cᵀ, Ṁ = Σ ∂M/∂q_k v_k by dual numbers.
    #[test]
    fn rate_of_the_mass_matrix_less_twice_it_is_skew() {
        let model = random_trees(141, 12);
        let (q, v) = random_state(&model, 141);
        let (n, C) = (model.nv(), coriolis(&model, &q, &v));
        let [by_q, _, _] = by_duals(&model, [&q, &v, &v], &DenseMassMatrix);
        let M_dot: Vec<f64> = by_q.chunks(n).map(|row| dot(row, &v)).collect();
        let sum: Vec<f64> = (0..n * n).map(|k| C[k] + C[k % n * n + k / n]).collect();
        assert_close(&sum, &M_dot, 1e-13);
    }
}
