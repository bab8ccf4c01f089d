//! Parameters fitted to some tosses and judged by others.

use super::measured::Toss;
use super::scene::{Named, Pose, SceneError, TossScene, TossSimulator, parameter};
use super::set::TossSet;
use serde::Serialize;
use std::ops::ControlFlow;
use std::time::Instant;
use stiction::State;
use stiction::random::Random;
use stiction::world::World;
use stiction_learn::identify::CmaEs;
use stiction_learn::parallel;
use stiction_learn::score::{mean_and_spread, median};

/// The work was stopped, or a toss could not be simulated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Interrupted {
    #[error("interrupted")]
    Stopped,
    #[error(transparent)]
    Scene(#[from] SceneError),
}

/// How much work goes into a fit.
#[derive(Clone, Debug)]
pub struct TossEffort {
    pub simulator: TossSimulator,
    /// Frames of a toss that are fitted to, at most.
    pub frames: usize,
    pub generations: usize,
    pub seed: u64,
}

/// A row of the table.
#[derive(Clone, Debug, Serialize)]
pub struct TossRow<S> {
    pub model: String,
    /// Mean over tosses of the mean over frames and bodies of the distance of origins [m] and of the angle between attitudes [°].
    pub position: f64,
    pub rotation: f64,
    /// Medians over tosses of the same means.
    pub position_median: f64,
    pub rotation_median: f64,
    /// Distance and angle in the last frame, medians over tosses [m, °].
    pub final_position_median: f64,
    pub final_rotation_median: f64,
    pub n_train: usize,
    pub n_test: usize,
    /// Numbers of the tosses that were fitted to.
    pub train: Vec<u32>,
    /// Time of fitting and judging [s].
    pub seconds: f64,
    pub parameters: S,
}

/// Distance of origins [m] and angle between attitudes [rad].
fn apart(a: &Pose, b: &Pose) -> [f64; 2] {
    let distance = (0..3).map(|i| (a[i] - b[i]).powi(2)).sum::<f64>().sqrt();
    let along = (3..7).map(|i| a[i] * b[i]).sum::<f64>().abs().min(1.0);
    // From the sine of the half, which is exact for small angles too.
    let sign = if (3..7).map(|i| a[i] * b[i]).sum::<f64>() < 0.0 { -1.0 } else { 1.0 };
    let chord = (3..7).map(|i| (a[i] - sign * b[i]).powi(2)).sum::<f64>().sqrt();
    let angle = if along > 0.7 { 4.0 * (0.5 * chord).min(1.0).asin() } else { 2.0 * along.acos() };
    [distance, angle]
}

/// Means over frames and bodies of distance [m] and angle [rad], and those of the last frame.
fn errors<S: TossScene>(
    simulator: &TossSimulator,
    scene: &S,
    built: &(World, State),
    toss: &Toss,
    frames: usize,
) -> Result<[f64; 4], SceneError> {
    let frames = frames.min(toss.frames.len());
    let track = simulator.simulate(scene, built, toss, frames)?;
    let mut sum = [0.0; 2];
    let mut last = [0.0; 2];
    for (simulated, measured) in track.iter().zip(&toss.frames) {
        let (simulated, measured) = (S::poses(simulated), S::poses(measured));
        let all: Vec<[f64; 2]> = simulated.iter().zip(&measured).map(|(a, b)| apart(a, b)).collect();
        last = [0, 1].map(|i| all.iter().map(|e| e[i]).sum::<f64>() / all.len() as f64);
        sum = [sum[0] + last[0], sum[1] + last[1]];
    }
    Ok([sum[0] / frames as f64, sum[1] / frames as f64, last[0], last[1]])
}

/// The number that a fit minimises: the mean over tosses of distance plus angle at the radius of gyration, means over frames [m].
///
/// # Errors
///
/// If a toss cannot be simulated.
pub fn mean_cost<S: TossScene>(scene: &S, tosses: &[&Toss], effort: &TossEffort) -> Result<f64, SceneError> {
    let built = scene.build()?;
    let mut sum = 0.0;
    for toss in tosses {
        let [distance, angle, ..] = errors(&effort.simulator, scene, &built, toss, effort.frames)?;
        sum += distance + S::GYRATION * angle;
    }
    Ok(sum / tosses.len().max(1) as f64)
}

