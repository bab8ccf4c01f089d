//! The smoothed law on an island, H(z; κ) = 0, and its Newton steps, which keep De Saxcé's derivative.
//!
//! A contact with x = T λ, T = diag(1, 1, μ), and z as in [`super::curve`], compliance r on λ − λ̂:
//!
//! ```text
//!     c = A λ + g + r (λ − λ̂),   λ = T⁻¹ x(z),   A = G + R
//!     H(z; κ) = (c_T − y_T,  c_N/μ + ‖c_T‖_ε − y_N)                                       (1)
//!     J_Y = ∂(c_T, c_N/μ + φ ‖c_T‖_ε)/∂c                                                  (2)
//!     N = J_Y (R + r) T⁻¹ P + (I − P)/ρ + s e₀ P₀,   P = ∂x/∂z,   s = ∂‖c_T‖_ε/∂x₀         (3)
//!     B = T⁻¹ P N⁻¹ J_Y,   Δλ + B G Δλ = T⁻¹ P N⁻¹ b,   Δz = N⁻¹ (b − J_Y G Δλ)           (4)
//! ```
//!
//! (4) solves ∂H/∂z Δz = b, in the velocities of trees where the factor of G is known; else it is solved by rows in Δz. φ < 1
//! weakens De Saxcé's derivative in the matrix alone. Scalar blocks are the same with T = J_Y = 1.

use super::curve::{Place, epsilon, place};
use crate::dense::{Lu, zeros};
use crate::interior::{Kind, kind};
use crate::task::Task;
use crate::trees::{Block, TreeSystem, inverse_of, product};
use stiction_contact::ConstraintProblem;
use stiction_contact::matrix3::spectral_norm;
use stiction_dynamics::lanes;

/// A point and what (1) makes of it.
#[derive(Clone, Default)]
pub(super) struct Point {
    /// The unknowns.
    pub(super) z: Vec<f64>,
    /// λ, inside the cones.
    pub(super) lambda: Vec<f64>,
    /// c, with what r adds.
    pub(super) c: Vec<f64>,
    /// H [m/s].
    pub(super) h: Vec<f64>,
    /// ‖H‖ [m/s].
    pub(super) merit: f64,
}

/// Derivatives of a block at a point.
#[derive(Clone, Copy, Default)]
struct Derivatives {
    /// J_Y.
    image: Block,
    /// T⁻¹ P.
    slope: Block,
    /// (I − P)/ρ + s e₀ P₀.
    own: Block,
    /// N⁻¹ of (3).
    inverse: Block,
}

/// The equations of an island and their factors; vectors hold during one solve.
#[derive(Default)]
pub(super) struct System {
    pub(super) kinds: Vec<Kind>,
    /// ‖A_ii‖₂ and ρ, by blocks.
    pub(super) norms: Vec<f64>,
    rho: Vec<f64>,
    /// r, by blocks, and λ̂.
    pub(super) proximal: Vec<f64>,
    pub(super) held: Vec<f64>,
    derivatives: Vec<Derivatives>,
    in_trees: bool,
    trees: TreeSystem,
    lu: Lu,
    /// A small problem that is given by the factor of G alone, with its blocks.
    formed: Option<Box<ConstraintProblem>>,
    step: Vec<f64>,
    moved: Vec<f64>,
}

impl System {
    /// Takes a problem; false if its blocks are needed and cannot be formed.
    pub(super) fn take(&mut self, task: &Task, rho: f64) -> bool {
        let problem = task.problem;
        self.kinds.clear();
        self.norms.clear();
        for (i, cone) in problem.cones().iter().enumerate() {
            let a = &task.stopping.diagonal[i];
            self.kinds.push(kind(cone, a));
            let norm = if problem.range(i).len() == 3 { spectral_norm(a) } else { a[0].abs() };
            self.norms.push(if norm > 0.0 { norm } else { task.stopping.norms[i] });
        }
        self.rho.clear();
        self.rho.extend(self.norms.iter().map(|n| rho / n));
        zeros(&mut self.proximal, problem.len());
        zeros(&mut self.held, problem.rows());
        self.in_trees = TreeSystem::pays(problem);
        if self.in_trees {
            self.trees.take(&problem.delassus_factor);
            return true;
        }
        if problem.blocks_formed() {
            return true;
        }
        let formed = self.formed.get_or_insert_default();
        formed.copy_rows_of(problem);
        formed.form_blocks().is_ok()
    }

    /// r of every block, as a share of ‖A_ii‖₂.
    pub(super) fn set_proximal(&mut self, share: f64) {
        self.proximal.iter_mut().zip(&self.norms).for_each(|(r, n)| *r = share * n);
    }

