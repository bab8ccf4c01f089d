//! The distribution of parameters of the scene given drops, by Metropolis and Hastings' chains.
//!
//! The logarithm of the likelihood is −½ Σ (E_i/σ)², E_i the RMSE of drop i: errors of one trajectory follow from one
//! another, so a drop counts as one measurement. σ is the root mean square of E at the best fit that is known. The prior is
//! uniform over the ranges of the parameters.

use super::fit::scene_errors;
use super::{DiceParameters, Named};
use crate::data::Trajectory;
use crate::identify::{Chain, Interrupted, Marginal, Sampled, Sampling, Unknown, Watch, sample};
use serde::Serialize;

/// The distribution that the chains found.
#[derive(Clone, Debug, Serialize)]
pub struct Posterior {
    pub marginals: Vec<Marginal>,
    /// The part of proposals that was accepted after burn-in, chain by chain.
    pub acceptance: Vec<f64>,
    /// σ of the likelihood [m].
    pub sigma: f64,
    /// Samples after burn-in, of all chains.
    pub samples: Vec<Vec<f64>>,
}

/// Samples the distribution of `names` given `drops`; `stored` are chains of an earlier call that was interrupted, and what is
/// there after this one.
///
/// # Errors
///
/// If `watch` says so; the chains so far are in `stored`.
pub fn posterior(
    base: &DiceParameters,
    names: &[&Named],
    drops: &[&Trajectory],
    settings: &Sampling,
    stored: &mut Vec<Chain>,
    watch: Watch<'_>,
) -> Result<Posterior, Interrupted> {
    let mean_square = |p: &DiceParameters| {
        let errors = scene_errors(p, drops);
        errors.iter().map(|e| e * e).sum::<f64>() / errors.len().max(1) as f64
    };
    let sigma = mean_square(base).sqrt();
    let log_density = |x: &[f64]| {
        let mut parameters = base.clone();
        names.iter().zip(x).for_each(|(n, x)| (n.set)(&mut parameters, *x));
        -0.5 * drops.len() as f64 * mean_square(&parameters) / (sigma * sigma)
    };
    let unknowns: Vec<Unknown> =
        names.iter().map(|n| Unknown { name: n.name.to_owned(), range: n.range }).collect();
    let Sampled { marginals, acceptance, samples } =
        sample(&unknowns, &log_density, settings, None, stored, watch)?;
    Ok(Posterior { marginals, acceptance, sigma, samples })
}
