//! Contact problems, and the judge.

use crate::errors::{guarded, released, wrong};
use crate::laws::law_named;
use crate::numbers::{Row, Rows, matrix_of, numbers, row, table};
use crate::report;
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;
use stiction::contact::{Cone, ConstraintProblem, Judge};

/// A contact problem, in the order of its rows.
#[pyclass(frozen, name = "ContactProblem", module = "stiction")]
#[derive(Clone)]
pub(crate) struct Problem {
    pub(crate) problem: ConstraintProblem,
    #[pyo3(get)]
    name: String,
    /// An answer that came with its file.
    reference: Option<Vec<f64>>,
}

impl Problem {
    /// A problem with its matrix formed.
    pub(crate) fn of(mut problem: ConstraintProblem, name: String) -> PyResult<Self> {
        problem.form_blocks().map_err(wrong)?;
        Ok(Self { problem, name, reference: None })
    }
}

#[pymethods]
impl Problem {
    /// From the matrix G, the velocities g and the cones: a row of (kind, number, number) for each block.
    #[new]
    fn new(
        G: Rows<'_>,
        g: Row<'_>,
        cones: Vec<(String, f64, f64)>,
        compliance: Option<Row<'_>>,
        time_step: f64,
        name: String,
    ) -> PyResult<Self> {
        let cones = cones.iter().map(cone).collect::<PyResult<Vec<_>>>()?;
        let rows = cones.iter().map(Cone::dim).sum();
        let g = numbers("g", &g, rows, "one for each row of the cones")?;
        let G = table("G", &G, [rows, rows], "a row and a column for each row of the cones")?;
        let R = compliance.map(|r| numbers("compliance", &r, rows, "one for each row")).transpose()?;
        if !(time_step > 0.0 && time_step.is_finite()) {
            return Err(wrong(format_args!("time_step is {time_step}; expected a number > 0 [s]")));
        }
        for (what, x) in [("G", &G), ("g", &g)].into_iter().chain(R.as_ref().map(|r| ("compliance", r))) {
            if let Some(bad) = x.iter().find(|x| !x.is_finite() || what == "compliance" && **x < 0.0) {
                let kind = if what == "compliance" { "finite numbers >= 0" } else { "finite numbers" };
                return Err(wrong(format_args!("{what} holds {bad}; expected {kind}")));
            }
        }
        guarded(|| {
            let mut problem = ConstraintProblem::default();
            problem.time_step = time_step;
            let mut first = 0;
            for cone in &cones {
                problem.push(*cone, &g[first..first + cone.dim()]);
                first += cone.dim();
            }
            if let Some(R) = R {
                problem.compliance = R;
            }
            fill(&mut problem, &G, rows);
            Ok(Self { problem, name, reference: None })
        })
    }

    /// From a problem file of any format.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        released(py, || {
            let file = stiction_problem_files::load(&path).map_err(wrong)?;
            let mut problem = Self::of(file.problem, file.name)?;
            problem.reference = file.reference.map(|r| r.impulses);
            Ok(problem)
        })
    }

    /// From the bytes of one.
    #[staticmethod]
    fn read(bytes: &[u8], file: &str) -> PyResult<Self> {
        guarded(|| {
            let file = stiction_problem_files::read(bytes, file).map_err(wrong)?;
            let mut problem = Self::of(file.problem, file.name)?;
            problem.reference = file.reference.map(|r| r.impulses);
            Ok(problem)
        })
    }

    /// Writes a problem file of the format that the name ends in.
    #[pyo3(signature = (path, impulses=None))]
    fn save(&self, path: PathBuf, impulses: Option<Row<'_>>) -> PyResult<()> {
        let impulses =
            impulses.map(|x| numbers("impulses", &x, self.problem.rows(), "one for each row")).transpose()?;
        guarded(|| {
            stiction_problem_files::save(&path, &self.name, &self.problem, impulses.as_deref()).map_err(wrong)
        })
    }

    #[expect(clippy::type_complexity, reason = "what pickle asks for")]
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Vec<u8>, String))> {
        let of = slf.get();
        let read = slf.get_type().getattr("read")?;
        Ok((read, (of.to_json().into_bytes(), format!("{}.json", of.name))))
    }

    /// The text of our own format.
    fn to_json(&self) -> String {
        stiction_problem_files::to_json(&self.name, &self.problem, self.reference.as_deref())
    }

    fn __len__(&self) -> usize {
        self.problem.len()
    }

    #[getter]
    fn rows(&self) -> usize {
        self.problem.rows()
    }

    #[getter]
    fn time_step(&self) -> f64 {
        self.problem.time_step
    }

    /// G by rows.
    #[getter]
    fn G<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (p, n) = (&self.problem, self.problem.rows());
        let mut dense = vec![0.0; n * n];
        for i in 0..p.len() {
            for k in p.blocks.entries(i) {
                let (rows, columns) = (p.range(i), p.range(p.blocks.column_of(k)));
                for (r, values) in rows.zip(p.blocks.entry(k).chunks_exact(columns.len())) {
                    dense[r * n + columns.start..r * n + columns.end].copy_from_slice(values);
                }
            }
        }
        matrix_of(py, dense, [n, n])
    }

    #[getter]
    fn g<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        row(py, self.problem.free_velocity.clone())
    }

    #[getter]
    fn compliance<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        row(py, self.problem.compliance.clone())
    }

    /// The set of every block: (kind, number, number).
    #[getter]
    fn cones(&self) -> Vec<(&'static str, f64, f64)> {
        self.problem.cones().iter().map(told).collect()
    }

    /// First row of every block, and after them the number of rows.
    #[getter]
    fn row_start(&self) -> Vec<usize> {
        self.problem.row_start().to_vec()
    }

    #[getter]
    fn reference<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        self.reference.clone().map(|r| row(py, r))
    }

    /// c = (G + R) λ + g.
    fn velocities<'py>(&self, py: Python<'py>, impulses: Row<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let impulses = self.impulses(&impulses)?;
        let mut c = Vec::new();
        guarded(|| {
            self.problem.velocities_into(&impulses, &mut c);
            Ok(())
        })?;
        Ok(row(py, c))
    }

    /// The judge's word on impulses, by the exact law.
    fn certify<'py>(&self, py: Python<'py>, impulses: Row<'py>) -> PyResult<Bound<'py, PyDict>> {
        let impulses = self.impulses(&impulses)?;
        let certificate = guarded(|| Ok(Judge::default().certify(&self.problem, &impulses)))?;
        report::certificate(py, &certificate)
    }

    /// The natural map of impulses by a law.
    fn natural_map(&self, impulses: Row<'_>, law: &str) -> PyResult<f64> {
        let (impulses, law) = (self.impulses(&impulses)?, law_named(law)?);
        guarded(|| Ok(Judge::default().natural_map_of(&self.problem, &impulses, law)))
    }

    fn __repr__(&self) -> String {
        format!(
            "<stiction.ContactProblem `{}` of {} blocks, {} rows>",
            self.name,
            self.problem.len(),
            self.problem.rows()
        )
    }
}

