//! Arguments of the laboratory: problems, solvers, experiments, random worlds.

use super::numbers::positive;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  stiction solve problem.json
  stiction solve problem.json --solver all --tolerance 1e-10
  stiction solve problem.json --json --impulses
  stiction solve problem.json --solver all --history out/history.html
  stiction solve problems/ --solver all --profile out/profile     goes on where it was stopped")]
pub(crate) struct SolveArgs {
    /// A contact problem (.json, FCLIB .hdf5, Siconos .dat, ContactBench .npz); with --profile a folder of them
    pub(crate) file: PathBuf,
    /// Solvers, separated by commas, or `all`; without: the default one
    #[arg(long, value_name = "NAMES")]
    pub(crate) solver: Option<String>,
    /// Set a parameter of the solvers that have it (see `stiction solvers NAME`); may be repeated
    #[arg(long, value_name = "KEY=VALUE", conflicts_with = "profile")]
    pub(crate) contact_param: Vec<String>,
    /// Residual at which the solver stops [m/s]; without: 1e-8 of ‖g‖, the problem's free velocity
    #[arg(long, value_name = "M/S", value_parser = positive, allow_negative_numbers = true)]
    pub(crate) tolerance: Option<f64>,
    /// Iterations the solver may spend; without: 10000
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) max_iterations: Option<u32>,
    /// Time that each solver may take [s]; without: 60 where there are several, none where there is one
    #[arg(long, value_name = "SECONDS", value_parser = positive, allow_negative_numbers = true, conflicts_with = "profile")]
    pub(crate) time_limit: Option<f64>,
    /// Print the answers as JSON, and nothing else
    #[arg(long)]
    pub(crate) json: bool,
    /// With --json: the impulses too, in the order of the file
    #[arg(long, requires = "json")]
    pub(crate) impulses: bool,
    /// Tell the stages that the plan of the solver has tried: why, for how many steps, and what they left
    #[arg(long, conflicts_with = "profile")]
    pub(crate) explain: bool,
    /// Write the residual after every iteration: .html or .csv
    #[arg(long, value_name = "FILE", conflicts_with = "profile")]
    pub(crate) history: Option<PathBuf>,
    /// Solve every problem of a folder at tolerances 1e-4, 1e-6 and 1e-8 of ‖g‖, and write table, figures and
    /// results to this folder
    #[arg(long, value_name = "DIR", conflicts_with_all = ["tolerance", "impulses"])]
    pub(crate) profile: Option<PathBuf>,
    /// With --profile: figures as PDF too
    #[arg(long, requires = "profile")]
    pub(crate) pdf: bool,
    /// With --profile: figures as PNG too
    #[arg(long, requires = "profile")]
    pub(crate) png: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  stiction run stack --duration 0.1 --dump-problems out/stack --when \"every 20\"
  stiction shrink out/stack/stack-000020.json --solver ncp-pgs --max-iterations 5

The first writes problems, the second finds the smallest part of one that the solver does not finish in 5 iterations.")]
pub(crate) struct ShrinkArgs {
    /// A contact problem (.json, .hdf5, .dat, .npz)
    pub(crate) file: PathBuf,
    /// The solver that fails on it
    #[arg(long, value_name = "NAME")]
    pub(crate) solver: String,
    /// Set a parameter of that solver (see `stiction solvers NAME`); may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) contact_param: Vec<String>,
    /// Residual that counts as solved [m/s]; without: 1e-8 of ‖g‖
    #[arg(long, value_name = "M/S", value_parser = positive, allow_negative_numbers = true)]
    pub(crate) tolerance: Option<f64>,
    /// Iterations the solver may spend; without: 10000
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) max_iterations: Option<u32>,
    /// Where to write what is left, in the format of the ending; without: beside the file, as NAME-small.json
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  stiction stress --steps 20000 --threads 2 --out out/stress      goes on where it was broken off
  stiction stress --seed 4711 --steps 2000")]
pub(crate) struct StressArgs {
    /// Steps of all worlds together
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    pub(crate) steps: u64,
    /// The first world; the others follow
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Worlds at the same time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: u16,
    /// Contact solver (see `stiction solvers`)
    #[arg(long, value_name = "NAME", default_value = "auto")]
    pub(crate) contact: String,
    /// Set a parameter of that solver (see `stiction solvers NAME`); may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) contact_param: Vec<String>,
    /// Step every world as a batch of so many environments
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
    #[arg(conflicts_with_all = ["contact", "contact_param"])]
    pub(crate) batch: Option<u32>,
    /// The batches in single precision
    #[arg(long, requires = "batch")]
    pub(crate) single: bool,
    /// Keep results, and the problems of steps that were flagged or not certified, in this folder
    #[arg(long, value_name = "FOLDER")]
    pub(crate) out: Option<PathBuf>,
    /// Worlds of note to list
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) show: usize,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  stiction experiment list
  stiction experiment raisim-sliding-cube --out figures
  stiction experiment creep --pdf --png
  stiction experiment solo12-mpc --contact all")]
pub(crate) struct ExperimentArgs {
    /// Name of an experiment, or `list`
    pub(crate) name: String,
    /// Folder for figures and data (without: out/NAME)
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Contact solvers to run beside those of the publication, for experiments that compare them (solo12-mpc): names, or `all`
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) contact: Vec<String>,
    /// Figures as PDF too, beside SVG on light and on dark ground
    #[arg(long)]
    pub(crate) pdf: bool,
    /// Figures as PNG too
    #[arg(long)]
    pub(crate) png: bool,
    /// Print the list or the claims as JSON, and nothing else
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  stiction solvers
  stiction solvers ncp-pgs
  stiction run slope --contact ncp-pgs --contact-param omega=1.3 --contact-param memory=8")]
pub(crate) struct SolversArgs {
    /// Show the law, the source and every parameter of this solver
    pub(crate) name: Option<String>,
    /// Print JSON, and nothing else
    #[arg(long)]
    pub(crate) json: bool,
}
