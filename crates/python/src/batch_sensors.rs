//! Sensors of all environments of a batch. Lanes keep neither contact forces nor what servos exerted: a sensor that needs
//! them is refused, with the reason.

use crate::batch::{Batch, Inner};
use crate::errors::{guarded, wrong};
use crate::numbers::{Row, matrix_of, numbers};
use crate::own_world::{Own, OwnWorld};
use crate::sensors::chosen;
use crate::workspace::{Workspace, Workspaces};
use numpy::PyArray2;
use pyo3::prelude::*;
use std::sync::Arc;
use stiction::assembly::forces::actuators::{self, is_servo};
use stiction::world::{Actuator, World};
use stiction::{Settings, State};
use stiction_sensors::Forward;
use stiction_sensors::readings;
use stiction_sensors::{Kind, Reading};
use stiction_sensors::{Senses, hangs_on};

/// Why a batch cannot read it, if it cannot.
fn obstacle(world: &World, kind: &Kind) -> Option<String> {
    let servo = |a: &Actuator| {
        is_servo(a).then(|| format!("actuator `{}` is a servo, of which no effort is kept", a.name))
    };
    match kind {
        Kind::Touch(..) | Kind::Contact(_) => Some("contact forces are not kept".to_owned()),
        Kind::Force(f) | Kind::Torque(f) | Kind::Wrench(f, _) => {
            let hangs = |link: Option<usize>| link.is_some_and(|l| hangs_on(world, l, f.link));
            let touching = world.geometries.iter().find(|g| hangs(g.link))?;
            Some(format!("`{}` hangs on it and can touch, and contact forces are not kept", touching.name))
        }
        Kind::Effort(a) => servo(&world.actuators[*a]),
        Kind::EffortOfDof(dof) => {
            let mut on = world.actuators.iter().filter(|a| a.transmission.iter().any(|(d, _)| d == dof));
            on.find_map(servo)
        }
        _ => None,
    }
}

/// The effort of an actuator that is no servo, under a control.
fn effort(a: &Actuator, u: f64) -> f64 {
    let law = actuators::law(a);
    law.limited(law.effort(u, 0.0, 0.0))
}

impl Inner {
    /// The world of environment i with its readings; `None`: that of all.
    fn own(&mut self, i: usize) -> PyResult<Option<Arc<OwnWorld>>> {
        if matches!(self.own[i], Own::Unread) {
            let mut world = self.batch.world().clone();
            self.batch.fields(i).apply(&mut world).map_err(wrong)?;
            let offered = readings(&world);
            let workspaces = Workspaces::default();
            self.own[i] = Own::Made(Arc::new(OwnWorld { world, offered, workspaces }));
        }
        Ok(match &self.own[i] {
            Own::Made(made) => Some(Arc::clone(made)),
            _ => None,
        })
    }

    /// Accelerations of environment i, which no step has led to, if a reading asks for them.
    fn forward(
        &mut self,
        i: usize,
        own: Option<&OwnWorld>,
        readings: &[&Reading],
    ) -> PyResult<Option<Vec<f64>>> {
        if self.stepped[i] || !readings.iter().any(|r| r.kind.accelerates()) {
            return Ok(None);
        }
        let (q, v) = self.batch.state(i);
        let state = State { t: 0.0, q: q.to_vec(), v: v.to_vec() };
        let settings = self.batch.settings();
        let settings = Settings {
            stepper: settings.stepper.clone(),
            tolerance: settings.tolerance,
            ..Settings::default()
        };
        let made = |world: &World| -> PyResult<Box<Forward>> {
            let sim = stiction::Simulation::new(world.clone(), state.clone(), settings).map_err(wrong)?;
            Ok(Box::new(Forward::new(&sim).map_err(wrong)?))
        };
        let mut forward = match (own, self.forward.take()) {
            (Some(own), _) => made(&own.world)?,
            (None, Some(forward)) => forward,
            (None, None) => made(self.batch.world())?,
        };
        let nu = self.batch.world().actuators.len();
        let efforts = self.batch.generalized_mut(i).to_vec();
        let found = forward.of(&state, &self.control[i * nu..(i + 1) * nu], &efforts).map_err(wrong)?;
        let acceleration = found.acceleration.clone();
        if own.is_none() {
            self.forward = Some(forward);
        }
        Ok(Some(acceleration))
    }

