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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::Random;
    use stiction_dynamics::lanes::{self, F32x8, F64x4};
    use stiction_dynamics::spatial::vec3;

    /// μ, ‖A‖, bounds, λ and c of as many blocks as there are lanes.
    struct Blocks([[f64; 16]; 8]);

    impl Blocks {
        /// e of a row, of a contact, and of patches of 4 and 6 rows.
        #[inline(always)]
        fn of<T: Real>(x: [T; 16]) -> [T; 4] {
            let [mu, norm, lo, hi, l @ .., _, _, _, _, _, _] = x;
            let c = [x[10], x[11], x[12], x[13], x[14], x[15]];
            [
                row([lo, hi], norm, l[0], c[0]),
                contact(mu, norm, vec3(l[0], l[1], l[2]), vec3(c[0], c[1], c[2])),
                patch(mu, norm, &l[..4], &c[..4], true),
                patch_squared(mu, norm, &l, &c),
            ]
        }
    }

    impl lanes::Task for Blocks {
        type Output = Vec<[f64; 4]>;
        #[inline(always)]
        fn run<T: Real>(self, kind: T) -> Self::Output {
            let mut x = [kind; 16];
            for (k, x) in x.iter_mut().enumerate() {
                for lane in 0..T::LANES {
                    *x = x.with_lane(lane, self.0[lane][k]);
                }
            }
            let e = Self::of(x);
            (0..T::LANES).map(|lane| e.map(|e| e.lane(lane))).collect()
        }
    }

    /// Inside, outside and on the edges of their sets, a lane of four `f64` has the bits of one number, and one of eight
    /// `f32` differs by their rounding.
    #[test]
    fn lanes_say_what_one_number_says() {
        let mut random = Random(3);
        for k in 0..3000 {
            let mut all = [[0.0; 16]; 8];
            for block in &mut all {
                block.iter_mut().for_each(|x| *x = random.number());
                block[0] = [0.0, 0.3, 1.5][k % 3];
                block[1] = 0.5 + block[1].abs();
                (block[2], block[3]) = (-block[2].abs(), block[3].abs());
                match k % 4 {
                    1 => block[6] = block[6].abs() + 2.0,
                    2 => block[10..].fill(0.0),
                    3 => block[12] = block[12].abs() + 9.0,
                    _ => {}
                }
            }
            let alone = all.map(Blocks::of);
            let four = lanes::run::<F64x4, _>(Blocks(all));
            let eight = lanes::run::<F32x8, _>(Blocks(all));
            for (alone, lane) in alone.iter().zip(&four) {
                assert_eq!(alone.map(f64::to_bits), lane.map(f64::to_bits), "{k}");
            }
            for (alone, lane) in alone.iter().zip(&eight) {
                assert!(
                    alone.iter().zip(lane).all(|(a, b)| (a - b).abs() < 1e-4 * (1.0 + a)),
                    "{k} {alone:?} {lane:?}"
                );
            }
        }
        let nan = row([0.0, 1.0], 1.0, f64::NAN, 0.0)
            + contact(0.5, 1.0, vec3(0.0, f64::NAN, 1.0), vec3(0.0, 0.0, 0.0));
        assert!(nan.is_nan() && patch(0.5, 1.0, &[f64::NAN, 0.0, 1.0, 0.0], &[0.0; 4], true).is_nan());
    }
}
