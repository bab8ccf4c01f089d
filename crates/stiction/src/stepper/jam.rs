//! Overlaps that friction holds together, and couplings of what cannot move.
//!
//! That an overlap be pushed out, or the error of a coupling or a loop be undone, is asked by our stabilisation, not by the
//! law of contact; here both are pushes. Bodies wedged between others may have no velocity that does it: impulses in the
//! cones press against each other whatever their size, G λ = 0, and gᵀλ < 0 (without pushes gᵀλ = 0, and an answer exists
//! [Acary2011]). Where a problem with pushes is not solved it is therefore solved once more without them; the certificate
//! is then of that problem, and overlaps and errors are taken out of the positions alone ([`super::apart`]). What is jammed stays so for many steps, and a problem without an
//! answer costs all iterations there are: pushes stay out from step to step, until there are as good as none and nothing
//! overlaps deeply.
//!
//! Nor can all bodies be thrown back at once that bounce between others: where there is no answer without pushes
//! either, nothing bounces in this step. Then v = 0 is admissible in every row of contacts and limits.

use super::TimeStepper;
use super::apart::SOLVED;
use crate::assembly::Notes;
use stiction_contact::{ContactSolver, SolveReport};

/// Workspace; holds during one step.
#[derive(Default)]
pub(super) struct Jam {
    /// Those found before, while others are tried.
    pub(super) impulses: Vec<f64>,
    /// The problem is, or was, solved without pushes.
    pub(super) solved: bool,
}

impl TimeStepper {
    /// Before any solve: takes the pushes out if the last step went without, while they last.
    pub(super) fn stay_jammed(&mut self) {
        let lasts = !self.notes.deep.is_empty() || self.pushes_matter();
        self.jam.solved = self.memory.jammed && lasts;
        if self.jam.solved {
            self.leave_out_pushes(1.0);
        }
    }

    /// After a solve that did not converge: one without pushes, and if need be one without bounces. `None` if there
    /// are none, if that does not converge either, or if the law of the solver has its own.
    pub(super) fn solve_jam(&mut self, solver: &mut dyn ContactSolver) -> Option<SolveReport> {
        let needs = solver.needs();
        let pushes = !self.jam.solved && self.pushes_matter();
        if !pushes && self.notes.throws.is_empty() || needs.softness || needs.primal {
            return None;
        }
        let mut found = std::mem::take(&mut self.jam.impulses);
        found.clone_from(&self.impulses);
        let mut report = None;
        if pushes {
            self.leave_out_pushes(1.0);
            report = Some(self.solve_cold(solver));
        }
        let solved = |r: &Option<SolveReport>| r.is_some_and(|r| r.settled());
        if !solved(&report) && !self.notes.throws.is_empty() {
            self.leave_out_bounces(1.0);
            report = Some(self.solve_cold(solver));
            if solved(&report) {
                self.notes.bounces.clear();
            } else {
                self.leave_out_bounces(-1.0);
            }
        }
        if solved(&report) {
            self.jam.impulses = found;
            self.jam.solved = true;
            return report;
        }
        if pushes {
            self.leave_out_pushes(-1.0);
        }
        self.impulses.clone_from(&found);
        self.jam.impulses = found;
        None
    }

    /// What g holds for overlaps and errors of couplings and loops is more than next to nothing.
    fn pushes_matter(&self) -> bool {
        let Notes { pushes, returns, .. } = &self.notes;
        pushes.iter().chain(returns).map(|(_, b)| b * b).sum::<f64>().sqrt() > SOLVED.tolerance
    }

    /// Takes the pushes out of g, or puts them back.
    fn leave_out_pushes(&mut self, sign: f64) {
        for &(row, push) in self.notes.pushes.iter().chain(&self.notes.returns) {
            self.problem.free_velocity[row] -= sign * push;
        }
    }

    /// Takes a share of the bounces out of g, or puts it back.
    pub(super) fn leave_out_bounces(&mut self, share: f64) {
        for &(row, throw) in &self.notes.throws {
            self.problem.free_velocity[row] -= share * throw;
        }
    }

    fn solve_cold(&mut self, solver: &mut dyn ContactSolver) -> SolveReport {
        self.impulses.fill(0.0);
        solver.forget();
        let solve = solver.solve(&self.problem, &mut self.impulses);
        self.judged(solve, solver.law())
    }
}
