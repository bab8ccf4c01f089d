//! Boxes that slide, stick, tip (scenes A3–A7, A18).

use super::worlds::{EXACT, G, Run, cube, on_ground};
use stiction::dynamics::spatial::{Pose, Quat, Vec3, vec3};
use stiction::{FreeBody, State};

const MU: f64 = 0.3;

fn sliding_cube(contact: &str, velocity: Vec3, dt: f64) -> Run {
    let mut c = on_ground(MU, 0.0);
    c.body(FreeBody { velocity, ..cube(MU, 0.0) }).unwrap();
    Run::new(c, contact, dt)
}

/// A3: v_k = v₀ − k μ g h, straight, on the ground, without spin; it stops within v₀ h/2 of
/// v₀²/2μg, and the direction makes no difference.
#[test]
fn a_sliding_cube_stops_where_coulomb_says() {
    let (v0, dt) = (1.0, 1e-3);
    for contact in EXACT {
        let mut distances = Vec::new();
        for degrees in [0.0_f64, 22.5, 45.0] {
            let (s, c) = degrees.to_radians().sin_cos();
            let along = vec3(c, s, 0.0);
            let mut run = sliding_cube(contact, along * v0, dt);
            for k in 1..=300 {
                run.step();
                let expected = along * (v0 - f64::from(k) * MU * G * dt);
                assert!((run.velocity(0) - expected).norm() < 1e-8, "{contact}, step {k}");
            }
            run.steps(60);
            run.assert_exact();
            assert!(run.sim.state().v.iter().all(|v| v.abs() < 1e-8), "{contact}: at rest");
            let moved = run.position(0) - vec3(0.0, 0.0, 0.1);
            assert!(moved.z.abs() < 1e-8, "{contact}: lifted by {:e} m", moved.z);
            assert!((moved - along * moved.dot(along)).norm() < 1e-8, "{contact}: veered");
            assert!((moved.norm() - v0 * v0 / (2.0 * MU * G)).abs() <= 0.5 * v0 * dt);
            distances.push(moved.norm());
        }
        assert!(distances.iter().all(|d| (d - distances[0]).abs() < 1e-6), "{contact}: {distances:?}");
    }
}

/// A3: the convex relaxation lifts the cube at μ (v₀ − μ g h)/(1 + μ²), and the judge says so.
#[test]
fn the_convex_relaxation_lifts_a_sliding_cube() {
    let (v0, dt) = (1.0, 1e-3);
    let mut run = sliding_cube("ccp-pgs-accelerated", Vec3::X * v0, dt);
    let certificate = run.step();
    let slip = (v0 - MU * G * dt) / (1.0 + MU * MU);
    assert!((run.velocity(0) - vec3(slip, 0.0, MU * slip)).norm() < 1e-8, "{:?}", run.velocity(0));
    assert!(certificate.natural_map > 0.1, "the exact law is violated by {certificate:?}");
}

/// A4: at 6 m/s and a coarse step the cube stays down.
#[test]
fn a_fast_cube_does_not_take_off() {
    for contact in EXACT {
        let mut c = on_ground(0.5, 0.0);
        c.body(FreeBody { velocity: Vec3::X * 6.0, ..cube(0.5, 0.0) }).unwrap();
        let mut run = Run::new(c, contact, 5e-3);
        for _ in 0..300 {
            run.step();
            assert!((run.position(0).z - 0.1).abs() < 1e-8, "{contact}: z = {}", run.position(0).z);
        }
        run.assert_exact();
    }
}

/// A5: 0.1 % below the friction angle nothing moves; 0.1 % above, a = g (sin θ − μ cos θ).
#[test]
fn a_slope_holds_to_the_friction_angle_and_no_further() {
    let critical = 0.5_f64.atan();
    for contact in EXACT {
        for share in [0.999, 1.001] {
            let tilt = critical * share;
            let mut c = on_ground(0.5, tilt);
            c.body(cube(0.5, tilt)).unwrap();
            let mut run = Run::new(c, contact, 1e-3);
            let start = run.position(0);
            run.steps(1000);
            run.assert_exact();
            let downhill = vec3(tilt.cos(), 0.0, -tilt.sin());
            if share < 1.0 {
                assert!((run.position(0) - start).norm() < 1e-8, "{contact}: crept");
            } else {
                let expected = downhill * (G * (tilt.sin() - 0.5 * tilt.cos()));
                assert!((run.velocity(0) - expected).norm() < 1e-7, "{contact}: {:?}", run.velocity(0));
            }
        }
    }
}

