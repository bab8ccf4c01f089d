//! Point estimates and distributions of parameters of a scene.

use super::{Case, Measured, NotSimulated, Parameter};
use crate::identify::{
    Chain, CmaEs, Interrupted, Sampled, Sampling, Unknown, Watch, from_unit_box, minimise, sample,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How parameters are looked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct IdentifySettings {
    /// Standard deviation of the noise of every column, in its unit; without, it is found, unit by unit.
    pub noise: Option<f64>,
    /// Generations of a search, at most.
    pub generations: usize,
    /// Searches that follow the first, each with twice the points of the one before (IPOP) [Auger2005]: the way out of local
    /// answers, which impacts make many.
    pub restarts: usize,
    /// How the distribution is sampled; without, it is not.
    pub sampling: Option<Sampling>,
    pub seed: u64,
}

impl Default for IdentifySettings {
    fn default() -> Self {
        Self { noise: None, generations: 100, restarts: 2, sampling: Some(Sampling::default()), seed: 1 }
    }
}

/// A parameter as it was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    pub name: String,
    pub range: [f64; 2],
    /// The value in the scene as it was given.
    pub given: f64,
    /// The most likely value.
    pub value: f64,
}

/// Parameters that explain the measurements, and how well.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Identified {
    pub parameters: Vec<Estimate>,
    /// Root mean square of measured less predicted, by unit, at the estimate.
    pub rms: BTreeMap<String, f64>,
    /// Standard deviation of the noise that the distribution was sampled with, by unit.
    pub noise: BTreeMap<String, f64>,
    /// Parameters that no measured number depends on: at both ends of their ranges predictions are the same, but for rounding.
    pub idle: Vec<String>,
    /// Measured numbers.
    pub numbers: usize,
    pub posterior: Option<Sampled>,
}

/// Parameters that were not identified.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum IdentifyError {
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
    #[error("{0}; the scene as it was given must be one that can be simulated")]
    NotSimulated(#[from] NotSimulated),
    #[error("`{name}` is looked for from {low} to {high}; expected finite numbers, the lower one first")]
    Range { name: String, low: f64, high: f64 },
    #[error("the noise is {0}; expected a number > 0")]
    Noise(f64),
    #[error("nothing is measured, or nothing is looked for")]
    Nothing,
}

/// Sum of squares and count, by unit.
type Squares = BTreeMap<&'static str, (f64, usize)>;

fn squares(case: &Case, measured: &[Measured]) -> Result<Squares, NotSimulated> {
    let mut sums = Squares::new();
    for one in measured {
        let residuals = case.residuals(one)?;
        for row in residuals.chunks_exact(one.channels.len().max(1)) {
            for (r, channel) in row.iter().zip(&one.channels) {
                let sum = sums.entry(channel.unit).or_default();
                *sum = (sum.0 + r * r, sum.1 + 1);
            }
        }
    }
    Ok(sums)
}

/// A mean square below which no measurement is told from another, so that a perfect fit has a likelihood.
const LEAST_SQUARE: f64 = 1e-24;

/// Minus the logarithm of the likelihood, without constants.
fn surprise(sums: &Squares, noise: Option<f64>) -> f64 {
    let of = |(sum, count): &(f64, usize)| match noise {
        Some(noise) => 0.5 * sum / (noise * noise),
        None => 0.5 * *count as f64 * (sum / (*count).max(1) as f64).max(LEAST_SQUARE).ln(),
    };
    sums.values().map(of).sum()
}

/// A share of the largest prediction by which two may differ and are the same.
const ROUNDING: f64 = 1e-9;

/// Parameters whose ends and whose estimate predict the same, the others being as estimated.
fn idle(
    parameters: &[(Parameter, [f64; 2])],
    best: &[f64],
    measured: &[Measured],
    with: &impl Fn(&[f64]) -> Case,
) -> Vec<String> {
    let predicted = |values: &[f64]| -> Option<Vec<f64>> {
        let case = with(values);
        let all = measured.iter().map(|m| case.predict(m)).collect::<Result<Vec<_>, _>>().ok()?;
        Some(all.into_iter().flatten().collect())
    };
    let same = |a: &[f64], b: &[f64]| {
        let largest = a.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        a.len() == b.len() && a.iter().zip(b).all(|(x, y)| (x - y).abs() <= ROUNDING * largest)
    };
    let Some(found) = predicted(best) else { return Vec::new() };
    let is_idle = |k: usize, ends: &[f64; 2]| {
        ends.iter().all(|end| {
            let mut values = best.to_vec();
            values[k] = *end;
            predicted(&values).is_some_and(|other| same(&other, &found))
        })
    };
    let all = parameters.iter().enumerate();
    all.filter(|(k, (_, ends))| is_idle(*k, ends)).map(|(_, (p, _))| p.name.clone()).collect()
}

