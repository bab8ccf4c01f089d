//! The live page of a simulation, served by threads of its own while Python steps.

use crate::errors::{guarded, wrong};
use crate::record::{frame_after, frame_now};
use crate::simulation::Simulation;
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use stiction::{StepReport, StepStatus, scene_of};
use stiction_viewer::Mirror;
use stiction_viewer::session::Condition;

/// A page that is open, or was.
pub(crate) struct Page {
    mirror: Mutex<Option<Mirror>>,
    /// Its threads do not follow into a forked process.
    process: u32,
}

impl Page {
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

    fn close(&self) {
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

fn condition(sim: &mut stiction::Simulation) -> Condition {
    let solver = sim.solver().name().to_owned();
    Condition { solver, control: sim.control_mut().to_vec(), ..Condition::default() }
}

/// Keeps a page open: it closes with this.
#[pyclass(frozen, module = "stiction._stiction")]
pub(crate) struct LivePage {
    page: Arc<Page>,
    #[pyo3(get)]
    url: String,
}

#[pymethods]
impl LivePage {
    /// Frees the port; pages that look end.
    fn close(&self, py: Python<'_>) {
        py.detach(|| self.page.close());
    }

    /// Whether it was closed.
    #[getter]
    fn closed(&self) -> bool {
        self.page.mirror.lock().unwrap_or_else(PoisonError::into_inner).is_none()
    }
}

#[pymethods]
impl Simulation {
    /// Serves the live page at an address of this machine; port 0 takes a free one.
    fn _open_page(&self, py: Python<'_>, host: &str, port: u16) -> PyResult<LivePage> {
        let host: IpAddr = host
            .parse()
            .map_err(|_| wrong(format_args!("host is `{host}`; expected an address such as 127.0.0.1")))?;
        let mut inner = self.pulled(py)?;
        if let Some(page) = inner.page.upgrade() {
            py.detach(|| page.close());
        }
        let mirror = guarded(|| {
            let (scene, frame) = (scene_of(&inner.sim), frame_now(&mut inner.sim));
            let condition = condition(&mut inner.sim);
            Mirror::open(host, port, &scene, &frame, condition)
                .map_err(|e| PyOSError::new_err(format!("cannot listen at {host}, port {port}: {e}")))
        })?;
        let url = mirror.url().to_owned();
        let page = Arc::new(Page { mirror: Mutex::new(Some(mirror)), process: std::process::id() });
        inner.page = Arc::downgrade(&page);
        Ok(LivePage { page, url })
    }

    /// Shows the present state on the page, if one is open.
    fn _show(&self, py: Python<'_>) -> PyResult<()> {
        let mut guard = self.pulled(py)?;
        let inner = &mut *guard;
        if let Some(page) = inner.page.upgrade() {
            guarded(|| {
                let (frame, condition) = (frame_now(&mut inner.sim), condition(&mut inner.sim));
                let mut mirror = page.mirror.lock().unwrap_or_else(PoisonError::into_inner);
                mirror.iter_mut().for_each(|mirror| mirror.show(&frame, condition.clone()));
                Ok(())
            })?;
        }
        Ok(())
    }
}
