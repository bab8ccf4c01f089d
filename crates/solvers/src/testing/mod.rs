//! What the tests of all solvers share.

mod acceptance;
mod facets;
mod puck;

pub(crate) use puck::{Puck, apart};

pub(crate) use stiction_contact::ConstraintProblem;
pub(crate) use stiction_contact::corpus::*;
pub(crate) use stiction_dynamics::spatial::{Vec3, vec3};
