//! Scenes, experiments and comparisons: what one does with a simulator.
//!
//! ```text
//!     Scene ──build──▶ Setup ──Runner──▶ Summary, Recording, Trajectory
//!     scene × solvers ──compare──▶ table, report          problem file × solvers ──solve──▶ table
//! ```

// Capitals carry meaning: X_WB is a pose, M a mass matrix.
#![allow(non_snake_case)]
// !(a <= b) is how a NaN is caught.
#![allow(clippy::neg_cmp_op_on_partial_ord)]

mod columns;
pub mod compare;
mod driven;
pub mod dump;
pub mod experiments;
pub mod history;
#[cfg(feature = "full")]
pub mod identification;
mod incidents;
pub mod inspect;
mod laws;
pub mod live;
#[cfg(feature = "full")]
pub mod mcap_file;
pub mod nearest;
pub mod overrides;
pub mod plot;
pub mod profile;
pub mod report;
pub mod runner;
pub mod scene;
pub mod shrink;
pub mod solve;
pub mod stepper_changes;
pub mod stress;
pub mod summary;
mod text;
pub mod trajectory;
mod work;

pub use compare::Comparison;
pub use inspect::Inspection;
pub use live::Live;
pub use overrides::Overrides;
pub use runner::{Outcome, Progress, RunOptions, Runner};
pub use scene::{RobotOptions, Scene, SceneError, Setup};
pub use summary::Summary;
pub use trajectory::Trajectory;
