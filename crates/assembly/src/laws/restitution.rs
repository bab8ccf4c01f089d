//! Newton's restitution at the instant of the impact.
//!
//! With e the coefficient of restitution, v_thr the approach speed below which nothing bounces,
//!
//! ```text
//!     J_N v < −v_thr     g_N = J_N v_f + e u − (1 − s) h a                                            (1)
//!     not met yet        g_N = J_N v_f + max((φ + ℓ)/h, e J_N v, −J_N v_f)                            (2)
//! ```
//!
//! where h a = J_N (v_f − v); what forces of this step bring down again before it ends is held at its gap, as what is slow: a servo that
//! presses a light foot would else push it on after every bounce. The surfaces meet after the share s of the step, φ + s h J_N v + ½ a (s h)² = 0 (s = 0 where
//! they overlap), at the speed u = J_N v + s h a, part at −e u, and are accelerated for the rest. What parts at J_N v >
//! v_thr, or is farther than h v_thr and would not meet in this step, meets only if others push it in this same step. It may
//! overlap then, and bounces in the next: held at its gap it would not bounce at all. By how much, ℓ, is e times a share of
//! how thick it is; what overlaps already may be pushed on as fast as Newton's law lets it (2).

use super::row_params::RowParams;
use stiction_dynamics::Real;

/// How a contact bounces in this step.
#[derive(Clone, Copy, Debug)]
pub struct Bounce<T: Real> {
    /// (1) or (2) holds, instead of what the gap asks.
    pub holds: T::Mask,
    /// Bias of the bounce: g_N − J_N v_f then [m/s].
    pub bias: T,
    /// It is met in this step, or has been.
    pub met: T::Mask,
    /// Share of the step that is left after it, 1 − s [–].
    pub left: T,
}

/// Two surfaces that may bounce.
#[derive(Clone, Copy, Debug)]
pub struct Restitution<T = f64> {
    /// e [–]; 0: they do not.
    pub coefficient: T,
    /// ℓ/e: how deep the two may overlap, for a step, before they bounce at e = 1 [m].
    pub depth: T,
}

/// How a contact or stop lands in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PosedLanding {
    /// Share of the step before it, as predicted when it was posed [–].
    pub predicted: f64,
    /// Distance in the middle of the step [m or rad].
    pub middle: f64,
    /// J (v_f − v) [m/s or rad/s].
    pub gain: f64,
}

impl PosedLanding {
    /// Share of a step of h [s] after which the distance, `start` at its start, is 0 [–]; 1 where that is never so.
    pub fn share(&self, start: f64, h: f64) -> f64 {
        let rate = 2.0 * (self.middle - start) / h;
        let square = rate * rate - 2.0 * self.gain / h * start;
        let share = if square < 0.0 { 1.0 } else { 2.0 * start / (h * (square.sqrt() - rate)) };
        if share > 0.0 { share.min(1.0) } else { 1.0 }
    }

    /// Speed at which the distance, `start` at the start of a step of h [s], closes after a share of the step [m/s or rad/s]; 0
    /// where it opens.
    pub fn speed(&self, start: f64, share: f64, h: f64) -> f64 {
        let rate = 2.0 * (self.middle - start) / h;
        (-(rate + self.gain * share)).max(0.0)
    }
}

/// Approach speed below which nothing bounces [m/s]: `threshold`, or what gravity [m/s²] makes of a body in two steps of h [s].
#[inline(always)]
pub fn bouncing_speed<T: Real>(threshold: T, h: T, gravity: T) -> T {
    threshold.max(h.like(2.0) * h * gravity)
}

impl<T: Real> RowParams<T> {
    /// (1) or (2) of a contact whose gap grows at the rate `before` = J_N v and would at `free` = J_N v_f [m/s]. Neither holds
    /// where it is too slow for that, or would be down again before the step ends.
    #[inline(always)]
    pub fn bounce(&self, surfaces: Restitution<T>, gap: T, before: T, free: T) -> Bounce<T> {
        let (h, threshold, e) = (self.h, self.bouncing_speed, surfaces.coefficient);
        let (zero, one, half, two) = (gap.zero(), gap.one(), gap.like(0.5), gap.like(2.0));
        let bounces = zero.less(e);
        let end = half * h * (before + free);
        let parts = T::both(threshold.less(before), zero.at_most(gap.max(zero) + end));
        let far = (h * threshold).less(gap);
        let misses = T::both(far, zero.at_most(gap + end));
        let waits = T::both(bounces, T::not(T::both(T::not(parts), T::not(misses))));
        let allowance = T::select(zero.less(gap), e * surfaces.depth, zero);
        let pushed = ((gap + allowance) / h).max(e * before).max(-free); // (2)
        let gain = free - before;
        let above = gap.max(zero);
        let square = before * before - two * gain / h * above;
        let reaches = zero.less(square);
        let root = T::select(reaches, T::select(reaches, square, one).sqrt(), zero);
        let share = (two * above / (h * (root - before))).min(one);
        let (meeting, left) = (before + share * gain, one - share);
        let parting = left * gain - e * meeting;
        let off = T::both(zero.less(parting), zero.at_most(parting - e * meeting));
        let fast = T::both(bounces, before.less(-threshold));
        let now = T::both(T::both(fast, T::not(waits)), off);
        let parts = T::both(bounces, parts);
        Bounce {
            holds: T::not(T::both(T::not(waits), T::not(now))),
            bias: T::select(now, -parting, pushed),
            met: T::not(T::both(T::not(parts), T::not(now))),
            left: T::select(now, left, one),
        }
    }
}

