//! Linkages whose rows turn, beside their reduced equations of motion: second order in the step, and little energy made.

use super::worlds::{EXACT, G, Run};
use std::path::Path;
use stiction::collision::Shape;
use stiction::dynamics::spatial::{Pose, Quat, Vec3, vec3};
use stiction::models::{LoadOptions, load_str};
use stiction::world::{Hold, LoopClosure, World};
use stiction::{Composer, FreeBody, State};

/// Parts of the reference's Runge–Kutta steps: 0.1 ms.
const FINE: f64 = 1e-4;

fn load(text: &str) -> World {
    load_str(text, Path::new("linkage.xml"), Path::new("."), &LoadOptions::default()).unwrap()
}

/// x at t, of ẋ = f(x), by the classical Runge–Kutta method.
fn integrate<const N: usize>(mut x: [f64; N], t: f64, f: impl Fn(&[f64; N]) -> [f64; N]) -> [f64; N] {
    let steps = (t / FINE).round() as usize;
    let along = |x: &[f64; N], k: &[f64; N], h: f64| std::array::from_fn(|i| x[i] + h * k[i]);
    for _ in 0..steps {
        let k1 = f(&x);
        let k2 = f(&along(&x, &k1, 0.5 * FINE));
        let k3 = f(&along(&x, &k2, 0.5 * FINE));
        let k4 = f(&along(&x, &k3, FINE));
        x = std::array::from_fn(|i| x[i] + FINE / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]));
    }
    x
}

/// A slider-crank without gravity: crank, rod and slider of 0.8, 0.5 and 1.1 kg; lengths in m.
const CRANK_LENGTH: f64 = 0.25;
const ROD_LENGTH: f64 = 0.6;
const CRANK: &str = r#"<mujoco><option gravity="0 0 0"/><worldbody>
    <body><joint axis="0 -1 0"/><inertial mass="0.8" pos="0.125 0 0" diaginertia="0.01 0.004 0.01"/>
      <body name="rod" pos="0.25 0 0"><joint axis="0 -1 0"/><inertial mass="0.5" pos="0.3 0 0" diaginertia="0.01 0.015 0.01"/></body></body>
    <body name="slider" pos="0.85 0 0"><joint type="slide" axis="1 0 0"/><inertial mass="1.1" pos="0 0 0" diaginertia="0.01 0.01 0.01"/></body>
    </worldbody><equality><connect body1="rod" body2="slider" anchor="0.6 0 0"/></equality></mujoco>"#;

/// The inertia of the slider-crank that the crank feels at an angle [kg·m²].
fn reduced_inertia(angle: f64) -> f64 {
    let (s, c) = angle.sin_cos();
    let (sin, cos) = (-CRANK_LENGTH * s / ROD_LENGTH, (1.0 - (CRANK_LENGTH * s / ROD_LENGTH).powi(2)).sqrt());
    let turn = -CRANK_LENGTH * c / (ROD_LENGTH * cos); // dφ/dθ of the rod
    let com =
        [-CRANK_LENGTH * s - 0.5 * ROD_LENGTH * sin * turn, CRANK_LENGTH * c + 0.5 * ROD_LENGTH * cos * turn];
    let slide = -CRANK_LENGTH * s - ROD_LENGTH * sin * turn;
    let crank = 0.004 + 0.8 * 0.125_f64.powi(2);
    crank + 0.5 * (com[0].powi(2) + com[1].powi(2)) + 0.015 * turn * turn + 1.1 * slide * slide
}

/// Angle of the crank and relative change of the energy after so many seconds.
fn cranked(h: f64, t: f64) -> (f64, f64) {
    let world = load(CRANK);
    let mut state = State::neutral(&world.model);
    state.v.copy_from_slice(&[8.0, -8.0 * (1.0 + CRANK_LENGTH / ROD_LENGTH), 0.0]);
    let mut run = Run::of(world, state, "auto", h);
    let before = run.sim.energy().total();
    run.steps((t / h).round() as usize);
    run.assert_exact();
    (run.sim.state().q[0], run.sim.energy().total() / before - 1.0)
}

#[test]
fn a_slider_crank_is_of_second_order() {
    let start = reduced_inertia(0.0);
    let rate = |x: &[f64; 1]| [8.0 * (start / reduced_inertia(x[0])).sqrt()];
    let errors = [4e-3, 2e-3, 1e-3].map(|h| cranked(h, 1.0).0 - integrate([0.0], 1.0, rate)[0]);
    let ratios = [errors[0] / errors[1], errors[1] / errors[2]];
    assert!(ratios.iter().all(|r| (3.0..5.5).contains(r)), "{errors:?}");
    assert!(errors[2].abs() < 1e-3, "{errors:?}");
    let (angle, gained) = cranked(1e-3, 4.0);
    let exact = integrate([0.0], 4.0, rate)[0];
    assert!((angle - exact).abs() < 1e-3, "{angle} {exact}");
    assert!(gained.abs() < 1e-4, "{gained}");
}

/// Two rods of 0.5 m, 1 kg and 0.3 m, 0.6 kg hang from hinges, the second at b(q) = 0.4 q + 0.5 q² − 0.1 q³.
const COUPLED: &str = r#"<mujoco><worldbody>
    <body><joint name="a" axis="0 1 0"/><inertial mass="1" pos="0 0 -0.25" diaginertia="0.02 0.02 0.01"/></body>
    <body pos="1 0 0"><joint name="b" axis="0 1 0"/><inertial mass="0.6" pos="0 0 -0.15" diaginertia="0.005 0.005 0.001"/></body>
    </worldbody><equality><joint joint1="b" joint2="a" polycoef="0 0.4 0.5 -0.1 0"/></equality></mujoco>"#;

