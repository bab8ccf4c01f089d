//! System identification: point estimates by [`CmaEs`], distributions by Metropolis and Hastings' [`Chain`].

mod chain;
mod cmaes;

pub use chain::{Chain, effective_sample_size, r_hat};
pub use cmaes::CmaEs;
