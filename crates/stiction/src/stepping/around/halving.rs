//! A step that fails or does not converge, done again in 2, 4, 8 … parts.
//!
//! Every attempt starts from what was there before the first: state and memory; the solver starts cold. The
//! first attempt that converges in all its parts stands; one that does not is given up at the part that does not. If
//! none does, the one that came nearest until then is done to its end, flagged; if that fails the state is as before
//! the step. Input acts alike during all parts.

use super::stop_at_impact::StopAtImpact;
use crate::input::Input;
use crate::remedy::Remedy;
use crate::report::{StepReport, StepStatus};
use crate::state::{State, copy};
use crate::stepping::decoratable::Decoratable;
use crate::stepping::memory::Memory;
use stiction_contact::ContactSolver;
use stiction_models::World;

/// Step halving around stopping at impacts around a stepper.
pub(crate) struct Halving<S> {
    pub(crate) inner: StopAtImpact<S>,
    /// Halvings, at most; 0: a step stays as it is.
    most: u32,
    /// State and memory at the start of the step.
    state: State,
    memory: Memory,
}

impl<S: Decoratable> Halving<S> {
    pub(crate) fn new(world: &World, inner: StopAtImpact<S>, most: u32) -> Self {
        Self { inner, most, state: State::neutral(&world.model), memory: Memory::default() }
    }

    pub(crate) fn step(
        &mut self,
        world: &World,
        state: &mut State,
        input: &Input,
        h: f64,
        solver: &mut dyn ContactSolver,
    ) -> StepReport {
        if self.most == 0 {
            return self.inner.step(world, state, input, h, solver);
        }
        copy(state, &mut self.state);
        self.inner.inner.memory_into(&mut self.memory);
        let first = self.inner.step(world, state, input, h, solver);
        if !first.flagged() {
            return first;
        }
        // A failed attempt has no residual.
        let residual = |r: &StepReport| if r.failure().is_some() { f64::INFINITY } else { r.residual };
        let mut best = (0, residual(&first));
        for halvings in 1..=self.most {
            let report = self.step_in(halvings, true, world, state, input, h, solver);
            if !report.flagged() {
                return report;
            }
            if residual(&report) < best.1 {
                best = (halvings, residual(&report));
            }
        }
        self.step_in(best.0, false, world, state, input, h, solver)
    }

    /// The step in 2ⁿ parts, from a cold solver; until one is flagged, if `all` must converge.
    #[expect(clippy::too_many_arguments, reason = "those of a step, and how to do it")]
    fn step_in(
        &mut self,
        halvings: u32,
        all: bool,
        world: &World,
        state: &mut State,
        input: &Input,
        h: f64,
        solver: &mut dyn ContactSolver,
    ) -> StepReport {
        self.roll_back(world, state, input);
        solver.forget();
        let parts = 1_u32 << halvings;
        let mut report = StepReport::start();
        for _ in 0..parts {
            let part = self.inner.step(world, state, input, h / f64::from(parts), solver);
            report = report.followed_by(part);
            if report.failure().is_some() || all && report.flagged() {
                break;
            }
        }
        if let StepStatus::Failed(_) = report.status {
            self.roll_back(world, state, input);
        } else {
            state.t = self.state.t + h;
            report.remedy = report.remedy.or((halvings > 0).then_some(Remedy::Halved));
        }
        report
    }

    fn roll_back(&mut self, world: &World, state: &mut State, input: &Input) {
        copy(&self.state, state);
        self.inner.inner.restore(world, state, input, &self.memory);
    }
}