/// A5, for a minute: less than a micrometre.
#[test]
fn sixty_seconds_on_a_slope_without_creep() {
    let tilt = 0.5_f64.atan() * 0.999;
    let mut c = on_ground(0.5, tilt);
    c.body(cube(0.5, tilt)).unwrap();
    let mut run = Run::new(c, "nsgs-accelerated", 1e-3);
    let start = run.position(0);
    run.steps(60_000);
    run.assert_exact();
    let moved = (run.position(0) - start).norm();
    assert!(moved < 1e-6, "moved {moved:e} m in 60 s");
}

/// A6: pushed at 0.9 of μ m g it stays, at 1.1 it gains 0.1 μ g h, whatever the direction.
#[test]
fn a_pushed_cube_does_not_know_the_direction() {
    let dt = 1e-3;
    for contact in EXACT {
        let mut c = on_ground(MU, 0.0);
        c.body(cube(MU, 0.0)).unwrap();
        let mut run = Run::new(c, contact, dt);
        let rest = run.sim.state().clone();
        for k in 0..100 {
            let (s, c) = (2.399_963 * f64::from(k)).sin_cos();
            let along = vec3(c, s, 0.0);
            for share in [0.9, 1.1] {
                run.sim.set_state(rest.clone()).unwrap();
                // At the height of the soles, so that nothing turns.
                run.sim.apply_force(0, Vec3::ZERO, along * (share * MU * G));
                run.step();
                let expected = along * ((share - 1.0_f64).max(0.0) * MU * G * dt);
                assert!((run.velocity(0) - expected).norm() < 1e-8, "{contact}, direction {k}, {share}");
            }
        }
        run.assert_exact();
    }
}

/// A7: a tower pushed at height y tips when F y > m g b/2, long before it would slide.
#[test]
fn a_tower_tips_at_its_edge() {
    for contact in EXACT {
        for (share, tips) in [(0.98, false), (1.02, true)] {
            let mut c = on_ground(0.8, 0.0);
            let half = vec3(0.1, 0.1, 0.2);
            let shape = stiction::collision::Shape::Box { half };
            let pose = Pose::from_translation(vec3(0.0, 0.0, 0.2));
            let material = super::worlds::rough(0.8);
            c.body(FreeBody { material, ..FreeBody::new("tower", shape, 1.0, pose) }).unwrap();
            let mut run = Run::new(c, contact, 1e-3);
            let push = Vec3::X * (share * G * 0.1 / 0.4);
            for _ in 0..100 {
                let q = &run.sim.state().q;
                let turn = Quat::new(q[3], q[4], q[5], q[6]);
                let top = run.position(0) + turn.rotate(vec3(0.0, 0.0, 0.2));
                run.sim.apply_force(0, top, push);
                run.step();
            }
            run.assert_exact();
            let spin = run.sim.state().v[4];
            assert!(if tips { spin > 1e-3 } else { spin.abs() < 1e-8 }, "{contact} at {share}: {spin}");
        }
    }
}

/// A18: a cube dragged by a growing force. While it sticks the friction balances the drag; once it slides
/// every corner pulls straight back, with nothing across.
#[test]
fn a_dragged_cube_has_no_forces_across_when_it_slides() {
    for contact in EXACT {
        let mut c = on_ground(MU, 0.0);
        c.body(cube(MU, 0.0)).unwrap();
        let mut run = Run::new(c, contact, 1e-3);
        let mut slid = 0;
        for k in 0..400 {
            let drag = 0.01 * f64::from(k);
            let sole = run.position(0) - vec3(0.0, 0.0, 0.1);
            run.sim.apply_force(0, sole, Vec3::X * drag);
            run.step();
            let slides = drag > MU * G * 1.001;
            let (mut sum, mut across) = (Vec3::ZERO, 0.0_f64);
            for c in run.contacts() {
                sum += c.force;
                across = across.max(c.force.y.abs());
            }
            assert!((sum.z - G).abs() < 1e-6, "{contact}: carries {}", sum.z);
            if slides {
                slid += 1;
                assert!((sum.x + MU * G).abs() < 1e-5, "{contact} at {drag} N: {sum:?}");
                assert!(across < 1e-5, "{contact} at {drag} N: {across} N across");
            } else if drag < MU * G * 0.999 {
                assert!((sum.x + drag).abs() < 1e-5, "{contact} at {drag} N: {sum:?}");
            }
        }
        assert!(slid > 50);
        run.assert_exact();
    }
}

/// The state type is part of what tests rely on.
#[test]
fn a_restored_state_slides_on_with_the_same_bits() {
    let mut run = sliding_cube("nsgs-accelerated", vec3(0.8, 0.3, 0.0), 1e-3);
    run.steps(50);
    let snapshot: State = run.sim.state().clone();
    run.sim.set_state(snapshot.clone()).unwrap();
    run.steps(50);
    let first = run.sim.state().clone();
    run.sim.set_state(snapshot).unwrap();
    run.steps(50);
    assert_eq!(run.sim.state(), &first);
}
