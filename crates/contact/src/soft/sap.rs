//! Drake's semi-analytic primal model: linear compliance with linear dissipation [Castro2022].
//!
//! With stiffness k, relaxation time τ, gap φ₀ and the scale w = ‖G_ii‖_F/rows:
//!
//! ```text
//!     R_n = max(β² w/4π², 1/(h k (h + τ))),   R_t = σ w,   β = 1, σ = 10⁻³      (1)
//!     s_n = φ₀/(h + τ) − bias,   s_t = 0                                        (2)
//! ```
//!
//! The first of (1) is the near-rigid limit: a contact that oscillates with the period of a step.
//! Bilateral rows have k = ∞ and τ = β h/π; dry friction R = σ w.

use super::{SoftBlock, apart, weight};
use crate::cone::Cone;
use crate::matrix3::Block3;
use crate::softness::Softness;
use std::f64::consts::PI;

/// β²/4π², β = 1 [–].
const NEAR_RIGID: f64 = 1.0 / (4.0 * PI * PI);
/// σ [–].
pub(super) const SIGMA: f64 = 1e-3;

/// w: root mean square over the eigenvalues times 1/√rows, as Drake estimates it [1/kg].
pub(super) fn scale(cone: Cone, g: &Block3) -> f64 {
    g.iter().map(|x| x * x).sum::<f64>().sqrt() / cone.dim() as f64
}

/// The block with the diagonal block `g` of G.
pub(super) fn block(cone: Cone, softness: &Softness, g: &Block3, h: f64) -> SoftBlock {
    if apart(cone, softness, 0.0) {
        return SoftBlock::Off;
    }
    let w = weight(softness, scale(cone, g));
    let (k, tau) = (softness.material.stiffness, softness.material.relaxation);
    let normal = (NEAR_RIGID * w).max(1.0 / (h * k * (h + tau))); // (1)
    let shift = |tau: f64| softness.gap / (h + tau) - softness.bias; // (2)
    match cone {
        Cone::Friction { .. } => SoftBlock::Cone {
            cone,
            compliance: [SIGMA * w, SIGMA * w, normal],
            shift: [0.0, 0.0, shift(tau)],
        },
        Cone::Patch { .. } => SoftBlock::Inert,
        Cone::NonNegative => SoftBlock::Cone { cone, compliance: [normal; 3], shift: [shift(tau); 3] },
        Cone::Free => SoftBlock::Cone { cone, compliance: [NEAR_RIGID * w; 3], shift: [shift(h / PI); 3] },
        Cone::Box { .. } => SoftBlock::Cone { cone, compliance: [SIGMA * w; 3], shift: [-softness.bias; 3] },
    }
}
