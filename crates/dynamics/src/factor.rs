//! M = LᵀDL on the tree, and solves with it.
//!
//! Eliminating from the tips towards the root causes no fill: L, unit lower triangular, has the
//! pattern of M [Featherstone2008, §6.5]. With j, k over the ancestors of i, tip to base:
//!
//! ```text
//!     L_ij  = M_ij / D_i,   D_i = M_ii                                  (1)
//!     M_jk -= L_ij M_ik                                                 (2)
//!     M⁻¹ = L⁻¹ D⁻¹ L⁻ᵀ                                                 (3)
//!     J M⁻¹ Jᵀ = Yᵀ D⁻¹ Y  with  Y = L⁻ᵀ Jᵀ                             (4)
//! ```
//!
//! A column of Jᵀ is nonzero on a chain of dofs only, and so is its column of Y: (4) costs
//! O(depth²) per contact. Cost of the factorisation O(Σ depth²), of a solve O(Σ depth).

use crate::mass_matrix::Pattern;
use crate::spatial::Vec3;
use crate::{MassMatrix, Model, Real};
use std::cmp::Ordering;

/// A pivot D_i that is not positive: something moves along dof i without inertia, or M is not
/// finite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the mass matrix is not positive definite at degree of freedom {dof}")]
pub struct NotPositive {
    /// The first such dof, tip to base.
    pub dof: usize,
    /// The lanes that failed, as bits; 1 for a plain number. The others are sound.
    pub lanes: u32,
}

/// The factors of a [`MassMatrix`].
#[derive(Clone, Debug)]
pub struct Factor<T = f64> {
    pattern: Pattern,
    /// Packed as M; the diagonal entries hold D.
    entries: Vec<T>,
    /// 1/D_i.
    inverse_diagonal: Vec<T>,
}

impl<T: Real> Factor<T> {
    /// Of nothing yet, with the pattern of `model`.
    pub fn new(model: &Model<T>) -> Self {
        let pattern = Pattern::new(model);
        let (one, entries) = (model.kind().one(), vec![model.kind(); pattern.len()]);
        Self { inverse_diagonal: vec![one; pattern.size()], entries, pattern }
    }

    /// (1), (2). On error the failed lanes hold no solution; the others do.
    #[inline(always)]
    pub fn factor(&mut self, M: &MassMatrix<T>) -> Result<(), NotPositive> {
        self.entries.copy_from_slice(&M.entries);
        let mut failed: Option<NotPositive> = None;
        for i in (0..self.pattern.size()).rev() {
            let row = self.pattern.row(i);
            let (above, rest) = self.entries.split_at_mut(row.start);
            let row_i = &mut rest[..row.len()];
            let D = row_i[0];
            if !T::all(D.zero().less(D)) {
                let lanes = lanes_not_positive(D);
                let first = failed.get_or_insert(NotPositive { dof: i, lanes });
                first.lanes |= lanes;
            }
            let inverse = D.one() / D;
            self.inverse_diagonal[i] = inverse;
            // Row j = (j, j), (j, parent(j)), … lies over the tail of row i from its entry (i, j).
            let mut tail = &mut row_i[1..];
            for j in &self.pattern.columns(i)[1..] {
                let start = self.pattern.start(*j as usize);
                let row_j = &mut above[start..start + tail.len()];
                let L_ij = tail[0] * inverse; // (1)
                for (M_jk, M_ik) in row_j.iter_mut().zip(tail.iter()) {
                    *M_jk -= L_ij * *M_ik; // (2)
                }
                tail[0] = L_ij;
                tail = &mut tail[1..];
            }
        }
        failed.map_or(Ok(()), Err)
    }

