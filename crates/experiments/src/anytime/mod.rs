//! What a bound on the time of a step buys in crowds: natural map of the exact law over processor time.
//!
//! Each crowd runs one second under every setting; that is the table of steps. Contact problems of the run by
//! `auto`, and the impulses that its solve began with, are solved again by each setting within limits that grow:
//!
//! ```text
//!     auto, by effort       1, 2, 4, … factorisations of each island, and the effort's own table last
//!     nsgs                  1, 3, 10, … sweeps
//!     mujoco, newton, pgs   1, 2, 4, … iterations of MuJoCo's law
//! ```
//!
//! Every answer is judged by the exact law, those of MuJoCo's law too: how far they stay from it is what the
//! regularisation costs, here with the softness that contacts have by default. Solvers begin without memory. Times depend on the machine; what is claimed does not.

mod crowds;

use self::crowds::{CROWDS, Crowd, SMALL};
use super::multibody::{robot, step};
use super::{Claim, Conduct, Contacts, Experiment, ExperimentError, Findings, Size, Table, capitalised};
use cpu_time::ProcessTime;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};
use stiction::contact::{ConstraintProblem, ContactSolver, Judge, Law, Needs, SolveReport, Watch};
use stiction::solvers::Params;
use stiction::solvers::registry::{self, Common};
use stiction::{Settings, Simulation, Sleep};
use stiction_plot::{Figure, Series};

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "anytime",
    title: "What a bound on the time of a step buys in crowds of bodies",
    source: "Ours; anytime solvers: Carpentier, Le Lidec and Montaut [Carpentier2024]",
    measure,
};

/// Length of a step [s].
const H: f64 = 2e-3;
/// Tolerance of every solver [m/s].
const TOLERANCE: f64 = 1e-8;
/// Iterations of solvers that are not limited by this experiment.
const MAX_ITERATIONS: u32 = 10_000;
/// Natural maps of which the table of steps counts the share [m/s].
const NEAR: [f64; 2] = [1e-2, 1e-4];

/// A contact solver with its parameters, and how its work is limited.
struct Setting {
    label: &'static str,
    contact: &'static str,
    /// Parameter and word.
    with: Option<(&'static str, &'static str)>,
    /// Name of the parameter that bounds the work; without: the iterations.
    bound: Option<&'static str>,
    limits: &'static [u32],
}

const FACTORISATIONS: &[u32] = &[1, 2, 4, 8, 16, 32, 64, 128, 256];
const SWEEPS: &[u32] = &[1, 3, 10, 30, 100, 300, 1000];
const ITERATIONS: &[u32] = &[1, 2, 4, 8, 16, 32, 64];

/// `auto` with an effort.
const fn auto(label: &'static str, effort: &'static str) -> Setting {
    let with = Some(("effort", effort));
    Setting { label, contact: "auto", with, bound: Some("budget"), limits: FACTORISATIONS }
}

/// MuJoCo's law by one of its algorithms.
const fn mujoco(label: &'static str, algorithm: &'static str, limits: &'static [u32]) -> Setting {
    Setting { label, contact: "mujoco", with: Some(("algorithm", algorithm)), bound: None, limits }
}

const SETTINGS: [Setting; 6] = [
    auto("auto, fast", "fast"),
    auto("auto, balanced", "balanced"),
    auto("auto, exact", "exact"),
    Setting { label: "nsgs", contact: "nsgs", with: None, bound: None, limits: SWEEPS },
    mujoco("mujoco, newton", "newton", ITERATIONS),
    mujoco("mujoco, pgs", "pgs", SWEEPS),
];
/// The setting of the run that gives the problems. That run is not timed: a recorder asks for more of a problem.
const RECORDED: usize = 1;

impl Setting {
    fn params(&self) -> Params {
        self.with.iter().fold(Params::default(), |params, (name, word)| params.with(name, *word))
    }

    /// With its work limited to `limit`; none: as it is.
    fn solver(&self, limit: Option<u32>) -> Result<Box<dyn ContactSolver>, ExperimentError> {
        let params = match (self.bound, limit) {
            (Some(name), Some(limit)) => self.params().with(name, limit),
            _ => self.params(),
        };
        let max_iterations = limit.filter(|_| self.bound.is_none()).unwrap_or(MAX_ITERATIONS);
        Ok(registry::make_from(self.contact, &Common { tolerance: TOLERANCE, max_iterations }, &params)?)
    }
}

