//! Files that are wrong: the message names the exact place and what was expected; nothing panics.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::path::Path;
use stiction_models::{LoadOptions, load, load_str};

fn message(text: &str) -> String {
    let world = load_str(text, Path::new("f"), Path::new("."), &LoadOptions::default());
    world.map(|w| format!("read: {w:?}")).unwrap_or_else(|e| e.to_string())
}

/// `inside` of a robot with a root link `a`, on line 2.
fn urdf(inside: &str) -> String {
    message(&format!("<robot name=\"r\"><link name=\"a\"/>\n{inside}</robot>"))
}

/// `inside` of an MJCF file, on line 2.
fn mjcf(inside: &str) -> String {
    message(&format!("<mujoco>\n{inside}</mujoco>"))
}

/// A body with `inside`, on line 2.
fn body(inside: &str) -> String {
    mjcf(&format!("<worldbody><body>{inside}</body></worldbody>"))
}

#[track_caller]
fn says(message: &str, parts: &[&str]) {
    for part in parts {
        assert!(message.contains(part), "expected `{part}` in: {message}");
    }
}

#[test]
fn not_a_robot_at_all() {
    says(&message("<robot name='r'>\n<link name='a'></robot>"), &["f:2:", "not well-formed"]);
    says(&message("<sdff/>"), &["f:1:1", "<sdff>", "URDF", "SDF", "MJCF"]);
    says(&message(""), &["f:1:1", "not well-formed"]);
    let bomb = "<!DOCTYPE r [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]>\n<robot name='&b;'/>";
    says(&message(bomb), &["f:1:", "not well-formed"]);
    let options = LoadOptions::default();
    says(&load(Path::new("/nowhere/r.urdf"), &options).unwrap_err().to_string(), &["/nowhere/r.urdf"]);
    says(&load(Path::new("/"), &options).unwrap_err().to_string(), &["not a regular file"]);
}

#[test]
fn urdf_values() {
    let mass = |v: &str| {
        urdf(&format!(
            "<link name=\"b\"><inertial><mass value=\"{v}\"/>\
             <inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link>"
        ))
    };
    says(&mass("1kg"), &["f:2:32", "<mass>", "value=\"1kg\"", "finite number"]);
    says(&mass("-1"), &["f:2:32", "\"-1\"", ">= 0"]);
    says(&mass("nan"), &["f:2:32", "finite"]);
    says(&mass("1e400"), &["f:2:32", "finite"]);
    let geometry =
        |g: &str| urdf(&format!("<link name=\"b\"><collision><geometry>{g}</geometry></collision></link>"));
    says(&geometry("<box size=\"1 foo 2\"/>"), &["f:2:42", "`foo`", "3 finite numbers"]);
    says(&geometry("<box size=\"1 1 -1\"/>"), &["f:2:42", "> 0"]);
    says(&geometry("<sphere/>"), &["f:2:37", "`radius`"]);
    says(&geometry(""), &["f:2:27", "<geometry> lacks a shape", "capsule"]);
    says(&geometry("<sphere radius=\"1\"/><sphere radius=\"1\"/>"), &["f:2:57", "a second shape"]);
    says(&geometry("<spere radius=\"1\"/>"), &["f:2:37", "<spere>", "sphere"]);
    let mesh = geometry("<mesh filename=\"gone.stl\"/>");
    says(&mesh, &["f:2:43", "gone.stl", "no such file", ".stl"]);
    let mesh = geometry("<mesh filename=\"package://pkg/gone.stl\"/>");
    says(&mesh, &["f:2:43", "pkg/gone.stl", "package_dirs"]);
    says(&geometry("<mesh filename=\"https://x/y.stl\"/>"), &["f:2:43", "package://"]);
    let inertia = "<link name=\"b\"><inertial><mass value=\"1\"/><inertia ixx=\"-1\" iyy=\"1\" izz=\"1\" ixy=\"0\" \
                   ixz=\"0\" iyz=\"0\"/></inertial></link><joint name=\"j\" type=\"floating\"><parent link=\"a\"/>\
                   <child link=\"b\"/></joint>";
    says(&urdf(inertia), &["f:2:1", "`b`", "positive semi-definite"]);
}

