//! The interior method of the exact law and of its convex relaxation: [`crate::ncp_ipm`], and the finish of
//! what sweeps cannot do.
//!
//! With x = (λ_T, μ λ_N) and y = (c_T, c_N/μ + ‖c_T‖_ε), ‖v‖_ε = √(v² + ε²), a friction block reads
//! "x and y in the Lorentz cone, x ∘ y = 0" [Acary2018]. Jordan's product is x ∘ y = L(x) y, with
//! the arrow matrix L; scalar blocks are the same with cones of one dimension. One step solves
//!
//! ```text
//!     L(x) J_Y (G + R) Δλ + L(y) T Δλ = κ e − x ∘ Y(c) − Δx_a ∘ Δy_a          (1)
//!     Δx = T Δλ,   Δy = J_Y Δc + Y(c) − y,   T = diag(1, 1, μ)                (2)
//! ```
//!
//! where J_Y = ∂Y/∂c holds De Saxcé's correction inside the Newton matrix, once with κ = 0 (affine
//! step a) and once with κ = σ x·y/n and the second-order term [Mehrotra1992]. The step stops short
//! of the boundary; ε = ½ κ/x_N shrinks with κ. Long chains and mass ratios cost nothing extra: 10 to
//! 30 steps of ⅔ rows³ operations. G may be singular. Without ‖c_T‖_ε this is the convex relaxation; with
//! it the law is not convex and convergence not proven.

mod cones;

use crate::dense::Lu;
use crate::task::Task;
use crate::trees::{Equation, TreeSystem};
use cones::lorentz;
pub(crate) use cones::{Kind, jordan, kind};
use stiction_contact::Law;

/// Share of the way to the boundary a step may go [–].
const TO_BOUNDARY: f64 = 0.95;

/// What couplings lack of a diagonal of their own, where (1) is solved in velocities [‖A_ii‖].
const COUPLING: f64 = 1e-9;

/// Starting points, as multiples of the problem's scales of impulse and speed.
pub(crate) const COLD_STARTS: [(f64, f64); 3] = [(1.0, 1.0), (10.0, 10.0), (0.1, 1.0)];

/// See the module; all vectors are rows long and hold during one solve.
#[derive(Default)]
pub(crate) struct Interior {
    kinds: Vec<Kind>,
    lu: Lu,
    /// Large islands: the same in velocities.
    trees: TreeSystem,
    in_trees: bool,
    lambda: Vec<f64>,
    c: Vec<f64>,
    x: Vec<f64>,
    y: Vec<f64>,
    /// Multiplier of the upper side of a box; `y` holds the lower side's.
    z: Vec<f64>,
    /// Y(c).
    image: Vec<f64>,
    /// ∂‖c_T‖_ε/∂c_T of friction blocks, in their first two rows.
    slope: Vec<f64>,
    step: Vec<f64>,
    d_c: Vec<f64>,
    dx: Vec<f64>,
    dy: Vec<f64>,
    dz: Vec<f64>,
    /// Δx_a ∘ Δy_a, and the same of the upper side.
    second: Vec<f64>,
    second_z: Vec<f64>,
    /// Short steps in a row.
    stuck: u32,
}

impl Interior {
    /// One predictor–corrector step of (1). False if nothing more can be done: no factor, the boundary in
    /// the way again and again, or complementarity to the last bit.
    pub(crate) fn step(&mut self, task: &Task) -> bool {
        let gap = self.gap(task);
        self.linearise(task, gap);
        if !self.factor(task) {
            return false;
        }
        self.direction(task, 0.0, false);
        let affine = self.length(task).min(1.0);
        let after = self.gap_after(task, affine);
        let sigma = (after / gap).clamp(1e-6, 1.0).powi(3);
        self.keep_second_order(task);
        self.direction(task, sigma * gap, true);
        let to_boundary = if affine > 0.9 { 1.0 - 0.1 * (1.0 - TO_BOUNDARY) } else { TO_BOUNDARY };
        let length = (to_boundary * self.length(task)).min(1.0);
        self.advance(task, length);
        self.stuck = if length < 1e-3 { self.stuck + 1 } else { 0 };
        self.stuck < 5 && gap > 0.0
    }

