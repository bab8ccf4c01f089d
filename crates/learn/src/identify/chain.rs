//! Metropolis–Hastings with a normal random walk, and what its samples are worth.

use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};
use stiction::random::Random;

/// A chain of samples; stored and restored it goes on with the same numbers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Chain {
    random: Random,
    #[serde(with = "crate::exact")]
    current: Vec<f64>,
    #[serde(with = "crate::exact")]
    log_density: f64,
    /// Root S of the covariance of the proposal, lower triangular, by rows.
    #[serde(with = "crate::exact")]
    proposal: Vec<Vec<f64>>,
    /// Steps during which S is adapted; after them the chain is one of a fixed proposal.
    adapts: usize,
    /// The chain samples the density to the power of 1/temperature.
    temperature: f64,
    /// Whether each step's proposal was accepted.
    accepted: Vec<bool>,
    /// All samples, the start not among them.
    #[serde(with = "crate::exact")]
    pub samples: Vec<Vec<f64>>,
}

/// Part of the proposals that adaptation aims at [Vihola2012].
const WANTED: f64 = 0.234;

impl Chain {
    /// A chain from `start`, where the logarithm of the density is `log_density`; `deviations` are those of the proposal in
    /// each coordinate.
    pub fn new(start: &[f64], log_density: f64, deviations: &[f64], seed: u64) -> Self {
        let n = start.len();
        let row = |i: usize| (0..n).map(|j| if i == j { deviations[i] } else { 0.0 }).collect();
        Self {
            random: Random::new(seed),
            current: start.to_vec(),
            log_density,
            proposal: (0..n).map(row).collect(),
            adapts: 0,
            temperature: 1.0,
            accepted: Vec::new(),
            samples: Vec::new(),
        }
    }

    /// This chain, which adapts its proposal in its first `steps` steps.
    #[must_use]
    pub fn adapting(self, steps: usize) -> Self {
        Self { adapts: steps, ..self }
    }

    /// This chain, of the density to the power of 1/`temperature`.
    #[must_use]
    pub fn heated(self, temperature: f64) -> Self {
        Self { temperature, ..self }
    }

    /// One step: a proposal from N(current, S Sᵀ), accepted with the probability min(1, ratio of densities).
    /// `log_density` is −∞ outside of the support.
    pub fn step(&mut self, log_density: impl Fn(&[f64]) -> f64) {
        let z: Vec<f64> = self.current.iter().map(|_| self.random.normal()).collect();
        let moved = |row: &Vec<f64>| row.iter().zip(&z).map(|(s, z)| s * z).sum::<f64>();
        let proposed: Vec<f64> =
            self.current.iter().zip(&self.proposal).map(|(x, row)| x + moved(row)).collect();
        let new = log_density(&proposed);
        let gain = (new - self.log_density) / self.temperature;
        if self.samples.len() < self.adapts {
            // NaN, as of two densities that are none, is refused.
            let chance = if gain.is_nan() { 0.0 } else { gain.exp().min(1.0) };
            self.adapt(&z, chance);
        }
        let accepted = (1.0 - self.random.unit()).ln() < gain;
        if accepted {
            (self.current, self.log_density) = (proposed, new);
        }
        self.accepted.push(accepted);
        self.samples.push(self.current.clone());
    }

    /// Exchanges what this chain and a hotter one hold, with the probability that leaves both distributions as they are:
    /// min(1, exp((1/T − 1/T') (log p(x') − log p(x)))) [Geyer1991].
    pub fn exchange(&mut self, hotter: &mut Self) {
        let colder_by = 1.0 / self.temperature - 1.0 / hotter.temperature;
        if (1.0 - self.random.unit()).ln() < colder_by * (hotter.log_density - self.log_density) {
            std::mem::swap(&mut self.current, &mut hotter.current);
            std::mem::swap(&mut self.log_density, &mut hotter.log_density);
        }
    }

    /// The robust adaptive Metropolis algorithm [Vihola2012]: S Sᵀ ← S (I + η (α − α*) z zᵀ/‖z‖²) Sᵀ, η = min(1, d/√n).
    /// It is fast, and as the adaptation ends, no slower rate is needed for the chain to be one of the density.
    fn adapt(&mut self, z: &[f64], chance: f64) {
        let d = z.len();
        let rate = (d as f64 * (self.samples.len() as f64 + 1.0).powf(-0.5)).min(1.0);
        let s = DMatrix::from_fn(d, d, |i, j| self.proposal[i][j]);
        let z = DVector::from_column_slice(z);
        let push = &s * &z / z.norm().max(f64::MIN_POSITIVE);
        let covariance = &s * s.transpose() + rate * (chance - WANTED) * &push * push.transpose();
        if let Some(root) = covariance.cholesky() {
            let root = root.l();
            (0..d).for_each(|i| (0..d).for_each(|j| self.proposal[i][j] = root[(i, j)]));
        }
    }

