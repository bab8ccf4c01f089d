//! The loop the Gauss–Seidel twins share: sweep, measure, remember the best, accelerate, finish.
//!
//! One sweep visits the blocks in order; each sees the newest impulses of the others:
//!
//! ```text
//!     λᵢ⁺ = rule(Aᵢ, λᵢ, cᵢ),   c ← c + G[:, i] (λᵢ⁺ − λᵢ),   A = G + R          (1)
//!     scalar blocks: λᵢ⁺ = P(λᵢ − cᵢ/Aᵢ)                                         (2)
//! ```
//!
//! Patches are answered by [`crate::local::patch`], whatever the rule of contacts. Of large islands of many trees the factor W of G
//! is enough: z = Wᵀ λ stands for c there, and no blocks are formed.
//!
//! It is a map λ ↦ S(λ) whose fixed points solve the rule's law. The residual is the natural map
//! of that law in m/s, 2-norm over the blocks, with ‖Aᵢ‖_F for ‖Aᵢ‖₂: an upper bound of the judge's.
//! "Converged" is said only of velocities computed afresh. Sweeps are all there is ([`plain`]), unless parameters
//! ask for more. Then, island by island: sweeps; after each, an Anderson step on S ([`crate::anderson`]); at growing
//! intervals a second-order finish ([`crate::finish`]). Where that leaves no more than rounding the impulses to 64 bits does, ([`StoppingResidual::last_place`]),
//! the solve ends: [`SolveStatus::Rounding`]. Whatever happens, the best impulses seen are returned.
//!
//! [`StoppingResidual::last_place`]: crate::residual::StoppingResidual::last_place

mod bounded;
mod plain;
mod schedule;
mod solver;
mod workspace;

pub(crate) use solver::{SweepMethod, SweepSolver};
pub(crate) use workspace::Workspace;

use crate::blocks::pass;
use crate::bounds::Bounds;
use crate::finish::Finish;
use crate::initial_guess::InitialGuesses;
use crate::islands::{Islands, Recipe};
use crate::local::Contact;
use crate::path::Path;
use crate::plan::{self, Plan, Stage};
use crate::springs::SpringsParams;
use crate::trees::TreeSystem;
use crate::view::Reached;
use crate::work;
use schedule::{Form, RESTS};
use std::ops::ControlFlow;
use stiction_contact::{ConstraintProblem, Law, SolveReport, SolveStatus, Watch};
use workspace::Kept;

/// A twin: its law and its answer for one contact.
pub trait Rule: Clone + Send + 'static {
    const LAW: Law;
    /// Of all answers with the same velocities, the smallest.
    const SMALLEST: bool = false;

    /// λᵢ⁺ of (1).
    fn answer(&self, contact: &Contact, lambda: [f64; 3], c: [f64; 3]) -> [f64; 3];

    /// Called after every sweep.
    fn end_of_sweep(&mut self) {}
}

/// What the twins' parameters have in common.
#[derive(Clone, Copy, Debug)]
pub struct SweepParams {
    pub(crate) tolerance: f64,
    pub(crate) max_iterations: u32,
    pub(crate) memory: usize,
    pub(crate) finish: bool,
    /// What is tried, and when.
    pub(crate) plan: Plan,
    /// The answer of small islands is that of springs.
    pub(crate) springs: Option<SpringsParams>,
}

impl SweepParams {
    /// Those of accelerated sweeps of a law.
    pub(crate) fn accelerated(
        law: Law,
        tolerance: f64,
        max_iterations: u32,
        memory: usize,
        finish: bool,
    ) -> Self {
        let plan = if law == Law::Raisim { plan::RAISIM } else { plan::SWEEPS };
        Self { tolerance, max_iterations, memory, finish, plan, springs: None }
    }

    /// True if sweeps are all there is: [`plain`].
    pub(crate) fn is_plain(&self) -> bool {
        self.memory == 0 && !self.finish
    }
}

/// Give up when the best residual has not fallen by a tenth in this many iterations.
const PATIENCE: u32 = 500;
/// Velocities are computed afresh after this many incremental sweeps.
const REFRESH: u32 = 50;

