//! A problem whose complementarity is relaxed by κ, as on the path of an interior-point method, and its
//! derivative.
//!
//! ```text
//!     x ∘ y = κ e,   x = (μ λ_N, λ_T),   y = (c_N + μ s(c_T), μ c_T),   s(u) = √(‖u‖² + ε²)          contacts      (1)
//!     (λ − lo) p = κ,   (hi − λ) n = κ,   c = p − n      rows by themselves, of bounds that are finite      (2)
//! ```
//!
//! with ∘ the product of Lorentz cones and κ [J] the work that is left in every complementarity; the
//! relaxation has s = 0. As κ goes to zero so does the distance to the answer of the law, in proportion to κ
//! away from switches. A contact at a distance presses with κ/c_N: derivatives feel it before it is met. ε =
//! κ/λ₀, with λ₀ the largest impulse of the step, keeps s smooth where nothing slips.
//!
//! (1) and (2) are solved by Newton's method in impulses and y, from an interior point near the answer of the
//! law, κ coming down to what is asked. Steps stay within a share of the way to the boundary of the cones.

use nalgebra::{DMatrix, DVector};
use stiction_contact::{Cone, ConstraintProblem, Law};

/// Newton steps, at most.
const STEPS: usize = 300;
/// How far towards the boundary a step goes, and by how much κ shrinks after a step that goes at least half
/// of its way [–].
const WITHIN: f64 = 0.9;
const SHRINK: f64 = 0.3;
const HALF: f64 = 0.5;
/// The last step of Newton's method changes by less, relative to what it changes [–].
const SETTLED: f64 = 1e-6;

/// A Lorentz cone of the system: x = offset + Σ scale_i λ_row_i.
struct Pair {
    rows: Vec<usize>,
    scale: Vec<f64>,
    offset: f64,
    /// y = sign c of one row; of a contact (1) with this coefficient of friction.
    sign: f64,
    mu: Option<f64>,
    /// Where y is among the unknowns.
    at: usize,
}

/// Impulses of a relaxed problem, and the system that they are a root of.
pub(super) struct Relaxed {
    pub(super) lambda: Vec<f64>,
    /// ∂(equations)/∂(λ, y).
    jacobian: DMatrix<f64>,
    /// ∂ of the equations of y and of free rows by velocities of the rows.
    by_velocity: DMatrix<f64>,
    /// G + R.
    mobility: DMatrix<f64>,
}

/// The system of a problem.
struct System<'a> {
    problem: &'a ConstraintProblem,
    /// G + R.
    A: &'a DMatrix<f64>,
    g: DVector<f64>,
    pairs: Vec<Pair>,
    /// Rows by themselves, with their pairs: none of a free row, one of a limit, two of what is bounded.
    scalars: Vec<(usize, usize, usize)>,
    exact: bool,
    slip: f64,
    unknowns: usize,
}

/// Relaxes the problem of the law whose answer is `lambda`; `None` where Newton's method finds no root.
pub(super) fn relax(
    (problem, law): (&ConstraintProblem, Law),
    A: &DMatrix<f64>,
    lambda: &[f64],
    kappa: f64,
) -> Option<Relaxed> {
    let m = problem.rows();
    let mobility = (0..m).map(|r| A[(r, r)]).fold(f64::MIN_POSITIVE, f64::max);
    let most = lambda.iter().fold((kappa / mobility).sqrt(), |most, x| most.max(x.abs()));
    let mut system = System {
        problem,
        A,
        g: DVector::from_column_slice(&problem.free_velocity),
        pairs: Vec::new(),
        scalars: Vec::new(),
        exact: law == Law::Ncp,
        slip: kappa / most,
        unknowns: m,
    };
    system.list();
    let mut z = system.start(lambda, most, kappa);
    let mut now = system.mean(&z).max(kappa);
    for _ in 0..STEPS {
        let (residual, jacobian, _) = system.at(&z, now);
        let step = jacobian.lu().solve(&-residual)?;
        let share = system.within(&z, &step);
        let change = system.change(&z, &step, most);
        z += step * share;
        if !z.iter().all(|x| x.is_finite()) {
            return None;
        }
        if now <= kappa && share >= 1.0 && change <= SETTLED {
            let (_, jacobian, by_velocity) = system.at(&z, now);
            let lambda = z.as_slice()[..m].to_vec();
            return Some(Relaxed { lambda, jacobian, by_velocity, mobility: A.clone() });
        }
        if share >= HALF {
            now = (now * SHRINK).max(kappa);
        }
    }
    None
}

