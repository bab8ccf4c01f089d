//! Of all impulses that solve a problem with the same velocities, the smallest.
//!
//! Where contacts are hyperstatic the exact law fixes velocities but not impulses. Given one solution λ*
//! with velocities c, the others with the same c are a convex set: open contacts stay empty, sliding ones on
//! their ray, sticking ones in their cone, and G λ = G λ*. This picks
//!
//! ```text
//!     min ½‖λ‖²   such that   λ ∈ C,   Bᵀ λ = Bᵀ λ*,   B = E W,   G = W Wᵀ                   (1)
//! ```
//!
//! E keeps of a block what may change: all of a sticking contact, its direction of a sliding one. Newton's method on the
//! dual finds it ([`dual`]), in the velocities of trees ([`crate::trees`]), whose coordinates are scaled to columns of B
//! of length one. Impulses that are nearly the smallest, as those of the step before are, stay. Else a step from λ*
//! towards the end of Newton's that stays in C keeps the velocities exactly, once what it does is taken out:
//!
//! ```text
//!     λ* − (1 − B (BᵀB)⁺ Bᵀ)(λ* − λ),   1 − B (BᵀB)⁺ Bᵀ ≈ (ε (ε + B Bᵀ)⁻¹)³                   (2)
//! ```
//!
//! Internal forces, which no velocity asks for, are gone as far as the cones let them. Each factorisation costs one of
//! [`crate::trees`]; where W is not known, rows² rank.

mod dual;

use crate::residual::StoppingResidual;
use crate::trees::{Equation, TreeSystem, knows_all};
use dual::Dual;
use stiction_contact::{BranchSparseRows, Cone, ConstraintProblem, Law, Root};
use stiction_dynamics::spatial::{Vec3, vec3};

/// ε of (2), and how often it damps [–].
const DAMPING: f64 = 1e-9;
const DAMPINGS: u32 = 3;
/// Impulses may leave their sets by this share of all before they are put back [–].
const OUTSIDE: f64 = 1e-12;
/// Less than this share of a row's square is rounding [–].
const ALONE: f64 = 1e-12;
/// Larger islands whose W is not known keep the impulses they have.
const MOST_ROWS: usize = 600;

/// What a block may change.
#[derive(Clone, Copy)]
enum Freedom {
    /// The whole block within its set.
    Set(Cone),
    /// Along the ray (t₁, t₂, n), by no less than nothing.
    Ray([f64; 3]),
}

impl Freedom {
    /// The ray of friction in this direction, no zero.
    fn along([x, y]: [f64; 2], mu: f64) -> Self {
        let (size, length) = (x.hypot(y), mu.hypot(1.0));
        Self::Ray([mu * x / (size * length), mu * y / (size * length), 1.0 / length])
    }

    /// Its rows, onto what they may be.
    fn project(self, rows: &mut [f64]) {
        match self {
            Self::Ray(ray) => {
                let along = dot(&ray, rows).max(0.0);
                rows.iter_mut().zip(ray).for_each(|(x, r)| *x = r * along);
            }
            Self::Set(cone) => cone.project(rows),
        }
    }
}

/// See the module; valid during one selection, but for what shows the next that nothing is to do.
#[derive(Default)]
pub(crate) struct MinimumNorm {
    root: Root,
    delassus_factor: BranchSparseRows,
    /// B Bᵀ, in scaled velocities.
    system: TreeSystem,
    scale: Vec<f64>,
    /// The blocks that may change, and how.
    free: Vec<(usize, Freedom)>,
    /// E λ*, and where it goes.
    given: Vec<f64>,
    x: Vec<f64>,
    inside: Vec<f64>,
    lambda: Vec<f64>,
    c: Vec<f64>,
    /// How many of the free blocks reach every coordinate.
    reached: Vec<u32>,
    dual: Dual,
}

