//! Names and numbers that the commands of `stiction learn` are given.

use crate::args::ChainArgs;
use crate::failure::Failure;
use crate::output::complain;
use stiction_learn::data::numbers;
use stiction_learn::dice::{self, EvaluateError, MODELS, Model};
use stiction_learn::identify::{Chain, Proposal, Sampling};
use stiction_learn::store::Store;
use stiction_scene::nearest::hint;

pub(crate) fn chosen_models(names: &[String]) -> Result<Vec<&'static Model>, Failure> {
    if names.is_empty() {
        return Ok(MODELS.iter().collect());
    }
    let find = |name: &String| {
        dice::model(name).ok_or_else(|| {
            let all = || MODELS.iter().map(|m| m.name);
            let (guess, list) = (hint(name, all()), all().collect::<Vec<_>>().join(", "));
            Failure::input(format!("no model is called `{name}`{guess}; there are: {list}"))
        })
    };
    names.iter().map(find).collect()
}

pub(crate) fn numbers_of(text: &str, option: &str) -> Result<Vec<u32>, Failure> {
    numbers(text).map_err(|e| Failure::input(format!("{option}: {e}")))
}

pub(crate) fn sampling_of(args: &ChainArgs, seed: u64) -> Result<Sampling, Failure> {
    let ChainArgs { samples, burn_in, proposal_variance, chains, temperatures } = *args;
    if burn_in >= samples {
        return Err(Failure::input(format!("--burn-in {burn_in} leaves none of --samples {samples}")));
    }
    let proposal = match proposal_variance {
        None => Proposal::Adaptive,
        Some(v) if v > 0.0 && v.is_finite() => Proposal::Fixed(v),
        Some(v) => {
            return Err(Failure::input(format!("--proposal-variance is {v}, expected a number > 0")));
        }
    };
    let (chains, temperatures) = (usize::from(chains), usize::from(temperatures));
    Ok(Sampling { samples, burn_in, proposal, chains, temperatures, seed })
}

/// Tells which fits this run did not make.
pub(crate) fn tell_taken(store: &Store) {
    let taken = store.taken();
    if !taken.is_empty() {
        complain(&format!("note: {} fits of --out are of an earlier run: {}", taken.len(), taken.join(", ")));
    }
}

/// Tells how many samples this run did not draw.
pub(crate) fn tell_samples(chains: &[Chain]) {
    let samples: usize = chains.iter().map(|c| c.samples.len()).sum();
    if samples > 0 {
        complain(&format!(
            "note: {samples} samples of --out are of an earlier run; the chains go on from them"
        ));
    }
}

pub(crate) fn failed(error: EvaluateError) -> Failure {
    match error {
        EvaluateError::Interrupted(_) => Failure::Interrupted,
        EvaluateError::Store(error) => Failure::input(error),
    }
}
