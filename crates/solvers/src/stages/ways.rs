//! Ways that follow where Newton's method fails, each from these impulses or from a cold start.

use super::methods::Methods;
use super::{Budget, Ends, Iterate, Outcome, Stage};
use crate::interior::COLD_STARTS;
use crate::ncp_al::Start;
use crate::ncp_newton::Function;
use crate::path::Path;
use crate::plan::When;
use crate::smoothing;
use crate::task::Task;
use crate::tuning::{AttemptsTuning, Tuning};
use crate::view::{Reached, View};
use crate::work;

/// A way: where it goes, and for how long.
pub(super) trait Way {
    /// No other path need follow.
    const PATH: bool = false;
    /// It costs much: many sweeps come before it.
    const DEAR: bool = false;

    /// Steps, of a line that allows so many.
    fn steps(&self, _: &View, most: u32) -> u32 {
        most
    }

    /// A residual with what rounding may add.
    fn cautious(&self, e: f64, view: &View, (lambda, wanted): (&[f64], f64), scratch: &mut Vec<f64>) -> f64 {
        view.cautious(e, lambda, wanted, scratch)
    }

    /// From `lambda` to the best impulses met, of which it may be the so-manieth time.
    fn go(&self, methods: &mut Methods, view: &View, to: To<'_>, times: usize) -> Reached;
}

/// Impulses, the residual wanted of them [m/s], and steps at most.
pub(super) type To<'l> = (&'l mut Vec<f64>, f64, u32);

/// In the velocities of trees where that pays; `by_rows` bears smaller ε.
pub(super) struct ByPath {
    pub(super) by_rows: bool,
}

impl Way for ByPath {
    const PATH: bool = true;

    fn steps(&self, view: &View, _: u32) -> u32 {
        let (t, rows) = (&view.tuning.attempts, view.problem.rows());
        if Path::by_rows(view, self.by_rows) {
            return (t.path_cost / rows.max(1)).min(t.path_steps as usize) as u32;
        }
        if rows > view.tuning.islands.many { t.path_steps_many } else { t.path_steps }
    }

    fn cautious(&self, e: f64, _: &View, _: (&[f64], f64), _: &mut Vec<f64>) -> f64 {
        e // as the path knows it
    }

    fn go(&self, methods: &mut Methods, view: &View, (lambda, wanted, steps): To<'_>, _: usize) -> Reached {
        methods.path.solve(view, lambda, wanted, steps, self.by_rows)
    }
}

/// Newton's method on the smoothed law.
pub(super) struct SmoothedNewton;

impl Way for SmoothedNewton {
    fn go(&self, methods: &mut Methods, view: &View, to: To<'_>, _: usize) -> Reached {
        methods.follow(|m| &mut m.smoothed, &Function::FischerBurmeister, view, to)
    }
}

/// Augmented Lagrangian.
pub(super) struct Multipliers;

impl Way for Multipliers {
    fn go(&self, methods: &mut Methods, view: &View, to: To<'_>, _: usize) -> Reached {
        methods.follow(|m| &mut m.multipliers, &Start::DEFAULT, view, to)
    }
}

/// The smoothing homotopy, from no impulses whatever these are.
pub(super) struct Homotopy;

impl Way for Homotopy {
    fn go(&self, methods: &mut Methods, view: &View, to: To<'_>, _: usize) -> Reached {
        let Tuning { smoothing_start: start, smoothing: numbers, .. } = *view.tuning;
        methods.follow(|m| &mut m.smoothing, &smoothing::Homotopy { start, numbers }, view, to)
    }
}

/// Interior point method for round cones.
pub(super) struct ByInterior;

impl Way for ByInterior {
    const DEAR: bool = true;

    fn go(
        &self,
        methods: &mut Methods,
        view: &View,
        (lambda, tolerance, steps): To<'_>,
        times: usize,
    ) -> Reached {
        let View { problem, stopping, law, .. } = *view;
        let (task, interior) = (Task { problem, stopping, law, tolerance }, &mut methods.interior);
        interior.start(&task, lambda, cold(times));
        let mut best = f64::INFINITY;
        for step in 1..=steps {
            let going = interior.step(&task);
            let e = view.residual(interior.impulses(), interior.velocities());
            if e < best {
                best = e;
                lambda.copy_from_slice(interior.impulses());
            }
            if !going || e.is_nan() || best <= tolerance || work::spent() {
                return Reached { residual: best, steps: step };
            }
        }
        Reached { residual: best, steps }
    }
}

