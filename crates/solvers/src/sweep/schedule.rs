//! The first and the last row of a twin's schedule: whether all that touches can stick, and plain sweeps where nothing else has
//! led to the tolerance.

use super::{Rule, SweepParams, Twin, Workspace, plain, report};
use crate::finish::Reached;
use crate::springs::{Answer, Question, Springs, SpringsParams};
use crate::trees::TreeSystem;
use stiction_contact::{Cone, ConstraintProblem, Law, SolveReport, SolveStatus, Watch};

/// Sticking, where it is asked first, is also asked of starts that would do but leave more than this, so that what rests moves
/// no faster [m/s].
pub(super) const RESTS: f64 = 1e-11;
/// The equilibrium of springs is found to this share of the tolerance [–].
const SHARP: f64 = 1e-2;

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
            && rubs(problem)
            && self.springs_of(problem).is_none()
            && !(enough && current <= RESTS)
            && let Some(e) = ws.hold(problem, &SweepParams { tolerance, ..self.params }, impulses)
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
        let params = self.springs_of(problem)?;
        let kept = ws.with_starts(problem, R::LAW, tolerance, |starts, task, _| starts.keep(task, impulses));
        if let Some(e) = kept.filter(|e| !self.all && *e <= params.rests) {
            watch.show(0, impulses);
            return Some(report(SolveStatus::Converged, 0, e));
        }
        let mut given = std::mem::take(&mut ws.given);
        given.clear();
        given.extend_from_slice(impulses);
        let mut steps = 0;
        let mut springs = std::mem::take(&mut ws.springs);
        let question = Question { problem, stopping: &ws.stopping, params: &params, tolerance };
        let mut answer = springs.answer(&question, impulses);
        if let Answer::Stalled = answer
            && let Some(soft) = self.equilibrium(ws, &springs, &params, problem, (tolerance, impulses), watch)
        {
            ws.prepare(problem);
            steps = soft.iterations;
            if soft.converged() {
                let question = Question { problem, stopping: &ws.stopping, params: &params, tolerance };
                answer = springs.go_on(&question, &ws.swept, impulses);
            }
        }
        ws.springs = springs;
        let residual = if let Answer::Found(found) = answer { found.residual } else { f64::INFINITY };
        if residual > tolerance {
            // What has no answer drives springs far: the nearer of both is where the chain starts.
            problem.velocities_into(&given, &mut ws.c);
            if !(residual < ws.residual(problem, R::LAW, &given, &ws.c)) {
                impulses.copy_from_slice(&given);
            }
        }
        ws.given = given;
        let Answer::Found(found) = answer else { return None };
        (found.residual <= tolerance).then(|| {
            watch.show(steps + found.steps, impulses);
            report(SolveStatus::Converged, steps + found.steps, found.residual)
        })
    }

    /// The equilibrium of the springs by the chain of an exact law, into `ws.swept`, from `impulses`.
    fn equilibrium(
        &self,
        ws: &mut Workspace,
        springs: &Springs,
        params: &SpringsParams,
        problem: &ConstraintProblem,
        (tolerance, impulses): (f64, &[f64]),
        watch: &mut Watch<'_>,
    ) -> Option<SolveReport> {
        let mut soft = ws.soft.take().unwrap_or_default();
        if problem.blocks_formed() {
            soft.copy_blocks_of(problem);
            soft.delassus_factor.clone_from(&problem.delassus_factor);
        } else {
            soft.copy_rows_of(problem);
        }
        springs.soften(params, &mut soft);
        let formed = TreeSystem::pays(&soft) || soft.form_blocks().is_ok();
        let mut lambda = std::mem::take(&mut ws.swept);
        lambda.clear();
        lambda.extend_from_slice(impulses);
        R::LAW.project_all(&soft, &mut lambda);
        ws.prepare(&soft);
        ws.finish.forget();
        soft.velocities_into(&lambda, &mut ws.c);
        let residual = ws.residual(&soft, R::LAW, &lambda, &ws.c);
        let alone = SweepParams { tolerance: SHARP * tolerance, last_sweeps: 0, ..self.params };
        let from = Reached { residual, steps: 0 };
        let report = (formed && residual.is_finite()).then(|| {
            self.bounds.keep(self.bounds.budget_of(&soft), || {
                self.warm_then_cold(ws, &alone, &soft, &mut lambda, from, watch)
            })
        });
        ws.swept = lambda;
        ws.soft = Some(soft);
        report
    }

    /// True if sticking is asked first.
    pub(super) fn holds(&self) -> bool {
        self.params.holds && R::LAW == Law::Ncp
    }

    /// The springs whose limit is the answer of the island, if it is that of springs.
    fn springs_of(&self, problem: &ConstraintProblem) -> Option<SpringsParams> {
        self.params.springs.filter(|s| problem.rows() <= s.rows as usize && rubs(problem))
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

/// True if some contact has friction: without, velocities have one answer.
fn rubs(problem: &ConstraintProblem) -> bool {
    problem.cones().iter().any(|c| matches!(*c, Cone::Friction { mu } | Cone::Patch { mu, .. } if mu > 0.0))
}
