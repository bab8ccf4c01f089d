//! What a solve by sweeps works in: prepared blocks, current and best impulses, accelerators.

use super::{Rule, SweepParams, report};
use crate::active_set::Newton;
use crate::anderson::Anderson;
use crate::blocks::{Block, blocks_into, pieces_into};
use crate::finish::{Finish, Goal};
use crate::initial_guess::InitialGuesses;
use crate::minimum_norm::MinimumNorm;
use crate::plan::{Line, NEAR};
use crate::residual::StoppingResidual;
use crate::springs::{Question, Springs};
use crate::task::Task;
use crate::trees::TreeSystem;
use crate::view::{Reached, View};
use stiction_contact::{Cone, ConstraintProblem, Law, SolveReport, SolveStatus};

/// Slip of more than so many times what all friction would stop is not stopped [–].
const STOPS: f64 = 10.0;
/// An Anderson step may let the residual grow by this factor [–].
const GROWTH: f64 = 2.0;
/// Accelerated sweeps without progress before as many plain ones.
const IDLE: u32 = 50;
/// Velocities are computed afresh after an Anderson step with larger coefficients than this [–].
const DRIFT: f64 = 100.0;

/// Memory of a solver, valid during one solve but for what tells the next where to go on.
#[derive(Default)]
pub(crate) struct Workspace {
    /// Prepared blocks of the problem.
    pub(crate) blocks: Vec<Block>,
    pub(super) stopping: StoppingResidual,
    pub(super) springs: Springs,
    starts: InitialGuesses,
    /// The impulses a solve starts from are the smallest already: an answer of this workspace.
    pub(super) own: bool,
    smallest: MinimumNorm,
    /// c = (G + R) λ + g of the current impulses, up to rounding since the last refresh.
    pub(super) c: Vec<f64>,
    /// z = Wᵀ λ of a sweep by the factor of G.
    pub(super) z: Vec<f64>,
    /// What a start from impulses has found, while one from none is tried.
    pub(super) found: Vec<f64>,
    /// Impulses at which the last sweeps start, and to which they go.
    pub(super) swept: Vec<f64>,
    /// The problem without the factor of its G.
    pub(super) rows: Option<ConstraintProblem>,
    /// Impulses before the springs.
    pub(super) given: Vec<f64>,
    /// Equilibrium of the springs.
    pub(super) equilibrium: Vec<f64>,
    /// The problem with springs.
    pub(super) soft: Option<ConstraintProblem>,
    pub(super) scratch: Vec<f64>,
    smaller: Vec<f64>,
    /// Impulses before the sweep.
    pub(super) before: Vec<f64>,
    /// Best impulses seen, and their residual.
    best: Vec<f64>,
    pub(super) best_residual: f64,
    pub(super) anderson: Anderson,
    /// ‖A_ii‖_F per row: the metric of the Anderson step.
    weight: Vec<f64>,
    /// Impulses and velocities a rejected Anderson step returns to, and their residual.
    safe: Vec<f64>,
    safe_c: Vec<f64>,
    safe_residual: f64,
    /// Sweeps since the best residual last fell by a hundredth.
    pub(super) idle: u32,
    /// Sweeps to go without Anderson steps.
    pub(super) plain: u32,
    pub(super) finish: Finish,
}

/// The memory of an island between solves: factors, and where the smallest impulses were.
#[derive(Default)]
pub(crate) struct Kept {
    newton: Newton,
    smallest: Vec<f64>,
}

impl Kept {
    pub(super) fn forget(&mut self) {
        self.newton.forget();
        self.smallest.clear();
    }
}

impl Workspace {
    /// Takes what an island has kept, or gives it back.
    pub(super) fn exchange(&mut self, kept: &mut Kept) {
        let Kept { newton, smallest } = kept;
        std::mem::swap(self.finish.kept_mut(), newton);
        std::mem::swap(self.smallest.kept_mut(), smallest);
    }

    /// What the residual asks for.
    pub(super) fn prepare(&mut self, problem: &ConstraintProblem) {
        self.stopping.prepare(problem);
    }

    /// What a finish before the first sweep asks for beyond that.
    pub(super) fn prepare_pieces(&mut self, problem: &ConstraintProblem) {
        pieces_into(problem, &self.stopping, &mut self.blocks);
    }

    /// What sweeps ask for beyond that.
    pub(super) fn prepare_sweeps(&mut self, problem: &ConstraintProblem) {
        blocks_into(problem, &self.stopping, &mut self.blocks);
        self.weight.clear();
        for (cone, &norm) in problem.cones().iter().zip(&self.stopping.norms) {
            self.weight.extend(std::iter::repeat_n(norm, cone.dim()));
        }
    }

