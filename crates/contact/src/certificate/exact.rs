//! The natural map of one block under the exact law, (4) of [`super`], of one problem or of as many as there are lanes.
//!
//! ```text
//!     row        e = |λ − P(λ − ρ c)| / ρ                       P: on [lo, hi]
//!     contact    e = ‖λ − P_K(λ − ρ ĉ)‖ / ρ                     ĉ = c + (0, 0, μ‖c_T‖)
//!     patch      the same with moments in λ_T
//! ```
//!
//! ρ = 1/`norm`, λ [N·s], c and e [m/s]. Where P changes nothing, e = ‖ĉ‖: λ − (λ − ρ ĉ) would lose ĉ to the rounding of a
//! large λ. A NaN makes e NaN.

use crate::cone::{MAX_ROWS, de_saxce, project_friction, tangential};
use stiction_dynamics::Real;
use stiction_dynamics::spatial::Vec3;

/// e of a single row whose impulse lies in [lo, hi].
#[inline(always)]
pub fn row<T: Real>([lo, hi]: [T; 2], norm: T, lambda: T, c: T) -> T {
    let target = lambda - norm.one() / norm * c;
    let projected = T::select(target.less(lo), lo, T::select(hi.less(target), hi, target));
    T::select(same(projected, target), c.abs(), (lambda - projected).abs() * norm)
}

/// e of a contact.
#[inline(always)]
pub fn contact<T: Real>(mu: T, norm: T, lambda: Vec3<T>, c: Vec3<T>) -> T {
    let (step, scale) = step(mu, norm, lambda, c);
    step.norm() * scale
}

/// e² of a contact, for sums over many [m²/s²].
#[inline(always)]
pub fn contact_squared<T: Real>(mu: T, norm: T, lambda: Vec3<T>, c: Vec3<T>) -> T {
    let (step, scale) = step(mu, norm, lambda, c);
    step.norm_squared() * (scale * scale)
}

/// λ − P_K(λ − ρ ĉ), and what it is multiplied by; where P_K changes nothing, ĉ and 1.
#[inline(always)]
fn step<T: Real>(mu: T, norm: T, lambda: Vec3<T>, c: Vec3<T>) -> (Vec3<T>, T) {
    let one = norm.one();
    let corrected = c + de_saxce(c, mu);
    let target = lambda - corrected * (one / norm);
    let projected = project_friction(target, mu);
    let there = T::both(same(projected.x, target.x), same(projected.y, target.y));
    let there = T::both(there, same(projected.z, target.z));
    (Vec3::select(there, corrected, lambda - projected), T::select(there, one, norm))
}

/// e of a patch; without De Saxcé's correction unless it is `corrected`.
#[inline(always)]
pub fn patch<T: Real>(mu: T, norm: T, lambda: &[T], c: &[T], corrected: bool) -> T {
    let (square, scale) = patch_step(mu, norm, lambda, c, corrected);
    square.sqrt() * scale
}

/// e² of a patch under the exact law [m²/s²].
#[inline(always)]
pub fn patch_squared<T: Real>(mu: T, norm: T, lambda: &[T], c: &[T]) -> T {
    let (square, scale) = patch_step(mu, norm, lambda, c, true);
    square * (scale * scale)
}

/// ‖·‖² of what a patch moves by, and the factor of its root.
#[inline(always)]
fn patch_step<T: Real>(mu: T, norm: T, lambda: &[T], c: &[T], corrected: bool) -> (T, T) {
    let (zero, one) = (mu.zero(), mu.one());
    let (rho, mut velocity, mut x) = (one / norm, [zero; MAX_ROWS], [zero; MAX_ROWS]);
    velocity[..c.len()].copy_from_slice(c);
    if corrected {
        velocity[2] += mu * tangential(c);
    }
    for k in 0..c.len() {
        x[k] = lambda[k] - rho * velocity[k];
    }
    let (t, n) = (tangential(&x), x[2]);
    let inside = T::both(t.at_most(mu * n), zero.at_most(n));
    let polar = T::both(T::not(inside), (mu * t).at_most(-n));
    // λ − P_K(x) = ρ ĉ + P_K°(x): where long lever arms make 1/ρ large, and with it what λ − P_K(x) loses of λ_N,
    // P_K°(x) = b (x_T/‖x_T‖, −μ) is small.
    let b = (t - mu * n) / (one + mu * mu) * norm;
    let share = b / t;
    let mut square = zero;
    for k in 0..c.len() {
        let beyond = if k == 2 { -(mu * b) } else { x[k] * share };
        let moved = T::select(polar, lambda[k], beyond + velocity[k]);
        let moved = T::select(inside, velocity[k], moved);
        square += moved * moved;
    }
    (square, T::select(polar, norm, one))
}

/// a = b; false where one of them is NaN.
#[inline(always)]
fn same<T: Real>(a: T, b: T) -> T::Mask {
    T::both(a.at_most(b), b.at_most(a))
}
