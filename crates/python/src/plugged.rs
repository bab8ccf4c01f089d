//! Solvers and contact corrections written in Python.
//!
//! They are called from a step that runs without the interpreter's lock, which they take. What they raise ends the solve as a
//! numerical failure, and the step raises it when it returns.

use crate::errors::{shown, wrong};
use crate::laws::law_named;
use crate::numbers::{Row, Rows, numbers, row, table};
use crate::packed::Packed;
use crate::problem::Problem;
use pyo3::prelude::*;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use stiction::contact::{ConstraintProblem, ContactSolver, Judge, Law, SolveReport, SolveStatus, Watch};
use stiction::dynamics::spatial::Vec3;
use stiction::{ContactCorrection, CorrectableContact};

/// The first exception that was raised inside of a step.
#[derive(Clone, Default)]
pub(crate) struct Raised(Arc<Mutex<Option<PyErr>>>);

impl Raised {
    fn keep(&self, error: PyErr) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }

    pub(crate) fn take(&self) -> Option<PyErr> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Names live as long as the program; each is kept once.
fn kept(name: String) -> &'static str {
    static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    match names.get(&*name) {
        Some(known) => known,
        None => {
            let new: &'static str = Box::leak(name.into_boxed_str());
            names.insert(new);
            new
        }
    }
}

/// An object with a method `solve(problem, start) -> impulses`, judged by its law.
pub(crate) struct PythonSolver {
    object: Py<PyAny>,
    name: &'static str,
    law: Law,
    tolerance: f64,
    judge: Judge,
    raised: Raised,
}

impl PythonSolver {
    pub(crate) fn new(object: &Bound<'_, PyAny>, raised: Raised) -> PyResult<Self> {
        if !object.hasattr("solve")? {
            return Err(wrong(format_args!(
                "contact is {}; expected the name of a solver, or an object with a method solve(problem, start)",
                shown(object)
            )));
        }
        let name = match object.getattr_opt("name")? {
            Some(name) => name.extract::<String>()?,
            None => object.get_type().name()?.to_string(),
        };
        let law = object.getattr_opt("law")?.map_or(Ok("ncp".to_owned()), |law| law.extract::<String>())?;
        let tolerance = object.getattr_opt("tolerance")?.map_or(Ok(1e-6), |t| t.extract::<f64>())?;
        if !(tolerance > 0.0 && tolerance.is_finite()) {
            return Err(wrong(format_args!(
                "{name}: the tolerance is {tolerance}; expected a speed > 0 [m/s]"
            )));
        }
        let law = law_named(&law)?;
        Ok(Self {
            object: object.clone().unbind(),
            name: kept(name),
            law,
            tolerance,
            judge: Judge::default(),
            raised,
        })
    }

    fn call(&self, problem: &ConstraintProblem, start: &[f64]) -> PyResult<Vec<f64>> {
        Python::attach(|py| {
            let given = Py::new(py, Problem::of(problem.clone(), self.name.to_owned())?)?;
            let answer = self.object.bind(py).call_method1("solve", (given, row(py, start.to_vec())))?;
            let answer: Row<'_> = answer.extract().map_err(|_| {
                wrong(format_args!("{}: solve returned {}; expected impulses", self.name, shown(&answer)))
            })?;
            numbers("the answer of solve", &answer, problem.rows(), "one for each row")
        })
    }
}

impl ContactSolver for PythonSolver {
    fn name(&self) -> &'static str {
        self.name
    }

    fn law(&self) -> Law {
        self.law
    }

    fn takes_patches(&self) -> bool {
        true
    }

    fn solve_watched(
        &mut self,
        problem: &ConstraintProblem,
        impulses: &mut [f64],
        watch: &mut Watch<'_>,
    ) -> SolveReport {
        let failed = SolveReport { status: SolveStatus::NumericalFailure, iterations: 1, residual: f64::NAN };
        match self.call(problem, impulses) {
            Err(error) => {
                self.raised.keep(error);
                failed
            }
            Ok(answer) => {
                impulses.copy_from_slice(&answer);
                watch.show(1, impulses);
                // Converged is what the judge says is.
                let residual = self.judge.natural_map_of(problem, impulses, self.law);
                let status = match residual {
                    r if r <= self.tolerance => SolveStatus::Converged,
                    r if r.is_finite() => SolveStatus::IterationLimit,
                    _ => return failed,
                };
                SolveReport { status, iterations: 1, residual }
            }
        }
    }
}

/// A callable that is given contacts as packed records and returns impulses, or nothing.
pub(crate) struct PythonCorrection {
    callable: Py<PyAny>,
    raised: Raised,
}

impl PythonCorrection {
    pub(crate) fn new(callable: Py<PyAny>, raised: Raised) -> Self {
        Self { callable, raised }
    }

    fn call(&self, contacts: &[CorrectableContact]) -> PyResult<Option<Vec<f64>>> {
        Python::attach(|py| {
            let answer = self.callable.bind(py).call1((packed(contacts).finish(py),))?;
            if answer.is_none() {
                return Ok(None);
            }
            let rows: Rows<'_> = answer.extract()?;
            let expected = [contacts.len(), 3];
            let impulses =
                table("the corrected impulses", &rows, expected, "along the axes of each contact")?;
            match impulses.iter().find(|x| !x.is_finite()) {
                Some(x) => {
                    Err(wrong(format_args!("a corrected impulse is {x}; expected finite numbers [N·s]")))
                }
                None => Ok(Some(impulses)),
            }
        })
    }
}

impl ContactCorrection for PythonCorrection {
    fn correct(&mut self, contacts: &[CorrectableContact], corrected: &mut [[f64; 3]]) {
        match self.call(contacts) {
            Ok(None) => {}
            Ok(Some(impulses)) => {
                for (to, x) in corrected.iter_mut().zip(impulses.chunks_exact(3)) {
                    to.copy_from_slice(x);
                }
            }
            Err(error) => self.raised.keep(error),
        }
    }
}

fn packed(contacts: &[CorrectableContact]) -> Packed {
    let mut out = Packed::default();
    for c in contacts {
        c.bodies.iter().for_each(|b| out.index(*b));
        c.geometries.iter().for_each(|g| out.index(Some(*g)));
        out.vector(c.position);
        c.axes.iter().for_each(|axis: &Vec3| out.vector(*axis));
        out.numbers(&[c.gap, c.friction]);
        out.numbers(&c.velocity_before);
        c.inverse_inertia.iter().for_each(|r| out.numbers(r));
        out.numbers(&c.impulse);
    }
    out
}
