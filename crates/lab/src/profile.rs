//! Performance profiles [Dolan2002]: every solver on every problem of a folder, at several tolerances.
//!
//! ```text
//!     ρ_s(τ) = share of the problems that s solves within τ times the best solver's time
//! ```
//!
//! A problem counts as solved when the judge's natural map by the exact law is at most the tolerance times
//! max(‖g‖, ‖c‖), whatever the solver says; solvers of other laws solve what those laws answer alike.
//! Results are kept line by line in `results.jsonl`, and a run that was stopped goes on from there.

use crate::laws::by_law;
use crate::plot::{Figure, Series};
use crate::solve::{SolveError, SolveOptions, load_problem, solve};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use stiction::solvers::registry::Common;
use stiction_problem_files::{Format, ProblemFileError};
use stiction_store::digest;

/// Shares of max(‖g‖, ‖c‖) [–].
pub const TOLERANCES: [f64; 3] = [1e-4, 1e-6, 1e-8];
/// A solve is repeated until this much time is spent [s], at most [`REPEATS`] times; the median counts.
const ENOUGH: f64 = 2e-3;
const REPEATS: usize = 15;
/// Right edge of a figure over the largest ratio in it [–].
const EDGE: f64 = 1.2;
/// τ at which the table gives shares.
const COLUMNS: [f64; 3] = [1.0, 10.0, f64::INFINITY];

/// One solver on one problem at one tolerance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    pub problem: String,
    /// SHA-256 of the problem's file.
    #[serde(default)]
    pub contents: String,
    pub solver: String,
    pub tolerance: f64,
    /// Iterations that were allowed.
    pub max_iterations: u32,
    pub iterations: u32,
    pub time_s: f64,
    /// By the exact law over max(‖g‖, ‖c‖) [–]; null where it is not a number.
    pub residual: Option<f64>,
    pub converged: bool,
}

impl Line {
    fn solved(&self) -> bool {
        self.residual.is_some_and(|r| r <= self.tolerance)
    }
}

/// All results so far.
#[derive(Clone, Debug, Default)]
pub struct Profile {
    pub lines: Vec<Line>,
    /// Files that hold no problem we read, and why.
    pub skipped: Vec<String>,
    /// Earlier results that were left out: of problems that are others now, or damaged.
    pub left_out: usize,
    pub interrupted: bool,
}

/// Problem files (of any [`Format`]) of a folder and those below it, in order.
pub fn problems(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut out = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            out.extend(problems(&path)?);
        } else if Format::of_name(&path).is_some() {
            out.push(path);
        }
    }
    out.sort();
    Ok(out)
}

