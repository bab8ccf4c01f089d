//! Newton's equations by rows of unknowns, from the blocks of G, or where it is known by W of one tree, G = W Wᵀ:
//!
//! ```text
//!     (leftᵢ Gᵢ)_u = Σ_d leftᵢ wᵢ(d) w_u(d)      over the coordinates d that block i reaches        (1)
//! ```
//!
//! For that Wᵀ of the unknown rows lies by coordinates, four numbers at a time.

use super::patch::{self, Patch};
use super::{KNOWN, Newton, Piece, REGULAR};
use crate::finish::View;
use crate::trees::{Equation, knows_factor};
use stiction_contact::ConstraintProblem;
use stiction_dynamics::lanes;

impl Newton {
    /// False if the equations have no factors.
    pub(super) fn factor_rows(&mut self, view: &View, unknowns: usize) -> bool {
        let problem = view.problem;
        if problem.thin.trees() == 1 && knows_factor(problem) {
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
        self.factor_written()
    }

    /// The same by (1).
    fn factor_rows_of_thin(&mut self, view: &View, unknowns: usize) -> bool {
        let rows = view.problem.rows();
        self.lu.reserve(rows); // what is unknown now may be few of them
        self.lu.clear(unknowns);
        self.packed.clear();
        self.packed.reserve(rows);
        self.columns.clear();
        self.columns.reserve(view.problem.thin.coordinates() * rows.div_ceil(4));
        lanes::plain(
            #[inline(always)]
            || self.write_all(view),
        );
        self.factor_written()
    }

    #[inline(always)]
    fn write_all(&mut self, view: &View) {
        let problem = view.problem;
        let thin = &problem.thin;
        let mut columns = std::mem::take(&mut self.columns);
        let width = self.lu.rows_mut(0, 0).1;
        columns.clear();
        columns.resize(thin.coordinates() * width, [0.0; 4]);
        let numbers = columns.as_flattened_mut();
        for (i, rows) in problem.row_start().windows(2).enumerate() {
            match self.unknown[rows[0]..rows[1]] {
                [first, _, _] if first != KNOWN => thin.terms(i).for_each(|(coordinate, w)| {
                    numbers[4 * width * coordinate + first..][..3].copy_from_slice(&w.to_array());
                }),
                [.., last] if last != KNOWN => thin.terms(i).for_each(|(coordinate, w)| {
                    numbers[4 * width * coordinate + last] = if rows[1] - rows[0] == 1 { w.x } else { w.z };
                }),
                _ => {}
            }
        }
        for i in 0..self.pieces.len() {
            let rows = problem.range(i);
            let Equation { left, own } = match self.unknown[rows.clone()] {
                [.., KNOWN] => continue,
                _ => self.weights(view, i),
            };
            match self.unknown[rows] {
                [first, _, _] if first != KNOWN => {
                    let (out, _) = self.lu.rows_mut(first, 3);
                    let (x, rest) = out.split_at_mut(width);
                    let (y, z) = rest.split_at_mut(width);
                    for (coordinate, w) in thin.terms(i) {
                        let [a, b, c] = left.map(|l| l[0] * w.x + l[1] * w.y + l[2] * w.z);
                        let from = &columns[coordinate * width..][..width];
                        for (((x, y), z), g) in x.iter_mut().zip(&mut *y).zip(&mut *z).zip(from) {
                            (*x, *y, *z) = (add(x, a, g), add(y, b, g), add(z, c, g));
                        }
                    }
                    for (out, own) in [x, y, z].into_iter().zip(own) {
                        let out = &mut out.as_flattened_mut()[first..first + 3];
                        out.iter_mut().zip(own).for_each(|(out, own)| *out += own);
                    }
                }
                [ref others @ .., last] => {
                    let at = others.len();
                    let (out, _) = self.lu.rows_mut(last, 1);
                    for (coordinate, w) in thin.terms(i) {
                        let a = left[at][at] * if at == 0 { w.x } else { w.z };
                        let from = &columns[coordinate * width..][..width];
                        out.iter_mut().zip(from).for_each(|(out, g)| *out = add(out, a, g));
                    }
                    out.as_flattened_mut()[last] += own[at][at];
                }
                [] => {}
            }
        }
        self.columns = columns;
    }

    /// True if what has been written has factors.
    fn factor_written(&mut self) -> bool {
        let factored = self.lu.factor();
        self.regular = self.lu.least_pivot() > REGULAR.max(10.0 * self.regularisation);
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

/// y + a x.
#[inline(always)]
fn add(y: &[f64; 4], a: f64, x: &[f64; 4]) -> [f64; 4] {
    std::array::from_fn(|k| y[k] + a * x[k])
}
