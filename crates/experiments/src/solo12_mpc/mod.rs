//! Solo-12 under model predictive control on bumpy and slippery ground, under one contact model after another: the last
//! experiment of Le Lidec and Carpentier, and the table beside it.
//!
//! ```text
//!     flat ground    trot at 0.5 m/s for 10 m, walk at 0.3 m/s         exact law: speed, certificates, energy
//!     bumpy ground   20 starts, μ from 0.9 down to 0.2, trot at 0.5 m/s    every model: falls, way, energy, ε_abs, cost
//! ```
//!
//! `raisim`, `raisim-ds` and `ncp-pgs` make a fixed number of sweeps a step, as in the paper; what else is run stops at its
//! tolerance. The controller is one and the same (`stiction-control`); it knows the ground's height and not its friction.

mod figures;
mod ground;
mod walk;

use super::worst::Worst;
use super::{Claim, Conduct, Contacts, Experiment, ExperimentError, Findings, Size};
use ground::Ground;
use std::ops::ControlFlow;
use stiction::StepperName;
use stiction::random::Random;
use stiction::solvers::registry;
use stiction_control::Gait;
use stiction_scene::nearest::hint;
use stiction_store::{Key, Store};
use walk::{End, Task, Variant, Walk, walk};

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "solo12-mpc",
    title: "Solo-12 under model predictive control on bumpy, slippery ground, by contact model",
    source: "Le Lidec and Carpentier, Reconciling RaiSim with the Maximum Dissipation Principle, Fig. 5 [LeLidec2024]",
    measure,
};

/// Sweeps of the paper's three a step.
const SWEEPS: u32 = 50;
/// The paper's three.
const PUBLISHED: [&str; 3] = ["raisim", "raisim-ds", "ncp-pgs"];
/// Solver of the exact law that claims are about.
const EXACT: &str = "auto";
/// Steppers that are run beside all solvers, the exact law's and a polygonal one.
const STEPPERS: [&str; 2] = ["moreau", "stewart-trinkle"];
/// Scale of ContactBench's terrain (heights within 0.35 m): 0.15 leaves bumps of ± 3 cm every 21 cm along the way.
const SCALE: f64 = 0.15;
/// Commanded speeds of the trot and of the walk [m/s].
const TROT: f64 = 0.5;
const WALK: f64 = 0.3;
/// Height of steps on flat ground and on bumps [m].
const STEP_HEIGHTS: [f64; 2] = [0.05, 0.07];
/// Friction of the first start and of the last.
const FRICTION: [f64; 2] = [0.9, 0.2];
/// Where the way starts along x, and how far starts are apart in x and y [m].
const START: f64 = -2.0;
const SPREAD: f64 = 0.5;

/// How much is run.
struct Plan {
    /// Ways on flat ground: trot and walk [s].
    flat: [f64; 2],
    /// Way that the trot must make on flat ground [m].
    way: f64,
    seeds: usize,
    /// Time of a walk on bumps [s].
    bumpy: f64,
}

impl Plan {
    fn of(size: Size) -> Self {
        match size {
            Size::Small => Self { flat: [2.8, 2.0], way: 1.0, seeds: 2, bumpy: 1.2 },
            Size::Full => Self { flat: [20.8, 12.0], way: 10.0, seeds: 20, bumpy: 6.0 },
        }
    }
}

/// Walks of one variant on bumps, a seed each.
struct Row {
    variant: Variant,
    walks: Vec<Walk>,
}

impl Row {
    fn falls(&self) -> usize {
        self.walks.iter().filter(|w| w.end != End::Upright).count()
    }

    /// Mean over the walks.
    fn mean(&self, f: impl Fn(&Walk) -> f64) -> f64 {
        self.walks.iter().map(f).sum::<f64>() / self.walks.len() as f64
    }

    /// Largest of the walks; NaN if one is.
    fn worst(&self, f: impl Fn(&Walk) -> f64) -> f64 {
        self.walks.iter().map(f).fold(0.0, stiction::contact::certificate::worse)
    }
}

fn measure(size: Size) -> Result<Findings, ExperimentError> {
    let tell = |_: usize, _: usize, _: &str| ControlFlow::Continue(());
    measure_staged(&Conduct { size, contacts: Contacts::Published, kept: None, tell: &tell })
}

