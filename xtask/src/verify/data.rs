//! The robots and models of the reference data: simulated, and what is not simulated told by name.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use super::table::short;
use super::{answer, each, files};
use crate::process::{cargo, output_within, root, run as spawn, target};

/// What is simulated [s]: the first, or the next where that takes longer than our patience.
const DURATIONS: [&str; 3] = ["2", "0.2", "0.02"];
const PATIENCE: Duration = Duration::from_secs(120);

/// Where the reference data are; says so loudly where they are not.
pub(super) fn folder() -> Option<PathBuf> {
    let data = std::env::var_os("STICTION_DATA").map_or_else(|| root().join("../shared/data"), PathBuf::from);
    if data.is_dir() {
        return Some(data);
    }
    println!("*** NOT CHECKED: no reference data in {} (set STICTION_DATA) ***", data.display());
    None
}

/// Every file of the data that ends in `extension`.
pub(super) fn models(data: &Path, extension: &str) -> Vec<PathBuf> {
    ["robots", "mjcf"].iter().flat_map(|folder| files(&data.join(folder), extension)).collect()
}

/// Every robot (URDF, MJCF) of the data for 2 s, less where that takes long; a failure is a file that does not load or a step that
/// fails.
pub(super) fn simulated(data: &Path, only: Option<&str>) -> Result<Vec<String>, String> {
    spawn(cargo().args(["build", "--quiet", "--release", "--package", "stiction-cli"]))?;
    let binary = target().join("release").join(format!("stiction{}", std::env::consts::EXE_SUFFIX));
    let mut models: Vec<PathBuf> = ["urdf", "xml"].iter().flat_map(|e| models(data, e)).collect();
    models.retain(|m| only.is_none_or(|text| m.to_string_lossy().contains(text)));
    println!("\n{:<44} {:>6} {:>8} {:>9}  not simulated", "data, 2 s", "steps", "flagged", "natural");
    let mut failures = Vec::new();
    each(
        &models,
        |file| simulate(&binary, file),
        |file, result| match result {
            Ok(line) => println!("{:<44} {line}", short(file)),
            Err(reason) => {
                println!("{:<44} FAILED {reason}", short(file));
                failures.push(format!("{}: {reason}", short(file)));
            }
        },
    );
    println!("{} of {} load and are simulated", models.len() - failures.len(), models.len());
    Ok(failures)
}

fn simulate(binary: &Path, file: &Path) -> Result<String, String> {
    let inspected = answer(Command::new(binary).arg("inspect").arg(file).arg("--json"))?;
    let (run, duration) = simulated_for(binary, file)?;
    let number = |v: &Value| v.as_f64().map_or("-".to_owned(), |x| x.to_string());
    let natural = run["certificate"]["natural_map"].as_f64().map_or("-".to_owned(), |x| format!("{x:.1e}"));
    let missing = inspected["unsupported"].as_array().map(Vec::as_slice).unwrap_or_default();
    let missing: Vec<&str> = missing.iter().filter_map(Value::as_str).collect();
    let missing = if missing.is_empty() { "-".to_owned() } else { missing.join("; ") };
    let flagged = number(&run["solver"]["not_converged"]);
    let short = if duration == DURATIONS[0] {
        String::new()
    } else {
        format!("  (only {duration} s: more takes over {} s)", PATIENCE.as_secs())
    };
    Ok(format!("{:>6} {flagged:>8} {natural:>9}  {missing}{short}", number(&run["steps"])))
}

/// The longest of the durations [s] that ends within our patience, and what was said of it. Large stacks are
/// one island: their steps may take a second each.
fn simulated_for(binary: &Path, file: &Path) -> Result<(Value, &'static str), String> {
    for duration in DURATIONS {
        let mut run = Command::new(binary);
        run.arg("run").arg(file).args(["--duration", duration, "--json"]);
        if let Some(text) = output_within(&mut run, PATIENCE)? {
            let value = serde_json::from_str(&text).map_err(|e| format!("expected JSON: {e}"))?;
            return Ok((value, duration));
        }
    }
    Err(format!("{} s take over {} s", DURATIONS[DURATIONS.len() - 1], PATIENCE.as_secs()))
}
