//! Rigid-body dynamics of articulated robots, generic over the scalar.

mod real;
pub mod spatial;

pub use real::Real;
