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
//! Points of one face ([`super::coplanar`]) count from the deepest, φ₀ ≥ −1 µm: what is asked of them, one motion does, and
//! all of a face may come as near as its deepest point. Those within 100 nm of it touch with it where they differ by less
//! than 10 nm, as at rest, where some carry and some have just let go. Faces that overlap by more keep (2).

use super::coplanar::{Face, NEAR};
use super::row_params::RowParams;
use stiction_dynamics::Real;

/// Gaps up to this are none, from twice as much on they count in full [m, or rad of a limit].
pub const TOUCH: f64 = 1e-9;
/// Where a face overlaps by no more than this, all of it may [m].
pub const SHARED: f64 = 1e-6;
/// Points near the deepest of their face touch with it if they differ by no more than this, from twice as much on what
/// they differ by counts in full [m].
pub const LEVEL: f64 = 1e-8;

/// Bias of a gap: in g where it is open, in the positions where it overlaps [m/s or rad/s].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GapBias<T = f64> {
    /// ≥ 0; (1).
    pub gap: T,
    /// ≤ 0; (2).
    pub correction: T,
}

impl<T: Real> RowParams<T> {
    /// (1) and (2) of a gap [m or rad].
    #[inline(always)]
    pub fn gap_bias(&self, gap: T) -> GapBias<T> {
        let (zero, one) = (gap.zero(), gap.one());
        let touch = self.coarseness * gap.like(TOUCH);
        let apart = gap / self.h * (gap / touch - one).min(one);
        let push = (self.correction * (-gap - self.slop).max(zero) / self.h).min(self.correction_speed);
        let open = touch.less(gap);
        GapBias { gap: T::select(open, apart, zero), correction: T::select(open, zero, -push) }
    }

    /// (1) to (3) of a contact point, whose gap is `gap` [m].
    #[inline(always)]
    pub fn contact_bias(&self, gap: T, face: Face<T>) -> GapBias<T> {
        let (zero, one, apart) = (gap.zero(), gap.one(), gap - face.deepest);
        let share = (face.spread / (self.coarseness * gap.like(LEVEL)) - one).clamp(zero, one);
        let share = T::select((self.coarseness * gap.like(NEAR)).less(apart), one, share);
        let of_deepest = self.gap_bias(face.deepest);
        let of_face =
            GapBias { gap: of_deepest.gap + share * apart / self.h, correction: of_deepest.correction };
        let deep = face.deepest.less(-gap.like(SHARED));
        if !T::any(deep) {
            return of_face;
        }
        let own = self.gap_bias(gap);
        GapBias {
            gap: T::select(deep, own.gap, of_face.gap),
            correction: T::select(deep, own.correction, of_face.correction),
        }
    }

    /// Correction of an error of a coupling, of either sign [m/s or rad/s].
    #[inline(always)]
    pub fn coupling_bias(&self, error: T) -> T {
        self.correction * error / self.h
    }

    /// Correction of an error of a loop, of either sign [m/s or rad/s].
    #[inline(always)]
    pub fn loop_bias(&self, error: T) -> T {
        self.coupling_bias(error).clamp(-self.correction_speed, self.correction_speed)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Dice, Law, PARAMS, hold, params};
    use super::*;

    /// Gaps and overlaps of all sizes, of points alone and of faces.
    struct OfContact;

    impl Law<{ PARAMS + 3 }, 4> for OfContact {
        const SINGLE: f64 = 2e-6;

        fn draw(dice: &mut Dice) -> [f64; PARAMS + 3] {
            let deepest = dice.sign() * dice.decades(1e-10, 1e-2);
            let apart = if dice.share() < 0.5 { dice.decades(1e-9, 1e-2) } else { 0.0 };
            let spread = dice.decades(1e-9, 1e-7);
            dice.with_params([deepest, apart, spread])
        }

        #[inline(always)]
        fn evaluate<T: Real>(x: [T; PARAMS + 3]) -> [T; 4] {
            let (p, [deepest, apart, spread]) = params(x);
            let gap = deepest + apart;
            let alone = p.gap_bias(gap);
            let of_face = p.contact_bias(gap, Face { deepest, spread });
            [alone.gap, alone.correction, of_face.gap, of_face.correction]
        }

        fn sizes(x: &[f64; PARAMS + 3]) -> [f64; 4] {
            let (p, [deepest, apart, _]) = params(*x);
            [10.0 * (deepest.abs() + apart) / p.h; 4]
        }
    }

    /// Errors of couplings and loops, of either sign.
    struct OfError;

    impl Law<{ PARAMS + 1 }, 2> for OfError {
        const SINGLE: f64 = 1e-6;

        fn draw(dice: &mut Dice) -> [f64; PARAMS + 1] {
            let error = dice.sign() * dice.decades(1e-6, 1.0);
            dice.with_params([error])
        }

        #[inline(always)]
        fn evaluate<T: Real>(x: [T; PARAMS + 1]) -> [T; 2] {
            let (p, [error]) = params(x);
            [p.coupling_bias(error), p.loop_bias(error)]
        }

        fn sizes(x: &[f64; PARAMS + 1]) -> [f64; 2] {
            let (p, [error]) = params(*x);
            [error.abs() / p.h; 2]
        }
    }

    #[test]
    fn gaps_are_one_law() {
        hold::<OfContact, _, _>();
        hold::<OfError, _, _>();
    }
}
