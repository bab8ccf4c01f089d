//! `cargo xtask bench scenes`: our time per step beside MuJoCo's, and both residuals, in one run.
//!
//! Pairs, not blocks: ours and MuJoCo's runs alternate, so that a machine which slows down slows
//! both. What is reported is the median over pairs, and the median of the pairs' ratios.

use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};

use crate::args::Args;
use crate::bench::shared::{machine, median, our_binary, write};
use crate::process::{output, root, target};
use crate::python::{python_with, unpacked};

pub(crate) const HELP: &str = "\
Measures time per step and contact residual beside MuJoCo, on the same scenes, in one run.

    cargo xtask bench [scenes] [SCENE] [options]

    SCENE            quadruped, stack, cube-slide; box, pile (64 boxes fall), packed (64 boxes that overlap at
                     first); solo12, go2 (they stand), go2-rolling (on feet that resist rolling), humanoid
                     (MuJoCo's, it falls), allegro (a hand holds a cube); without it all
    --pairs N        pairs of runs, ours and MuJoCo's in turn (default 7)
    --duration T     simulated seconds per run (default 2)
    --dt H           time step in seconds (default 0.001)
    --contact NAME   our contact law and solver (default auto)
    --tolerance E    our residual [m/s] (default that of the program)
    --sleep WHEN     whether our islands sleep at rest: off, on, or auto as outside the benchmark (default off);
                     MuJoCo's, which by its defaults do not, never do
    --mujoco V       the version of MuJoCo (default 4.0.0)
    --motrix         MotrixSim 0.10.1 beside them (closed, single precision), on scenes that are files
    --rival-only     MuJoCo alone

Needs Python 3.10 or later with venv, and the network once: MuJoCo and numpy are installed
into target/bench-venv (of another version, into one with its name), and for solo12 and both go2
example-robot-data is unpacked beside them. humanoid and
allegro are made of files in STICTION_DATA, else ../shared/data. Nothing else of the machine is changed.
Scenes but the first three are MJCF files under target/bench/scenes, which both read.

Columns
    us/step       median over the pairs, in processor time: of MuJoCo's stepping thread, of our whole
                  process while it steps; `judged` with the certificate of every step, which neither
                  pays in the ratio; both after 100 steps from the same start
    ratio         ours / MuJoCo's, median of the pairs' ratios; below 1 we are faster
    natural map   worst residual of the exact contact law over the run [m/s]; for MuJoCo the
                  distance of its compliant forces from that law, and the median step
    depth         deepest penetration over the run [um]
Every sample goes to target/bench/SCENE.json.";

/// The version of MuJoCo that the numbers in documents were measured against.
const MUJOCO: &str = "4.0.0";
/// The nearest rival.
const MOTRIX: &str = "motrixsim==0.10.1";

const SCENES: [&str; 11] = [
    "quadruped",
    "stack",
    "cube-slide",
    "box",
    "solo12",
    "go2",
    "go2-rolling",
    "humanoid",
    "pile",
    "packed",
    "allegro",
];
/// Those of robots that are unpacked.
const OF_ROBOTS: [&str; 3] = ["solo12", "go2", "go2-rolling"];
/// Those that only MuJoCo's side and ours by name know.
const BUILT_IN: [&str; 3] = ["quadruped", "stack", "cube-slide"];
/// Those made of third-party files.
const OF_DATA: [&str; 2] = ["humanoid", "allegro"];
const ROBOTS: &str = "example-robot-data==6.0.0";

/// The robot file both read; the other scenes are written out in `mujoco_scenes.py`.
pub(super) const QUADRUPED: &str = "crates/scene/scenes/quadruped.xml";

/// Steps before a run of either, which then starts anew: caches are warm.
const WARM_UP: &str = "100";

/// What all runs share.
struct Setup {
    pairs: usize,
    dt: String,
    duration: String,
    contact: String,
    tolerance: Option<String>,
    sleep: String,
    /// Our binary, unless the rival runs alone.
    ours: Option<PathBuf>,
    python: PathBuf,
    /// A Python that has MotrixSim, if that runs too.
    motrix: Option<PathBuf>,
}

pub(crate) fn run(mut args: Args) -> Result<(), String> {
    let pairs = args.number("--pairs", 7.0)?.round().max(1.0) as usize;
    let duration = args.number("--duration", 2.0)?.to_string();
    let dt = args.number("--dt", 0.001)?.to_string();
    let contact = args.option("--contact")?.unwrap_or_else(|| "auto".to_owned());
    let tolerance = args.option("--tolerance")?;
    let sleep = args.option("--sleep")?.unwrap_or_else(|| "off".to_owned());
    let mujoco = args.option("--mujoco")?.unwrap_or_else(|| MUJOCO.to_owned());
    let motrix = args.flag("--motrix");
    let rival_only = args.flag("--rival-only");
    let names = args.finish(1)?;
    let chosen: Vec<&str> =
        if names.is_empty() { SCENES.to_vec() } else { names.iter().map(|n| &**n).collect() };
    if let Some(name) = chosen.iter().find(|n| !SCENES.contains(n)) {
        return Err(format!("there is no benchmark `{name}`; there are {}", SCENES.join(", ")));
    }

    let python = python_with_mujoco(&mujoco)?;
    let motrix =
        if motrix { Some(python_with("bench-venv-motrix", &[MOTRIX], "import motrixsim")?) } else { None };
    let ours = if rival_only { None } else { Some(our_binary()?) };
    let setup = Setup { pairs, dt, duration, contact, tolerance, sleep, ours, python, motrix };
    let machine = machine();
    println!(
        "\n{}, {pairs} pairs, {} s at {} s, MuJoCo {mujoco}\n",
        machine["cpu"].as_str().unwrap_or("?"),
        setup.duration,
        setup.dt
    );
    println!("{:<12} | {:^44} | {:^29} | {:^17}", "", "us/step", "natural map [m/s]", "depth [um]");
    println!(
        "{:<12} | {:>8} {:>8} {:>8} {:>8} {:>8} | {:>8} {:>8} {:>11} | {:>8} {:>8}",
        "scene",
        "ours",
        "judged",
        "MuJoCo",
        "ratio",
        "Motrix",
        "ours",
        "MuJoCo",
        "its median",
        "ours",
        "MuJoCo"
    );
    for scene in chosen {
        let file = match scene_file(&setup, scene)? {
            Some(file) => file,
            None => {
                println!("{scene:<12} | NOT MEASURED: its files are not here (set STICTION_DATA)");
                continue;
            }
        };
        let mut record = measure(&setup, scene, &file)?;
        record["machine"] = machine.clone();
        let path = target().join("bench").join(format!("{scene}.json"));
        write(&path, &record)?;
        println!("{}", row(scene, &record));
        if let Some(warning) = record["warning"].as_str() {
            println!("    {warning}");
        }
    }
    println!("\nsamples: {}", target().join("bench").display());
    Ok(())
}

/// All pairs of one scene, and their medians.
fn measure(setup: &Setup, scene: &str, file: &Scene) -> Result<Value, String> {
    let (mut ours, mut judged, mut rival, mut motrix) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for pair in 0..setup.pairs {
        // Who goes first alternates too.
        if pair % 2 == 0 {
            ours.extend(run_ours(setup, file, false)?);
        }
        rival.push(run_rival(setup, scene, file, pair == 0)?);
        if pair % 2 == 1 {
            ours.extend(run_ours(setup, file, false)?);
        }
        judged.extend(run_ours(setup, file, true)?);
        motrix.extend(run_motrix(setup, file)?);
    }
    let times = |runs: &[Value]| runs.iter().map(|r| per_step(r, "cpu_s")).collect::<Vec<_>>();
    let (our_times, judged_times, rival_times) = (times(&ours), times(&judged), times(&rival));
    let ratios: Vec<f64> = our_times.iter().zip(&rival_times).map(|(a, b)| a / b).collect();
    Ok(json!({
        "scene": scene,
        "median": {
            "ours_us_per_step": median(&our_times),
            "judged_us_per_step": median(&judged_times),
            "mujoco_us_per_step": median(&rival_times),
            "ratio": median(&ratios),
            "motrix_us_per_step": median(&times(&motrix)),
        },
        "warning": ours.first().and_then(|o| mismatch(o, &rival[0])).or_else(|| untouched(&rival[0])),
        "ours": ours,
        "judged": judged,
        "mujoco": rival,
        "motrix": motrix,
    }))
}

/// What ours runs, and the file MuJoCo reads unless it knows the scene by name.
struct Scene {
    ours: String,
    rival: Option<PathBuf>,
}

/// `None` where third-party files are missing.
fn scene_file(setup: &Setup, scene: &str) -> Result<Option<Scene>, String> {
    if BUILT_IN.contains(&scene) {
        let rival = (scene == "quadruped").then(|| root().join(QUADRUPED));
        return Ok(Some(Scene { ours: scene.to_owned(), rival }));
    }
    Ok(written(&setup.python, scene)?
        .map(|file| Scene { ours: file.display().to_string(), rival: Some(file) }))
}

/// The MJCF file of a scene that is not built in; `None` where third-party files are missing.
pub(super) fn written(python: &std::path::Path, scene: &str) -> Result<Option<PathBuf>, String> {
    let data = std::env::var_os("STICTION_DATA").map_or_else(|| root().join("../shared/data"), PathBuf::from);
    if OF_DATA.contains(&scene) && !data.is_dir() {
        return Ok(None);
    }
    let folder = target().join("bench");
    let robots = if OF_ROBOTS.contains(&scene) { robots(python)? } else { PathBuf::new() };
    let file = folder.join("scenes").join(format!("{scene}.xml"));
    let mut command = Command::new(python);
    command.current_dir(root()).arg("xtask/bench/scene_files.py").arg(scene).arg(&file);
    output(command.arg("--robots").arg(robots).arg("--data").arg(data))?;
    Ok(Some(file))
}

fn run_ours(setup: &Setup, scene: &Scene, judged: bool) -> Result<Option<Value>, String> {
    let Some(binary) = &setup.ours else { return Ok(None) };
    let mut command = Command::new(binary);
    command.current_dir(root()).args(["run", &scene.ours, "--contact", &setup.contact, "--dt", &setup.dt]);
    command.args(["--sleep", &setup.sleep, "--warm-up", WARM_UP]);
    if let Some(tolerance) = &setup.tolerance {
        command.args(["--tolerance", tolerance]);
    }
    if !judged {
        command.arg("--no-certify");
    }
    parse(&output(command.args(["--duration", &setup.duration, "--json"]))?).map(Some)
}

/// The residual needs a second, slow pass; it is the same every time, so once is enough.
fn run_rival(setup: &Setup, name: &str, scene: &Scene, judged: bool) -> Result<Value, String> {
    let mut command = Command::new(&setup.python);
    command.current_dir(root()).args(["xtask/bench/mujoco_scenes.py", name]);
    command.args(["--dt", &setup.dt, "--duration", &setup.duration]);
    if let Some(file) = &scene.rival {
        command.arg("--xml").arg(file);
    }
    if judged {
        command.arg("--residual");
    }
    parse(&output(&mut command)?)
}

/// MotrixSim reads files only, and not all of them.
fn run_motrix(setup: &Setup, scene: &Scene) -> Result<Option<Value>, String> {
    let (Some(python), Some(file)) = (&setup.motrix, &scene.rival) else { return Ok(None) };
    let mut command = Command::new(python);
    command.current_dir(root()).arg("xtask/bench/motrix_scenes.py").arg(file);
    command.args(["--dt", &setup.dt, "--duration", &setup.duration]);
    match output(&mut command) {
        Ok(text) => parse(&text).map(Some),
        Err(error) => {
            let last = error.lines().last().unwrap_or_default();
            println!("    MotrixSim does not run {}: {last}", file.display());
            Ok(None)
        }
    }
}

fn parse(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|e| format!("expected one JSON object ({e}), got:\n{text}"))
}

