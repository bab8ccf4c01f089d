//! What comes before the first sweep: the factors of the last solve; Newton at once, where that costs no more than sweeps
//! or the start is nearly an answer; where the rows are few and that fails in one tree, Newton once more from where a few
//! sweeps lead and then the path, or where contacts resist turning the augmented Lagrangian: where there are more of them,
//! sweeps find the pieces sooner.
//!
//! Where the start is of bodies at rest these are taken deeper than asked: the impulses then do for many steps to come; and
//! so are those that are good enough but not as they were in the last step, as they would leave more in each. In hyperstatic
//! islands that are nearly solved the augmented Lagrangian follows after two steps: its first programme is mostly enough.

use super::{
    DEEP, FEW_ROWS, Finish, Goal, NEAR, NEWTON_STEPS, POLISHING_STEPS, Reached, View, Way, follow, sweep,
};
use crate::ncp_al::Start;
use crate::sweep::blocks_into;
use crate::trees::{TreeSystem, knows_all};
use stiction_contact::Law;

/// Newton comes before sweeps where a factorisation costs little: by rows, with these at most, in trees with
/// [`FEW_ROWS`].
pub(super) const LEAST_ROWS: usize = 48;
/// Sweeps from where Newton has failed before any, in one tree.
const FIRST_SWEEPS: u32 = 5;
/// Newton steps before the first sweep, and in hyperstatic islands that are nearly solved, from what is good enough, and
/// where contacts resist turning, whose pieces change most.
const FIRST_STEPS: u32 = 8;
const STEPS_NEAR: u32 = 2;
/// r of the augmented Lagrangian from what is nearly an answer [‖A_ii‖].
const FIRM: Start = Start { compliance: 1e-4, ..Start::DEFAULT };

impl Finish {
    /// Before any sweep: by the factors of the last solve, while the pieces are the same, or new ones where
    /// the rows are few or the start is nearly an answer. RaiSim's answer is where its sweeps go, so it never starts
    /// here.
    pub(crate) fn resume(
        &mut self,
        view: &View,
        lambda: &mut [f64],
        c: &[f64],
        current: f64,
        goal: Goal,
    ) -> Reached {
        if self.next == u32::MAX || view.law == Law::Raisim {
            return Reached { residual: current, steps: 0 };
        }
        let near = current <= NEAR * goal.tolerance;
        let mut reached = self.by_old_factors(view, lambda, c, current, goal);
        let (rows, in_trees) = (lambda.len(), TreeSystem::pays(view.problem));
        let known = view.problem.blocks_formed() || knows_all(view.problem);
        let most = match (in_trees, near) {
            (true, true) => usize::MAX,
            (true, false) | (false, true) => FEW_ROWS,
            (false, false) => LEAST_ROWS,
        };
        let cheap = known && rows <= most;
        let firm = cheap && near && view.hyperstatic();
        let good = goal.rests && current <= goal.tolerance && !view.hyperstatic();
        let least = if good { goal.wanted(current) } else { goal.tolerance };
        if cheap && reached.residual > least {
            let most = if firm || good || self.turning { STEPS_NEAR } else { FIRST_STEPS };
            let steps = most.min(goal.max_iterations.saturating_sub(reached.steps));
            let by_newton = self.newton.solve(view, lambda, reached.residual, goal.wanted(current), steps);
            reached = Reached { steps: reached.steps + by_newton.steps, ..by_newton };
            let path = rows <= LEAST_ROWS && !in_trees && view.has_path();
            let (e, room) = (reached.residual, &mut self.way[1]);
            if e > goal.tolerance && path && !view.is_rounding(e, lambda, goal.tolerance, room) {
                if self.turning {
                    reached = self.by_multipliers_near(view, lambda, reached, goal);
                } else {
                    if e > NEAR * goal.tolerance && knows_all(view.problem) {
                        reached = self.by_sweeps(view, lambda, reached, goal);
                    }
                    if reached.residual > goal.tolerance {
                        reached = self.by_path(view, lambda, reached, goal);
                    }
                }
            }
        }
        if firm && reached.residual > goal.tolerance {
            reached = self.by_multipliers_near(view, lambda, reached, goal);
        }
        reached
    }

    /// From what may be nearly an answer, whose pieces Newton's method does not find: by the augmented Lagrangian, which
    /// starts firmly there.
    fn by_multipliers_near(&mut self, view: &View, lambda: &mut [f64], from: Reached, goal: Goal) -> Reached {
        let mut trial = self.trial_from(lambda);
        let steps = FIRST_STEPS.min(goal.max_iterations.saturating_sub(from.steps));
        let Self { multipliers, way, .. } = self;
        let to = (&mut trial, goal.tolerance, steps);
        let mut reached = follow(multipliers, &FIRM, way, view, to);
        reached.residual += view.rounding(&trial, goal.tolerance, &mut self.way[1]);
        reached.steps += from.steps;
        if reached.residual < from.residual {
            lambda.copy_from_slice(&trial);
        }
        self.trial = trial;
        Reached { residual: reached.residual.min(from.residual), ..reached }
    }

    /// Where Newton has failed before the first sweep: by that again, from where a few lead.
    fn by_sweeps(&mut self, view: &View, lambda: &mut [f64], from: Reached, goal: Goal) -> Reached {
        let mut trial = self.trial_from(lambda);
        blocks_into(view.problem, view.stopping, &mut self.blocks);
        let Self { newton, blocks, way, .. } = self;
        let view = View { blocks, sweeps: true, ..*view };
        let e = sweep(&view, &mut trial, FIRST_SWEEPS, way);
        let done = from.steps + FIRST_SWEEPS;
        let steps = NEWTON_STEPS[0].min(goal.max_iterations.saturating_sub(done));
        let reached = newton.solve(&view, &mut trial, e, goal.tolerance, steps);
        if reached.residual < from.residual {
            lambda.copy_from_slice(&trial);
        }
        self.trial = trial;
        Reached { residual: reached.residual.min(from.residual), steps: done + reached.steps }
    }

    /// Where Newton has failed before the first sweep.
    fn by_path(&mut self, view: &View, lambda: &mut [f64], from: Reached, goal: Goal) -> Reached {
        let mut trial = self.trial_from(lambda);
        let mut reached = from;
        let e = self.go(Way::Path { by_rows: false }, view, &mut trial, goal, &mut reached.steps);
        if e < reached.residual {
            lambda.copy_from_slice(&trial);
            reached.residual = e;
        }
        if reached.residual <= goal.tolerance {
            let steps = POLISHING_STEPS.min(goal.max_iterations.saturating_sub(reached.steps));
            let polished = self.newton.solve(view, lambda, reached.residual, DEEP * goal.tolerance, steps);
            reached = Reached { steps: reached.steps + polished.steps, ..polished };
        }
        self.trial = trial;
        reached
    }

    /// By the factors of the last solve alone, while the pieces are the same and they do not ask for new ones: of the
    /// problem no blocks are needed. `c` are the velocities of `lambda`.
    fn by_old_factors(
        &mut self,
        view: &View,
        lambda: &mut [f64],
        c: &[f64],
        current: f64,
        goal: Goal,
    ) -> Reached {
        if self.newton.stale() && lambda.len() <= LEAST_ROWS {
            return Reached { residual: current, steps: 0 };
        }
        self.newton.chord(view, lambda, c, current, goal.wanted(current))
    }
}
