//! The first and the last row of a twin's schedule: whether all that touches can stick, and plain sweeps where nothing else has
//! led to the tolerance.

use super::{Rule, SweepParams, Twin, Workspace, plain, report};
use crate::finish::Reached;
use stiction_contact::{ConstraintProblem, Law, SolveReport, SolveStatus, Watch};

/// Sticking, where it is asked first, is also asked of starts that would do but leave more than this, so that what rests moves
/// no faster [m/s].
pub(super) const RESTS: f64 = 1e-11;

impl<R: Rule> Twin<R> {
    /// The first row of the schedule: where the start will do, or none can, that is all; where it leaves more than it need, and
    /// all that touches can stick, that is the answer.
    pub(super) fn at_once(
        &self,
        ws: &mut Workspace,
        problem: &ConstraintProblem,
        tolerance: f64,
        current: f64,
        impulses: &mut [f64],
        watch: &mut Watch<'_>,
    ) -> Option<SolveReport> {
        if !current.is_finite() {
            return Some(report(SolveStatus::NumericalFailure, 0, current));
        }
        let enough = !self.all && current <= ws.enough(tolerance);
        if self.holds()
            && !(enough && current <= RESTS)
            && let Some(e) = ws.hold(problem, &SweepParams { tolerance, ..self.params }, current, impulses)
        {
            watch.show(1, impulses);
            return Some(report(SolveStatus::Converged, 1, e));
        }
        enough.then(|| {
            watch.show(0, impulses);
            report(SolveStatus::Converged, 0, current)
        })
    }

    /// The answer of springs, where the island has so few rows and that is an answer; the last impulses, where they leave no more than
    /// what rests does. Else the springs' impulses, where there are any, are the start of what follows.
    pub(super) fn by_springs(
        &self,
        ws: &mut Workspace,
        problem: &ConstraintProblem,
        tolerance: f64,
        impulses: &mut [f64],
        watch: &mut Watch<'_>,
    ) -> Option<SolveReport> {
        let springs = self.params.springs.filter(|s| problem.rows() <= s.rows as usize)?;
        let kept = ws.with_starts(problem, R::LAW, tolerance, |starts, task, _| starts.keep(task, impulses));
        let (residual, steps) = match kept.filter(|e| !self.all && *e <= RESTS) {
            Some(e) => (e, 0),
            None => {
                let found = ws.springs.answer(problem, &ws.stopping, &springs, tolerance, impulses)?;
                if std::env::var_os("SPRINGS").is_some() { eprintln!("springs {:?} rows {} {:e} steps {}", found.way, problem.rows(), found.residual, found.steps); }
                (found.residual, found.steps)
            }
        };
        (residual <= tolerance).then(|| {
            watch.show(steps, impulses);
            report(SolveStatus::Converged, steps, residual)
        })
    }

    /// True if sticking is asked first.
    pub(super) fn holds(&self) -> bool {
        self.params.holds && R::LAW == Law::Ncp
    }

    /// [`Self::warm_then_cold`], and where that leads nowhere plain sweeps from the same start, [`SweepParams::last_sweeps`]: what
    /// is nearer stays.
    pub(super) fn warm_or_cold(
        &self,
        ws: &mut Workspace,
        params: &SweepParams,
        problem: &ConstraintProblem,
        impulses: &mut [f64],
        from: Reached,
        watch: &mut Watch<'_>,
    ) -> SolveReport {
        if params.last_sweeps == 0 {
            return self.warm_then_cold(ws, params, problem, impulses, from, watch);
        }
        let mut swept = std::mem::take(&mut ws.swept);
        swept.clear();
        swept.extend_from_slice(impulses);
        let mut best = self.warm_then_cold(ws, params, problem, impulses, from, watch);
        if !best.settled() {
            let alone = SweepParams {
                max_iterations: params.last_sweeps,
                memory: 0,
                finish: false,
                last_sweeps: 0,
                ..*params
            };
            let mut formed = ws.rows.take().unwrap_or_default();
            let rule = self.rule.clone();
            let last = plain::solve(rule, &alone, (ws, &mut formed), problem, &mut swept, watch);
            ws.rows = Some(formed);
            let iterations = best.iterations + last.iterations;
            if last.settled() || last.residual < best.residual {
                impulses.copy_from_slice(&swept);
                best = last;
            }
            best.iterations = iterations;
        }
        ws.swept = swept;
        best
    }
}
