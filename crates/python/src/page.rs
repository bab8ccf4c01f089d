//! The page that shows a simulation: fed after steps, closed with whoever opened it.

use crate::record::{frame_after, frame_now};
use std::sync::{Mutex, PoisonError};
use stiction::{StepReport, StepStatus};
use stiction_viewer::Mirror;
use stiction_viewer::session::Condition;

/// A page that is open, or was.
pub(crate) struct Page {
    mirror: Mutex<Option<Mirror>>,
    /// Threads do not follow into a forked process.
    process: u32,
}

impl Page {
    pub(crate) fn new(mirror: Mirror) -> Self {
        Self { mirror: Mutex::new(Some(mirror)), process: std::process::id() }
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.mirror.lock().unwrap_or_else(PoisonError::into_inner).is_none()
    }

    /// Shows the present state.
    pub(crate) fn show(&self, sim: &mut stiction::Simulation) {
        let (frame, condition) = (frame_now(sim), condition(sim));
        let mut mirror = self.mirror.lock().unwrap_or_else(PoisonError::into_inner);
        mirror.iter_mut().for_each(|mirror| mirror.show(&frame, condition.clone()));
    }

    /// Shows the instant after a step, if it is time for one.
    pub(crate) fn after_step(&self, sim: &mut stiction::Simulation, report: &StepReport) {
        let mut mirror = self.mirror.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(mirror) = mirror.as_mut().filter(|m| m.is_due()) {
            let failure = match &report.status {
                StepStatus::Failed(cause) => Some(cause.clone()),
                _ => None,
            };
            let frame = frame_after(sim, report);
            mirror.show(&frame, Condition { failure, ..condition(sim) });
        }
    }

    /// Frees the port; pages that look end.
    pub(crate) fn close(&self) {
        let mirror = self.mirror.lock().unwrap_or_else(PoisonError::into_inner).take();
        if self.process != std::process::id() {
            // Nobody is there to be waited for.
            std::mem::forget(mirror);
        }
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        self.close();
    }
}

/// Solver and controls, as the page tells them.
pub(crate) fn condition(sim: &mut stiction::Simulation) -> Condition {
    let solver = sim.solver().name().to_owned();
    Condition { solver, control: sim.control_mut().to_vec(), ..Condition::default() }
}
