//! Springs and dampers of joints and of tendons, taken at the end of the step.
//!
//! With K the stiffness, s the displacement and D the damping, at the share θ of a step of h,
//!
//! ```text
//!     spring    e = −K (s + θ h v),      h k = (θ h)² K on the diagonal of M                           (1)
//!     damper    e = −D v,                h k = h D θ                                                   (2)
//!     tendon    e = −K (s + θ h l̇) − D l̇,  k = θ (θ h K + D)                                           (3)
//!     held      e = −K s                                                                               (4)
//! ```
//!
//! (4) is the spring of integrators that evaluate forces where they stand. The share of trees that are posed in the
//! middle of the step is
//!
//! ```text
//!     θ = ⅔ − 1/z within [½, ⅔],     z = (h D + h² K)/m                                                (5)
//! ```
//!
//! with m the inertia of the dof: the least at which a motion that it damps changes its sign, if at all, at half its size
//! from step to step. Units: e [N or N·m], k [N·s/m or N·m·s/rad].

use super::actuator::Effort;
use stiction_dynamics::Real;

/// A spring or damper at one step.
#[derive(Clone, Copy, Debug)]
pub struct Passive<T = f64> {
    /// e [N or N·m].
    pub effort: T,
    /// h k [kg or kg·m²].
    pub inertia: T,
}

/// The spring of a joint, (1).
#[inline(always)]
pub fn spring<T: Real>(stiffness: T, displacement: T, v: T, h: T, theta: T) -> Passive<T> {
    let part = theta * h;
    Passive { effort: -(stiffness * (displacement + part * v)), inertia: part * part * stiffness }
}

/// The damper of a joint, (2).
#[inline(always)]
pub fn damper<T: Real>(damping: T, v: T, h: T, theta: T) -> Passive<T> {
    Passive { effort: held_damper(damping, v), inertia: h * damping * theta }
}

/// The effort of a spring where it stands, (4) [N or N·m].
#[inline(always)]
pub fn held_spring<T: Real>(stiffness: T, displacement: T) -> T {
    -(stiffness * displacement)
}

/// The effort of (2), which is the same at all shares.
#[inline(always)]
pub fn held_damper<T: Real>(damping: T, v: T) -> T {
    -(damping * v)
}

/// The share θ of (5) [–].
#[inline(always)]
pub fn share<T: Real>(z: T) -> T {
    let (least, most) = (z.like(0.5), z.like(2.0 / 3.0));
    let theta = most - z.one() / z;
    let theta = T::select(theta.less(least), least, theta);
    T::select(z.zero().less(z), theta, least)
}

/// The spring and damper of a tendon.
#[derive(Clone, Copy, Debug)]
pub struct TendonSpring<T = f64> {
    /// K [N/m].
    pub stiffness: T,
    /// D [N·s/m].
    pub damping: T,
    /// Range of the length in which the spring is slack [m]; infinite where there is none.
    pub slack: [T; 2],
}

impl TendonSpring {
    /// Puts the numbers into every lane of `kind`.
    #[inline(always)]
    pub fn cast<T: Real>(&self, kind: T) -> TendonSpring<T> {
        let [low, high] = self.slack;
        TendonSpring {
            stiffness: kind.like(self.stiffness),
            damping: kind.like(self.damping),
            slack: [kind.like(low), kind.like(high)],
        }
    }
}

impl<T: Real> TendonSpring<T> {
    /// s: how far the length l is out of the slack range, negative below it [m].
    #[inline(always)]
    pub fn stretch(&self, length: T) -> T {
        let (zero, [low, high]) = (length.zero(), self.slack);
        (length - high).max(zero) + (length - low).min(zero)
    }

    /// (3) at the length l and its rate, in a step of h [s].
    #[inline(always)]
    pub fn effort(&self, length: T, rate: T, h: T) -> Effort<T> {
        self.effort_at_share(length, rate, h, h.one())
    }

    /// (3) at the share θ of the step. K counts where the spring is taut, or always without a range.
    #[inline(always)]
    pub fn effort_at_share(&self, length: T, rate: T, h: T, theta: T) -> Effort<T> {
        let (zero, [low, high], stretch) = (length.zero(), self.slack, self.stretch(length));
        let taut = zero.less(stretch.abs());
        let always = T::both(low.at_most(high), high.at_most(low));
        let stiffness = T::select(taut, self.stiffness, T::select(always, self.stiffness, zero));
        let start = -(stiffness * (stretch + theta * h * rate)) - self.damping * rate;
        Effort { start, implicit: theta * (theta * h * stiffness + self.damping) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Dice, Law, hold};
    use super::*;

    /// Joints with springs and dampers, soft and stiff.
    struct Joints;

    impl Law<6, 7> for Joints {
        const SINGLE: f64 = 1e-6;

        fn draw(dice: &mut Dice) -> [f64; 6] {
            let (stiffness, damping) = (dice.decades(1e-1, 1e6), dice.decades(1e-3, 1e3));
            [
                stiffness,
                damping,
                dice.one(),
                10.0 * dice.one(),
                dice.decades(1e-4, 1e-2),
                dice.decades(1e-3, 10.0),
            ]
        }

        #[inline(always)]
        fn evaluate<T: Real>([k, d, x, v, h, m]: [T; 6]) -> [T; 7] {
            let theta = share((h * d + h * h * k) / m);
            let (spring, damper) = (spring(k, x, v, h, theta), damper(d, v, h, theta));
            [
                theta,
                spring.effort,
                spring.inertia,
                damper.effort,
                damper.inertia,
                held_spring(k, x),
                held_damper(d, v),
            ]
        }

        fn sizes([k, d, x, v, h, _]: &[f64; 6]) -> [f64; 7] {
            let (e, f) = (k * (x.abs() + h * v.abs()), d * v.abs());
            [1.0, e, h * h * k, f, h * d, e, f]
        }
    }

    /// Tendons that are slack in a range, at a point or nowhere.
    struct Tendons;

    impl Law<7, 2> for Tendons {
        const SINGLE: f64 = 1e-6;

        fn draw(dice: &mut Dice) -> [f64; 7] {
            let (low, width) = (dice.one(), if dice.share() < 0.5 { 0.0 } else { dice.share() });
            let (stiffness, damping) = (dice.decades(1e-1, 1e6), dice.decades(1e-3, 1e3));
            [stiffness, damping, low, width, 2.0 * dice.one(), 10.0 * dice.one(), dice.decades(1e-4, 1e-2)]
        }

        #[inline(always)]
        fn evaluate<T: Real>([stiffness, damping, low, width, length, rate, h]: [T; 7]) -> [T; 2] {
            let e = TendonSpring { stiffness, damping, slack: [low, low + width] }.effort(length, rate, h);
            [e.start, e.implicit]
        }

        fn sizes([k, d, low, width, length, rate, h]: &[f64; 7]) -> [f64; 2] {
            let longest = low.abs() + width + length.abs() + h * rate.abs();
            [k * longest + d * rate.abs(), h * k + d]
        }
    }

    #[test]
    fn springs_and_dampers_are_one_law() {
        hold::<Joints, _, _>();
        hold::<Tendons, _, _>();
    }
}
