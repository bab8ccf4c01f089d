//! The answer that equal stiff springs give when they are loaded from nothing.
//!
//! The exact law may have many answers: hyperstatic contacts may share a load in many ways, and then also
//! slide in many ways.
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
//! 2. [`newton`]: (1) at one small ρ, and a few proximal steps to ρ → 0. Newton's method begins at the
//!    equilibria or impulses of the step before where
//!    these are nearer: an equilibrium is one, so that they say how soon it is found, not which it is;
//! 3. where what presses only creeps, any admissible impulses that hold it: a real contact, after a first
//!    micro-slip, holds by the
//!    stress that the slip built up, which (1), loaded from nothing, cannot have.
//!
//! D is the same for all contact points ([`metric`]), tangentially softer than along the normal, so that
//! normals carry a load
//! first and friction only what they cannot.
//!
//! Units: λ [N·s], c and g [m/s], G and R [1/kg].

mod delassus;
mod hold;
mod metric;
mod newton;
mod pieces;
#[cfg(test)]
mod tests;

use crate::parameters::{Field, Parameter, Parameters, parameters};
use crate::residual::StoppingResidual;
use crate::trees::TreeSystem;
use delassus::{ByTrees, Delassus, Dense, Operator};
use hold::Hold;
use metric::Metric;
pub(crate) use newton::Equilibria;
use newton::Newton;
use stiction_contact::cone::tangential;
use stiction_contact::{Cone, ConstraintProblem};

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
        /// Natural map that counts as rest: of the impulses of the step before, and of none.
        rests: f64 = 1e-11, "m/s", above(0.0);
        /// Natural map that impulses which hold may leave, however large the tolerance.
        held: f64 = 1e-8, "m/s", above(0.0);
        /// Rounds in which what presses without friction is found, of which the later half change one contact at a time.
        presses: u32 = 16, "–", at_least(2.0);
        /// Rounds in which what is held opens where it pulls and closes where it would overlap.
        rounds: u32 = 4, "–", at_least(1.0);
        /// Friction over what the normal impulse allows, beyond which a contact is not held by the smallest
        /// impulses, however they are refined.
        beyond: f64 = 2.0, "–", above(1.0);
        /// Pulls and impulses outside of their cones up to this share of all impulses are rounding.
        outside: f64 = 1e-9, "–", above(0.0);
        /// Velocities of overlap up to this share of g are rounding.
        overlaps: f64 = 1e-10, "–", above(0.0);
        /// Steps of iterative refinement to impulses that hold.
        refinements: u32 = 8, "–", at_least(1.0);
        /// Share of g at which refinement ends …
        refined: f64 = 1e-14, "–", above(0.0);
        /// … and in the range of G alone.
        refined_in_range: f64 = 1e-15, "–", above(0.0);
        /// Share of the error that a step of refinement may leave.
        refinement_gain: f64 = 0.3, "–", above(0.0).at_most(1.0);
        /// Least pivot over the largest of a matrix that counts as regular.
        regular: f64 = 1e-5, "–", above(0.0);
        /// Contacts coincide whose rows of G differ by no more than this share, which is that of distances squared.
        coincide: f64 = 1e-12, "–", above(0.0);
        /// Steps of Newton's method to the equilibrium of the springs, before other methods.
        newton_steps: u32 = 20, "–", at_least(1.0);
        /// Steps of Newton's method from the equilibrium of the step before, where contacts slid in it.
        steps_again: u32 = 3, "–", at_least(0.0);
        /// ρ of the softer springs, from whose equilibrium it goes on where it finds none at once, in units
        /// of that of the stiff ones.
        softer: f64 = 10.0, "–", at_least(1.0);
        /// Error of an equilibrium, in units of ‖g‖ over the mean diagonal of G …
        found: f64 = 1e-10, "–", above(0.0);
        /// … of that of softer springs, in units of their ρ …
        rough: f64 = 1e-6, "–", above(0.0);
        /// … and of a proximal step …
        sharp: f64 = 1e-13, "–", above(0.0);
        /// … or this share of the error with which it begins.
        inexact: f64 = 1e-4, "–", at_least(0.0).at_most(1e-2);
        /// An error as small as this is rounding, where a step leaves more than a tenth of it.
        newton_rounding: f64 = 1e-12, "–", above(0.0);
        /// The factor of other steps serves while the pieces are the same and each step leaves no more than
        /// this share of the error.
        newton_gain: f64 = 0.1, "–", above(0.0).at_most(1.0);
        /// A proximal step that leaves more than this share of the natural map is followed by a harder one.
        slow: f64 = 0.03, "–", above(0.0).at_most(1.0);
        /// Steps of Newton's method in a proximal step.
        proximal_newton_steps: u32 = 14, "–", at_least(1.0);
        /// Proximal steps towards ρ = 0.
        proximal_steps: u32 = 6, "–", at_least(1.0);
        /// The share of ρ with which they go on after the first one, and after one that gained little.
        harder: f64 = 1e-2, "–", above(0.0).at_most(1.0);
        /// Share of the tolerance at which they end.
        digits: f64 = 1e-4, "–", above(0.0).at_most(1.0);
        /// Share of the tolerance to which other methods find the equilibrium of the springs.
        by_chain: f64 = 1e-2, "–", above(0.0).at_most(1.0);
        /// Slip of all that presses, as a share of what it would be without impulses, below which any
        /// impulses that hold it are the answer.
        creep: f64 = 1e-2, "–", at_least(0.0);
    }
}

