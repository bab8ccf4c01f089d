//! Fitting to whole trajectories, by a search without gradients (algorithms 1 and 2 of [Fazeli2020]).

use super::predict::{DropModel, Noise};
use super::{DiceParameters, GYRATION, Named};
use crate::data::Trajectory;
use crate::identify::{CmaEs, Interrupted, Watch, minimise};
use crate::planar::PlanarStepper;
use crate::residual::{DensityNetwork, Form, PlanarResidual, Representation};
use crate::score::rmse;
use crate::{parallel, score};
use serde::{Deserialize, Serialize};

/// RMSE of the scene for every drop [m].
pub fn scene_errors(parameters: &DiceParameters, drops: &[&Trajectory]) -> Vec<f64> {
    let world = parameters.world();
    let mut stepper = PlanarStepper::new(&world);
    let mut track = Vec::new();
    let error = |drop: &&Trajectory| {
        track.clear();
        track.resize(drop.frames.len(), [0.0; 3]);
        stepper.track(parameters.start(drop), drop.dt, None, &mut track);
        rmse(&track, &drop.frames, GYRATION)
    };
    drops.iter().map(error).collect()
}

/// Searches `names` of the scene for the least mean RMSE over `drops`, from `base` on.
///
/// # Errors
///
/// If `watch` says so.
pub fn fit_scene(
    base: &DiceParameters,
    names: &[&Named],
    drops: &[&Trajectory],
    generations: usize,
    seed: u64,
    watch: Watch<'_>,
) -> Result<DiceParameters, Interrupted> {
    let mut search = CmaEs::new(&in_unit_box(base, names), 0.15, 0, seed);
    let value = |x: &[f64]| {
        let (parameters, outside) = from_unit_box(base, names, x);
        Ok(score::mean_and_spread(&scene_errors(&parameters, drops))[0] + outside)
    };
    minimise::<Interrupted>(&mut search, (generations, SMALLEST), &value, "fitting the scene", watch)?;
    Ok(from_unit_box(base, names, search.best().0).0)
}

/// Parameters as numbers between 0 and 1.
fn in_unit_box(parameters: &DiceParameters, names: &[&Named]) -> Vec<f64> {
    names
        .iter()
        .map(|n| (((n.get)(parameters) - n.range[0]) / (n.range[1] - n.range[0])).clamp(0.01, 0.99))
        .collect()
}

/// The parameters of a point, and by how much it is outside of the box, squared.
fn from_unit_box(base: &DiceParameters, names: &[&Named], x: &[f64]) -> (DiceParameters, f64) {
    let mut parameters = base.clone();
    let mut outside = 0.0;
    for (n, x) in names.iter().zip(x) {
        let inside = x.clamp(0.0, 1.0);
        outside += (x - inside).powi(2);
        (n.set)(&mut parameters, n.range[0] + inside * (n.range[1] - n.range[0]));
    }
    (parameters, outside)
}

/// The number that is minimised when a network is trained on trajectories.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Objective {
    /// The mean RMSE of drawn trajectories, equation (5) of [Fazeli2020]. It drives the spread to nothing.
    Error,
    /// The energy score of an ensemble of trajectories: least for the true distribution.
    #[default]
    EnergyScore,
}

/// How a density network is trained.
#[derive(Clone, Copy, Debug)]
pub struct Training {
    pub form: Form,
    pub objective: Objective,
    /// Units of the hidden layer; 0: the same correction, in units of m |v_n|, at every contact.
    pub hidden: usize,
    /// Deviation of the first generation of the search, and points of a generation (0: as many as is usual).
    pub first_step: f64,
    pub population: usize,
    /// Trajectories drawn for each drop.
    pub members: usize,
    pub generations: usize,
    pub seed: u64,
}

/// Energy score of whole trajectories, E‖X − y‖ − ½ E‖X − X′‖ with the norm of RMSE [m]; unbiased in the second term.
fn trajectory_score(members: &[Vec<[f64; 3]>], measured: &[[f64; 3]], objective: Objective) -> f64 {
    let n = members.len() as f64;
    let error = members.iter().map(|m| rmse(m, measured, GYRATION)).sum::<f64>() / n;
    if objective == Objective::Error || members.len() < 2 {
        return error;
    }
    let mut spread = 0.0;
    for (i, a) in members.iter().enumerate() {
        spread += members[..i].iter().map(|b| rmse(a, b, GYRATION)).sum::<f64>();
    }
    error - spread / (n * (n - 1.0))
}

