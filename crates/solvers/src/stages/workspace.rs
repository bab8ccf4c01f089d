//! What a solve by sweeps works in: prepared blocks, current and best impulses, accelerators.

use super::methods::Methods;
use super::settings::Settings;
use crate::active_set::Newton;
use crate::anderson::Anderson;
use crate::blocks::{Block, blocks_into, pieces_into};
use crate::initial_guess::InitialGuesses;
use crate::minimum_norm::MinimumNorm;
use crate::residual::StoppingResidual;
use crate::springs::{Equilibria, Question, Springs, SpringsParams};
use crate::task::Task;
use crate::tuning::SweepsTuning;
use stiction_contact::{Cone, ConstraintProblem, Law};

/// Memory of a solver, valid during one solve but for what tells the next where to go on.
#[derive(Default)]
pub(crate) struct Workspace {
    /// Prepared blocks of the problem.
    pub(crate) blocks: Vec<Block>,
    pub(super) stopping: StoppingResidual,
    pub(super) springs: Springs,
    pub(super) starts: InitialGuesses,
    /// The impulses a solve starts from are the smallest already: an answer of this workspace.
    pub(crate) own: bool,
    smallest: MinimumNorm,
    /// c = (G + R) λ + g of the current impulses, up to rounding since the last refresh.
    pub(super) c: Vec<f64>,
    /// z = Wᵀ λ of a sweep by the factor of G.
    pub(super) z: Vec<f64>,
    /// Impulses that a start has found, while one from none is tried.
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
    pub(super) best: Vec<f64>,
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
    pub(super) methods: Methods,
}

/// The memory of an island between solves: factors, and where the smallest impulses were.
#[derive(Default)]
pub(crate) struct Kept {
    newton: Newton,
    smallest: Vec<f64>,
    equilibria: Equilibria,
    /// Solves that ended short of the tolerance, one after another.
    pub(crate) short: u32,
}

impl Kept {
    pub(crate) fn forget(&mut self) {
        self.newton.forget();
        self.smallest.clear();
        self.equilibria.forget();
        self.short = 0;
    }
}

impl Workspace {
    /// Takes what an island has kept, or gives it back.
    pub(crate) fn exchange(&mut self, kept: &mut Kept) {
        let Kept { newton, smallest, .. } = kept;
        std::mem::swap(&mut self.methods.newton, newton);
        std::mem::swap(self.smallest.kept_mut(), smallest);
    }

    /// Exchanges the equilibria of springs with those that an island has kept.
    pub(crate) fn exchange_equilibria(&mut self, kept: &mut Kept) {
        std::mem::swap(self.springs.kept_mut(), &mut kept.equilibria);
    }

    /// Prepares what the residual needs.
    pub(crate) fn prepare(&mut self, problem: &ConstraintProblem) {
        self.stopping.prepare(problem);
    }

    /// Prepares blocks as attempts before the first sweep need them.
    pub(super) fn prepare_pieces(&mut self, problem: &ConstraintProblem) {
        pieces_into(problem, &self.stopping, &mut self.blocks);
    }

    /// Prepares blocks as sweeps need them.
    pub(super) fn prepare_sweeps(&mut self, problem: &ConstraintProblem) {
        blocks_into(problem, &self.stopping, &mut self.blocks);
        self.weight.clear();
        for (cone, &norm) in problem.cones().iter().zip(&self.stopping.norms) {
            self.weight.extend(std::iter::repeat_n(norm, cone.dim()));
        }
    }