    /// x ← M⁻¹ x, by (3).
    #[inline(always)]
    pub fn solve_in_place(&self, x: &mut [T]) {
        assert_eq!(x.len(), self.pattern.size(), "x has nv entries");
        for i in (0..x.len()).rev() {
            self.spread(i, x);
        }
        for (x, d) in x.iter_mut().zip(&self.inverse_diagonal) {
            *x *= *d;
        }
        for i in 0..x.len() {
            let mut x_i = x[i];
            for (L_ij, j) in self.off_diagonal(i) {
                x_i -= L_ij * x[j];
            }
            x[i] = x_i;
        }
    }

    /// x ← L⁻ᵀ x, where x (length nv) is zero but on `chain`: dofs in descending order, with
    /// every dof its parents, such as [`Model::chain`] or the union of two. Touches the chain only.
    #[inline(always)]
    pub fn half_solve_chain_in_place(&self, chain: &[usize], x: &mut [T]) {
        for i in chain {
            self.spread(*i, x);
        }
    }

    /// Y ← L⁻ᵀ Y for three right-hand sides at once, packed along the chain of `tip`: `Y[t]` belongs
    /// to dof `self.columns(tip)[t]`. The fast path to (4): no index but the row's own.
    #[inline(always)]
    pub fn half_solve_packed_in_place(&self, tip: usize, Y: &mut [Vec3<T>]) {
        let chain = self.columns(tip);
        assert_eq!(Y.len(), chain.len(), "one entry per dof of the chain");
        for (t, i) in chain.iter().enumerate() {
            let (head, tail) = Y.split_at_mut(t + 1);
            for (y, L_ij) in tail.iter_mut().zip(&self.row(*i as usize)[1..]) {
                *y -= head[t] * *L_ij;
            }
        }
    }

    /// 1/D_i, per dof.
    #[inline(always)]
    pub fn inverse_diagonal(&self) -> &[T] {
        &self.inverse_diagonal
    }

    /// L_ij in the order of the dofs i, parent(i), …; the first entry is D_i instead of 1.
    #[inline(always)]
    pub fn row(&self, i: usize) -> &[T] {
        &self.entries[self.pattern.row(i)]
    }

    /// The dofs of the entries of [`Self::row`]: i, parent(i), …, the chain from i to the root.
    #[inline(always)]
    pub fn columns(&self, i: usize) -> &[u32] {
        self.pattern.columns(i)
    }

    /// x_j −= L_ij x_i for the ancestors j of i.
    #[inline(always)]
    fn spread(&self, i: usize, x: &mut [T]) {
        let x_i = x[i];
        for (L_ij, j) in self.off_diagonal(i) {
            x[j] -= L_ij * x_i;
        }
    }

    #[inline(always)]
    fn off_diagonal(&self, i: usize) -> impl Iterator<Item = (T, usize)> {
        let (row, columns) = (&self.row(i)[1..], &self.pattern.columns(i)[1..]);
        row.iter().zip(columns).map(|(L, j)| (*L, *j as usize))
    }
}

