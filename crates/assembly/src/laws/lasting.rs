//! A contact that had an impulse in the last step, of a step that is posed in its middle: (1) to (3) of [`crate::rolling`].

use super::coplanar::Face;
use super::gap::GapBias;
use super::row_params::RowParams;
use stiction_dynamics::Real;
use stiction_dynamics::spatial::Vec3;

/// A contact whose slip at the start of the step is more than so many times what turns it in the step slides [–], if friction is not
/// likely to end it in the step: below μ times the speed under which nothing bounces.
const SLIDES: f64 = 4.0;
/// Overlap at the end of a step up to which a new contact or stop does not land, whatever the slop [m or rad].
const SUNK: f64 = 1e-6;
/// Slip, and approach, that is none [m/s].
const STILL: f64 = 1e-9;
/// A contact of which less than this share of its slip is left, or whose slip turns round, sticks [–].
const STICKS: f64 = 1e-3;

/// Velocities of a contact along its axes (t₁, t₂, n).
#[derive(Clone, Copy, Debug)]
pub struct Lasting<T: Real> {
    /// J v⁻ of the step.
    pub before: Vec3<T>,
    /// w, after the impulses of the last step.
    pub last: Vec3<T>,
    /// t, from the pose of w to the end of the last step [s].
    pub since: T,
}

/// How the contact goes on.
#[derive(Clone, Copy, Debug)]
pub struct Lasts<T: Real> {
    /// ½ h a of (1), which is added to J v⁺.
    pub turn: Vec3<T>,
    /// Velocity at the start of the step.
    pub slip: Vec3<T>,
    /// Share ½ h/(t + ½ h) of (1) [–].
    pub share: T,
    /// Biases of φ₀ [m/s].
    pub gap: T,
    pub correction: T,
}

/// Size of the tangential part.
#[inline(always)]
fn tangential_size<T: Real>(v: Vec3<T>) -> T {
    (v.x * v.x + v.y * v.y).sqrt()
}

impl<T: Real> RowParams<T> {
    /// The contact `c` with this gap in the middle of the step [m].
    #[inline(always)]
    pub fn lasting_contact(&self, gap: T, face: Face<T>, c: Lasting<T>) -> Lasts<T> {
        let (h, zero, one, half) = (self.h, gap.zero(), gap.one(), gap.like(0.5));
        let time = c.since + half * h;
        let rate = (c.before - c.last) * (one / time);
        let slip = c.last + rate * c.since;
        let earlier = gap.like(0.125) * h * h * rate.z - half * h * c.before.z;
        let of_gap = self.contact_bias(gap + earlier, Face { deepest: face.deepest + earlier, ..face });
        Lasts {
            turn: rate * (half * h),
            slip,
            share: half * h / time,
            gap: (of_gap.gap + half * slip.z.min(zero)).max(zero),
            correction: of_gap.correction,
        }
    }

    /// A contact without an impulse in the last step, of which the gap in the middle of the step is `gap` [m] and grows at the
    /// rate `before` = J_N v⁻: it stays open to the end, φ(q_m) + ½ h J_N v⁺ ≥ 0. An overlap at the start is undone, and so is what the
    /// first half of the step adds to it: all of that in this step.
    #[inline(always)]
    pub fn new_contact(&self, gap: T, face: Face<T>, before: T) -> GapBias<T> {
        let (two, earlier) = (gap.like(2.0), gap.like(0.5) * self.h * before);
        let start = face.deepest - earlier;
        let of_start = self.contact_bias(gap - earlier, Face { deepest: start, ..face });
        let correction = of_start.correction - self.sunk(start, gap);
        GapBias { gap: two * self.contact_bias(gap, face).gap, correction }
    }

    /// Speed at which positions are corrected by what a new contact or stop sinks in from the distance `start` to that in the
    /// `middle` of the step, beyond the slop.
    #[inline(always)]
    pub fn sunk(&self, start: T, middle: T) -> T {
        let deeper = (start.min(start.zero()) - middle - self.slop).max(start.zero());
        (deeper / self.h).min(self.correction_speed)
    }

    /// Where a contact with friction slides, and where it is not likely to stop in the step either.
    #[inline(always)]
    pub fn slides(&self, friction: T, lasts: &Lasts<T>) -> [T::Mask; 2] {
        let (slip, turn) = (tangential_size(lasts.slip), tangential_size(lasts.turn) * friction.like(SLIDES));
        let still = self.coarseness * friction.like(STILL);
        let rough = friction.zero().less(friction);
        let soon = friction * self.bouncing_speed;
        [T::both(rough, (turn + still).less(slip)), T::both(rough, (turn + soon.max(still)).less(slip))]
    }

    /// Where what is new lands, of which the distance grows at the rate `before` = J_N v⁻ and is `middle` in the middle of the step: it
    /// closes faster than bodies bounce, or would overlap at the end by more than the slop.
    #[inline(always)]
    pub fn lands(&self, before: T, middle: T) -> T::Mask {
        let closes = before.less(-(self.coarseness * before.like(STILL)));
        let end = middle + before.like(0.5) * self.h * before;
        let sinks = T::both(closes, end.less(-self.slop.max(before.like(SUNK))));
        T::not(T::both(T::not(before.less(-self.bouncing_speed)), T::not(sinks)))
    }
}

