//! Blocks on surfaces that slip more easily along one axis: the elliptic law with maximum dissipation.
//!
//! With N the weight across the plane and A = diag(μ₁, μ₂) in the axes (along, across), what slides at u is held back by
//!
//! ```text
//!     f = −N A² u/‖A u‖                                                              (1)
//! ```
//!
//! From rest under the pull p a block of mass m goes straight, u = w a t, if p/m = a w + (N/m) A² w/‖A w‖ (2), and stays
//! where it is if ‖A⁻¹ p‖ ≤ N (3).

use super::worlds::{EXACT, G, Run, on_ground, rough};
use stiction::FreeBody;
use stiction::collision::Shape;
use stiction::dynamics::spatial::{Pose, Quat, Vec3, vec3};
use stiction::world::{Grain, GrainFrame, Material, Mixing};

const ALONG: f64 = 0.2;
const ACROSS: f64 = 0.7;

/// A block on the ground, turned by `turn` about the vertical, that slips along its x axis.
fn block(along: f64, across: f64, turn: f64, velocity: Vec3) -> FreeBody {
    let shape = Shape::Box { half: vec3(0.1, 0.1, 0.05) };
    let pose = Pose::new(Quat::from_rpy(0.0, 0.0, turn), vec3(0.0, 0.0, 0.05));
    let grain = Grain { across, axis: Vec3::X, fixed_in: GrainFrame::Geometry };
    let material = Material { grain: Some(grain), mixing: Mixing::Smaller, ..rough(along) };
    FreeBody { material, velocity, ..FreeBody::new("block", shape, 1.0, pose) }
}

/// (2) of the block of 1 kg, w and a as they are along the axes of the world.
fn pull(w: Vec3, a: f64, turn: f64, [along, across]: [f64; 2]) -> Vec3 {
    let axes = Quat::from_rpy(0.0, 0.0, turn);
    let own = axes.conjugate().rotate(w);
    let stretched = vec3(along * along * own.x, across * across * own.y, 0.0);
    let norm = (along * own.x).hypot(across * own.y);
    w * a + axes.rotate(stretched * (G / norm))
}

/// Along the axis, across it, and in between; the axis turned with the block. Forces are told as they are, and a push
/// below its motion is what the block feels.
#[test]
fn a_block_slides_along_across_and_between() {
    for contact in EXACT {
        for turn in [0.0, 0.4, 2.0] {
            for degrees in [0.0_f64, 20.0, 45.0, 70.0, 90.0] {
                let (s, c) = (degrees.to_radians() + turn).sin_cos();
                let (w, a, dt) = (vec3(c, s, 0.0), 0.5, 1e-3);
                let mut composer = on_ground(9.0, 0.0);
                composer.body(block(ALONG, ACROSS, turn, Vec3::ZERO)).unwrap();
                let mut run = Run::new(composer, contact, dt);
                let p = pull(w, a, turn, [ALONG, ACROSS]);
                for k in 1..=60 {
                    let sole = run.position(0) - vec3(0.0, 0.0, 0.05);
                    // Pull and friction balance at the soles, the rest moves the centre of mass: all corners bear alike.
                    run.sim.apply_force(0, sole, p - w * a);
                    run.sim.apply_force(0, run.position(0), w * a);
                    run.step();
                    let expected = w * (a * dt * f64::from(k));
                    let off = (run.velocity(0) - expected).norm();
                    assert!(off < 1e-8, "{contact}, {turn}, {degrees}°, step {k}: off by {off:e} m/s");
                }
                let force = run.contacts().iter().fold(Vec3::ZERO, |sum, c| sum + c.force);
                let friction = vec3(force.x, force.y, 0.0) * force.z.signum();
                let told = (friction.norm() - (p - w * a).norm()).abs();
                assert!(told < 1e-6 && (force.z.abs() - G).abs() < 1e-6, "{contact}, {degrees}°: {force:?}");
                run.assert_exact();
            }
        }
    }
}

/// (3): at 0.999 of the ellipse nothing moves, at 1.001 it does.
#[test]
fn a_block_sticks_within_the_ellipse_and_no_further() {
    for contact in EXACT {
        for degrees in [0.0_f64, 30.0, 60.0, 90.0] {
            for share in [0.999, 1.001] {
                let (s, c) = degrees.to_radians().sin_cos();
                let mut composer = on_ground(9.0, 0.0);
                composer.body(block(ALONG, ACROSS, 0.0, Vec3::ZERO)).unwrap();
                let mut run = Run::new(composer, contact, 1e-3);
                for _ in 0..100 {
                    let sole = run.position(0) - vec3(0.0, 0.0, 0.05);
                    run.sim.apply_force(0, sole, vec3(c * ALONG, s * ACROSS, 0.0) * (share * G));
                    run.step();
                }
                let speed = run.velocity(0).norm();
                assert!((speed > 1e-5) == (share > 1.0), "{contact}, {degrees}°, {share}: {speed:e} m/s");
                run.assert_exact();
            }
        }
    }
}

/// Without friction along its axis a block keeps its speed along it, and stops across.
#[test]
fn a_skate_glides_along_its_blade_alone() {
    for contact in EXACT {
        let mut composer = on_ground(9.0, 0.0);
        composer.body(block(0.0, 1.0, 0.0, vec3(1.0, 0.5, 0.0))).unwrap();
        let mut run = Run::new(composer, contact, 1e-3);
        run.steps(500);
        let v = run.velocity(0);
        // Half the way across slips along, by (1) with μ₁ = 1e-5 μ₂.
        assert!((v.x - 1.0).abs() < 1e-4 && v.y.abs() < 1e-4, "{contact}: {v:?}");
        run.assert_exact();
    }
}