/// Runs what is not kept yet, and finds.
pub(super) fn measure_staged(conduct: &Conduct<'_>) -> Result<Findings, ExperimentError> {
    let plan = Plan::of(conduct.size);
    let variants = variants(&conduct.contacts)?;
    let mut runs = Runs::new(conduct, variants.len() * plan.seeds + 4)?;
    let flat = |gait, speed, duration| Task {
        ground: Ground::Flat,
        friction: FRICTION[0],
        start: [0.0, 0.0],
        gait,
        speed,
        step_height: STEP_HEIGHTS[0],
        duration,
    };
    let exact = by_solver(EXACT);
    let trot = runs.walk(&flat(Gait::TROT, TROT, plan.flat[0]), &exact, "trot on flat ground")?;
    let walked = runs.walk(&flat(Gait::WALK, WALK, plan.flat[1]), &exact, "walk on flat ground")?;
    let mut rows = Vec::new();
    for variant in variants {
        let walks = (0..plan.seeds).map(|seed| {
            let label = format!("{}, start {} of {}", variant.label(), seed + 1, plan.seeds);
            runs.walk(&bumpy(&plan, seed), &variant, &label)
        });
        let walks = walks.collect::<Result<Vec<_>, _>>()?;
        rows.push(Row { variant, walks });
    }
    let mut findings = Findings::default();
    on_flat_ground(&mut findings, &plan, &trot, &walked);
    on_bumps(&mut findings, &rows);
    figures::keep(&mut findings, &rows, &plan_of_starts(&plan));
    for variant in [&rows[0].variant, &exact] {
        let (stem, task) = (format!("solo12-mpc-{}", variant.contact), bumpy(&plan, plan.seeds / 2));
        if let Some(recording) = runs.recording(&task, variant)? {
            findings.replays.push((stem, recording));
        }
    }
    findings.notes.push(format!(
        "terrain scaled by {SCALE}; {} starts, μ from {} to {}, {} s each; {} contact models and steppers",
        plan.seeds,
        FRICTION[0],
        FRICTION[1],
        plan.bumpy,
        rows.len()
    ));
    Ok(findings)
}

fn by_solver(contact: &str) -> Variant {
    Variant { contact: contact.to_owned(), stepper: StepperName::default(), iterations: None }
}

/// The paper's three first, then the exact law, then what is asked for: contact solvers, and steppers by name.
fn variants(contacts: &Contacts) -> Result<Vec<Variant>, ExperimentError> {
    let published = PUBLISHED.map(|name| Variant { iterations: Some(SWEEPS), ..by_solver(name) });
    let mut all: Vec<Variant> = published.into_iter().chain([by_solver(EXACT)]).collect();
    let names = || registry::all().iter().map(|e| e.name).chain(STEPPERS);
    let also: Vec<&str> = match contacts {
        Contacts::Published => Vec::new(),
        Contacts::All => names().collect(),
        Contacts::Also(also) => also.iter().map(String::as_str).collect(),
    };
    for name in also.into_iter().filter(|n| *n != EXACT) {
        if !names().any(|n| n == name) {
            let (hint, available) = (hint(name, names()), names().collect::<Vec<_>>().join(", "));
            return Err(ExperimentError::UnknownContact { name: name.to_owned(), hint, available });
        }
        all.push(match StepperName::of(name) {
            Ok(stepper) => Variant { stepper, ..by_solver(EXACT) },
            Err(_) => by_solver(name),
        });
    }
    Ok(all)
}

/// Friction of every start.
fn plan_of_starts(plan: &Plan) -> Vec<f64> {
    (0..plan.seeds).map(|seed| friction(plan, seed)).collect()
}

fn friction(plan: &Plan, seed: usize) -> f64 {
    FRICTION[0] + (FRICTION[1] - FRICTION[0]) * seed as f64 / (plan.seeds - 1).max(1) as f64
}

/// The start `seed`: the same for every variant.
fn bumpy(plan: &Plan, seed: usize) -> Task {
    let mut random = Random::new(seed as u64);
    let start = [START + SPREAD * random.signed(), SPREAD * random.signed()];
    Task {
        ground: Ground::Bumpy { scale: SCALE },
        friction: friction(plan, seed),
        start,
        gait: Gait::TROT,
        speed: TROT,
        step_height: STEP_HEIGHTS[1],
        duration: plan.bumpy,
    }
}

/// Runs, kept and counted.
struct Runs<'a> {
    conduct: &'a Conduct<'a>,
    store: Option<Store>,
    done: usize,
    all: usize,
}

impl<'a> Runs<'a> {
    fn new(conduct: &'a Conduct<'a>, all: usize) -> Result<Self, ExperimentError> {
        let key = Key::new("solo12-mpc 2").with("program", env!("CARGO_PKG_VERSION"));
        let store = conduct.kept.map(|folder| Store::open(folder, &key)).transpose()?;
        Ok(Self { conduct, store, done: 0, all })
    }

    /// A walk that is kept, or else is made and kept.
    fn walk(&mut self, task: &Task, variant: &Variant, label: &str) -> Result<Walk, ExperimentError> {
        let key = Key::new("walk 1").with("task", task).with("variant", variant);
        if let Some(store) = &self.store
            && let Some(walk) = store.get("walk", &key)?
        {
            self.done += 1;
            return Ok(walk);
        }
        let (found, _) = self.made(task, variant, false, label)?;
        if let Some(store) = &self.store {
            store.put("walk", &key, &found)?;
        }
        Ok(found)
    }

    fn made(
        &mut self,
        task: &Task,
        variant: &Variant,
        recorded: bool,
        label: &str,
    ) -> Result<(Walk, Option<stiction::recording::Recording>), ExperimentError> {
        let mut tell = || (self.conduct.tell)(self.done, self.all, label);
        let made = walk(task, variant, recorded, &mut tell)?.ok_or(ExperimentError::Interrupted)?;
        self.done += 1;
        Ok(made)
    }

