//! What a step is differentiated by, and matrices with a column for each.

use super::{Linearization, LinearizationNote};
use crate::report::StepReport;
use crate::state::State;
use nalgebra::DMatrix;
use std::ops::Range;
use stiction_dynamics::Factor;

/// The columns of every matrix of a linearization: tangent coordinates of q, then v, then the controls, then
/// parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Columns {
    pub(super) nv: usize,
    pub(super) nu: usize,
    pub(super) np: usize,
}

impl Columns {
    /// The column of the tangent coordinate `dof` of q.
    pub(super) fn q(self, dof: usize) -> usize {
        dof
    }

    /// The column of velocity `dof`.
    pub(super) fn v(self, dof: usize) -> usize {
        self.nv + dof
    }

    /// The column of control `i`.
    pub(super) fn u(self, i: usize) -> usize {
        2 * self.nv + i
    }

    /// The column of parameter `i`.
    pub(super) fn p(self, i: usize) -> usize {
        2 * self.nv + self.nu + i
    }

    /// The number of columns.
    pub(super) fn count(self) -> usize {
        2 * self.nv + self.nu + self.np
    }

    /// A matrix of zeros with so many rows.
    pub(super) fn zeros(self, rows: usize) -> DMatrix<f64> {
        DMatrix::zeros(rows, self.count())
    }
}

/// The derivatives of a step: of its end, (q⁺, v⁺), and of its impulses, a column for each of [`Columns`].
pub(crate) struct Derivative {
    pub(super) columns: Columns,
    pub(super) end: DMatrix<f64>,
    pub(super) dlambda: DMatrix<f64>,
    pub(super) notes: Vec<LinearizationNote>,
}

impl Derivative {
    /// The linearization of the step, which led to `next`.
    pub(super) fn linearization(self, report: StepReport, next: State) -> Linearization {
        let Self { columns, end, dlambda, notes } = self;
        let Columns { nv, nu, .. } = columns;
        let (n, all) = (2 * nv, columns.count());
        Linearization {
            nv,
            nu,
            a: row_major(&end, 0..n),
            b: row_major(&end, n..n + nu),
            c: row_major(&end, n + nu..all),
            dlambda: row_major(&dlambda, 0..n + nu),
            dlambda_dparameters: row_major(&dlambda, n + nu..all),
            notes,
            report,
            next,
        }
    }
}

/// The solutions x of M̂ x = `right`, in its place.
pub(super) fn solve(factor: &Factor, right: &mut DMatrix<f64>) {
    let rows = right.nrows();
    right.as_mut_slice().chunks_exact_mut(rows.max(1)).for_each(|column| factor.solve_in_place(column));
}

/// Row by row, the columns `of` of a matrix.
fn row_major(matrix: &DMatrix<f64>, of: Range<usize>) -> Vec<f64> {
    let mut out = Vec::with_capacity(matrix.nrows() * of.len());
    for i in 0..matrix.nrows() {
        out.extend(of.clone().map(|j| matrix[(i, j)]));
    }
    out
}
