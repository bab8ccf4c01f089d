//! A step in parts that end where a fast body first meets another: see [`stiction_assembly::swept`].
//!
//! The rest of the step is tried whole, without far contacts of fast bodies. Where the motion that results meets something
//! after the share s of it, state and memory go back and the part s is done instead: its end is the impact, where the contact
//! is an ordinary near one, and the rest follows as a step of its own.

use crate::input::Input;
use crate::report::{StepReport, StepStatus};
use crate::state::{State, copy};
use crate::stepping::decoratable::Decoratable;
use crate::stepping::memory::Memory;
use stiction_contact::ContactSolver;
use stiction_models::World;

/// Parts of a step, at most: one more than the impacts that are followed.
const PARTS: usize = 64;
/// A part is at least this share of the step.
const SHORTEST: f64 = 1e-6;
/// Times that a part is shortened because its own motion meets something, at most.
const SHORTENED: usize = 4;

/// Stopping at impacts around a stepper.
pub(crate) struct StopAtImpact<S> {
    pub(crate) inner: S,
    /// State and memory at the start of the step, and at the start of the part.
    before: State,
    remembered: Memory,
    state: State,
    memory: Memory,
}

impl<S: Decoratable> StopAtImpact<S> {
    pub(crate) fn new(world: &World, inner: S) -> Self {
        let neutral = || State::neutral(&world.model);
        let (remembered, memory) = (Memory::default(), Memory::default());
        Self { inner, before: neutral(), remembered, state: neutral(), memory }
    }

    /// The step in parts that end where a fast body first meets another. When there are too many, what
    /// would follow the last impact is left out, and the report says that it did not converge.
    pub(crate) fn step(
        &mut self,
        world: &World,
        state: &mut State,
        input: &Input,
        h: f64,
        solver: &mut dyn ContactSolver,
    ) -> StepReport {
        if !self.inner.sweeps() {
            return self.inner.step(world, state, input, h, solver);
        }
        let (mut left, mut report) = (h, StepReport::start());
        copy(state, &mut self.before);
        self.inner.memory_into(&mut self.remembered);
        self.inner.sweep_steps_of(Some(h));
        for part in 1..=PARTS {
            let (done, length, impact) = self.part(part < PARTS, left, h, world, state, input, solver);
            if let StepStatus::Failed(_) = done.status {
                copy(&self.before, state);
                self.inner.restore(world, &self.before, input, &self.remembered);
                report = done;
                break;
            }
            report = report.followed_by(done);
            if impact && part == PARTS {
                report.status = StepStatus::NotConverged;
            }
            left -= length;
            if left <= SHORTEST * h {
                break;
            }
        }
        self.inner.sweep_steps_of(None);
        if report.failure().is_none() {
            state.t = self.before.t + h;
        }
        report
    }

    /// One part of at most `left` [s]; its report and length, and whether it ends before what it meets.
    #[expect(clippy::too_many_arguments, reason = "those of a step, and how to do it")]
    fn part(
        &mut self,
        may_stop: bool,
        left: f64,
        h: f64,
        world: &World,
        state: &mut State,
        input: &Input,
        solver: &mut dyn ContactSolver,
    ) -> (StepReport, f64, bool) {
        copy(state, &mut self.state);
        self.inner.memory_into(&mut self.memory);
        let (mut length, mut shortened, mut last) = (left, 0, false);
        loop {
            let report = self.inner.step(world, state, input, length, solver);
            if report.failure().is_some() {
                return (report, length, false);
            }
            let Some(share) = self.inner.first_impact(world, &state.q) else {
                return (report, length, false);
            };
            if last || length <= SHORTEST * h {
                return (report, length, true);
            }
            shortened += 1;
            last = !may_stop || shortened > SHORTENED;
            length = (length * share).max(SHORTEST * h);
            copy(&self.state, state);
            self.inner.restore(world, state, input, &self.memory);
        }
    }
}
