//! The scalar of all hot mathematics: one number, or one number in each of several lanes.
//!
//! Implemented for `f64`, `f32` and the vectors of `fearless_simd`, whose lanes are independent
//! environments. A vector cannot be made out of nothing (it carries the proof that the processor
//! has the instructions), so constants are made *like* a value at hand: `x.like(2.0)`.
//!
//! Branches become masks: `x.less(y)` and `T::select`. No `mul_add` here: without a dispatched
//! target feature it is a library call.

use crate::trig;
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
}

macro_rules! scalar {
    ($t:ty, $split:expr) => {
        impl Real for $t {
            type Mask = bool;
            const LANES: usize = 1;

            #[inline(always)]
            fn like(self, x: f64) -> Self {
                x as $t
            }
            #[inline(always)]
            fn lane(self, _lane: usize) -> f64 {
                f64::from(self)
            }
            #[inline(always)]
            fn with_lane(self, _lane: usize, x: f64) -> Self {
                x as $t
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                <$t>::sqrt(self)
            }
            #[inline(always)]
            fn sin_cos(self) -> (Self, Self) {
                if <$t>::abs(self) < $split.limit as $t {
                    trig::sin_cos(self, &$split)
                } else {
                    <$t>::sin_cos(self)
                }
            }
            /// Four by four and without a branch, so that the compiler makes vectors of it.
            #[inline(always)]
            fn sin_cos_into(angles: &[Self], sin: &mut [Self], cos: &mut [Self]) {
                let n = angles.len();
                let (mut near, mut at) = (true, 0);
                while at < n {
                    if let (Some(x), Some(sin), Some(cos)) = (
                        angles[at..].first_chunk::<4>(),
                        sin[at..].first_chunk_mut::<4>(),
                        cos[at..].first_chunk_mut::<4>(),
                    ) {
                        (*sin, *cos) = trig::sin_cos_block(*x, &$split);
                        for x in x {
                            near &= <$t>::abs(*x) < $split.limit as $t;
                        }
                        at += 4;
                    } else {
                        (sin[at], cos[at]) = Real::sin_cos(angles[at]);
                        at += 1;
                    }
                }
                if !near {
                    for ((x, sin), cos) in angles.iter().zip(sin).zip(cos) {
                        (*sin, *cos) = Real::sin_cos(*x);
                    }
                }
            }
            #[inline(always)]
            fn less(self, other: Self) -> bool {
                self < other
            }
            #[inline(always)]
            fn abs(self) -> Self {
                <$t>::abs(self)
            }
            #[inline(always)]
            fn all(mask: bool) -> bool {
                mask
            }
            #[inline(always)]
            fn any(mask: bool) -> bool {
                mask
            }
            #[inline(always)]
            fn both(a: bool, b: bool) -> bool {
                a && b
            }
            #[inline(always)]
            fn not(mask: bool) -> bool {
                !mask
            }
            #[inline(always)]
            fn select(mask: bool, yes: Self, no: Self) -> Self {
                if mask { yes } else { no }
            }
        }
    };
}
scalar!(f64, trig::DOUBLE);
scalar!(f32, trig::SINGLE);
