//! Contact solvers, one file each, all built alike; [`registry`] knows them by name.

// G, J, M and R are the names of the literature.
#![allow(non_snake_case)]
// !(a < b) is how a NaN is caught.
#![allow(clippy::neg_cmp_op_on_partial_ord)]
// A loop over rows indexes several vectors at once.
#![allow(clippy::needless_range_loop)]

mod active_set;
mod admm;
mod anderson;
pub mod anitescu_qp;
pub mod auto;
mod blocks;
mod bounds;
pub mod ccp_admm;
pub mod ccp_apgd;
pub mod ccp_ipm;
pub mod ccp_pgs;
pub mod ccp_spg;
mod dense;
pub mod effort;
pub mod error;
mod facets;
mod initial_guess;
mod interior;
mod islands;
mod iterate;
mod iterate_solver;
pub mod lagged;
pub mod lanes;
pub mod lcp_lemke;
pub mod lcp_pgs;
pub mod lcp_qp;
pub mod lcp_staggered;
pub mod local;
mod minimum_norm;
pub mod mujoco;
mod mujoco_pgs;
pub mod ncp_aclm;
pub mod ncp_admm;
pub mod ncp_al;
pub mod ncp_ipm;
pub mod ncp_lanes;
pub mod ncp_newton;
pub mod ncp_pgs;
pub mod ncp_smoothing;
pub mod ncp_staggered;
pub mod nsgs;
pub mod parameters;
mod path;
pub mod pivots;
pub mod plan;
mod primal_newton;
pub mod raisim;
pub mod raisim_ds;
pub mod registry;
mod residual;
pub mod sap;
pub mod similar;
mod smoothing;
mod splitting;
mod springs;
mod stages;
mod staggered;
mod sweep;
mod task;
mod trees;
mod tuning;
pub mod values;
mod view;
mod work;
pub mod worker_pool;

pub use effort::Effort;
pub use error::ParamError;
pub use registry::{Common, SolverError, all, make, make_from};
pub use values::Params;

#[cfg(test)]
mod testing;