    /// The impulses of the present point, inside their cones.
    pub(crate) fn impulses(&self) -> &[f64] {
        &self.lambda
    }

    /// Their velocities.
    pub(crate) fn velocities(&self) -> &[f64] {
        &self.c
    }

    /// A point on the central path but for Y(c) = y: impulses and velocities along the axes of the cones,
    /// `scales` times what stops the stiffest block and what g is.
    pub(crate) fn start(&mut self, task: &Task, lambda: &[f64], scales: (f64, f64)) {
        let n = lambda.len();
        self.kinds.clear();
        let diagonals = task.problem.cones().iter().zip(&task.stopping.diagonal);
        self.kinds.extend(diagonals.map(|(cone, a)| kind(cone, a)));
        self.stuck = 0;
        self.in_trees = TreeSystem::pays(task.problem);
        if self.in_trees {
            self.trees.take(&task.problem.delassus_factor);
        }
        self.lambda.clear();
        self.lambda.extend_from_slice(lambda);
        for v in [&mut self.x, &mut self.y, &mut self.z, &mut self.image, &mut self.slope, &mut self.step] {
            v.clear();
            v.resize(n, 0.0);
        }
        for v in [&mut self.dx, &mut self.dy, &mut self.dz, &mut self.second, &mut self.second_z] {
            v.clear();
            v.resize(n, 0.0);
        }
        let g = &task.problem.free_velocity;
        let rms = (g.iter().map(|g| g * g).sum::<f64>() / n as f64).sqrt().max(f64::MIN_POSITIVE);
        let (impulse, speed) = (scales.0 * self.stopping_impulse(task), scales.1 * rms);
        for i in 0..self.kinds.len() {
            let r = task.problem.range(i).start;
            match self.kinds[i] {
                Kind::Lorentz(_) | Kind::Smooth => {
                    self.lambda[r..r + 3].copy_from_slice(&[0.0, 0.0, impulse]);
                    self.y[r + 2] = speed;
                }
                Kind::NonNegative => (self.lambda[r], self.y[r]) = (impulse, speed),
                Kind::Interval(lo, hi) => {
                    let margin = (0.1 * (hi - lo)).min(impulse);
                    self.lambda[r] = 0.0_f64.clamp(lo + margin, hi - margin);
                    self.y[r] = if lo.is_finite() { speed } else { 0.0 };
                    self.z[r] = if hi.is_finite() { speed } else { 0.0 };
                }
                Kind::Free => self.lambda[r] = 0.0,
                Kind::Pinned => {}
            }
        }
        task.problem.velocities_into(&self.lambda, &mut self.c);
        self.set_x(task);
    }

    /// The largest number of −(G + R + ε)⁻¹ g, the impulses that would stop everything.
    fn stopping_impulse(&mut self, task: &Task) -> f64 {
        let problem = task.problem;
        self.lu.clear(problem.rows());
        for i in 0..problem.len() {
            let rows = problem.range(i);
            for k in problem.blocks.entries(i) {
                let columns = problem.range(problem.blocks.column_of(k));
                for (r, g) in rows.clone().zip(problem.blocks.entry(k).chunks_exact(columns.len())) {
                    self.lu.row_mut(r)[columns.clone()].copy_from_slice(g);
                }
            }
            for r in rows {
                self.lu.row_mut(r)[r] += problem.compliance[r] + 1e-8 * task.stopping.norms[i];
            }
        }
        self.step.copy_from_slice(&problem.free_velocity);
        if self.lu.factor() {
            self.lu.solve(&mut self.step);
        }
        let largest = self.step.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        if largest > 0.0 && largest.is_finite() { largest } else { 1.0 }
    }

    fn set_x(&mut self, task: &Task) {
        self.x.copy_from_slice(&self.lambda);
        for i in 0..self.kinds.len() {
            if let Kind::Lorentz(mu) = self.kinds[i] {
                self.x[task.problem.range(i).start + 2] *= mu;
            }
        }
    }

    /// Mean of x·y over the cones.
    fn gap(&self, task: &Task) -> f64 {
        self.gap_of(task, |v, _, k| v[k], 0.0)
    }

