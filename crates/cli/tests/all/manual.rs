//! The examples of `--help` do what they say: each is run as it stands, in a folder that holds the files they name, for a
//! shorter time where it simulates, and what it says it writes is there afterwards.

// A helper of a test may panic like the test itself.
#![allow(clippy::unwrap_used)]

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const STICTION: &str = env!("CARGO_BIN_EXE_stiction");

const URDF: &str = r#"<robot name="crate">
  <link name="base"><inertial><mass value="2"/>
    <inertia ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.02"/></inertial>
    <visual><geometry><box size="0.2 0.2 0.2"/></geometry></visual>
    <collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision></link>
  <link name="lid"><inertial><mass value="0.5"/>
    <inertia ixx="0.005" ixy="0" ixz="0" iyy="0.005" iyz="0" izz="0.005"/></inertial>
    <visual><geometry><box size="0.2 0.2 0.02"/></geometry></visual>
    <collision><geometry><box size="0.2 0.2 0.02"/></geometry></collision></link>
  <joint name="hinge" type="revolute"><parent link="base"/><child link="lid"/><origin xyz="0 0 0.15"/>
    <axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="20" velocity="5"/></joint>
</robot>"#;

const PROBLEM: &str = r#"{"name": "point", "formulation": "local", "dim": 3, "nc": 1, "contact_frame": "N,T1,T2",
  "W": {"shape": [3, 3], "dense": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}, "q": [-1, 2, 0], "mu": [0.5]}"#;

const SDF: &str = r#"<sdf version="1.9"><world name="w"><model name="box"><pose>0 0 0.5 0 0 0</pose><link name="box">
  <inertial><mass>1</mass><inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.1</izz></inertia></inertial>
  <collision name="c"><geometry><box><size>1 1 1</size></box></geometry></collision></link></model></world></sdf>"#;

const SCENE: &str = "duration = 0.1\n[ground]\nfriction = 0.5\n[[body]]\nname = \"box\"\nshape = \"box\"\n\
                     size = [0.2, 0.2, 0.2]\nmass = 1.0\nposition = [0.0, 0.0, 0.1]\nvelocity = [1.0, 0.0, 0.0]\n";

/// A folder with the files that the examples name.
fn folder(name: &str) -> PathBuf {
    let here = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("manual-{name}"));
    let _ = std::fs::remove_dir_all(&here);
    for inner in ["models", "problems"] {
        std::fs::create_dir_all(here.join(inner)).unwrap();
    }
    for (file, text) in [
        ("robot.urdf", URDF),
        ("models/robot.urdf", URDF),
        ("problem.json", PROBLEM),
        ("problems/problem.json", PROBLEM),
        ("world.sdf", SDF),
        ("scene.toml", SCENE),
        ("state.json", "{\"q\": [0.1], \"v\": [0.2]}"),
    ] {
        std::fs::write(here.join(file), text).unwrap();
    }
    for args in ["convert robot.urdf robot.xml", "convert problem.json problem.dat"] {
        let done = stiction(&here, &args.split(' ').map(str::to_owned).collect::<Vec<_>>());
        assert!(done.status.success(), "{args}: {}", String::from_utf8_lossy(&done.stderr));
    }
    here
}

fn stiction(here: &Path, args: &[String]) -> Output {
    Command::new(STICTION).current_dir(here).args(args).output().unwrap()
}

/// Arguments of the examples in the help of `command`, without the remarks behind them.
fn examples(command: &[&str]) -> Vec<Vec<String>> {
    let help = Command::new(STICTION).args(command).arg("--help").output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let lines =
        help.lines().skip_while(|l| *l != "Examples:").skip(1).take_while(|l| l.starts_with("  stiction "));
    lines.map(|l| words(l.trim_start().split("  ").next().unwrap())).collect()
}

/// Words as a shell splits them, `stiction` left out.
fn words(line: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for (i, part) in line.split('"').enumerate() {
        match i % 2 {
            0 => out.extend(part.split_whitespace().map(str::to_owned)),
            _ => out.push(part.to_owned()),
        }
    }
    out.split_off(1)
}

/// Files that the arguments say are written.
fn written(args: &[String]) -> Vec<&String> {
    let says = [
        "--out",
        "--replay",
        "--report",
        "--history",
        "--frames",
        "--video",
        "--fix",
        "--profile",
        "--dump-problems",
    ];
    let mut files: Vec<&String> =
        args.windows(2).filter(|w| says.contains(&w[0].as_str())).map(|w| &w[1]).collect();
    if args[0] == "convert" {
        files.push(&args[2]);
    }
    files
}

