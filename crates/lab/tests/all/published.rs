//! Solvers that are called after a published iteration run that iteration: sweeps written here again from its equations, on
//! dense matrices, have the same iterates.

// Helpers of tests may panic as tests do.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use stiction::Simulation;
use stiction::contact::{Cone, ConstraintProblem, Watch, corpus};
use stiction::dynamics::spatial::{Vec3, vec3};
use stiction::solvers::{Common, Params, make_from};
use stiction_lab::Scene;

/// Sweeps that are compared.
const SWEEPS: usize = 50;
/// Largest difference of an impulse, over the largest impulse [–].
const SAME: f64 = 1e-12;

/// A problem of contacts alone as plain numbers: A = G + R, g and μ.
struct Plain {
    a: Vec<Vec<f64>>,
    g: Vec<f64>,
    mu: Vec<f64>,
}

impl Plain {
    fn new(problem: &ConstraintProblem) -> Self {
        let n = problem.rows();
        let mut a = vec![Vec::new(); n];
        for k in 0..n {
            let (mut unit, mut column) = (vec![0.0; n], Vec::new());
            unit[k] = 1.0;
            problem.delassus_mul_into(&unit, &mut column);
            column[k] += problem.compliance[k];
            a.iter_mut().zip(column).for_each(|(row, x)| row.push(x));
        }
        let friction = |cone: &Cone| match *cone {
            Cone::Friction { mu } => mu,
            other => panic!("a contact was expected, not {other:?}"),
        };
        Self { a, g: problem.free_velocity.clone(), mu: problem.cones().iter().map(friction).collect() }
    }

    /// c = A λ + g of one row.
    fn c(&self, row: usize, l: &[f64]) -> f64 {
        self.g[row] + self.a[row].iter().zip(l).map(|(a, l)| a * l).sum::<f64>()
    }

    /// A of contact i.
    fn block(&self, i: usize) -> [[f64; 3]; 3] {
        std::array::from_fn(|j| std::array::from_fn(|k| self.a[3 * i + j][3 * i + k]))
    }

    /// Velocity of contact i without its own impulse.
    fn free(&self, i: usize, l: &[f64]) -> [f64; 3] {
        let mut others = l.to_vec();
        others[3 * i..3 * i + 3].fill(0.0);
        std::array::from_fn(|k| self.c(3 * i + k, &others))
    }
}

/// One sweep over all contacts; the number of the sweep is counted from 0.
type Sweep = fn(&Plain, usize, &mut [f64]);

/// [LeLidec2023]: the normal impulse, then the tangential ones with the step 1/min(A_xx, A_yy), on the disc.
fn ncp_pgs(p: &Plain, _: usize, l: &mut [f64]) {
    for (i, mu) in p.mu.iter().enumerate() {
        let [x, y, n] = [3 * i, 3 * i + 1, 3 * i + 2];
        l[n] = (l[n] - p.c(n, l) / p.a[n][n]).max(0.0);
        let step = 1.0 / p.a[x][x].min(p.a[y][y]);
        let [tx, ty] = [l[x] - step * p.c(x, l), l[y] - step * p.c(y, l)];
        let scale = (mu * l[n] / tx.hypot(ty)).min(1.0);
        (l[x], l[y]) = (scale * tx, scale * ty);
    }
}

/// Rows in turn, each clamped to the pyramid.
fn lcp_pgs(p: &Plain, _: usize, l: &mut [f64]) {
    for (i, mu) in p.mu.iter().enumerate() {
        let n = 3 * i + 2;
        l[n] = (l[n] - p.c(n, l) / p.a[n][n]).max(0.0);
        for t in [3 * i, 3 * i + 1] {
            l[t] = (l[t] - p.c(t, l) / p.a[t][t]).clamp(-mu * l[n], mu * l[n]);
        }
    }
}

