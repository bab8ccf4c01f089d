//! `f64` and `f32` as [`Real`] numbers of one lane.
//!
//! Sine and cosine are the polynomials of [`trig`], up to the angles for which these are exact; beyond, those of the
//! standard library.

use crate::real::Real;
use crate::trig;

macro_rules! scalar {
    ($t:ty, $split:expr) => {
        impl Real for $t {
            type Mask = bool;
            const LANES: usize = 1;
            const EPSILON: f64 = <$t>::EPSILON as f64;

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
            fn at_most(self, other: Self) -> bool {
                self <= other
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
