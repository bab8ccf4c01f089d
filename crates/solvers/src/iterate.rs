//! The loop the solvers share that work on a whole island at once: start, iterate, measure, remember the
//! best, stop.
//!
//! Islands are solved one by one ([`crate::islands`]). After every iteration the residual is the natural
//! map of the solver's law at its candidate, with velocities computed afresh ([`crate::residual`]);
//! "converged" is said of nothing else. Whatever happens, the best impulses seen are returned.

use crate::initial_guess::InitialGuesses;
use crate::islands::{Islands, Recipe};
use crate::residual::StoppingResidual;
use crate::task::Task;
use crate::trees::knows_all;
use stiction_contact::{ConstraintProblem, Law, SolveReport, SolveStatus, Watch};

/// What a solver brings: memory of its own, a start and an iteration.
pub trait Method: Default + Send + 'static {
    type Params: Clone + Send + 'static;

    /// Iterations within which the best residual must fall by a tenth.
    const PATIENCE: u32 = u32::MAX;
    /// False for a method that only multiplies by G: a problem without blocks stays one.
    const BLOCKS: bool = true;
    /// True for a method that asks for no blocks of G where W of all of it is known.
    const BY_FACTOR: bool = false;

    /// These iterations, where they hang on parameters.
    fn patience(_: &Self::Params) -> u32 {
        Self::PATIENCE
    }

    /// Prepares for a problem from the admissible impulses λ with velocities c. False if the method
    /// cannot work on it (a factorisation failed).
    fn start(&mut self, params: &Self::Params, task: &Task, lambda: &[f64], c: &[f64]) -> bool;

    /// One iteration, its candidate into λ, which holds the candidate before. False if nothing more
    /// can be done.
    fn iterate(&mut self, params: &Self::Params, task: &Task, lambda: &mut [f64]) -> bool;
}

/// When to stop.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Natural map of the law [m/s].
    pub(crate) tolerance: f64,
    pub(crate) max_iterations: u32,
}

/// Memory of a solver, valid during one solve.
pub(crate) struct Workspace<M: Method> {
    islands: Islands<Orders<M>>,
    whole: Island<M>,
}

/// What the islands of a solve have in common.
struct Orders<M: Method> {
    params: M::Params,
    law: Law,
    limits: Limits,
}

/// Memory of an island.
#[derive(Default)]
pub(crate) struct Island<M> {
    method: M,
    stopping: StoppingResidual,
    starts: InitialGuesses,
    c: Vec<f64>,
    best: Vec<f64>,
}

impl<M: Method> Workspace<M> {
    /// Solves by `M`, island by island, each from the nearest start ([`InitialGuesses`]).
    pub(crate) fn solve(
        &mut self,
        params: &M::Params,
        law: Law,
        limits: Limits,
        problem: &ConstraintProblem,
        impulses: &mut [f64],
        watch: &mut Watch<'_>,
    ) -> SolveReport {
        assert_eq!(impulses.len(), problem.rows(), "one impulse per row");
        if !problem.blocks_formed() && !M::BLOCKS {
            return self.whole.solve(params, law, limits, problem, impulses, watch);
        }
        if !(problem.blocks_formed() || M::BY_FACTOR && knows_all(problem)) {
            let mut formed = problem.clone();
            return match formed.form_blocks() {
                Ok(()) => self.solve(params, law, limits, &formed, impulses, watch),
                Err(_) => report(SolveStatus::NumericalFailure, 0, f64::NAN),
            };
        }
        let count = self.islands.find(problem);
        if count <= 1 {
            return self.whole.solve(params, law, limits, problem, impulses, watch);
        }
        let orders = Orders { params: params.clone(), law, limits };
        self.islands.solve(count, limits.tolerance, problem, impulses, watch, &orders)
    }

    /// Solves islands on so many threads.
    pub(crate) fn use_threads(&mut self, threads: usize) {
        self.islands.use_threads(threads);
    }
}

impl<M: Method> Default for Workspace<M> {
    fn default() -> Self {
        Self { islands: Islands::default(), whole: Island::default() }
    }
}

impl<M: Method> Clone for Orders<M> {
    fn clone(&self) -> Self {
        Self { params: self.params.clone(), ..*self }
    }
}

impl<M: Method> Recipe for Orders<M> {
    type Memory = ();
    type Tools = Island<M>;

    fn solve(
        &self,
        (): &mut (),
        island: &mut Island<M>,
        tolerance: f64,
        problem: &mut ConstraintProblem,
        impulses: &mut [f64],
        watch: &mut Watch<'_>,
    ) -> SolveReport {
        let limits = Limits { tolerance, ..self.limits };
        island.solve(&self.params, self.law, limits, problem, impulses, watch)
    }
}

impl<M: Method> Island<M> {
    fn solve(
        &mut self,
        params: &M::Params,
        law: Law,
        limits: Limits,
        problem: &ConstraintProblem,
        impulses: &mut [f64],
        watch: &mut Watch<'_>,
    ) -> SolveReport {
        let Self { method, stopping, starts, c, best } = self;
        stopping.prepare(problem);
        if !problem.free_velocity.iter().map(|g| g * g).sum::<f64>().is_finite() {
            impulses.fill(0.0);
            return report(SolveStatus::NumericalFailure, 0, f64::NAN);
        }
        let task = Task { problem, stopping, law, tolerance: limits.tolerance };
        let mut least = starts.choose(&task, impulses, c);
        if !least.is_finite() {
            return report(SolveStatus::NumericalFailure, 0, least);
        }
        watch.show(0, impulses);
        best.clear();
        best.extend_from_slice(impulses);
        let mut status = SolveStatus::Converged;
        let (mut iterations, mut mark) = (0, (0_u32, least));
        if !(least <= limits.tolerance) && !method.start(params, &task, impulses, c) {
            status = SolveStatus::Stalled;
        }
        while status == SolveStatus::Converged && !(least <= limits.tolerance) {
            if iterations >= limits.max_iterations {
                status = SolveStatus::IterationLimit;
                break;
            }
            if iterations >= mark.0.saturating_add(M::patience(params)) {
                if least > 0.9 * mark.1 {
                    status = SolveStatus::Stalled;
                    break;
                }
                mark = (iterations, least);
            }
            let going = method.iterate(params, &task, impulses);
            iterations += 1;
            problem.velocities_into(impulses, c);
            let e = stopping.residual(problem, law, impulses, c);
            watch.show(iterations, impulses);
            if e < least {
                least = e;
                best.copy_from_slice(impulses);
            }
            if !going || !e.is_finite() {
                status = SolveStatus::Stalled;
            }
        }
        impulses.copy_from_slice(best);
        if least <= limits.tolerance {
            status = SolveStatus::Converged;
        }
        report(status, iterations, least)
    }
}

fn report(status: SolveStatus, iterations: u32, residual: f64) -> SolveReport {
    SolveReport { status, iterations, residual }
}
