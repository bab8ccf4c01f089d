//! G + R of an island as an operator: its products, and linear systems on pieces of the contact law.
//!
//! With A = G + R + D, D diagonal, each block has the equations of its [`Piece`]:
//!
//! ```text
//!     fixed     Δλ = 0                                                               (1)
//!     sticks    (A Δλ)_i = b_i, in all rows                                          (2)
//!     closed    (A Δλ)_N = b_N,  Δλ_T = 0                                            (3)
//!     slides    (A Δλ)_N = b_N,  Δλ_T = μ Δλ_N u + V q,                              (4)
//!               (1 − f)/r q + f Vᵀ (A Δλ)_T = Vᵀ b_T
//! ```
//!
//! u is the direction of friction, V an orthonormal basis of the tangential directions normal to it.

use super::pieces::{Along, Piece};
use crate::dense::{Cholesky, Lu, STRIP, matrix_into, times, whole_into};
use crate::trees::{Equation, TreeSystem, knows_all};
use std::ops::Range;
use stiction_contact::cone::MAX_ROWS;
use stiction_contact::{Cone, ConstraintProblem};
use stiction_dynamics::lanes;

/// G + R of an island, set up once for a problem and then factored for one set of pieces after another.
pub(super) trait Delassus {
    /// out = (G + R) x.
    fn multiply(&mut self, problem: &ConstraintProblem, x: &[f64], out: &mut Vec<f64>);

    /// c = (G + R) λ + g [m/s].
    fn velocities(&mut self, problem: &ConstraintProblem, lambda: &[f64], c: &mut Vec<f64>) {
        self.multiply(problem, lambda, c);
        c.iter_mut().zip(&problem.free_velocity).for_each(|(c, g)| *c += g);
    }

    /// Factors the equations of `pieces`, `d` being the diagonal of D by rows [1/kg]. False if they are singular.
    fn factor(&mut self, problem: &ConstraintProblem, pieces: &[Piece], d: &[f64]) -> bool;

    /// True if the symmetric equations just factored are far from singular, the least pivot being more than
    /// `share` of the largest:
    /// no impulses act on no velocity.
    fn is_regular(&self, share: f64) -> bool;

    /// Replaces the right-hand side b, by rows, by Δλ. Of blocks that slide b_T must be normal to u.
    fn solve(&mut self, problem: &ConstraintProblem, pieces: &[Piece], x: &mut [f64]);
}

/// The operator by rows, for islands of few rows.
#[derive(Default)]
pub(super) struct Dense {
    /// G + R by rows of `width` numbers, zeros after the columns that exist.
    a: Vec<f64>,
    width: usize,
    unknowns: Vec<Unknown>,
    /// Unknowns that are consecutive rows: their places, and the first of these rows.
    runs: Vec<(Range<usize>, usize)>,
    /// All pieces are symmetric, (1) to (3): the unknowns are these rows.
    symmetric: bool,
    rows: Vec<usize>,
    lu: Lu,
    cholesky: Cholesky,
    columns: Vec<[f64; STRIP]>,
    padded: Vec<f64>,
    line: Vec<f64>,
    b: Vec<f64>,
}

/// A number that is solved for: Δλ of its block is this times `column`, and `left` weighs the rows of its equation.
#[derive(Clone, Copy, Debug)]
struct Unknown {
    first: usize,
    dim: usize,
    column: [f64; MAX_ROWS],
    left: [f64; MAX_ROWS],
    /// Added to the diagonal.
    own: f64,
}

impl Unknown {
    fn row(row: usize, own: f64) -> Self {
        let one = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        Self { first: row, dim: 1, column: one, left: one, own }
    }

    /// column · x of its block.
    #[inline(always)]
    fn column_times(&self, x: &[f64]) -> f64 {
        match self.dim {
            1 => x[self.first],
            3 => {
                let [a, b, c, ..] = self.column;
                a * x[self.first] + b * x[self.first + 1] + c * x[self.first + 2]
            }
            _ => (0..self.dim).map(|k| self.column[k] * x[self.first + k]).sum(),
        }
    }
}

