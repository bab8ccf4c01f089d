//! Derivatives of steps beside central differences of whole steps, on random states of every scene, under every solver whose law is
//! differentiated; and what they cost.
//!
//! A state is that of the scene, displaced and set in motion at random. It counts where the step is smooth about it: no block is at a
//! switch ([`stiction::LinearizationNote`]), contacts that slide leave one answer, and the differences, of the fourth order at the
//! displacement of a sweep where they agree best, meet the same contacts in the same modes on all sides and agree with all smaller ones. The error of a column is
//! relative to its size, at least 1. What does not count is told, by its cause, and so is the worst error; that all but one in a hundred
//! are exact is claimed.
//!
//! What slides slowly has a direction of slip that an answer knows only to its residual over its slip, and the derivative by that direction is as far off. Differences in
//! turn divide what an answer is off by their displacement, and where only small ones stay on one piece they are known no better than that. The worst errors
//! are told with both shares: under `ccp-ipm`, whose answers scatter by its tolerance, errors grow as the inverse of the displacement, while its derivatives are those of
//! `ccp-pgs-accelerated` to 1e-11.

mod witness;

use super::worst::Worst;
use super::{Claim, Experiment, ExperimentError, Findings, Size, Table};
use std::collections::BTreeMap;
use std::time::Instant;
use stiction::dynamics::integrate_into;
use stiction::random::Random;
use stiction::stepping::BlockMode;
use stiction::{LinearizationNote, Simulation, Sleep, State};
use stiction_scene::{BUILTIN_SCENES, Scene};
use witness::{Compared, Witness};

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "derivatives",
    title: "Derivatives of steps beside central differences, and what they cost",
    source: "Implicit differentiation of the step's problem; the same question as MuJoCo's mjd_transitionFD",
    measure,
};

/// Solvers that are compared: of the exact law, of the relaxation and of the pyramid.
const SOLVERS: [&str; 5] = ["auto", "nsgs-accelerated", "ncp-ipm", "ccp-ipm", "lcp-pgs-accelerated"];
/// Scenes with more velocities than this are left to the long run [–].
const FEW: usize = 40;
/// Tolerance of the solvers [m/s]; and how far a state is displaced [m, rad] and set in motion [m/s, rad/s].
const TOLERANCE: f64 = 1e-12;
const DISPLACED: f64 = 0.01;
const MOVING: f64 = 0.3;
/// Columns that are compared of every state; which, is drawn.
const COLUMNS: usize = 6;
/// Bounds of the claims [–]: median of relative errors and what 99 of 100 are under, times of a step, times as fast as differences.
const MEDIAN: f64 = 1e-8;
const NEARLY_ALL: f64 = 1e-5;
const STEPS: f64 = 8.0;
const FASTER: f64 = 8.0;

/// A state that counts.
#[derive(Clone, Copy)]
struct Counted {
    error: f64,
    /// Number of the state, from 0.
    state: u64,
    /// The residual of its step over the slowest slip of its contacts: how far the direction of that slip may be off [–].
    doubt: f64,
    /// To what the differences are known [–].
    known: f64,
}

/// The fates of the states of a scene under a solver.
#[derive(Default)]
struct Tally {
    counted: Vec<Counted>,
    /// States that do not count, by cause.
    others: BTreeMap<String, usize>,
}

impl Tally {
    fn skip(&mut self, why: impl Into<String>) {
        *self.others.entry(why.into()).or_default() += 1;
    }
}