/// Microseconds per step; NaN where a key is missing, which the table then shows.
fn per_step(run: &Value, time: &str) -> f64 {
    let key = |k: &str| run[k].as_f64().unwrap_or(f64::NAN);
    1e6 * key(time) / key("steps")
}

/// Two scenes that do not start with the same energy are not the same scene.
fn mismatch(ours: &Value, rival: &Value) -> Option<String> {
    let start = |run: &Value| run["energy"]["start"].as_f64().unwrap_or(f64::NAN);
    let (a, b) = (start(ours), start(rival));
    let same = (a - b).abs() <= 1e-6 * a.abs().max(b.abs()).max(1.0);
    (!same).then(|| format!("not the same scene: it starts with {a} J here and {b} J in MuJoCo"))
}

/// A scene of contacts in which there are none measures something else.
fn untouched(rival: &Value) -> Option<String> {
    let nothing = rival["residual"]["natural_map"].as_f64() == Some(0.0);
    nothing.then(|| "nothing touches in MuJoCo's run".to_owned())
}

fn row(scene: &str, record: &Value) -> String {
    let median = |k: &str| record["median"][k].as_f64();
    let (ours, rival) = (&record["judged"][0], &record["mujoco"][0]);
    let fixed = |x: Option<f64>| x.map_or("-".to_owned(), |x| format!("{x:.2}"));
    let small = |x: Option<f64>| x.map_or("-".to_owned(), |x| format!("{x:.1e}"));
    let depth = |run: &Value| fixed(run["penetration_max"].as_f64().map(|x| 1e6 * x));
    format!(
        "{scene:<12} | {:>8} {:>8} {:>8} {:>8} {:>8} | {:>8} {:>8} {:>11} | {:>8} {:>8}",
        fixed(median("ours_us_per_step")),
        fixed(median("judged_us_per_step")),
        fixed(median("mujoco_us_per_step")),
        fixed(median("ratio")),
        fixed(median("motrix_us_per_step")),
        small(ours["certificate"]["natural_map"].as_f64()),
        small(rival["residual"]["natural_map"].as_f64()),
        small(rival["residual"]["natural_map_median"].as_f64()),
        depth(ours),
        depth(rival),
    )
}

