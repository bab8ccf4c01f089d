//! What a step says of itself.

use crate::energy_ledger::EnergyLedger;
use crate::remedy::Remedy;
use serde::Serialize;
use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;
use stiction_contact::{Answer, ConstraintProblem, SolveStatus, answers};

/// Natural map at which a step counts as certified, whatever the tolerance: above it nothing excuses a step
/// [m/s].
pub const CERTIFIED: f64 = 1e-6;

/// How a step ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum StepStatus {
    /// Accepted; the contact solver reached its tolerance.
    #[default]
    Converged,
    /// Accepted; the contact solver did not reach its tolerance, nor could any tell: what is left is no more
    /// than what rounding the impulses to 64 bits leaves, and within [`CERTIFIED`].
    Rounding,
    /// Accepted with the best impulses seen; the solver did not reach its tolerance.
    NotConverged,
    /// Accepted, and the contact law is obeyed; but a tree of joints made more energy that nothing explains
    /// than [`crate::StepperParams::energy_tolerance`] allows.
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

/// How one step went. The default is that of a step in parts, before the first. What few steps have is boxed:
/// reports are handed from the stepper to who steps, and copied on the way.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
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
    /// Energy that trees of joints made in the step and that nothing explains, less what they lost: the error
    /// of the rules of first and second order by which they moved [J].
    pub energy_error: f64,
    /// Kinetic energy of these trees at the end of the step [J].
    pub energy_in_motion: f64,
    /// The fastest that a tree so made energy, relative to what it has [1/s]; see
    /// [`crate::StepperParams::energy_tolerance`].
    pub energy_error_rate: f64,
    /// The measure against a problem without a good answer; `None` mostly.
    pub remedy: Option<Remedy>,
    /// Where an island of contacts met the end of its budget, which leaves the best impulses so far:
    /// factorisations of the largest budget met ([`stiction_solvers::effort`]).
    pub bound_met: Option<u32>,
    /// A [`crate::ContactCorrection`] changed impulses: the certificate is that of what was applied.
    pub corrected: bool,
    /// Bodies that sleep from now on, whose contacts count as they were; see [`crate::Sleep`].
    pub asleep: usize,
    /// Counts and measurements that the stepper alone makes, see [`Self::extra`].
    #[serde(skip)]
    pub extra: Option<Arc<dyn StepExtra>>,
    /// Works of the step by cause, of steppers that keep account of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ledger: Option<Box<EnergyLedger>>,
    /// All motions that obey the contact law, where [`crate::Settings::answers`] asks for them and the
    /// problem is small.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answers: Option<Box<Answers>>,
}

/// All motions that obey the exact law in a step, and the one that was taken.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Answers {
    /// By rising kinetic energy after the impulses.
    pub motions: Vec<Answer>,
    /// The motion that was taken; `None`: none of these, because the step obeys another law or has not
    /// converged.
    pub taken: Option<usize>,
    /// By which rule it was taken among several.
    pub rule: &'static str,
}

/// Velocities nearer than this share of the largest, or of 1 m/s, are those of one motion [–].
const SAME_MOTION: f64 = 1e-6;

impl Answers {
    /// All answers of `problem`, of which `impulses` were taken by `rule`; `None` if the problem is too large
    /// to go through.
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

/// Why a step, or a part of it, cannot be done.
#[derive(Debug)]
pub struct Cause {
    pub text: String,
    /// Counts and measurements of the method that failed.
    pub extra: Option<Arc<dyn StepExtra>>,
}

impl From<String> for Cause {
    fn from(text: String) -> Self {
        Self { text, extra: None }
    }
}

/// Counts and measurements of one method: any type that can be compared and printed. Reports share them, so
/// that no step allocates.
pub trait StepExtra: Any + Debug + Send + Sync {
    /// Whether `other` is of the same type and equal.
    fn equals(&self, other: &dyn StepExtra) -> bool;
}

impl<T: Any + Debug + Send + Sync + PartialEq> StepExtra for T {
    fn equals(&self, other: &dyn StepExtra) -> bool {
        (other as &dyn Any).downcast_ref::<T>() == Some(self)
    }
}

impl PartialEq for dyn StepExtra {
    fn eq(&self, other: &Self) -> bool {
        self.equals(other)
    }
}

impl StepReport {
    /// Counts and measurements of the method whose type is `T`, if the step was of that.
    pub fn extra<T: StepExtra>(&self) -> Option<&T> {
        (&**self.extra.as_ref()? as &dyn Any).downcast_ref()
    }

    /// The report of one part, in which nothing was solved.
    pub(crate) fn of_part() -> Self {
        Self { parts: 1, ..Self::default() }
    }

    /// The report of a step that is not accepted.
    pub(crate) fn failed(cause: Cause) -> Self {
        let status = StepStatus::Failed(cause.text);
        Self { status, residual: f64::NAN, extra: cause.extra, ..Self::default() }
    }

    /// The report of a step in parts, after one more part.
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
            energy_in_motion: self.energy_in_motion.max(next.energy_in_motion),
            energy_error_rate: self.energy_error_rate.max(next.energy_error_rate),
            remedy: self.remedy.max(next.remedy),
            bound_met: self.bound_met.max(next.bound_met),
            corrected: self.corrected || next.corrected,
            asleep: next.asleep,
            extra: next.extra.or(self.extra),
            ledger: match (self.ledger, next.ledger) {
                (Some(a), Some(b)) => Some(Box::new(a.followed_by(&b))),
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

    /// The worst part stands for the step, and only a part that did not converge or failed is flagged.
    #[test]
    fn the_worst_part_is_told() {
        let failed = StepStatus::Failed("no".to_owned());
        let [good, rounding] = [StepStatus::Converged, StepStatus::Rounding];
        let order = [good, rounding, StepStatus::GainedEnergy, StepStatus::NotConverged, failed];
        let part = |k: usize| StepReport { status: order[k].clone(), ..StepReport::default() };
        for (a, b) in (0..5).flat_map(|a| (0..5).map(move |b| (a, b))).filter(|p| p.0 < 4) {
            let both = part(a).followed_by(part(b));
            assert_eq!(both.status, order[a.max(b)]);
            assert_eq!(both.flagged(), a.max(b) >= 2);
        }
    }
}
