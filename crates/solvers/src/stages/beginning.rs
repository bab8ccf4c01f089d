//! Stages that begin an island: what may be its answer at once, and the start of what follows.

use super::{Budget, Iterate, Outcome, Stage};
use crate::initial_guess::InitialGuesses;
use stiction_contact::SolveStatus;

/// Impulses of the step before.
pub(super) struct LastImpulses;

impl Stage for LastImpulses {
    fn run(&self, at: &mut Iterate<'_, '_>, _: Budget) -> Outcome {
        let problem = at.form.problem();
        if !InitialGuesses::repeat(problem, at.impulses) {
            return Outcome::GoesOn;
        }
        let (law, tolerance) = (at.rule.law(), at.tolerance);
        let impulses = &mut *at.impulses;
        let kept = at.ws.with_starts(problem, law, tolerance, |starts, task, _| starts.keep(task, impulses));
        match kept {
            Some(e) if !at.known.all && e <= at.params.settings.springs.rests => at.solved(0, e),
            _ => Outcome::GoesOn,
        }
    }
}

/// The nearest of the starts there are.
pub(super) struct Starts;

impl Stage for Starts {
    fn run(&self, at: &mut Iterate<'_, '_>, _: Budget) -> Outcome {
        if !at.known.started {
            at.known.started = true;
            at.reached.residual = at.choose();
        }
        if at.reached.residual.is_finite() {
            Outcome::GoesOn
        } else {
            Outcome::Ends(SolveStatus::NumericalFailure)
        }
    }
}

/// Impulses that hold all that touches.
pub(super) struct Hold;

impl Stage for Hold {
    fn run(&self, at: &mut Iterate<'_, '_>, _: Budget) -> Outcome {
        let problem = at.form.problem();
        if !at.known.started {
            problem.velocities_into(at.impulses, &mut at.ws.c);
        }
        match at.ws.hold(problem, (&at.params.settings, at.tolerance), at.impulses) {
            Some(e) => at.solved(1, e),
            None => Outcome::GoesOn,
        }
    }
}

impl Iterate<'_, '_> {
    /// The end of an island that so many steps have solved, to that residual.
    pub(super) fn solved(&mut self, steps: u32, residual: f64) -> Outcome {
        (self.reached.steps, self.reached.residual) = (steps, residual);
        self.watch.show(steps, self.impulses);
        Outcome::Ends(SolveStatus::Converged)
    }
}
