//! Many environments of one world, stepped side by side.
//!
//! ```text
//!     Batch::step(controls) ──▶ groups of 4 × f64 or 8 × f32 environments, one per lane ──▶ states⁺, reports
//! ```
//!
//! The step is that of [`crate::TimeStepping`], in lanes: the same rows, the same exact law. A lane that does not reach
//! the tolerance, or where something happened that lanes do not know, is stepped again alone, and its report says so.
//! So is one of which a tree flies that is held by nothing, [`crate::stepping::integrate::ballistic`], as free bodies do between impacts;
//! robots with servos are none ([`crate::HigherOrder::Passive`], whatever is set). Worlds of which no lane routine knows some part (loops, meshes:
//! [`Batch::pace`]) are stepped environment by environment, at the pace of one simulation each.
//!
//! Nothing sleeps in a batch ([`crate::Sleep`]).
//!
//! Deterministic: what happens to an environment depends neither on the number of threads nor on its neighbours.

mod alone;
mod contact_laws;
mod fields;
mod free;
mod group;
mod memory;
mod numbers;
mod plan;
mod pool;
mod position_correction;
mod rows;
mod settings;
mod shard;
mod slips;
mod slot;
mod states;
mod touch;
mod witness;

pub use fields::{FieldError, Fields};
pub use settings::{BatchReport, BatchSettings, Path, Precision};

use crate::catalogue::StepperName;
use crate::free_memory::{NoMemory, check_memory};
use crate::params::StepperParamError;
use crate::simulation::validate_transmissions;
use crate::state::State;
use crate::{SetupError, StateError};
use alone::AloneError;
use plan::Plan;
use pool::Pool;
use shard::{SHARD, Shard};
use std::sync::Arc;
use stiction_assembly::forces::actuators::with_drive_limits;
use stiction_dynamics::lanes::{F32x8, F64x4, Lanes};
use stiction_world::World;

/// Lanes of a group, at most.
const WIDEST: usize = F32x8::WIDTH;

/// A number per lane.
type Numbers64 = [f64; WIDEST];

/// How fast a batch goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pace {
    /// So many environments at a time in every thread.
    Lanes(usize),
    /// One at a time; this is why.
    Alone(String),
}

