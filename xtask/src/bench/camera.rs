//! `cargo xtask bench camera`.

use crate::args::Args;
use crate::process::{cargo, run as spawn};

pub(crate) const HELP: &str = "\
Pictures a second of processor time, on one core: colour, depth and segmentation of the quadruped,
the humanoid and the pile at the sizes of a learner's, a robot's and a video's camera.

    cargo xtask bench camera

Prints a table: the share of the picture that moving shapes take, and pictures a second with and
without shadows on the ground (medians of 5).";

pub(crate) fn run(args: Args) -> Result<(), String> {
    args.finish(0)?;
    spawn(cargo().args([
        "run",
        "--quiet",
        "--profile",
        "dist",
        "--package",
        "stiction-cli",
        "--example",
        "camera",
    ]))
}
