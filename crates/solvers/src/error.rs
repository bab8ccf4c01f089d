//! What can go wrong before a solve starts.

use thiserror::Error;

/// A parameter outside its range.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{solver}: parameter `{name}` is {value}; expected {expected}")]
pub struct ParamError {
    pub solver: &'static str,
    /// With the names of its groups, as in `relaxation.gamma`.
    pub name: String,
    pub value: String,
    pub expected: String,
}
