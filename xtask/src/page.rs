//! `cargo xtask page`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::args::Args;
use crate::process::{answers, cargo, root, run as spawn, target};

pub(crate) const HELP: &str = "\
Checks that the committed page of the viewer, crates/viewer/page/dist, is what its sources
build. Cargo alone builds the workspace because that folder is committed; this keeps it honest.

    cargo xtask page [--write] [--test]

    --write   put the built page in its place instead of comparing
    --test    then try it in a real browser: replays, and a live simulation that is watched,
              pulled, steered and scrubbed; needs a Chromium (CHROMIUM, or /usr/bin/chromium)

Needs Node with npm, and what package-lock.json names. Builds in target/page; the working
tree is touched only with --write.";

const PAGE: &str = "crates/viewer/page";

pub(crate) fn run(mut args: Args) -> Result<(), String> {
    let (write, test) = (args.flag("--write"), args.flag("--test"));
    args.finish(0)?;
    let page = root().join(PAGE);
    if !page.join("package.json").exists() {
        println!("page: there is no {PAGE} yet, nothing to check");
        return Ok(());
    }
    if !answers(npm().arg("--version")) {
        return Err("npm is not installed; it comes with Node (version 20 or later)".into());
    }
    let (committed, copy) = (page.join("dist"), target().join("page"));
    copy_sources(&page, &copy)?;
    spawn(npm().current_dir(&copy).args(["ci", "--no-audit", "--no-fund"]))?;
    spawn(npm().current_dir(&copy).args(["run", "build"]))?;
    let built = copy.join("dist");

    if write {
        let _ = fs::remove_dir_all(&committed);
        for file in files(&built, &built)? {
            copy_file(&built.join(&file), &committed.join(&file))?;
        }
        println!("page: wrote {PAGE}/dist");
    } else {
        let different = differences(&built, &committed)?;
        if !different.is_empty() {
            let list = different.join("\n    ");
            let repair = "repair: cargo xtask page --write";
            return Err(format!("{PAGE}/dist is not what its sources build:\n    {list}\n{repair}"));
        }
        println!("page: {PAGE}/dist is what its sources build");
    }
    if test { try_in_browser(&copy) } else { Ok(()) }
}

/// The tests of the page, with programs that hold the page as it is committed.
fn try_in_browser(copy: &Path) -> Result<(), String> {
    let chromium = std::env::var("CHROMIUM").unwrap_or_else(|_| "/usr/bin/chromium".into());
    if !answers(Command::new(&chromium).arg("--version")) {
        return Err(format!(
            "*** NOT TESTED in a browser: {chromium} does not answer; name a Chromium in $CHROMIUM ***"
        ));
    }
    // Everything of the whole workspace: recordings in MCAP are tried too, and what is compiled is what its tests use.
    let whole = ["build", "--workspace", "--all-features"];
    spawn(cargo().args(whole).args(["--bin", "stiction", "--example", "sample_replay"]))?;
    let programs = target().join("debug");
    let (stiction, sample) = (programs.join("stiction"), programs.join("examples/sample_replay"));
    spawn(npm().current_dir(copy).env("STICTION", stiction).env("SAMPLE_REPLAY", sample).arg("test"))
}

/// npm is a script, and on Windows one with an extension.
fn npm() -> Command {
    Command::new(if cfg!(windows) { "npm.cmd" } else { "npm" })
}

/// A fresh copy of the page's sources; installed packages of an earlier run stay where they are.
fn copy_sources(page: &Path, copy: &Path) -> Result<(), String> {
    if let Ok(old) = fs::read_dir(copy) {
        for entry in old.flatten().filter(|e| e.file_name() != "node_modules") {
            let path = entry.path();
            let removed = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
            removed.map_err(|e| format!("{}: {e}", path.display()))?;
        }
    }
    for file in files(page, page)? {
        if !file.starts_with("dist") {
            copy_file(&page.join(&file), &copy.join(&file))?;
        }
    }
    Ok(())
}

fn copy_file(from: &Path, to: &Path) -> Result<(), String> {
    let told = |e: std::io::Error| format!("{}: {e}", to.display());
    fs::create_dir_all(to.parent().expect("a file lies in a folder")).map_err(told)?;
    fs::copy(from, to).map(drop).map_err(told)
}

/// Every file below `folder`, relative to `base`, installed packages left out, sorted.
fn files(folder: &Path, base: &Path) -> Result<Vec<PathBuf>, String> {
    let told = |e: std::io::Error| format!("{}: {e}", folder.display());
    let mut out = Vec::new();
    for entry in fs::read_dir(folder).map_err(told)? {
        let path = entry.map_err(told)?.path();
        if path.is_dir() && path.file_name().is_some_and(|n| n != "node_modules") {
            out.extend(files(&path, base)?);
        } else if path.is_file() {
            out.push(path.strip_prefix(base).expect("below its base").to_owned());
        }
    }
    out.sort();
    Ok(out)
}

/// What one folder has and the other lacks or has otherwise.
fn differences(built: &Path, committed: &Path) -> Result<Vec<String>, String> {
    let new = files(built, built)?;
    let old = if committed.exists() { files(committed, committed)? } else { Vec::new() };
    let mut out = Vec::new();
    for file in &new {
        match (fs::read(built.join(file)), fs::read(committed.join(file))) {
            (Ok(a), Ok(b)) if a == b => {}
            (_, Err(_)) => out.push(format!("{} is not committed", file.display())),
            _ => out.push(format!("{} differs", file.display())),
        }
    }
    out.extend(old.iter().filter(|f| !new.contains(f)).map(|f| format!("{} is not built", f.display())));
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stale_page_is_told_file_by_file() {
        let base = std::env::temp_dir().join(format!("stiction-page-test-{}", std::process::id()));
        let write = |name: &str, text: &str| {
            let path = base.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("new/same.js", "1");
        write("old/same.js", "1");
        write("new/a/changed.js", "1");
        write("old/a/changed.js", "2");
        write("new/added.js", "1");
        write("old/gone.js", "1");
        let told = differences(&base.join("new"), &base.join("old")).unwrap();
        fs::remove_dir_all(&base).unwrap();
        assert_eq!(told, ["a/changed.js differs", "added.js is not committed", "gone.js is not built"]);
    }
}
