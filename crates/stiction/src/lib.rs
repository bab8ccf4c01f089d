//! Robot simulation with contacts you can trust: exact frictional contact, certified at every step.
//!
//! ```text
//!     World, State ── Simulation::step ──▶ State⁺, StepReport, Certificate
//! ```

// Capitals carry meaning: X_WB is a pose, J a Jacobian.
#![allow(non_snake_case)]

pub mod batch;
mod compose;
mod input;
mod mechanism;
mod params;
mod recorder;
pub mod recording;
mod report;
mod simulation;
mod snapshot;
mod state;
pub mod stepping;

pub use compose::{ComposeError, Composer, FreeBody, UNCOLOURED};
pub use input::Input;
pub use params::{Sleep, StepperParamError, StepperParams};
pub use recorder::{Recorder, frame_of, scene_of};
pub use report::{CERTIFIED, StepReport, StepStatus};
pub use simulation::{ContactState, Energy, Settings, SetupError, Simulation};
pub use snapshot::{Snapshot, SnapshotError};
pub use state::{State, StateError};
pub use stepping::{
    ContactCorrection, CorrectableContact, Memory, Quadrature, Remedy, Stepper, TimeStepping, steppers,
};
pub use stiction_assembly::{ContactPoint, Spring};

pub use stiction_assembly as assembly;
pub use stiction_collision as collision;
pub use stiction_contact as contact;
pub use stiction_dynamics as dynamics;
pub use stiction_models as models;
pub use stiction_solvers as solvers;
