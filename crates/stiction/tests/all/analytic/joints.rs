//! Limits, dry friction and couplings of joints (scene A12).
use super::worlds::{EXACT, G, Run};
use stiction::dynamics::spatial::{Inertia, Pose, Sym3, Vec3, vec3};
use stiction::dynamics::{JointKind, JointSpec, ModelBuilder};
use stiction::world::{Actuator, ActuatorLaw, Coupling, DriveLimit, World};
use stiction::{HigherOrder, State, StepperParams};

/// Vertical sliders of the given masses, side by side.
fn sliders(masses: &[f64], edit: impl Fn(&mut JointSpec)) -> World {
    let mut b = ModelBuilder::new();
    for (i, mass) in masses.iter().enumerate() {
        let inertia = Inertia::new(*mass, Vec3::ZERO, Sym3::diagonal(1e-3, 1e-3, 1e-3));
        let link = b.link(format!("mass {i}"), None, Pose::IDENTITY, inertia);
        let mut joint = JointSpec::new(format!("slide {i}"), JointKind::Slide, Vec3::Z);
        edit(&mut joint);
        b.joint(link, joint);
    }
    World::new("sliders", b.build(vec3(0.0, 0.0, -G)).unwrap())
}

/// A slider falls to its stop, lands on it exactly and stays; the stop carries m g.
#[test]
fn a_joint_stops_at_its_limit() {
    for contact in EXACT {
        let world = sliders(&[2.0], |j| j.limit = Some([-0.05, 1.0]));
        let state = State::neutral(&world.model);
        let mut run = Run::of(world, state, contact, 1e-3);
        run.steps(200);
        let state = run.sim.state();
        assert!((state.q[0] + 0.05).abs() < 1e-9 && state.v[0].abs() < 1e-9, "{contact}: {state:?}");
        assert!((run.sim.impulses()[0] - 2.0 * G * 1e-3).abs() < 1e-10, "{contact}");
        run.assert_exact();
    }
}

/// Dry friction f holds |τ| ≤ f and leaves τ − f.
#[test]
fn dry_friction_holds_to_its_limit() {
    let dt = 1e-3;
    for contact in EXACT {
        for share in [0.9, 1.1] {
            let f = 2.0 * G / share;
            let world = sliders(&[2.0], |j| j.friction = f);
            let state = State::neutral(&world.model);
            let mut run = Run::of(world, state, contact, dt);
            run.steps(10);
            let expected = -10.0 * dt * (G - f / 2.0).max(0.0);
            assert!((run.sim.state().v[0] - expected).abs() < 1e-9, "{contact} at {share}");
            run.assert_exact();
        }
    }
}

/// Atwood's machine: coupled sliders accelerate at g (m₁ − m₂)/(m₁ + m₂).
#[test]
fn atwoods_machine() {
    for contact in EXACT {
        let mut world = sliders(&[3.0, 1.0], |_| {});
        let terms = vec![(0, 1.0), (1, 1.0)];
        world.couplings.push(Coupling { name: "rope".into(), terms, offset: 0.0, curve: None });
        let state = State::neutral(&world.model);
        let mut run = Run::of(world, state, contact, 1e-3);
        run.steps(100);
        let v = &run.sim.state().v;
        assert!((v[0] + 0.1 * G * 0.5).abs() < 1e-8 && (v[0] + v[1]).abs() < 1e-8, "{contact}: {v:?}");
        run.assert_exact();
    }
}

/// A position servo on `transmission`.
fn servo(transmission: &[(usize, f64)], kp: f64, kv: f64, limit: Option<f64>) -> Actuator {
    Actuator {
        name: "servo".into(),
        transmission: transmission.to_vec(),
        law: ActuatorLaw { gain: kp, bias: 0.0, bias_length: -kp, bias_velocity: -kv },
        effort_limit: limit.map(|l| [-l, l]),
        control_limit: None,
    }
}

/// A stiff servo is stable at a step far beyond its own time constant, and sags by m g/kp.
#[test]
fn a_stiff_servo_holds_at_a_coarse_step() {
    let mut world = sliders(&[2.0], |_| {});
    world.actuators.push(servo(&[(0, 1.0)], 1e4, 10.0, None));
    let state = State::neutral(&world.model);
    let mut run = Run::of(world, state, "nsgs-accelerated", 0.05);
    run.sim.control_mut()[0] = 0.3;
    run.steps(200);
    let state = run.sim.state();
    assert!((state.q[0] - (0.3 - 2.0 * G / 1e4)).abs() < 1e-9 && state.v[0].abs() < 1e-9, "{state:?}");
}