    /// Mean of (x + αΔx)·(y + αΔy).
    fn gap_after(&self, task: &Task, alpha: f64) -> f64 {
        self.gap_of(task, |v, d, k| v[k] + alpha * d[k], alpha)
    }

    fn gap_of(&self, task: &Task, at: impl Fn(&[f64], &[f64], usize) -> f64, alpha: f64) -> f64 {
        let (mut sum, mut cones) = (0.0, 0_u32);
        let product = |k: usize| at(&self.x, &self.dx, k) * at(&self.y, &self.dy, k);
        for i in 0..self.kinds.len() {
            let r = task.problem.range(i).start;
            let (value, count) = match self.kinds[i] {
                Kind::Lorentz(_) => (product(r) + product(r + 1) + product(r + 2), 1),
                Kind::NonNegative => (product(r), 1),
                Kind::Smooth => (product(r + 2), 1),
                Kind::Interval(lo, hi) => {
                    let l = self.lambda[r] + alpha * self.dx[r];
                    let low = if lo.is_finite() { (l - lo) * at(&self.y, &self.dy, r) } else { 0.0 };
                    let high = if hi.is_finite() { (hi - l) * at(&self.z, &self.dz, r) } else { 0.0 };
                    (low + high, u32::from(lo.is_finite()) + u32::from(hi.is_finite()))
                }
                Kind::Free | Kind::Pinned => (0.0, 0),
            };
            sum += value;
            cones += count;
        }
        if cones == 0 { 0.0 } else { sum / f64::from(cones) }
    }

    /// Y(c) and its slope.
    fn linearise(&mut self, task: &Task, gap: f64) {
        self.image.copy_from_slice(&self.c);
        for i in 0..self.kinds.len() {
            if let Kind::Lorentz(mu) = self.kinds[i] {
                let r = task.problem.range(i).start;
                let (u, v) = (self.c[r], self.c[r + 1]);
                let epsilon = 0.5 * gap / self.x[r + 2];
                // The convex relaxation has no correction.
                let t = match task.law {
                    Law::Ccp => 0.0,
                    _ => (u * u + v * v + epsilon * epsilon).sqrt(),
                };
                self.image[r + 2] = self.c[r + 2] / mu + t;
                let inverse = if t > 0.0 { 1.0 / t } else { 0.0 };
                self.slope[r] = u * inverse;
                self.slope[r + 1] = v * inverse;
            }
        }
    }

    /// The matrix of (1).
    fn factor(&mut self, task: &Task) -> bool {
        if self.in_trees {
            let mut trees = std::mem::take(&mut self.trees);
            let equation = |i: usize| {
                let mut e = self.equation(task, i);
                // Rigid couplings have none of their own.
                if let Kind::Free = self.kinds[i] {
                    e.own[0][0] += COUPLING * task.stopping.norms[i];
                }
                (task.problem.cone(i).dim()..3).for_each(|k| e.own[k][k] = 1.0);
                Some(e)
            };
            let factored = trees.factor((0..self.kinds.len()).map(equation));
            self.trees = trees;
            return factored;
        }
        self.assemble(task);
        self.lu.factor()
    }

    fn assemble(&mut self, task: &Task) {
        let problem = task.problem;
        self.lu.clear(problem.rows());
        for i in 0..self.kinds.len() {
            let (r, dim) = (problem.range(i).start, problem.range(i).len());
            let Equation { left, own } = self.equation(task, i);
            for k in problem.blocks.entries(i) {
                let j = problem.blocks.column_of(k);
                let (columns, g) = (problem.range(j), problem.blocks.entry(k));
                for (row, left) in left[..dim].iter().enumerate() {
                    let out = &mut self.lu.row_mut(r + row)[columns.clone()];
                    let width = out.len();
                    for (l, source) in left.iter().zip(g.chunks_exact(width)) {
                        if *l != 0.0 {
                            out.iter_mut().zip(source).for_each(|(o, g)| *o += l * g);
                        }
                    }
                }
            }
            for (row, own) in own[..dim].iter().enumerate() {
                let out = &mut self.lu.row_mut(r + row)[r..r + dim];
                out.iter_mut().zip(own).for_each(|(o, own)| *o += own);
            }
        }
    }