/// Memory of a twin and of every island, valid during one solve but for the factors of their finishes.
pub(crate) struct Sweeps<R: Rule> {
    whole: Workspace,
    /// A problem of one tree, with its blocks.
    formed: ConstraintProblem,
    islands: Islands<Twin<R>>,
    bounds: Bounds,
}

/// How a twin solves an island.
#[derive(Clone)]
pub(crate) struct Twin<R> {
    rule: R,
    params: SweepParams,
    /// Budgets of islands.
    bounds: Bounds,
    /// No start will do: what starts from it must be made small.
    all: bool,
}

impl<R: Rule> Default for Sweeps<R> {
    fn default() -> Self {
        Self {
            whole: Workspace::default(),
            formed: ConstraintProblem::default(),
            islands: Islands::default(),
            bounds: Bounds::default(),
        }
    }
}

impl<R: Rule> Sweeps<R> {
    /// Solves by sweeps of `rule`, island by island, each from the nearest start ([`crate::initial_guess`]): in most, the last
    /// impulses will do, and others are looked at only where they do not. Of a problem
    /// given by the factor of G, only islands whose start does not do form it, and of these only small ones where the law
    /// is the exact one.
    pub(crate) fn solve(
        &mut self,
        rule: R,
        params: &SweepParams,
        problem: &ConstraintProblem,
        impulses: &mut [f64],
        watch: &mut Watch<'_>,
    ) -> SolveReport {
        assert_eq!(impulses.len(), problem.rows(), "one impulse per row");
        let formed = problem.blocks_formed();
        if !formed && problem.delassus_factor.is_empty() {
            let mut formed = problem.clone();
            return match formed.form_blocks() {
                Ok(()) => self.solve(rule, params, &formed, impulses, watch),
                Err(_) => report(SolveStatus::NumericalFailure, 0, f64::NAN),
            };
        }
        let Self { whole: ws, formed: with_blocks, islands, bounds } = self;
        bounds.renew();
        if !problem.free_velocity.iter().map(|g| g * g).sum::<f64>().is_finite() {
            impulses.fill(0.0);
            return report(SolveStatus::NumericalFailure, 0, f64::NAN);
        }
        if params.is_plain() {
            return plain::solve(rule, params, (ws, with_blocks), problem, impulses, watch);
        }
        ws.prepare(problem);
        let all = ws.must_select::<R>();
        let twin = Twin { rule, params: *params, bounds: bounds.clone(), all };
        let one_tree = !formed && problem.delassus_factor.trees() == 1;
        let count = if formed { islands.find(problem) } else { 0 };
        let report = if one_tree || formed && count <= 1 {
            let begun =
                twin.begin(ws, problem, params.tolerance, impulses, watch, |starts, task, impulses, c| {
                    let moves = if one_tree { starts.go_on(task, impulses, c) } else { None };
                    moves.unwrap_or_else(|| starts.choose(task, impulses, c))
                });
            match begun {
                ControlFlow::Break(report) => report,
                ControlFlow::Continue(current) => {
                    let form =
                        if one_tree { Form::Copied(problem, with_blocks) } else { Form::Given(problem) };
                    bounds.keep(bounds.budget_of(problem), || {
                        twin.solve_form(ws, params, form, impulses, current, watch)
                    })
                }
            }
        } else {
            let kept = ws.with_starts(problem, R::LAW, params.tolerance, |starts, task, _| {
                starts.keep(task, impulses)
            });
            let holds = R::LAW == Law::Ncp && params.plan.tries(Stage::Hold);
            let rests = if holds { RESTS.min(params.tolerance) } else { params.tolerance };
            if let Some(residual) = kept.filter(|&e| !all && e <= rests) {
                watch.show(0, impulses);
                return report(SolveStatus::Converged, 0, residual);
            }
            let count = if formed { count } else { islands.find(problem) };
            if !all {
                islands.settle(count, rests, |blocks| ws.keep_part(problem, blocks));
            }
            islands.solve(count, params.tolerance, problem, impulses, watch, &twin)
        };
        ws.own = report.converged();
        report
    }

    /// Makes every island keep to these bounds from now on.
    pub(crate) fn bound(&mut self, bounds: Bounds) {
        self.bounds = bounds;
    }

    /// The budget that an island of the last solve has met the end of [factorisations].
    pub(crate) fn bound_met(&self) -> Option<u32> {
        self.bounds.met()
    }

