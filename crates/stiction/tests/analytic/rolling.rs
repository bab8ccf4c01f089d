//! Spheres that slide until they roll (scene A8).

use crate::worlds::{EXACT, G, Run, on_ground, rough};
use stiction::FreeBody;
use stiction::collision::Shape;
use stiction::dynamics::spatial::{Inertia, Pose, Sym3, Vec3, vec3};

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
