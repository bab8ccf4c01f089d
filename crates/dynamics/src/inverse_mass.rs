//! The inverse of the joint-space inertia matrix.
//!
//! M⁻¹ = L⁻¹ D⁻¹ L⁻ᵀ 1 with the factors of [`Factor`], whose L has the pattern of the tree. Units:
//! those of M inverted. Cost O(nv² depth) of short vector operations; no allocation in
//! [`InverseMass::update`].

use crate::factor::Factor;
use crate::model::Model;
use crate::real::Real;
use crate::tree_solve::{Columns, TreeSolver};

/// M⁻¹, dense: who holds one has run [`Self::update`].
#[derive(Clone, Debug)]
pub struct InverseMass<T = f64> {
    /// By rows, nv × nv, symmetric to rounding.
    pub entries: Vec<T>,
    solver: TreeSolver<T>,
}

impl<T: Real> InverseMass<T> {
    /// Zero.
    pub fn new(model: &Model<T>) -> Self {
        let entries = vec![model.kind(); model.nv() * model.nv()];
        Self { entries, solver: TreeSolver::new(model, &[Columns::Moved]) }
    }

    /// Computes the inverse of the matrix that `factor` holds.
    #[inline(always)]
    pub fn update(&mut self, factor: &Factor<T>) {
        self.solver.set_identity(0);
        self.solver.solve(factor);
        self.solver.read_into(0, &mut self.entries);
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