impl Profile {
    /// Solves the problems of `folder` that are not in `results` yet, under as many iterations, and appends
    /// to it; older results under another number, and of files whose contents are others now, are left out. `on_problem` is
    /// told (done, all, name).
    pub fn run(
        folder: &Path,
        files: &[PathBuf],
        solvers: &[&str],
        max_iterations: u32,
        results: &Path,
        mut on_problem: impl FnMut(usize, usize, &str) -> ControlFlow<()>,
    ) -> Result<Self, SolveError> {
        let io = |source| ProblemFileError::Io { file: results.display().to_string(), source };
        let mut contents = BTreeMap::new();
        for path in files {
            let bytes = std::fs::read(path).map_err(|source| {
                let file = path.display().to_string();
                ProblemFileError::Io { file, source }
            })?;
            contents.insert(name_within(folder, path), digest(&bytes));
        }
        let (mut lines, damaged) = earlier(results);
        lines.retain(|l| l.max_iterations == max_iterations);
        let all = lines.len();
        lines.retain(|l| contents.get(&l.problem).is_none_or(|c| *c == l.contents));
        let mut out = Self { left_out: damaged + all - lines.len(), lines, ..Self::default() };
        let key = |l: &Line| (l.problem.clone(), l.solver.clone(), l.tolerance.to_bits());
        let known: BTreeSet<_> = out.lines.iter().map(key).collect();
        let mut log = std::fs::OpenOptions::new().create(true).append(true).open(results).map_err(io)?;
        if std::fs::read(results).map_err(io)?.last().is_some_and(|b| *b != b'\n') {
            writeln!(log).map_err(io)?; // the line that was cut short ends here
        }
        for (done, path) in files.iter().enumerate() {
            let name = name_within(folder, path);
            let file = match load_problem(path) {
                Ok(file) => file,
                Err(error) => {
                    out.skipped.push(error.to_string());
                    continue;
                }
            };
            let scale = file.problem.free_velocity.iter().map(|g| g * g).sum::<f64>().sqrt();
            for (&solver, tolerance) in solvers.iter().flat_map(|s| TOLERANCES.map(|t| (s, t))) {
                if known.contains(&(name.clone(), solver.to_owned(), tolerance.to_bits())) {
                    continue;
                }
                if on_problem(done, files.len(), &format!("{name}, {solver}")).is_break() {
                    out.interrupted = true;
                    return Ok(out);
                }
                let common = Common { tolerance: tolerance * scale.max(f64::MIN_POSITIVE), max_iterations };
                let options = SolveOptions { common, ..SolveOptions::default() };
                let (mut times, mut answer) = (Vec::new(), None);
                while times.len() < REPEATS && times.iter().sum::<f64>() < ENOUGH {
                    let one = solve(&file, &[solver], &options)?.swap_remove(0);
                    times.push(one.time_s);
                    answer = Some(one);
                }
                let Some(answer) = answer else { continue };
                times.sort_by(f64::total_cmp);
                let residual = answer.residual.natural_map_relative;
                let line = Line {
                    problem: name.clone(),
                    contents: contents.get(&name).cloned().unwrap_or_default(),
                    solver: solver.to_owned(),
                    tolerance,
                    max_iterations,
                    iterations: answer.iterations,
                    time_s: times[times.len() / 2],
                    residual: residual.is_finite().then_some(residual),
                    converged: answer.status == stiction::contact::SolveStatus::Converged,
                };
                let text = serde_json::to_string(&line).unwrap_or_default();
                writeln!(log, "{text}").map_err(io)?;
                out.lines.push(line);
            }
        }
        Ok(out)
    }

    /// Solvers in the order they came.
    pub fn solvers(&self) -> Vec<&str> {
        let mut out: Vec<&str> = Vec::new();
        for line in &self.lines {
            if !out.contains(&line.solver.as_str()) {
                out.push(&line.solver);
            }
        }
        out
    }

    /// Time over the best time for every problem, infinite where it was not solved, ascending.
    pub fn ratios(&self, solver: &str, tolerance: f64) -> Vec<f64> {
        let at = |l: &&Line| l.tolerance == tolerance;
        let best = |problem: &str| {
            let solved = self.lines.iter().filter(at).filter(|l| l.problem == problem && l.solved());
            solved.map(|l| l.time_s).fold(f64::INFINITY, f64::min)
        };
        let mine = self.lines.iter().filter(at).filter(|l| l.solver == solver);
        let mut out: Vec<f64> =
            mine.map(|l| if l.solved() { l.time_s / best(&l.problem) } else { f64::INFINITY }).collect();
        out.sort_by(f64::total_cmp);
        out
    }

    /// One figure per tolerance.
    pub fn figures(&self) -> Vec<Figure> {
        let figure = |tolerance: f64| {
            let ratios: Vec<(&str, Vec<f64>)> =
                self.solvers().into_iter().map(|s| (s, self.ratios(s, tolerance))).collect();
            let finite = ratios.iter().flat_map(|(_, r)| r).copied().filter(|r| r.is_finite());
            let right = EDGE * finite.fold(1.0, f64::max);
            let curve = |(solver, r): &(&str, Vec<f64>)| {
                let none = if r.iter().any(|r| r.is_finite()) { "" } else { ": none" };
                Series { label: format!("{solver}{none}"), points: steps(r, right) }
            };
            let series: Vec<Series> = ratios.iter().map(curve).collect();
            let title = format!("Share of problems solved to {tolerance:.0e}");
            let axes = ["time over the best solver's time τ [-]", "share ρ(τ) [-]"];
            by_law(Figure::of_series(&title, axes[0], axes[1], &series)).log_x()
        };
        TOLERANCES.map(figure).into()
    }

