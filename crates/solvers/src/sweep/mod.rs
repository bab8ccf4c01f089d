//! Solvers by sweeps of a rule for one contact: the rule, and islands that stages solve.
//!
//! One sweep visits the blocks in order; each sees the newest impulses of the others:
//!
//! ```text
//!     λᵢ⁺ = rule(Aᵢ, λᵢ, cᵢ),   c ← c + G[:, i] (λᵢ⁺ − λᵢ),   A = G + R          (1)
//!     scalar blocks: λᵢ⁺ = P(λᵢ − cᵢ/Aᵢ)                                         (2)
//! ```
//!
//! Patches are answered by [`crate::local::patch`], whatever the rule of contacts. Of large islands of many
//! trees the factor W of G is enough: z = Wᵀ λ stands for c there, and no blocks are formed.
//!
//! It is a map λ ↦ S(λ) whose fixed points solve the rule's law. The residual is the natural map of that law
//! in m/s, 2-norm over the blocks, with ‖Aᵢ‖_F for ‖Aᵢ‖₂: an upper bound of the judge's. "Converged" is said
//! only of velocities computed afresh. Sweeps are all there is ([`by_sweeps_alone`]), unless parameters ask
//! for more. Then, island by island, the stages of a plan ([`crate::stages`]): sweeps; after each, an
//! Anderson step on S ([`crate::anderson`]); at growing intervals a second-order finish. Where that leaves no
//! more than rounding the impulses to 64 bits does ([`StoppingResidual::last_place`]), the solve ends:
//! [`SolveStatus::Rounding`]. Whatever happens, the best impulses seen are returned.
//!
//! [`StoppingResidual::last_place`]: crate::residual::StoppingResidual::last_place

mod solver;

pub(crate) use solver::{SweepMethod, SweepSolver};

use crate::blocks::{Block, pass};
use crate::bounds::Bounds;
use crate::islands::{Islands, Recipe};
use crate::local::Contact;
use crate::plan::Stage;
pub(crate) use crate::stages::SweepParams;
use crate::stages::{
    Form, Iterate, Kept, StartsFrom, Sweeper, Workspace, begin, by_sweeps_alone, go_on, hold_what_creeps,
};
use std::ops::ControlFlow;
use stiction_contact::{ConstraintProblem, Law, SolveReport, SolveStatus, Watch};

/// A twin: its law and its answer for one contact.
pub trait Rule: Clone + Send + 'static {
    const LAW: Law;
    /// The smallest of all answers with the same velocities is wanted.
    const SMALLEST: bool = false;

    /// λᵢ⁺ of (1).
    fn answer(&self, contact: &Contact, lambda: [f64; 3], c: [f64; 3]) -> [f64; 3];

    /// Called after every sweep.
    fn end_of_sweep(&mut self) {}
}

/// A rule as stages see it, and as it is before the first sweep.
struct Ruled<R> {
    given: R,
    rule: R,
}

impl<R: Rule> Ruled<R> {
    fn new(rule: R) -> Self {
        Self { given: rule.clone(), rule }
    }
}

impl<R: Rule> Sweeper for Ruled<R> {
    fn law(&self) -> Law {
        R::LAW
    }

    fn smallest(&self) -> bool {
        R::SMALLEST
    }

    fn renew(&mut self) {
        self.rule = self.given.clone();
    }

