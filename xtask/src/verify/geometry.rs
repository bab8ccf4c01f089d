//! Distances and rays of random pairs of shapes, against coal and MuJoCo.
//!
//! Our example prints the cases and our answers, a script asks the libraries. They stop their iterations
//! somewhere, each somewhere else: the answer nearer to ours counts.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::answer;
use crate::process::{cargo, output, root, target};

/// The largest difference allowed from the nearer witness [m].
const TOLERANCE: f64 = 1e-6;

pub(super) fn run(python: &Path, cases: &str, seed: &str) -> Result<Vec<String>, String> {
    let example = ["run", "--release", "-q", "-p", "stiction-collision", "--example", "geometry_witness"];
    let ours = output(cargo().args(example).args(["--", cases, seed]))?;
    let folder = target().join("verify");
    let told = |e: std::io::Error| format!("{}: {e}", folder.display());
    fs::create_dir_all(&folder).map_err(told)?;
    let file = folder.join("geometry_cases.json");
    fs::write(&file, ours).map_err(told)?;
    let mut script = Command::new(python);
    script.current_dir(root()).arg("xtask/verify/geometry_witnesses.py").arg(&file);
    let record = answer(&mut script)?;
    fs::write(folder.join("geometry.json"), format!("{record:#}\n")).map_err(told)?;

    let mut failures = Vec::new();
    for part in ["distances", "rays"] {
        println!(
            "\n{:<36} {:>6} {:>7} {:>6} {:>9} {:>9} {:>9}",
            format!("{part} [m]"),
            "cases",
            "refuted",
            "missed",
            "worst",
            "coal",
            "MuJoCo"
        );
        for (name, row) in record[part].as_object().into_iter().flatten() {
            let worst = row["worst"].as_f64().unwrap_or(f64::INFINITY);
            let missed = row["missed"].as_u64().unwrap_or(0);
            let by = |who: &str| row["by"][who].as_f64().map_or("-".to_owned(), |d| format!("{d:.1e}"));
            let wrong = worst > TOLERANCE || missed > 0;
            let mark = if wrong { "  ABOVE THE TOLERANCE" } else { "" };
            println!(
                "{name:<36} {:>6} {:>7} {missed:>6} {worst:>9.1e} {:>9} {:>9}{mark}",
                row["cases"].to_string(),
                row["refuted"].to_string(),
                by("coal"),
                by("MuJoCo")
            );
            if wrong {
                failures.push(format!("{part}, {name}: {worst:.1e} m, {missed} missed"));
            }
        }
    }
    println!("record: {}", folder.join("geometry.json").display());
    Ok(failures)
}
