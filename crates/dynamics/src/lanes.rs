//! [`Real`] for the vectors of `fearless_simd`: one independent environment per lane.
//!
//! The vectors carry the proof that the processor has their instructions, so all work happens
//! inside one dispatch, entered once for many environments and steps (not once per algorithm):
//!
//! ```
//! use stiction_dynamics::{Kinematics, Model, Real, lanes};
//!
//! /// The height of body 0, environment by environment; `q` holds their coordinates one after another.
//! struct Heights<'a>(&'a Model, &'a [f64]);
//!
//! impl lanes::Task for Heights<'_> {
//!     type Output = Vec<f64>;
//!     #[inline(always)]
//!     fn run<T: Real>(self, kind: T) -> Vec<f64> {
//!         let (model, n) = (self.0.cast(kind), self.0.nq);
//!         let (mut kin, mut heights) = (Kinematics::new(&model), Vec::new());
//!         for bundle in self.1.chunks(n * T::LANES) {
//!             let q: Vec<T> = (0..n).map(|i| lanes::gather(kind, bundle, i, n)).collect();
//!             kin.update(&model, &q);
//!             let z = kin.X_WB[0].translation.z;
//!             heights.extend((0..bundle.len() / n).map(|lane| z.lane(lane)));
//!         }
//!         heights
//!     }
//! }
//! # use stiction_dynamics::{ModelBuilder, JointSpec, JointKind};
//! # use stiction_dynamics::spatial::{Inertia, Pose, Sym3, Vec3};
//! # let mut builder = ModelBuilder::new();
//! # let body = Inertia::new(1.0, Vec3::ZERO, Sym3::diagonal(1.0, 1.0, 1.0));
//! # let link = builder.link("box", None, Pose::IDENTITY, body);
//! # builder.joint(link, JointSpec::new("lift", JointKind::Slide, Vec3::Z));
//! # let model = builder.build(Vec3::Z * -9.81)?;
//!
//! // Six environments of one lift, four at a time.
//! let heights = lanes::run::<lanes::F64x4, _>(Heights(&model, &[0.0, 0.1, 0.2, 0.3, 0.4, 0.5]));
//! assert_eq!(heights, [0.0, 0.1, 0.2, 0.3, 0.4, 0.5]);
//! # Ok::<(), stiction_dynamics::ModelError>(())
//! ```
//!
//! Everything called in there is `#[inline(always)]` down to the last product; closures are
//! not, so there are none around arithmetic. Operations
//! round as for plain numbers, hence each lane of an `f64` vector equals the scalar result bit
//! for bit, whatever the processor. A NaN stays in its lane.

use crate::real::Real;
use crate::trig::{self, Split};
use fearless_simd::prelude::*;
use fearless_simd::{Level, f32x4, f32x8, f32x16, f64x2, f64x8};
pub use fearless_simd::{Simd, SimdBase, SimdFrom, f64x4};

/// Work that is written for any scalar.
pub trait Task {
    type Output;

    /// The work. `kind` is zero, and constants are made like it. Must be `#[inline(always)]`, or
    /// it is compiled without the instructions that were dispatched to: right, but slow.
    fn run<T: Real>(self, kind: T) -> Self::Output;
}

/// A scalar to run a [`Task`] with: a number format and how many environments go side by side.
pub trait Lanes {
    /// Environments per bundle.
    const WIDTH: usize;
    /// For tables: `f64x4`.
    const NAME: &'static str;

    /// Use [`run`].
    fn with<S: Simd, K: Task>(simd: S, task: K) -> K::Output;
}

/// Does `task` with the best instructions this processor has: the one dispatch. Of the levels of
/// x86 it tells AVX-512, AVX2 and the rest apart, so that a task is compiled no more than thrice.
pub fn run<L: Lanes, K: Task>(task: K) -> K::Output {
    let level = Level::new();
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    {
        if let Some(simd) = level.as_avx512() {
            return vectorized::<L, _, _>(simd, task);
        }
        if let Some(simd) = level.as_avx2() {
            return vectorized::<L, _, _>(simd, task);
        }
        let simd = level.as_sse2().expect("this crate is not for processors older than SSE2");
        vectorized::<L, _, _>(simd, task)
    }
    #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
    return fearless_simd::dispatch!(level, simd => L::with(simd, task));
}

/// The processor has vectors for [`run_wide`].
pub fn are_wide() -> bool {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    return Level::new().as_avx2().is_some();
    #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
    return true;
}

/// [`run`] with AVX2 or not at all, for tasks that are long to compile: they are compiled once. Panics unless
/// [`are_wide`]. Elsewhere than on x86 this is [`run`].
pub fn run_wide<L: Lanes, K: Task>(task: K) -> K::Output {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    return match Level::new().as_avx2() {
        Some(simd) => vectorized::<L, _, _>(simd, task),
        None => panic!("wide lanes need AVX2, which this processor lacks: ask `are_wide` first"),
    };
    #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
    return run::<L, K>(task);
}

