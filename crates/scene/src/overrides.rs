//! What a person changes of a scene for one run.

use crate::Setup;
use crate::stepper_changes::StepperChanges;
use stiction::solvers::Params;
use stiction::solvers::registry::{self, Common, SolverError};
use stiction::{Sleep, StepperName, UnknownStepper};

/// `None` leaves the scene's own value.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overrides {
    /// Contact solver, a name of the registry.
    pub contact: Option<String>,
    /// Parameters of the contact solver, on top of those of the scene.
    pub contact_params: Params,
    /// Stepper, one of [`stiction::steppers`].
    pub stepper: Option<StepperName>,
    /// Parameters of the stepper, on top of those of the scene.
    pub stepper_params: StepperChanges,
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
    /// Contacts yield as a MJCF file states it for the law `mujoco`; see [`Setup::yield_as_stated`].
    pub compliance_of_file: bool,
}

impl Overrides {
    /// Puts the given values into `setup`.
    pub fn apply(&self, setup: &mut Setup) {
        let settings = &mut setup.settings;
        if let Some(contact) = &self.contact {
            settings.set_contact(contact);
        }
        settings.contact_params = std::mem::take(&mut settings.contact_params).over(&self.contact_params);
        settings.stepper = self.stepper_params.onto(&settings.stepper);
        settings.stepper.method = self.stepper.unwrap_or(settings.stepper.method);
        settings.stepper.dt = self.dt.unwrap_or(settings.stepper.dt);
        settings.tolerance = self.tolerance.unwrap_or(settings.tolerance);
        settings.max_iterations = self.max_iterations.unwrap_or(settings.max_iterations);
        settings.threads = self.threads.unwrap_or(settings.threads);
        settings.stepper.sleep = self.sleep.unwrap_or(settings.stepper.sleep);
        setup.duration = self.duration.unwrap_or(setup.duration);
        if self.compliance_of_file {
            setup.yield_as_stated();
        }
    }
}

/// The parameters each of `solvers` takes of `params`: those it has. One that none of them has is an error; so is
/// one that it has not, where there is one solver only.
pub fn params_for(params: &Params, solvers: &[&str]) -> Result<Vec<Params>, SolverError> {
    let entries = solvers.iter().map(|name| registry::find(name)).collect::<Result<Vec<_>, _>>()?;
    let shared = |name: &str| entries.iter().any(|e| e.has(name));
    if let (Some(first), false) = (entries.first(), params.names().all(shared)) {
        let unknown = params.clone().filtered(|name| !shared(name));
        first.make(&Common::default(), &unknown)?;
    }
    Ok(entries.iter().map(|entry| params.clone().filtered(|name| entry.has(name))).collect())
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

/// Stepper names of a list `a,b,c` or of the word `all`; every one exists.
pub fn steppers_named(list: &str) -> Result<Vec<StepperName>, UnknownStepper> {
    if list.trim() == "all" {
        return stiction::steppers().iter().map(|e| StepperName::of(e.name)).collect();
    }
    list.split(',').map(|word| StepperName::of(word.trim())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_go_to_the_solvers_that_have_them() {
        let params = Params::parse(&["omega=1.2", "memory=4"]).unwrap();
        let each = params_for(&params, &["auto", "nsgs", "ncp-pgs"]).unwrap();
        let without_omega = Params::parse(&["memory=4"]).unwrap();
        assert_eq!(each[..2], [without_omega.clone(), without_omega]);
        assert_eq!(each[2], params);
        let text = params_for(&params, &["nsgs"]).expect_err("nsgs has no omega").to_string();
        assert!(text.contains("nsgs: there is no parameter `omega`") && text.contains("memory"), "{text}");
    }
}
