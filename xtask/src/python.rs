//! A Python of our own under target/, with the packages a chore asks for.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::process::{answers, run, target};

/// The interpreter of target/`folder`, in which every one of `packages` (`name==version`) is
/// installed. `check` is Python that fails where they are not; installing needs the network once.
pub(crate) fn python_with(folder: &str, packages: &[&str], check: &str) -> Result<PathBuf, String> {
    let folder = target().join(folder);
    let python = folder.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    if answers(Command::new(&python).args(["-c", check])) {
        return Ok(python);
    }
    let system = if cfg!(windows) { "python" } else { "python3" };
    let hint = "this needs Python 3.10 or later with its venv module";
    run(Command::new(system).args(["-m", "venv"]).arg(&folder)).map_err(|e| format!("{e}\n{hint}"))?;
    let named = packages.join(", ");
    pip(&python, &["install"], packages)
        .map_err(|e| format!("{e}\n{named} could not be installed; this needs the network once"))?;
    if !answers(Command::new(&python).args(["-c", check])) {
        return Err(format!("{named}: installed in {} but does not load", folder.display()));
    }
    Ok(python)
}

/// Unpacks the wheels of `packages`, without what they depend on, into one folder each under
/// `folder`; what is there already stays.
pub(crate) fn unpacked(python: &Path, packages: &[&str], folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut folders = Vec::new();
    for package in packages {
        let at = folder.join(package.replace("==", "-"));
        if !at.join("complete").is_file() {
            let into = at.display().to_string();
            pip(
                python,
                &["install", "--no-deps", "--upgrade", "--no-compile", "--target", &into],
                &[package],
            )?;
            std::fs::write(at.join("complete"), package).map_err(|e| format!("{}: {e}", at.display()))?;
        }
        folders.push(at);
    }
    Ok(folders)
}

pub(crate) fn pip(python: &Path, command: &[&str], packages: &[&str]) -> Result<(), String> {
    let mut words = Command::new(python);
    words.args(["-m", "pip"]).args(command).args(["--quiet", "--disable-pip-version-check"]);
    run(words.args(packages))
}
