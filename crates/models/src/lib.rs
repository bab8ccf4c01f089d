//! Readers of robot descriptions, and the world they describe.

// Capitals carry meaning: X_LG is a pose.
#![allow(non_snake_case)]

mod error;
mod ledger;
mod load;
mod world;

pub use error::LoadError;
pub use ledger::{Entry, Fate, Ledger, Place};
pub use load::{LoadOptions, load, load_str};
pub use world::{
    Actuator, ActuatorLaw, Coupling, Drawing, DriveLimit, Geometry, Keyframe, Material, Visual, World,
};
