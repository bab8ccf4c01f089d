//! URDF, feature by feature, on robots small enough to solve in the head.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use crate::common;

use std::path::Path;
use stiction_collision::Shape;
use stiction_dynamics::JointKind;
use stiction_dynamics::spatial::{Vec3, vec3};
use stiction_models::{LoadOptions, load_str};
use stiction_world::{Compliance, Drawing, Fate, GrainFrame, Material, World};

fn read(text: &str) -> World {
    read_with(text, &LoadOptions::default())
}

fn read_with(text: &str, options: &LoadOptions) -> World {
    load_str(text, Path::new("r.urdf"), Path::new("."), options).unwrap_or_else(|e| panic!("{e}"))
}

/// Two links of 1 kg with `joint` between them and `more` beside.
fn two_links(joint: &str, more: &str) -> String {
    let inertial = r#"<inertial><mass value="1"/>
        <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>"#;
    format!(
        r#"<robot name="r"><link name="a">{inertial}</link><link name="b">{inertial}</link>
        {joint}{more}</robot>"#
    )
}

fn close(a: Vec3, b: Vec3) -> bool {
    (a - b).norm() < 1e-12
}

#[test]
fn a_rotated_inertial_frame_turns_the_moments() {
    let world = read(
        r#"<robot name="r"><link name="a"><inertial><origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/>
        <mass value="2"/><inertia ixx="1" ixy="0.1" ixz="0" iyy="2" iyz="0" izz="2.5"/></inertial></link></robot>"#,
    );
    let inertia = world.model.links[0].inertia;
    assert!(close(inertia.com(), vec3(1.0, 2.0, 3.0)));
    // A quarter turn about z swaps xx and yy and turns the sign of xy.
    let moments = inertia.about_com();
    assert!((moments.xx - 2.0).abs() < 1e-12 && (moments.yy - 1.0).abs() < 1e-12);
    assert!((moments.xy + 0.1).abs() < 1e-12 && (moments.zz - 2.5).abs() < 1e-12);
}

