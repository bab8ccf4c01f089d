//! Forces that are rows of the constraint problem.

use serde::{Deserialize, Serialize};

/// A force along several dofs whose value depends on the velocity at the end of the step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ImplicitForce {
    /// Index into `world.actuators`.
    Actuator(usize),
    /// Index into `world.tendons`.
    Tendon(usize),
}
