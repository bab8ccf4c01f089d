//! MJCF, feature by feature, on models small enough to solve in the head.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::f64::consts::PI;
use std::path::Path;
use stiction_collision::Shape;
use stiction_dynamics::JointKind;
use stiction_dynamics::spatial::{Quat, Vec3, vec3};
use stiction_models::{LoadOptions, load_str};
use stiction_world::{Actuator, Dimension, Fate, Material, World};

fn read(inside: &str) -> World {
    let text = format!("<mujoco>{inside}</mujoco>");
    load_str(&text, Path::new("m.xml"), Path::new("."), &LoadOptions::default())
        .unwrap_or_else(|e| panic!("{e}"))
}

/// A pendulum with `joint` attributes, and more sections.
fn pendulum(joint: &str, sections: &str) -> World {
    read(&format!(
        r#"{sections}<worldbody><body name="b"><joint name="j" {joint}/><geom name="g" size="1" mass="1"/></body></worldbody>"#
    ))
}

fn close(a: Vec3, b: Vec3) -> bool {
    (a - b).norm() < 1e-12
}

fn same_turn(a: Quat, b: Quat) -> bool {
    (a.conjugate() * b).log().norm() < 1e-12
}

#[test]
fn orientations_of_every_kind_and_the_compiler_that_reads_them() {
    let turn = |compiler: &str, how: &str| {
        let world = read(&format!(
            r#"<compiler {compiler}/><worldbody><body {how}><freejoint/><geom size="1"/></body></worldbody>"#
        ));
        world.model.bodies[0].X_PB.rotation
    };
    let z90 = Quat::from_axis_angle(Vec3::Z, PI / 2.0);
    assert!(same_turn(turn("", r#"quat="1 0 0 1""#), z90));
    assert!(same_turn(turn("", r#"axisangle="0 0 2 90""#), z90));
    assert!(same_turn(turn(r#"angle="radian""#, r#"axisangle="0 0 1 1.5707963267948966""#), z90));
    assert!(same_turn(turn("", r#"xyaxes="0 2 0 -3 1 0""#), z90));
    assert!(same_turn(turn("", r#"zaxis="0 0 1""#), Quat::IDENTITY));
    assert!(close(turn("", r#"zaxis="1 2 2""#).rotate(Vec3::Z) * 3.0, vec3(1.0, 2.0, 2.0)));
    let (x, y, z) = (
        Quat::from_axis_angle(Vec3::X, 0.1),
        Quat::from_axis_angle(Vec3::Y, 0.2),
        Quat::from_axis_angle(Vec3::Z, 0.3),
    );
    let euler = r#"euler="0.1 0.2 0.3""#;
    assert!(same_turn(turn(r#"angle="radian""#, euler), x * y * z));
    assert!(same_turn(turn(r#"angle="radian" eulerseq="XYZ""#, euler), z * y * x));
    let zyx = turn(r#"angle="radian" eulerseq="zyx""#, r#"euler="0.3 0.2 0.1""#);
    assert!(same_turn(zyx, z * y * x));
}

#[test]
fn joint_values_are_in_degrees_unless_said_otherwise_and_lengths_never() {
    let world = pendulum(
        r#"range="-90 180" ref="90" springref="45" stiffness="2" damping="3" armature="4" frictionloss="5""#,
        "",
    );
    let (j, d) = (&world.model.joints[0], &world.model.dofs[0]);
    assert_eq!(j.limit, Some([-PI / 2.0, PI]));
    assert_eq!((j.reference, j.spring_rest, j.stiffness), (PI / 2.0, PI / 4.0, 2.0));
    assert_eq!((d.damping, d.armature, d.friction), (3.0, 4.0, 5.0));
    assert_eq!(world.model.neutral(), [PI / 2.0]);
    let slide = pendulum(r#"type="slide" range="-1 2" ref="0.5""#, "");
    assert_eq!((slide.model.joints[0].limit, slide.model.joints[0].reference), (Some([-1.0, 2.0]), 0.5));
    let ball = pendulum(r#"type="ball" range="0 60""#, "");
    assert_eq!(
        (ball.model.joints[0].kind, ball.model.joints[0].limit),
        (JointKind::Ball, Some([0.0, PI / 3.0]))
    );
}

#[test]
fn a_range_limits_unless_told_not_to() {
    let limit = |joint: &str, sections: &str| pendulum(joint, sections).model.joints[0].limit;
    assert!(limit(r#"range="-1 1""#, "").is_some());
    assert!(limit(r#"range="-1 1" limited="false""#, "").is_none());
    assert!(limit(r#"range="-1 1" limited="true""#, r#"<compiler autolimits="false"/>"#).is_some());
    assert!(limit(r#"range="-1 1""#, r#"<option><flag limit="disable"/></option>"#).is_none());
}

#[test]
fn classes_nest_and_childclass_reaches_inward() {
    let world = read(
        r#"<default><geom friction="0.1" size="3"/>
             <default class="a"><geom friction="0.2"/><joint damping="1"/>
               <default class="b"><geom size="1 2"/></default></default></default>
           <worldbody><geom type="sphere"/>
             <body childclass="a"><joint/><geom/><geom class="b" type="capsule" friction="0.5"/>
               <body childclass="b" pos="9 0 0"><joint class="main"/><geom type="cylinder"/></body></body></worldbody>"#,
    );
    let friction: Vec<_> = world.geometries.iter().map(|g| g.material.friction).collect();
    assert_eq!(friction, [0.1, 0.2, 0.5, 0.2]);
    assert!(matches!(world.geometries[0].shape, Shape::Sphere { radius: 3.0 }));
    assert!(matches!(world.geometries[2].shape, Shape::Capsule { radius: 1.0, half_length: 2.0 }));
    assert!(matches!(world.geometries[3].shape, Shape::Cylinder { radius: 1.0, half_length: 2.0 }));
    let damping: Vec<_> = world.model.dofs.iter().map(|d| d.damping).collect();
    assert_eq!(damping, [1.0, 0.0]);
}

#[test]
fn mass_comes_from_geoms_or_from_inertial() {
    let mass = |compiler: &str, inside: &str| {
        let world = read(&format!(
            r#"<compiler {compiler}/><worldbody><body><joint armature="1"/>{inside}</body></worldbody>"#
        ));
        world.model.links[0].inertia
    };
    let inertial = r#"<inertial pos="0 0 1" mass="5" diaginertia="1 1 1"/>"#;
    let cube = r#"<geom type="box" size=".5 .5 .5" pos="2 0 0" density="3"/>"#;
    assert!((mass("", cube).mass - 3.0).abs() < 1e-12);
    assert!(close(mass("", cube).com(), vec3(2.0, 0.0, 0.0)));
    assert!((mass("", cube).about_com().xx - 0.5).abs() < 1e-12);
    assert_eq!(mass("", &format!("{inertial}{cube}")).mass, 5.0);
    assert!((mass(r#"inertiafromgeom="true""#, &format!("{inertial}{cube}")).mass - 3.0).abs() < 1e-12);
    assert_eq!(mass(r#"inertiafromgeom="false""#, cube).mass, 0.0);
    assert_eq!(mass(r#"boundmass="7""#, inertial).mass, 7.0);
    assert!((mass(r#"settotalmass="10""#, inertial).about_com().zz - 2.0).abs() < 1e-12);
    assert_eq!(mass(r#"inertiagrouprange="1 2""#, cube).mass, 0.0);
    let flat = r#"<inertial pos="0 0 0" mass="1" diaginertia="1 1 4"/>"#;
    assert_eq!(mass(r#"balanceinertia="true""#, flat).about_com().xx, 2.0);
    let ellipsoid = r#"<geom type="ellipsoid" size="1 2 3" mass="5"/>"#;
    assert!((mass("", ellipsoid).about_com().xx - 13.0).abs() < 1e-12);
}

#[test]
fn fromto_frames_and_replicates_place_geoms() {
    let world = read(
        r#"<worldbody>
          <geom type="capsule" fromto="0 0 0 0 0 -4" size=".5"/>
          <frame pos="1 0 0" euler="0 0 90"><geom size="1" pos="1 0 0"/></frame>
          <replicate count="3" offset="1 0 0" euler="0 0 90"><geom name="r" size="1" pos="0 0 5"/></replicate>
        </worldbody>"#,
    );
    let g = &world.geometries;
    assert!(matches!(g[0].shape, Shape::Capsule { radius: 0.5, half_length: 2.0 }));
    assert!(close(g[0].X_LG.translation, vec3(0.0, 0.0, -2.0)));
    assert!(close(g[1].X_LG.translation, vec3(1.0, 1.0, 0.0)));
    let at: Vec<_> = g[2..].iter().map(|g| (g.name.as_str(), g.X_LG.translation)).collect();
    for ((name, p), (expected, q)) in
        at.iter().zip([("r0", vec3(0.0, 0.0, 5.0)), ("r1", vec3(1.0, 0.0, 5.0)), ("r2", vec3(1.0, 1.0, 5.0))])
    {
        assert!(*name == expected && close(*p, q), "{name} {p:?}");
    }
}

#[test]
fn who_touches_whom() {
    let world = read(
        r#"<worldbody><geom type="plane" size="1 1 1"/>
          <body name="table"><geom size="1"/>
            <body name="a"><joint/><geom size="1" condim="1"/>
              <body name="welded"><geom size="1" contype="2" conaffinity="4"/>
                <body name="c"><joint/><geom size="1" priority="2"/></body></body></body></body></worldbody>
          <contact><exclude body1="c" body2="world"/><exclude body1="table" body2="a"/></contact>"#,
    );
    // a and c are neighbours across the weld; the table is fixed to the world: no neighbour of a.
    assert_eq!(world.excluded, [(1, 3), (2, 3), (0, 1)]);
    assert_eq!(world.excluded_from_world, [3]);
    assert_eq!(world.model.links[2].body, world.model.links[1].body);
    let g = &world.geometries;
    assert!(g[2].material.dimension == Dimension::Normal && g[0].material.dimension == Dimension::Sliding);
    assert_eq!((g[3].group, g[3].mask, g[4].material.priority), (2, 4, 2));
    let off = pendulum("", r#"<option><flag contact="disable"/></option>"#);
    assert_eq!((off.geometries[0].group, off.geometries[0].mask), (0, 0));
}

#[test]
fn drawn_geoms_do_not_touch_and_take_the_colour_of_their_material() {
    let world = read(
        r#"<asset><material name="m" rgba="1 0 0 1"/></asset>
           <worldbody><geom size="1" contype="0" conaffinity="0" material="m"/><geom size="1" material="m" rgba="0 1 0 1"/></worldbody>"#,
    );
    assert_eq!((world.visuals.len(), world.geometries.len()), (1, 1));
    assert_eq!(
        (world.visuals[0].rgba, world.geometries[0].rgba),
        ([1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 1.0])
    );
}

#[test]
fn a_mesh_of_vertices_is_its_hull() {
    let world = read(
        r#"<asset><mesh name="box" vertex="0 0 0 1 0 0 0 1 0 1 1 0 0 0 1 1 0 1 0 1 1 1 1 1" scale="2 2 2"/></asset>
           <worldbody><body><freejoint/><geom type="mesh" mesh="box" density="10"/></body></worldbody>"#,
    );
    let inertia = world.model.links[0].inertia;
    assert!((inertia.mass - 80.0).abs() < 1e-9 && close(inertia.com(), vec3(1.0, 1.0, 1.0)));
    assert!((world.geometries[0].shape.volume() - 8.0).abs() < 1e-12);
}

fn actuator(element: &str, more: &str) -> Actuator {
    let world = pendulum(
        r#"range="-90 90""#,
        &format!(
            r#"{more}<tendon><fixed name="t"><joint joint="j" coef="3"/></fixed></tendon><actuator>{element}</actuator>"#
        ),
    );
    world.actuators[0].clone()
}

#[test]
fn actuators_of_every_kind() {
    let law = |a: &Actuator| (a.law.gain, a.law.bias, a.law.bias_length, a.law.bias_velocity);
    let motor = actuator(r#"<motor name="m" joint="j" gear="5" ctrlrange="-1 1" forcerange="-2 3"/>"#, "");
    assert_eq!((law(&motor), motor.transmission.clone()), ((1.0, 0.0, 0.0, 0.0), vec![(0, 5.0)]));
    assert_eq!((motor.control_limit, motor.effort_limit), (Some([-1.0, 1.0]), Some([-2.0, 3.0])));
    let position = actuator(r#"<position joint="j" kp="10" kv="2"/>"#, "");
    assert_eq!(law(&position), (10.0, 0.0, -10.0, -2.0));
    let velocity = actuator(r#"<velocity joint="j" kv="2"/>"#, "");
    assert_eq!(law(&velocity), (2.0, 0.0, 0.0, -2.0));
    let general = actuator(
        r#"<general joint="j" gainprm="7" biastype="affine" biasprm="1 2 3" ctrllimited="false" ctrlrange="0 1"/>"#,
        "",
    );
    assert_eq!((law(&general), general.control_limit), ((7.0, 1.0, 2.0, 3.0), None));
    let tendon = actuator(r#"<motor tendon="t" gear="2"/>"#, "");
    assert_eq!(tendon.transmission, [(0, 6.0)]);
    // A default of one kind speaks to all kinds; the shorthand on the element has the last word.
    let classes = r#"<default><general ctrlrange="-3 3" biastype="affine" biasprm="0 -1 -1"/></default>"#;
    let motor = actuator(r#"<motor joint="j"/>"#, classes);
    assert_eq!((law(&motor), motor.control_limit), ((1.0, 0.0, 0.0, 0.0), Some([-3.0, 3.0])));
    let inherits = actuator(r#"<position joint="j" kp="1" inheritrange="1"/>"#, "");
    assert_eq!(inherits.control_limit, Some([-PI / 2.0, PI / 2.0]));
    let both = r#"<default><position inheritrange="1"/><motor ctrlrange="-7 7"/></default>"#;
    assert_eq!(actuator(r#"<motor joint="j"/>"#, both).control_limit, Some([-7.0, 7.0]));
    // A ball of 1 kg and radius 1 on a hinge through its centre: I = 0.4, so kv = 2 √(10 · 0.4).
    let critical = actuator(r#"<position joint="j" kp="10" dampratio="1"/>"#, "");
    assert!((critical.law.bias_velocity + 4.0).abs() < 1e-12);
}

#[test]
fn what_is_not_simulated_keeps_its_place_and_is_said() {
    let world = pendulum("", r#"<actuator><muscle joint="j"/><motor name="m" joint="j"/></actuator>"#);
    assert_eq!((world.actuators.len(), world.actuators[0].transmission.len()), (2, 0));
    let unsupported: Vec<_> = world.ledger.of(Fate::Unsupported).map(|e| e.what.as_str()).collect();
    assert_eq!(unsupported, ["muscle"]);
    assert_eq!(world.ledger.warnings.len(), 1);
}

/// MuJoCo 4 saves servos so.
#[test]
fn the_label_of_a_control_is_no_reason_to_warn() {
    let servo = r#"<general joint="j" input="pos" biastype="affine" gainprm="10" biasprm="0 -10 -1"/>"#;
    let world = pendulum("", &format!("<actuator>{servo}</actuator>"));
    assert_eq!((world.ledger.of(Fate::Unsupported).count(), world.actuators[0].law.gain), (0, 10.0));
}

#[test]
fn equalities_couple_joints_from_their_references() {
    let couplings = |equality: &str| {
        let world = read(&format!(
            r#"<compiler angle="radian"/><worldbody><body><joint name="x" ref="0.5"/><geom size="1"/>
               <body><joint name="y" ref="2"/><geom size="1"/></body></body></worldbody><equality>{equality}</equality>"#
        ));
        (world.couplings, world.ledger.of(Fate::Unsupported).count())
    };
    // y − 2 = 0.1 + 3 (x − 0.5)
    let (c, _) = couplings(r#"<joint joint1="y" joint2="x" polycoef="0.1 3 0 0 0"/>"#);
    assert_eq!(c[0].terms, [(1, 1.0), (0, -3.0)]);
    assert!((c[0].offset - 0.6).abs() < 1e-15);
    let (c, _) = couplings(r#"<joint joint1="y"/>"#);
    assert_eq!((c[0].terms.clone(), c[0].offset), (vec![(1, 1.0)], 2.0));
    assert!(couplings(r#"<joint joint1="y" active="false"/>"#).0.is_empty());
    // y − 2 = 0.1 + 3 z + 4 z² + 5 z³ + 6 z⁴ with z = x − 0.5.
    let (c, unsupported) = couplings(r#"<joint joint1="y" joint2="x" polycoef="0.1 3 4 5 6"/>"#);
    let curve = c[0].curve.clone().unwrap();
    assert_eq!((curve.reference, curve.coefficients, unsupported), (0.5, [4.0, 5.0, 6.0], 0));
    assert_eq!(curve.at(2.0), (16.0 + 40.0 + 96.0, 16.0 + 60.0 + 192.0));
}

#[test]
fn keyframes_options_and_efforts() {
    let world = pendulum(
        r#"actuatorfrcrange="-4 4""#,
        r#"<option timestep="0.01" gravity="0 0 -1"/><actuator><motor joint="j"/></actuator>
           <keyframe><key name="k" qpos="1" qvel="2" ctrl="3"/><key/></keyframe>"#,
    );
    assert_eq!((world.time_step, world.model.gravity.z), (Some(0.01), -1.0));
    let k = &world.keyframes[0];
    assert_eq!((k.name.as_str(), k.q[0], k.v[0], k.control[0]), ("k", 1.0, 2.0, 3.0));
    assert_eq!((world.keyframes[1].q[0], world.keyframes[1].control[0]), (0.0, 0.0));
    assert_eq!(world.drive_limits[0].effort, Some([-4.0, 4.0]));
    let off = pendulum("", r#"<option><flag gravity="disable"/></option>"#);
    assert_eq!(off.model.gravity, Vec3::ZERO);
}

#[test]
fn included_files_stand_in_place_and_cycles_are_errors() {
    let folder = std::env::temp_dir().join(format!("stiction-include-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
    write(
        "part.xml",
        r#"<mujocoinclude><geom name="two" size="1"/><geom name="three" sice="1" size="1"/></mujocoinclude>"#,
    );
    write("loop.xml", r#"<mujoco><include file="loop.xml"/></mujoco>"#);
    let read = |text: &str, name: &str| load_str(text, &folder.join(name), &folder, &LoadOptions::default());
    let good = read(
        r#"<mujoco><worldbody><geom name="one" size="1"/><include file="part.xml"/><geom name="four" size="1"/></worldbody></mujoco>"#,
        "main.xml",
    );
    let cycle = stiction_models::load(&folder.join("loop.xml"), &LoadOptions::default());
    let twice = read(
        r#"<mujoco><worldbody><include file="part.xml"/><include file="part.xml"/></worldbody></mujoco>"#,
        "main.xml",
    );
    std::fs::remove_dir_all(&folder).unwrap();
    let good = good.unwrap_or_else(|e| panic!("{e}"));
    let names: Vec<_> = good.geometries.iter().map(|g| g.name.as_str()).collect();
    assert_eq!(names, ["one", "two", "three", "four"]);
    let unknown: Vec<_> = good.ledger.of(Fate::Unknown).collect();
    assert_eq!((unknown.len(), unknown[0].what.as_str()), (1, "geom@sice"));
    assert!(unknown[0].first.to_string().ends_with("part.xml:1:62"), "{}", unknown[0].first);
    assert!(unknown[0].note.contains("`size`"));
    assert!(cycle.unwrap_err().to_string().contains("loop.xml:1:18"));
    assert!(twice.unwrap_err().to_string().contains("included once"));
}

/// Several <worldbody> are one body, whose geometries come before those of the bodies on it.
#[test]
fn parts_of_the_world_are_one_body() {
    let world = read(
        r#"<worldbody><body name="a"><freejoint/><geom name="of_a" size="1"/></body><geom name="first" size="1"/></worldbody>
           <worldbody><body name="b"><freejoint/><geom name="of_b" size="1"/></body><geom name="second" size="1"/></worldbody>"#,
    );
    let names: Vec<_> = world.geometries.iter().map(|g| g.name.as_str()).collect();
    assert_eq!(names, ["first", "second", "of_a", "of_b"]);
    assert_eq!(world.model.bodies.iter().map(|b| b.name.as_str()).collect::<Vec<_>>(), ["a", "b"]);
}

/// impratio is of the whole file, solreffriction of a pair.
#[test]
fn of_two_frictions_mujoco_takes_the_larger() {
    let geom = |mu| format!("<body><freejoint/><geom size='1' friction='{mu}'/></body>");
    let w = read(&format!("<worldbody>{}{}</worldbody>", geom(0.6), geom(0.2)));
    assert_eq!(Material::pair(&w.geometries[0].material, &w.geometries[1].material).friction(), 0.6);
}

#[test]
fn softness_reaches_surfaces_and_pairs() {
    let world = read(
        r#"<option impratio="10"/><worldbody><geom name="f" type="plane" size="1 1 1"/>
        <body pos="0 0 1"><freejoint/><geom name="b" size="1" solref="0.05 1"/></body></worldbody>
        <contact><pair geom1="f" geom2="b" solreffriction="0.03 1"/></contact>"#,
    );
    assert!(world.geometries.iter().all(|g| g.material.softness.impratio == 10.0));
    assert_eq!(world.geometries[1].material.softness.reference, [0.05, 1.0]);
    let pair = world.pairs[0].surface;
    assert_eq!((pair.friction_reference, pair.softness.impratio), ([0.03, 1.0], 10.0));
}

/// Names that parts which are not built would have had are told apart from a slip of the pen.
#[test]
fn names_of_parts_that_are_not_built_are_told() {
    let text = r#"<mujoco><worldbody><composite type="cable" prefix="c" count="4 1 1" size="1"/>
        <body name="hook"><joint/><geom size="1"/></body></worldbody>
        <equality><connect body1="cB_last" body2="hook" anchor="0 0 0"/></equality></mujoco>"#;
    let error = load_str(text, Path::new("m.xml"), Path::new("."), &LoadOptions::default()).unwrap_err();
    let message = error.to_string();
    assert!(message.contains("`cB_last`") && message.contains("<composite> at m.xml:1:"), "{message}");
}
