//! Events: the first instant at which a guard fails.

use super::super::bisection::bisect;
use super::super::ode::{Dense, System};

/// Bisections of an event.
const BISECTIONS: u32 = 50;

/// The share of the step at which a guard first fails.
pub(super) fn first_failure(system: &mut dyn System, dense: &Dense) -> Result<Option<f64>, String> {
    let mut y = vec![0.0; dense.size()];
    let mut fails = |s: f64| {
        dense.at(s, &mut y);
        system.fails(dense.t + s * dense.h, &y)
    };
    let (mut lo, mut hi) = (0.0, 0.0);
    for s in [0.5, 1.0] {
        if fails(s)? {
            hi = s;
            break;
        }
        lo = s;
    }
    if hi == 0.0 {
        return Ok(None);
    }
    let [_, first] = bisect([lo, hi], BISECTIONS, |s| Ok(!fails(s)?))?;
    Ok(Some(first))
}
