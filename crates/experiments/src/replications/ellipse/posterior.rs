//! The distribution of friction and restitution of the ellipse given its impacts, by Metropolis and Hastings' chains, and the share of
//! impacts that the law can explain.
//!
//! The logarithm of the likelihood is −½ Σ (‖Δ_i‖/σ)², ‖Δ_i‖ the error of the velocity after impact i with the rotation as a speed
//! at the radius of gyration, σ² the mean of ‖Δ‖² at the best coefficients. The prior is uniform over [0, 1]².

use super::evaluate::{fit_law, law_errors};
use super::set::EllipseSet;
use serde::Serialize;
use stiction_learn::identify::{Chain, Interrupted, Sampled, Sampling, Unknown, Watch, sample};
use stiction_learn::planar::least_miss;

/// The two coefficients of the law, as the impacts tell them.
#[derive(Clone, Debug, Serialize)]
pub struct EllipsePosterior {
    /// The best friction and restitution.
    pub best: [f64; 2],
    /// σ of the likelihood [m/s].
    pub sigma: f64,
    /// The distribution of both.
    pub sampled: Sampled,
}

/// Samples the distribution given all impacts of `set`.
///
/// # Errors
///
/// If `watch` says so.
pub fn posterior(
    set: &EllipseSet,
    settings: &Sampling,
    watch: Watch<'_>,
) -> Result<EllipsePosterior, Interrupted> {
    let impacts: Vec<_> = set.impacts.iter().collect();
    let (friction, restitution) = fit_law(&impacts, settings.seed);
    let sum =
        |friction: f64, restitution: f64| law_errors(&impacts, friction, restitution).iter().sum::<f64>();
    let variance = sum(friction, restitution) / impacts.len().max(1) as f64;
    let unknown = |name: &str| Unknown { name: name.to_owned(), range: [0.0, 1.0] };
    let log_density = |x: &[f64]| -0.5 * sum(x[0], x[1]) / variance;
    let (unknowns, about) = ([unknown("friction"), unknown("restitution")], [friction, restitution]);
    let mut chains: Vec<Chain> = Vec::new();
    let sampled = sample(&unknowns, &log_density, settings, Some(&about), &mut chains, watch)?;
    Ok(EllipsePosterior { best: about, sigma: variance.sqrt(), sampled })
}

/// The least misses of the impacts: how near Coulomb's friction and Newton's restitution come to each at any coefficients ([`least_miss`]).
pub fn misses(set: &EllipseSet) -> Vec<f64> {
    stiction_learn::parallel::map(set.impacts.len(), |i| {
        let impact = &set.impacts[i];
        least_miss(&impact.contact(0.0, 0.0), impact.change())
    })
}