fn measure(size: Size) -> Result<Findings, ExperimentError> {
    let mut findings = Findings::default();
    let states = if size == Size::Small { 3 } else { 100 };
    let mut rows = Vec::new();
    for solver in SOLVERS {
        let mut all = Vec::new();
        let mut worst_of_all: Option<(&str, Counted)> = None;
        for (name, _) in BUILTIN_SCENES {
            let Some(tally) = of_scene(name, solver, (states, size))? else { continue };
            let told =
                tally.others.iter().map(|(why, n)| format!("{n} {why}")).collect::<Vec<_>>().join("; ");
            let errors: Vec<f64> = tally.counted.iter().map(|c| c.error).collect();
            let [median, worst] = median_and_worst(&errors);
            rows.push(vec![
                solver.to_owned(),
                (*name).to_owned(),
                errors.len().to_string(),
                format!("{median:.1e}"),
                format!("{worst:.1e}"),
                told,
            ]);
            for counted in tally.counted {
                if worst_of_all.is_none_or(|(_, w)| counted.error > w.error) {
                    worst_of_all = Some((name, counted));
                }
            }
            all.extend(errors);
        }
        let [median, worst] = median_and_worst(&all);
        all.sort_by(f64::total_cmp);
        let nearly_all = all.get(99 * all.len().saturating_sub(1) / 100).copied().unwrap_or(f64::NAN);
        findings
            .notes
            .push(format!("{solver}: {} states compared, the worst error is {worst:.1e}", all.len()));
        if let Some((scene, Counted { error, state, doubt, known })) =
            worst_of_all.filter(|w| w.1.error > MEDIAN)
        {
            findings.notes.push(format!(
                "{solver}: {error:.1e} is of state {state} of {scene}, whose differences are known to {known:.1e}; residual over slowest slip \
                 {doubt:.1e}"
            ));
        }
        findings.bound(
            format!("{solver}: median error of {} states", all.len()),
            "",
            Worst::about(median, all.len()),
            MEDIAN,
        );
        findings.bound(
            format!("{solver}: error of 99 states of 100"),
            "",
            Worst::about(nearly_all, all.len()),
            NEARLY_ALL,
        );
    }
    findings.tables.push(Table {
        stem: "derivatives",
        title: "Derivatives of steps beside central differences".to_owned(),
        about: "Relative errors of columns; states that do not count, by cause.".to_owned(),
        heads: ["solver", "scene", "states", "median", "worst", "not counted"].map(str::to_owned).to_vec(),
        rows,
    });
    cost(&mut findings, size)?;
    Ok(findings)
}

fn median_and_worst(errors: &[f64]) -> [f64; 2] {
    let mut sorted = errors.to_vec();
    sorted.sort_by(f64::total_cmp);
    [sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN), sorted.last().copied().unwrap_or(f64::NAN)]
}

/// `states` random states of a scene; `None` if it is for long runs.
fn of_scene(name: &str, solver: &str, (states, size): (u64, Size)) -> Result<Option<Tally>, ExperimentError> {
    let mut setup = Scene::builtin(name)?.build()?;
    let nv = setup.world.model.nv();
    if size == Size::Small && nv > FEW {
        return Ok(None);
    }
    let settings = &mut setup.settings;
    settings.set_contact(solver);
    (settings.tolerance, settings.max_iterations) = (TOLERANCE, 20_000);
    settings.stepper.sleep = Sleep::Off;
    settings.stepper.landing_tolerance = 1e-13;
    let mut sim = Simulation::new(setup.world, setup.state.clone(), setup.settings)?;
    let mut tally = Tally::default();
    for seed in 0..states {
        let mut dice = Random::new(seed + 1);
        let start = displaced(&sim, &setup.state, &mut dice);
        let mut control = setup.control.clone();
        control.iter_mut().for_each(|u| *u += 0.02 * dice.signed());
        compare(&mut sim, (start, control, seed), &mut dice, &mut tally);
    }
    Ok(Some(tally))
}

/// A state near that of the scene.
fn displaced(sim: &Simulation, from: &State, dice: &mut Random) -> State {
    let model = &sim.world().model;
    let mut state = from.clone();
    let size = DISPLACED * dice.unit();
    let e: Vec<f64> = (0..model.nv()).map(|_| size * dice.signed()).collect();
    integrate_into(model, &from.q, &e, 1.0, &mut state.q);
    state.v.iter_mut().for_each(|v| *v += MOVING * dice.signed());
    state
}

