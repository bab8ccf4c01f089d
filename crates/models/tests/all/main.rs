//! Integration tests of the crate, in one program: linking is a large part of building them.

// Helpers of tests may panic as tests do.
#![allow(clippy::unwrap_used)]

mod common;
mod ledger;
mod loaded;
mod lock;
mod malformed;
mod meshes;
mod mjcf;
mod mujoco;
mod references;
mod resize;
mod sdf;
mod urdf;
mod write;
