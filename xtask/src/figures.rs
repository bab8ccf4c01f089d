//! `cargo xtask figures`.

use crate::args::Args;
use crate::process::{cargo, output, root, run as spawn};

pub(crate) const HELP: &str = "\
Runs the experiments of the laboratory and redraws their figures and tables. An experiment
that no longer shows what it claims ends in an error; the others are run all the same.

    cargo xtask figures [NAME] [--out DIR]

    NAME        one experiment; without it all of them but hard-cases and solo12-mpc, which take minutes
    --out DIR   where figures and data go, one folder per experiment (default docs/figures)

`cargo run --release -- experiment list` says what each experiment shows.";

/// Experiments that run by their names only.
const LONG: [&str; 2] = ["hard-cases", "solo12-mpc"];

const STICTION: [&str; 7] = ["run", "--quiet", "--release", "--package", "stiction-cli", "--", "experiment"];

pub(crate) fn run(mut args: Args) -> Result<(), String> {
    let out = args.option("--out")?.unwrap_or_else(|| "docs/figures".to_owned());
    let names = args.finish(1)?;
    let all = experiments()?;
    let drawn: Vec<String> = all.iter().filter(|n| !LONG.contains(&n.as_str())).cloned().collect();
    let chosen = if names.is_empty() { &drawn } else { &names };
    if let Some(name) = chosen.iter().find(|n| !all.contains(n)) {
        return Err(format!("there is no experiment `{name}`; there are {}", all.join(", ")));
    }
    let mut failed = Vec::new();
    for name in chosen {
        let folder = root().join(&out).join(name);
        if let Err(message) = spawn(cargo().args(STICTION).args([name, "--out"]).arg(&folder)) {
            failed.push(message);
        }
    }
    if failed.is_empty() { Ok(()) } else { Err(failed.join("\n")) }
}

/// The names the laboratory has, in its order.
fn experiments() -> Result<Vec<String>, String> {
    let text = output(cargo().args(STICTION).args(["list", "--json"]))?;
    let list: Vec<serde_json::Value> =
        serde_json::from_str(&text).map_err(|e| format!("`experiment list --json` is no JSON: {e}"))?;
    Ok(list.iter().filter_map(|e| e["name"].as_str()).map(str::to_owned).collect())
}
