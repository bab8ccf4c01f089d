//! Entries of the energy ledger that methods have in common: works of rows, and changes of energies.

use super::search::velocities_into;
use crate::energy_ledger::EnergyLedger;
use stiction_assembly::{BlockKey, Posed};

/// The works ½ (c + c⁺) λ of all rows, by cause, where impulses changed the velocity `before` into `after`.
pub(super) fn works_of_rows(posed: &Posed, impulses: &[f64], before: &[f64], after: &[f64]) -> EnergyLedger {
    let (mut c, mut next) = (Vec::new(), Vec::new());
    velocities_into(posed, before, &mut c);
    velocities_into(posed, after, &mut next);
    let work = |r: usize| 0.5 * (c[r] + next[r]) * impulses[r];
    let mut ledger = EnergyLedger::default();
    for (block, what) in posed.blocks.iter().enumerate() {
        let normal = posed.normal_row(block);
        match what.key {
            BlockKey::Contact(_) => {
                ledger.normal += work(normal);
                let along = posed.problem.range(block).filter(|&r| r != normal);
                ledger.friction += along.map(work).sum::<f64>();
            }
            BlockKey::Row(key) => *ledger.of_row(key.kind().work()) += work(normal),
        }
    }
    ledger
}

/// Writes the changes of T, U of gravity and of springs into `ledger`, and adds the work of what carries
/// weight, which is told [J].
pub(super) fn add_changes(ledger: &mut EnergyLedger, before: [f64; 4], after: [f64; 4]) -> f64 {
    let [kinetic, gravity, springs, carried] = std::array::from_fn(|k| after[k] - before[k]);
    (ledger.kinetic, ledger.gravity, ledger.springs) = (kinetic, gravity, springs);
    ledger.applied += carried;
    carried
}
