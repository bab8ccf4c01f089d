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

mod panel;

use crate::mass_matrix::MassMatrix;
use crate::mass_matrix::{Panels, Pattern, TRUNK};
use crate::model::Model;
use crate::real::Real;
use crate::spatial::{Vec3, vec3};
use panel::{eliminate, gather, pivot, spread};
use std::ops::Range;

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
    /// Panels of the rows that are selected, and where their entries are.
    panels: Panels,
    selected: Vec<Range<usize>>,
    /// Packed as M; the diagonal entries hold D.
    entries: Vec<T>,
    /// 1/D_i.
    inverse_diagonal: Vec<T>,
}

impl<T: Real> Factor<T> {
    /// Memory with the pattern of `model`; [`Self::update`] factors a matrix.
    pub fn new(model: &Model<T>) -> Self {
        let pattern = Pattern::in_blocks(model, Pattern::block::<T>());
        let (one, entries) = (model.kind().one(), vec![model.kind(); pattern.len()]);
        let (panels, selected) = (pattern.panels.clone(), std::iter::once(0..entries.len()).collect());
        Self { inverse_diagonal: vec![one; pattern.size()], panels, selected, entries, pattern }
    }

    /// The dofs of which M is factored and solved with from now on, at first all: those of whole trees, as
    /// [`crate::Poses::selected_dofs`]. Others keep the factors they have, and solves leave their numbers as they are.
    /// Allocates the first time only.
    pub fn select(&mut self, dofs: &[Range<usize>]) {
        let Self { pattern, panels, selected, .. } = self;
        panels.set_to(&pattern.panels, |tip| {
            dofs[..dofs.partition_point(|r| r.start <= tip)].last().is_some_and(|r| r.contains(&tip))
        });
        let places = pattern.places();
        let end = |dofs: usize| if dofs == 0 { 0 } else { places[dofs - 1].end };
        selected.clear();
        selected.reserve(places.len());
        selected.extend(dofs.iter().map(|r| end(r.start)..end(r.end)));
    }

    /// (1), (2). On error the failed lanes hold no solution; the others do.
    #[inline(always)]
    pub fn factor(&mut self, M: &MassMatrix<T>) -> Result<(), NotPositive> {
        assert_eq!(self.entries.len(), M.entries.len(), "the factors and M belong to one model");
        // In pieces: the library is slow to start on long ones.
        for range in &self.selected {
            let (entries, M) = (&mut self.entries[range.clone()], &M.entries[range.clone()]);
            for (entries, M) in entries.chunks_mut(128).zip(M.chunks(128)) {
                entries.copy_from_slice(M);
            }
        }
        let mut failed = None;
        let (rows, inverse) = (&mut self.entries[..], &mut self.inverse_diagonal[..]);
        for level in self.panels.levels() {
            // First all pivots, whose divisions take long: they overlap.
            for panel in level {
                match panel.count {
                    1 => pivot::<T, 1>(panel, rows, inverse, &mut failed),
                    2 => pivot::<T, 2>(panel, rows, inverse, &mut failed),
                    3 => pivot::<T, 3>(panel, rows, inverse, &mut failed),
                    4 => pivot::<T, 4>(panel, rows, inverse, &mut failed),
                    5 => pivot::<T, 5>(panel, rows, inverse, &mut failed),
                    6 => pivot::<T, 6>(panel, rows, inverse, &mut failed),
                    _ => pivot::<T, 7>(panel, rows, inverse, &mut failed),
                }
            }
            for panel in level.iter().filter(|panel| panel.common > 0) {
                match panel.count {
                    1 => eliminate::<T, 1>(&self.pattern, panel, rows, inverse),
                    2 => eliminate::<T, 2>(&self.pattern, panel, rows, inverse),
                    3 => eliminate::<T, 3>(&self.pattern, panel, rows, inverse),
                    _ => eliminate::<T, 4>(&self.pattern, panel, rows, inverse),
                }
            }
        }
        failed.map_or(Ok(()), Err)
    }