/// A contact problem and the impulses with which its solve begins.
struct Start {
    problem: ConstraintProblem,
    impulses: Vec<f64>,
}

/// Keeps every `every`-th problem that passes.
struct Recorder {
    solver: Box<dyn ContactSolver>,
    every: usize,
    solves: usize,
    kept: Arc<Mutex<Vec<Start>>>,
}

impl ContactSolver for Recorder {
    fn name(&self) -> &'static str {
        self.solver.name()
    }

    fn law(&self) -> Law {
        self.solver.law()
    }

    fn needs(&self) -> Needs {
        // No softness: steps of laws that have it are other steps.
        Needs { primal: true, ..self.solver.needs() }
    }

    fn takes_patches(&self) -> bool {
        self.solver.takes_patches()
    }

    fn solve_watched(
        &mut self,
        problem: &ConstraintProblem,
        impulses: &mut [f64],
        watch: &mut Watch<'_>,
    ) -> SolveReport {
        self.solves += 1;
        if self.solves.is_multiple_of(self.every) && !problem.is_empty() {
            let start = Start { problem: problem.clone(), impulses: impulses.to_vec() };
            self.kept.lock().unwrap_or_else(PoisonError::into_inner).push(start);
        }
        self.solver.solve_watched(problem, impulses, watch)
    }

    fn forget(&mut self) {
        self.solver.forget();
    }
}

/// How much is measured.
struct Extent {
    crowds: &'static [Crowd],
    /// Length of a run [s], and problems that are kept of it.
    length: f64,
    problems: usize,
    /// Every how many of the limits.
    stride: usize,
}

fn measure(size: Size) -> Result<Findings, ExperimentError> {
    let tell = |_: usize, _: usize, _: &str| ControlFlow::Continue(());
    measure_staged(&Conduct { size, contacts: Contacts::Published, kept: None, tell: &tell })
}

/// Crowd by crowd, saying how far it is.
pub(super) fn measure_staged(conduct: &Conduct<'_>) -> Result<Findings, ExperimentError> {
    if conduct.contacts != Contacts::Published {
        return Err(ExperimentError::NoContacts { name: EXPERIMENT.name });
    }
    let extent = match conduct.size {
        Size::Small => Extent { crowds: &[SMALL], length: 0.3, problems: 3, stride: 4 },
        Size::Full => Extent { crowds: &CROWDS, length: 1.0, problems: 10, stride: 1 },
    };
    let all = extent.crowds.len() * (SETTINGS.len() + 1);
    let (mut findings, mut done) = (Findings::default(), 0);
    let (mut steps, mut ends) = (Vec::new(), Vec::new());
    for crowd in extent.crowds {
        let mut go_on = |what: &str| {
            let told = (conduct.tell)(done, all, &format!("{}, {what}", crowd.name));
            done += 1;
            if told.is_break() { Err(ExperimentError::Interrupted) } else { Ok(()) }
        };
        for setting in &SETTINGS {
            go_on(setting.label)?;
            steps.push(run(crowd, setting, &extent, None)?.row(crowd.name, setting.label));
        }
        go_on("problems")?;
        let mut starts = Vec::new();
        run(crowd, &SETTINGS[RECORDED], &extent, Some(&mut starts))?;
        let curves: Vec<_> =
            SETTINGS.iter().map(|s| curve(s, &starts, extent.stride)).collect::<Result<_, _>>()?;
        claim(&mut findings, crowd, &curves, &starts);
        for (setting, curve) in SETTINGS.iter().zip(&curves) {
            ends.extend(curve.iter().map(|p| p.row(crowd.name, setting.label)));
        }
        let series = SETTINGS.iter().zip(&curves).map(|(setting, curve)| Series {
            label: setting.label.to_owned(),
            points: curve.iter().map(|p| [1e3 * p.time, p.median]).collect(),
        });
        let title = format!("{}: what a bound on the time of a solve buys", capitalised(crowd.name));
        let axes = ["processor time of a solve [ms]", "natural map of the exact law [m/s]"];
        findings
            .keep_over(crowd.name, &title, axes, series.collect(), |f: Figure| f.marked().log_x().log_y());
    }
    tables(&mut findings, steps, ends);
    Ok(findings)
}

