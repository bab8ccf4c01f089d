//! A residual learner as the engine's [`ContactCorrection`]: contacts of articulated robots and of free bodies alike.
//!
//! Features are (M_c, v_c) of the contact, 9 numbers; outputs are what is added to the impulse that stops the point, put into
//! its friction cone, in units of |v_n|/G_nn. It is not added to the step's own impulse, for a time step resolves an impact in
//! two parts where a gap closes within it. Only contacts that approach are corrected. What is applied is in the friction cone,
//! does not move the point into the surface, and makes no energy. The last two are judged by G_ii, as if the contact were
//! alone: exact where it is, and for several contacts of a body no promise.

use super::{GaussianProcess, features, project};
use nalgebra::{Matrix3, Vector3};
use serde::{Deserialize, Serialize};
use stiction::{ContactCorrection, CorrectableContact};

/// Gaussian processes for the three impulses of a contact.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ContactResidual {
    pub processes: Vec<GaussianProcess>,
    /// Contacts that approach more slowly are left to the law [m/s].
    pub approach: f64,
}

/// An impact to learn from: the contact as the law resolved it, and the impulse that explains what was seen.
#[derive(Clone, Copy, Debug)]
pub struct ContactExample {
    pub contact: CorrectableContact,
    pub impulse: [f64; 3],
}

/// The unit of outputs: an impulse that stops the approach of a contact that is free to move [N·s].
pub(crate) fn unit(c: &CorrectableContact) -> f64 {
    c.velocity_before[2].abs() / c.inverse_inertia[2][2].max(f64::MIN_POSITIVE)
}

/// The impulse that stops the point, put into the cone [N·s]; none where nothing moves the contact.
pub(crate) fn stopping(c: &CorrectableContact) -> [f64; 3] {
    let g = Matrix3::from_fn(|i, j| c.inverse_inertia[i][j]);
    let inverse = g.try_inverse().unwrap_or_else(Matrix3::zeros);
    let mut p: [f64; 3] = (-(inverse * Vector3::from(c.velocity_before))).into();
    project(&mut p, c.friction);
    p
}

impl ContactResidual {
    /// Processes fitted to examples. `None` without examples that approach faster than `approach`.
    pub fn fit(examples: &[ContactExample], approach: f64, seed: u64) -> Option<Self> {
        let used: Vec<&ContactExample> =
            examples.iter().filter(|e| e.contact.velocity_before[2] < -approach).collect();
        let input = |e: &&ContactExample| {
            features::spatial(e.contact.inverse_inertia, e.contact.velocity_before).to_vec()
        };
        let inputs: Vec<Vec<f64>> = used.iter().map(input).collect();
        let process = |i: usize| {
            let output = |e: &&ContactExample| (e.impulse[i] - stopping(&e.contact)[i]) / unit(&e.contact);
            GaussianProcess::fit(&inputs, &used.iter().map(output).collect::<Vec<_>>(), seed + i as u64)
        };
        Some(Self { processes: (0..3).map(process).collect::<Option<_>>()?, approach })
    }

    /// Standard deviations of the impulse of one contact [N·s]; none of one that is left to the law.
    pub(crate) fn deviations(&self, c: &CorrectableContact) -> [f64; 3] {
        if c.velocity_before[2] >= -self.approach {
            return [0.0; 3];
        }
        let x = features::spatial(c.inverse_inertia, c.velocity_before);
        std::array::from_fn(|i| unit(c) * self.processes.get(i).map_or(0.0, |p| p.predict(&x)[1].sqrt()))
    }

    /// The admissible impulse of one contact [N·s].
    pub(crate) fn corrected(&self, c: &CorrectableContact) -> [f64; 3] {
        if c.velocity_before[2] >= -self.approach {
            return c.impulse;
        }
        let x = features::spatial(c.inverse_inertia, c.velocity_before);
        let base = stopping(c);
        let mut wanted = base;
        for (p, process) in wanted.iter_mut().zip(&self.processes) {
            *p += unit(c) * process.predict(&x)[0];
        }
        project(&mut wanted, c.friction);
        // Halving is enough: to stop the point is admissible, or nothing is and the law is left to itself.
        let mut share = 1.0;
        for _ in 0..20 {
            let tried: [f64; 3] = std::array::from_fn(|i| base[i] + share * (wanted[i] - base[i]));
            if velocity_after(c, tried)[2] >= 0.0 && energy_made(c, tried) <= 0.0 {
                return tried;
            }
            share *= 0.5;
        }
        c.impulse
    }
}

/// Velocity of the contact after the impulse, if it is alone [m/s].
pub(crate) fn velocity_after(c: &CorrectableContact, p: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|i| {
        c.velocity_before[i] + (0..3).map(|j| c.inverse_inertia[i][j] * p[j]).sum::<f64>()
    })
}

/// Kinetic energy that the impulse makes, if the contact is alone [J].
pub(crate) fn energy_made(c: &CorrectableContact, p: [f64; 3]) -> f64 {
    let v = velocity_after(c, p);
    (0..3).map(|i| 0.5 * p[i] * (c.velocity_before[i] + v[i])).sum()
}

impl ContactCorrection for ContactResidual {
    fn correct(&mut self, contacts: &[CorrectableContact], corrected: &mut [[f64; 3]]) {
        for (contact, corrected) in contacts.iter().zip(corrected) {
            *corrected = self.corrected(contact);
        }
    }
}