/// The error of a range or a noise that is none.
fn check(parameters: &[(Parameter, [f64; 2])], settings: &IdentifySettings) -> Result<(), IdentifyError> {
    if let Some((p, [low, high])) =
        parameters.iter().find(|(_, [low, high])| !(low.is_finite() && high.is_finite() && low < high))
    {
        return Err(IdentifyError::Range { name: p.name.clone(), low: *low, high: *high });
    }
    if let Some(noise) = settings.noise.filter(|n| !(n.is_finite() && *n > 0.0)) {
        return Err(IdentifyError::Noise(noise));
    }
    Ok(())
}

/// Finds the values of `parameters` within their ranges that explain `measured` best, and their distribution. `stored` are the
/// chains of an earlier call that was interrupted, and what is there after this one.
///
/// Scenes that cannot be simulated within the ranges have no likelihood.
///
/// # Errors
///
/// If there is nothing to find, a range or the noise is none, the case cannot be simulated as it is, or `watch` stops it.
pub fn identify(
    case: &Case,
    parameters: &[(Parameter, [f64; 2])],
    measured: &[Measured],
    settings: &IdentifySettings,
    stored: &mut Vec<Chain>,
    watch: Watch<'_>,
) -> Result<Identified, IdentifyError> {
    check(parameters, settings)?;
    let given = squares(case, measured)?;
    let numbers: usize = given.values().map(|(_, count)| count).sum();
    if parameters.is_empty() || numbers == 0 {
        return Err(IdentifyError::Nothing);
    }
    let unknowns: Vec<Unknown> =
        parameters.iter().map(|(p, range)| Unknown { name: p.name.clone(), range: *range }).collect();
    let with = |values: &[f64]| {
        let mut other = case.clone();
        parameters.iter().zip(values).for_each(|((p, _), x)| p.set(&mut other, *x));
        other
    };
    let start: Vec<f64> = parameters
        .iter()
        .zip(&unknowns)
        .map(|((p, _), u)| u.share(p.get(case)))
        // A number without a value, as the stiffness of what is rigid, starts in the middle.
        .map(|share| if share.is_finite() { share.clamp(0.05, 0.95) } else { 0.5 })
        .collect();
    let value = |point: &[f64]| -> Result<f64, IdentifyError> {
        let (values, outside) = from_unit_box(&unknowns, point);
        let sums = squares(&with(&values), measured);
        // Beside it, a point outside is worse by a share of all measurements.
        Ok(sums.map_or(f64::INFINITY, |s| surprise(&s, settings.noise)) + outside * numbers as f64)
    };
    let mut best = (start.clone(), f64::INFINITY);
    let mut population = 0;
    for restart in 0..=settings.restarts {
        let mut search = CmaEs::new(&start, 0.2, population, settings.seed + restart as u64);
        minimise(&mut search, (settings.generations, 1e-7), &value, "searching", watch)?;
        if search.best().1 < best.1 {
            best = (search.best().0.to_vec(), search.best().1);
        }
        population = 2 * search.population();
    }
    let best = from_unit_box(&unknowns, &best.0).0;
    let sums = squares(&with(&best), measured)?;
    let rms = sums.iter().map(|(unit, (sum, count))| ((*unit).to_owned(), (sum / *count as f64).sqrt()));
    // Of n numbers of a unit some are spent on the parameters, in proportion.
    let free = (numbers.saturating_sub(parameters.len()).max(1)) as f64 / numbers as f64;
    let found = |(sum, count): &(f64, usize)| (sum / (*count as f64 * free)).max(LEAST_SQUARE).sqrt();
    let noise: BTreeMap<&str, f64> =
        sums.iter().map(|(unit, sum)| (*unit, settings.noise.unwrap_or_else(|| found(sum)))).collect();
    let log_density = |x: &[f64]| {
        let Ok(sums) = squares(&with(x), measured) else { return f64::NEG_INFINITY };
        -sums.iter().map(|(unit, (sum, _))| 0.5 * sum / (noise[unit] * noise[unit])).sum::<f64>()
    };
    let posterior = match &settings.sampling {
        Some(sampling) => Some(sample(&unknowns, &log_density, sampling, Some(&best), stored, watch)?),
        None => None,
    };
    let idle = idle(parameters, &best, measured, &with);
    let estimate = |((p, range), value): (&(Parameter, [f64; 2]), &f64)| Estimate {
        name: p.name.clone(),
        range: *range,
        given: p.get(case),
        value: *value,
    };
    Ok(Identified {
        parameters: parameters.iter().zip(&best).map(estimate).collect(),
        rms: rms.collect(),
        noise: noise.iter().map(|(unit, n)| ((*unit).to_owned(), *n)).collect(),
        idle,
        numbers,
        posterior,
    })
}
