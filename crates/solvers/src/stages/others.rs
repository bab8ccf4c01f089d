//! The table `others`: a line at each attempt, in turn.

use super::{Budget, Ends, Iterate, Outcome, Stage, of};
use crate::plan::{Facts, Line, Stage as Word, When};
use crate::tuning::AttemptsTuning;

/// The next line of the table, and Newton's method from its end.
pub(super) struct Others;

impl Stage for Others {
    fn run(&self, at: &mut Iterate<'_, '_>, _: Budget) -> Outcome {
        let (large, e, t) = (at.is(When::Large), at.reached.residual, at.tuning().attempts);
        let Some((line, times, fresh)) = at.other() else {
            at.ws.methods.attempts += usize::from(large);
            return Outcome::GoesOn;
        };
        let stage = of(line.stage);
        if at.ws.methods.next < stage.patience(&t) {
            return Outcome::GoesOn;
        }
        let budget = Budget { steps: line.steps, times, ends: Ends::All, ..Budget::of(&line, at) };
        if stage.run(at, budget) == Outcome::Passed {
            at.ws.methods.attempts += usize::from(large);
            return Outcome::GoesOn;
        }
        if !(at.reached.residual < t.again * e) {
            at.ws.methods.attempts += 1;
        }
        if fresh {
            let wait = if large { t.soon } else { t.patience };
            at.ws.methods.later = at.reached.steps.saturating_add(wait);
        }
        Outcome::GoesOn
    }
}

/// Nothing but sweeps until the next attempt.
pub(super) struct MoreSweeps;

impl Stage for MoreSweeps {
    fn run(&self, _: &mut Iterate<'_, '_>, _: Budget) -> Outcome {
        Outcome::Passed
    }

    fn patience(&self, _: &AttemptsTuning) -> u32 {
        0
    }
}

impl Iterate<'_, '_> {
    /// The next line of the table, the earlier lines of its stage, and whether it is a new one; where all
    /// have been tried, a path by rows.
    fn other(&self) -> Option<(Line, usize, bool)> {
        let (plan, attempts) = (&self.params.settings.plan, self.ws.methods.attempts);
        let facts = Facts::of(self.form.problem(), self.rule.law(), &self.tuning().islands);
        let lines = || plan.others.iter().filter(|line| facts.hold(line.when));
        match lines().nth(attempts) {
            Some(line) => {
                let same = lines().take(attempts).filter(|l| l.stage == line.stage).count();
                Some((*line, same, true))
            }
            None if facts.is(When::Path) && !facts.is(When::Large) && !plan.others.is_empty() => {
                Some((crate::plan::line(Word::PathByRows, &[]), 0, false))
            }
            None => None,
        }
    }
}