    /// Weights in (1): L(x) J_Y of G Δλ, and L(x) J_Y R + L(y) T of Δλ.
    fn equation(&self, task: &Task, i: usize) -> Equation {
        let rows = task.problem.range(i);
        let (r, dim) = (rows.start, rows.len());
        let (x, y) = (&self.x, &self.y);
        let (mut left, mut own) = ([[0.0; 3]; 3], [[0.0; 3]; 3]);
        match self.kinds[i] {
            Kind::Lorentz(mu) => {
                let [x1, x2, x0] = [x[r], x[r + 1], x[r + 2]];
                let [e1, e2] = [self.slope[r], self.slope[r + 1]];
                left[0] = [x1 * e1 + x0, x1 * e2, x1 / mu];
                left[1] = [x2 * e1, x2 * e2 + x0, x2 / mu];
                left[2] = [x0 * e1 + x1, x0 * e2 + x2, x0 / mu];
                let [y1, y2, y0] = [y[r], y[r + 1], y[r + 2]];
                own = [[y0, 0.0, mu * y1], [0.0, y0, mu * y2], [y1, y2, mu * y0]];
            }
            Kind::NonNegative => (left[0][0], own[0][0]) = (x[r], y[r]),
            Kind::Smooth => {
                (left[2][2], own[2][2]) = (x[r + 2], y[r + 2]);
                (own[0][0], own[1][1]) = (1.0, 1.0);
            }
            Kind::Free => left[0][0] = 1.0,
            Kind::Interval(lo, hi) => {
                let (low, high) = self.sides(r, lo, hi);
                (left[0][0], own[0][0]) = (1.0, low * y[r] + high * self.z[r]);
            }
            Kind::Pinned => (0..dim).for_each(|k| own[k][k] = 1.0),
        }
        for col in 0..dim {
            let compliance = task.problem.compliance[r + col];
            (0..dim).for_each(|row| own[row][col] += left[row][col] * compliance);
        }
        Equation { left, own }
    }

    /// One over the distances to the sides of a box, zero where there is none.
    fn sides(&self, r: usize, lo: f64, hi: f64) -> (f64, f64) {
        let l = self.lambda[r];
        let low = if lo.is_finite() { 1.0 / (l - lo) } else { 0.0 };
        let high = if hi.is_finite() { 1.0 / (hi - l) } else { 0.0 };
        (low, high)
    }

    /// Δλ of (1), then (2).
    fn direction(&mut self, task: &Task, kappa: f64, corrected: bool) {
        for i in 0..self.kinds.len() {
            let r = task.problem.range(i).start;
            let second = |k: usize| if corrected { self.second[k] } else { 0.0 };
            match self.kinds[i] {
                Kind::Lorentz(_) => {
                    let xy = jordan(&self.x[r..r + 3], &self.image[r..r + 3]);
                    for (k, xy) in xy.into_iter().enumerate() {
                        let target = if k == 2 { kappa } else { 0.0 };
                        self.step[r + k] = target - xy - second(r + k);
                    }
                }
                Kind::NonNegative => self.step[r] = kappa - self.x[r] * self.c[r] - second(r),
                Kind::Smooth => {
                    self.step[r] = 0.0;
                    self.step[r + 1] = 0.0;
                    self.step[r + 2] = kappa - self.x[r + 2] * self.c[r + 2] - second(r + 2);
                }
                Kind::Interval(lo, hi) => {
                    let (low, high) = self.sides(r, lo, hi);
                    let second_z = if corrected { self.second_z[r] } else { 0.0 };
                    self.step[r] = -self.c[r] + (kappa - second(r)) * low - (kappa - second_z) * high;
                }
                Kind::Free => self.step[r] = -self.c[r],
                Kind::Pinned => self.step[task.problem.range(i)].fill(0.0),
            }
        }
        if self.in_trees {
            self.trees.solve(task.problem.row_start(), &mut self.step);
        } else {
            self.lu.solve(&mut self.step);
        }
        task.problem.delassus_mul_into(&self.step, &mut self.d_c);
        for ((d, r), s) in self.d_c.iter_mut().zip(&task.problem.compliance).zip(&self.step) {
            *d += r * s;
        }
        for i in 0..self.kinds.len() {
            let r = task.problem.range(i).start;
            self.dx[task.problem.range(i)].copy_from_slice(&self.step[task.problem.range(i)]);
            match self.kinds[i] {
                Kind::Lorentz(mu) => {
                    self.dx[r + 2] *= mu;
                    let (u, v, w) = (self.d_c[r], self.d_c[r + 1], self.d_c[r + 2]);
                    let image = [u, v, w / mu + self.slope[r] * u + self.slope[r + 1] * v];
                    for (k, d) in image.into_iter().enumerate() {
                        self.dy[r + k] = d + self.image[r + k] - self.y[r + k];
                    }
                }
                Kind::NonNegative => self.dy[r] = self.d_c[r] + self.c[r] - self.y[r],
                Kind::Smooth => self.dy[r + 2] = self.d_c[r + 2] + self.c[r + 2] - self.y[r + 2],
                Kind::Interval(lo, hi) => {
                    let (low, high) = self.sides(r, lo, hi);
                    let (a, b) = if corrected { (self.second[r], self.second_z[r]) } else { (0.0, 0.0) };
                    let d = self.step[r];
                    self.dy[r] = (kappa - a) * low - self.y[r] * (1.0 + d * low);
                    self.dz[r] = (kappa - b) * high - self.z[r] * (1.0 - d * high);
                }
                Kind::Free | Kind::Pinned => {}
            }
        }
    }

