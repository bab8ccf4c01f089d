//! What every contact model gives up, decided by measurement [LeLidec2023, Table I].
//!
//! Each solver meets the same problems ([`stiction::contact::corpus`]), cold, and the judge decides:
//!
//! ```text
//!     Signorini           worst |min(c_N, A_NN λ_N)| where it met its own law            ≤ 1e-6 m/s      (1)
//!     Coulomb             of a point pushed at 16 angles, worst |‖λ_T‖/(μ λ_N) − 1|      ≤ 1e-6          (2)
//!     max. dissipation    worst angle between −λ_T and slip where it met its own law     ≤ 1e-3 rad      (3)
//!     no shift            at rest, worst ‖c‖ where it met its own law: no creep, no sinking ≤ 1e-6 m/s   (4)
//!     no internal forces  at rest upright, largest share of λ that moves nothing, likewise  ≤ 1e-4       (5)
//!     robust              at mass ratios of 10⁴ to 10⁶, own law met                      ≤ 1e-6 m/s      (6)
//!     convergence         share of all problems with the own law met to 1e-8 m/s         = 1             (7)
//! ```
//!
//! (1) to (5) are of the model and are judged where the solver met its own law; (6) and (7) are of the algorithm. Where a solver met its
//! own law on none of the problems of a column there is no tick. Beside (7), which is measured, stands what is *proven* of the
//! algorithm ([`proven`]).

mod proven;

use super::{Claim, Experiment, ExperimentError, Findings, Size, Table};
use stiction::contact::certificate::{Certificate, internal_forces};
use stiction::contact::{ConstraintProblem, Judge, corpus};
use stiction::solvers::registry::{self, Common, Entry};

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "contact-models-table",
    title: "What every contact model and algorithm gives up, each tick measured",
    source: "After Le Lidec et al., Contact Models in Robotics: a Comparative Analysis, Table I [LeLidec2023]",
    measure,
};

const COLUMNS: [&str; 7] =
    ["Signorini", "Coulomb", "max. dissipation", "no shift", "no internal forces", "robust", "convergence"];
/// Limits that the columns must not exceed; convergence is counted as the share that is missing.
const LIMITS: [f64; 7] = [1e-6, 1e-6, 1e-3, 1e-6, 1e-4, 1e-6, 0.0];
const UNITS: [&str; 7] = ["m/s", "", "rad", "m/s", "", "m/s", ""];
/// Natural map up to which the own law counts as met where (1) and (3) ask for it [m/s].
const MET: f64 = 1e-6;
const LIMIT: Common = Common { tolerance: 1e-9, max_iterations: 1000 };

/// One solver on one problem.
struct Answer {
    name: &'static str,
    own: f64,
    certificate: Certificate,
    /// Largest constraint velocity [m/s].
    speed: f64,
    internal: f64,
}

fn answer(
    entry: &Entry,
    judge: &mut Judge,
    name: &'static str,
    problem: &ConstraintProblem,
) -> Result<Answer, ExperimentError> {
    let mut solver = registry::make(entry.name, &LIMIT)?;
    let mut impulses = vec![0.0; problem.rows()];
    solver.solve(problem, &mut impulses);
    let own = judge.natural_map_of(problem, &impulses, solver.law());
    let certificate = judge.certify(problem, &impulses);
    let speed = judge.velocities().iter().fold(0.0, |m: f64, c| m.max(c.abs()));
    let internal = internal_forces(problem, &impulses).relative;
    Ok(Answer { name, own, certificate, speed, internal })
}

/// (2): a point on a plane, pushed past the limit at sixteen angles.
fn anisotropy(entry: &Entry) -> Result<f64, ExperimentError> {
    let (mu, mut worst) = (0.5, 0.0_f64);
    for k in 0..16 {
        let (s, c) = (f64::from(k) * std::f64::consts::TAU / 16.0).sin_cos();
        let problem = corpus::point(2.0, mu, [c, s, -0.1]);
        let mut solver = registry::make(entry.name, &LIMIT)?;
        let mut impulses = vec![0.0; 3];
        solver.solve(&problem, &mut impulses);
        let share = impulses[0].hypot(impulses[1]) / (mu * impulses[2]);
        worst = worst.max((share - 1.0).abs());
        if share.is_nan() {
            worst = f64::INFINITY;
        }
    }
    Ok(worst)
}

