//! The command line: arguments in, words and numbers out. Everything else is in `stiction-lab`.

mod args;
mod browser;
mod catalogue;
mod check;
mod compare;
mod convert;
mod experiment;
mod failure;
mod inspect;
mod learn;
mod learn_belief;
mod learn_cassie;
mod learn_figures;
mod learn_identify;
mod learn_input;
mod learn_propagate;
mod learn_sole;
mod learn_splits;
mod learn_toss;
mod output;
mod progress;
mod recording_file;
mod render;
mod run;
mod shrink;
mod solve;
mod solve_apart;
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
        Command::Shrink(args) => shrink::shrink(&args),
        Command::Inspect(args) => inspect::inspect(&args),
        Command::Convert(args) => convert::convert(&args),
        Command::Check(args) => match check::check_files(&args) {
            Ok(code) => return code,
            Err(failure) => Err(failure),
        },
        Command::Experiment(args) => experiment::experiment(&args),
        Command::Learn(args) => learn::learn(&args),
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