    fn recording(
        &mut self,
        task: &Task,
        variant: &Variant,
    ) -> Result<Option<stiction::recording::Recording>, ExperimentError> {
        let label = format!("{}, to be looked at", variant.label());
        Ok(self.made(task, variant, true, &label)?.1)
    }
}

fn on_flat_ground(findings: &mut Findings, plan: &Plan, trot: &Walk, walked: &Walk) {
    for (gait, walk, speed) in [("trots", trot, TROT), ("walks", walked, WALK)] {
        findings.predict(
            format!("{EXACT}, flat ground: {gait} as fast as commanded"),
            "m/s",
            speed,
            walk.mean_speed,
            0.05,
        );
    }
    let mut claim = |claim: String, measured: String, holds: bool| {
        findings.claims.push(Claim { claim, measured, holds, sample: trot.steps });
    };
    claim(
        format!("{EXACT}, flat ground: trots {} m upright without a flagged step", plan.way),
        format!(
            "{:.3} m in {:.1} s, {} of {} steps flagged, {:?}",
            trot.distance, trot.time, trot.flagged, trot.steps, trot.end
        ),
        trot.end == End::Upright && trot.distance >= plan.way && trot.flagged == 0,
    );
    claim(
        format!("{EXACT}, flat ground: friction and impacts take energy and make none"),
        format!("motors give {:.3} J, the robot gains {:.3} J", trot.work, trot.gained),
        trot.work > 0.0 && trot.gained <= trot.work,
    );
    findings.bound(
        format!("{EXACT}, flat ground: every step is certified, natural map"),
        "m/s",
        Worst::about(trot.natural_map, trot.steps),
        CERTIFIED,
    );
}

/// Natural map of the exact law at which a step counts as certified [m/s].
const CERTIFIED: f64 = stiction::CERTIFIED;

fn on_bumps(findings: &mut Findings, rows: &[Row]) {
    let [raisim, corrected, _, exact] = [&rows[0], &rows[1], &rows[2], &rows[3]];
    findings.bound(
        format!("{EXACT}, bumps: every step is certified, natural map"),
        "m/s",
        Worst::about(exact.worst(|w| w.natural_map), exact.walks.iter().map(|w| w.steps).sum()),
        CERTIFIED,
    );
    let eps = |row: &Row| row.mean(|w| w.eps_abs[1]);
    let ratio = eps(raisim) / eps(corrected);
    let mut claim = |claim: String, measured: String, holds: bool| {
        findings.claims.push(Claim {
            claim,
            measured,
            holds,
            sample: raisim.walks.len().min(corrected.walks.len()),
        });
    };
    claim(
        format!(
            "{} against {}: the 95th percentile of ε_abs is at least {LESS_ERROR} times as large",
            raisim.variant.label(),
            corrected.variant.label()
        ),
        format!("{:.2e} against {:.2e}, {ratio:.1} times", eps(raisim), eps(corrected)),
        ratio >= LESS_ERROR,
    );
    let cost = |row: &Row| row.mean(median_cost);
    let ratio = cost(corrected) / cost(raisim);
    claim(
        format!(
            "{} against {}: a step costs at most {MORE_COST} times as much",
            corrected.variant.label(),
            raisim.variant.label()
        ),
        format!("{:.1} µs against {:.1} µs, {ratio:.2} times", cost(corrected), cost(raisim)),
        ratio <= MORE_COST,
    );
    let apart = raisim.walks.iter().zip(&corrected.walks).map(|(a, b)| apart(a, b)).fold(0.0, f64::max);
    claim(
        format!(
            "{} against {}: the same command from the same start leads elsewhere, farther than {ELSEWHERE} m",
            raisim.variant.label(),
            corrected.variant.label()
        ),
        format!("{apart:.3} m"),
        apart >= ELSEWHERE,
    );
    let slipping = exact.worst(|w| w.slipping);
    claim(
        format!("{EXACT}, bumps: feet slip"),
        format!("in {:.1} % of the steps of the walk that slips most", 100.0 * slipping),
        slipping > 0.01,
    );
}

/// Bounds of the claims about the paper's figure: ratio of errors, ratio of costs, distance of trajectories [m].
const LESS_ERROR: f64 = 3.0;
const MORE_COST: f64 = 2.0;
const ELSEWHERE: f64 = 0.01;

/// Median over the course of the cost of a step [µs]: what else the machine did in between counts little.
fn median_cost(walk: &Walk) -> f64 {
    let mut costs: Vec<f64> = walk.course.iter().map(|c| c[5]).collect();
    costs.sort_unstable_by(f64::total_cmp);
    costs.get(costs.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Farthest that two courses are from each other at one time, along the ground [m].
fn apart(a: &Walk, b: &Walk) -> f64 {
    let both = a.course.iter().zip(&b.course);
    both.map(|(a, b)| (a[2] - b[2]).hypot(a[3] - b[3])).fold(0.0, f64::max)
}
