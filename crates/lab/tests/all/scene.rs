//! Scenes as a user meets them: what is accepted, what is refused and how, and that ours run.

use crate::testing::scratch;
use std::path::Path;
use stiction::solvers::Effort;
use stiction::world::Topic;
use stiction::{StepperName, StepperParams};
use stiction_lab::{RunOptions, Runner};
use stiction_scene::*;

fn parse(text: &str) -> Result<Scene, SceneError> {
    Scene::from_toml(text, Path::new("test.toml"))
}

/// The message of a mistake in reading or building.
fn message(text: &str) -> String {
    let error = parse(text).and_then(|scene| scene.build()).err();
    error.expect("this scene has a mistake").to_string()
}

const CUBE: &str = "[ground]\n[[body]]\nname = \"cube\"\nshape = \"box\"\nsize = [0.2, 0.2, 0.2]\nmass = 1\n";

#[test]
fn every_builtin_survives_the_round_trip() {
    for (name, _) in BUILTIN_SCENES {
        let scene = Scene::builtin(name).unwrap();
        assert!(!scene.description.is_empty() && scene.name == *name);
        let text = scene.to_toml().unwrap();
        assert_eq!(parse(&text).unwrap(), scene, "{text}");
    }
}

/// A stepper is named alone or in the table of its parameters; a name that is none is told what there is.
#[test]
fn a_stepper_is_named() {
    let named = parse(&format!("stepper = \"time-stepping\"\n{CUBE}")).unwrap();
    let table = parse(&format!("{CUBE}[stepper]\nmethod = \"time-stepping\"\ndt = 0.002\n")).unwrap();
    assert_eq!(named.stepper, StepperParams::default());
    assert_eq!(table.stepper, StepperParams { dt: 0.002, ..StepperParams::default() });
    for text in [format!("stepper = \"rk4\"\n{CUBE}"), format!("{CUBE}[stepper]\nmethod = \"rk4\"\n")] {
        let message = message(&text);
        assert!(message.contains("rk4") && message.contains("time-stepping"), "{message}");
    }
}

/// Not a bit of a run changes.
#[test]
fn a_warm_up_leaves_no_trace() {
    let run = |warm_up: u64| {
        let mut setup = Scene::builtin("quadruped").unwrap().build().unwrap();
        setup.duration = 0.1;
        let summary =
            Runner::new(setup, RunOptions { warm_up, ..RunOptions::default() }).unwrap().run_quietly();
        (summary.steps, summary.end.q, summary.end.v, summary.energy.end, summary.solver.iterations_mean)
    };
    assert_eq!(run(0), run(30));
}

