//! Forces of MuJoCo's own constraint problems, found by our `mujoco`.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::json;

use super::table::short;
use super::{Setup, each, files, last_line};
use crate::process::{cargo, output_of, root, run as spawn, target};

/// Largest difference of an impulse allowed, of the largest of its state.
const TOLERANCE: f64 = 1e-8;
/// MuJoCo's forces count as an answer where its own residual of the law is below this [m/s].
const SOLVED: f64 = 1e-9;

/// One state, as the comparing program tells it.
pub(super) struct State {
    /// Largest difference of an impulse, of the largest.
    pub(super) difference: f64,
    /// Residual of the law at the witness's forces and at ours [m/s].
    pub(super) theirs: f64,
    pub(super) ours: f64,
}

/// The comparing program, built.
pub(super) fn program() -> Result<PathBuf, String> {
    let package = ["--package", "stiction-solvers", "--example", "forces"];
    spawn(cargo().args(["build", "--quiet", "--release"]).args(package))?;
    let name = format!("forces{}", std::env::consts::EXE_SUFFIX);
    Ok(target().join("release").join("examples").join(name))
}

/// `states` of every model whose forces MuJoCo finds.
pub(super) fn run(setup: &Setup, states: &str, models: &[PathBuf]) -> Result<Vec<String>, String> {
    let program = program()?;
    let mut jobs = models.to_vec();
    if let Some(text) = &setup.only {
        jobs.retain(|file| file.to_string_lossy().contains(text.as_str()));
    }
    println!("\n{:<60} {:>6}  {:>8}", "forces", "states", "error");
    let (mut all, mut failures, mut records, mut unsolved, mut unread) =
        (Vec::new(), Vec::new(), Vec::new(), 0, 0);
    each(
        &jobs,
        |file| compare(setup, states, file, &program),
        |file, result| {
            let name = short(file);
            let found = match result {
                Ok(found) => found,
                Err(Refused::Witness(reason)) => {
                    unread += 1;
                    records.push(json!({ "file": name, "witness_refused": reason }));
                    return;
                }
                Err(Refused::Ours(reason)) => {
                    failures.push(format!("{name}: {reason}"));
                    return;
                }
            };
            let (solved, rest): (Vec<State>, Vec<State>) =
                found.into_iter().partition(|s| s.theirs <= SOLVED);
            unsolved += rest.len();
            let worst = solved.iter().fold(0.0_f64, |m, s| m.max(s.difference));
            println!("{name:<60} {:>6}  {worst:>8.1e}", solved.len());
            if worst > TOLERANCE {
                failures.push(format!("{name}: forces differ by {worst:.1e}"));
            }
            // Where MuJoCo stops short, ours must not.
            if let Some(state) = rest.iter().find(|s| s.ours > SOLVED) {
                failures.push(format!("{name}: a residual of {:.1e} m/s", state.ours));
            }
            records.push(
                json!({ "file": name, "states": solved.len(), "unsolved": rest.len(), "worst": worst }),
            );
            all.extend(solved.into_iter().map(|s| s.difference));
        },
    );
    all.sort_by(f64::total_cmp);
    let (median, worst) = (all.get(all.len() / 2).copied(), all.last().copied());
    let number = |x: Option<f64>| x.map_or("-".to_owned(), |x| format!("{x:.1e}"));
    println!(
        "\n{} states of {} models: forces differ by {} at most, {} in the median. In {unsolved} more states MuJoCo\n\
         stops above {SOLVED:.0e} m/s; {unread} files it refuses, or they have no constraints.",
        all.len(),
        jobs.len() - unread,
        number(worst),
        number(median)
    );
    let record = json!({ "states": all.len(), "worst": worst, "median": median, "models": records });
    let path = target().join("verify").join("forces.json");
    std::fs::write(&path, record.to_string()).map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(failures)
}

/// The places of rest of random robots, by the command itself; what differs.
pub(super) fn weights(setup: &Setup) -> Result<Vec<String>, String> {
    spawn(cargo().args(["build", "--quiet", "--release", "--package", "stiction-cli"]))?;
    let command = target().join("release").join(format!("stiction{}", std::env::consts::EXE_SUFFIX));
    let mut witness = Command::new(&setup.python);
    witness.current_dir(root()).arg("xtask/verify/mujoco_weights.py").arg(command);
    let said = witness.args(["--seed", &setup.seed]).output().map_err(|e| e.to_string())?;
    let told = String::from_utf8_lossy(&said.stdout);
    println!("{}", last_line(&told));
    Ok(if said.status.success() { Vec::new() } else { vec![told.into_owned()] })
}

/// Every model of `folders`.
pub(super) fn models(folders: &[PathBuf]) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = folders.iter().flat_map(|f| files(f, "xml")).collect();
    all.retain(|f| std::fs::read_to_string(f).is_ok_and(|text| text.contains("<mujoco")));
    all
}

enum Refused {
    Witness(String),
    Ours(String),
}

fn compare(setup: &Setup, states: &str, file: &Path, program: &Path) -> Result<Vec<State>, Refused> {
    let mut witness = Command::new(&setup.python);
    witness.current_dir(root()).arg("xtask/verify/mujoco_forces.py").arg(file);
    witness.args(["--states", states, "--seed", &setup.seed]);
    let said = witness.stderr(Stdio::piped()).output().map_err(|e| Refused::Witness(e.to_string()))?;
    if !said.status.success() {
        return Err(Refused::Witness(last_line(&String::from_utf8_lossy(&said.stderr))));
    }
    let text = output_of(&mut Command::new(program), &said.stdout).map_err(Refused::Ours)?;
    text.lines().map(|line| state(line).map_err(Refused::Ours)).collect()
}

/// A line of the comparing program: rows, difference, iterations, residual at their forces, residual at ours; what
/// is no number is infinite.
pub(super) fn state(line: &str) -> Result<State, String> {
    let numbers: Vec<f64> = line.split_whitespace().filter_map(|w| w.parse().ok()).map(finite).collect();
    let &[_, difference, _, theirs, ours] = numbers.as_slice() else {
        return Err(format!("the comparing program wrote `{line}`"));
    };
    Ok(State { difference, theirs, ours })
}

fn finite(x: f64) -> f64 {
    if x.is_nan() { f64::INFINITY } else { x }
}
