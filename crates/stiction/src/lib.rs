//! Robot simulation with contacts you can trust: exact frictional contact, certified at every step.
//!
//! ```text
//!     World, State ── Simulation::step ──▶ State⁺, StepReport, Certificate
//! ```

// Capitals carry meaning: X_WB is a pose, J a Jacobian.
#![allow(non_snake_case)]

mod actuation;
mod assembly;
pub mod batch;
mod compose;
mod contacts;
mod continuous;
mod faces;
mod flight;
mod free_tree;
mod gyroscopic;
mod loops;
mod means;
mod mechanism;
mod params;
mod recorder;
pub mod recording;
mod report;
mod rows;
mod servos;
mod simulation;
mod snapshot;
mod softening;
mod state;
mod stepper;
mod tendons;
mod verdicts;
mod views;
mod warm_start;
mod weight;

pub use compose::{ComposeError, Composer, FreeBody, UNCOLOURED};
pub use contacts::{ContactPoint, Spring};
pub use params::{Sleep, StepperParamError, StepperParams};
pub use recorder::{Recorder, frame_of, scene_of};
pub use report::{CERTIFIED, StepReport, StepStatus};
pub use simulation::{ContactState, Energy, Settings, SetupError, Simulation};
pub use snapshot::{Snapshot, SnapshotError};
pub use state::{State, StateError};
pub use stepper::{Input, TimeStepper};

pub use stiction_collision as collision;
pub use stiction_contact as contact;
pub use stiction_dynamics as dynamics;
pub use stiction_models as models;
pub use stiction_solvers as solvers;
