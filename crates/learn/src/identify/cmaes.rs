//! Covariance matrix adaptation evolution strategy (CMA-ES) [Hansen2016]: a minimiser that needs values alone, and no
//! smoothness, as after impacts.
//!
//! Points are drawn from N(m, σ² C); the best half moves the mean, and the paths of the mean adapt σ and C. Weights and
//! rates are the defaults of the tutorial (table 1), without negative weights. Asked for points and told their values, so
//! that values may be found in parallel and the state be stored in between.

use nalgebra::{DMatrix, DVector, SymmetricEigen};
use serde::{Deserialize, Serialize};
use stiction::random::Random;

/// The state of a search; stored and restored it goes on with the same numbers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CmaEs {
    random: Random,
    #[serde(with = "crate::exact")]
    mean: Vec<f64>,
    #[serde(with = "crate::exact")]
    sigma: f64,
    /// C by columns, and its eigenvectors and the roots of its eigenvalues as of some generations ago.
    #[serde(with = "crate::exact")]
    covariance: Vec<f64>,
    #[serde(with = "crate::exact")]
    axes: Vec<f64>,
    #[serde(with = "crate::exact")]
    lengths: Vec<f64>,
    #[serde(with = "crate::exact")]
    path_sigma: Vec<f64>,
    #[serde(with = "crate::exact")]
    path_covariance: Vec<f64>,
    population: usize,
    generation: usize,
    /// Generation of the last decomposition.
    decomposed: usize,
    #[serde(with = "crate::exact")]
    asked: Vec<Vec<f64>>,
    #[serde(with = "crate::exact")]
    best: Vec<f64>,
    #[serde(with = "crate::exact")]
    best_value: f64,
}

impl CmaEs {
    /// A search that starts about `start`, with standard deviation `sigma` in every coordinate. `population` points are
    /// drawn in a generation; 0: 4 + 3 ln n of them.
    pub fn new(start: &[f64], sigma: f64, population: usize, seed: u64) -> Self {
        let n = start.len();
        let usual = 4 + (3.0 * (n.max(1) as f64).ln()).floor() as usize;
        let identity: Vec<f64> = DMatrix::<f64>::identity(n, n).as_slice().to_vec();
        Self {
            random: Random::new(seed),
            mean: start.to_vec(),
            sigma,
            covariance: identity.clone(),
            axes: identity,
            lengths: vec![1.0; n],
            path_sigma: vec![0.0; n],
            path_covariance: vec![0.0; n],
            population: if population < 2 { usual } else { population },
            generation: 0,
            decomposed: 0,
            asked: Vec::new(),
            best: start.to_vec(),
            best_value: f64::INFINITY,
        }
    }

    /// Generations told so far.
    pub fn generation(&self) -> usize {
        self.generation
    }

    /// Points of a generation.
    pub fn population(&self) -> usize {
        self.population
    }

    /// The step size σ.
    pub fn sigma(&self) -> f64 {
        self.sigma
    }

    /// The mean of the distribution: where values are noisy the better answer.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// The best point that was told, and its value.
    pub fn best(&self) -> (&[f64], f64) {
        (&self.best, self.best_value)
    }

    /// The points of the next generation.
    pub fn ask(&mut self) -> Vec<Vec<f64>> {
        let n = self.mean.len();
        let axes = DMatrix::from_column_slice(n, n, &self.axes);
        self.asked = (0..self.population)
            .map(|_| {
                let z = DVector::from_fn(n, |i, _| self.lengths[i] * self.random.normal());
                let y = &axes * z;
                (0..n).map(|i| self.mean[i] + self.sigma * y[i]).collect()
            })
            .collect();
        self.asked.clone()
    }

