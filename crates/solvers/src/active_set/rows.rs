//! Newton's equations by rows of unknowns, from the blocks of G, or where it is known by W, of one tree or
//! without blocks, from all of G: that is found once in a solve, of which equations are sums of few rows.

use super::patch::{self, Patch};
use super::piece::Piece;
use super::{KNOWN, Newton};
use crate::dense::{STRIP, add, whole_into, zeros};
use crate::trees::{Equation, knows_all};
use crate::view::View;
use std::ops::Range;
use stiction_contact::ConstraintProblem;
use stiction_dynamics::lanes;

impl Newton {
    /// False if the equations have no factors.
    pub(super) fn factor_rows(&mut self, view: &View, unknowns: usize) -> bool {
        let problem = view.problem;
        if knows_all(problem) && (problem.delassus_factor.trees() == 1 || !problem.blocks_formed()) {
            return self.factor_rows_of_thin(view, unknowns);
        }
        self.lu.clear(unknowns);
        for i in 0..self.pieces.len() {
            let range = problem.range(i);
            let dim = range.len();
            if range.clone().all(|row| self.unknown[row] == KNOWN) {
                continue;
            }
            if dim > 3 {
                let vectors = [&self.lambda[..], &self.c, &self.d_c];
                let Patch { left, own, .. } =
                    patch::equations(&self.pieces[i], view, i, vectors, self.regularisation);
                self.write(problem, i, &left, &own);
            } else {
                let Equation { left, own } = self.weights(view, i);
                self.write(problem, i, &left, &own);
            }
        }
        self.factor_written(view.tuning.newton.regular)
    }

    /// Factors the equations from all of G.
    fn factor_rows_of_thin(&mut self, view: &View, unknowns: usize) -> bool {
        let rows = view.problem.rows();
        self.lu.reserve(rows); // what is unknown now may be few of them
        self.lu.clear(unknowns);
        if self.whole.is_empty() {
            whole_into(view.problem, &mut self.columns, &mut self.whole);
        }
        lanes::plain(
            #[inline(always)]
            || self.write_all(view),
        );
        self.factor_written(view.tuning.newton.regular)
    }

    #[inline(always)]
    fn write_all(&mut self, view: &View) {
        let problem = view.problem;
        let rows = problem.rows();
        self.places.clear();
        self.places.reserve(rows);
        self.places.extend((0..rows).filter(|&row| self.unknown[row] != KNOWN));
        zeros(&mut self.packed, rows.next_multiple_of(STRIP));
        for i in 0..self.pieces.len() {
            let range = problem.range(i);
            if self.unknown[range.clone()].iter().all(|u| *u == KNOWN) {
                continue;
            }
            if range.len() > 3 {
                let vectors = [&self.lambda[..], &self.c, &self.d_c];
                let Patch { left, own, .. } =
                    patch::equations(&self.pieces[i], view, i, vectors, self.regularisation);
                self.write_of_whole(range, &left, &own);
            } else {
                let Equation { left, own } = self.weights(view, i);
                self.write_of_whole(range, &left, &own);
            }
        }
    }

    /// Writes the equations of one block from all of G.
    #[inline(always)]
    fn write_of_whole<const N: usize>(
        &mut self,
        range: Range<usize>,
        left: &[[f64; N]; N],
        own: &[[f64; N]; N],
    ) {
        let Self { whole, places, packed, lu, unknown, .. } = self;
        let stride = packed.len();
        for (k, row) in range.clone().enumerate().filter(|e| unknown[e.1] != KNOWN) {
            let out = lu.row_mut(unknown[row]);
            let mut terms = range.clone().zip(left[k]).filter(|t| t.1 != 0.0);
            let of = |row: usize| &whole[row * stride..][..stride];
            match (terms.next(), terms.next()) {
                (Some((row, 1.0)), None) => gather(of(row), places, out),
                (first, second) => {
                    packed.fill(0.0);
                    for (row, weight) in first.into_iter().chain(second).chain(terms) {
                        let sums = packed.as_chunks_mut::<STRIP>().0.iter_mut();
                        sums.zip(of(row).as_chunks().0).for_each(|(sum, x)| *sum = add(sum, weight, x));
                    }
                    gather(packed, places, out);
                }
            }
            for (column, own) in range.clone().zip(own[k]).filter(|e| unknown[e.0] != KNOWN) {
                out[unknown[column]] += own;
            }
        }
    }

    /// True if what has been written has factors.
    fn factor_written(&mut self, regular: f64) -> bool {
        let factored = self.lu.factor();
        self.regular = self.lu.least_pivot() > regular.max(10.0 * self.regularisation);
        factored
    }

    /// Writes the equations of block i into the system, where its rows are unknown.
    #[inline]
    fn write<const N: usize>(
        &mut self,
        problem: &ConstraintProblem,
        i: usize,
        left: &[[f64; N]; N],
        own: &[[f64; N]; N],
    ) {
        let (r, dim) = (problem.range(i).start, problem.range(i).len());
        let sticks = matches!(self.pieces[i], Piece::Stick);
        for k in 0..dim {
            let row = self.unknown[r + k];
            if row == KNOWN {
                continue;
            }
            let out = self.lu.row_mut(row);
            for entry in problem.blocks.entries(i) {
                let columns = problem.range(problem.blocks.column_of(entry));
                let g = problem.blocks.entry(entry);
                let width = columns.len();
                let first = self.unknown[columns.start];
                if sticks && first != KNOWN {
                    // Rows of a block are unknown together, or its last alone.
                    out[first..first + width].copy_from_slice(&g[k * width..(k + 1) * width]);
                    continue;
                }
                for (l, column) in columns.enumerate() {
                    let at = self.unknown[column];
                    if at != KNOWN {
                        out[at] += (0..dim).map(|m| left[k][m] * g[m * width + l]).sum::<f64>();
                    }
                }
            }
            for l in 0..dim {
                let at = self.unknown[r + l];
                if at != KNOWN {
                    out[at] += own[k][l];
                }
            }
        }
    }
}

/// The numbers at some places.
#[inline(always)]
fn gather(from: &[f64], places: &[usize], out: &mut [f64]) {
    out.iter_mut().zip(places).for_each(|(out, &at)| *out = from[at]);
}
