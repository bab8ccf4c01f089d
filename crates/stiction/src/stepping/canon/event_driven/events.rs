//! Events: the first instant at which a guard fails, and the works of an impact.

use super::super::ode::{Dense, System};
use super::super::rows::Rows;
use super::super::search::velocities_into;
use crate::energy_ledger::EnergyLedger;

/// Bisections of an event.
const BISECTIONS: u32 = 50;

/// `ledger` with the works of an impact that changed v.
pub(super) fn add_impact(
    ledger: EnergyLedger,
    rows: &Rows,
    (before, after): (&[f64], &[f64]),
) -> EnergyLedger {
    let (mut start, mut end) = (Vec::new(), Vec::new());
    velocities_into(&rows.posed, before, &mut start);
    velocities_into(&rows.posed, after, &mut end);
    let mut out = ledger;
    for block in 0..rows.posed.blocks.len() {
        let normal = rows.posed.normal_row(block);
        for r in rows.posed.problem.range(block) {
            let work = 0.5 * (start[r] + end[r]) * rows.impulses[r];
            *(if r == normal { &mut out.normal } else { &mut out.friction }) += work;
        }
    }
    out
}

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
    for _ in 0..BISECTIONS {
        let middle = 0.5 * (lo + hi);
        if fails(middle)? {
            hi = middle;
        } else {
            lo = middle;
        }
    }
    Ok(Some(hi))
}
