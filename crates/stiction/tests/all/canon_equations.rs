//! Equations of motion behind the steppers: Hamilton's form, the action, constraints by least constraint and by pseudo-inverses, rolling
//! without slip.

#![allow(clippy::unwrap_used, non_snake_case)]

use nalgebra::{DMatrix, DVector};
use std::path::Path;
use stiction::dynamics::{
    CrbaWorkspace, Kinematics, MassMatrix, Velocities, crba_into, kinetic_energy, potential_energy,
};
use stiction::models::{LoadOptions, load_str};
use stiction::world::World;
use stiction::{Settings, Simulation, State, StepperName, StepperParams};

fn settings(method: &str, dt: f64) -> Settings {
    let method = StepperName::of(method).unwrap();
    let stepper = StepperParams { method, dt, ..StepperParams::default() };
    Settings { stepper, tolerance: 1e-13, ..Settings::default() }
}

fn world(text: &str) -> World {
    load_str(text, Path::new("test.xml"), Path::new(""), &LoadOptions::default()).unwrap()
}

/// Two bars that swing.
fn pendulum() -> World {
    world(
        "<mujoco><compiler angle='radian'/><option gravity='0 0 -9.81'/><worldbody><body><joint name='q1' axis='0 1 0'/>\
         <inertial pos='0 0 -0.5' mass='1' diaginertia='0.08 0.08 0.001'/><body pos='0 0 -1'><joint name='q2' axis='0 1 0'/>\
         <inertial pos='0 0 -0.5' mass='1' diaginertia='0.08 0.08 0.001'/></body></body></worldbody></mujoco>",
    )
}

/// M(q), dense, and U(q).
fn inertia(world: &World, q: &[f64]) -> (DMatrix<f64>, f64) {
    let model = &world.model;
    let mut kin = Kinematics::new(model);
    kin.update(model, q);
    let mut mass = MassMatrix::new(model);
    crba_into(model, &kin, &mut CrbaWorkspace::new(model), &mut mass);
    (DMatrix::from_row_slice(model.nv(), model.nv(), &mass.to_dense()), potential_energy(model, &kin))
}

/// H(q, p) = ½ pᵀ M⁻¹ p + U.
fn hamiltonian(world: &World, q: &[f64], p: &[f64]) -> f64 {
    let (mass, potential) = inertia(world, q);
    let p = DVector::from_column_slice(p);
    0.5 * p.dot(&mass.cholesky().unwrap().solve(&p)) + potential
}

fn one_step(world: &World, method: &str, h: f64, q: &[f64], v: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let state = State { t: 0.0, q: q.to_vec(), v: v.to_vec() };
    let mut sim = Simulation::new(world.clone(), state, settings(method, h)).unwrap();
    let report = sim.step();
    assert!(!report.flagged(), "{report:?}");
    (sim.state().q.clone(), sim.state().v.clone())
}

/// (q, p) after a step of `variational` from (q, p).
fn canonical(world: &World, h: f64, x: &[f64; 4]) -> [f64; 4] {
    let (mass, _) = inertia(world, &x[..2]);
    let v = mass.cholesky().unwrap().solve(&DVector::from_column_slice(&x[2..]));
    let (q, v) = one_step(world, "variational", h, &x[..2], v.as_slice());
    let p = inertia(world, &q).0 * DVector::from_vec(v);
    [q[0], q[1], p[0], p[1]]
}

/// `variational` is the implicit midpoint rule of Hamilton's equations, and a canonical transformation:
/// Aᵀ Ω A = Ω of its derivative A in (q, p). The step of another stepper is none.
#[test]
fn discrete_mechanics_is_a_canonical_transformation() {
    let world = pendulum();
    let x = [1.2, -0.7, 0.4, -0.2];
    let omega =
        DMatrix::from_row_slice(4, 4, &[0., 0., 1., 0., 0., 0., 0., 1., -1., 0., 0., 0., 0., -1., 0., 0.]);
    let derivative = |f: &dyn Fn(&[f64; 4]) -> [f64; 4]| {
        let mut out = DMatrix::zeros(4, 4);
        for k in 0..4 {
            let shifted = |h: f64| {
                let mut x = x;
                x[k] += h;
                f(&x)
            };
            let (a, b) = (shifted(1e-4), shifted(-1e-4));
            (0..4).for_each(|i| out[(i, k)] = (a[i] - b[i]) / 2e-4);
        }
        out
    };
    let h = 0.02;
    let a = derivative(&|x| canonical(&world, h, x));
    let off = (a.transpose() * &omega * &a - &omega).amax();
    assert!(off < 1e-6, "{off}");
    let damped = derivative(&|x| {
        let (mass, _) = inertia(&world, &x[..2]);
        let v = mass.cholesky().unwrap().solve(&DVector::from_column_slice(&x[2..]));
        let (q, v) = one_step(&world, "stewart-trinkle", h, &x[..2], v.as_slice());
        let p = inertia(&world, &q).0 * DVector::from_vec(v);
        [q[0], q[1], p[0], p[1]]
    });
    let other = (damped.transpose() * &omega * &damped - &omega).amax();
    assert!(other > 1e-4, "{other}");

    // Hamilton's equations by the implicit midpoint rule, derivatives of H by differences.
    let rate = |x: &[f64; 4]| {
        let mut of: [f64; 4] = std::array::from_fn(|k| {
            let shifted = |h: f64| {
                let mut x = *x;
                x[k] += h;
                hamiltonian(&world, &x[..2], &x[2..])
            };
            (shifted(1e-5) - shifted(-1e-5)) / 2e-5
        });
        of.swap(0, 2);
        of.swap(1, 3);
        [of[0], of[1], -of[2], -of[3]]
    };
    let midpoint = |h: f64| {
        let mut end = x;
        for _ in 0..60 {
            let middle: [f64; 4] = std::array::from_fn(|i| 0.5 * (x[i] + end[i]));
            let r = rate(&middle);
            end = std::array::from_fn(|i| x[i] + h * r[i]);
        }
        end
    };
    let apart = |h: f64| {
        let (a, b) = (midpoint(h), canonical(&world, h, &x));
        (0..4).fold(0.0_f64, |most, i| most.max((a[i] - b[i]).abs()))
    };
    let (long, short) = (apart(0.04), apart(0.02));
    assert!(long < 1e-10 && short < 1e-10, "{long} {short}");
    // The same rule is another one at half the step.
    let (half, whole) = (canonical(&world, 0.02, &canonical(&world, 0.02, &x)), canonical(&world, 0.04, &x));
    assert!((half[0] - whole[0]).abs() > 1e-7, "{half:?} {whole:?}");
}