fn tables(findings: &mut Findings, steps: Vec<Vec<String>>, ends: Vec<Vec<String>>) {
    let heads = |heads: &[&str]| heads.iter().map(|h| (*h).to_owned()).collect();
    findings.tables.push(Table {
        stem: "steps",
        title: "Crowds under every setting".to_owned(),
        about: "Processor time of a step, and natural map of the exact law in the run's steps.".to_owned(),
        heads: heads(&[
            "crowd",
            "setting",
            "ms a step",
            "flagged [%]",
            "median [m/s]",
            "99 % [m/s]",
            "≤ 1e-2 [%]",
            "≤ 1e-4 [%]",
        ]),
        rows: steps,
    });
    findings.tables.push(Table {
        stem: "solves",
        title: "Problems of crowds within a limit of work".to_owned(),
        about: "The same problems from the same impulses; `own` is the setting's own limit.".to_owned(),
        heads: heads(&["crowd", "setting", "limit", "ms a solve", "median [m/s]", "worst [m/s]"]),
        rows: ends,
    });
}

/// A run of one crowd.
struct Run {
    /// Processor time of a step [s].
    time: f64,
    flagged: usize,
    /// Natural map of every step, ascending [m/s].
    maps: Vec<f64>,
}

impl Run {
    fn row(&self, crowd: &str, setting: &str) -> Vec<String> {
        let share = |n: usize| format!("{:.1}", 100.0 * n as f64 / self.maps.len() as f64);
        let within = NEAR.map(|near| share(self.maps.partition_point(|m| *m <= near)));
        let [most, more] = within;
        vec![
            crowd.to_owned(),
            setting.to_owned(),
            format!("{:.2}", 1e3 * self.time),
            share(self.flagged),
            format!("{:.1e}", quantile(&self.maps, 0.5)),
            format!("{:.1e}", quantile(&self.maps, 0.99)),
            most,
            more,
        ]
    }
}

/// The value below which the share `p` of ascending `values` lies.
fn quantile(values: &[f64], p: f64) -> f64 {
    let last = values.len().saturating_sub(1);
    values.get(((p * values.len() as f64) as usize).min(last)).copied().unwrap_or(f64::NAN)
}

/// Runs a crowd, and keeps problems of its steps, spread over the run.
fn run(
    crowd: &Crowd,
    setting: &Setting,
    extent: &Extent,
    keep: Option<&mut Vec<Start>>,
) -> Result<Run, ExperimentError> {
    let mut settings = Settings { tolerance: TOLERANCE, ..Settings::default() };
    settings.set_contact(setting.contact);
    settings.contact_params = setting.params();
    settings.stepper.dt = H;
    settings.stepper.sleep = Sleep::Off;
    let (world, state) = robot(&(crowd.text)(crowd.bodies))?;
    let mut sim = Simulation::new(world, state, settings)?;
    let steps = (extent.length / H).round() as usize;
    let kept = Arc::new(Mutex::new(Vec::new()));
    if keep.is_some() {
        let every = (steps / extent.problems).max(1);
        let solver = setting.solver(None)?;
        sim.use_solver(Box::new(Recorder { solver, every, solves: 0, kept: kept.clone() }))?;
    }
    let (mut time, mut flagged, mut maps) = (0.0, 0, Vec::new());
    for _ in 0..steps {
        let clock = ProcessTime::now();
        let report = step(&mut sim)?;
        time += clock.elapsed().as_secs_f64();
        flagged += usize::from(report.flagged());
        maps.push(sim.certificate().natural_map);
    }
    if let Some(keep) = keep {
        keep.append(&mut kept.lock().unwrap_or_else(PoisonError::into_inner));
    }
    maps.sort_by(f64::total_cmp);
    Ok(Run { time: time / steps as f64, flagged, maps })
}

/// All problems within one limit.
struct Point {
    limit: Option<u32>,
    /// Median of the processor times of a solve [s].
    time: f64,
    /// Natural map of the exact law: median and largest over the problems [m/s].
    median: f64,
    worst: f64,
    /// Answers that are called converged and miss the tolerance by the exact law.
    dishonest: usize,
}