impl MinimumNorm {
    /// Makes `impulses`, which solve `problem` to `tolerance`, as small as they can be, and returns their
    /// residual. They stay as they are where it would not keep the tolerance.
    pub(crate) fn select(
        &mut self,
        problem: &ConstraintProblem,
        stopping: &StoppingResidual,
        tolerance: f64,
        impulses: &mut [f64],
    ) -> f64 {
        problem.velocities_into(impulses, &mut self.c);
        let before = stopping.residual(problem, Law::Ncp, impulses, &self.c);
        let known = problem.delassus_factor.len() == problem.len();
        if !known && problem.rows() > MOST_ROWS {
            return before;
        }
        self.find_freedom(problem, stopping, impulses);
        if known {
            self.leave_what_sums_fix(problem);
        }
        if self.free.is_empty() {
            return before;
        }
        let Self { dual, free, given, .. } = &mut *self;
        if known && dual.nearly(&problem.delassus_factor, problem.row_start(), free, given) {
            return before;
        }
        if known {
            self.system.take(&problem.delassus_factor);
        } else {
            self.find_columns(problem);
            self.system.take(&self.delassus_factor);
        }
        self.find_scale();
        let Self { system, free, given, x, .. } = self;
        let far = self.dual.solve(system, problem.row_start(), free, given, x);
        let after = if far { self.move_to(problem, stopping, tolerance, before, impulses) } else { None };
        self.dual.keep(&self.scale, impulses);
        after.unwrap_or(before)
    }

    /// Of all impulses of `blocks` that are in their sets and act on velocities as `given` do, which may leave them, the smallest,
    /// into `out`; false where there are none, or contacts that resist turning or comply are among them.
    pub(crate) fn admissible(
        &mut self,
        problem: &ConstraintProblem,
        blocks: impl Iterator<Item = usize>,
        given: &[f64],
        out: &mut Vec<f64>,
    ) -> bool {
        self.free.clear();
        self.free.extend(blocks.map(|i| (i, Freedom::Set(problem.cone(i)))));
        let rigid = |i: usize| problem.compliance[problem.range(i)].iter().all(|r| *r == 0.0);
        if !self.free.iter().all(|f| rigid(f.0) && !matches!(problem.cone(f.0), Cone::Patch { .. })) {
            return false;
        }
        if knows_all(problem) {
            self.system.take(&problem.delassus_factor);
        } else if problem.rows() > MOST_ROWS {
            return false;
        } else {
            self.find_columns(problem);
            self.system.take(&self.delassus_factor);
        }
        self.find_scale();
        let Self { system, free, dual, .. } = self;
        dual.nearest(system, problem.row_start(), free, (given, 0.0), out)
    }

    /// Towards what the dual has found, as far as that may be; the residual there, if it is worth having.
    fn move_to(
        &mut self,
        problem: &ConstraintProblem,
        stopping: &StoppingResidual,
        tolerance: f64,
        before: f64,
        impulses: &mut [f64],
    ) -> Option<f64> {
        if !self.take_out(problem) {
            return None;
        }
        self.shorten(problem);
        self.lambda.clear();
        self.lambda.extend_from_slice(impulses);
        for &(i, freedom) in &self.free {
            let rows = &mut self.lambda[problem.range(i)];
            rows.copy_from_slice(&self.x[problem.range(i)]);
            freedom.project(rows);
        }
        problem.velocities_into(&self.lambda, &mut self.c);
        let after = stopping.residual(problem, Law::Ncp, &self.lambda, &self.c);
        if !(after <= tolerance.max(before)) {
            return None;
        }
        impulses.copy_from_slice(&self.lambda);
        Some(after)
    }

    /// Drops what outlives a selection.
    pub(crate) fn forget(&mut self) {
        self.kept_mut().clear();
    }

    /// What outlives a solve.
    pub(crate) fn kept_mut(&mut self) -> &mut Vec<f64> {
        self.dual.kept_mut()
    }