impl Problem {
    /// Impulses, one for each row.
    pub(crate) fn impulses(&self, given: &Row<'_>) -> PyResult<Vec<f64>> {
        numbers("impulses", given, self.problem.rows(), "one for each row")
    }
}

/// Writes the dense G into the blocks that are not zero, and those of the diagonal.
fn fill(problem: &mut ConstraintProblem, G: &[f64], rows: usize) {
    let starts = problem.row_start().to_vec();
    let n = problem.len();
    let range = |i: usize| starts[i]..starts[i + 1];
    let present = |i: usize, j: usize| {
        i == j || range(i).any(|r| range(j).any(|c| G[r * rows + c] != 0.0 || G[c * rows + r] != 0.0))
    };
    let (row_start, blocks) = problem.starts_and_blocks_mut();
    blocks.set_pattern(row_start, |i, columns| columns.extend((0..n).filter(|&j| present(i, j))));
    for i in 0..n {
        for k in blocks.entries(i) {
            let columns = range(blocks.column_of(k));
            let values: Vec<f64> =
                range(i).flat_map(|r| G[r * rows + columns.start..r * rows + columns.end].to_vec()).collect();
            blocks.entry_mut(k).copy_from_slice(&values);
        }
    }
}

fn cone((kind, a, b): &(String, f64, f64)) -> PyResult<Cone> {
    let (a, b) = (*a, *b);
    let friction = |cone: Cone| {
        if a >= 0.0 && a.is_finite() {
            return Ok(cone);
        }
        Err(wrong(format_args!("a coefficient of friction is {a}; expected a finite number >= 0")))
    };
    match &kind[..] {
        "free" => Ok(Cone::Free),
        "non-negative" => Ok(Cone::NonNegative),
        "box" if a <= b => Ok(Cone::Box { lo: a, hi: b }),
        "box" => {
            Err(wrong(format_args!("a box is [{a}, {b}]; expected the lower and the upper end of a range")))
        }
        "friction" => friction(Cone::Friction { mu: a }),
        "spinning" => friction(Cone::Patch { mu: a, rolls: false }),
        "rolling" => friction(Cone::Patch { mu: a, rolls: true }),
        _ => Err(wrong(format_args!(
            "a cone is of kind `{kind}`; there are: free, non-negative, box, friction, spinning, rolling"
        ))),
    }
}

fn told(cone: &Cone) -> (&'static str, f64, f64) {
    match *cone {
        Cone::Free => ("free", 0.0, 0.0),
        Cone::NonNegative => ("non-negative", 0.0, 0.0),
        Cone::Box { lo, hi } => ("box", lo, hi),
        Cone::Friction { mu } => ("friction", mu, 0.0),
        Cone::Patch { mu, rolls: false } => ("spinning", mu, 0.0),
        Cone::Patch { mu, rolls: true } => ("rolling", mu, 0.0),
    }
}