/// Runs an example in `here`.
fn follow(here: &Path, args: &[String], shorter: &[&str]) {
    let shown = args.join(" ");
    if ["view", "replay"].contains(&&*args[0]) {
        return serve(here, args, &shown);
    }
    let says = args.iter().any(|a| shorter.contains(&&**a));
    let shorter = shorter.iter().filter(|_| !says).map(|s| (*s).to_owned());
    let all: Vec<String> = args.iter().cloned().chain(shorter).collect();
    let done = stiction(here, &all);
    let told = String::from_utf8_lossy(&done.stderr).into_owned();
    if args.contains(&"--video".to_owned()) && told.contains("needs the program ffmpeg") {
        return; // the help says so
    }
    assert!(done.status.success(), "stiction {shown}: {told}");
    assert!(!done.stdout.is_empty(), "stiction {shown} says nothing");
    for file in written(args) {
        let path = here.join(file);
        assert!(path.exists(), "stiction {shown}: no {file}");
        let empty = path.is_dir() && std::fs::read_dir(&path).unwrap().next().is_none();
        assert!(!empty, "stiction {shown}: nothing in {file}");
    }
}

/// A server prints its address and goes on.
fn serve(here: &Path, args: &[String], shown: &str) {
    let mut command = Command::new(STICTION);
    command.current_dir(here).args(args).env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
    let mut server = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let goes_on = server.try_wait().unwrap().is_none();
    server.kill().unwrap();
    server.wait().unwrap();
    assert!(line.starts_with("http://127.0.0.1:") && goes_on, "stiction {shown}: {line}");
}

/// All examples of a command, in their order, in one folder.
fn follow_all(command: &str, shorter: &[&str]) {
    let here = folder(command);
    let all = examples(&[command]);
    assert!(!all.is_empty(), "stiction {command} --help shows no examples");
    all.iter().for_each(|args| follow(&here, args, shorter));
}

#[test]
fn the_examples_of_run_do_what_they_say() {
    follow_all("run", &["--duration", "0.02"]);
}

/// Without an explicit port of the example, two runs of the test side by side would meet.
#[test]
fn the_examples_of_view_do_what_they_say() {
    let here = folder("view");
    for args in examples(&["view"]) {
        let free: Vec<String> =
            args.iter().map(|a| if a == "8080" { "0".to_owned() } else { a.clone() }).collect();
        follow(&here, &free, &[]);
    }
}

/// A learned sole is there when the second example lands on it.
#[cfg(feature = "full")]
#[test]
fn the_examples_of_learn_sole_do_what_they_say() {
    let here = folder("sole");
    let all = examples(&["learn", "sole"]);
    assert_eq!(all.len(), 2);
    for args in all {
        let shorter: &[&str] = if args[0] == "run" { &["--duration", "0.02"] } else { &[] };
        follow(&here, &args, shorter);
    }
}

#[test]
fn the_examples_of_render_do_what_they_say() {
    follow_all("render", &["--duration", "0.02"]);
}

#[test]
fn the_examples_of_compare_do_what_they_say() {
    follow_all("compare", &["--duration", "0.01"]);
}

#[test]
fn the_examples_of_solve_do_what_they_say() {
    follow_all("solve", &[]);
}

#[cfg(feature = "full")]
#[test]
fn the_examples_of_shrink_do_what_they_say() {
    follow_all("shrink", &[]);
}

#[test]
fn the_examples_of_inspect_do_what_they_say() {
    follow_all("inspect", &[]);
}

#[test]
fn the_examples_of_check_do_what_they_say() {
    follow_all("check", &[]);
}

/// The problem that the third example converts is one that `run` has written.
#[test]
fn the_examples_of_convert_do_what_they_say() {
    let here = folder("convert");
    std::fs::create_dir_all(here.join("out")).unwrap();
    std::fs::copy(here.join("problem.json"), here.join("out/pile-000412.json")).unwrap();
    examples(&["convert"]).iter().for_each(|args| follow(&here, args, &[]));
}

/// Fewer steps, of the same random worlds.
#[cfg(feature = "full")]
#[test]
fn the_examples_of_stress_do_what_they_say() {
    let here = folder("stress");
    let all = examples(&["stress"]);
    assert!(!all.is_empty());
    for mut args in all {
        let at = args.iter().position(|a| a == "--steps").unwrap();
        args[at + 1] = "100".to_owned();
        let done = stiction(&here, &args);
        let text = String::from_utf8(done.stdout).unwrap();
        assert!(done.status.success() && written(&args).iter().all(|f| here.join(f).exists()), "{text}");
        let steps: u64 = text.split(' ').next().unwrap().parse().unwrap();
        assert!(steps >= 100, "{text}");
    }
}

/// The full size of an experiment takes longer than a test may; that they hold at a smaller one is a test of theirs.
#[cfg(feature = "full")]
#[test]
fn the_examples_of_experiment_name_experiments() {
    let here = folder("experiment");
    let list = stiction(&here, &["experiment", "list"].map(str::to_owned));
    let list = String::from_utf8(list.stdout).unwrap();
    for args in examples(&["experiment"]) {
        let name = &args[1];
        assert!(name == "list" || list.lines().any(|l| l.starts_with(&**name)), "{name}");
    }
}

/// The short list that `stiction --help` begins with.
#[test]
fn the_first_examples_do_what_they_say() {
    let here = folder("first");
    for args in examples(&[]) {
        let simulates = ["run", "compare"].contains(&&*args[0]);
        follow(&here, &args, if simulates { &["--duration", "0.01"] } else { &[] });
    }
}
