//! Worlds that grow: [`stiction_world::World::resized`].

use std::path::Path;
use stiction_collision::Shape;
use stiction_dynamics::spatial::vec3;
use stiction_models::{LoadOptions, load_str};
use stiction_world::ResizeError;

/// An arm all of whose lengths grow is the arm of a file in which all lengths were larger, but for the mass that stays.
#[test]
fn a_world_that_grows_is_the_world_of_larger_lengths() {
    let arm = |s: f64| {
        let text = format!(
            "<mujoco><compiler angle='radian'/><worldbody><geom type='plane' size='0 0 1'/><body name='upper' pos='0 0 {z}'>\
             <joint name='shoulder' axis='0 1 0' pos='0 0 {a}'/><inertial pos='{c} 0 0' mass='2' diaginertia='{i} {i} {i}'/>\
             <geom type='capsule' size='{r} {l}' pos='{c} 0 0'/><site name='tip' pos='{l} 0 0'/>\
             <body name='lower' pos='{l} 0 0'><joint name='elbow' axis='0 1 0'/>\
             <inertial pos='{c} 0 0' mass='1' diaginertia='{i} {i} {i}'/><geom type='box' size='{r} {r} {l}'/></body></body></worldbody></mujoco>",
            z = 1.0,
            a = 0.01 * s,
            c = 0.1 * s,
            r = 0.02 * s,
            l = 0.2 * s,
            i = 0.004 * s * s
        );
        load_str(&text, Path::new("arm.xml"), Path::new(""), &LoadOptions::default()).unwrap()
    };
    let (grown, expected) = (arm(1.0).resized(&[0, 1], 1.25).unwrap(), arm(1.25));
    let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} {b}");
    for (a, b) in grown.model.bodies.iter().zip(&expected.model.bodies) {
        near((a.X_PB.translation - b.X_PB.translation).norm(), 0.0);
        near((a.inertia.first - b.inertia.first).norm() + a.inertia.mass - b.inertia.mass, 0.0);
        near(a.inertia.second.yy, b.inertia.second.yy);
    }
    for (a, b) in grown.model.joints.iter().zip(&expected.model.joints) {
        near((a.anchor - b.anchor).norm(), 0.0);
    }
    for (a, b) in grown.geometries.iter().zip(&expected.geometries) {
        near((a.X_LG.translation - b.X_LG.translation).norm(), 0.0);
        let d = vec3(0.3, -0.5, 0.8);
        if !matches!(a.shape, Shape::Plane) {
            near((a.shape.support(d) - b.shape.support(d)).norm(), 0.0);
        }
    }
    near((grown.extras.sites[0].X_LS.translation - expected.extras.sites[0].X_LS.translation).norm(), 0.0);
    // One of two: the other moves with its joint and keeps its size.
    let one = arm(1.0).resized(&[0], 1.25).unwrap();
    near(one.model.bodies[1].X_PB.translation.x, 0.25);
    near(one.model.bodies[1].inertia.second.yy, arm(1.0).model.bodies[1].inertia.second.yy);
    assert_eq!(arm(1.0).resized(&[0], 0.0).unwrap_err(), ResizeError::Factor(0.0));
}
