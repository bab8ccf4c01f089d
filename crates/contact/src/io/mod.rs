//! Problem files: the neutral JSON form of the FCLIB and Siconos collections [Acary2014], and our dumps.
//!
//! ```text
//!     local     u = W r + q                             W, q, mu
//!     global    M v = H r + f,  u = Hᵀ v + w             M, H, f, w, mu
//! ```
//!
//! Contact k of `nc` owns rows dim·k …, ordered **normal first** (N, T1, T2); here rows are (t₁, t₂, n).
//! Matrices are `{shape, dense}` by rows or `{shape, i, j, v}`. W may be unsymmetric and stays so; its
//! block pattern is the union of the file's and its transpose, with the diagonal.
//! A planar problem (dim 2) becomes a spatial one with a second tangent that nothing couples to: the
//! block gains the diagonal W_NN and velocity 0, so its impulse is 0 and every residual is unchanged.
//! Keys of our own: `time_step` [s]; `compliance`, one number per row; `scalar`, blocks of one row after
//! the contacts; `order`, our block order; `primal`; `softness`, one object per block in our order. Numbers survive a round trip bit by bit.

mod node;
mod read;
mod write;

pub use read::{load, parse};
pub use write::{save, to_json};

use crate::primal::PrimalError;
use crate::problem::ConstraintProblem;
use thiserror::Error;

/// A problem as a file describes it.
#[derive(Clone, Debug)]
pub struct ProblemFile {
    pub name: String,
    pub problem: ConstraintProblem,
    /// An answer that came with the file.
    pub reference: Option<Reference>,
    /// Row of the file that row r of the problem is; `None` for the tangent a planar contact gained.
    file_row: Vec<Option<usize>>,
}

/// An answer that came with a file, in the problem's row order.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    pub solver: String,
    /// ‖r − P_K(r − u − μ‖u_T‖ e_N)‖/max(1, ‖q‖) by whoever made the file.
    pub residual: f64,
    /// r [N·s].
    pub impulses: Vec<f64>,
}

impl ProblemFile {
    /// `impulses` of the problem in the row order of the file.
    pub fn to_file_order(&self, impulses: &[f64]) -> Vec<f64> {
        assert_eq!(impulses.len(), self.file_row.len(), "one impulse per row");
        let mut out = vec![0.0; self.file_row.iter().flatten().count()];
        for (row, x) in self.file_row.iter().zip(impulses) {
            if let Some(row) = *row {
                out[row] = *x;
            }
        }
        out
    }

    /// Impulses in the row order of the file as impulses of the problem; `None` if there are not as
    /// many as the file has rows.
    pub fn from_file_order(&self, impulses: &[f64]) -> Option<Vec<f64>> {
        let rows = self.file_row.iter().flatten().count();
        let take = |row: &Option<usize>| row.map_or(0.0, |r| impulses[r]);
        (impulses.len() == rows).then(|| self.file_row.iter().map(take).collect())
    }
}

/// What is wrong with a problem file, where, and what was expected.
#[derive(Debug, Error)]
pub enum ProblemFileError {
    #[error("{file}: {source}")]
    Io { file: String, source: std::io::Error },
    #[error("{file}: not JSON: {message}")]
    Json { file: String, message: String },
    #[error("{file}: `{element}` is missing; expected {expected}")]
    Missing { file: String, element: String, expected: String },
    #[error("{file}: `{element}` is {value}; expected {expected}")]
    Value { file: String, element: String, value: String, expected: String },
    #[error("{file}: `formulation` is {formulation}: rolling friction is not supported yet")]
    Rolling { file: String, formulation: String },
    #[error("{file}: {source}")]
    Primal { file: String, source: PrimalError },
}