/// [Tasora2011]: a step of 3/tr A, projected on the cone.
fn ccp_pgs(p: &Plain, _: usize, l: &mut [f64]) {
    for (i, mu) in p.mu.iter().enumerate() {
        let rows = [3 * i, 3 * i + 1, 3 * i + 2];
        let step = 3.0 / rows.map(|k| p.a[k][k]).iter().sum::<f64>();
        let [x, y, n] = rows.map(|k| l[k] - step * p.c(k, l));
        let t = x.hypot(y);
        let new = if t <= mu * n {
            [x, y, n]
        } else if mu * t <= -n {
            [0.0; 3]
        } else {
            let height = (n + mu * t) / (1.0 + mu * mu);
            [mu * height * x / t, mu * height * y / t, height]
        };
        l[3 * i..3 * i + 3].copy_from_slice(&new);
    }
}

/// [Jourdan1998]: the exact answer of one contact after the other. A sliding one has c_T = −κ λ_T, and κ > 0 is where
/// ‖λ_T‖ − μ λ_N changes sign.
fn nsgs(p: &Plain, _: usize, l: &mut [f64]) {
    for (i, &mu) in p.mu.iter().enumerate() {
        let (a, q) = (p.block(i), p.free(i, l));
        let at = |kappa: f64| {
            // c_N = 0 puts λ_N in terms of λ_T; two equations are left.
            let m =
                |j: usize, k: usize| a[j][k] - a[j][2] * a[2][k] / a[2][2] + if j == k { kappa } else { 0.0 };
            let r = |j: usize| -q[j] + a[j][2] * q[2] / a[2][2];
            let det = m(0, 0) * m(1, 1) - m(0, 1) * m(1, 0);
            let x = (r(0) * m(1, 1) - m(0, 1) * r(1)) / det;
            let y = (m(0, 0) * r(1) - r(0) * m(1, 0)) / det;
            [x, y, -(q[2] + a[2][0] * x + a[2][1] * y) / a[2][2]]
        };
        let outside = |l: [f64; 3]| l[0].hypot(l[1]) > mu * l[2];
        let new = if q[2] >= 0.0 {
            [0.0; 3]
        } else if !outside(at(0.0)) {
            at(0.0)
        } else {
            let [mut low, mut high] = [1e-12, 1e12_f64];
            while (low * high).sqrt() > low && (low * high).sqrt() < high {
                let middle = (low * high).sqrt();
                if outside(at(middle)) { low = middle } else { high = middle }
            }
            at(high)
        };
        l[3 * i..3 * i + 3].copy_from_slice(&new);
    }
}

fn raisim(p: &Plain, sweep: usize, l: &mut [f64]) {
    per_contact_bisection(p, sweep, l, false);
}

/// [LeLidec2024, Alg. 1].
fn raisim_ds(p: &Plain, sweep: usize, l: &mut [f64]) {
    per_contact_bisection(p, sweep, l, true);
}

/// [Hwangbo2018]: open, stick, or the least energy of the ellipse; then relaxed by α, which falls from 1 to 0.1.
fn per_contact_bisection(p: &Plain, sweep: usize, l: &mut [f64], correct: bool) {
    let alpha = 0.1 + 0.9 * 0.99_f64.powi(sweep as i32);
    for (i, &mu) in p.mu.iter().enumerate() {
        let (a, q) = (p.block(i), p.free(i, l));
        let slip = p.c(3 * i, l).hypot(p.c(3 * i + 1, l));
        let stick = solve3(&a, q).map(|x| -x);
        let target = if q[2] >= 0.0 {
            [0.0; 3]
        } else if stick[0].hypot(stick[1]) <= mu * stick[2] {
            stick
        } else {
            let hat = [q[0], q[1], q[2] + if correct { mu * slip } else { 0.0 }];
            least_energy(&a, q, hat, mu)
        };
        for (k, target) in target.iter().enumerate() {
            l[3 * i + k] = (1.0 - alpha) * l[3 * i + k] + alpha * target;
        }
    }
}