/// Beyond its limit, or that of the drive it sits on, a servo is a constant force.
#[test]
fn a_weak_servo_gives_what_it_has() {
    for (gear, own, drive) in [(1.0, Some(5.0), None), (1.0, Some(50.0), Some(5.0)), (-2.0, None, Some(5.0))]
    {
        let mut world = sliders(&[2.0], |_| {});
        world.actuators.push(servo(&[(0, gear)], 1e4, 10.0, own));
        world.drive_limits.push(DriveLimit { effort: drive.map(|l| [-l, l]), velocity: None });
        let state = State::neutral(&world.model);
        let mut run = Run::of(world, state, "nsgs-accelerated", 1e-3);
        run.sim.control_mut()[0] = 0.3 * gear;
        run.steps(100);
        let expected = 0.1 * (5.0 / 2.0 - G);
        assert!((run.sim.state().v[0] - expected).abs() < 1e-9, "{:?}", run.sim.state().v);
    }
}

/// What one step of a vertical slider of 2 kg does under a servo and above a stop, by bisection: m (v⁺ − v)/h =
/// clamp(kp (u − q − θ h v') − kv v') − m g with v' = v + θ (v⁺ − v), unless the stop is in the way.
fn slider_step(q: f64, v: f64, u: f64, [kp, kv, limit, stop, h]: [f64; 5]) -> f64 {
    // The share of the step at which the servo of 2 kg acts.
    let theta = (2.0 / 3.0 - 2.0 / (h * kv + h * h * kp)).clamp(0.5, 2.0 / 3.0);
    let then = |w: f64| v + theta * (w - v);
    let effort = |w: f64| (kp * (u - q - theta * h * then(w)) - kv * then(w)).clamp(-limit, limit);
    let excess = |w: f64| 2.0 * (w - v) / h - effort(w) + 2.0 * G;
    let (mut low, mut high) = (-1e4, 1e4);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if excess(middle) < 0.0 { low = middle } else { high = middle }
    }
    high.max((stop - q) / h)
}

/// Wherever a servo with a limit ends up, by the rule of trees that are touched, its effort is that of the velocity near the middle of the step, within its limit or
/// beyond it, from coarse gains to stiff ones, at any step. By a stop it exerts no more than its limit, and nothing sinks in.
#[test]
fn servos_keep_their_limits_whatever_stops_them() {
    let (mut stops, mut efforts) = (0, Vec::new());
    for contact in ["nsgs-accelerated", "auto"] {
        for k in 0..120_i32 {
            let r = |n: i32| f64::from((k * 7919 + n * 104_729) % 1000) / 1000.0 - 0.5;
            let kp = 10_f64.powi(k % 5 + 2);
            let (kv, limit, h) = (0.01 * kp, 40.0 + 60.0 * r(1), [1e-3, 1e-2][k as usize % 2]);
            let (q, v, u) = (0.02 + 0.04 * r(2), r(3), 0.3 * r(4));
            let mut world = sliders(&[2.0], |j| j.limit = Some([0.0, 1e3]));
            world.actuators.push(servo(&[(0, 1.0)], kp, kv, Some(limit)));
            let mut state = State::neutral(&world.model);
            (state.q[0], state.v[0]) = (q.max(0.0), v);
            let passive = HigherOrder::Passive;
            let stepper = StepperParams { dt: h, higher_order: passive, ..StepperParams::default() };
            let mut run = Run::with(world, state, contact, stepper);
            run.sim.control_mut()[0] = u;
            let (mut q, mut v) = (q.max(0.0), v);
            for step in 0..20 {
                let free = slider_step(q, v, u, [kp, kv, limit, f64::NEG_INFINITY, h]);
                let report = run.sim.step().clone();
                assert!(report.failure().is_none(), "{report:?}");
                let stopped = report.parts > 1 || run.sim.impulses().first().is_some_and(|p| *p > 0.0);
                (q, v) = (run.sim.state().q[0], run.sim.state().v[0]);
                assert!(q > -2e-5, "{contact} {k} step {step}: {q}");
                assert!(
                    stopped || (v - free).abs() < 1e-7,
                    "{contact} {k} step {step}: {v} {free}, kp {kp} limit {limit} h {h}"
                );
                run.sim.efforts_into(&mut efforts);
                assert!(efforts[0].abs() <= limit * (1.0 + 1e-9), "{efforts:?} of {limit}");
                stops += usize::from(stopped);
            }
            run.assert_exact();
        }
    }
    assert!(stops > 100, "{stops}");
}

