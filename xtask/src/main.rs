//! `cargo xtask …`: the chores of this workspace, in Rust, so that they run wherever cargo does.
//!
//! One file per chore. A chore is a function `run(Args) -> Result<(), String>`; its error is the
//! sentence the user reads.

// Printing is what this program is for.
#![allow(clippy::print_stdout)]

mod args;
mod bench;
mod bibliography;
mod debts;
mod figures;
mod fingerprint;
mod fragments;
mod fuzz;
mod guide;
mod house;
mod measures;
mod modules;
mod package;
mod page;
mod process;
mod python;
mod test;
mod tidy;
mod verify;

use std::process::ExitCode;

use args::Args;

const HELP: &str = "\
The chores of this workspace.

    cargo xtask <chore> [options]

    test      run every test: unit, integration and documentation
    python    test the Python package
    tidy      check format, lints and the rules of the house
    page      check that the committed viewer page is what its sources build
    verify    compare readers and dynamics with Pinocchio and MuJoCo on public robots
    bench     measure: whole scenes, the algorithms of dynamics, beside others
    figures   run the experiments and redraw their figures
    fingerprint  compare the bits of simulations with the committed ones
    guide     check the user guide and build it as a book
    fuzz      feed every reader with damaged input, guided by coverage

`cargo xtask <chore> --help` says what a chore does, needs and writes.";

/// A chore: its name, its help (which may depend on the words after the name), and what it does.
type Chore = (&'static str, fn(Args) -> &'static str, fn(Args) -> Result<(), String>);

const CHORES: [Chore; 10] = [
    ("test", |_| test::HELP, test::run),
    ("python", |_| package::HELP, package::run),
    ("tidy", |_| tidy::HELP, tidy::run),
    ("page", |_| page::HELP, page::run),
    ("verify", |_| verify::HELP, verify::run),
    ("bench", bench::help, bench::run),
    ("figures", |_| figures::HELP, figures::run),
    ("fingerprint", |_| fingerprint::HELP, fingerprint::run),
    ("guide", |_| guide::HELP, guide::run),
    ("fuzz", |_| fuzz::HELP, fuzz::run),
];

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let name = words.next().unwrap_or_else(|| "--help".to_owned());
    if matches!(name.as_str(), "-h" | "--help" | "help") {
        println!("{HELP}");
        return ExitCode::SUCCESS;
    }
    let Some((_, help, run)) = CHORES.iter().find(|(n, _, _)| *n == name) else {
        eprintln!("xtask: there is no chore `{name}`\n\n{HELP}");
        return ExitCode::from(2);
    };
    let mut args = Args::new(words);
    if args.flag("--help") || args.flag("-h") {
        println!("{}", help(args));
        return ExitCode::SUCCESS;
    }
    match run(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("\nxtask {name}: {message}");
            ExitCode::FAILURE
        }
    }
}