impl Dense {
    /// Takes G + R of `problem`; false if it is given neither by blocks nor by its factor.
    pub(super) fn take(&mut self, problem: &ConstraintProblem) -> bool {
        let n = problem.rows();
        if knows_all(problem) {
            whole_into(problem, &mut self.columns, &mut self.a);
            self.width = STRIP * n.div_ceil(STRIP);
            for (r, compliance) in problem.compliance.iter().enumerate() {
                self.a[r * self.width + r] += compliance;
            }
            return true;
        }
        if !problem.blocks_formed() {
            return false;
        }
        matrix_into(problem, &mut self.line);
        self.width = STRIP * n.div_ceil(STRIP);
        self.a.clear();
        for row in self.line.chunks_exact(n.max(1)) {
            self.a.extend_from_slice(row);
            self.a.resize(self.a.len() + self.width - n, 0.0);
        }
        true
    }

    /// (G + R)_rc.
    pub(super) fn entry(&self, row: usize, column: usize) -> f64 {
        self.a[row * self.width + column]
    }

    /// Lists the rows that are unknown, if all pieces are symmetric.
    fn list_rows(&mut self, problem: &ConstraintProblem, pieces: &[Piece]) {
        self.rows.clear();
        self.symmetric = true;
        let mut start = 0;
        for (cone, piece) in problem.cones().iter().zip(pieces) {
            let end = start + cone.dim();
            match piece {
                Piece::Fixed(_) => {}
                Piece::Sticks => self.rows.extend(start..end),
                Piece::Closed => self.rows.push(start + cone.normal()),
                Piece::Slides { .. } => {
                    self.symmetric = false;
                    return;
                }
            }
            start = end;
        }
    }

    /// The matrix of the rows that are unknown, into the Cholesky factor.
    fn write_rows(&mut self, d: &[f64]) {
        let Self { a, width, rows, cholesky, .. } = self;
        let n = rows.len();
        cholesky.begin(n);
        let runs = rows.last().is_some_and(|last| last + 1 == rows[0] + n);
        for (k, &r) in rows.iter().enumerate() {
            let from = &a[r * *width..][..*width];
            let row = &mut cholesky.row_mut(k)[k..];
            if runs {
                row.copy_from_slice(&from[r..r + row.len()]);
            } else {
                row.iter_mut().zip(&rows[k..]).for_each(|(out, &c)| *out = from[c]);
            }
            row[0] += d[r];
        }
    }

    fn list_unknowns(&mut self, problem: &ConstraintProblem, pieces: &[Piece], d: &[f64]) {
        self.unknowns.clear();
        self.runs.clear();
        for (i, piece) in pieces.iter().enumerate() {
            let (cone, rows) = (problem.cone(i), problem.range(i));
            match *piece {
                Piece::Fixed(_) => {}
                Piece::Sticks => self.push_rows(rows, d),
                Piece::Closed => {
                    let row = rows.start + cone.normal();
                    self.push_rows(row..row + 1, d);
                }
                Piece::Slides { along, mu, share, stiff } => {
                    let (first, dim, normal) = (rows.start, rows.len(), cone.normal());
                    let tangents = cone.tangential_rows();
                    let (mut column, mut left) = ([0.0; MAX_ROWS], [0.0; MAX_ROWS]);
                    tangents.iter().zip(along).for_each(|(&t, u)| column[t] = mu * u);
                    (column[normal], left[normal]) = (1.0, 1.0);
                    self.unknowns.push(Unknown { first, dim, column, left, own: d[first + normal] });
                    let own = (1.0 - share) * stiff + share * d[first];
                    for v in 1..tangents.len() {
                        let across = across(&along, tangents.len(), v);
                        let (mut column, mut left) = ([0.0; MAX_ROWS], [0.0; MAX_ROWS]);
                        for (&t, x) in tangents.iter().zip(across) {
                            (column[t], left[t]) = (x, share * x);
                        }
                        self.unknowns.push(Unknown { first, dim, column, left, own });
                    }
                }
            }
        }
    }

    fn push_rows(&mut self, rows: Range<usize>, d: &[f64]) {
        let at = self.unknowns.len();
        match self.runs.last_mut() {
            Some((places, first)) if places.end == at && *first + places.len() == rows.start => {
                places.end += rows.len();
            }
            _ => self.runs.push((at..at + rows.len(), rows.start)),
        }
        self.unknowns.extend(rows.map(|row| Unknown::row(row, d[row])));
    }

