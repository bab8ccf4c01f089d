//! Integration tests of the crate, in one program: linking is a large part of building them.

// Helpers of tests may panic as tests do.
#![allow(clippy::unwrap_used)]

mod closed_forms;
mod common;
mod derivatives;
mod simplex_qp;
mod two_step_differences;
mod wrench_sets;
