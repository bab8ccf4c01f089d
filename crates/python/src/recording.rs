//! Recordings of a simulation: pages, files, arrays.

use crate::errors::{guarded, released, wrong};
use crate::numbers::row;
use crate::record::Record;
use crate::simulation::Simulation;
use numpy::{Element, IxDyn, PyArray1, PyArrayDyn, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;
use stiction_lab::Trajectory;
use stiction_lab::mcap_file::write_mcap;
use stiction_lab::trajectory::{Numbers, QUANTITIES, Values};
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

/// An error and those behind it, as the command tells them.
fn with_causes(error: &dyn std::error::Error) -> String {
    std::iter::successors(Some(error), |e| e.source()).map(ToString::to_string).collect::<Vec<_>>().join(": ")
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

    #[pyo3(name = "_is_recording")]
    fn is_recording(&self) -> PyResult<bool> {
        Ok(self.lock()?.record.is_some())
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
            Some("html") => write_replay(&path, &recording).map_err(|e| wrong(with_causes(&e))),
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

    /// The arrays of the trajectory, by name.
    #[pyo3(name = "_trajectory")]
    fn trajectory<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.numbers_kept(|t| {
            let out = PyDict::new(py);
            for quantity in &QUANTITIES {
                let (shape, numbers) = t.array(quantity);
                match numbers {
                    Numbers::Doubles(x) => out.set_item(quantity.name, shaped(py, x, &shape)?)?,
                    Numbers::Counts(x) => out.set_item(quantity.name, shaped(py, x, &shape)?)?,
                    Numbers::Indices(x) => out.set_item(quantity.name, shaped(py, x, &shape)?)?,
                }
            }
            Ok(out)
        })
    }

    /// Shape, unit and meaning of the arrays, and the names that their indices and codes count in, as JSON.
    #[pyo3(name = "_trajectory_about")]
    fn trajectory_about(&self) -> PyResult<String> {
        self.numbers_kept(|t| serde_json::to_string(&t.about).map_err(wrong))
    }

    /// The columns of the table with a row a step, or with a row a contact, by name.
    #[pyo3(name = "_trajectory_table")]
    fn trajectory_table<'py>(&self, py: Python<'py>, contacts: bool) -> PyResult<Bound<'py, PyDict>> {
        self.numbers_kept(|t| {
            let out = PyDict::new(py);
            for column in if contacts { t.contact_columns() } else { t.step_columns() } {
                match column.values {
                    Values::Doubles { values, start, stride } => {
                        let column_of = values.iter().skip(start).step_by(stride.max(1)).copied();
                        out.set_item(column.name, row(py, column_of.collect()))?;
                    }
                    Values::Counts(values) => {
                        out.set_item(column.name, PyArray1::from_vec(py, values.to_vec()))?;
                    }
                    Values::Words { codes, words } => {
                        let word = |i| Values::word(&codes, &words, i);
                        out.set_item(column.name, (0..codes.len()).map(word).collect::<Vec<_>>())?;
                    }
                }
            }
            Ok(out)
        })
    }
}

/// A copy of `values`, by rows, in the shape that they have.
fn shaped<'py, T: Element + Copy>(
    py: Python<'py>,
    values: &[T],
    shape: &[usize],
) -> PyResult<Bound<'py, PyArrayDyn<T>>> {
    PyArray1::from_vec(py, values.to_vec()).reshape(IxDyn(shape))
}
