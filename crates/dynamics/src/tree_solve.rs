//! M⁻¹ X for matrices X of one column per dof, with the factors of M on the tree.
//!
//! M⁻¹ = L⁻¹ D⁻¹ L⁻ᵀ; in place, for the rows x_i, with j running over the ancestors of i,
//!
//! ```text
//!     L⁻ᵀ:       x_j −= L_ij x_i                    tip to base         (1)
//!     L⁻¹ D⁻¹:   x_i = x_i / D_i − Σ_j L_ij x_j     base to tip         (2)
//! ```
//!
//! Several matrices stand side by side, each filled up to blocks of four columns; a few blocks at
//! a time stay in registers. Where X has the pattern of the tree, (1) keeps it and walks these
//! columns only; (2) fills the columns of the tree.

use crate::factor::Factor;
use crate::mass_matrix::Pattern;
use crate::model::{JointKind, Model};
use crate::real::Real;
use std::ops::Range;

/// Columns per block.
const BLOCK: usize = 4;

/// The columns of a matrix that may differ from zero.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Columns {
    /// Columns of the dofs that the dof of the row moves, as in a unit matrix that (1) works on.
    Moved,
    /// These, and those that move it, but not the translations of a free root.
    Chain,
}

/// Matrices side by side, and where to look in them.
#[derive(Clone, Debug)]
pub(crate) struct TreeSolver<T> {
    nv: usize,
    /// Numbers per row of one matrix, and of all.
    width: usize,
    stride: usize,
    rows: Vec<T>,
    /// For (1) and for (2).
    sparse: Runs,
    full: Runs,
}

/// Columns to walk, in whole blocks, per row.
#[derive(Clone, Debug)]
struct Runs {
    runs: Vec<Range<usize>>,
    /// Per row: its entries in `runs`.
    rows: Vec<Range<usize>>,
}

impl<T: Real> TreeSolver<T> {
    /// For as many matrices as `columns` has entries.
    pub(crate) fn new(model: &Model<T>, columns: &[Columns]) -> Self {
        let (nv, pattern) = (model.nv(), Pattern::new(model));
        let width = nv.next_multiple_of(BLOCK);
        let stride = columns.len() * width;
        let tree = |i: usize| model.bodies[model.dofs[i].body].tree;
        let above = |i: usize, j: usize| pattern.columns(i).contains(&(j as u32));
        let sparse = |i: usize, k: usize| {
            let j = k % width;
            let chain = matches!(columns[k / width], Columns::Chain);
            j < nv && (above(j, i) || (chain && above(i, j))) && !(chain && is_free_translation(model, j))
        };
        let full = |i: usize, k: usize| k % width < nv && tree(i) == tree(k % width);
        Self {
            nv,
            width,
            stride,
            rows: vec![model.kind(); nv * stride],
            sparse: Runs::new(nv, stride, sparse),
            full: Runs::new(nv, stride, full),
        }
    }

    /// Matrix number `k` is −X, by rows.
    #[inline(always)]
    pub(crate) fn set_negative(&mut self, k: usize, X: &[T]) {
        assert_eq!(X.len(), self.nv * self.nv, "X is nv × nv");
        for i in 0..self.nv {
            let row = &mut self.rows[i * self.stride + k * self.width..][..self.nv];
            for (x, X) in row.iter_mut().zip(&X[i * self.nv..][..self.nv]) {
                *x = -*X;
            }
        }
    }

    /// Matrix number `k` is 1.
    #[inline(always)]
    pub(crate) fn set_identity(&mut self, k: usize) {
        for i in 0..self.nv {
            let row = &mut self.rows[i * self.stride + k * self.width..][..self.nv];
            for x in row.iter_mut() {
                *x = x.zero();
            }
            row[i] = row[i].one();
        }
    }

    /// Reads matrix number `k`.
    #[inline(always)]
    pub(crate) fn read_into(&self, k: usize, X: &mut [T]) {
        assert_eq!(X.len(), self.nv * self.nv, "X is nv × nv");
        for i in 0..self.nv {
            let row = &self.rows[i * self.stride + k * self.width..][..self.nv];
            X[i * self.nv..][..self.nv].copy_from_slice(row);
        }
    }

