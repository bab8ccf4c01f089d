//! A contact that yields under laws that are rigid of themselves: a spring with a damper, taken at the end of the step.
//!
//! A contact with stiffness k, relaxation time τ and dissipation d carries f = k (δ₀ − h c) (1 − d c) − k τ c at the
//! end of the step, δ₀ = (−φ)₊ [HuntCrossley1975]; to first order in c that is
//!
//! ```text
//!     g_N = J_N v_f + φ/T,   R = 1/(h k T),   T = h + τ + d δ₀,  T = h where φ > 0                   (1)
//! ```

use stiction_dynamics::Real;

/// f = k δ (1 + d δ̇) + k τ δ̇, never negative, with δ the overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring<T = f64> {
    /// k > 0 [N/m].
    pub stiffness: T,
    /// τ [s].
    pub relaxation: T,
    /// d [s/m].
    pub dissipation: T,
}

/// The row of (1).
#[derive(Clone, Copy, Debug)]
pub struct Yielding<T> {
    /// Bias: g_N − J_N v_f [m/s].
    pub bias: T,
    /// R [s/kg].
    pub compliance: T,
}

impl Spring {
    /// Puts the numbers into every lane of `kind`.
    #[inline(always)]
    pub fn cast<T: Real>(&self, kind: T) -> Spring<T> {
        Spring {
            stiffness: kind.like(self.stiffness),
            relaxation: kind.like(self.relaxation),
            dissipation: kind.like(self.dissipation),
        }
    }
}

impl<T: Real> Spring<T> {
    /// (1), in a step of h [s], of a contact with the gap φ = `gap` [m].
    #[inline(always)]
    pub fn yielding(&self, gap: T, h: T) -> Yielding<T> {
        let depth = -gap;
        let over = gap.zero().at_most(depth);
        let time = T::select(over, h + self.relaxation + self.dissipation * depth, h);
        Yielding { bias: gap / time, compliance: gap.one() / (h * self.stiffness * time) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Dice, Law, hold};
    use super::*;

    struct Contacts;

    impl Law<5, 2> for Contacts {
        const SINGLE: f64 = 1e-6;

        fn draw(dice: &mut Dice) -> [f64; 5] {
            let gap = dice.sign() * dice.decades(1e-7, 1e-2);
            let (h, stiffness) = (dice.decades(1e-4, 1e-2), dice.decades(1e3, 1e7));
            [gap, h, stiffness, dice.decades(1e-4, 1e-1), dice.decades(1e-2, 10.0)]
        }

        #[inline(always)]
        fn evaluate<T: Real>([gap, h, stiffness, relaxation, dissipation]: [T; 5]) -> [T; 2] {
            let row = Spring { stiffness, relaxation, dissipation }.yielding(gap, h);
            [row.bias, row.compliance]
        }

        fn sizes([gap, h, stiffness, ..]: &[f64; 5]) -> [f64; 2] {
            [gap.abs() / h, 1.0 / (h * h * stiffness)]
        }
    }

    #[test]
    fn yielding_is_one_law() {
        hold::<Contacts, _, _>();
    }
}
