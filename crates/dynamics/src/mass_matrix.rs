//! The joint-space inertia matrix, stored along the tree.
//!
//! M_ij vanishes unless one of the dofs i, j is an ancestor of the other, and the matrix is
//! symmetric. Row i holds the entries of i and of its ancestors, towards the root, packed:
//!
//! ```text
//!     (i, i), (i, parent(i)), (i, parent(parent(i))), …                 (1)
//! ```
//!
//! nv + Σ depth numbers; the tail of row i lies over the rows of its ancestors entry by entry,
//! which makes the factorisation [`crate::Factor`] a matter of subtracting slices.

use crate::{Model, Real};
use std::ops::Range;

/// Where the entries of the packed rows are.
#[derive(Clone, Debug)]
pub(crate) struct Pattern {
    /// Row i is `start[i]..start[i + 1]`.
    start: Vec<usize>,
    /// The dof of every entry.
    columns: Vec<u32>,
}

impl Pattern {
    pub(crate) fn new<T>(model: &Model<T>) -> Self {
        let mut start = vec![0];
        let mut columns: Vec<u32> = Vec::new();
        for (i, dof) in model.dofs.iter().enumerate() {
            columns.push(i as u32);
            if let Some(p) = dof.parent {
                columns.extend_from_within(start[p]..start[p + 1]);
            }
            start.push(columns.len());
        }
        Self { start, columns }
    }

    /// The place of (i, i).
    #[inline(always)]
    pub(crate) fn start(&self, i: usize) -> usize {
        self.start[i]
    }

    #[inline(always)]
    pub(crate) fn row(&self, i: usize) -> Range<usize> {
        self.start[i]..self.start[i + 1]
    }

    #[inline(always)]
    pub(crate) fn columns(&self, i: usize) -> &[u32] {
        &self.columns[self.row(i)]
    }

    /// Rows.
    #[inline(always)]
    pub(crate) fn size(&self) -> usize {
        self.start.len() - 1
    }

    /// Stored entries.
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.columns.len()
    }
}

/// M(q), packed as (1).
#[derive(Clone, Debug)]
pub struct MassMatrix<T = f64> {
    pub(crate) pattern: Pattern,
    pub(crate) entries: Vec<T>,
}

impl<T: Real> MassMatrix<T> {
    /// All zero, with the pattern of `model`.
    pub fn new(model: &Model<T>) -> Self {
        let pattern = Pattern::new(model);
        let entries = vec![model.kind(); pattern.len()];
        Self { pattern, entries }
    }

    /// Number of rows, nv.
    #[inline(always)]
    pub fn size(&self) -> usize {
        self.pattern.size()
    }

    /// (i, i), (i, parent(i)), …
    #[inline(always)]
    pub fn row(&self, i: usize) -> &[T] {
        &self.entries[self.pattern.row(i)]
    }

    /// The dofs of the entries of [`Self::row`]: i, parent(i), …
    #[inline(always)]
    pub fn columns(&self, i: usize) -> &[u32] {
        self.pattern.columns(i)
    }

    /// M_ii += x.
    #[inline(always)]
    pub fn add_diagonal(&mut self, i: usize, x: T) {
        self.entries[self.pattern.start(i)] += x;
    }

    /// The full matrix by rows, nv × nv.
    pub fn to_dense(&self) -> Vec<T> {
        let n = self.size();
        let Some(first) = self.entries.first() else { return Vec::new() };
        let mut dense = vec![first.zero(); n * n];
        for i in 0..n {
            for (x, j) in self.row(i).iter().zip(self.columns(i)) {
                dense[i * n + *j as usize] = *x;
                dense[*j as usize * n + i] = *x;
            }
        }
        dense
    }

    /// y = M x.
    #[inline(always)]
    pub fn mul_into(&self, x: &[T], y: &mut [T]) {
        assert_eq!((x.len(), y.len()), (self.size(), self.size()), "x and y have nv entries");
        for i in 0..x.len() {
            let (row, columns) = (self.row(i), self.columns(i));
            let (x_i, mut y_i) = (x[i], row[0] * x[i]);
            for (m, j) in row[1..].iter().zip(&columns[1..]) {
                let j = *j as usize;
                y_i += *m * x[j];
                y[j] += *m * x_i;
            }
            y[i] = y_i;
        }
    }
}
