//! Interior-point iteration for the polyhedral laws.
//!
//! Friction is a sum over the n corners d_j of a polygon, λ_T = Σ β_j d_j. Signorini's law with maximum
//! dissipation over the polygon is then linear complementarity [StewartTrinkle1996],
//!
//! ```text
//!     0 ≤ λ_N ⟂ c_N ≥ 0,   0 ≤ β_j ⟂ d_j·c_T + ψ ≥ 0,   0 ≤ ψ ⟂ μ λ_N − Σ β_j ≥ 0       (1)
//! ```
//!
//! and so is the convex relaxation over the cone of the polygon, λ = Σ β_j (μ d_j, 1) [Anitescu2006],
//!
//! ```text
//!     0 ≤ β_j ⟂ μ d_j·c_T + c_N ≥ 0                                                     (2)
//! ```
//!
//! As a quadratic programme, "minimise Σ x y over the pairs, all x and y ≥ 0", (1) is not convex and (2) is.
//! The primal–dual method for that programme, started at equal multipliers, keeps them equal to x and y and
//! becomes Newton's on x y = κ, κ ↓ 0, with a predictor and a corrector [Mehrotra1992]. The pairs of a
//! block meet the others through three impulses only, so they are eliminated block by block,
//!
//! ```text
//!     L Δλ + W Δc = p   in every block,   (L + W A) Δλ = p,   A = G + R                 (3)
//! ```
//!
//! and a step costs ⅔ rows³ whatever the number of facets. With θ_j = β_j/s_j, s_j the partner of β_j,
//! (2) gives L = 1, W = Σ θ_j g_j g_jᵀ, g_j = (μ d_j, 1). In (1), with v the partner of ψ,
//! ω = ψ/(v + ψ Σ θ_j) and t = Σ θ_j d_j,
//!
//! ```text
//!     Δλ_T − ω μ t Δλ_N + (Σ θ_j d_j d_jᵀ − ω t tᵀ) Δc_T = p_T                          (4)
//!     s_N Δλ_N + λ_N Δc_N = p_N                                                         (5)
//! ```
//!
//! Variables are scaled by P = diag(‖A_ii‖^-½), one number per block. A needs no symmetry.

mod method;
mod velocities;

pub(crate) use method::{FacetsMethod, Steps};

use crate::dense::{Lu, zeros};
use crate::parameters::choice;
use crate::residual::StoppingResidual;
use crate::tuning::FacetsTuning;
use crate::view::{Reached, View};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use stiction_contact::{Cone, ConstraintProblem, Law};
use velocities::Velocities;

/// Which matrix a step factors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// A row per velocity; for the convex relaxation.
    Primal,
    /// A row per impulse: (3).
    #[default]
    Dual,
}
choice!(Form);

/// How a block enters; bounds in scaled impulses.
#[derive(Clone, Copy)]
enum Kind {
    /// (1); pairs: normal, corners, ψ.
    Facets { mu: f64 },
    /// (2); pairs: corners.
    Cone { mu: f64 },
    /// A scalar row, or the normal of a frictionless contact; a pair for every finite side.
    Bounds { lo: f64, hi: f64 },
    /// λ stays.
    Pinned,
}

/// See the module; vectors over rows or over pairs, holding during one solve.
#[derive(Default)]
pub(crate) struct Facets {
    form: Form,
    tuning: FacetsTuning,
    velocities: Velocities,
    kinds: Vec<Kind>,
    /// First pair of every block, and after them the number of pairs.
    first: Vec<usize>,
    corners: Vec<[f64; 2]>,
    /// P, per row.
    scale: Vec<f64>,
    lambda: Vec<f64>,
    c: Vec<f64>,
    x: Vec<f64>,
    y: Vec<f64>,
    /// What the y of a pair of a friction block lacks to what it stands for.
    lack: Vec<f64>,
    /// The same of a scalar block: c less what the y of its sides make.
    missing: Vec<f64>,
    /// Right-hand sides of x y = κ, linearised.
    target: Vec<f64>,
    dx: Vec<f64>,
    dy: Vec<f64>,
    lu: Lu,
    step: Vec<f64>,
    d_c: Vec<f64>,
    physical: Vec<f64>,
    candidate: Vec<f64>,
    /// The last step's length, and short steps in a row.
    taken: f64,
    short: u32,
}

