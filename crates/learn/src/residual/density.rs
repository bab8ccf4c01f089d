//! A density network [Bishop1994]: mean and deviation of a correction as functions of the features of a contact.
//!
//! One hidden layer, h = tanh(A x + a), (μ, ln σ) = B h + b. All numbers are one vector θ, which is what a search without
//! gradients turns. At θ = 0 nothing is corrected, and ln σ is that of the start.

use serde::{Deserialize, Serialize};

/// Shape and numbers of a network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DensityNetwork {
    inputs: usize,
    hidden: usize,
    outputs: usize,
    /// Mean and deviation by which inputs are scaled.
    pub scale: Vec<[f64; 2]>,
    /// ln σ where θ = 0.
    pub start_deviation: f64,
    /// θ: A by rows, a, B by rows (means, then deviations), b.
    pub theta: Vec<f64>,
}

impl DensityNetwork {
    /// A network that corrects nothing.
    pub fn new(inputs: usize, hidden: usize, outputs: usize, scale: Vec<[f64; 2]>, start: f64) -> Self {
        let n = hidden * (inputs + 1) + 2 * outputs * (hidden + 1);
        Self { inputs, hidden, outputs, scale, start_deviation: start, theta: vec![0.0; n] }
    }

    /// Numbers with which this network is what `other` is at the mean of its features: its last biases, and nothing else.
    /// A hidden layer begins with small numbers of alternating sign, so that its units differ.
    pub fn started_from(&self, other: Option<&Self>) -> Vec<f64> {
        let mut theta = vec![0.0; self.theta.len()];
        for (i, t) in theta.iter_mut().take(self.hidden * self.inputs).enumerate() {
            // One feature a unit in turn.
            let (unit, feature) = (i / self.inputs, i % self.inputs);
            *t = if unit % self.inputs == feature { 0.5 } else { 0.0 };
        }
        if let Some(other) = other.filter(|o| o.outputs == self.outputs) {
            let (to, from) = (theta.len(), other.theta.len());
            theta[to - 2 * self.outputs..].copy_from_slice(&other.theta[from - 2 * self.outputs..]);
        }
        theta
    }

    /// Whether it has no hidden units: the same at any features.
    pub fn is_constant(&self) -> bool {
        self.hidden == 0
    }

    /// Means, then deviations, of the outputs at the features `x`.
    pub fn evaluate(&self, x: &[f64], means: &mut [f64], deviations: &mut [f64]) {
        let (n, h) = (self.inputs, self.hidden);
        let (first, rest) = self.theta.split_at(h * n);
        let (first_bias, rest) = rest.split_at(h);
        let (second, second_bias) = rest.split_at(2 * self.outputs * h);
        means.fill(0.0);
        deviations.fill(0.0);
        for i in 0..h {
            let row = &first[i * n..(i + 1) * n];
            let sum: f64 =
                row.iter().zip(x).zip(&self.scale).map(|((a, x), [mean, dev])| a * (x - mean) / dev).sum();
            let active = (sum + first_bias[i]).tanh();
            for (o, mean) in means.iter_mut().enumerate() {
                *mean += second[o * h + i] * active;
            }
            for (o, deviation) in deviations.iter_mut().enumerate() {
                *deviation += second[(self.outputs + o) * h + i] * active;
            }
        }
        for (o, mean) in means.iter_mut().enumerate() {
            *mean += second_bias[o];
        }
        for (o, d) in deviations.iter_mut().enumerate() {
            // From a millionth to e times what is normal: a network does not blow up.
            *d = (self.start_deviation + *d + second_bias[self.outputs + o]).clamp(-14.0, 1.0).exp();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One hidden unit, by hand; and nothing at θ = 0.
    #[test]
    fn a_network_of_one_unit_by_hand() {
        let mut network = DensityNetwork::new(2, 1, 1, vec![[1.0, 2.0], [0.0, 1.0]], -2.0);
        let (mut mean, mut deviation) = ([9.0], [9.0]);
        network.evaluate(&[5.0, 3.0], &mut mean, &mut deviation);
        assert_eq!((mean[0], deviation[0]), (0.0, (-2.0_f64).exp()));
        network.theta = vec![0.1, 0.2, 0.05, 3.0, 0.5, 0.25, -0.5];
        network.evaluate(&[5.0, 3.0], &mut mean, &mut deviation);
        let h = (0.1_f64 * 2.0 + 0.2 * 3.0 + 0.05).tanh();
        assert!((mean[0] - (3.0 * h + 0.25)).abs() < 1e-15);
        assert!((deviation[0].ln() - (-2.0 + 0.5 * h - 0.5)).abs() < 1e-15);
    }
}
