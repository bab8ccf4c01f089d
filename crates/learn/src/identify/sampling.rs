//! The distribution of unknowns by several of Metropolis and Hastings' chains, and whether these agree. The prior is uniform
//! over the ranges of the unknowns.

use super::{Chain, Interrupted, Unknown, Watch, effective_sample_size, r_hat};
use crate::parallel;
use crate::score::{mean_and_spread, median, quantile};
use serde::{Deserialize, Serialize};
use stiction::random::Random;

/// The distribution from which a chain proposes its next sample.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Proposal {
    /// N(x, variance · I) in the units of the unknowns; [Fazeli2020] takes 0.05.
    Fixed(f64),
    /// N(x, S Sᵀ), S adapted during burn-in alone until 0.234 of the proposals are accepted [Vihola2012]. It starts at 3 % of the
    /// ranges.
    Adaptive,
}

/// How chains run. Defaults are those of [Fazeli2020], the proposal apart.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Sampling {
    /// Samples of a chain, and how many at its start are left out.
    pub samples: usize,
    pub burn_in: usize,
    pub proposal: Proposal,
    pub chains: usize,
    /// Temperatures of every chain, 1, 2, 4, …: hotter companions cross from one peak of a rugged density to another, and the chain
    /// exchanges places with them (parallel tempering [Geyer1991]). 1: none.
    pub temperatures: usize,
    pub seed: u64,
}

impl Default for Sampling {
    fn default() -> Self {
        Self {
            samples: 3000,
            burn_in: 1000,
            proposal: Proposal::Adaptive,
            chains: 4,
            temperatures: 1,
            seed: 1,
        }
    }
}

/// The distribution of one unknown, and what the chains are worth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Marginal {
    pub name: String,
    pub median: f64,
    /// Mean and standard deviation.
    pub mean: f64,
    pub deviation: f64,
    /// 5 % and 95 % quantiles.
    pub interval: [f64; 2],
    /// Effective number of samples, of all chains together.
    pub effective_samples: f64,
    /// R̂ of the halves of the chains: near 1 where they agree.
    pub r_hat: f64,
}

/// The distribution that the chains found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sampled {
    pub marginals: Vec<Marginal>,
    /// The part of proposals that was accepted after burn-in, chain by chain.
    pub acceptance: Vec<f64>,
    /// Samples after burn-in, of all chains.
    pub samples: Vec<Vec<f64>>,
}

/// Chains that start about a point start no farther from it than this share of the ranges …
const NEAR: f64 = 0.01;
/// … and no farther along any parameter than where the logarithm of the density has fallen by this, two standard deviations of a
/// normal one, found by at most so many halvings.
const FALL: f64 = 2.0;
const HALVINGS: u32 = 40;
/// Samples between two looks at the watch.
const STRIDE: usize = 20;

/// Runs the chains on a density whose logarithm within the ranges is `log_density`; `stored` are the chains of an earlier call
/// that was interrupted, and what is there after this one. Chains start anywhere in the ranges, so that chains that agree have
/// found the same thing; or, where a likelihood is too narrow and rugged to be found so, about `about`, as far from it as the
/// density is wide there ([`widths_about`]).
///
/// # Errors
///
/// If `watch` says so; the chains so far are in `stored`.
pub fn sample(
    unknowns: &[Unknown],
    log_density: &(dyn Fn(&[f64]) -> f64 + Sync),
    settings: &Sampling,
    about: Option<&[f64]>,
    stored: &mut Vec<Chain>,
    watch: Watch<'_>,
) -> Result<Sampled, Interrupted> {
    let log_density = |x: &[f64]| {
        let outside = unknowns.iter().zip(x).any(|(u, x)| *x < u.range[0] || *x > u.range[1]);
        if outside { f64::NEG_INFINITY } else { log_density(x) }
    };
    let (chains, rungs) = (settings.chains.max(1), settings.temperatures.max(1));
    if stored.len() != chains * rungs {
        stored.clear();
        let mut random = Random::new(settings.seed);
        let widths = about.map(|about| widths_about(unknowns, &log_density, about));
        for place in 0..chains * rungs {
            let start = |(i, u): (usize, &Unknown)| match about {
                None => u.at(random.unit()),
                Some(about) => {
                    let width = widths.as_ref().map_or(0.0, |w| w[i]);
                    let near = about[i] + width * random.signed();
                    near.clamp(u.range[0], u.range[1])
                }
            };
            let start: Vec<f64> = unknowns.iter().enumerate().map(start).collect();
            let deviation = |(i, u): (usize, &Unknown)| match (&settings.proposal, &widths) {
                (Proposal::Fixed(variance), _) => variance.sqrt(),
                (Proposal::Adaptive, Some(widths)) => 0.5 * widths[i],
                (Proposal::Adaptive, None) => 0.03 * (u.range[1] - u.range[0]),
            };
            let temperature = f64::powi(2.0, (place % rungs) as i32);
            let deviations: Vec<f64> = unknowns.iter().enumerate().map(deviation).collect();
            let adapts = if settings.proposal == Proposal::Adaptive { settings.burn_in } else { 0 };
            let seed = random.bits() ^ place as u64;
            let chain = Chain::new(&start, log_density(&start), &deviations, seed);
            stored.push(chain.adapting(adapts).heated(temperature));
        }
    }
    while stored[0].samples.len() < settings.samples {
        let done = stored[0].samples.len();
        if watch(done, settings.samples, "sampling").is_break() {
            return Err(Interrupted);
        }
        let count = STRIDE.min(settings.samples - done);
        let ladders = parallel::map(chains, |i| {
            let mut ladder = stored[i * rungs..(i + 1) * rungs].to_vec();
            (0..count).for_each(|_| climb(&mut ladder, &log_density));
            ladder
        });
        *stored = ladders.concat();
    }
    let coldest: Vec<&Chain> = stored.iter().step_by(rungs).collect();
    let marginal = |(i, u): (usize, &Unknown)| {
        let chains: Vec<Vec<f64>> = coldest.iter().map(|c| c.values(i, settings.burn_in)).collect();
        let mut all = chains.concat();
        all.sort_by(f64::total_cmp);
        let [mean, deviation] = mean_and_spread(&all);
        Marginal {
            name: u.name.clone(),
            median: median(&all),
            mean,
            deviation,
            interval: [quantile(&all, 0.05), quantile(&all, 0.95)],
            effective_samples: chains.iter().map(|c| effective_sample_size(c)).sum(),
            r_hat: r_hat(&chains),
        }
    };
    Ok(Sampled {
        marginals: unknowns.iter().enumerate().map(marginal).collect(),
        acceptance: coldest.iter().map(|c| c.acceptance(settings.burn_in)).collect(),
        samples: coldest.iter().flat_map(|c| c.samples.iter().skip(settings.burn_in).cloned()).collect(),
    })
}

