//! G + R and J of [`super`] in scaled variables: by rows, or for large islands in the velocities of trees.
//!
//! With scales S and y = S λ, an equation per block reads
//!
//! ```text
//!     (own + ε left) Δy + left S⁻¹ (G + R) S⁻¹ Δy = rhs                                   (1)
//!     (left S⁻¹) G Δλ + ((own + ε left) S + left S⁻¹ R) Δλ = rhs                          (2)
//! ```
//!
//! (2) is (1) as [`TreeSystem`] takes it; there det J is that of the blocks' own part times that of the trees'.

use super::pieces::Slope;
use crate::dense::{Lu, matrix_into};
use crate::finish::View;
use crate::trees::{Equation, TreeSystem};
use stiction_contact::ConstraintProblem;

/// See the module.
#[derive(Default)]
pub(super) struct System {
    in_trees: bool,
    /// Of every row, y = scale λ.
    pub(super) scale: Vec<f64>,
    /// Scaled G + R, by rows; none in trees.
    matrix: Vec<f64>,
    lu: Lu,
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
            matrix_into(problem, &mut self.matrix);
            for (row, &s) in self.matrix.chunks_exact_mut(n.max(1)).zip(&self.scale) {
                row.iter_mut().zip(&self.scale).for_each(|(a, t)| *a /= s * t);
            }
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
            out.clear();
            let dot = |row: &[f64]| row.iter().zip(x).map(|(a, x)| a * x).sum::<f64>();
            out.extend(self.matrix.chunks_exact(x.len().max(1)).map(dot));
        }
    }

    /// J with ε, from the slopes of the blocks; false if it is singular.
    pub(super) fn factor(
        &mut self,
        problem: &ConstraintProblem,
        epsilon: f64,
        slopes: impl Iterator<Item = Slope>,
    ) -> bool {
        if self.in_trees {
            return self.factor_trees(problem, epsilon, slopes);
        }
        let (n, Self { matrix, lu, .. }) = (self.scale.len(), &mut *self);
        lu.clear(n);
        for (i, Slope { own, left }) in slopes.enumerate() {
            let rows = problem.range(i);
            for (k, row) in rows.clone().enumerate() {
                let out = lu.row_mut(row);
                for (m, column) in rows.clone().enumerate() {
                    out[column] += own[k][m] + epsilon * left[k][m];
                    if left[k][m] != 0.0 {
                        let from = &matrix[column * n..(column + 1) * n];
                        out.iter_mut().zip(from).for_each(|(out, a)| *out += left[k][m] * a);
                    }
                }
            }
        }
        lu.factor()
    }

    /// x ← J⁻¹ x.
    pub(super) fn solve(&mut self, problem: &ConstraintProblem, x: &mut [f64]) {
        if self.in_trees {
            self.trees.solve(problem.row_start(), x);
            x.iter_mut().zip(&self.scale).for_each(|(x, s)| *x *= s);
        } else {
            self.lu.solve(x);
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
