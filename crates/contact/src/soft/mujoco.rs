//! MuJoCo's impedance and reference acceleration, per step.
//!
//! With φ the gap less the margin, v⁻ the velocity of the row before the step, d₀, d_w, width, midpoint m
//! and power p of `solimp`, and (t_c, ζ) of `solref` [Todorov2014], as MuJoCo 4.0 computes them:
//!
//! ```text
//!     x = min(|φ|/width, 1),   y = xᵖ/mᵖ⁻¹ (x ≤ m),  1 − (1 − x)ᵖ/(1 − m)ᵖ⁻¹,   d = d₀ + y (d_w − d₀)   (1)
//!     K = 1/(d_w t_c ζ)²,   B = 2/(d_w t_c),   or K = −solref₀/d_w², B = −solref₁/d_w                (2)
//!     a_ref = −B v⁻ − K d φ,   K = 0 for friction                                                   (3)
//!     R = (1 − d)/d ŵ,   R_t = R/impratio;   R = 2 (μ²/impratio) (1 − d)/d ŵ of a pyramid's edge       (4)
//!     s = −v⁻ − h a_ref − bias                                                                      (5)
//! ```
//!
//! Contacts that resist spinning and rolling (`condim` 4 and 6) have R_i = R_t μ²/μ_i² in the rows of moments: in the rows
//! of a patch, divided by the lengths ℓ_i = μ_i/μ, that is R_t again, and the edges of a pyramid are n ± μ t in every row.
//! ŵ is `diagApprox`. (5) turns MuJoCo's accelerations into velocities: J a − a_ref = (J v⁺ − v⁻)/h − a_ref.

use super::{SoftBlock, apart, weight};
use crate::cone::Cone;
use crate::matrix3::Block3;
use crate::softness::{Material, Softness};

/// Where MuJoCo bounds impedance, midpoint and divisors.
const LEAST_IMPEDANCE: f64 = 1e-4;
const MOST_IMPEDANCE: f64 = 0.9999;
const TINY: f64 = 1e-15;

/// (1), at φ = gap − margin.
pub fn impedance(solimp: [f64; 5], distance: f64) -> f64 {
    let bound = |x: f64| x.clamp(LEAST_IMPEDANCE, MOST_IMPEDANCE);
    let [d0, dw, width, m, p] =
        [bound(solimp[0]), bound(solimp[1]), solimp[2].max(0.0), bound(solimp[3]), solimp[4].max(1.0)];
    if d0 == dw || width <= TINY {
        return 0.5 * (d0 + dw);
    }
    let x = (distance / width).abs();
    let y = if x >= 1.0 {
        1.0
    } else if p == 1.0 {
        x
    } else if x <= m {
        x.powf(p) / m.powf(p - 1.0)
    } else {
        1.0 - (1.0 - x).powf(p) / (1.0 - m).powf(p - 1.0)
    };
    d0 + y * (dw - d0)
}

/// (2): stiffness K [1/s²] and damping B [1/s]; a time constant below 2 h counts as 2 h.
pub fn reference(solref: [f64; 2], solimp: [f64; 5], h: f64) -> (f64, f64) {
    let dw = solimp[1].clamp(LEAST_IMPEDANCE, MOST_IMPEDANCE);
    let [a, b] = solref;
    if a > 0.0 && b > 0.0 {
        let time = a.max(2.0 * h);
        (1.0 / (dw * dw * time * time * b * b).max(TINY), 2.0 / (dw * time).max(TINY))
    } else {
        (-a / (dw * dw).max(TINY), -b / dw.max(TINY))
    }
}