/// One state.
fn compare(
    sim: &mut Simulation,
    (start, control, state): (State, Vec<f64>, u64),
    dice: &mut Random,
    tally: &mut Tally,
) {
    if sim.set_state(start.clone()).is_err() {
        return tally.skip("no state");
    }
    sim.control_mut().copy_from_slice(&control);
    let linearization = match sim.linearize() {
        Ok(linearization) => linearization,
        Err(why) => return tally.skip(kind(&format!("{why:?}"))),
    };
    if let Some(note) =
        linearization.notes.iter().find(|n| !matches!(n, LinearizationNote::Hyperstatic { .. }))
    {
        return tally.skip(kind(&format!("{note:?}")));
    }
    sim.step();
    let slides = sim.accepted().is_some_and(|a| a.active_set().any(|m| m == BlockMode::Sliding));
    if slides && !linearization.notes.is_empty() {
        return tally.skip("slides, and leaves several answers");
    }
    let doubt = linearization.report.residual / slowest_slip(sim);
    let count = 2 * linearization.nv + linearization.nu;
    let columns: Vec<usize> = dice.shuffled(count).into_iter().take(COLUMNS).collect();
    let mut witness = Witness::new(sim, start, control);
    match witness.worst(&linearization, &columns) {
        Some(Compared { error, known }) => tally.counted.push(Counted { error, state, doubt, known }),
        None => tally.skip("near a switch"),
    }
}

/// The least speed of contacts that slide in the last step; infinite where none does [m/s].
fn slowest_slip(sim: &Simulation) -> f64 {
    let Some(accepted) = sim.accepted() else { return f64::INFINITY };
    let (problem, mut c) = (&accepted.posed.problem, Vec::new());
    problem.velocities_into(accepted.impulses, &mut c);
    let slides = accepted.active_set().enumerate().filter(|(_, mode)| *mode == BlockMode::Sliding);
    slides.fold(f64::INFINITY, |least, (i, _)| {
        let rows = &c[problem.range(i)];
        let normal = problem.cone(i).normal();
        let slip = rows.iter().enumerate().filter(|(k, _)| *k != normal).map(|(_, u)| u * u).sum::<f64>();
        least.min(slip.sqrt())
    })
}

/// The name of an error or a note.
fn kind(debug: &str) -> String {
    debug.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_owned()
}

/// The cost of the derivatives of a standing quadruped, beside its steps and beside differences of all columns.
fn cost(findings: &mut Findings, size: Size) -> Result<(), ExperimentError> {
    let setup = Scene::builtin("quadruped")?.build()?;
    let (dt, control) = (setup.settings.stepper.dt, setup.control.clone());
    let mut sim = Simulation::new(setup.world, setup.state, setup.settings)?;
    sim.control_mut().copy_from_slice(&control);
    (0..(1.0 / dt) as usize).for_each(|_| drop(sim.step()));
    let repeats = if size == Size::Small { 50 } else { 500 };
    let state = sim.state().clone();
    let again = |sim: &mut Simulation, what: &mut dyn FnMut(&mut Simulation)| {
        let mut times: Vec<f64> = (0..repeats)
            .map(|_| {
                if sim.set_state(state.clone()).is_ok() {
                    sim.control_mut().copy_from_slice(&control);
                }
                let begin = Instant::now();
                what(sim);
                begin.elapsed().as_secs_f64()
            })
            .collect();
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    };
    let step = again(&mut sim, &mut |sim| drop(sim.step()));
    let mut failed = None;
    let linearize = again(&mut sim, &mut |sim| failed = sim.linearize().err());
    let columns = 2 * sim.world().model.nv() + sim.world().actuators.len();
    let differences = step * (2 * columns) as f64;
    if let Some(why) = failed {
        let (claim, measured) = ("a standing quadruped has a derivative".to_owned(), why.to_string());
        findings.claims.push(Claim { claim, measured, holds: false, sample: 1 });
        return Ok(());
    }
    findings.notes.push(format!(
        "standing quadruped: a step {:.1} us, its derivative with the step {:.1} us, {} central differences {:.0} us",
        step * 1e6,
        linearize * 1e6,
        columns,
        differences * 1e6
    ));
    // A test may not depend on how busy the machine is.
    if size == Size::Full {
        findings.bound("derivatives of a standing quadruped".to_owned(), "steps", linearize / step, STEPS);
        let claim = "derivatives of a standing quadruped, as a share of the time of central differences";
        findings.bound(claim.to_owned(), "", linearize / differences, 1.0 / FASTER);
    }
    Ok(())
}
