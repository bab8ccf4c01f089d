//! Damage at random, a few thousand times. Files that are wrong in a way of their own, and what is said of each, are
//! in the tests of the program (crates/cli/tests/malformed).

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::path::Path;
use stiction_models::{LoadOptions, load_str};

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
