//! The table `island` of a plan, run: see [`crate::plan`].

use super::{Rule, SweepParams, Twin, Workspace, go_on, plain, report};
use crate::finish::Finish;
use crate::initial_guess::InitialGuesses;
use crate::plan::{self, Facts, Stage, rubs};
use crate::springs::{Answer, Question, SpringsParams};
use crate::task::Task;
use crate::trees::{TreeSystem, knows_all};
use crate::view::Reached;
use crate::work;
use std::ops::ControlFlow;
use stiction_contact::{ConstraintProblem, SolveReport, SolveStatus, Watch};

/// Sticking, where it is asked first, is also asked of starts that would do but leave more than this, so that what rests moves
/// no faster [m/s].
pub(super) const RESTS: f64 = 1e-11;
/// The equilibrium of springs is found to this share of the tolerance [–].
const SHARP: f64 = 1e-2;

/// An island, and where its blocks are formed.
pub(super) enum Form<'a> {
    /// As it is.
    Given(&'a ConstraintProblem),
    /// In a copy.
    Copied(&'a ConstraintProblem, &'a mut ConstraintProblem),
    /// In itself.
    Itself(&'a mut ConstraintProblem),
}

impl Form<'_> {
    fn problem(&self) -> &ConstraintProblem {
        match self {
            Self::Given(problem) | Self::Copied(problem, _) => problem,
            Self::Itself(problem) => problem,
        }
    }

    /// Forms the blocks; false if they cannot be formed.
    fn form(&mut self) -> bool {
        match self {
            Self::Given(_) => true,
            Self::Copied(problem, copy) => {
                copy.copy_rows_of(problem);
                copy.form_blocks().is_ok()
            }
            Self::Itself(problem) => problem.form_blocks().is_ok(),
        }
    }

    fn formed(&self) -> &ConstraintProblem {
        match self {
            Self::Copied(_, copy) => copy,
            other => other.problem(),
        }
    }
}

impl<R: Rule> Twin<R> {
    /// The stages that begin an island, `choose` being that of the starts: the report if one of them has solved it, else the residual of
    /// the impulses, whose velocities are `ws.c`.
    pub(super) fn begin(
        &self,
        ws: &mut Workspace,
        problem: &ConstraintProblem,
        tolerance: f64,
        impulses: &mut [f64],
        watch: &mut Watch<'_>,
        choose: impl FnOnce(&mut InitialGuesses, &Task, &mut [f64], &mut Vec<f64>) -> f64,
    ) -> ControlFlow<SolveReport, f64> {
        let springs = self.springs_of(problem);
        let mut choose = Some(choose);
        let mut current = f64::INFINITY;
        for line in self.params.plan.island.iter().filter(|line| line.stage.begins()) {
            let enough = !self.all && current <= ws.enough(tolerance);
            let mut facts = Facts::of(problem, R::LAW);
            (facts.few_rows, facts.moves) = (springs.is_some(), !(enough && current <= RESTS));
            if !facts.hold(line.when) {
                continue;
            }
            let began = plan::clock();
            let mut solved = None;
            match line.stage {
                Stage::LastImpulses if !InitialGuesses::repeat(problem, impulses) => {}
                Stage::LastImpulses => {
                    let kept = ws.with_starts(problem, R::LAW, tolerance, |starts, task, _| {
                        starts.keep(task, impulses)
                    });
                    let rests = springs.map_or(RESTS, |s| s.rests);
                    solved = kept.filter(|e| !self.all && *e <= rests).map(|e| (0, e));
                }
                Stage::Springs => {
                    if let Some(params) = &springs {
                        solved = self.by_springs(ws, params, problem, tolerance, impulses, watch);
                    }
                }
                Stage::Starts => {
                    if let Some(choose) = choose.take() {
                        current = ws.with_starts(problem, R::LAW, tolerance, |starts, task, c| {
                            choose(starts, task, impulses, c)
                        });
                    }
                    if !current.is_finite() {
                        return ControlFlow::Break(report(SolveStatus::NumericalFailure, 0, current));
                    }
                }
                Stage::Hold => {
                    if choose.is_some() {
                        problem.velocities_into(impulses, &mut ws.c);
                    }
                    let params = SweepParams { tolerance, ..self.params };
                    solved = ws.hold(problem, &params, impulses).map(|e| (1, e));
                }
                _ => {}
            }
            let (steps, residual) = solved.unwrap_or((0, current));
            plan::record(began, line, problem.rows(), steps, residual);
            if let Some((steps, residual)) = solved {
                watch.show(steps, impulses);
                return ControlFlow::Break(report(SolveStatus::Converged, steps, residual));
            }
        }
        if choose.is_some() {
            problem.velocities_into(impulses, &mut ws.c);
            current = ws.residual(problem, R::LAW, impulses, &ws.c);
        }
        if !self.all && current <= ws.enough(tolerance) {
            watch.show(0, impulses);
            return ControlFlow::Break(report(SolveStatus::Converged, 0, current));
        }
        ControlFlow::Continue(current)
    }

