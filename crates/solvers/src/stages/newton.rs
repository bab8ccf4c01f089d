//! Newton's method on the active set, from where impulses are.

use super::{Budget, Ends, Iterate, Outcome, Stage};
use crate::blocks::blocks_into;
use crate::plan::When;
use crate::view::{Reached, View};

/// A few steps from these impulses.
pub(super) struct Newton;

impl Stage for Newton {
    fn run(&self, at: &mut Iterate<'_, '_>, budget: Budget) -> Outcome {
        let near = at.tuning().attempts.newton_steps_near;
        let steps = match budget.steps {
            0 => at.newton_steps(),
            most => at.left(if budget.few { near.min(most) } else { most }),
        };
        at.by_newton(steps, budget.wanted);
        Outcome::GoesOn
    }

    fn pays(&self, at: &Iterate<'_, '_>, budget: &Budget) -> bool {
        at.reached.residual > if budget.good { budget.wanted } else { at.tolerance }
    }
}

/// By the factors of the last solve alone, while the pieces are the same and they do not ask for new ones: of
/// the problem no blocks are needed.
pub(super) struct OldFactors;

impl Stage for OldFactors {
    fn run(&self, at: &mut Iterate<'_, '_>, budget: Budget) -> Outcome {
        let (fewest, current) = (at.tuning().islands.fewest, at.reached.residual);
        let c = std::mem::take(&mut at.ws.c);
        let (view, methods, lambda) = at.split();
        let newton = &mut methods.newton;
        if !(newton.stale(&view.tuning.newton) && lambda.len() <= fewest) {
            let reached = newton.chord(&view, lambda, &c, current, budget.wanted);
            at.go_to(reached);
        }
        at.ws.c = c;
        Outcome::GoesOn
    }

    fn pays(&self, _: &Iterate<'_, '_>, _: &Budget) -> bool {
        true
    }
}

/// Where Newton has failed before the first sweep: by that again, from where a few lead.
pub(super) struct NewtonAfterSweeps;

impl Stage for NewtonAfterSweeps {
    fn run(&self, at: &mut Iterate<'_, '_>, budget: Budget) -> Outcome {
        let (from, tolerance) = (at.reached.residual, at.tolerance);
        let steps = at.tuning().attempts.newton_steps;
        let steps = steps.min(at.max_iterations.saturating_sub(at.reached.steps + budget.steps));
        let mut trial = at.trial();
        let (view, methods, lambda) = at.split();
        let mut blocks = std::mem::take(&mut methods.blocks);
        blocks_into(view.problem, view.stopping, &mut blocks);
        let view = View { blocks: &blocks, sweeps: true, ..view };
        let e = super::follow::sweep(&view, &mut trial, budget.steps, &mut methods.way);
        let reached = methods.newton.solve(&view, &mut trial, e, tolerance, steps);
        if reached.residual < from {
            lambda.copy_from_slice(&trial);
        }
        (methods.blocks, methods.trial) = (blocks, trial);
        at.go_to(Reached { residual: reached.residual.min(from), steps: budget.steps + reached.steps });
        Outcome::GoesOn
    }
}

impl Iterate<'_, '_> {
    /// So many steps of Newton's method.
    pub(super) fn by_newton(&mut self, steps: u32, wanted: f64) {
        let e = self.reached.residual;
        let (view, methods, lambda) = self.split();
        let reached = methods.newton.solve(&view, lambda, e, wanted, steps);
        self.go_to(reached);
    }

    /// So many steps of it on `lambda`, which leaves `e`; the residual reached.
    pub(super) fn newton_on(&mut self, lambda: &mut [f64], e: f64, wanted: f64, steps: u32) -> f64 {
        let (view, methods, _) = self.split();
        let reached = methods.newton.solve(&view, lambda, e, wanted, steps);
        self.reached.steps += reached.steps;
        reached.residual
    }

    /// Steps of Newton's method by the kind of the problem, of those that are left.
    pub(super) fn newton_steps(&self) -> u32 {
        let (t, many) = (&self.tuning().attempts, self.tuning().islands.many);
        self.left(if self.is(When::Parts) && self.impulses.len() > many {
            t.newton_steps_many
        } else if self.is(When::Path) {
            t.newton_steps
        } else {
            t.newton_steps_alone
        })
    }

    /// The iterate is where a method has led with so many steps more.
    pub(super) fn go_to(&mut self, reached: Reached) {
        self.reached = Reached { residual: reached.residual, steps: self.reached.steps + reached.steps };
    }

    /// The vector for where another way goes, with the present impulses in it; whoever has it puts it back.
    pub(super) fn trial(&mut self) -> Vec<f64> {
        let mut trial = std::mem::take(&mut self.ws.methods.trial);
        self.impulses.clone_into(&mut trial);
        trial
    }

    /// Reads the table `first`, from impulses that have this residual, and makes what that reaches small
    /// where it is an answer: of the problem no blocks are needed.
    pub(super) fn resume(&mut self) {
        let before = self.reached.steps;
        self.ws.prepare_pieces(self.form.problem());
        self.schedule();
        self.known.sweeps = false;
        super::first(self);
        let unique = self.reached.steps > before && self.ws.methods.newton.regular();
        if self.rule.smallest() && self.reached.residual <= self.tolerance && !unique {
            self.reached.residual = self.ws.select(self.form.problem(), self.tolerance, self.impulses);
        }
    }

    /// A stage of attempts as one of islands: of all blocks, and made small where what it reaches is an
    /// answer.
    pub(super) fn attempt(&mut self, stage: &dyn Stage, budget: Budget) -> Outcome {
        self.ws.prepare_sweeps(self.form.problem());
        self.schedule();
        self.known.sweeps = true;
        let outcome = stage.run(self, Budget { ends: Ends::Newton, ..budget });
        self.form.problem().velocities_into(self.impulses, &mut self.ws.c);
        if !(self.reached.residual <= self.tolerance) {
            return outcome;
        }
        if self.rule.smallest() {
            self.reached.residual = self.ws.select(self.form.problem(), self.tolerance, self.impulses);
        }
        if self.reached.residual <= self.tolerance {
            return Outcome::Ends(stiction_contact::SolveStatus::Converged);
        }
        outcome
    }
}