/// The seven numbers of a row.
fn row(entry: &Entry) -> Result<[f64; 7], ExperimentError> {
    let mut judge = Judge::default();
    let mut answers = Vec::new();
    for (name, problem) in corpus::named() {
        answers.push(answer(entry, &mut judge, name, &problem)?);
    }
    let worst = |chosen: &dyn Fn(&Answer) -> bool, value: &dyn Fn(&Answer) -> f64| {
        let values: Vec<f64> = answers.iter().filter(|a| chosen(a)).map(value).collect();
        let largest = values.iter().fold(0.0, |m: f64, v| if v.is_nan() { f64::INFINITY } else { m.max(*v) });
        if values.is_empty() { f64::INFINITY } else { largest }
    };
    let one_of = |names: &'static [&str]| move |a: &Answer| names.contains(&a.name);
    let met = |a: &Answer| a.own <= MET;
    let resting = one_of(&["cube rests", "slope sticks", "dragged, sticks", "grasp holds", "stack of 5"]);
    let upright = one_of(&["cube rests", "stack of 5", "stack of 5, 1 to 1e2"]);
    let graded = |a: &Answer| a.name.contains("1e4") || a.name.contains("1e6") || a.name.contains("1e3");
    let unsolved = answers.iter().filter(|a| !(a.own <= 1e-8)).count();
    Ok([
        worst(&met, &|a| a.certificate.signorini),
        anisotropy(entry)?,
        worst(&met, &|a| a.certificate.mdp_angle_max),
        worst(&|a| resting(a) && met(a), &|a| a.speed),
        worst(&|a| upright(a) && met(a), &|a| a.internal),
        worst(&graded, &|a| a.own),
        unsolved as f64 / answers.len() as f64,
    ])
}

fn measure(_: Size) -> Result<Findings, ExperimentError> {
    let mut findings = Findings::default();
    let mut rows = Vec::new();
    for entry in registry::all() {
        rows.push((entry, row(entry)?));
    }
    let ticks = |values: &[f64; 7]| std::array::from_fn::<bool, 7, _>(|k| values[k] <= LIMITS[k]);
    let of = |name: &str| rows.iter().find(|(e, _)| e.name == name).map(|(_, v)| (ticks(v), *v));
    let mut claim = |claim: &str, name: &str, expected: &dyn Fn(&[bool; 7]) -> bool, column: usize| {
        let (measured, holds) = match of(name) {
            Some((ticked, v)) => (format!("{:.1e} {}", v[column], UNITS[column]), expected(&ticked)),
            None => ("no such solver".to_owned(), false),
        };
        let sample = usize::from(of(name).is_some());
        findings.claims.push(Claim { claim: format!("{name}: {claim}"), measured, holds, sample });
    };
    claim("keeps Signorini's law", "nsgs", &|t| t[0], 0);
    claim("keeps Coulomb's law", "nsgs", &|t| t[1], 1);
    claim("dissipates most", "nsgs", &|t| t[2], 2);
    for accelerated in ["nsgs-accelerated", "ncp-pgs-accelerated"] {
        claim("neither creeps nor sinks", accelerated, &|t| t[3], 3);
        claim("survives mass ratios of 10⁶", accelerated, &|t| t[5], 5);
    }
    for entry in registry::all().iter().filter(|e| e.sweeps_alone()) {
        claim("does not survive mass ratios of 10⁶", entry.name, &|t| !t[5], 5);
    }
    claim("leaves no internal forces", "auto", &|t| t.iter().all(|t| *t), 4);
    claim("lifts sliding bodies", "ccp-pgs", &|t| !t[0] && t[1], 0);
    claim("does not oppose slip", "raisim", &|t| t[0] && !t[2], 2);
    claim("opposes slip again", "raisim-ds", &|t| t[0] && t[2], 2);
    claim("has a corner in its cone", "lcp-pgs", &|t| !t[1], 1);
    claim("creeps or sinks at rest", "mujoco", &|t| !t[3], 3);
    claim("creeps or sinks at rest", "sap", &|t| !t[3], 3);

    let cell = |k: usize, v: f64| {
        let mark = if v <= LIMITS[k] { "✓" } else { "✗" };
        match (k, v) {
            (_, f64::INFINITY) => format!("{mark} -"),
            (6, v) => format!("{mark} {:.0} %", 100.0 * (1.0 - v)),
            _ => format!("{mark} {v:.0e}"),
        }
    };
    let heads = ["solver", "law"].into_iter().chain(COLUMNS).chain(["proven"]).map(str::to_owned).collect();
    let line = |(entry, values): &(&Entry, [f64; 7])| {
        let law = entry.law.to_string();
        let cells = values.iter().enumerate().map(|(k, v)| cell(k, *v));
        let proof = proven::of(entry.name).to_string();
        [entry.name.to_owned(), law].into_iter().chain(cells).chain([proof]).collect()
    };
    let limit = |k: usize| format!("{} ≤ {:.0e} {}", COLUMNS[k], LIMITS[k], UNITS[k]);
    let limits: Vec<String> = (0..6).map(limit).collect();
    findings.tables.push(Table {
        stem: "contact-models",
        title: "Contact models and algorithms: what each gives up".to_owned(),
        about: format!(
            "{} problems, cold starts, at most {} iterations. Ticks: {}; convergence: own law met to 1e-8 m/s everywhere; proven: whether iterations are known to reach the own law, and from where.",
            corpus::named().len(),
            LIMIT.max_iterations,
            limits.join(", ")
        ),
        heads,
        rows: rows.iter().map(line).collect(),
    });
    Ok(findings)
}
