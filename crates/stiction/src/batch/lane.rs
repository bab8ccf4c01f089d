//! Small things said of lanes.

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

/// 1 where the mask holds, else 0.
#[inline(always)]
pub(super) fn truth<T: Real>(kind: T, mask: T::Mask) -> T {
    T::select(mask, kind.one(), kind.zero())
}

/// Undoes [`truth`].
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

/// What `numbers` holds of each lane.
#[inline(always)]
pub(super) fn load<T: Real>(kind: T, numbers: &[f64; super::WIDEST]) -> T {
    let mut x = kind;
    for (lane, number) in numbers.iter().enumerate().take(T::LANES) {
        x = x.with_lane(lane, *number);
    }
    x
}