/// Why there can be no batch.
#[derive(Debug, thiserror::Error)]
pub enum BatchError {
    #[error(transparent)]
    Setup(#[from] SetupError),
    #[error("batch setting `{name}` is {value}; expected {expected}")]
    Setting { name: &'static str, value: f64, expected: &'static str },
    #[error("batches step by time-stepping, not by `{name}`; a Simulation of each environment does")]
    Stepper { name: &'static str },
    #[error(transparent)]
    Memory(#[from] NoMemory),
}

/// Numbers that an environment keeps: some of its own, and some for each coordinate, velocity and control. Contacts come on top.
const OF_EACH: u128 = 40;
const PER_NUMBER: u128 = 6;

impl From<StepperParamError> for BatchError {
    fn from(e: StepperParamError) -> Self {
        Self::Setup(e.into())
    }
}

impl From<AloneError> for BatchError {
    fn from(e: AloneError) -> Self {
        Self::Setup(match e {
            AloneError::Shape(e) => e.into(),
            AloneError::Solver(e) => e.into(),
        })
    }
}

/// See the module.
pub struct Batch {
    plan: Arc<Plan>,
    pool: Pool,
    count: usize,
    width: usize,
}

impl Batch {
    /// `n` environments of `world`, all at `state` with zero controls.
    pub fn new(
        world: impl Into<Arc<World>>,
        state: &State,
        n: usize,
        settings: BatchSettings,
    ) -> Result<Self, BatchError> {
        let world = with_drive_limits(world.into());
        settings.stepper.validate()?;
        if settings.stepper.method != StepperName::default() {
            return Err(BatchError::Stepper { name: settings.stepper.method.as_str() });
        }
        let setting = |name, value: f64, ok: bool, expected| {
            if ok { Ok(()) } else { Err(BatchError::Setting { name, value, expected }) }
        };
        setting("n", n as f64, n > 0, "at least one environment")?;
        setting("threads", settings.threads as f64, settings.threads > 0, "at least one thread")?;
        let tolerance = settings.tolerance;
        let squared = tolerance * tolerance;
        let expected = "a speed > 0 [m/s], and no more than 1e154: residuals are summed as squares";
        setting("tolerance", tolerance, tolerance > 0.0 && squared.is_finite(), expected)?;
        state.validate(&world.model).map_err(SetupError::from)?;
        validate_transmissions(&world)?;
        let width = match settings.precision {
            Precision::Double => F64x4::WIDTH,
            Precision::Single => F32x8::WIDTH,
        };
        let model = &world.model;
        let numbers = model.nq + model.nv() + world.actuators.len();
        let bytes = 8 * n as u128 * (OF_EACH + PER_NUMBER * numbers as u128);
        let what =
            || format!("a batch of {n} environments of {numbers} coordinates, velocities and controls");
        check_memory(bytes, what, "take fewer environments, or several batches one after another")?;
        let plan = Arc::new(Plan::new(world, settings).map_err(SetupError::from)?);
        let shards = (0..n.div_ceil(SHARD))
            .map(|k| Shard::new(&plan, k, SHARD.min(n - k * SHARD), width))
            .collect::<Result<Vec<_>, _>>()?;
        let pool = Pool::new(&plan, shards)?;
        let mut batch = Self { plan, pool, count: n, width };
        for i in 0..n {
            batch.reset(i, state).map_err(SetupError::from)?;
        }
        Ok(batch)
    }

    /// How many environments there are.
    pub fn len(&self) -> usize {
        self.count
    }

    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub fn world(&self) -> &World {
        &self.plan.world
    }

    pub fn settings(&self) -> &BatchSettings {
        &self.plan.settings
    }

    /// In lanes or not, and why not.
    pub fn pace(&self) -> Pace {
        self.plan.obstacle.as_ref().map_or(Pace::Lanes(self.width), |why| Pace::Alone(why.clone()))
    }

    /// One step of all environments. `controls`: n × nu, environment by environment; empty: as in the last step.
    pub fn step(&mut self, controls: &[f64]) {
        let nu = self.plan.world.actuators.len();
        if !controls.is_empty() {
            assert_eq!(controls.len(), self.count * nu, "n x nu controls");
            for (shard, controls) in self.pool.shards_mut().zip(controls.chunks(SHARD * nu.max(1))) {
                shard.control.copy_from_slice(controls);
            }
        }
        self.pool.step();
    }

    /// Configurations and velocities, n × nq and n × nv, environment by environment.
    pub fn states_into(&self, q: &mut [f64], v: &mut [f64]) {
        let model = &self.plan.world.model;
        assert_eq!(q.len(), self.count * model.nq, "n x nq coordinates");
        assert_eq!(v.len(), self.count * model.nv(), "n x nv velocities");
        for (shard, q) in self.pool.shards().zip(q.chunks_mut(SHARD * model.nq)) {
            q.copy_from_slice(&shard.q);
        }
        for (shard, v) in self.pool.shards().zip(v.chunks_mut(SHARD * model.nv())) {
            v.copy_from_slice(&shard.v);
        }
    }

    /// Configuration and velocity of environment i.
    pub fn state(&self, i: usize) -> (&[f64], &[f64]) {
        let (shard, k) = self.place(i);
        let (nq, nv) = (self.plan.world.model.nq, self.plan.world.model.nv());
        (&shard.q[k * nq..(k + 1) * nq], &shard.v[k * nv..(k + 1) * nv])
    }

    /// What the last step said of environment i.
    pub fn report(&self, i: usize) -> &BatchReport {
        let (shard, k) = self.place(i);
        &shard.reports[k]
    }

    /// All reports, in order.
    pub fn reports(&self) -> impl Iterator<Item = &BatchReport> + '_ {
        self.pool.shards().flat_map(|shard| &shard.reports)
    }

    /// Sets environment i to `state`; it starts cold, and forces that were given for its next step are forgotten.
    pub fn reset(&mut self, i: usize, state: &State) -> Result<(), StateError> {
        let model = &self.plan.world.model;
        state.validate(model)?;
        let (nq, nv, width) = (model.nq, model.nv(), self.width);
        let (shard, k) = self.pool.place_mut(i / SHARD, i % SHARD);
        shard.q[k * nq..(k + 1) * nq].copy_from_slice(&state.q);
        shard.v[k * nv..(k + 1) * nv].copy_from_slice(&state.v);
        shard.force[k * nv..(k + 1) * nv].fill(0.0);
        shard.reports[k] = BatchReport::none();
        shard.forget(k, width);
        Ok(())
    }

    /// Generalized forces on environment i, for the next step only [N or N·m].
    pub fn generalized_mut(&mut self, i: usize) -> &mut [f64] {
        let nv = self.plan.world.model.nv();
        let (shard, k) = self.pool.place_mut(i / SHARD, i % SHARD);
        &mut shard.force[k * nv..(k + 1) * nv]
    }

    /// The numbers of environment i.
    pub fn fields(&self, i: usize) -> Fields {
        let (shard, k) = self.place(i);
        shard.fields(k).cloned().unwrap_or_else(|| Fields::of(&self.plan.world))
    }

    /// Gives environment i numbers of its own, from the next step on.
    pub fn set_fields(&mut self, i: usize, fields: Fields) -> Result<(), FieldError> {
        fields.validate(&self.plan.world)?;
        let (plan, width) = (self.plan.clone(), self.width);
        let (shard, k) = self.pool.place_mut(i / SHARD, i % SHARD);
        shard.set_fields(&plan, k, width, fields);
        Ok(())
    }

    fn place(&self, i: usize) -> (&Shard, usize) {
        assert!(i < self.count, "environment {i} of {}", self.count);
        (self.pool.shard(i / SHARD), i % SHARD)
    }
}