    /// Solves islands on so many threads.
    pub(crate) fn use_threads(&mut self, threads: usize) {
        self.islands.use_threads(threads);
    }

    /// Drops what outlives a solve.
    pub(crate) fn forget(&mut self) {
        self.islands.memories_mut().for_each(Kept::forget);
        self.whole.forget();
    }
}

impl<R: Rule> Recipe for Twin<R> {
    type Memory = Kept;
    type Tools = Workspace;

    fn solve(
        &self,
        kept: &mut Kept,
        ws: &mut Workspace,
        tolerance: f64,
        part: &mut ConstraintProblem,
        impulses: &mut [f64],
        watch: &mut Watch<'_>,
    ) -> SolveReport {
        ws.prepare(part);
        let begun = self.begin(ws, part, tolerance, impulses, watch, InitialGuesses::choose_at_rest);
        let current = match begun {
            ControlFlow::Continue(current) => current,
            ControlFlow::Break(report) => return report,
        };
        ws.exchange(kept);
        let params = SweepParams { tolerance, ..self.params };
        let most = self.bounds.budget_of(part);
        let report = self
            .bounds
            .keep(most, || self.solve_form(ws, &params, Form::Itself(part), impulses, current, watch));
        ws.exchange(kept);
        report
    }
}

impl<R: Rule> Twin<R> {
    /// Once more from no impulses at all, after impulses that leave more than the tolerance, with the iterations that are left: first by the
    /// augmented Lagrangian, then by rows where these are few; the nearer of both stays. Large islands that are near an answer start
    /// again from there.
    fn again_from_nothing(
        &self,
        ws: &mut Workspace,
        params: &SweepParams,
        problem: &ConstraintProblem,
        impulses: &mut [f64],
        (first, left): (SolveReport, u32),
        watch: &mut Watch<'_>,
    ) -> SolveReport {
        let another = || params.finish && Finish::has_multipliers(problem, R::LAW);
        let mut found = std::mem::take(&mut ws.found);
        found.clear();
        found.extend_from_slice(impulses);
        let stays = Finish::stays(problem, first.residual, params.tolerance);
        if !stays {
            impulses.fill(0.0);
            R::LAW.project_all(problem, impulses);
        }
        problem.velocities_into(impulses, &mut ws.c);
        ws.finish.forget();
        let another = !stays && another();
        let mut params = SweepParams { max_iterations: left, ..*params };
        let (mut residual, mut steps) = (ws.residual(problem, R::LAW, impulses, &ws.c), 0);
        if another {
            (residual, steps) = ws.by_multipliers(problem, R::LAW, &params, impulses);
            params.max_iterations -= steps;
        }
        let mut rows = ws.rows.take().unwrap_or_default();
        let mut again = problem;
        if another && problem.rows() <= Path::MOST_ROWS && copy_blocks(problem, &mut rows) {
            again = &rows;
        }
        let from = Reached { residual, steps: 0 };
        let mut second = go_on(&mut self.rule.clone(), &params, ws, again, impulses, from, watch);
        second.iterations += first.iterations + steps;
        ws.rows = Some(rows);
        if !(second.settled() || second.residual < first.residual) {
            impulses.copy_from_slice(&found);
            second = SolveReport { iterations: second.iterations, ..first };
        }
        ws.found = found;
        second
    }
}

/// `out` becomes `problem` without the factor of its G, by blocks alone; false if these cannot be formed.
fn copy_blocks(problem: &ConstraintProblem, out: &mut ConstraintProblem) -> bool {
    if problem.blocks_formed() {
        out.copy_blocks_of(problem);
        return true;
    }
    out.copy_rows_of(problem);
    let formed = out.form_blocks().is_ok();
    out.delassus_factor.clear();
    formed
}