    /// The stages that follow, from impulses that leave `current` and whose velocities are `ws.c`; they share the budget of the island.
    pub(super) fn solve_form(
        &self,
        ws: &mut Workspace,
        params: &SweepParams,
        mut form: Form<'_>,
        impulses: &mut [f64],
        current: f64,
        watch: &mut Watch<'_>,
    ) -> SolveReport {
        let mut from = Reached { residual: current, steps: 0 };
        let unformed = Facts::of(form.problem(), R::LAW).is(plan::When::Unformed);
        if unformed {
            let problem = form.problem();
            let facts = Facts::of(problem, R::LAW);
            let first = |l: &&plan::Line| l.stage == Stage::First && facts.hold(l.when);
            if let Some(line) = params.plan.island.iter().find(first) {
                let began = plan::clock();
                from = ws.resume::<R>(problem, params, impulses, from.residual);
                plan::record(began, line, problem.rows(), from.steps, from.residual);
                if from.residual <= params.tolerance {
                    watch.show(from.steps, impulses);
                    return report(SolveStatus::Converged, from.steps, from.residual);
                }
                if !knows_all(problem) && matches!(form, Form::Itself(_)) {
                    from.steps = 0; // by old factors alone
                }
            }
            if !form.form() {
                return report(SolveStatus::NumericalFailure, 0, f64::NAN);
            }
        }
        let problem = if unformed { form.formed() } else { form.problem() };
        if unformed {
            problem.velocities_into(impulses, &mut ws.c);
            from.residual = ws.residual(problem, R::LAW, impulses, &ws.c);
        }
        self.chain(ws, params, problem, impulses, from, watch)
    }

    /// The stages from sweeps on, of a problem whose blocks are formed where they are needed.
    pub(super) fn chain(
        &self,
        ws: &mut Workspace,
        params: &SweepParams,
        problem: &ConstraintProblem,
        impulses: &mut [f64],
        mut from: Reached,
        watch: &mut Watch<'_>,
    ) -> SolveReport {
        let mut best = report(SolveStatus::IterationLimit, from.steps, from.residual);
        let mut facts = Facts::of(problem, R::LAW);
        facts.enough_said = TreeSystem::pays(problem) && self.bounds.enough(problem.rows()).is_some();
        facts.other_start =
            impulses.iter().any(|&l| l != 0.0) || params.finish && Finish::has_multipliers(problem, R::LAW);
        let lines = || params.plan.island.iter().filter(|line| facts.hold(line.when));
        let mut start = std::mem::take(&mut ws.swept);
        start.clear();
        start.extend_from_slice(impulses);
        let mut swept = false;
        for line in lines() {
            let tried = best;
            if swept && tried.settled() {
                break;
            }
            let began = plan::clock();
            match line.stage {
                Stage::Smoothing => {
                    if let Some(report) = self.bounded(ws, params, problem, impulses, &mut from, watch) {
                        best = report;
                        plan::record(began, line, problem.rows(), best.iterations, best.residual);
                        break;
                    }
                    best = report(SolveStatus::IterationLimit, from.steps, from.residual);
                    start.copy_from_slice(impulses);
                }
                Stage::Sweeps => {
                    let again = lines().any(|line| line.stage == Stage::FromNothing);
                    let max_iterations =
                        if again { params.max_iterations.div_ceil(2) } else { params.max_iterations };
                    let budget = SweepParams { max_iterations, ..*params };
                    best = go_on(&mut self.rule.clone(), &budget, ws, problem, impulses, from, watch);
                    swept = true;
                }
                Stage::FromNothing => {
                    let left = params.max_iterations.saturating_sub(best.iterations);
                    if left == 0 || work::spent() {
                        continue;
                    }
                    best = self.again_from_nothing(ws, params, problem, impulses, (best, left), watch);
                }
                Stage::PlainSweeps => {
                    let sweeps = (params, line.steps);
                    best = self.by_plain_sweeps(ws, sweeps, problem, (&mut start, impulses), best, watch);
                }
                stage if stage.begins() || stage == Stage::First => continue,
                _ => {
                    let e = ws.by_stage::<R>(line, problem, params, impulses, &mut from);
                    best = report(best.status, from.steps, e);
                    if e <= params.tolerance {
                        best.status = SolveStatus::Converged;
                        plan::record(began, line, problem.rows(), best.iterations, best.residual);
                        break;
                    }
                }
            }
            plan::record(
                began,
                line,
                problem.rows(),
                best.iterations.saturating_sub(tried.iterations),
                best.residual,
            );
        }
        ws.swept = start;
        best
    }

