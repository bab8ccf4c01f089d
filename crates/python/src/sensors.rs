//! Sensors read off a simulation; what they read is in `senses`. Noise is up to the reader.

use crate::errors::{guarded, wrong};
use crate::numbers::row;
use crate::reading::Reading;
use crate::senses::Senses;
use crate::sensor_kinds::Offered;
use crate::simulation::{Inner, Simulation};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use stiction::dynamics::{Accelerations, ColumnRates};

impl Inner {
    fn sense(&mut self, readings: &[&Reading]) -> PyResult<Vec<Vec<f64>>> {
        let world = self.sim.shared_world();
        // Of a state that no step led to, accelerations and forces are its own.
        let found = match self.q_before {
            Some(_) => None,
            None => Some(self.forward()?.clone()),
        };
        let a = found.as_ref().map_or_else(|| self.acceleration(), |f| f.acceleration.clone());
        let (kin, vel) = self.moving();
        let (mut rates, mut acc) = (ColumnRates::new(&world.model), Accelerations::new(&world.model));
        let v = self.sim.state().v.clone();
        rates.update(&world.model, &kin, &vel, &v);
        acc.update(&world.model, &kin, &vel, &rates, &v, &a);
        let (mut contacts, mut efforts) = (Vec::new(), Vec::new());
        match found {
            Some(found) => (contacts, efforts) = (found.contacts, found.efforts),
            None => {
                self.sim.contacts_into(&mut contacts);
                self.sim.efforts_into(&mut efforts);
            }
        }
        let state = self.sim.state();
        let senses = Senses {
            world: &world,
            t: state.t,
            q: &state.q,
            v: &state.v,
            kin: &kin,
            vel: &vel,
            acc: &acc,
            contacts: &contacts,
            efforts: &efforts,
        };
        let read = |reading: &&Reading| {
            let mut out = Vec::new();
            senses.read(reading, &mut out).map(|()| out)
        };
        readings.iter().map(read).collect()
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
