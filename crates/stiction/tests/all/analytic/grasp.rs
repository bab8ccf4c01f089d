//! An object between two pads (scene A17).

use super::worlds::{EXACT, G, Run, geometry, rough};
use stiction::collision::Shape;
use stiction::dynamics::spatial::{Inertia, Pose, Sym3, Vec3, vec3};
use stiction::dynamics::{JointKind, JointSpec, ModelBuilder};
use stiction::world::World;
use stiction::{Composer, FreeBody, State};

const MU: f64 = 0.5;
const MASS: f64 = 0.5;

const PAD: Shape = Shape::Box { half: vec3(0.01, 0.03, 0.03) };

/// Two pads on slides along x, and a cube of 0.1 m held between them in the air.
fn gripper(contact: &str, pad: Shape) -> Run {
    let mut b = ModelBuilder::new();
    let mut geometries = Vec::new();
    for (name, side) in [("left", -1.0), ("right", 1.0)] {
        let inertia = Inertia::new(0.1, Vec3::ZERO, Sym3::diagonal(1e-4, 1e-4, 1e-4));
        let pose = Pose::from_translation(vec3(side * 0.06, 0.0, 1.0));
        let link = b.link(name, None, pose, inertia);
        b.joint(link, JointSpec::new(name, JointKind::Slide, Vec3::X * -side));
        geometries.push(geometry(Some(link), Pose::IDENTITY, pad.clone(), rough(MU)));
    }
    let mut pads = World::new("pads", b.build(vec3(0.0, 0.0, -G)).unwrap());
    pads.geometries = geometries;
    let state = State::neutral(&pads.model);
    let mut c = Composer::new("grasp", vec3(0.0, 0.0, -G)).unwrap();
    c.robot(pads, &state, Pose::IDENTITY, "");
    let shape = Shape::Box { half: vec3(0.05, 0.05, 0.05) };
    let pose = Pose::from_translation(vec3(0.0, 0.0, 1.0));
    c.body(FreeBody { material: rough(MU), ..FreeBody::new("object", shape, MASS, pose) }).unwrap();
    Run::new(c, contact, 1e-3)
}

fn hold(run: &mut Run, squeeze: f64, steps: usize) {
    for _ in 0..steps {
        run.sim.generalized_mut()[..2].fill(squeeze);
        run.step();
    }
}

/// Held iff 2 μ N ≥ m g, and each pad presses with N exactly.
#[test]
fn a_grasp_holds_when_friction_can_carry_the_weight() {
    let needed = MASS * G / (2.0 * MU);
    for contact in EXACT {
        let mut run = gripper(contact, PAD);
        hold(&mut run, 1.2 * needed, 500);
        run.assert_exact();
        assert!((run.position(2).z - 1.0).abs() < 1e-8, "{contact}: slipped to {}", run.position(2).z);
        let pressed: f64 = run.contacts().iter().map(|c| c.force.dot(c.normal)).sum();
        assert!((pressed - 2.4 * needed).abs() < 1e-6, "{contact}: pads press with {pressed} N");

        // Fingertips touch in one point each, so that the answer is unique.
        let mut run = gripper(contact, Shape::Sphere { radius: 0.01 });
        hold(&mut run, 0.8 * needed, 100);
        let expected = -0.1 * (G - 2.0 * MU * 0.8 * needed / MASS);
        assert!((run.velocity(2).z - expected).abs() < 1e-6, "{contact}: {}", run.velocity(2).z);
        run.assert_exact();
    }
}

/// For a minute at 1.2 times the needed force: less than a micrometre.
#[test]
fn sixty_seconds_in_the_grasp_without_slip() {
    let mut run = gripper("nsgs-accelerated", PAD);
    let start = run.position(2);
    hold(&mut run, 1.2 * MASS * G / (2.0 * MU), 60_000);
    run.assert_exact();
    let slip = (run.position(2) - start).norm();
    assert!(slip < 1e-6, "slipped {slip:e} m in 60 s");
}
