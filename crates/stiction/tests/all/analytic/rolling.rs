//! Spheres that slide until they roll (scene A8).

use super::worlds::{EXACT, G, Run, on_ground, rough};
use stiction::FreeBody;
use stiction::collision::Shape;
use stiction::dynamics::spatial::{Inertia, Pose, Quat, Sym3, Vec3, vec3};

/// A sphere with I = k m r² ends at v₀/(1 + k) after t = v₀ k/((1 + k) μ g), then rolls on for ever.
#[test]
fn a_sliding_sphere_ends_up_rolling() {
    let (v0, mu, r, dt) = (1.0, 0.2, 0.1, 1e-3);
    for contact in EXACT {
        for (k, share) in [(2.0 / 5.0, 5.0 / 7.0), (2.0 / 3.0, 3.0 / 5.0)] {
            let mut c = on_ground(mu, 0.0);
            let pose = Pose::from_translation(vec3(0.0, 0.0, r));
            let shape = Shape::Sphere { radius: r };
            let body = FreeBody::new("sphere", shape, 1.0, pose);
            c.body(FreeBody { material: rough(mu), velocity: Vec3::X * v0, ..body }).unwrap();
            let (mut world, state) = c.finish();
            let i = k * r * r;
            world.model.bodies[0].inertia = Inertia::new(1.0, Vec3::ZERO, Sym3::diagonal(i, i, i));
            let mut run = Run::of(world, state, contact, dt);

            let until = v0 * (1.0 - share) / (mu * G);
            run.steps((until / dt) as usize - 1);
            assert!(run.velocity(0).x > share * v0 + 1e-4, "{contact}: still sliding");
            run.steps(3);
            for _ in 0..300 {
                run.step();
                assert!((run.velocity(0).x - share * v0).abs() < 1e-7, "{contact}: {}", run.velocity(0).x);
            }
            let spin = run.sim.state().v[4];
            assert!((spin * r - share * v0).abs() < 1e-7, "{contact}: rolls without slipping");
            run.assert_exact();
        }
    }
}

/// A ball that rolls goes on as it does whether or not it overlaps the ground, within what is not pushed out: it rolls on
/// its own radius.
#[test]
fn an_overlap_does_not_shorten_the_radius_of_a_rolling_ball() {
    let (speed, r) = (1.0, 0.1);
    for contact in EXACT {
        for overlap in [0.0, 4e-6, 1e-5] {
            let mut c = on_ground(0.5, 0.0);
            let pose = Pose::from_translation(vec3(0.0, 0.0, r - overlap));
            let body = FreeBody::new("ball", Shape::Sphere { radius: r }, 1.0, pose);
            let (velocity, angular_velocity) = (Vec3::X * speed, Vec3::Y * (speed / r));
            c.body(FreeBody { material: rough(0.5), velocity, angular_velocity, ..body }).unwrap();
            let mut run = Run::new(c, contact, 1e-3);
            run.steps(200);
            let (v, spin) = (run.velocity(0).x, run.sim.state().v[4]);
            assert!(
                (v - speed).abs() < 1e-9 && (spin * r - speed).abs() < 1e-9,
                "{contact}, {overlap}: {v}, {spin}"
            );
            assert!((run.position(0).z - (r - overlap)).abs() < 1e-9);
            run.assert_exact();
        }
    }
}

/// Poses after `time` of one free body on ground with friction `mu`, at step h.
fn pose_after(body: &FreeBody, mu: f64, tilt: f64, time: f64, h: f64) -> (Pose, f64) {
    let mut c = on_ground(mu, tilt);
    c.body(FreeBody { material: rough(mu), ..body.clone() }).unwrap();
    let mut run = Run::new(c, "auto", h);
    let start = run.sim.energy().total();
    run.steps((time / h).round() as usize);
    run.assert_exact();
    (run.sim.kinematics().X_WB[0], run.sim.energy().total() - start)
}

/// Distance of two poses [m and rad].
fn apart(a: Pose, b: Pose) -> f64 {
    (a.translation - b.translation).norm() + (a.rotation.conjugate() * b.rotation).log().norm()
}