fn coupled(h: f64, t: f64) -> (f64, f64) {
    let world = load(COUPLED);
    let mut state = State::neutral(&world.model);
    state.q.copy_from_slice(&[1.0, 0.8]);
    let mut run = Run::of(world, state, "auto", h);
    let before = run.sim.energy().total();
    run.steps((t / h).round() as usize);
    run.assert_exact();
    (run.sim.state().q[0], run.sim.energy().total() - before)
}

#[test]
fn a_bent_coupling_is_of_second_order() {
    let inertias = [0.02 + 0.25 * 0.25, 0.005 + 0.6 * 0.15 * 0.15];
    let f = |x: &[f64; 2]| {
        let [q, v] = *x;
        let (b, slope, bend) =
            (0.4 * q + 0.5 * q * q - 0.1 * q.powi(3), 0.4 + q - 0.3 * q * q, 1.0 - 0.6 * q);
        let moment = -G * (0.25 * q.sin() + slope * 0.09 * b.sin()) - inertias[1] * slope * bend * v * v;
        [v, moment / (inertias[0] + slope * slope * inertias[1])]
    };
    let exact = integrate([1.0, 0.0], 4.0, f)[0];
    let errors = [8e-3, 4e-3, 2e-3].map(|h| coupled(h, 4.0).0 - exact);
    let ratios = [errors[0] / errors[1], errors[1] / errors[2]];
    assert!(ratios.iter().all(|r| (3.0..5.5).contains(r)), "{errors:?}");
    // 1.3 J are in motion.
    let (_, gained) = coupled(1e-3, 20.0);
    assert!(gained.abs() < 1e-4, "{gained}");
}

/// Two unlike boxes welded to each other askew and thrown with a spin: their common centre flies the parabola, and energy and
/// angular momentum about it stay, to the second order.
#[test]
fn welded_boxes_fly_as_one() {
    let thrown = |h: f64| {
        let mut c = Composer::new("welded", vec3(0.0, 0.0, -G)).unwrap();
        let between = Pose::new(Quat::from_rpy(0.4, 0.7, -0.3), vec3(0.3, 0.1, 0.05));
        let halves = [vec3(0.1, 0.06, 0.03), vec3(0.05, 0.1, 0.08)];
        let (spin, mass) = (vec3(2.0, 3.0, 4.0), [1.0, 0.7]);
        for (i, X) in [Pose::IDENTITY, between].into_iter().enumerate() {
            let mut body = FreeBody::new(format!("box {i}"), Shape::Box { half: halves[i] }, mass[i], X);
            body.angular_velocity = X.rotation.conjugate().rotate(spin);
            body.velocity = vec3(1.0, 0.0, 3.0) + spin.cross(X.translation);
            c.body(body).unwrap();
        }
        let (mut world, state) = c.finish();
        let ends = [(Some(0), between), (Some(1), Pose::IDENTITY)];
        world.loops.push(LoopClosure::new("weld", ends, Hold::Frame));
        let mut run = Run::of(world, state, "auto", h);
        let centre = |run: &Run| (run.position(0) + run.position(7) * 0.7) * (1.0 / 1.7);
        let momentum = |run: &Run| {
            let at = centre(run);
            (0..2).fold(Vec3::ZERO, |sum, i| {
                let (q, v) = (&run.sim.state().q[7 * i + 3..], &run.sim.state().v[6 * i + 3..]);
                let turn = Quat::new(q[0], q[1], q[2], q[3]);
                let I = run.sim.world().model.bodies[i].inertia.about_com();
                let arm = run.position(7 * i) - at;
                sum + turn.rotate(I * vec3(v[0], v[1], v[2])) + arm.cross(run.velocity(6 * i) * mass[i])
            })
        };
        let (start, before, energy) = (centre(&run), momentum(&run), run.sim.energy().total());
        let v = (run.velocity(0) + run.velocity(6) * 0.7) * (1.0 / 1.7);
        run.steps((1.0 / h).round() as usize);
        run.assert_exact();
        let fallen = start + v + vec3(0.0, 0.0, -0.5 * G);
        assert!((centre(&run) - fallen).norm() < 1e-9, "{:?} {fallen:?}", centre(&run));
        [(momentum(&run) - before).norm() / before.norm(), (run.sim.energy().total() / energy - 1.0).abs()]
    };
    let [coarse, fine] = [4e-3, 2e-3].map(thrown);
    assert!(coarse[0] < 1e-4 && coarse[1] < 1e-5, "{coarse:?}");
    assert!(coarse[0] / fine[0] > 3.0, "{coarse:?} {fine:?}");
}

/// Velocities that no linkage can have are made admissible, not reflected; errors of positions are gone after two steps.
#[test]
fn a_linkage_that_starts_wrong_closes() {
    for contact in EXACT {
        let world = load(CRANK);
        let mut state = State::neutral(&world.model);
        state.q[2] = 1e-4;
        state.v.copy_from_slice(&[2.0, -2.0, 0.3]);
        let mut run = Run::of(world, state, contact, 1e-3);
        run.steps(5);
        let apart = |run: &Run| {
            let q = &run.sim.state().q;
            let (a, b) = (q[0], q[0] + q[1]);
            let tip = [
                CRANK_LENGTH * a.cos() + ROD_LENGTH * b.cos(),
                CRANK_LENGTH * a.sin() + ROD_LENGTH * b.sin(),
            ];
            (tip[0] - 0.85 - q[2]).hypot(tip[1])
        };
        assert!(apart(&run) < 1e-7, "{contact}: {:e}", apart(&run));
        let v = run.sim.state().v.clone();
        run.steps(1);
        let changed = run.sim.state().v.iter().zip(&v).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
        assert!(changed < 0.05, "{contact}: {changed} m/s in a step");
    }
}