    /// What may change, by the pieces of the natural map, and E λ*. Compliant rows and rows at a side of their box do not.
    /// Which way a contact slides is told by the longer of its friction and its slip: what is left of the residual turns
    /// that less.
    fn find_freedom(&mut self, problem: &ConstraintProblem, stopping: &StoppingResidual, impulses: &[f64]) {
        self.free.clear();
        self.given.clear();
        self.given.resize(problem.rows(), 0.0);
        for (i, &cone) in problem.cones().iter().enumerate() {
            let rows = problem.range(i);
            if problem.compliance[rows.clone()].iter().any(|r| *r != 0.0) {
                continue;
            }
            let (lambda, c, rho) = (&impulses[rows.clone()], &self.c[rows.clone()], 1.0 / stopping.norms[i]);
            let freedom = match cone {
                Cone::Friction { mu } => {
                    let pushed = lambda[2] - rho * c[2];
                    if lambda[2] <= 0.0 || pushed <= 0.0 {
                        continue;
                    }
                    let [x, y] = [0, 1].map(|k| lambda[k] - rho * c[k]);
                    let (slip, friction) = (rho * c[0].hypot(c[1]), lambda[0].hypot(lambda[1]));
                    if mu == 0.0 || x.hypot(y) <= mu * (pushed - mu * slip) {
                        Freedom::Set(cone)
                    } else if slip > friction {
                        Freedom::along([-c[0], -c[1]], mu)
                    } else {
                        Freedom::along([lambda[0], lambda[1]], mu)
                    }
                }
                Cone::Patch { .. } => continue,
                Cone::Free | Cone::NonNegative | Cone::Box { .. } => {
                    let target = lambda[0] - rho * c[0];
                    let mut inside = [target];
                    cone.project(&mut inside);
                    if inside[0] != target {
                        continue;
                    }
                    Freedom::Set(cone)
                }
            };
            let given = &mut self.given[rows];
            match freedom {
                Freedom::Ray(ray) => {
                    let along = dot(&ray, lambda);
                    given.iter_mut().zip(ray).for_each(|(x, r)| *x = r * along);
                }
                Freedom::Set(_) => given.copy_from_slice(lambda),
            }
            self.free.push((i, freedom));
        }
    }

    /// Drops the single rows that alone reach some coordinate: their part in Bᵀ λ* leaves them no choice, as that of dry
    /// friction in joints beyond all contacts; and those that are then alone.
    fn leave_what_sums_fix(&mut self, problem: &ConstraintProblem) {
        let Self { free, given, reached, .. } = self;
        let delassus_factor = &problem.delassus_factor;
        let single = |i: usize| problem.range(i).len() == 1;
        if !free.iter().any(|f| single(f.0)) {
            return;
        }
        reached.clear();
        reached.resize(delassus_factor.coordinates(), 0);
        free.iter()
            .flat_map(|f| delassus_factor.terms(f.0))
            .for_each(|(coordinate, _)| reached[coordinate] += 1);
        let mut before = usize::MAX;
        while free.len() < before {
            before = free.len();
            free.retain(|&(i, _)| {
                let size: f64 = delassus_factor.terms(i).map(|(_, w)| w.x * w.x).sum();
                let alone = |(at, w): (usize, Vec3)| reached[at] == 1 && w.x * w.x > ALONE * size;
                let fixed = single(i) && delassus_factor.terms(i).any(alone);
                if fixed {
                    delassus_factor.terms(i).for_each(|(coordinate, _)| reached[coordinate] -= 1);
                    given[problem.range(i)].fill(0.0);
                }
                !fixed
            });
        }
    }

    /// W of one tree, from the root of G.
    fn find_columns(&mut self, problem: &ConstraintProblem) {
        let jacobian = &self.root.of_blocks(problem).jacobian;
        let columns =
            (0..problem.rows()).flat_map(|r| jacobian.entries(r)).map(|e| e.0 + 1).max().unwrap_or(0);
        self.delassus_factor.start(std::iter::once(0..columns));
        for i in 0..problem.len() {
            self.delassus_factor.push_block();
            let rows = problem.range(i);
            self.scale.clear();
            self.scale.resize(3 * columns, 0.0);
            for (k, row) in rows.enumerate().take(3) {
                jacobian.entries(row).for_each(|(column, value)| self.scale[3 * column + k] = value);
            }
            let terms = self.scale.as_chunks::<3>().0.iter().enumerate().rev();
            let terms = terms.filter(|(_, w)| **w != [0.0; 3]).map(|(c, &[x, y, z])| (c, vec3(x, y, z)));
            self.delassus_factor.push_segment(0, None, terms);
        }
    }

    /// Columns of B of length one.
    fn find_scale(&mut self) {
        let delassus_factor = self.system.delassus_factor();
        self.scale.clear();
        self.scale.resize(delassus_factor.coordinates(), 0.0);
        for &(i, freedom) in &self.free {
            for (coordinate, w) in delassus_factor.terms(i) {
                self.scale[coordinate] += match freedom {
                    Freedom::Ray([x, y, z]) => w.dot(vec3(x, y, z)).powi(2),
                    Freedom::Set(_) => w.dot(w),
                };
            }
        }
        self.scale.iter_mut().for_each(|s| *s = if *s > 0.0 { 1.0 / s.sqrt() } else { 0.0 });
        self.system.scale(&self.scale);
    }

