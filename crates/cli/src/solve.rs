//! `stiction solve`: a recorded contact problem, several solvers.

use crate::args::SolveArgs;
use crate::failure::Failure;
use crate::full;
use crate::output::{complain, say, say_json};
use crate::progress::Meter;
use crate::solve_apart;
use crate::table::table;
use crate::words::short;
use serde_json::Value;
use std::path::Path;
use std::time::Duration;
use stiction::contact::ConstraintProblem;
use stiction::solvers::Params;
use stiction::solvers::registry::{self, Common};
use stiction_comparisons::history::{self, histories};
use stiction_comparisons::profile::{self, Profile, TOLERANCES};
use stiction_comparisons::report::history_page;
use stiction_lab::solve::{SolveOptions, load_problem, solve as answers_of};
use stiction_scene::overrides::solvers_named;

/// Default tolerance as a share of ‖g‖ [–].
const RELATIVE_TOLERANCE: f64 = 1e-8;
/// A recorded problem may take longer than a time step.
const MAX_ITERATIONS: u32 = 10_000;

/// Contacts with several answers that are named.
const SEVERAL: usize = 5;

/// Seconds that each of several solvers may take.
const TIME_LIMIT: f64 = 60.0;

/// Short heads: the table fits 80 columns.
const COLUMNS: [&str; 7] =
    ["solver", "law", "status", "iter.", "time\n[ms]", "nat. map\n[m/s]", "own law\n[m/s]"];

const TRIED: [&str; 6] = ["stage", "why", "rows", "steps", "time\n[ms]", "nat. map\n[m/s]"];

pub(crate) fn solve(args: &SolveArgs) -> Result<(), Failure> {
    let solvers = match &args.solver {
        Some(list) => solvers_named(list).map_err(Failure::input)?,
        None => registry::all().iter().take(1).map(|e| e.name).collect(),
    };
    if let Some(out) = &args.profile {
        return profile(args, &solvers, out);
    }
    let file = load_problem(&args.file).map_err(Failure::input)?;
    let common = limits(&args.file, &file.problem, args.tolerance, args.max_iterations)?;
    let params = Params::parse(&args.contact_param).map_err(Failure::input)?;
    let options = SolveOptions { common, params, impulses: args.impulses, explain: args.explain };
    let answers = match (args.time_limit, &solvers[..]) {
        (None, [_]) => {
            let answers = answers_of(&file, &solvers, &options).map_err(Failure::input)?;
            answers.iter().map(serde_json::to_value).collect::<Result<Vec<_>, _>>().map_err(Failure::work)?
        }
        (limit, _) => {
            let limit = Duration::from_secs_f64(limit.unwrap_or(TIME_LIMIT).min(1e9));
            solve_apart::answers(args, &solvers, &common, limit)?
        }
    };
    if args.json {
        say_json(&answers)?;
    } else {
        let (blocks, rows) = (file.problem.len(), file.problem.rows());
        say(&format!(
            "{}: {blocks} constraints, {rows} rows; tolerance {} m/s; natural map of the exact law, and of the solver's own\n{}",
            file.name,
            short(common.tolerance),
            table(COLUMNS, answers.iter().map(row)),
        ))?;
        answers.iter().try_for_each(say_several)?;
        answers.iter().try_for_each(say_tried)?;
    }
    let ended = |status: &str| {
        let names = answers.iter().filter(|a| a["status"] == status).filter_map(|a| a["solver"].as_str());
        names.collect::<Vec<_>>()
    };
    let (slow, refused) = (ended("time-limit"), ended("refused"));
    if !slow.is_empty() {
        let limit = short(args.time_limit.unwrap_or(TIME_LIMIT));
        complain(&format!("note: ended after {limit} s (--time-limit): {}", slow.join(", ")));
    }
    if refused.len() == answers.len() {
        return Err(Failure::input("no solver takes this problem"));
    }
    let solvers: Vec<&str> =
        solvers.into_iter().filter(|s| !slow.contains(s) && !refused.contains(s)).collect();
    if let Some(path) = &args.history {
        let histories =
            histories(&file.problem, &solvers, &common, &options.params).map_err(Failure::input)?;
        let text = match path.extension().and_then(|e| e.to_str()) {
            Some("csv") => history::csv(&histories),
            Some("html") => history_page(&file.name, &histories),
            _ => return Err(Failure::input(format!("{}: expected .html or .csv", path.display()))),
        };
        write(path, text)?;
        if !args.json {
            say(&format!("history: {}", path.display()))?;
        }
    }
    if answers.iter().any(|a| a["status"] == "converged") {
        return Ok(());
    }
    Err(Failure::work(format!("no solver reached {} m/s", short(common.tolerance))))
}

/// Contacts whose answer is one of several, a few of them by name.
fn say_several(answer: &Value) -> Result<(), Failure> {
    let word = |v: &Value| v.as_str().unwrap_or_default().to_owned();
    let all = answer["several"].as_array().map_or(&[][..], |all| all);
    let solver = word(&answer["solver"]);
    for several in all.iter().take(SEVERAL) {
        let held: Vec<String> = several["answers"].as_array().into_iter().flatten().map(word).collect();
        say(&format!(
            "{solver}: constraint {} has {} answers, the others held ({}); taken: {}",
            several["constraint"],
            held.len(),
            held.join(", "),
            word(&several["taken"])
        ))?;
    }
    match all.len().saturating_sub(SEVERAL) {
        0 => Ok(()),
        more => say(&format!("{solver}: and {more} more")),
    }
}