    /// Adds the readings of environment i to `out`.
    #[expect(clippy::too_many_arguments, reason = "what a reading depends on")]
    fn sense(
        &self,
        i: usize,
        t: f64,
        world: &World,
        readings: &[&Reading],
        found: Option<Vec<f64>>,
        w: &mut Workspace,
        out: &mut Vec<f64>,
    ) -> PyResult<()> {
        let (nu, nv) = (world.actuators.len(), world.model.nv());
        let per_second = 1.0 / self.batch.settings().stepper.dt;
        let (q, v) = self.batch.state(i);
        let before = self.v_before[i * nv..].iter();
        let mean = || v.iter().zip(before).map(|(v, b)| (v - b) * per_second).collect();
        let a: Vec<f64> = found.unwrap_or_else(mean);
        w.moved(&world.model, q, Some(v));
        w.rates.update(&world.model, &w.kin, &w.vel, v);
        w.acc.update(&world.model, &w.kin, &w.vel, &w.rates, v, &a);
        let control = self.control[i * nu..].iter();
        let exerted = world.actuators.iter().zip(control).map(|(a, u)| effort(a, *u));
        let efforts: Vec<f64> = exerted.collect();
        let (kin, vel, acc) = (&w.kin, &w.vel, &w.acc);
        let senses = Senses { world, t, q, v, kin, vel, acc, contacts: &[], efforts: &efforts };
        readings.iter().try_for_each(|reading| senses.read(reading, out).map_err(wrong))
    }
}

#[pymethods]
impl Batch {
    /// Why sensors cannot be read of a batch, by index.
    fn _sensors_not_batched(&self) -> PyResult<Vec<(usize, String)>> {
        let inner = self.lock()?;
        let offered = self.world.get().readings().iter().enumerate();
        Ok(offered
            .filter_map(|(i, r)| match r {
                Ok(reading) => Some((i, refusal(inner.batch.world(), i, reading)?)),
                Err(why) => Some((i, why.clone())),
            })
            .collect())
    }

    /// Readings of the sensors of these indices side by side, a row for each environment, at the times `t`.
    fn _sensors<'py>(
        &self,
        py: Python<'py>,
        indices: Vec<usize>,
        t: Row<'_>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let t = numbers("time", &t, self.n, "one for each environment")?;
        let shared = self.world.get();
        let mut guard = self.lock()?;
        let inner = &mut *guard;
        let mut columns = 0;
        for &i in &indices {
            let reading = chosen(shared.readings(), i)?;
            if let Some(why) = refusal(inner.batch.world(), i, reading) {
                return Err(wrong(why));
            }
            columns += reading.kind.width();
        }
        let all = guarded(|| {
            let mut out = Vec::with_capacity(columns * self.n);
            for (i, &t) in t.iter().enumerate() {
                let own = inner.own(i)?;
                let (offered, workspaces) = match &own {
                    Some(own) => (&own.offered[..], &own.workspaces),
                    None => (shared.readings(), &shared.workspaces),
                };
                let chosen = indices.iter().map(|s| chosen(offered, *s)).collect::<PyResult<Vec<_>>>()?;
                let found = inner.forward(i, own.as_deref(), &chosen)?;
                let world = own.as_deref().map_or(inner.batch.world(), |own| &own.world);
                workspaces.with(&world.model, |w| inner.sense(i, t, world, &chosen, found, w, &mut out))?;
            }
            Ok(out)
        })?;
        matrix_of(py, all, [self.n, columns])
    }
}

fn refusal(world: &World, i: usize, reading: &Reading) -> Option<String> {
    let sensor = &world.extras.sensors[i];
    let why = obstacle(world, &reading.kind)?;
    Some(format!(
        "sensor `{}` ({}) cannot be read of a batch: {why}; a Simulation reads it",
        sensor.name, sensor.kind
    ))
}