/// Does `work` on plain numbers, with AVX2 where the processor has it: all that is inlined, so write
/// `plain(#[inline(always)] || …)`. It is compiled twice, and the bits are the same.
#[inline(always)]
pub fn plain<R>(work: impl FnOnce() -> R) -> R {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    if let Some(simd) = Level::new().as_avx2() {
        return simd.vectorize(work);
    }
    work()
}

/// Work on vectors of four numbers, written for any processor.
pub trait Kernel {
    type Output;

    /// The work. It and all that it calls must be `#[inline(always)]`, and loops must not be closures.
    fn run<S: Simd>(self, simd: S) -> Self::Output;
}

/// Does `kernel` with AVX2 where the processor has it. It is compiled twice, and the bits are the same.
#[inline(always)]
pub fn in_fours<K: Kernel>(kernel: K) -> K::Output {
    let level = Level::new();
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    {
        if let Some(simd) = level.as_avx2() {
            return in_fours_with(simd, kernel);
        }
        let simd = level.as_sse2().expect("this crate is not for processors older than SSE2");
        in_fours_with(simd, kernel)
    }
    #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
    return fearless_simd::dispatch!(level, simd => kernel.run(simd));
}

#[inline(always)]
fn in_fours_with<S: Simd, K: Kernel>(simd: S, kernel: K) -> K::Output {
    simd.vectorize(
        #[inline(always)]
        || kernel.run(simd),
    )
}

#[inline(always)]
fn vectorized<L: Lanes, S: Simd, K: Task>(simd: S, task: K) -> K::Output {
    simd.vectorize(
        #[inline(always)]
        || L::with(simd, task),
    )
}

/// Coordinate `i` of as many environments as there are lanes, from `x`, where environment `k`
/// begins at `k · stride`. Lanes beyond the end of `x` repeat its last environment.
#[inline(always)]
pub fn gather<T: Real>(kind: T, x: &[f64], i: usize, stride: usize) -> T {
    let (mut bundle, last) = (kind, x.len() / stride - 1);
    for lane in 0..T::LANES {
        bundle = bundle.with_lane(lane, x[lane.min(last) * stride + i]);
    }
    bundle
}

/// Undoes [`gather`]: coordinate `i` of the environments that `x` has.
#[inline(always)]
pub fn scatter<T: Real>(bundle: T, x: &mut [f64], i: usize, stride: usize) {
    for (lane, environment) in x.chunks_exact_mut(stride).take(T::LANES).enumerate() {
        environment[i] = bundle.lane(lane);
    }
}

macro_rules! lanes {
    ($vector:ident, $number:ty, $lanes:expr, $split:expr) => {
        impl<S: Simd> Real for $vector<S> {
            type Mask = <Self as SimdBase<S>>::Mask;
            const LANES: usize = $lanes;
            const EPSILON: f64 = <$number>::EPSILON as f64;

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
            fn at_most(self, other: Self) -> Self::Mask {
                self.simd_le(other)
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
            fn any(mask: Self::Mask) -> bool {
                mask.any_true()
            }
            #[inline(always)]
            fn both(a: Self::Mask, b: Self::Mask) -> Self::Mask {
                a & b
            }
            #[inline(always)]
            fn not(mask: Self::Mask) -> Self::Mask {
                !mask
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

macro_rules! named {
    ($name:ident, $label:literal, $width:literal, $simd:ident => $zero:expr) => {
        #[doc = concat!("`", $label, "`")]
        #[derive(Clone, Copy, Debug)]
        pub struct $name;

        impl Lanes for $name {
            const WIDTH: usize = $width;
            const NAME: &'static str = $label;
            #[inline(always)]
            fn with<S: Simd, K: Task>($simd: S, task: K) -> K::Output {
                task.run($zero)
            }
        }
    };
}
named!(F64, "f64", 1, _simd => 0.0_f64);
named!(F64x2, "f64x2", 2, simd => f64x2::splat(simd, 0.0));
named!(F64x4, "f64x4", 4, simd => f64x4::splat(simd, 0.0));
named!(F64x8, "f64x8", 8, simd => f64x8::splat(simd, 0.0));
named!(F32, "f32", 1, _simd => 0.0_f32);
named!(F32x4, "f32x4", 4, simd => f32x4::splat(simd, 0.0));
named!(F32x8, "f32x8", 8, simd => f32x8::splat(simd, 0.0));
named!(F32x16, "f32x16", 16, simd => f32x16::splat(simd, 0.0));

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