    fn sweep(
        &mut self,
        blocks: &[Block],
        problem: &ConstraintProblem,
        impulses: &mut [f64],
        (z, c): (&mut Vec<f64>, &mut [f64]),
    ) {
        let answer = |contact: &Contact, lambda, c| self.rule.answer(contact, lambda, c);
        if problem.blocks_formed() {
            pass::by_blocks(answer, blocks, problem, impulses, c);
        } else {
            pass::by_factor(answer, blocks, problem, impulses, (z, c));
        }
        self.rule.end_of_sweep();
    }
}

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
    /// Solves by sweeps of `rule`, island by island, each from the nearest start ([`crate::initial_guess`]):
    /// in most, the last impulses will do, and others are looked at only where they do not. Of a problem
    /// given by the factor of G, only islands whose start does not do form it, and of these only small ones
    /// where the law is the exact one.
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
        let mut ruled = Ruled::new(rule);
        if params.is_plain() {
            let (tools, common) = ((ws, &mut ruled as &mut dyn Sweeper), (params, &*bounds));
            let form = Form::Given(problem);
            let mut at = Iterate::new(tools, common, form, (StartsFrom::Nearest, false), impulses, watch);
            return by_sweeps_alone(&mut at, with_blocks);
        }
        ws.prepare(problem);
        // Answers must be made small whatever they start from, but where that is one of this workspace.
        let all = R::SMALLEST && !ws.own;
        let one_tree = !formed && problem.delassus_factor.trees() == 1;
        let count = if formed { islands.find(problem) } else { 0 };
        let report = if one_tree || formed && count <= 1 {
            let (form, from) = if one_tree {
                (Form::Copied(problem, with_blocks, false), StartsFrom::LastSteps)
            } else {
                (Form::Given(problem), StartsFrom::Nearest)
            };
            let (tools, common) = ((&mut *ws, &mut ruled as &mut dyn Sweeper), (params, &*bounds));
            let mut at = Iterate::new(tools, common, form, (from, all), impulses, watch);
            match begin(&mut at) {
                ControlFlow::Break(report) => report,
                ControlFlow::Continue(()) => {
                    let report = bounds.keep(bounds.budget_of(problem), || go_on(&mut at));
                    hold_what_creeps(&mut at, report)
                }
            }
        } else {
            let kept = ws.with_starts(problem, R::LAW, params.tolerance, |starts, task, _| {
                starts.keep(task, impulses)
            });
            let settings = &params.settings;
            let holds = R::LAW == Law::Ncp && settings.plan.tries(Stage::Hold);
            let rests = if holds { settings.springs.rests.min(params.tolerance) } else { params.tolerance };
            if let Some(residual) = kept.filter(|&e| !all && e <= rests) {
                watch.show(0, impulses);
                return report(SolveStatus::Converged, 0, residual);
            }
            let count = if formed { count } else { islands.find(problem) };
            if !all {
                islands.settle(count, rests, |blocks| ws.keep_part(problem, blocks));
            }
            let twin = Twin { rule: ruled.given, params: params.clone(), bounds: bounds.clone(), all };
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
        let bounds = self.bounds.after(kept.short);
        let most = bounds.budget_of(part);
        let mut ruled = Ruled::new(self.rule.clone());
        let (tools, common) = ((ws, &mut ruled as &mut dyn Sweeper), (&self.params, &bounds));
        let (form, from) = (Form::Itself(part), (StartsFrom::Rest, self.all));
        let mut at = Iterate { tolerance, ..Iterate::new(tools, common, form, from, impulses, watch) };
        at.ws.exchange_equilibria(kept);
        let begun = begin(&mut at);
        at.ws.exchange_equilibria(kept);
        if let ControlFlow::Break(report) = begun {
            kept.short = 0;
            return report;
        }
        at.ws.exchange(kept);
        let report = bounds.keep(most, || go_on(&mut at));
        at.ws.exchange(kept);
        kept.short = if report.settled() { 0 } else { kept.short.saturating_add(1) };
        hold_what_creeps(&mut at, report)
    }
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

    /// A cube on one of a billionth of its mass: what rounding the impulses leaves is more than the
    /// tolerance. Solvers with a finish say so, by blocks and by the factor, in the steps that Newton's
    /// method takes; what is worse than that is not called so.
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

    /// Impulses of bodies at rest that are good enough, but less so than in the step before, would be worse
    /// in the next: they are solved nearly as far as numbers go; and so is what is as it was, where all can
    /// stick and it leaves more than rests. What leaves less stays.
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
