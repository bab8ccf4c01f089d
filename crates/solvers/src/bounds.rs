//! A budget for every island of a solve, by the table of [`crate::effort`].

use crate::effort::Effort;
use crate::trees::TreeSystem;
use crate::work::within;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use stiction_contact::ConstraintProblem;

/// How much the solve of an island may cost, and what is told of it.
#[derive(Clone)]
pub(crate) struct Bounds {
    pub(crate) effort: Effort,
    /// Factorisations whatever the size of the island, in place of the table's; 0: the table's.
    pub(crate) budget: u32,
    /// The largest budget that an island has met the end of, in this solve; 0: none has.
    met: Arc<AtomicU32>,
}

impl Default for Bounds {
    fn default() -> Self {
        Self::new(Effort::Exact, 0)
    }
}

impl Bounds {
    pub(crate) fn new(effort: Effort, budget: u32) -> Self {
        Self { effort, budget, met: Arc::default() }
    }

    /// The bounds of an island that ended short of its tolerance in so many solves, one after another.
    pub(crate) fn after(&self, short: u32) -> Self {
        Self { effort: self.effort.after(short), ..self.clone() }
    }

    /// Forgets the budgets that the last solve has met.
    pub(crate) fn renew(&self) {
        self.met.store(0, Ordering::Relaxed);
    }

    /// Factorisations of the largest budget that the last solve has met the end of.
    pub(crate) fn met(&self) -> Option<u32> {
        Some(self.met.load(Ordering::Relaxed)).filter(|&n| n > 0)
    }

    /// The budget of an island: factorisations, and the multiplications of one where they are known before the first.
    pub(crate) fn budget_of(&self, problem: &ConstraintProblem) -> Option<(u32, f64)> {
        let rows = problem.rows();
        let most = match self.budget {
            0 => self.effort.factorisations(rows)?,
            own => own,
        };
        let unit = if TreeSystem::pays(problem) { 0.0 } else { (rows as f64).powi(3) / 3.0 };
        Some((most, unit))
    }

    /// The residual at which an island of so many rows that is hit may end before its tolerance [m/s], if there is one.
    pub(crate) fn enough(&self, rows: usize) -> Option<f64> {
        self.effort.enough(rows)
    }

    /// The residual of a start from which such an island goes on by the chain [m/s], if there is one.
    pub(crate) fn near(&self, rows: usize) -> Option<f64> {
        self.effort.near(rows)
    }

    /// Calls `solve` within a budget, and remembers whether it was met.
    pub(crate) fn keep<T>(&self, budget: Option<(u32, f64)>, solve: impl FnOnce() -> T) -> T {
        let Some((most, unit)) = budget else { return solve() };
        let (out, met) = within(f64::from(most), unit, solve);
        if met {
            self.met.fetch_max(most, Ordering::Relaxed);
        }
        out
    }
}
