//! The subject of a campaign, and the steps it makes of one world.

use super::trial::{STEPS, Trial};
use super::{side_by_side, world};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use stiction::batch::Precision;
use stiction::solvers::Params;
use stiction::{CERTIFIED, Sleep};
use stiction_lab::driven::Driven;
use stiction_problem_files::save;
use stiction_scene::Setup;
use stiction_store::Key;

/// Problem files that a trial may leave.
const FILES: usize = 3;

/// The subject of a campaign, which steps its worlds.
#[derive(Clone, Debug)]
pub enum Subject {
    /// One simulation of each, with this contact solver and its parameters.
    Simulation { solver: String, params: Params },
    /// A [`stiction::Batch`] of each, whose environments start at speeds of their own. The forces of the world do not
    /// act on them. A step of one environment counts as a step.
    Batch { environments: usize, precision: Precision },
}

impl Subject {
    /// Simulations under `auto` with its defaults.
    pub fn auto() -> Self {
        Self::Simulation { solver: "auto".to_owned(), params: Params::default() }
    }

    /// The key of all that the results of a trial depend on beside its seed.
    pub(super) fn key(&self) -> Key {
        let key = Key::new("stress 2").with("steps of a world", STEPS);
        match self {
            Self::Simulation { solver, params } => key.with("contact", solver).with("parameters", params),
            Self::Batch { environments, precision } => {
                key.with("batch", environments).with("precision", format!("{precision:?}"))
            }
        }
    }
}

/// The steps of `seed`; problem files of simulations into `folder`.
pub fn trial(seed: u64, subject: &Subject, folder: Option<&Path>) -> Trial {
    let mut trial = Trial { seed, ..Trial::default() };
    let result = catch_unwind(AssertUnwindSafe(|| run(&mut trial, subject, folder)));
    if let Err(panic) = result {
        trial.panicked = 1;
        let text = panic.downcast_ref::<String>().map(String::as_str);
        trial.cause = text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("a panic").to_owned();
    }
    trial
}

fn run(trial: &mut Trial, subject: &Subject, folder: Option<&Path>) {
    let drawn = match world::draw(trial.seed) {
        Ok(drawn) => drawn,
        Err(error) => {
            (trial.failed, trial.cause) = (1, error.to_string());
            return;
        }
    };
    trial.of = drawn.of;
    match subject {
        Subject::Simulation { solver, params } => alone(trial, drawn.setup, (solver, params), folder),
        Subject::Batch { environments, precision } => {
            side_by_side::steps(trial, drawn.setup, *environments, *precision);
        }
    }
}

fn alone(trial: &mut Trial, mut setup: Setup, (solver, params): (&str, &Params), folder: Option<&Path>) {
    setup.settings.set_contact(solver);
    setup.settings.contact_params = params.clone();
    setup.settings.stepper.sleep = Sleep::Off; // every step is solved
    let mut sim = match Driven::new(setup) {
        Ok(sim) => sim,
        Err(error) => {
            (trial.failed, trial.cause) = (1, error.to_string());
            return;
        }
    };
    let mut files = 0;
    for step in 0..STEPS {
        let report = sim.step();
        trial.steps += 1;
        if let Some(cause) = report.failure() {
            (trial.failed, trial.cause) = (1, cause.to_owned());
            return;
        }
        let state = sim.sim().state();
        if !state.q.iter().chain(&state.v).all(|x| x.is_finite()) {
            trial.not_finite = 1;
            return;
        }
        let natural_map = sim.sim_mut().certificate().natural_map;
        let certified = natural_map <= CERTIFIED;
        trial.count(report.contacts, &report.status, natural_map);
        if let Some(folder) = folder
            && (report.flagged() || !certified)
            && files < FILES
        {
            files += 1;
            let word = trial.of.split_whitespace().next().unwrap_or_default();
            let name = format!("{:08}-{word}-{step:03}", trial.seed);
            let (problem, impulses) = (sim.sim().problem(), sim.sim().impulses());
            if let Err(error) = save(&folder.join(format!("{name}.json")), &name, problem, Some(impulses)) {
                trial.cause = format!("the problem could not be kept: {error}");
            }
        }
    }
}