/// The stages that the plan of a solver has tried, if it has one.
fn say_tried(answer: &Value) -> Result<(), Failure> {
    let Some(tried) = answer["tried"].as_array() else { return Ok(()) };
    let solver = answer["solver"].as_str().unwrap_or_default();
    if tried.is_empty() {
        return say(&format!("{solver}: it has no plan: its method is all it tries"));
    }
    let words = |v: &Value| {
        let all: Vec<&str> = v.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        if all.is_empty() { "always".to_owned() } else { all.join(",\n") }
    };
    let rows = tried.iter().map(|t| {
        [
            t["stage"].as_str().unwrap_or_default().to_owned(),
            words(&t["when"]),
            t["rows"].to_string(),
            t["steps"].to_string(),
            format!("{:.3}", 1e3 * t["seconds"].as_f64().unwrap_or(f64::NAN)),
            t["natural_map"].as_f64().map_or("–".to_owned(), |e| format!("{e:.1e}")),
        ]
    });
    say(&format!("{solver} tried, a stage after those that it called:\n{}", table(TRIED, rows)))
}

/// Recorded problems differ in scale by many orders: without a tolerance, a relative one.
pub(crate) fn limits(
    file: &Path,
    problem: &ConstraintProblem,
    tolerance: Option<f64>,
    max_iterations: Option<u32>,
) -> Result<Common, Failure> {
    let scale = problem.free_velocity.iter().map(|g| g * g).sum::<f64>().sqrt();
    if !scale.is_finite() {
        let what = "the velocities g are so large that their squares are no numbers, or are none themselves";
        return Err(Failure::input(format!("{}: {what}; expected finite numbers [m/s]", file.display())));
    }
    let relative = if scale > 0.0 { RELATIVE_TOLERANCE * scale } else { Common::default().tolerance };
    Ok(Common {
        tolerance: tolerance.unwrap_or(relative),
        max_iterations: max_iterations.unwrap_or(MAX_ITERATIONS),
    })
}

/// Writes a file, and the folder it is in if that is absent.
fn write(path: &Path, text: impl AsRef<[u8]>) -> Result<(), Failure> {
    stiction_store::write(path, text)
        .map_err(|e| Failure::work(format!("cannot write {}: {e}", path.display())))
}

/// Every problem of a folder under every solver.
fn profile(args: &SolveArgs, solvers: &[&str], out: &Path) -> Result<(), Failure> {
    let also = full::formats(args.pdf, args.png)?;
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
    if profile.left_out > 0 {
        complain(&format!(
            "note: {} earlier results in {} are damaged or of other problems of the same name: they are made again",
            profile.left_out,
            results.display()
        ));
    }
    profile.skipped.iter().for_each(|reason| complain(&format!("note: {reason}")));
    let read = files.len() - profile.skipped.len();
    let about = format!("{read} problems of {}; one thread, medians of repeated solves", args.file.display());
    write(&out.join("profile.html"), profile.to_html(about))?;
    for (figure, tolerance) in profile.figures().iter().zip(TOLERANCES) {
        for (name, bytes) in figure.files(&format!("profile-{tolerance:.0e}"), also) {
            write(&out.join(name), &bytes)?;
        }
    }
    let (heads, rows) = profile.table();
    let csv: String = std::iter::once(&heads).chain(&rows).map(|cells| cells.join(",") + "\n").collect();
    write(&out.join("profile.csv"), &csv)?;
    if args.json {
        say_json(&profile.lines)?;
    } else {
        let table = table(short_heads(&heads), rows);
        say(&format!(
            "{read} problems; share solved by the exact law to three tolerances (over max(‖g‖, ‖c‖)), within so many times \
             the fastest solver's time, and at all\n{table}\nprofile: {}",
            out.display()
        ))?;
    }
    if profile.interrupted { Err(Failure::Interrupted) } else { Ok(()) }
}

/// `1e-4: τ ≤ 2` in two lines, the tolerance where it is new: the table fits 80 columns.
fn short_heads(heads: &[String]) -> Vec<String> {
    let parts: Vec<Option<(&str, &str)>> = heads.iter().map(|h| h.split_once(": ")).collect();
    let new =
        |i: usize, tolerance: &str| i == 0 || parts[i - 1].is_none_or(|(before, _)| before != tolerance);
    let two_lines = |(i, head): (usize, &String)| match parts[i] {
        None => head.clone(),
        Some((tolerance, within)) => {
            let within = within.replace("τ ≤ ", "≤ ").replace("solved", "all");
            format!("{}\n{within}", if new(i, tolerance) { tolerance } else { "" })
        }
    };
    heads.iter().enumerate().map(two_lines).collect()
}

/// An answer in the columns of [`COLUMNS`].
fn row(a: &Value) -> [String; 7] {
    let (solver, law) = (a["solver"].as_str().unwrap_or_default(), a["law"].as_str().unwrap_or_default());
    let status = match a["status"].as_str().unwrap_or_default() {
        "iteration-limit" => "iter. limit",
        "numerical-failure" => "not finite",
        "time-limit" => "time limit",
        other => other,
    };
    // JSON has no NaN: what was solved and is not a number stands there as null.
    let solved = a["iterations"].is_number();
    let number = |v: &Value, text: fn(f64) -> String| match v.as_f64() {
        Some(x) => text(x),
        None if solved => "NaN".to_owned(),
        None => "-".to_owned(),
    };
    [
        solver.to_owned(),
        // Compliant laws have the name of their solver.
        if law == solver { "its own" } else { law }.to_owned(),
        status.to_owned(),
        number(&a["iterations"], |n| format!("{n:.0}")),
        number(&a["time_s"], |t| format!("{:.3}", 1e3 * t)),
        number(&a["residual"]["natural_map"], |x| format!("{x:.1e}")),
        number(&a["own_natural_map"], |x| format!("{x:.1e}")),
    ]
}
