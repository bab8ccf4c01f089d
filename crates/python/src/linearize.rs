//! Derivatives of a step.

use crate::errors::{guarded, wrong};
use crate::numbers::{Row, matrix_of, row};
use crate::simulation::{Inner, Simulation};
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use stiction::{LinearizationParams, Parameter};

/// A, B, C, ∂λ by (q, v, u) and by parameters; q and v after the step; what is to be known, as JSON.
type Told<'py> = (
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<f64>>,
    String,
);

/// Gradients by the first state, by the controls and by parameters, and what is to be known, as JSON.
type Gradients<'py> =
    (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>, String);

/// Parameters, of JSON.
fn parameters_of(text: &str) -> PyResult<Vec<Parameter>> {
    serde_json::from_str(text).map_err(wrong)
}

#[pymethods]
impl Simulation {
    /// The derivatives of the step from here, which is taken back; parameters come as JSON.
    #[pyo3(name = "_linearize")]
    fn linearize<'py>(&self, py: Python<'py>, parameters: &str, smoothing: f64) -> PyResult<Told<'py>> {
        let parameters = parameters_of(parameters)?;
        if !(smoothing >= 0.0 && smoothing.is_finite()) {
            return Err(wrong(format_args!("smoothing is {smoothing}; expected a finite number ≥ 0 J")));
        }
        let params = LinearizationParams { smoothing, ..LinearizationParams::default() };
        let mut inner = self.pulled(py)?;
        let Inner { sim, forces, motion, .. } = &mut *inner;
        let found = guarded(|| {
            // The step has the forces and motions that the scene states.
            let (given, control) = (sim.generalized_mut().to_vec(), sim.control_mut().to_vec());
            forces.iter().for_each(|force| force.apply(sim));
            if let Some(motion) = motion {
                motion.apply(sim);
            }
            let found = sim.linearize_with(&params, &parameters).map_err(wrong);
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
            matrix_of(py, found.c, [n, parameters.len()])?,
            matrix_of(py, found.dlambda, [rows, n + nu])?,
            matrix_of(py, found.dlambda_dparameters, [rows, parameters.len()])?,
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
        parameters: &str,
    ) -> PyResult<Gradients<'py>> {
        let parameters = parameters_of(parameters)?;
        let given = |row: &Row<'_>| row.as_array().iter().copied().collect::<Vec<f64>>();
        let (controls, gradients) = (given(&controls), given(&gradients));
        let mut inner = self.pulled(py)?;
        let found =
            guarded(|| inner.sim.rollout_vjp_by(&controls, &gradients, every, &parameters).map_err(wrong))?;
        let notes: Vec<_> =
            found.notes.iter().map(|(step, note)| serde_json::json!({ "step": step, "of": note })).collect();
        let notes = serde_json::to_string(&notes).map_err(wrong)?;
        Ok((row(py, found.start), row(py, found.controls), row(py, found.parameters), notes))
    }
}
