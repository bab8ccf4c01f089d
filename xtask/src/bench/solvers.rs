//! `cargo xtask bench solvers`: our exact solvers beside those of Pinocchio and Siconos on recorded problems.
//!
//! Everybody solves the same files in one run. What counts is the time of the loosest tolerance at which our
//! judge finds the relative natural map of the answer at most 1e-8; so nobody pays for accuracy that was not
//! asked for, and nobody is believed.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::shared::{machine, median, our_binary, write};
use crate::args::Args;
use crate::process::{answers, cargo, output, root, target};
use crate::python::python_with;

pub(crate) const HELP: &str = "\
Solves recorded contact problems with our exact solvers and those of Pinocchio and Siconos, in one run.

    cargo xtask bench solvers [--solver NAMES] [FOLDER]

    --solver NAMES   ours, separated by commas (default: all solvers of the exact law)
    FOLDER           of problem files (default: $STICTION_DATA/fclib/json, or ../shared/data/fclib/json)

Needs Python 3.10 or later with venv, and the network once: Pinocchio is installed into target/bench-solvers.
Siconos comes from the system's own packages (Debian: apt install python3-siconos); without it, it is left out
and that is said. Planar problems and those with scalar blocks are ours alone and are left out.

Columns
    solved    problems whose answer has a relative natural map of at most 1e-8, by our judge
    median    time over all problems, unsolved ones counting as infinite [ms]
    to best   median of the ratio to the fastest solver of others, where both solve
Every number goes to target/bench/solvers.json.";

/// Relative natural map that counts as solved [–].
const GOAL: f64 = 1e-8;

/// Time of the first try that the judge accepts, by solver and file.
type Times = BTreeMap<String, BTreeMap<String, f64>>;

pub(crate) fn run(mut args: Args) -> Result<(), String> {
    let named = args.option("--solver")?;
    let folder = args.finish(1)?.first().map_or_else(data, PathBuf::from);
    let ours = our_binary()?;
    let files = problems(&folder)?;
    let mut times = Times::new();

    let python = python_with("bench-solvers", &["pin==4.1.0", "numpy"], "import pinocchio, numpy")?;
    rival(&python, "pinocchio", &files, &mut times)?;
    let system = Path::new("/usr/bin/python3");
    if answers(Command::new(system).args(["-c", "import siconos.numerics"])) {
        rival(system, "siconos", &files, &mut times)?;
    } else {
        println!("*** WITHOUT SICONOS: it is not installed (Debian: apt install python3-siconos) ***");
    }
    let theirs: Vec<String> = times.keys().cloned().collect();
    let met: Vec<String> = {
        let mut met: Vec<String> = times.values().flat_map(|t| t.keys().cloned()).collect();
        met.sort();
        met.dedup();
        met
    };
    measure_ours(&ours, named.as_deref(), &met, &mut times)?;

    println!("\n{:<16} {:>12} {:>12} {:>10}", "", "solved", "median", "to best");
    // What a solver was not given, or did not get to, counts as unsolved.
    let time = |solver: &str, file: &str| times[solver].get(file).copied().unwrap_or(f64::INFINITY);
    let best = |file: &str| theirs.iter().map(|s| time(s, file)).fold(f64::INFINITY, f64::min);
    for solver in times.keys() {
        let all: Vec<f64> = met.iter().map(|f| time(solver, f)).collect();
        let solved = all.iter().filter(|t| t.is_finite()).count();
        let both = met.iter().filter(|f| time(solver, f).is_finite() && best(f).is_finite());
        let ratios: Vec<f64> = both.map(|f| time(solver, f) / best(f)).collect();
        let (middle, ratio) = (1e3 * median(&all), median(&ratios));
        println!("{solver:<16} {solved:>5} of {:<3} {middle:>12.3} {ratio:>10.2}", met.len());
    }
    let record = json!({ "machine": machine(), "goal": GOAL, "times_s": times });
    write(&target().join("bench").join("solvers.json"), &record)
}

fn data() -> PathBuf {
    let named = std::env::var_os("STICTION_DATA").map(PathBuf::from);
    named.unwrap_or_else(|| root().join("../shared/data")).join("fclib/json")
}

fn problems(folder: &Path) -> Result<Vec<String>, String> {
    let unreadable = |e| format!("{}: {e}", folder.display());
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.extension().is_some_and(|e| e == "json") {
            files.push(path.canonicalize().map_err(unreadable)?.display().to_string());
        }
    }
    files.sort();
    Ok(files)
}

