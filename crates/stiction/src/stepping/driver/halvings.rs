//! A step that fails or does not converge, done again in 2, 4, 8 … halves.
//!
//! Every attempt starts from what was there before the first: state and memory; the solver starts cold. The
//! first attempt that converges in all its parts stands; one that does not is given up at the part that does
//! not. If none does, the one that came nearest until then is done to its end, flagged; if that fails the
//! state is as before the step.

use crate::report::StepReport;

/// In how many parts a step is tried.
pub(super) struct Halvings {
    /// Halvings of this attempt, and at most; 0: a step stays as it is.
    now: u32,
    most: u32,
    /// Halvings and residual of the attempt that came nearest; none before the first attempt.
    best: Option<(u32, f64)>,
    /// All are tried, and the best is done again.
    settled: bool,
}

impl Halvings {
    pub(super) fn new(most: u32) -> Self {
        Self { now: 0, most, best: None, settled: false }
    }

    /// Whether nothing was tried.
    pub(super) fn first(&self) -> bool {
        self.best.is_none()
    }

    /// Halvings of the attempt.
    pub(super) fn now(&self) -> u32 {
        self.now
    }

    /// Whether an attempt stands that is flagged.
    pub(super) fn settled(&self) -> bool {
        self.settled
    }

    /// Chooses the attempt that follows one with this report; false if that stands.
    pub(super) fn go_on(&mut self, report: &StepReport) -> bool {
        if self.most == 0 || self.settled || !report.flagged() {
            return false;
        }
        // A failed attempt has no residual.
        let residual = if report.failure().is_some() { f64::INFINITY } else { report.residual };
        let best = self.best.unwrap_or((self.now, residual));
        let best = if residual < best.1 { (self.now, residual) } else { best };
        self.best = Some(best);
        self.settled = self.now == self.most;
        self.now = if self.settled { best.0 } else { self.now + 1 };
        true
    }
}
