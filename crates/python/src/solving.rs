//! Solvers of contact problems by name, or written in Python.

use crate::errors::{released, wrong};
use crate::numbers::{Row, matrix, row};
use crate::plugged::{PythonSolver, Raised};
use crate::problem::Problem;
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::PyList;
use serde::Deserialize;
use stiction::contact::{ContactSolver, SolveReport, SolveStatus, Watch, refusal};
use stiction::solvers::Params;
use stiction::solvers::registry::{self, Common};

/// Settings that a solver is told.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Told {
    tolerance: Option<f64>,
    max_iterations: Option<u32>,
    threads: Option<usize>,
    params: Params,
}

#[pymethods]
impl Problem {
    /// The answer of a solver, by name or an object with a method `solve`: (impulses, status, iterations, residual of its
    /// own, law, iterates).
    #[expect(clippy::type_complexity, reason = "what Python names")]
    fn solve<'py>(
        &self,
        py: Python<'py>,
        solver: &Bound<'py, PyAny>,
        told: &str,
        start: Option<Row<'py>>,
        iterates: bool,
    ) -> PyResult<(
        Bound<'py, PyArray1<f64>>,
        &'static str,
        u32,
        f64,
        (String, String),
        Option<Bound<'py, PyArray2<f64>>>,
    )> {
        let told: Told = serde_json::from_str(told).map_err(|e| wrong(crate::world::without_place(&e)))?;
        let raised = Raised::default();
        let mut made: Box<dyn ContactSolver> = match solver.extract::<String>() {
            Ok(name) => {
                let defaults = Common::default();
                let common = Common {
                    tolerance: told.tolerance.unwrap_or(defaults.tolerance),
                    max_iterations: told.max_iterations.unwrap_or(defaults.max_iterations),
                };
                registry::make_from(&name, &common, &told.params).map_err(wrong)?
            }
            Err(_) => Box::new(PythonSolver::new(solver, raised.clone())?),
        };
        made.use_threads(told.threads.unwrap_or(1).clamp(1, 1024));
        if let Some(reason) = refusal(made.as_ref(), &self.problem) {
            return Err(wrong(reason));
        }
        let rows = self.problem.rows();
        let mut impulses = start.map_or(Ok(vec![0.0; rows]), |x| self.impulses(&x))?;
        let mut way = Vec::new();
        let report = released(py, || {
            let mut show = |_: u32, x: &[f64]| way.extend_from_slice(x);
            let mut watch = if iterates { Watch::new(&mut show) } else { Watch::none() };
            Ok(made.solve_watched(&self.problem, &mut impulses, &mut watch))
        });
        if let Some(error) = raised.take() {
            return Err(error);
        }
        let SolveReport { status, iterations, residual } = report?;
        let way = iterates.then(|| matrix(py, way, rows)).transpose()?;
        let of = (made.name().to_owned(), made.law().to_string());
        Ok((row(py, impulses), status_word(status), iterations, residual, of, way))
    }
}

fn status_word(status: SolveStatus) -> &'static str {
    match status {
        SolveStatus::Converged => "converged",
        SolveStatus::Rounding => "rounding",
        SolveStatus::IterationLimit => "iteration-limit",
        SolveStatus::Stalled => "stalled",
        SolveStatus::NumericalFailure => "numerical-failure",
    }
}

/// All solvers of the registry: name, law, summary, source, and the parameters of each as (name, unit, default, allowed,
/// effect).
#[pyfunction]
pub(crate) fn solvers(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let out = PyList::empty(py);
    for entry in registry::all() {
        let parameters: Vec<_> =
            entry.settings().into_iter().map(|s| (s.name, s.unit, s.default, s.allowed, s.effect)).collect();
        out.append((entry.name, entry.law.to_string(), entry.summary, entry.source, parameters))?;
    }
    Ok(out)
}

/// All steppers: name, summary, order, source.
#[pyfunction]
pub(crate) fn steppers() -> Vec<(&'static str, &'static str, &'static str, &'static str)> {
    stiction::steppers().iter().map(|s| (s.name, s.summary, s.order, s.source)).collect()
}
