//! The methods that stages of attempts go by, and when the next attempt comes.
//!
//! Sweeps find the active set and solve easy problems; a Newton step costs as much as many sweeps and solves
//! what sweeps cannot. The first attempt comes when the sweeps done have cost about an eighth of one
//! factorisation (after two for a quadruped), the next whenever the count has doubled, `attempts.patience`
//! sweeps after one that went another way, or in large islands every `attempts.soon` sweeps.

use super::follow::follow;
use super::parts::Parts;
use crate::active_set::Newton;
use crate::blocks::Block;
use crate::facets::Facets;
use crate::interior::Interior;
use crate::iterate::Method;
use crate::ncp_al::Augmented;
use crate::ncp_newton;
use crate::path::Path;
use crate::smoothing::Smoothing;
use crate::trees::{TreeSystem, knows_all};
use crate::tuning::Tuning;
use crate::view::{Reached, View};
use stiction_contact::{ConstraintProblem, Law};

/// Methods, and the schedule of one solve.
#[derive(Default)]
pub(crate) struct Methods {
    pub(super) newton: Newton,
    pub(super) interior: Interior,
    pub(super) facets: Facets,
    pub(super) multipliers: Augmented,
    pub(super) smoothed: ncp_newton::Newton,
    pub(super) smoothing: Smoothing,
    pub(super) path: Path,
    pub(super) parts: Parts,
    /// Blocks of sweeps where none have begun.
    pub(super) blocks: Vec<Block>,
    /// Where a method followed is, and its velocities.
    pub(super) way: [Vec<f64>; 2],
    /// Where another way goes.
    pub(super) trial: Vec<f64>,
    /// Iterations at which to try next, and after that.
    pub(super) next: u32,
    pub(super) later: u32,
    /// Attempts made where Newton failed.
    pub(super) attempts: usize,
}

impl Methods {
    /// Sets the schedule for a problem; without numbers no attempt is made.
    pub(super) fn start(&mut self, problem: &ConstraintProblem, law: Law, tuning: Option<&Tuning>) {
        self.attempts = 0;
        let Some(Tuning { islands, attempts: t, .. }) = tuning else {
            self.next = u32::MAX;
            return;
        };
        let rows = problem.rows();
        let in_trees = TreeSystem::pays(problem);
        let useful = in_trees || rows <= islands.finish;
        let formed = problem.blocks_formed();
        let entries: usize = if formed { problem.blocks.pairs() } else { problem.len().pow(2) };
        let ratio = rows.pow(3) / (27 * entries).max(1);
        let first = if law == Law::Raisim { t.raisim_patience } else { 2 };
        let sweeps = if in_trees { t.in_trees } else { (ratio / 8).min(300) as u32 };
        self.next = if useful { sweeps.clamp(first, first.max(300)) } else { u32::MAX };
    }

    /// Calls [`follow`] with one of the methods.
    pub(super) fn follow<M: Method>(
        &mut self,
        method: impl FnOnce(&mut Self) -> &mut M,
        params: &M::Params,
        view: &View,
        to: (&mut Vec<f64>, f64, u32),
    ) -> Reached {
        let mut way = std::mem::take(&mut self.way);
        let reached = follow(method(self), params, &mut way, view, to);
        self.way = way;
        reached
    }
}

/// True if the augmented Lagrangian leads anywhere.
pub(super) fn has_multipliers(problem: &ConstraintProblem, law: Law, tuning: &Tuning) -> bool {
    let most = tuning.islands.path;
    law == Law::Ncp
        && (TreeSystem::pays(problem)
            || problem.rows() <= most
            || knows_all(problem) && problem.delassus_factor.coordinates() <= most)
}
