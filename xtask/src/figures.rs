//! `cargo xtask figures`.

use crate::args::Args;
use crate::process::{cargo, root, run as spawn};

pub(crate) const HELP: &str = "\
Runs the experiments of the laboratory and redraws their figures. An experiment that no
longer shows what it claims ends in an error.

    cargo xtask figures [NAME] [--out DIR]

    NAME        one experiment; without it all of them
    --out DIR   where figures and data go, one folder per experiment (default docs/figures)

`cargo run --release -- experiment list` says what each experiment shows.";

/// Each reproduces one figure of the literature.
const EXPERIMENTS: [&str; 2] = ["raisim-sliding-cube", "raisim-dragged-cube"];

pub(crate) fn run(mut args: Args) -> Result<(), String> {
    let out = args.option("--out")?.unwrap_or_else(|| "docs/figures".to_owned());
    let names = args.finish(1)?;
    let chosen: Vec<&str> =
        if names.is_empty() { EXPERIMENTS.to_vec() } else { names.iter().map(|n| &**n).collect() };
    if let Some(name) = chosen.iter().find(|n| !EXPERIMENTS.contains(n)) {
        return Err(format!("there is no experiment `{name}`; there are {}", EXPERIMENTS.join(", ")));
    }
    for name in chosen {
        let folder = root().join(&out).join(name);
        let run =
            ["run", "--quiet", "--release", "--package", "stiction-cli", "--", "experiment", name, "--out"];
        spawn(cargo().args(run).arg(&folder))?;
    }
    Ok(())
}