/// A step of every chain of a ladder, colder ones first, and exchanges from the hottest down.
fn climb(ladder: &mut [Chain], log_density: &(dyn Fn(&[f64]) -> f64 + Sync)) {
    ladder.iter_mut().for_each(|chain| chain.step(log_density));
    for i in (1..ladder.len()).rev() {
        let (colder, hotter) = ladder.split_at_mut(i);
        colder[i - 1].exchange(&mut hotter[0]);
    }
}

/// How far each parameter alone may go from `about` both ways before the density falls by [`FALL`], at most [`NEAR`] of its range.
fn widths_about(
    unknowns: &[Unknown],
    log_density: &(dyn Fn(&[f64]) -> f64 + Sync),
    about: &[f64],
) -> Vec<f64> {
    let least = log_density(about) - FALL;
    let width = |(i, u): (usize, &Unknown)| {
        let mut width = NEAR * (u.range[1] - u.range[0]);
        let holds = |width: f64| {
            [-width, width].iter().all(|by| {
                let mut there = about.to_vec();
                there[i] = (about[i] + by).clamp(u.range[0], u.range[1]);
                log_density(&there) >= least
            })
        };
        for _ in 0..HALVINGS {
            if holds(width) {
                break;
            }
            width *= 0.5;
        }
        width
    };
    unknowns.iter().enumerate().map(width).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ops::ControlFlow;

    /// A normal distribution of two unknowns with deviations 1e-3 and 10 and correlation 0.9 in ranges a hundred times as
    /// wide: adapted chains of the published length find it from anywhere.
    #[test]
    fn adapted_chains_find_a_narrow_distribution() {
        let unknown = |name: &str, range| Unknown { name: name.to_owned(), range };
        let unknowns = [unknown("a", [0.0, 0.1]), unknown("b", [-500.0, 500.0])];
        let log = |x: &[f64]| {
            let (a, b) = ((x[0] - 0.03) / 1e-3, (x[1] - 100.0) / 10.0);
            -0.5 * (a * a - 1.8 * a * b + b * b) / 0.19
        };
        let mut watch = |_: usize, _: usize, _: &str| ControlFlow::Continue(());
        let found = sample(&unknowns, &log, &Sampling::default(), None, &mut Vec::new(), &mut watch)
            .expect("not stopped");
        for (m, [mean, deviation]) in found.marginals.iter().zip([[0.03, 1e-3], [100.0, 10.0]]) {
            assert!(m.r_hat < 1.02 && m.effective_samples > 400.0, "{m:?}");
            assert!((m.mean - mean).abs() < 0.15 * deviation, "{m:?}");
            assert!((m.deviation / deviation - 1.0).abs() < 0.1, "{m:?}");
        }
        assert!(found.acceptance.iter().all(|a| (0.1..0.45).contains(a)), "{:?}", found.acceptance);
    }

    /// Two peaks 25 deviations apart, of which one holds three quarters: chains alone stay where they are, with companions of
    /// seven temperatures every one of them finds the shares.
    #[test]
    fn tempered_chains_cross_between_peaks() {
        let unknowns = [Unknown { name: "a".to_owned(), range: [-20.0, 20.0] }];
        let log = |x: &[f64]| {
            let peak = |at: f64| (-0.5 * ((x[0] - at) / 0.4).powi(2)).exp();
            (0.75 * peak(5.0) + 0.25 * peak(-5.0)).ln()
        };
        let share = |temperatures: usize, seed: u64| {
            let settings = Sampling { samples: 6000, chains: 1, temperatures, seed, ..Sampling::default() };
            let mut watch = |_: usize, _: usize, _: &str| ControlFlow::Continue(());
            let found =
                sample(&unknowns, &log, &settings, None, &mut Vec::new(), &mut watch).expect("not stopped");
            found.samples.iter().filter(|x| x[0] > 0.0).count() as f64 / found.samples.len() as f64
        };
        let alone: Vec<f64> = (0..4).map(|seed| share(1, seed)).collect();
        let tempered: Vec<f64> = (0..4).map(|seed| share(7, seed)).collect();
        assert!(alone.iter().all(|s| *s < 0.01 || *s > 0.99), "{alone:?}");
        assert!(tempered.iter().all(|s| (s - 0.75).abs() < 0.1), "{tempered:?}");
    }
}
