//! Recordings of a simulation: pages, files, arrays.

use crate::errors::{guarded, released, wrong};
use crate::numbers::{matrix_of, row};
use crate::record::Record;
use crate::simulation::Simulation;
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;
use stiction_lab::Trajectory;
use stiction_lab::mcap_file::write_mcap;
use stiction_viewer::{replay_html, write_replay};

impl Simulation {
    fn recorded<T>(&self, of: impl FnOnce(&Record) -> PyResult<T>) -> PyResult<T> {
        let inner = self.lock()?;
        let record = inner
            .record
            .as_ref()
            .ok_or_else(|| wrong("nothing is recorded; call record() before stepping"))?;
        guarded(|| of(record))
    }

    fn numbers_kept<T>(&self, of: impl FnOnce(&Trajectory) -> PyResult<T>) -> PyResult<T> {
        self.recorded(|r| {
            of(r.trajectory
                .as_ref()
                .ok_or_else(|| wrong("no trajectory is recorded; call record(trajectory=True)"))?)
        })
    }
}

#[pymethods]
impl Simulation {
    /// Starts a recording, in place of one that was there.
    #[pyo3(name = "_start_recording")]
    fn start_recording(&self, py: Python<'_>, frames_per_second: f64, trajectory: bool) -> PyResult<()> {
        if !(frames_per_second > 0.0 && frames_per_second.is_finite()) {
            return Err(wrong(format_args!(
                "frames_per_second is {frames_per_second}; expected a number > 0"
            )));
        }
        let mut inner = self.pulled(py)?;
        let record = Record::new(&mut inner.sim, frames_per_second, trajectory);
        inner.record = Some(record);
        Ok(())
    }

    /// Forgets the recording.
    fn stop_recording(&self) -> PyResult<()> {
        self.lock()?.record = None;
        Ok(())
    }

    /// A page that plays the recording without a network.
    fn replay(&self) -> PyResult<String> {
        self.recorded(|r| Ok(replay_html(&r.recording)))
    }

    /// Writes the page, or the recording as MCAP.
    #[pyo3(name = "_write_recording")]
    fn write_recording(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let recording = self.recorded(|r| Ok(r.recording.clone()))?;
        released(py, || match path.extension().and_then(|e| e.to_str()) {
            Some("html") => write_replay(&path, &recording).map_err(wrong),
            Some("mcap") => write_mcap(&path, &recording).map_err(wrong),
            _ => Err(wrong(format_args!("{}: expected a name that ends in .html or .mcap", path.display()))),
        })
    }

    /// Writes the numbers of every step: .npz, .parquet or .csv.
    #[pyo3(name = "_write_trajectory")]
    fn write_trajectory(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let trajectory = self.numbers_kept(|t| Ok(t.clone()))?;
        released(py, || trajectory.write(&path).map(drop).map_err(wrong))
    }

    /// The numbers of every step.
    #[pyo3(name = "_trajectory")]
    fn trajectory<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.numbers_kept(|t| {
            let out = PyDict::new(py);
            let n = t.len();
            let shape = |x: &[f64]| [n, x.len().checked_div(n).unwrap_or(0)];
            out.set_item("t", row(py, t.t.clone()))?;
            out.set_item("q", matrix_of(py, t.q.clone(), shape(&t.q))?)?;
            out.set_item("v", matrix_of(py, t.v.clone(), shape(&t.v))?)?;
            out.set_item("energy", row(py, t.energy.clone()))?;
            out.set_item("natural_map", row(py, t.natural_map.clone()))?;
            out.set_item("penetration", row(py, t.penetration.clone()))?;
            out.set_item("contacts", PyArray1::from_vec(py, t.contacts.clone()))?;
            out.set_item("iterations", PyArray1::from_vec(py, t.iterations.clone()))?;
            out.set_item("q_columns", t.about.q.clone())?;
            out.set_item("v_columns", t.about.v.clone())?;
            Ok(out)
        })
    }
}
