//! A run, step by step, as numbers: what goes into `.npz`, `.parquet` and `.csv` files and into plots. [`QUANTITIES`] says
//! what there is: time, coordinates, energy, certificate and remarks of every step, poses and velocities of bodies, efforts of
//! actuators, and contacts with their forces.
//!
//! The first row is the first state: no step led there, so what steps measure is NaN or zero in it. Values are in
//! world axes and SI units.

mod columns;
mod contacts;
mod parquet;
mod quantities;
mod table;
mod write;

pub use contacts::Contacts;
pub use quantities::{Numbers, QUANTITIES, Quantity};
pub use table::{Column, Values};
pub use write::{WriteError, check_name, check_size};

use columns::{q_columns, v_columns};
use serde::Serialize;
use stiction::dynamics::Velocities;
use stiction::{ContactState, Remedy, Simulation, StepReport, StepStatus};

/// How much of a run is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Coordinates and one number a step of everything else.
    Scalars,
    /// Bodies, actuators and contacts too.
    Whole,
}

/// Words of [`Trajectory::status`]: places are codes.
const STATUSES: [&str; 6] = ["none", "converged", "rounding", "not-converged", "gained-energy", "failed"];

/// A run as numbers, one row per step.
#[derive(Clone, Debug, PartialEq)]
pub struct Trajectory {
    pub about: About,
    detail: Detail,
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
    /// Places in `about.status`.
    pub status: Vec<u32>,
    /// Places in `about.remedy`.
    pub remedy: Vec<u32>,
    /// Parts of the step.
    pub parts: Vec<u32>,
    /// Energy that nothing explains, [`StepReport::energy_error`] [J].
    pub energy_error: Vec<f64>,
    /// The fastest that a tree made it, [`StepReport::energy_error_rate`] [1/s].
    pub energy_error_rate: Vec<f64>,
    /// 1 where a correction changed impulses.
    pub corrected: Vec<u32>,
    /// Bodies that sleep from then on.
    pub asleep: Vec<u32>,
    /// Rows of `about.actuators.len()` [N·m or N].
    pub effort: Vec<f64>,
    /// Origins of bodies in W [m], rows of three a body.
    pub body_position: Vec<f64>,
    /// Unit quaternions (w x y z) from body axes to W, rows of four a body.
    pub body_quaternion: Vec<f64>,
    /// Angular velocities in W [rad/s], rows of three a body.
    pub body_angular_velocity: Vec<f64>,
    /// Velocities of the origins, in W [m/s], rows of three a body.
    pub body_velocity: Vec<f64>,
    pub contact: Contacts,
}

/// Meaning of the numbers: scene, solver, arrays, names.
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
    /// Names of the actuators.
    pub actuators: Vec<String>,
    /// Names of the bodies.
    pub bodies: Vec<String>,
    /// Names of the geometries; those without one are `geometry N`.
    pub geometries: Vec<String>,
    /// Words of the codes in `status`.
    pub status: Vec<&'static str>,
    /// Words of the codes in `remedy`.
    pub remedy: Vec<&'static str>,
    /// Shape, unit and meaning of every array.
    pub arrays: Vec<Quantity>,
    /// Contacts of the last rows that found no room.
    pub contacts_left_out: u64,
    /// Time at which the run was interrupted [s]; `null` where it went to its end.
    pub interrupted: Option<f64>,
}

impl Trajectory {
    /// Starts with the present state.
    pub fn new(sim: &mut Simulation, detail: Detail) -> Self {
        let world = sim.world();
        let whole = detail == Detail::Whole;
        let named = |(i, g): (usize, &stiction::world::Geometry)| match &*g.name {
            "" => format!("geometry {i}"),
            name => name.to_owned(),
        };
        let kept = |names: Vec<String>| if whole { names } else { Vec::new() };
        let about = About {
            scene: world.name.clone(),
            contact: sim.contact_model().to_owned(),
            dt: sim.settings().stepper.dt,
            q: q_columns(&world.model),
            v: v_columns(&world.model),
            actuators: kept(world.actuators.iter().map(|a| a.name.clone()).collect()),
            bodies: kept(world.model.bodies.iter().map(|b| b.name.clone()).collect()),
            geometries: kept(world.geometries.iter().enumerate().map(named).collect()),
            status: STATUSES.to_vec(),
            remedy: [&["none"][..], &Remedy::ALL.map(Remedy::name)].concat(),
            arrays: QUANTITIES.to_vec(),
            contacts_left_out: 0,
            interrupted: None,
        };
        let mut trajectory = Self {
            about,
            detail,
            t: Vec::new(),
            q: Vec::new(),
            v: Vec::new(),
            energy: Vec::new(),
            contacts: Vec::new(),
            natural_map: Vec::new(),
            penetration: Vec::new(),
            iterations: Vec::new(),
            step_time: Vec::new(),
            status: Vec::new(),
            remedy: Vec::new(),
            parts: Vec::new(),
            energy_error: Vec::new(),
            energy_error_rate: Vec::new(),
            corrected: Vec::new(),
            asleep: Vec::new(),
            effort: Vec::new(),
            body_position: Vec::new(),
            body_quaternion: Vec::new(),
            body_angular_velocity: Vec::new(),
            body_velocity: Vec::new(),
            contact: Contacts::default(),
        };
        trajectory.push_state(sim);
        trajectory.push_step(None, f64::NAN, f64::NAN);
        if whole {
            trajectory.effort.resize(trajectory.about.actuators.len(), 0.0);
        }
        trajectory.contact.push_row(sim.state().t, &[]);
        trajectory
    }

