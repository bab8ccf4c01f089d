//! Minimum, maximum and truth of numbers in lanes; truth is 1 or 0.

use stiction_dynamics::Real;

#[inline(always)]
pub(super) fn max<T: Real>(a: T, b: T) -> T {
    T::select(a.less(b), b, a)
}

#[inline(always)]
pub(super) fn min<T: Real>(a: T, b: T) -> T {
    T::select(b.less(a), b, a)
}

#[inline(always)]
pub(super) fn clamp<T: Real>(x: T, [lo, hi]: [T; 2]) -> T {
    max(min(x, hi), lo)
}

/// True where `truth` is 1.
#[inline(always)]
pub(super) fn mask<T: Real>(truth: T) -> T::Mask {
    truth.zero().less(truth)
}

/// Neither NaN nor infinite.
#[inline(always)]
pub(super) fn finite<T: Real>(x: T) -> T::Mask {
    // 0 unless x is one of these, then NaN.
    let o = x * x.zero();
    o.less(x.one())
}
