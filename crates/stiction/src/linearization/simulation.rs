//! The derivatives of a step of a simulation.

use super::own_equations::Step;
use super::parts::Parted;
use super::{Done, Linearization, LinearizationError, LinearizationParams, Parameter};
use crate::remedy::Remedy;
use crate::report::StepReport;
use crate::simulation::{Moment, Simulation};

impl Simulation {
    /// Advances by one time step, as [`Self::step`], and differentiates it. The step stands even if it has no
    /// derivative.
    ///
    /// # Errors
    ///
    /// [`LinearizationError`] names why the step is not differentiated, and what can be done.
    pub fn step_linearized(
        &mut self,
        params: &LinearizationParams,
    ) -> (StepReport, Result<Linearization, LinearizationError>) {
        self.step_linearized_by(params, &[])
    }

    /// Advances and differentiates as [`Self::step_linearized`], with the derivatives by `parameters` as
    /// well.
    ///
    /// # Errors
    ///
    /// [`LinearizationError`] names why the step is not differentiated, or not by one of the parameters.
    pub fn step_linearized_by(
        &mut self,
        params: &LinearizationParams,
        parameters: &[Parameter],
    ) -> (StepReport, Result<Linearization, LinearizationError>) {
        let before = self.moment();
        self.step_linearized_from(&before, params, parameters)
    }

    /// Steps and differentiates from a moment that is known.
    fn step_linearized_from(
        &mut self,
        before: &Moment,
        params: &LinearizationParams,
        parameters: &[Parameter],
    ) -> (StepReport, Result<Linearization, LinearizationError>) {
        let report = self.step();
        let linearization = self.linearize_last(before, report.clone(), params, parameters);
        (report, linearization)
    }

    /// The derivatives of the step from the present state under the present input, which is done and taken
    /// back: state, input and memory are as before, and the solver forgets what it remembers beyond, as where
    /// a snapshot is put back. Who goes on with that step asks [`Self::step_linearized`].
    ///
    /// # Errors
    ///
    /// [`LinearizationError`] names why the step is not differentiated, and what can be done.
    pub fn linearize(&mut self) -> Result<Linearization, LinearizationError> {
        self.linearize_by(&[])
    }

    /// Differentiates as [`Self::linearize`], with the derivatives by `parameters` as well.
    ///
    /// # Errors
    ///
    /// [`LinearizationError`] names why the step is not differentiated, or not by one of the parameters.
    pub fn linearize_by(&mut self, parameters: &[Parameter]) -> Result<Linearization, LinearizationError> {
        self.linearize_with(&LinearizationParams::default(), parameters)
    }

    /// Differentiates as [`Self::linearize_by`], with other bounds of switches, or smoothed.
    ///
    /// # Errors
    ///
    /// [`LinearizationError`] names why the step is not differentiated, or not by one of the parameters.
    pub fn linearize_with(
        &mut self,
        params: &LinearizationParams,
        parameters: &[Parameter],
    ) -> Result<Linearization, LinearizationError> {
        let before = self.moment();
        let (_, linearization) = self.step_linearized_from(&before, params, parameters);
        self.go_back(&before);
        linearization
    }

    /// Differentiates the last step, which started from `before`.
    fn linearize_last(
        &mut self,
        before: &Moment,
        report: StepReport,
        params: &LinearizationParams,
        parameters: &[Parameter],
    ) -> Result<Linearization, LinearizationError> {
        let h = self.settings().stepper.dt;
        if self.accepted().is_some()
            && self.was_parted()
            && report.failure().is_none()
            && report.remedy != Some(Remedy::Halved)
        {
            let next = self.state().clone();
            return Parted {
                again: self.again(),
                start: &before.state,
                memory: &before.memory,
                input: &before.input,
                h,
                report,
                params: *params,
                parameters,
                swept: None,
            }
            .linearize(&next);
        }
        let Some(accepted) = self.accepted() else {
            if let Some(&parameter) = parameters.first() {
                let why = "steppers beside `time-stepping` are differentiated by states and controls alone";
                return Err(LinearizationError::Parameter { parameter, why });
            }
            let slopes = self.slopes(before, h);
            let (world, next, report, law) = (self.world(), self.state(), &report, self.solver().law());
            let params = *params;
            return Step { world, h, next, report, law, params }.linearization(self.stepper_name(), slopes);
        };
        let done = Done {
            world: self.world(),
            start: &before.state,
            input: &before.input,
            next: self.state(),
            h,
            report: report.clone(),
            law: self.solver().law(),
            solver: self.solver().name(),
            accepted,
            params: *params,
            parameters,
        };
        Ok(done.linearize()?.linearization(report, self.state().clone()))
    }
}
