//! The manipulator equations of the double pendulum, symbol for symbol, and frictionless contact in its three forms.
//!
//! With s₁ = sin q₁, c₂ = cos q₂, s₁₊₂ = sin (q₁ + q₂), two point masses on rods:
//!
//! ```text
//!     M = | (m₁+m₂) l₁² + m₂ l₂² + 2 m₂ l₁ l₂ c₂    m₂ l₂² + m₂ l₁ l₂ c₂ |
//!         | m₂ l₂² + m₂ l₁ l₂ c₂                    m₂ l₂²               |                                      (1)
//!     C v = m₂ l₁ l₂ s₂ ( −(2 v₁ + v₂) v₂,  v₁² )                                                             (2)
//!     τ_g = −g ( (m₁+m₂) l₁ s₁ + m₂ l₂ s₁₊₂,  m₂ l₂ s₁₊₂ )                                                     (3)
//!
//!     0 ≤ G λ + g ⟂ λ ≥ 0      min ½ λᵀ G λ + gᵀ λ over λ ≥ 0      min ½ (v − v_f)ᵀ M (v − v_f) over J v ≥ 0  (4)
//! ```
//!
//! Infinite friction is often written as the equality J v⁺ = 0 of all rows of what touches; a block between two belts that run against one another
//! has no such v⁺, and the least of ‖G λ + g‖ over all λ says by how much, while Coulomb's law has an answer at every coefficient.
//!
//! The three problems of (4) have one v: Gauss' principle of least constraint is the dual of the quadratic program, whose
//! conditions of optimality are the complementarity problem.

use super::super::worst::Worst;
use super::{Curves, ExperimentError, Findings, G, Size, robot, scene, simulation, step};
use stiction::dynamics::{
    ColumnRates, CoriolisMatrix, CrbaWorkspace, Kinematics, MassMatrix, RneaWorkspace, Velocities, bias_into,
    crba_into,
};
use stiction::random::Random;
use stiction::solvers::registry::{Common, make_from};
use stiction::solvers::values::Params;
use stiction_plot::{Figure, Series};

/// Masses [kg] and lengths [m].
const POINTS: [f64; 4] = [1.3, 0.7, 0.9, 1.1];

/// The double pendulum of point masses; no solid of the format is smaller than 1e-9 kg·m².
fn pendulum() -> String {
    let [m1, m2, l1, l2] = POINTS;
    format!(
        "<mujoco><compiler angle='radian'/><option gravity='0 0 -{G}'/><worldbody><body><joint name='q1' axis='0 1 0'/>\
         <inertial pos='0 0 -{l1}' mass='{m1}' diaginertia='1e-9 1e-9 1e-9'/><body pos='0 0 -{l1}'>\
         <joint name='q2' axis='0 1 0'/><inertial pos='0 0 -{l2}' mass='{m2}' diaginertia='1e-9 1e-9 1e-9'/>\
         </body></body></worldbody></mujoco>"
    )
}

pub(super) fn measure(size: Size, findings: &mut Findings) -> Result<(), ExperimentError> {
    manipulator(size, findings)?;
    three_forms(findings)?;
    infinite_friction(findings)
}