    /// x ← M⁻¹ x, by (3).
    #[inline(always)]
    pub fn solve_in_place(&self, x: &mut [T]) {
        assert_eq!(x.len(), self.pattern.size(), "x has nv entries");
        let (pattern, rows, inverse) = (&self.pattern, &self.entries, &self.inverse_diagonal);
        for panel in self.panels.all() {
            match panel.count {
                1 => spread::<T, 1>(pattern, panel, rows, inverse, x),
                2 => spread::<T, 2>(pattern, panel, rows, inverse, x),
                3 => spread::<T, 3>(pattern, panel, rows, inverse, x),
                4 => spread::<T, 4>(pattern, panel, rows, inverse, x),
                5 => spread::<T, 5>(pattern, panel, rows, inverse, x),
                6 => spread::<T, 6>(pattern, panel, rows, inverse, x),
                _ => spread::<T, 7>(pattern, panel, rows, inverse, x),
            }
        }
        for panel in self.panels.all().iter().rev() {
            match panel.count {
                1 => gather::<T, 1>(pattern, panel, rows, x),
                2 => gather::<T, 2>(pattern, panel, rows, x),
                3 => gather::<T, 3>(pattern, panel, rows, x),
                4 => gather::<T, 4>(pattern, panel, rows, x),
                5 => gather::<T, 5>(pattern, panel, rows, x),
                6 => gather::<T, 6>(pattern, panel, rows, x),
                _ => gather::<T, 7>(pattern, panel, rows, x),
            }
        }
    }

    /// x ← L⁻ᵀ x, where x (length nv) is zero but on `chain`: dofs in descending order, with
    /// every dof its parents, such as [`Model::chain`] or the union of two. Touches the chain only.
    #[inline(always)]
    pub fn half_solve_chain_in_place(&self, chain: &[usize], x: &mut [T]) {
        for i in chain {
            let (row, columns, x_i) = (self.row(*i), self.columns(*i), x[*i]);
            for (L_ij, j) in row[1..].iter().zip(&columns[1..]) {
                x[*j as usize] -= *L_ij * x_i;
            }
        }
    }

    /// Y ← D^-½ L⁻ᵀ Y for three right-hand sides at once, packed along the chain of `tip`: `Y[t]` belongs
    /// to dof `self.columns(tip)[t]`. `scale` is D^-½, per dof. The fast path to (4): no index but the row's own.
    #[inline(always)]
    pub fn half_solve_packed_in_place(&self, tip: usize, scale: &[T], Y: &mut [Vec3<T>]) {
        let chain = self.columns(tip);
        assert_eq!(Y.len(), chain.len(), "one entry per dof of the chain");
        let root = chain.last().map(|i| *i as usize).filter(|i| self.pattern.place(*i).free);
        let Some((root, (branch, trunk))) = root.zip(Y.split_last_chunk_mut::<TRUNK>()) else {
            for (t, i) in chain.iter().enumerate() {
                let (head, tail) = Y.split_at_mut(t + 1);
                for (y, L_ij) in tail.iter_mut().zip(&self.row(*i as usize)[1..]) {
                    *y -= head[t] * *L_ij;
                }
                head[t] = head[t] * scale[*i as usize];
            }
            return;
        };
        let mut y = lanes_of(trunk);
        for (t, i) in chain[..branch.len()].iter().enumerate() {
            let (head, tail) = branch.split_at_mut(t + 1);
            let Some((row, L)) = self.row(*i as usize)[1..].split_last_chunk::<TRUNK>() else { return };
            for (y, L_ij) in tail.iter_mut().zip(row) {
                *y -= head[t] * *L_ij;
            }
            let y_i = [head[t].x, head[t].y, head[t].z, head[t].x.zero()];
            for j in 0..TRUNK {
                subtract_scaled(&mut y[j], y_i, L[j]);
            }
            head[t] = head[t] * scale[*i as usize];
        }
        self.trunk(root, scale).finish(&mut y);
        for (trunk, y) in trunk.iter_mut().zip(y) {
            *trunk = vec3(y[0], y[1], y[2]);
        }
    }

    /// Part of the factor that half solves read of the free root whose first dof is `root`.
    #[inline(always)]
    fn trunk(&self, root: usize, scale: &[T]) -> Trunk<T> {
        let mut trunk = Trunk::new(scale[root]);
        self.trunk_into(root, scale, &mut trunk);
        trunk
    }