/// The action along a computed motion does not change, to the first order, under any change of the motion that leaves its ends.
#[test]
fn the_action_is_stationary_along_a_computed_motion() {
    let world = pendulum();
    let model = &world.model;
    let (n, h) = (400_usize, 1e-3);
    let mut fine = settings("event-driven", h);
    fine.stepper.canon.event_driven.relative_tolerance = 1e-11;
    let state = State { t: 0.0, q: vec![1.2, -0.7], v: vec![0.3, -0.5] };
    let mut sim = Simulation::new(world.clone(), state.clone(), fine).unwrap();
    let mut motion = vec![(state.q, state.v)];
    for _ in 0..n {
        assert!(sim.step().failure().is_none());
        motion.push((sim.state().q.clone(), sim.state().v.clone()));
    }
    let (mut kin, mut vel) = (Kinematics::new(model), Velocities::new(model));
    let mut lagrangian = |q: &[f64], v: &[f64]| {
        kin.update(model, q);
        vel.update(model, &kin, v);
        kinetic_energy(model, &kin, &vel, v) - potential_energy(model, &kin)
    };
    // Simpson's rule over the motion, changed by ε sin(π k t/T) of one coordinate.
    let mut action = |motion: &[(Vec<f64>, Vec<f64>)], dof: usize, k: f64, size: f64| {
        let duration = n as f64 * h;
        let mut sum = 0.0;
        for (i, (q, v)) in motion.iter().enumerate() {
            let phase = std::f64::consts::PI * k * i as f64 / n as f64;
            let (mut q, mut v) = (q.clone(), v.clone());
            q[dof] += size * phase.sin();
            v[dof] += size * phase.cos() * std::f64::consts::PI * k / duration;
            let weight = if i == 0 || i == n { 1.0 } else { 2.0 + 2.0 * (i % 2) as f64 };
            sum += weight * h / 3.0 * lagrangian(&q, &v);
        }
        sum
    };
    // A motion that no force would make: the same ends, straight in between.
    let (first, last) = (motion[0].0.clone(), motion[n].0.clone());
    let rate: Vec<f64> = first.iter().zip(&last).map(|(a, b)| (b - a) / (n as f64 * h)).collect();
    let straight: Vec<(Vec<f64>, Vec<f64>)> = (0..=n)
        .map(|i| {
            let q = first.iter().zip(&rate).map(|(q, v)| q + v * h * i as f64).collect();
            (q, rate.clone())
        })
        .collect();
    let mut largest = 0.0_f64;
    for dof in 0..2 {
        for k in [1.0, 2.0, 3.0] {
            let e = 1e-4;
            let slope = (action(&motion, dof, k, e) - action(&motion, dof, k, -e)) / (2.0 * e);
            assert!(slope.abs() < 1e-7, "dof {dof}, {k} half waves: {slope}");
            largest = largest
                .max(((action(&straight, dof, k, e) - action(&straight, dof, k, -e)) / (2.0 * e)).abs());
        }
    }
    assert!(largest > 0.01, "{largest}");
}