    /// Heads and rows: solver, then shares within each τ for each tolerance.
    pub fn table(&self) -> (Vec<String>, Vec<Vec<String>>) {
        let pairs = || TOLERANCES.into_iter().flat_map(|t| COLUMNS.map(|c| (t, c)));
        let head = |(t, c): (f64, f64)| match c {
            f64::INFINITY => format!("{t:.0e}: solved"),
            _ => format!("{t:.0e}: τ ≤ {c}"),
        };
        let heads = std::iter::once("solver".to_owned()).chain(pairs().map(head)).collect();
        let row = |s: &str| {
            let share = |(t, c): (f64, f64)| {
                let ratios = self.ratios(s, t);
                let within = ratios.iter().filter(|r| r.is_finite() && **r <= c).count();
                format!("{:.2}", within as f64 / ratios.len().max(1) as f64)
            };
            std::iter::once(s.to_owned()).chain(pairs().map(share)).collect()
        };
        (heads, self.solvers().into_iter().map(row).collect())
    }
}

/// Lines that an earlier run, which was stopped, has left; a last line cut short is dropped.
/// The results of before, and how many lines are none.
fn earlier(results: &Path) -> (Vec<Line>, usize) {
    let text = std::fs::read_to_string(results).unwrap_or_default();
    let all: Vec<Line> = text.lines().filter_map(|l| serde_json::from_str(l).ok()).collect();
    let damaged = text.lines().filter(|l| !l.is_empty()).count() - all.len();
    (all, damaged)
}

/// The name of a problem within its folder.
fn name_within(folder: &Path, path: &Path) -> String {
    let within = path.strip_prefix(folder).unwrap_or(path).to_string_lossy();
    // Our format goes without saying; the same problem in another is another file.
    within.strip_suffix(".json").unwrap_or(&within).to_owned()
}

/// A staircase through (τ, share) from τ = 1 to the right edge.
fn steps(ratios: &[f64], right: f64) -> Vec<[f64; 2]> {
    let n = ratios.len().max(1) as f64;
    let mut out = vec![[1.0, 0.0]];
    for (k, &ratio) in ratios.iter().enumerate().take_while(|(_, r)| r.is_finite()) {
        out.push([ratio, k as f64 / n]);
        out.push([ratio, (k + 1) as f64 / n]);
    }
    let share = out.last().map_or(0.0, |p| p[1]);
    out.push([right, share]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(problem: &str, solver: &str, time_s: f64, residual: f64) -> Line {
        let (problem, solver) = (problem.to_owned(), solver.to_owned());
        Line {
            problem,
            contents: String::new(),
            solver,
            tolerance: 1e-8,
            max_iterations: 9,
            iterations: 1,
            time_s,
            residual: Some(residual),
            converged: true,
        }
    }

    /// Two problems: `a` is best on the first, alone on the second.
    #[test]
    fn shares_are_those_of_the_definition() {
        let lines = vec![
            line("p", "a", 1.0, 1e-9),
            line("p", "b", 3.0, 1e-9),
            line("q", "a", 2.0, 1e-9),
            line("q", "b", 1.0, 1e-3),
        ];
        let profile = Profile { lines, ..Profile::default() };
        assert_eq!(profile.ratios("a", 1e-8), [1.0, 1.0]);
        assert_eq!(profile.ratios("b", 1e-8), [3.0, f64::INFINITY]);
        let (heads, rows) = profile.table();
        let at = heads.iter().position(|h| h == "1e-8: τ ≤ 10").unwrap();
        assert_eq!((rows[0][at].as_str(), rows[1][at].as_str()), ("1.00", "0.50"));
    }

    /// Every curve runs from τ = 1 to the same right edge, that of a solver that solves nothing too, whose name says so.
    #[test]
    fn curves_run_to_the_right_edge() {
        let lines = vec![
            line("p", "a", 1.0, 1e-9),
            line("p", "b", 3.0, 1e-9),
            line("p", "c", 3.0, 1e-3),
            line("q", "a", 2.0, 1e-9),
            line("q", "b", 1.0, 1e-3),
            line("q", "c", 1.0, 1e-3),
        ];
        let profile = Profile { lines, ..Profile::default() };
        let right = EDGE * 3.0;
        assert_eq!(steps(&profile.ratios("a", 1e-8), right).last(), Some(&[right, 1.0]));
        assert_eq!(steps(&profile.ratios("b", 1e-8), right).last(), Some(&[right, 0.5]));
        assert_eq!(steps(&profile.ratios("c", 1e-8), right), [[1.0, 0.0], [right, 0.0]]);
        let svg = profile.figures()[2].to_svg(crate::plot::Theme::Light);
        assert!(svg.contains(">c: none<") && svg.contains(">b<"), "{svg}");
    }
}
