//! Of all impulses that solve a problem with the same velocities, the smallest.
//!
//! Where contacts are hyperstatic the exact law fixes velocities but not impulses. Given one solution λ*
//! with velocities c, the others with the same c are a convex set: open contacts stay empty, sliding ones on
//! their ray, sticking ones in their cone, and G λ = G λ*. This picks
//!
//! ```text
//!     min ½‖λ‖²   such that   λ = E x,   x ∈ C,   Bᵀ x = Bᵀ x*,   B = Eᵀ J,   G = J Jᵀ        (1)
//! ```
//!
//! E spans what may change: three directions of a sticking contact, one of a sliding one. With Q an
//! orthonormal basis of the columns of B, Q Qᵀ x* is the answer without C; where that leaves a cone, Newton's
//! method on the dual finds it ([`dual`]; in velocities of trees Dykstra's projections from zero [Boyle1986]), and a
//! step from x* towards its end that stays in C keeps the velocities exactly. Internal forces, which no velocity asks
//! for, are gone as far as the cones let them. O(rows² rank).

mod dual;

use crate::measure::Measure;
use crate::trees::{Equation, TreeSystem};
use dual::Dual;
use stiction_contact::{Cone, ConstraintProblem, Law, Root};
use stiction_dynamics::spatial::vec3;

/// Slip slower than this many tolerances counts as none.
const SLIP: f64 = 100.0;
/// Columns that lose more of their length than this to the others are dependent [–].
const CUTOFF: f64 = 1e-10;
/// Dykstra's projections, at most.
const PROJECTIONS: u32 = 12;
/// In velocities, the share of ‖G_ii‖ below which a direction counts as one of the null space, and how often what is
/// above it is damped by its share.
const DAMPING: f64 = 1e-9;
const DAMPINGS: u32 = 3;
/// Impulses may leave their sets by this share of all before they are put back [–].
const OUTSIDE: f64 = 1e-12;
/// Larger islands whose G is not known by its factor keep the impulses they have.
const MOST_ROWS: usize = 600;

/// What a block may change.
#[derive(Clone, Copy)]
enum Freedom {
    /// The whole block within its set.
    Set(Cone),
    /// Along the ray (t₁, t₂, n), x ≥ 0.
    Ray([f64; 3]),
}

impl Freedom {
    /// Its numbers, the first of `x`, onto what it may be.
    fn project(self, x: &mut [f64]) {
        match self {
            Self::Ray(_) => x[0] = x[0].max(0.0),
            Self::Set(cone) => cone.project(&mut x[..cone.dim()]),
        }
    }
}

/// See the module; valid during one selection.
#[derive(Default)]
pub(crate) struct MinimumNorm {
    root: Root,
    /// (block, first number of x, what) of the blocks that may change.
    free: Vec<(usize, usize, Freedom)>,
    /// B by columns, and Q.
    columns: Vec<f64>,
    basis: Vec<f64>,
    x: Vec<f64>,
    /// x*.
    given: Vec<f64>,
    /// Q Qᵀ x*.
    least: Vec<f64>,
    /// Dykstra's correction of the projection on C.
    memory: Vec<f64>,
    trial: Vec<f64>,
    inside: Vec<f64>,
    lambda: Vec<f64>,
    c: Vec<f64>,
    /// Large islands: B Bᵀ + damping in velocities, and the damping.
    trees: TreeSystem,
    in_trees: bool,
    damping: f64,
    dual: Dual,
}

impl MinimumNorm {
    /// Makes `impulses`, which solve `problem` to `tolerance`, as small as they can be, and returns their
    /// residual. They stay as they are where it would not keep the tolerance.
    pub(crate) fn select(
        &mut self,
        problem: &ConstraintProblem,
        measure: &Measure,
        tolerance: f64,
        impulses: &mut [f64],
    ) -> f64 {
        problem.velocities_into(impulses, &mut self.c);
        let before = measure.residual(problem, Law::Ncp, impulses, &self.c);
        self.in_trees = TreeSystem::pays(problem);
        if !self.in_trees && problem.rows() > MOST_ROWS {
            return before;
        }
        self.find_freedom(problem, tolerance, impulses);
        let m = self.given.len();
        if self.in_trees {
            if !self.factor_trees(problem, measure) {
                return before;
            }
        } else {
            self.orthonormalise(problem, m);
            if self.basis.len() == m * m {
                return before; // nothing is hyperstatic
            }
        }
        let mut idle = std::mem::take(&mut self.trial);
        idle.clone_from(&self.given);
        self.keep_idle(problem, &mut idle);
        self.least.clear();
        self.least.extend(self.given.iter().zip(&idle).map(|(x, idle)| x - idle));
        self.trial = idle;
        self.x.clear();
        self.x.extend_from_slice(&self.least);
        if !self.admissible(1.0) {
            if self.in_trees {
                self.project(problem, m);
            } else {
                self.dual.solve(&self.free, &self.basis, &self.least, &mut self.x);
                let mut idle = std::mem::take(&mut self.x);
                self.keep_idle(problem, &mut idle);
                idle.iter_mut().zip(&self.least).for_each(|(x, l)| *x += l);
                self.x = idle;
            }
            self.shorten();
        }
        let mut x = std::mem::take(&mut self.x);
        self.onto_sets(&mut x);
        self.x = x;
        self.lambda.clear();
        self.lambda.extend_from_slice(impulses);
        spread(&self.free, problem, &self.x, &mut self.lambda);
        problem.velocities_into(&self.lambda, &mut self.c);
        let after = measure.residual(problem, Law::Ncp, &self.lambda, &self.c);
        if !(after <= tolerance.max(before)) {
            return before;
        }
        impulses.copy_from_slice(&self.lambda);
        after
    }

