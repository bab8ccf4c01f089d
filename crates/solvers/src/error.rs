//! What can go wrong before a solve starts.

use crate::sweep::SweepParams;
use thiserror::Error;

/// A parameter outside its range.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{solver}: parameter `{name}` is {value}; expected {expected}")]
pub struct ParamError {
    pub solver: &'static str,
    pub name: &'static str,
    pub value: String,
    pub expected: &'static str,
}

impl ParamError {
    /// `Ok` where `ok` holds.
    pub(crate) fn check(
        ok: bool,
        solver: &'static str,
        name: &'static str,
        value: f64,
        expected: &'static str,
    ) -> Result<(), Self> {
        if ok && !value.is_nan() {
            Ok(())
        } else {
            Err(Self { solver, name, value: value.to_string(), expected })
        }
    }

    /// Corners of a friction polygon.
    pub(crate) fn check_facets(solver: &'static str, facets: u32) -> Result<(), Self> {
        let ok = (4..=1024).contains(&facets) && facets.is_multiple_of(2);
        Self::check(ok, solver, "facets", f64::from(facets), "an even number from 4 to 1024")
    }

    /// The parameters all twins share.
    pub(crate) fn check_sweep(solver: &'static str, p: &SweepParams) -> Result<(), Self> {
        let (iterations, memory) = (f64::from(p.max_iterations), p.memory as f64);
        Self::check(p.tolerance > 0.0, solver, "tolerance", p.tolerance, "a speed > 0 [m/s]")?;
        Self::check(iterations >= 1.0, solver, "max_iterations", iterations, "at least 1")?;
        Self::check(memory <= 50.0, solver, "memory", memory, "at most 50 earlier sweeps")
    }
}
