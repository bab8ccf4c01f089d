//! MuJoCo's and dm_control's own tests, and tasks of three suites, on `stiction.mujoco`.
//!
//! Each rival has a Python of its own: dm_control knows an older MuJoCo, the tasks a still older one.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::data;
use crate::package;
use crate::process::{root, run as spawn};
use crate::python::{pip, python_with};

/// The page that holds the rows.
const PAGE: &str = "docs/mujoco-suites.md";

/// A part: its name, its folder, what is installed, and Python that fails where it is not.
struct Part {
    name: &'static str,
    packages: &'static [&'static str],
    check: &'static str,
}

const PARTS: [Part; 3] = [
    Part {
        name: "tests",
        packages: &["mujoco==4.0.0", "etils[epath]", "absl-py", "numpy", "pytest", "pytest-timeout"],
        check: "import mujoco, etils, absl, pytest, pytest_timeout; assert mujoco.__version__ == '4.0.0'",
    },
    Part {
        name: "dm_control",
        packages: &["dm_control==1.0.50", "mujoco==3.17.0", "mock", "numpy", "pytest", "pytest-timeout"],
        check: "import importlib.metadata as m, mock, pytest, pytest_timeout
assert m.version('dm_control') == '1.0.50' and m.version('mujoco') == '3.17.0'",
    },
    Part {
        name: "tasks",
        packages: &[
            "mujoco==3.3.2",
            "gymnasium-robotics==1.4.2",
            "metaworld==3.0.0",
            "robosuite==1.5.2",
            "numpy<2",
        ],
        check: "import importlib.metadata as m
assert m.version('robosuite') == '1.5.2' and m.version('metaworld') == '3.0.0' and m.version('mujoco') == '3.3.2'",
    },
];

/// Runs the parts; `small` is the first alone, with the tests that MuJoCo's wheel holds. Files that are not there are said.
pub(super) fn run(small: bool, write: bool) -> Result<Vec<String>, String> {
    let wheel = package::wheel()?;
    let mut failures = Vec::new();
    for part in PARTS.iter().take(if small { 1 } else { PARTS.len() }) {
        let python = match python_with(&format!("verify/others-{}", part.name), part.packages, part.check) {
            Ok(python) => python,
            Err(problem) => {
                println!(
                    "{problem}\n*** NOT COMPARED: {} (its packages could not be installed) ***",
                    part.name
                );
                continue;
            }
        };
        pip(&python, &["install", "--force-reinstall", "--no-deps"], &[&wheel.display().to_string()])?;
        let mut program = Command::new(&python);
        program.current_dir(root()).args(["xtask/verify/others.py", part.name, "--page", PAGE]);
        if part.name == "tests" && !small {
            match tests() {
                Some(folder) => drop(program.arg("--files").arg(folder)),
                None => println!(
                    "*** NOT COMPARED: the test files of STICTION_DATA, else ../shared/data, are not there; those of MuJoCo's \
                     wheel are run ***"
                ),
            }
        }
        if write {
            program.arg("--write");
        }
        if let Err(problem) = spawn(&mut program) {
            failures.push(format!("{}: {problem}", part.name));
        }
    }
    Ok(failures)
}

/// The test files of MuJoCo among the data of others.
fn tests() -> Option<PathBuf> {
    data::folder().map(|data| data.join("mujoco_tests")).filter(|folder| Path::is_dir(folder))
}