impl RowParams {
    /// How a surface or stop lands whose distance is known at the start of a step and in its middle: one that closes
    /// at the rate `before` = J_N v faster than bodies bounce or overlaps in the middle, and would go on at `free` = J_N v_f at the end.
    pub fn landing(&self, [start, middle]: [f64; 2], before: f64, free: f64) -> Option<PosedLanding> {
        if !self.lands(before, middle) {
            return None;
        }
        let landing = PosedLanding { predicted: 0.0, middle, gain: free - before };
        let predicted = if start > 0.0 { landing.share(start, self.h) } else { 0.0 };
        Some(PosedLanding { predicted, ..landing })
    }

    /// e J_N v⁻ of a contact without an impulse in the last step that is hit within a step which does not end there, its gap being
    /// `middle` in the middle of the step [m] and growing at the rate `before`: it bounces in the whole step.
    pub fn rebound_within(&self, e: f64, before: f64, middle: f64) -> Option<f64> {
        if middle + 0.5 * self.h * before < 0.0 { self.rebound(e, before) } else { None }
    }

    /// e J_N v of a contact that is hit at the rate `before` = J_N v, at the instant of the impact [m/s]: with it
    /// J_N v⁺ ≥ −e J_N v. `None` if it is too slow to bounce.
    pub fn rebound(&self, e: f64, before: f64) -> Option<f64> {
        (e > 0.0 && before < -self.bouncing_speed).then_some(e * before)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Dice, Law, PARAMS, hold, params};
    use super::*;

    /// Contacts that close, part and overlap, at all speeds.
    struct Impacts;

    impl Law<{ PARAMS + 5 }, 5> for Impacts {
        const SINGLE: f64 = 1e-4;

        fn draw(dice: &mut Dice) -> [f64; PARAMS + 5] {
            let (gap, depth) = (dice.one() * dice.decades(1e-6, 1e-2), dice.decades(1e-4, 1e-2));
            let (before, gain) = (dice.one() * dice.decades(0.1, 10.0), 0.1 * dice.one());
            let e = if dice.share() < 0.2 { 0.0 } else { dice.share() };
            dice.with_params([e, depth, gap, before, before + gain])
        }

        #[inline(always)]
        fn evaluate<T: Real>(x: [T; PARAMS + 5]) -> [T; 5] {
            let (p, [coefficient, depth, gap, before, free]) = params(x);
            let bounce = p.bounce(Restitution { coefficient, depth }, gap, before, free);
            let truth = |mask: T::Mask| T::select(mask, gap.one(), gap.zero());
            let bias = T::select(bounce.holds, bounce.bias, gap.zero());
            let left = T::select(bounce.holds, bounce.left, gap.one());
            let speed = bouncing_speed(p.bouncing_speed, p.h, gap.like(9.81));
            [truth(bounce.holds), bias, truth(bounce.met), left, speed]
        }

        fn sizes(x: &[f64; PARAMS + 5]) -> [f64; 5] {
            let (p, [_, depth, gap, before, _]) = params(*x);
            let speed = before.abs() + 1.0 + (gap.abs() + depth) / p.h;
            // The surfaces meet at a share that is ill conditioned where they hardly touch.
            [1.0, speed, 1.0, 10.0, 1.0]
        }
    }

    /// Surfaces that part are free to be pushed on by others; those that a servo presses together again within the step are held.
    #[test]
    fn what_is_pressed_down_again_is_held() {
        let p = RowParams {
            h: 2e-3,
            margin: 1e-3,
            slop: 1e-5,
            correction: 0.2,
            correction_speed: 1.0,
            bouncing_speed: 0.05,
            coarseness: 0.0,
        };
        let surfaces = Restitution { coefficient: 0.5, depth: 1e-3 };
        let waits = |gap: f64, free: f64| p.bounce(surfaces, gap, 0.15, free).holds;
        assert!(waits(-1e-3, 0.1) && waits(1e-3, -0.3));
        assert!(!waits(-1e-3, -0.3) && !waits(1e-5, -0.3));
    }

    #[test]
    fn bounces_are_one_law() {
        hold::<Impacts, _, _>();
    }
}