#[test]
fn joints_of_every_type() {
    let joint = |kind: &str, extra: &str| {
        let joint = format!(
            r#"<joint name="j" type="{kind}"><origin xyz="0 0 1"/><parent link="a"/><child link="b"/>{extra}</joint>"#
        );
        read(&two_links(&joint, ""))
    };
    let limit = r#"<axis xyz="0 3 0"/><limit lower="-1" upper="2" effort="5" velocity="7"/>
        <dynamics damping="0.1" friction="0.2"/>"#;
    let revolute = joint("revolute", limit);
    let j = &revolute.model.joints[0];
    assert_eq!((j.kind, j.limit), (JointKind::Hinge, Some([-1.0, 2.0])));
    assert!(close(j.axis, Vec3::Y));
    assert_eq!((revolute.model.dofs[0].damping, revolute.model.dofs[0].friction), (0.1, 0.2));
    assert_eq!(revolute.drive_limits[0].effort, Some([-5.0, 5.0]));
    assert_eq!(revolute.drive_limits[0].velocity, Some(7.0));
    // The base is fixed to the world and its neighbour does not touch it.
    assert_eq!(revolute.model.links[0].body, None);

    let continuous = joint("continuous", "");
    assert_eq!(continuous.model.joints[0].limit, None);
    assert!(close(continuous.model.joints[0].axis, Vec3::X), "the axis is x where none is given");

    assert_eq!(joint("prismatic", limit).model.joints[0].kind, JointKind::Slide);
    assert_eq!(joint("fixed", "").model.nv(), 0);
    assert_eq!(joint("floating", "").model.joints[0].kind, JointKind::Free);
    let planar = joint("planar", r#"<axis xyz="0 0 1"/>"#).model;
    let kinds: Vec<_> = planar.joints.iter().map(|j| j.kind).collect();
    assert_eq!(kinds, [JointKind::Slide, JointKind::Slide, JointKind::Hinge]);
    assert!(close(planar.joints[0].axis, Vec3::X) && close(planar.joints[1].axis, Vec3::Y));
}

#[test]
fn a_free_base_carries_its_fixed_children() {
    let fixed =
        r#"<joint name="j" type="fixed"><origin xyz="0 0 1"/><parent link="a"/><child link="b"/></joint>"#;
    let options = LoadOptions { free_base: true, ..LoadOptions::default() };
    let model = read_with(&two_links(fixed, ""), &options).model;
    assert_eq!((model.bodies.len(), model.nv(), model.moving_mass()), (1, 6, 2.0));
    assert!(close(model.bodies[0].inertia.com(), vec3(0.0, 0.0, 0.5)));
    assert!(close(model.links[1].X_BL.translation, vec3(0.0, 0.0, 1.0)));
}

#[test]
fn shapes_surfaces_and_colours() {
    let world = read(
        r#"<robot name="r"><material name="red"><color rgba="1 0 0 1"/></material>
        <link name="a">
          <collision name="c0"><origin xyz="0 0 1"/><geometry><box size="2 4 6"/></geometry></collision>
          <collision><geometry><cylinder radius="1" length="4"/></geometry></collision>
          <collision><geometry><capsule radius="1" length="2"/></geometry></collision>
          <visual><geometry><sphere radius="1"/></geometry><material name="red"/></visual>
          <visual><geometry><ellipsoid radii="1 2 3"/></geometry></visual>
          <contact><restitution value="0.5"/></contact>
        </link>
        <gazebo reference="a"><mu1>0.3</mu1><mu2>0.3</mu2></gazebo></robot>"#,
    );
    let g = &world.geometries;
    assert!(matches!(g[0].shape, Shape::Box { half } if close(half, vec3(1.0, 2.0, 3.0))));
    assert!(matches!(g[1].shape, Shape::Cylinder { radius: 1.0, half_length: 2.0 }));
    assert!(matches!(g[2].shape, Shape::Capsule { radius: 1.0, half_length: 1.0 }));
    assert_eq!((g[0].name.as_str(), g[1].name.as_str()), ("c0", "a_1"));
    assert_eq!((g[0].material.friction, g[0].material.restitution), (0.3, 0.5));
    assert_eq!(world.visuals[0].rgba, [1.0, 0.0, 0.0, 1.0]);
    assert!(matches!(world.visuals[1].drawing, Drawing::Shape(Shape::Ellipsoid { .. })));
    assert_eq!(world.ledger.of(Fate::Unknown).count(), 0);
}

#[test]
fn gazebo_gives_friction_an_axis_and_takes_weight_away() {
    let w = read(
        r#"<robot name="r"><link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>
          </inertial><collision><geometry><sphere radius="1"/></geometry></collision></link>
        <gazebo reference="a"><mu1>0.3</mu1><mu2>0.9</mu2><fdir1>0 2 0</fdir1><turnGravityOff>true</turnGravityOff></gazebo>
        </robot>"#,
    );
    let m = w.geometries[0].material;
    let grain = m.grain.unwrap();
    assert_eq!((m.friction, grain.across, grain.fixed_in), (0.3, 0.9, GrainFrame::Geometry));
    assert!(close(grain.axis, vec3(0.0, 1.0, 0.0)));
    assert_eq!((&w.gravity_compensation[..], w.ledger.of(Fate::Unsupported).count()), (&[(0, 1.0)][..], 0));
}

/// Words that are not simulated are told also where they stand beside words that are used.
#[test]
fn words_beside_used_ones_are_told() {
    let w = read(
        r#"<robot name="r"><link name="a"/><gazebo reference="a"><mu1>0.3</mu1><dampingFactor>0.1</dampingFactor>
          <maxVel>0.1</maxVel><stopCfm>0.2</stopCfm></gazebo></robot>"#,
    );
    let told: Vec<String> = w.ledger.notes().iter().map(|n| n.word.clone()).collect();
    assert_eq!(told, ["gazebo/dampingFactor", "gazebo/stopCfm"]);
    assert!(w.ledger.of(Fate::Kept).any(|e| e.what == "gazebo/maxVel"));
}

#[test]
fn of_two_frictions_gazebo_takes_the_smaller_and_drake_the_harmonic_mean() {
    let pair = |stated: &dyn Fn(&str, f64) -> [String; 2]| {
        let link = |name: &str, mu: f64| {
            let shape = "<geometry><sphere radius='1'/><drake:declare_convex/></geometry>";
            let [inside, beside] = stated(name, mu);
            format!("<link name='{name}'><collision>{shape}{inside}</collision></link>{beside}")
        };
        let joint = "<joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint>";
        let w = read(&format!("<robot name='r'>{}{}{joint}</robot>", link("a", 0.6), link("b", 0.2)));
        Material::pair(&w.geometries[0].material, &w.geometries[1].material).friction()
    };
    let gazebo =
        pair(&|name, mu| [String::new(), format!("<gazebo reference='{name}'><mu1>{mu}</mu1></gazebo>")]);
    assert_eq!(gazebo, 0.2);
    let drake = pair(&|_, mu| {
        let stated = format!("<drake:mu_dynamic value='{mu}'/>");
        [format!("<drake:proximity_properties>{stated}</drake:proximity_properties>"), String::new()]
    });
    assert!((drake - 0.3).abs() < 1e-15);
}

#[test]
fn a_mimic_joint_is_a_coupling() {
    let joints = r#"<joint name="i" type="continuous"><parent link="a"/><child link="b"/></joint>
        <joint name="j" type="continuous"><parent link="b"/><child link="c"/>
        <mimic joint="i" multiplier="-2" offset="0.5"/></joint>"#;
    let c = r#"<link name="c"><inertial><mass value="1"/>
        <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>"#;
    let world = read(&two_links(joints, c));
    assert_eq!(world.couplings.len(), 1);
    assert_eq!(
        (world.couplings[0].terms.clone(), world.couplings[0].offset),
        (vec![(1, 1.0), (0, 2.0)], 0.5)
    );
}

#[test]
fn a_joint_that_mimics_a_fixed_one_stands_and_one_that_mimics_none_is_free() {
    let joints = |leader: &str| {
        format!(
            r#"<joint name="i" type="fixed"><parent link="a"/><child link="b"/></joint>
            <joint name="j" type="continuous"><parent link="b"/><child link="c"/>
            <mimic joint="{leader}" offset="0.5"/></joint>"#
        )
    };
    let c = r#"<link name="c"><inertial><mass value="1"/>
        <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>"#;
    let world = read(&two_links(&joints("i"), c));
    assert_eq!((world.couplings[0].terms.clone(), world.couplings[0].offset), (vec![(0, 1.0)], 0.5));
    let world = read(&two_links(&joints("gone"), c));
    assert!(world.couplings.is_empty());
    assert!(world.ledger.warnings.iter().any(|(_, w)| w.contains("`gone`") && w.contains("moves freely")));
}

#[test]
fn impossible_inertia_counts_where_it_moves() {
    let link = |name: &str, xx: f64| {
        format!(
            r#"<link name="{name}"><inertial><mass value="1"/>
            <inertia ixx="{xx}" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>"#
        )
    };
    let robot = |second: &str, xx: f64| {
        format!(
            r#"<robot name="r"><link name="a"/>{}{}
            <joint name="i" type="continuous"><parent link="a"/><child link="b"/></joint>
            <joint name="j" type="{second}"><parent link="b"/><child link="c"/></joint></robot>"#,
            link("b", 1.0),
            link("c", xx)
        )
    };
    // Fixed to a body that makes up for it, it is only warned of; moving alone, it is refused.
    assert!(!read(&robot("fixed", -0.5)).ledger.warnings.is_empty());
    let load = |text: &str, unphysical| {
        let options = LoadOptions { unphysical, ..LoadOptions::default() };
        load_str(text, Path::new("r.urdf"), Path::new(""), &options)
    };
    let error = load(&robot("continuous", -0.5), false).unwrap_err().to_string();
    assert!(error.contains("`c`") && error.contains("semi-definite"), "{error}");
    assert!(load(&robot("fixed", -1.5), false).is_err());
    assert!(load(&robot("continuous", -0.5), true).is_ok());
}

#[test]
fn neighbours_do_not_touch_even_across_fixed_joints() {
    // a (base) - i - b - fixed - c - j - d: b and c are one body, d its neighbour. What is flush with a fixed base, too.
    let text = r#"<robot name="r">
        <link name="a"><collision><geometry><sphere radius="1"/></geometry></collision></link>
        <link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
        <link name="c"><collision><geometry><sphere radius="1"/></geometry></collision></link>
        <link name="d"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
          <collision><origin xyz="5 0 0"/><geometry><sphere radius="1"/></geometry></collision></link>
        <joint name="i" type="continuous"><parent link="a"/><child link="b"/></joint>
        <joint name="k" type="fixed"><parent link="b"/><child link="c"/></joint>
        <joint name="j" type="continuous"><parent link="c"/><child link="d"/></joint></robot>"#;
    let world = read(text);
    assert_eq!(world.model.links[2].body, Some(0));
    assert_eq!(world.excluded, [(2, 3), (0, 2)]);
}

#[test]
fn friction_beyond_the_effort_limit_and_locked_joints_are_warned_of() {
    let joint = r#"<joint name="j" type="revolute"><parent link="a"/><child link="b"/>
        <limit effort="1" velocity="0"/><dynamics friction="2"/></joint>"#;
    let world = read(&two_links(joint, ""));
    let warnings: Vec<_> = world.ledger.warnings.iter().map(|w| w.1.as_str()).collect();
    assert!(warnings.iter().any(|w| w.contains("never move")), "{warnings:?}");
    assert!(warnings.iter().any(|w| w.contains("locked")), "{warnings:?}");
    assert!(warnings.iter().any(|w| w.contains("velocity=\"0\"")), "{warnings:?}");
}

#[test]
fn missing_visual_meshes_are_warned_of_and_meshes_found_above_the_file() {
    let folder = std::env::temp_dir().join(format!("stiction-models-{}", std::process::id()));
    let inside = folder.join("my_robot/urdf");
    std::fs::create_dir_all(&inside).unwrap();
    std::fs::create_dir_all(folder.join("my_robot/meshes")).unwrap();
    let stl = "solid t\n".to_owned()
        + &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
            .map(|t| {
                let corners = ["0 0 0", "1 0 0", "0 1 0", "0 0 1"];
                let v = t.map(|i: usize| format!("vertex {}\n", corners[i])).concat();
                format!("facet normal 0 0 0\nouter loop\n{v}endloop\nendfacet\n")
            })
            .concat()
        + "endsolid t\n";
    std::fs::write(folder.join("my_robot/meshes/t.stl"), stl).unwrap();
    let text = r#"<robot name="r"><link name="a">
        <collision><geometry><mesh filename="package://my_robot/meshes/t.stl" scale="2 2 -2"/></geometry></collision>
        <visual><geometry><mesh filename="package://my_robot/meshes/gone.stl"/></geometry></visual></link></robot>"#;
    let world = load_str(text, &inside.join("r.urdf"), &inside, &LoadOptions::default());
    std::fs::remove_dir_all(&folder).unwrap();
    let world = world.unwrap_or_else(|e| panic!("{e}"));
    let Shape::Convex(hull) = &world.geometries[0].shape else { panic!("a hull") };
    assert_eq!(hull.vertices().len(), 4);
    assert!((world.geometries[0].shape.volume() - 8.0 / 6.0).abs() < 1e-12);
    assert!(world.visuals.is_empty());
    assert!(world.ledger.warnings[0].1.contains("gone.stl"), "{:?}", world.ledger.warnings);
}

#[test]
fn shapes_without_extent_do_not_touch_and_are_reported() {
    let world = read(
        r#"<robot name="r"><link name="a">
          <collision><geometry><sphere radius="0"/></geometry></collision>
          <collision><geometry><cylinder radius="0.0" length="1"/></geometry></collision>
          <collision><geometry><box size="1 1 1"/></geometry></collision></link></robot>"#,
    );
    assert_eq!(world.geometries.len(), 2, "the sphere is a point, which touches");
    let unsupported: Vec<_> = world.ledger.of(Fate::Unsupported).map(|e| e.what.as_str()).collect();
    assert_eq!(unsupported, ["cylinder", "cylinder@radius", "cylinder@length"]);
    let [point, cylinder] = &world.ledger.warnings[..] else { panic!("{:?}", world.ledger.warnings) };
    assert!(
        point.1.contains("as a point") && cylinder.1.contains("no extent"),
        "{:?}",
        world.ledger.warnings
    );
}

#[test]
fn an_srdf_excludes_pairs_and_states_postures() {
    let file = std::env::temp_dir().join(format!("stiction-models-{}.srdf", std::process::id()));
    let srdf = r#"<robot name="r"><virtual_joint name="root" type="floating" parent_frame="w" child_link="a"/>
        <group_state name="up" group="all"><joint name="root" value="1 2 3 0 0 1 0"/><joint name="j" value="0.5"/>
        <joint name="k" value="1"/></group_state>
        <disable_collisions link1="c" link2="a" reason="Never"/><disable_collisions link1="c" link2="e"/></robot>"#;
    std::fs::write(&file, srdf).unwrap();
    let joints = r#"<joint name="i" type="continuous"><parent link="a"/><child link="b"/></joint>
        <joint name="j" type="continuous"><parent link="b"/><child link="c"/></joint>"#;
    let c = r#"<link name="c"><inertial><mass value="1"/>
        <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>"#;
    let options = LoadOptions { free_base: true, srdf: Some(file.clone()), ..LoadOptions::default() };
    let world = read_with(&two_links(joints, c), &options);
    std::fs::remove_file(&file).unwrap();
    assert_eq!(world.keyframes[0].name, "up");
    assert_eq!(world.keyframes[0].q, [1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.5]);
    assert!(world.excluded.contains(&(0, 2)));
    let warnings: Vec<_> = world.ledger.warnings.iter().map(|w| w.1.as_str()).collect();
    assert!(warnings.iter().any(|w| w.contains("link is called `e`")), "{warnings:?}");
    assert!(warnings.iter().any(|w| w.contains("joint is called `k`")), "{warnings:?}");
    assert!(world.ledger.of(Fate::Unknown).next().is_none(), "{:?}", world.ledger.entries);
}

#[test]
fn xacro_is_refused_with_its_remedy() {
    for text in [
        r#"<robot name="r"><link name="a"><xacro:x xmlns:xacro="u"/></link></robot>"#,
        r#"<robot name="${n}"/>"#,
    ] {
        let error =
            load_str(text, Path::new("r.xacro"), Path::new("."), &LoadOptions::default()).unwrap_err();
        assert!(error.to_string().contains("`xacro r.xacro > robot.urdf`"), "{error}");
    }
}

/// A biped whose file the field uses although it states no limits, and spheres without a radius.
#[test]
fn a_biped_without_limits_loads_with_warnings() {
    let Some(file) = common::data("cassie_impact/cassie_v2.urdf") else { return };
    let options = LoadOptions { free_base: true, visuals: false, ..LoadOptions::default() };
    let world = stiction_models::load(&file, &options).unwrap_or_else(|e| panic!("{e}"));
    let warnings: Vec<_> = world.ledger.warnings.iter().map(|w| w.1.as_str()).collect();
    assert!(warnings.iter().any(|w| w.contains("`hip_roll_left` states no <limit>")), "{warnings:?}");
    assert!(warnings.iter().any(|w| w.contains("as a point")), "{warnings:?}");
    assert!(world.model.nv() > 6 && world.model.moving_mass() > 20.0, "{} dofs", world.model.nv());
}

/// Gazebo's kp and kd, Bullet's over them, Drake's over both; a rigid partner leaves them as they are.
#[test]
fn surfaces_say_how_they_yield() {
    let world = read(
        r#"<robot name="r"><link name="a">
          <collision><geometry><sphere radius="1"/></geometry></collision>
          <collision><geometry><sphere radius="1"/></geometry><drake:proximity_properties>
            <drake:point_contact_stiffness value="3e4"/><drake:relaxation_time value="0.2"/>
            <drake:hunt_crossley_dissipation value="2"/></drake:proximity_properties></collision>
        </link><gazebo reference="a"><kp>1e6</kp><kd>1e3</kd></gazebo></robot>"#,
    );
    let yields = |k, tau, d| Compliance { stiffness: Some(k), relaxation: Some(tau), dissipation: d };
    let [a, b] = [0, 1].map(|i: usize| world.geometries[i].material.compliance);
    assert_eq!((a, b), (yields(1e6, 1e-3, None), yields(3e4, 0.2, Some(2.0))));
    let world = read(
        r#"<robot name="r"><link name="a"><collision><geometry><sphere radius="1"/></geometry></collision>
        <contact><stiffness value="100"/><damping value="10"/></contact></link>
        <gazebo reference="a"><kp>1e6</kp></gazebo></robot>"#,
    );
    assert_eq!(world.geometries[0].material.compliance, yields(100.0, 0.1, None));
    assert_eq!(world.ledger.of(Fate::Unknown).count(), 0);
}
