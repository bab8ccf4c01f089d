//! Gaussian processes with learned hyper-parameters [Rasmussen2006].
//!
//! f ~ GP(0, s² exp(−½ Σ ((x_i − x′_i)/ℓ_i)²)), y = f + noise of variance σ². Inputs are brought to mean 0 and variance 1,
//! outputs to variance 1; ln s, ln σ and ln ℓ_i maximise the marginal likelihood, found by CMA-ES, with a normal prior of
//! deviation 1.5 about ln 1, ln 0.5 and ln 2 that keeps few data from being explained by anything.

use crate::identify::CmaEs;
use crate::parallel;
use nalgebra::{Cholesky, DMatrix, DVector, Dyn};
use serde::{Deserialize, Serialize};

/// One output of a process, ready to predict.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GaussianProcess {
    /// Mean and deviation of each input in the data.
    input_scale: Vec<[f64; 2]>,
    output_scale: f64,
    /// ln s, ln σ, ln ℓ_1, …
    hyper: Vec<f64>,
    /// Scaled inputs of the data.
    inputs: Vec<Vec<f64>>,
    /// (K + σ² I)⁻¹ y.
    weights: Vec<f64>,
    /// (K + σ² I)⁻¹, by columns.
    inverse: Vec<f64>,
    /// Factor of deviations, from the errors at data that are left out.
    spread: f64,
}

/// Data beyond these are left out of the search for hyper-parameters, whose cost grows with the cube of their number.
const SEARCHED: usize = 250;
const GENERATIONS: usize = 40;

impl GaussianProcess {
    /// A process fitted to pairs of inputs, all of one length, and outputs. `None` without data, or if they are not finite.
    pub fn fit(inputs: &[Vec<f64>], outputs: &[f64], seed: u64) -> Option<Self> {
        let n = inputs.len().min(outputs.len());
        let dim = inputs.first()?.len();
        let finite = inputs.iter().flatten().chain(outputs).all(|x| x.is_finite());
        if n == 0 || !finite || inputs.iter().any(|x| x.len() != dim) {
            return None;
        }
        let scale = |values: &dyn Fn(usize) -> f64| {
            let mean = (0..n).map(values).sum::<f64>() / n as f64;
            let variance = (0..n).map(|i| (values(i) - mean).powi(2)).sum::<f64>() / n as f64;
            [mean, variance.sqrt().max(1e-12)]
        };
        let input_scale: Vec<[f64; 2]> = (0..dim).map(|j| scale(&|i| inputs[i][j])).collect();
        let output_scale = (outputs[..n].iter().map(|y| y * y).sum::<f64>() / n as f64).sqrt().max(1e-12);
        let x: Vec<Vec<f64>> = inputs[..n].iter().map(|x| scaled(x, &input_scale)).collect();
        let y = DVector::from_iterator(n, outputs[..n].iter().map(|y| y / output_scale));

        let few = n.min(SEARCHED);
        let (few_x, few_y) = (&x[..few], y.rows(0, few).into_owned());
        let centre: Vec<f64> = [0.0, 0.5_f64.ln()].into_iter().chain(vec![2.0_f64.ln(); dim]).collect();
        let mut search = CmaEs::new(&centre, 0.5, 0, seed);
        let objective = |h: &Vec<f64>| {
            let prior: f64 = h.iter().zip(&centre).map(|(h, c)| ((h - c) / 1.5).powi(2)).sum();
            Some(surprise(few_x, &few_y, h)? + 0.5 * prior)
        };
        for _ in 0..GENERATIONS {
            let points = search.ask();
            search.tell(&parallel::map(points.len(), |i| objective(&points[i]).unwrap_or(f64::INFINITY)));
        }
        let hyper = search.best().0.to_vec();
        let factor = decompose(&x, &hyper)?;
        let weights = factor.solve(&y).as_slice().to_vec();
        let inverse = factor.inverse().as_slice().to_vec();
        let spread = left_out_spread(&weights, &inverse);
        Some(Self { input_scale, output_scale, hyper, inputs: x, weights, inverse, spread })
    }

