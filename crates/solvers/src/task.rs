//! An island as methods see it that take it whole.

use crate::residual::StoppingResidual;
use stiction_contact::{ConstraintProblem, Law};

/// One island as a method sees it.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    pub(crate) problem: &'a ConstraintProblem,
    pub(crate) stopping: &'a StoppingResidual,
    pub(crate) law: Law,
    /// Residual wanted [m/s].
    pub(crate) tolerance: f64,
}
