//! Actuators, taken at the end of the step.
//!
//! An actuator with control u and length l = cᵀq exerts, at the share θ of a step of h, e = e₀ − k (l̇⁺ − l̇), where
//!
//! ```text
//!     e₀ = gain u + bias + b_l (l + θ h l̇) + b_v l̇,     k = −(θ² h b_l + θ b_v)                       (1)
//!     e  = gain u + bias + b_l l + b_v l̇                                                              (2)
//! ```
//!
//! is the value of its affine law there, to first order, and (2) its value where it stands. Beyond its limit the effort is
//! the limit, and k drops out; with k ≤ 0 it is explicit. As a row of the constraint problem it is
//!
//! ```text
//!     g = l̇_f − l̇ − e₀/k,   R = 1/(h k),   h e_min ≤ λ ≤ h e_max                                      (3)
//! ```
//!
//! Units: effort [N or N·m], k [N·s/m or N·m·s/rad].

use stiction_dynamics::Real;

/// The law of an actuator, affine in its control, length and rate, and its ranges.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AffineActuator<T = f64> {
    pub gain: T,
    pub bias: T,
    /// b_l.
    pub bias_length: T,
    /// b_v.
    pub bias_velocity: T,
    /// Range of the effort, infinite where there is none [N or N·m].
    pub effort_range: [T; 2],
    /// Range of the control, infinite where there is none.
    pub control_range: [T; 2],
}

/// One actuator or tendon at one step.
#[derive(Clone, Copy, Debug, Default)]
pub struct Effort<T = f64> {
    /// e₀ of (1).
    pub start: T,
    /// k of (1), ≥ 0; zero when explicit or at its limit.
    pub implicit: T,
}

/// The row of (3).
#[derive(Clone, Copy, Debug)]
pub struct EffortRow<T> {
    /// g, with what is added to l̇_f.
    pub g: T,
    /// R.
    pub compliance: T,
}

impl AffineActuator {
    /// Puts the numbers into every lane of `kind`.
    #[inline(always)]
    pub fn cast<T: Real>(&self, kind: T) -> AffineActuator<T> {
        let [[a, b], [c, d]] = [self.effort_range, self.control_range];
        AffineActuator {
            gain: kind.like(self.gain),
            bias: kind.like(self.bias),
            bias_length: kind.like(self.bias_length),
            bias_velocity: kind.like(self.bias_velocity),
            effort_range: [kind.like(a), kind.like(b)],
            control_range: [kind.like(c), kind.like(d)],
        }
    }
}

/// `x` within a range.
#[inline(always)]
fn within<T: Real>([least, most]: [T; 2], x: T) -> T {
    x.clamp(least, most)
}

impl<T: Real> AffineActuator<T> {
    /// (2), without its limit, under the control u.
    #[inline(always)]
    pub fn effort(&self, u: T, length: T, rate: T) -> T {
        let u = within(self.control_range, u);
        self.gain * u + self.bias + self.bias_length * length + self.bias_velocity * rate
    }

    /// `effort` within the limit.
    #[inline(always)]
    pub fn limited(&self, effort: T) -> T {
        within(self.effort_range, effort)
    }

    /// (1) under the control u, explicit within its limit where k ≤ 0.
    #[inline(always)]
    pub fn at_share(&self, u: T, length: T, rate: T, h: T, theta: T) -> Effort<T> {
        let k = -theta * (theta * h * self.bias_length + self.bias_velocity);
        let now = self.effort(u, length, rate);
        let implicit = now.zero().less(k);
        Effort {
            start: T::select(implicit, now + theta * h * self.bias_length * rate, self.limited(now)),
            implicit: T::select(implicit, k, k.zero()),
        }
    }

    /// h D and h² K: what the law adds to z of (5) of [`super::spring`], before it is divided by the inertia [kg or kg·m²].
    #[inline(always)]
    pub fn damping_and_stiffness(&self, h: T) -> [T; 2] {
        [-h * self.bias_velocity, -h * h * self.bias_length]
    }

    /// The control under which (2) is zero at this length and rate, within no range; the gain is not zero.
    #[inline(always)]
    pub fn control_at_rest(&self, length: T, rate: T) -> T {
        -(self.bias + self.bias_length * length + self.bias_velocity * rate) / self.gain
    }
}

impl<T: Real> Effort<T> {
    /// `yes` where the mask holds, else `no`.
    #[inline(always)]
    pub fn select(mask: T::Mask, yes: Self, no: Self) -> Self {
        Self {
            start: T::select(mask, yes.start, no.start),
            implicit: T::select(mask, yes.implicit, no.implicit),
        }
    }

