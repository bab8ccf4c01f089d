//! What benchmarks have in common: rivals from Python packages, medians, the machine, files.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::process::{answers, output, root, run as spawn, target};

pub(crate) fn median(samples: &[f64]) -> f64 {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len();
    match n {
        0 => f64::NAN,
        _ if n % 2 == 1 => sorted[n / 2],
        _ => 0.5 * (sorted[n / 2 - 1] + sorted[n / 2]),
    }
}

/// The Python of target/`folder`, which has `packages`, each pinned as `NAME==VERSION`.
pub(crate) fn python_with(folder: &str, packages: &[&str]) -> Result<PathBuf, String> {
    let folder = target().join(folder);
    let python = folder.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    let pinned = packages.iter().filter_map(|p| p.split_once("=="));
    let check: Vec<String> = pinned.map(|(name, v)| format!("assert version('{name}') == '{v}'")).collect();
    let check = format!("from importlib.metadata import version\n{}", check.join("\n"));
    if answers(Command::new(&python).args(["-c", &check])) {
        return Ok(python);
    }
    let system = if cfg!(windows) { "python" } else { "python3" };
    let hint = "the benchmark needs Python 3.10 or later with its venv module";
    spawn(Command::new(system).args(["-m", "venv"]).arg(&folder)).map_err(|e| format!("{e}\n{hint}"))?;
    let hint = "the packages could not be installed; this needs the network once. Nothing was measured";
    let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    spawn(Command::new(&python).args(install).args(packages)).map_err(|e| format!("{e}\n{hint}"))?;
    if !answers(Command::new(&python).args(["-c", &check])) {
        return Err(format!("{} has other versions than {}", folder.display(), packages.join(", ")));
    }
    Ok(python)
}

/// What the numbers were measured on.
pub(crate) fn machine() -> Value {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let cpu = info.lines().find_map(|l| l.strip_prefix("model name")?.split_once(':').map(|(_, v)| v.trim()));
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let git = |args: &[&str]| output(Command::new("git").current_dir(root()).args(args)).unwrap_or_default();
    json!({
        "cpu": cpu.unwrap_or(std::env::consts::ARCH),
        "cores": std::thread::available_parallelism().map_or(0, |n| n.get()),
        "load_before": load.split_whitespace().next(),
        "commit": git(&["rev-parse", "--short", "HEAD"]).trim(),
        "changed_since": !git(&["status", "--porcelain"]).is_empty(),
    })
}

pub(crate) fn write(path: &Path, record: &Value) -> Result<(), String> {
    let told = |e: std::io::Error| format!("{}: {e}", path.display());
    fs::create_dir_all(path.parent().expect("a file lies in a folder")).map_err(told)?;
    fs::write(path, format!("{record:#}\n")).map_err(told)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_of_odd_and_even_samples() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), 2.5);
        assert!(median(&[]).is_nan());
    }
}
