//! Runs of scenes.
//!
//! ```text
//!     Setup ──Runner──▶ Summary, Recording, Trajectory          problem file × solvers ──solve──▶ answers
//! ```

// Capitals carry meaning: X_WB is a pose, M a mass matrix.
#![allow(non_snake_case)]
// !(a <= b) is how a NaN is caught.
#![allow(clippy::neg_cmp_op_on_partial_ord)]

pub mod driven;
pub mod dump;
#[cfg(feature = "full")]
pub mod identification;
mod incidents;
pub mod inspect;
pub mod live;
#[cfg(feature = "full")]
pub mod mcap_file;
pub mod runner;
pub mod solve;
pub mod summary;
#[cfg(test)]
mod testing;
pub mod trajectory;
mod work;

pub use inspect::Inspection;
pub use live::Live;
pub use runner::{Outcome, Progress, RunOptions, Runner};
pub use summary::Summary;
pub use trajectory::Trajectory;
