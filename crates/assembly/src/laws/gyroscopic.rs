//! The gyroscopic moment of a free body, taken at the midpoint of the step.
//!
//! ```text
//!     I (ω⁺ − ω) + h ω̄ × I ω̄ = 0,     ω̄ = (ω + ω⁺)/2                    (1)
//! ```
//!
//! I is about the centre of mass, all in body axes. With s = ω̄ (unknown), (1) is 2 I (s − ω) + h s × I s = 0; Newton
//! with Jacobian 2 I + h (s× I − (I s)×). Converges in two or three steps while h‖ω‖ < 1; faster bodies take (1) in
//! parts so short. Every part keeps ω·Iω and ‖Iω‖, where the explicit moment would add energy without bound. What turns
//! farther than [`PARTS`] parts in a step, or has a singular I, keeps its ω as it is.

use stiction_dynamics::Real;
use stiction_dynamics::spatial::{Mat3, Sym3, Vec3, vec3};

/// A body that turns less than this in a step has an explicit moment [rad]: that differs from (1) by the square of it, a share of ω.
const STILL: f64 = 1e-9;
/// Parts of a step, at most: one for every half radian.
const PARTS: f64 = 64.0;
/// Newton's iterations for a part.
const ITERATIONS: usize = 8;
/// Newton has converged where its step is below this many units of rounding, a share of ω [–].
const CONVERGED: f64 = 0.45;
/// Newton has failed where its step is above this many roots of the unit of rounding, a share of ω [–].
const FAILED: f64 = 0.0067;

/// ω̄ × I ω̄ − ω × I ω [N·m], body axes: what to add to the explicit bias so that (1) holds, of a body with the inertia I about
/// its centre of mass [kg·m²], in a step of h [s].
#[inline(always)]
pub fn midpoint_moment<T: Real>(inertia: &Sym3<T>, omega: Vec3<T>, h: T) -> Vec3<T> {
    let (zero, one, two) = (h.zero(), h.one(), h.like(2.0));
    let explicit = omega.cross(*inertia * omega);
    let turn = h * omega.norm();
    let acts = T::not(T::both(is_zero(explicit.x), T::both(is_zero(explicit.y), is_zero(explicit.z))));
    let acts = T::both(acts, T::not(turn.at_most(h.like(STILL))));
    if !T::any(acts) {
        return Vec3::zero(zero);
    }
    // 0 of what turns too far.
    let (slow, mut parts) = (turn.at_most(one), one);
    if !T::all(slow) {
        for lane in 0..T::LANES {
            let needed = (2.0 * turn.lane(lane)).ceil();
            let at_once = turn.lane(lane) <= 1.0;
            parts = parts.with_lane(
                lane,
                if at_once {
                    1.0
                } else if needed <= PARTS {
                    needed
                } else {
                    0.0
                },
            );
        }
    }
    let (mut end, mut middle, mut part) = (omega, omega, zero);
    let mut found = T::both(acts, zero.less(parts));
    while T::any(T::both(found, part.less(parts))) {
        let (active, (s, converged)) = (part.less(parts), midpoint(inertia, end, h / parts.max(one)));
        found = T::both(found, T::not(T::both(active, T::not(converged))));
        middle = Vec3::select(active, s, middle);
        end = Vec3::select(active, s * two - end, end);
        part += one;
    }
    let at_once = middle.cross(*inertia * middle) - explicit;
    let moment = if T::all(slow) {
        at_once
    } else {
        Vec3::select(slow, at_once, (*inertia * (omega - end)) * (one / h) - explicit)
    };
    Vec3::select(acts, Vec3::select(found, moment, -explicit), Vec3::zero(zero))
}

/// True where x is 0.
#[inline(always)]
fn is_zero<T: Real>(x: T) -> T::Mask {
    T::both(x.at_most(x.zero()), x.zero().at_most(x))
}

/// s of (1), and where Newton finds it.
#[inline(always)]
fn midpoint<T: Real>(inertia: &Sym3<T>, w: Vec3<T>, h: T) -> (Vec3<T>, T::Mask) {
    let two = h.like(2.0);
    let converged = h.like(CONVERGED * T::EPSILON);
    let (mut s, mut last) = (w, h.like(f64::INFINITY));
    let mut running = h.zero().less(h.one());
    for _ in 0..ITERATIONS {
        let momentum = *inertia * s;
        let residual = (*inertia * (s - w)) * two + s.cross(momentum) * h;
        let jacobian = inertia.to_mat3() * two + (skew(s) * inertia.to_mat3() - skew(momentum)) * h;
        let (inverse, regular) = inverse(jacobian);
        let step = inverse * residual;
        let taken = T::both(running, regular);
        s = Vec3::select(taken, s - step, s);
        last = T::select(taken, step.norm() / w.norm(), T::select(running, h.like(f64::INFINITY), last));
        running = T::both(taken, T::not(last.at_most(converged)));
        if !T::any(running) {
            break;
        }
    }
    (s, last.at_most(h.like(FAILED * T::EPSILON.sqrt())))
}

