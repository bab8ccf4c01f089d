//! The inverse of the joint-space inertia matrix, and products with it.
//!
//! M⁻¹ = L⁻¹ D⁻¹ L⁻ᵀ with the factors of [`Factor`], whose L has the pattern of the tree. Row by
//! row, with j running over the ancestors of i:
//!
//! ```text
//!     X ← L⁻ᵀ X:   x_j −= L_ij x_i     tip to base                      (1)
//!     X ← D⁻¹ X
//!     X ← L⁻¹ X:   x_i −= Σ_j L_ij x_j base to tip                      (2)
//! ```
//!
//! Started from the identity, (1) stays within the dofs that j moves, and by symmetry (2) is
//! needed from the diagonal on only. Units: those of M inverted. Cost O(nv² depth), half of what
//! nv solves take at most.

use crate::derivatives::Runs;
use crate::{Factor, Model, Real};

/// M⁻¹, dense: who holds one has run [`Self::update`].
#[derive(Clone, Debug)]
pub struct InverseMass<T = f64> {
    /// By rows, nv × nv; zero between trees, not written there.
    pub entries: Vec<T>,
    moved: Runs,
    tree_from: Runs,
}

impl<T: Real> InverseMass<T> {
    /// Zero.
    pub fn new(model: &Model<T>) -> Self {
        let entries = vec![model.kind(); model.nv() * model.nv()];
        Self { entries, moved: Runs::moved(model), tree_from: Runs::tree_from(model) }
    }

    /// Of the matrix that `factor` holds.
    #[inline(always)]
    pub fn update(&mut self, factor: &Factor<T>) {
        let nv = factor.inverse_diagonal().len();
        assert_eq!(self.entries.len(), nv * nv, "the inverse belongs to this model");
        for i in 0..nv {
            for run in self.tree_from.row(i) {
                for x in &mut self.entries[i * nv + run.start..i * nv + run.end] {
                    *x = x.zero();
                }
            }
            let one = self.entries[i * nv + i].one();
            self.entries[i * nv + i] = one;
        }
        half_solve_rows(factor, &self.moved, &mut self.entries);
        scale_rows(factor, &self.moved, &mut self.entries);
        finish_rows(factor, &self.tree_from, &mut self.entries);
        for i in 0..nv {
            for run in self.tree_from.row(i) {
                for j in run.clone() {
                    self.entries[j * nv + i] = self.entries[i * nv + j];
                }
            }
        }
    }
}

/// (1) on the columns of `runs`: row i of X is zero elsewhere, and so are those of its ancestors j
/// outside of `runs.row(j)`, which contains `runs.row(i)`.
#[inline(always)]
pub(crate) fn half_solve_rows<T: Real>(factor: &Factor<T>, runs: &Runs, X: &mut [T]) {
    let nv = factor.inverse_diagonal().len();
    for i in (0..nv).rev() {
        let (above, x_i) = X.split_at_mut(i * nv);
        for (L_ij, j) in factor.row(i)[1..].iter().zip(&factor.columns(i)[1..]) {
            let x_j = &mut above[*j as usize * nv..][..nv];
            for run in runs.row(i) {
                for (x_jk, x_ik) in x_j[run.clone()].iter_mut().zip(&x_i[run.clone()]) {
                    *x_jk -= *L_ij * *x_ik;
                }
            }
        }
    }
}

/// X ← D⁻¹ X.
#[inline(always)]
pub(crate) fn scale_rows<T: Real>(factor: &Factor<T>, runs: &Runs, X: &mut [T]) {
    let nv = factor.inverse_diagonal().len();
    for (i, inverse) in factor.inverse_diagonal().iter().enumerate() {
        for run in runs.row(i) {
            for x in &mut X[i * nv + run.start..i * nv + run.end] {
                *x *= *inverse;
            }
        }
    }
}

/// (2) on the columns of `runs`.
#[inline(always)]
pub(crate) fn finish_rows<T: Real>(factor: &Factor<T>, runs: &Runs, X: &mut [T]) {
    let nv = factor.inverse_diagonal().len();
    for i in 0..nv {
        let (above, x_i) = X.split_at_mut(i * nv);
        for (L_ij, j) in factor.row(i)[1..].iter().zip(&factor.columns(i)[1..]) {
            let x_j = &above[*j as usize * nv..][..nv];
            for run in runs.row(i) {
                for (x_ik, x_jk) in x_i[run.clone()].iter_mut().zip(&x_j[run.clone()]) {
                    *x_ik -= *L_ij * *x_jk;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::*;

    #[test]
    fn product_with_the_matrix_is_the_identity() {
        for seed in 120..123 {
            let model = random_trees(seed, 20);
            let (q, v) = random_state(&model, seed);
            let (n, M) = (model.nv(), mass_matrix(&model, &at(&model, &q, &v).0));
            let mut inverse = InverseMass::new(&model);
            for _ in 0..2 {
                inverse.update(&factored(&model, &M));
                for i in 0..n {
                    let mut row = vec![0.0; n];
                    M.mul_into(&inverse.entries[i * n..(i + 1) * n], &mut row);
                    let unit: Vec<f64> = (0..n).map(|j| f64::from(u8::from(i == j))).collect();
                    assert_close(&row, &unit, 1e-11);
                }
            }
        }
    }
}