    /// z = T λ − ρ Y(c) at impulses λ with velocities c.
    pub(super) fn start(&self, task: &Task, lambda: &[f64], c: &[f64], z: &mut Vec<f64>) {
        lambda.clone_into(z);
        for (i, kind) in self.kinds.iter().enumerate() {
            let (r, rho) = (task.problem.range(i).start, self.rho[i]);
            match *kind {
                Kind::Lorentz(mu) => {
                    let t = c[r].hypot(c[r + 1]);
                    z[r] -= rho * c[r];
                    z[r + 1] -= rho * c[r + 1];
                    z[r + 2] = mu * z[r + 2] - rho * (c[r + 2] / mu + t);
                }
                Kind::Smooth => z[r + 2] -= rho * c[r + 2],
                Kind::NonNegative | Kind::Interval(..) => z[r] -= rho * c[r],
                Kind::Free | Kind::Pinned => {}
            }
        }
    }

    /// (1) at the z of `point`.
    pub(super) fn evaluate(&self, task: &Task, kappa: f64, point: &mut Point) {
        lanes::plain(
            #[inline(always)]
            || self.evaluate_plain(task, kappa, point),
        );
    }

    #[inline(always)]
    fn evaluate_plain(&self, task: &Task, kappa: f64, point: &mut Point) {
        let problem = task.problem;
        let Point { z, lambda, c, h, merit } = point;
        lambda.resize(z.len(), 0.0);
        h.resize(z.len(), 0.0);
        for (i, kind) in self.kinds.iter().enumerate() {
            let rows = problem.range(i);
            let mut x = place(kind, vector(&z[rows.clone()]), self.rho[i] * kappa).x;
            if let Kind::Lorentz(mu) = *kind {
                x[2] /= mu;
            }
            lambda[rows.clone()].copy_from_slice(&x[..rows.len()]);
        }
        problem.velocities_into(lambda, c);
        let mut sum = 0.0;
        for (i, kind) in self.kinds.iter().enumerate() {
            let (rows, rho, r) = (problem.range(i), self.rho[i], self.proximal[i]);
            for k in rows.clone() {
                c[k] += r * (lambda[k] - self.held[k]);
            }
            let k = rows.start;
            let out = &mut h[rows.clone()];
            out.fill(0.0);
            match *kind {
                Kind::Lorentz(mu) => {
                    let x = mu * lambda[k + 2];
                    let (e, _) = epsilon(x, kappa, rho * kappa);
                    let t = (c[k] * c[k] + c[k + 1] * c[k + 1] + e * e).sqrt();
                    out[0] = c[k] - (lambda[k] - z[k]) / rho;
                    out[1] = c[k + 1] - (lambda[k + 1] - z[k + 1]) / rho;
                    out[2] = c[k + 2] / mu + t - (x - z[k + 2]) / rho;
                }
                Kind::Smooth => out[2] = c[k + 2] - (lambda[k + 2] - z[k + 2]) / rho,
                Kind::NonNegative | Kind::Interval(..) => out[0] = c[k] - (lambda[k] - z[k]) / rho,
                Kind::Free => out[0] = c[k],
                Kind::Pinned => {}
            }
            sum += out.iter().map(|h| h * h).sum::<f64>();
        }
        *merit = sum.sqrt();
    }

    /// Velocities of the impulses of `point`, without what r adds.
    pub(super) fn true_velocities(&self, task: &Task, point: &Point, out: &mut Vec<f64>) {
        point.c.clone_into(out);
        for (i, r) in self.proximal.iter().enumerate() {
            for k in task.problem.range(i) {
                out[k] -= r * (point.lambda[k] - self.held[k]);
            }
        }
    }

    /// ‖r (λ − λ̂)‖ [m/s].
    pub(super) fn lag(&self, task: &Task, point: &Point) -> f64 {
        let mut sum = 0.0;
        for (i, r) in self.proximal.iter().enumerate() {
            let moved = |k: usize| r * (point.lambda[k] - self.held[k]);
            sum += task.problem.range(i).map(|k| moved(k) * moved(k)).sum::<f64>();
        }
        sum.sqrt()
    }

    /// Factors the matrix of Newton's step at `point`; false if it is singular.
    pub(super) fn factor(&mut self, task: &Task, kappa: f64, share: f64, point: &Point) -> bool {
        if !self.differentiate(task, kappa, share, point) {
            return false;
        }
        if self.in_trees {
            let Self { trees, derivatives, .. } = self;
            let equation = |d: &Derivatives| {
                let left = product(&product(&d.slope, &d.inverse), &d.image);
                Some(crate::trees::Equation { left, own: IDENTITY })
            };
            return trees.factor(derivatives.iter().map(equation));
        }
        self.assemble(task);
        self.lu.factor()
    }

