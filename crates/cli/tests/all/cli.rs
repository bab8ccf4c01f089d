//! The program as a user calls it.

// A helper of a test may panic like the test itself.
#![allow(clippy::unwrap_used)]

use serde_json::Value;
use std::path::PathBuf;
use std::process::{Command, Output};

/// Runs `stiction` in a folder of this test.
fn stiction(folder: &PathBuf, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_stiction")).current_dir(folder).args(args).output().unwrap()
}

/// An empty folder.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn json(output: &Output) -> Value {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text}\n{}", errors(output)))
}

fn errors(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

/// Exit code 2, nothing on stdout, one message with every word, no trace of a panic.
fn refused(output: &Output, words: &[&str]) {
    let text = errors(output);
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(output.stdout.is_empty() && !text.contains("panicked"), "{text}");
    for word in words {
        assert!(text.contains(word), "no `{word}` in: {text}");
    }
}

/// A stack at rest sleeps unless it must not, or a robot is in the scene.
#[test]
fn what_rests_sleeps_if_it_may() {
    let here = folder("sleep");
    for (scene, sleep, bodies) in [
        ("stack", &[][..], 10),
        ("stack", &["--sleep", "off"], 0),
        ("stack", &["--sleep", "on"], 10),
        ("quadruped", &["--sleep", "on"], 0),
    ] {
        let run = [&["run", scene, "--duration", "0.3", "--json"], sleep].concat();
        let run = stiction(&here, &run);
        assert_eq!(json(&run)["sleep"]["bodies"], bodies, "{scene} {sleep:?}: {}", errors(&run));
    }
    let told = stiction(&here, &["run", "stack", "--duration", "0.3"]);
    let text = String::from_utf8(told.stdout).unwrap();
    assert!(text.contains("asleep       10 of 10 bodies at the end"), "{text}");
    refused(&stiction(&here, &["run", "stack", "--sleep", "never"]), &["never", "auto", "off"]);
}

#[test]
fn a_contact_solver_that_nobody_would_ask_is_refused() {
    let here = folder("solver-in-vain");
    let with = |command: &str, stepper: &str| {
        stiction(
            &here,
            &[
                command,
                "cube-slide",
                "--contact",
                "nsgs",
                "--stepper",
                stepper,
                "--duration",
                "0.01",
                "--json",
            ],
        )
    };
    refused(&with("run", "todorov"), &["`todorov`", "`nsgs`", "moreau"]);
    refused(&with("compare", "todorov"), &["`todorov`", "`nsgs`", "--stepper all"]);
    let summary = json(&with("run", "moreau"));
    assert_eq!((&summary["contact"], &summary["stepper"]), (&"nsgs".into(), &"moreau".into()));
}

#[test]
fn run_prints_the_documented_json() {
    let here = folder("run");
    let run = stiction(&here, &["run", "cube-slide", "--duration", "0.05", "--dt", "0.001", "--json"]);
    assert!(run.status.success(), "{}", errors(&run));
    let summary = json(&run);
    let mut expected = vec![
        "scene",
        "contact",
        "stepper",
        "dt",
        "steps",
        "wall_s",
        "cpu_s",
        "steps_per_s",
        "final",
        "energy",
        "penetration_max",
        "certificate",
        "solver",
        "sleep",
        "notes",
    ];
    let mut found = keys(&summary);
    expected.sort_unstable();
    found.sort_unstable();
    assert_eq!(found, expected);
    assert_eq!(summary["steps"], 50);
    assert_eq!(summary["final"]["q"].as_array().unwrap().len(), 7);
    // v − μ g t after 50 steps.
    let v = summary["final"]["v"][0].as_f64().unwrap();
    assert!((v - (1.0 - 0.3 * 9.81 * 0.05)).abs() < 1e-9, "{v}");
    for key in ["eps_p", "eps_d", "eps_c", "eps_abs", "natural_map"] {
        assert!(summary["certificate"][key].as_f64().unwrap() < 1e-6, "{key}");
    }
    for key in ["iterations_mean", "iterations_max", "not_converged"] {
        assert!(summary["solver"][key].is_number(), "{key}");
    }
    assert!(std::fs::read_dir(&here).unwrap().next().is_none(), "--json writes no file unasked");
}

#[test]
fn run_writes_what_is_asked_for() {
    let here = folder("files");
    let run =
        stiction(&here, &["run", "ball", "--duration", "0.1", "--out", "a/t.csv", "--replay", "b/r.html"]);
    assert!(run.status.success(), "{}", errors(&run));
    let csv = std::fs::read_to_string(here.join("a/t.csv")).unwrap();
    assert!(csv.starts_with("t [s],") && csv.lines().count() == 102, "{}", csv.lines().count());
    let head = csv.lines().next().unwrap();
    for column in ["step_time [s]", "status", "remedy", "energy_error [J]", "ball velocity z [m/s]"] {
        assert!(head.split(',').any(|c| c == column), "{column}: {head}");
    }
    let contacts = std::fs::read_to_string(here.join("a/t.contacts.csv")).unwrap();
    assert!(contacts.starts_with("row [-],t [s],geometry a,"), "{contacts}");
    assert!(std::fs::read_to_string(here.join("b/r.html")).unwrap().contains("<html"));
    let text = String::from_utf8(run.stdout).unwrap();
    assert!(text.contains("natural map") || text.contains("exactly"), "{text}");
    assert!(text.contains("b/r.html"), "{text}");

    let npz =
        stiction(&here, &["run", "ball", "--duration", "0.1", "--out", "t.npz", "--no-certify", "--json"]);
    assert!(npz.status.success(), "{}", errors(&npz));
    assert!(std::fs::read(here.join("t.npz")).unwrap().starts_with(b"PK"));
    assert!(json(&npz)["certificate"].is_null());

    let plain = stiction(&here, &["run", "ball", "--duration", "0.05"]);
    assert!(plain.status.success() && here.join("out/ball.html").exists());
}

#[test]
fn render_paints_every_frame() {
    let here = folder("render");
    let painted =
        ["render", "ball", "--duration", "0.1", "--fps", "50", "--size", "64x48", "--frames", "pictures"];
    let output = stiction(&here, &painted);
    assert!(output.status.success(), "{}", errors(&output));
    let mut files: Vec<_> =
        std::fs::read_dir(here.join("pictures")).unwrap().map(|f| f.unwrap().path()).collect();
    files.sort();
    assert_eq!(files.len(), 6);
    let picture = std::fs::read(&files[5]).unwrap();
    assert_eq!(picture[..8], *b"\x89PNG\r\n\x1a\n");
    assert_eq!(picture[16..24], [0, 0, 0, 64, 0, 0, 0, 48]);

    refused(&stiction(&here, &["render", "ball", "--frames", "a", "--size", "63x48"]), &["63x48", "even"]);
    refused(&stiction(&here, &["render", "ball"]), &["--frames", "--video"]);
}

#[test]
fn wrong_input_is_refused_with_the_remedy() {
    let here = folder("wrong");
    refused(
        &stiction(&here, &["run", "quadrupde"]),
        &["quadrupde", "did you mean `quadruped`?", "cube-slide"],
    );
    refused(&stiction(&here, &["run", "none.toml"]), &["none.toml"]);
    refused(&stiction(&here, &["run", "none.urdf"]), &["none.urdf"]);
    refused(&stiction(&here, &["run", "ball", "--contact", "nosuch"]), &["nosuch", "nsgs"]);
    refused(&stiction(&here, &["run", "ball", "--dt", "-1"]), &["--dt", "> 0"]);
    refused(&stiction(&here, &["run", "ball", "--out", "t.mat"]), &[".npz, .parquet or .csv"]);
    refused(&stiction(&here, &["run", "ball", "--out", "t.csv", "--duration", "1e9"]), &["GB", "shorten"]);
    refused(&stiction(&here, &["run", "ball", "--hold"]), &["--hold", "robot file"]);
    refused(&stiction(&here, &["compare", "ball", "--contact", "nsgs,x"]), &["`x`"]);
    refused(&stiction(&here, &["solve", "none.json"]), &["none.json"]);
    refused(&stiction(&here, &["inspect", "none.xml"]), &["none.xml"]);
    refused(&stiction(&here, &["experiment", "nosuch"]), &["nosuch"]);

    refused(&stiction(&here, &["run", "ball", "--dt", "1e-300"]), &["1e-300", "steps"]);
    refused(&stiction(&here, &["compare", "ball", "--duration", "1e-9"]), &["1e-9", "steps"]);
    refused(&stiction(&here, &["run", "ball", "--max-iterations", "-1"]), &["-1", "0..="]);
    refused(&stiction(&here, &["inspect", "quadrupde"]), &["no model", "did you mean `quadruped`?"]);
    std::fs::write(here.join("bare.xml"), "<mujoco/>").unwrap();
    refused(
        &stiction(&here, &["inspect", "bare.xml", "--keyframe", "home"]),
        &["`home`", "has none", "--state"],
    );

    std::fs::write(here.join("broken.toml"), "[ground]\nfriction = \"much\"\n").unwrap();
    refused(&stiction(&here, &["run", "broken.toml"]), &["broken.toml:2:", "friction"]);
    std::fs::write(here.join("broken.urdf"), "<robot name='x'><link/></robot>").unwrap();
    refused(&stiction(&here, &["run", "broken.urdf"]), &["broken.urdf:1:"]);
}

/// Opening a pipe that nobody writes to would wait for ever; a device may never end.
#[cfg(unix)]
#[test]
fn pipes_and_devices_are_refused() {
    let here = folder("pipes");
    std::fs::write(here.join("arm.xml"), "<mujoco/>").unwrap();
    for name in ["pipe.xml", "pipe.toml", "pipe.json", "pipe.html", "pipe.mcap"] {
        assert!(Command::new("mkfifo").arg(here.join(name)).status().unwrap().success());
    }
    for args in [
        &["run", "pipe.xml"][..],
        &["run", "pipe.toml"],
        &["inspect", "pipe.xml"],
        &["inspect", "arm.xml", "--state", "pipe.json"],
        &["inspect", "arm.xml", "--state", "/dev/zero"],
        &["solve", "pipe.json"],
        &["solve", "/dev/zero"],
        &["replay", "pipe.html"],
        #[cfg(feature = "full")]
        &["replay", "pipe.mcap"],
    ] {
        refused(&stiction(&here, args), &["not a regular file"]);
    }
}

/// What cannot be written is named with its cause, and does not take the other file with it.
#[test]
fn an_unwritable_file_costs_only_itself() {
    let here = folder("unwritable");
    std::fs::write(here.join("file"), "").unwrap();
    let args = ["run", "ball", "--duration", "0.01", "--out", "file/t.csv", "--replay", "r.html"];
    let run = stiction(&here, &args);
    assert_eq!(run.status.code(), Some(1), "{}", errors(&run));
    assert!(errors(&run).contains("file/t.csv") && here.join("r.html").exists(), "{}", errors(&run));
    std::fs::create_dir(here.join("folder.html")).unwrap();
    let run = stiction(&here, &["run", "ball", "--duration", "0.01", "--replay", "folder.html"]);
    assert_eq!(run.status.code(), Some(1));
    assert!(errors(&run).contains("cannot write the replay to folder.html: "), "{}", errors(&run));
}

/// Recordings of other kinds are named, with what to do; nothing listens.
#[test]
fn replay_refuses_what_it_cannot_show_with_a_remedy() {
    let here = folder("replay-other");
    for (file, remedy) in [
        #[cfg(feature = "full")]
        ("run.mcap", "not an MCAP file"),
        ("run.npz", "run its scene again with --replay"),
        ("run.PARQUET", "run its scene again with --replay"),
        ("robot.urdf", "stiction view FILE"),
        ("page.html", "a replay that stiction wrote"),
    ] {
        std::fs::write(here.join(file), "<html>").unwrap();
        let replay = stiction(&here, &["replay", file, "--no-open"]);
        let told = errors(&replay).to_lowercase();
        assert_eq!(replay.status.code(), Some(2), "{file}: {told}");
        assert!(told.contains(&file.to_lowercase()) && told.contains(&remedy.to_lowercase()), "{told}");
    }
}

/// A port that somebody else has, or an address that is not ours: told with what to do.
#[test]
fn view_says_why_it_cannot_listen() {
    let here = folder("listen");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    for (args, words) in [
        (["--port", &port], [&*port, "leave it out"]),
        (["--host", "192.0.2.1"], ["192.0.2.1", "--host takes"]),
    ] {
        let view = stiction(&here, &[&["view", "ball", "--no-open"][..], &args].concat());
        let told = errors(&view);
        assert_eq!(view.status.code(), Some(1), "{told}");
        assert!(words.iter().all(|word| told.contains(word)), "{told}");
    }
}

#[test]
fn solve_answers_in_the_order_of_the_file() {
    let here = folder("solve");
    let problem = r#"{"name": "point", "formulation": "local", "dim": 3, "nc": 1, "contact_frame": "N,T1,T2",
        "W": {"shape": [3, 3], "dense": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}, "q": [-1, 2, 0], "mu": [0.5]}"#;
    std::fs::write(here.join("point.json"), problem).unwrap();
    let solve = stiction(&here, &["solve", "point.json", "--solver", "all", "--json", "--impulses"]);
    assert!(solve.status.success(), "{}", errors(&solve));
    let answers = json(&solve);
    for answer in answers.as_array().unwrap() {
        for key in ["solver", "law", "status", "iterations", "time_s", "residual", "impulses"] {
            assert!(!answer[key].is_null(), "{key} is missing in {answer}");
        }
        for key in ["natural_map", "natural_map_relative", "eps_p", "eps_d", "eps_c", "eps_abs"] {
            assert!(answer["residual"][key].is_number(), "{key} is missing in {answer}");
        }
        if answer["law"] == "ncp" {
            let normal = answer["impulses"][0].as_f64().unwrap();
            assert!((normal - 1.0).abs() < 1e-6, "{answer}");
        }
    }
    let table = stiction(&here, &["solve", "point.json"]);
    assert!(table.status.success() && String::from_utf8(table.stdout).unwrap().contains("converged"));
    let explained = json(&stiction(&here, &["solve", "point.json", "--explain", "--json"]));
    let tried = explained[0]["tried"].as_array().unwrap();
    assert!(tried.iter().any(|t| t["stage"] == "springs" && t["when"][0] == "few rows"), "{explained}");
    let last = tried.last().unwrap()["natural_map"].as_f64().unwrap();
    assert!(last <= 1e-8, "{explained}");
    let words = stiction(&here, &["solve", "point.json", "--explain", "--contact-param", "springs.rows=0"]);
    assert!(String::from_utf8_lossy(&words.stdout).contains("starts"), "{}", errors(&words));
}

