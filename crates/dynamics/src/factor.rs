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

use crate::mass_matrix::{Pattern, TRUNK};
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
        let pattern = Pattern::in_blocks(model, Pattern::block::<T>());
        let (one, entries) = (model.kind().one(), vec![model.kind(); pattern.len()]);
        Self { inverse_diagonal: vec![one; pattern.size()], entries, pattern }
    }

    /// (1), (2). On error the failed lanes hold no solution; the others do.
    #[inline(always)]
    pub fn factor(&mut self, M: &MassMatrix<T>) -> Result<(), NotPositive> {
        self.entries.copy_from_slice(&M.entries);
        let mut failed = None;
        let mut i = self.pattern.size();
        while i > 0 {
            i -= 1;
            if self.pattern.place(i).follows {
                self.eliminate_two(i, &mut failed);
                i -= 1;
            } else {
                self.eliminate(i, &mut failed);
            }
        }
        failed.map_or(Ok(()), Err)
    }

    /// (1), (2) for dof i.
    #[inline(always)]
    fn eliminate(&mut self, i: usize, failed: &mut Option<NotPositive>) {
        let place = self.pattern.place(i);
        let (above, rest) = self.entries.split_at_mut(place.begin);
        let row_i = &mut rest[..place.end - place.begin];
        let mut at = place.start - place.begin;
        let inverse = inverse_pivot(row_i[at], i, failed);
        self.inverse_diagonal[i] = inverse;
        // Row j = (j, j), (j, parent(j)), … lies over the tail of row i from its entry (i, j).
        for j in self.pattern.branch(i) {
            at += 1;
            let row_j = self.pattern.place(*j as usize);
            let row_j = &mut above[row_j.begin..row_j.end];
            let L_ij = row_i[at] * inverse; // (1)
            subtract(row_j, &row_i[row_i.len() - row_j.len()..], L_ij); // (2)
            row_i[at] = L_ij;
        }
        if place.trunk {
            eliminate_trunk(row_i, &mut above[self.pattern.trunk(i).begin..], inverse);
        }
    }

    /// (1), (2) for i and then its parent i − 1: rows further up are visited once for both.
    #[inline(always)]
    fn eliminate_two(&mut self, i: usize, failed: &mut Option<NotPositive>) {
        let (place, parent) = (self.pattern.place(i), self.pattern.place(i - 1));
        let (above, rest) = self.entries.split_at_mut(parent.begin);
        let (row_p, rest) = rest.split_at_mut(parent.end - parent.begin);
        let row_i = &mut rest[..place.end - place.begin];
        let (mut at_i, mut at_p) = (place.start - place.begin + 1, parent.start - parent.begin);
        let inverse_i = inverse_pivot(row_i[at_i - 1], i, failed);
        let L_ip = row_i[at_i] * inverse_i;
        subtract(row_p, &row_i[row_i.len() - row_p.len()..], L_ip);
        row_i[at_i] = L_ip;
        let inverse_p = inverse_pivot(row_p[at_p], i - 1, failed);
        (self.inverse_diagonal[i], self.inverse_diagonal[i - 1]) = (inverse_i, inverse_p);
        for j in self.pattern.branch(i - 1) {
            (at_i, at_p) = (at_i + 1, at_p + 1);
            let row_j = self.pattern.place(*j as usize);
            let row_j = &mut above[row_j.begin..row_j.end];
            let (L_ij, L_pj) = (row_i[at_i] * inverse_i, row_p[at_p] * inverse_p);
            let n = row_j.len();
            subtract_two(row_j, [&row_i[row_i.len() - n..], &row_p[row_p.len() - n..]], [L_ij, L_pj]);
            (row_i[at_i], row_p[at_p]) = (L_ij, L_pj);
        }
        if place.trunk {
            let root = &mut above[self.pattern.trunk(i).begin..];
            eliminate_trunk(row_i, root, inverse_i);
            eliminate_trunk(row_p, root, inverse_p);
        }
    }

    /// x ← M⁻¹ x, by (3).
    #[inline(always)]
    pub fn solve_in_place(&self, x: &mut [T]) {
        assert_eq!(x.len(), self.pattern.size(), "x has nv entries");
        for i in (0..x.len()).rev() {
            let (row, branch, x_i) = (self.row(i), self.pattern.branch(i), x[i]);
            for (L_ij, j) in row[1..].iter().zip(branch) {
                x[*j as usize] -= *L_ij * x_i;
            }
            if self.pattern.place(i).trunk {
                let (L, x_root) = (last_six(row), &mut x[self.pattern.root(i)..][..TRUNK]);
                for k in 0..TRUNK {
                    x_root[TRUNK - 1 - k] -= L[k] * x_i;
                }
            }
        }
        for (x, d) in x.iter_mut().zip(&self.inverse_diagonal) {
            *x *= *d;
        }
        // From the root on: what was found last comes last into the sum.
        for i in 0..x.len() {
            let (row, branch, mut x_i) = (self.row(i), self.pattern.branch(i), x[i]);
            if self.pattern.place(i).trunk {
                let (L, y) = (last_six(row), &x[self.pattern.root(i)..][..TRUNK]);
                let (a, b) = (L[5] * y[0] + L[4] * y[1], L[3] * y[2] + L[2] * y[3]);
                x_i -= a + b + (L[1] * y[4] + L[0] * y[5]);
            }
            for (L_ij, j) in row[1..branch.len() + 1].iter().zip(branch).rev() {
                x_i -= *L_ij * x[*j as usize];
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

#[inline(always)]
fn last_six<T>(row: &[T]) -> &[T] {
    let at = row.len() - TRUNK;
    &row[at..at + TRUNK]
}

/// 1/D of dof i; a D that is not positive is noted.
#[inline(always)]
fn inverse_pivot<T: Real>(D: T, i: usize, failed: &mut Option<NotPositive>) -> T {
    if !T::all(D.zero().less(D)) {
        let lanes = lanes_not_positive(D);
        failed.get_or_insert(NotPositive { dof: i, lanes }).lanes |= lanes;
    }
    D.one() / D
}

/// x −= s y. Of plain numbers the lengths are multiples of four, most of them small.
#[inline(always)]
fn subtract<T: Real>(x: &mut [T], y: &[T], s: T) {
    if T::LANES > 1 {
        for (x, y) in x.iter_mut().zip(y) {
            *x -= s * *y;
        }
        return;
    }
    match x.len() {
        4 => subtract_block::<T, 4>(x, y, s),
        8 => subtract_block::<T, 8>(x, y, s),
        12 => subtract_block::<T, 12>(x, y, s),
        _ => {
            for (x, y) in x.chunks_exact_mut(4).zip(y.chunks_exact(4)) {
                subtract_block::<T, 4>(x, y, s);
            }
        }
    }
}

#[inline(always)]
fn subtract_block<T: Real, const N: usize>(x: &mut [T], y: &[T], s: T) {
    if let (Some(x), Some(y)) = (x.first_chunk_mut::<N>(), y.first_chunk::<N>()) {
        let mut difference = *x;
        for k in 0..N {
            difference[k] -= s * y[k];
        }
        *x = difference;
    }
}

/// x −= s y, x −= t z, in one pass.
#[inline(always)]
fn subtract_two<T: Real>(x: &mut [T], [y, z]: [&[T]; 2], [s, t]: [T; 2]) {
    if T::LANES > 1 {
        for ((x, y), z) in x.iter_mut().zip(y).zip(z) {
            *x = *x - s * *y - t * *z;
        }
        return;
    }
    match x.len() {
        4 => subtract_two_blocks::<T, 4>(x, [y, z], [s, t]),
        8 => subtract_two_blocks::<T, 8>(x, [y, z], [s, t]),
        _ => {
            let y_z = y.chunks_exact(4).zip(z.chunks_exact(4));
            for (x, (y, z)) in x.chunks_exact_mut(4).zip(y_z) {
                subtract_two_blocks::<T, 4>(x, [y, z], [s, t]);
            }
        }
    }
}

#[inline(always)]
fn subtract_two_blocks<T: Real, const N: usize>(x: &mut [T], [y, z]: [&[T]; 2], [s, t]: [T; 2]) {
    if let (Some(x), Some(y), Some(z)) =
        (x.first_chunk_mut::<N>(), y.first_chunk::<N>(), z.first_chunk::<N>())
    {
        let mut difference = *x;
        for k in 0..N {
            difference[k] = difference[k] - s * y[k] - t * z[k];
        }
        *x = difference;
    }
}

/// (1) and (2) for the last six entries of `row_i`, over the rows of the free root, which begin at
/// `rows`: row k has k + 1 entries, after the zeros that make blocks.
#[inline(always)]
fn eliminate_trunk<T: Real>(row_i: &mut [T], rows: &mut [T], inverse: T) {
    let ends = if T::LANES > 1 { [1, 3, 6, 10, 15, 21] } else { [4, 8, 12, 16, 24, 32] };
    let (rows, at) = (&mut rows[..ends[TRUNK - 1]], row_i.len() - TRUNK);
    let row_i = &mut row_i[at..at + TRUNK];
    // Copies, of which the compiler knows that they lie nowhere else.
    let (mut M_i, mut L_i) = ([inverse; TRUNK], [inverse; TRUNK]);
    M_i.copy_from_slice(row_i);
    for k in 0..TRUNK {
        L_i[k] = M_i[k] * inverse;
    }
    row_i.copy_from_slice(&L_i);
    for j in 0..TRUNK {
        let L_ij = L_i[TRUNK - 1 - j];
        let row_j = &mut rows[ends[j] - 1 - j..ends[j]];
        let mut entries = M_i;
        for k in 0..=j {
            entries[k] = row_j[k] - L_ij * M_i[TRUNK - 1 - j + k];
        }
        row_j.copy_from_slice(&entries[..=j]);
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