    /// What `choose` makes of the starts there are, the problem, and room for the velocities of the one chosen.
    pub(super) fn with_starts<T>(
        &mut self,
        problem: &ConstraintProblem,
        law: Law,
        tolerance: f64,
        choose: impl FnOnce(&mut InitialGuesses, &Task, &mut Vec<f64>) -> T,
    ) -> T {
        let Self { starts, stopping, c, .. } = self;
        choose(starts, &Task { problem, stopping, law, tolerance }, c)
    }

    /// After [`InitialGuesses::keep`], the same for some of the blocks.
    pub(super) fn keep_part(&self, problem: &ConstraintProblem, blocks: &[usize]) -> (f64, f64) {
        self.starts.keep_part(problem, blocks)
    }

    /// The residual at which a start will do.
    pub(super) fn enough(&self, tolerance: f64) -> f64 {
        self.starts.enough(tolerance)
    }

    /// True if answers must be made small whatever they start from.
    pub(super) fn must_select<R: Rule>(&self) -> bool {
        R::SMALLEST && !self.own
    }

    /// Impulses that hold all that touches, if these are an answer, in place of `impulses`, whose velocities are c; their residual.
    pub(super) fn hold(
        &mut self,
        problem: &ConstraintProblem,
        params: &SweepParams,
        impulses: &mut [f64],
    ) -> Option<f64> {
        if self.hopeless(problem, impulses) {
            return None;
        }
        let Self { springs, stopping, .. } = self;
        let springs_params = params.springs.unwrap_or_default();
        let question = Question { problem, stopping, params: &springs_params, tolerance: params.tolerance };
        springs.hold(&question, impulses)
    }

    /// True if some contact that is pressed by `impulses` slips so fast that [`STOPS`] times all friction they allow would not stop
    /// it.
    fn hopeless(&self, problem: &ConstraintProblem, impulses: &[f64]) -> bool {
        let pressed = || {
            problem.cones().iter().enumerate().filter_map(|(i, cone)| {
                let (Cone::Friction { mu } | Cone::Patch { mu, .. }) = *cone else { return None };
                let first = problem.range(i).start;
                let normal = impulses[first + 2];
                (mu * normal > 0.0).then_some((i, first, mu * normal))
            })
        };
        let friction: f64 = pressed().map(|p| p.2).sum();
        let slip = |first: usize| self.c[first].hypot(self.c[first + 1]);
        pressed().any(|(i, first, _)| slip(first) > STOPS * friction * self.stopping.norms[i])
    }

    /// Makes an answer as small as it can be; its residual.
    pub(super) fn select(
        &mut self,
        problem: &ConstraintProblem,
        tolerance: f64,
        impulses: &mut [f64],
    ) -> f64 {
        self.smallest.select(problem, &self.stopping, tolerance, impulses)
    }

    /// The residual of the law, from impulses and their velocities.
    pub(super) fn residual(&self, problem: &ConstraintProblem, law: Law, lambda: &[f64], c: &[f64]) -> f64 {
        self.stopping.residual(problem, law, lambda, c)
    }

    /// After a sweep: goes back to before the last Anderson step if that made things worse, else takes
    /// the next one. True when `impulses` are extrapolated.
    pub(super) fn accelerate(
        &mut self,
        problem: &ConstraintProblem,
        impulses: &mut [f64],
        current: &mut f64,
        extrapolated: bool,
    ) -> bool {
        if extrapolated && *current > GROWTH * self.safe_residual {
            impulses.copy_from_slice(&self.safe);
            self.c.copy_from_slice(&self.safe_c);
            *current = self.safe_residual;
            self.anderson.restart();
            return false;
        }
        // Plain sweeps where the accelerated ones lead nowhere.
        self.plain = self.plain.saturating_sub(1);
        if self.idle >= IDLE {
            (self.idle, self.plain) = (0, IDLE);
            impulses.copy_from_slice(&self.best);
            problem.velocities_into(impulses, &mut self.c);
            *current = self.best_residual;
            self.anderson.restart();
            return false;
        }
        if self.plain > 0 {
            return false;
        }
        for (safe, now) in [(&mut self.safe, &*impulses), (&mut self.safe_c, &self.c[..])] {
            safe.clear();
            safe.extend_from_slice(now);
        }
        self.safe_residual = *current;
        let Some(gain) = self.anderson.step(&self.weight, &self.before, impulses, &mut self.c) else {
            return false;
        };
        if gain > DRIFT {
            problem.velocities_into(impulses, &mut self.c);
        }
        true
    }

