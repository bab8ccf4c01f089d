//! probe
use stiction_contact::{Cone, ConstraintProblem};
use stiction_solvers::{Common, all, make};
fn quadruped(t: f64, slide: bool) -> ConstraintProblem {
    // Trunk 12 kg + 4 legs: G_ij = J_i M^-1 J_j, trunk coupling dense, each foot has its own 3 dof leg.
    let mut p = ConstraintProblem::default();
    let feet = [[0.3, 0.2, -0.4], [0.3, -0.2, -0.4], [-0.3, -0.2, -0.4], [-0.3, 0.2, -0.4f64]];
    for k in 0..4 {
        let kf = k as f64;
        let vx = if slide { 0.5 } else { 0.001 };
        p.push(
            Cone::Friction { mu: 0.7 },
            &[
                vx + 0.004 * (t + kf).sin(),
                0.003 * (1.3 * t + kf).cos(),
                -0.0098 + 0.001 * (0.7 * t + 2.0 * kf).sin(),
            ],
        );
    }
    let (start, blocks) = p.starts_and_blocks_mut();
    blocks.set_pattern(start, |_, out| out.extend(0..4));
    let inv_i = [1.0 / 0.2, 1.0 / 0.5, 1.0 / 0.6];
    for i in 0..4 {
        for j in 0..4 {
            let cr = |p: [f64; 3]| [[0.0, -p[2], p[1]], [p[2], 0.0, -p[0]], [-p[1], p[0], 0.0]];
            let (a, b) = (cr(feet[i]), cr(feet[j]));
            let k = blocks.entries(i).start + j;
            for r in 0..3 {
                for c in 0..3 {
                    let mut v = if r == c { 1.0 / 12.0 } else { 0.0 };
                    for l in 0..3 {
                        v += a[r][l] * inv_i[l] * b[c][l];
                    }
                    if i == j {
                        v += if r == c { 3.0 } else { 0.4 };
                    }
                    blocks.entry_mut(k)[3 * r + c] = v;
                }
            }
        }
    }
    p.time_step = 0.001;
    p
}
fn main() {
    for slide in [false, true] {
        let problems: Vec<_> = (0..1000).map(|k| quadruped(0.002 * k as f64, slide)).collect();
        for e in all() {
            for warm in [true, false] {
                let mut s = make(e.name, &Common { tolerance: 1e-8, max_iterations: 1000 }).unwrap();
                let mut x = vec![0.0; 12];
                let mut best = f64::INFINITY;
                let mut its = 0;
                let mut bad = 0;
                for _ in 0..20 {
                    its = 0;
                    bad = 0;
                    let t0 = std::time::Instant::now();
                    for p in &problems {
                        if !warm {
                            x.fill(0.0);
                        }
                        let r = s.solve(p, &mut x);
                        its += r.iterations;
                        bad += u32::from(!r.converged());
                    }
                    best = best.min(t0.elapsed().as_secs_f64() / problems.len() as f64);
                }
                println!(
                    "slide {slide} {:10} warm {warm}: {:.2} us, {:.2} iterations, {bad} bad",
                    e.name,
                    best * 1e6,
                    f64::from(its) / 1000.0
                );
            }
        }
        let t0 = std::time::Instant::now();
        let mut judge = stiction_contact::Judge::default();
        let x = vec![0.01; 12];
        let mut sum = 0.0;
        for p in &problems {
            sum += judge.certify(p, &x).natural_map;
        }
        println!("judge {:.2} us {sum}", t0.elapsed().as_secs_f64() * 1e3);
    }
}
