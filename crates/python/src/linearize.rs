//! Derivatives of a step.

use crate::errors::{guarded, wrong};
use crate::numbers::{Row, matrix_of, row};
use crate::simulation::{Inner, Simulation};
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;

/// A, B, ∂λ; q and v after the step; what is to be known, as JSON.
type Told<'py> = (
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<f64>>,
    String,
);

/// Gradients by the first state and by the controls, and what is to be known, as JSON.
type Gradients<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>, String);

#[pymethods]
impl Simulation {
    /// The derivatives of the step from here, which is taken back.
    #[pyo3(name = "_linearize")]
    fn linearize<'py>(&self, py: Python<'py>) -> PyResult<Told<'py>> {
        let mut inner = self.pulled(py)?;
        let Inner { sim, forces, motion, .. } = &mut *inner;
        let found = guarded(|| {
            // The step has the forces and motions that the scene states.
            let (given, control) = (sim.generalized_mut().to_vec(), sim.control_mut().to_vec());
            forces.iter().for_each(|force| force.apply(sim));
            if let Some(motion) = motion {
                motion.apply(sim);
            }
            let found = sim.linearize().map_err(wrong);
            sim.generalized_mut().copy_from_slice(&given);
            sim.control_mut().copy_from_slice(&control);
            found
        })?;
        let (n, nu) = (2 * found.nv, found.nu);
        let rows = found.dlambda.len().checked_div(n + nu).unwrap_or(0);
        let notes = serde_json::to_string(&found.notes).map_err(wrong)?;
        Ok((
            matrix_of(py, found.a, [n, n])?,
            matrix_of(py, found.b, [n, nu])?,
            matrix_of(py, found.dlambda, [rows, n + nu])?,
            row(py, found.next.q),
            row(py, found.next.v),
            notes,
        ))
    }

    /// The gradient of a cost of a rollout by the first state and by the controls, and what is to be known, as JSON.
    #[pyo3(name = "_rollout_vjp")]
    fn rollout_vjp<'py>(
        &self,
        py: Python<'py>,
        controls: Row<'py>,
        gradients: Row<'py>,
        every: usize,
    ) -> PyResult<Gradients<'py>> {
        let given = |row: &Row<'_>| row.as_array().iter().copied().collect::<Vec<f64>>();
        let (controls, gradients) = (given(&controls), given(&gradients));
        let mut inner = self.pulled(py)?;
        let found = guarded(|| inner.sim.rollout_vjp(&controls, &gradients, every).map_err(wrong))?;
        let notes: Vec<_> =
            found.notes.iter().map(|(step, note)| serde_json::json!({ "step": step, "of": note })).collect();
        let notes = serde_json::to_string(&notes).map_err(wrong)?;
        Ok((row(py, found.start), row(py, found.controls), notes))
    }
}