#[test]
fn urdf_trees() {
    let joint = |kind: &str, parent: &str, child: &str, inside: &str| {
        format!(
            "<joint name=\"j\" type=\"{kind}\"><parent link=\"{parent}\"/><child link=\"{child}\"/>{inside}</joint>"
        )
    };
    let b = "<link name=\"base\"/>\n";
    says(&urdf(b), &["f:2:1", "`base` has no parent, nor has `a`"]);
    says(&urdf("<link name=\"a\"/>"), &["f:2:1", "a second link `a`", "f:1:"]);
    says(&urdf("<link/>"), &["f:2:1", "`name`"]);
    let wrong = urdf(&format!("{b}{}", joint("fixed", "a", "bas", "")));
    says(&wrong, &["f:3:55", "the link `bas`", "does not exist", "did you mean `base`?"]);
    let wrong = urdf(&format!("{b}{}", joint("revolut", "a", "base", "")));
    says(&wrong, &["f:3:17", "\"revolut\"", "continuous", "did you mean `revolute`?"]);
    let range = "<limit lower=\"1\" upper=\"0\"/>";
    says(&urdf(&format!("{b}{}", joint("revolute", "a", "base", range))), &["f:3:", "lower <= upper"]);
    let axis = "<axis xyz=\"0 0 0\"/>";
    says(&urdf(&format!("{b}{}", joint("continuous", "a", "base", axis))), &["f:3:", "not zero"]);
    says(&urdf(&joint("fixed", "a", "a", "")), &["f:2:1", "itself"]);
    let both = format!("{b}{}\n{}", joint("fixed", "a", "base", ""), joint("fixed", "base", "a", ""));
    says(&urdf(&both.replacen("\"j\"", "\"i\"", 1)), &["f:3:1", "cycle"]);
    let twice = format!("{b}{}\n{}", joint("fixed", "a", "base", ""), joint("fixed", "a", "base", ""));
    says(&urdf(&twice.replacen("\"j\"", "\"i\"", 1)), &["f:4:1", "two parents", "f:3:1"]);
    says(&message("<robot/>"), &["f:1:1", "links"]);
    let moving = urdf(&format!("{b}{}", joint("continuous", "a", "base", "")));
    says(&moving, &["f:2:1", "`base` can move", "inertia"]);
    says(&urdf("<xacro:macro xmlns:xacro=\"u\"/>"), &["f:2:1", "xacro"]);
}

#[test]
fn mjcf_values() {
    says(&body("<geom size=\"-1\"/>"), &["f:2:24", "size=\"-1\"", "radius"]);
    says(&body("<geom type=\"box\" size=\"1 1\"/>"), &["f:2:35", "3 numbers > 0: half sides"]);
    says(&body("<geom type=\"cone\" size=\"1\"/>"), &["f:2:24", "\"cone\"", "capsule"]);
    says(&body("<geom size=\"1\" condim=\"2\"/>"), &["f:2:33", "1, 3, 4 or 6"]);
    says(&body("<geom size=\"1\" mass=\"-2\"/>"), &["f:2:33", ">= 0"]);
    says(
        &body("<geom type=\"capsule\" size=\"1\" fromto=\"0 0 0 0 0 0\"/>"),
        &["f:2:48", "two different points"],
    );
    says(&body("<joint axis=\"0 0 0\"/><geom size=\"1\"/>"), &["f:2:25", "not 0"]);
    says(&body("<joint damping=\"-1\"/><geom size=\"1\"/>"), &["f:2:25", ">= 0"]);
    says(&body("<joint range=\"1 -1\" limited=\"true\"/><geom size=\"1\"/>"), &["f:2:25", "lower"]);
    says(&body("<joint/>"), &["f:2:12", "can move", "inertia"]);
    says(&body("<geom size=\"1\" quat=\"0 0 0 0\"/>"), &["f:2:33", "not 0"]);
    says(&body("<geom size=\"1\" quat=\"1 0 0 0\" euler=\"0 0 0\"/>"), &["f:2:33", "one orientation"]);
    says(&body("<inertial pos=\"0 0 0\"/>"), &["f:2:18", "`mass`"]);
    let saddle = body("<inertial pos=\"0 0 0\" mass=\"1\" fullinertia=\"1 1 1 5 0 0\"/>");
    says(&saddle, &["f:2:49", "semi-definite", "eigenvalue is -4"]);
    says(&mjcf("<compiler coordinate=\"global\"/>"), &["f:2:11", "local"]);
    says(&mjcf("<compiler eulerseq=\"xyw\"/>"), &["f:2:11", "xyzXYZ"]);
    says(&mjcf("<option timestep=\"0\"/>"), &["f:2:9", "> 0"]);
    says(&mjcf("<worldbody><geom type=\"mesh\" mesh=\"m\"/></worldbody>"), &["f:2:30", "the mesh `m`"]);
    let gone = "<asset><mesh name=\"m\" file=\"m.stl\"/></asset><worldbody><geom type=\"mesh\" mesh=\"m\"/></worldbody>";
    says(&mjcf(gone), &["f:2:23", "m.stl", ".obj"]);
    let flat = "<asset><mesh name=\"m\" vertex=\"0 0 0 1 0 0 0 1 0 1 1 0\"/></asset>\
                <worldbody><geom type=\"mesh\" mesh=\"m\"/></worldbody>";
    says(&mjcf(flat), &["f:2:8", "plane"]);
}