    /// Calls `choose` with the starts there are, the problem, and a vector for the velocities of the one
    /// chosen.
    pub(crate) fn with_starts<T>(
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
    pub(crate) fn keep_part(&self, problem: &ConstraintProblem, blocks: &[usize]) -> (f64, f64) {
        self.starts.keep_part(problem, blocks)
    }

    /// The residual at which a start will do.
    pub(super) fn enough(&self, tolerance: f64) -> f64 {
        self.starts.enough(tolerance)
    }

    /// Impulses that hold all that touches, if these are an answer, in place of `impulses`, whose velocities
    /// are c; their residual.
    pub(super) fn hold(
        &mut self,
        problem: &ConstraintProblem,
        (settings, tolerance): (&Settings, f64),
        impulses: &mut [f64],
    ) -> Option<f64> {
        if self.hopeless(problem, impulses, settings.tuning.sweeps.stops) {
            return None;
        }
        let Self { springs, stopping, .. } = self;
        let mut params = settings.springs;
        if params.rows == 0 {
            params.rows = SpringsParams::default().rows; // of all that few rows share
        }
        let question = Question { problem, stopping, params: &params, tolerance };
        springs.hold(&question, impulses)
    }

    /// True if some contact that is pressed by `impulses` slips so fast that `stops` times all friction they
    /// allow would not stop it.
    fn hopeless(&self, problem: &ConstraintProblem, impulses: &[f64], stops: f64) -> bool {
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
        pressed().any(|(i, first, _)| slip(first) > stops * friction * self.stopping.norms[i])
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
        t: &SweepsTuning,
    ) -> bool {
        if extrapolated && *current > t.growth * self.safe_residual {
            impulses.copy_from_slice(&self.safe);
            self.c.copy_from_slice(&self.safe_c);
            *current = self.safe_residual;
            self.anderson.restart();
            return false;
        }
        // Plain sweeps where the accelerated ones lead nowhere.
        self.plain = self.plain.saturating_sub(1);
        if self.idle >= t.idle {
            (self.idle, self.plain) = (0, t.idle);
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
            now.clone_into(safe);
        }
        self.safe_residual = *current;
        let Some(gain) = self.anderson.step(&self.weight, &self.before, impulses, &mut self.c) else {
            return false;
        };
        if gain > t.drift {
            problem.velocities_into(impulses, &mut self.c);
        }
        true
    }

    /// Drops what outlives a solve.
    pub(crate) fn forget(&mut self) {
        self.methods.newton.forget();
        self.starts.forget();
        self.smallest.forget();
        self.springs.forget();
        self.own = false;
    }

    /// True if the best impulses seen are nearly an answer, and leave no more than rounding them does. Where
    /// the smallest are wanted these decide: what contacts press against each other without end hides any
    /// residual.
    pub(super) fn is_rounding(
        &mut self,
        problem: &ConstraintProblem,
        tolerance: f64,
        smallest_wanted: bool,
    ) -> bool {
        let e = self.best_residual;
        if !(e <= self.stopping.last_place(problem, &self.best, e, &mut self.scratch)) {
            return false;
        }
        let mut smallest = std::mem::take(&mut self.smaller);
        smallest.clone_from(&self.best);
        let is = self.round_off(problem, tolerance, e, &mut smallest, smallest_wanted).is_some();
        self.smaller = smallest;
        is
    }

    /// True if rounding the impulses moves velocities by more than the tolerance: however small their
    /// residual is found here, others may find another.
    pub(super) fn rounding_hides(
        &mut self,
        problem: &ConstraintProblem,
        impulses: &[f64],
        tolerance: f64,
    ) -> bool {
        self.stopping.last_place(problem, impulses, tolerance, &mut self.scratch) > tolerance
    }

    /// The residual of impulses that leave `e`, once these are small if they are to be, if nothing but
    /// rounding is left.
    pub(super) fn round_off(
        &mut self,
        problem: &ConstraintProblem,
        tolerance: f64,
        e: f64,
        impulses: &mut [f64],
        smallest: bool,
    ) -> Option<f64> {
        let hides = |ws: &mut Self, e: f64, impulses: &[f64]| {
            let place = ws.stopping.last_place(problem, impulses, e.min(tolerance), &mut ws.scratch);
            e <= place.max(tolerance)
        };
        if !hides(self, e, impulses) {
            return None;
        }
        if !smallest {
            return Some(e);
        }
        let small = self.select(problem, tolerance, impulses);
        hides(self, small, impulses).then_some(small)
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
            lambda.clone_into(&mut self.best);
        }
    }
}
