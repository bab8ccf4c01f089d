//! Large islands whose solve may cost so much and no more.
//!
//! Where a budget is short, what comes first is what gains most for a factorisation: the chain from a start that the table of
//! budgets calls near ([`crate::effort`]), else the smoothing homotopy from no impulses ([`crate::smoothing`]), until the
//! residual is what the table calls enough. Islands of 300 to 850 contacts that are hit in every step are at 10⁻⁴
//! m/s after about 30 factorisations of it, where the chain of [`crate::finish`] is at 10⁻² or more. From where the path
//! ends before that the chain goes on with what is left, and so it does from a calm start to the tolerance.

use super::workspace::Workspace;
use super::{Rule, SweepParams, Twin, report};
use crate::view::Reached;
use crate::work;
use stiction_contact::{ConstraintProblem, SolveReport, SolveStatus, Watch};

/// Starts that leave no more than this are calm: nothing was hit since [m/s].
const CALM: f64 = 1e-2;

impl<R: Rule> Twin<R> {
    /// The answer, or what is enough of it, where the island has a budget that says what is enough; otherwise the start is
    /// where it led, and the chain follows.
    pub(super) fn bounded(
        &self,
        ws: &mut Workspace,
        params: &SweepParams,
        problem: &ConstraintProblem,
        impulses: &mut [f64],
        from: &mut Reached,
        watch: &mut Watch<'_>,
    ) -> Option<SolveReport> {
        // Of all islands together, as the tolerance is.
        let share = params.tolerance / self.params.tolerance;
        let enough = share * self.bounds.enough(problem.rows())?;
        let near = share * self.bounds.near(problem.rows())?;
        let reached = ws.resume::<R>(problem, params, impulses, from.residual);
        from.steps += reached.steps;
        from.residual = reached.residual;
        let calm = from.residual <= CALM;
        if calm && from.residual > params.tolerance {
            *from = ws.look(problem, params, impulses, *from);
            if from.residual > params.tolerance && from.residual <= near {
                return None;
            }
        }
        if from.residual > params.tolerance {
            let steps = params.max_iterations.saturating_sub(from.steps);
            let goal = enough.max(params.tolerance);
            let reached = ws.by_smoothing(problem, goal, steps, impulses);
            *from = Reached { residual: reached.residual, steps: from.steps + reached.steps };
            watch.show(from.steps, impulses);
            if reached.residual <= params.tolerance {
                from.residual = ws.select(problem, params.tolerance, impulses);
            }
        }
        let status = match from.residual {
            e if e <= params.tolerance => SolveStatus::Converged,
            e if e <= enough => {
                work::is_enough();
                SolveStatus::IterationLimit
            }
            _ if work::spent() => SolveStatus::IterationLimit,
            _ => return None,
        };
        Some(report(status, from.steps, from.residual))
    }
}
