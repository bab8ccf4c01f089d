//! The smallest point of convex sets with given sums, by Newton's method on its dual.
//!
//! ```text
//!     min ½‖x‖²,  x ∈ C,  Qᵀ x = b      ⟺      x = P_C(Q y),   Qᵀ P_C(Q y) = b               (1)
//! ```
//!
//! (1) is where θ(y) = ½‖P_C(Q y)‖² − bᵀ y, convex and once differentiable, is least [Qi2006]. A step solves
//! (Qᵀ V Q + ε) d = b − Qᵀ P_C(Q y), V a derivative of the projection, and is halved until θ falls.
//! Some steps of rank² m where Q is m × rank. C may meet the sums on its rim alone; then y has no end, and what is
//! reached in [`STEPS`] steps is near.

use super::{Freedom, OUTSIDE, dot, norm};
use crate::dense::Cholesky;
use stiction_contact::SoftBlock;

/// Newton steps, at most.
const STEPS: u32 = 30;
/// A step is shortened to this share of it at most [–].
const SHORTEST: f64 = 1e-3;
/// ε is this share of the residual's share of b; Q is orthonormal [–].
const DAMPING: f64 = 0.1;
/// θ falls by at least this share of what its slope promises [–].
const DECREASE: f64 = 1e-4;
/// Differences of θ below this share of ‖b‖² are not looked at [–].
const ROUNDING: f64 = 1e-12;

/// See the module; holds during one call.
#[derive(Default)]
pub(super) struct Dual {
    y: Vec<f64>,
    step: Vec<f64>,
    b: Vec<f64>,
    /// P_C(Q y) and Q y.
    x: Vec<f64>,
    z: Vec<f64>,
    /// b − Qᵀ x.
    left: Vec<f64>,
    /// V Q by columns, and Qᵀ V Q + ε.
    sloped: Vec<f64>,
    matrix: Vec<f64>,
    cholesky: Cholesky,
}

impl Dual {
    /// x of (1) for the sums of `wanted`, or nearly; `basis` is Q by columns of m numbers.
    pub(super) fn solve(
        &mut self,
        free: &[(usize, usize, Freedom)],
        basis: &[f64],
        wanted: &[f64],
        x: &mut Vec<f64>,
    ) {
        let m = wanted.len();
        let rank = basis.len() / m;
        let scale = norm(wanted);
        self.y.clear();
        self.y.extend(basis.chunks_exact(m).map(|q| dot(q, wanted)));
        let mut b = std::mem::take(&mut self.b);
        b.clone_from(&self.y);
        let mut value = self.evaluate(free, basis, &b);
        for _ in 0..STEPS {
            self.left.clear();
            self.left.extend(basis.chunks_exact(m).zip(&b).map(|(q, b)| b - dot(q, &self.x)));
            let left = norm(&self.left);
            if left <= OUTSIDE * scale {
                break;
            }
            self.slopes(free, basis, m);
            self.matrix.clear();
            self.matrix.resize(rank * rank, 0.0);
            for (i, q) in basis.chunks_exact(m).enumerate() {
                for (j, s) in self.sloped.chunks_exact(m).enumerate().skip(i) {
                    self.matrix[i * rank + j] = dot(q, s);
                }
            }
            self.cholesky.set(rank, &self.matrix);
            self.cholesky.add_diagonal(std::iter::repeat_n(DAMPING * left / scale, rank));
            if !self.cholesky.factor() {
                break;
            }
            self.step.clone_from(&self.left);
            self.cholesky.solve(&mut self.step);
            let slope = dot(&self.left, &self.step);
            let before = value;
            let mut share = 1.0;
            self.y.iter_mut().zip(&self.step).for_each(|(y, d)| *y += d);
            value = self.evaluate(free, basis, &b);
            // Near the end θ is all rounding: there the whole step is right.
            let judged = slope > ROUNDING * scale * scale;
            while judged && share > SHORTEST && !(value <= before - DECREASE * share * slope) {
                share *= 0.5;
                self.y.iter_mut().zip(&self.step).for_each(|(y, d)| *y -= share * d);
                value = self.evaluate(free, basis, &b);
            }
        }
        self.b = b;
        x.clone_from(&self.x);
    }