/// A servo of 10⁶ N/m that wants through a stop presses on it with its limit, less the weight.
#[test]
fn a_stiff_servo_presses_with_its_limit() {
    for dt in [1e-3, 1e-2] {
        let mut world = sliders(&[2.0], |j| j.limit = Some([-1.0, 0.1]));
        world.actuators.push(servo(&[(0, 1.0)], 1e6, 1e5, Some(50.0)));
        let state = State::neutral(&world.model);
        let mut run = Run::of(world, state, "auto", dt);
        run.sim.control_mut()[0] = 0.3;
        run.steps((1.0 / dt) as usize);
        assert!((run.sim.state().q[0] - 0.1).abs() < 1e-9 && run.sim.state().v[0].abs() < 1e-9);
        let pressed = run.sim.impulses()[0] / dt;
        assert!((pressed - (50.0 - 2.0 * G)).abs() < 1e-6, "{pressed}");
        run.assert_exact();
        // It lets go when it is asked to.
        run.sim.control_mut()[0] = 0.05;
        run.steps((3.0 / dt) as usize);
        assert!((run.sim.state().q[0] - (0.05 - 2.0 * G / 1e6)).abs() < 1e-9, "{:?}", run.sim.state());
    }
}

/// An arm of three links under servos of 10⁶ N·m/rad holds its pose at 10 ms.
#[test]
fn a_stiff_arm_is_stable_at_a_coarse_step() {
    let mut b = ModelBuilder::new();
    let mut parent = None;
    for (i, axis) in [Vec3::Y, Vec3::X, Vec3::Y].into_iter().enumerate() {
        let at = if i == 0 { Vec3::ZERO } else { vec3(0.4, 0.0, 0.0) };
        let inertia = Inertia::new(1.0, vec3(0.2, 0.0, 0.0), Sym3::diagonal(1e-3, 1e-2, 1e-2));
        let link = b.link(format!("link {i}"), parent, Pose::from_translation(at), inertia);
        b.joint(link, JointSpec::new(format!("joint {i}"), JointKind::Hinge, axis));
        parent = Some(link);
    }
    let mut world = World::new("arm", b.build(vec3(0.0, 0.0, -G)).unwrap());
    (0..3).for_each(|dof| world.actuators.push(servo(&[(dof, 1.0)], 1e6, 1e3, Some(1e4))));
    let mut state = State::neutral(&world.model);
    state.q.copy_from_slice(&[0.3, 0.2, -0.4]);
    let mut run = Run::of(world, state, "auto", 1e-2);
    run.sim.control_mut().copy_from_slice(&[0.5, -0.3, 0.8]);
    run.steps(1000);
    let state = run.sim.state();
    for (q, u) in state.q.iter().zip([0.5, -0.3, 0.8]) {
        assert!((q - u).abs() < 2e-5, "{state:?}");
    }
    assert!(state.v.iter().all(|v| v.abs() < 1e-9), "{state:?}");
}

/// A tendon over two joints is a row of the problem: it carries its effort implicitly, or its limit.
#[test]
fn a_tendon_shares_its_effort() {
    for contact in EXACT {
        for (limit, held) in [(None, true), (Some(20.0), false)] {
            let mut world = sliders(&[2.0, 2.0], |_| {});
            world.actuators.push(servo(&[(0, 0.5), (1, 0.5)], 1e4, 100.0, limit));
            let state = State::neutral(&world.model);
            let mut run = Run::of(world, state, contact, 0.01);
            run.sim.control_mut()[0] = 0.3;
            run.steps(300);
            run.assert_exact();
            let state = run.sim.state();
            assert!((state.q[0] - state.q[1]).abs() < 1e-9, "{contact}: {state:?}");
            if held {
                // Each mass hangs on half the effort: e = 2 m g.
                assert!((state.q[0] - (0.3 - 4.0 * G / 1e4)).abs() < 1e-8, "{contact}: {state:?}");
            } else {
                assert!((state.v[0] - 3.0 * (10.0 / 2.0 - G)).abs() < 1e-7, "{contact}: {state:?}");
            }
        }
    }
}

/// A joint spring and damper come to rest where the spring carries the weight, at any step.
#[test]
fn a_spring_carries_the_weight() {
    for dt in [1e-3, 0.05] {
        let world = sliders(&[2.0], |j| {
            (j.stiffness, j.spring_rest, j.damping) = (500.0, 0.2, 40.0);
        });
        let state = State::neutral(&world.model);
        let mut run = Run::of(world, state, "nsgs-accelerated", dt);
        run.steps((5.0 / dt) as usize);
        let state = run.sim.state();
        assert!((state.q[0] - (0.2 - 2.0 * G / 500.0)).abs() < 1e-9 && state.v[0].abs() < 1e-9, "{state:?}");
    }
}

