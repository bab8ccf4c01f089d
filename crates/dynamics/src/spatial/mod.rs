//! Spatial algebra: vectors, rotations, poses, and six-dimensional motion, force and inertia,
//! written as 3-vectors and 3×3 blocks.

mod coriolis;
mod motion;
mod pose;
mod vec3;

pub use coriolis::Coriolis;
pub use motion::{ArticulatedInertia, Force, Inertia, Motion};
pub use pose::{Pose, Quat};
pub use vec3::{Mat3, Sym3, Vec3, vec3};
