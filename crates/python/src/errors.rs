//! Errors as Python exceptions, with the text that the command line prints; nothing panics across the border.

use pyo3::create_exception;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use std::any::Any;
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

create_exception!(
    stiction,
    Error,
    PyValueError,
    "What was given cannot be used: the message names the place, the value and what was expected."
);
create_exception!(
    stiction,
    StepFailed,
    PyRuntimeError,
    "A step failed; the state is as it was before it. The message names the cause."
);
create_exception!(
    stiction,
    InternalError,
    PyRuntimeError,
    "An invariant of stiction is broken: a bug, which is worth a report. What raised it must not be used any more."
);

/// The exception for what was given and cannot be used.
pub(crate) fn wrong(error: impl Display) -> PyErr {
    Error::new_err(error.to_string())
}

/// The exception for a length that does not fit.
pub(crate) fn wrong_length(what: &str, found: usize, expected: usize, of: &str) -> PyErr {
    wrong(format_args!("{what} has {found} numbers; expected {expected}, {of}"))
}

/// Runs `work`; a panic in it becomes an exception.
pub(crate) fn guarded<T>(work: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(result) => result,
        Err(panic) => Err(InternalError::new_err(sentence(panic.as_ref()))),
    }
}

/// Runs `work` while other Python threads run; a panic in it becomes an exception.
pub(crate) fn released<T: Send>(py: Python<'_>, work: impl FnOnce() -> PyResult<T> + Send) -> PyResult<T> {
    py.detach(|| guarded(work))
}

/// The longest time that Ctrl-C waits for, but for a step that takes longer.
const PATIENCE: Duration = Duration::from_millis(20);

/// Runs `work` until it says that it is done, while other Python threads run; in between signals are answered, so that
/// Ctrl-C ends it.
pub(crate) fn interruptible(py: Python<'_>, mut work: impl FnMut() -> PyResult<bool> + Send) -> PyResult<()> {
    released(py, || {
        let mut asked = Instant::now();
        while !work()? {
            if asked.elapsed() >= PATIENCE {
                Python::attach(|py| py.check_signals())?;
                asked = Instant::now();
            }
        }
        Ok(())
    })
}

fn sentence(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|s| (*s).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a panic without words".to_owned())
}

/// The index of `what`, if there are more than that; negative ones count from the end, as in Python.
pub(crate) fn index(what: &str, index: isize, count: usize) -> PyResult<usize> {
    let from_start = if index < 0 { index.checked_add_unsigned(count) } else { Some(index) };
    let found = from_start.and_then(|i| usize::try_from(i).ok()).filter(|i| *i < count);
    found.ok_or_else(|| {
        pyo3::exceptions::PyIndexError::new_err(format!(
            "there is no {what} {index}; there are {count}, counted from 0"
        ))
    })
}

/// A value as `repr` shows it, for messages.
pub(crate) fn shown(value: &Bound<'_, PyAny>) -> String {
    value.repr().map_or_else(|_| "?".to_owned(), |text| text.to_string())
}
