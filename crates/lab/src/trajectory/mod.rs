//! A run, step by step, as numbers: what goes into `.npz`, `.parquet` and `.csv` files and into plots.
//!
//! ```text
//!     t [s], q, v (CONVENTIONS.md), energy [J], contacts [–], natural_map [m/s],
//!     penetration [m], iterations [–], step_time [s]
//! ```
//!
//! The first row is the first state: no step led there, so what steps measure is NaN or zero in it. Values are in
//! world axes and SI units.

mod columns;
mod parquet;
mod write;

pub use write::{WriteError, check_name, check_size};

use columns::{q_columns, v_columns};
use serde::Serialize;
use stiction::{Simulation, StepReport};

/// A run as numbers, one row per step.
#[derive(Clone, Debug, PartialEq)]
pub struct Trajectory {
    pub about: About,
    /// Time [s].
    pub t: Vec<f64>,
    /// Rows of `about.q.len()`.
    pub q: Vec<f64>,
    /// Rows of `about.v.len()`.
    pub v: Vec<f64>,
    /// Kinetic and potential [J].
    pub energy: Vec<f64>,
    /// Contact points in the problem of the step.
    pub contacts: Vec<u32>,
    /// Certificate of the step [m/s].
    pub natural_map: Vec<f64>,
    /// Deepest overlap at the start of the step [m].
    pub penetration: Vec<f64>,
    /// Iterations of the contact solver.
    pub iterations: Vec<u32>,
    /// Time the step took [s].
    pub step_time: Vec<f64>,
}

/// Meaning of the numbers: scene, solver, names of the columns.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct About {
    pub scene: String,
    pub contact: String,
    /// Time step [s].
    pub dt: f64,
    /// Name and unit of every column of q.
    pub q: Vec<String>,
    /// Name and unit of every column of v.
    pub v: Vec<String>,
}

impl Trajectory {
    /// Starts with the present state.
    pub fn new(sim: &mut Simulation) -> Self {
        let model = &sim.world().model;
        let about = About {
            scene: sim.world().name.clone(),
            contact: sim.contact_model().to_owned(),
            dt: sim.settings().stepper.dt,
            q: q_columns(model),
            v: v_columns(model),
        };
        let mut trajectory = Self {
            about,
            t: Vec::new(),
            q: Vec::new(),
            v: Vec::new(),
            energy: Vec::new(),
            contacts: Vec::new(),
            natural_map: Vec::new(),
            penetration: Vec::new(),
            iterations: Vec::new(),
            step_time: Vec::new(),
        };
        trajectory.push_state(sim);
        trajectory.push_step(0, f64::NAN, 0.0, 0, f64::NAN);
        trajectory
    }

    /// Adds the state that the step of the report led to; `natural_map` [m/s] and `time` [s] may be NaN.
    pub fn after_step(&mut self, sim: &mut Simulation, r: &StepReport, natural_map: f64, time: f64) {
        self.push_state(sim);
        let contacts = u32::try_from(r.contacts).unwrap_or(u32::MAX);
        self.push_step(contacts, natural_map, r.penetration, r.iterations, time);
    }

    fn push_state(&mut self, sim: &mut Simulation) {
        self.energy.push(sim.energy().total());
        self.t.push(sim.state().t);
        self.q.extend_from_slice(&sim.state().q);
        self.v.extend_from_slice(&sim.state().v);
    }

    fn push_step(&mut self, contacts: u32, natural_map: f64, penetration: f64, iterations: u32, time: f64) {
        self.contacts.push(contacts);
        self.natural_map.push(natural_map);
        self.penetration.push(penetration);
        self.iterations.push(iterations);
        self.step_time.push(time);
    }

    /// Rows: the first state, and one per step.
    pub fn len(&self) -> usize {
        self.t.len()
    }

    pub fn is_empty(&self) -> bool {
        self.t.is_empty()
    }
}