    fn keep_second_order(&mut self, task: &Task) {
        for i in 0..self.kinds.len() {
            let r = task.problem.range(i).start;
            match self.kinds[i] {
                Kind::Lorentz(_) => {
                    let product = jordan(&self.dx[r..r + 3], &self.dy[r..r + 3]);
                    self.second[r..r + 3].copy_from_slice(&product);
                }
                Kind::NonNegative => self.second[r] = self.dx[r] * self.dy[r],
                Kind::Smooth => self.second[r + 2] = self.dx[r + 2] * self.dy[r + 2],
                Kind::Interval(..) => {
                    self.second[r] = self.dx[r] * self.dy[r];
                    self.second_z[r] = -self.dx[r] * self.dz[r];
                }
                Kind::Free | Kind::Pinned => {}
            }
        }
    }

    /// Largest step that stays inside all cones.
    fn length(&self, task: &Task) -> f64 {
        let scalar = |x: f64, d: f64| if d < 0.0 { -x / d } else { f64::INFINITY };
        let mut length = f64::INFINITY;
        for i in 0..self.kinds.len() {
            let r = task.problem.range(i).start;
            let l = match self.kinds[i] {
                Kind::Lorentz(_) => lorentz(&self.x[r..r + 3], &self.dx[r..r + 3])
                    .min(lorentz(&self.y[r..r + 3], &self.dy[r..r + 3])),
                Kind::NonNegative => scalar(self.x[r], self.dx[r]).min(scalar(self.y[r], self.dy[r])),
                Kind::Smooth => {
                    scalar(self.x[r + 2], self.dx[r + 2]).min(scalar(self.y[r + 2], self.dy[r + 2]))
                }
                Kind::Interval(lo, hi) => {
                    let l = self.lambda[r];
                    let primal = scalar(l - lo, self.dx[r]).min(scalar(hi - l, -self.dx[r]));
                    primal.min(scalar(self.y[r], self.dy[r])).min(scalar(self.z[r], self.dz[r]))
                }
                Kind::Free | Kind::Pinned => f64::INFINITY,
            };
            length = length.min(l);
        }
        length
    }

    fn advance(&mut self, task: &Task, length: f64) {
        for (v, d) in [(&mut self.lambda, &self.step), (&mut self.y, &self.dy), (&mut self.z, &self.dz)] {
            v.iter_mut().zip(d).for_each(|(v, d)| *v += length * d);
        }
        self.set_x(task);
        task.problem.velocities_into(&self.lambda, &mut self.c);
    }
}
