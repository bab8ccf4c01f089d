//! [`Real`] for the vectors of `fearless_simd`: one independent environment per lane.
//!
//! The vectors carry the proof that the processor has their instructions, so all work happens
//! inside one dispatch, entered once per step (not once per algorithm):
//!
//! ```text
//! dispatch!(Level::new(), simd => step(f64x4::splat(simd, 0.0), …))
//! ```
//!
//! and everything called in there is `#[inline(always)]` down to the last product; closures are
//! not, so there are none around arithmetic. Operations
//! round as for plain numbers, hence each lane of an `f64` vector equals the scalar result bit
//! for bit. A NaN stays in its lane.

use crate::Real;
use crate::trig::{self, Split};
use fearless_simd::prelude::*;
use fearless_simd::{Simd, f32x4, f32x8, f32x16, f64x2, f64x4, f64x8};

macro_rules! lanes {
    ($vector:ident, $number:ty, $lanes:expr, $split:expr) => {
        impl<S: Simd> Real for $vector<S> {
            type Mask = <Self as SimdBase<S>>::Mask;
            const LANES: usize = $lanes;

            #[inline(always)]
            fn like(self, x: f64) -> Self {
                Self::splat(self.simd, x as $number)
            }
            #[inline(always)]
            fn lane(self, lane: usize) -> f64 {
                f64::from(self.as_array()[lane])
            }
            #[inline(always)]
            fn with_lane(mut self, lane: usize, x: f64) -> Self {
                self.as_mut_array()[lane] = x as $number;
                self
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                SimdFloat::sqrt(self)
            }
            #[inline(always)]
            fn sin_cos(self) -> (Self, Self) {
                if Self::all(Real::abs(self).less(self.like($split.limit))) {
                    trig::sin_cos(self, &$split)
                } else {
                    far_sin_cos(self, &$split)
                }
            }
            #[inline(always)]
            fn less(self, other: Self) -> Self::Mask {
                self.simd_lt(other)
            }
            #[inline(always)]
            fn abs(self) -> Self {
                SimdBase::abs(self)
            }
            #[inline(always)]
            fn all(mask: Self::Mask) -> bool {
                mask.all_true()
            }
            #[inline(always)]
            fn select(mask: Self::Mask, yes: Self, no: Self) -> Self {
                mask.select(yes, no)
            }
        }
    };
}
lanes!(f64x2, f64, 2, trig::DOUBLE);
lanes!(f64x4, f64, 4, trig::DOUBLE);
lanes!(f64x8, f64, 8, trig::DOUBLE);
lanes!(f32x4, f32, 4, trig::SINGLE);
lanes!(f32x8, f32, 8, trig::SINGLE);
lanes!(f32x16, f32, 16, trig::SINGLE);

/// Some lane is beyond the polynomials' reach: that lane, and only it, by the standard library.
#[cold]
#[inline(never)]
fn far_sin_cos<T: Real>(x: T, split: &Split) -> (T, T) {
    let (mut sin, mut cos) = (x, x);
    for l in 0..T::LANES {
        let angle = x.lane(l);
        let (s, c) = if angle.abs() < split.limit {
            let (s, c) = trig::sin_cos(x.like(angle), split);
            (s.lane(l), c.lane(l))
        } else {
            angle.sin_cos()
        };
        (sin, cos) = (sin.with_lane(l, s), cos.with_lane(l, c));
    }
    (sin, cos)
}
