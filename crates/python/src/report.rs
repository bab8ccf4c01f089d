//! What a step and the judge say, as Python sees it.

use crate::nmdp;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use stiction::contact::Certificate;
use stiction::{StepReport, StepStatus};

/// How one step went.
#[pyclass(frozen, name = "StepReport", module = "stiction")]
pub(crate) struct Report(pub(crate) StepReport);

#[pymethods]
impl Report {
    #[getter]
    fn status(&self) -> &'static str {
        status(&self.0.status)
    }

    /// Why the step failed.
    #[getter]
    fn failure(&self) -> Option<&str> {
        match &self.0.status {
            StepStatus::Failed(cause) => Some(cause),
            _ => None,
        }
    }

    /// True unless the step converged, or to all that 64-bit impulses can tell.
    #[getter]
    fn flagged(&self) -> bool {
        self.0.flagged()
    }

    #[getter]
    fn iterations(&self) -> u32 {
        self.0.iterations
    }

    #[getter]
    fn residual(&self) -> f64 {
        self.0.residual
    }

    #[getter]
    fn contacts(&self) -> usize {
        self.0.contacts
    }

    #[getter]
    fn penetration(&self) -> f64 {
        self.0.penetration
    }

    #[getter]
    fn energy_error(&self) -> f64 {
        self.0.energy_error
    }

    #[getter]
    fn energy_in_motion(&self) -> f64 {
        self.0.energy_in_motion
    }

    #[getter]
    fn parts(&self) -> u32 {
        self.0.parts
    }

    #[getter]
    fn remedy(&self) -> Option<&'static str> {
        self.0.remedy.map(stiction::Remedy::name)
    }

    /// Factorisations of the budget that an island of contacts met the end of.
    #[getter]
    fn bound_met(&self) -> Option<u32> {
        self.0.bound_met
    }

    #[getter]
    fn corrected(&self) -> bool {
        self.0.corrected
    }

    #[getter]
    fn asleep(&self) -> usize {
        self.0.asleep
    }

    /// Counts and measurements of an NMDP stepper, by name.
    #[getter]
    fn nmdp<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        self.0.extra().map(|report| nmdp::mapping(py, report)).transpose()
    }

    fn __repr__(&self) -> String {
        let r = &self.0;
        format!(
            "StepReport(status='{}', iterations={}, residual={:.1e}, contacts={}, penetration={:.1e})",
            status(&r.status),
            r.iterations,
            r.residual,
            r.contacts,
            r.penetration
        )
    }
}

/// The word for a status, as files and tables have it.
pub(crate) fn status(status: &StepStatus) -> &'static str {
    match status {
        StepStatus::Converged => "converged",
        StepStatus::Rounding => "rounding",
        StepStatus::NotConverged => "not-converged",
        StepStatus::GainedEnergy => "gained-energy",
        StepStatus::Failed(_) => "failed",
    }
}

/// A certificate as a mapping of names to numbers.
pub(crate) fn certificate<'py>(py: Python<'py>, c: &Certificate) -> PyResult<Bound<'py, PyDict>> {
    let out = PyDict::new(py);
    for (name, value) in [
        ("natural_map", c.natural_map),
        ("natural_map_relative", c.natural_map_relative),
        ("eps_p", c.eps_p),
        ("eps_d", c.eps_d),
        ("eps_c", c.eps_c),
        ("eps_abs", c.eps_abs),
        ("signorini", c.signorini),
        ("cone_excess", c.cone_excess),
        ("dissipation_gap", c.dissipation_gap),
        ("mdp_angle_max", c.mdp_angle_max),
        ("mdp_angle_mean", c.mdp_angle_mean),
        ("lift", c.lift),
    ] {
        out.set_item(name, value)?;
    }
    out.set_item("worst", c.worst)?;
    Ok(out)
}
