//! The distribution of parameters of the scene given drops, by Metropolis and Hastings' chains.
//!
//! The logarithm of the likelihood is −½ Σ (E_i/σ)², E_i the RMSE of drop i: errors of one trajectory follow from one
//! another, so a drop counts as one measurement. σ is the root mean square of E at the best fit that is known. The prior is
//! uniform over the ranges of the parameters.

use super::fit::{Interrupted, Watch, scene_errors};
use super::{DiceParameters, Named};
use crate::data::Trajectory;
use crate::identify::{Chain, effective_sample_size, r_hat};
use crate::parallel;
use crate::score::median;
use serde::Serialize;

/// How the chains run; defaults are the paper's.
#[derive(Clone, Debug)]
pub struct PosteriorSettings {
    pub samples: usize,
    pub burn_in: usize,
    /// Variance of the proposal in every parameter.
    pub variance: f64,
    pub chains: usize,
    pub seed: u64,
}

impl Default for PosteriorSettings {
    fn default() -> Self {
        Self { samples: 3000, burn_in: 1000, variance: 0.05, chains: 4, seed: 1 }
    }
}

/// A parameter's distribution, and what the chains are worth.
#[derive(Clone, Debug, Serialize)]
pub struct Marginal {
    pub name: String,
    pub median: f64,
    /// 5 % and 95 % quantiles.
    pub interval: [f64; 2],
    /// Effective number of samples, of all chains together.
    pub effective_samples: f64,
    pub r_hat: f64,
}

/// The distribution that the chains found.
#[derive(Clone, Debug, Serialize)]
pub struct Posterior {
    pub marginals: Vec<Marginal>,
    /// The part of proposals that was accepted, chain by chain.
    pub acceptance: Vec<f64>,
    /// σ of the likelihood [m].
    pub sigma: f64,
    /// Samples after burn-in, of all chains.
    pub samples: Vec<Vec<f64>>,
}

/// Runs the chains, each in steps of `STRIDE` between two looks at `watch`; `stored` are chains of an earlier call that
/// was interrupted, and what is there after this one.
///
/// # Errors
///
/// If `watch` says so; the chains so far are in `stored`.
pub fn posterior(
    base: &DiceParameters,
    names: &[&Named],
    drops: &[&Trajectory],
    settings: &PosteriorSettings,
    stored: &mut Vec<Chain>,
    watch: Watch<'_>,
) -> Result<Posterior, Interrupted> {
    let mean_square = |p: &DiceParameters| {
        let errors = scene_errors(p, drops);
        errors.iter().map(|e| e * e).sum::<f64>() / errors.len().max(1) as f64
    };
    let sigma = mean_square(base).sqrt();
    let log_density = |x: &[f64]| {
        if names.iter().zip(x).any(|(n, x)| *x < n.range[0] || *x > n.range[1]) {
            return f64::NEG_INFINITY;
        }
        let mut parameters = base.clone();
        names.iter().zip(x).for_each(|(n, x)| (n.set)(&mut parameters, *x));
        -0.5 * drops.len() as f64 * mean_square(&parameters) / (sigma * sigma)
    };
    if stored.len() != settings.chains {
        stored.clear();
        // Starts are spread over the ranges, so that chains that agree have found the same thing.
        let mut random = stiction::random::Random::new(settings.seed);
        for chain in 0..settings.chains {
            let start: Vec<f64> =
                names.iter().map(|n| n.range[0] + (n.range[1] - n.range[0]) * random.unit()).collect();
            let proposal = vec![settings.variance.sqrt(); names.len()];
            stored.push(Chain::new(&start, log_density(&start), &proposal, random.bits() ^ chain as u64));
        }
    }
    while stored[0].samples.len() < settings.samples {
        let done = stored[0].samples.len();
        if watch(done, settings.samples, "sampling").is_break() {
            return Err(Interrupted);
        }
        let count = STRIDE.min(settings.samples - done);
        *stored = parallel::map(stored.len(), |i| {
            let mut chain = stored[i].clone();
            (0..count).for_each(|_| chain.step(log_density));
            chain
        });
    }
    let marginal = |(i, n): (usize, &&Named)| {
        let chains: Vec<Vec<f64>> = stored.iter().map(|c| c.values(i, settings.burn_in)).collect();
        let mut all = chains.concat();
        all.sort_by(f64::total_cmp);
        Marginal {
            name: n.name.to_owned(),
            median: median(&all),
            interval: [crate::score::quantile(&all, 0.05), crate::score::quantile(&all, 0.95)],
            effective_samples: chains.iter().map(|c| effective_sample_size(c)).sum(),
            r_hat: r_hat(&chains),
        }
    };
    Ok(Posterior {
        marginals: names.iter().enumerate().map(marginal).collect(),
        acceptance: stored.iter().map(Chain::acceptance).collect(),
        sigma,
        samples: stored.iter().flat_map(|c| c.samples.iter().skip(settings.burn_in).cloned()).collect(),
    })
}

/// Samples between two looks at the watch.
const STRIDE: usize = 20;