#[test]
fn mjcf_structures() {
    let plane = body("<joint/><geom type=\"plane\" size=\"1 1 1\"/>");
    says(&plane, &["f:2:26", "plane", "moves"]);
    says(&body("<geom size=\"1\"/><body><freejoint/><geom size=\"1\"/></body>"), &["f:2:40", "free joint"]);
    says(&mjcf("<worldbody><joint/></worldbody>"), &["f:2:12", "<joint>"]);
    says(&mjcf("<worldbody><body name=\"a\"/><body name=\"a\"/></worldbody>"), &["f:2:28", "f:2:12"]);
    says(&body("<geom class=\"none\" size=\"1\"/>"), &["f:2:24", "default class `none`"]);
    says(&mjcf("<default><default/></default>"), &["f:2:10", "`class`"]);
    let one = "<worldbody><body name=\"b\"><joint name=\"hinge\"/><geom size=\"1\"/></body></worldbody>";
    let wrong = mjcf(&format!("<actuator><motor joint=\"hnge\"/></actuator>{one}"));
    says(&wrong, &["f:2:18", "joint `hnge`", "did you mean `hinge`?"]);
    says(&mjcf(&format!("<actuator><motor/></actuator>{one}")), &["f:2:11", "transmission"]);
    let exclude = "<contact><exclude body1=\"b\" body2=\"c\"/></contact>";
    says(&mjcf(&format!("{exclude}{one}")), &["f:2:29", "body `c`"]);
    let key = "<keyframe><key qpos=\"1 2\"/></keyframe>";
    says(&mjcf(&format!("{key}{one}")), &["f:2:16", "1 numbers", "2 are there"]);
    says(&mjcf("<include file=\"gone.xml\"/>"), &["f:2:10", "gone.xml"]);
    let many = "<worldbody><replicate count=\"100000\"><replicate count=\"100000\"><geom size=\"1\"/></replicate></replicate></worldbody>";
    says(&mjcf(many), &["f:2:", "copies", "at most"]);
    let crowd: String = (0..2000).map(|i| format!(" a{i}=\"1\"")).collect();
    says(&mjcf(&format!("<option{crowd}/>")), &["f:2:1", "attributes"]);
}

/// Damaged files are read or refused, never more.
#[test]
fn no_damage_makes_a_reader_panic() {
    let urdf = r#"<robot name="r"><material name="m"><color rgba="1 0 0 1"/></material><link name="a"><inertial>
        <origin xyz="0 0 1" rpy="0 1 0"/><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>
        </inertial><collision><geometry><box size="1 2 3"/></geometry></collision><visual><geometry><cylinder
        radius="1" length="2"/></geometry><material name="m"/></visual><contact><lateral_friction value="1"/></contact>
        </link><link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>
        </inertial></link><joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
        <limit lower="-1" upper="1" effort="1" velocity="1"/><dynamics damping="1" friction="1"/></joint></robot>"#;
    let mjcf = r#"<mujoco><compiler angle="radian" eulerseq="xyz" boundmass="1"/><option timestep="0.1"><flag gravity="enable"/>
        </option><default><geom size="1 1"/><default class="c"><joint range="-1 1"/><position kp="1"/></default></default>
        <asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1" face="0 1 2"/><material name="n" rgba="1 1 1 1"/></asset>
        <worldbody><geom type="plane" size="1 1 1"/><body name="b" childclass="c" euler="1 2 3"><inertial mass="1" pos="0 0 0"
        fullinertia="1 1 1 0 0 0"/><joint name="j" type="hinge" axis="0 1 0"/><geom name="g" type="mesh" mesh="m"/><frame
        pos="1 1 1"><replicate count="3" offset="1 0 0"><geom type="capsule" fromto="0 0 0 1 1 1"/></replicate></frame>
        <body name="d"><joint name="k" type="ball"/><geom type="box" size="1 1 1" condim="4"/></body></body></worldbody>
        <contact><exclude body1="b" body2="d"/></contact><tendon><fixed name="t"><joint joint="j" coef="1"/></fixed></tendon>
        <equality><joint joint1="j"/></equality><actuator><position class="c" joint="j" dampratio="1"/><general tendon="t"
        gainprm="1 2 3" biastype="affine"/></actuator><keyframe><key qpos="1 1 0 0 0"/></keyframe></mujoco>"#;
    let words =
        ["", "0", "-1", "1e308", "nan", "\"", "<", ">", "/", "b", " 1 1 1", "<body>", "𝄞", "&amp;", "1e-320"];
    let mut seed = 1_u64;
    let mut random = |n: usize| {
        // Knuth's multiplier; the high bits are the good ones.
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % n
    };
    let mut read = 0;
    for round in 0..6000 {
        let mut text = if round % 2 == 0 { urdf } else { mjcf }.to_owned();
        for _ in 0..=random(3) {
            // Mostly replace a value, for what is not XML is refused at once.
            let values: Vec<usize> = text.match_indices('"').map(|(i, _)| i).collect();
            let quote = random(values.len());
            let (from, to) = match (random(5), values.get(quote), values.get(quote + 1)) {
                (1.., Some(&a), Some(&b)) => (a + 1, b),
                _ => {
                    let at = random(text.len());
                    (at, (at + random(8)).min(text.len()))
                }
            };
            if text.is_char_boundary(from) && text.is_char_boundary(to) {
                text.replace_range(from..to, words[random(words.len())]);
            }
        }
        let options = LoadOptions { free_base: random(2) == 0, ..LoadOptions::default() };
        read += usize::from(load_str(&text, Path::new("f"), Path::new("."), &options).is_ok());
    }
    assert!((100..5900).contains(&read), "{read} of 6000 damaged files were read");
}
