//! Hunt and Crossley's contact [HuntCrossley1975] in the two convex forms of Drake [Castro2023].
//!
//! With f₀ = −k φ₀ the elastic force at the start of the step and u the velocity at its end:
//!
//! ```text
//!     n(v) = h (f₀ − h k v)₊ (1 − d v)₊                     normal impulse [N·s]      (1)
//!     ‖u_T‖ₛ = √(‖u_T‖² + vₛ²) − vₛ,   t = u_T/√(‖u_T‖² + vₛ²)                         (2)
//!     lagged    λ = (−μ n₀ t, n(u_N)),   n₀ = h f₀ (1 − d u_N⁻)₊                       (3)
//!     similar   λ = n(z) (−μ t, 1),      z = u_N − μ ‖u_T‖ₛ                            (4)
//! ```
//!
//! (3) and (4) are minus the gradients of convex potentials. vₛ = max(10⁻⁴ m/s, μ σ w n₀), where Drake
//! takes w from the masses of the bodies and we from G_ii. Rows of other kinds are those of SAP.

use super::{SoftBlock, apart, sap, weight};
use crate::cone::Cone;
use crate::matrix3::Block3;
use crate::softness::Softness;

/// Least vₛ: Drake's stiction tolerance [m/s].
const STICTION: f64 = 1e-4;

/// One contact under (3) or (4).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HuntCrossley {
    /// Friction by (4), else by (3).
    pub similar: bool,
    /// μ [–].
    pub mu: f64,
    /// h [s].
    pub step: f64,
    /// k [N/m].
    pub stiffness: f64,
    /// d [s/m].
    pub dissipation: f64,
    /// f₀ [N].
    pub elastic: f64,
    /// n₀ [N·s].
    pub lagged: f64,
    /// vₛ [m/s].
    pub smooth: f64,
}

impl HuntCrossley {
    /// (1) and its derivative by v.
    #[inline]
    pub fn normal(&self, v: f64) -> (f64, f64) {
        let (h, k, d) = (self.step, self.stiffness, self.dissipation);
        let (elastic, damping) = (self.elastic - h * k * v, 1.0 - d * v);
        if elastic <= 0.0 || damping <= 0.0 {
            return (0.0, 0.0);
        }
        (h * elastic * damping, -h * (h * k * damping + d * elastic))
    }

    /// √(‖u_T‖² + vₛ²).
    #[inline]
    pub fn softened(&self, u: [f64; 3]) -> f64 {
        (u[0] * u[0] + u[1] * u[1] + self.smooth * self.smooth).sqrt()
    }

    /// (3) or (4).
    #[inline]
    pub fn impulse(&self, u: [f64; 3]) -> [f64; 3] {
        let s = self.softened(u);
        let (n, pressed) = if self.similar {
            let n = self.normal(u[2] - self.mu * (s - self.smooth)).0;
            (n, n)
        } else {
            (self.normal(u[2]).0, self.lagged)
        };
        let t = -self.mu * pressed / s;
        [t * u[0], t * u[1], n]
    }
}

/// The block with the diagonal block `g` of G.
pub(super) fn block(cone: Cone, softness: &Softness, g: &Block3, h: f64, similar: bool) -> SoftBlock {
    if !cone.opens() {
        return sap::block(cone, softness, g, h);
    }
    if apart(cone, softness, 0.0) {
        return SoftBlock::Off;
    }
    let (frictional, mu) = if let Cone::Friction { mu } = cone { (true, mu) } else { (false, 0.0) };
    let (stiffness, dissipation) = (softness.material.stiffness, softness.material.dissipation);
    let before = softness.velocity[if frictional { 2 } else { 0 }];
    let elastic = -stiffness * softness.gap;
    let lagged = h * elastic * (1.0 - dissipation * before).max(0.0);
    let w = weight(softness, sap::scale(cone, g));
    let smooth = STICTION.max(mu * sap::SIGMA * w * lagged);
    let contact = HuntCrossley { similar, mu, step: h, stiffness, dissipation, elastic, lagged, smooth };
    SoftBlock::HuntCrossley { contact, frictional, shift: -softness.bias }
}
