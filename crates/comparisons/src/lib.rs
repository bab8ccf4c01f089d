//! Contact models and solvers beside one another.
//!
//! ```text
//!     scene × solvers ──compare──▶ table, report          problem file × solvers ──profile, history──▶ curves
//! ```

// Capitals carry meaning: X_WB is a pose, M a mass matrix.
#![allow(non_snake_case)]
// !(a <= b) is how a NaN is caught.
#![allow(clippy::neg_cmp_op_on_partial_ord)]

pub mod compare;
pub mod history;
pub mod laws;
pub mod profile;
pub mod report;

pub use compare::Comparison;
