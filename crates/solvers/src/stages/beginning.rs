//! Stages that begin an island: what may be its answer at once, and the start of what follows.

use super::{Budget, Iterate, Outcome, Stage};
use crate::initial_guess::InitialGuesses;
use crate::plan::{self, Line, Stage as Word, When};
use stiction_contact::{SolveReport, SolveStatus};

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

/// Where what slides under an answer only creeps: any admissible impulses that hold it, if there are some, by the
/// line `hold` of the table `island` that says so. A real contact, after a first micro-slip, holds by the stress
/// that the slip built up.
pub(crate) fn hold_what_creeps(at: &mut Iterate<'_, '_>, answer: SolveReport) -> SolveReport {
    let settings = &at.params.settings;
    let holds = |line: &&Line| line.stage == Word::Hold && line.when.contains(&When::Creeps);
    let Some(line) = settings.plan.island.iter().find(holds) else { return answer };
    if !answer.converged() || !at.holds(line, |facts| facts.creeps = true) {
        return answer;
    }
    let problem = at.form.problem();
    problem.velocities_into(at.impulses, &mut at.ws.c);
    if !settings.springs.creep_under(problem, (at.impulses, &at.ws.c), at.tolerance) {
        return answer;
    }
    let began = plan::clock();
    let held = at.ws.hold(problem, (settings, at.tolerance), at.impulses);
    plan::record(began, line, at.impulses.len(), 1, held.unwrap_or(answer.residual));
    held.map_or(answer, |residual| SolveReport { residual, ..answer })
}

impl Iterate<'_, '_> {
    /// The end of an island that so many steps have solved, to that residual.
    pub(super) fn solved(&mut self, steps: u32, residual: f64) -> Outcome {
        (self.reached.steps, self.reached.residual) = (steps, residual);
        self.watch.show(steps, self.impulses);
        Outcome::Ends(SolveStatus::Converged)
    }
}
