//! Any solver of the exact law, and the answer that the rule selects.

use super::Selection;
use crate::residual::StoppingResidual;
use stiction_contact::{ConstraintProblem, ContactSolver, Law, Needs, SolveReport, Watch};

/// A solver of the exact law whose answers are those of the rule of the parent module.
pub(crate) struct Selected {
    inner: Box<dyn ContactSolver>,
    tolerance: f64,
    rows: usize,
    selection: Selection,
    stopping: StoppingResidual,
    apart: Option<f64>,
}

impl Selected {
    /// Selects in components of so many rows at most, to this tolerance [m/s].
    pub(crate) fn new(inner: Box<dyn ContactSolver>, tolerance: f64, rows: usize) -> Self {
        let (selection, stopping) = (Selection::default(), StoppingResidual::default());
        Self { inner, tolerance, rows, selection, stopping, apart: None }
    }
}

impl ContactSolver for Selected {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn law(&self) -> Law {
        self.inner.law()
    }

    fn needs(&self) -> Needs {
        self.inner.needs()
    }

    fn takes_patches(&self) -> bool {
        self.inner.takes_patches()
    }

    fn solve_watched(
        &mut self,
        problem: &ConstraintProblem,
        impulses: &mut [f64],
        watch: &mut Watch<'_>,
    ) -> SolveReport {
        let report = self.inner.solve_watched(problem, impulses, watch);
        self.apart = None;
        if !report.converged() {
            return report;
        }
        let limits = (self.tolerance, self.rows);
        let selected = self.selection.select(problem, &mut self.stopping, limits, impulses);
        self.apart = selected.map(|s| s.1);
        SolveReport { residual: selected.map_or(report.residual, |s| s.0), ..report }
    }

    fn another_answer(&self) -> Option<f64> {
        self.apart
    }

    fn bound_met(&self) -> Option<u32> {
        self.inner.bound_met()
    }

    fn forget(&mut self) {
        self.inner.forget();
    }

    fn use_threads(&mut self, threads: usize) {
        self.inner.use_threads(threads);
    }
}
