//! Joints that are locked: [`stiction_world::World::lock_joints`].

use std::path::Path;
use stiction_dynamics::spatial::Pose;
use stiction_dynamics::{Kinematics, Model};
use stiction_models::{LoadOptions, load_str};
use stiction_world::{Geometry, World};

/// An arm of three hinges with a servo on each, a tendon over two, a coupling and a keyframe.
fn arm() -> World {
    let text = r#"<mujoco><compiler autolimits="true"/><worldbody>
        <body name="a"><joint name="ja" axis="0 1 0"/><geom name="ga" size="0.1" pos="0 0 0.1"/>
        <body name="b" pos="0 0 0.5"><joint name="jb" axis="1 0 0" actuatorfrcrange="-3 3"/><geom name="gb" size="0.1"/>
        <body name="c" pos="0 0 0.5"><joint name="jc" axis="0 1 0" actuatorfrcrange="-2 2"/><geom name="gc" size="0.1"/>
        </body></body></body></worldbody>
        <tendon><fixed name="t" range="-9 9" springlength="1 2"><joint joint="jb" coef="2"/><joint joint="jc" coef="3"/></fixed></tendon>
        <actuator><position name="pa" joint="ja" kp="5"/><position name="pb" joint="jb" kp="5"/>
        <position name="pt" tendon="t" kp="7"/></actuator>
        <equality><joint joint1="ja" joint2="jb" polycoef="0.1 0.5 0.3 0 0"/></equality>
        <contact><exclude body1="a" body2="c"/></contact>
        <keyframe><key name="home" qpos="0.1 0.2 0.3"/></keyframe></mujoco>"#;
    load_str(text, Path::new("m.xml"), Path::new("."), &LoadOptions::default())
        .unwrap_or_else(|e| panic!("{e}"))
}

fn place(world: &World, q: &[f64], g: &Geometry) -> Pose {
    let mut kin = Kinematics::new(&world.model);
    kin.update(&world.model, q);
    let (body, in_body) = world.mount(g.link, g.X_LG);
    body.map_or(in_body, |b| kin.X_WB[b] * in_body)
}

fn effort(world: &World, actuator: usize, control: f64, q: &[f64]) -> f64 {
    let a = &world.actuators[actuator];
    let length: f64 = a.transmission.iter().map(|&(dof, c)| c * q[dof]).sum();
    a.law.gain * control + a.law.bias + a.law.bias_length * length
}

#[test]
fn everything_follows_the_links_and_dofs_that_are_left() {
    let world = arm();
    let q = [0.4, -0.7, 0.9];
    let locked = world.lock_joints(&q, &[1]).unwrap();
    let left = [q[0], q[2]];
    assert_eq!((locked.model.nv(), locked.geometries.len()), (2, 3));
    for (was, is) in world.geometries.iter().zip(&locked.geometries) {
        let (was, is) = (place(&world, &q, was), place(&locked, &left, is));
        assert!((was.translation - is.translation).norm() < 1e-14);
    }
    for actuator in [0, 2] {
        let (was, is) = (effort(&world, actuator, 0.3, &q), effort(&locked, actuator, 0.3, &left));
        assert!((was - is).abs() < 1e-14, "{was} is {is}");
    }
    assert!(locked.actuators[1].transmission.is_empty(), "it drives nothing any more");
    let met = |w: &World, q: &[f64]| {
        let along = |terms: &[(usize, f64)]| terms.iter().map(|&(dof, c)| c * q[dof]).sum::<f64>();
        let c = &w.couplings[0];
        let bend = c.curve.as_ref().map_or(0.0, |b| b.at(along(&b.terms) - b.reference).0);
        along(&c.terms) - c.offset - bend
    };
    let room = |w: &World, q: &[f64]| {
        let t = &w.tendons[0];
        let l: f64 = t.terms().iter().map(|&(dof, c)| c * q[dof]).sum();
        [t.limit.unwrap()[1] - l, t.stretch(l)]
    };
    for (was, is) in room(&world, &q).into_iter().zip(room(&locked, &left)) {
        assert!((was - is).abs() < 1e-14, "{was} is {is}");
    }
    assert!((met(&world, &q) - met(&locked, &left)).abs() < 1e-15);
    assert_eq!(locked.keyframes[0].q, [0.1, 0.3]);
    assert_eq!(locked.drive_limits[1].effort, Some([-2.0, 2.0]));
    assert_eq!(locked.excluded.len(), world.excluded.len());
    let same = |a: &Model, b: &Model| (a.nv(), a.bodies.len()) == (b.nv(), b.bodies.len());
    assert!(same(&world.lock_joints(&q, &[]).unwrap().model, &world.model));
    let still = world.lock_joints(&q, &[0, 1, 2]).unwrap();
    assert!(still.model.bodies.is_empty() && still.couplings.is_empty());
    assert!(still.collision().is_ok());
    assert!(world.lock_joints(&q, &[3]).unwrap_err().to_string().contains("joint 3"));
}