impl Facets {
    /// Replaces `lambda` by the best impulses met; starts cold, but for blocks that cannot change.
    pub(crate) fn solve(
        &mut self,
        view: &View,
        lambda: &mut [f64],
        tolerance: f64,
        max_steps: u32,
        scales: (f64, f64),
    ) -> Reached {
        self.tuning = view.tuning.facets;
        self.start(view.problem, view.stopping, view.law, lambda, scales);
        let mut best = f64::INFINITY;
        for step in 1..=max_steps {
            let length = self.step(view.problem);
            let mut candidate = std::mem::take(&mut self.candidate);
            self.impulses_into(view.problem, view.law, &mut candidate);
            view.problem.velocities_into(&candidate, &mut self.d_c);
            let e = view.residual(&candidate, &self.d_c);
            if e < best {
                best = e;
                lambda.copy_from_slice(&candidate);
            }
            self.candidate = candidate;
            if best <= tolerance || length == 0.0 || self.stuck() || e.is_nan() {
                return Reached { residual: best, steps: step };
            }
        }
        Reached { residual: best, steps: max_steps }
    }

    /// Prepares for a problem: impulses along the axes of the cones, all pairs with one product, at
    /// `scales` times the problem's scales of impulse and speed. λ tells what blocks hold that cannot
    /// change.
    pub(crate) fn start(
        &mut self,
        problem: &ConstraintProblem,
        stopping: &StoppingResidual,
        law: Law,
        lambda: &[f64],
        scales: (f64, f64),
    ) {
        if self.form == Form::Primal {
            self.velocities.start(problem);
        }
        self.corners.clear();
        if let Some(polygon) = law.polygon() {
            self.corners.extend((0..polygon.corners()).map(|j| polygon.corner(j)));
        }
        self.list(problem, stopping, law);
        let pairs = self.first[problem.len()];
        for v in [&mut self.x, &mut self.y, &mut self.lack, &mut self.target, &mut self.dx, &mut self.dy] {
            zeros(v, pairs);
        }
        for v in [&mut self.step, &mut self.candidate] {
            zeros(v, problem.rows());
        }
        zeros(&mut self.missing, problem.len());
        self.lambda.clear();
        self.lambda.extend(lambda.iter().zip(&self.scale).map(|(l, p)| l / p));
        (self.taken, self.short) = (1.0, 0);
        self.put_inside(problem, scales);
        self.advance(problem, 0.0);
    }

    /// Lists the kinds of all blocks, their pairs and their scales.
    fn list(&mut self, problem: &ConstraintProblem, stopping: &StoppingResidual, law: Law) {
        let t = self.tuning;
        let n = self.corners.len();
        self.kinds.clear();
        self.first.clear();
        self.scale.clear();
        self.first.push(0);
        for (i, &cone) in problem.cones().iter().enumerate() {
            let (dim, p) = (cone.dim(), 1.0 / stopping.norms[i].sqrt());
            let inert = !(stopping.diagonal[i][4 * cone.normal()] > 0.0);
            let (kind, pairs) = match cone {
                _ if inert => (Kind::Pinned, 0),
                Cone::Friction { mu } if mu > t.smooth && convex(law) => (Kind::Cone { mu }, n),
                Cone::Friction { mu } if mu > t.smooth => (Kind::Facets { mu }, n + 2),
                Cone::Friction { .. } | Cone::NonNegative => (Kind::Bounds { lo: 0.0, hi: f64::INFINITY }, 1),
                Cone::Free => (Kind::Bounds { lo: f64::NEG_INFINITY, hi: f64::INFINITY }, 0),
                Cone::Box { lo, hi } if lo < hi => {
                    let sides = usize::from(lo.is_finite()) + usize::from(hi.is_finite());
                    (Kind::Bounds { lo: lo / p, hi: hi / p }, sides)
                }
                Cone::Box { .. } | Cone::Patch { .. } => (Kind::Pinned, 0),
            };
            self.kinds.push(kind);
            self.first.push(self.first[i] + pairs);
            self.scale.extend(std::iter::repeat_n(p, dim));
        }
    }

