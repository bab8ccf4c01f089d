//! Quadratic programs between bounds, by projected Newton steps [Tassa2014].
//!
//! ```text
//!     minimise  ½ xᵀ H x + gᵀ x    subject to  lo ≤ x ≤ hi                                (1)
//! ```
//!
//! A coordinate is clamped where it is at a bound that the gradient pushes it against; the others are free, and take a Newton step
//! on H of the free ones, searched along its projection into the box. The free set is what feedback gains are of: clamped
//! controls do not react.

use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

/// Bounds of the search; the values of [Tassa2014].
const ITERATIONS: usize = 100;
/// A step is taken if it gains this share of what the gradient promises, else shortened by this factor.
const ARMIJO: f64 = 0.1;
const SHORTEN: f64 = 0.6;
const SHORTEST: f64 = 1e-20;
/// Free gradients of less than this share of ‖g‖ are none.
const SMALL: f64 = 1e-12;

/// A solution of (1).
#[derive(Clone, Debug)]
pub struct BoxQp {
    pub x: DVector<f64>,
    /// Indices of the coordinates that are at no bound, or leave it.
    pub free: Vec<usize>,
    factor: Option<Cholesky<f64, Dyn>>,
}

impl BoxQp {
    /// Solves (1) from `start`; `None` if H is not positive definite in the free coordinates.
    pub fn solve(
        H: &DMatrix<f64>,
        g: &DVector<f64>,
        [lo, hi]: [&DVector<f64>; 2],
        start: &DVector<f64>,
    ) -> Option<Self> {
        let n = g.len();
        let project = |x: &DVector<f64>| DVector::from_fn(n, |i, _| x[i].min(hi[i]).max(lo[i]));
        let value = |x: &DVector<f64>| 0.5 * x.dot(&(H * x)) + g.dot(x);
        let mut x = project(start);
        let mut free: Option<Vec<usize>> = None;
        let mut factor = None;
        for _ in 0..ITERATIONS {
            let gradient = g + H * &x;
            let clamped = |i: usize| x[i] <= lo[i] && gradient[i] > 0.0 || x[i] >= hi[i] && gradient[i] < 0.0;
            let now: Vec<usize> = (0..n).filter(|&i| !clamped(i)).collect();
            if free.as_ref() != Some(&now) {
                factor = match now.is_empty() {
                    true => None,
                    false => Some(Cholesky::new(H.select_rows(&now).select_columns(&now))?),
                };
            }
            let free = free.insert(now);
            let Some(cholesky) = &factor else { break };
            let of_free = gradient.select_rows(&*free);
            if of_free.norm() <= SMALL * g.norm().max(f64::MIN_POSITIVE) {
                break;
            }
            let newton = cholesky.solve(&of_free);
            let mut search = DVector::zeros(n);
            free.iter().zip(newton.iter()).for_each(|(&i, step)| search[i] = -step);
            let slope = search.dot(&gradient);
            if !(slope < 0.0) {
                break;
            }
            let (mut step, before) = (1.0, value(&x));
            let next = loop {
                let next = project(&(&x + &search * step));
                if value(&next) - before <= ARMIJO * step * slope || step < SHORTEST {
                    break next;
                }
                step *= SHORTEN;
            };
            if next == x {
                break;
            }
            x = next;
        }
        Some(Self { x, free: free.unwrap_or_default(), factor })
    }

    /// −H⁻¹ r in the free rows, zero in the clamped: how the solution follows where g changes by the columns of `r`.
    pub fn follow(&self, r: &DMatrix<f64>) -> DMatrix<f64> {
        let mut out = DMatrix::zeros(r.nrows(), r.ncols());
        if let Some(factor) = &self.factor {
            let solved = factor.solve(&r.select_rows(&self.free));
            for (k, &i) in self.free.iter().enumerate() {
                out.row_mut(i).copy_from(&(-solved.row(k)));
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clarabel::algebra::CscMatrix;
    use clarabel::solver::SupportedConeT::NonnegativeConeT;
    use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver};
    use stiction::random::Random;

    /// The solution of an interior-point method, which shares nothing with projected Newton.
    fn by_clarabel(H: &DMatrix<f64>, g: &DVector<f64>, [lo, hi]: [&DVector<f64>; 2]) -> Vec<f64> {
        let n = g.len();
        let upper: Vec<(usize, usize)> = (0..n).flat_map(|j| (0..=j).map(move |i| (i, j))).collect();
        let starts = (0..=n).map(|j| j * (j + 1) / 2).collect();
        let (rows, values) = upper.iter().map(|&(i, j)| (i, H[(i, j)])).unzip();
        let P = CscMatrix::new(n, n, starts, rows, values);
        let rows = (0..n).flat_map(|i| [i, n + i]).collect();
        let A = CscMatrix::new(2 * n, n, (0..=n).map(|i| 2 * i).collect(), rows, [1.0, -1.0].repeat(n));
        let b: Vec<f64> = hi.iter().copied().chain(lo.iter().map(|x| -x)).collect();
        let (tol_gap_abs, tol_gap_rel, tol_feas) = (1e-12, 1e-12, 1e-12);
        let settings =
            DefaultSettings { verbose: false, tol_gap_abs, tol_gap_rel, tol_feas, ..Default::default() };
        let cones = [NonnegativeConeT(2 * n)];
        let mut solver = DefaultSolver::new(&P, g.as_slice(), &A, &b, &cones, settings).unwrap();
        solver.solve();
        solver.solution.x
    }

    #[test]
    fn solutions_are_those_of_an_interior_point_method() {
        let mut dice = Random::new(7);
        let mut clamped = 0;
        for n in [1, 2, 5, 12] {
            for _ in 0..20 {
                let W = DMatrix::from_fn(n, n + 2, |_, _| dice.normal());
                let H = &W * W.transpose() + DMatrix::identity(n, n) * 1e-2;
                let g = DVector::from_fn(n, |_, _| 3.0 * dice.normal());
                let hi = DVector::from_fn(n, |_, _| dice.unit());
                let lo = -DVector::from_fn(n, |_, _| dice.unit());
                let start = DVector::from_fn(n, |_, _| dice.normal());
                let found = BoxQp::solve(&H, &g, [&lo, &hi], &start).unwrap();
                let expected = DVector::from_vec(by_clarabel(&H, &g, [&lo, &hi]));
                let error = (&found.x - &expected).norm();
                assert!(error < 1e-6, "{n}: {error:e}");
                clamped += n - found.free.len();
                // Gains are the derivative of the solution by g, which is constant while the same are free.
                let e = DVector::from_fn(n, |i, _| if i == 0 { 1e-4 } else { 0.0 });
                let moved = BoxQp::solve(&H, &(&g + &e), [&lo, &hi], &found.x).unwrap();
                if moved.free == found.free {
                    let gain = found.follow(&DMatrix::identity(n, n)).column(0).into_owned();
                    assert!(((moved.x - &found.x) * 1e4 - gain).norm() < 1e-6);
                }
            }
        }
        assert!(clamped > 50, "{clamped}");
    }

    #[test]
    fn what_curves_downward_has_no_solution() {
        let (H, g) = (DMatrix::from_element(1, 1, -1.0), DVector::from_element(1, 0.1));
        let (lo, hi) = (DVector::from_element(1, -1.0), DVector::from_element(1, 1.0));
        assert!(BoxQp::solve(&H, &g, [&lo, &hi], &DVector::zeros(1)).is_none());
    }
}