/// The folder of robots of example-robot-data.
pub(super) fn robots(python: &std::path::Path) -> Result<PathBuf, String> {
    let at = unpacked(python, &[ROBOTS], &target().join("bench/robots"))?.remove(0);
    Ok(at.join("cmeel.prefix/share/example-robot-data/robots"))
}

/// A Python that has MuJoCo in the version of the documents.
pub(super) fn rival_python() -> Result<PathBuf, String> {
    python_with_mujoco(MUJOCO)
}

fn python_with_mujoco(version: &str) -> Result<PathBuf, String> {
    let check = format!("import mujoco, numpy; assert mujoco.__version__ == '{version}'");
    let folder = if version == MUJOCO { "bench-venv".to_owned() } else { format!("bench-venv-{version}") };
    python_with(&folder, &[&format!("mujoco=={version}"), "numpy"], &check)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn different_scenes_are_told_apart() {
        let scene = |e: f64| json!({ "energy": { "start": e } });
        assert!(mismatch(&scene(98.1), &scene(98.1 + 1e-9)).is_none());
        assert!(mismatch(&scene(98.1), &scene(97.0)).unwrap().contains("97"));
        assert!(mismatch(&json!({}), &scene(1.0)).is_some());
    }

    #[test]
    fn a_scene_without_contacts_is_told() {
        let run = |map: f64| json!({ "residual": { "natural_map": map } });
        assert!(untouched(&run(1e-12)).is_none() && untouched(&json!({})).is_none());
        assert!(untouched(&run(0.0)).unwrap().contains("touches"));
    }

    #[test]
    fn a_row_shows_what_there_is() {
        let record = json!({
            "median": {
                "ours_us_per_step": 8.0, "judged_us_per_step": 9.0, "mujoco_us_per_step": 16.0, "ratio": 0.5
            },
            "judged": [{ "certificate": { "natural_map": 3e-10 }, "penetration_max": 2e-6 }],
            "mujoco": [{ "residual": { "natural_map": 2e-2 } }],
        });
        let line = row("stack", &record);
        let words: Vec<_> = line.split_whitespace().filter(|w| *w != "|").collect();
        assert_eq!(
            words,
            ["stack", "8.00", "9.00", "16.00", "0.50", "-", "3.0e-10", "2.0e-2", "-", "2.00", "-"]
        );
    }
}