    /// Puts x and y well inside, at multiples of the problem's scales of impulse and speed.
    fn put_inside(&mut self, problem: &ConstraintProblem, scales: (f64, f64)) {
        let n = self.corners.len();
        let free = problem.free_velocity.iter().zip(&self.scale).map(|(g, p)| (g * p).abs());
        let speed = free.fold(f64::MIN_POSITIVE, f64::max);
        let (a, b) = (scales.0 * speed, scales.1 * speed);
        for (i, &kind) in self.kinds.iter().enumerate() {
            let pairs = self.first[i]..self.first[i + 1];
            let (x, lambda) = (&mut self.x[pairs], &mut self.lambda[problem.range(i)]);
            match kind {
                Kind::Facets { mu } => {
                    x.fill(mu * a / (n + 1) as f64);
                    x[0] = a;
                    x[n + 1] = (n + 1) as f64 * b / mu;
                }
                Kind::Cone { .. } => x.fill(a / n as f64),
                Kind::Bounds { lo, hi } => {
                    lambda.fill(0.0);
                    let last = lambda.len() - 1;
                    lambda[last] = match (lo.is_finite(), hi.is_finite()) {
                        (true, true) => lo + 0.5 * (hi - lo),
                        (true, false) => lo + a,
                        (false, true) => hi - a,
                        (false, false) => 0.0,
                    };
                    x.iter_mut().zip(sides(lo, hi)).for_each(|(x, (s, at))| *x = s * (lambda[last] - at));
                }
                Kind::Pinned => {}
            }
        }
        self.y.iter_mut().zip(&self.x).for_each(|(y, x)| *y = a * b / x);
    }

    /// Predictor and corrector; the share of the step that was taken, 0 if there is none.
    pub(crate) fn step(&mut self, problem: &ConstraintProblem) -> f64 {
        let t = self.tuning;
        let gap = self.gap(0.0);
        if !self.factor(problem) {
            return 0.0;
        }
        for k in 0..self.x.len() {
            self.target[k] = -self.x[k] * self.y[k];
        }
        self.direction(problem);
        let affine = self.length().min(1.0);
        let sigma = if gap > 0.0 { (self.gap(affine) / gap).clamp(1e-6, 1.0).powi(3) } else { 0.0 };
        // After a short step back towards the central path, without the corrector.
        let cramped = self.taken < t.cramped;
        let (sigma, second) = if cramped { (sigma.max(0.5), 0.0) } else { (sigma, 1.0) };
        for k in 0..self.x.len() {
            let product = self.x[k] * self.y[k] + second * self.dx[k] * self.dy[k];
            self.target[k] = sigma * gap - product;
        }
        self.direction(problem);
        let near = if affine > 0.9 { 1.0 - 0.1 * (1.0 - t.to_boundary) } else { t.to_boundary };
        let length = (near * self.length()).min(1.0);
        self.advance(problem, length);
        self.taken = length;
        self.short = if length < t.short { self.short + 1 } else { 0 };
        length
    }

    /// Sets which matrix to factor from now on, and the numbers of steps.
    pub(crate) fn set(&mut self, form: Form, tuning: FacetsTuning) {
        (self.form, self.tuning) = (form, tuning);
    }

    /// True when steps have become short.
    pub(crate) fn stuck(&self) -> bool {
        self.short >= self.tuning.short_steps
    }

    /// The present impulses, made admissible.
    pub(crate) fn impulses_into(&self, problem: &ConstraintProblem, law: Law, out: &mut [f64]) {
        out.copy_from_slice(&self.physical);
        law.project_all(problem, out);
    }
}

fn convex(law: Law) -> bool {
    matches!(law, Law::PolyhedralCcp { .. })
}

/// Finite sides of an interval: their sign and place.
fn sides(lo: f64, hi: f64) -> impl Iterator<Item = (f64, f64)> {
    [(1.0, lo), (-1.0, hi)].into_iter().filter(|s| s.1.is_finite())
}

impl Facets {
    /// Mean product of the pairs after a step of this length.
    fn gap(&self, length: f64) -> f64 {
        let pairs = self.x.iter().zip(&self.dx).zip(self.y.iter().zip(&self.dy));
        let sum: f64 = pairs.map(|((x, dx), (y, dy))| (x + length * dx) * (y + length * dy)).sum();
        sum / self.x.len().max(1) as f64
    }

