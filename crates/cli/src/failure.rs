//! How a command ends when it does not end well.

use std::process::ExitCode;

/// See the module.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The input is wrong: one message with file, element, value and remedy.
    Input(String),
    /// The input was fine and the work did not succeed.
    Work(String),
    /// Stopped by Ctrl-C or by SIGTERM; what was there is written.
    Interrupted,
}

impl Failure {
    /// The input is wrong, for the reason `error` gives.
    pub(crate) fn input(error: impl std::fmt::Display) -> Self {
        Self::Input(error.to_string())
    }

    /// The work failed, for the reason `error` gives.
    pub(crate) fn work(error: impl std::fmt::Display) -> Self {
        Self::Work(error.to_string())
    }

    /// The work failed, for the reason `error` gives and those behind it.
    pub(crate) fn work_with_causes(error: &dyn std::error::Error) -> Self {
        let causes = std::iter::successors(Some(error), |e| e.source());
        Self::Work(causes.map(ToString::to_string).collect::<Vec<_>>().join(": "))
    }

    pub(crate) fn code(&self) -> ExitCode {
        ExitCode::from(match self {
            Self::Work(_) => 1,
            Self::Input(_) => 2,
            Self::Interrupted => crate::progress::code_of_the_end(),
        })
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Input(text) | Self::Work(text) => write!(f, "error: {text}"),
            Self::Interrupted => write!(f, "interrupted; what was simulated until then is written"),
        }
    }
}
