//! A step in parts that end where a fast body first meets another: see [`crate::continuous`].

use super::{Input, TimeStepper};
use crate::State;
use crate::report::{StepReport, StepStatus};
use stiction_contact::ContactSolver;
use stiction_models::World;

/// Parts of a step, at most: one more than the impacts that are followed.
const PARTS: usize = 64;
/// A part is at least this share of the step.
const SHORTEST: f64 = 1e-6;

impl TimeStepper {
    /// The step in parts that end where a fast body first meets another. When there are too many, what
    /// would follow the last impact is left out, and the report says that it did not converge.
    pub(super) fn step_in_parts(
        &mut self,
        world: &World,
        state: &mut State,
        input: &Input,
        solver: &mut dyn ContactSolver,
    ) -> StepReport {
        let (whole, mut left, mut report) = (self.params, 1.0, StepReport::start());
        super::copy(state, &mut self.before);
        for part in 1..=PARTS {
            self.params = whole.part(left);
            let mut solved = self.solve(world, state, input, solver);
            let mut impact = solved.is_ok().then(|| self.first_impact(world, state)).flatten();
            let mut share = left;
            if let Some(s) = impact
                && part < PARTS
            {
                share = left * s.max(SHORTEST);
                self.params = whole.part(share);
                solved = self.solve(world, state, input, solver);
                impact = solved.is_ok().then(|| self.first_impact(world, state)).flatten();
            }
            let moved = solved
                .and_then(|solve| self.advance(world, state, &solve, impact.unwrap_or(1.0)).map(|()| solve));
            match moved {
                Ok(solve) => {
                    report = report.followed_by(self.report(&solve));
                    if part == PARTS && impact.is_some() {
                        report.status = StepStatus::NotConverged;
                    }
                }
                Err(cause) => {
                    super::copy(&self.before, state);
                    self.params = whole;
                    return StepReport::failed(cause);
                }
            }
            left -= share;
            if left <= SHORTEST {
                break;
            }
        }
        self.params = whole;
        state.t = self.before.t + whole.dt;
        report
    }

    /// The share of the step that was solved after which a fast body first meets another.
    fn first_impact(&mut self, world: &World, state: &State) -> Option<f64> {
        self.displace(world, state, 1.0);
        self.kin.update(&world.model, &self.q_next);
        self.finder.first_impact(&self.kin, self.params.margin, self.params.slop)
    }
}