    /// Derivatives of every block; false if one is singular.
    fn differentiate(&mut self, task: &Task, kappa: f64, share: f64, point: &Point) -> bool {
        let mut derivatives = std::mem::take(&mut self.derivatives);
        derivatives.clear();
        let regular = lanes::plain(
            #[inline(always)]
            || {
                (0..self.kinds.len()).all(
                    #[inline(always)]
                    |i| {
                        let found = self.derivatives_of(task, kappa, share, point, i);
                        derivatives.extend(found);
                        found.is_some()
                    },
                )
            },
        );
        self.derivatives = derivatives;
        regular
    }

    #[inline(always)]
    fn derivatives_of(
        &self,
        task: &Task,
        kappa: f64,
        share: f64,
        point: &Point,
        i: usize,
    ) -> Option<Derivatives> {
        let (rows, rho) = (task.problem.range(i), self.rho[i]);
        let (k, rk) = (rows.start, rho * kappa);
        let Place { x, slope: p } = place(&self.kinds[i], vector(&point.z[rows.clone()]), rk);
        let mut d = Derivatives { image: IDENTITY, slope: p, ..Derivatives::default() };
        for (r, own) in d.own.iter_mut().enumerate() {
            *own = std::array::from_fn(|c| (f64::from(r == c) - p[r][c]) / rho);
        }
        match self.kinds[i] {
            Kind::Lorentz(mu) => {
                let (e, by_leading) = epsilon(x[2], kappa, rk);
                let (u, v) = (point.c[k], point.c[k + 1]);
                let t = (u * u + v * v + e * e).sqrt();
                let over = if t > 0.0 { 1.0 / t } else { 0.0 };
                d.image[2] = [share * u * over, share * v * over, 1.0 / mu];
                d.slope[2] = d.slope[2].map(|x| x / mu);
                let s = e * over * by_leading;
                d.own[2].iter_mut().zip(&p[2]).for_each(|(own, p)| *own += s * p);
            }
            Kind::Smooth => (d.image[0], d.image[1]) = ([0.0; 3], [0.0; 3]),
            Kind::Free => d.own = [[0.0; 3], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
            Kind::NonNegative | Kind::Interval(..) => {}
            Kind::Pinned => d.image = [[0.0; 3]; 3],
        }
        let compliance = |m: usize| {
            let own = if m < rows.len() { task.problem.compliance[k + m] } else { 0.0 };
            own + self.proximal[i]
        };
        let mut firm = d.slope;
        firm.iter_mut().enumerate().for_each(|(m, row)| *row = row.map(|x| compliance(m) * x));
        let mut n = product(&d.image, &firm);
        n.iter_mut().flatten().zip(d.own.iter().flatten()).for_each(|(n, own)| *n += own);
        d.own = n;
        if self.in_trees {
            d.inverse = inverse_of(&n)?;
        }
        Some(d)
    }

    /// ∂H/∂z by rows.
    fn assemble(&mut self, task: &Task) {
        let problem = match &self.formed {
            Some(formed) if !task.problem.blocks_formed() => formed,
            _ => task.problem,
        };
        self.lu.clear(problem.rows());
        for i in 0..problem.len() {
            let (r, dim) = (problem.range(i).start, problem.range(i).len());
            let image = &self.derivatives[i].image;
            for k in problem.blocks.entries(i) {
                let j = problem.blocks.column_of(k);
                let columns = problem.range(j);
                let width = columns.len();
                let (g, slope) = (problem.blocks.entry(k), &self.derivatives[j].slope);
                for row in 0..dim {
                    let mut by_impulse = [0.0; 3];
                    for (m, weight) in image[row][..dim].iter().enumerate() {
                        for c in 0..width {
                            by_impulse[c] += weight * g[m * width + c];
                        }
                    }
                    let out = &mut self.lu.row_mut(r + row)[columns.clone()];
                    for (c, out) in out.iter_mut().enumerate() {
                        *out += (0..width).map(|m| by_impulse[m] * slope[m][c]).sum::<f64>();
                    }
                }
            }
            for (row, own) in self.derivatives[i].own[..dim].iter().enumerate() {
                let out = &mut self.lu.row_mut(r + row)[r..r + dim];
                out.iter_mut().zip(own).for_each(|(out, own)| *out += own);
            }
        }
    }

    /// Replaces b by Δz of (4), with the last factor.
    pub(super) fn solve(&mut self, task: &Task, b: &mut [f64]) {
        if !self.in_trees {
            self.lu.solve(b);
            return;
        }
        let starts = task.problem.row_start();
        let Self { trees, derivatives, step, moved, .. } = self;
        zeros(step, b.len());
        zeros(moved, b.len());
        for (d, rows) in derivatives.iter().zip(starts.windows(2)) {
            let own = times(&d.slope, times(&d.inverse, vector(&b[rows[0]..rows[1]])));
            step[rows[0]..rows[1]].copy_from_slice(&own[..rows[1] - rows[0]]);
        }
        trees.solve(starts, step);
        trees.moved_into(starts, moved);
        for (d, rows) in derivatives.iter().zip(starts.windows(2)) {
            let rows = rows[0]..rows[1];
            let by = times(&d.image, vector(&moved[rows.clone()]));
            let mut left = vector(&b[rows.clone()]);
            left.iter_mut().zip(by).for_each(|(b, by)| *b -= by);
            let dz = times(&d.inverse, left);
            b[rows.clone()].copy_from_slice(&dz[..rows.len()]);
        }
    }
}

const IDENTITY: Block = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

#[inline(always)]
fn vector(x: &[f64]) -> [f64; 3] {
    std::array::from_fn(|k| x.get(k).copied().unwrap_or(0.0))
}

#[inline(always)]
fn times(a: &Block, x: [f64; 3]) -> [f64; 3] {
    a.map(|row| row[0] * x[0] + row[1] * x[1] + row[2] * x[2])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::residual::StoppingResidual;
    use crate::testing::{stack, tuning, vec3, with_delassus_factor};
    use stiction_contact::Law;
    use stiction_contact::corpus::Random;

    fn with_system(problem: &ConstraintProblem, check: impl FnOnce(&Task, &mut System)) {
        let mut stopping = StoppingResidual::default();
        stopping.prepare(problem);
        let task = Task { problem, stopping: &stopping, law: Law::Ncp, tolerance: 1e-8 };
        let mut system = System::default();
        assert!(system.take(&task, tuning().smoothing.rho));
        check(&task, &mut system);
    }

    fn somewhere(problem: &ConstraintProblem, system: &mut System) -> Point {
        let mut random = Random(4);
        system.set_proximal(1e-3);
        system.held = (0..problem.rows()).map(|_| random.number()).collect();
        let z = (0..problem.rows()).map(|_| 0.3 * random.number()).collect();
        Point { z, ..Point::default() }
    }

    fn some_stack() -> ConstraintProblem {
        with_delassus_factor(stack(&[1.0, 3.0, 0.5], vec3(0.7, 0.2, 0.0), 0.6))
    }

    /// The matrix is the derivative of (1), by differences, and (4) in trees is the same as by rows.
    #[test]
    fn steps_invert_the_derivative() {
        let known = some_stack();
        let mut rows = known.clone();
        rows.delassus_factor.clear();
        let mut answers = Vec::new();
        for (problem, in_trees) in [(&known, true), (&rows, false)] {
            for kappa in [1e-3, 1e-7] {
                with_system(problem, |task, system| {
                    assert_eq!(system.in_trees, in_trees);
                    let mut point = somewhere(problem, system);
                    system.evaluate(task, kappa, &mut point);
                    assert!(system.factor(task, kappa, 1.0, &point));
                    let mut random = Random(9);
                    let b: Vec<f64> = (0..problem.rows()).map(|_| random.number()).collect();
                    let mut step = b.clone();
                    system.solve(task, &mut step);
                    let at = |s: f64| {
                        let z = point.z.iter().zip(&step).map(|(z, d)| z + s * d).collect();
                        let mut moved = Point { z, ..Point::default() };
                        system.evaluate(task, kappa, &mut moved);
                        moved.h
                    };
                    let largest = step.iter().fold(0.0_f64, |m, d| m.max(d.abs()));
                    let h = 1e-3 * kappa.sqrt() / largest;
                    let (more, less) = (at(h), at(-h));
                    for ((more, less), b) in more.iter().zip(&less).zip(&b) {
                        assert!(((more - less) / (2.0 * h) - b).abs() < 1e-4, "{kappa:e}, trees {in_trees}");
                    }
                    answers.push(step);
                });
            }
        }
        for k in 0..2 {
            let largest = answers[k].iter().fold(0.0_f64, |m, d| m.max(d.abs()));
            assert!(answers[k].iter().zip(&answers[k + 2]).all(|(a, b)| (a - b).abs() < 1e-9 * largest));
        }
    }
}
