//! What a step says of itself.

use crate::energy_ledger::EnergyLedger;
use crate::remedy::Remedy;
use serde::Serialize;
use stiction_contact::{Answer, ConstraintProblem, SolveStatus, answers};
use stiction_nmdp::NmdpReport;

/// Natural map at which a step counts as certified, whatever the tolerance: above it nothing excuses a step [m/s].
pub const CERTIFIED: f64 = 1e-6;

/// How a step ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum StepStatus {
    /// Accepted; the contact solver reached its tolerance.
    Converged,
    /// Accepted; the contact solver did not reach its tolerance, nor could any tell: what is left is no more than what
    /// rounding the impulses to 64 bits leaves, and within [`CERTIFIED`].
    Rounding,
    /// Accepted with the best impulses seen; the solver did not reach its tolerance.
    NotConverged,
    /// Accepted, and the contact law is obeyed; but a tree of joints made more energy that nothing explains than
    /// [`crate::StepperParams::energy_tolerance`] allows.
    GainedEnergy,
    /// Not accepted: the state is as before the step. The text names the cause.
    Failed(String),
}

impl From<SolveStatus> for StepStatus {
    fn from(status: SolveStatus) -> Self {
        match status {
            SolveStatus::Converged => Self::Converged,
            SolveStatus::Rounding => Self::Rounding,
            SolveStatus::IterationLimit | SolveStatus::Stalled => Self::NotConverged,
            SolveStatus::NumericalFailure => Self::Failed("the contact solver failed".to_owned()),
        }
    }
}

/// How one step went.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StepReport {
    pub status: StepStatus,
    /// Iterations of the contact solver.
    pub iterations: u32,
    /// The solver's own stopping quantity [m/s]; for the truth ask for the certificate.
    pub residual: f64,
    /// Contact points in the problem.
    pub contacts: usize,
    /// Deepest overlap at the start of the step [m].
    pub penetration: f64,
    /// Parts it was solved in: one, unless fast bodies are swept or a step is done again (see
    /// [`crate::StepperParams`]); 0 if it failed.
    pub parts: u32,
    /// Energy that trees of joints made in the step and that nothing explains, less what they lost: the error of the rules of
    /// first and second order by which they moved [J].
    pub energy_error: f64,
    /// The fastest that a tree so made energy, relative to what it has [1/s]; see
    /// [`crate::StepperParams::energy_tolerance`].
    pub energy_error_rate: f64,
    /// What was done because the problem had no good answer; `None` mostly.
    pub remedy: Option<Remedy>,
    /// Where an island of contacts met the end of its budget, which leaves the best impulses so far: factorisations of the
    /// largest budget met ([`stiction_solvers::effort`]).
    pub bound_met: Option<u32>,
    /// A [`crate::ContactCorrection`] changed impulses: the certificate is that of what was applied.
    pub corrected: bool,
    /// Bodies that sleep from now on, whose contacts count as they were; see [`crate::Sleep`].
    pub asleep: usize,
    /// Work, and conditions of the proofs as they were measured, of NMDP steppers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nmdp: Option<NmdpReport>,
    /// Works of the step by cause, of steppers that keep account of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ledger: Option<EnergyLedger>,
    /// All motions that obey the contact law, where [`crate::Settings::answers`] asks for them and the problem is small.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answers: Option<Answers>,
}

/// All motions that obey the exact law in a step, and the one that was taken.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Answers {
    /// By rising kinetic energy after the impulses.
    pub motions: Vec<Answer>,
    /// The motion that was taken; `None`: none of these, because the step obeys another law or has not converged.
    pub taken: Option<usize>,
    /// By which rule it was taken among several.
    pub rule: &'static str,
}

/// Velocities nearer than this share of the largest, or of 1 m/s, are those of one motion [–].
const SAME_MOTION: f64 = 1e-6;

