//! A step that fails or does not converge, done again in 2, 4, 8 … parts.
//!
//! Every attempt starts from what was there before the first: state, warm start, servos; the solver starts cold. The
//! first attempt that converges in all its parts stands; one that does not is given up at the part that does not. If
//! none does, the one that came nearest until then is done to its end, flagged; if that fails the state is as before
//! the step. Input acts alike during all parts.

use super::{Input, TimeStepper};
use crate::State;
use crate::report::{StepReport, StepStatus};
use crate::servos::Servos;
use crate::warm_start::WarmStart;
use stiction_contact::ContactSolver;
use stiction_models::World;

/// What a step starts from.
pub(super) struct Kept {
    state: State,
    memory: WarmStart,
    servos: Servos,
}

impl Kept {
    pub(super) fn memory(&mut self) -> &mut WarmStart {
        &mut self.memory
    }

    pub(super) fn new(world: &World) -> Self {
        let state = State::neutral(&world.model);
        Self { state, memory: WarmStart::default(), servos: Servos::new(world) }
    }
}

impl TimeStepper {
    /// See the module.
    pub(super) fn step_or_retry(
        &mut self,
        world: &World,
        state: &mut State,
        input: &Input,
        solver: &mut dyn ContactSolver,
    ) -> StepReport {
        super::copy(state, &mut self.kept.state);
        self.kept.memory.set_to(&self.memory);
        self.kept.servos.set_to(&self.servos);
        let first = self.step_once(world, state, input, solver);
        if !first.flagged() {
            return first;
        }
        // A failed attempt has no residual.
        let residual = |r: &StepReport| if r.failure().is_some() { f64::INFINITY } else { r.residual };
        let mut best = (0, residual(&first));
        for halvings in 1..=self.params.adaptive {
            let report = self.step_in(halvings, true, world, state, input, solver);
            if !report.flagged() {
                return report;
            }
            if residual(&report) < best.1 {
                best = (halvings, residual(&report));
            }
        }
        self.step_in(best.0, false, world, state, input, solver)
    }

    /// The kept step in 2ⁿ parts, from a cold solver; until one is flagged, if `all` must converge.
    fn step_in(
        &mut self,
        halvings: u32,
        all: bool,
        world: &World,
        state: &mut State,
        input: &Input,
        solver: &mut dyn ContactSolver,
    ) -> StepReport {
        self.restore(state);
        solver.forget();
        let (whole, parts) = (self.params, 1_u32 << halvings);
        self.params = whole.part(1.0 / f64::from(parts));
        let mut report = StepReport::start();
        for _ in 0..parts {
            report = report.followed_by(self.step_once(world, state, input, solver));
            if report.failure().is_some() || all && report.flagged() {
                break;
            }
        }
        if let StepStatus::Failed(_) = report.status {
            self.restore(state);
        }
        self.params = whole;
        if report.failure().is_none() {
            state.t = self.kept.state.t + whole.dt;
        }
        report
    }

    fn restore(&mut self, state: &mut State) {
        super::copy(&self.kept.state, state);
        self.memory.set_to(&self.kept.memory);
        self.servos.set_to(&self.kept.servos);
    }
}