impl SpringsParams {
    /// True if something slides under impulses whose velocities are c, and all that does is slower than the
    /// share `creep` of what it would
    /// be without impulses. Slower than `tolerance` [m/s] it rests.
    pub(crate) fn creep_under(
        &self,
        problem: &ConstraintProblem,
        (impulses, c): (&[f64], &[f64]),
        tolerance: f64,
    ) -> bool {
        let mut creeps = false;
        for (i, cone) in problem.cones().iter().enumerate() {
            let rows = problem.range(i);
            if cone.friction().is_none() || !(impulses[rows.start + cone.normal()] > 0.0) {
                continue;
            }
            let slip = tangential(&c[rows.clone()]);
            if slip <= tolerance {
                continue;
            }
            let free = problem.free_velocity[rows].iter().map(|g| g * g).sum::<f64>().sqrt();
            if slip > self.creep * free {
                return false;
            }
            creeps = true;
        }
        creeps
    }
}

impl Field for SpringsParams {
    const GROUP: &'static [Parameter] = Self::TABLE;
}

/// An island, its scales and the springs of its contacts.
pub(super) struct Island<'a> {
    problem: &'a ConstraintProblem,
    stopping: &'a StoppingResidual,
    metric: &'a Metric,
    params: &'a SpringsParams,
    size: f64,
}

impl Island<'_> {
    /// True where the answer is not that of springs.
    fn is_large(&self) -> bool {
        self.params.rows > 0 && self.problem.rows() > self.params.rows as usize
    }

    /// ‖g‖ [m/s].
    fn size(&self) -> f64 {
        self.size
    }
}

/// Impulses that were found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    /// Natural map of the exact law [m/s].
    pub(crate) residual: f64,
    /// Factorisations of Newton's method.
    pub(crate) steps: u32,
}

/// A problem that the springs are to answer.
#[derive(Clone, Copy)]
pub(crate) struct Question<'a> {
    pub(crate) problem: &'a ConstraintProblem,
    pub(crate) stopping: &'a StoppingResidual,
    pub(crate) params: &'a SpringsParams,
    /// Natural map wanted [m/s].
    pub(crate) tolerance: f64,
}