    /// Largest step that keeps all pairs non-negative.
    fn length(&self) -> f64 {
        let all = self.x.iter().zip(&self.dx).chain(self.y.iter().zip(&self.dy));
        all.filter(|(_, d)| **d < 0.0).map(|(x, d)| -x / d).fold(f64::INFINITY, f64::min)
    }

    /// θ-sums of a friction block: Σ θ, Σ θ d, Σ θ d dᵀ (xx, xy, yy).
    fn sums(&self, first: usize) -> (f64, [f64; 2], [f64; 3]) {
        let (mut one, mut two, mut three) = (0.0, [0.0; 2], [0.0; 3]);
        for (j, d) in self.corners.iter().enumerate() {
            let theta = self.x[first + j] / self.y[first + j];
            one += theta;
            two = [two[0] + theta * d[0], two[1] + theta * d[1]];
            let squares = [d[0] * d[0], d[0] * d[1], d[1] * d[1]];
            (0..3).for_each(|k| three[k] += theta * squares[k]);
        }
        (one, two, three)
    }

    /// L and W of block i; a scalar block in the last row and column.
    fn weights(&self, i: usize) -> ([[f64; 3]; 3], [[f64; 3]; 3]) {
        let (first, n) = (self.first[i], self.corners.len());
        let one = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        match self.kinds[i] {
            Kind::Facets { mu } => {
                let (sum, t, tt) = self.sums(first + 1);
                let (psi, v) = (self.x[first + n + 1], self.y[first + n + 1]);
                let omega = psi / (v + psi * sum);
                let mut l = one;
                (l[0][2], l[1][2]) = (-omega * mu * t[0], -omega * mu * t[1]); // (4)
                l[2][2] = self.y[first]; // (5)
                let across = tt[1] - omega * t[0] * t[1];
                let w = [
                    [tt[0] - omega * t[0] * t[0], across, 0.0],
                    [across, tt[2] - omega * t[1] * t[1], 0.0],
                    [0.0, 0.0, self.x[first]],
                ];
                (l, w)
            }
            Kind::Cone { mu } => {
                let (sum, t, tt) = self.sums(first);
                let (t, m) = ([mu * t[0], mu * t[1]], mu * mu);
                (one, [[m * tt[0], m * tt[1], t[0]], [m * tt[1], m * tt[2], t[1]], [t[0], t[1], sum]])
            }
            Kind::Bounds { .. } => {
                let pairs = self.first[i]..self.first[i + 1];
                let (mut l, mut w) = (one, [[0.0; 3]; 3]);
                l[2][2] = pairs.map(|k| self.y[k] / self.x[k]).sum();
                w[2][2] = 1.0;
                (l, w)
            }
            Kind::Pinned => (one, [[0.0; 3]; 3]),
        }
    }

    /// The factors of a step, in the form asked for.
    fn factor(&mut self, problem: &ConstraintProblem) -> bool {
        if self.form == Form::Primal {
            let mut velocities = std::mem::take(&mut self.velocities);
            let factored =
                velocities.assemble(problem, &self.scale, self.tuning.bilateral, |i| self.weights(i));
            self.velocities = velocities;
            return factored;
        }
        self.assemble(problem);
        self.lu.factor()
    }

    /// The matrix of (3).
    fn assemble(&mut self, problem: &ConstraintProblem) {
        let nudge = self.tuning.nudge;
        self.lu.clear(problem.rows());
        for i in 0..problem.len() {
            let (l, w) = self.weights(i);
            let rows = problem.range(i);
            let (dim, from) = (rows.len(), 3 - rows.len());
            for (k, r) in rows.clone().enumerate() {
                let (l, w) = (&l[from + k], &w[from + k]);
                let out = self.lu.row_mut(r);
                for entry in problem.blocks.entries(i) {
                    let columns = problem.range(problem.blocks.column_of(entry));
                    let (width, g) = (columns.len(), problem.blocks.entry(entry));
                    for (m, column) in columns.enumerate() {
                        let sum: f64 = (0..dim).map(|b| w[from + b] * g[b * width + m]).sum();
                        out[column] = sum * self.scale[r] * self.scale[column];
                    }
                }
                for (b, column) in rows.clone().enumerate() {
                    let p = self.scale[column];
                    out[column] += l[from + b] + w[from + b] * (problem.compliance[column] * p * p + nudge);
                }
            }
        }
    }

