//! Sweeps and nothing else: what the Gauss–Seidel twins do unless acceleration or a finish is asked for.
//!
//! All blocks of the problem, in its order, in every sweep: (1) and (2) of [`super`], from the nearest start
//! ([`crate::initial_guess`]), until the residual is within the tolerance or no iterations are left. A sweep that changes no
//! bit is the last one, as all that followed would do the same. Large islands of many trees are swept by the factor
//! W of G: the same iterates, up to rounding.

use super::{REFRESH, Rule, SweepParams, Workspace, report, sweep_once};
use crate::trees::TreeSystem;
use stiction_contact::{ConstraintProblem, SolveReport, SolveStatus, Watch};

/// Solves `problem` by sweeps of `rule`; `formed` is room for the problem with its blocks, where it comes without.
pub(super) fn solve<R: Rule>(
    mut rule: R,
    params: &SweepParams,
    (ws, formed): (&mut Workspace, &mut ConstraintProblem),
    problem: &ConstraintProblem,
    impulses: &mut [f64],
    watch: &mut Watch<'_>,
) -> SolveReport {
    ws.prepare(problem);
    let mut current =
        ws.with_starts(problem, R::LAW, params.tolerance, |starts, task, c| starts.choose(task, impulses, c));
    if !current.is_finite() {
        return report(SolveStatus::NumericalFailure, 0, current);
    }
    watch.show(0, impulses);
    if current <= ws.enough(params.tolerance) {
        return report(SolveStatus::Converged, 0, current);
    }
    let mut problem = problem;
    if !problem.blocks_formed() && !TreeSystem::pays(problem) {
        formed.copy_rows_of(problem);
        if formed.form_blocks().is_err() {
            return report(SolveStatus::NumericalFailure, 0, f64::NAN);
        }
        problem = formed;
    }
    ws.prepare_sweeps(problem);
    ws.start_best(impulses, current);
    for iterations in 1..=params.max_iterations {
        sweep_once(&mut rule, ws, problem, impulses);
        if iterations.is_multiple_of(REFRESH) {
            problem.velocities_into(impulses, &mut ws.c);
        }
        current = ws.residual(problem, R::LAW, impulses, &ws.c);
        if current <= params.tolerance {
            problem.velocities_into(impulses, &mut ws.c);
            current = ws.residual(problem, R::LAW, impulses, &ws.c);
        }
        watch.show(iterations, impulses);
        if !current.is_finite() {
            return ws.give_up::<R>(
                problem,
                (SolveStatus::NumericalFailure, params.tolerance),
                iterations,
                impulses,
            );
        }
        ws.remember(impulses, current);
        if current <= params.tolerance {
            let hidden = ws.rounding_hides(problem, impulses, params.tolerance);
            let status = if hidden { SolveStatus::Rounding } else { SolveStatus::Converged };
            return report(status, iterations, current);
        }
        if ws.before == impulses {
            return ws.give_up::<R>(problem, (SolveStatus::Stalled, params.tolerance), iterations, impulses);
        }
    }
    ws.give_up::<R>(problem, (SolveStatus::IterationLimit, params.tolerance), params.max_iterations, impulses)
}
