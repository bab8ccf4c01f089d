//! A trial: one choice of what a step asks of its contacts, and what became of it.

use stiction_assembly::Choice;
use stiction_contact::{SolveReport, SolveStatus};

/// Impulses of a posed problem under one choice, the solver's report, and the velocity that they lead to.
#[derive(Clone, Debug)]
pub struct Trial {
    pub choice: Choice,
    /// λ in the rows of the problem [N·s].
    pub impulses: Vec<f64>,
    /// The report of the solver; iterations are those of all trials of the step.
    pub report: SolveReport,
    /// v⁺ = v_f + M̂⁻¹ Jᵀ λ.
    pub v_next: Vec<f64>,
}

impl Trial {
    /// The trial of a world with `nv` velocities, before anything was solved.
    pub(crate) fn new(nv: usize) -> Self {
        let report = SolveReport { status: SolveStatus::Converged, iterations: 0, residual: 0.0 };
        Self { choice: Choice::default(), impulses: Vec::new(), report, v_next: vec![0.0; nv] }
    }

    /// Takes over `other`, without allocating once that has been as large.
    pub(crate) fn set_to(&mut self, other: &Self) {
        self.choice = other.choice;
        self.impulses.clone_from(&other.impulses);
        self.report = other.report;
        self.v_next.clone_from(&other.v_next);
    }
}
