//! At a plate of 1 mm bodies stop, or bounce with the impulse of Newton's law, at any step.
use super::range::{HALF, Range, position, run, velocity};
use std::f64::consts::FRAC_PI_2;
use stiction::collision::Shape;
use stiction::dynamics::spatial::{Pose, Quat, Vec3, vec3};

const STEPS: [f64; 3] = [1e-3, 3e-3, 1e-2];
const SPEED: f64 = 100.0;

/// Balls of 1 to 10 mm and small cubes, with the height at which they touch.
fn bullets() -> Vec<(Shape, f64)> {
    let balls = [1e-3, 2e-3, 5e-3, 1e-2].map(|radius| (Shape::Sphere { radius }, radius));
    let cubes = [1e-3, 4e-3].map(|h| (Shape::Box { half: vec3(h, h, h) }, h));
    balls.into_iter().chain(cubes).collect()
}

/// Bullets shot at a plate, straight and at a slant, from many distances. Returns the simulation, and
/// of every body its height of contact and velocity.
fn volley(dt: f64, restitution: f64, continuous: bool) -> (stiction::Simulation, Vec<(f64, Vec3)>) {
    let mut range = Range::new(restitution);
    range.plate(vec3(0.0, 0.0, 0.0), 500.0);
    let mut shot = Vec::new();
    for (i, (shape, touch)) in bullets().into_iter().enumerate() {
        for k in 0..6 {
            let slant = 10.0 * (k % 3) as f64;
            let v = vec3(slant, 0.0, -SPEED);
            let from = vec3(0.1 * i as f64, 0.1 * k as f64, 0.05 + 0.137 * k as f64);
            range.body(shape.clone(), Pose::from_translation(from), v, Vec3::ZERO);
            shot.push((touch + HALF, v));
        }
    }
    (range.start(dt, continuous), shot)
}

#[test]
fn bullets_stop_at_a_plate() {
    for continuous in [false, true] {
        for dt in STEPS {
            let (mut sim, shot) = volley(dt, 0.0, continuous);
            for _ in 0..(0.03 / dt) as usize + 2 {
                run(&mut sim, 1);
                for (i, (touch, _)) in shot.iter().enumerate() {
                    let z = position(&sim, i).z;
                    assert!(z > touch - 1e-4, "body {i} is at {z} at a step of {dt}, {continuous}");
                }
            }
            for (i, (touch, v)) in shot.iter().enumerate() {
                let (p, after) = (position(&sim, i), velocity(&sim, i));
                assert!((p.z - touch).abs() < 1e-4, "body {i} rests at {p:?}");
                assert!(after.z.abs() < 1e-6 && (after.x - v.x).abs() < 1e-6, "{after:?}");
            }
        }
    }
}

/// Lanes do not pose what is fast in the middle of its way, beyond the plate.
#[test]
fn bullets_in_lanes_stop_at_a_plate() {
    for dt in STEPS {
        let mut range = Range::new(0.0);
        range.plate(Vec3::ZERO, 1.0);
        range.ball(5e-3, vec3(0.0, 0.0, 0.34), vec3(0.0, 0.0, -SPEED), false);
        let mut batch = range.batch(dt, 3);
        for _ in 0..(0.03 / dt) as usize + 2 {
            batch.step(&[]);
        }
        let (mut q, mut v) = ([0.0; 21], [0.0; 18]);
        batch.states_into(&mut q, &mut v);
        for lane in 0..3 {
            let (z, w) = (q[7 * lane + 2], v[6 * lane + 2]);
            assert!((z - 5e-3 - HALF).abs() < 1e-4 && w.abs() < 1e-6, "{z} m, {w} m/s at a step of {dt}");
        }
    }
}