    /// A second-order finish, if it is time for one (before the first sweep: by the factors of the last
    /// solve); the residual it reached, with c to match.
    pub(super) fn finish(
        &mut self,
        problem: &ConstraintProblem,
        law: Law,
        impulses: &mut [f64],
        current: f64,
        params: &SweepParams,
        iterations: &mut u32,
    ) -> Option<f64> {
        let goal = self.goal(params);
        let Self { blocks, stopping, finish, c, .. } = self;
        let sweeps = *iterations > 0 || law == Law::Ncp && TreeSystem::pays(problem);
        let view = View { problem, blocks, stopping, law, sweeps };
        let e = if *iterations == 0 {
            let reached = finish.resume(&view, impulses, c, current, goal);
            *iterations += reached.steps;
            (reached.residual < current).then_some(reached.residual)?
        } else {
            finish.attempt(&view, impulses, current, goal, iterations)?
        };
        problem.velocities_into(impulses, &mut self.c);
        self.remember(impulses, e);
        self.anderson.restart();
        Some(e)
    }

    /// From these impulses to the best that the augmented Lagrangian meets, with c to match: their residual and the steps.
    pub(super) fn by_multipliers(
        &mut self,
        problem: &ConstraintProblem,
        law: Law,
        params: &SweepParams,
        impulses: &mut [f64],
    ) -> (f64, u32) {
        let Self { blocks, stopping, finish, c, before, .. } = self;
        let view = View { problem, blocks, stopping, law, sweeps: true };
        before.clear();
        before.extend_from_slice(impulses);
        let reached = finish.by_multipliers(&view, before, params.tolerance, params.max_iterations);
        impulses.copy_from_slice(before);
        problem.velocities_into(impulses, c);
        (reached.residual, reached.steps)
    }

    /// The stage of a line from these impulses, with c to match; the residual of the best impulses met, made small where they are an answer.
    pub(super) fn by_stage<R: Rule>(
        &mut self,
        line: &Line,
        problem: &ConstraintProblem,
        params: &SweepParams,
        impulses: &mut [f64],
        from: &mut Reached,
    ) -> f64 {
        self.prepare_sweeps(problem);
        let goal = self.goal(params);
        let Self { blocks, stopping, finish, c, .. } = self;
        finish.start(problem, R::LAW, params.finish.then_some(&params.plan));
        let view = View { problem, blocks, stopping, law: R::LAW, sweeps: true };
        from.residual = finish.run(line, &view, impulses, from.residual, goal, &mut from.steps);
        problem.velocities_into(impulses, c);
        if R::SMALLEST && from.residual <= params.tolerance {
            from.residual = self.select(problem, params.tolerance, impulses);
        }
        from.residual
    }

    /// Newton's method from these impulses, with c to match.
    pub(super) fn look(
        &mut self,
        problem: &ConstraintProblem,
        params: &SweepParams,
        impulses: &mut [f64],
        from: Reached,
    ) -> Reached {
        let goal = self.goal(params);
        let Self { blocks, stopping, finish, c, .. } = self;
        let view = View { problem, blocks, stopping, law: Law::Ncp, sweeps: false };
        let mut steps = from.steps;
        let residual = finish.newton(&view, impulses, from.residual, goal, &mut steps);
        problem.velocities_into(impulses, c);
        Reached { residual, steps }
    }

    /// Replaces these impulses by the best that the smoothing homotopy meets from none, with c to match.
    pub(super) fn by_smoothing(
        &mut self,
        problem: &ConstraintProblem,
        enough: f64,
        max_steps: u32,
        impulses: &mut [f64],
    ) -> Reached {
        let Self { blocks, stopping, finish, c, before, .. } = self;
        let view = View { problem, blocks, stopping, law: Law::Ncp, sweeps: true };
        before.clear();
        before.extend_from_slice(impulses);
        let reached = finish.by_smoothing(&view, before, enough, max_steps);
        impulses.copy_from_slice(before);
        problem.velocities_into(impulses, c);
        reached
    }

    fn goal(&self, params: &SweepParams) -> Goal {
        let SweepParams { tolerance, max_iterations, .. } = *params;
        Goal { tolerance, max_iterations, rests: !self.starts.moves() }
    }

