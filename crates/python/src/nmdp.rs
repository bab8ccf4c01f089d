//! What a step of an NMDP stepper says of itself, as Python sees it.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use stiction::nmdp::NmdpReport;

/// Counts and measurements as a mapping of names to numbers, those of [`NmdpReport`].
pub(crate) fn mapping<'py>(py: Python<'py>, r: &NmdpReport) -> PyResult<Bound<'py, PyDict>> {
    let out = PyDict::new(py);
    for (name, count) in [
        ("parts", r.parts),
        ("outer", r.outer),
        ("programs", r.programs),
        ("exchanges", r.exchanges),
        ("newton", r.newton),
        ("singular", r.singular),
        ("projection_failures", r.projection_failures),
        ("descent_failures", r.descent_failures),
        ("stalled", r.stalled),
        ("saturated", r.saturated),
    ] {
        out.set_item(name, count)?;
    }
    for (name, number) in [
        ("smallest_part", r.smallest_part),
        ("pivot", r.pivot),
        ("reduction", r.reduction),
        ("contraction", r.contraction),
        ("descent", r.descent),
        ("energy", r.energy),
        ("residual", r.residual),
        ("deepest", r.deepest),
    ] {
        out.set_item(name, number)?;
    }
    Ok(out)
}
