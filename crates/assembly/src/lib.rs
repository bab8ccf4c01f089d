//! Posing a problem: from generalized positions and velocities to one constraint problem.
//!
//! ```text
//!     q, v_f, h ──▶ contact points, joint limits, dry friction, couplings, loops, tendons
//!               ──▶ J, blocks { key, bias by cause }, g = J v_f + biases, W with G = W Wᵀ
//! ```
//!
//! Rows can be posed at any q and v that are handed in ([`Posing`]). What comes out ([`Posed`]) says of every block which
//! contact, limit or coupling it is ([`BlockKey`]) and why its g is what it is ([`Bias`]). This crate knows no solver and no
//! stepper.

// Capitals carry meaning: X_WB is a pose, J a Jacobian.
#![allow(non_snake_case)]

pub mod block;
pub mod compliance;
pub mod consistent;
pub mod contact_point;
pub mod contact_points;
pub mod coplanar;
mod delassus;
pub mod forces;
pub mod jacobian;
pub mod laws;
pub mod loops;
mod patches;
mod pitch;
pub mod pose;
pub mod posed;
pub mod posing;
pub mod primal;
pub mod rolling;
pub mod row_key;
pub mod rows;
mod soft_loop;
pub mod swept;
mod tangents;
mod turning;
pub mod warm_start;

pub use block::{Bias, Block, BlockKey, Choice, PosedLanding, RollingContact};
pub use contact_point::{ContactPoint, PatchPart};
pub use contact_points::{ContactFinder, Lookahead};
pub use jacobian::Jacobian;
pub use laws::coplanar::Face;
pub use laws::row_params::RowParams;
pub use laws::yielding::Spring;
pub use patches::{FoundPatch, PatchDetail};
pub use posed::Posed;
pub use posing::{Middle, Posing, Rolling, Slip, Start};
pub use row_key::RowKey;
pub use warm_start::{ContactMotion, WarmStart};
