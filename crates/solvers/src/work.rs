//! What the solve of an island has cost, and whether its budget is spent.
//!
//! The unit is one factorisation of the island: every factorisation tells its multiplications, sweeps count for what takes as
//! long, and both are divided by those of the largest factorisation so far. So parts cost their share, and a budget means the
//! same on every machine and for any number of threads: an island is solved by one thread from beginning to end, whose meter
//! this is. Methods ask [`spent`] between iterations, and leave the best impulses they have seen. Outside of [`within`] there
//! is no budget.

use std::cell::Cell;

/// Multiplications that take as long as what a sweep does at one block, its law included, or what a matrix asks of one.
const SWEPT: f64 = 1500.0;

#[derive(Clone, Copy)]
struct Meter {
    /// Multiplications so far, and those of the largest factorisation.
    operations: f64,
    unit: f64,
    /// Units that may be spent.
    most: f64,
    /// Somebody has asked when all was spent.
    met: bool,
}

thread_local! {
    static METER: Cell<Meter> =
        const { Cell::new(Meter { operations: 0.0, unit: 0.0, most: f64::INFINITY, met: false }) };
}

/// Calls `solve` with a budget of so many factorisations, of which one costs at least `unit` multiplications; returns what
/// it makes, and whether it has met the end of the budget.
pub(crate) fn within<T>(most: f64, unit: f64, solve: impl FnOnce() -> T) -> (T, bool) {
    let before = METER.replace(Meter { operations: 0.0, unit, most, met: false });
    let out = solve();
    let met = METER.get().met;
    METER.set(before);
    (out, met)
}

/// Counts a factorisation in the velocities of trees, of so many multiplications, and of a matrix that so many blocks make.
pub(crate) fn factored(operations: f64, blocks: usize) {
    let operations = operations + SWEPT * blocks as f64;
    let meter = METER.get();
    METER.set(Meter { unit: meter.unit.max(operations), ..meter });
    factored_by_rows(operations);
}

/// Counts a factorisation by rows, of so many multiplications: where trees are known it is no unit.
pub(crate) fn factored_by_rows(operations: f64) {
    let meter = METER.get();
    METER.set(Meter { operations: meter.operations + operations, ..meter });
}

/// Counts a sweep over so many blocks.
pub(crate) fn swept(blocks: usize) {
    let meter = METER.get();
    METER.set(Meter { operations: meter.operations + SWEPT * blocks as f64, ..meter });
}

/// Says that the present answer is enough, as if the budget were spent.
pub(crate) fn is_enough() {
    METER.set(Meter { met: true, ..METER.get() });
}

/// True if the budget is spent: whoever asks goes no further.
pub(crate) fn spent() -> bool {
    let meter = METER.get();
    let spent = meter.operations > meter.most * meter.unit && meter.unit > 0.0;
    if spent && !meter.met {
        METER.set(Meter { met: true, ..meter });
    }
    spent
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parts cost their share, sweeps theirs; what is inside has its own budget, and outside there is none.
    #[test]
    fn factorisations_of_the_whole_are_the_unit() {
        assert!(!spent());
        let (inner, met) = within(2.0, 0.0, || {
            assert!(!spent());
            factored(1e6, 0);
            factored_by_rows(5e5);
            assert!(!spent());
            let inner = within(1.0, 1e6, || factored(1e4, 10));
            assert!(!spent());
            swept(1000);
            assert!(spent());
            inner
        });
        assert!(met && !inner.1);
        factored(1e9, 0);
        assert!(!spent());
    }
}