/// As bits; NaN is not positive.
#[cold]
fn lanes_not_positive<T: Real>(D: T) -> u32 {
    (0..T::LANES)
        .filter(|l| D.lane(*l).partial_cmp(&0.0) != Some(Ordering::Greater))
        .fold(0, |bits, l| bits | 1 << l)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spatial::vec3;
    use crate::testing::*;

    #[test]
    fn solve_undoes_the_product() {
        let model = random_trees(20, 24);
        let (q, v) = random_state(&model, 20);
        let M = mass_matrix(&model, &at(&model, &q, &v).0);
        let mut x = vec![0.0; model.nv()];
        M.mul_into(&v, &mut x);
        factored(&model, &M).solve_in_place(&mut x);
        assert_close(&x, &v, 1e-12);
    }

    /// LᵀDL, multiplied out densely, is M.
    #[test]
    fn factors_multiply_to_the_matrix() {
        let model = random_trees(21, 16);
        let (q, v) = random_state(&model, 21);
        let M = mass_matrix(&model, &at(&model, &q, &v).0);
        let (n, factor) = (model.nv(), factored(&model, &M));
        let mut L = vec![0.0; n * n];
        for i in 0..n {
            for (x, j) in factor.row(i).iter().zip(M.columns(i)) {
                L[i * n + *j as usize] = if *j as usize == i { 1.0 } else { *x };
            }
        }
        let product: Vec<f64> = (0..n * n)
            .map(|ij| {
                let (i, j) = (ij / n, ij % n);
                (0..n).map(|k| L[k * n + i] * L[k * n + j] / factor.inverse_diagonal()[k]).sum()
            })
            .collect();
        assert_close(&product, &M.to_dense(), 1e-13);
    }

    /// (4) against J times solves with Jᵀ, for a contact between two bodies.
    #[test]
    fn half_solves_give_the_delassus_matrix() {
        let model = random_trees(22, 16);
        let (q, v) = random_state(&model, 22);
        let (kin, _) = at(&model, &q, &v);
        let (n, M) = (model.nv(), mass_matrix(&model, &kin));
        let factor = factored(&model, &M);
        let (a, b) = (model.bodies.len() - 1, model.bodies.len() / 2);
        let mut chain: Vec<usize> = model.chain(Some(a)).chain(model.chain(Some(b))).collect();
        chain.sort_by(|i, j| j.cmp(i));
        chain.dedup();
        let (mut J_a, mut J_b) = (vec![vec3(0.0, 0.0, 0.0); n], vec![vec3(0.0, 0.0, 0.0); n]);
        crate::point_jacobian_into(&model, &kin, Some(a), vec3(0.1, 0.2, 0.3), &mut J_a);
        crate::point_jacobian_into(&model, &kin, Some(b), vec3(0.1, 0.2, 0.3), &mut J_b);
        let J: Vec<Vec<f64>> = (0..3).map(|k| (0..n).map(|i| J_b[i][k] - J_a[i][k]).collect()).collect();
        let half: Vec<Vec<f64>> = (J.iter())
            .map(|row| {
                let mut y = row.clone();
                factor.half_solve_chain_in_place(&chain, &mut y);
                y
            })
            .collect();
        for (J_r, Y_r) in J.iter().zip(&half) {
            let mut x = J_r.clone();
            factor.solve_in_place(&mut x);
            for (J_s, Y_s) in J.iter().zip(&half) {
                let G: f64 =
                    Y_r.iter().zip(Y_s).zip(factor.inverse_diagonal()).map(|((y, z), d)| y * z * d).sum();
                assert_close(&[G], &[dot(J_s, &x)], 1e-12);
            }
        }
    }

    #[test]
    fn packed_half_solve_is_the_half_solve() {
        let model = random_trees(23, 16);
        let (q, v) = random_state(&model, 23);
        let factor = factored(&model, &mass_matrix(&model, &at(&model, &q, &v).0));
        let tip = model.nv() - 1;
        let chain: Vec<usize> = factor.columns(tip).iter().map(|i| *i as usize).collect();
        let mut Y: Vec<Vec3> = chain.iter().map(|i| vec3(v[*i], -v[*i], 2.0 * v[*i])).collect();
        let mut y = vec![0.0; model.nv()];
        chain.iter().for_each(|i| y[*i] = v[*i]);
        factor.half_solve_packed_in_place(tip, &mut Y);
        factor.half_solve_chain_in_place(&chain, &mut y);
        for (Y, i) in Y.iter().zip(&chain) {
            assert_close(&Y.to_array(), &[y[*i], -y[*i], 2.0 * y[*i]], 1e-14);
        }
    }

    #[test]
    fn a_dof_without_inertia_is_named() {
        let model = double_pendulum(1.0, 1.0);
        let mut M = mass_matrix(&model, &at(&model, &[0.1, 0.2], &[0.0; 2]).0);
        M.add_diagonal(1, -1.0);
        assert_eq!(Factor::new(&model).factor(&M), Err(NotPositive { dof: 1, lanes: 1 }));
        M.add_diagonal(1, f64::NAN);
        assert_eq!(Factor::new(&model).factor(&M).map_err(|e| e.dof), Err(1));
    }
}
