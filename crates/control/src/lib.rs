//! Optimal control: trajectories through contact ([`ilqr`]), and model predictive control of four-legged robots, from a commanded velocity
//! to joint torques.
//!
//! ```text
//!     Command ──▶ Gait, Footholds ──▶ contacts and feet of the next 0.3 s
//!                        │                        │ CentroidalMpc: a quadratic program        50 Hz
//!                        ▼                        ▼
//!                 Swing: polynomials       forces of the feet
//!                        └───────▶ WholeBody ◀────┘  inverse dynamics                        every step
//!                                      │
//!                                      ▼ joint torques
//! ```
//!
//! The scheme is that of [DiCarlo2018] with the torques of [Kim2019], sized for Solo-12 as in [Leziart2021].
//! The walking controller reads the model of the robot, its state and heights of the ground. It never sees a contact: which law the
//! ground obeys is what it is tested against.
//!
//! [`Locomotion`] is the whole of it; its parts stand alone.

// Capitals carry meaning: X_WB is a pose, M a mass matrix.
#![allow(non_snake_case)]
// !(a <= b) is how a NaN is caught.
#![allow(clippy::neg_cmp_op_on_partial_ord)]

mod centroidal_mpc;
mod error;
mod foothold;
mod gait;
pub mod ilqr;
mod locomotion;
mod params;
mod quadruped;
mod swing;
mod whole_body;

pub use centroidal_mpc::{CentroidalMpc, CentroidalState, MpcWeights, Plan, PlannedStep};
pub use error::ControlError;
pub use foothold::{Foothold, raibert};
pub use gait::{Gait, LEGS};
pub use locomotion::{Command, Locomotion};
pub use params::LocomotionParams;
pub use quadruped::{Leg, Quadruped};
pub use swing::Swing;
pub use whole_body::{FootTask, WholeBody};
