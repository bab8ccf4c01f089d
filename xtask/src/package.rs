//! `cargo xtask python`.

use crate::args::Args;
use crate::process::{answers, root, run as spawn, target};
use crate::python::pip;
use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) const HELP: &str = "\
Tests the Python package (crates/python): installs it and what its tests need into a virtual
environment under target/, checks the types of its stubs and of its Python files with mypy, and
runs its tests with pytest.

    cargo xtask python [--witnesses] [FILTER]

    --witnesses   install MuJoCo, Pinocchio and Ray too, which some tests need
    FILTER        only tests whose name contains it (skips the types)

Needs Python 3.10 or later with its venv module, and a package index once.";

/// Imports that fail where a package is missing that the tests need.
const PRESENT: &str = "import pytest, mypy, numpy, gymnasium, pandas, matplotlib, maturin";
const WITNESSES: &str = "import mujoco, pinocchio, imageio, ray, pyarrow";

pub(crate) fn run(mut args: Args) -> Result<(), String> {
    let witnesses = args.flag("--witnesses");
    let filter = args.finish(1)?;
    let python = environment(witnesses)?;
    test(&python, &filter)
}

/// The tests, as part of all tests: a sentence instead where there is no Python to run them.
pub(crate) fn run_if_there_is_python() -> Result<Option<&'static str>, String> {
    let sound = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))";
    if !answers(Command::new(system()).args(["-c", sound])) {
        return Ok(Some("the Python package: there is no Python 3.10 or later with its venv module"));
    }
    match environment(false) {
        Ok(python) => test(&python, &[]).map(|()| None),
        Err(problem) if !answers(Command::new(interpreter()).args(["-c", PRESENT])) => {
            println!("{problem}");
            Ok(Some(
                "the Python package: what its tests need could not be installed; this needs a package index once",
            ))
        }
        Err(problem) => Err(problem),
    }
}

/// An interpreter with the package, built as the other tests are, and what its tests need.
fn environment(witnesses: bool) -> Result<PathBuf, String> {
    let python = interpreter();
    if !answers(Command::new(&python).args(["-m", "pip", "--version"])) {
        spawn(Command::new(system()).args(["-m", "venv"]).arg(folder()))?;
    }
    let install = |what: &str| pip(&python, &["install"], &[what]);
    if !answers(Command::new(&python).args(["-c", PRESENT])) {
        install("maturin>=1.16,<2")?;
        // What the extras name, without building the package: only pip knows how to read them.
        let wanted = requirements(&python, "test")?;
        pip(&python, &["install"], &wanted.iter().map(String::as_str).collect::<Vec<_>>())?;
    }
    if witnesses && !answers(Command::new(&python).args(["-c", WITNESSES])) {
        let wanted = requirements(&python, "witnesses")?;
        pip(&python, &["install"], &wanted.iter().map(String::as_str).collect::<Vec<_>>())?;
    }
    // The wheel that users get, installed where the source folder does not hide it.
    let wheels = target().join("wheels-tested");
    drop(std::fs::remove_dir_all(&wheels));
    let mut build = Command::new(&python);
    build.current_dir(root()).args([
        "-m",
        "maturin",
        "build",
        "--profile",
        "dev",
        "--quiet",
        "--interpreter",
    ]);
    spawn(build.arg(&python).arg("--out").arg(&wheels))?;
    pip(&python, &["install", "--force-reinstall", "--no-deps"], &[&built()?.display().to_string()])?;
    Ok(python)
}

/// The wheel of the package, for Pythons that hold other packages.
pub(crate) fn wheel() -> Result<PathBuf, String> {
    environment(false)?;
    built()
}

/// The wheel that was built last.
fn built() -> Result<PathBuf, String> {
    let folder = std::fs::read_dir(target().join("wheels-tested")).map_err(|e| e.to_string())?;
    Ok(folder.flatten().next().ok_or("maturin built no wheel")?.path())
}

/// The requirements of an extra, and those without which the package does not work.
fn requirements(python: &Path, extra: &str) -> Result<Vec<String>, String> {
    let read = "import sys\n\
                try:\n    import tomllib\nexcept ImportError:\n    import pip._vendor.tomli as tomllib\n\
                project = tomllib.load(open('pyproject.toml', 'rb'))['project']\n\
                print('\\n'.join(project['dependencies'] + project['optional-dependencies'][sys.argv[1]]))";
    let mut command = Command::new(python);
    let text = crate::process::output(command.current_dir(root()).args(["-c", read, extra]))?;
    Ok(text.lines().map(str::to_owned).collect())
}

fn test(python: &Path, filter: &[String]) -> Result<(), String> {
    if filter.is_empty() {
        spawn(Command::new(python).current_dir(root()).args(["-m", "mypy"]))?;
    }
    let mut tests = Command::new(python);
    tests.current_dir(root()).args(["-m", "pytest", "--quiet", "-p", "no:cacheprovider"]);
    if let Some(filter) = filter.first() {
        tests.args(["-k", filter]);
    }
    spawn(&mut tests)
}

fn folder() -> PathBuf {
    target().join("python")
}

fn interpreter() -> PathBuf {
    folder().join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" })
}

fn system() -> &'static str {
    if cfg!(windows) { "python" } else { "python3" }
}
