//! `stiction solve`: a recorded contact problem, several solvers.

use crate::args::SolveArgs;
use crate::catalogue::law_name;
use crate::failure::Failure;
use crate::output::{complain, say, say_json};
use crate::progress::Meter;
use crate::words::short;
use comfy_table::{Table, presets};
use std::path::Path;
use stiction::contact::{ConstraintProblem, SolveStatus};
use stiction::solvers::Params;
use stiction::solvers::registry::{self, Common};
use stiction_lab::history::{self, histories};
use stiction_lab::overrides::solvers_named;
use stiction_lab::profile::{self, Profile, TOLERANCES};
use stiction_lab::report::history_page;
use stiction_lab::solve::{Answer, SolveOptions, load_problem, solve as answers_of};

/// Default tolerance as a share of ‖g‖ [–].
const RELATIVE_TOLERANCE: f64 = 1e-8;
/// A recorded problem may take longer than a time step.
const MAX_ITERATIONS: u32 = 10_000;

/// Contacts with several answers that are named.
const SEVERAL: usize = 5;

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
    if let Some(out) = &args.profile {
        return profile(args, &solvers, out);
    }
    let file = load_problem(&args.file).map_err(Failure::input)?;
    let common = limits(&file.problem, args.tolerance, args.max_iterations);
    let params = Params::parse(&args.contact_param).map_err(Failure::input)?;
    let options = SolveOptions { common, params, impulses: args.impulses };
    let answers = answers_of(&file, &solvers, &options).map_err(Failure::input)?;
    if args.json {
        say_json(&answers)?;
    } else {
        let mut table = Table::new();
        table.load_style(presets::UTF8_BORDERS_ONLY).set_header(COLUMNS);
        table.add_rows(answers.iter().map(row));
        let (blocks, rows) = (file.problem.len(), file.problem.rows());
        say(&format!("{}: {blocks} constraints, {rows} rows; judged by the exact law\n{table}", file.name))?;
        answers.iter().try_for_each(say_several)?;
    }
    if let Some(path) = &args.history {
        let histories =
            histories(&file.problem, &solvers, &common, &options.params).map_err(Failure::input)?;
        let text = match path.extension().and_then(|e| e.to_str()) {
            Some("csv") => history::csv(&histories),
            Some("html") => history_page(&file.name, &histories),
            _ => return Err(Failure::input(format!("{}: expected .html or .csv", path.display()))),
        };
        write(path, &text)?;
        if !args.json {
            say(&format!("history: {}", path.display()))?;
        }
    }
    if answers.iter().any(|a| a.status == SolveStatus::Converged) {
        return Ok(());
    }
    Err(Failure::work(format!("no solver reached {} m/s", short(common.tolerance))))
}

/// Contacts whose answer is one of several, a few of them by name.
fn say_several(answer: &Answer) -> Result<(), Failure> {
    for several in answer.several.iter().take(SEVERAL) {
        let (constraint, all) = (several.constraint, several.answers.join(", "));
        say(&format!(
            "{}: constraint {constraint} has {} answers, the others held ({all}); taken: {}",
            answer.solver,
            several.answers.len(),
            several.taken
        ))?;
    }
    match answer.several.len().saturating_sub(SEVERAL) {
        0 => Ok(()),
        more => say(&format!("{}: and {more} more", answer.solver)),
    }
}

/// Recorded problems differ in scale by many orders: without a tolerance, a relative one.
pub(crate) fn limits(
    problem: &ConstraintProblem,
    tolerance: Option<f64>,
    max_iterations: Option<u32>,
) -> Common {
    let scale = problem.free_velocity.iter().map(|g| g * g).sum::<f64>().sqrt();
    let relative = if scale > 0.0 { RELATIVE_TOLERANCE * scale } else { Common::default().tolerance };
    Common {
        tolerance: tolerance.unwrap_or(relative),
        max_iterations: max_iterations.unwrap_or(MAX_ITERATIONS),
    }
}

/// Writes `text`, and the folder it is in if that is absent.
fn write(path: &Path, text: &str) -> Result<(), Failure> {
    std::fs::create_dir_all(path.parent().unwrap_or(Path::new("")))
        .and_then(|()| std::fs::write(path, text))
        .map_err(|e| Failure::work(format!("cannot write {}: {e}", path.display())))
}

/// Every problem of a folder under every solver.
fn profile(args: &SolveArgs, solvers: &[&str], out: &Path) -> Result<(), Failure> {
    let unreadable = |e| Failure::input(format!("{}: {e}", args.file.display()));
    let files = profile::problems(&args.file).map_err(unreadable)?;
    if files.is_empty() {
        return Err(Failure::input(format!("{}: no .json file in it", args.file.display())));
    }
    std::fs::create_dir_all(out).map_err(|e| Failure::work(format!("cannot make {}: {e}", out.display())))?;
    let meter = Meter::new(!args.json);
    let most = args.max_iterations.unwrap_or(MAX_ITERATIONS);
    let results = out.join("results.jsonl");
    let profile = Profile::run(&args.file, &files, solvers, most, &results, |done, all, label| {
        meter.count(done, all, label)
    })
    .map_err(Failure::work)?;
    meter.done();
    profile.skipped.iter().for_each(|reason| complain(&format!("note: {reason}")));
    let read = files.len() - profile.skipped.len();
    let about = format!("{read} problems of {}; one thread, medians of repeated solves", args.file.display());
    write(&out.join("profile.html"), &profile.to_html(about))?;
    for (figure, tolerance) in profile.figures().iter().zip(TOLERANCES) {
        write(&out.join(format!("profile-{tolerance:.0e}.svg")), &figure.to_svg())?;
    }
    let (heads, rows) = profile.table();
    let csv: String = std::iter::once(&heads).chain(&rows).map(|cells| cells.join(",") + "\n").collect();
    write(&out.join("profile.csv"), &csv)?;
    if args.json {
        say_json(&profile.lines)?;
    } else {
        let mut table = Table::new();
        table.load_style(presets::UTF8_BORDERS_ONLY).set_header(heads);
        table.add_rows(rows);
        say(&format!("{read} problems, share solved by the exact law\n{table}\nprofile: {}", out.display()))?;
    }
    if profile.interrupted { Err(Failure::Interrupted) } else { Ok(()) }
}

fn row(a: &Answer) -> [String; 9] {
    let status = match a.status {
        SolveStatus::Converged => "converged",
        SolveStatus::Rounding => "rounding",
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
