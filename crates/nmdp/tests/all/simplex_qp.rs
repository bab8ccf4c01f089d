//! The active-set method against Clarabel, and on problems solved in the head.

#![allow(clippy::unwrap_used, non_snake_case)]

use crate::common;

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, NonnegativeConeT};
use common::Dice;
use std::ops::Range;
use stiction_nmdp::simplex_qp::{QpStatus, SimplexQp};

fn value(H: &[f64], c: &[f64], x: &[f64]) -> f64 {
    let n = x.len();
    (0..n).map(|i| x[i] * (c[i] + 0.5 * (0..n).map(|j| H[i * n + j] * x[j]).sum::<f64>())).sum()
}

/// The interior-point oracle.
fn clarabel(H: &[f64], c: &[f64], groups: &[Range<usize>]) -> Vec<f64> {
    let n = c.len();
    let mut upper = (vec![0], Vec::new(), Vec::new());
    for j in 0..n {
        for i in 0..=j {
            upper.1.push(i);
            upper.2.push(H[i * n + j]);
        }
        upper.0.push(upper.1.len());
    }
    let P = CscMatrix::new(n, n, upper.0, upper.1, upper.2);
    let mut columns = (vec![0], Vec::new(), Vec::new());
    for j in 0..n {
        columns.1.push(j);
        columns.2.push(-1.0);
        columns.1.push(n + groups.iter().position(|g| g.contains(&j)).unwrap());
        columns.2.push(1.0);
        columns.0.push(columns.1.len());
    }
    let rows = n + groups.len();
    let A = CscMatrix::new(rows, n, columns.0, columns.1, columns.2);
    let b: Vec<f64> = (0..rows).map(|i| if i < n { 0.0 } else { 1.0 }).collect();
    let settings = DefaultSettings {
        verbose: false,
        tol_gap_abs: 1e-12,
        tol_gap_rel: 1e-12,
        tol_feas: 1e-12,
        ..DefaultSettings::default()
    };
    let mut solver = DefaultSolver::new(&P, c, &A, &b, &[NonnegativeConeT(rows)], settings).unwrap();
    solver.solve();
    solver.solution.x.clone()
}

/// Random problems with random feasible starts, some of them with H almost singular: the same minimum as Clarabel's.
#[test]
fn the_minimum_is_that_of_clarabel() {
    let mut dice = Dice::new(3);
    let mut qp = SimplexQp::default();
    for case in 0..400 {
        let sizes: Vec<usize> = (0..1 + case % 6).map(|k| 1 + (case + k) % 5).collect();
        let mut groups = Vec::new();
        let mut n = 0;
        for size in sizes {
            groups.push(n..n + size);
            n += size;
        }
        let rank = if case % 3 == 0 { n } else { 1 + n / 2 };
        let B: Vec<f64> = dice.vector(rank * n);
        let beta = [1e-4, 1.0][case % 2];
        let mut H = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..n {
                H[i * n + j] = (0..rank).map(|k| B[k * n + i] * B[k * n + j]).sum::<f64>()
                    + if i == j { beta } else { 0.0 };
            }
        }
        let c = dice.vector(n);
        let mut x = vec![0.0; n];
        if case % 4 > 0 {
            for g in &groups {
                // On the face of full groups, in a corner, or within.
                let share = if case % 4 == 1 { 1.0 / g.len() as f64 } else { 0.3 / g.len() as f64 };
                x[g.clone()].fill(share);
                if case % 4 == 3 {
                    x[g.clone()].fill(0.0);
                    x[g.start] = 1.0;
                }
            }
        }
        assert_eq!(qp.solve(&H, &c, &groups, 1e-12, &mut x), QpStatus::Solved, "case {case}");
        let oracle = clarabel(&H, &c, &groups);
        let (ours, theirs) = (value(&H, &c, &x), value(&H, &c, &oracle));
        assert!((ours - theirs).abs() < 1e-9, "case {case}: {ours} {theirs}");
        assert!(x.iter().all(|x| *x >= 0.0));
        assert!(groups.iter().all(|g| x[g.clone()].iter().sum::<f64>() <= 1.0 + 1e-12));
        // A hot start from the solution needs one exchange.
        qp.solve(&H, &c, &groups, 1e-12, &mut x);
        assert!(qp.exchanges <= 2, "case {case}: {}", qp.exchanges);
    }
}

/// min ½|x − a|² over one triangle: the projection, by hand.
#[test]
fn projections_onto_a_triangle() {
    let H = [1.0, 0.0, 0.0, 1.0];
    for (a, projected) in [
        ([0.2, 0.3], [0.2, 0.3]),
        ([-1.0, 0.4], [0.0, 0.4]),
        ([1.0, 1.0], [0.5, 0.5]),
        ([3.0, 0.0], [1.0, 0.0]),
        ([-1.0, -1.0], [0.0, 0.0]),
    ] {
        let mut x = [0.5, 0.5];
        let status =
            SimplexQp::default().solve(&H, &[-a[0], -a[1]], std::slice::from_ref(&(0..2)), 1e-12, &mut x);
        assert_eq!(status, QpStatus::Solved);
        assert!((x[0] - projected[0]).abs() + (x[1] - projected[1]).abs() < 1e-14, "{a:?}: {x:?}");
    }
}
