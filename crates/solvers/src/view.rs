//! A problem as methods see it.

use crate::blocks::Block;
use crate::residual::StoppingResidual;
use crate::tuning::{AttemptsTuning, Tuning};
use stiction_contact::{ConstraintProblem, Law};

/// How far a method got.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reached {
    /// Residual of the impulses left behind [m/s].
    pub(crate) residual: f64,
    pub(crate) steps: u32,
}

/// A problem, with its blocks and the numbers of methods.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    pub(crate) problem: &'a ConstraintProblem,
    pub(crate) blocks: &'a [Block],
    pub(crate) stopping: &'a StoppingResidual,
    pub(crate) law: Law,
    /// The blocks are all that sweeps ask for.
    pub(crate) sweeps: bool,
    pub(crate) tuning: &'a Tuning,
}

impl View<'_> {
    pub(crate) fn residual(&self, lambda: &[f64], c: &[f64]) -> f64 {
        self.stopping.residual(self.problem, self.law, lambda, c)
    }

    /// `e`, found at these impulses, with what rounding may add whoever judges them [m/s]; where contacts
    /// press against each other without end, that is all there is. An `e` within the tolerance that this
    /// leads out of it is not: it is then what rounding is sure to hide, or just beyond the tolerance.
    pub(crate) fn cautious(&self, e: f64, lambda: &[f64], tolerance: f64, scratch: &mut Vec<f64>) -> f64 {
        if !(e <= tolerance) {
            return e;
        }
        let rounding = self.rounding(lambda, tolerance, scratch);
        if e + rounding <= tolerance {
            return e + rounding;
        }
        (e + rounding).min((rounding / self.tuning.attempts.caution).max(tolerance * (1.0 + f64::EPSILON)))
    }

    /// Velocities that rounding may make of these impulses, whoever judges them [m/s]. Where it is nothing beside the
    /// tolerance, a bound of it.
    pub(crate) fn rounding(&self, lambda: &[f64], tolerance: f64, scratch: &mut Vec<f64>) -> f64 {
        let AttemptsTuning { caution, nothing, .. } = self.tuning.attempts;
        caution * self.stopping.last_place(self.problem, lambda, nothing * tolerance / caution, scratch)
    }

    /// True if `e` is nearly within the tolerance, and no more than rounding these impulses leaves: nothing
    /// beyond Newton's method is worth its cost.
    pub(crate) fn is_rounding(&self, e: f64, lambda: &[f64], tolerance: f64, scratch: &mut Vec<f64>) -> bool {
        e <= self.tuning.islands.near * tolerance
            && e <= self.stopping.last_place(self.problem, lambda, e, scratch)
    }
}
