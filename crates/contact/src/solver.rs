//! What every contact solver offers, and what it reports.

use crate::problem::ConstraintProblem;
use serde::Serialize;

/// The law a solver's answer obeys when it has converged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Law {
    /// Signorini + Coulomb + maximum dissipation: K ∋ λ ⟂ c + Γ(c) ∈ K*.
    Ncp,
    /// Signorini + Coulomb, the slip direction of RaiSim's bisection.
    Raisim,
    /// The convex relaxation K ∋ λ ⟂ c ∈ K*: sliding bodies lift.
    Ccp,
}

/// How a solve ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SolveStatus {
    /// The solver's stopping quantity fell below the tolerance.
    Converged,
    /// The iteration budget is spent; the best impulses seen are returned.
    IterationLimit,
    /// No further progress is possible; the best impulses seen are returned.
    Stalled,
    /// A number stopped being finite; the impulses must not be used.
    NumericalFailure,
}

/// What a solver says of its own work. Its residual decides when it stops; the residual that is
/// reported to users is the judge's ([`crate::certificate`]).
#[derive(Clone, Copy, Debug, Serialize)]
pub struct SolveReport {
    pub status: SolveStatus,
    /// Sweeps or Newton steps taken.
    pub iterations: u32,
    /// The solver's own stopping quantity [m/s].
    pub residual: f64,
}

impl SolveReport {
    pub fn converged(&self) -> bool {
        self.status == SolveStatus::Converged
    }
}

/// A contact solver: parameters and workspace; the problem is handed in.
pub trait ContactSolver: Send {
    /// Registry name, `law-algorithm`.
    fn name(&self) -> &'static str;

    /// The law of the answer.
    fn law(&self) -> Law;

    /// Solves `problem`, starting from `impulses` (zeros are a cold start) and leaving the answer
    /// there. Allocates only when the problem is larger than any before.
    fn solve(&mut self, problem: &ConstraintProblem, impulses: &mut [f64]) -> SolveReport;

    /// Drops whatever a solve keeps for the next one, so that what follows depends on the problem and
    /// the starting impulses alone.
    fn forget(&mut self) {}
}