/// Runs the solvers of one rival and has every answer judged.
fn rival(python: &Path, name: &str, files: &[String], times: &mut Times) -> Result<(), String> {
    let mut script = Command::new(python);
    script.current_dir(root()).arg("xtask/bench/rival_solvers.py").arg(name).args(files);
    script.env("OMP_NUM_THREADS", "1").stderr(Stdio::inherit());
    let text = output(&mut script)?;
    let found = text.lines().last().map_or(Ok(Value::Null), serde_json::from_str);
    let found: Value = found.map_err(|e| format!("{name}: {e}"))?;
    let mut asked = Vec::new();
    let list = || found.as_array().into_iter().flatten();
    for answer in list() {
        for attempt in answer["tries"].as_array().into_iter().flatten() {
            asked.push(json!({ "file": answer["file"], "impulses": attempt["impulses"] }));
        }
    }
    let mut residuals = judged(&asked)?.into_iter();
    for answer in list() {
        let mut time = f64::INFINITY;
        for attempt in answer["tries"].as_array().into_iter().flatten() {
            let residual = residuals.next().unwrap_or(f64::NAN);
            if residual <= GOAL && time == f64::INFINITY {
                time = attempt["time_s"].as_f64().unwrap_or(f64::INFINITY);
            }
        }
        let word = |key: &str| answer[key].as_str().unwrap_or("?").to_owned();
        times.entry(word("solver")).or_default().insert(word("file"), time);
    }
    Ok(())
}

/// The judge's relative natural maps.
fn judged(answers: &[Value]) -> Result<Vec<f64>, String> {
    let mut command = cargo();
    command.args(["run", "--profile", "dist", "-q", "-p", "stiction-problem-files", "--example", "judge"]);
    let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut judge = spawned.map_err(|e| format!("the judge did not start: {e}"))?;
    let text = Value::from(answers.to_vec()).to_string();
    let mut stdin = judge.stdin.take().ok_or("the judge has no input")?;
    stdin.write_all(text.as_bytes()).map_err(|e| format!("the judge does not listen: {e}"))?;
    drop(stdin);
    let out = judge.wait_with_output().map_err(|e| format!("the judge did not answer: {e}"))?;
    let residuals: Vec<Option<f64>> =
        serde_json::from_slice(&out.stdout).map_err(|e| format!("the judge did not answer: {e}"))?;
    Ok(residuals.into_iter().map(|r| r.unwrap_or(f64::NAN)).collect())
}

/// Ours at the same goal: medians of repeated solves, judged.
fn measure_ours(
    binary: &Path,
    named: Option<&str>,
    files: &[String],
    times: &mut Times,
) -> Result<(), String> {
    let solvers = match named {
        Some(names) => names.to_owned(),
        None => exact_solvers(binary)?,
    };
    let folder = target().join("bench/solvers");
    let told = |e: std::io::Error| format!("{}: {e}", folder.display());
    if folder.exists() {
        std::fs::remove_dir_all(&folder).map_err(told)?;
    }
    std::fs::create_dir_all(folder.join("problems")).map_err(told)?;
    for file in files {
        let name = Path::new(file).file_name().unwrap_or_default();
        std::fs::copy(file, folder.join("problems").join(name)).map_err(told)?;
    }
    let mut solve = Command::new(binary);
    solve.current_dir(&folder).args([
        "solve",
        "problems",
        "--json",
        "--profile",
        "profile",
        "--solver",
        &solvers,
    ]);
    let lines: Vec<Value> = serde_json::from_str(&output(&mut solve)?).map_err(|e| e.to_string())?;
    for line in lines.iter().filter(|l| l["tolerance"].as_f64() == Some(GOAL)) {
        let word = |key: &str| line[key].as_str().unwrap_or("?").to_owned();
        let stem = word("problem");
        let file = files.iter().find(|f| Path::new(f).file_stem().is_some_and(|s| *s == *stem));
        let solved = line["residual"].as_f64().is_some_and(|r| r <= GOAL);
        let time = if solved { line["time_s"].as_f64().unwrap_or(f64::INFINITY) } else { f64::INFINITY };
        if let Some(file) = file {
            times.entry(word("solver")).or_default().insert(file.clone(), time);
        }
    }
    Ok(())
}

/// Names of our solvers of the exact law.
fn exact_solvers(binary: &Path) -> Result<String, String> {
    let text = output(Command::new(binary).args(["solvers", "--json"]))?;
    let list: Vec<Value> = serde_json::from_str(&text).map_err(|e| e.to_string())?;
    let exact = list.iter().filter(|s| s["law"] == "ncp").filter_map(|s| s["name"].as_str());
    Ok(exact.collect::<Vec<_>>().join(","))
}
