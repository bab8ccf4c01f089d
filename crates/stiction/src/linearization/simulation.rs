//! The derivatives of a step of a simulation.

use super::{Done, Linearization, LinearizationError, LinearizationParams};
use crate::input::Input;
use crate::report::StepReport;
use crate::simulation::Simulation;
use crate::state::State;

impl Simulation {
    /// Advances by one time step, as [`Self::step`], and differentiates it. The step stands even if it has no derivative.
    ///
    /// # Errors
    ///
    /// [`LinearizationError`] names why the step is not differentiated, and what can be done.
    pub fn step_linearized(
        &mut self,
        params: &LinearizationParams,
    ) -> (StepReport, Result<Linearization, LinearizationError>) {
        let (start, input) = (self.state().clone(), self.input().clone());
        let report = self.step();
        let linearization = self.linearize_last(&start, &input, report.clone(), params);
        (report, linearization)
    }

    /// The derivatives of the step from the present state under the present input, which is done and taken back: state, input and all
    /// that decides the future are as before. Who goes on with that step asks [`Self::step_linearized`].
    ///
    /// # Errors
    ///
    /// [`LinearizationError`] names why the step is not differentiated, and what can be done.
    pub fn linearize(&mut self) -> Result<Linearization, LinearizationError> {
        let before = self.moment();
        let (_, linearization) = self.step_linearized(&LinearizationParams::default());
        self.go_back(&before);
        linearization
    }

    /// Of the last step, which started from these.
    fn linearize_last(
        &self,
        start: &State,
        input: &Input,
        report: StepReport,
        params: &LinearizationParams,
    ) -> Result<Linearization, LinearizationError> {
        let accepted = self.accepted().ok_or_else(|| LinearizationError::Stepper(self.stepper_name()))?;
        Done {
            world: self.world(),
            start,
            input,
            next: self.state(),
            h: self.settings().stepper.dt,
            report,
            law: self.solver().law(),
            solver: self.solver().name(),
            accepted,
            params: *params,
        }
        .linearize()
    }
}