    /// (1), (2) for all matrices.
    #[inline(always)]
    pub(crate) fn solve(&mut self, factor: &Factor<T>) {
        assert_eq!(factor.inverse_diagonal().len(), self.nv, "the factors belong to this model");
        for i in (0..self.nv).rev() {
            for run in &self.sparse.runs[self.sparse.rows[i].clone()] {
                let mut start = run.start;
                while start + 2 * BLOCK <= run.end {
                    spread::<T, { 2 * BLOCK }>(&mut self.rows, self.stride, factor, i, start);
                    start += 2 * BLOCK;
                }
                if start < run.end {
                    spread::<T, BLOCK>(&mut self.rows, self.stride, factor, i, start);
                }
            }
        }
        for i in 0..self.nv {
            for run in &self.full.runs[self.full.rows[i].clone()] {
                let mut start = run.start;
                // As many plain numbers as there are registers for.
                while T::LANES == 1 && start + 4 * BLOCK <= run.end {
                    gather::<T, { 4 * BLOCK }>(&mut self.rows, self.stride, factor, i, start);
                    start += 4 * BLOCK;
                }
                while start + 2 * BLOCK <= run.end {
                    gather::<T, { 2 * BLOCK }>(&mut self.rows, self.stride, factor, i, start);
                    start += 2 * BLOCK;
                }
                if start < run.end {
                    gather::<T, BLOCK>(&mut self.rows, self.stride, factor, i, start);
                }
            }
        }
    }
}

/// (1) on the W columns from `start`.
#[inline(always)]
fn spread<T: Real, const W: usize>(
    rows: &mut [T],
    stride: usize,
    factor: &Factor<T>,
    i: usize,
    start: usize,
) {
    let (above, x_i) = rows.split_at_mut(i * stride);
    let x_i = read::<T, W>(x_i, start);
    for (L_ij, j) in factor.row(i)[1..].iter().zip(&factor.columns(i)[1..]) {
        let (L_ij, at) = (*L_ij, *j as usize * stride + start);
        let mut x_j = read::<T, W>(above, at);
        for w in 0..W {
            x_j[w] -= L_ij * x_i[w];
        }
        above[at..at + W].copy_from_slice(&x_j);
    }
}

/// (2) on the W columns from `start`.
#[inline(always)]
fn gather<T: Real, const W: usize>(
    rows: &mut [T],
    stride: usize,
    factor: &Factor<T>,
    i: usize,
    start: usize,
) {
    let (above, x_i) = rows.split_at_mut(i * stride);
    let mut sum = read::<T, W>(x_i, start);
    for x in &mut sum {
        *x *= factor.inverse_diagonal()[i];
    }
    for (L_ij, j) in factor.row(i)[1..].iter().zip(&factor.columns(i)[1..]) {
        let at = *j as usize * stride + start;
        let x_j = &above[at..at + W];
        for w in 0..W {
            sum[w] -= *L_ij * x_j[w];
        }
    }
    x_i[start..start + W].copy_from_slice(&sum);
}

#[inline(always)]
fn read<T: Real, const W: usize>(x: &[T], at: usize) -> [T; W] {
    let x = &x[at..at + W];
    let mut block = [x[0]; W];
    block.copy_from_slice(x);
    block
}

impl Runs {
    /// Runs of the blocks with a column that `holds`.
    fn new(nv: usize, stride: usize, holds: impl Fn(usize, usize) -> bool) -> Self {
        let (mut runs, mut rows): (Vec<Range<usize>>, Vec<Range<usize>>) = (Vec::new(), Vec::new());
        for i in 0..nv {
            let first = runs.len();
            for start in (0..stride).step_by(BLOCK) {
                if (start..start + BLOCK).any(|k| holds(i, k)) {
                    match runs[first..].last_mut() {
                        Some(run) if run.end == start => run.end = start + BLOCK,
                        _ => runs.push(start..start + BLOCK),
                    }
                }
            }
            rows.push(first..runs.len());
        }
        Self { runs, rows }
    }
}

fn is_free_translation<T>(model: &Model<T>, i: usize) -> bool {
    let joint = &model.joints[model.dofs[i].joint];
    joint.kind == JointKind::Free && i < joint.idx_v + 3
}