    /// Mean and variance of a new output at `x`, noise included.
    pub fn predict(&self, x: &[f64]) -> [f64; 2] {
        let x = scaled(x, &self.input_scale);
        let k: Vec<f64> = self.inputs.iter().map(|z| kernel(&x, z, &self.hyper)).collect();
        let n = k.len();
        let mean: f64 = k.iter().zip(&self.weights).map(|(k, w)| k * w).sum();
        let mut explained = 0.0;
        for (j, column) in self.inverse.chunks_exact(n).enumerate() {
            explained += k[j] * column.iter().zip(&k).map(|(a, b)| a * b).sum::<f64>();
        }
        let (signal, noise) = ((2.0 * self.hyper[0]).exp(), (2.0 * self.hyper[1]).exp());
        let variance = (signal - explained).max(0.0) + noise;
        let scale = self.output_scale * self.spread;
        [mean * self.output_scale, variance * scale * scale]
    }
}

/// The factor by which deviations become those of the errors at data that are left out one at a time, which are
/// w_i/√(K⁻¹_ii) deviations [Rasmussen2006, 5.4.2]: the geometric mean of what the central 50 % and 90 % ask for.
fn left_out_spread(weights: &[f64], inverse: &[f64]) -> f64 {
    let n = weights.len();
    let mut errors: Vec<f64> =
        weights.iter().enumerate().map(|(i, w)| (w / inverse[i * n + i].max(1e-300).sqrt()).abs()).collect();
    errors.sort_by(f64::total_cmp);
    let [half, most] = [0.5, 0.9].map(|p| crate::score::quantile(&errors, p));
    ((half / 0.674_49) * (most / 1.644_85)).sqrt().clamp(0.2, 5.0)
}

fn scaled(x: &[f64], scale: &[[f64; 2]]) -> Vec<f64> {
    x.iter().zip(scale).map(|(x, [mean, deviation])| (x - mean) / deviation).collect()
}

fn kernel(a: &[f64], b: &[f64], hyper: &[f64]) -> f64 {
    let distance: f64 =
        a.iter().zip(b).zip(&hyper[2..]).map(|((a, b), l)| (a - b).powi(2) * (-2.0 * l).exp()).sum();
    (2.0 * hyper[0] - 0.5 * distance).exp()
}

/// The factor of K + σ² I.
fn decompose(x: &[Vec<f64>], hyper: &[f64]) -> Option<Cholesky<f64, Dyn>> {
    let n = x.len();
    let mut k = DMatrix::zeros(n, n);
    for j in 0..n {
        for i in j..n {
            let value = kernel(&x[i], &x[j], hyper);
            k[(i, j)] = value;
            k[(j, i)] = value;
        }
        k[(j, j)] += (2.0 * hyper[1]).exp() + 1e-9;
    }
    Cholesky::new(k)
}

