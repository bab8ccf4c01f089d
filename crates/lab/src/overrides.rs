//! What a person changes of a scene for one run.

use crate::scene::Setup;
use stiction::Sleep;
use stiction::solvers::registry::{self, Common, SolverError};

/// `None` leaves the scene's own value.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overrides {
    /// Contact solver, a name of the registry.
    pub contact: Option<String>,
    /// Time step [s].
    pub dt: Option<f64>,
    /// Simulated time [s].
    pub duration: Option<f64>,
    /// Tolerance of the contact solver [m/s].
    pub tolerance: Option<f64>,
    /// Iterations of the contact solver per step, at most.
    pub max_iterations: Option<u32>,
    /// Threads of a step.
    pub threads: Option<usize>,
    pub sleep: Option<Sleep>,
}

impl Overrides {
    /// Puts the given values into `setup`.
    pub fn apply(&self, setup: &mut Setup) {
        let settings = &mut setup.settings;
        if let Some(contact) = &self.contact {
            settings.contact.clone_from(contact);
        }
        settings.stepper.dt = self.dt.unwrap_or(settings.stepper.dt);
        settings.tolerance = self.tolerance.unwrap_or(settings.tolerance);
        settings.max_iterations = self.max_iterations.unwrap_or(settings.max_iterations);
        settings.threads = self.threads.unwrap_or(settings.threads);
        settings.stepper.sleep = self.sleep.unwrap_or(settings.stepper.sleep);
        setup.duration = self.duration.unwrap_or(setup.duration);
    }
}

/// Solver names of a list `a,b,c` or of the word `all`; every one exists.
pub fn solvers_named(list: &str) -> Result<Vec<&'static str>, SolverError> {
    if list.trim() == "all" {
        return Ok(registry::all().iter().map(|e| e.name).collect());
    }
    let mut names = Vec::new();
    for word in list.split(',').map(str::trim).filter(|w| !w.is_empty()) {
        let name = registry::make(word, &Common::default())?.name();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    match names.is_empty() {
        // An empty list is a name nobody has: the answer lists those there are.
        true => registry::make("", &Common::default()).map(|_| Vec::new()),
        false => Ok(names),
    }
}