    /// Writes the part of the factor that half solves read of the free root whose first dof is `root`.
    #[inline(always)]
    pub fn trunk_into(&self, root: usize, scale: &[T], trunk: &mut Trunk<T>) {
        // The rows of the trunk end in one square, equally far apart.
        let places = &self.pattern.places()[root..][..TRUNK];
        let (square, stride) = (&self.entries[places[0].end - TRUNK..], places[1].end - places[0].end);
        let scale = &scale[root..][..TRUNK];
        for (t, L) in trunk.L.iter_mut().enumerate() {
            L.copy_from_slice(&square[(TRUNK - 1 - t) * stride..][..TRUNK]);
            trunk.scale[t] = scale[TRUNK - 1 - t];
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
}

/// The six dofs of a free root, from the last to the first: the end of every half solve in its tree, laid out for many.
#[derive(Clone, Copy, Debug)]
pub struct Trunk<T = f64> {
    /// Row t holds the L_tj, j > t, at j.
    L: [[T; TRUNK]; TRUNK],
    /// D^-½.
    scale: [T; TRUNK],
}

impl<T: Real> Trunk<T> {
    /// Memory of the kind of scalar that `one` is; [`Factor::trunk_into`] fills it.
    pub fn new(one: T) -> Self {
        Self { L: [[one; TRUNK]; TRUNK], scale: [one; TRUNK] }
    }

    /// D^-½ L⁻ᵀ Y of what moves by these dofs alone.
    #[inline(always)]
    pub fn half_solve(&self, Y: &[Vec3<T>; TRUNK]) -> [Vec3<T>; TRUNK] {
        let mut y = lanes_of(Y);
        self.finish(&mut y);
        let mut out = *Y;
        for (out, y) in out.iter_mut().zip(y) {
            *out = vec3(y[0], y[1], y[2]);
        }
        out
    }

    #[inline(always)]
    fn finish(&self, y: &mut [[T; 4]; TRUNK]) {
        for t in 0..TRUNK {
            let (L, y_t) = (&self.L[t], y[t]);
            for j in t + 1..TRUNK {
                subtract_scaled(&mut y[j], y_t, L[j]);
            }
        }
        for (y, scale) in y.iter_mut().zip(self.scale) {
            for y in y {
                *y *= scale;
            }
        }
    }
}

/// Three components and a zero per row, as registers of four numbers hold them.
#[inline(always)]
fn lanes_of<T: Real>(Y: &[Vec3<T>; TRUNK]) -> [[T; 4]; TRUNK] {
    let zero = Y[0].x.zero();
    let mut y = [[zero; 4]; TRUNK];
    for (y, Y) in y.iter_mut().zip(Y) {
        *y = [Y.x, Y.y, Y.z, zero];
    }
    y
}

/// y −= x a.
#[inline(always)]
fn subtract_scaled<T: Real>(y: &mut [T; 4], x: [T; 4], a: T) {
    for k in 0..4 {
        y[k] -= x[k] * a;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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

    /// LᵀDL, multiplied out densely, is M; also where a panel has more ancestors than registers, and on arms with
    /// hands of two and of three fingers.
    #[test]
    fn factors_multiply_to_the_matrix() {
        for model in [random_trees(21, 16), chain(26, 0), chain(6, 2), chain(7, 2), chain(7, 3), chain(8, 2)]
        {
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
            let mut x = vec![0.0; n];
            M.mul_into(&v, &mut x);
            factor.solve_in_place(&mut x);
            assert_close(&x, &v, 1e-9);
        }
    }

    /// Hinges in a row, and fingers of one to three at its end.
    fn chain(length: usize, fingers: usize) -> Model {
        let mut b = crate::ModelBuilder::new();
        let (mut parent, mut palm) = (None, None);
        let phalanges = (1..=fingers).flat_map(|finger| (0..finger).map(|k| k == 0));
        for (k, on_palm) in (0..length).map(|_| false).chain(phalanges).enumerate() {
            if k == length {
                palm = parent;
            }
            parent = if on_palm { palm } else { parent };
            let inertia = crate::spatial::Inertia::new(1.0, vec3(0.0, 0.1, -0.2), crate::spatial::Sym3::ZERO);
            let X_PL = crate::spatial::Pose::from_translation(vec3(0.1, 0.0, -0.4));
            let link = b.link(format!("link{k}"), parent, X_PL, inertia);
            let mut hinge = crate::JointSpec::new(
                format!("hinge{k}"),
                crate::JointKind::Hinge,
                [Vec3::X, Vec3::Y][k % 2],
            );
            hinge.armature = 0.1;
            b.joint(link, hinge);
            parent = Some(link);
        }
        b.build(Vec3::ZERO).expect("the chain is sound")
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
        factor.half_solve_packed_in_place(tip, &vec![1.0; model.nv()], &mut Y);
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