/// Measures (1) to (3), and that Ṁ − 2 C is skew.
fn manipulator(size: Size, findings: &mut Findings) -> Result<(), ExperimentError> {
    let (world, _) = robot(&pendulum())?;
    let model = &world.model;
    let [m1, m2, l1, l2] = POINTS;
    let (mut kin, mut vel) = (Kinematics::new(model), Velocities::new(model));
    let (mut crba, mut rnea) = (CrbaWorkspace::new(model), RneaWorkspace::new(model));
    let (mut mass, mut rates) = (MassMatrix::new(model), ColumnRates::new(model));
    let mut coriolis = CoriolisMatrix::new(model);
    let [mut of_mass, mut of_rates, mut of_gravity, mut skew] = [Worst::default(); 4];
    let mut random = Random::new(7);
    let mut points = Vec::new();
    let count = if size == Size::Small { 20 } else { 200 };
    for _ in 0..count {
        let q = [3.0 * random.signed(), 3.0 * random.signed()];
        let v = [5.0 * random.signed(), 5.0 * random.signed()];
        let (s1, s2, c2, s12) = (q[0].sin(), q[1].sin(), q[1].cos(), (q[0] + q[1]).sin());
        kin.update(model, &q);
        crba_into(model, &kin, &mut crba, &mut mass);
        let dense = mass.to_dense();
        let (a, b) = (m2 * l2 * l2 + m2 * l1 * l2 * c2, m2 * l2 * l2);
        let expected = [(m1 + m2) * l1 * l1 + m2 * l2 * l2 + 2.0 * m2 * l1 * l2 * c2, a, a, b];
        dense.iter().zip(expected).for_each(|(x, e)| of_mass.see((x - e).abs()));
        let mut bias = |vel: &mut Velocities, v: &[f64]| {
            let mut out = [0.0; 2];
            vel.update(model, &kin, v);
            bias_into(model, &kin, vel, &mut rnea, &mut out);
            out
        };
        let still = bias(&mut vel, &[0.0; 2]);
        let moving = bias(&mut vel, &v);
        let gravity = [-G * ((m1 + m2) * l1 * s1 + m2 * l2 * s12), -G * m2 * l2 * s12];
        let rate = [-m2 * l1 * l2 * (2.0 * v[0] + v[1]) * s2 * v[1], m2 * l1 * l2 * v[0] * v[0] * s2];
        for i in 0..2 {
            of_gravity.see((-still[i] - gravity[i]).abs());
            of_rates.see((moving[i] - still[i] - rate[i]).abs());
        }
        let square = v[0] * v[0];
        points.push([q[1], (moving[1] - still[1]) / square, rate[1] / square]);
        // Ṁ by differences along v.
        rates.update(model, &kin, &vel, &v);
        coriolis.update(&kin, &vel, &rates);
        let c = &coriolis.entries;
        let mut at = |h: f64| {
            kin.update(model, &[q[0] + h * v[0], q[1] + h * v[1]]);
            crba_into(model, &kin, &mut crba, &mut mass);
            mass.to_dense()
        };
        let (ahead, behind) = (at(1e-6), at(-1e-6));
        let n = |i: usize, j: usize| (ahead[2 * i + j] - behind[2 * i + j]) / 2e-6 - 2.0 * c[2 * i + j];
        for x in [n(0, 0), n(1, 1), n(0, 1) + n(1, 0)] {
            skew.see(x.abs());
        }
    }
    findings.bound("double pendulum: M of the derivation by hand".to_owned(), "kg·m²", of_mass, 1e-8);
    findings.bound("double pendulum: C v of the derivation by hand".to_owned(), "N·m", of_rates, 1e-7);
    findings.bound("double pendulum: τ_g of the derivation by hand".to_owned(), "N·m", of_gravity, 1e-10);
    findings.bound("double pendulum: Ṁ − 2 C is skew".to_owned(), "kg·m²/s", skew, 1e-6);
    points.sort_by(|a, b| a[0].total_cmp(&b[0]));
    let mut curves = Curves::default();
    curves.push("(C v)₂/v₁²", &points);
    let title = "Double pendulum: the second entry of C v, at random velocities";
    curves.keep(findings, "double-pendulum", title, ["q₂ [rad]", "(C v)₂ over v₁² [kg·m²]"]);
    Ok(())
}

/// A heap of five balls without friction.
const HEAP: &str = "[ground]\nfriction = 0.0\n[[body]]\nname = \"ball\"\nshape = \"sphere\"\nradius = 0.1\nmass = 1.0\nfriction = 0.0\n\
                    position = [0.0, 0.0, 0.0995]\ncount = 4\noffset = [0.1995, 0.0, 0.0]\nvelocity = [0.3, 0.0, -0.5]\n\
                    [[body]]\nname = \"top\"\nshape = \"sphere\"\nradius = 0.1\nmass = 3.0\nfriction = 0.0\n\
                    position = [0.29925, 0.0, 0.2722]\nvelocity = [0.0, 0.0, -1.0]\n";

