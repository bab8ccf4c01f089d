//! Predictions of drops: from the scene, the noise of what is measured, and a residual learner if there is one.

use super::DiceParameters;
use crate::data::Trajectory;
use crate::planar::{PlanarCorrection, PlanarStepper, PlanarWorld};
use crate::residual::{Corrector, PlanarResidual};
use serde::{Deserialize, Serialize};
use stiction::random::Random;

/// Positions of every frame.
pub type Track = Vec<[f64; 3]>;

/// Deviations of normal noise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Noise {
    /// Noise of the velocity given for the first frame [m/s, m/s, rad/s].
    pub velocity: [f64; 3],
    /// Noise of measured positions, one draw for a drop [m, m, rad].
    pub offset: [f64; 3],
}

/// A model of drops.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DropModel {
    pub parameters: DiceParameters,
    pub noise: Noise,
    pub residual: Option<PlanarResidual>,
    /// Cone that corrected impulses are put back into, and the speed below which they stick.
    pub cone: f64,
    pub stick_below: f64,
}

impl DropModel {
    /// The scene alone.
    pub fn scene(parameters: DiceParameters) -> Self {
        Self { parameters, noise: Noise::default(), residual: None, cone: 0.4, stick_below: 0.05 }
    }

    /// The world of this model.
    pub fn world(&self) -> PlanarWorld {
        let mut world = self.parameters.world();
        world.admission.cone = Some(self.cone);
        world.admission.stick_below = self.stick_below;
        world
    }

    /// One prediction: mean corrections and no noise.
    pub fn single(&self, world: &PlanarWorld, drop: &Trajectory) -> Track {
        let mut track = vec![[0.0; 3]; drop.frames.len()];
        let mut corrector = self.residual.as_ref().map(|residual| Corrector { residual, random: None });
        let correction = corrector.as_mut().map(|c| c as &mut dyn PlanarCorrection);
        PlanarStepper::new(world).track(self.parameters.start(drop), drop.dt, correction, &mut track);
        track
    }

    /// An ensemble: noise of the start, corrections drawn from their distribution, noise of the measurement.
    pub fn ensemble(&self, world: &PlanarWorld, drop: &Trajectory, members: usize, seed: u64) -> Vec<Track> {
        let mut stepper = PlanarStepper::new(world);
        (0..members)
            .map(|member| {
                let mut random = Random::part(seed ^ (u64::from(drop.id) << 20), member as u64);
                let mut start = self.parameters.start(drop);
                for (v, noise) in start.v.iter_mut().zip(self.noise.velocity) {
                    *v += noise * random.normal();
                }
                let offset = self.noise.offset.map(|noise| noise * random.normal());
                let mut track = vec![[0.0; 3]; drop.frames.len()];
                let mut corrector =
                    self.residual.as_ref().map(|residual| Corrector { residual, random: Some(random) });
                let correction = corrector.as_mut().map(|c| c as &mut dyn PlanarCorrection);
                stepper.track(start, drop.dt, correction, &mut track);
                // The first frame is what was measured.
                for q in track.iter_mut().skip(1) {
                    (0..3).for_each(|i| q[i] += offset[i]);
                }
                track
            })
            .collect()
    }
}

/// The mean of an ensemble, frame by frame.
pub fn mean_track(members: &[Track]) -> Track {
    let frames = members.first().map_or(0, Vec::len);
    let n = members.len() as f64;
    (0..frames).map(|k| std::array::from_fn(|i| members.iter().map(|m| m[k][i]).sum::<f64>() / n)).collect()
}