/// −ln p(y | x, hyper) without its constant.
fn surprise(x: &[Vec<f64>], y: &DVector<f64>, hyper: &[f64]) -> Option<f64> {
    let factor = decompose(x, hyper)?;
    let determinant = 2.0 * factor.l_dirty().diagonal().iter().map(|d| d.ln()).sum::<f64>();
    Some(0.5 * (y.dot(&factor.solve(y)) + determinant))
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction::random::Random;

    /// Two data: the inverse of a 2 × 2 matrix by hand gives evidence, mean and variance.
    #[test]
    fn two_data_by_hand() {
        let hyper = [0.3_f64, -0.7, 0.2];
        let (x, y) = (vec![vec![-0.4], vec![0.9]], DVector::from_row_slice(&[1.3, -0.6]));
        let k = |a: f64, b: f64| (2.0 * hyper[0] - 0.5 * (a - b).powi(2) / (2.0 * hyper[2]).exp()).exp();
        let noise = (2.0 * hyper[1]).exp();
        let (d, o) = (k(0.0, 0.0) + noise + 1e-9, k(-0.4, 0.9));
        let det = d * d - o * o;
        let w = [(d * y[0] - o * y[1]) / det, (d * y[1] - o * y[0]) / det];
        let by_hand = 0.5 * (y[0] * w[0] + y[1] * w[1] + det.ln());
        assert!((surprise(&x, &y, &hyper).unwrap() - by_hand).abs() < 1e-12);

        let factor = decompose(&x, &hyper).unwrap();
        let process = GaussianProcess {
            input_scale: vec![[0.0, 1.0]],
            output_scale: 1.0,
            hyper: hyper.to_vec(),
            weights: factor.solve(&y).as_slice().to_vec(),
            inverse: factor.inverse().as_slice().to_vec(),
            inputs: x,
            spread: 1.0,
        };
        let (a, b) = (k(0.25, -0.4), k(0.25, 0.9));
        let variance = k(0.0, 0.0) - (d * (a * a + b * b) - 2.0 * o * a * b) / det + noise;
        let [mean, found] = process.predict(&[0.25]);
        assert!((mean - a * w[0] - b * w[1]).abs() < 1e-12 && (found - variance).abs() < 1e-12);
    }

    /// The slope of the evidence in y is the weights of the prediction; and where `fit` stops, a step of Newton's in no
    /// hyper-parameter gains more than 0.02 of what it minimises. Both by central differences.
    #[test]
    fn evidence_has_the_slopes_it_should() {
        let mut random = Random::new(7);
        let inputs: Vec<Vec<f64>> = (0..60).map(|_| vec![random.normal(), random.normal()]).collect();
        let outputs: Vec<f64> = inputs.iter().map(|x| x[0].sin() + 0.3 * random.normal()).collect();
        let process = GaussianProcess::fit(&inputs, &outputs, 1).unwrap();
        let y = DVector::from_iterator(60, outputs.iter().map(|y| y / process.output_scale));
        let at = |y: &DVector<f64>, h: &[f64]| surprise(&process.inputs, y, h).unwrap();
        for i in [0, 17, 59] {
            let moved = |by: f64| {
                let mut y = y.clone();
                y[i] += by;
                at(&y, &process.hyper)
            };
            let slope = (moved(1e-4) - moved(-1e-4)) / 2e-4;
            assert!((slope - process.weights[i]).abs() < 1e-6 * process.weights[i].abs().max(1.0));
        }
        let centre = [0.0, 0.5_f64.ln(), 2.0_f64.ln(), 2.0_f64.ln()];
        for i in 0..4 {
            let moved = |by: f64| {
                let mut h = process.hyper.clone();
                h[i] += by;
                at(&y, &h) + 0.5 * ((h[i] - centre[i]) / 1.5).powi(2)
            };
            let slope = (moved(1e-2) - moved(-1e-2)) / 2e-2;
            let curvature = (moved(1e-2) - 2.0 * moved(0.0) + moved(-1e-2)) / 1e-4;
            let gain = 0.5 * slope * slope / curvature;
            assert!(curvature > 0.0 && gain < 0.02, "{i}: {slope} {curvature}");
        }
    }

    /// A noisy function of one of two inputs: the mean follows it, the noise is found, the input that does not matter is
    /// given a long length, and far from data the variance is that of the prior.
    #[test]
    fn a_process_learns_function_and_noise() {
        let mut random = Random::new(4);
        let inputs: Vec<Vec<f64>> =
            (0..120).map(|_| vec![3.0 * random.signed(), 5.0 + random.signed()]).collect();
        let outputs: Vec<f64> = inputs.iter().map(|x| (1.5 * x[0]).sin() + 0.1 * random.normal()).collect();
        let process = GaussianProcess::fit(&inputs, &outputs, 1).unwrap();
        let (mut error, mut variance) = (0.0, 0.0);
        for i in 0..50 {
            let x = [-2.5 + 0.1 * f64::from(i), 5.0];
            let [mean, v] = process.predict(&x);
            error += (mean - (1.5 * x[0]).sin()).powi(2) / 50.0;
            variance += v / 50.0;
        }
        assert!(error.sqrt() < 0.06, "{}", error.sqrt());
        assert!((0.07..0.16).contains(&variance.sqrt()), "{}", variance.sqrt());
        assert!(process.hyper[3] > process.hyper[2] + 1.0, "{:?}", process.hyper);
        assert!(process.predict(&[60.0, 5.0])[1] > 5.0 * variance);
        assert!(GaussianProcess::fit(&[], &[], 1).is_none());
    }
}
