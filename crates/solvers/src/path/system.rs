//! G + R and J of [`super`] in scaled variables: by rows, or for large islands in the velocities of trees.
//!
//! With scales S and y = S λ, an equation per block reads
//!
//! ```text
//!     (own + ε left) Δy + left S⁻¹ (G + R) S⁻¹ Δy = rhs                                   (1)
//!     (left S⁻¹) G Δλ + ((own + ε left) S + left S⁻¹ R) Δλ = rhs                          (2)
//! ```
//!
//! (2) is (1) as [`TreeSystem`] takes it; there det J is that of the blocks' own part times that of the trees'. By rows
//! those that say what Δy is, as of open contacts, are no unknowns of (1); det J is that of the others.

use super::pieces::Slope;
use crate::dense::{Lu, STRIP, dot, matrix_into, whole_into, zeros};
use crate::trees::{Equation, TreeSystem};
use crate::view::View;
use std::ops::Range;
use stiction_contact::ConstraintProblem;
use stiction_contact::cone::MAX_ROWS;
use stiction_dynamics::lanes;

/// See the module.
#[derive(Default)]
pub(super) struct System {
    in_trees: bool,
    /// Of every row, y = scale λ.
    pub(super) scale: Vec<f64>,
    /// Scaled G + R, by rows; none in trees.
    matrix: Vec<f64>,
    /// G where its blocks are not formed, and what it is found in.
    whole: Vec<f64>,
    columns: Vec<[f64; STRIP]>,
    lu: Lu,
    /// By rows: the equations, and which rows they do not say at once.
    rows: Vec<Row>,
    unknown: Vec<usize>,
    epsilon: f64,
    row: Vec<f64>,
    packed: Vec<f64>,
    trees: TreeSystem,
    unscaled: Vec<f64>,
}

/// A row of J: what it says of Δλ and Δc in the rows of its block.
struct Row {
    block: Range<usize>,
    own: [f64; MAX_ROWS],
    left: [f64; MAX_ROWS],
    /// It says what Δλ is.
    says: bool,
}

impl Row {
    /// Rows of the block, with what is said of their Δλ and Δc.
    fn terms(&self) -> impl Iterator<Item = (usize, f64, f64)> {
        self.block.clone().zip(self.own).zip(self.left).map(|((row, own), left)| (row, own, left))
    }
}

impl System {
    pub(super) fn prepare(&mut self, view: &View, by_rows: bool) {
        let problem = view.problem;
        self.in_trees = !by_rows;
        self.scale.clear();
        for (i, a) in view.stopping.diagonal.iter().enumerate() {
            let rows = problem.range(i);
            let mean = match rows.len() {
                1 => a[0],
                _ => (a[0] + a[4] + a[8]) / 3.0,
            };
            let scale = if mean > 0.0 { mean.sqrt() } else { 1.0 };
            self.scale.extend(rows.map(|_| scale));
        }
        if self.in_trees {
            self.trees.take(&problem.delassus_factor);
        } else {
            let n = problem.rows();
            self.lu.reserve(n); // what is unknown now may be few of them
            for numbers in [&mut self.row, &mut self.packed] {
                numbers.clear();
                numbers.reserve(n);
            }
            self.unknown.clear();
            self.unknown.reserve(n);
            self.rows.clear();
            self.rows.reserve(n);
            self.find_matrix(problem);
            for (row, &s) in self.matrix.chunks_exact_mut(n.max(1)).zip(&self.scale) {
                row.iter_mut().zip(&self.scale).for_each(|(a, t)| *a /= s * t);
            }
        }
    }

    /// G + R by rows.
    fn find_matrix(&mut self, problem: &ConstraintProblem) {
        if problem.blocks_formed() {
            return matrix_into(problem, &mut self.matrix);
        }
        whole_into(problem, &mut self.columns, &mut self.whole);
        let n = problem.rows();
        self.matrix.clear();
        for (row, numbers) in self.whole.chunks_exact(n.next_multiple_of(STRIP).max(1)).enumerate() {
            self.matrix.extend_from_slice(&numbers[..n]);
            self.matrix[row * n + row] += problem.compliance[row];
        }
    }

    /// Scaled (G + R) x.
    pub(super) fn multiply_into(&mut self, problem: &ConstraintProblem, x: &[f64], out: &mut Vec<f64>) {
        if self.in_trees {
            self.unscaled.clear();
            self.unscaled.extend(x.iter().zip(&self.scale).map(|(x, s)| x / s));
            problem.delassus_mul_into(&self.unscaled, out);
            let own = self.unscaled.iter().zip(&problem.compliance).zip(&self.scale);
            out.iter_mut().zip(own).for_each(|(c, ((l, r), s))| *c = (*c + r * l) / s);
        } else {
            multiply(&self.matrix, x, out);
        }
    }

