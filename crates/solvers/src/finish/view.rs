//! What a finish sees of a problem, and what kind of problem it is.

use super::{FEW_ROWS, NEAR, parts::Parts};
use crate::path::Path;
use crate::residual::StoppingResidual;
use crate::sweep::Block;
use crate::trees::TreeSystem;
use stiction_contact::{ConstraintProblem, Law};

/// Rows per coordinate of a hyperstatic island.
const REDUNDANT: usize = 3;
/// Islands with more rows are left to sweeps, Newton and parts.
const LARGE: usize = 2000;

/// How many times larger than reckoned rounding may be, and what of it is not looked at more closely [tolerances].
const CAUTION: f64 = 10.0;
const NOTHING: f64 = 1e-3;

/// See the module.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    pub(crate) problem: &'a ConstraintProblem,
    pub(crate) blocks: &'a [Block],
    pub(crate) stopping: &'a StoppingResidual,
    pub(crate) law: Law,
    /// The blocks are all that sweeps ask for.
    pub(crate) sweeps: bool,
}

impl View<'_> {
    pub(crate) fn residual(&self, lambda: &[f64], c: &[f64]) -> f64 {
        self.stopping.residual(self.problem, self.law, lambda, c)
    }

    /// `e`, found at these impulses, with what rounding may add whoever judges them [m/s]; where contacts press against
    /// each other without end, that is all there is. An `e` within the tolerance that this leads out of it is not: it is
    /// then what rounding is sure to hide, or just beyond the tolerance.
    pub(crate) fn cautious(&self, e: f64, lambda: &[f64], tolerance: f64, scratch: &mut Vec<f64>) -> f64 {
        if !(e <= tolerance) {
            return e;
        }
        let rounding = self.rounding(lambda, tolerance, scratch);
        if e + rounding <= tolerance {
            return e + rounding;
        }
        (e + rounding).min((rounding / CAUTION).max(tolerance * (1.0 + f64::EPSILON)))
    }

    /// What rounding may make of these impulses, whoever judges them [m/s]. Where it is nothing beside the tolerance, a
    /// bound of it.
    pub(crate) fn rounding(&self, lambda: &[f64], tolerance: f64, scratch: &mut Vec<f64>) -> f64 {
        CAUTION * self.stopping.last_place(self.problem, lambda, NOTHING * tolerance / CAUTION, scratch)
    }

    /// True if `e` is nearly within the tolerance, and no more than rounding these impulses leaves: nothing beyond
    /// Newton's method is worth its cost.
    pub(super) fn is_rounding(&self, e: f64, lambda: &[f64], tolerance: f64, scratch: &mut Vec<f64>) -> bool {
        e <= NEAR * tolerance && e <= self.stopping.last_place(self.problem, lambda, e, scratch)
    }

    /// True where [`super::Way::Path`] leads.
    pub(super) fn has_path(&self) -> bool {
        self.law == Law::Ncp && (self.problem.rows() <= Path::MOST_ROWS || TreeSystem::pays(self.problem))
    }

    /// True if what Newton's method leaves may be of parts.
    pub(super) fn has_parts(&self) -> bool {
        self.law == Law::Ncp && self.problem.rows() >= Parts::LEAST_ROWS && TreeSystem::pays(self.problem)
    }

    /// True where ways that are wrong in one place cost too much.
    pub(super) fn large(&self) -> bool {
        self.has_parts() && self.problem.rows() > LARGE
    }

    /// True if a large island has far more rows than motions: most contacts could open or slip and others hold as well.
    pub(super) fn hyperstatic(&self) -> bool {
        let rows = self.problem.rows();
        self.has_parts() && rows > FEW_ROWS && rows > REDUNDANT * self.problem.delassus_factor.coordinates()
    }
}