    /// Values of the points that were asked for, in the same order; what is not a number counts as worst.
    pub fn tell(&mut self, values: &[f64]) {
        let n = self.mean.len();
        let dim = n as f64;
        let mut order: Vec<usize> = (0..self.asked.len().min(values.len())).collect();
        let value = |i: usize| if values[i].is_nan() { f64::INFINITY } else { values[i] };
        order.sort_by(|&a, &b| value(a).total_cmp(&value(b)));
        let Some(&first) = order.first() else { return };
        if value(first) < self.best_value {
            self.best_value = value(first);
            self.best = self.asked[first].clone();
        }
        let parents = self.population / 2;
        let raw: Vec<f64> = (0..parents)
            .map(|i| ((self.population as f64 + 1.0) / 2.0).ln() - (i as f64 + 1.0).ln())
            .collect();
        let total: f64 = raw.iter().sum();
        let weights: Vec<f64> = raw.iter().map(|w| w / total).collect();
        let mu = 1.0 / weights.iter().map(|w| w * w).sum::<f64>();
        let c_sigma = (mu + 2.0) / (dim + mu + 5.0);
        let d_sigma = 1.0 + 2.0 * (((mu - 1.0) / (dim + 1.0)).sqrt() - 1.0).max(0.0) + c_sigma;
        let c_path = (4.0 + mu / dim) / (dim + 4.0 + 2.0 * mu / dim);
        let c_one = 2.0 / ((dim + 1.3).powi(2) + mu);
        let c_mu = (1.0 - c_one).min(2.0 * (mu - 2.0 + 1.0 / mu) / ((dim + 2.0).powi(2) + mu));

        let steps: Vec<DVector<f64>> = order[..parents]
            .iter()
            .map(|&i| DVector::from_fn(n, |j, _| (self.asked[i][j] - self.mean[j]) / self.sigma))
            .collect();
        let mut mean_step = DVector::zeros(n);
        for (w, y) in weights.iter().zip(&steps) {
            mean_step += y * *w;
        }
        for j in 0..n {
            self.mean[j] += self.sigma * mean_step[j];
        }

        // C^(−1/2) of the mean's step.
        let axes = DMatrix::from_column_slice(n, n, &self.axes);
        let mut white = axes.tr_mul(&mean_step);
        for j in 0..n {
            white[j] /= self.lengths[j];
        }
        let white = &axes * white;
        let keep = (c_sigma * (2.0 - c_sigma) * mu).sqrt();
        for j in 0..n {
            self.path_sigma[j] = (1.0 - c_sigma) * self.path_sigma[j] + keep * white[j];
        }
        let length = self.path_sigma.iter().map(|p| p * p).sum::<f64>().sqrt();
        let usual = dim.sqrt() * (1.0 - 1.0 / (4.0 * dim) + 1.0 / (21.0 * dim * dim));
        self.generation += 1;
        let settled = (1.0 - (1.0 - c_sigma).powi(2 * self.generation.min(10_000) as i32)).sqrt();
        let moves = length / settled < (1.4 + 2.0 / (dim + 1.0)) * usual;
        let push = if moves { (c_path * (2.0 - c_path) * mu).sqrt() } else { 0.0 };
        for j in 0..n {
            self.path_covariance[j] = (1.0 - c_path) * self.path_covariance[j] + push * mean_step[j];
        }
        let lost = if moves { 0.0 } else { c_one * c_path * (2.0 - c_path) };
        for b in 0..n {
            for a in 0..n {
                let one = self.path_covariance[a] * self.path_covariance[b];
                let many: f64 = weights.iter().zip(&steps).map(|(w, y)| w * y[a] * y[b]).sum();
                let c = &mut self.covariance[a + n * b];
                *c = (1.0 - c_one - c_mu + lost) * *c + c_one * one + c_mu * many;
            }
        }
        // A step size that is never let loose by noise.
        self.sigma *= ((c_sigma / d_sigma) * (length / usual - 1.0)).min(1.0).exp();
        // The decomposition costs n³ and may lag behind, as in the tutorial.
        if (self.generation - self.decomposed) as f64 > 1.0 / (c_one + c_mu) / dim / 10.0 {
            self.decompose();
        }
    }

    fn decompose(&mut self) {
        let n = self.mean.len();
        let eigen = SymmetricEigen::new(DMatrix::from_column_slice(n, n, &self.covariance));
        self.axes = eigen.eigenvectors.as_slice().to_vec();
        self.lengths = eigen.eigenvalues.iter().map(|l| l.max(1e-20).sqrt()).collect();
        self.decomposed = self.generation;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn search(f: impl Fn(&[f64]) -> f64, n: usize, generations: usize) -> (Vec<f64>, f64) {
        let mut search = CmaEs::new(&vec![0.5; n], 0.3, 0, 1);
        for _ in 0..generations {
            let values: Vec<f64> = search.ask().iter().map(|x| f(x)).collect();
            search.tell(&values);
        }
        (search.best().0.to_vec(), search.best().1)
    }

    /// An ellipsoid with axes 1 to 1000 and Rosenbrock's valley, neither of which a search without C could do in this time.
    #[test]
    fn ill_conditioned_functions_are_minimised() {
        let ellipsoid = |x: &[f64]| x.iter().enumerate().map(|(i, x)| 10.0_f64.powi(i as i32) * x * x).sum();
        let value = search(ellipsoid, 7, 500).1;
        assert!(value < 1e-10, "{value}");
        let rosenbrock = |x: &[f64]| {
            x.windows(2).map(|w| 100.0 * (w[1] - w[0] * w[0]).powi(2) + (1.0 - w[0]).powi(2)).sum::<f64>()
        };
        let (x, value) = search(rosenbrock, 5, 600);
        assert!(value < 1e-10 && x.iter().all(|x| (x - 1.0).abs() < 1e-4), "{x:?} {value}");
    }

    /// A search that was stored goes on with the same numbers.
    #[test]
    fn a_stored_search_goes_on() {
        let f = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>();
        let go = |search: &mut CmaEs| {
            let values: Vec<f64> = search.ask().iter().map(|x| f(x)).collect();
            search.tell(&values);
        };
        let mut one = CmaEs::new(&[1.0, 2.0], 0.3, 0, 9);
        (0..20).for_each(|_| go(&mut one));
        let mut other: CmaEs = serde_json::from_str(&serde_json::to_string(&one).unwrap()).unwrap();
        (0..20).for_each(|_| go(&mut one));
        (0..20).for_each(|_| go(&mut other));
        assert_eq!(one.best(), other.best());
    }
}