    /// (3) for the present targets: Δλ, and the steps of all pairs.
    fn direction(&mut self, problem: &ConstraintProblem) {
        for i in 0..problem.len() {
            let p = self.right_side(i);
            let rows = problem.range(i);
            let from = 3 - rows.len();
            for (k, r) in rows.enumerate() {
                self.step[r] = p[from + k];
            }
        }
        let Self { form, velocities, lu, step, scale, physical, d_c, .. } = self;
        match form {
            Form::Primal => velocities.solve(problem, scale, step),
            Form::Dual => lu.solve(step),
        }
        physical.clear();
        physical.extend(step.iter().zip(scale.iter()).map(|(d, p)| d * p));
        problem.delassus_mul_into(physical, d_c);
        for (r, d) in d_c.iter_mut().enumerate() {
            *d = (*d + problem.compliance[r] * physical[r]) * scale[r];
        }
        for i in 0..problem.len() {
            self.spread(i, problem.range(i));
        }
    }

    /// (target − x lack)/y of a corner.
    fn pull(&self, k: usize) -> f64 {
        (self.target[k] - self.x[k] * self.lack[k]) / self.y[k]
    }

    /// Σ pull and Σ pull d over the corners.
    fn pulls(&self, first: usize) -> (f64, [f64; 2]) {
        let mut out = (0.0, [0.0; 2]);
        for (j, d) in self.corners.iter().enumerate() {
            let pull = self.pull(first + j);
            out = (out.0 + pull, [out.1[0] + pull * d[0], out.1[1] + pull * d[1]]);
        }
        out
    }

    /// Δψ for Δλ_N = 0 and Δc_T = 0.
    fn lone_slip(&self, first: usize, sum: f64, pull: f64) -> f64 {
        let last = first + self.corners.len() + 1;
        let (psi, v) = (self.x[last], self.y[last]);
        (self.target[last] + psi * (pull - self.lack[last])) / (v + psi * sum)
    }

    /// p of (3).
    fn right_side(&self, i: usize) -> [f64; 3] {
        let first = self.first[i];
        match self.kinds[i] {
            Kind::Facets { .. } => {
                let (sum, t, _) = self.sums(first + 1);
                let (pull, along) = self.pulls(first + 1);
                let slip = self.lone_slip(first, sum, pull);
                let normal = self.target[first] - self.x[first] * self.lack[first];
                [along[0] - t[0] * slip, along[1] - t[1] * slip, normal]
            }
            Kind::Cone { mu } => {
                let (pull, along) = self.pulls(first);
                [mu * along[0], mu * along[1], pull]
            }
            Kind::Bounds { lo, hi } => {
                let pairs = (first..self.first[i + 1]).zip(sides(lo, hi));
                let pull: f64 = pairs.map(|(k, (sign, _))| sign * self.target[k] / self.x[k]).sum();
                [0.0, 0.0, pull - self.missing[i]]
            }
            Kind::Pinned => [0.0; 3],
        }
    }