/// Trains a density network on whole trajectories: nothing is known of single impacts. Parameters of the scene in `names` are
/// found together with it.
///
/// # Errors
///
/// If `watch` says so.
pub fn train_network(
    base: &DropModel,
    names: &[&Named],
    scale: &[[f64; 2]],
    drops: &[&Trajectory],
    training: &Training,
    watch: Watch<'_>,
) -> Result<DropModel, Interrupted> {
    let network = DensityNetwork::new(
        scale.len(),
        training.hidden,
        training.form.outputs(),
        scale.to_vec(),
        START_DEVIATION,
    );
    let theta = network.theta.len();
    let begin = network.started_from(base.residual.as_ref().and_then(PlanarResidual::network));
    let build = |x: &[f64]| {
        let (parameters, outside) = from_unit_box(&base.parameters, names, &x[theta..]);
        let mut network = network.clone();
        network.theta.copy_from_slice(&x[..theta]);
        let residual = PlanarResidual {
            form: training.form,
            representation: Representation::Network(network),
            spread: 1.0,
            share: 1.0,
            offset: [0.0; 3],
            spin: false,
        };
        // Numbers of the network stay near those it began with, as few data ask for.
        let size: f64 = x[..theta].iter().zip(&begin).map(|(t, b)| (t - b).powi(2)).sum();
        let model = DropModel { parameters, residual: Some(residual), ..base.clone() };
        (model, outside + WEIGHT_DECAY * size / drops.len().max(1) as f64)
    };
    let value = |x: &[f64]| {
        let (model, penalty) = build(x);
        let world = model.world();
        let sum: f64 = drops
            .iter()
            .map(|drop| {
                let members = model.ensemble(&world, drop, training.members, training.seed);
                trajectory_score(&members, &drop.frames, training.objective)
            })
            .sum();
        Ok(sum / drops.len().max(1) as f64 + penalty)
    };
    let mut start = begin.clone();
    start.extend(in_unit_box(&base.parameters, names));
    let mut search = CmaEs::new(&start, training.first_step, training.population, training.seed);
    let effort = (training.generations, SMALLEST);
    minimise::<Interrupted>(&mut search, effort, &value, "training on trajectories", watch)?;
    // The mean of the search: its best point has had luck with chaotic drops.
    Ok(build(search.mean()).0)
}

/// Makes a learner fit for whole trajectories. Of Gaussian processes, which know single impacts alone, such a share of the
/// mean is kept as gives the least CRPS over `drops`; then the spread of corrections is set so that the ensembles' intervals
/// cover the drops as they say. Tried are shares of ¼ and spreads of powers of 2^(1/4).
pub fn calibrate(model: &mut DropModel, drops: &[&Trajectory], members: usize, seed: u64) {
    let judged = |model: &DropModel| {
        let world = model.world();
        let scores = parallel::map(drops.len(), |i| {
            let ensemble = model.ensemble(&world, drops[i], members, seed);
            score::judge(&ensemble, &drops[i].frames, GYRATION)
        });
        let mean = |f: &dyn Fn(&score::EnsembleScore) -> f64| {
            scores.iter().map(f).sum::<f64>() / scores.len().max(1) as f64
        };
        let [half, most] = [0, 1].map(|i| mean(&|s| s.coverage[i]));
        // How many times the tolerated error of either coverage: 5 % of 50 %, 4 % of 90 %.
        let miss = ((half - 0.5) / 0.05).abs().max(((most - 0.9) / 0.04).abs());
        [mean(&|s| s.crps), miss]
    };
    let best = |model: &DropModel, tries: &[f64], which: usize, set: &dyn Fn(&mut PlanarResidual, f64)| {
        let of = |x: &f64| {
            let mut tried = model.clone();
            if let Some(residual) = &mut tried.residual {
                set(residual, *x);
            }
            judged(&tried)[which]
        };
        let values: Vec<f64> = tries.iter().map(of).collect();
        let place = (0..tries.len()).min_by(|&a, &b| values[a].total_cmp(&values[b])).unwrap_or(0);
        tries[place]
    };
    let single =
        matches!(model.residual.as_ref().map(|r| &r.representation), Some(Representation::Processes(_)));
    if single {
        let share = best(model, &[0.0, 0.25, 0.5, 0.75, 1.0], 0, &|r, x| r.share = x);
        model.residual.iter_mut().for_each(|r| r.share = share);
    }
    let spreads: Vec<f64> = (-8..=4).map(|step| 2.0_f64.powf(f64::from(step) / 4.0)).collect();
    let spread = best(model, &spreads, 1, &|r, x| r.spread = x);
    model.residual.iter_mut().for_each(|r| r.spread = spread);
}

/// A step size at which a search is over.
const SMALLEST: f64 = 1e-5;
/// ln σ of an untrained network, in units of m |v_n|.
const START_DEVIATION: f64 = -2.5;
/// Weight of ‖θ‖² in the training, for one drop [m].
const WEIGHT_DECAY: f64 = 5e-3;

/// Noise of the first velocity and of positions, from the frames before the first impact and after the last.
pub fn measure_noise(parameters: &DiceParameters, drops: &[&Trajectory]) -> Noise {
    let (mut errors, mut rests) = (vec![Vec::new(); 3], vec![Vec::new(); 3]);
    let world = parameters.world();
    for drop in drops {
        // Flight until the scene's first impact, at most 12 frames.
        let mut state = parameters.start(drop);
        let (mut stepper, mut hit) = (PlanarStepper::new(&world), false);
        let mut k = 0;
        while k + 1 < drop.frames.len().min(12) {
            stepper.advance(&mut state, drop.dt, None, &mut |_| hit = true);
            if hit {
                break;
            }
            k += 1;
            if k >= 4 {
                for (i, e) in errors.iter_mut().enumerate() {
                    e.push((drop.frames[k][i] - state.q[i]) / (k as f64 * drop.dt));
                }
            }
        }
        let Some(last) = drop.frames.last() else { continue };
        let lies = parameters.floor + parameters.half;
        rests[1].push(last[1] - lies);
        let quarter = std::f64::consts::FRAC_PI_2;
        rests[2].push(last[2] - (last[2] / quarter).round() * quarter);
    }
    // 1.4826 times the median absolute deviation: tracking jumps and drops that lean do not count.
    let robust = |values: &Vec<f64>| {
        let middle = score::median(values);
        let away: Vec<f64> = values.iter().map(|x| (x - middle).abs()).collect();
        if away.is_empty() { 0.0 } else { 1.4826 * score::median(&away) }
    };
    let z = robust(&rests[1]);
    Noise { velocity: [0, 1, 2].map(|i| robust(&errors[i])), offset: [z, z, robust(&rests[2])] }
}
