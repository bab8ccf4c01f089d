//! The scalar of all hot mathematics: one number, or one number in each of several lanes.
//!
//! Implemented for `f64` and `f32` ([`crate::scalar`]), for the vectors of `fearless_simd`, whose lanes are independent
//! environments ([`crate::lanes`]), and for [`crate::Dual`] numbers. A vector cannot be made out of nothing (it carries the proof that the processor
//! has the instructions), so constants are made *like* a value at hand: `x.like(2.0)`.
//!
//! Branches become masks: `x.less(y)` and `T::select`. No `mul_add` here: without a dispatched
//! target feature it is a library call.

use std::fmt::Debug;
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

/// A real number, or a bundle of real numbers in independent lanes.
pub trait Real:
    Copy
    + Debug
    + Send
    + Sync
    + 'static
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
{
    /// The truth value of a comparison, lane by lane.
    type Mask: Copy;

    /// Numbers per value.
    const LANES: usize;

    /// The distance from 1 to the next larger number.
    const EPSILON: f64;

    /// The constant `x` in every lane, of the kind of `self`.
    fn like(self, x: f64) -> Self;

    /// The number in `lane`.
    fn lane(self, lane: usize) -> f64;

    /// `self` with the number in `lane` replaced.
    fn with_lane(self, lane: usize, x: f64) -> Self;

    /// √self.
    fn sqrt(self) -> Self;

    /// (sin self, cos self), `self` in radians.
    fn sin_cos(self) -> (Self, Self);

    /// [`Self::sin_cos`] of many.
    #[inline(always)]
    fn sin_cos_into(angles: &[Self], sin: &mut [Self], cos: &mut [Self]) {
        for ((x, sin), cos) in angles.iter().zip(sin).zip(cos) {
            (*sin, *cos) = x.sin_cos();
        }
    }

    /// `self < other`, lane by lane.
    fn less(self, other: Self) -> Self::Mask;

    /// `self ≤ other`, lane by lane; like [`Self::less`] false where one of them is NaN.
    fn at_most(self, other: Self) -> Self::Mask;

    /// The mask holds in every lane.
    fn all(mask: Self::Mask) -> bool;

    /// The mask holds in some lane.
    fn any(mask: Self::Mask) -> bool;

    /// Both masks hold, lane by lane.
    fn both(a: Self::Mask, b: Self::Mask) -> Self::Mask;

    /// The mask does not hold, lane by lane.
    fn not(mask: Self::Mask) -> Self::Mask;

    /// `yes` where the mask holds, else `no`.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;

    /// 0 in every lane.
    #[inline(always)]
    fn zero(self) -> Self {
        self.like(0.0)
    }

    /// 1 in every lane.
    #[inline(always)]
    fn one(self) -> Self {
        self.like(1.0)
    }

    /// |self|.
    fn abs(self) -> Self;

    /// The smaller of both, lane by lane; `self` where one of them is NaN.
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Self::select(other.less(self), other, self)
    }

    /// The larger of both, lane by lane; `self` where one of them is NaN.
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self::select(self.less(other), other, self)
    }

    /// `self` within [low, high], with low ≤ high; NaN stays.
    #[inline(always)]
    fn clamp(self, low: Self, high: Self) -> Self {
        Self::max(Self::min(self, high), low)
    }

    /// True where `self` is neither NaN nor infinite.
    #[inline(always)]
    fn finite(self) -> Self::Mask {
        // 0 unless it is one of these, then NaN.
        let o = self * self.zero();
        o.less(self.one())
    }

    /// 1 where the mask holds, else 0.
    #[inline(always)]
    fn truth(self, mask: Self::Mask) -> Self {
        Self::select(mask, self.one(), self.zero())
    }

    /// True where `self` is a truth of 1.
    #[inline(always)]
    fn mask(self) -> Self::Mask {
        self.zero().less(self)
    }
}
