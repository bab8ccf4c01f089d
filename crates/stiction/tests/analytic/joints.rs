//! Limits, dry friction and couplings of joints (scene A12).

use crate::worlds::{EXACT, G, Run};
use stiction::State;
use stiction::dynamics::spatial::{Inertia, Pose, Sym3, Vec3, vec3};
use stiction::dynamics::{JointKind, JointSpec, ModelBuilder};
use stiction::models::{Coupling, World};

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
        world.couplings.push(Coupling { name: "rope".into(), terms, offset: 0.0 });
        let state = State::neutral(&world.model);
        let mut run = Run::of(world, state, contact, 1e-3);
        run.steps(100);
        let v = &run.sim.state().v;
        assert!((v[0] + 0.1 * G * 0.5).abs() < 1e-8 && (v[0] + v[1]).abs() < 1e-8, "{contact}: {v:?}");
        run.assert_exact();
    }
}
