//! Second-order finishes for the sweeps: what they are, and when each is tried.
//!
//! Sweeps find the active set and solve easy problems; a Newton step costs as much as many sweeps and
//! solves what sweeps cannot. The first attempt comes when the sweeps done have cost about an eighth of
//! one factorisation (after two for a quadruped), the next whenever the count has doubled:
//!
//! 1. [`newton`] from the active set of the present impulses;
//! 2. if that fails and sweeps have had [`PATIENCE`] tries, an interior method from a cold start, at most
//!    three times a solve, polished by 1. It needs no active set: [`crate::interior`] for the exact law and
//!    the convex relaxation, [`crate::facets`] for polygons.
//!
//! Before the first sweep come the factors of the last solve; and where the start is nearly an answer, as that of
//! bodies at rest, Newton at once. Both go deeper than asked: the impulses then do for many steps to come.

mod newton;

pub(crate) use newton::Newton;

use crate::facets::Facets;
use crate::interior::{COLD_STARTS, Interior};
use crate::iterate::Task;
use crate::measure::Measure;
use crate::sweep::Block;
use stiction_contact::{ConstraintProblem, Law};

/// Sweeps before an interior-point attempt.
const PATIENCE: u32 = 20;
/// Sweeps before any attempt on RaiSim's law: hyperstatic problems have several answers, and the one meant
/// is where the published sweeps go.
const RAISIM_PATIENCE: usize = 200;
/// Problems with more rows are left to the sweeps.
const MOST_ROWS: usize = 1500;
const NEWTON_STEPS: u32 = 20;
/// Starts this near are nearly answers [tolerances] …
const NEAR: f64 = 1e4;
/// … and are taken this deep, where the rows are few.
const DEEP: f64 = 1e-4;
const FEW_ROWS: usize = 300;
const DEEP_STEPS: u32 = 3;
const INTERIOR_STEPS: u32 = 60;

/// What a finish sees of a problem.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    pub(crate) problem: &'a ConstraintProblem,
    pub(crate) blocks: &'a [Block],
    pub(crate) measure: &'a Measure,
    pub(crate) law: Law,
}

impl View<'_> {
    pub(crate) fn residual(&self, lambda: &[f64], c: &[f64]) -> f64 {
        self.measure.residual(self.problem, self.law, lambda, c)
    }
}

/// How far a finish got.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reached {
    /// Residual of the impulses left behind [m/s].
    pub(crate) residual: f64,
    pub(crate) steps: u32,
}

/// When to stop.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Goal {
    /// Residual wanted [m/s].
    pub(crate) tolerance: f64,
    /// Of the solve, sweeps included.
    pub(crate) max_iterations: u32,
}

/// Workspaces and the schedule of one solve.
#[derive(Default)]
pub(crate) struct Finish {
    newton: Newton,
    interior: Interior,
    facets: Facets,
    /// Where the interior method goes.
    trial: Vec<f64>,
    /// Iterations at which to try next.
    next: u32,
    /// Interior-point attempts made.
    attempts: usize,
}

impl Finish {
    /// Sets the schedule for a problem.
    pub(crate) fn start(&mut self, problem: &ConstraintProblem, law: Law, on: bool) {
        let rows = problem.rows();
        let useful = on && rows <= MOST_ROWS;
        let entries: usize = (0..problem.len()).map(|i| problem.blocks.entries(i).len()).sum();
        let ratio = rows.pow(3) / (27 * entries).max(1);
        let first = if law == Law::Raisim { RAISIM_PATIENCE } else { 2 };
        self.next = if useful { (ratio / 8).clamp(first, 300) as u32 } else { u32::MAX };
        self.attempts = 0;
    }

    /// Improves `lambda` if it is time to; `None` if it is not or nothing came of it, apart from the
    /// steps counted into `iterations`.
    pub(crate) fn attempt(
        &mut self,
        view: &View,
        lambda: &mut [f64],
        current: f64,
        goal: Goal,
        iterations: &mut u32,
    ) -> Option<f64> {
        if *iterations < self.next {
            return None;
        }
        let mut e = self.newton(view, lambda, current, goal, iterations);
        let interior = view.law != Law::Raisim;
        if interior && e > goal.tolerance && self.attempts < COLD_STARTS.len() && self.next >= PATIENCE {
            // Polished even where it ends worse than the sweeps: its active set may be the right one.
            let start = COLD_STARTS[self.attempts];
            self.attempts += 1;
            let steps = INTERIOR_STEPS.min(goal.max_iterations.saturating_sub(*iterations));
            let mut trial = std::mem::take(&mut self.trial);
            trial.clear();
            trial.extend_from_slice(lambda);
            let reached = match view.law.polygon() {
                Some(_) => self.facets.solve(view, &mut trial, goal.tolerance, steps, start),
                None => self.interior(view, &mut trial, goal.tolerance, steps, start),
            };
            *iterations += reached.steps;
            let mut other = reached.residual;
            if other > goal.tolerance && other.is_finite() {
                other = self.newton(view, &mut trial, other, goal, iterations);
            }
            if other < e {
                e = other;
                lambda.copy_from_slice(&trial);
            }
            self.trial = trial;
        }
        self.next = (2 * *iterations).max(self.next);
        (e < current).then_some(e)
    }

    /// Before any sweep: by the factors of the last solve, while the pieces are the same, or new ones where
    /// the start is nearly an answer. `None` if nothing came of it. RaiSim's answer is where its sweeps go, so it never starts here.
    pub(crate) fn resume(
        &mut self,
        view: &View,
        lambda: &mut [f64],
        current: f64,
        goal: Goal,
        iterations: &mut u32,
    ) -> Option<f64> {
        if self.next == u32::MAX || view.law == Law::Raisim {
            return None;
        }
        let deep = DEEP * goal.tolerance;
        let mut reached = self.newton.chord(view, lambda, current, deep);
        *iterations += reached.steps;
        let few = lambda.len() <= FEW_ROWS;
        if few && reached.residual > goal.tolerance && current <= NEAR * goal.tolerance {
            reached = self.newton.solve(view, lambda, reached.residual, deep, DEEP_STEPS);
            *iterations += reached.steps;
        }
        (reached.residual < current).then_some(reached.residual)
    }

    /// Drops what outlives a solve.
    pub(crate) fn forget(&mut self) {
        self.newton.forget();
    }

    /// Replaces `lambda` by the best impulses met from a cold start, but for blocks that cannot change.
    fn interior(
        &mut self,
        view: &View,
        lambda: &mut [f64],
        tolerance: f64,
        max_steps: u32,
        scales: (f64, f64),
    ) -> Reached {
        let View { problem, measure, law, .. } = *view;
        let task = Task { problem, measure, law, tolerance };
        self.interior.start(&task, lambda, scales);
        let mut best = f64::INFINITY;
        for step in 1..=max_steps {
            let going = self.interior.step(&task);
            let e = view.residual(self.interior.impulses(), self.interior.velocities());
            if e < best {
                best = e;
                lambda.copy_from_slice(self.interior.impulses());
            }
            if !going || e.is_nan() || best <= tolerance {
                return Reached { residual: best, steps: step };
            }
        }
        Reached { residual: best, steps: max_steps }
    }

    fn newton(&mut self, view: &View, lambda: &mut [f64], e: f64, goal: Goal, iterations: &mut u32) -> f64 {
        let steps = NEWTON_STEPS.min(goal.max_iterations.saturating_sub(*iterations));
        let reached = self.newton.solve(view, lambda, e, goal.tolerance, steps);
        *iterations += reached.steps;
        reached.residual
    }
}
