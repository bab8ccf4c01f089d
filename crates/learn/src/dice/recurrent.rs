//! A recurrent network that corrects the simulator at every frame, in the way of SIAN [Ajay2019]: it knows the simulated
//! trajectory and nothing of contacts, and is trained by back-propagation.
//!
//! The simulator runs from the first frame on alone. Frame by frame the network is told the simulated height, velocities and the
//! face that is down, and its own correction so far, and adds to the latter: q_k = q̄_k + d_k. The loss is the mean square of
//! (x, z, ℓ θ) over frames; a quarter of the drops, held out, says when to stop.

use super::predict::Track;
use super::{DiceParameters, GYRATION};
use crate::data::Trajectory;
use crate::identify::{Interrupted, Watch};
use crate::parallel;
use crate::planar::PlanarStepper;
use crate::residual::Recurrent;
use serde::{Deserialize, Serialize};
use stiction::random::Random;

/// The simulator's scene and the network that corrects it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RecurrentModel {
    pub parameters: DiceParameters,
    pub network: Recurrent,
}

/// How the network is trained.
#[derive(Clone, Copy, Debug)]
pub struct RecurrentTraining {
    pub hidden: usize,
    pub epochs: usize,
    /// Step of Adam [Kingma2015].
    pub rate: f64,
    pub seed: u64,
}

/// Drops of a step of the training.
const BATCH: usize = 8;
/// Corrections are in units of this length [m], inputs in units near those they have.
const LENGTH: f64 = 0.05;
const INPUTS: usize = 8;

impl RecurrentModel {
    fn simulated(&self, drop: &Trajectory) -> Track {
        let world = self.parameters.world();
        let mut track = vec![[0.0; 3]; drop.frames.len()];
        PlanarStepper::new(&world).track(self.parameters.start(drop), drop.dt, None, &mut track);
        track
    }

    /// The prediction of a drop.
    pub fn predict(&self, drop: &Trajectory) -> Track {
        let mut track = self.simulated(drop);
        let corrections = self.network.run(&inputs(&track, drop.dt));
        for (q, d) in track.iter_mut().zip(&corrections) {
            *q = [q[0] + LENGTH * d[0], q[1] + LENGTH * d[1], q[2] + LENGTH / GYRATION * d[2]];
        }
        // The first frame is what was measured.
        if let (Some(first), Some(seen)) = (track.first_mut(), drop.frames.first()) {
            *first = *seen;
        }
        track
    }
}

/// The numbers that the network is told of a simulated trajectory, frame by frame.
fn inputs(track: &[[f64; 3]], dt: f64) -> Vec<Vec<f64>> {
    let told = |k: usize| {
        let [before, now] = [track[k.saturating_sub(1)], track[k]];
        let v: [f64; 3] = std::array::from_fn(|i| (now[i] - before[i]) / dt);
        let (sin, cos) = (4.0 * now[2]).sin_cos();
        vec![
            (now[0] + 0.4) / 0.2,
            (now[1] - 0.06) / 0.05,
            v[0],
            v[1],
            0.1 * v[2],
            sin,
            cos,
            if k == 0 { 1.0 } else { 0.0 },
        ]
    };
    (0..track.len()).map(told).collect()
}

/// Trains a network that corrects `parameters` on `drops`.
///
/// # Errors
///
/// If `watch` says so.
pub fn train_recurrent(
    parameters: &DiceParameters,
    drops: &[&Trajectory],
    training: &RecurrentTraining,
    watch: Watch<'_>,
) -> Result<RecurrentModel, Interrupted> {
    let network = Recurrent::new(INPUTS, training.hidden, 3, training.seed);
    let mut model = RecurrentModel { parameters: parameters.clone(), network };
    let examples: Vec<[Vec<Vec<f64>>; 2]> = parallel::map(drops.len(), |i| {
        let (drop, track) = (drops[i], model.simulated(drops[i]));
        let wanted = drop.frames.iter().zip(&track).map(|(q, s)| {
            let d = [q[0] - s[0], q[1] - s[1], GYRATION * (q[2] - s[2])];
            d.map(|d| d / LENGTH).to_vec()
        });
        [inputs(&track, drop.dt), wanted.collect()]
    });
    // Too few drops are all learned from.
    let held_out = if drops.len() < 8 { 0 } else { drops.len() / 4 };
    let mut random = Random::new(training.seed);
    let order = random.shuffled(drops.len());
    let (judges, teachers) = order.split_at(held_out);
    let n = model.network.theta.len();
    let (mut first, mut second, mut count) = (vec![0.0; n], vec![0.0; n], 0_i32);
    let mut best = (f64::INFINITY, model.network.theta.clone());
    for epoch in 0..training.epochs {
        if watch(epoch, training.epochs, "back-propagation").is_break() {
            return Err(Interrupted);
        }
        let places = random.shuffled(teachers.len());
        let mut taught = 0.0;
        for batch in places.chunks(BATCH) {
            let parts = parallel::map(batch.len(), |i| {
                let [inputs, wanted] = &examples[teachers[batch[i]]];
                let (loss, gradient) = model.network.gradient(inputs, wanted);
                (loss / inputs.len().max(1) as f64, gradient, inputs.len().max(1) as f64 * batch.len() as f64)
            });
            let mut gradient = vec![0.0; n];
            for (loss, part, weight) in &parts {
                taught += loss;
                gradient.iter_mut().zip(part).for_each(|(g, p)| *g += p / weight);
            }
            // Gradients through many steps are cut where they are long.
            let length = gradient.iter().map(|g| g * g).sum::<f64>().sqrt();
            let cut = 1.0 / length.max(1.0);
            count += 1;
            let settled = [1.0 - 0.9_f64.powi(count), 1.0 - 0.999_f64.powi(count)];
            for i in 0..n {
                let g = cut * gradient[i];
                first[i] = 0.9 * first[i] + 0.1 * g;
                second[i] = 0.999 * second[i] + 0.001 * g * g;
                let step = (first[i] / settled[0]) / ((second[i] / settled[1]).sqrt() + 1e-8);
                model.network.theta[i] -= training.rate * step;
            }
        }
        let judged = parallel::map(judges.len(), |i| {
            let [inputs, wanted] = &examples[judges[i]];
            let corrections = model.network.run(inputs);
            let square =
                |(a, b): (&Vec<f64>, &Vec<f64>)| a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
            let sum: f64 = corrections.iter().zip(wanted).map(square).sum();
            (sum / inputs.len().max(1) as f64).sqrt()
        });
        let score = if judges.is_empty() { taught } else { judged.iter().sum() };
        if score < best.0 {
            best = (score, model.network.theta.clone());
        }
    }
    model.network.theta = best.1;
    Ok(model)
}