impl Material {
    /// The spring that MuJoCo's constraint is for a contact between bodies of effective mass `mass` [kg] at the depth
    /// `depth` [m], in steps of h: stiffness [N/m] and relaxation time [s], with K, B and d of (1) and (2),
    ///
    /// ```text
    ///     a + (1 − d)/d f/m = −B v + K d depth   ⇒   k = m K d²/(1 − d),   τ = B/(K d)
    /// ```
    ///
    /// What MuJoCo's force has beside it is a share of the acceleration, −m d/(1 − d) a.
    pub fn spring_of_mujoco(&self, mass: f64, depth: f64, h: f64) -> (f64, f64) {
        let d = impedance(self.solimp, depth);
        let (k, b) = reference(self.solref, self.solimp, h);
        (mass * k * d * d / (1.0 - d), b / (k * d))
    }
}

/// n + μ t and n − μ t.
#[inline]
pub(super) fn edges(t: f64, n: f64, mu: f64) -> [f64; 2] {
    [n + mu * t, n - mu * t]
}

/// The block with the diagonal block `g` of G.
pub(super) fn block(cone: Cone, softness: &Softness, g: &Block3, h: f64, pyramidal: bool) -> SoftBlock {
    let Material { solref, solref_friction, solimp, margin, impratio, .. } = softness.material;
    if apart(cone, softness, margin) {
        return SoftBlock::Off;
    }
    let distance = softness.gap - margin;
    let d = impedance(solimp, if softness.error > 0.0 { softness.error } else { distance }); // (1)
    let (k, b) = reference(solref, solimp, h); // (2)
    let compliance = |w: f64| ((1.0 - d) / d * w).max(TINY); // (4)
    let velocity = softness.velocity;
    match cone {
        Cone::Friction { mu } | Cone::Patch { mu, .. } => {
            // A pyramid has no reference for friction of its own.
            let friction = if solref_friction == [0.0; 2] || pyramidal { solref } else { solref_friction };
            let b_friction = reference(friction, solimp, h).1;
            let slide = |v: f64| -v + h * b_friction * v;
            let press = -velocity[2] + h * (b * velocity[2] + k * d * distance) - softness.bias; // (5)
            let [spin, roll, other] = softness.turning.map(slide);
            let shift = [slide(velocity[0]), slide(velocity[1]), press, spin, roll, other];
            if pyramidal && mu > 0.0 {
                // The weight of the first edge.
                let own = g[8] + 2.0 * mu * g[6] + mu * mu * g[0];
                let r = 2.0 * mu * mu / impratio * compliance(weight(softness, own));
                return SoftBlock::Pyramid { mu, compliance: r, shift };
            }
            let r = compliance(weight(softness, g[8]));
            if matches!(cone, Cone::Patch { .. }) {
                return SoftBlock::Patch { mu, compliance: [r / impratio, r], shift };
            }
            SoftBlock::Cone {
                cone,
                compliance: [r / impratio, r / impratio, r],
                shift: [shift[0], shift[1], press],
            }
        }
        Cone::Free | Cone::NonNegative | Cone::Box { .. } => {
            let stiff = if matches!(cone, Cone::Box { .. }) { 0.0 } else { k };
            let shift = -velocity[0] + h * (b * velocity[0] + stiff * d * distance) - softness.bias;
            SoftBlock::Cone { cone, compliance: [compliance(weight(softness, g[0])); 3], shift: [shift; 3] }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// MuJoCo's defaults: d(0) = 0.9, d(∞) = 0.95; at half the width halfway; t_c = 0.02 s, ζ = 1.
    #[test]
    fn defaults_are_those_of_the_manual() {
        let m = Material::default();
        assert_eq!(impedance(m.solimp, 0.0), 0.9);
        assert_eq!(impedance(m.solimp, -1.0), 0.95);
        assert!((impedance(m.solimp, -0.0005) - 0.925).abs() < 1e-15);
        let (k, b) = reference(m.solref, m.solimp, 0.002);
        assert!(
            (k - 1.0 / (0.95 * 0.02_f64).powi(2)).abs() < 1e-9 && (b - 2.0 / (0.95 * 0.02)).abs() < 1e-12
        );
        assert_eq!(reference([-100.0, -10.0], [0.5, 0.5, 0.0, 0.5, 2.0], 0.002), (400.0, 20.0));
    }
}