/// A walk of growing steps (0.01 rad, times 1.3; half of one that leads out of sight), then bisection to 1e-6 N·s.
fn least_energy(a: &[[f64; 3]; 3], q: [f64; 3], hat: [f64; 3], mu: f64) -> [f64; 3] {
    let at = |theta: f64| {
        let (sin, cos) = theta.sin_cos();
        let r = -q[2] / (a[2][2] / mu + a[2][0] * cos + a[2][1] * sin);
        [r * cos, r * sin, r / mu]
    };
    let cone = |l: [f64; 3]| [2.0 * l[0], 2.0 * l[1], -2.0 * mu * mu * l[2]];
    let slope = |l: [f64; 3]| {
        let f: [f64; 3] = std::array::from_fn(|j| hat[j] + (0..3).map(|k| a[j][k] * l[k]).sum::<f64>());
        Vec3::from(a[2]).cross(cone(l).into()).dot(f.into())
    };
    let v0 = solve3(a, hat).map(|x| -x);
    let seen = |l: [f64; 3]| l[2] >= 0.0 && (0..3).map(|k| cone(l)[k] * (v0[k] - l[k])).sum::<f64>() >= 0.0;
    let mut theta = v0[1].atan2(v0[0]);
    let first = slope(at(theta));
    let mut step = if first >= 0.0 { -1e-2 } else { 1e-2 };
    let mut bracket = None;
    for _ in 0..200 {
        let trial = at(theta + step);
        if !seen(trial) {
            step *= 0.5;
        } else if slope(trial) * first > 0.0 {
            theta += step;
            step *= 1.3;
        } else {
            bracket = Some(theta + step);
            break;
        }
    }
    let mut far = bracket.expect("an ellipse, or nothing is published");
    let mut last = at(theta);
    loop {
        let middle = 0.5 * (theta + far);
        let l = at(middle);
        if slope(l) * first > 0.0 {
            theta = middle
        } else {
            far = middle
        }
        if (0..3).all(|k| (l[k] - last[k]).abs() < 1e-6) {
            return l;
        }
        last = l;
    }
}

/// A⁻¹ b by Cramer's rule.
fn solve3(a: &[[f64; 3]; 3], b: [f64; 3]) -> [f64; 3] {
    let column = |k: usize| Vec3::from([a[0][k], a[1][k], a[2][k]]);
    let det = |x: Vec3, y: Vec3, z: Vec3| x.dot(y.cross(z));
    let ([x, y, z], b) = ([column(0), column(1), column(2)], Vec3::from(b));
    [det(b, y, z), det(x, b, z), det(x, y, b)].map(|d| d / det(x, y, z))
}

/// Contact problems of `cube-slide` on its way, and of bodies with several contacts, stuck, sliding and open.
fn problems(solver: &str) -> Vec<(String, ConstraintProblem)> {
    let setup = Scene::builtin("cube-slide").unwrap().build().unwrap();
    let mut settings = setup.settings;
    settings.set_contact(solver);
    let mut sim = Simulation::new(setup.world, setup.state, settings).unwrap();
    let mut out = Vec::new();
    for step in 1..=400 {
        sim.step();
        if [1, 2, 50, 100, 400].contains(&step) {
            out.push((format!("cube-slide, step {step}"), sim.problem().clone()));
        }
    }
    let named = |name: &str, problem| (name.to_owned(), problem);
    out.push(named("cube slides and spins", corpus::cube(0.5, vec3(1.0, 0.3, 0.0), vec3(0.0, 0.0, 3.0))));
    out.push(named("cube tips", corpus::cube(0.9, vec3(0.3, 0.0, 0.0), vec3(2.0, 0.0, 0.0))));
    out.push(named("heap", corpus::heap(6, 3)));
    out.push(named("stack, pushed", corpus::stack(&[1.0, 2.0, 0.5], vec3(0.4, 0.1, 0.0), 0.4)));
    out
}