/// The inverse by cofactors, and where there is one.
#[inline(always)]
fn inverse<T: Real>(m: Mat3<T>) -> (Mat3<T>, T::Mask) {
    let [a, b, c] = m.rows;
    let (bc, ca, ab) = (b.cross(c), c.cross(a), a.cross(b));
    let inv = bc.x.one() / a.dot(bc);
    (Mat3::from_columns(bc * inv, ca * inv, ab * inv), inv.finite())
}

/// The matrix of v ×.
#[inline(always)]
fn skew<T: Real>(v: Vec3<T>) -> Mat3<T> {
    let o = v.x.zero();
    Mat3 { rows: [vec3(o, -v.z, v.y), vec3(v.z, o, -v.x), vec3(-v.y, v.x, o)] }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Dice, Law, hold};
    use super::*;

    /// Bodies of all shapes, slow and so fast that they take several parts.
    struct Bodies;

    impl Law<7, 3> for Bodies {
        const SINGLE: f64 = 2e-5;

        fn draw(dice: &mut Dice) -> [f64; 7] {
            let speed = if dice.share() < 0.2 { dice.decades(100.0, 1e3) } else { dice.decades(1e-2, 50.0) };
            let (a, b) = (0.2 + dice.share(), 0.2 + dice.share());
            let c = (a - b).abs() + (a + b - (a - b).abs()) * dice.share();
            [a, b, c, speed * dice.one(), speed * dice.one(), speed * dice.one(), dice.decades(1e-3, 1e-2)]
        }

        #[inline(always)]
        fn evaluate<T: Real>([a, b, c, x, y, z, h]: [T; 7]) -> [T; 3] {
            let o = a.zero();
            let inertia = Sym3 { xx: a, yy: b, zz: c, xy: o, xz: o, yz: o };
            let moment = midpoint_moment(&inertia, vec3(x, y, z), h);
            [moment.x, moment.y, moment.z]
        }

        fn sizes([a, b, c, x, y, z, h]: &[f64; 7]) -> [f64; 3] {
            // ω is a root: what is left of h/I of a moment is rounding of ω.
            let w = vec3(*x, *y, *z).norm();
            [(a + b + c) * w * (w + 1.0 / h) * (1.0 + h * w).powi(2); 3]
        }
    }

    #[test]
    fn gyroscopic_moments_are_one_law() {
        hold::<Bodies, _, _>();
    }

    /// A thousand steps about the unstable axis: energy and ‖I ω‖ stay to rounding.
    #[test]
    fn energy_and_momentum_norm_are_kept() {
        let i = Sym3::diagonal(1.0, 2.0, 3.0);
        let mut w = vec3(0.01, 5.0, 0.01);
        let (energy, momentum) = (w.dot(i * w), (i * w).norm());
        let h = 1e-2;
        let mut lowest = f64::INFINITY;
        for _ in 0..1000 {
            let moment = w.cross(i * w) + midpoint_moment(&i, w, h);
            w -= vec3(moment.x / 1.0, moment.y / 2.0, moment.z / 3.0) * h;
            lowest = lowest.min(w.y);
        }
        assert!((w.dot(i * w) / energy - 1.0).abs() < 1e-12);
        assert!(((i * w).norm() / momentum - 1.0).abs() < 1e-12);
        assert!(lowest < -4.9, "the body must have flipped");
    }

    /// Ten and thirty radians a step: energy stays to rounding. A hundred: ω stays as it is.
    #[test]
    fn fast_bodies_keep_their_energy() {
        let i = Sym3::diagonal(1.0, 2.0, 2.9);
        for (speed, h) in [(1000.0, 1e-2), (3000.0, 1e-2), (1e4, 1e-2), (1e100, 1e-2)] {
            let mut w = vec3(0.6, 0.7, 0.39) * speed;
            let (start, energy) = (w, w.dot(i * w));
            for _ in 0..100 {
                let moment = w.cross(i * w) + midpoint_moment(&i, w, h);
                w -= vec3(moment.x / 1.0, moment.y / 2.0, moment.z / 2.9) * h;
            }
            assert!((w.dot(i * w) / energy - 1.0).abs() < 1e-10, "{speed}: {w:?}");
            assert_eq!(w == start, speed * h > 32.0);
        }
    }

    /// At [`STILL`] what is left out changes ω by less than its rounding.
    #[test]
    fn what_hardly_turns_is_explicit() {
        let (i, h) = (Sym3::diagonal(1.0, 2.0, 2.9), 1e-3);
        let w = vec3(0.6, 0.7, 0.39) * (STILL / h);
        let (s, found) = midpoint(&i, w, h);
        assert!(found, "Newton converges");
        let left_out = s.cross(i * s) - w.cross(i * w);
        assert!(h * left_out.norm() < f64::EPSILON * w.norm());
        assert_eq!(midpoint_moment(&i, w * 0.9, h), Vec3::ZERO);
    }
}
