//! Rigid-body dynamics of articulated robots, generic over the scalar.
//!
//! A [`Model`] is constant; [`Kinematics`] and [`Velocities`] are receipts that a configuration and
//! a velocity have been worked through; the algorithms take them, and explicit workspaces. Nothing
//! allocates after set-up. Everything runs on `f64`, `f32`, lanes of independent environments and
//! [`Dual`] numbers.
//!
//! | what | where |
//! |---|---|
//! | poses, velocities, accelerations | [`Kinematics`], [`Velocities`], [`Accelerations`] |
//! | inverse dynamics, bias, gravity | [`rnea_into`], [`bias_into`], [`gravity_into`] |
//! | forward dynamics | [`aba_into`], or [`crba_into`] and [`Factor`] |
//! | M, M⁻¹, C | [`MassMatrix`], [`InverseMass`], [`CoriolisMatrix`] |
//! | Jacobians and their rates | [`point_jacobian_into`], [`point_jacobian_rate_into`], … |
//! | derivatives in q, v, v̇, τ | [`RneaDerivatives`], [`AbaDerivatives`], [`PointDerivatives`] |
//! | forces on bodies | [`ExternalForces`] |
//! | energy, momentum, centre of mass | [`kinetic_energy`], [`momentum`], [`Centroidal`] |
//! | linearity in the inertial parameters | [`Regressor`], [`body_regressor`] |
//! | steps on the configuration manifold | [`integrate_into`], [`difference_into`] |
//!
//! ```
//! use stiction_dynamics::spatial::{Inertia, Pose, Sym3, Vec3};
//! use stiction_dynamics::*;
//!
//! // A point mass of 2 kg half a metre below a hinge along y.
//! let mut builder = ModelBuilder::new();
//! let bob = Inertia::new(2.0, Vec3::Z * -0.5, Sym3::ZERO);
//! let link = builder.link("bob", None, Pose::IDENTITY, bob);
//! builder.joint(link, JointSpec::new("hinge", JointKind::Hinge, Vec3::Y));
//! let model = builder.build(Vec3::Z * -9.81)?;
//!
//! let mut kin = Kinematics::new(&model);
//! let mut vel = Velocities::new(&model);
//! kin.update(&model, &[std::f64::consts::FRAC_PI_2]);
//! vel.update(&model, &kin, &[0.0]);
//!
//! // Held out sideways, m g l = 9.81 N·m; let go, v̇ = −g/l.
//! let mut bias = [0.0];
//! bias_into(&model, &kin, &vel, &mut RneaWorkspace::new(&model), &mut bias);
//! assert!((bias[0] - 9.81).abs() < 1e-12);
//! let mut acceleration = [0.0];
//! aba_into(&model, &kin, &vel, &[0.0], &mut AbaWorkspace::new(&model), &mut acceleration);
//! assert!((acceleration[0] + 9.81 / 0.5).abs() < 1e-12);
//!
//! // Hanging down instead it is a spring of rate g/l, and 1/(m l²) is its inverse inertia.
//! kin.update(&model, &[0.0]);
//! vel.update(&model, &kin, &[0.0]);
//! let mut derivatives = AbaDerivatives::new(&model);
//! derivatives.update(&model, &kin, &vel, &[0.0], &[0.0], None)?;
//! assert!((derivatives.acceleration_q[0] + 9.81 / 0.5).abs() < 1e-12);
//! assert!((derivatives.inverse_mass[0] - 2.0).abs() < 1e-12);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

// Capitals carry meaning: X_WB is a pose, S a motion subspace, M a mass matrix.
#![allow(non_snake_case)]

mod aba;
mod acceleration;
mod build;
mod centroidal;
mod coriolis;
mod coupling;
mod crba;
mod dense;
mod derivatives;
pub mod differences;
mod dual;
mod edit;
mod energy;
mod factor;
mod frames;
mod gravity;
mod ik;
mod integrate;
mod inverse_mass;
mod jacobian;
mod joint_spec;
mod kinematics;
pub mod lanes;
mod mass_matrix;
mod model;
mod poses;
mod rates;
mod real;
mod regressor;
mod rnea;
mod scalar;
mod selection;
pub mod spatial;
#[cfg(test)]
mod testing;
mod topology;
mod tree_solve;
mod trig;
mod velocity;

pub use aba::{AbaWorkspace, aba_into};
pub use acceleration::{Accelerations, point_acceleration};
pub use build::{MAX_DOFS, MAX_MASS_MATRIX_ENTRIES, ModelBuilder, ModelError};
pub use centroidal::Centroidal;
pub use coriolis::CoriolisMatrix;
pub use coupling::{
    Gear, GearError, ReducedWorkspace, Reduction, reduced_bias_into, reduced_forward_dynamics_into,
    reduced_inverse_dynamics_into,
};
pub use crba::{CrbaWorkspace, crba_into};
pub use derivatives::{AbaDerivatives, ExternalForces, PointDerivatives, RneaDerivatives};
pub use dual::Dual;
pub use edit::{Base, EditError, Edited, Tree, attach, extract, lock_joints, remove, reroot};
pub use energy::{Momentum, centre_of_mass, kinetic_energy, momentum, potential_energy, spring_energy};
pub use factor::{Factor, NotPositive, Trunk};
pub use frames::{
    Axes, FrameError, frame_acceleration, frame_classical_acceleration, frame_jacobian_into, frame_pose,
    frame_velocity,
};
pub use gravity::{GravityWorkspace, gravity_into};
pub use ik::{IkError, IkParams, IkReport, IkStatus, InverseKinematics, Target};
pub use integrate::{difference_into, integrate_into, integrate_joints_into, normalize, rates_into};
pub use inverse_mass::InverseMass;
pub use jacobian::{
    body_jacobian_into, body_jacobian_rate_into, jacobian_column, point_jacobian_into,
    point_jacobian_rate_into,
};
pub use joint_spec::JointSpec;
pub use kinematics::Kinematics;
pub use mass_matrix::MassMatrix;
pub use model::{Body, Dof, Joint, JointKind, JointStop, Link, Model};
pub use poses::Poses;
pub use rates::ColumnRates;
pub use real::Real;
pub use regressor::{
    Regressor, body_regressor, kinetic_energy_regressor_into, potential_energy_regressor_into,
};
pub use rnea::{RneaWorkspace, bias_into, rnea_into};
pub use selection::append_range;
pub use velocity::{Velocities, motions_into, point_velocity};
