//! `stiction solve`: a recorded contact problem, several solvers.

use crate::args::SolveArgs;
use crate::catalogue::law_name;
use crate::failure::Failure;
use crate::output::{say, say_json};
use crate::words::short;
use comfy_table::{Table, presets};
use stiction::contact::SolveStatus;
use stiction::solvers::registry::{self, Common};
use stiction_lab::overrides::solvers_named;
use stiction_lab::solve::{Answer, SolveOptions, load_problem, solve as answers_of};

/// Default tolerance as a share of ‖g‖ [–].
const RELATIVE_TOLERANCE: f64 = 1e-8;
/// A recorded problem may take longer than a time step.
const MAX_ITERATIONS: u32 = 10_000;

const COLUMNS: [&str; 9] = [
    "solver",
    "law",
    "status",
    "iterations",
    "time [ms]",
    "natural map [m/s]",
    "relative",
    "ε_abs",
    "own law [m/s]",
];

pub(crate) fn solve(args: &SolveArgs) -> Result<(), Failure> {
    let solvers = match &args.solver {
        Some(list) => solvers_named(list).map_err(Failure::input)?,
        None => registry::all().iter().take(1).map(|e| e.name).collect(),
    };
    let file = load_problem(&args.file).map_err(Failure::input)?;
    // Recorded problems differ in scale by many orders: without a tolerance, a relative one.
    let scale = file.problem.free_velocity.iter().map(|g| g * g).sum::<f64>().sqrt();
    let relative = if scale > 0.0 { RELATIVE_TOLERANCE * scale } else { Common::default().tolerance };
    let common = Common {
        tolerance: args.tolerance.unwrap_or(relative),
        max_iterations: args.max_iterations.unwrap_or(MAX_ITERATIONS),
    };
    let options = SolveOptions { common, impulses: args.impulses };
    let answers = answers_of(&file, &solvers, &options).map_err(Failure::input)?;
    if args.json {
        say_json(&answers)?;
    } else {
        let mut table = Table::new();
        table.load_style(presets::UTF8_BORDERS_ONLY).set_header(COLUMNS);
        table.add_rows(answers.iter().map(row));
        let (blocks, rows) = (file.problem.len(), file.problem.rows());
        say(&format!("{}: {blocks} constraints, {rows} rows; judged by the exact law\n{table}", file.name))?;
    }
    if answers.iter().any(|a| a.status == SolveStatus::Converged) {
        return Ok(());
    }
    Err(Failure::work(format!("no solver reached {} m/s", short(common.tolerance))))
}

fn row(a: &Answer) -> [String; 9] {
    let status = match a.status {
        SolveStatus::Converged => "converged",
        SolveStatus::IterationLimit => "iteration limit",
        SolveStatus::Stalled => "stalled",
        SolveStatus::NumericalFailure => "numerical failure",
    };
    [
        a.solver.to_owned(),
        law_name(a.law),
        status.to_owned(),
        a.iterations.to_string(),
        format!("{:.3}", 1e3 * a.time_s),
        format!("{:.1e}", a.residual.natural_map),
        format!("{:.1e}", a.residual.natural_map_relative),
        format!("{:.1e}", a.residual.eps_abs),
        format!("{:.1e}", a.own_natural_map),
    ]
}
