//! Newton's restitution at the instant of the impact.
//!
//! With e the coefficient of restitution, v_thr the approach speed below which nothing bounces,
//!
//! ```text
//!     J_N v < −v_thr     g_N = J_N v_f + e u − (1 − s) h a                                            (1)
//!     not met yet        g_N = J_N v_f + max((φ + ℓ)/h, e J_N v, −J_N v_f)                            (2)
//! ```
//!
//! where h a = J_N (v_f − v); the surfaces meet after the share s of the step, φ + s h J_N v + ½ a (s h)² = 0 (s = 0 where
//! they overlap), at the speed u = J_N v + s h a, part at −e u, and are accelerated for the rest. What parts at J_N v >
//! v_thr, or is farther than h v_thr and would not meet in this step, meets only if others push it in this same step. It may
//! overlap then, and bounces in the next: held at its gap it would not bounce at all. By how much, ℓ, is e times a share of
//! how thick it is; what overlaps already may be pushed on as fast as Newton's law lets it (2).

use crate::contact_point::ContactPoint;
use crate::params::RowParams;

/// How a contact bounces in this step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounce {
    /// What is added to J_N v_f [m/s].
    pub bias: f64,
    /// Share of the step that is left after it, 1 − s; `None` if it is not met in this step [–].
    pub left: Option<f64>,
}

impl RowParams {
    /// e J_N v of a contact that is hit at the rate `before` = J_N v, at the instant of the impact [m/s]: with it
    /// J_N v⁺ ≥ −e J_N v. `None` if it is too slow to bounce.
    pub fn rebound(&self, e: f64, before: f64) -> Option<f64> {
        (e > 0.0 && before < -self.bouncing_speed).then_some(e * before)
    }

    /// (1) or (2) of a contact whose gap grows at the rate `before` = J_N v and would at `free` = J_N v_f [m/s]. `None` of one
    /// too slow for that, or that would be down again before the step ends.
    pub fn bounce(&self, c: &ContactPoint, before: f64, free: f64) -> Option<Bounce> {
        let (h, threshold) = (self.h, self.bouncing_speed);
        let parts = before > threshold;
        if parts || c.gap > h * threshold && c.gap + 0.5 * h * (before + free) >= 0.0 {
            let allowance = if c.gap > 0.0 { c.restitution * c.bounce_depth } else { 0.0 };
            let pushed = ((c.gap + allowance) / h).max(c.restitution * before); // (2)
            return Some(Bounce { bias: pushed.max(-free), left: parts.then_some(1.0) });
        }
        if before >= -threshold {
            return None;
        }
        let gain = free - before;
        let root = (before * before - 2.0 * gain / h * c.gap.max(0.0)).max(0.0).sqrt();
        let met = (2.0 * c.gap.max(0.0) / (h * (root - before))).min(1.0);
        let (meeting, left) = (before + met * gain, 1.0 - met);
        let parting = left * gain - c.restitution * meeting;
        (parting > 0.0 && parting + c.restitution * -meeting >= 0.0)
            .then_some(Bounce { bias: -parting, left: Some(left) })
    }
}
