//! The live page of a simulation, served by threads of its own while Python steps.

use crate::errors::{guarded, wrong};
use crate::page::{Page, condition};
use crate::record::frame_now;
use crate::simulation::Simulation;
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use std::net::IpAddr;
use std::sync::Arc;
use stiction::scene_of;
use stiction_viewer::Mirror;

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
        self.page.is_closed()
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
        let page = Arc::new(Page::new(mirror));
        inner.page = Arc::downgrade(&page);
        Ok(LivePage { page, url })
    }

    /// Shows the present state on the page, if one is open.
    fn _show(&self, py: Python<'_>) -> PyResult<()> {
        let mut guard = self.pulled(py)?;
        let inner = &mut *guard;
        if let Some(page) = inner.page.upgrade() {
            guarded(|| {
                page.show(&mut inner.sim);
                Ok(())
            })?;
        }
        Ok(())
    }
}
