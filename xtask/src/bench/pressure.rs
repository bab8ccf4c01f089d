//! `cargo xtask bench pressure`.

use std::process::Command;

use super::shared::our_binary;
use crate::args::Args;
use crate::process::{root, run as spawn};
use crate::python::python_with;

pub(crate) const HELP: &str = "\
Processor time of contact by pressure (hydroelastic): three scenes under the stepper compliant, time
stepping, Drake's continuous and discrete plants, and MuJoCo's points on the same bodies.

    cargo xtask bench pressure [--rounds N]

    --rounds N   medians of so many rounds (5)

Needs Python with its venv module and, once, the network, for the packages drake and mujoco.";

const PACKAGES: [&str; 2] = ["drake==1.51.1", "mujoco==4.0.0"];
const CHECK: &str = "import pydrake.multibody.plant, mujoco, importlib.metadata
assert importlib.metadata.version('drake') == '1.51.1'";

pub(crate) fn run(mut args: Args) -> Result<(), String> {
    let rounds = args.option("--rounds")?.unwrap_or_else(|| "5".to_owned());
    args.finish(0)?;
    let python = python_with("bench/drake", &PACKAGES, CHECK)?;
    let program = our_binary()?;
    let mut script = Command::new(python);
    script.current_dir(root()).arg("xtask/bench/pressure_cost.py").arg(program).arg(rounds);
    spawn(&mut script)
}
