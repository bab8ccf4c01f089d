//! Sweeps with Anderson steps, and attempts to finish what they have begun.

use super::{Budget, Ends, Iterate, Outcome, Stage, first, read};
use crate::plan::{Stage as Word, When};
use crate::trees::TreeSystem;
use crate::work;
use std::ops::ControlFlow;
use stiction_contact::{Law, SolveStatus};

/// The table `first`, then sweeps with Anderson steps and the table `between`.
pub(super) struct Sweeps;

impl Stage for Sweeps {
    fn run(&self, at: &mut Iterate<'_, '_>, _: Budget) -> Outcome {
        let facts = at.facts();
        let again = |line: &crate::plan::Line| line.stage == Word::FromNothing && facts.hold(line.when);
        let again = at.params.settings.plan.island.iter().any(again);
        let most = at.max_iterations;
        at.max_iterations = if again { most.div_ceil(2) } else { most };
        at.status = at.sweep_on();
        at.max_iterations = most;
        at.goes_on()
    }
}

impl Iterate<'_, '_> {
    /// The next line follows where what has been found is no answer.
    pub(super) fn goes_on(&self) -> Outcome {
        if self.report(self.status).settled() { Outcome::Ends(self.status) } else { Outcome::GoesOn }
    }

    /// Sweeps from these impulses, whose velocities are c.
    pub(super) fn sweep_on(&mut self) -> SolveStatus {
        let (law, tolerance, t) = (self.rule.law(), self.tolerance, self.tuning().sweeps);
        self.rule.renew();
        let rows = self.impulses.len();
        self.ws.start_best(self.impulses, self.reached.residual);
        self.ws.anderson.start(self.params.memory, rows);
        self.schedule();

        let mut extrapolated = false;
        let mut mark = (self.reached.steps, self.reached.residual);
        let mut unique = false;
        // Newton's steps in trees are smoothed by sweeps.
        let smooths = law == Law::Ncp && TreeSystem::pays(self.form.problem());
        self.known.sweeps = smooths;
        if smooths {
            self.ws.prepare_sweeps(self.form.problem());
        }
        if self.reached.steps == 0 {
            if !smooths {
                self.ws.prepare_pieces(self.form.problem());
            }
            if self.improve(first) {
                unique = self.ws.methods.newton.regular();
            }
        }
        self.watch.show(self.reached.steps, self.impulses);
        if !(self.reached.residual <= tolerance) {
            if self.reached.steps > 0 && self.is_rounding() {
                return self.give_up(SolveStatus::Stalled);
            }
            if !smooths {
                self.ws.prepare_sweeps(self.form.problem());
            }
        }
        self.known.sweeps = true;
        while !(self.reached.residual <= tolerance) {
            if self.reached.steps >= self.max_iterations || work::spent() {
                return self.give_up(SolveStatus::IterationLimit);
            }
            if self.reached.steps >= mark.0.saturating_add(t.patience) {
                if self.ws.best_residual > 0.9 * mark.1 {
                    return self.give_up(SolveStatus::Stalled);
                }
                mark = (self.reached.steps, self.ws.best_residual);
            }
            self.sweep_once();
            unique = false;
            if !self.reached.residual.is_finite() {
                return self.give_up(SolveStatus::NumericalFailure);
            }
            self.ws.remember(self.impulses, self.reached.residual);
            self.watch.show(self.reached.steps, self.impulses);
            if self.reached.residual <= tolerance {
                break;
            }
            let before = self.reached.steps;
            let improved = self.improve(between);
            if self.reached.steps > before && self.ws.best_residual > tolerance && self.is_rounding() {
                return self.give_up(SolveStatus::Stalled);
            }
            if improved {
                unique = self.ws.methods.newton.regular();
                extrapolated = false;
                self.watch.show(self.reached.steps, self.impulses);
                continue;
            }
            let (problem, e) = (self.form.problem(), &mut self.reached.residual);
            extrapolated = self.ws.accelerate(problem, self.impulses, e, extrapolated, &t);
        }
        if self.rule.smallest() && !unique {
            self.reached.residual = self.ws.select(self.form.problem(), tolerance, self.impulses);
        }
        let hidden = self.ws.rounding_hides(self.form.problem(), self.impulses, tolerance);
        if hidden { SolveStatus::Rounding } else { SolveStatus::Converged }
    }

