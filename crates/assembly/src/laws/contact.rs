//! The bias of a rigid contact along its normal: of its gap ([`super::gap`]), or of its bounce ([`super::restitution`]) where it
//! bounces.

use super::coplanar::Face;
use super::restitution::Restitution;
use super::row_params::RowParams;
use stiction_dynamics::Real;

/// The bias of a rigid contact by cause, see [`crate::Bias`] [m/s].
#[derive(Clone, Copy, Debug)]
pub struct ContactBias<T: Real> {
    /// φ/h of an open gap: it may close no faster.
    pub gap: T,
    /// ≤ 0: minus the velocity at which it parts, less J_N v_f.
    pub restitution: T,
    /// ≤ 0: minus the velocity that undoes an overlap, in the positions alone.
    pub correction: T,
    /// It bounces in this step, and which share of the step is left after that [–].
    pub bounces: T::Mask,
    pub left: T,
}

impl<T: Real> RowParams<T> {
    /// The bias of a contact with this gap [m], whose gap grows at the rate `before` = J_N v and would at `free` = J_N v_f [m/s];
    /// `before` is read only where some lane has a coefficient of restitution.
    #[inline(always)]
    pub fn rigid_contact(
        &self,
        gap: T,
        face: Face<T>,
        surfaces: Restitution<T>,
        before: T,
        free: T,
    ) -> ContactBias<T> {
        let (zero, one) = (gap.zero(), gap.one());
        let of_gap = self.contact_bias(gap, face);
        let (gap_bias, correction) = (of_gap.gap, of_gap.correction);
        let none =
            ContactBias { gap: gap_bias, restitution: zero, correction, bounces: gap.less(gap), left: one };
        if !T::any(zero.less(surfaces.coefficient)) {
            return none;
        }
        let bounce = self.bounce(surfaces, gap, before, free);
        // What only keeps an open gap from closing is no bounce.
        let thrown = T::both(bounce.holds, bounce.bias.less(zero));
        ContactBias {
            gap: T::select(bounce.holds, T::select(thrown, zero, bounce.bias), gap_bias),
            restitution: T::select(thrown, bounce.bias, zero),
            correction: T::select(bounce.holds, zero, correction),
            bounces: bounce.met,
            left: bounce.left,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Dice, Law, PARAMS, hold, params};
    use super::*;

    struct Contacts;

    impl Law<{ PARAMS + 7 }, 5> for Contacts {
        const SINGLE: f64 = 1e-4;

        fn draw(dice: &mut Dice) -> [f64; PARAMS + 7] {
            let (deepest, apart) = (dice.one() * dice.decades(1e-6, 1e-2), dice.decades(1e-9, 1e-3));
            let (before, gain) = (dice.one() * dice.decades(0.1, 10.0), 0.1 * dice.one());
            let (e, depth) = (if dice.share() < 0.5 { 0.0 } else { dice.share() }, dice.decades(1e-4, 1e-2));
            dice.with_params([deepest, apart, 0.5 * apart, e, depth, before, before + gain])
        }

        #[inline(always)]
        fn evaluate<T: Real>(x: [T; PARAMS + 7]) -> [T; 5] {
            let (p, [deepest, apart, spread, coefficient, depth, before, free]) = params(x);
            let surfaces = Restitution { coefficient, depth };
            let bias = p.rigid_contact(deepest + apart, Face { deepest, spread }, surfaces, before, free);
            let truth = T::select(bias.bounces, before.one(), before.zero());
            [bias.gap, bias.restitution, bias.correction, truth, bias.left]
        }

        fn sizes(x: &[f64; PARAMS + 7]) -> [f64; 5] {
            let (p, [deepest, apart, _, _, depth, before, _]) = params(*x);
            let speed = before.abs() + 1.0 + (deepest.abs() + apart + depth) / p.h;
            [speed, speed, speed, 1.0, 10.0]
        }
    }

    #[test]
    fn rigid_contacts_are_one_law() {
        hold::<Contacts, _, _>();
    }
}
