//! Files that other programs load are not refused, and mean what they mean there.

#![allow(clippy::unwrap_used)]

use std::path::Path;
use stiction_collision::Shape;
use stiction_models::{LoadOptions, load_str};
use stiction_world::World;

fn world(text: &str) -> World {
    let world = load_str(text, Path::new("f"), Path::new("."), &LoadOptions::default());
    world.unwrap_or_else(|e| panic!("{e}"))
}

/// Velocities and controls that a keyframe leaves out are 0, as in MuJoCo.
#[test]
fn short_velocities_of_keyframes_are_padded() {
    let w = world(
        "<mujoco><worldbody><body><joint/><joint axis='0 1 0'/><geom size='1'/></body></worldbody>\
         <keyframe><key qvel='0.5'/></keyframe></mujoco>",
    );
    assert_eq!(w.keyframes[0].v, [0.5, 0.0]);
    let text = "<mujoco><worldbody><body><joint/><geom size='1'/></body></worldbody>\
                <keyframe><key qvel='0.5 1'/></keyframe></mujoco>";
    let error = load_str(text, Path::new("f"), Path::new("."), &LoadOptions::default()).unwrap_err();
    assert!(error.to_string().contains("1 numbers"), "{error}");
}

#[test]
fn a_root_of_drake_is_a_robot() {
    assert_eq!(world("<drake:robot name='r'><link name='a'/></drake:robot>").name, "r");
}

#[test]
fn the_plane_and_the_sun_of_gazebo_are_built_in() {
    let w = world(
        "<sdf version='1.6'><world name='w'><include><uri>model://ground_plane</uri></include>\
         <include><uri>model://sun</uri></include></world></sdf>",
    );
    let [plane] = &w.geometries[..] else { panic!("{:?}", w.geometries) };
    assert!(matches!(plane.shape, Shape::Plane) && w.model.nv() == 0);
}

/// A shape of density 0 weighs nothing; the others of its link weigh what they do.
#[test]
fn density_zero_is_a_density() {
    let shape = |name: &str, density: &str| {
        format!(
            "<collision name='{name}'>{density}<geometry><box><size>1 1 1</size></box></geometry></collision>"
        )
    };
    let shapes = shape("light", "<density>0</density>") + &shape("heavy", "<density>2</density>");
    let w = world(&format!(
        "<sdf version='1.11'><model name='m'><link name='l'><inertial auto='true'/>{shapes}</link></model></sdf>"
    ));
    assert!((w.model.bodies[0].inertia.mass - 2.0).abs() < 1e-12);
}

#[test]
fn a_limited_ball_without_a_range_is_held() {
    let w = world(
        "<mujoco><worldbody><body><joint type='ball' limited='true'/><geom size='1'/></body></worldbody></mujoco>",
    );
    assert!(w.model.joints[0].limit.is_some_and(|[lo, hi]| lo == 0.0 && hi < 1e-5));
}

/// Drake's models stand on spheres of radius 0: points, which touch.
#[test]
fn spheres_without_extent_are_points() {
    let w = world(
        "<robot name='r'><link name='a'><collision><geometry><sphere radius='0'/></geometry></collision></link></robot>",
    );
    let [Shape::Sphere { radius }] = [&w.geometries[0].shape] else { panic!("{:?}", w.geometries) };
    assert!(*radius > 0.0 && *radius < 1e-5);
}

/// Two links in one another: what turns away stays a pair, what stays inside in every posture is excluded.
#[test]
fn only_pairs_that_cannot_part_are_excluded() {
    let inertia =
        "<inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>";
    let ball = |x: f64| {
        format!("<collision><origin xyz='{x} 0 0'/><geometry><sphere radius='0.1'/></geometry></collision>")
    };
    let link = |name: &str, x: f64| format!("<link name='{name}'>{inertia}{}</link>", ball(x));
    let joint = |name: &str, parent: &str, child: &str, range: f64| {
        format!(
            "<joint name='{name}' type='revolute'><parent link='{parent}'/><child link='{child}'/><axis xyz='0 0 1'/>\
             <limit lower='-{range}' upper='{range}' effort='1' velocity='1'/></joint>"
        )
    };
    let text = |range: f64| {
        let links = link("a", 1.0) + &format!("<link name='b'>{inertia}</link>") + &link("c", 1.05);
        format!(
            "<robot name='r'>{links}{}{}</robot>",
            joint("ab", "a", "b", range),
            joint("bc", "b", "c", range)
        )
    };
    let pairs = |range: f64| world(&text(range)).excluded.contains(&(0, 2));
    assert!(!pairs(1.5), "turned away they are apart");
    assert!(pairs(0.01), "they never are");
    let told = world(&text(1.5)).ledger.warnings;
    assert!(
        told.iter().any(|(_, m)| m.contains("`a` and `c` overlap") && m.contains("can part")),
        "{told:?}"
    );
}
