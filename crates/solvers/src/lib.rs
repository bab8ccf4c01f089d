//! Contact solvers, one file each, all built alike; [`registry`] knows them by name.

// G, J, M and R are the names of the literature.
#![allow(non_snake_case)]
// !(a < b) is how a NaN is caught.
#![allow(clippy::neg_cmp_op_on_partial_ord)]

mod anderson;
pub mod ccp_pgs;
pub mod error;
mod finish;
pub mod local;
pub mod ncp_pgs;
pub mod nsgs;
pub mod raisim;
pub mod raisim_ds;
pub mod registry;
mod sweep;

pub use error::ParamError;
pub use registry::{Common, SolverError, all, make, make_from};

#[cfg(test)]
mod testing;