#[test]
fn every_builtin_runs_a_tenth_of_a_second_unflagged() {
    let mut faults = Vec::new();
    for (name, _) in BUILTIN_SCENES {
        let mut setup = Scene::builtin(name).unwrap().build().unwrap_or_else(|e| panic!("{name}: {e}"));
        setup.duration = 0.1;
        let tolerance = setup.settings.tolerance;
        let exact = setup.settings.stepper.method == StepperName::default();
        let summary = Runner::new(setup, RunOptions::default()).unwrap().run_quietly();
        let worst = summary.certificate.unwrap().natural_map;
        let (effort, t, depth) = (summary.solver, summary.worst_time, summary.penetration_max);
        // Steppers with a law of their own leave the exact one, and let bodies sink. The humanoid lands faster than
        // parts end for it.
        let deepest = if *name == "humanoid" { 5e-4 } else { 1e-4 };
        let certified =
            effort.not_converged == 0 && (worst <= 10.0 * tolerance && depth <= deepest || !exact);
        if summary.failure.is_some() || !certified {
            let failure = summary.failure;
            faults.push(format!("{name}: {failure:?}, {effort:?}, {worst} m/s at t = {t}, {depth} m deep"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn resting_bodies_start_at_gap_zero() {
    for name in
        ["cube-slide", "slope", "stack", "mass-ratio-stack", "two-cubes", "grasp", "wedge", "quadruped"]
    {
        let setup = Scene::builtin(name).unwrap().build().unwrap();
        let mut runner = Runner::new(setup, RunOptions::default()).unwrap();
        let report = runner.step();
        assert!(report.contacts >= 4, "{name}: {} contacts", report.contacts);
        let mut contacts = Vec::new();
        runner.simulation_mut().contacts_into(&mut contacts);
        for c in contacts {
            assert!(c.gap.abs() < 1e-14, "{name}: gap {}", c.gap);
        }
    }
}

#[test]
fn mistakes_name_line_key_and_expectation() {
    let with = |line: &str| format!("{CUBE}{line}\n");
    for (text, words) in [
        (
            with("fricton = 0.5"),
            &["test.toml:7:1", "unknown field `fricton`", "did you mean `friction`?"][..],
        ),
        (with("friction = -1"), &["test.toml:7:", "-1", "expected a number >= 0", "7 | friction = -1"]),
        (with("position = [0, 1]"), &["test.toml:7:", "expected three finite numbers"]),
        (with("radius = 0.1"), &["test.toml:7:1", "a box has no `radius`"]),
        (with("count = 3"), &["test.toml:7:1", "`offset`"]),
        (with("count = 0\noffset = [0, 0, 1]"), &["test.toml:7:1", "expected 1 to 100000"]),
        (with("rpy = [0, 0, 9]\nquaternion = [1, 0, 0, 0]"), &["test.toml:7:1", "not both"]),
        (with("[stepper]\ndt = 0"), &["test.toml:8:1", "dt", "(0, 1] s"]),
        (with("[stepper]\nsleep = \"never\""), &["test.toml:8:", "never", "`auto`, `on`"]),
        (
            with("[[force]]\nbody = \"cub\"\ndirection = [1, 0, 0]"),
            &["test.toml:8:1", "did you mean `cube`?"],
        ),
        (
            with("[[knife_edge]]\nbody = \"cub\"\nacross = [0, 1, 0]"),
            &["test.toml:8:1", "did you mean `cube`?"],
        ),
        (
            with("[[model]]\nbuiltin = \"quadrped\""),
            &["test.toml:8:1", "did you mean `quadruped`?", "gripper"],
        ),
        (with("[[model]]\nfile = \"no.urdf\""), &["test.toml:8:1", "no.urdf"]),
        (format!("{CUBE}{}", &CUBE["[ground]\n".len()..]), &["test.toml:8:", "a second body `cube`"]),
        ("[ground]\nslope = -120".to_owned(), &["test.toml:2:", "-120", "between -90 and 90"]),
        ("[[body]]\nname = \"a\"\nshape = \"bxo\"\nmass = 1".to_owned(), &["test.toml:3:", "`bxo`", "`box`"]),
        (
            "[[body]]\nname = \"a\"\nshape = \"box\"\nmass = 1".to_owned(),
            &["test.toml:3:1", "needs the key `size`"],
        ),
        ("[ground\n".to_owned(), &["test.toml:1:"]),
        (FIELD.replace("[0, 0.05, 0]", "[0, 0.05]"), &["test.toml:5:1", "row 1 has 2 heights", "expected 3"]),
        (
            FIELD.replace("heights", "radius = 1\nheights"),
            &["test.toml:5:1", "a heightfield has no `radius`"],
        ),
    ] {
        let message = message(&text);
        for word in words {
            assert!(message.contains(word), "no `{word}` in: {message}");
        }
    }
}

const FIELD: &str = "[[fixed]]\nname = \"hills\"\nshape = \"heightfield\"\nsize = [2, 2, 0.1]\n\
    heights = [[0, 0, 0], [0, 0.05, 0], [0, 0, 0]]\nfriction = 0.8\n";

/// Bodies of every kind fall on hills: nothing sinks, nothing fails.
#[test]
fn every_shape_lands_on_a_height_field() {
    let kinds = [
        ("ball", "shape = \"sphere\"\nradius = 0.1", [0.5, 0.5, 0.2]),
        ("egg", "shape = \"ellipsoid\"\nsize = [0.2, 0.2, 0.3]", [-0.5, 0.5, 0.22]),
        ("hat", "shape = \"cone\"\nradius = 0.1\nlength = 0.2", [0.0, 0.0, 0.17]),
        ("box", "shape = \"box\"\nsize = [0.2, 0.2, 0.2]", [-0.5, -0.5, 0.15]),
        ("can", "shape = \"cylinder\"\nradius = 0.1\nlength = 0.2", [0.5, -0.5, 0.15]),
    ];
    let body = |(name, keys, p): (&str, &str, [f64; 3])| {
        format!("[[body]]\nname = \"{name}\"\n{keys}\nmass = 1\nposition = {p:?}\n")
    };
    let text = kinds.map(body).concat();
    let mut setup = parse(&format!("{FIELD}{text}")).unwrap().build().unwrap();
    setup.duration = 0.4;
    let mut runner = Runner::new(setup, RunOptions::default()).unwrap();
    let mut touched = 0;
    for _ in 0..runner.steps() {
        let report = runner.step();
        touched = touched.max(report.contacts);
    }
    assert!(touched >= 8, "{touched}");
    let mut contacts = Vec::new();
    runner.simulation_mut().contacts_into(&mut contacts);
    assert!(
        contacts.iter().all(|c| c.gap > -1e-4),
        "{:?}",
        contacts.iter().map(|c| c.gap).collect::<Vec<_>>()
    );
    let heights: Vec<f64> = runner.simulation_mut().state().q.chunks(7).map(|q| q[2]).collect();
    assert!(heights.iter().all(|z| (0.05..0.25).contains(z)), "{heights:?}");
}

#[test]
fn unknown_scenes_are_told_the_known_ones() {
    let find = |name| Scene::find(name, &RobotOptions::default()).unwrap_err().to_string();
    assert!(find("quadruepd").contains("did you mean `quadruped`?") && find("x").contains("cube-slide"));
    assert!(find("no/such.toml").starts_with("no/such.toml: "));
    let missing = Scene::find("no/such.sdf", &RobotOptions::default()).unwrap().build();
    assert!(missing.unwrap_err().to_string().starts_with("no/such.sdf: "));
    let missing = Scene::find("no/such.urdf", &RobotOptions::default()).unwrap().build();
    assert!(missing.unwrap_err().to_string().starts_with("no/such.urdf: "));
    assert!(find("no/such.stl").contains(".urdf"));
}

#[test]
fn copies_stand_where_the_grid_says_and_masses_grow() {
    let scene = parse(&format!("{CUBE}grid = [2, 1, 2]\noffset = [1, 0, 3]\nmass_ratio = 10\n")).unwrap();
    let setup = scene.build().unwrap();
    let masses: Vec<f64> = setup.world.model.bodies.iter().map(|b| b.inertia.mass).collect();
    assert!(masses.iter().zip([1.0, 10.0, 100.0, 1000.0]).all(|(a, b)| (a / b - 1.0).abs() < 1e-12));
    assert_eq!(setup.world.model.bodies[3].name, "cube3");
    assert_eq!(setup.state.q[21..24], [1.0, 0.0, 3.0]);
}

/// Our quadruped on a slope: its file's own plane gives way to the ground of the scene, and its feet touch that.
#[test]
fn the_ground_of_the_scene_stands_alone() {
    let text = "[ground]\nslope = 5\n[[model]]\nbuiltin = \"quadruped\"\nframe = \"ground\"\nposition = [0, 0, 0.1]\nset_down = true\n";
    let setup = parse(text).unwrap().build().unwrap();
    let planes =
        setup.world.geometries.iter().filter(|g| matches!(g.shape, stiction::collision::Shape::Plane));
    assert_eq!((planes.count(), setup.notes().len()), (1, 1));
    let planes = |text: &str| {
        let world = parse(text).unwrap().build().unwrap().world;
        world.geometries.iter().filter(|g| matches!(g.shape, stiction::collision::Shape::Plane)).count()
    };
    assert_eq!(planes(&format!("{text}floor = \"keep\"\n")), 2);
    let without_ground = "[[model]]\nbuiltin = \"quadruped\"\n";
    assert_eq!((planes(without_ground), planes(&format!("{without_ground}floor = \"leave\"\n"))), (1, 0));
    let second = "[[model]]\nbuiltin = \"quadruped\"\nprefix = \"b_\"\nposition = [2, 0, 0]\n";
    assert_eq!(planes(&format!("{without_ground}{second}")), 1);
    let mut runner = Runner::new(setup, RunOptions::default()).unwrap();
    assert_eq!(runner.step().contacts, 4);
    let mut contacts = Vec::new();
    runner.simulation_mut().contacts_into(&mut contacts);
    assert!(
        contacts.iter().all(|c| c.gap.abs() < 1e-14 && (c.normal.x - 5_f64.to_radians().sin()).abs() < 1e-12)
    );
}

#[test]
fn jitter_is_disorder_that_repeats() {
    let text = |seed| {
        format!(
            "{CUBE}count = 3\noffset = [1, 0, 0]\njitter = {{ position = 0.1, angle = 20, seed = {seed} }}\n"
        )
    };
    let q = |seed| parse(&text(seed)).unwrap().build().unwrap().state.q;
    assert_eq!(q(1), q(1));
    assert_ne!(q(1), q(2));
    assert!(q(1)[7] != 1.0 && (q(1)[7] - 1.0).abs() <= 0.1);
}

#[test]
fn a_free_robot_file_without_ground_is_given_one() {
    let urdf = r#"<robot name="ball"><link name="ball"><inertial><mass value="2"/>
        <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
        <collision><geometry><sphere radius="0.3"/></geometry></collision></link></robot>"#;
    let path = scratch("ball.urdf", urdf);
    let options = RobotOptions { free_base: true, ..RobotOptions::default() };
    let setup = Scene::find(path.to_str().unwrap(), &options).unwrap().build().unwrap();
    assert!((setup.state.q[2] - 0.301).abs() < 1e-15, "{:?}", setup.state.q);
    assert_eq!(setup.notes().len(), 1);

    let fixed = Scene::from_model_file(&path, &RobotOptions::default()).unwrap().build().unwrap();
    assert!(fixed.notes().is_empty() && fixed.world.model.nv() == 0);
}

/// The initial state is the file's: nothing is added or moved under a thrown ball, a gripper and what it holds, a body that a
/// loop holds to the world, or several bodies.
#[test]
fn what_a_file_says_of_its_state_stays() {
    let ball =
        |pos: &str| format!("<body name='b' pos='{pos}'><freejoint/><geom size='0.1' mass='1'/></body>");
    let arm = "<body name='arm' pos='0 0 3'><joint name='j'/><geom size='0.1' mass='1'/></body>";
    let two = "<body name='a' pos='0 0 5'><freejoint name='f'/><geom size='0.1' mass='1'/>\
               <body name='c' pos='0 0 1'><joint name='k'/><geom size='0.1' mass='1'/></body></body>";
    let weld = "<equality><weld body1='a'/></equality>";
    let thrown = "<keyframe><key qvel='0 0 1 0 0 0 0'/></keyframe>";
    for (name, bodies, rest) in [
        ("ball", ball("0 0 5"), ""),
        ("gripper", format!("{arm}{}", ball("0 0 5")), ""),
        ("pair", format!("{}{}", ball("0 0 5"), ball("1 0 5").replace("'b'", "'c'")), ""),
        ("welded", two.to_owned(), weld),
        ("thrown", two.to_owned(), thrown),
    ] {
        let text = format!("<mujoco><worldbody>{bodies}</worldbody>{rest}</mujoco>");
        let path = scratch(&format!("stays-{name}.xml"), &text);
        let at = |ground: bool| {
            let options = RobotOptions { ground, ..RobotOptions::default() };
            Scene::from_model_file(&path, &options).unwrap().build().unwrap()
        };
        let z = |setup: &Setup| {
            let free =
                setup.world.model.joints.iter().find(|j| j.kind == stiction::dynamics::JointKind::Free);
            setup.state.q[free.unwrap().idx_q + 2]
        };
        let setup = at(false);
        assert_eq!(z(&setup), 5.0, "{name}");
        let planes = |s: &Setup| s.world.geometries.iter().filter(|g| g.link.is_none()).count();
        assert_eq!(planes(&setup), 0, "{name}");
        assert!(setup.notes().iter().any(|n| n.message.contains("--ground")), "{name}: {:?}", setup.notes());
        let asked = at(true);
        assert_eq!((z(&asked), planes(&asked)), (5.0, 1), "{name}");
    }
}

/// One robot with a free base is set down whole: what a loop joins to it comes along.
#[test]
fn what_is_joined_moves_together() {
    let text = "<mujoco><worldbody>\
        <body name='a' pos='0 0 5'><freejoint/><geom size='0.1' mass='1'/></body>\
        <body name='c' pos='0 0 7'><freejoint/><geom size='0.1' mass='1'/></body></worldbody>\
        <equality><weld body1='a' body2='c'/></equality></mujoco>";
    let setup = Scene::from_model_file(&scratch("joined.xml", text), &RobotOptions::default()).unwrap();
    let setup = setup.build().unwrap();
    assert!((setup.state.q[2] - 0.101).abs() < 1e-12 && (setup.state.q[9] - 2.101).abs() < 1e-12);
    assert!(setup.notes().iter().any(|n| n.message.contains("added the plane")));
}

/// Parts of a file that are not simulated, or not known, are told before it runs.
#[test]
fn what_is_left_out_of_a_file_is_told() {
    let mjcf =
        "<mujoco><option density='1'/><worldbody><geom size='1' frction='2' wdth='1'/></worldbody></mujoco>";
    let path = scratch("left_out.xml", mjcf);
    let setup = Scene::from_model_file(&path, &RobotOptions::default()).unwrap().build().unwrap();
    let notes = setup.notes();
    let told: Vec<_> = notes.iter().map(|n| (n.topic, n.word.as_str())).collect();
    let expected = [
        (Topic::NotSimulated, "option@density"),
        (Topic::Unknown, "geom@frction"),
        (Topic::Unknown, "geom@wdth"),
    ];
    assert_eq!(told, expected);
    assert!(
        notes[1].to_string().contains("left_out.xml:1:56: warning: unknown: geom@frction: "),
        "{}",
        notes[1]
    );
    assert!(setup.check_content().is_err(), "nothing of it moves");
    let twice =
        format!("[[model]]\nfile = {path:?}\nprefix = \"a/\"\n[[model]]\nfile = {path:?}\nprefix = \"b/\"\n");
    assert_eq!(parse(&twice).unwrap().build().unwrap().notes().len(), 3);
}

/// An arm under gravity keeps its posture when held, to a fraction of the sag of its own stiffness.
#[test]
fn hold_keeps_the_posture() {
    let urdf = r#"<robot name="arm"><link name="base"/><link name="arm"><inertial><origin xyz="0.5 0 0"/>
        <mass value="2"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
        <joint name="shoulder" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint>
        </robot>"#;
    let path = scratch("arm.urdf", urdf);
    let options = RobotOptions { hold: Some(spec::HoldSpec::default()), ..RobotOptions::default() };
    let mut setup = Scene::from_model_file(&path, &options).unwrap().build().unwrap();
    setup.duration = 1.0;
    let summary = Runner::new(setup, RunOptions::default()).unwrap().run_quietly();
    // Sag m g l / k with k = (20 π)² M, M = 0.1 + 2 · 0.5².
    let sag = 9.81 / ((20.0 * std::f64::consts::PI).powi(2) * 0.6);
    assert!((summary.end.q[0] / sag - 1.0).abs() < 1e-3, "{} against {sag}", summary.end.q[0]);
}

/// A biped of 25 kg on light feet, whose knees cannot be straight: `free_base` and `hold` as on the command line.
fn held_biped(folder: &str, srdf: Option<&str>) -> Setup {
    let mut text = r#"<robot name="biped"><link name="trunk"><inertial><mass value="18"/>
        <inertia ixx="0.5" ixy="0" ixz="0" iyy="0.5" iyz="0" izz="0.3"/></inertial></link>"#
        .to_owned();
    for (side, y) in [("left", 0.1), ("right", -0.1)] {
        let mut parent = "trunk".to_owned();
        let parts = [
            ("hip", "0 -1.5 1.5", 2.0, y, 0.0),
            ("knee", "0 0.2 2.0", 1.0, 0.0, -0.3),
            ("ankle", "0 -1.5 1.0", 0.3, 0.0, -0.3),
        ];
        for (joint, limit, mass, y, z) in parts {
            let [_, low, high] = limit.split(' ').collect::<Vec<_>>()[..] else { panic!() };
            let (link, i) = (format!("{side}_{joint}_link"), 5e-3 * mass);
            let shape = match joint {
                "ankle" => {
                    r#"<collision><origin xyz="0.02 0 -0.02"/><geometry><box size="0.2 0.09 0.04"/></geometry></collision>"#
                }
                _ => "",
            };
            text += &format!(
                r#"<link name="{link}"><inertial><origin xyz="0 0 -0.1"/><mass value="{mass}"/>
                <inertia ixx="{i}" ixy="0" ixz="0" iyy="{i}" iyz="0" izz="{i}"/></inertial>{shape}</link>
                <joint name="{side}_{joint}" type="revolute"><origin xyz="0 {y} {z}"/><parent link="{parent}"/>
                <child link="{link}"/><axis xyz="0 1 0"/><limit lower="{low}" upper="{high}" effort="200" velocity="10"/></joint>"#
            );
            parent = link;
        }
    }
    for inner in ["urdf", "srdf"] {
        std::fs::create_dir_all(scratch("biped.txt", "").with_file_name(folder).join(inner)).unwrap();
    }
    let path = scratch(&format!("{folder}/urdf/biped.urdf"), &(text + "</robot>"));
    if let Some(srdf) = srdf {
        scratch(&format!("{folder}/srdf/of_biped.srdf"), srdf);
    }
    let hold = Some(spec::HoldSpec::default());
    let options = RobotOptions { hold, free_base: true, ..RobotOptions::default() };
    Scene::from_model_file(&path, &options).unwrap().build().unwrap()
}

/// A robot that stands on light feet is held by servos for all that they carry; those of the inertia of its feet would let it
/// fall. The posture is that of the SRDF that lies beside it, which is told.
#[test]
fn a_robot_that_floats_is_held_on_its_feet() {
    let bent: String = [("hip", -0.3), ("knee", 0.6), ("ankle", -0.3)]
        .iter()
        .flat_map(|(joint, q)| {
            ["left", "right"].map(|side| format!("<joint name=\"{side}_{joint}\" value=\"{q}\"/>"))
        })
        .collect();
    let srdf = format!(
        r#"<robot name="biped"><group_state name="standing" group="all">{bent}</group_state></robot>"#
    );
    let mut setup = held_biped("biped", Some(&srdf));
    assert!(setup.notes().iter().any(|n| n.message.contains("of_biped.srdf")), "{:?}", setup.notes());
    let (height, q) = (setup.state.q[2], setup.state.q[8]);
    assert_eq!(q, 0.6);
    setup.duration = 2.0;
    let summary = Runner::new(setup, RunOptions::default()).unwrap().run_quietly();
    assert!((summary.end.q[2] - height).abs() < 0.01, "{height} to {:?}", summary.end.q);
    assert!(summary.end.v.iter().all(|v| v.abs() < 1e-3), "{:?}", summary.end.v);
}

/// Without any posture, joints whose limits leave zero out start in the middle of them, which is told.
#[test]
fn joints_that_cannot_be_at_zero_are_held_in_the_middle() {
    let setup = held_biped("squat", None);
    assert_eq!((setup.state.q[7], setup.state.q[8], setup.state.q[9]), (0.0, 1.1, 0.0));
    assert!(setup.notes().iter().any(|n| n.message.contains("left_knee at 1.100")), "{:?}", setup.notes());
}

/// Joints that mimic others, one of them a mimic itself and written first, start where these ask for them, which is told; a
/// posture that is stated stays.
#[test]
fn couplings_start_closed() {
    let joint = |name: &str, mimic: &str| {
        format!(
            r#"<joint name="{name}" type="continuous"><parent link="base"/><child link="l{name}"/><axis xyz="0 0 1"/>{mimic}</joint>
            <link name="l{name}"><inertial><mass value="1"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>"#
        )
    };
    let of =
        |leader: &str, m: f64, o: f64| format!(r#"<mimic joint="{leader}" multiplier="{m}" offset="{o}"/>"#);
    let urdf = format!(
        r#"<robot name="mimics"><link name="base"/>{}{}{}</robot>"#,
        joint("c", &of("b", 2.0, -0.1)),
        joint("b", &of("a", -0.5, 0.2)),
        joint("a", "")
    );
    let path = scratch("mimics.urdf", &urdf);
    let setup = Scene::from_model_file(&path, &RobotOptions::default()).unwrap().build().unwrap();
    let at = |setup: &Setup, name: &str| {
        let joint = setup.world.model.joints.iter().find(|j| j.name == name).unwrap();
        setup.state.q[joint.idx_q]
    };
    let near = |is: [f64; 3], right: [f64; 3]| {
        assert!(is.iter().zip(right).all(|(a, b)| (a - b).abs() < 1e-12), "{is:?}");
    };
    near(["a", "b", "c"].map(|j| at(&setup, j)), [0.0, 0.2, 0.3]);
    assert!(setup.notes().iter().any(|n| n.message.contains("b at 0.2000")), "{:?}", setup.notes());
    let text = format!("duration = 0.1\n[[model]]\nfile = {path:?}\njoints = {{ a = 0.4, b = 0.5 }}\n");
    let setup = parse(&text).unwrap().build().unwrap();
    near(["a", "b", "c"].map(|j| at(&setup, j)), [0.4, 0.5, 0.9]);
}

/// Surfaces as a scene states them reach the law: 1 kg on 10⁴ N/m.
#[test]
fn soft_surfaces_yield_under_compliant_laws() {
    let text = r#"
        description = "a soft ball"
        duration = 1.0
        [ground]
        friction = 0.5
        [contact]
        solver = "sap"
        [[body]]
        name = "ball"
        shape = "sphere"
        radius = 0.1
        mass = 1.0
        position = [0.0, 0.0, 0.1]
        soft = { stiffness = 1e4, relaxation = 0.05 }
    "#;
    let setup = parse(text).unwrap().build().unwrap();
    let mut runner = Runner::new(setup, RunOptions::default()).unwrap();
    let end = runner.run_quietly().end;
    assert!((0.1 - end.q[2] - 9.81e-4).abs() < 1e-9, "{:?}", end.q);
}

/// Boxes laid some millimetres into each other, more than any answer is worth: steps end at their budget, say so, and the
/// overlaps go.
#[test]
fn a_heap_drawn_into_itself_costs_a_bounded_effort() {
    let text = "[ground]\n[[body]]\nname = \"b\"\nshape = \"box\"\nsize = [0.2, 0.2, 0.2]\nmass = 1\n\
        position = [0, 0, 0.1]\ngrid = [4, 4, 4]\noffset = [0.194, 0.194, 0.194]\n\
        jitter = { position = 0.004, angle = 4.0, seed = 3 }\n";
    let setup = parse(text).unwrap().build().unwrap();
    let most = Effort::Balanced.factorisations(usize::MAX);
    let mut sim = stiction::Simulation::new(setup.world, setup.state, setup.settings).unwrap();
    let deepest: Vec<f64> = (0..4)
        .map(|_| {
            let report = sim.step();
            assert!(report.contacts > 800 && report.failure().is_none(), "{report:?}");
            assert!(report.flagged() && report.bound_met == most, "{report:?}");
            report.penetration
        })
        .collect();
    assert!(deepest[3] < deepest[0], "{deepest:?}");
}

/// A model starts with the velocities that its scene states: of its base along the axes of the frame, turning in its own axes,
/// and of joints by name; mistakes are named.
#[test]
fn models_start_with_velocities() {
    let floating = r#"<mujoco><worldbody><body><freejoint/><geom type="box" size="0.1 0.1 0.1" mass="1"/><body>
        <joint name="elbow" axis="0 1 0"/><geom type="sphere" size="0.05" pos="0.3 0 0" mass="1"/></body></body></worldbody>
        </mujoco>"#;
    scratch("thrown.xml", floating);
    let build = |keys: &str| {
        let text = format!("[[model]]\nfile = \"thrown.xml\"\nrpy = [0, 0, 90]\n{keys}\n");
        Scene::load(&scratch("thrown.toml", &text)).unwrap().build()
    };
    let keys = "velocity = [1, 2, 3]\nangular_velocity = [4, 5, 6]\njoint_velocities = { elbow = -7 }";
    let v = build(keys).unwrap().state.v;
    assert!(v.iter().zip([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, -7.0]).all(|(a, b)| (a - b).abs() < 1e-12), "{v:?}");
    let told = build("joint_velocities = { elbo = 1 }").unwrap_err().to_string();
    assert!(told.contains("did you mean `elbow`?") && told.contains("thrown.toml:4"), "{told}");
    scratch("thrown.xml", &floating.replace("<freejoint/>", ""));
    let told = build("velocity = [1, 2, 3]").unwrap_err().to_string();
    assert!(told.contains("fixed to the world"), "{told}");
}

/// A link without a shape whose joint starts below its range is brought back to it, without a velocity.
#[test]
fn joints_of_links_without_shapes_come_back_into_their_ranges() {
    let elbow = r#"<robot name="r"><link name="base"/><joint name="elbow" type="revolute"><parent link="base"/>
        <child link="arm"/><axis xyz="0 0 1"/><limit lower="0.8" upper="5.4" effort="10" velocity="1"/></joint>
        <link name="arm"><inertial><origin xyz="0.2 0 0"/><mass value="1"/>
        <inertia ixx="0.002" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>"#;
    let scene = Scene::from_model_file(&scratch("elbow.urdf", elbow), &RobotOptions::default()).unwrap();
    let mut setup = scene.build().unwrap();
    assert_eq!((setup.state.q[0], setup.duration), (0.0, 5.0));
    setup.duration = 2.0;
    let end = Runner::new(setup, RunOptions::default()).unwrap().run_quietly().end;
    // To the slop of overlaps, which are left alone.
    assert!((end.q[0] - 0.8).abs() < 1.01e-5 && end.v[0] == 0.0, "{end:?}");
}

/// Chaplygin's sleigh, its edge behind the centre of mass: what turns at first goes straight on in the end, with all of the energy.
#[test]
fn a_sleigh_turns_into_its_way() {
    let (back, spin) = (0.15, 0.7_f64);
    let text = format!(
        "duration = 6.0\ngravity = [0, 0, 0]\n[[body]]\nname = \"sleigh\"\nshape = \"box\"\nsize = [0.4, 0.2, 0.1]\nmass = 2\n\
         position = [0, 0, 1]\nvelocity = [1, {}, 0]\nangular_velocity = [0, 0, {spin}]\n\
         [[knife_edge]]\nbody = \"sleigh\"\npoint = [-{back}, 0, 0]\nacross = [0, 1, 0]\n",
        back * spin
    );
    let scene = parse(&text).unwrap();
    assert_eq!(parse(&scene.to_toml().unwrap()).unwrap(), scene);
    let end = Runner::new(scene.build().unwrap(), RunOptions::default()).unwrap().run_quietly().end;
    let gyration = (0.4 * 0.4 + 0.2 * 0.2) / 12.0;
    let expected = (1.0 + (gyration + back * back) * spin * spin).sqrt();
    let speed = end.v[0].hypot(end.v[1]);
    assert!(
        (speed - expected).abs() < 1e-5 && end.v[5].abs() < 1e-6,
        "{speed} m/s, {expected} m/s, {:?}",
        end.v
    );
    let heading = 2.0 * end.q[6].atan2(end.q[3]);
    let (sin, cos) = heading.sin_cos();
    assert!((end.v[1] * cos - end.v[0] * sin).abs() < 1e-6, "across the edge: {:?}", end.v);
}
