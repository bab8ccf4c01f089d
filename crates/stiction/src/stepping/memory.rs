//! Everything beside state and input that decides how a simulation goes on.

use serde::{Deserialize, Serialize};
use stiction_assembly::WarmStart;

/// Memory of a stepper: a snapshot is state, input and memory. Solvers remember beside it only what saves
/// them time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Memory {
    /// Impulses of the last two steps, in the order of contacts and rows.
    pub warm_starts: WarmStart,
    /// Per actuator: it acts on one dof and is at its effort limit.
    pub saturated: Vec<bool>,
    /// The last step left the feedback of couplings and loops to the positions.
    pub without_feedback: bool,
    /// Per tree, of steppers that let islands sleep: steps at rest.
    pub steps_at_rest: Vec<u32>,
    /// Per tree, of the same: the island that it sleeps with, named by its first tree.
    pub asleep_with: Vec<Option<usize>>,
    /// Numbers that the stepper alone reads, as it groups them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub own: Vec<Vec<f64>>,
    /// Size of the next internal step of steppers that control their error: seconds, or a share of the step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub substep: Option<f64>,
    /// Steps that are saved for landings that end parts ([`crate::StepperParams::landing_interval`]); `None`: as many as can
    /// be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credit: Option<u32>,
}