/// A rod of 1 m and 1 kg at its end, on a ball joint, held out along x.
fn ball_rod(edit: impl Fn(&mut JointSpec)) -> World {
    let mut b = ModelBuilder::new();
    let tip = Inertia::new(1.0, Vec3::X, Sym3::diagonal(1e-3, 1e-3, 1e-3));
    let link = b.link("rod", None, Pose::IDENTITY, tip);
    let mut joint = JointSpec::new("ball", JointKind::Ball, Vec3::Z);
    edit(&mut joint);
    b.joint(link, joint);
    World::new("ball rod", b.build(vec3(0.0, 0.0, -G)).unwrap())
}

/// A ball joint stops when its rotation reaches the limit, about whatever axis.
#[test]
fn a_ball_joint_stops_at_its_angle() {
    for contact in EXACT {
        let world = ball_rod(|j| (j.limit, j.damping) = (Some([0.0, 0.5]), 0.2));
        let state = State::neutral(&world.model);
        let mut run = Run::of(world, state, contact, 1e-3);
        run.steps(1500);
        run.assert_exact();
        let state = run.sim.state();
        let angle = 2.0 * state.q[0].acos();
        assert!((angle - 0.5).abs() < 1e-5 && state.v.iter().all(|v| v.abs() < 1e-8), "{contact}: {state:?}");
    }
}

/// Its spring balances the weight: k θ = m g l cos θ.
#[test]
fn a_ball_joint_hangs_in_its_spring() {
    let world = ball_rod(|j| (j.stiffness, j.damping) = (20.0, 5.0));
    let state = State::neutral(&world.model);
    let mut run = Run::of(world, state, "nsgs-accelerated", 2e-3);
    run.steps(5000);
    let angle = 2.0 * run.sim.state().q[0].acos();
    assert!((20.0 * angle - G * angle.cos()).abs() < 1e-6, "{angle}");
}

/// A nut of 2 kg and 0.01 kg·m² on an upright bolt of pitch 0.02 m/rad; at rest at q = 0.
fn nut(edit: impl Fn(&mut JointSpec)) -> World {
    let mut b = ModelBuilder::new();
    let inertia = Inertia::new(2.0, Vec3::ZERO, Sym3::diagonal(0.02, 0.02, 0.01));
    let link = b.link("nut", None, Pose::IDENTITY, inertia);
    let mut joint = JointSpec::screw("thread", Vec3::Z, 0.02);
    edit(&mut joint);
    b.joint(link, joint);
    World::new("nut", b.build(vec3(0.0, 0.0, -G)).unwrap())
}

/// It spins down the thread at m g p/(I + m p²), lands on its stop and stays, m g p on the stop.
#[test]
fn a_screw_runs_down_to_its_stop() {
    for contact in EXACT {
        let world = nut(|j| j.limit = Some([-1.0, 1.0]));
        let state = State::neutral(&world.model);
        let mut run = Run::of(world, state, contact, 1e-3);
        run.steps(100);
        let rate = -0.1 * 2.0 * G * 0.02 / (0.01 + 2.0 * 0.02 * 0.02);
        assert!((run.sim.state().v[0] - rate).abs() < 1e-9, "{contact}");
        run.steps(400);
        let state = run.sim.state();
        assert!((state.q[0] + 1.0).abs() < 1e-9 && state.v[0].abs() < 1e-9, "{contact}: {state:?}");
        assert!((run.sim.impulses()[0] - 2.0 * G * 0.02 * 1e-3).abs() < 1e-12, "{contact}");
        run.assert_exact();
    }
}

/// A spring and a servo on the thread share its weight: k (0.5 − q) + kp (u − q) = m g p.
#[test]
fn a_screw_hangs_in_spring_and_servo() {
    let mut world = nut(|j| (j.stiffness, j.spring_rest, j.damping) = (3.0, 0.5, 0.2));
    world.actuators.push(servo(&[(0, 1.0)], 5.0, 0.1, None));
    let state = State::neutral(&world.model);
    let mut run = Run::of(world, state, "nsgs-accelerated", 2e-3);
    run.sim.control_mut()[0] = 0.8;
    run.steps(3000);
    let state = run.sim.state();
    let expected = (3.0 * 0.5 + 5.0 * 0.8 - 2.0 * G * 0.02) / 8.0;
    assert!((state.q[0] - expected).abs() < 1e-9 && state.v[0].abs() < 1e-9, "{state:?}");
}
