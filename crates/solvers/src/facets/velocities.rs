//! The step of [`super`] by velocities: a matrix with a row per velocity coordinate in place of one per
//! impulse.
//!
//! With c = J v + R λ + bias and M Δv = Jᵀ Δλ, eliminating impulses from (3) of [`super`] block by block
//! gives
//!
//! ```text
//!     Δλ = a − B J Δv,   a = (L + W R)⁻¹ p,   B = (L + W R)⁻¹ W                 (1)
//!     (M + Jᵀ B J) Δv = Jᵀ a                                                    (2)
//! ```
//!
//! B is symmetric for the convex relaxation. M and J are those of the problem or a root of G.

use crate::dense::{Cholesky, zeros};
use stiction_contact::matrix3::{inverse, mul};
use stiction_contact::{ConstraintProblem, Csr, Primal, Root};

#[derive(Default)]
pub(super) struct Velocities {
    root: Root,
    primal: Primal,
    matrix: Vec<f64>,
    factor: Cholesky,
    /// (L + W R)⁻¹ and B of every block, in the last rows and columns for scalar blocks.
    inverse: Vec<[f64; 9]>,
    b: Vec<[f64; 9]>,
    d_v: Vec<f64>,
}

impl Velocities {
    /// Takes M and J of a problem.
    pub(super) fn start(&mut self, problem: &ConstraintProblem) {
        let found = self.root.of(problem);
        self.primal.nv = found.nv;
        copy(&found.mass, &mut self.primal.mass);
        copy(&found.jacobian, &mut self.primal.jacobian);
    }

    /// Factors (2); false if it has no factor. `weights` are L and W of a block, `scale` is P per row,
    /// `least` the least L of a bilateral row.
    pub(super) fn assemble(
        &mut self,
        problem: &ConstraintProblem,
        scale: &[f64],
        least: f64,
        weights: impl Fn(usize) -> ([[f64; 3]; 3], [[f64; 3]; 3]),
    ) -> bool {
        let primal = &self.primal;
        let n = primal.nv;
        zeros(&mut self.matrix, n * n);
        for i in 0..n {
            primal.mass.entries(i).for_each(|(j, m)| self.matrix[i * n + j] += m);
        }
        self.inverse.clear();
        self.b.clear();
        for i in 0..problem.len() {
            let ((l, w), rows) = (weights(i), problem.range(i));
            let from = 3 - rows.len();
            let mut raised = l.as_flattened().try_into().unwrap_or([0.0; 9]);
            for k in 0..3 {
                for (m, r) in rows.clone().enumerate() {
                    let at = from + m;
                    raised[3 * k + at] += w[k][at] * problem.compliance[r] * scale[r] * scale[r];
                }
            }
            raised[8] = raised[8].max(least);
            let Some(inverse) = inverse(&raised, 0.0) else { return false };
            let mut b = [0.0; 9];
            for m in 0..3 {
                let column = mul(&inverse, [w[0][m], w[1][m], w[2][m]]);
                (0..3).for_each(|k| b[3 * k + m] = column[k]);
            }
            for (k, r) in rows.clone().enumerate() {
                for (m, s) in rows.clone().enumerate() {
                    let weight = b[3 * (from + k) + from + m] * scale[r] * scale[s];
                    if weight == 0.0 {
                        continue;
                    }
                    for (i, x) in primal.jacobian.entries(r) {
                        let line = &mut self.matrix[i * n..(i + 1) * n];
                        primal.jacobian.entries(s).for_each(|(j, y)| line[j] += weight * x * y);
                    }
                }
            }
            self.inverse.push(inverse);
            self.b.push(b);
        }
        self.factor.set(n, &self.matrix);
        self.factor.factor()
    }

    /// Δλ from p, in place; both scaled.
    pub(super) fn solve(&mut self, problem: &ConstraintProblem, scale: &[f64], p: &mut [f64]) {
        let primal = &self.primal;
        zeros(&mut self.d_v, primal.nv);
        let times = |a: &[f64; 9], x: &[f64]| {
            let mut padded = [0.0; 3];
            padded[3 - x.len()..].copy_from_slice(x);
            mul(a, padded)
        };
        for i in 0..problem.len() {
            let rows = problem.range(i);
            let a = times(&self.inverse[i], &p[rows.clone()]);
            p[rows.clone()].copy_from_slice(&a[3 - rows.len()..]);
            for r in rows {
                primal.jacobian.entries(r).for_each(|(j, x)| self.d_v[j] += x * scale[r] * p[r]);
            }
        }
        self.factor.solve(&mut self.d_v); // (2)
        for i in 0..problem.len() {
            let rows = problem.range(i);
            let mut along = [0.0; 3];
            for (k, r) in rows.clone().enumerate() {
                let sum: f64 = primal.jacobian.entries(r).map(|(j, x)| x * self.d_v[j]).sum();
                along[k] = scale[r] * sum;
            }
            let change = times(&self.b[i], &along[..rows.len()]);
            p[rows.clone()].iter_mut().zip(&change[3 - rows.len()..]).for_each(|(p, d)| *p -= d); // (1)
        }
    }
}

fn copy(from: &Csr, to: &mut Csr) {
    to.start.clone_from(&from.start);
    to.column.clone_from(&from.column);
    to.value.clone_from(&from.value);
}
