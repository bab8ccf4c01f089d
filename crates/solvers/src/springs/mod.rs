//! The answer that equal stiff springs give when they are loaded from nothing.
//!
//! The exact law may have many answers: hyperstatic contacts may share a load in many ways, and then also slide in many ways.
//! Real contacts are stiff springs. With w = (G + R) λ + g and springs of compliance ρ D,
//!
//! ```text
//!     λ_N = max(0, −w_N)/(ρ d_N),    λ_T = −w_T · min(1/(ρ d_T), μ λ_N/‖w_T‖)                  (1)
//! ```
//!
//! has one answer in practice, and its limit for ρ → 0 is an answer of the exact law. It depends on the problem alone: on no
//! order of contacts, no unit, no earlier impulses, no tolerance. It is found in this order:
//!
//! 1. [`hold`]: the smallest impulses that hold all that presses, by one Cholesky factor; in their cones they are the limit;
//! 2. [`newton`]: (1) at one small ρ from λ = 0, and a few proximal steps to ρ → 0;
//! 3. where what presses only creeps, any admissible impulses that hold it: a real contact, after a first micro-slip, holds by the
//!    stress that the slip built up, which (1), loaded from nothing, cannot have.
//!
//! D is the same for all contact points ([`metric`]), tangentially softer than along the normal, so that normals carry a load
//! first and friction only what they cannot.
//!
//! Units: λ [N·s], c and g [m/s], G and R [1/kg].

mod delassus;
mod hold;
mod metric;
mod newton;
mod pieces;

use crate::parameters::{Field, Parameter, Parameters, parameters};
use crate::residual::StoppingResidual;
use crate::trees::TreeSystem;
use delassus::{ByTrees, Delassus, Dense};
use hold::Hold;
use metric::Metric;
use newton::Newton;
use stiction_contact::ConstraintProblem;

parameters! {
    /// The springs whose limit is the answer.
    pub struct SpringsParams {
        /// Rows of an island up to which its answer is that of springs; larger ones go on from the last impulses.
        rows: u32 = 120, "–", at_least(0.0);
        /// ρ at which the springs are loaded from nothing, in units of the mean diagonal of G.
        compliance: f64 = 1e-4, "–", above(0.0).at_most(1.0);
        /// Compliance across the normal over that along it.
        ratio: f64 = 100.0, "–", above(0.0);
        /// ρ of the factor by which the smallest holding impulses are found.
        null: f64 = 1e-8, "–", above(0.0).at_most(1e-3);
        /// Steps of Newton's method at one ρ.
        newton_steps: u32 = 14, "–", at_least(1.0);
        /// ρ of the softest springs, where the stiff ones have no equilibrium that Newton's method finds from nothing, and the share
        /// of it that the next have.
        softest: f64 = 1.0, "–", above(0.0);
        /// The share of ρ that the next stiffer springs have.
        rung: f64 = 0.1, "–", above(0.0).below(1.0);
        /// Proximal steps towards ρ = 0.
        proximal_steps: u32 = 4, "–", at_least(1.0);
        /// Share of the tolerance at which they end.
        digits: f64 = 1e-4, "–", above(0.0).at_most(1.0);
        /// Slip of what presses, as a share of the largest free velocity of a contact, below which any holding impulses are looked for.
        creep: f64 = 1e-2, "–", at_least(0.0);
    }
}

impl Field for SpringsParams {
    const GROUP: &'static [Parameter] = Self::TABLE;
}

/// What an answer is found for.
pub(super) struct Island<'a> {
    problem: &'a ConstraintProblem,
    stopping: &'a StoppingResidual,
    metric: &'a Metric,
    size: f64,
}

impl Island<'_> {
    /// ‖g‖ [m/s].
    fn size(&self) -> f64 {
        self.size
    }
}

/// How an answer was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// The smallest impulses hold all that presses.
    Holds,
    /// The limit of springs.
    Springs,
    /// What would creep is held by other admissible impulses.
    HeldByStress,
}

/// An answer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    /// Natural map of the exact law [m/s].
    pub(crate) residual: f64,
    pub(crate) way: Way,
    /// Factorisations of Newton's method.
    pub(crate) steps: u32,
}

/// Workspace; valid during one solve.
#[derive(Default)]
pub(crate) struct Springs {
    metric: Metric,
    hold: Hold,
    newton: Newton,
    dense: Dense,
    trees: ByTrees,
}

impl Springs {
    /// Leaves the answer of the rule in `impulses`, whatever they are; `None`, and the impulses as they were, where the springs
    /// have no equilibrium that is found. `stopping` is prepared for the problem, which is one island.
    pub(crate) fn answer(
        &mut self,
        problem: &ConstraintProblem,
        stopping: &StoppingResidual,
        params: &SpringsParams,
        tolerance: f64,
        impulses: &mut [f64],
    ) -> Option<Found> {
        let size = problem.free_velocity.iter().map(|g| g * g).sum::<f64>().sqrt();
        if size == 0.0 {
            impulses.fill(0.0);
            problem.cones().iter().enumerate().for_each(|(i, c)| c.project(&mut impulses[problem.range(i)]));
            return Some(Found { residual: 0.0, way: Way::Holds, steps: 0 });
        }
        let Self { metric, hold, newton, dense, trees } = self;
        if TreeSystem::pays(problem) {
            trees.take(problem);
            metric.prepare(problem, stopping, params, |r, c| entry_of(problem, r, c));
            let island = Island { problem, stopping, metric, size };
            return find(&island, params, (hold, newton), trees, tolerance, impulses);
        }
        if !dense.take(problem) {
            return None;
        }
        metric.prepare(problem, stopping, params, |r, c| dense.entry(r, c));
        let island = Island { problem, stopping, metric, size };
        find(&island, params, (hold, newton), dense, tolerance, impulses)
    }
}

/// G of two contacts, by the factor.
fn entry_of(problem: &ConstraintProblem, row: usize, column: usize) -> f64 {
    let block = |r: usize| problem.row_start().partition_point(|&s| s <= r) - 1;
    let (i, j) = (block(row), block(column));
    if problem.delassus_factor.trees_of(i).all(|t| problem.delassus_factor.trees_of(j).all(|s| s != t)) {
        return 0.0;
    }
    let mut out = [0.0; 9];
    problem.delassus_factor.product_into(i, j, [3, 3], &mut out);
    out[3 * (row - problem.range(i).start) + column - problem.range(j).start]
}

fn find<D: Delassus>(
    island: &Island<'_>,
    params: &SpringsParams,
    (hold, newton): (&mut Hold, &mut Newton),
    a: &mut D,
    tolerance: f64,
    impulses: &mut [f64],
) -> Option<Found> {
    if let Some(residual) = hold.smallest(island, params, a, tolerance) {
        impulses.copy_from_slice(&hold.lambda);
        return Some(Found { residual, way: Way::Holds, steps: 1 });
    }
    let residual = newton.limit(island, params, a, tolerance);
    if !residual.is_finite() {
        return None;
    }
    let steps = newton.factorisations;
    let slip = newton.fastest_slip(island);
    if slip > tolerance && slip <= params.creep * island.size() {
        let pieces = std::mem::take(&mut newton.pieces);
        let held = hold.any(island, params, a, &pieces, tolerance);
        newton.pieces = pieces;
        if let Some(residual) = held {
            impulses.copy_from_slice(&hold.lambda);
            return Some(Found { residual, way: Way::HeldByStress, steps });
        }
    }
    impulses.copy_from_slice(&newton.lambda);
    Some(Found { residual, way: Way::Springs, steps })
}
