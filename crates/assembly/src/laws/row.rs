//! Rows of one dof or of several: limits, dry friction, couplings and implicit forces.
//!
//! With c the velocity along a row, c = J v_f without constraint impulses, it is asked that
//!
//! ```text
//!     limit            φ ≤ margin + 2 h max(|J v|, |J v_f|):   c and φ as of a contact,   λ ≥ 0       (1)
//!     dry friction     |λ| ≤ h τ_f                                                                    (2)
//!     coupling         c = −β e/h,   λ free                                                           (3)
//!     implicit force   (3) of [`super::actuator`]                                                     (4)
//! ```

use super::actuator::Effort;
use super::row_params::RowParams;
use stiction_dynamics::Real;

/// A row, its bias by cause as in [`crate::Bias`].
#[derive(Clone, Copy, Debug)]
pub struct Row<T: Real> {
    /// Lanes in which the row acts; elsewhere its numbers are any.
    pub there: T::Mask,
    /// Distance φ to a limit, error e of a coupling, 0 of other rows [m or rad].
    pub error: T,
    /// J v_f [m/s or rad/s].
    pub free: T,
    /// Bias of an open gap, or of a force [m/s or rad/s].
    pub gap: T,
    /// Bias of the error of a coupling [m/s or rad/s].
    pub feedback: T,
    /// Bias of a violated limit, in the positions alone [m/s or rad/s].
    pub correction: T,
    /// Set of λ [N·s or N·m·s].
    pub bounds: [T; 2],
    /// R [s/kg].
    pub compliance: T,
}

impl<T: Real> Row<T> {
    /// A row with nothing but J v_f and the set of its impulse.
    #[inline(always)]
    pub fn new(there: T::Mask, free: T, bounds: [T; 2]) -> Self {
        let zero = free.zero();
        Self {
            there,
            error: zero,
            free,
            gap: zero,
            feedback: zero,
            correction: zero,
            bounds,
            compliance: zero,
        }
    }

    /// A row in no lane.
    #[inline(always)]
    pub fn none(zero: T) -> Self {
        Self::new(zero.less(zero), zero, [zero; 2])
    }

    /// g [m/s or rad/s].
    #[inline(always)]
    pub fn g(&self) -> T {
        self.free + (self.gap + self.feedback)
    }
}

impl<T: Real> RowParams<T> {
    /// The distance of (1) at the rates J v and J v_f [m or rad].
    #[inline(always)]
    pub fn reach(&self, before: T, free: T) -> T {
        let way = self.h.like(2.0) * self.h * free.abs().max(before.abs());
        let moves = self.h.less(self.h.like(f64::INFINITY));
        self.margin + T::select(moves, way, way.zero())
    }

    /// (1) of a limit at the distance φ [m or rad], which grows at the rates J v and J v_f.
    #[inline(always)]
    pub fn limit(&self, gap: T, before: T, free: T) -> Row<T> {
        let of_gap = self.gap_bias(gap);
        let there = gap.at_most(self.reach(before, free));
        let bounds = [gap.zero(), gap.like(f64::INFINITY)];
        Row { error: gap, gap: of_gap.gap, correction: of_gap.correction, ..Row::new(there, free, bounds) }
    }

    /// A limit that is posed in the middle of a step, with the distance φ₀ at its start. One that lasts had an
    /// impulse in the last step: its distance is closed in two steps, the second of which takes away the speed of the
    /// first. Another may come as near as it is at the end, φ(q_m) + ½ h J v⁺ ≥ 0.
    #[inline(always)]
    pub fn limit_at_middle(&self, start: T, before: T, free: T, lasts: T::Mask) -> Row<T> {
        let (zero, half, two) = (start.zero(), start.like(0.5), start.like(2.0));
        let of_start = self.gap_bias(start);
        let of_middle = self.gap_bias(start + half * self.h * before);
        let closing = (of_start.gap + half * before.min(zero)).max(zero);
        let there = start.at_most(self.reach(before, free));
        let bounds = [zero, start.like(f64::INFINITY)];
        let gap = T::select(lasts, closing, two * of_middle.gap);
        let sunk = T::select(lasts, zero, self.sunk(start, start + half * self.h * before));
        Row { error: start, gap, correction: of_start.correction - sunk, ..Row::new(there, free, bounds) }
    }