/// Measures (4).
fn three_forms(findings: &mut Findings) -> Result<(), ExperimentError> {
    let mut sim = simulation(scene(HEAP)?, ("time-stepping", 1e-3), |_| {})?;
    step(&mut sim)?;
    let problem = sim.problem();
    let common = Common { tolerance: 1e-13, max_iterations: 100_000 };
    let mut answers = Vec::new();
    for (name, form) in [("lcp-lemke", None), ("anitescu-qp", Some("dual")), ("anitescu-qp", Some("primal"))]
    {
        let params = form.map_or(Params::default(), |form| Params::default().with("form", form));
        let mut solver = make_from(name, &common, &params)?;
        let mut impulses = vec![0.0; problem.rows()];
        solver.solve(problem, &mut impulses);
        let mut c = Vec::new();
        problem.velocities_into(&impulses, &mut c);
        answers.push((impulses, c));
    }
    // ½ (v − v_f)ᵀ M (v − v_f) = ½ λᵀ G λ of v = v_f + M⁻¹ Jᵀ λ: among admissible velocities none has less.
    let constraint = |impulses: &[f64]| {
        let mut c = Vec::new();
        problem.velocities_into(impulses, &mut c);
        let kicks = c.iter().zip(&problem.free_velocity).zip(impulses);
        0.5 * kicks.map(|((c, g), x)| (c - g) * x).sum::<f64>()
    };
    let (mut random, mut less) = (Random::new(3), Worst::default());
    let least = constraint(&answers[0].0);
    let apply = |x: &[f64]| {
        let mut c = Vec::new();
        problem.velocities_into(x, &mut c);
        c.iter().zip(&problem.free_velocity).map(|(c, g)| c - g).collect::<Vec<f64>>()
    };
    for k in 0..2000 {
        // Any other velocities that do not approach: c + δ with δ ≥ 0, by the impulses λ + G⁻¹ δ.
        let size = 10.0_f64.powi(-(k % 6));
        let more: Vec<f64> = answers[0].0.iter().map(|_| size * random.unit()).collect();
        let push = conjugate_gradients(&apply, &more);
        let other: Vec<f64> = answers[0].0.iter().zip(&push).map(|(x, p)| x + p).collect();
        let mut c = Vec::new();
        problem.velocities_into(&other, &mut c);
        if c.iter().all(|c| *c >= -1e-9 * size) {
            less.see(least - constraint(&other));
        }
    }
    let mut curves = Curves::default();
    for ((_, c), name) in answers[1..].iter().zip(["quadratic program", "Gauss"]) {
        let points: Vec<[f64; 3]> =
            c.iter().zip(&answers[0].1).enumerate().map(|(i, (c, first))| [i as f64, *c, *first]).collect();
        curves.push(name, &points);
    }
    findings.bound(
        format!("complementarity = quadratic program = Gauss: velocities at {} contacts", problem.len()),
        "m/s",
        curves.worst,
        1e-9,
    );
    let tried = less.count();
    let limit = if tried > 1000 { 1e-9 } else { f64::NEG_INFINITY };
    let claim = format!("Gauss: {tried} of 2000 other admissible velocities have no less constraint");
    findings.bound(claim, "J", less, limit);
    let title = "Frictionless contact: one velocity of three problems, by the complementarity problem";
    curves.keep(findings, "three-forms", title, ["contact", "normal velocity [m/s]"]);
    Ok(())
}

/// x with G x = b, G symmetric and positive.
fn conjugate_gradients(apply: &dyn Fn(&[f64]) -> Vec<f64>, b: &[f64]) -> Vec<f64> {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let (mut x, mut rest, mut along) = (vec![0.0; b.len()], b.to_vec(), b.to_vec());
    for _ in 0..10 * b.len() {
        let size = dot(&rest, &rest);
        if size <= 1e-30 * dot(b, b) {
            break;
        }
        let moved = apply(&along);
        let step = size / dot(&along, &moved);
        for i in 0..b.len() {
            x[i] += step * along[i];
            rest[i] -= step * moved[i];
        }
        let share = dot(&rest, &rest) / size;
        along.iter_mut().zip(&rest).for_each(|(a, r)| *a = r + share * *a);
    }
    x
}