    /// θ(y); sets x and z.
    fn evaluate(&mut self, free: &[(usize, usize, Freedom)], basis: &[f64], b: &[f64]) -> f64 {
        let m = basis.len() / self.y.len();
        self.z.clear();
        self.z.resize(m, 0.0);
        for (q, y) in basis.chunks_exact(m).zip(&self.y) {
            self.z.iter_mut().zip(q).for_each(|(z, q)| *z += y * q);
        }
        self.x.clone_from(&self.z);
        for &(_, place, freedom) in free {
            freedom.project(&mut self.x[place..]);
        }
        0.5 * dot(&self.x, &self.x) - dot(b, &self.y)
    }

    /// V Q.
    fn slopes(&mut self, free: &[(usize, usize, Freedom)], basis: &[f64], m: usize) {
        self.sloped.clear();
        self.sloped.resize(basis.len(), 0.0);
        for &(_, place, freedom) in free {
            let cone = match freedom {
                Freedom::Ray(_) if self.z[place] > 0.0 => {
                    (place..basis.len()).step_by(m).for_each(|k| self.sloped[k] = basis[k]);
                    continue;
                }
                Freedom::Ray(_) => continue,
                Freedom::Set(cone) => cone,
            };
            let block = SoftBlock::Cone { cone, compliance: [1.0; 3], shift: [0.0; 3] };
            let rows = place..place + cone.dim();
            let mut back = [0.0; 3];
            back.iter_mut().zip(&self.z[rows.clone()]).for_each(|(b, z)| *b = -z);
            let Some(v) = block.curvature(&back[..rows.len()]) else { continue };
            for (q, s) in basis.chunks_exact(m).zip(self.sloped.chunks_exact_mut(m)) {
                let (q, s) = (&q[rows.clone()], &mut s[rows.clone()]);
                if let ([x, y, z], [a, b, c]) = (q, &mut *s) {
                    (*a, *b, *c) = (
                        v[0] * x + v[1] * y + v[2] * z,
                        v[3] * x + v[4] * y + v[5] * z,
                        v[6] * x + v[7] * y + v[8] * z,
                    );
                } else {
                    s[0] = v[0] * q[0];
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction_contact::Cone;
    use stiction_contact::corpus::Random;

    /// Four cones and four sums, beside Dykstra's projections.
    #[test]
    fn newton_and_projections_meet() {
        let (m, rank) = (12, 4);
        let cones = [0.3, 0.5, 0.8, 1.2].map(|mu| Cone::Friction { mu });
        let free: Vec<_> = cones.iter().enumerate().map(|(k, &c)| (k, 3 * k, Freedom::Set(c))).collect();
        let onto = |x: &mut [f64]| free.iter().for_each(|f| f.2.project(&mut x[f.1..]));
        for seed in 1..30 {
            let mut random = Random(seed);
            let mut basis: Vec<f64> = Vec::new();
            while basis.len() < rank * m {
                let mut q: Vec<f64> = (0..m).map(|_| random.number() - 0.5).collect();
                for old in basis.chunks_exact(m) {
                    let along = dot(old, &q);
                    q.iter_mut().zip(old).for_each(|(q, o)| *q -= along * o);
                }
                let length = norm(&q);
                basis.extend(q.iter().map(|q| q / length));
            }
            let onto_sums = |x: &mut [f64], given: &[f64]| {
                for q in basis.chunks_exact(m) {
                    let along = dot(q, given) - dot(q, x);
                    x.iter_mut().zip(q).for_each(|(x, q)| *x += along * q);
                }
            };
            let mut given: Vec<f64> = (0..m).map(|_| random.number() - 0.5).collect();
            given.iter_mut().skip(2).step_by(3).for_each(|n| *n += 1.0);
            onto(&mut given);
            let mut least = vec![0.0; m];
            onto_sums(&mut least, &given);
            let mut x = Vec::new();
            Dual::default().solve(&free, &basis, &least, &mut x);

            let (mut other, mut memory) = (least.clone(), vec![0.0; m]);
            for _ in 0..20_000 {
                let before: Vec<f64> = other.iter().zip(&memory).map(|(x, p)| x + p).collect();
                other.clone_from(&before);
                onto(&mut other);
                memory = before.iter().zip(&other).map(|(a, b)| a - b).collect();
                onto_sums(&mut other, &given);
            }
            let apart = x.iter().zip(&other).fold(0.0_f64, |far, (a, b)| far.max((a - b).abs()));
            assert!(apart < 1e-6, "seed {seed}: {apart}");
            assert!(norm(&x) <= norm(&given) * (1.0 + 1e-12));
        }
    }
}