    /// Values of coordinate `i` after the first `burn_in` samples.
    pub fn values(&self, i: usize, burn_in: usize) -> Vec<f64> {
        self.samples.iter().skip(burn_in).map(|s| s[i]).collect()
    }

    /// The part of proposals that was accepted after the first `burn_in` samples.
    pub fn acceptance(&self, burn_in: usize) -> f64 {
        let kept = &self.accepted[burn_in.min(self.accepted.len())..];
        kept.iter().filter(|a| **a).count() as f64 / kept.len().max(1) as f64
    }
}

/// How many independent samples a chain is worth: n / (1 + 2 Σ ρ), summed over pairs of lags while they are positive
/// [Geyer1992].
pub fn effective_sample_size(values: &[f64]) -> f64 {
    let n = values.len();
    let mean = values.iter().sum::<f64>() / n as f64;
    let lagged = |k: usize| -> f64 {
        (0..n - k).map(|i| (values[i] - mean) * (values[i + k] - mean)).sum::<f64>() / n as f64
    };
    let variance = if n < 4 { 0.0 } else { lagged(0) };
    if variance <= 0.0 {
        return 1.0_f64.min(n as f64);
    }
    let mut sum = 0.0;
    for k in (0..n - 1).step_by(2) {
        let pair = (lagged(k) + lagged(k + 1)) / variance;
        if pair <= 0.0 {
            break;
        }
        sum += pair;
    }
    (n as f64 / (2.0 * sum - 1.0).max(1.0 / n as f64)).min(n as f64)
}

/// R̂ [Gelman1992] of the halves of several chains: near 1 where they agree.
pub fn r_hat(chains: &[Vec<f64>]) -> f64 {
    let halves: Vec<&[f64]> = chains
        .iter()
        .flat_map(|c| {
            let h = c.len() / 2;
            [&c[..h], &c[h..2 * h]]
        })
        .collect();
    let n = halves.first().map_or(0, |h| h.len()) as f64;
    let means: Vec<f64> = halves.iter().map(|h| h.iter().sum::<f64>() / n).collect();
    let variance = |h: &[f64], m: f64| h.iter().map(|x| (x - m).powi(2)).sum::<f64>() / (n - 1.0);
    let within = halves.iter().zip(&means).map(|(h, m)| variance(h, *m)).sum::<f64>() / halves.len() as f64;
    let all = means.iter().sum::<f64>() / means.len() as f64;
    let between = means.iter().map(|m| (m - all).powi(2)).sum::<f64>() / (means.len() as f64 - 1.0);
    (((n - 1.0) / n * within + between) / within).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four chains on a normal distribution with correlation: moments, acceptance, R̂; and R̂ tells chains apart that do
    /// not agree.
    #[test]
    fn chains_find_a_normal_distribution() {
        // Variances 1 and 1, correlation 0.6.
        let log = |x: &[f64]| -0.5 * (x[0] * x[0] - 1.2 * x[0] * x[1] + x[1] * x[1]) / 0.64;
        let chains: Vec<Chain> = (0..4)
            .map(|seed| {
                let mut chain = Chain::new(&[2.0, -2.0], log(&[2.0, -2.0]), &[1.2, 1.2], seed);
                (0..20_000).for_each(|_| chain.step(log));
                chain
            })
            .collect();
        let all: Vec<Vec<f64>> = chains.iter().map(|c| c.values(0, 1000)).collect();
        assert!(r_hat(&all) < 1.01);
        let x = all.concat();
        let mean = x.iter().sum::<f64>() / x.len() as f64;
        let variance = x.iter().map(|x| x * x).sum::<f64>() / x.len() as f64 - mean * mean;
        assert!(mean.abs() < 0.06 && (variance - 1.0).abs() < 0.08, "{mean} {variance}");
        assert!((0.2..0.6).contains(&chains[0].acceptance(0)));
        let worth = effective_sample_size(&all[0]);
        assert!((500.0..6000.0).contains(&worth), "{worth}");
        let apart: Vec<Vec<f64>> = vec![all[0].clone(), all[1].iter().map(|x| x + 2.0).collect()];
        assert!(r_hat(&apart) > 1.3);
    }

    /// Independent numbers are worth themselves; an autoregression with ρ is worth (1 − ρ)/(1 + ρ) of them.
    #[test]
    fn effective_sizes_of_known_sequences() {
        let mut random = Random::new(2);
        let (mut x, rho, n) = (0.0, 0.8_f64, 50_000);
        let mut walk = |rho: f64| -> Vec<f64> {
            (0..n)
                .map(|_| {
                    x = rho * x + (1.0 - rho * rho).sqrt() * random.normal();
                    x
                })
                .collect()
        };
        let (white, red) = (walk(0.0), walk(rho));
        assert!((effective_sample_size(&white) / f64::from(n) - 1.0).abs() < 0.05);
        let share = effective_sample_size(&red) / f64::from(n);
        assert!((share / (0.2 / 1.8) - 1.0).abs() < 0.2, "{share}");
    }
}
