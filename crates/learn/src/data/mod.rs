//! Readers of the data sets that learners are fitted to.

mod drops;
mod table;

pub use drops::{Trajectory, numbers, read_trajectories};
pub use table::{DataError, Table, files};
