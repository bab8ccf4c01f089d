//! Forces of Drake's contact problems, found by our `sap`, `lagged` and `similar`; and of its hydroelastic contact, by our patches.
//!
//! Drake's library is large and needed for nothing else: it has a Python of its own, and this part runs
//! only when it is named.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use super::answer;
use super::forces::{State, program, state};
use crate::process::{cargo, output, output_of, root, target};
use crate::python::python_with;

const PACKAGES: [&str; 1] = ["drake==1.51.1"];
const CHECK: &str = "import pydrake.multibody.plant, importlib.metadata
assert importlib.metadata.version('drake') == '1.51.1'";

/// Largest difference of an impulse allowed, of the largest of its state: Drake's solvers stop early, each
/// at a tolerance of its own.
const LAWS: [(&str, f64); 3] = [("sap", 1e-6), ("lagged", 1e-4), ("similar", 1e-5)];
/// Largest difference allowed of a force by pressure, or of its moment over 0.1 m, of the force, at edges of 3 mm.
const PRESSURE: f64 = 3e-3;
/// How far apart the motions may come in half a second [m]; of Drake, whose ball is inscribed in the sphere.
const MOTION: f64 = 2e-3;
/// Our answers solve the law to this [m/s].
const SOLVED: f64 = 1e-9;

/// `states` of each case, material and law.
pub(super) fn run(states: &str, seed: &str) -> Result<Vec<String>, String> {
    let python = python_with("verify/drake", &PACKAGES, CHECK)?;
    let program = program()?;
    let mut witness = Command::new(&python);
    witness.current_dir(root()).arg("xtask/verify/drake_forces.py");
    let problems = output(witness.args(["--states", states, "--seed", seed]))?;
    let answers = output_of(&mut Command::new(program), problems.as_bytes())?;
    let mut found: Vec<(String, State)> = Vec::new();
    for (problem, answer) in problems.lines().zip(answers.lines()) {
        let problem: Value = serde_json::from_str(problem).map_err(|e| format!("Drake's problem: {e}"))?;
        found.push((problem["name"].as_str().unwrap_or_default().to_owned(), state(answer)?));
    }

    println!("\n{:<10} {:>6} {:>9} {:>9} {:>9}", "forces", "states", "error", "Drake's", "ours [m/s]");
    let (mut failures, mut records) = (Vec::new(), Vec::new());
    for (law, tolerance) in LAWS {
        let of_law = || found.iter().filter(|(name, _)| name == law).map(|(_, state)| state);
        let worst = |what: fn(&State) -> f64| of_law().map(what).fold(0.0, f64::max);
        let count = of_law().count();
        let (difference, theirs, ours) = (worst(|s| s.difference), worst(|s| s.theirs), worst(|s| s.ours));
        println!("{law:<10} {count:>6} {difference:>9.1e} {theirs:>9.1e} {ours:>9.1e}");
        if count == 0 {
            failures.push(format!("{law}: no state"));
        }
        if difference > tolerance || ours > SOLVED {
            failures.push(format!("{law}: forces differ by {difference:.1e}, residual {ours:.1e} m/s"));
        }
        records.push(
            json!({ "law": law, "states": count, "worst": difference, "theirs": theirs, "ours": ours }),
        );
    }
    let path = target().join("verify").join("drake.json");
    std::fs::write(&path, json!(records).to_string()).map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(failures)
}

/// `cases` of every kind of pair that meets by pressure.
pub(super) fn pressures(cases: &str, seed: &str) -> Result<Vec<String>, String> {
    let python = python_with("verify/drake", &PACKAGES, CHECK)?;
    let example = ["run", "--release", "-q", "-p", "stiction-collision", "--example", "pressure_witness"];
    let ours = output(cargo().args(example).args(["--", cases, seed]))?;
    let folder = target().join("verify");
    let told = |e: std::io::Error| format!("{}: {e}", folder.display());
    fs::create_dir_all(&folder).map_err(told)?;
    let file = folder.join("pressure_cases.json");
    fs::write(&file, ours).map_err(told)?;
    let mut script = Command::new(&python);
    script.current_dir(root()).arg("xtask/verify/drake_pressure.py").arg(&file);
    let record = answer(&mut script)?;
    fs::write(folder.join("pressure.json"), format!("{record:#}\n")).map_err(told)?;
    println!("\n{:<30} {:>6} {:>9} {:>9} {:>9}", "pressure", "cases", "ours", "Drake's", "polygons");
    let mut failures = Vec::new();
    for (name, row) in record.as_object().into_iter().flatten() {
        let number = |key: &str| row[key].as_f64().unwrap_or(f64::INFINITY);
        let (ours, theirs) = (number("ours"), number("drake"));
        println!("{name:<30} {:>6} {ours:>9.1e} {theirs:>9.1e} {:>9}", number("cases"), number("polygons"));
        if ours.is_nan() || ours > PRESSURE {
            failures.push(format!("pressure, {name}: {ours:.1e} of the force"));
        }
    }
    if record.as_object().is_none_or(serde_json::Map::is_empty) {
        failures.push("pressure: no case".to_owned());
    }
    println!("record: {}", folder.join("pressure.json").display());
    failures.extend(motion(&python)?);
    Ok(failures)
}

/// A ball that falls, slips, spins and bounces, under our `compliant` and Drake's continuous plant.
fn motion(python: &std::path::Path) -> Result<Vec<String>, String> {
    let mut script = Command::new(python);
    let case = output(script.current_dir(root()).args(["xtask/verify/drake_pressure.py", "--motion"]))?;
    let mut ours = cargo();
    ours.args(["run", "--release", "-q", "-p", "stiction", "--example", "pressure_motion"]);
    let text = output_of(&mut ours, case.as_bytes())?;
    let rows: Value = serde_json::from_str(&text).map_err(|e| format!("our motion: {e}"))?;
    println!("\n{:<10} {:>12} {:>13}", "time [s]", "apart [m]", "turned [rad]");
    let number = |row: &Value, key: &str| row[key].as_f64().unwrap_or(f64::INFINITY);
    for row in rows.as_array().into_iter().flatten().skip(4).step_by(5) {
        let [time, apart, turned] = ["time", "apart", "turned"].map(|key| number(row, key));
        println!("{time:<10.2} {apart:>12.1e} {turned:>13.1e}");
    }
    let last = rows.as_array().and_then(|rows| rows.last());
    let worst = last.map_or(f64::INFINITY, |row| number(row, "apart").max(0.1 * number(row, "turned")));
    let agrees = worst <= MOTION;
    Ok(if agrees { Vec::new() } else { vec![format!("pressure, motion: {worst:.1e} m apart")] })
}