impl Point {
    fn row(&self, crowd: &str, setting: &str) -> Vec<String> {
        let limit = self.limit.map_or("own".to_owned(), |n| n.to_string());
        let number = |x: f64| format!("{x:.1e}");
        let time = format!("{:.3}", 1e3 * self.time);
        vec![crowd.to_owned(), setting.to_owned(), limit, time, number(self.median), number(self.worst)]
    }
}

fn curve(setting: &Setting, starts: &[Start], stride: usize) -> Result<Vec<Point>, ExperimentError> {
    let limits = setting.limits.iter().step_by(stride).map(|limit| Some(*limit));
    let own = setting.bound.map(|_| None);
    limits.chain(own).map(|limit| point(setting, limit, starts)).collect()
}

fn point(setting: &Setting, limit: Option<u32>, starts: &[Start]) -> Result<Point, ExperimentError> {
    let (mut judge, mut times, mut maps, mut dishonest) = (Judge::default(), Vec::new(), Vec::new(), 0);
    for start in starts {
        let mut solver = setting.solver(limit)?;
        let mut impulses = start.impulses.clone();
        let clock = ProcessTime::now();
        let report = solver.solve(&start.problem, &mut impulses);
        times.push(clock.elapsed().as_secs_f64());
        let map = judge.certify(&start.problem, &impulses).natural_map;
        dishonest +=
            usize::from(solver.law() == Law::Ncp && report.converged() && map > TOLERANCE * (1.0 + 1e-6));
        maps.push(map);
    }
    times.sort_by(f64::total_cmp);
    maps.sort_by(f64::total_cmp);
    let worst = maps.last().copied().unwrap_or(f64::NAN);
    Ok(Point { limit, time: quantile(&times, 0.5), median: quantile(&maps, 0.5), worst, dishonest })
}

/// Adds the claims about one crowd, which hold on every machine.
fn claim(findings: &mut Findings, crowd: &Crowd, curves: &[Vec<Point>], starts: &[Start]) {
    let mut claim = |what: &str, measured: String, holds: bool, sample: usize| {
        let claim = format!("{}: {what}", crowd.name);
        findings.claims.push(Claim { claim, measured, holds, sample });
    };
    let points = curves.iter().map(Vec::len).sum::<usize>();
    let dishonest: usize = curves.iter().flatten().map(|p| p.dishonest).sum();
    claim("answers that are called converged and are not", dishonest.to_string(), dishonest == 0, points);
    let of = |contact: &'static str| {
        let mine = SETTINGS.iter().zip(curves).filter(move |(s, _)| s.contact == contact);
        mine.map(|(s, curve)| (s.label, &curve[..]))
    };
    let end = |curve: &[Point]| curve.last().map_or(f64::NAN, |p| p.median);
    let ends = |contact| of(contact).map(|(_, curve)| end(curve)).fold(f64::NAN, f64::min);
    let (ours, theirs) = (ends("auto"), ends("mujoco"));
    claim(
        "MuJoCo's law stays farther from the exact law than auto ends, by 100 times",
        format!("median natural map {theirs:.1e} m/s and {ours:.1e} m/s"),
        theirs > 100.0 * ours,
        starts.len(),
    );
    let mut judge = Judge::default();
    let mut begun: Vec<_> =
        starts.iter().map(|s| judge.certify(&s.problem, &s.impulses).natural_map).collect();
    begun.sort_by(f64::total_cmp);
    let begun = quantile(&begun, 0.5);
    for (label, curve) in of("auto") {
        let (first, last) = (curve.first().map_or(f64::NAN, |p| p.median), end(curve));
        claim(
            &format!("{label}: its own limit leads nearer than one factorisation, and that than the start"),
            format!("median natural map {last:.1e}, {first:.1e} and {begun:.1e} m/s"),
            last <= first && first <= begun,
            starts.len(),
        );
    }
    let medians: Vec<_> = of("auto").map(|(_, curve)| end(curve).max(TOLERANCE)).collect();
    claim(
        "more effort ends nearer: fast, balanced, exact",
        medians.iter().map(|m| format!("{m:.1e} m/s")).collect::<Vec<_>>().join(", "),
        medians.is_sorted_by(|a, b| a >= b),
        starts.len(),
    );
}
