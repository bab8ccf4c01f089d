//! Douglas and Rachford's splitting of A y + g = u, (y, u) ∈ a law given by its resolvent.
//!
//! In scaled variables ([`crate::admm`]) the law says which y and velocity u = ρ (y − t) belong to a
//! point t: y = resolve(t). For a convex set that is the projection. The other half is linear:
//!
//! ```text
//!     x = (A + ρ 1)⁻¹ (ρ (2y − t) − g),   T(t) = x + t − y                   (1)
//! ```
//!
//! Where T(t) = t, x = y and A y + g = u. This is ADMM with both steps in one vector [Carpentier2024].
//! Anderson steps shorten the way ([`crate::anderson`]). ρ starts at √(L m) (L/m)^0.2, L the largest
//! eigenvalue of A and m = 10⁻⁶ + its least, as far as known, and moves towards balance of ‖x − y‖ and
//! ‖y − y⁻‖ over the sizes of y and u [Stellato2020]; each move costs a factorisation of ⅓ rows³.

use crate::anderson::Safeguarded;
use crate::dense::Cholesky;

/// What counts as the smallest eigenvalue of A without compliance [–].
const SMALLEST: f64 = 1e-6;
/// ρ moves when it is this factor out of balance [–] …
const IMBALANCE: f64 = 5.0;
/// … and not more often than this [iterations].
const WAIT: u32 = 20;
/// Earlier iterations an Anderson step looks at, by default.
pub(crate) const MEMORY: u32 = 20;

/// See the module. `matrix` (by rows) and `free` are A and g, filled by the caller.
#[derive(Default)]
pub(crate) struct Splitting {
    pub(crate) matrix: Vec<f64>,
    pub(crate) free: Vec<f64>,
    /// resolve(t): the answer.
    pub(crate) y: Vec<f64>,
    factor: Cholesky,
    rho: f64,
    /// Iterations since ρ last moved.
    age: u32,
    t: Vec<f64>,
    before: Vec<f64>,
    /// x, then T(t).
    x: Vec<f64>,
    way: Safeguarded,
}

impl Splitting {
    /// From impulses y in `self.y` with velocities `u`; `softest` is a lower bound of A's eigenvalues, `memory` how many earlier iterations
    /// an Anderson step looks at. False if A + ρ 1 is not definite.
    pub(crate) fn start(&mut self, u: &[f64], softest: f64, memory: u32) -> bool {
        let n = self.y.len();
        let m = SMALLEST + softest;
        let largest = self.largest_eigenvalue();
        self.rho = (largest * m).sqrt() * (largest / m).max(1.0).powf(0.2);
        self.way.start(memory as usize, n);
        self.refactor() && self.resume(u)
    }

    /// As [`Self::start`] after `free` alone has changed.
    pub(crate) fn resume(&mut self, u: &[f64]) -> bool {
        self.t.clear();
        self.t.extend(self.y.iter().zip(u).map(|(y, u)| y - u / self.rho));
        self.age = 0;
        self.way.restart();
        true
    }

    /// (1), then y of the new t.
    pub(crate) fn iterate(&mut self, mut resolve: impl FnMut(&mut [f64])) -> bool {
        let rho = self.rho;
        self.x.clear();
        let rows = self.y.iter().zip(&self.t).zip(&self.free);
        self.x.extend(rows.map(|((y, t), g)| rho * (2.0 * y - t) - g));
        self.factor.solve(&mut self.x);
        let (mut apart, mut velocity) = (0.0, 0.0);
        for ((x, t), y) in self.x.iter_mut().zip(&self.t).zip(&self.y) {
            apart += (*x - y).powi(2);
            velocity += (rho * (y - t)).powi(2);
            *x += t - y;
        }
        self.way.advance(&mut self.t, &mut self.x);
        self.before.clear();
        self.before.extend_from_slice(&self.y);
        self.y.copy_from_slice(&self.t);
        resolve(&mut self.y);
        self.balance(apart, velocity)
    }

    /// A y + g into `u`.
    pub(crate) fn velocities_into(&self, u: &mut Vec<f64>) {
        u.clear();
        let n = self.y.len().max(1);
        u.extend(self.matrix.chunks_exact(n).zip(&self.free).map(|(row, g)| dot(row, &self.y) + g));
    }

    /// Moves ρ if it is out of balance; `apart` = ‖x − y‖², `velocity` = ‖u‖².
    fn balance(&mut self, apart: f64, velocity: f64) -> bool {
        self.age += 1;
        if self.age < WAIT {
            return true;
        }
        let change: f64 = self.y.iter().zip(&self.before).map(|(new, old)| (new - old).powi(2)).sum();
        let force = dot(&self.before, &self.before);
        let ratio = ((apart * velocity).sqrt() / (self.rho * (change * force).sqrt())).sqrt();
        if !ratio.is_finite() || (1.0 / IMBALANCE..=IMBALANCE).contains(&ratio) {
            return true;
        }
        // y and u stay: t = y − u/ρ = y + (t − y) ρ/ρ⁺.
        let wanted = (self.rho * ratio).clamp(1e-9, 1e9);
        self.t.iter_mut().zip(&self.y).for_each(|(t, y)| *t = y + (*t - y) * self.rho / wanted);
        (self.rho, self.age) = (wanted, 0);
        self.way.restart();
        self.refactor()
    }

    /// A + ρ 1.
    fn refactor(&mut self) -> bool {
        let n = self.y.len();
        self.factor.set(n, &self.matrix);
        self.factor.add_diagonal((0..n).map(|_| self.rho));
        self.factor.factor()
    }

    /// Of A, from below, by power iterations.
    fn largest_eigenvalue(&mut self) -> f64 {
        let Self { matrix, y, x, t, .. } = self;
        let n = y.len();
        x.clear();
        x.extend((0..n).map(|r| 1.0 + 0.1 * ((r % 7) as f64)));
        t.resize(n, 0.0);
        let mut norm = 1.0;
        for _ in 0..20 {
            let length = dot(x, x).sqrt();
            for (out, row) in t.iter_mut().zip(matrix.chunks_exact(n.max(1))) {
                *out = dot(row, x) / length;
            }
            norm = dot(t, t).sqrt();
            if !(norm > 0.0) {
                return 1.0;
            }
            x.copy_from_slice(t);
        }
        norm
    }
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 0 ≤ y ⟂ A y + g ≥ 0 with one row open: y = (0.5, 0).
    #[test]
    fn a_small_linear_complementarity_problem() {
        let mut splitting = Splitting::default();
        splitting.matrix.extend([2.0, 1.0, 1.0, 2.0]);
        splitting.free.extend([-1.0, 1.0]);
        splitting.y.extend([0.0, 0.0]);
        assert!(splitting.start(&[-1.0, 1.0], 0.0, MEMORY));
        for _ in 0..60 {
            assert!(splitting.iterate(|t| t.iter_mut().for_each(|t| *t = if *t > 0.0 { *t } else { 0.0 })));
        }
        assert!((splitting.y[0] - 0.5).abs() < 1e-12 && splitting.y[1] == 0.0, "{:?}", splitting.y);
    }
}
