//! What benchmarks have in common: medians, the machine, files.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::process::{cargo, output, root, run, target};

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

/// The program as it is shipped.
pub(crate) fn our_binary() -> Result<PathBuf, String> {
    let shipped = ["--profile", "dist", "--features", "full"];
    run(cargo().args(["build", "--quiet", "--package", "stiction-cli"]).args(shipped))?;
    let name = format!("stiction{}", std::env::consts::EXE_SUFFIX);
    Ok(target().join("dist").join(name))
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
