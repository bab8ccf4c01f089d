//! Models of public packages, one after the other: the witness writes its numbers, our program
//! compares.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use super::table::Table;
use super::{Setup, each, last_line};
use crate::process::{output, root, target};

/// States of a URDF that carry derivatives.
const DERIVATIVES: &str = "10";

/// Where the package has its robots.
pub(super) fn example_robot_data(setup: &Setup) -> Result<PathBuf, String> {
    let code = "import pinocchio, pathlib; \
                p = pathlib.Path(pinocchio.__file__).parents[4] / 'share' / 'example-robot-data' / 'robots'; print(p)";
    let folder = PathBuf::from(output(Command::new(&setup.python).args(["-c", code]))?.trim());
    if folder.is_dir() { Ok(folder) } else { Err(format!("{}: no such folder", folder.display())) }
}

/// Every URDF with a fixed and with a free base, against Pinocchio.
pub(super) fn urdf(setup: &Setup, part: &str, files: &[PathBuf]) -> Result<Vec<String>, String> {
    let jobs: Vec<(PathBuf, &str)> =
        files.iter().flat_map(|f| [(f.clone(), "fixed"), (f.clone(), "free")]).collect();
    let command = |job: &(PathBuf, &str)| {
        let mut command = script(setup, "pinocchio_references.py", &job.0);
        command.args(["--base", job.1, "--derivatives", DERIVATIVES]);
        command
    };
    all(setup, part, jobs, command)
}

/// Every MJCF model that MuJoCo compiles, against MuJoCo.
pub(super) fn mjcf(setup: &Setup, part: &str, files: &[PathBuf]) -> Result<Vec<String>, String> {
    let jobs: Vec<(PathBuf, &str)> = files.iter().filter(|f| is_mjcf(f)).map(|f| (f.clone(), "")).collect();
    all(setup, part, jobs, |job| script(setup, "mujoco_references.py", &job.0))
}

fn is_mjcf(file: &Path) -> bool {
    std::fs::read_to_string(file).is_ok_and(|text| text.contains("<mujoco"))
}

fn script(setup: &Setup, name: &str, file: &Path) -> Command {
    let mut command = Command::new(&setup.python);
    // MuJoCo writes its log where it runs.
    command.current_dir(target().join("verify")).arg(root().join("xtask/verify").join(name)).arg(file);
    command.args(["--states", &setup.states, "--seed", &setup.seed]);
    command
}

fn all(
    setup: &Setup,
    part: &str,
    mut jobs: Vec<(PathBuf, &str)>,
    witness: impl Fn(&(PathBuf, &str)) -> Command + Sync,
) -> Result<Vec<String>, String> {
    if let Some(text) = &setup.only {
        jobs.retain(|(file, _)| file.to_string_lossy().contains(text.as_str()));
    }
    let mut table = Table::new(part);
    each(
        &jobs,
        |job| compare(&mut witness(job), &setup.ours),
        |(file, base), result| table.row(file, base, result),
    );
    table.finish()
}

/// What our program says about the numbers of the witness; `Err`: the witness has none.
fn compare(witness: &mut Command, ours: &Path) -> Result<Value, String> {
    let said = witness.stderr(Stdio::piped()).output().map_err(|e| e.to_string())?;
    if !said.status.success() {
        return Err(last_line(&String::from_utf8_lossy(&said.stderr)));
    }
    let refused = |reason: String| serde_json::json!({ "refused": reason });
    let child =
        Command::new(ours).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = child.map_err(|e| e.to_string())?;
    if let Some(mut stdin) = child.stdin.take()
        && let Err(error) = stdin.write_all(&said.stdout)
    {
        return Ok(refused(error.to_string()));
    }
    let out = child.wait_with_output().map_err(|e| e.to_string())?;
    let text = String::from_utf8_lossy(&out.stdout);
    Ok(serde_json::from_str(&text).unwrap_or_else(|_| {
        refused(format!("it broke: {}", last_line(&String::from_utf8_lossy(&out.stderr))))
    }))
}
