//! Integration tests of the crate, in one program: linking is a large part of building them.

// Helpers of tests may panic as tests do.
#![allow(clippy::unwrap_used)]

mod check;
mod cli;
#[cfg(feature = "full")]
mod faults;
mod malformed;
mod manners;
mod manual;
mod mutations;
mod notes;
