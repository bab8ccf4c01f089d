//! Environments with numbers of their own.

use super::scene::quadruped;
use stiction::batch::{Batch, BatchSettings, Precision};
use stiction::collision::Shape;
use stiction::dynamics::spatial::{Pose, vec3};
use stiction::world::{Material, World};
use stiction::{Composer, FreeBody, Settings, Simulation, State, UNCOLOURED};

const G: f64 = 9.81;

/// A box of 1 kg on a plane.
fn block() -> (World, State) {
    let mut c = Composer::new("block", vec3(0.0, 0.0, -G)).unwrap();
    c.fixed(
        "ground",
        Shape::Plane,
        Pose::IDENTITY,
        Material { friction: 0.0, ..Material::default() },
        UNCOLOURED,
    )
    .unwrap();
    let shape = Shape::Box { half: vec3(0.2, 0.2, 0.05) };
    let pose = Pose::from_translation(vec3(0.0, 0.0, 0.05));
    c.body(FreeBody {
        material: Material { friction: 0.5, ..Material::default() },
        ..FreeBody::new("block", shape, 1.0, pose)
    })
    .unwrap();
    c.finish()
}

/// The ground tilts by atan ½ for all; friction of 0.51 holds, of 0.49 slides, of 0.3 more.
#[test]
fn friction_and_gravity_of_their_own() {
    for (precision, close) in [(Precision::Double, 1e-9), (Precision::Single, 1e-4)] {
        let (world, state) = block();
        let tolerance = close / 100.0;
        let settings = BatchSettings { precision, tolerance, ..BatchSettings::default() };
        let mut batch = Batch::new(world, &state, 9, settings).unwrap();
        let (sin, cos) = (1.0 / 5.0_f64.sqrt(), 2.0 / 5.0_f64.sqrt());
        let frictions = [0.51, 0.49, 0.3, 0.51, 0.49, 0.3, 0.51, 0.49, 0.3];
        for (i, mu) in frictions.into_iter().enumerate() {
            let mut fields = batch.fields(i);
            fields.gravity = vec3(G * sin, 0.0, -G * cos);
            fields.friction[1] = mu;
            batch.set_fields(i, fields).unwrap();
        }
        (0..200).for_each(|_| batch.step(&[]));
        for (i, mu) in frictions.into_iter().enumerate() {
            let expected = (0.2 * G * (sin - mu * cos)).max(0.0);
            let (_, v) = batch.state(i);
            assert!((v[0] - expected).abs() < close, "mu {mu}: {} {expected}", v[0]);
        }
    }
}

/// A push moves the heavy one less.
#[test]
fn masses_of_their_own() {
    let (world, state) = block();
    let mut batch = Batch::new(world, &state, 3, BatchSettings::default()).unwrap();
    for (i, mass) in [1.0, 2.0, 5.0].into_iter().enumerate() {
        let mut fields = batch.fields(i);
        fields.friction[1] = 0.0;
        fields.scale_mass(0, mass);
        batch.set_fields(i, fields).unwrap();
    }
    for _ in 0..100 {
        for i in 0..3 {
            batch.generalized_mut(i)[1] = 4.0;
        }
        batch.step(&[]);
    }
    for (i, mass) in [1.0, 2.0, 5.0].into_iter().enumerate() {
        let (_, v) = batch.state(i);
        assert!((v[1] - 0.4 / mass).abs() < 1e-9, "{mass}: {}", v[1]);
    }
}

/// Everything that can be changed, changed: lanes against a world written out.
#[test]
fn all_numbers_against_a_world_with_them() {
    let (world, home, control) = quadruped();
    let settings = BatchSettings { tolerance: 1e-12, ..BatchSettings::default() };
    let mut batch = Batch::new(world.clone(), &home, 6, settings.clone()).unwrap();
    let mut fields = batch.fields(4);
    let mut own = world;
    fields.gravity = vec3(0.3, -0.2, -9.0);
    own.model.gravity = fields.gravity;
    for (b, body) in own.model.bodies.iter_mut().enumerate() {
        fields.scale_mass(b, 1.0 + 0.02 * b as f64);
        body.inertia = fields.inertia[b];
    }
    for (d, dof) in own.model.dofs.iter_mut().enumerate().skip(6) {
        (dof.armature, dof.damping, dof.friction) = (0.02, 0.2, 0.05 + 0.01 * d as f64);
        (fields.armature[d], fields.damping[d], fields.dry_friction[d]) =
            (dof.armature, dof.damping, dof.friction);
    }
    for (j, joint) in own.model.joints.iter_mut().enumerate().skip(1) {
        (joint.stiffness, joint.spring_rest) = (2.0, 0.1 * j as f64);
        (fields.stiffness[j], fields.spring_rest[j]) = (joint.stiffness, joint.spring_rest);
    }
    for (k, actuator) in own.actuators.iter_mut().enumerate() {
        actuator.law.gain *= 1.1;
        actuator.law.bias_velocity *= 0.8;
        actuator.effort_limit = Some([-20.0, 20.0]);
        (fields.law[k], fields.effort_limit[k]) = (actuator.law, actuator.effort_limit);
    }
    for (g, geometry) in own.geometries.iter_mut().enumerate() {
        geometry.material.friction = 0.3;
        geometry.material.restitution = 0.1;
        (fields.friction[g], fields.restitution[g]) = (0.3, 0.1);
    }
    batch.set_fields(4, fields.clone()).unwrap();
    assert_eq!(batch.fields(4), fields);
    let alone = Settings {
        contact: "auto".to_owned(),
        tolerance: 1e-12,
        stepper: settings.stepper,
        ..Settings::default()
    };
    let mut sim = Simulation::new(own, home, alone).unwrap();
    sim.control_mut().copy_from_slice(&control);
    for step in 0..100 {
        batch.step(&control.repeat(6));
        assert!(sim.step().failure().is_none());
        let (q, v) = batch.state(4);
        for (a, b) in sim.state().q.iter().zip(q).chain(sim.state().v.iter().zip(v)) {
            assert!((a - b).abs() < 1e-9, "step {step}: {a} {b}");
        }
    }
}

#[test]
fn wrong_numbers_are_named() {
    let (world, state) = block();
    let mut batch = Batch::new(world, &state, 2, BatchSettings::default()).unwrap();
    let fields = batch.fields(1);
    let mut wrong = fields.clone();
    wrong.friction[1] = -0.1;
    let text = batch.set_fields(1, wrong).unwrap_err().to_string();
    assert!(text.contains("friction[1] is -0.1"), "{text}");
    let mut wrong = fields;
    wrong.armature.pop();
    let text = batch.set_fields(1, wrong).unwrap_err().to_string();
    assert!(text.contains("`armature` has 5 entries") && text.contains('6'), "{text}");
}
