//! Gaps and position errors of unilateral rows.
//!
//! With φ the gap of a contact or limit and h the step,
//!
//! ```text
//!     φ > 1 nm           g = J v_f + φ/h               it may close, not cross                        (1)
//!     overlapping        correction −min(v_c, β (−φ − slop)₊/h), in the positions alone               (2)
//!     one of a face      gap and correction of its deepest point φ₀, plus (φ − φ₀)/h                  (3)
//! ```
//!
//! What is nearer than a nanometre touches, and up to two the gap counts in part: rounding moves bodies at rest, and a
//! corner lifted by it would have to lose its share of the load and to find it again step by step.
//!
//! Points of one face ([`crate::coplanar`]) count from the deepest, φ₀ ≥ −1 µm: what is asked of them, one motion does, and
//! all of a face may come as near as its deepest point. Those within 100 nm of it touch with it where they differ by less
//! than 10 nm, as at rest, where some carry and some have just let go. Faces that overlap by more keep (2).

use crate::contact_point::ContactPoint;
use crate::contact_point::Face;
use crate::coplanar::NEAR;
use crate::params::RowParams;

/// Gaps up to this are none, from twice as much on they count in full [m, or rad of a limit].
pub const TOUCH: f64 = 1e-9;
/// Where a face overlaps by no more than this, all of it may [m].
pub const SHARED: f64 = 1e-6;
/// Points near the deepest of their face touch with it if they differ by no more than this, from twice as much on what
/// they differ by counts in full [m].
pub const LEVEL: f64 = 1e-8;

/// What an open gap adds to g, and what an overlap asks of the positions [m/s or rad/s].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GapBias {
    /// ≥ 0; (1).
    pub gap: f64,
    /// ≤ 0; (2).
    pub correction: f64,
}

impl RowParams {
    /// (1) and (2) of a gap [m or rad].
    #[inline]
    pub fn gap_bias(&self, gap: f64) -> GapBias {
        if gap > TOUCH {
            return GapBias { gap: gap / self.h * (gap / TOUCH - 1.0).min(1.0), correction: 0.0 };
        }
        let push = (self.correction * (-gap - self.slop).max(0.0) / self.h).min(self.correction_speed);
        GapBias { gap: 0.0, correction: -push }
    }

    /// (1) to (3) of a contact point.
    #[inline]
    pub fn contact_bias(&self, c: &ContactPoint) -> GapBias {
        let Face { deepest, spread } = c.face;
        if deepest < -SHARED {
            return self.gap_bias(c.gap);
        }
        let apart = c.gap - deepest;
        let share = if apart > NEAR { 1.0 } else { (spread / LEVEL - 1.0).clamp(0.0, 1.0) };
        let of_deepest = self.gap_bias(deepest);
        GapBias { gap: of_deepest.gap + share * apart / self.h, ..of_deepest }
    }

    /// Correction of an error of a coupling or loop, of either sign [m/s or rad/s].
    pub fn error_bias(&self, error: f64) -> f64 {
        (self.correction * error / self.h).clamp(-self.correction_speed, self.correction_speed)
    }
}
