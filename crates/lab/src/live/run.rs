//! One simulation of a live session, judged when it is looked at.

use stiction::contact::Law;
use stiction::recording::{Frame, StepMark};
use stiction::{SetupError, Simulation, State, StateError, StepReport, StepperName, frame_of};
use stiction_scene::{Force, Motion, Setup};

/// One simulation of a session, under one contact solver.
pub(super) struct Run {
    pub(super) sim: Simulation,
    /// Report of the last step; `None`: no step led to the present state.
    last: Option<StepReport>,
    /// Why the last step was not accepted; nothing moves any more.
    pub(super) failure: Option<String>,
}

impl Run {
    /// Under `choice`: a contact solver, or a stepper that brings its own contact law.
    pub(super) fn new(setup: &Setup, choice: &str, state: State) -> Result<Self, SetupError> {
        let mut settings = setup.settings.clone();
        match StepperName::of(choice) {
            Ok(method) => settings.stepper.method = method,
            Err(_) => {
                settings.stepper.method = StepperName::default();
                settings.set_contact(choice);
            }
        }
        let sim = Simulation::new(setup.world.clone(), state, settings)?;
        Ok(Self { sim, last: None, failure: None })
    }

    /// The name of its contact solver, or of its stepper if that brings its own contact law.
    pub(super) fn name(&self) -> String {
        self.sim.contact_model().to_owned()
    }

    pub(super) fn set_state(&mut self, state: State) -> Result<(), StateError> {
        (self.last, self.failure) = (None, None);
        self.sim.set_state(state)
    }

    pub(super) fn step(&mut self, forces: &[Force], motion: Option<&Motion>) {
        if self.failure.is_some() {
            return;
        }
        forces.iter().for_each(|force| force.apply(&mut self.sim));
        if let Some(motion) = motion {
            motion.apply(&mut self.sim);
        }
        let report = self.sim.step();
        self.failure = report.failure().map(str::to_owned);
        self.last = Some(report);
    }

    /// The certificate of a step: the natural map of the exact law, and the rest.
    fn judge(&mut self, report: &StepReport) -> (f64, StepMark) {
        let certificate = self.sim.certificate();
        let exact = self.sim.solver().law() == Law::Ncp;
        let own = if exact { certificate.natural_map } else { self.sim.own_natural_map() };
        (certificate.natural_map, StepMark::new(report, own, certificate.worst))
    }

    pub(super) fn frame(&mut self) -> Frame {
        let judged = self.last.clone().map(|report| self.judge(&report));
        let (natural_map, step) = judged.unwrap_or((f64::NAN, StepMark::default()));
        let mut frame = frame_of(&mut self.sim, natural_map, step);
        if self.last.is_none() {
            // Contacts and efforts are those of a step that led elsewhere.
            frame.contacts.clear();
            frame.efforts.fill(0.0);
        }
        frame
    }
}
