//! No answer with restitution: the problem without it.
//!
//! Bodies that bounce between others may have no velocity at which all contacts part as Newton's law asks. Then nothing
//! bounces in this step: v = 0 is admissible in every row, and an answer exists [Acary2011].

use super::rounding::press_too_much;
use super::{Remedy, Solving};
use crate::stepping::Trial;
use stiction_contact::{SolveReport, SolveStatus};

/// Where the solver found no answer, or doubtful ones, and contacts bounce: without restitution, if that has an answer.
pub(super) fn apply(s: &mut Solving<'_>, trial: &mut Trial) -> Option<Remedy> {
    let doubtful = match trial.report.status {
        SolveStatus::Rounding => press_too_much(s.world, &s.posed.problem, &trial.impulses),
        SolveStatus::IterationLimit | SolveStatus::Stalled => true,
        SolveStatus::Converged | SolveStatus::NumericalFailure => false,
    };
    let needs = s.solver.needs();
    if !doubtful || !s.posed.bounces() || needs.softness || needs.primal {
        return None;
    }
    s.other.set_to(trial);
    s.posed.set_restitution(0.0);
    trial.impulses.fill(0.0);
    s.solver.forget();
    let report = s.run(&mut trial.impulses);
    if report.settled() {
        trial.restitution = 0.0;
        trial.report = SolveReport { iterations: trial.report.iterations + report.iterations, ..report };
        return Some(Remedy::WithoutRestitution);
    }
    s.posed.set_restitution(1.0);
    trial.set_to(s.other);
    None
}