/// Compares the iterates of `solver` with those of `sweep`, from no impulses, to `same` of the largest impulse; what it
/// stops at early must be at rest.
fn compare(solver: &str, params: &[&str], sweep: Sweep, same: f64) {
    let params = Params::parse(params).unwrap();
    let common = Common { tolerance: 1e-200, max_iterations: SWEEPS as u32 };
    let mut sliding = 0;
    // In the heap there are contacts whose ellipse is empty; nothing is published of these.
    let asked =
        problems(solver).into_iter().filter(|(name, _)| !solver.starts_with("raisim") || name != "heap");
    for (name, mut problem) in asked {
        // The start is none, not that of the run.
        problem.second_start.clear();
        let mut iterates = Vec::new();
        let mut see = |k: u32, x: &[f64]| {
            assert_eq!(k as usize, iterates.len(), "{solver}, {name}: one iterate a sweep");
            iterates.push(x.to_vec());
        };
        let mut impulses = vec![0.0; problem.rows()];
        let mut made = make_from(solver, &common, &params).unwrap();
        assert!(made.name().starts_with(solver));
        made.solve_watched(&problem, &mut impulses, &mut Watch::new(&mut see));

        let (plain, mut l, mut worst) = (Plain::new(&problem), vec![0.0; problem.rows()], 0.0_f64);
        assert!(iterates[0].iter().all(|&x| x == 0.0), "{solver}, {name}: a cold start");
        for k in 1..=SWEEPS {
            sweep(&plain, k - 1, &mut l);
            let theirs = iterates.get(k).unwrap_or_else(|| iterates.last().unwrap());
            let largest = l.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            let off = theirs.iter().zip(&l).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
            assert!(off <= same * largest, "{solver}, {name}: sweep {k} is off by {off:e} of {largest}");
            worst = worst.max(off / largest);
        }
        let cone = |(i, mu): (usize, &f64)| {
            let [x, y, n] = [l[3 * i], l[3 * i + 1], l[3 * i + 2]];
            n > 0.0 && (x.hypot(y) / (mu * n) > 1.0 - 1e-9)
        };
        sliding += plain.mu.iter().enumerate().filter(|c| cone(*c)).count();
        println!("{solver}, {name}: {} iterates, at most {worst:.1e} off", iterates.len() - 1);
    }
    assert!(sliding >= 4, "{solver}: {sliding} contacts on the border of their cones");
}

#[test]
fn ncp_pgs_is_projected_gauss_seidel() {
    compare("ncp-pgs", &[], ncp_pgs, SAME);
}

#[test]
fn lcp_pgs_is_projected_gauss_seidel_row_by_row() {
    compare("lcp-pgs", &[], lcp_pgs, SAME);
}

#[test]
fn ccp_pgs_is_projected_gauss_seidel_on_cones() {
    compare("ccp-pgs", &[], ccp_pgs, SAME);
}

#[test]
fn nsgs_is_gauss_seidel_with_exact_answers() {
    // Two ways to the answer of one contact, a quartic and a bisection, each with its rounding.
    compare("nsgs", &[], nsgs, 10.0 * SAME);
}

#[test]
fn raisim_is_the_per_contact_bisection() {
    compare("raisim", &["bisection.tighten=false"], raisim, SAME);
}

#[test]
fn raisim_ds_is_the_corrected_bisection() {
    compare("raisim-ds", &["bisection.tighten=false"], raisim_ds, SAME);
}

/// The comparison tells: sweeps that are accelerated, or of another step, have other iterates.
#[test]
fn other_iterations_differ() {
    for params in [["memory=8", "finish=false"], ["omega=1.1", "memory=0"], ["step=safe", "memory=0"]] {
        let caught = std::panic::catch_unwind(|| compare("ncp-pgs", &params, ncp_pgs, SAME));
        assert!(caught.is_err(), "{params:?}");
    }
}
