//! Manners of the program: tables that fit a terminal, files that do not overwrite one another, limits that are told.

// A helper of a test may panic like the test itself.
#![allow(clippy::unwrap_used)]

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn stiction(here: &Path, line: &str) -> Output {
    let args: Vec<&str> = line.split(' ').collect();
    Command::new(env!("CARGO_BIN_EXE_stiction")).current_dir(here).args(args).output().unwrap()
}

fn folder(name: &str) -> PathBuf {
    let here = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("manners-{name}"));
    let _ = std::fs::remove_dir_all(&here);
    std::fs::create_dir_all(&here).unwrap();
    here
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// What a command that succeeded prints.
fn told(here: &Path, line: &str) -> String {
    let done = stiction(here, line);
    assert!(done.status.success(), "{line}: {}", text(&done.stderr));
    text(&done.stdout)
}

/// Painlevé's rod: small, and not for every solver.
const ROD: &str = r#"{"name": "rod", "formulation": "local", "dim": 3, "nc": 1, "contact_frame": "N,T1,T2",
  "W": {"shape": [3, 3], "dense": [[1.6, -1.2, 0], [-1.2, 3.4, 0], [0, 0, 4]]}, "q": [0.01, -10, 0], "mu": [1.4]}"#;

/// Tables of all solvers are 80 columns wide at most.
#[test]
fn tables_fit_the_terminal() {
    let here = folder("tables");
    std::fs::create_dir(here.join("problems")).unwrap();
    std::fs::write(here.join("problems/rod.json"), ROD).unwrap();
    for line in [
        "compare cube-slide --contact all --duration 0.005",
        "solve problems/rod.json --solver all",
        "solve problems --solver all --profile profile",
    ] {
        let told = told(&here, line);
        let table: Vec<&str> = told.lines().filter(|l| l.starts_with(['│', '┌', '└', '╞'])).collect();
        assert!(table.len() > 25, "{line}: {told}");
        let widest = table.iter().map(|l| l.chars().count()).max().unwrap();
        assert!(widest <= 80, "{line}: {widest} columns\n{told}");
        assert!(told.contains("mujoco-pyramidal"), "names are whole: {told}");
    }
}

#[test]
fn a_solver_and_its_law_are_two_words() {
    let list = told(&folder("solvers"), "solvers");
    let line = list.lines().find(|l| l.starts_with("mujoco-pyramidal")).unwrap();
    let words: Vec<&str> = line.split_whitespace().collect();
    assert_eq!(words[..2], ["mujoco-pyramidal", "mujoco-pyramidal"]);
}

/// Files of one name in two folders, or of two formats, have replays of their own.
#[test]
fn robots_of_one_name_keep_their_replays() {
    let here = folder("stems");
    for part in ["a", "b"] {
        std::fs::create_dir(here.join(part)).unwrap();
        let made = told(&here, &format!("convert quadruped {part}/scene.xml"));
        assert!(made.contains("scene.xml"));
        told(&here, &format!("run {part}/scene.xml --duration 0.01"));
    }
    told(&here, "run ball --duration 0.01");
    for file in ["out/a-scene.xml.html", "out/b-scene.xml.html", "out/ball.html"] {
        assert!(here.join(file).is_file(), "no {file}");
    }
}

/// An ending that says something else is refused before anything is simulated.
#[test]
fn a_replay_is_what_its_ending_says() {
    let here = folder("endings");
    for line in [
        "run quadruped --duration 1000 --replay q.bag",
        "run quadruped --duration 1000 --replay .",
        "compare quadruped --duration 1000 --replay q.mcap",
        "compare quadruped --duration 1000 --report q.pdf",
    ] {
        let refused = stiction(&here, line);
        assert_eq!(refused.status.code(), Some(2), "{line}: {}", text(&refused.stderr));
        assert!(text(&refused.stderr).contains("expected a file name that ends in .html"), "{line}");
    }
    assert!(std::fs::read_dir(&here).unwrap().next().is_none());
}

/// The certificate is set beside the tolerance, by the law that the solver solves.
#[test]
fn a_certificate_says_whether_the_tolerance_is_met() {
    let here = folder("certificate");
    let exact = told(&here, "run cube-slide --duration 0.05 --replay a.html");
    assert!(exact.contains("tolerance 1e-8 m/s: met"), "{exact}");
    let relaxed = told(&here, "run cube-slide --duration 0.05 --contact ccp-pgs --replay a.html");
    assert!(relaxed.contains("natural map of its own law") && relaxed.contains("1e-8 m/s: met"), "{relaxed}");
    assert!(relaxed.contains("of the exact law: worst natural map"), "{relaxed}");
    let coarse =
        stiction(&here, "run stack --duration 0.01 --contact ncp-admm --max-iterations 1 --replay a.html");
    assert!(text(&coarse.stdout).contains("1e-8 m/s: NOT met"), "{}", text(&coarse.stdout));
}

