//! Large islands whose solve may cost so much and no more.
//!
//! Where a budget is short, what comes first is what gains most for a factorisation: the chain from a start
//! that the table of budgets calls near ([`crate::effort`]), else the smoothing homotopy from no impulses
//! ([`crate::smoothing`]), until the residual is what the table calls enough. Islands of 300 to 850 contacts
//! that are hit in every step are at 10⁻⁴ m/s after about 30 factorisations of it, where the other stages are
//! at 10⁻² or more. From where the path ends before that the chain goes on with what is left, and so it does
//! from a calm start to the tolerance.

use super::ways::Homotopy;
use super::{Budget, Iterate, Outcome, Stage};
use crate::work;
use stiction_contact::SolveStatus;

/// The answer, or what is enough of it, where the island has a budget that says what is enough; otherwise the
/// start is where it led, and the chain follows.
pub(super) struct Smoothing;

impl Stage for Smoothing {
    fn run(&self, at: &mut Iterate<'_, '_>, _: Budget) -> Outcome {
        // Of all islands together, as the tolerance is.
        let share = at.tolerance / at.params.tolerance;
        let (tolerance, rows) = (at.tolerance, at.impulses.len());
        let (Some(enough), Some(near)) = (at.bounds.enough(rows), at.bounds.near(rows)) else {
            return Outcome::Passed;
        };
        let (enough, near) = (share * enough, share * near);
        if at.reached.residual <= near {
            return Outcome::Passed;
        }
        at.resume();
        if at.reached.residual <= at.tuning().sweeps.calm && at.reached.residual > tolerance {
            at.look();
            if at.reached.residual > tolerance && at.reached.residual <= near {
                at.keep_start();
                return Outcome::GoesOn;
            }
        }
        if at.reached.residual > tolerance {
            at.replace_along(&Homotopy, enough.max(tolerance), u32::MAX);
            at.watch.show(at.reached.steps, at.impulses);
            if at.reached.residual <= tolerance {
                at.reached.residual = at.ws.select(at.form.problem(), tolerance, at.impulses);
            }
        }
        match at.reached.residual {
            e if e <= tolerance => Outcome::Ends(SolveStatus::Converged),
            e if e <= enough => {
                work::is_enough();
                Outcome::Ends(SolveStatus::IterationLimit)
            }
            _ if work::spent() => Outcome::Ends(SolveStatus::IterationLimit),
            _ => {
                at.keep_start();
                Outcome::GoesOn
            }
        }
    }

    fn serves_springs(&self) -> bool {
        false
    }
}

impl Iterate<'_, '_> {
    /// Newton's method from these impulses, c to match, where what it reaches is all that is wanted.
    fn look(&mut self) {
        self.known.sweeps = false;
        self.by_newton(self.newton_steps(), self.tolerance);
        self.form.problem().velocities_into(self.impulses, &mut self.ws.c);
    }
}