/// Errors of rolling discs, of spinning slides and of spinning spheres fall with the square of the step.
#[test]
fn what_rolls_slides_and_spins_is_of_the_second_order() {
    let disc = Shape::Cylinder { radius: 0.04, half_length: 0.003 };
    let lean = Pose::new(Quat::from_rpy(1.0, 0.0, 0.0), Vec3::ZERO);
    let height = 0.04 * 1.0_f64.sin() + 0.003 * 1.0_f64.cos();
    let leaning = Pose { translation: vec3(0.0, 0.0, height), ..lean };
    let box_shape = Shape::Box { half: vec3(0.1, 0.05, 0.025) };
    let on_floor = |z: f64| Pose::from_translation(vec3(0.0, 0.0, z));
    let disc =
        FreeBody { angular_velocity: vec3(0.0, 10.0, 4.0), ..FreeBody::new("disc", disc, 0.4, leaning) };
    let slab = FreeBody {
        velocity: vec3(1.5, 0.3, 0.0),
        angular_velocity: Vec3::Z * 12.0,
        ..FreeBody::new("slab", box_shape, 1.0, on_floor(0.025))
    };
    let ball = FreeBody {
        velocity: Vec3::X,
        angular_velocity: vec3(20.0, 0.0, 5.0),
        ..FreeBody::new("ball", Shape::Sphere { radius: 0.05 }, 1.0, on_floor(0.05))
    };
    for (body, mu, time) in [(disc, 0.9, 0.2), (slab, 0.3, 0.3), (ball, 0.3, 0.4)] {
        let [a, b, c] = [2e-3, 1e-3, 5e-4].map(|h| pose_after(&body, mu, 0.0, time, h).0);
        let ratio = apart(a, b) / apart(b, c);
        assert!(ratio > 3.0, "{}: {ratio}", body.name);
    }
}

/// A ball goes down a slope with 5/7 of g sin α, straight on along it as it started, and keeps its energy.
#[test]
fn a_ball_rolls_down_a_slope_as_it_must() {
    let (r, tilt, time) = (0.05, 0.3_f64, 0.5);
    let up = Quat::from_rpy(0.0, tilt, 0.0).rotate(Vec3::Z);
    let ball = FreeBody {
        velocity: Vec3::Y * 0.4,
        angular_velocity: up.cross(Vec3::Y * 0.4) * (1.0 / r),
        ..FreeBody::new("ball", Shape::Sphere { radius: r }, 1.0, Pose::from_translation(up * r))
    };
    let along = 0.5 * (5.0 / 7.0) * G * tilt.sin() * time * time;
    let exact = up * r + Quat::from_rpy(0.0, tilt, 0.0).rotate(Vec3::X) * along + Vec3::Y * (0.4 * time);
    let off = |h: f64| {
        let (pose, made) = pose_after(&ball, 0.9, tilt, time, h);
        ((pose.translation - exact).norm(), made.abs())
    };
    let [coarse, fine] = [4e-3, 2e-3].map(off);
    assert!(coarse.0 < 4e-4 && fine.0 < 0.3 * coarse.0 + 1e-9, "{coarse:?} {fine:?}");
    assert!(fine.1 < 2e-3, "{fine:?}");
}

/// A coin that rolls in a circle leans as it did for as long as one likes, and keeps its energy.
#[test]
fn a_rolling_coin_keeps_leaning() {
    let (a, rho, theta) = (0.05, 0.3, 20.0_f64.to_radians());
    let rate = (G * theta.tan() / (1.5 * rho + 0.25 * a * theta.sin())).sqrt();
    let shape = Shape::Cylinder { radius: a, half_length: 1e-4 };
    // Its axis points inwards and up; it turns about the vertical and about itself.
    let turn = Quat::from_rpy(0.0, std::f64::consts::FRAC_PI_2 - theta, 0.0);
    let height = a * theta.cos() + 1e-4 * theta.sin();
    let roll = -rate * rho / a;
    let coin = FreeBody {
        velocity: Vec3::Y * (rate * rho),
        angular_velocity: turn.conjugate().rotate(Vec3::Z * rate) + Vec3::Z * (roll - rate * theta.sin()),
        ..FreeBody::new("coin", shape, 0.02, Pose::new(turn, vec3(rho, 0.0, height)))
    };
    let (pose, made) = pose_after(&coin, 1.0, 0.0, 3.0, 1e-3);
    let axis = pose.rotation.rotate(Vec3::Z);
    let lean = axis.z.asin().to_degrees();
    assert!((lean - 20.0).abs() < 0.2, "it leans by {lean} degrees");
    assert!(made.abs() < 1e-5, "{made} J of 0.02");
}
