//! Integration tests of the crate, in one program: linking is a large part of building them.

// Helpers of tests may panic as tests do.
#![allow(clippy::unwrap_used)]

mod allocation;
mod corpus;
#[path = "../../src/testing/every.rs"]
mod every;
mod ledger;
mod shipped;
mod smoothing;
