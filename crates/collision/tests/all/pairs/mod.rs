//! All pairs of shapes, in all attitudes: contact points lie on the bodies, gaps and normals are those of the distance.
//!
//! A contact is made first and the bodies after it: a point of the surface of A with a normal n, one of B with −n, a
//! gap g along n. For g ≥ 0 no two points of A and B are nearer, since the planes through them part the bodies:
//!
//! ```text
//!     s(n) = min_B n·x − max_A n·x = g,    normal n where g > 0               (1)
//! ```
//!
//! For g < 0 the depth is at most −g; all directions are searched for a smaller one. Of what the library says,
//!
//! ```text
//!     witness    how far p − n φ/2 is outside of A and p + n φ/2 outside of B, for every point p with its gap φ
//!     gap        |min φ − s(n)| for its n, and how much less deep another direction is
//!     normal     its distance from that of (1)
//!     exchange   B and A give the same, turned around, to the last bit
//! ```
//!
//! Lengths are relative to the smaller body. `STICTION_PAIRS`, `STICTION_FIRST` and `STICTION_SEED` set how many pairs, from
//! which on, and another series.

// Capitals carry meaning: X_WA is a pose.
#![allow(non_snake_case)]
// Helpers of tests may panic as tests do.
#![allow(clippy::unwrap_used)]

mod body;
mod pair;
use crate::axes::random;

use body::KINDS;
use pair::{Errors, Pair};
use random::Random;

/// Rounding leaves so much, relative to the smaller body.
const EXACT: f64 = 1e-9;

/// So many of a pair of kinds that are off are printed, by every thread.
const SHOWN: usize = 1;

/// A row of the table: a pair of kinds.
#[derive(Clone, Default)]
struct Row {
    pairs: usize,
    worst: Errors,
    off: usize,
}

impl Row {
    fn and(self, o: &Self) -> Self {
        Self { pairs: self.pairs + o.pairs, worst: self.worst.most(&o.worst), off: self.off + o.off }
    }
}

fn environment(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().map_or(otherwise, |text| text.parse().expect("a number"))
}

#[test]
fn contact_points_lie_on_the_bodies() {
    let (pairs, seed) = (environment("STICTION_PAIRS", 10_000), environment("STICTION_SEED", 1));
    let kinds: Vec<(usize, usize)> =
        (0..KINDS.len()).flat_map(|i| (i.max(1)..KINDS.len()).map(move |j| (i, j))).collect();
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
    let first = environment("STICTION_FIRST", 0);
    let share = |t: u64| judged(&kinds, (first + t..first + pairs).step_by(threads as usize), seed);
    let tables: Vec<(Vec<Row>, Vec<String>)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|t| scope.spawn(move || share(t))).collect();
        workers.into_iter().map(|worker| worker.join().unwrap()).collect()
    });
    println!(
        "{:<22}{:>8}{:>10}{:>10}{:>10}{:>10}{:>8}",
        "pair", "pairs", "witness", "gap", "normal", "exchange", "off"
    );
    let mut all_off = 0;
    for (k, (i, j)) in kinds.iter().enumerate() {
        let Row { pairs, worst, off } =
            tables.iter().map(|table| &table.0[k]).fold(Row::default(), |sum, row| sum.and(row));
        let (name, Errors { witness, gap, normal, exchange }) =
            (format!("{} {}", KINDS[*i], KINDS[*j]), worst);
        println!("{name:<22}{pairs:>8}{witness:>10.1e}{gap:>10.1e}{normal:>10.1e}{exchange:>10.1e}{off:>8}");
        all_off += off;
    }
    let examples: Vec<&str> = tables.iter().flat_map(|table| &table.1).map(String::as_str).collect();
    assert!(all_off == 0, "{all_off} of {pairs} pairs are off:\n{}", examples.join("\n"));
}

/// The errors of these pairs, by kinds, and some of what is off.
fn judged(kinds: &[(usize, usize)], pairs: impl Iterator<Item = u64>, seed: u64) -> (Vec<Row>, Vec<String>) {
    let (mut rows, mut examples) = (vec![Row::default(); kinds.len()], Vec::new());
    for k in pairs {
        // One seed a pair: what is off is found again alone.
        let mut random = Random::new((seed << 32) + k);
        let row = &mut rows[k as usize % kinds.len()];
        let (i, j) = kinds[k as usize % kinds.len()];
        let Some(pair) = Pair::new(i, j, &mut random) else { continue };
        let errors = pair.errors(&mut random);
        let off = errors.largest().is_nan() || errors.largest() > EXACT;
        if off && row.off < SHOWN {
            examples.push(format!("{k} {errors:?} {pair:?}"));
        }
        *row = row.clone().and(&Row { pairs: 1, worst: errors, off: usize::from(off) });
    }
    (rows, examples)
}
