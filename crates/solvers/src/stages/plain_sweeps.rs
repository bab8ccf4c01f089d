//! Sweeps and nothing else: what the Gauss–Seidel twins do without acceleration and finish.
//!
//! All blocks of the problem, in its order, in every sweep: (1) and (2) of [`crate::sweep`], from the nearest
//! start ([`crate::initial_guess`]), until the residual is within the tolerance or no iterations are left. A
//! sweep that changes no bit is the last one, as all that followed would do the same. Large islands of many
//! trees are swept by the factor W of G: the same iterates, up to rounding.

use super::{Budget, Iterate, Outcome, Stage, StartsFrom};
use crate::trees::TreeSystem;
use crate::view::Reached;
use stiction_contact::{ConstraintProblem, SolveReport, SolveStatus};

/// Sweeps alone, from the start; what is nearer stays.
pub(super) struct PlainSweeps;

impl Stage for PlainSweeps {
    fn run(&self, at: &mut Iterate<'_, '_>, budget: Budget) -> Outcome {
        let (mut start, mut formed) =
            (std::mem::take(&mut at.ws.swept), at.ws.rows.take().unwrap_or_default());
        let mut alone = at.on(None);
        alone.impulses = &mut start;
        (alone.max_iterations, alone.from) = (budget.steps, StartsFrom::Nearest);
        let last = by_sweeps_alone(&mut alone, &mut formed);
        at.reached.steps += last.iterations;
        if last.settled() || last.residual < at.reached.residual {
            at.impulses.copy_from_slice(&start);
            (at.status, at.reached.residual) = (last.status, last.residual);
        }
        (at.ws.swept, at.ws.rows) = (start, Some(formed));
        at.goes_on()
    }

    fn serves_springs(&self) -> bool {
        false
    }
}

/// Solves the problem by sweeps; `formed` holds it with its blocks, where it comes without.
pub(crate) fn by_sweeps_alone(at: &mut Iterate<'_, '_>, formed: &mut ConstraintProblem) -> SolveReport {
    at.rule.renew();
    at.ws.prepare(at.form.problem());
    at.reached = Reached { residual: at.choose(), steps: 0 };
    if !at.reached.residual.is_finite() {
        return at.report(SolveStatus::NumericalFailure);
    }
    at.watch.show(0, at.impulses);
    if at.reached.residual <= at.ws.enough(at.tolerance) {
        return at.report(SolveStatus::Converged);
    }
    let problem = at.form.problem();
    if problem.blocks_formed() || TreeSystem::pays(problem) {
        return sweep(&mut at.on(None));
    }
    formed.copy_rows_of(problem);
    if formed.form_blocks().is_err() {
        at.reached.residual = f64::NAN;
        return at.report(SolveStatus::NumericalFailure);
    }
    sweep(&mut at.on(Some(formed)))
}

/// Sweeps of a problem whose blocks are formed where they are needed.
fn sweep(at: &mut Iterate<'_, '_>) -> SolveReport {
    at.ws.prepare_sweeps(at.form.problem());
    at.ws.start_best(at.impulses, at.reached.residual);
    while at.reached.steps < at.max_iterations {
        at.sweep_once();
        at.watch.show(at.reached.steps, at.impulses);
        let residual = at.reached.residual;
        if !residual.is_finite() {
            let status = at.give_up(SolveStatus::NumericalFailure);
            return at.report(status);
        }
        at.ws.remember(at.impulses, residual);
        if residual <= at.tolerance {
            let hidden = at.ws.rounding_hides(at.form.problem(), at.impulses, at.tolerance);
            return at.report(if hidden { SolveStatus::Rounding } else { SolveStatus::Converged });
        }
        if at.ws.before == at.impulses {
            let status = at.give_up(SolveStatus::Stalled);
            return at.report(status);
        }
    }
    let status = at.give_up(SolveStatus::IterationLimit);
    at.report(status)
}
