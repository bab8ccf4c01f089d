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
use crate::dense::{Lu, STRIP, dot, matrix_into, whole_into};
use crate::finish::View;
use crate::trees::{Equation, TreeSystem};
use stiction_contact::ConstraintProblem;
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
    slopes: Vec<Slope>,
    unknown: Vec<usize>,
    epsilon: f64,
    row: Vec<f64>,
    packed: Vec<f64>,
    trees: TreeSystem,
    unscaled: Vec<f64>,
}

impl System {
    pub(super) fn prepare(&mut self, view: &View, by_rows: bool) {
        let problem = view.problem;
        self.in_trees = !by_rows;
        self.scale.clear();
        for (i, a) in view.measure.diagonal.iter().enumerate() {
            let rows = problem.range(i);
            let trace = if rows.len() == 1 { a[0] } else { a[0] + a[4] + a[8] };
            let mean = trace / rows.len() as f64;
            let scale = if mean > 0.0 { mean.sqrt() } else { 1.0 };
            self.scale.extend(rows.map(|_| scale));
        }
        if self.in_trees {
            self.trees.take(&problem.thin);
        } else {
            let n = problem.rows();
            self.lu.reserve(n); // what is unknown now may be few of them
            for numbers in [&mut self.row, &mut self.packed] {
                numbers.clear();
                numbers.reserve(n);
            }
            self.unknown.clear();
            self.unknown.reserve(n);
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
        lanes::plain(
            #[inline(always)]
            || whole_into(problem, &mut self.columns, &mut self.whole),
        );
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

    /// J with ε, from the slopes of the blocks; false if it is singular.
    pub(super) fn factor(
        &mut self,
        problem: &ConstraintProblem,
        epsilon: f64,
        slopes_of_blocks: impl Iterator<Item = Slope>,
    ) -> bool {
        if self.in_trees {
            return self.factor_trees(problem, epsilon, slopes_of_blocks);
        }
        self.epsilon = epsilon;
        self.slopes.clear();
        self.slopes.extend(slopes_of_blocks);
        lanes::plain(
            #[inline(always)]
            || self.write(problem),
        );
        self.lu.factor()
    }

    /// J by rows of its unknowns.
    #[inline(always)]
    fn write(&mut self, problem: &ConstraintProblem) {
        let (n, Self { matrix, lu, slopes, unknown, row, epsilon, .. }) = (self.scale.len(), &mut *self);
        unknown.clear();
        for (i, slope) in slopes.iter().enumerate() {
            unknown.extend(problem.range(i).enumerate().filter(|&(k, _)| !slope.says(k)).map(|(_, row)| row));
        }
        lu.clear(unknown.len());
        let mut at = 0;
        for (i, slope) in slopes.iter().enumerate() {
            let rows = problem.range(i);
            let Slope { own, left } = slope;
            for k in (0..rows.len()).filter(|&k| !slope.says(k)) {
                row.clear();
                row.resize(n, 0.0);
                for (m, column) in rows.clone().enumerate() {
                    if left[k][m] != 0.0 {
                        let from = &matrix[column * n..(column + 1) * n];
                        row.iter_mut().zip(from).for_each(|(out, a)| *out += left[k][m] * a);
                    }
                    row[column] += own[k][m] + *epsilon * left[k][m];
                }
                lu.row_mut(at).iter_mut().zip(&*unknown).for_each(|(out, &u)| *out = row[u]);
                at += 1;
            }
        }
    }

    /// x ← J⁻¹ x.
    pub(super) fn solve(&mut self, problem: &ConstraintProblem, x: &mut [f64]) {
        if self.in_trees {
            self.trees.solve(problem.row_start(), x);
            x.iter_mut().zip(&self.scale).for_each(|(x, s)| *x *= s);
            return;
        }
        self.move_known(problem, x);
        let Self { lu, unknown, packed, .. } = self;
        packed.clear();
        packed.extend(unknown.iter().map(|&u| x[u]));
        lu.solve_at_once(packed);
        unknown.iter().zip(&*packed).for_each(|(&u, y)| x[u] = *y);
    }

    /// What rows that are no unknowns do, to the right-hand side of the others.
    fn move_known(&mut self, problem: &ConstraintProblem, x: &mut [f64]) {
        let Self { matrix, slopes, unknown, row: known, packed: velocities, epsilon, .. } = self;
        known.clear();
        known.extend_from_slice(x);
        unknown.iter().for_each(|&u| known[u] = 0.0);
        if known.iter().all(|&d| d == 0.0) {
            return;
        }
        multiply(matrix, known, velocities);
        velocities.iter_mut().zip(&*known).for_each(|(c, d)| *c += *epsilon * d);
        for (i, slope) in slopes.iter().enumerate() {
            let rows = problem.range(i);
            let Slope { own, left } = slope;
            for (k, row) in rows.clone().enumerate().filter(|&(k, _)| !slope.says(k)) {
                let terms = rows.clone().enumerate();
                x[row] -= terms.map(|(m, r)| left[k][m] * velocities[r] + own[k][m] * known[r]).sum::<f64>();
            }
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
        slopes: impl Iterator<Item = Slope>,
    ) -> bool {
        let scale = &self.scale;
        let equation = |(i, slope): (usize, Slope)| {
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
    out.clear();
    out.resize(x.len(), 0.0);
    lanes::plain(
        #[inline(always)]
        || a.chunks_exact(x.len().max(1)).zip(out).for_each(|(row, out)| *out = dot(row, x)),
    );
}
