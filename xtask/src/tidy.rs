//! `cargo xtask tidy`.

use crate::args::Args;
use crate::process::{cargo, cargo_has, output, root, run as spawn};
use crate::{bibliography, debts, house, test};

pub(crate) const HELP: &str = "\
Checks what a reviewer should not have to: cargo fmt, clippy without warnings, and the rules
of the house that neither of them knows.

    cargo xtask tidy [-p CRATE] [--house [--lower]]

    -p, --package CRATE   format and lints of this crate only
    --house               the rules of the house only (a second, no compiling)
    --lower               take out of xtask/debts.json what is not there any more

Rules of the house, over every file git tracks or would add:
    a source file has at most 600 lines
    no ignored test, no unfinished macro, no commented-out code
    mul_add only where the processor's instructions are dispatched
    nothing iterates over a hash map or a hash set
    no absolute path of somebody's machine, no address of a package registry
    a link between documents leads to a file
    every [Key] cited is in REFERENCES.bib, every entry there is cited
    modules use one another in no circle: files and folders of one folder, tests apart
    modules of contact and dynamics name an item of another where it lives, not at the crate's root
    a doc comment does not begin with a fragment (\"Of the …\", \"What …\", \"See …\")
What broke the last rules before they were made is listed in xtask/debts.json, which only shrinks.

`cargo fmt` repairs the format. The rest is repaired by hand.";

/// The lints of what the first command of the README builds, which is less than everything.
const FIRST_COMMAND: [&str; 7] =
    ["clippy", "--package", "stiction-cli", "--all-targets", "--", "-D", "warnings"];

/// The lints of the engine without its optional features.
const BARE_ENGINE: [&str; 7] =
    ["clippy", "--package", "stiction", "--no-default-features", "--", "-D", "warnings"];

pub(crate) fn run(mut args: Args) -> Result<(), String> {
    let house_only = args.flag("--house");
    let lower = args.flag("--lower");
    let scope = test::scope(&mut args)?;
    args.finish(0)?;
    // Everything is checked before anything is reported: one run, one list.
    let (mut failed, mut skipped) = (Vec::new(), Vec::new());

    if !house_only && cargo_has("fmt") {
        let package = if scope.len() == 2 { &scope[..] } else { &[] };
        failed.extend(spawn(cargo().arg("fmt").args(package).arg("--check")).err());
    } else if !house_only {
        skipped.push("format (rustfmt is not installed: `rustup component add rustfmt`)");
    }
    if !house_only && cargo_has("clippy") {
        let lints = ["--all-targets", "--all-features", "--", "-D", "warnings"];
        failed.extend(spawn(cargo().arg("clippy").args(&scope).args(lints)).err());
        if scope.iter().any(|word| word == "--workspace") {
            failed.extend(spawn(cargo().args(FIRST_COMMAND)).err());
            failed.extend(spawn(cargo().args(BARE_ENGINE)).err());
        }
    } else if !house_only {
        skipped.push("lints (clippy is not installed: `rustup component add clippy`)");
    }

    let files = tracked()?;
    let mut findings = house::findings(&files);
    findings.extend(bibliography::findings(&files));
    findings.extend(debts::findings(&files, lower)?);
    findings.sort();
    for finding in &findings {
        println!("{finding}");
    }
    if !findings.is_empty() {
        failed.push(format!("{} findings against the rules of the house, listed above", findings.len()));
    }
    for what in skipped {
        println!("\n*** NOT CHECKED: {what} ***");
    }
    if failed.is_empty() {
        println!("tidy: {} files keep the rules of the house", files.len());
        return Ok(());
    }
    Err(failed.join("\n"))
}

/// Every text file that git tracks or would add, by its path from the root.
fn tracked() -> Result<Vec<house::File>, String> {
    let mut git = std::process::Command::new("git");
    git.current_dir(root()).args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
    let list = output(&mut git)?;
    let mut files = Vec::new();
    for path in list.split('\0').filter(|p| !p.is_empty()) {
        // Deleted but still tracked, or not text: nothing to read.
        if let Ok(text) = std::fs::read_to_string(root().join(path)) {
            files.push(house::File { path: path.to_owned(), text });
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files.dedup_by(|a, b| a.path == b.path);
    Ok(files)
}
