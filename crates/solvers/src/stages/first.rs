//! What comes before the first sweep: the table `first` of [`crate::plan`].
//!
//! Where the start is of bodies at rest, stages go deeper than the tolerance: the impulses then do for many
//! steps to come. So they do from what is good enough but not as it was in the last step, which would leave
//! more in each. In hyperstatic islands that are nearly solved the augmented Lagrangian follows after
//! two steps: its first programme is mostly enough.

use super::{Budget, Ends, Iterate, Outcome, Stage, of, read};
use crate::plan::When;
use crate::trees::knows_all;
use std::ops::ControlFlow;
use stiction_contact::SolveStatus;

/// The table `first`, before blocks of G are formed.
pub(super) struct First;

impl Stage for First {
    fn run(&self, at: &mut Iterate<'_, '_>, _: Budget) -> Outcome {
        at.resume();
        if at.reached.residual <= at.tolerance {
            at.watch.show(at.reached.steps, at.impulses);
            return Outcome::Ends(SolveStatus::Converged);
        }
        Outcome::GoesOn
    }
}

/// Reads the table `first`: by the factors of the last solve, while the pieces are the same, or new ones
/// where the rows are few or the start is nearly an answer. RaiSim's answer is where its sweeps go, so it
/// never starts here.
pub(crate) fn first(at: &mut Iterate<'_, '_>) {
    let (current, islands) = (at.reached.residual, at.tuning().islands);
    let (rests, tolerance) = (at.rests(), at.tolerance);
    if at.ws.methods.next == u32::MAX {
        return;
    }
    let (problem, rows) = (at.form.problem(), at.impulses.len());
    let near = current <= islands.near * tolerance;
    let most = match (at.is(When::InTrees), near) {
        (true, true) => usize::MAX,
        (true, false) | (false, true) => islands.cheap,
        (false, false) => islands.fewest,
    };
    let known = problem.blocks_formed() || knows_all(problem);
    let cheap = known && rows <= most;
    // Of what rests and is good enough, less than the tolerance is worth a few steps.
    let good = rests && current <= tolerance && !at.is(When::Hyperstatic);
    let few = good || near && at.is(When::Hyperstatic) || at.is(When::Turning);
    let wanted = at.wanted(current);
    let lines = at.params.settings.plan.first.iter();
    let _ended = read(at, lines, |at, line| {
        let budget = Budget { wanted, good, few, ends: Ends::Polished, ..Budget::of(line, at) };
        let tried = of(line.stage).pays(at, &budget) && at.holds(line, |f| (f.near, f.cheap) = (near, cheap));
        ControlFlow::Continue(tried.then_some(budget))
    });
}