impl Relaxed {
    /// δλ where the velocities of the rows change by `d` at constant impulses, and by `turning` δλ: J M̂⁻¹ Jᵀ with
    /// the Coriolis forces that are of v⁺.
    pub(super) fn impulses(&self, d: &DMatrix<f64>, turning: &DMatrix<f64>) -> Option<DMatrix<f64>> {
        let mut jacobian = self.jacobian.clone();
        let mut by_impulses = jacobian.columns_mut(0, self.lambda.len());
        by_impulses += &self.by_velocity * (turning - &self.mobility);
        let solved = jacobian.lu().solve(&-(&self.by_velocity * d))?;
        Some(solved.rows(0, self.lambda.len()).into_owned())
    }
}

impl System<'_> {
    fn list(&mut self) {
        for i in 0..self.problem.len() {
            let range = self.problem.range(i);
            match self.problem.cone(i) {
                Cone::Free => self.scalar(range.start, f64::NEG_INFINITY, f64::INFINITY),
                Cone::NonNegative => self.scalar(range.start, 0.0, f64::INFINITY),
                Cone::Box { lo, hi } => self.scalar(range.start, lo, hi),
                Cone::Friction { mu } | Cone::Patch { mu, .. } => {
                    let normal = range.start + 2;
                    let rows: Vec<usize> =
                        std::iter::once(normal).chain(range.filter(|r| *r != normal)).collect();
                    let scale = std::iter::once(mu).chain(rows[1..].iter().map(|_| 1.0)).collect();
                    let at = self.unknowns;
                    self.unknowns += rows.len();
                    self.pairs.push(Pair { rows, scale, offset: 0.0, sign: 1.0, mu: Some(mu), at });
                }
            }
        }
    }

    /// Lists a row whose impulse is between two bounds, with a pair for each that is finite.
    fn scalar(&mut self, row: usize, lo: f64, hi: f64) {
        let first = self.pairs.len();
        let ends = [(1.0, -lo, 1.0), (-1.0, hi, -1.0)];
        for (scale, offset, sign) in ends.into_iter().filter(|e| e.1.is_finite()) {
            let (rows, scale, at) = (vec![row], vec![scale], self.unknowns);
            self.pairs.push(Pair { rows, scale, offset, sign, mu: None, at });
            self.unknowns += 1;
        }
        self.scalars.push((row, first, self.pairs.len()));
    }

    /// x of a pair, or how it changes.
    fn x(&self, pair: &Pair, z: &DVector<f64>, offset: f64) -> Vec<f64> {
        let mut x: Vec<f64> = pair.rows.iter().zip(&pair.scale).map(|(r, s)| s * z[*r]).collect();
        x[0] += offset;
        x
    }

    fn velocities(&self, z: &DVector<f64>) -> DVector<f64> {
        self.A * z.rows(0, self.problem.rows()) + &self.g
    }

    /// y of (1) where rows have the velocities c, and its derivative by those of the pair.
    fn y(&self, pair: &Pair, c: &DVector<f64>) -> (Vec<f64>, DMatrix<f64>) {
        let k = pair.rows.len();
        let of: Vec<f64> = pair.rows.iter().map(|r| c[*r]).collect();
        let Some(mu) = pair.mu else {
            return (vec![pair.sign * of[0]], DMatrix::from_element(1, 1, pair.sign));
        };
        let slip = (of[1..].iter().map(|u| u * u).sum::<f64>() + self.slip * self.slip).sqrt();
        let mut y: Vec<f64> = of.iter().map(|u| mu * u).collect();
        y[0] = of[0];
        let mut by = DMatrix::from_diagonal_element(k, k, mu);
        by[(0, 0)] = 1.0;
        if self.exact {
            y[0] += mu * slip;
            (1..k).for_each(|t| by[(0, t)] = mu * of[t] / slip);
        }
        (y, by)
    }

    /// A point within the cones.
    fn start(&self, lambda: &[f64], most: f64, kappa: f64) -> DVector<f64> {
        let mut z = DVector::zeros(self.unknowns);
        let mobility = |r: usize| self.A[(r, r)].max(f64::MIN_POSITIVE);
        z.rows_mut(0, lambda.len()).copy_from_slice(lambda);
        for i in 0..self.problem.len() {
            let range = self.problem.range(i);
            // What κ alone would press with.
            let least = (kappa / mobility(range.start)).sqrt().max(1e-3 * most);
            match self.problem.cone(i) {
                Cone::NonNegative => z[range.start] = z[range.start].max(0.0) + least,
                Cone::Box { lo, hi } => {
                    let room = if (hi - lo).is_finite() { 0.01 * (hi - lo) } else { least };
                    z[range.start] = z[range.start].max(lo + room).min(hi - room);
                }
                Cone::Friction { .. } | Cone::Patch { .. } => {
                    z[range.start + 2] = z[range.start + 2].max(0.0) * 1.05 + least;
                }
                Cone::Free => {}
            }
        }
        let c = self.velocities(&z);
        for pair in &self.pairs {
            let (y, _) = self.y(pair, &c);
            let away = y[1..].iter().map(|y| y * y).sum::<f64>().sqrt();
            let least = (kappa * mobility(pair.rows[0])).sqrt().max(1e-3 * most * mobility(pair.rows[0]));
            for (k, y) in y.iter().enumerate() {
                z[pair.at + k] = *y;
            }
            z[pair.at] = y[0].max(away + least);
        }
        z
    }

    /// xᵀy of a pair, on the mean of all.
    fn mean(&self, z: &DVector<f64>) -> f64 {
        let of = |pair: &Pair| {
            let x = self.x(pair, z, pair.offset);
            x.iter().enumerate().map(|(k, x)| x * z[pair.at + k]).sum::<f64>() / pair.mu.unwrap_or(1.0)
        };
        self.pairs.iter().map(of).sum::<f64>() / self.pairs.len().max(1) as f64
    }

    /// Residuals, their derivative by the unknowns, and that by velocities of the rows; equations of y and
    /// free rows are the first.
    fn at(&self, z: &DVector<f64>, kappa: f64) -> (DVector<f64>, DMatrix<f64>, DMatrix<f64>) {
        let (m, n) = (self.problem.rows(), self.unknowns);
        let c = self.velocities(z);
        let mut residual = DVector::zeros(n);
        let mut jacobian = DMatrix::zeros(n, n);
        let mut by_velocity = DMatrix::zeros(n, m);
        let mut next = 0;
        // c = p − n.
        for &(r, first, end) in &self.scalars {
            residual[next] = c[r];
            by_velocity[(next, r)] = 1.0;
            for pair in &self.pairs[first..end] {
                residual[next] -= pair.sign * z[pair.at];
                jacobian[(next, pair.at)] -= pair.sign;
            }
            next += 1;
        }
        for pair in &self.pairs {
            let k = pair.rows.len();
            if pair.mu.is_some() {
                let (y, by) = self.y(pair, &c);
                for i in 0..k {
                    residual[next] = y[i] - z[pair.at + i];
                    jacobian[(next, pair.at + i)] -= 1.0;
                    (0..k).for_each(|j| by_velocity[(next, pair.rows[j])] += by[(i, j)]);
                    next += 1;
                }
            }
            let x = self.x(pair, z, pair.offset);
            let y: Vec<f64> = (0..k).map(|i| z[pair.at + i]).collect();
            for i in 0..k {
                residual[next] = match i {
                    0 => x.iter().zip(&y).map(|(x, y)| x * y).sum::<f64>() - kappa * pair.mu.unwrap_or(1.0),
                    _ => x[0] * y[i] + y[0] * x[i],
                };
                for j in 0..k {
                    let (by_x, by_y) = match (i, j) {
                        (0, j) => (y[j], x[j]),
                        (i, 0) => (y[i], x[i]),
                        (i, j) if i == j => (y[0], x[0]),
                        _ => (0.0, 0.0),
                    };
                    jacobian[(next, pair.rows[j])] += by_x * pair.scale[j];
                    jacobian[(next, pair.at + j)] += by_y;
                }
                next += 1;
            }
        }
        let through = &by_velocity * self.A;
        let mut of_impulses = jacobian.columns_mut(0, m);
        of_impulses += through;
        (residual, jacobian, by_velocity)
    }

    /// The largest change by a step, of what is in cones relative to it, of the impulses of free rows to the
    /// largest.
    fn change(&self, z: &DVector<f64>, step: &DVector<f64>, most: f64) -> f64 {
        let of = |pair: &Pair| {
            let (x, dx) = (self.x(pair, z, pair.offset)[0], self.x(pair, step, 0.0)[0]);
            (dx / x).abs().max((step[pair.at] / z[pair.at]).abs())
        };
        let free = self.scalars.iter().filter(|s| s.1 == s.2).map(|s| step[s.0].abs() / most);
        self.pairs.iter().map(of).chain(free).fold(0.0, f64::max)
    }

    /// The share of a step that stays within the cones.
    fn within(&self, z: &DVector<f64>, step: &DVector<f64>) -> f64 {
        let mut share = 1.0_f64;
        for pair in &self.pairs {
            let (x, dx) = (self.x(pair, z, pair.offset), self.x(pair, step, 0.0));
            let k = pair.rows.len();
            let y: Vec<f64> = (0..k).map(|i| z[pair.at + i]).collect();
            let dy: Vec<f64> = (0..k).map(|i| step[pair.at + i]).collect();
            share = share.min(WITHIN * to_boundary(&x, &dx)).min(WITHIN * to_boundary(&y, &dy));
        }
        share
    }
}