/// A block that is 0.2 m high between a floor and a ceiling that run at ±1 m/s.
fn belts(mu: f64) -> String {
    format!(
        "<mujoco><option gravity='0 0 -{G}'/><default><geom friction='{mu} 0 0' condim='3'/></default><worldbody>\
         <body pos='0 0 -0.1'><joint type='slide' axis='1 0 0'/><geom type='box' size='2 1 0.1' mass='1e6'/></body>\
         <body pos='0 0 0.3'><joint type='slide' axis='1 0 0'/><geom type='box' size='2 1 0.1' mass='1e6'/></body>\
         <body pos='0 0 0.1'><freejoint/><geom type='box' size='0.1 0.1 0.1' mass='1'/></body></worldbody></mujoco>"
    )
}

/// Velocities that impulses change by less than this share of the most count as fixed: the belts are a million times as heavy as the block.
const MOVES: f64 = 1e-4;

/// The least of ‖G λ + g‖ over all λ: g without its part in the columns of G, by Gram and Schmidt.
fn least_residual(columns: &[Vec<f64>], g: &[f64]) -> f64 {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let scale = columns.iter().fold(0.0_f64, |most, c| most.max(dot(c, c).sqrt()));
    let mut basis: Vec<Vec<f64>> = Vec::new();
    let rest = |x: &[f64], basis: &[Vec<f64>]| {
        let mut x = x.to_vec();
        for _ in 0..2 {
            for b in basis {
                let along = dot(&x, b);
                x.iter_mut().zip(b).for_each(|(x, b)| *x -= along * b);
            }
        }
        x
    };
    for column in columns {
        let x = rest(column, &basis);
        let size = dot(&x, &x).sqrt();
        if size > MOVES * scale {
            basis.push(x.iter().map(|x| x / size).collect());
        }
    }
    let left = rest(g, &basis);
    dot(&left, &left).sqrt()
}

/// Shows that the equality of infinite friction may be infeasible where Coulomb's law is not.
fn infinite_friction(findings: &mut Findings) -> Result<(), ExperimentError> {
    let (mut points, mut missed, mut judged) = (Vec::new(), Worst::default(), Worst::default());
    for mu in [0.1, 0.3, 1.0, 3.0, 10.0] {
        let (world, mut state) = robot(&belts(mu))?;
        state.v[0] = 1.0;
        state.v[1] = -1.0;
        let mut sim = simulation((world, state), ("time-stepping", 1e-3), |_| {})?;
        step(&mut sim)?;
        judged.see(sim.certificate().natural_map);
        let problem = sim.problem();
        let n = problem.rows();
        let c = |impulses: &[f64]| {
            let mut c = Vec::new();
            problem.velocities_into(impulses, &mut c);
            c
        };
        let g = c(&vec![0.0; n]);
        let column = |k: usize| {
            let mut unit = vec![0.0; n];
            unit[k] = 1.0;
            c(&unit).iter().zip(&g).map(|(c, g)| c - g).collect::<Vec<f64>>()
        };
        let columns: Vec<Vec<f64>> = (0..n).map(column).collect();
        let residual = least_residual(&columns, &g);
        missed.see(1.0 / residual);
        points.push([mu, residual]);
    }
    findings.bound(
        "infinite friction between two belts is infeasible: inverse of what its equality misses by"
            .to_owned(),
        "s/m",
        missed,
        100.0,
    );
    findings.bound(
        "Coulomb's law between two belts at 5 coefficients: natural map".to_owned(),
        "m/s",
        judged,
        1e-6,
    );
    let series = vec![Series { label: "equality of infinite friction".to_owned(), points }];
    let shape: fn(Figure) -> Figure = |f| f.log_x();
    let title = "A block between two belts: what the equality of infinite friction misses by";
    findings.keep_over(
        "infinite-friction",
        title,
        ["μ of Coulomb's law [–]", "least ‖G λ + g‖ [m/s]"],
        series,
        shape,
    );
    Ok(())
}