    /// J with ε, from the slopes of the blocks, by whether they are patches; false if it is singular.
    pub(super) fn factor(
        &mut self,
        problem: &ConstraintProblem,
        epsilon: f64,
        contact: impl Fn(usize) -> Slope<3>,
        patch: impl Fn(usize) -> Slope<MAX_ROWS>,
    ) -> bool {
        if self.in_trees {
            return self.factor_trees(problem, epsilon, (0..problem.len()).map(contact));
        }
        self.epsilon = epsilon;
        self.rows.clear();
        for i in 0..problem.len() {
            match problem.range(i) {
                block if block.len() > 3 => self.push_rows(block, &patch(i)),
                block => self.push_rows(block, &contact(i)),
            }
        }
        lanes::plain(
            #[inline(always)]
            || self.write(),
        );
        self.lu.factor()
    }

    fn push_rows<const N: usize>(&mut self, block: Range<usize>, slope: &Slope<N>) {
        for k in 0..block.len() {
            let (mut own, mut left) = ([0.0; MAX_ROWS], [0.0; MAX_ROWS]);
            own[..N].copy_from_slice(&slope.own[k]);
            left[..N].copy_from_slice(&slope.left[k]);
            self.rows.push(Row { block: block.clone(), own, left, says: slope.says(k) });
        }
    }

    /// J by rows of its unknowns.
    #[inline(always)]
    fn write(&mut self) {
        let (n, Self { matrix, lu, rows, unknown, row: sums, epsilon, .. }) = (self.scale.len(), &mut *self);
        unknown.clear();
        unknown.extend(rows.iter().enumerate().filter(|e| !e.1.says).map(|e| e.0));
        lu.clear(unknown.len());
        for (at, row) in rows.iter().filter(|row| !row.says).enumerate() {
            zeros(sums, n);
            for (column, own, left) in row.terms() {
                if left != 0.0 {
                    let from = &matrix[column * n..(column + 1) * n];
                    sums.iter_mut().zip(from).for_each(|(out, a)| *out += left * a);
                }
                sums[column] += own + *epsilon * left;
            }
            lu.row_mut(at).iter_mut().zip(&*unknown).for_each(|(out, &u)| *out = sums[u]);
        }
    }

    /// x ← J⁻¹ x.
    pub(super) fn solve(&mut self, problem: &ConstraintProblem, x: &mut [f64]) {
        if self.in_trees {
            self.trees.solve(problem.row_start(), x);
            x.iter_mut().zip(&self.scale).for_each(|(x, s)| *x *= s);
            return;
        }
        self.move_known(x);
        let Self { lu, unknown, packed, .. } = self;
        packed.clear();
        packed.extend(unknown.iter().map(|&u| x[u]));
        lu.solve_at_once(packed);
        unknown.iter().zip(&*packed).for_each(|(&u, y)| x[u] = *y);
    }

    /// What rows that are no unknowns do, to the right-hand side of the others.
    fn move_known(&mut self, x: &mut [f64]) {
        let Self { matrix, rows, unknown, row: known, packed: velocities, epsilon, .. } = self;
        x.clone_into(known);
        unknown.iter().for_each(|&u| known[u] = 0.0);
        if known.iter().all(|&d| d == 0.0) {
            return;
        }
        multiply(matrix, known, velocities);
        velocities.iter_mut().zip(&*known).for_each(|(c, d)| *c += *epsilon * d);
        for (x, row) in x.iter_mut().zip(&*rows).filter(|e| !e.1.says) {
            *x -= row.terms().map(|(r, own, left)| left * velocities[r] + own * known[r]).sum::<f64>();
        }
    }

    /// True if det J < 0.
    pub(super) fn reverses(&self) -> bool {
        if self.in_trees { self.trees.reverses() } else { self.lu.reverses() }
    }

    /// J is solved in velocities, where ε must not be too small.
    pub(super) fn in_trees(&self) -> bool {
        self.in_trees
    }

    /// (2).
    fn factor_trees(
        &mut self,
        problem: &ConstraintProblem,
        epsilon: f64,
        slopes: impl Iterator<Item = Slope<3>>,
    ) -> bool {
        let scale = &self.scale;
        let equation = |(i, slope): (usize, Slope<3>)| {
            let rows = problem.range(i);
            let s = scale[rows.start];
            let Slope { mut own, mut left } = slope;
            for k in 0..3 {
                for m in 0..3 {
                    let r = if m < rows.len() { problem.compliance[rows.start + m] } else { 0.0 };
                    own[k][m] = (own[k][m] + epsilon * left[k][m]) * s + left[k][m] / s * r;
                    left[k][m] /= s;
                }
            }
            for k in rows.len()..3 {
                (own[k], left[k]) = ([0.0; 3], [0.0; 3]);
                own[k][k] = 1.0;
            }
            Some(Equation { left, own })
        };
        self.trees.factor(slopes.enumerate().map(equation))
    }
}

/// A x, A by rows.
fn multiply(a: &[f64], x: &[f64], out: &mut Vec<f64>) {
    zeros(out, x.len());
    lanes::plain(
        #[inline(always)]
        || a.chunks_exact(x.len().max(1)).zip(out).for_each(|(row, out)| *out = dot(row, x)),
    );
}
