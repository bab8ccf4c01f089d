//! The first command of the README compiles few crates, and the Python package compiles none of them again.
//!
//! Counted by what cargo says it would build; nothing is built and nothing is timed. A number that shrinks is lowered here; one
//! that grows is a decision about everybody's first minutes, and belongs in a commit that says why.

// All of this file is a test.
#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

/// Crates that `cargo run --release -- run quadruped` compiles, ours among them: what was one crate of ours is five, of which the
/// first command leaves out experiments and, with them, optimal control.
const CRATES: usize = 138;
/// Crates of the whole program that the first command does without.
const ABSENT: [&str; 6] =
    ["stiction-learn", "stiction-experiments", "stiction-control", "mcap", "tiny-skia", "ttf-parser"];
/// Crates that the Python package does without.
const NOT_IN_PYTHON: [&str; 3] = ["stiction-experiments", "stiction-comparisons", "stiction-plot"];
/// Crates that nothing of ours needs.
const UNUSED: [&str; 3] = ["axum", "tokio", "hyper"];

/// Name and version with the features that are on, as `cargo tree` says for a package of this machine.
fn built(package: &str, features: &[&str]) -> BTreeMap<String, BTreeSet<String>> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let tree = ["tree", "--locked", "--edges", "normal,build", "--prefix", "none", "--format", "{p}|{f}"];
    let mut command = Command::new(cargo);
    command.current_dir(env!("CARGO_MANIFEST_DIR")).args(tree).args(["--package", package]).args(features);
    let out = command.output().unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let text = String::from_utf8(out.stdout).unwrap();
    let mut all = BTreeMap::<String, BTreeSet<String>>::new();
    for line in text.lines() {
        let (package, features) = line.trim_end_matches(" (*)").split_once('|').unwrap();
        let name = package.split(' ').take(2).collect::<Vec<_>>().join(" ");
        all.entry(name).or_default().insert(features.to_owned());
    }
    all
}

fn name(package: &str) -> &str {
    package.split_once(' ').unwrap().0
}

#[test]
fn the_first_command_compiles_few_crates() {
    let first = built("stiction-cli", &[]);
    for absent in ABSENT {
        assert!(first.keys().all(|p| name(p) != absent), "the first command compiles {absent}");
    }
    let names: Vec<&String> = first.keys().collect();
    assert_eq!(first.len(), CRATES, "the first command compiles {names:#?}");
    let all = built("stiction-cli", &["--features", "full"]);
    assert!(ABSENT.iter().all(|absent| all.keys().any(|p| name(p) == *absent)), "`full` holds them");
    assert!(all.keys().all(|p| !UNUSED.contains(&name(p))), "the live server needs {UNUSED:?}");
}

/// A crate that both need has the same features in both, `stiction-lab` apart; else everything that stands on it would be
/// compiled again.
#[test]
fn the_python_package_shares_what_the_first_command_compiled() {
    let (first, python) = (built("stiction-cli", &[]), built("stiction-python", &[]));
    assert!(python.keys().all(|p| !NOT_IN_PYTHON.contains(&name(p))), "the package links {NOT_IN_PYTHON:?}");
    let both = first.iter().filter_map(|(package, ours)| Some((package, ours, python.get(package)?)));
    let differ: Vec<String> = both
        .filter(|(package, ours, theirs)| name(package) != "stiction-lab" && !ours.is_subset(theirs))
        .map(|(package, ours, theirs)| format!("{package}: {ours:?} and {theirs:?}"))
        .collect();
    assert!(differ.is_empty(), "name the features in crates/features/Cargo.toml:\n{}", differ.join("\n"));
}

/// Crates that the release profile leaves unoptimised are optimised in what is shipped.
#[test]
fn what_is_shipped_is_optimised() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let manifest: toml::Table = std::fs::read_to_string(root.join("Cargo.toml")).unwrap().parse().unwrap();
    let [cold, dist] = ["release", "dist"].map(|p| manifest["profile"][p]["package"].as_table().unwrap());
    let slow = |table: &toml::Table, name: &str| {
        table.get(name).and_then(|p| p.get("opt-level")).map(|level| level.as_integer() != Some(3))
    };
    for name in cold.keys().filter(|name| slow(cold, name) == Some(true)) {
        assert_eq!(slow(dist, name), Some(false), "[profile.dist.package] does not optimise {name}");
    }
}
