//! Sensors read off a simulation, by the crate of sensors. Noise is up to the reader.

use crate::errors::{guarded, wrong};
use crate::numbers::row;
use crate::simulation::{Inner, Simulation};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use stiction_sensors::Offered;
use stiction_sensors::Reading;

impl Inner {
    fn sense(&mut self, readings: &[&Reading]) -> PyResult<Vec<Vec<f64>>> {
        let found = self.found()?;
        stiction_sensors::read(&mut self.sim, &found, readings).map_err(wrong)
    }
}

#[pymethods]
impl Simulation {
    /// Readings of the sensors of these indices; one that is not offered raises.
    fn _sensors<'py>(
        &self,
        py: Python<'py>,
        indices: Vec<usize>,
    ) -> PyResult<Vec<Bound<'py, PyArray1<f64>>>> {
        let mut inner = self.pulled(py)?;
        let world = self.world_now(py);
        let offered = world.get().readings();
        let readings = indices.iter().map(|i| chosen(offered, *i)).collect::<PyResult<Vec<_>>>()?;
        let all = guarded(|| inner.sense(&readings))?;
        Ok(all.into_iter().map(|x| row(py, x)).collect())
    }
}

/// The reading of index `i`; one that is not offered raises.
pub(crate) fn chosen(offered: &[Offered], i: usize) -> PyResult<&Reading> {
    match offered.get(i) {
        Some(Ok(reading)) => Ok(reading),
        Some(Err(why)) => Err(wrong(why)),
        None => Err(wrong(format_args!("there is no sensor {i}; there are {}", offered.len()))),
    }
}

impl crate::world::World {
    /// Readings of its sensors, found once.
    pub(crate) fn readings(&self) -> &[Offered] {
        self.readings.get_or_init(|| stiction_sensors::readings(&self.world))
    }
}

#[pymethods]
impl crate::world::World {
    /// Why sensors are not offered, by index.
    fn sensors_not_offered<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let out = PyDict::new(py);
        for (i, reading) in self.readings().iter().enumerate() {
            if let Err(why) = reading {
                out.set_item(i, why)?;
            }
        }
        Ok(out)
    }
}