/// Newton: v⁺ = −e v. Swept bodies leave from the plate itself, at the time they should.
#[test]
fn bullets_bounce_off_a_plate() {
    let e = 0.5;
    for continuous in [false, true] {
        for dt in STEPS {
            let (mut sim, shot) = volley(dt, e, continuous);
            let start: Vec<Vec3> = (0..shot.len()).map(|i| position(&sim, i)).collect();
            run(&mut sim, (0.03 / dt) as usize);
            for (i, (touch, v)) in shot.iter().enumerate() {
                let after = velocity(&sim, i);
                let expected = vec3(v.x, 0.0, -e * v.z);
                assert!((after - expected).norm() < 1e-6, "body {i}: {after:?} at a step of {dt}");
                if continuous {
                    let flight = (start[i].z - touch) / SPEED;
                    let height = touch + e * SPEED * (sim.state().t - flight);
                    let z = position(&sim, i).z;
                    assert!((z - height).abs() < 1e-4, "body {i} is at {z}, expected {height}");
                }
            }
        }
    }
}

/// Five hits in a step: every one is found.
#[test]
fn a_bullet_between_two_plates_stays_there() {
    let mut range = Range::new(1.0);
    range.plate(vec3(0.0, 0.0, 0.0), 500.0);
    range.plate(vec3(0.0, 0.0, 0.2), 500.0);
    let ball = Shape::Sphere { radius: 1e-3 };
    range.body(ball, Pose::from_translation(vec3(0.0, 0.0, 0.07)), vec3(3.0, 1.0, SPEED), Vec3::ZERO);
    let mut sim = range.start(1e-2, true);
    for _ in 0..100 {
        run(&mut sim, 1);
        let z = position(&sim, 0).z;
        assert!(z > 0.0 && z < 0.2, "{z}");
        assert!((velocity(&sim, 0).z.abs() - SPEED).abs() < 1e-6);
    }
}

/// A ball at rest is hit by a fast one, and flies on at once, to a plate nearby. Nothing moved towards the
/// plate when the step began.
#[test]
fn a_ball_shot_away_by_another_stops_at_a_plate_too() {
    let mut range = Range::new(0.0);
    range.plate(vec3(0.0, 0.0, 0.0), 1.0);
    let ball = || Shape::Sphere { radius: 2e-3 };
    range.body(ball(), Pose::from_translation(vec3(0.0, 0.0, 0.02)), Vec3::ZERO, Vec3::ZERO);
    range.body(ball(), Pose::from_translation(vec3(0.0, 0.0, 0.06)), vec3(0.0, 0.0, -SPEED), Vec3::ZERO);
    let mut sim = range.start(1e-2, true);
    run(&mut sim, 30);
    for i in 0..2 {
        assert!(position(&sim, i).z > 2e-3 + HALF - 1e-4, "{i}: {:?}", position(&sim, i));
        assert!(velocity(&sim, i).norm() < 1e-3, "{i}: {:?}", velocity(&sim, i));
    }
}

/// A rod of 2 mm that spins at 200 rad/s while it flies: half a turn in a step of 15 ms.
#[test]
fn a_spinning_rod_does_not_pass() {
    for dt in STEPS {
        let mut range = Range::new(0.0);
        range.plate(Vec3::ZERO, 500.0);
        let rod = Shape::Capsule { radius: 1e-3, half_length: 0.1 };
        for k in 0..8 {
            let q = Quat::from_axis_angle(Vec3::X, FRAC_PI_2 + 0.4 * k as f64);
            let pose = Pose::new(q, vec3(k as f64, 0.0, 0.15 + 0.02 * k as f64));
            range.body(rod.clone(), pose, vec3(0.0, 0.0, -20.0), vec3(200.0, 0.0, 0.0));
        }
        let mut sim = range.start(dt, true);
        for _ in 0..(0.05 / dt) as usize {
            run(&mut sim, 1);
            for k in 0..8 {
                let q = &sim.state().q[7 * k + 3..7 * k + 7];
                let axis = Quat::new(q[0], q[1], q[2], q[3]).rotate(Vec3::Z * 0.1);
                let lowest = position(&sim, k).z - axis.z.abs() - 1e-3;
                assert!(lowest > HALF - 5e-4, "rod {k} is at {lowest} at a step of {dt}");
            }
        }
    }
}

