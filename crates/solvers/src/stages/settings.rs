//! What a solver of sweeps is built with, and its rule as stages see it.

use crate::blocks::Block;
use crate::plan::{self, Plan};
use crate::springs::SpringsParams;
use crate::tuning::Tuning;
use std::sync::Arc;
use stiction_contact::{ConstraintProblem, Law};

/// Tables, and the numbers of their stages.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    pub(crate) plan: Plan,
    /// The springs whose equilibrium is the answer of small islands; with no rows, of none.
    pub(crate) springs: SpringsParams,
    pub(crate) tuning: Tuning,
}

/// Parameters that rules have in common.
#[derive(Clone, Debug)]
pub struct SweepParams {
    pub(crate) tolerance: f64,
    pub(crate) max_iterations: u32,
    pub(crate) memory: usize,
    pub(crate) finish: bool,
    pub(crate) settings: Arc<Settings>,
}

impl SweepParams {
    /// Parameters of accelerated sweeps of a law.
    pub(crate) fn accelerated(
        law: Law,
        tolerance: f64,
        max_iterations: u32,
        memory: usize,
        finish: bool,
    ) -> Self {
        let plan = if law == Law::Raisim { plan::RAISIM } else { plan::SWEEPS };
        let springs = SpringsParams { rows: 0, ..SpringsParams::default() };
        let settings = Arc::new(Settings { plan, springs, tuning: Tuning::default() });
        Self { tolerance, max_iterations, memory, finish, settings }
    }

    /// True if sweeps are all there is.
    pub(crate) fn is_plain(&self) -> bool {
        self.memory == 0 && !self.finish
    }
}

/// A rule as stages see it.
pub(crate) trait Sweeper {
    fn law(&self) -> Law;

    /// True if of all answers with the same velocities the smallest is wanted.
    fn smallest(&self) -> bool;

    /// Makes the rule as it is before the first sweep.
    fn renew(&mut self);

    /// One sweep; c, and z = Wᵀ λ where blocks are not formed, follow the impulses.
    fn sweep(
        &mut self,
        blocks: &[Block],
        problem: &ConstraintProblem,
        impulses: &mut [f64],
        velocities: (&mut Vec<f64>, &mut [f64]),
    );
}
