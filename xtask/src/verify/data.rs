//! The robots and models of the reference data: loaded, simulated, and what is not simulated told.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::table::short;
use super::{answer, each, files};
use crate::process::{cargo, root, run as spawn, target};

/// Every robot (URDF, MJCF) of the data; a failure is a file that does not load or a step that
/// fails.
pub(super) fn run(only: Option<&str>) -> Result<Vec<String>, String> {
    let data = std::env::var_os("STICTION_DATA").map_or_else(|| root().join("../shared/data"), PathBuf::from);
    if !data.is_dir() {
        println!("*** NOT CHECKED: no reference data in {} (set STICTION_DATA) ***", data.display());
        return Ok(Vec::new());
    }
    spawn(cargo().args(["build", "--quiet", "--release", "--package", "stiction-cli"]))?;
    let binary = target().join("release").join(format!("stiction{}", std::env::consts::EXE_SUFFIX));
    let mut models: Vec<PathBuf> = Vec::new();
    for folder in ["robots", "mjcf"] {
        models.extend(files(&data.join(folder), "urdf"));
        models.extend(files(&data.join(folder), "xml"));
    }
    models.retain(|m| only.is_none_or(|text| m.to_string_lossy().contains(text)));
    println!("\n{:<44} {:>6} {:>8} {:>9}  not simulated", "data", "steps", "flagged", "natural");
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
    Ok(failures)
}

fn simulate(binary: &Path, file: &Path) -> Result<String, String> {
    let inspected = answer(Command::new(binary).arg("inspect").arg(file).arg("--json"))?;
    let run = answer(Command::new(binary).arg("run").arg(file).args(["--duration", "2", "--json"]))?;
    let number = |v: &Value| v.as_f64().map_or("-".to_owned(), |x| x.to_string());
    let natural = run["certificate"]["natural_map"].as_f64().map_or("-".to_owned(), |x| format!("{x:.1e}"));
    let missing = inspected["unsupported"].as_array().map_or(0, Vec::len);
    Ok(format!(
        "{:>6} {:>8} {natural:>9}  {missing}",
        number(&run["steps"]),
        number(&run["solver"]["not_converged"])
    ))
}