    /// Plain sweeps from the impulses in `start`; what is nearer stays.
    fn by_plain_sweeps(
        &self,
        ws: &mut Workspace,
        (params, max_iterations): (&SweepParams, u32),
        problem: &ConstraintProblem,
        (start, impulses): (&mut [f64], &mut [f64]),
        best: SolveReport,
        watch: &mut Watch<'_>,
    ) -> SolveReport {
        let alone = SweepParams { max_iterations, memory: 0, finish: false, ..*params };
        let mut formed = ws.rows.take().unwrap_or_default();
        let last = plain::solve(self.rule.clone(), &alone, (ws, &mut formed), problem, start, watch);
        ws.rows = Some(formed);
        let iterations = best.iterations + last.iterations;
        if last.settled() || last.residual < best.residual {
            impulses.copy_from_slice(start);
            return SolveReport { iterations, ..last };
        }
        SolveReport { iterations, ..best }
    }

    /// The answer of springs, its steps and natural map, if that is an answer. Else the springs' impulses, where there are any, are the
    /// start of what follows.
    fn by_springs(
        &self,
        ws: &mut Workspace,
        params: &SpringsParams,
        problem: &ConstraintProblem,
        tolerance: f64,
        impulses: &mut [f64],
        watch: &mut Watch<'_>,
    ) -> Option<(u32, f64)> {
        let mut given = std::mem::take(&mut ws.given);
        given.clear();
        given.extend_from_slice(impulses);
        let mut steps = 0;
        let question = Question { problem, stopping: &ws.stopping, params, tolerance };
        let mut answer = ws.springs.answer(&question, impulses);
        if let Answer::Stalled = answer
            && let Some(soft) = self.equilibrium(ws, params, problem, (tolerance, impulses), watch)
        {
            ws.prepare(problem);
            steps = soft.iterations;
            if soft.converged() {
                let question = Question { problem, stopping: &ws.stopping, params, tolerance };
                answer = ws.springs.go_on(&question, &ws.equilibrium, impulses);
            }
        }
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
        (found.residual <= tolerance).then_some((steps + found.steps, found.residual))
    }

    /// The equilibrium of the springs by the chain of an exact law, into `ws.equilibrium`, from `impulses`.
    fn equilibrium(
        &self,
        ws: &mut Workspace,
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
        ws.springs.soften(params, &mut soft);
        let formed = TreeSystem::pays(&soft) || soft.form_blocks().is_ok();
        let mut lambda = std::mem::take(&mut ws.equilibrium);
        lambda.clear();
        lambda.extend_from_slice(impulses);
        R::LAW.project_all(&soft, &mut lambda);
        ws.prepare(&soft);
        ws.finish.forget();
        soft.velocities_into(&lambda, &mut ws.c);
        let residual = ws.residual(&soft, R::LAW, &lambda, &ws.c);
        let plan = self.params.plan.without(Stage::PlainSweeps).without(Stage::Smoothing);
        let alone = SweepParams { tolerance: SHARP * tolerance, plan, ..self.params };
        let from = Reached { residual, steps: 0 };
        let report = (formed && residual.is_finite()).then(|| {
            self.bounds.keep(self.bounds.budget_of(&soft), || {
                self.chain(ws, &alone, &soft, &mut lambda, from, watch)
            })
        });
        ws.equilibrium = lambda;
        ws.soft = Some(soft);
        report
    }

    /// The springs whose limit is the answer of the island, if it is that of springs.
    fn springs_of(&self, problem: &ConstraintProblem) -> Option<SpringsParams> {
        self.params.springs.filter(|s| problem.rows() <= s.rows as usize && rubs(problem))
    }
}