    /// Adds the state that the step of the report led to; `natural_map` [m/s] and `time` [s] may be NaN.
    pub fn after_step(&mut self, sim: &mut Simulation, r: &StepReport, natural_map: f64, time: f64) {
        self.push_state(sim);
        self.push_step(Some(r), natural_map, time);
        let mut contacts: Vec<ContactState> = Vec::new();
        if self.detail == Detail::Whole {
            let mut efforts = Vec::new();
            sim.efforts_into(&mut efforts);
            self.effort.extend(efforts);
            sim.contacts_into(&mut contacts);
        }
        self.contact.push_row(sim.state().t, &contacts);
        self.about.contacts_left_out = self.contact.left_out;
    }

    fn push_state(&mut self, sim: &mut Simulation) {
        self.energy.push(sim.energy().total());
        self.t.push(sim.state().t);
        self.q.extend_from_slice(&sim.state().q);
        self.v.extend_from_slice(&sim.state().v);
        if self.detail == Detail::Whole {
            self.push_bodies(sim);
        }
    }

    fn push_bodies(&mut self, sim: &mut Simulation) {
        let kin = sim.kinematics().clone();
        let mut velocities = Velocities::new(&sim.world().model);
        velocities.update(&sim.world().model, &kin, &sim.state().v);
        for (b, (X, V)) in kin.X_WB.iter().zip(&velocities.V).enumerate() {
            self.body_position.extend(X.translation.to_array());
            self.body_quaternion.extend(X.rotation.to_array());
            self.body_angular_velocity.extend(V.angular.to_array());
            let from_reference = X.translation - kin.reference[kin.tree_of(b)];
            self.body_velocity.extend(V.linear_at(from_reference).to_array());
        }
    }

    /// Adds the report of a step; `None`: no step led to this row.
    fn push_step(&mut self, report: Option<&StepReport>, natural_map: f64, time: f64) {
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let code = match report.map(|r| &r.status) {
            None => 0,
            Some(StepStatus::Converged) => 1,
            Some(StepStatus::Rounding) => 2,
            Some(StepStatus::NotConverged) => 3,
            Some(StepStatus::GainedEnergy) => 4,
            Some(StepStatus::Failed(_)) => 5,
        };
        let remedy = report.and_then(|r| r.remedy);
        let place = remedy.and_then(|remedy| Remedy::ALL.iter().position(|r| *r == remedy));
        self.natural_map.push(natural_map);
        self.step_time.push(time);
        self.status.push(code);
        self.remedy.push(place.map_or(0, |i| count(i + 1)));
        self.contacts.push(report.map_or(0, |r| count(r.contacts)));
        self.penetration.push(report.map_or(0.0, |r| r.penetration));
        self.iterations.push(report.map_or(0, |r| r.iterations));
        self.parts.push(report.map_or(0, |r| r.parts));
        self.energy_error.push(report.map_or(0.0, |r| r.energy_error));
        self.energy_error_rate.push(report.map_or(0.0, |r| r.energy_error_rate));
        self.corrected.push(report.map_or(0, |r| u32::from(r.corrected)));
        self.asleep.push(report.map_or(0, |r| count(r.asleep)));
    }

    /// Rows: the first state, and one per step.
    pub fn len(&self) -> usize {
        self.t.len()
    }

    pub fn is_empty(&self) -> bool {
        self.t.is_empty()
    }
}