/// Three cranks of equal length under one coupler: two of the bars make the third's loop superfluous.
fn parallel_four_bars() -> World {
    let crank = |name: &str, x: f64, rest: &str| {
        format!(
            "<body name='{name}' pos='{x} 0 1'><joint name='{name}' axis='0 1 0'/>\
             <inertial pos='0 0 -0.25' mass='0.4' diaginertia='0.01 0.01 0.001'/><site name='{name}' pos='0 0 -0.5'/>{rest}</body>"
        )
    };
    let coupler = "<body name='coupler' pos='0 0 -0.5'><joint name='pin' axis='0 1 0'/>\
                   <inertial pos='0.5 0 0' mass='1.5' diaginertia='0.01 0.2 0.2'/></body>";
    let bars = [crank("a", 0.0, coupler), crank("b", 0.5, ""), crank("c", 1.0, "")].concat();
    world(&format!(
        "<mujoco><compiler angle='radian'/><option gravity='0 0 -9.81'/><worldbody>{bars}</worldbody><equality>\
         <connect body1='b' body2='coupler' anchor='0 0 -0.5'/><connect body1='c' body2='coupler' anchor='0 0 -0.5'/>\
         </equality></mujoco>"
    ))
}

/// Gauss' principle in its primal form (velocities) and its dual (impulses of least norm, by the pseudo-inverse) give one motion, that of the
/// step, where the rows of parallel four-bars are dependent.
#[test]
fn least_constraint_primal_and_dual_agree_where_bars_are_redundant() {
    let world = parallel_four_bars();
    let mut state = State::neutral(&world.model);
    // All cranks turn as one, and the coupler stays level.
    let turn = 0.6;
    for joint in &world.model.joints {
        state.q[joint.idx_q] = if joint.name == "pin" { -turn } else { turn };
        state.v[joint.idx_v] = if joint.name == "pin" { -1.5 } else { 1.5 };
    }
    let mut settings = settings("moreau", 1e-3);
    settings.stepper.canon.moreau.theta = 1.0;
    let mut sim = Simulation::new(world, state, settings).unwrap();
    let report = sim.step();
    assert!(!report.flagged(), "{report:?}");
    let problem = sim.problem();
    let n = problem.rows();
    assert!(n >= 4, "{n} rows");
    let velocities = |impulses: &[f64]| {
        let mut c = Vec::new();
        problem.velocities_into(impulses, &mut c);
        DVector::from_vec(c)
    };
    let free = velocities(&vec![0.0; n]);
    let mut G = DMatrix::zeros(n, n);
    for k in 0..n {
        let mut unit = vec![0.0; n];
        unit[k] = 1.0;
        G.set_column(k, &(velocities(&unit) - &free));
    }
    let svd = G.clone().svd(true, true);
    let largest = svd.singular_values.max();
    let rank = svd.singular_values.iter().filter(|s| **s > 1e-9 * largest).count();
    assert!(rank < n, "the bars are redundant: rank {rank} of {n}");
    // Dual: the least of all λ with G λ = −g.
    let dual = svd.pseudo_inverse(1e-9 * largest).unwrap() * -&free;
    let taken = DVector::from_column_slice(sim.impulses());
    assert!((&G * &dual + &free).amax() < 1e-9, "{}", (&G * &dual + &free).amax());
    // The impulses of the step make the same motion, and are the dual's.
    assert!((&G * &taken + &free).amax() < 1e-9, "{}", (&G * &taken + &free).amax());
    assert!((&dual - &taken).amax() < 1e-9 * dual.norm(), "{dual} {taken}");
    // Primal: min ½ wᵀ w over J M^-½ w = −g, w = M^½ (v − v_f), with G = A Aᵀ.
    let root = G.clone().symmetric_eigen();
    let mut A = root.eigenvectors.clone();
    for (k, value) in root.eigenvalues.iter().enumerate() {
        A.column_mut(k).scale_mut(value.max(0.0).sqrt());
    }
    let w = A.clone().svd(true, true).solve(&-&free, 1e-9 * largest.sqrt()).unwrap();
    let by_dual = A.transpose() * &dual;
    assert!((&w - by_dual).amax() < 1e-10, "primal and dual differ");
}

/// Rolling without slip on a slope: a wheel whose contact sticks goes g sin γ/(1 + k²/r²), by events to 1e-9, and takes no energy.
#[test]
fn a_wheel_rolls_without_slip() {
    let (r, slope) = (0.1, 0.2_f64);
    let world = world(&format!(
        "<mujoco><compiler angle='radian'/><option gravity='{} 0 {}'/><default><geom friction='1 0 0' condim='3'/></default><worldbody>\
         <geom type='plane' size='0 0 1'/><body><freejoint/><inertial pos='0 0 0' mass='2' diaginertia='0.02 0.015 0.02'/>\
         <geom type='sphere' size='{r}'/></body></worldbody></mujoco>",
        9.81 * slope.sin(),
        -9.81 * slope.cos()
    ));
    let mut state = State::neutral(&world.model);
    state.q[2] = r;
    let mut sim = Simulation::new(world, state, settings("event-driven", 0.05)).unwrap();
    let start = sim.energy().total();
    for _ in 0..10 {
        assert!(!sim.step().flagged());
    }
    let t = sim.state().t;
    let expected = 9.81 * slope.sin() / (1.0 + 0.015 / 2.0 / (r * r)) * t;
    assert!((sim.state().v[0] - expected).abs() < 1e-8, "{} {expected}", sim.state().v[0]);
    assert!((sim.state().v[4] - expected / r).abs() < 1e-7, "{:?}", sim.state().v);
    assert!((sim.energy().total() - start).abs() < 1e-8, "{}", sim.energy().total() - start);
}