/// The hardest step of a run is the one with the most iterations.
#[test]
fn the_hardest_problem_of_a_run_is_kept() {
    let here = folder("hardest");
    told(&here, "run two-cubes --duration 0.2 --dump-problems problems --when hardest --out t.csv");
    let files: Vec<_> =
        std::fs::read_dir(here.join("problems")).unwrap().map(|f| f.unwrap().file_name()).collect();
    let [file] = &files[..] else { panic!("{files:?}") };
    let step: usize =
        file.to_str().unwrap().trim_end_matches(".json").rsplit('-').next().unwrap().parse().unwrap();
    let csv = std::fs::read_to_string(here.join("t.csv")).unwrap();
    let at = csv.lines().next().unwrap().split(',').position(|head| head.starts_with("iterations")).unwrap();
    let iterations: Vec<f64> =
        csv.lines().skip(1).map(|l| l.split(',').nth(at).unwrap().parse().unwrap()).collect();
    let most = iterations.iter().copied().fold(0.0, f64::max);
    assert!(
        iterations[step] == most && most > iterations[1..].iter().copied().fold(f64::MAX, f64::min),
        "{step}"
    );
}

/// Solvers run in processes of their own and give the answers they give alone; one that exceeds its time is named.
#[test]
fn a_solver_that_exceeds_its_time_is_named() {
    let here = folder("limit");
    std::fs::write(here.join("rod.json"), ROD).unwrap();
    let answers = |line: &str| -> Vec<Value> { serde_json::from_str(&told(&here, line)).unwrap() };
    let timeless = |mut answers: Vec<Value>| {
        answers.iter_mut().for_each(|a| a["time_s"] = Value::Null);
        answers
    };
    let alone = timeless(answers("solve rod.json --solver nsgs --json --impulses"));
    let apart = timeless(answers("solve rod.json --solver nsgs,ncp-al --json --impulses"));
    assert_eq!((apart.len(), &apart[0]), (2, &alone[0]));
    assert!(alone[0]["own_natural_map"].is_number());

    let slow = stiction(&here, "solve rod.json --solver nsgs,ncp-al --time-limit 1e-9");
    let (shown, said) = (text(&slow.stdout), text(&slow.stderr));
    assert_eq!(slow.status.code(), Some(1), "{shown}{said}");
    assert!(
        shown.matches("time limit").count() == 2 && said.contains("--time-limit): nsgs, ncp-al"),
        "{shown}{said}"
    );
}

/// A contact that resists rolling is not for all: those that cannot take it say so, the others answer.
#[test]
fn a_solver_that_cannot_take_a_problem_does_not_stop_the_others() {
    let here = folder("refused");
    let world = r#"<mujoco><worldbody><geom type="plane" size="1 1 1" condim="6"/><body pos="0 0 0.1"><freejoint/>
      <geom type="sphere" size="0.1" condim="6"/></body></worldbody></mujoco>"#;
    std::fs::write(here.join("ball.xml"), world).unwrap();
    told(&here, "run ball.xml --duration 0.05 --dump-problems problems");
    let file = std::fs::read_dir(here.join("problems")).unwrap().next().unwrap().unwrap().file_name();
    let line = format!("solve problems/{} --solver nsgs,ncp-admm", file.to_str().unwrap());
    let done = stiction(&here, &line);
    let (shown, said) = (text(&done.stdout), text(&done.stderr));
    assert!(done.status.success(), "{said}");
    assert!(shown.contains("refused") && shown.contains("converged"), "{shown}");
    assert!(said.contains("ncp-admm takes no contacts that resist spinning or rolling"), "{said}");
}

/// Table and history count alike.
#[test]
fn history_and_table_agree_on_iterations() {
    let here = folder("history");
    std::fs::write(here.join("rod.json"), ROD).unwrap();
    let line = "solve rod.json --solver auto,nsgs,ncp-admm,ccp-pgs,mujoco --json --history h.csv";
    let done = stiction(&here, line);
    let answers: Vec<Value> = serde_json::from_slice(&done.stdout).unwrap();
    let csv = std::fs::read_to_string(here.join("h.csv")).unwrap();
    assert_eq!(answers.len(), 5);
    for answer in answers {
        let solver = answer["solver"].as_str().unwrap();
        let last = csv.lines().rfind(|l| l.starts_with(&format!("{solver},"))).unwrap();
        let iterations: u64 = last.split(',').nth(1).unwrap().parse().unwrap();
        assert_eq!(Some(iterations), answer["iterations"].as_u64(), "{solver}");
    }
}

