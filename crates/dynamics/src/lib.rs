//! Rigid-body dynamics of articulated robots, generic over the scalar.
//!
//! A [`Model`] is constant; [`Kinematics`] and [`Velocities`] are receipts that a configuration and
//! a velocity have been worked through; the algorithms take them, and explicit workspaces.

// Capitals carry meaning: X_WB is a pose, S a motion subspace, M a mass matrix.
#![allow(non_snake_case)]

mod aba;
mod build;
mod crba;
mod energy;
mod factor;
mod integrate;
mod jacobian;
mod kinematics;
mod lanes;
mod mass_matrix;
mod model;
mod real;
mod rnea;
pub mod spatial;
#[cfg(test)]
mod testing;
mod topology;
mod trig;
mod velocity;

pub use aba::{AbaWorkspace, aba_into};
pub use build::{JointSpec, MAX_DOFS, MAX_MASS_MATRIX_ENTRIES, ModelBuilder, ModelError};
pub use crba::{CrbaWorkspace, crba_into};
pub use energy::{Momentum, centre_of_mass, kinetic_energy, momentum, potential_energy, spring_energy};
pub use factor::{Factor, NotPositive};
pub use integrate::{difference_into, integrate_into, normalize};
pub use jacobian::{body_jacobian_into, jacobian_column, point_jacobian_into};
pub use kinematics::Kinematics;
pub use mass_matrix::MassMatrix;
pub use model::{Body, Dof, Joint, JointKind, Link, Model};
pub use real::Real;
pub use rnea::{RneaWorkspace, bias_into, rnea_into};
pub use velocity::{Velocities, point_velocity};
