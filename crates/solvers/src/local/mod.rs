//! One contact at a time: what a sweep asks of each friction block.

pub mod bisection;
pub mod branches;
pub mod newton;
pub mod patch;
pub mod projection;
pub mod quartic;

use stiction_contact::matrix3::{Block3, frobenius, inverse, mul};

/// A friction block with everything a local solver needs, prepared once per problem.
#[derive(Clone, Copy, Debug)]
pub struct Contact {
    /// (G + R)_ii by rows [1/kg]; nudged by [`Self::NUDGE`] where it has no usable inverse.
    pub a: Block3,
    /// A⁻¹ [kg].
    pub inverse: Block3,
    /// ‖A‖_F ≥ ‖A‖₂ [1/kg].
    pub norm: f64,
    /// μ [–].
    pub mu: f64,
}

impl Contact {
    /// Determinants below this share of the product of the row norms count as zero [–].
    const CUTOFF: f64 = 1e-13;
    /// Share of ‖A‖ added to the diagonal of a singular block [–]. The local problem is then solved
    /// about the present impulse, so that fixed points of the sweep stay exact.
    const NUDGE: f64 = 1e-10;

    /// `None` when nothing moves whatever the impulse: A = 0, or A_NN ≤ 0.
    pub fn new(a: Block3, mu: f64) -> Option<Self> {
        let norm = frobenius(&a);
        let ready = |a: Block3, inverse| Some(Self { a, inverse, norm, mu });
        if !(norm > 0.0 && norm.is_finite() && a[8] > 0.0) {
            return None;
        }
        if let Some(inv) = inverse(&a, Self::CUTOFF) {
            return ready(a, inv);
        }
        let mut nudged = a;
        for k in [0, 4, 8] {
            nudged[k] += Self::NUDGE * norm;
        }
        ready(nudged, inverse(&nudged, 0.0)?)
    }

    /// Velocity of the contact without its own impulse: q = c − A λ.
    #[inline]
    pub fn free_velocity(&self, lambda: [f64; 3], c: [f64; 3]) -> [f64; 3] {
        let al = mul(&self.a, lambda);
        [c[0] - al[0], c[1] - al[1], c[2] - al[2]]
    }

    /// The impulse that stops the contact: λ − A⁻¹ c.
    #[inline]
    pub fn sticking(&self, lambda: [f64; 3], c: [f64; 3]) -> [f64; 3] {
        let d = mul(&self.inverse, c);
        [lambda[0] - d[0], lambda[1] - d[1], lambda[2] - d[2]]
    }
}

/// ‖λ_T‖ ≤ μ λ_N.
#[inline]
pub fn in_cone(lambda: [f64; 3], mu: f64) -> bool {
    let r = mu * lambda[2];
    r >= 0.0 && lambda[2] >= 0.0 && lambda[0] * lambda[0] + lambda[1] * lambda[1] <= r * r
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use stiction_contact::corpus::Random;

    /// 2400 one-contact problems (A, q, μ): half points of rigid bodies, half random A = BBᵀ.
    pub(crate) fn problems() -> Vec<(Block3, [f64; 3], f64)> {
        random_problems(2400, 7)
    }

    /// `count` of them.
    pub(crate) fn random_problems(count: usize, seed: u64) -> Vec<(Block3, [f64; 3], f64)> {
        let mut random = Random(seed);
        let mut out = Vec::new();
        for k in 0..count {
            let mut r = || random.number();
            let a = if k % 2 == 0 {
                // A = 1/m − [p]× I⁻¹ [p]×, with a diagonal I.
                let m = 10_f64.powf(r());
                let inv: [f64; 3] = std::array::from_fn(|_| 6.0 / m * 10_f64.powf(0.5 * r()));
                let p: [f64; 3] = std::array::from_fn(|_| r());
                let cross = [0.0, -p[2], p[1], p[2], 0.0, -p[0], -p[1], p[0], 0.0];
                std::array::from_fn(|e| {
                    let (i, j) = (e / 3, e % 3);
                    let rot: f64 = (0..3).map(|l| cross[3 * i + l] * inv[l] * cross[3 * j + l]).sum();
                    rot + if i == j { 1.0 / m } else { 0.0 }
                })
            } else {
                let b: [f64; 9] = std::array::from_fn(|_| r());
                std::array::from_fn(|e| {
                    (0..3).map(|l| b[3 * (e / 3) + l] * b[3 * (e % 3) + l]).sum::<f64>()
                        + if e % 4 == 0 { 0.01 } else { 0.0 }
                })
            };
            let q = [2.0 * r(), 2.0 * r(), if k % 8 == 0 { r() } else { -r().abs() }];
            out.push((a, q, [0.1, 0.5, 1.0, 2.0][(k / 2) % 4]));
        }
        out
    }

    #[test]
    fn a_singular_block_keeps_an_inverse_and_zero_has_none() {
        let singular = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 2.0];
        let contact = Contact::new(singular, 0.5).unwrap();
        assert!((contact.inverse[0] - 1.0).abs() < 1e-9);
        assert!(Contact::new([0.0; 9], 0.5).is_none());
    }
}