    /// (2) into `x`; false if it cannot be factored.
    fn take_out(&mut self, problem: &ConstraintProblem) -> bool {
        let mut free = self.free.iter().peekable();
        let equations = (0..problem.len()).map(|i| {
            let &(_, freedom) = free.next_if(|f| f.0 == i)?;
            let (mut left, mut own) = ([[0.0; 3]; 3], [[0.0; 3]; 3]);
            (0..3).for_each(|k| own[k][k] = 1.0);
            match freedom {
                Freedom::Ray(ray) => {
                    for (r, c) in (0..9).map(|k| (k / 3, k % 3)) {
                        left[r][c] = ray[r] * ray[c];
                        own[r][c] += (DAMPING - 1.0) * left[r][c];
                    }
                }
                Freedom::Set(cone) => (0..cone.dim()).for_each(|k| (left[k][k], own[k][k]) = (1.0, DAMPING)),
            }
            Some(Equation { left, own })
        });
        if !self.system.factor(equations) {
            return false;
        }
        let Self { x, given, system, .. } = self;
        x.iter_mut().zip(&*given).for_each(|(x, given)| *x = given - *x);
        for _ in 0..DAMPINGS {
            system.solve(problem.row_start(), x);
            x.iter_mut().for_each(|x| *x *= DAMPING);
        }
        x.iter_mut().zip(&*given).for_each(|(x, given)| *x = given - *x);
        true
    }

    /// True if λ* + s (x − λ*) is in C, up to rounding.
    fn may_go(&mut self, problem: &ConstraintProblem, s: f64) -> bool {
        let Self { inside, given, x, free, .. } = self;
        inside.clear();
        inside.extend(given.iter().zip(&*x).map(|(a, b)| a + s * (b - a)));
        free.iter().for_each(|&(i, freedom)| freedom.project(&mut inside[problem.range(i)]));
        let left = inside.iter().zip(given.iter().zip(&*x));
        let outside = left.map(|(i, (a, b))| (i - a - s * (b - a)).powi(2)).sum::<f64>().sqrt();
        outside <= OUTSIDE * norm(given)
    }

    /// x ← λ* + s (x − λ*) with the largest s ≤ 1 that stays in C.
    fn shorten(&mut self, problem: &ConstraintProblem) {
        if self.may_go(problem, 1.0) {
            return;
        }
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..50 {
            let middle = 0.5 * (low + high);
            if self.may_go(problem, middle) { low = middle } else { high = middle }
        }
        self.x.iter_mut().zip(&self.given).for_each(|(x, a)| *x = a + low * (*x - a));
    }
}

fn norm(x: &[f64]) -> f64 {
    dot(x, x).sqrt()
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Dry friction in a chain of three joints, twice in the first: the sums fix that of the second and third, one after
    /// the other, and leave only what the first two share.
    #[test]
    fn what_sums_fix_is_left_out_and_the_rest_is_shared() {
        let mut problem = ConstraintProblem::default();
        problem.delassus_factor.start(std::iter::once(0..3));
        for reached in [1, 2, 3, 1] {
            problem.push(Cone::Box { lo: -1.0, hi: 1.0 }, &[0.0]);
            problem.delassus_factor.push_block();
            let column = |k: usize| vec3(1.0 + k as f64, 0.0, 0.0);
            problem.delassus_factor.push_segment(
                0,
                Some(reached - 1),
                (0..reached).rev().map(|k| (k, column(k))),
            );
        }
        let mut impulses = [0.5, 0.3, -0.2, 0.1];
        let mut c = Vec::new();
        problem.velocities_into(&impulses, &mut c);
        problem.free_velocity.iter_mut().zip(&c).for_each(|(g, c)| *g -= c);
        let mut stopping = StoppingResidual::default();
        stopping.prepare(&problem);
        let mut smallest = MinimumNorm::default();
        let left = smallest.select(&problem, &stopping, 1e-10, &mut impulses);
        assert!(left <= 1e-10, "{left:e}");
        assert_eq!(smallest.free.iter().map(|f| f.0).collect::<Vec<_>>(), [0, 3]);
        for (is, wanted) in impulses.iter().zip([0.3, 0.3, -0.2, 0.3]) {
            assert!((is - wanted).abs() < 1e-9, "{impulses:?}");
        }
    }
}