    /// What may change, and x*. Compliant rows and rows at a side of their box do not.
    fn find_freedom(&mut self, problem: &ConstraintProblem, tolerance: f64, impulses: &[f64]) {
        let slow = SLIP * tolerance;
        self.free.clear();
        self.given.clear();
        for (i, &cone) in problem.cones().iter().enumerate() {
            let rows = problem.range(i);
            if problem.compliance[rows.clone()].iter().any(|r| *r != 0.0) {
                continue;
            }
            let (lambda, c) = (&impulses[rows.clone()], &self.c[rows]);
            let place = self.given.len();
            match cone {
                Cone::Friction { mu } => {
                    let slip = c[0].hypot(c[1]);
                    if lambda[2] <= 0.0 || c[2] > slow {
                        continue;
                    }
                    if slip > slow && mu > 0.0 {
                        let length = (1.0 + mu * mu).sqrt();
                        let ray = [-mu * c[0] / (slip * length), -mu * c[1] / (slip * length), 1.0 / length];
                        self.given.push(ray.iter().zip(lambda).map(|(d, l)| d * l).sum());
                        self.free.push((i, place, Freedom::Ray(ray)));
                    } else {
                        self.given.extend_from_slice(lambda);
                        self.free.push((i, place, Freedom::Set(cone)));
                    }
                }
                Cone::Patch { .. } => {}
                _ => {
                    if c[0].abs() <= slow {
                        self.given.push(lambda[0]);
                        self.free.push((i, place, Freedom::Set(cone)));
                    }
                }
            }
        }
    }

    /// Q from the columns of B, by Gram–Schmidt done twice.
    fn orthonormalise(&mut self, problem: &ConstraintProblem, m: usize) {
        let Self { root, free, basis, trial, columns, .. } = self;
        basis.clear();
        columns.clear();
        let mut put = |column: usize, at: usize, value: f64| {
            if columns.len() < (column + 1) * m {
                columns.resize((column + 1) * m, 0.0);
            }
            columns[column * m + at] += value;
        };
        if problem.thin.len() == problem.len() {
            for &(i, place, freedom) in free.iter() {
                for (column, w) in problem.thin.terms(i) {
                    match freedom {
                        Freedom::Ray([x, y, z]) => put(column, place, w.dot(vec3(x, y, z))),
                        Freedom::Set(cone) => {
                            let w = w.to_array();
                            (0..cone.dim()).for_each(|k| put(column, place + k, w[k]));
                        }
                    }
                }
            }
        } else {
            let jacobian = &root.of_blocks(problem).jacobian;
            for &(i, place, freedom) in free.iter() {
                let r = problem.range(i).start;
                for k in 0..problem.cone(i).dim() {
                    for (column, value) in jacobian.entries(r + k) {
                        match freedom {
                            Freedom::Ray(ray) => put(column, place, ray[k] * value),
                            Freedom::Set(_) => put(column, place + k, value),
                        }
                    }
                }
            }
        }
        for column in columns.chunks_exact(m.max(1)) {
            trial.clear();
            trial.extend_from_slice(column);
            let length = norm(trial);
            for _ in 0..2 {
                for q in basis.chunks_exact(m) {
                    let along = dot(q, trial);
                    trial.iter_mut().zip(q).for_each(|(x, q)| *x -= along * q);
                }
            }
            let left = norm(trial);
            if left > CUTOFF * length && left > 0.0 {
                basis.extend(trial.iter().map(|x| x / left));
            }
        }
    }

    /// x onto C.
    fn onto_sets(&self, x: &mut [f64]) {
        for &(_, place, freedom) in &self.free {
            freedom.project(&mut x[place..]);
        }
    }

    /// True if x* + s (x − x*) is in C, up to rounding.
    fn admissible(&mut self, s: f64) -> bool {
        let mut inside = std::mem::take(&mut self.inside);
        inside.clear();
        inside.extend(self.given.iter().zip(&self.x).map(|(a, b)| a + s * (b - a)));
        self.onto_sets(&mut inside);
        let left = inside.iter().zip(self.given.iter().zip(&self.x));
        let outside = left.map(|(i, (a, b))| (i - a - s * (b - a)).powi(2)).sum::<f64>().sqrt();
        self.inside = inside;
        outside <= OUTSIDE * norm(&self.given)
    }

