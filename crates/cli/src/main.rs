//! The command line: arguments in, words and numbers out. Everything else is in the crates below.

mod args;
mod browser;
mod catalogue;
mod check;
mod compare;
mod convert;
#[cfg(feature = "full")]
mod experiment;
mod failure;
mod full;
mod inspect;
#[cfg(feature = "full")]
mod learn;
#[cfg(feature = "full")]
mod learn_belief;
#[cfg(feature = "full")]
mod learn_cassie;
#[cfg(feature = "full")]
mod learn_ellipse;
#[cfg(feature = "full")]
mod learn_figures;
#[cfg(feature = "full")]
mod learn_identify;
#[cfg(feature = "full")]
mod learn_input;
#[cfg(feature = "full")]
mod learn_propagate;
#[cfg(feature = "full")]
mod learn_sole;
#[cfg(feature = "full")]
mod learn_splits;
#[cfg(feature = "full")]
mod learn_toss;
mod output;
mod progress;
mod recording_file;
mod render;
mod run;
#[cfg(feature = "full")]
mod shrink;
mod solve;
mod solve_apart;
#[cfg(feature = "full")]
mod stress;
mod table;
mod view;
mod words;

use args::{Cli, Command};
use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Run(args) => run::run(&args),
        Command::View(args) => view::view(&args),
        Command::Render(args) => render::render(&args),
        Command::Replay(args) => view::replay(&args),
        Command::Compare(args) => compare::compare(&args),
        Command::Solve(args) => solve::solve(&args),
        #[cfg(feature = "full")]
        Command::Shrink(args) => shrink::shrink(&args),
        Command::Inspect(args) => inspect::inspect(&args),
        Command::Convert(args) => convert::convert(&args),
        Command::Check(args) => match check::check_files(&args) {
            Ok(code) => return code,
            Err(failure) => Err(failure),
        },
        #[cfg(feature = "full")]
        Command::Experiment(args) => experiment::experiment(&args),
        #[cfg(feature = "full")]
        Command::Learn(args) => learn::learn(&args),
        #[cfg(not(feature = "full"))]
        Command::Learn(_) => Err(full::not_built_in("`stiction learn`")),
        #[cfg(not(feature = "full"))]
        Command::Experiment(_) => Err(full::not_built_in("`stiction experiment`")),
        #[cfg(not(feature = "full"))]
        Command::Stress(_) => Err(full::not_built_in("`stiction stress`")),
        #[cfg(not(feature = "full"))]
        Command::Shrink(_) => Err(full::not_built_in("`stiction shrink`")),
        #[cfg(feature = "full")]
        Command::Stress(args) => stress::stress(&args),
        Command::Scenes(args) => catalogue::scenes(&args),
        Command::Solvers(args) => catalogue::solvers(&args),
        Command::Steppers(args) => catalogue::steppers(&args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            output::complain(&failure.to_string());
            failure.code()
        }
    }
}
