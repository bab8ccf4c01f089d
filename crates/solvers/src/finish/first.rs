//! What comes before the first sweep: the table `first` of [`crate::plan`].
//!
//! Where the start is of bodies at rest these are taken deeper than asked: the impulses then do for many steps to come; and
//! so are those that are good enough but not as they were in the last step, as they would leave more in each. In hyperstatic
//! islands that are nearly solved the augmented Lagrangian follows after two steps: its first programme is mostly enough.

use super::{DEEP, FEW_ROWS, Finish, Goal, NEWTON_STEPS, POLISHING_STEPS, Way, follow, sweep};
use crate::blocks::blocks_into;
use crate::ncp_al::Start;
use crate::plan::{self, FEWEST, Facts, Line, NEAR, Stage, When};
use crate::trees::knows_all;
use crate::view::{Reached, View};

/// Newton steps in hyperstatic islands that are nearly solved, from what is good enough, and where contacts resist turning, whose
/// pieces change most.
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
        if self.next == u32::MAX {
            return Reached { residual: current, steps: 0 };
        }
        let near = current <= NEAR * goal.tolerance;
        let most = match (view.is(When::InTrees), near) {
            (true, true) => usize::MAX,
            (true, false) | (false, true) => FEW_ROWS,
            (false, false) => FEWEST,
        };
        let known = view.problem.blocks_formed() || knows_all(view.problem);
        let cheap = known && lambda.len() <= most;
        // Of what rests and is good enough, less than the tolerance is worth a few steps.
        let good = goal.rests && current <= goal.tolerance && !view.is(When::Hyperstatic);
        let mut reached = Reached { residual: current, steps: 0 };
        for line in &*{ self.first } {
            let mut facts = Facts { near, cheap, ..Facts::of(view.problem, view.law) };
            facts.far = reached.residual > NEAR * goal.tolerance;
            let wanted = match line.stage {
                Stage::OldFactors => true,
                Stage::Newton if good => reached.residual > goal.wanted(current),
                _ => reached.residual > goal.tolerance,
            };
            let rounds = line.when.contains(&When::AboveRounding);
            if !(wanted && facts.hold(line.when))
                || rounds && view.is_rounding(reached.residual, lambda, goal.tolerance, &mut self.way[1])
            {
                continue;
            }
            let (began, before) = (plan::clock(), reached.steps);
            match line.stage {
                Stage::OldFactors => reached = self.by_old_factors(view, lambda, c, current, goal),
                Stage::Newton => {
                    let few = good || facts.is(When::NearlyHyperstatic) || facts.is(When::Turning);
                    let most = if few { STEPS_NEAR.min(line.steps) } else { line.steps };
                    let steps = most.min(goal.max_iterations.saturating_sub(reached.steps));
                    let by_newton =
                        self.newton.solve(view, lambda, reached.residual, goal.wanted(current), steps);
                    reached = Reached { steps: reached.steps + by_newton.steps, ..by_newton };
                }
                Stage::FirmMultipliers => {
                    reached = self.by_multipliers_near(line, view, lambda, reached, goal)
                }
                Stage::NewtonAfterSweeps => reached = self.by_sweeps(line, view, lambda, reached, goal),
                Stage::Path => reached = self.by_path(view, lambda, reached, goal),
                _ => {
                    reached.residual =
                        self.run(line, view, lambda, reached.residual, goal, &mut reached.steps)
                }
            }
            plan::record(began, line, lambda.len(), reached.steps - before, reached.residual);
        }
        reached
    }

    /// From what may be nearly an answer, whose pieces Newton's method does not find: by the augmented Lagrangian, which
    /// starts firmly there.
    fn by_multipliers_near(
        &mut self,
        line: &Line,
        view: &View,
        lambda: &mut [f64],
        from: Reached,
        goal: Goal,
    ) -> Reached {
        let mut trial = self.trial_from(lambda);
        let steps = line.steps.min(goal.max_iterations.saturating_sub(from.steps));
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
    fn by_sweeps(
        &mut self,
        line: &Line,
        view: &View,
        lambda: &mut [f64],
        from: Reached,
        goal: Goal,
    ) -> Reached {
        let mut trial = self.trial_from(lambda);
        blocks_into(view.problem, view.stopping, &mut self.blocks);
        let Self { newton, blocks, way, .. } = self;
        let view = View { blocks, sweeps: true, ..*view };
        let e = sweep(&view, &mut trial, line.steps, way);
        let done = from.steps + line.steps;
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
        let e = self.go(Way::Path { by_rows: false }, 0, view, &mut trial, goal, &mut reached.steps);
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
        if self.newton.stale() && lambda.len() <= FEWEST {
            return Reached { residual: current, steps: 0 };
        }
        self.newton.chord(view, lambda, c, current, goal.wanted(current))
    }
}