/// From where `from` has come, c being that of the impulses there.
fn go_on<R: Rule>(
    rule: &mut R,
    params: &SweepParams,
    ws: &mut Workspace,
    problem: &ConstraintProblem,
    impulses: &mut [f64],
    from: Reached,
    watch: &mut Watch<'_>,
) -> SolveReport {
    let mut current = from.residual;
    ws.start_best(impulses, current);
    ws.anderson.start(params.memory, problem.rows());
    ws.finish.start(problem, R::LAW, params.finish.then_some(&params.plan));

    let give_up = |ws: &mut Workspace, status, iterations, impulses: &mut [f64]| {
        ws.give_up::<R>(problem, (status, params.tolerance), iterations, impulses)
    };

    let mut extrapolated = false;
    let mut iterations = from.steps;
    let mut mark = (iterations, current);
    let mut unique = false;
    // Newton's steps in trees are smoothed by sweeps.
    let smooths = R::LAW == Law::Ncp && TreeSystem::pays(problem);
    if smooths {
        ws.prepare_sweeps(problem);
    }
    if iterations == 0 {
        if !smooths {
            ws.prepare_pieces(problem);
        }
        if let Some(e) = ws.finish(problem, R::LAW, impulses, current, params, &mut iterations) {
            current = e;
            unique = ws.finish.unique();
        }
    }
    watch.show(iterations, impulses);
    if !(current <= params.tolerance) {
        if iterations > 0 && ws.is_rounding::<R>(problem, params.tolerance) {
            return give_up(ws, SolveStatus::Stalled, iterations, impulses);
        }
        if !smooths {
            ws.prepare_sweeps(problem);
        }
    }
    while !(current <= params.tolerance) {
        if iterations >= params.max_iterations || work::spent() {
            return give_up(ws, SolveStatus::IterationLimit, iterations, impulses);
        }
        if iterations >= mark.0 + PATIENCE {
            if ws.best_residual > 0.9 * mark.1 {
                return give_up(ws, SolveStatus::Stalled, iterations, impulses);
            }
            mark = (iterations, ws.best_residual);
        }

        sweep_once(rule, ws, problem, impulses);
        iterations += 1;
        unique = false;
        if iterations.is_multiple_of(REFRESH) {
            problem.velocities_into(impulses, &mut ws.c);
        }
        current = ws.residual(problem, R::LAW, impulses, &ws.c);
        if current <= params.tolerance {
            problem.velocities_into(impulses, &mut ws.c);
            current = ws.residual(problem, R::LAW, impulses, &ws.c);
        }
        if !current.is_finite() {
            return give_up(ws, SolveStatus::NumericalFailure, iterations, impulses);
        }
        ws.remember(impulses, current);
        watch.show(iterations, impulses);
        if current <= params.tolerance {
            break;
        }
        let before = iterations;
        let finished = ws.finish(problem, R::LAW, impulses, current, params, &mut iterations);
        if iterations > before
            && ws.best_residual > params.tolerance
            && ws.is_rounding::<R>(problem, params.tolerance)
        {
            return give_up(ws, SolveStatus::Stalled, iterations, impulses);
        }
        if let Some(e) = finished {
            current = e;
            unique = ws.finish.unique();
            extrapolated = false;
            watch.show(iterations, impulses);
            continue;
        }
        extrapolated = ws.accelerate(problem, impulses, &mut current, extrapolated);
    }
    if R::SMALLEST && !unique {
        current = ws.select(problem, params.tolerance, impulses);
    }
    let hidden = ws.rounding_hides(problem, impulses, params.tolerance);
    report(if hidden { SolveStatus::Rounding } else { SolveStatus::Converged }, iterations, current)
}

/// Every block in order, the impulses before kept.
#[inline(always)]
fn sweep_once<R: Rule>(rule: &mut R, ws: &mut Workspace, problem: &ConstraintProblem, impulses: &mut [f64]) {
    ws.before.clear();
    ws.before.extend_from_slice(impulses);
    let answer = |contact: &Contact, lambda, c| rule.answer(contact, lambda, c);
    if problem.blocks_formed() {
        pass::by_blocks(answer, &ws.blocks, problem, impulses, &mut ws.c);
    } else {
        pass::by_factor(answer, &ws.blocks, problem, impulses, (&mut ws.z, &mut ws.c));
    }
    rule.end_of_sweep();
}