    /// (2) of a dof or tendon with the dry friction τ_f [N or N·m].
    #[inline(always)]
    pub fn dry_friction(&self, friction: T, free: T) -> Row<T> {
        let bound = self.h * friction;
        Row::new(free.zero().less(friction), free, [-bound, bound])
    }

    /// (3) of a coupling with the error e [m or rad].
    #[inline(always)]
    pub fn coupling(&self, error: T, free: T) -> Row<T> {
        let infinite = free.like(f64::INFINITY);
        let there = free.zero().less(free.one());
        Row { error, feedback: self.coupling_bias(error), ..Row::new(there, free, [-infinite, infinite]) }
    }

    /// (4) of a force within `range`, where its k > 0; `change` is J v_f − J v.
    #[inline(always)]
    pub fn implicit_force(&self, effort: Effort<T>, range: [T; 2], change: T, free: T) -> Row<T> {
        let there = free.zero().less(effort.implicit);
        let implicit = T::select(there, effort.implicit, free.one());
        let row = Effort { start: effort.start, implicit }.row(change, self.h);
        let bounds = [self.h * range[0], self.h * range[1]];
        Row { gap: row.g - free, compliance: row.compliance, ..Row::new(there, free, bounds) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Dice, Law, PARAMS, hold, params};
    use super::*;

    /// One row of each kind.
    struct Rows;

    impl Law<{ PARAMS + 8 }, 12> for Rows {
        const SINGLE: f64 = 1e-5;

        fn draw(dice: &mut Dice) -> [f64; PARAMS + 8] {
            let (gap, before) =
                (dice.one() * dice.decades(1e-6, 1e-1), dice.one() * dice.decades(1e-2, 10.0));
            let (gain, friction) = (0.1 * dice.one(), if dice.share() < 0.2 { 0.0 } else { dice.share() });
            let (start, implicit) = (10.0 * dice.one(), dice.decades(1e-2, 1e2));
            let (error, most) = (dice.one(), 10.0 * dice.share());
            dice.with_params([gap, before, before + gain, friction, error, start, implicit, most])
        }

        #[inline(always)]
        fn evaluate<T: Real>(x: [T; PARAMS + 8]) -> [T; 12] {
            let (p, [gap, before, free, friction, error, start, implicit, most]) = params(x);
            let limit = p.limit(gap, before, free);
            let dry = p.dry_friction(friction, free);
            let coupling = p.coupling(error, free);
            let force = p.implicit_force(Effort { start, implicit }, [-most, most], free - before, free);
            let truth = |mask: T::Mask| gap.truth(mask);
            [
                truth(limit.there),
                T::select(limit.there, limit.g(), gap.zero()),
                T::select(limit.there, limit.correction, gap.zero()),
                p.reach(before, free),
                truth(dry.there),
                dry.bounds[1],
                truth(coupling.there),
                coupling.g(),
                force.g(),
                force.bounds[0],
                force.compliance,
                truth(force.there),
            ]
        }

        fn sizes(x: &[f64; PARAMS + 8]) -> [f64; 12] {
            let (p, [gap, before, free, friction, error, start, k, most]) = params(*x);
            let (speed, h) = (before.abs() + free.abs(), p.h);
            [
                1.0,
                speed + gap.abs() / h,
                speed + gap.abs() / h,
                p.margin + h * speed,
                1.0,
                h * friction,
                1.0,
                speed + error.abs() / h,
                speed + start.abs() / k,
                h * most,
                1.0 / (h * k),
                1.0,
            ]
        }
    }

    #[test]
    fn rows_are_one_law() {
        hold::<Rows, _, _>();
    }
}
