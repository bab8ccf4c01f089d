//! What a finish sees of a problem, and what kind of problem it is.

use super::{FEW_ROWS, parts::Parts};
use crate::measure::Measure;
use crate::path::Path;
use crate::sweep::Block;
use crate::trees::TreeSystem;
use stiction_contact::cone::MAX_ROWS;
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
    pub(crate) measure: &'a Measure,
    pub(crate) law: Law,
    /// The blocks are all that sweeps ask for.
    pub(crate) sweeps: bool,
}

impl View<'_> {
    pub(crate) fn residual(&self, lambda: &[f64], c: &[f64]) -> f64 {
        self.measure.residual(self.problem, self.law, lambda, c)
    }

    /// What rounding may make of these impulses, whoever judges them: some u ‖|G + R| |λ|‖ [m/s]. Where contacts press
    /// against each other without end, it is all there is. Where it is nothing beside the tolerance, a bound of it.
    pub(crate) fn rounding(&self, lambda: &[f64], tolerance: f64, scratch: &mut Vec<f64>) -> f64 {
        let problem = self.problem;
        // ‖G_ij‖ ≤ (‖G_ii‖ ‖G_jj‖)^½
        let (mut sum, mut most) = (0.0, 0.0_f64);
        for (i, norm) in self.measure.norms.iter().enumerate() {
            sum += norm.sqrt() * lambda[problem.range(i)].iter().map(|l| l.abs()).sum::<f64>();
            most += norm;
        }
        let bound = CAUTION * f64::EPSILON * (MAX_ROWS as f64 * most).sqrt() * sum;
        if bound <= NOTHING * tolerance {
            return bound;
        }
        problem.absolute_mul_into(lambda, scratch);
        let squares: f64 = scratch.iter().map(|size| size * size).sum();
        CAUTION * f64::EPSILON * squares.sqrt()
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
        self.has_parts() && rows > FEW_ROWS && rows > REDUNDANT * self.problem.thin.coordinates()
    }
}