/// `inspect` says which mass it counts, and what holds every joint.
#[test]
fn inspect_names_what_it_counts() {
    let here = folder("inspect");
    let urdf = r#"<robot name="arm">
      <link name="base"><inertial><mass value="7"/>
        <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
      <link name="arm"><inertial><origin xyz="0 0 -0.5"/><mass value="2"/>
        <inertia ixx="0.3" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.25"/></inertial></link>
      <joint name="hip" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>
        <limit lower="-1" upper="2" effort="30" velocity="4"/><dynamics damping="0.5" friction="0.2"/></joint>
    </robot>"#;
    std::fs::write(here.join("arm.urdf"), urdf).unwrap();
    let shown = told(&here, "inspect arm.urdf");
    for line in [
        "arm: 2 kg that move (7 kg fixed to the world do not count, as in Pinocchio)",
        "base: 7 kg, principal moments (1, 1, 1) kg·m², fixed to the world",
        "arm: 2 kg, principal moments (0.1, 0.25, 0.3) kg·m²",
        "by hinge `hip`, q[0], v[0], damping 0.5 N·m·s/rad, dry friction 0.2 N·m, speed at most 4 rad/s, effort in \
         [-30, 30] N·m, range [-1, 2] rad",
    ] {
        assert!(shown.contains(line), "no `{line}` in\n{shown}");
    }
    let free = told(&here, "inspect quadruped");
    assert!(free.contains("by free `trunk`, q[0..7], v[0..6]"), "{free}");
}

/// The scene of the README runs with a robot of that name beside it.
#[test]
fn the_scene_of_the_readme_runs() {
    let readme = include_str!("../../../../README.md");
    let scene = readme.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
    let here = folder("readme");
    std::fs::write(here.join("scene.toml"), scene).unwrap();
    let urdf = r#"<robot name="lamp">
      <link name="foot"><inertial><mass value="2"/>
        <inertia ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.02"/></inertial>
        <collision><geometry><box size="0.3 0.3 0.05"/></geometry></collision></link>
      <link name="arm"><inertial><origin xyz="0 0 0.2"/><mass value="0.3"/>
        <inertia ixx="0.005" ixy="0" ixz="0" iyy="0.005" iyz="0" izz="0.001"/></inertial></link>
      <joint name="elbow" type="revolute"><parent link="foot"/><child link="arm"/><axis xyz="0 1 0"/>
        <limit lower="-1" upper="1" effort="20" velocity="5"/></joint></robot>"#;
    std::fs::write(here.join("robot.urdf"), urdf).unwrap();
    let shown = told(&here, "run scene.toml --duration 0.05");
    assert!(shown.contains("every step converged"), "{shown}");
}

/// A swinging arm that nothing drives: where it starts and how it is held is said on the command line.
const ARM: &str = r#"<mujoco><worldbody><body name="upper"><joint name="shoulder" axis="0 1 0"/>
    <geom type="capsule" size="0.02" fromto="0 0 0 0.3 0 0" mass="1"/></body></worldbody></mujoco>"#;

/// A joint starts where `--joint` says; the arm of 1 kg at 0.15 m sags under a spring of 50 N·m/rad by m g l cos q / k.
#[test]
fn joints_start_and_are_held_as_asked() {
    let here = folder("joints");
    std::fs::write(here.join("arm.xml"), ARM).unwrap();
    let run = "run arm.xml --hold --stiffness 50 --damping 5 --joint shoulder=0.5 --duration 3 --json";
    let summary: Value = serde_json::from_str(&told(&here, run)).unwrap();
    let q = summary["final"]["q"][0].as_f64().unwrap();
    let sag = 9.81 * 0.15 * q.cos() / 50.0;
    assert!((q - 0.5 - sag).abs() < 1e-6, "{q} {sag}");
    for (line, words) in [
        ("run arm.xml --joint sholder=1", vec!["--joint", "`sholder`", "did you mean `shoulder`?"]),
        ("run arm.xml --joint shoulder", vec!["NAME=VALUE"]),
        ("run arm.xml --joint shoulder=x", vec!["`x`", "NAME=VALUE"]),
        ("run arm.xml --joint shoulder=1 --joint shoulder=2", vec!["`shoulder`", "twice"]),
        ("run arm.xml --stiffness 5", vec!["--hold"]),
        ("run arm.xml --hold --damping -1", vec!["expected a number >= 0"]),
        ("run ball --joint a=1", vec!["--joint", "`ball` is a scene"]),
        ("render arm.xml --frames f --follow uper", vec!["`uper`", "did you mean `upper`?"]),
        ("render arm.xml --frames f --camera below", vec!["home, front, side, top"]),
    ] {
        let done = stiction(&here, line);
        let complaint = text(&done.stderr);
        assert_eq!(done.status.code(), Some(2), "{line}: {complaint}");
        assert!(words.iter().all(|w| complaint.contains(w)), "{line}: {complaint}");
    }
}

/// Pictures from two places differ, and those that follow what falls keep it in the middle.
#[test]
fn pictures_are_taken_from_where_one_asks() {
    let here = folder("camera");
    let picture = |name: &str, how: &str| {
        told(&here, &format!("render ball --duration 0.1 --fps 10 --size 64x48 --frames {name} {how}"));
        std::fs::read(here.join(name).join("00001.png")).unwrap()
    };
    let pictures = [
        picture("home", "--camera home"),
        picture("side", "--camera side --follow ball"),
        picture("top", "--camera top"),
        picture("near", "--camera -1,-1,1"),
        picture("at", "--camera -1,-1,1,0,0,3"),
    ];
    for i in 1..pictures.len() {
        assert!(!pictures[..i].contains(&pictures[i]), "picture {i}");
    }
}