    /// The effort after a change of l̇.
    #[inline(always)]
    pub fn after(&self, change: T) -> T {
        self.start - self.implicit * change
    }

    /// (3), with change = l̇_f − l̇, where k > 0.
    #[inline(always)]
    pub fn row(&self, change: T, h: T) -> EffortRow<T> {
        EffortRow { g: change - self.start / self.implicit, compliance: change.one() / (h * self.implicit) }
    }

    /// h k c²: the implicit part on the diagonal of M, at a dof of which the length has the coefficient c [kg or kg·m²].
    #[inline(always)]
    pub fn inertia(&self, c: T, h: T) -> T {
        h * self.implicit * c * c
    }

    /// The effort after a change of l̇, within `range`, and this where it is within anyway; the mask holds where it is beyond.
    #[inline(always)]
    pub fn saturated(&self, range: [T; 2], change: T) -> (Self, T::Mask) {
        let (zero, effort) = (change.zero(), self.after(change));
        let limited = within(range, effort);
        let beyond = T::both(zero.less(self.implicit), zero.less((limited - effort).abs()));
        (Self::select(beyond, Self { start: limited, implicit: zero }, *self), beyond)
    }

    /// True where this, within `range`, is another effort after a change of l̇ than was `expected`, by more than the share
    /// `rounding` of both.
    #[inline(always)]
    pub fn belies(&self, expected: &Self, range: [T; 2], change: T, rounding: T) -> T::Mask {
        let (exact, expected) = (within(range, self.after(change)), expected.after(change));
        let differs = (rounding * (exact.abs() + expected.abs())).less((exact - expected).abs());
        T::both(change.zero().less(self.implicit), differs)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Dice, Law, hold};
    use super::*;

    /// Servos and motors, at their limits and within them.
    struct Actuators;

    impl Law<11, 8> for Actuators {
        const SINGLE: f64 = 1e-5;

        fn draw(dice: &mut Dice) -> [f64; 11] {
            let (gain, bias) = (dice.decades(1e-1, 1e4), dice.one());
            let damping = if dice.share() < 0.5 { -0.1 * gain } else { 0.1 * gain * dice.one() };
            let (stiffness, limit) = (if dice.share() < 0.5 { -gain } else { 0.0 }, gain * dice.share());
            let (u, length, rate) = (3.0 * dice.one(), 3.0 * dice.one(), 10.0 * dice.one());
            let (h, change) = (dice.decades(1e-4, 1e-2), dice.one());
            let theta = 0.5 + 0.5 * dice.share();
            [gain, bias, stiffness, damping, limit, u, length, rate, h, theta, change]
        }

        #[inline(always)]
        fn evaluate<T: Real>(x: [T; 11]) -> [T; 8] {
            let [gain, bias, bias_length, bias_velocity, limit, u, length, rate, h, theta, change] = x;
            let (one, zero) = (gain.one(), gain.zero());
            let (effort_range, control_range) = ([-limit, limit], [-one, one]);
            let law = AffineActuator { gain, bias, bias_length, bias_velocity, effort_range, control_range };
            let e = law.at_share(u, length, rate, h, theta);
            let (saturated, beyond) = e.saturated(effort_range, change);
            let wrong = e.belies(&saturated, effort_range, change + change, gain.like(1e-3));
            let implicit = zero.less(e.implicit);
            let row = Effort { implicit: T::select(implicit, e.implicit, one), ..e }.row(change, h);
            let truth = |mask: T::Mask| T::select(mask, one, zero);
            let rest = law.control_at_rest(length, rate);
            [e.start, e.implicit, saturated.start, truth(beyond), truth(wrong), row.g, row.compliance, rest]
        }

        fn sizes([gain, bias, stiffness, damping, _, _, length, rate, h, _, change]: &[f64; 11]) -> [f64; 8] {
            let most = gain
                + bias.abs()
                + stiffness.abs() * (length.abs() + h * rate.abs())
                + damping.abs() * (rate.abs() + change.abs());
            let k = 0.25 * h * stiffness.abs() + 0.5 * damping.abs();
            let k = if k > 0.0 { k.min(1.0) } else { 1.0 };
            [most, gain + damping.abs(), most, 1.0, 1.0, change.abs() + most / k, 1.0 / (h * k), most / gain]
        }
    }

    #[test]
    fn actuators_are_one_law() {
        hold::<Actuators, _, _>();
    }
}