/// Slip that stops nearer than this share to an end of the step is not parted [–].
const NEAR_END: f64 = 0.02;
/// Share by which a force is outside of its set [–].
const OUTSIDE: f64 = 1e-9;

/// Share τ of a step after which slip stops, and where it turns back then: friction that holds it in the rest is outside
/// of the cone. Slip is `before` the impulses, and `after` those of a step in which it slides on; `friction` is the
/// impulse of a law at the end of the step, of `most` at most [m/s, N·s].
///
/// ```text
///     τ = −c·a/a²,  a the change of c;     |λ_T + μ λ_N τ ĉ| > (1 − τ) μ λ_N
/// ```
#[inline(always)]
pub fn turn_back<T: Real>(before: [T; 2], after: [T; 2], most: T, friction: [T; 2]) -> (T, T::Mask) {
    let ([x, y], one) = (before, most.one());
    let (change, size) = ([after[0] - x, after[1] - y], (x * x + y * y).sqrt());
    let share = -(x * change[0] + y * change[1]) / (change[0] * change[0] + change[1] * change[1]);
    let more = most * share / size;
    let held = [friction[0] + more * x, friction[1] + more * y];
    let size = (held[0] * held[0] + held[1] * held[1]).sqrt();
    let outside = ((one - share) * most * most.like(1.0 + OUTSIDE)).less(size);
    let round = (x * after[0] + y * after[1]).less(most.zero());
    let within = T::both(most.like(NEAR_END).at_most(share), share.less(most.like(1.0 - NEAR_END)));
    (share, T::both(T::both(round, outside), within))
}

/// Slip of a joint that is none [m/s or rad/s].
const AT_REST: f64 = 1e-12;

/// Dry friction of `most` at most [N·s or N·m·s] that turns in a step in which its joint or tendon goes from the rate c, `before`, to
/// `after` under the impulse λ, w being its own G: the impulse that it has instead, and where it does.
///
/// ```text
///     τ = |c| / |A − s B|,  A the change of c without dry friction, B what it takes, s = sign c;     λ = −s λ_f (2τ − 1)
/// ```
#[inline(always)]
pub fn dry_friction_turns<T: Real>([before, after]: [T; 2], impulse: T, w: T, most: T) -> (T, T::Mask) {
    let (zero, one, rest) = (before.zero(), before.one(), before.like(AT_REST));
    let sense = T::select(before.less(zero), -one, one);
    let (without, takes) = (after - w * impulse - before, w * most);
    let share = before.abs() / (without - sense * takes).abs();
    let stops = T::both(rest.less(before.abs()), (sense * after).at_most(rest));
    let turns = (sense * without).less(-(takes * one.like(1.0 + OUTSIDE)));
    let within = T::both(one.like(NEAR_END).at_most(share), share.less(one));
    (-(sense * most) * ((one + one) * share - one), T::both(stops, T::both(turns, within)))
}

/// Where slip that was `before` and is `after` a step has stopped or turned round.
#[inline(always)]
pub fn has_stopped<T: Real>(before: [T; 2], after: [T; 2]) -> T::Mask {
    let [x, y] = before;
    (x * after[0] + y * after[1]).less(x.like(STICKS) * (x * x + y * y))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Dice, Law, PARAMS, hold, params};
    use super::*;
    use stiction_dynamics::spatial::vec3;

    struct LastingContacts;

    impl Law<{ PARAMS + 10 }, 9> for LastingContacts {
        const SINGLE: f64 = 1e-4;

        fn draw(dice: &mut Dice) -> [f64; PARAMS + 10] {
            let (deepest, apart) = (dice.sign() * dice.decades(1e-6, 1e-2), dice.decades(1e-9, 1e-3));
            let before = [0; 3].map(|_| dice.one() * dice.decades(0.1, 10.0));
            let last = before.map(|v| v + 0.1 * dice.one());
            let [a, b, c] = before;
            let [d, e, f] = last;
            dice.with_params([deepest, apart, 0.5 * apart, a, b, c, d, e, f, 5e-4])
        }

        #[inline(always)]
        fn evaluate<T: Real>(x: [T; PARAMS + 10]) -> [T; 9] {
            let (p, [deepest, apart, spread, a, b, c, d, e, f, since]) = params(x);
            let contact = Lasting { before: vec3(a, b, c), last: vec3(d, e, f), since };
            let lasts = p.lasting_contact(deepest + apart, Face { deepest, spread }, contact);
            let (turn, slip) = (lasts.turn, lasts.slip);
            [turn.x, turn.y, turn.z, slip.x, slip.y, slip.z, lasts.share, lasts.gap, lasts.correction]
        }

        fn sizes(x: &[f64; PARAMS + 10]) -> [f64; 9] {
            let (p, [deepest, apart, _, a, b, c, _, _, _, _]) = params(*x);
            let speed = a.abs() + b.abs() + c.abs() + 1.0;
            let all = 10.0 * (speed + (deepest.abs() + apart) / p.h);
            [speed, speed, speed, speed, speed, speed, 1.0, all, all]
        }
    }

    #[test]
    fn contacts_that_last_are_one_law() {
        hold::<LastingContacts, _, _>();
    }
}