/// The answer of the springs, if it was found.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Answer {
    /// Impulses, which may leave more than the tolerance.
    Found(Found),
    /// Newton's method has not found the equilibrium of the springs.
    Stalled,
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
    /// Equilibria of the last answer, with which the next of the same island begins.
    pub(crate) fn kept_mut(&mut self) -> &mut Equilibria {
        &mut self.newton.last
    }

    /// Drops what outlives a solve.
    pub(crate) fn forget(&mut self) {
        self.newton.forget();
    }

    /// Leaves the answer of the rule in `impulses`, whatever they are. `stopping` is prepared for the
    /// problem, which is one island.
    pub(crate) fn answer(&mut self, task: &Question<'_>, impulses: &mut [f64]) -> Answer {
        let Question { problem, params, tolerance, .. } = *task;
        let held = tolerance.min(task.params.held);
        let size = problem.free_velocity.iter().map(|g| g * g).sum::<f64>().sqrt();
        if size == 0.0 {
            impulses.fill(0.0);
            problem.cones().iter().enumerate().for_each(|(i, c)| c.project(&mut impulses[problem.range(i)]));
            return Answer::Found(Found { residual: 0.0, steps: 0 });
        }
        if let Some(residual) = rests_alone(task) {
            impulses.fill(0.0);
            return Answer::Found(Found { residual, steps: 0 });
        }
        self.with(task, size, |island, hold, newton, a| {
            newton.given.clear();
            newton.given.extend_from_slice(impulses);
            let known = newton.again(island, a);
            if known && newton.slides(island) {
                return from_equilibrium(island, (hold, newton), a, tolerance, impulses);
            }
            if let Some(residual) = hold.smallest(island, a, held, params.beyond) {
                newton.forget();
                impulses.copy_from_slice(&hold.lambda);
                return Answer::Found(Found { residual, steps: 1 });
            }
            if known {
                newton.look(island, a);
            } else if !newton.equilibrium(island, a, &hold.pressing) {
                return Answer::Stalled;
            }
            from_equilibrium(island, (hold, newton), a, tolerance, impulses)
        })
        .unwrap_or(Answer::Stalled)
    }

    /// Impulses that hold all that touches, of few rows the smallest if these are in their cones, into
    /// `impulses`; their natural map [m/s], at most
    /// the tolerance. `None`, and the impulses as they were, where there are none.
    pub(crate) fn hold(&mut self, task: &Question<'_>, impulses: &mut [f64]) -> Option<f64> {
        let size = task.problem.free_velocity.iter().map(|g| g * g).sum::<f64>().sqrt();
        let tolerance = task.tolerance.min(task.params.held);
        let mut residual = None;
        self.with(task, size, |island, hold, _, a| {
            residual = if island.is_large() {
                hold.any_of_many(island, a, tolerance)
            } else {
                hold.smallest(island, a, tolerance, f64::INFINITY)
                    .or_else(|| hold.any_of_p(island, a, tolerance))
            };
            if residual.is_some() {
                impulses.copy_from_slice(&hold.lambda);
            }
            Answer::Stalled
        });
        residual
    }

    /// The problem with springs at ρ̄, whose answer is their equilibrium, after [`Self::answer`] has stalled.
    pub(crate) fn soften(&self, params: &SpringsParams, soft: &mut ConstraintProblem) {
        for (r, d) in soft.compliance.iter_mut().zip(&self.metric.d) {
            *r += params.compliance * d;
        }
    }

    /// Goes on from the equilibrium `at`, after [`Self::answer`] has stalled.
    pub(crate) fn go_on(&mut self, task: &Question<'_>, at: &[f64], impulses: &mut [f64]) -> Answer {
        let size = task.problem.free_velocity.iter().map(|g| g * g).sum::<f64>().sqrt();
        self.with(task, size, |island, hold, newton, a| {
            newton.begin_at(at);
            newton.look(island, a);
            from_equilibrium(island, (hold, newton), a, task.tolerance, impulses)
        })
        .unwrap_or(Answer::Stalled)
    }

    /// Calls `answer` with the operator that suits the problem; `None` if G is known neither by blocks nor by its factor.
    fn with(
        &mut self,
        task: &Question<'_>,
        size: f64,
        answer: impl FnOnce(&Island<'_>, &mut Hold, &mut Newton, &mut Operator<'_>) -> Answer,
    ) -> Option<Answer> {
        let Question { problem, stopping, params, .. } = *task;
        let Self { metric, hold, newton, dense, trees } = self;
        let mut a = if TreeSystem::pays(problem) {
            trees.take(problem);
            if problem.rows() <= params.rows as usize {
                metric.prepare(problem, stopping, params, |r, c| entry_of(problem, r, c));
            }
            Operator::Trees(trees)
        } else {
            if !dense.take(problem) {
                return None;
            }
            metric.prepare(problem, stopping, params, |r, c| dense.entry(r, c));
            Operator::Dense(dense)
        };
        let island = Island { problem, stopping, metric, params, size };
        Some(answer(&island, hold, newton, &mut a))
    }
}

/// The natural map of no impulses, if it counts as rest [m/s]: contacts that touch only by rounding are not pressed.
fn rests_alone(task: &Question<'_>) -> Option<f64> {
    let Question { problem, stopping, params, .. } = *task;
    let g = &problem.free_velocity;
    for (i, cone) in problem.cones().iter().enumerate() {
        let row = problem.range(i).start + cone.normal();
        let at_rest = match *cone {
            Cone::Free => g[row].abs() <= params.rests,
            Cone::Box { lo, hi } => lo <= 0.0 && hi >= 0.0 && (g[row].abs() <= params.rests || lo >= hi),
            Cone::NonNegative | Cone::Friction { .. } | Cone::Patch { .. } => g[row] >= -params.rests,
        };
        if !at_rest {
            return None;
        }
    }
    let residual = stopping.residual_of_none(problem);
    (residual <= params.rests).then_some(residual)
}

/// From an equilibrium: what creeps is held if anything holds it; else springs harden.
fn from_equilibrium<D: Delassus>(
    island: &Island<'_>,
    (hold, newton): (&mut Hold, &mut Newton),
    a: &mut D,
    tolerance: f64,
    impulses: &mut [f64],
) -> Answer {
    let steps = newton.factorisations;
    if newton.creeps(island)
        && let Some(residual) = hold.any(island, a, &newton.pieces, tolerance.min(island.params.held))
    {
        impulses.copy_from_slice(&hold.lambda);
        return Answer::Found(Found { residual, steps });
    }
    let residual = newton.harden(island, a, tolerance);
    if !residual.is_finite() {
        return Answer::Stalled;
    }
    impulses.copy_from_slice(&newton.lambda);
    Answer::Found(Found { residual, steps: newton.factorisations })
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