    /// The steps of the pairs of block i, whose rows these are.
    fn spread(&mut self, i: usize, rows: Range<usize>) {
        let (first, n) = (self.first[i], self.corners.len());
        let last = rows.end - 1;
        match self.kinds[i] {
            Kind::Facets { mu } => {
                let (sum, t, _) = self.sums(first + 1);
                let (pull, _) = self.pulls(first + 1);
                let end = first + n + 1;
                let omega = self.x[end] / (self.y[end] + self.x[end] * sum);
                let d_c = [self.d_c[rows.start], self.d_c[rows.start + 1]];
                let share = mu * self.step[last] + t[0] * d_c[0] + t[1] * d_c[1];
                let d_psi = self.lone_slip(first, sum, pull) - omega * share;
                let mut d_beta = 0.0;
                for (j, d) in self.corners.iter().enumerate() {
                    let k = first + 1 + j;
                    self.dy[k] = d[0] * d_c[0] + d[1] * d_c[1] + d_psi + self.lack[k];
                    self.dx[k] = (self.target[k] - self.x[k] * self.dy[k]) / self.y[k];
                    d_beta += self.dx[k];
                }
                (self.dx[first], self.dy[first]) = (self.step[last], self.d_c[last] + self.lack[first]);
                (self.dx[end], self.dy[end]) = (d_psi, mu * self.step[last] - d_beta + self.lack[end]);
            }
            Kind::Cone { mu } => {
                let d_c = [mu * self.d_c[rows.start], mu * self.d_c[rows.start + 1], self.d_c[last]];
                for (j, d) in self.corners.iter().enumerate() {
                    let k = first + j;
                    self.dy[k] = d[0] * d_c[0] + d[1] * d_c[1] + d_c[2] + self.lack[k];
                    self.dx[k] = (self.target[k] - self.x[k] * self.dy[k]) / self.y[k];
                }
            }
            Kind::Bounds { lo, hi } => {
                for (k, (sign, _)) in (first..self.first[i + 1]).zip(sides(lo, hi)) {
                    self.dx[k] = sign * self.step[last];
                    self.dy[k] = (self.target[k] - self.y[k] * self.dx[k]) / self.x[k];
                }
            }
            Kind::Pinned => {}
        }
    }

    /// A step of this length; then impulses, velocities and what the pairs lack.
    fn advance(&mut self, problem: &ConstraintProblem, length: f64) {
        self.x.iter_mut().zip(&self.dx).for_each(|(x, d)| *x += length * d);
        self.y.iter_mut().zip(&self.dy).for_each(|(y, d)| *y += length * d);
        for (i, &kind) in self.kinds.iter().enumerate() {
            let (rows, first) = (problem.range(i), self.first[i]);
            let last = rows.end - 1;
            let corners = match kind {
                Kind::Facets { .. } => first + 1,
                Kind::Cone { .. } => first,
                Kind::Bounds { .. } => {
                    self.lambda[last] += length * self.step[last];
                    continue;
                }
                Kind::Pinned => continue,
            };
            let (mut sum, mut t) = (0.0, [0.0; 2]);
            for (j, d) in self.corners.iter().enumerate() {
                let beta = self.x[corners + j];
                sum += beta;
                t = [t[0] + beta * d[0], t[1] + beta * d[1]];
            }
            let impulse = match kind {
                Kind::Cone { mu } => [mu * t[0], mu * t[1], sum],
                _ => [t[0], t[1], self.x[first]],
            };
            self.lambda[rows].copy_from_slice(&impulse);
        }
        self.physical.clear();
        self.physical.extend(self.lambda.iter().zip(&self.scale).map(|(l, p)| l * p));
        problem.velocities_into(&self.physical, &mut self.c);
        self.c.iter_mut().zip(&self.scale).for_each(|(c, p)| *c *= p);
        for i in 0..problem.len() {
            self.compare(i, problem.range(i));
        }
    }

    /// What the y of block i lack.
    fn compare(&mut self, i: usize, rows: Range<usize>) {
        let (first, n) = (self.first[i], self.corners.len());
        let c = &self.c[rows];
        match self.kinds[i] {
            Kind::Facets { mu } => {
                let end = first + n + 1;
                let psi = self.x[end];
                for (j, d) in self.corners.iter().enumerate() {
                    let k = first + 1 + j;
                    self.lack[k] = d[0] * c[0] + d[1] * c[1] + psi - self.y[k];
                }
                let sum: f64 = self.x[first + 1..end].iter().sum();
                self.lack[first] = c[2] - self.y[first];
                self.lack[end] = mu * self.x[first] - sum - self.y[end];
            }
            Kind::Cone { mu } => {
                for (j, d) in self.corners.iter().enumerate() {
                    self.lack[first + j] = mu * (d[0] * c[0] + d[1] * c[1]) + c[2] - self.y[first + j];
                }
            }
            Kind::Bounds { lo, hi } => {
                let pairs = (first..self.first[i + 1]).zip(sides(lo, hi));
                let held: f64 = pairs.map(|(k, (sign, _))| sign * self.y[k]).sum();
                self.missing[i] = c[c.len() - 1] - held;
            }
            Kind::Pinned => {}
        }
    }
}
