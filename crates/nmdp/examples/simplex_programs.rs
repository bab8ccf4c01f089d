//! Quadratic programs as steps pose them, solved and timed, cold and from the last solution; with a path, written there too.
//!
//!     cargo run --release -p stiction-nmdp --example simplex_programs [FILE.json]
//!
//! Sixteen weights in four groups, four feet with four edges, after a matrix of rank twelve and a regularisation of 1e-4: one
//! series of a hundred programs, each a little different from the one before. `xtask/bench/simplex_programs.py` times other
//! solvers on the file.

#![allow(non_snake_case)]
#![allow(clippy::print_stdout)]

use std::time::Instant;
use stiction_nmdp::simplex_qp::{QpStatus, SimplexQp};

const GROUPS: usize = 4;
const EDGES: usize = 4;
const RANK: usize = 12;
const PROGRAMS: usize = 100;
const N: usize = GROUPS * EDGES;

/// Small reproducible numbers in (−1, 1).
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let mut B: Vec<f64> = (0..RANK * N).map(|_| dice.roll()).collect();
    let mut c: Vec<f64> = (0..N).map(|_| dice.roll()).collect();
    let mut programs = Vec::new();
    for _ in 0..PROGRAMS {
        B.iter_mut().chain(&mut c).for_each(|x| *x += 0.02 * dice.roll());
        let mut H = vec![0.0; N * N];
        for i in 0..N {
            for j in 0..N {
                let beta = if i == j { 1e-4 } else { 0.0 };
                H[i * N + j] = (0..RANK).map(|k| B[k * N + i] * B[k * N + j]).sum::<f64>() + beta;
            }
        }
        programs.push((H, c.clone()));
    }
    let groups: Vec<_> = (0..GROUPS).map(|g| g * EDGES..(g + 1) * EDGES).collect();
    let mut qp = SimplexQp::default();
    for (name, hot) in [("cold", false), ("hot", true)] {
        let (mut x, mut exchanges) = (vec![0.0; N], 0);
        let repeats = 50;
        let start = Instant::now();
        for _ in 0..repeats {
            for (H, c) in &programs {
                if !hot {
                    x.fill(0.0);
                }
                let status = qp.solve(H, c, &groups, 1e-9, &mut x);
                assert_eq!(status, QpStatus::Solved, "a positive definite program is solved");
                exchanges += qp.exchanges;
            }
        }
        let count = f64::from(repeats) * PROGRAMS as f64;
        let micro = 1e6 * start.elapsed().as_secs_f64() / count;
        println!("{name}: {micro:.2} us and {:.1} exchanges a program", f64::from(exchanges) / count);
    }
    if let Some(path) = std::env::args().nth(1) {
        let list = |x: &[f64]| format!("[{}]", x.iter().map(f64::to_string).collect::<Vec<_>>().join(","));
        let mut x = vec![0.0; N];
        let mut all = Vec::new();
        for (H, c) in &programs {
            qp.solve(H, c, &groups, 1e-12, &mut x);
            let row = |i: usize| (0..N).map(|j| H[i * N + j] * x[j]).sum::<f64>();
            let minimum: f64 = (0..N).map(|i| x[i] * (c[i] + 0.5 * row(i))).sum();
            all.push(format!("{{\"H\":{},\"c\":{},\"minimum\":{minimum}}}", list(H), list(c)));
        }
        std::fs::write(path, format!("{{\"group\":{EDGES},\"programs\":[{}]}}", all.join(",\n")))?;
    }
    Ok(())
}