/// The largest α with x + α d in the cone.
fn to_boundary(x: &[f64], d: &[f64]) -> f64 {
    let dot =
        |a: &[f64], b: &[f64]| a[0] * b[0] - a[1..].iter().zip(&b[1..]).map(|(a, b)| a * b).sum::<f64>();
    let (a, b, c) = (dot(d, d), dot(x, d), dot(x, x));
    let mut least = if d[0] < 0.0 { -x[0] / d[0] } else { f64::INFINITY };
    // a α² + 2 b α + c = 0.
    let discriminant = b * b - a * c;
    if discriminant >= 0.0 {
        let q = -(b + discriminant.sqrt().copysign(b));
        for root in [q / a, c / q] {
            if root.is_finite() && root > 0.0 {
                least = least.min(root);
            }
        }
    }
    least
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A contact that sticks, one that slides, a limit, and a bounded row, all coupled.
    fn problem(t: f64) -> (ConstraintProblem, DMatrix<f64>) {
        let mut problem = ConstraintProblem::default();
        problem.push(Cone::Friction { mu: 0.5 }, &[0.02 + 0.3 * t, -0.01, -0.2 + t]);
        problem.push(Cone::Friction { mu: 0.3 }, &[0.4, 0.1 - t, -0.3]);
        problem.push(Cone::NonNegative, &[-0.1 + 0.5 * t]);
        problem.push(Cone::Box { lo: -0.05, hi: 0.05 }, &[0.3]);
        problem.push(Cone::Free, &[0.1]);
        let m = problem.rows();
        let W = DMatrix::from_fn(m, m + 3, |i, j| ((3 * i + 7 * j + i * j) as f64).sin());
        (problem, &W * W.transpose() + DMatrix::identity(m, m))
    }

    /// δλ is that of differences of the roots, and roots approach an answer of the law in proportion to κ.
    #[test]
    fn relaxed_problems_are_differentiated() {
        let from = |lambda: &[f64], t: f64, kappa: f64| {
            let (problem, A) = problem(t);
            relax((&problem, Law::Ncp), &A, lambda, kappa).unwrap()
        };
        let answer = from(&[1.0; 9], 0.0, 1e-9).lambda;
        let of = |t: f64, kappa: f64| from(&answer, t, kappa);
        for kappa in [1e-3, 1e-5, 1e-7] {
            let (x, found) = (1e-5, of(0.0, kappa));
            let (ahead, back) = (of(x, kappa), of(-x, kappa));
            let mut d = DMatrix::zeros(found.lambda.len(), 1);
            (d[0], d[2], d[4], d[6]) = (0.3, 1.0, -1.0, 0.5);
            let ours = found.impulses(&d, &problem(0.0).1).unwrap();
            let size = ours.norm();
            for (k, ours) in ours.iter().enumerate() {
                let theirs = (ahead.lambda[k] - back.lambda[k]) / (2.0 * x);
                assert!((ours - theirs).abs() < 1e-4 * size, "{kappa}: {k}: {ours} is {theirs}");
            }
        }
        let [a, b, c] = [1e-6, 1e-7, 1e-8].map(|kappa| of(0.0, kappa).lambda);
        let apart = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
        let ratio = apart(&a, &b) / apart(&b, &c);
        assert!((5.0..20.0).contains(&ratio), "{ratio}");
    }
}
