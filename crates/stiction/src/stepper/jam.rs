//! Overlaps that friction holds together.
//!
//! That an overlap be pushed out is asked by our stabilisation, not by the law of contact. Bodies wedged between
//! others may have no velocity that does it: impulses in the cones press against each other whatever their size,
//! G λ = 0, and gᵀλ < 0 (without pushes gᵀλ = 0, and an answer exists [Acary2011]). Where a problem with pushes is not
//! solved it is therefore solved once more without them; the certificate is then of that problem, and overlaps are
//! taken out of the positions alone, without friction:
//!
//! ```text
//!     0 ≤ p ⟂ G p + c + b ≥ 0,     q⁺ = q ⊕ h (v⁺ + M̂⁻¹ Jᵀ p)                      (1)
//! ```
//!
//! in the rows of contacts and limits, with c what (3) of [`super`] leaves there and b the pushes left out. Where
//! opposite walls leave (1) no answer, overlaps stay.
//!
//! Nor can all bodies be thrown back at once that bounce between others: where there is no answer without pushes
//! either, nothing bounces in this step. Then v = 0 is admissible in every row of contacts and limits.

use super::TimeStepper;
use stiction_contact::{Cone, ConstraintProblem, ContactSolver, SolveReport, SolveStatus};

/// Workspace; holds during one step.
#[derive(Default)]
pub(super) struct Jam {
    /// (1)
    problem: ConstraintProblem,
    impulses: Vec<f64>,
    /// M̂⁻¹ Jᵀ p; empty where nothing is pushed in the positions alone.
    pub(super) apart: Vec<f64>,
    /// The problem was solved without pushes.
    pub(super) solved: bool,
}

impl Jam {
    pub(super) fn clear(&mut self) {
        self.apart.clear();
        self.solved = false;
    }
}

impl TimeStepper {
    /// After a solve that did not converge: one without pushes, and if need be one without bounces. `None` if there
    /// are none, if that does not converge either, or if the law of the solver has its own.
    pub(super) fn solve_jam(&mut self, solver: &mut dyn ContactSolver) -> Option<SolveReport> {
        let needs = solver.needs();
        let none = self.notes.pushes.is_empty() && self.notes.throws.is_empty();
        if none || needs.softness || needs.primal {
            return None;
        }
        let mut found = std::mem::take(&mut self.jam.impulses);
        found.clone_from(&self.impulses);
        self.leave_out_pushes(1.0);
        let mut report = (!self.notes.pushes.is_empty()).then(|| self.solve_cold(solver));
        let solved = |r: &Option<SolveReport>| r.is_some_and(|r| r.status == SolveStatus::Converged);
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
            if !self.notes.pushes.is_empty() {
                self.push_apart(solver);
            }
            return report;
        }
        self.leave_out_pushes(-1.0);
        self.impulses.clone_from(&found);
        self.jam.impulses = found;
        None
    }

    /// Takes the pushes out of g, or puts them back.
    fn leave_out_pushes(&mut self, sign: f64) {
        for &(row, push) in &self.notes.pushes {
            self.problem.free_velocity[row] -= sign * push;
        }
    }

    /// The same with bounces.
    fn leave_out_bounces(&mut self, sign: f64) {
        for &(row, throw) in &self.notes.throws {
            self.problem.free_velocity[row] -= sign * throw;
        }
    }

    fn solve_cold(&mut self, solver: &mut dyn ContactSolver) -> SolveReport {
        self.impulses.fill(0.0);
        solver.forget();
        solver.solve(&self.problem, &mut self.impulses)
    }

    /// (1)
    fn push_apart(&mut self, solver: &mut dyn ContactSolver) {
        let Self { jam: Jam { problem, impulses, apart, .. }, notes, problem: whole, .. } = self;
        problem.copy_blocks_of(whole);
        problem.thin.clone_from(&whole.thin);
        whole.velocities_into(&self.impulses, &mut problem.free_velocity);
        for &(row, push) in &notes.pushes {
            problem.free_velocity[row] += push;
        }
        problem.second_start.clear();
        for i in 0..problem.len() {
            let rows = problem.range(i);
            let cone = match problem.cone(i) {
                Cone::Friction { .. } => Cone::Friction { mu: 0.0 },
                Cone::Patch { rolls, .. } => Cone::Patch { mu: 0.0, rolls },
                Cone::Box { .. } => Cone::Box { lo: 0.0, hi: 0.0 },
                cone => cone,
            };
            problem.set_cone(i, cone);
            let normal = cone.opens().then_some(rows.start + cone.normal());
            for row in rows.filter(|&row| Some(row) != normal) {
                problem.free_velocity[row] = 0.0;
            }
        }
        impulses.clear();
        impulses.resize(problem.rows(), 0.0);
        let report = solver.solve(problem, impulses);
        solver.forget();
        if report.status == SolveStatus::Converged {
            apart.resize(self.v_next.len(), 0.0);
            self.rows.add_impulses_into(problem.row_start(), impulses, apart);
            self.factor.solve_in_place(apart);
        }
    }
}
