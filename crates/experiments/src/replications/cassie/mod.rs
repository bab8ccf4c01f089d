//! Landings of a biped [Acosta2022]: what the ground is like and how fast the robot is after the impact, from measured states
//! before it and measured torques.

mod evaluate;
mod posture;
mod set;

pub use evaluate::{CassieEffort, CassieError, CassieRow, LANDING_FITS, evaluate, track};
pub use posture::{Posture, PostureError};
pub use set::{CassieSet, JOINTS, Landing, MOTORS};