#[test]
fn inspect_prints_the_documented_json() {
    let here = folder("inspect");
    let urdf = r#"<robot name="arm"><link name="base"/><link name="arm"><inertial><origin xyz="0 0 -0.5"/>
        <mass value="2"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
        <joint name="hip" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint>
        </robot>"#;
    std::fs::write(here.join("arm.urdf"), urdf).unwrap();
    std::fs::write(here.join("state.json"), r#"{"q": [0.5], "v": [2.0]}"#).unwrap();
    let inspect = stiction(&here, &["inspect", "arm.urdf", "--state", "state.json", "--json"]);
    assert!(inspect.status.success(), "{}", errors(&inspect));
    let found = json(&inspect);
    assert_eq!((&found["nq"], &found["nv"]), (&Value::from(1), &Value::from(1)));
    assert_eq!(found["joints"][0]["name"], "hip");
    assert_eq!(found["joints"][0]["type"], "hinge");
    assert!((found["M"][0][0].as_f64().unwrap() - 0.6).abs() < 1e-12);
    assert!((found["bias"][0].as_f64().unwrap() - 9.81 * 0.5_f64.sin()).abs() < 1e-12);
    assert!((found["kinetic"].as_f64().unwrap() - 1.2).abs() < 1e-12);
    for key in ["com", "potential", "total_mass", "warnings", "unsupported"] {
        assert!(!found[key].is_null(), "{key}");
    }
    let words = stiction(&here, &["inspect", "arm.urdf", "--free-base"]);
    let text = String::from_utf8(words.stdout).unwrap();
    assert!(words.status.success() && text.contains("hinge `hip`") && text.contains("free"), "{text}");
}

#[test]
fn lists_and_help_are_there() {
    let here = folder("lists");
    #[cfg(feature = "full")]
    assert!(stiction(&here, &["experiment", "list"]).status.success());
    for args in [&["scenes"][..], &["solvers"], &["--help"], &["run", "--help"]] {
        let output = stiction(&here, args);
        assert!(output.status.success() && !output.stdout.is_empty(), "{args:?}");
    }
    let scenes = json(&stiction(&here, &["scenes", "--json"]));
    assert_eq!(scenes.as_array().unwrap().len(), 20);
}

/// Parameters of solvers: what there is, what is set on the command line and in a scene, and what is refused.
#[test]
fn parameters_of_solvers_can_be_set() {
    let here = folder("parameters");
    let manual = String::from_utf8(stiction(&here, &["solvers", "ncp-pgs"]).stdout).unwrap();
    for word in ["law ncp", "LeLidec2023", "omega", "0 < omega < 2", "0 <= memory <= 50", "published or safe"]
    {
        assert!(manual.contains(word), "{word}: {manual}");
    }
    let listed = json(&stiction(&here, &["solvers", "raisim", "--json"]));
    let names: Vec<&str> =
        listed["parameters"].as_array().unwrap().iter().map(|p| p["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"relaxation.gamma") && names.contains(&"bisection.threshold"), "{names:?}");
    refused(&stiction(&here, &["solvers", "ncp-psg"]), &["did you mean `ncp-pgs`?"]);

    let with = |scene: &str, params: &[&str]| {
        let mut args = vec!["run", scene, "--duration", "0.05", "--json"];
        params.iter().for_each(|param| args.extend(["--contact-param", param]));
        stiction(&here, &args)
    };
    std::fs::write(
        here.join("scene.toml"),
        "[ground]\n[contact]\nsolver = 'ncp-pgs'\nparams = { omega = 1.2 }\n[[body]]\nname = 'b'\nshape = 'box'\n\
         size = [1, 1, 1]\nmass = 1\nposition = [0, 0, 0.5]\n",
    )
    .unwrap();
    assert_eq!(json(&with("scene.toml", &[]))["contact"], "ncp-pgs");
    assert_eq!(json(&with("scene.toml", &["memory=8", "finish=true"]))["contact"], "ncp-pgs-accelerated");
    let hint = ["ncp-pgs", "`omga`", "did you mean `omega`?", "max_iterations"];
    refused(&with("scene.toml", &["omga=1"]), &hint);
    refused(&with("scene.toml", &["omega=2"]), &["`omega` is 2.0", "0 < omega < 2"]);
    refused(&with("scene.toml", &["omega"]), &["`omega`", "KEY=VALUE"]);
    let text = std::fs::read_to_string(here.join("scene.toml")).unwrap().replace("omega", "omga");
    std::fs::write(here.join("typo.toml"), text).unwrap();
    refused(&with("typo.toml", &[]), &["typo.toml:4:", "did you mean `omega`?"]);

    // Each solver takes what it has; what none has is a mistake.
    let both = ["compare", "cube-slide", "--duration", "0.01", "--json", "--contact", "auto,ncp-pgs"];
    let compared = stiction(&here, &[&both[..], &["--contact-param", "omega=1.1"]].concat());
    assert!(compared.status.success(), "{}", errors(&compared));
    refused(&stiction(&here, &[&both[..], &["--contact-param", "local=quartic"]].concat()), &["`local`"]);
}

#[test]
fn compare_writes_a_report() {
    let here = folder("compare");
    let line = "compare cube-slide --contact all --duration 0.02 --report r.html --replay g.html";
    let args: Vec<&str> = line.split(' ').collect();
    let compare = stiction(&here, &args);
    let text = String::from_utf8(compare.stdout.clone()).unwrap();
    assert!(compare.status.success(), "{}", errors(&compare));
    assert!(text.contains("nsgs") && text.contains("r.html"), "{text}");
    assert!(std::fs::read_to_string(here.join("r.html")).unwrap().contains("<svg"));
    assert!(text.contains("g.html") && here.join("g.html").is_file());
}

#[test]
fn convert_writes_what_inspect_reads_back_and_overwrites_only_by_force() {
    let here = folder("convert");
    let done = stiction(&here, &["convert", "quadruped", "q.xml"]);
    assert!(done.status.success(), "{}", errors(&done));
    assert!(String::from_utf8(done.stdout).unwrap().starts_with("wrote q.xml"));
    refused(&stiction(&here, &["convert", "quadruped", "q.xml"]), &["q.xml is there already", "--force"]);
    assert!(stiction(&here, &["convert", "quadruped", "q.xml", "--force"]).status.success());
    refused(&stiction(&here, &["convert", "quadruped", "q.stl"]), &["q.stl", ".urdf"]);
    let as_urdf = stiction(&here, &["convert", "q.xml", "q.urdf"]);
    assert!(
        as_urdf.status.success() && errors(&as_urdf).contains("planes are boxes"),
        "{}",
        errors(&as_urdf)
    );
    let mass = |args: &[&str]| json(&stiction(&here, args))["total_mass"].as_f64().unwrap();
    let (xml, urdf) = (mass(&["inspect", "q.xml", "--json"]), mass(&["inspect", "q.urdf", "--json"]));
    assert!((xml - urdf).abs() < 1e-12 && xml > 1.0, "{xml} {urdf}");
}

/// Painlevé's rod may open, stick or slide: `solve` counts the answers and names the one taken.
#[test]
fn several_answers_of_a_contact_are_told() {
    let here = folder("painleve");
    let rod = r#"{"name": "rod", "formulation": "local", "dim": 3, "nc": 1, "contact_frame": "N,T1,T2",
        "W": {"shape": [3, 3], "dense": [[1.6, -1.2, 0], [-1.2, 3.4, 0], [0, 0, 4]]}, "q": [0.01, -10, 0], "mu": [1.4]}"#;
    std::fs::write(here.join("rod.json"), rod).unwrap();
    let solved = stiction(&here, &["solve", "rod.json"]);
    let text = String::from_utf8(solved.stdout).unwrap();
    let told = "auto: constraint 0 has 3 answers, the others held (open, stick, slide); taken: open";
    assert!(text.contains(told), "{text}");
    let answers = json(&stiction(&here, &["solve", "rod.json", "--json"]));
    assert_eq!(answers[0]["several"][0]["taken"], "open");
}

/// From a run to its worst problem, to every solver's way on it, to a profile that goes on where it stopped.
#[test]
fn problems_of_a_run_are_dumped_and_studied() {
    let here = folder("dump");
    let run = ["run", "cube-slide", "--duration", "0.1", "--dump-problems", "problems", "--when"];
    let dumped = stiction(&here, &[&run[..], &["every 40"]].concat());
    assert!(dumped.status.success(), "{}", errors(&dumped));
    let mut files: Vec<_> =
        std::fs::read_dir(here.join("problems")).unwrap().map(|f| f.unwrap().file_name()).collect();
    files.sort();
    assert_eq!(files, ["cube-slide-000040.json", "cube-slide-000080.json"]);
    refused(&stiction(&here, &[&run[..], &["often"]].concat()), &["often", "not-converged"]);

    let history = ["solve", "problems/cube-slide-000040.json", "--solver", "nsgs,ncp-admm", "--history"];
    let solved = stiction(&here, &[&history[..], &["out/h.csv"]].concat());
    assert!(solved.status.success(), "{}", errors(&solved));
    let text = std::fs::read_to_string(here.join("out/h.csv")).unwrap();
    let last = |solver: &str| text.lines().rfind(|l| l.starts_with(solver)).unwrap().to_owned();
    for solver in ["nsgs,", "ncp-admm,"] {
        let least: f64 = last(solver).rsplit(',').next().unwrap().parse().unwrap();
        assert!(least < 1e-7, "{text}");
    }

    let profile = ["solve", "problems", "--solver", "nsgs,ccp-pgs", "--profile", "out/profile", "--json"];
    let first = stiction(&here, &profile);
    assert!(first.status.success(), "{}", errors(&first));
    let results = || std::fs::read_to_string(here.join("out/profile/results.jsonl")).unwrap();
    assert_eq!(results().lines().count(), 2 * 2 * 3);
    let cut = results().lines().take(5).collect::<Vec<_>>().join("\n") + "\n{\"problem\": \"cube";
    std::fs::write(here.join("out/profile/results.jsonl"), cut).unwrap();
    let again = json(&stiction(&here, &profile));
    assert_eq!(again.as_array().unwrap().len(), 2 * 2 * 3);
    assert_eq!(results().lines().count(), 2 * 2 * 3 + 1); // and the line cut short
    assert!(here.join("out/profile/profile.html").is_file());
    let solves = |solver: &str| {
        again
            .as_array()
            .unwrap()
            .iter()
            .all(|l| l["solver"] != solver || l["residual"].as_f64().unwrap() < 1e-3)
    };
    assert!(solves("nsgs") && !solves("ccp-pgs"), "the relaxation does not slide by the exact law");

    #[cfg(feature = "full")]
    shrinks(&here);
}

/// A problem that a solver fails is shrunk, and no other.
#[cfg(feature = "full")]
fn shrinks(here: &PathBuf) {
    let fine = stiction(here, &["shrink", "problems/cube-slide-000040.json", "--solver", "nsgs"]);
    assert_eq!(fine.status.code(), Some(1));
    assert!(errors(&fine).contains("nothing to shrink"), "{}", errors(&fine));
    let problem = "problems/cube-slide-000040.json";
    let hard = ["shrink", problem, "--solver", "ncp-admm", "--max-iterations", "1", "--tolerance", "1e-12"];
    let shrunk = stiction(here, &hard);
    assert!(shrunk.status.success(), "{}", errors(&shrunk));
    let small = std::fs::read_to_string(here.join("problems/cube-slide-000040-small.json")).unwrap();
    assert!(small.len() < std::fs::read_to_string(here.join(problem)).unwrap().len());
}

/// One step of a run in every format: the same problem, the same answer.
#[test]
fn problems_change_their_format() {
    let here = folder("formats");
    let run = ["run", "cube-slide", "--duration", "0.05", "--dump-problems", "problems", "--dump-format"];
    let dumped = stiction(&here, &[&run[..], &["fclib"]].concat());
    assert!(dumped.status.success(), "{}", errors(&dumped));
    refused(&stiction(&here, &[&run[..], &["hdf"]].concat()), &["hdf", "json, fclib, siconos, npz"]);
    let files = std::fs::read_dir(here.join("problems")).unwrap().map(|f| f.unwrap().path());
    let first = files.into_iter().next().unwrap();
    let first = first.to_str().unwrap();
    assert!(first.ends_with(".hdf5"), "{first}");

    let answer = |file: &str| {
        let answers =
            json(&stiction(&here, &["solve", file, "--solver", "ncp-admm", "--json", "--impulses"]));
        (answers[0]["iterations"].clone(), answers[0]["residual"].clone(), answers[0]["impulses"].clone())
    };
    let expected = answer(first);
    for (from, to) in [(first, "a.json"), ("a.json", "b.dat"), ("b.dat", "c.npz"), ("c.npz", "d.h5")] {
        let done = stiction(&here, &["convert", from, to]);
        assert!(done.status.success(), "{}", errors(&done));
        let (iterations, residual, impulses) = answer(to);
        assert_eq!((&iterations, &residual), (&expected.0, &expected.1), "{to}");
        // Answers are in the order of the file, which is another in ContactBench's.
        assert_eq!(impulses == expected.2, to != "c.npz", "{to}");
    }
    refused(&stiction(&here, &["convert", "a.json", "b.dat"]), &["b.dat is there already", "--force"]);
    refused(&stiction(&here, &["convert", "a.json", "b.txt"]), &["b.txt", ".hdf5"]);
    refused(&stiction(&here, &["convert", "none.json", "e.dat"]), &["none.json"]);
    let profile = ["solve", ".", "--solver", "nsgs", "--profile", "out", "--json"];
    let lines = json(&stiction(&here, &profile));
    let names: Vec<&str> = lines.as_array().unwrap().iter().map(|l| l["problem"].as_str().unwrap()).collect();
    assert_eq!(names.len(), 5 * 3, "{names:?}");
    assert!(names.contains(&"a") && names.contains(&"b.dat"), "{names:?}");
}

/// A command that is not built in is answered before anything is computed, by the command line of the program that has it.
#[cfg(not(feature = "full"))]
#[test]
fn what_is_not_built_in_says_what_to_type() {
    let here = folder("small");
    for (args, again) in [
        (&["learn", "dice", "--data", "my drops"][..], "learn dice --data 'my drops'"),
        (&["learn", "--help"], "learn --help"),
        (
            &["run", "ball", "--duration", "1e9", "--replay", "b.mcap"],
            "run ball --duration 1e9 --replay b.mcap",
        ),
        (&["replay", "b.mcap"], "replay b.mcap"),
        (&["experiment", "creep", "--png"], "experiment creep --png"),
        (&["stress", "--steps", "100"], "stress --steps 100"),
    ] {
        let told = format!("is not built in; cargo run --release --features full -- {again}\n");
        refused(&stiction(&here, args), &[&told]);
    }
}
