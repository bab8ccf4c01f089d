//! What to simulate with: contact solver, stepper, tolerance.

use crate::params::StepperParams;
use stiction_solvers::Params;
use stiction_solvers::registry;

/// Iterations that a step may spend in the contact solver unless [`Settings::max_iterations`] says otherwise; environments
/// of a batch that are stepped alone may spend as many.
pub(crate) const ITERATIONS: u32 = 2000;

/// What to simulate with.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Contact solver, a name of the registry.
    pub contact: String,
    /// Parameters of that solver, which `stiction solvers NAME` lists; the others keep their defaults.
    pub contact_params: Params,
    /// Tolerance of the contact solver [m/s].
    pub tolerance: f64,
    /// Iterations a step may spend in the contact solver.
    pub max_iterations: u32,
    /// Threads that a step may use, the caller's among them: islands of contacts are solved side by side. The same
    /// bits for any number.
    pub threads: usize,
    /// Every step reports all motions that obey the contact law ([`crate::Answers`]), where its problem is small.
    pub answers: bool,
    pub stepper: StepperParams,
}

impl Default for Settings {
    fn default() -> Self {
        let contact = registry::all()[0].name.to_owned();
        Self {
            contact,
            contact_params: Params::default(),
            tolerance: 1e-8,
            max_iterations: ITERATIONS,
            threads: 1,
            answers: false,
            stepper: StepperParams::default(),
        }
    }
}

impl Settings {
    /// Takes the contact solver `name`. The parameters are kept if it is the one they were set for.
    pub fn set_contact(&mut self, name: &str) {
        if self.contact != name {
            name.clone_into(&mut self.contact);
            self.contact_params = Params::default();
        }
    }
}
