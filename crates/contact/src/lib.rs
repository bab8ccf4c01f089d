//! The contact problem, its laws, and the judge.

// G, J, M and R are the names of the literature.
#![allow(non_snake_case)]
// !(a < b) is how a NaN is caught.
#![allow(clippy::neg_cmp_op_on_partial_ord)]

pub mod answers;
pub mod blocks;
mod branch_sparse_rows;
pub mod certificate;
pub mod cone;
pub mod corpus;
mod law;
pub mod matrix3;
mod nan;
mod operator;
pub mod pieces;
pub mod polygon;
pub mod primal;
pub mod problem;
mod root;
pub mod soft;
pub mod softness;
pub mod solver;
mod spectral_norm;

pub use answers::{Answer, Mode, answers};
pub use blocks::BlockMatrix;
pub use branch_sparse_rows::BranchSparseRows;
pub use certificate::{Certificate, Judge};
pub use cone::Cone;
pub use law::Law;
pub use polygon::Polygon;
pub use primal::{Csr, MassFactor, Primal, PrimalError};
pub use problem::ConstraintProblem;
pub use root::Root;
pub use soft::SoftBlock;
pub use softness::{Material, Softness};
pub use solver::{ContactSolver, Needs, SolveReport, SolveStatus, Watch, refusal};
