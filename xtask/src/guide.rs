//! `cargo xtask guide`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::args::Args;
use crate::process::{answers, root, run as spawn};

pub(crate) const HELP: &str = "\
Checks that the user guide, docs/guide, hangs together, and builds it as a book in target/guide.

    cargo xtask guide [--check]

    --check   only check: pages of SUMMARY.md, includes and links lead somewhere, no page is left out

Building needs the program mdbook on the path: cargo install mdbook.";

pub(crate) fn run(mut args: Args) -> Result<(), String> {
    let check = args.flag("--check");
    args.finish(0)?;
    let book = root().join("docs/guide");
    let found = faults(&book.join("src"))?;
    if !found.is_empty() {
        return Err(found.join("\n"));
    }
    println!("guide: pages, includes and links lead somewhere");
    if check {
        return Ok(());
    }
    if !answers(Command::new("mdbook").arg("--version")) {
        return Err("*** NOT BUILT: mdbook is not installed; `cargo install mdbook` brings it ***".into());
    }
    spawn(Command::new("mdbook").arg("build").arg(&book))
}

/// Finds the targets of the book's sources that lead nowhere, and the pages that SUMMARY.md leaves out.
fn faults(source: &Path) -> Result<Vec<String>, String> {
    let read = |path: &Path| fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()));
    let mut pages: Vec<PathBuf> = fs::read_dir(source)
        .map_err(|e| format!("{}: {e}", source.display()))?
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|e| e == "md"))
        .collect();
    pages.sort();
    let listed = between(&read(&source.join("SUMMARY.md"))?, "](", ")");
    let mut out = Vec::new();
    for page in &pages {
        let name = page.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name != "SUMMARY.md" && !listed.contains(&name) {
            out.push(format!("{name} is not in SUMMARY.md"));
        }
        let text = read(page)?;
        let included = between(&text, "{{#include ", "}}");
        let linked =
            between(&text, "](", ")").into_iter().filter(|l| !l.contains("://") && !l.starts_with('#'));
        for target in included.into_iter().chain(linked) {
            let file = target.split('#').next().unwrap_or_default().to_owned();
            if !source.join(&file).is_file() {
                out.push(format!("{name}: `{target}` leads nowhere"));
            }
        }
    }
    Ok(out)
}

/// Lists every piece of `text` between `open` and the next `close`.
fn between(text: &str, open: &str, close: &str) -> Vec<String> {
    text.split(open)
        .skip(1)
        .filter_map(|rest| rest.split_once(close))
        .map(|(inner, _)| inner.to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_guide_hangs_together() {
        assert_eq!(faults(&root().join("docs/guide/src")).unwrap(), Vec::<String>::new());
    }

    #[test]
    fn what_leads_nowhere_is_told() {
        let source = std::env::temp_dir().join(format!("stiction-guide-test-{}", std::process::id()));
        fs::create_dir_all(&source).unwrap();
        fs::write(source.join("SUMMARY.md"), "- [a](a.md)\n- [gone](gone.md)\n").unwrap();
        fs::write(source.join("a.md"), "{{#include ../no.md}} [b](b.md#part) [c](c.md) [x](https://x.org)")
            .unwrap();
        fs::write(source.join("b.md"), "").unwrap();
        let told = faults(&source).unwrap();
        fs::remove_dir_all(&source).unwrap();
        assert_eq!(
            told,
            [
                "SUMMARY.md: `gone.md` leads nowhere",
                "a.md: `../no.md` leads nowhere",
                "a.md: `c.md` leads nowhere",
                "b.md is not in SUMMARY.md"
            ]
        );
    }
}
