//! Scenes, experiments and comparisons: what one does with a simulator.
//!
//! ```text
//!     Scene ──build──▶ Setup ──Runner──▶ Summary, Recording, Trajectory
//!     scene × solvers ──compare──▶ table, report          problem file × solvers ──solve──▶ table
//! ```

// Capitals carry meaning: X_WB is a pose, M a mass matrix.
#![allow(non_snake_case)]

pub mod experiments;
pub mod nearest;
pub mod plot;
pub mod random;
pub mod scene;

pub use scene::{RobotOptions, Scene, SceneError, Setup};