    /// What a finish before any sweep reaches, by the factors of the last solve and by new ones, from a start that has
    /// the residual `current`: of the problem no blocks are needed.
    pub(super) fn resume<R: Rule>(
        &mut self,
        problem: &ConstraintProblem,
        params: &SweepParams,
        impulses: &mut [f64],
        current: f64,
    ) -> Reached {
        let goal = self.goal(params);
        self.prepare_pieces(problem);
        let Self { blocks, stopping, finish, c, .. } = self;
        finish.start(problem, R::LAW, params.finish.then_some(&params.plan));
        let view = View { problem, blocks, stopping, law: R::LAW, sweeps: false };
        let mut reached = finish.resume(&view, impulses, c, current, goal);
        let unique = reached.steps > 0 && self.finish.unique();
        if R::SMALLEST && reached.residual <= params.tolerance && !unique {
            reached.residual = self.select(problem, params.tolerance, impulses);
        }
        reached
    }

    /// Drops what outlives a solve.
    pub(crate) fn forget(&mut self) {
        self.finish.forget();
        self.starts.forget();
        self.smallest.forget();
        self.own = false;
    }

    /// True if the best impulses seen are nearly an answer, and leave no more than rounding them does. Where the smallest
    /// are wanted these are asked: what contacts press against each other without end hides any residual.
    pub(super) fn is_rounding<R: Rule>(&mut self, problem: &ConstraintProblem, tolerance: f64) -> bool {
        let e = self.best_residual;
        if !(e <= NEAR * tolerance
            && e <= self.stopping.last_place(problem, &self.best, e, &mut self.scratch))
        {
            return false;
        }
        let mut smallest = std::mem::take(&mut self.smaller);
        smallest.clone_from(&self.best);
        let is = self.round_off::<R>(problem, tolerance, e, &mut smallest).is_some();
        self.smaller = smallest;
        is
    }

    /// True if rounding the impulses moves velocities by more than the tolerance: however small their residual is found
    /// here, others may find another.
    pub(super) fn rounding_hides(
        &mut self,
        problem: &ConstraintProblem,
        impulses: &[f64],
        tolerance: f64,
    ) -> bool {
        self.stopping.last_place(problem, impulses, tolerance, &mut self.scratch) > tolerance
    }

    /// The residual of impulses that leave `e`, once these are small if they are to be, if nothing but rounding is left.
    fn round_off<R: Rule>(
        &mut self,
        problem: &ConstraintProblem,
        tolerance: f64,
        e: f64,
        impulses: &mut [f64],
    ) -> Option<f64> {
        let hides = |ws: &mut Self, e: f64, impulses: &[f64]| {
            let place = ws.stopping.last_place(problem, impulses, e.min(tolerance), &mut ws.scratch);
            e <= place.max(tolerance)
        };
        if !hides(self, e, impulses) {
            return None;
        }
        if !R::SMALLEST {
            return Some(e);
        }
        let small = self.select(problem, tolerance, impulses);
        hides(self, small, impulses).then_some(small)
    }

    /// Leaves the best impulses seen, with a residual computed afresh. Where that is within the tolerance, but for what
    /// rounding may add, or no more than rounding leaves, nothing else is wrong.
    pub(super) fn give_up<R: Rule>(
        &mut self,
        problem: &ConstraintProblem,
        (status, tolerance): (SolveStatus, f64),
        iterations: u32,
        impulses: &mut [f64],
    ) -> SolveReport {
        impulses.copy_from_slice(&self.best);
        problem.velocities_into(impulses, &mut self.c);
        let e = self.residual(problem, R::LAW, impulses, &self.c);
        if status == SolveStatus::NumericalFailure {
            return report(status, iterations, e);
        }
        if let Some(e) = self.round_off::<R>(problem, tolerance, e, impulses) {
            return report(SolveStatus::Rounding, iterations, e);
        }
        impulses.copy_from_slice(&self.best);
        report(status, iterations, e)
    }

    /// Forgets the best impulses of earlier solves; `lambda` are the best so far.
    pub(super) fn start_best(&mut self, lambda: &[f64], residual: f64) {
        (self.best_residual, self.idle, self.plain) = (f64::INFINITY, 0, 0);
        self.remember(lambda, residual);
    }

    /// Keeps `lambda` if it is the best so far.
    pub(super) fn remember(&mut self, lambda: &[f64], residual: f64) {
        self.idle = if residual < 0.99 * self.best_residual { 0 } else { self.idle + 1 };
        if residual < self.best_residual {
            self.best_residual = residual;
            self.best.clear();
            self.best.extend_from_slice(lambda);
        }
    }
}
