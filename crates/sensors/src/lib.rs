//! Sensors that robot files state, read off a simulation: those of MJCF by MuJoCo's definitions, those of SDF by Gazebo's.
//!
//! ```text
//!     Sensor of a file ──readings──▶ Reading, or the reason why it is not offered
//!     Simulation, Found ──read──▶ numbers of each reading
//! ```
//!
//! [`Sensors`] follows one simulation. Readings are exact: noise, bias and delay are the reader's.

// Capitals carry meaning: X_WB is a pose, V a spatial velocity.
#![allow(non_snake_case)]

mod forward;
mod reading;
mod readings;
mod senses;

pub use forward::{Forward, Found, efforts_in};
pub use reading::{Frame, Kind, Reading};
pub use readings::{Offered, readings};
pub use senses::{Senses, hangs_on};

use stiction::dynamics::{Accelerations, ColumnRates, Velocities};
use stiction::world::World;
use stiction::{Simulation, StepReport};

/// Numbers of readings at the present state of `sim`, with accelerations and forces as `found`.
///
/// # Errors
/// If a range finder has no collision world to look into.
pub fn read(sim: &mut Simulation, found: &Found, readings: &[&Reading]) -> Result<Vec<Vec<f64>>, String> {
    let world = sim.shared_world();
    let model = &world.model;
    let kin = sim.kinematics().clone();
    let state = sim.state();
    let mut vel = Velocities::new(model);
    let (mut rates, mut acc) = (ColumnRates::new(model), Accelerations::new(model));
    vel.update(model, &kin, &state.v);
    rates.update(model, &kin, &vel, &state.v);
    acc.update(model, &kin, &vel, &rates, &state.v, &found.acceleration);
    let senses = Senses {
        world: &world,
        t: state.t,
        q: &state.q,
        v: &state.v,
        kin: &kin,
        vel: &vel,
        acc: &acc,
        contacts: &found.contacts,
        efforts: &found.efforts,
    };
    let numbers = |reading: &&Reading| {
        let mut out = Vec::new();
        senses.read(reading, &mut out).map(|()| out)
    };
    readings.iter().map(numbers).collect()
}

/// The sensors of one simulation.
pub struct Sensors {
    offered: Vec<Offered>,
    /// Velocities at the start of the last step; none: no step has led to the present state.
    before: Option<Vec<f64>>,
    forward: Option<Forward>,
}

impl Sensors {
    /// The sensors that the file of `world` states.
    pub fn new(world: &World) -> Self {
        Self { offered: readings(world), before: None, forward: None }
    }

    /// Every sensor of the file in its order: its reading, or the reason why it is not offered.
    pub fn offered(&self) -> &[Offered] {
        &self.offered
    }

    /// One step of `sim`, whose accelerations and contact forces are read after it.
    pub fn step(&mut self, sim: &mut Simulation) -> StepReport {
        let before = sim.state().v.clone();
        let report = sim.step();
        self.before = report.failure().is_none().then_some(before);
        report
    }

    /// Forgets the last step: the state of `sim` was set. Accelerations and forces are then those that the next step would begin with.
    pub fn forget(&mut self) {
        self.before = None;
    }

    /// The numbers of every sensor that is offered, in the order of the file: accelerations and contact forces are means of the last
    /// step, all else is of the present state.
    ///
    /// # Errors
    /// If no step has led to the state and a step from it fails, or a range finder has no collision world to look into.
    pub fn read(&mut self, sim: &mut Simulation) -> Result<Vec<Vec<f64>>, String> {
        let offered: Vec<&Reading> = self.offered.iter().filter_map(|o| o.as_ref().ok()).collect();
        if let Some(before) = &self.before {
            let per_second = 1.0 / sim.settings().stepper.dt;
            let rates = sim.state().v.iter().zip(before).map(|(v, before)| (v - before) * per_second);
            let mut found = Found { acceleration: rates.collect(), ..Found::default() };
            sim.contacts_into(&mut found.contacts);
            sim.efforts_into(&mut found.efforts);
            return read(sim, &found, &offered);
        }
        let (control, efforts) = (sim.control_mut().to_vec(), sim.generalized_mut().to_vec());
        let state = sim.state().clone();
        let forward = match self.forward.take() {
            Some(forward) => forward,
            None => Forward::new(sim)?,
        };
        let found = self.forward.insert(forward).of(&state, &control, &efforts)?;
        read(sim, found, &offered)
    }
}