#[test]
fn the_same_shot_gives_the_same_bits() {
    let state = || {
        let mut sim = volley(3e-3, 0.5, true).0;
        run(&mut sim, 10);
        sim.state().clone()
    };
    assert_eq!(state(), state());
}

/// Flat and slender bodies do not pass a thin plate, of themselves: nobody has to ask for them to be swept.
#[test]
fn thin_bodies_do_not_pass_a_thin_plate() {
    let shapes = [
        Shape::Cylinder { radius: 0.03, half_length: 0.002 },
        Shape::Ellipsoid { radii: vec3(0.03, 0.03, 0.004) },
        Shape::Cone { radius: 0.02, half_height: 0.005 },
        Shape::Capsule { radius: 0.004, half_length: 0.02 },
        Shape::Box { half: vec3(0.02, 0.02, 0.002) },
    ];
    for dt in [1e-3, 5e-3] {
        for speed in [1.0, 3.0, 8.0, 30.0] {
            let mut range = Range::new(0.0);
            range.plate(vec3(0.0, 0.0, 0.0), 2.0);
            for (i, shape) in shapes.iter().enumerate() {
                for k in 0..4 {
                    let turn = Quat::from_rpy(0.35 * k as f64, 0.2 + 0.1 * k as f64, 0.0);
                    let from = vec3(0.2 * i as f64, 0.2 * k as f64, 0.05 + 0.0137 * k as f64);
                    let v = vec3(0.0, 0.0, -speed);
                    range.body(shape.clone(), Pose::new(turn, from), v, Vec3::ZERO);
                }
            }
            let stepper = stiction::StepperParams { dt, ..stiction::StepperParams::default() };
            let mut sim = range.start_with(stepper);
            run(&mut sim, (0.2 / speed / dt) as usize + 4);
            for i in 0..4 * shapes.len() {
                let z = position(&sim, i).z;
                assert!(z > -HALF, "{:?} at {speed} m/s, h {dt}: {z}", shapes[i / 4]);
            }
        }
    }
}

/// A flat body that lands on its edge swings over it, fast; nothing of it goes through, be the plate thin or a slab.
#[test]
fn what_swings_in_after_its_edge_does_not_pass() {
    let flat = [
        Shape::Ellipsoid { radii: vec3(0.03, 0.02, 0.004) },
        Shape::Cylinder { radius: 0.03, half_length: 0.002 },
        Shape::Box { half: vec3(0.03, 0.02, 0.004) },
    ];
    for half in [3e-4, 1e-2] {
        for (speed, dt) in [(4.0, 5e-3), (9.0, 2e-3), (15.0, 5e-3)] {
            let mut range = Range::new(0.0);
            range.fixed(Shape::Box { half: vec3(2.0, 2.0, half) }, Pose::IDENTITY);
            for (i, shape) in flat.iter().enumerate() {
                for k in 0..6 {
                    let turn = Quat::from_rpy(0.5 * k as f64 - 0.3, 0.4 + 0.17 * k as f64, 0.1);
                    let from = vec3(0.3 * i as f64, 0.3 * k as f64, 0.07 + half + 0.011 * k as f64);
                    let spin = vec3(3.0, -2.0, 1.0);
                    range.body(shape.clone(), Pose::new(turn, from), vec3(0.0, 0.0, -speed), spin);
                }
            }
            let mut sim = range.start(dt, true);
            run(&mut sim, (0.2 / speed / dt) as usize + 2);
            for i in 0..6 * flat.len() {
                let z = position(&sim, i).z;
                assert!(z > 0.0, "{:?} at {speed} m/s, h {dt}, half a plate of {half}: {z}", flat[i / 6]);
            }
        }
    }
}