    /// Sets when attempts are made.
    pub(super) fn schedule(&mut self) {
        let tuning = self.params.finish.then_some(&self.params.settings.tuning);
        self.ws.methods.start(self.form.problem(), self.rule.law(), tuning);
    }

    /// One sweep: every block in order, the impulses before kept; the residual that it leaves, of velocities
    /// afresh where it is an answer.
    pub(super) fn sweep_once(&mut self) {
        let (problem, refresh) = (self.form.problem(), self.params.settings.tuning.sweeps.refresh);
        let ws = &mut *self.ws;
        self.impulses.clone_into(&mut ws.before);
        self.rule.sweep(&ws.blocks, problem, self.impulses, (&mut ws.z, &mut ws.c));
        self.reached.steps += 1;
        if self.reached.steps.is_multiple_of(refresh) {
            problem.velocities_into(self.impulses, &mut ws.c);
        }
        self.reached.residual = ws.residual(problem, self.rule.law(), self.impulses, &ws.c);
        if self.reached.residual <= self.tolerance {
            self.find_residual();
        }
    }

    /// Reads a table; true if that has led nearer, and then c are the velocities there.
    fn improve(&mut self, table: impl FnOnce(&mut Self)) -> bool {
        let before = self.reached.residual;
        table(self);
        if !(self.reached.residual < before) {
            self.reached.residual = before;
            return false;
        }
        self.form.problem().velocities_into(self.impulses, &mut self.ws.c);
        self.ws.remember(self.impulses, self.reached.residual);
        self.ws.anderson.restart();
        true
    }

    fn is_rounding(&mut self) -> bool {
        let near = self.tuning().islands.near * self.tolerance;
        let (smallest, tolerance) = (self.rule.smallest(), self.tolerance);
        self.ws.best_residual <= near && self.ws.is_rounding(self.form.problem(), tolerance, smallest)
    }

    /// Leaves the best impulses met; the status with that they are left.
    pub(super) fn give_up(&mut self, status: SolveStatus) -> SolveStatus {
        self.impulses.copy_from_slice(&self.ws.best);
        self.find_residual();
        let (problem, smallest, tolerance) = (self.form.problem(), self.rule.smallest(), self.tolerance);
        if status == SolveStatus::NumericalFailure {
            return status;
        }
        let e = self.reached.residual;
        if let Some(e) = self.ws.round_off(problem, tolerance, e, self.impulses, smallest) {
            self.reached.residual = e;
            return SolveStatus::Rounding;
        }
        self.impulses.copy_from_slice(&self.ws.best);
        status
    }
}

/// Reads the table `between`, if it is time to.
fn between(at: &mut Iterate<'_, '_>) {
    let now = at.reached.steps;
    if now < at.ws.methods.next {
        return;
    }
    let large = at.is(When::Large);
    at.ws.methods.later = if large { now.saturating_add(at.tuning().attempts.soon) } else { 2 * now };
    let mut tried = false;
    let lines = at.params.settings.plan.between.iter();
    let _ended = read(at, lines, |at, line| {
        if std::mem::replace(&mut tried, true) && (!(at.reached.residual > at.tolerance) || work::spent()) {
            return ControlFlow::Break(());
        }
        let budget = Budget { ends: Ends::Newton, ..Budget::of(line, at) };
        ControlFlow::Continue(at.holds(line, |_| {}).then_some(budget))
    });
    let methods = &mut at.ws.methods;
    methods.next = methods.later.max(methods.next);
}
