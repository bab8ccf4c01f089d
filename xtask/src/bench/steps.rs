//! How many instructions whole steps of scenes execute: those of a longer run of the command less those of a shorter one.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use crate::process::{cargo, run, target};

/// Scenes whose steps are counted: one of each kind of contact that users meet.
const SCENES: [&str; 8] =
    ["cube-slide", "slope", "stack", "two-cubes", "wedge", "grasp", "quadruped", "humanoid"];
/// h, and the lengths of the two runs [s].
const STEP: f64 = 0.001;
const LENGTHS: [f64; 2] = [0.05, 0.15];

/// `step SCENE` and its count. The command is compiled as it is shipped.
pub(super) fn counts() -> Result<BTreeMap<String, u64>, String> {
    run(cargo().args(["build", "--profile", "dist", "--quiet", "--package", "stiction-cli"]))?;
    let program = target().join("dist").join(format!("stiction{}", std::env::consts::EXE_SUFFIX));
    let steps = ((LENGTHS[1] - LENGTHS[0]) / STEP).round() as u64;
    SCENES
        .iter()
        .map(|scene| {
            let [short, long] = LENGTHS.map(|length| count(&program, scene, length));
            Ok((format!("step {scene}"), (long? - short?) / steps))
        })
        .collect()
}

/// Instructions of a run of `scene` for so long [s].
fn count(program: &Path, scene: &str, length: f64) -> Result<u64, String> {
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(program);
    valgrind.args(["run", scene, "--sleep", "off", "--no-certify", "--json"]);
    valgrind.args(["--dt", &STEP.to_string(), "--duration", &length.to_string()]);
    let done = valgrind.output().map_err(|e| format!("cannot run valgrind: {e}"))?;
    let told = String::from_utf8_lossy(&done.stderr);
    collected(&told).ok_or_else(|| format!("valgrind counted nothing of `{scene}`: {told}"))
}

/// The count in what Valgrind says, from a line such as `==7== Collected : 1234`.
fn collected(told: &str) -> Option<u64> {
    told.lines().find_map(|line| line.split_once("Collected :")?.1.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::collected;

    #[test]
    fn counts_are_read() {
        assert_eq!(collected("==7== Events    : Ir\n==7== Collected : 66777\n==7==\n"), Some(66777));
        assert_eq!(collected("valgrind: no such file"), None);
    }
}