    /// The matrix of the unknowns, into the factor by pivots.
    #[inline(always)]
    fn write(&mut self) {
        let Self { a, width, unknowns, runs, lu, line, .. } = self;
        let (n, w) = (unknowns.len(), *width);
        lu.begin(n);
        for (r, unknown) in unknowns.iter().enumerate() {
            let first = unknown.first * w;
            let whole: &[f64] = if unknown.dim == 1 {
                &a[first..first + w]
            } else {
                line.clear();
                line.resize(w, 0.0);
                for (k, weight) in unknown.left[..unknown.dim].iter().enumerate() {
                    if *weight != 0.0 {
                        let row = &a[first + k * w..first + (k + 1) * w];
                        line.iter_mut().zip(row).for_each(|(l, a)| *l += weight * a);
                    }
                }
                line
            };
            let row = lu.row_mut(r);
            let mut next = 0;
            for (places, first) in &*runs {
                for (out, other) in row[next..places.start].iter_mut().zip(&unknowns[next..]) {
                    *out = other.column_times(whole);
                }
                row[places.clone()].copy_from_slice(&whole[*first..*first + places.len()]);
                next = places.end;
            }
            for (out, other) in row[next..].iter_mut().zip(&unknowns[next..]) {
                *out = other.column_times(whole);
            }
            row[r] += unknown.own;
        }
    }
}

impl Delassus for Dense {
    fn multiply(&mut self, _: &ConstraintProblem, x: &[f64], out: &mut Vec<f64>) {
        let Self { a, width, padded, .. } = self;
        padded.clear();
        padded.extend_from_slice(x);
        padded.resize(*width, 0.0);
        out.clear();
        out.resize(x.len(), 0.0);
        times(a, padded, out);
    }

    fn factor(&mut self, problem: &ConstraintProblem, pieces: &[Piece], d: &[f64]) -> bool {
        self.list_rows(problem, pieces);
        if self.symmetric {
            self.write_rows(d);
            return self.cholesky.factor();
        }
        self.list_unknowns(problem, pieces, d);
        lanes::plain(
            #[inline(always)]
            || self.write(),
        );
        self.lu.factor()
    }

    fn is_regular(&self, share: f64) -> bool {
        self.symmetric && self.cholesky.least_pivot() > share
    }

    fn solve(&mut self, _: &ConstraintProblem, _: &[Piece], x: &mut [f64]) {
        let Self { unknowns, symmetric, rows, lu, cholesky, b, .. } = self;
        b.clear();
        if *symmetric {
            b.extend(rows.iter().map(|&r| x[r]));
            cholesky.solve_at_once(b);
            x.fill(0.0);
            rows.iter().zip(&*b).for_each(|(&r, b)| x[r] = *b);
            return;
        }
        b.extend(unknowns.iter().map(|u| u.column_times(x)));
        lu.solve_at_once(b);
        x.fill(0.0);
        for (unknown, b) in unknowns.iter().zip(&*b) {
            for (x, column) in x[unknown.first..][..unknown.dim].iter_mut().zip(&unknown.column) {
                *x += b * column;
            }
        }
    }
}

/// The v-th vector, from 1, of an orthonormal basis of which u is the first: that of the reflection that takes u to an axis.
fn across(u: &Along, dim: usize, v: usize) -> Along {
    if dim == 2 {
        return [-u[1], u[0], 0.0, 0.0, 0.0];
    }
    let mut normal = *u;
    normal[0] += if u[0] < 0.0 { -1.0 } else { 1.0 };
    let square: f64 = normal[..dim].iter().map(|x| x * x).sum();
    let mut out = normal.map(|x| -2.0 * normal[v] * x / square);
    out[v] += 1.0;
    out
}

/// The operator in the velocities of trees, for islands of many rows.
#[derive(Default)]
pub(super) struct ByTrees {
    system: TreeSystem,
}

impl ByTrees {
    pub(super) fn take(&mut self, problem: &ConstraintProblem) {
        self.system.take(&problem.delassus_factor);
    }
}

impl Delassus for ByTrees {
    fn multiply(&mut self, problem: &ConstraintProblem, x: &[f64], out: &mut Vec<f64>) {
        problem.delassus_mul_into(x, out);
        out.iter_mut().zip(&problem.compliance).zip(x).for_each(|((out, r), x)| *out += r * x);
    }