impl Answers {
    /// All answers of `problem`, of which `impulses` were taken by `rule`; `None` if the problem is too large to go through.
    pub(crate) fn of(problem: &ConstraintProblem, impulses: &[f64], rule: &'static str) -> Option<Self> {
        let motions = answers(problem)?;
        let mut c = Vec::new();
        problem.velocities_into(impulses, &mut c);
        let scale = c.iter().fold(1.0_f64, |most, c| most.max(c.abs()));
        let apart =
            |a: &Answer| a.velocities.iter().zip(&c).fold(0.0_f64, |most, (a, b)| most.max((a - b).abs()));
        let taken = motions.iter().position(|a| apart(a) <= SAME_MOTION * scale);
        Some(Self { motions, taken, rule })
    }
}

impl StepReport {
    pub(crate) fn failed(cause: String) -> Self {
        Self {
            status: StepStatus::Failed(cause),
            iterations: 0,
            residual: f64::NAN,
            contacts: 0,
            penetration: 0.0,
            parts: 0,
            energy_error: 0.0,
            energy_error_rate: 0.0,
            remedy: None,
            bound_met: None,
            corrected: false,
            asleep: 0,
            nmdp: None,
            ledger: None,
            answers: None,
        }
    }

    /// Of a step in parts, before the first.
    pub(crate) fn start() -> Self {
        let status = StepStatus::Converged;
        Self {
            status,
            iterations: 0,
            residual: 0.0,
            contacts: 0,
            penetration: 0.0,
            parts: 0,
            energy_error: 0.0,
            energy_error_rate: 0.0,
            remedy: None,
            bound_met: None,
            corrected: false,
            asleep: 0,
            nmdp: None,
            ledger: None,
            answers: None,
        }
    }

    /// Of a step in parts, after one more.
    pub(crate) fn followed_by(self, next: Self) -> Self {
        let status = match (self.status, next.status) {
            (StepStatus::Converged, next) | (_, next @ StepStatus::Failed(_)) => next,
            (StepStatus::Rounding | StepStatus::GainedEnergy, StepStatus::NotConverged) => {
                StepStatus::NotConverged
            }
            (StepStatus::Rounding, StepStatus::GainedEnergy) => StepStatus::GainedEnergy,
            (status, _) => status,
        };
        Self {
            status,
            iterations: self.iterations + next.iterations,
            residual: self.residual.max(next.residual),
            contacts: next.contacts,
            penetration: self.penetration.max(next.penetration),
            parts: self.parts + next.parts,
            energy_error: self.energy_error + next.energy_error,
            energy_error_rate: self.energy_error_rate.max(next.energy_error_rate),
            remedy: self.remedy.max(next.remedy),
            bound_met: self.bound_met.max(next.bound_met),
            corrected: self.corrected || next.corrected,
            asleep: next.asleep,
            nmdp: next.nmdp.or(self.nmdp),
            ledger: match (self.ledger, next.ledger) {
                (Some(a), Some(b)) => Some(a.followed_by(&b)),
                (a, b) => b.or(a),
            },
            answers: next.answers.or(self.answers),
        }
    }

    /// True unless the step converged, or to all that 64-bit impulses can tell.
    pub fn flagged(&self) -> bool {
        !matches!(self.status, StepStatus::Converged | StepStatus::Rounding)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of parts the worst is told, and only what did not converge or failed is flagged.
    #[test]
    fn the_worst_part_is_told() {
        let failed = StepStatus::Failed("no".to_owned());
        let [good, rounding] = [StepStatus::Converged, StepStatus::Rounding];
        let order = [good, rounding, StepStatus::GainedEnergy, StepStatus::NotConverged, failed];
        let part = |k: usize| StepReport { status: order[k].clone(), ..StepReport::start() };
        for (a, b) in (0..5).flat_map(|a| (0..5).map(move |b| (a, b))).filter(|p| p.0 < 4) {
            let both = part(a).followed_by(part(b));
            assert_eq!(both.status, order[a.max(b)]);
            assert_eq!(both.flagged(), a.max(b) >= 2);
        }
    }
}
