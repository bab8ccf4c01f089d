//! Integration tests of the crate, in one program: linking is a large part of building them.

// Helpers of tests may panic as tests do.
#![allow(clippy::unwrap_used)]

mod cassie;
mod ellipse;
mod experiments;
mod solo12_mpc;
mod toss;
