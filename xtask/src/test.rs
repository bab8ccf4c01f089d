//! `cargo xtask test`.

use crate::args::Args;
use crate::package;
use crate::process::{cargo, cargo_has, run as spawn};

pub(crate) const HELP: &str = "\
Runs every test of the workspace: the examples in the documentation, then unit and
integration tests, then the Python package (`cargo xtask python`) where there is a Python. Nothing is
timed, no test needs a graphics card; none needs the network, but what the Python tests need is
installed once.

    cargo xtask test [-p CRATE] [FILTER]

    -p, --package CRATE   only this crate
    FILTER                only tests whose name contains it (skips the documentation)

Uses cargo-nextest where it is installed, else `cargo test`. Tests against the models and problems of
others look in $STICTION_DATA, or ../shared/data; without them they check nothing, and this says so.";

pub(crate) fn run(mut args: Args) -> Result<(), String> {
    let scope = scope(&mut args)?;
    let filter = args.finish(1)?;
    let nextest = cargo_has("nextest");
    if let Some(missing) = missing_data() {
        println!("{missing}");
    }
    // Documentation first: what a reader of the log wants to see last is the summary of the tests.
    if filter.is_empty() && has_library(&scope)? {
        spawn(cargo().args(["test", "--all-features", "--doc"]).args(&scope))?;
    }
    if nextest {
        spawn(cargo().args(["nextest", "run", "--all-features", "--tests"]).args(&scope).args(&filter))?;
    } else {
        println!("cargo-nextest is not installed; the tests run under `cargo test`");
        spawn(cargo().args(["test", "--all-features", "--tests"]).args(&scope).args(&filter))?;
    }
    if filter.is_empty() && matches!(&scope[..], [all] if all == "--workspace") {
        println!();
        if let Some(missing) = package::run_if_there_is_python()? {
            println!("*** NOT TESTED: {missing} ***");
        }
    }
    Ok(())
}

/// What to say when the third-party data is absent: test runners hide what passing tests print.
fn missing_data() -> Option<String> {
    let beside = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data");
    let folder = std::env::var_os("STICTION_DATA").map_or(beside, std::path::PathBuf::from);
    let absent = !folder.is_dir();
    absent.then(|| {
        format!(
            "*** NOT TESTED against third-party data: {} is not there. The tests that need it pass without \
             checking anything; set STICTION_DATA to the folder that holds it. ***",
            folder.display()
        )
    })
}

/// `--workspace`, or `--package CRATE` where one was asked for.
pub(crate) fn scope(args: &mut Args) -> Result<Vec<String>, String> {
    let name = args.option("-p")?.or(args.option("--package")?);
    Ok(match name {
        Some(name) => vec!["--package".to_owned(), name],
        None => vec!["--workspace".to_owned()],
    })
}

/// Cargo refuses `--doc` for a package without a library.
fn has_library(scope: &[String]) -> Result<bool, String> {
    let [_, name] = scope else { return Ok(true) };
    let text = crate::process::output(cargo().args(["metadata", "--no-deps", "--format-version", "1"]))?;
    let metadata: serde_json::Value = serde_json::from_str(&text).map_err(|e| e.to_string())?;
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let targets = packages.filter(|p| p["name"] == **name).flat_map(|p| p["targets"].as_array()).flatten();
    let mut kinds = targets.flat_map(|t| t["kind"].as_array()).flatten();
    Ok(kinds.any(|k| k.as_str().is_some_and(|k| k.ends_with("lib"))))
}