/// Searches `names` for the least [`mean_cost`], from `base` on, with CMA-ES within the ranges of the parameters.
///
/// # Errors
///
/// If `watch` stops it, or a toss cannot be simulated.
pub fn fit<S: TossScene>(
    base: &S,
    names: &[&Named<S>],
    tosses: &[&Toss],
    effort: &TossEffort,
    watch: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
) -> Result<S, Interrupted> {
    let width = |n: &Named<S>| n.range[1] - n.range[0];
    let start: Vec<f64> = names.iter().map(|n| ((n.get)(base) - n.range[0]) / width(n)).collect();
    let build = |x: &[f64]| {
        let (mut p, mut outside) = (*base, 0.0);
        for (n, x) in names.iter().zip(x) {
            let inside = x.clamp(0.0, 1.0);
            outside += (x - inside).powi(2);
            (n.set)(&mut p, n.range[0] + inside * width(n));
        }
        (p, outside)
    };
    let mut search = CmaEs::new(&start, 0.15, 0, effort.seed);
    while search.generation() < effort.generations && search.sigma() > 1e-4 {
        if watch(search.generation(), effort.generations).is_break() {
            return Err(Interrupted::Stopped);
        }
        let points = search.ask();
        let values = parallel::map(points.len(), |i| {
            let (p, outside) = build(&points[i]);
            Ok(mean_cost(&p, tosses, effort)? + outside)
        });
        search.tell(&values.into_iter().collect::<Result<Vec<f64>, SceneError>>()?);
    }
    // The mean: the best point has had luck with tosses that are chaotic.
    Ok(build(search.mean()).0)
}

/// Judges the numbers that come with the data and fits of ours: `train` of the tosses to fit to, drawn by the seed, and the
/// others to judge by.
///
/// # Errors
///
/// If `watch` stops it, or a toss cannot be simulated.
pub fn evaluate<S: TossScene>(
    set: &TossSet,
    train: usize,
    effort: &TossEffort,
    watch: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
) -> Result<Vec<TossRow<S>>, Interrupted> {
    let order = Random::new(effort.seed).shuffled(set.tosses.len());
    let (known, unknown) = order.split_at(train.min(order.len()));
    let pick = |places: &[usize]| places.iter().map(|i| &set.tosses[*i]).collect::<Vec<_>>();
    let (train, test) = (pick(known), pick(unknown));
    let mut rows = Vec::new();
    for (name, scene) in S::published() {
        rows.push(judged(name, scene, &[], &test, effort, Instant::now())?);
    }
    for (i, of) in S::FITS.iter().enumerate() {
        let clock = Instant::now();
        let names: Vec<&Named<S>> = of.parameters.iter().filter_map(|n| parameter(n)).collect();
        let mut part = |done: usize, all: usize| watch(i * all + done, S::FITS.len() * all);
        let scene = fit(&S::default(), &names, &train, effort, &mut part)?;
        rows.push(judged(of.name, scene, &train, &test, effort, clock)?);
    }
    Ok(rows)
}

fn judged<S: TossScene>(
    name: &str,
    parameters: S,
    train: &[&Toss],
    test: &[&Toss],
    effort: &TossEffort,
    clock: Instant,
) -> Result<TossRow<S>, SceneError> {
    let built = parameters.build()?;
    let of_toss = |i: usize| errors(&effort.simulator, &parameters, &built, test[i], usize::MAX);
    let all =
        parallel::map(test.len(), of_toss).into_iter().collect::<Result<Vec<[f64; 4]>, SceneError>>()?;
    let of = |i: usize| all.iter().map(|e| e[i]).collect::<Vec<f64>>();
    Ok(TossRow {
        model: name.to_owned(),
        position: mean_and_spread(&of(0))[0],
        rotation: mean_and_spread(&of(1))[0].to_degrees(),
        position_median: median(&of(0)),
        rotation_median: median(&of(1)).to_degrees(),
        final_position_median: median(&of(2)),
        final_rotation_median: median(&of(3)).to_degrees(),
        n_train: train.len(),
        n_test: test.len(),
        train: train.iter().map(|t| t.id).collect(),
        seconds: clock.elapsed().as_secs_f64(),
        parameters,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A turn by 90° about z, one by 1e-9, and q and −q.
    #[test]
    fn angles_between_attitudes() {
        let turned = |angle: f64| [3.0, 0.0, 4.0, (0.5 * angle).cos(), 0.0, 0.0, (0.5 * angle).sin()];
        let still = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
        for angle in [std::f64::consts::FRAC_PI_2, 1e-9, 3.0] {
            let [distance, found] = apart(&turned(angle), &still);
            assert!((distance - 5.0).abs() < 1e-15 && (found / angle - 1.0).abs() < 1e-6, "{found}");
        }
        assert_eq!(apart(&[0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0], &still), [0.0, 0.0]);
    }
}
