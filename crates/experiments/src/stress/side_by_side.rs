//! A world of a campaign stepped as a batch: environments side by side, every step judged.

use super::trial::{STEPS, Trial};
use stiction::StepStatus;
use stiction::batch::{Batch, BatchSettings, Precision};
use stiction::random::Random;
use stiction_scene::Setup;

/// The environments start at velocities that differ by at most this [m/s or rad/s].
const SPREAD: f64 = 0.2;

/// The steps of all environments; a hundred in all, or one of each where there are more.
pub(super) fn steps(trial: &mut Trial, setup: Setup, environments: usize, precision: Precision) {
    let nv = setup.world.model.nv();
    let stepper = setup.settings.stepper;
    let settings = BatchSettings { stepper, precision, judge: true, ..BatchSettings::default() };
    let mut batch = match Batch::new(setup.world, &setup.state, environments, settings) {
        Ok(batch) => batch,
        Err(error) => {
            (trial.failed, trial.cause) = (1, error.to_string());
            return;
        }
    };
    let mut random = Random::new(trial.seed);
    for i in 1..environments {
        let mut state = setup.state.clone();
        for v in &mut state.v[..nv] {
            *v += SPREAD * random.signed();
        }
        if let Err(error) = batch.reset(i, &state) {
            (trial.failed, trial.cause) = (1, error.to_string());
            return;
        }
    }
    let control = setup.control.repeat(environments);
    for _ in 0..STEPS.div_ceil(environments as u64) {
        batch.step(&control);
        for (i, report) in batch.reports().enumerate() {
            trial.steps += 1;
            if let StepStatus::Failed(cause) = &report.status {
                (trial.failed, trial.cause) = (1, format!("environment {i}: {cause}"));
                return;
            }
            let (q, v) = batch.state(i);
            if !q.iter().chain(v).all(|x| x.is_finite()) {
                (trial.not_finite, trial.cause) = (1, format!("environment {i}"));
                return;
            }
            trial.count(report.contacts, &report.status, report.natural_map.unwrap_or(f64::NAN));
        }
    }
}
