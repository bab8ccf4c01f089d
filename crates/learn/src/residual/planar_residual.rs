//! A residual learner of impacts in the plane: a distribution of what to add to the law's impulse.
//!
//! Features are (M_c, v_c), mirrored so that the point slides to the right. Outputs are (p_t, p_n) in the linear-impulse
//! form and (p_t, p_n, τ) in the wrench form, divided by m |v_n| and the moment by the radius of gyration too: a law of
//! impact that knows no scale of velocity has the same outputs at every speed.

use super::features::{PLANAR, planar};
use super::{DensityNetwork, GaussianProcess};
use crate::planar::{PlanarContact, PlanarCorrection, PlanarImpulse};
use serde::{Deserialize, Serialize};
use stiction::random::Random;

/// The impulses that a learner may add.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// A force impulse at the contact point.
    LinearImpulse,
    /// A force impulse and a moment impulse about the contact point.
    Wrench,
}

impl Form {
    /// How many numbers an impulse has.
    pub fn outputs(self) -> usize {
        match self {
            Self::LinearImpulse => 2,
            Self::Wrench => 3,
        }
    }
}

/// How the distribution is represented.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Representation {
    /// A Gaussian process for each output.
    Processes(Vec<GaussianProcess>),
    /// A density network.
    Network(DensityNetwork),
}

/// A learner of corrections.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PlanarResidual {
    pub form: Form,
    pub representation: Representation,
    /// Factor of the deviations, from calibration.
    pub spread: f64,
    /// Factor of the means: how much of what single impacts taught holds for whole trajectories.
    pub share: f64,
    /// Added to the means, in their units: what holds where processes know nothing, as at contacts slower than any they learned
    /// from.
    #[serde(default)]
    pub offset: [f64; 3],
    /// The spin of the body is a sixth feature: what (M_c, v_c) leave out of how it moves before the impact.
    #[serde(default)]
    pub spin: bool,
}

/// Features of a contact as [`mirrored`], the spin before the impact with them where `spin` asks for it [rad/s].
pub fn mirrored_with(contact: &PlanarContact, spin: bool) -> (Vec<f64>, f64) {
    let (x, sign) = mirrored(contact);
    let mut x = x.to_vec();
    x.extend(spin.then_some(sign * contact.spin_before));
    (x, sign)
}

/// Features of a contact, mirrored; and the sign by which tangential outputs are mirrored back.
pub fn mirrored(contact: &PlanarContact) -> ([f64; PLANAR], f64) {
    let [mtt, mtn, mnn, t, n] = planar(contact);
    let sign = if t < 0.0 { -1.0 } else { 1.0 };
    ([mtt, sign * mtn, mnn, t.abs(), n], sign)
}

/// Units by which outputs become impulses [N·s, N·s, N·m·s].
pub fn units(contact: &PlanarContact) -> [f64; 3] {
    let impulse = contact.mass * contact.velocity_before[1].abs();
    [impulse, impulse, impulse * contact.gyration]
}

impl PlanarResidual {
    /// The network, if it is one.
    pub fn network(&self) -> Option<&DensityNetwork> {
        match &self.representation {
            Representation::Network(network) => Some(network),
            Representation::Processes(_) => None,
        }
    }

    /// Means and deviations of what is added to the law's impulse: p_t, p_n [N·s], τ [N·m·s].
    pub fn distribution(&self, contact: &PlanarContact) -> ([f64; 3], [f64; 3]) {
        let (x, sign) = mirrored_with(contact, self.spin);
        let (mut means, mut deviations) = ([0.0; 3], [0.0; 3]);
        let n = self.form.outputs();
        match &self.representation {
            Representation::Processes(processes) => {
                for (i, process) in processes.iter().enumerate().take(n) {
                    let [mean, variance] = process.predict(&x);
                    (means[i], deviations[i]) = (mean, variance.sqrt());
                }
            }
            Representation::Network(network) => {
                network.evaluate(&x, &mut means[..n], &mut deviations[..n]);
            }
        }
        let mirror = [sign, 1.0, sign];
        for (i, unit) in units(contact).into_iter().enumerate() {
            means[i] = (self.share * means[i] + self.offset[i]) * unit * mirror[i];
            deviations[i] *= unit * self.spread;
        }
        (means, deviations)
    }
}

/// A learner at work: with random numbers it draws corrections, without it takes their means.
pub struct Corrector<'a> {
    pub residual: &'a PlanarResidual,
    pub random: Option<Random>,
}

impl PlanarCorrection for Corrector<'_> {
    fn correct(&mut self, contact: &PlanarContact) -> PlanarImpulse {
        let (mut p, deviations) = self.residual.distribution(contact);
        if let Some(random) = &mut self.random {
            for (p, deviation) in p.iter_mut().zip(deviations) {
                *p += deviation * random.normal();
            }
        }
        PlanarImpulse { point: [contact.impulse[0] + p[0], contact.impulse[1] + p[1]], moment: p[2] }
    }
}
