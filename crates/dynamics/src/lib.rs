//! Rigid-body dynamics of articulated robots, generic over the scalar.

// Capitals carry meaning: X_WB is a pose, S a motion subspace, M a mass matrix.
#![allow(non_snake_case)]

mod build;
mod model;
mod real;
pub mod spatial;

pub use build::{JointSpec, MAX_DOFS, ModelBuilder, ModelError};
pub use model::{Body, Dof, Joint, JointKind, Link, Model};
pub use real::Real;
