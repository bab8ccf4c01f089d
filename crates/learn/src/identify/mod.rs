//! System identification: point estimates by [`CmaEs`], distributions by Metropolis and Hastings' [`Chain`], of any density
//! by [`sample`].

mod chain;
mod cmaes;
mod sampling;
mod search;

pub use chain::{Chain, effective_sample_size, r_hat};
pub use cmaes::CmaEs;
pub use sampling::{Marginal, Proposal, Sampled, Sampling, sample};
pub use search::{Interrupted, Unknown, Watch, from_unit_box, minimise};