    /// x ← (1 − Q Qᵀ) x: what does nothing.
    fn keep_idle(&mut self, problem: &ConstraintProblem, x: &mut [f64]) {
        if !self.in_trees {
            for q in self.basis.chunks_exact(x.len().max(1)) {
                let along = dot(q, x);
                x.iter_mut().zip(q).for_each(|(x, q)| *x -= along * q);
            }
            return;
        }
        self.lambda.clear();
        self.lambda.resize(problem.rows(), 0.0);
        spread(&self.free, problem, x, &mut self.lambda);
        for _ in 0..DAMPINGS {
            self.trees.solve(problem.row_start(), &mut self.lambda);
            self.lambda.iter_mut().for_each(|l| *l *= self.damping);
        }
        for &(i, place, freedom) in &self.free {
            let rows = &self.lambda[problem.range(i)];
            match freedom {
                Freedom::Ray(ray) => x[place] = ray.iter().zip(rows).map(|(r, l)| r * l).sum(),
                Freedom::Set(_) => x[place..place + rows.len()].copy_from_slice(rows),
            }
        }
    }

    /// B Bᵀ + damping; false if it cannot be factored.
    fn factor_trees(&mut self, problem: &ConstraintProblem, measure: &Measure) -> bool {
        let damping = DAMPING * measure.norms.iter().fold(0.0, |m: f64, n| m.max(*n));
        self.damping = damping;
        let mut free = self.free.iter().peekable();
        let equations = (0..problem.len()).map(|i| {
            let &(_, _, freedom) = free.next_if(|f| f.0 == i)?;
            let (mut left, mut own) = ([[0.0; 3]; 3], [[0.0; 3]; 3]);
            (0..3).for_each(|k| own[k][k] = 1.0);
            match freedom {
                Freedom::Ray(ray) => {
                    for (r, c) in (0..9).map(|k| (k / 3, k % 3)) {
                        left[r][c] = ray[r] * ray[c];
                        own[r][c] += (damping - 1.0) * left[r][c];
                    }
                }
                Freedom::Set(cone) => (0..cone.dim()).for_each(|k| (left[k][k], own[k][k]) = (1.0, damping)),
            }
            Some(Equation { left, own })
        });
        self.trees.factor(problem, equations)
    }

    /// Dykstra's alternating projections of zero; x ends with the velocities of x*.
    fn project(&mut self, problem: &ConstraintProblem, m: usize) {
        let Self { x, trial, inside, memory, .. } = self;
        let [mut x, mut trial, mut before, mut memory] = [x, trial, inside, memory].map(std::mem::take);
        memory.clear();
        memory.resize(m, 0.0);
        let scale = norm(&self.given);
        for _ in 0..PROJECTIONS {
            before.clear();
            before.extend(x.iter().zip(&memory).map(|(x, p)| x + p));
            trial.clear();
            trial.extend_from_slice(&before);
            self.onto_sets(&mut trial);
            memory.iter_mut().zip(before.iter().zip(&trial)).for_each(|(p, (a, b))| *p = a - b);
            self.keep_idle(problem, &mut trial);
            trial.iter_mut().zip(&self.least).for_each(|(x, l)| *x += l);
            let moved = x.iter().zip(&trial).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
            std::mem::swap(&mut x, &mut trial);
            if moved <= 1e-14 * scale {
                break;
            }
        }
        (self.x, self.trial, self.inside, self.memory) = (x, trial, before, memory);
    }

    /// x ← x* + s (x − x*) with the largest s ≤ 1 that stays in C.
    fn shorten(&mut self) {
        if self.admissible(1.0) {
            return;
        }
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..50 {
            let middle = 0.5 * (low + high);
            if self.admissible(middle) { low = middle } else { high = middle }
        }
        self.x.iter_mut().zip(&self.given).for_each(|(x, a)| *x = a + low * (*x - a));
    }
}

/// x by rows.
fn spread(free: &[(usize, usize, Freedom)], problem: &ConstraintProblem, x: &[f64], lambda: &mut [f64]) {
    for &(i, place, freedom) in free {
        let rows = &mut lambda[problem.range(i)];
        match freedom {
            Freedom::Ray(ray) => rows.iter_mut().zip(ray).for_each(|(l, r)| *l = r * x[place]),
            Freedom::Set(_) => rows.copy_from_slice(&x[place..place + rows.len()]),
        }
    }
}

fn norm(x: &[f64]) -> f64 {
    dot(x, x).sqrt()
}

/// xᵀ y, in eight sums that do not wait for each other.
fn dot(x: &[f64], y: &[f64]) -> f64 {
    let (x, more) = x.as_chunks::<8>();
    let (y, rest) = y.as_chunks::<8>();
    let mut sums = [0.0; 8];
    for (x, y) in x.iter().zip(y) {
        (0..8).for_each(|k| sums[k] += x[k] * y[k]);
    }
    let [a, b, c, d, e, f, g, h] = sums;
    let tail: f64 = more.iter().zip(rest).map(|(x, y)| x * y).sum();
    ((a + e) + (b + f)) + ((c + g) + (d + h)) + tail
}
