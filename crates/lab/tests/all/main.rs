//! Integration tests of the crate, in one program: linking is a large part of building them.

// Helpers of tests may panic as tests do.
#![allow(clippy::unwrap_used)]

mod contact_sets;
mod directed_friction;
mod published;
mod reports;
mod reports_from_102;
mod reports_from_178;
mod robosimian;
mod robots;
mod scene;
mod snapshots;
#[path = "../../src/testing.rs"]
mod testing;
mod track;