    fn factor(&mut self, problem: &ConstraintProblem, pieces: &[Piece], d: &[f64]) -> bool {
        let equations = pieces.iter().enumerate().map(|(i, piece)| {
            let (rows, normal) = (problem.range(i), problem.cone(i).normal());
            let mut own = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
            let mut left = [[0.0; 3]; 3];
            let total = |k: usize| d[rows.start + k] + problem.compliance[rows.start + k];
            match *piece {
                Piece::Fixed(_) => return None,
                Piece::Sticks => {
                    (0..rows.len()).for_each(|k| (own[k][k], left[k][k]) = (total(k), 1.0));
                }
                Piece::Closed => (own[normal][normal], left[normal][normal]) = (total(normal), 1.0),
                Piece::Slides { along: [x, y, ..], mu, share, stiff } => {
                    let tangential = (1.0 - share) * stiff + share * total(0);
                    own[0] = [x, y, -mu];
                    own[1] = [-y * tangential, x * tangential, 0.0];
                    own[2] = [0.0, 0.0, total(2)];
                    left[1] = [-share * y, share * x, 0.0];
                    left[2] = [0.0, 0.0, 1.0];
                }
            }
            Some(Equation { left, own })
        });
        self.system.factor(equations)
    }

    fn is_regular(&self, _: f64) -> bool {
        false
    }

    fn solve(&mut self, problem: &ConstraintProblem, pieces: &[Piece], x: &mut [f64]) {
        for (i, piece) in pieces.iter().enumerate() {
            let rows = &mut x[problem.range(i)];
            match *piece {
                Piece::Slides { along, .. } => {
                    let across = along[0] * rows[1] - along[1] * rows[0];
                    (rows[0], rows[1]) = (0.0, across);
                }
                Piece::Closed => {
                    if let Cone::Friction { .. } = problem.cone(i) {
                        rows[..2].fill(0.0);
                    }
                }
                Piece::Fixed(_) | Piece::Sticks => {}
            }
        }
        self.system.solve(problem.row_start(), x);
    }
}

/// The operator that suits an island.
pub(super) enum Operator<'a> {
    Dense(&'a mut Dense),
    Trees(&'a mut ByTrees),
}

impl Delassus for Operator<'_> {
    fn multiply(&mut self, problem: &ConstraintProblem, x: &[f64], out: &mut Vec<f64>) {
        match self {
            Self::Dense(a) => a.multiply(problem, x, out),
            Self::Trees(a) => a.multiply(problem, x, out),
        }
    }

    fn factor(&mut self, problem: &ConstraintProblem, pieces: &[Piece], d: &[f64]) -> bool {
        match self {
            Self::Dense(a) => a.factor(problem, pieces, d),
            Self::Trees(a) => a.factor(problem, pieces, d),
        }
    }

    fn is_regular(&self, share: f64) -> bool {
        match self {
            Self::Dense(a) => a.is_regular(share),
            Self::Trees(a) => a.is_regular(share),
        }
    }

    fn solve(&mut self, problem: &ConstraintProblem, pieces: &[Piece], x: &mut [f64]) {
        match self {
            Self::Dense(a) => a.solve(problem, pieces, x),
            Self::Trees(a) => a.solve(problem, pieces, x),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The basis is orthonormal in any dimension and for any direction.
    #[test]
    fn directions_across_are_an_orthonormal_basis() {
        for (u, dim) in [
            ([0.6, 0.8, 0.0, 0.0, 0.0], 2),
            ([-1.0, 0.0, 0.0, 0.0, 0.0], 3),
            ([0.5, -0.5, 0.5, 0.1_f64.sqrt(), 0.15_f64.sqrt()], 5),
        ] {
            let basis: Vec<Along> = std::iter::once(u).chain((1..dim).map(|v| across(&u, dim, v))).collect();
            for (i, a) in basis.iter().enumerate() {
                for (j, b) in basis.iter().enumerate() {
                    let product: f64 = a.iter().zip(b).map(|(a, b)| a * b).sum();
                    let wanted = if i == j { 1.0 } else { 0.0 };
                    assert!((product - wanted).abs() < 1e-15, "{u:?}: {i}, {j}: {product}");
                }
            }
        }
    }
}
