//! `cargo xtask bench`: one file per benchmark.

mod batch;
mod camera;
mod collision;
mod dynamics;
mod instructions;
mod phases;
mod pressure;
mod scale;
mod scenes;
pub(crate) mod shared;
mod solvers;
mod steps;

use crate::args::Args;

const HELP: &str = "\
Measures. Every benchmark has its own help: `cargo xtask bench NAME --help`.

    cargo xtask bench [NAME] [options]

    scenes         time per step and contact residual beside MuJoCo (without a NAME, this one)
    scale          how time and memory grow with the number of boxes or robots
    batch          thousands of quadrupeds in lanes beside MuJoCo's rollout
    collision      cost of a pair of shapes beside parry and MuJoCo
    camera         pictures a second without a graphics card
    pressure       contact by pressure beside Drake's plants and MuJoCo's points
    solvers        contact solvers beside Pinocchio's and Siconos' on recorded problems
    dynamics       the algorithms of dynamics beside Pinocchio and MuJoCo, and in lanes
    instructions   instructions per call of the same, against the committed counts";

/// A benchmark: its name, its help, and what it does.
type Benchmark = (&'static str, &'static str, fn(Args) -> Result<(), String>);

const BENCHMARKS: [Benchmark; 9] = [
    ("scenes", scenes::HELP, scenes::run),
    ("scale", scale::HELP, scale::run),
    ("batch", batch::HELP, batch::run),
    ("collision", collision::HELP, collision::run),
    ("camera", camera::HELP, camera::run),
    ("pressure", pressure::HELP, pressure::run),
    ("solvers", solvers::HELP, solvers::run),
    ("dynamics", dynamics::HELP, dynamics::run),
    ("instructions", instructions::HELP, instructions::run),
];

pub(crate) fn help(args: Args) -> &'static str {
    chosen(args).1.map_or(HELP, |(_, help, _)| help)
}

pub(crate) fn run(args: Args) -> Result<(), String> {
    let (args, benchmark) = chosen(args);
    let run = benchmark.map_or(scenes::run as fn(Args) -> _, |(.., run)| run);
    run(args)
}

fn chosen(mut args: Args) -> (Args, Option<Benchmark>) {
    let name = args.command(&BENCHMARKS.map(|(name, ..)| name));
    (args, BENCHMARKS.into_iter().find(|(n, ..)| name.as_deref() == Some(n)))
}
