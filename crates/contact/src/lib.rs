//! The contact problem, its laws, and the judge.

pub mod blocks;
pub mod cone;
pub mod primal;
pub mod problem;
pub mod solver;

pub use blocks::BlockMatrix;
pub use cone::Cone;
pub use primal::{Csr, Primal};
pub use problem::ConstraintProblem;
pub use solver::{ContactSolver, Law, SolveReport, SolveStatus};