fn report(status: SolveStatus, iterations: u32, residual: f64) -> SolveReport {
    SolveReport { status, iterations, residual }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nsgs::{Nsgs, NsgsParams};
    use crate::testing::{stack, with_delassus_factor};
    use stiction_contact::ContactSolver;
    use stiction_contact::certificate::certify;
    use stiction_dynamics::spatial::vec3;

    /// A cube on one of a billionth of its mass: what rounding the impulses leaves is more than the tolerance. Solvers with
    /// a finish say so, by blocks and by the factor, in the steps that Newton's method takes; what is worse than that is
    /// not called so.
    #[test]
    fn where_rounding_is_all_that_is_left_the_solve_ends() {
        let problem = with_delassus_factor(stack(&[1.0, 3e9], vec3(0.0, 0.0, 0.0), 0.4));
        let mut known = ConstraintProblem::default();
        known.copy_rows_of(&problem);
        for (problem, name) in [(&problem, "auto"), (&known, "auto"), (&problem, "nsgs-accelerated")] {
            let mut impulses = vec![0.0; problem.rows()];
            let report = crate::make(name, &crate::Common::default()).unwrap().solve(problem, &mut impulses);
            let natural_map = certify(problem, &impulses).natural_map;
            let mut sizes = Vec::new();
            problem.absolute_mul_into(&impulses, &mut sizes);
            let place = f64::EPSILON * sizes.iter().map(|x| x * x).sum::<f64>().sqrt();
            assert!(place > 1e-8 && report.status == SolveStatus::Rounding, "{name}: {report:?}, {place:e}");
            assert!(
                report.residual <= place && natural_map <= 2.0 * place,
                "{name}: {natural_map:e} {place:e}"
            );
            assert!(report.settled() && !report.converged() && report.iterations < 60, "{name}: {report:?}");
        }
        let params = NsgsParams { max_iterations: 3, memory: 8, ..NsgsParams::default() };
        let report = Nsgs::new(params).unwrap().solve(&problem, &mut vec![0.0; problem.rows()]);
        assert!(report.status == SolveStatus::IterationLimit && !report.settled(), "{report:?}");
    }

    /// Impulses of bodies at rest that are good enough, but less so than in the step before, would be worse in the next:
    /// they are solved nearly as far as numbers go; and so is what is as it was, where all can stick and it leaves more than rests.
    /// What leaves less stays.
    #[test]
    fn what_is_good_enough_and_gets_worse_is_solved() {
        let mut problem = ConstraintProblem::default();
        problem.copy_rows_of(&with_delassus_factor(stack(&[1.0; 4], vec3(0.0, 0.0, 0.0), 0.5)));
        let solve = |problem: &ConstraintProblem, impulses: &mut [f64]| {
            crate::make("nsgs-accelerated", &crate::Common::default()).unwrap().solve(problem, impulses)
        };
        let mut answer = vec![0.0; problem.rows()];
        solve(&problem, &mut answer);
        let more = |by: f64| answer.iter().map(|l| l * (1.0 + by)).collect::<Vec<_>>();
        let given = more(-1e-8);
        let left = certify(&problem, &given).natural_map;
        assert!(left > 1e-10 && left < 9e-9, "{left:e}");
        let rests = more(-1e-12);
        for (given, before, stays) in
            [(&rests, rests.clone(), true), (&given, given.clone(), false), (&given, more(-3e-8), false)]
        {
            problem.second_start = before;
            let mut impulses = given.clone();
            let report = solve(&problem, &mut impulses);
            let natural_map = certify(&problem, &impulses).natural_map;
            assert!(report.converged() && (impulses == *given) == stays, "{report:?}");
            assert!(stays || natural_map < 1e-12, "{natural_map:e}");
        }
    }

    /// What rounding makes of impulses needs no blocks: |W| |Wᵀ| |λ| is no less than |G| |λ|, nor much more.
    #[test]
    fn sizes_need_no_blocks() {
        let problem = with_delassus_factor(stack(&[1.0, 3.0, 0.5], vec3(0.5, 0.2, 0.0), 0.4));
        let mut known = ConstraintProblem::default();
        known.copy_rows_of(&problem);
        let x: Vec<f64> = (0..problem.rows()).map(|k| (k as f64).sin()).collect();
        let (mut by_blocks, mut by_factor) = (Vec::new(), Vec::new());
        problem.absolute_mul_into(&x, &mut by_blocks);
        known.absolute_mul_into(&x, &mut by_factor);
        assert!(by_blocks.iter().zip(&by_factor).all(|(a, b)| *a <= b * (1.0 + 1e-12) && *b < 4.0 * a));
    }
}
