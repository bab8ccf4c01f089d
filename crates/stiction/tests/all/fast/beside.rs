//! What a body passes by does not slow it: the far contact of a fast body has no say beside an edge.
use super::range::{HALF, Range, position, run, velocity};
use std::f64::consts::TAU;
use std::path::Path;
use stiction::collision::Shape;
use stiction::dynamics::spatial::{Pose, Quat, Vec3, vec3};
use stiction::models::{LoadOptions, load_str};
use stiction::{Settings, Simulation, State, StepperParams};

/// At 100 m/s past the edges of two plates, 1 cm from each, and over the face of one.
#[test]
fn bodies_that_pass_by_keep_their_velocity_to_the_bit() {
    let shapes = [
        Shape::Sphere { radius: 1e-3 },
        Shape::Box { half: vec3(2e-3, 1e-3, 1e-3) },
        Shape::Capsule { radius: 1e-3, half_length: 3e-3 },
        Shape::Cylinder { radius: 2e-3, half_length: 1e-3 },
    ];
    for continuous in [false, true] {
        for dt in [1e-3, 1e-2] {
            let mut range = Range::new(0.0);
            range.plate(vec3(-0.1, 0.0, 0.0), 0.1);
            range.plate(vec3(0.13, 0.0, 0.3), 0.1);
            range.plate(vec3(0.0, 50.0, 0.0), 5.0);
            let mut shots = Vec::new();
            for (i, shape) in shapes.iter().enumerate() {
                let y = 0.02 * i as f64 - 0.03;
                for (from, v) in [
                    (vec3(0.015, y, 0.7), vec3(0.0, 0.0, -100.0)),
                    (vec3(0.0, 44.0 + 4.0 * y, 0.012), vec3(0.0, 100.0, 0.0)),
                ] {
                    range.body(shape.clone(), Pose::from_translation(from), v, Vec3::ZERO);
                    shots.push((from, v));
                }
            }
            let mut sim = range.start(dt, continuous);
            let steps = (0.02 / dt) as usize;
            run(&mut sim, steps);
            for (i, (from, v)) in shots.iter().enumerate() {
                assert_eq!(velocity(&sim, i), *v, "body {i} at a step of {dt}, continuous: {continuous}");
                let there = *from + *v * (dt * steps as f64);
                assert!((position(&sim, i) - there).norm() < 1e-9);
            }
        }
    }
}

/// Half beside the edge is not beside it: the same shot 9 mm to the left is stopped.
#[test]
fn a_shot_at_the_rim_is_stopped() {
    for continuous in [false, true] {
        let mut range = Range::new(0.0);
        range.plate(vec3(-0.1, 0.0, 0.0), 0.1);
        let ball = Shape::Sphere { radius: 5e-3 };
        let from = Pose::from_translation(vec3(-0.004, 0.0, 0.7));
        range.body(ball, from, vec3(0.0, 0.0, -100.0), Vec3::ZERO);
        let mut sim = range.start(1e-3, continuous);
        run(&mut sim, 20);
        assert!(velocity(&sim, 0).z.abs() < 1e-6 && position(&sim, 0).z > HALF, "{:?}", sim.state());
    }
}

/// Slow bodies are not swept: the option changes no bit of their motion.
#[test]
fn slow_bodies_do_not_feel_the_option() {
    let end = |continuous| {
        let mut range = Range::new(0.3);
        range.plate(Vec3::ZERO, 1.0);
        for k in 0..4 {
            let pose = Pose::from_translation(vec3(0.1 * k as f64, 0.0, 0.02 + 0.01 * k as f64));
            let half = vec3(0.01, 0.01, 0.01);
            range.body(Shape::Box { half }, pose, vec3(0.0, 0.1, -0.5), vec3(3.0, 1.0, 0.0));
        }
        let mut sim = range.start(1e-3, continuous);
        run(&mut sim, 200);
        sim.state().clone()
    };
    assert_eq!(end(false), end(true));
}

/// A ball that passes the side of a box, or another ball, nearer than the margin, and touches neither, keeps its velocity.
#[test]
fn what_is_grazed_is_not_hit() {
    for (speed, dt) in [(20.0, 5e-3), (5.0, 5e-3), (20.0, 1e-3), (1.0, 1e-3)] {
        for gap in [2e-4, 5e-4, 9e-4] {
            for side in [Shape::Box { half: vec3(0.15, 0.15, 0.15) }, Shape::Sphere { radius: 0.15 }] {
                let mut range = Range::new(0.0);
                let at = Pose::from_translation(vec3(0.0, 0.25 + gap, 0.0));
                range.fixed(side.clone(), at);
                let (from, v) = (vec3(-0.5, 0.0, 0.0), vec3(speed, 0.0, 0.0));
                range.body(Shape::Sphere { radius: 0.1 }, Pose::from_translation(from), v, Vec3::ZERO);
                let mut sim = range.start(dt, true);
                run(&mut sim, (1.0 / speed / dt) as usize);
                let passed = velocity(&sim, 0);
                assert!((passed - v).norm() < 1e-12, "{side:?}, {speed} m/s, h {dt}, {gap} m: {passed:?}");
            }
        }
    }
}

/// A box that spins past the side of another, its corner .1 mm away, keeps its spin; and so does a link on a hinge past a ball.
#[test]
fn what_turns_past_is_not_hit() {
    for (rate, dt) in [(5.0, 5e-3), (20.0, 2e-3), (40.0, 5e-3)] {
        for turn in [0.0, 0.3, 0.7] {
            let mut range = Range::new(0.0);
            let corner = 0.1_f64.hypot(0.05);
            let beside = vec3(corner + 0.1 + 1e-4, 0.0, 0.0);
            range.fixed(Shape::Box { half: vec3(0.1, 0.1, 0.1) }, Pose::from_translation(beside));
            let pose = Pose::new(Quat::from_axis_angle(Vec3::Z, turn), Vec3::ZERO);
            range.body(Shape::Box { half: vec3(0.1, 0.05, 0.05) }, pose, Vec3::ZERO, Vec3::Z * rate);
            let mut sim = range.start(dt, true);
            run(&mut sim, (TAU / rate / dt) as usize);
            let left = sim.state().v[5];
            assert!((left - rate).abs() < 1e-9, "{rate} rad/s at a step of {dt}: {left}");

            let text = r#"<mujoco><option gravity="0 0 0"/><worldbody>
                <geom type="sphere" size="0.05" pos="0.3701 0 0"/>
                <body><joint axis="0 0 1"/><geom type="capsule" size="0.02" fromto="0 0 0 0.3 0 0" mass="1"/></body>
                </worldbody></mujoco>"#;
            let world =
                load_str(text, Path::new("link.xml"), Path::new("."), &LoadOptions::default()).unwrap();
            let start = State { q: vec![1.0 + turn], v: vec![-rate], ..State::neutral(&world.model) };
            let stepper = StepperParams { dt, ..StepperParams::default() };
            let mut sim = Simulation::new(world, start, Settings { stepper, ..Settings::default() }).unwrap();
            run(&mut sim, (3.0 / rate / dt) as usize);
            let left = sim.state().v[0];
            assert!((left + rate).abs() < 1e-9, "a link at {rate} rad/s and a step of {dt}: {left}");
        }
    }
}
