//! What keeps a controller from an answer.

/// Why there are no torques.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ControlError {
    #[error("no link of the model is called `{name}`; its links are {available}")]
    UnknownLink { name: String, available: String },
    #[error("the trunk `{name}` does not move on a free joint of its own; a quadruped needs one")]
    NotFloating { name: String },
    #[error("foot `{name}` hangs on {joints} joints below the trunk; expected 3 hinges")]
    Leg { name: String, joints: usize },
    #[error("{name} is {value}; expected {expected}")]
    Parameter { name: &'static str, value: String, expected: &'static str },
    #[error("{what} has {count} numbers; the model has {expected}")]
    Length { what: &'static str, count: usize, expected: usize },
    #[error("{what} is not finite at t = {t} s")]
    NotFinite { what: &'static str, t: f64 },
    #[error(
        "the quadratic program of the predictive controller ended with {status} at t = {t} s; a longer `mpc_step` or larger weights help"
    )]
    Program { status: String, t: f64 },
}