/// Interior point method for polygonal cones.
pub(super) struct ByFacets;

impl Way for ByFacets {
    const DEAR: bool = true;

    fn go(
        &self,
        methods: &mut Methods,
        view: &View,
        (lambda, wanted, steps): To<'_>,
        times: usize,
    ) -> Reached {
        methods.facets.solve(view, lambda, wanted, steps, cold(times))
    }
}

/// Scales of the so-manieth cold start.
fn cold(times: usize) -> (f64, f64) {
    COLD_STARTS[times.min(COLD_STARTS.len() - 1)]
}

impl<W: Way> Stage for W {
    /// Along the way from these impulses, and to its end; the best of both stays.
    fn run(&self, at: &mut Iterate<'_, '_>, budget: Budget) -> Outcome {
        let (from, tolerance, ends, times) = (at.reached.residual, at.tolerance, budget.ends, budget.times);
        let mut trial = at.trial();
        let mut e = at.along(self, &mut trial, tolerance, (budget.steps, times));
        let lost = ends == Ends::All && !e.is_finite();
        if e > tolerance && ends != Ends::Polished && !lost {
            let steps = at.newton_steps();
            e = at.newton_on(&mut trial, e, tolerance, steps);
            let path = at.is(When::Path) && !at.is(When::Large) && !W::PATH;
            if e > tolerance && path && ends == Ends::All {
                e = at.along(&ByPath { by_rows: true }, &mut trial, tolerance, (0, times));
            }
        } else if e <= tolerance && ends != Ends::Newton {
            // Even where it ends worse than the sweeps: its active set may be the right one.
            let AttemptsTuning { polishing_steps, deep, .. } = at.tuning().attempts;
            let steps = at.left(polishing_steps);
            e = at.newton_on(&mut trial, e, deep * tolerance, steps);
        }
        if e < from {
            at.impulses.copy_from_slice(&trial);
            at.reached.residual = e;
        }
        at.ws.methods.trial = trial;
        Outcome::GoesOn
    }

    fn patience(&self, tuning: &AttemptsTuning) -> u32 {
        if W::DEAR { tuning.patience } else { tuning.little_patience }
    }
}

/// From what may be nearly an answer, whose pieces Newton's method does not find: by the augmented
/// Lagrangian, which starts firmly there.
pub(super) struct FirmMultipliers;

impl Stage for FirmMultipliers {
    fn run(&self, at: &mut Iterate<'_, '_>, budget: Budget) -> Outcome {
        let (from, tolerance, steps) = (at.reached.residual, at.tolerance, at.left(budget.steps));
        let firm = Start { compliance: at.tuning().attempts.firm, ..Start::DEFAULT };
        let mut trial = at.trial();
        let (view, methods, lambda) = at.split();
        let mut reached =
            methods.follow(|m| &mut m.multipliers, &firm, &view, (&mut trial, tolerance, steps));
        reached.residual += view.rounding(&trial, tolerance, &mut methods.way[1]);
        if reached.residual < from {
            lambda.copy_from_slice(&trial);
        }
        methods.trial = trial;
        at.go_to(Reached { residual: reached.residual.min(from), ..reached });
        Outcome::GoesOn
    }
}

impl Iterate<'_, '_> {
    /// From `lambda` along a way to the best impulses met on it, of the steps that are left at most so many;
    /// their residual.
    pub(super) fn along(
        &mut self,
        way: &impl Way,
        lambda: &mut Vec<f64>,
        wanted: f64,
        (steps, times): (u32, usize),
    ) -> f64 {
        let steps = way.steps(&self.split().0, steps);
        let steps = self.left(steps);
        let (view, methods, _) = self.split();
        let Reached { residual, steps } = way.go(methods, &view, (lambda, wanted, steps), times);
        let e = way.cautious(residual, &view, (lambda, wanted), &mut methods.way[1]);
        self.reached.steps += steps;
        e
    }

    /// Replaces these impulses by the best that a way meets from there, with c to match.
    pub(super) fn replace_along(&mut self, way: &impl Way, wanted: f64, steps: u32) {
        self.known.sweeps = true;
        let mut trial = self.trial();
        self.reached.residual = self.along(way, &mut trial, wanted, (steps, 0));
        self.impulses.copy_from_slice(&trial);
        self.ws.methods.trial = trial;
        self.form.problem().velocities_into(self.impulses, &mut self.ws.c);
    }
}
