//! Steps of random worlds, all judged: does anything go wrong in silence?
//!
//! A trial is a world made of a seed ([`world`]) and some hundred steps of it. Of every step it is counted whether the
//! judge certifies it (natural map of the exact law at most 1e-6 m/s), whether the step flagged itself or said that what is
//! left is rounding, and whether it was neither certified nor flagged: silent. What failed, stopped being finite or
//! panicked ends its trial and is counted too. Contact problems of steps that were flagged or not certified are kept as
//! files.

mod mechanisms;
pub mod world;

use std::fmt::Write as _;
use std::fs;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
pub use stiction::CERTIFIED;
use stiction::contact::io::save;
use stiction::solvers::Params;
use stiction::{Simulation, Sleep, StepStatus};

/// Steps of a trial.
pub const STEPS: u64 = 100;
/// Problem files a trial may leave.
const FILES: usize = 3;

/// Outcome of one seed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trial {
    pub seed: u64,
    /// Scene, and what was drawn for it.
    pub of: String,
    pub steps: u64,
    /// Contact points of all steps.
    pub contacts: u64,
    /// Steps that said themselves that the solver did not reach its tolerance.
    pub flagged: u64,
    /// Steps of which only rounding the impulses to 64 bits was left.
    pub rounding: u64,
    /// Steps above [`CERTIFIED`].
    pub uncertified: u64,
    /// Steps above [`CERTIFIED`] that were not flagged.
    pub silent: u64,
    /// 1 if the last step failed: the state was left as it was, and the cause given.
    pub failed: u64,
    /// 1 if the state stopped being finite.
    pub not_finite: u64,
    /// 1 if the last step panicked.
    pub panicked: u64,
    /// Worst of all steps [m/s].
    pub natural_map: f64,
    /// Message of the failure or the panic.
    pub cause: String,
}

const HEADS: &str =
    "seed,of,steps,contacts,flagged,rounding,uncertified,silent,failed,not_finite,panicked,natural_map,cause";

impl Trial {
    /// The trial as a line of the results.
    fn line(&self) -> String {
        let Self {
            seed,
            steps,
            contacts,
            flagged,
            rounding,
            uncertified,
            silent,
            failed,
            not_finite,
            panicked,
            ..
        } = self;
        let plain = |s: &str| s.replace([',', '\n'], ";");
        let (of, cause, map) = (plain(&self.of), plain(&self.cause), self.natural_map);
        format!(
            "{seed},{of},{steps},{contacts},{flagged},{rounding},{uncertified},{silent},{failed},{not_finite},{panicked},{map:e},{cause}"
        )
    }

    fn of_line(line: &str) -> Option<Self> {
        let words: Vec<&str> = line.split(',').collect();
        let [seed, of, rest @ .., map, cause] = &words[..] else { return None };
        let counts: Vec<u64> = rest.iter().map(|w| w.parse().ok()).collect::<Option<_>>()?;
        let [steps, contacts, flagged, rounding, uncertified, silent, failed, not_finite, panicked] =
            counts[..]
        else {
            return None;
        };
        Some(Self {
            seed: seed.parse().ok()?,
            of: (*of).to_owned(),
            steps,
            contacts,
            flagged,
            rounding,
            uncertified,
            silent,
            failed,
            not_finite,
            panicked,
            natural_map: map.parse().ok()?,
            cause: (*cause).to_owned(),
        })
    }
}

/// The steps of `seed` under `solver` with its `params`; problem files into `folder`.
pub fn trial(seed: u64, (solver, params): (&str, &Params), folder: Option<&Path>) -> Trial {
    let mut trial = Trial { seed, ..Trial::default() };
    let result = catch_unwind(AssertUnwindSafe(|| run(&mut trial, (solver, params), folder)));
    if let Err(panic) = result {
        trial.panicked = 1;
        let text = panic.downcast_ref::<String>().map(String::as_str);
        trial.cause = text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("a panic").to_owned();
    }
    trial
}

fn run(trial: &mut Trial, (solver, params): (&str, &Params), folder: Option<&Path>) {
    let drawn = match world::draw(trial.seed) {
        Ok(drawn) => drawn,
        Err(error) => {
            (trial.failed, trial.cause) = (1, error.to_string());
            return;
        }
    };
    trial.of = drawn.of;
    let mut setup = drawn.setup;
    setup.settings.set_contact(solver);
    setup.settings.contact_params = params.clone();
    setup.settings.stepper.sleep = Sleep::Off; // every step is solved
    let mut sim = match Simulation::new(setup.world, setup.state, setup.settings) {
        Ok(sim) => sim,
        Err(error) => {
            (trial.failed, trial.cause) = (1, error.to_string());
            return;
        }
    };
    sim.control_mut().copy_from_slice(&setup.control);
    let mut files = 0;
    for step in 0..STEPS {
        for force in &setup.forces {
            force.apply(&mut sim);
        }
        let report = sim.step();
        trial.steps += 1;
        if let Some(cause) = report.failure() {
            (trial.failed, trial.cause) = (1, cause.to_owned());
            return;
        }
        let state = sim.state();
        if !state.q.iter().chain(&state.v).all(|x| x.is_finite()) {
            trial.not_finite = 1;
            return;
        }
        let natural_map = sim.certificate().natural_map;
        let certified = natural_map <= CERTIFIED;
        trial.contacts += report.contacts as u64;
        trial.flagged += u64::from(report.flagged());
        trial.rounding += u64::from(report.status == StepStatus::Rounding);
        trial.uncertified += u64::from(!certified);
        trial.silent += u64::from(!certified && !report.flagged());
        if !(natural_map <= trial.natural_map) {
            trial.natural_map = natural_map;
        }
        if let Some(folder) = folder
            && (report.flagged() || !certified)
            && files < FILES
        {
            files += 1;
            let word = trial.of.split_whitespace().next().unwrap_or_default();
            let name = format!("{:08}-{word}-{step:03}", trial.seed);
            let (problem, impulses) = (sim.problem(), sim.impulses());
            if let Err(error) = save(&folder.join(format!("{name}.json")), &name, problem, Some(impulses)) {
                trial.cause = format!("the problem could not be kept: {error}");
            }
        }
    }
}

/// Many trials.
#[derive(Clone, Debug)]
pub struct Campaign {
    pub first_seed: u64,
    /// Steps of all trials together, at least.
    pub steps: u64,
    /// Each thread takes the next seed that none has.
    pub threads: usize,
    pub solver: String,
    /// Its parameters.
    pub params: Params,
    /// Where results (`trials.csv`) and problems are kept. Seeds that are there already are not run again.
    pub folder: Option<PathBuf>,
}

/// Sums over trials.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Totals {
    pub trials: u64,
    pub steps: u64,
    pub contacts: u64,
    pub flagged: u64,
    pub rounding: u64,
    pub uncertified: u64,
    pub silent: u64,
    pub failed: u64,
    pub not_finite: u64,
    pub panicked: u64,
    /// Worst of all steps [m/s].
    pub natural_map: f64,
    /// Steps of mechanisms, and those of them that were flagged.
    pub mechanisms: [u64; 2],
    /// Seed and outcome of the trials with anything but certified steps.
    pub notable: Vec<String>,
}

impl Totals {
    fn add(&mut self, trial: &Trial) {
        self.trials += 1;
        self.steps += trial.steps;
        self.contacts += trial.contacts;
        self.flagged += trial.flagged;
        self.rounding += trial.rounding;
        self.uncertified += trial.uncertified;
        self.silent += trial.silent;
        self.failed += trial.failed;
        self.not_finite += trial.not_finite;
        self.panicked += trial.panicked;
        self.natural_map = self.natural_map.max(trial.natural_map);
        let Trial { seed, of, steps, flagged, uncertified, cause, natural_map, .. } = trial;
        if of.starts_with(mechanisms::NAME) {
            self.mechanisms[0] += steps;
            self.mechanisms[1] += flagged;
        }
        if !cause.is_empty() || flagged + uncertified + trial.not_finite > 0 {
            let mut line = format!("seed {seed}: {of}: {flagged} of {steps} steps flagged, ");
            let _ = write!(line, "{uncertified} not certified, worst {natural_map:.1e} m/s");
            if !cause.is_empty() {
                let _ = write!(line, "; {cause}");
            }
            self.notable.push(line);
        }
    }

    /// Nothing went wrong in silence, nothing panicked, nothing was left not finite.
    pub fn sound(&self) -> bool {
        self.silent + self.not_finite + self.panicked == 0
    }
}

impl Campaign {
    /// Runs until the steps are done or `tell`, told the totals so far, breaks off.
    pub fn run(&self, tell: impl Fn(&Totals) -> ControlFlow<()> + Sync) -> std::io::Result<Totals> {
        let (mut totals, mut done) = (Totals::default(), Vec::new());
        let file = self.folder.as_ref().map(|f| f.join("trials.csv"));
        if let (Some(folder), Some(file)) = (&self.folder, &file) {
            fs::create_dir_all(folder)?;
            let known = fs::read_to_string(file).unwrap_or_default();
            for trial in known.lines().filter_map(Trial::of_line).filter(|t| t.seed >= self.first_seed) {
                totals.add(&trial);
                done.push(trial.seed);
            }
            if known.is_empty() {
                fs::write(file, format!("{HEADS}\n"))?;
            }
        }
        let (next, stop) = (AtomicU64::new(self.first_seed), AtomicBool::new(totals.steps >= self.steps));
        let (totals, trouble) = (Mutex::new(totals), Mutex::new(None));
        let work = || {
            while !stop.load(Ordering::Relaxed) {
                let seed = next.fetch_add(1, Ordering::Relaxed);
                if done.contains(&seed) {
                    continue;
                }
                let trial = trial(seed, (&self.solver, &self.params), self.folder.as_deref());
                let Ok(mut totals) = totals.lock() else { return };
                totals.add(&trial);
                let kept = file.as_ref().map_or(Ok(()), |f| append(f, &trial.line()));
                if let (Err(error), Ok(mut trouble)) = (kept, trouble.lock()) {
                    *trouble = Some(error);
                    stop.store(true, Ordering::Relaxed);
                }
                if tell(&totals).is_break() || totals.steps >= self.steps {
                    stop.store(true, Ordering::Relaxed);
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..self.threads.max(1) {
                scope.spawn(work);
            }
        });
        match trouble.into_inner() {
            Ok(Some(error)) => Err(error),
            _ => Ok(totals.into_inner().unwrap_or_default()),
        }
    }
}

fn append(file: &Path, line: &str) -> std::io::Result<()> {
    use std::io::Write;
    let mut file = fs::OpenOptions::new().append(true).open(file)?;
    writeln!(file, "{line}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ten thousand steps; the campaign of a million is `stiction stress --steps 1000000`.
    #[test]
    fn nothing_goes_wrong_in_silence() {
        let campaign = Campaign {
            first_seed: 1,
            steps: 10_000,
            threads: 2,
            solver: "auto".to_owned(),
            params: Params::default(),
            folder: None,
        };
        let totals = campaign.run(|_| ControlFlow::Continue(())).unwrap();
        assert!(totals.sound() && totals.steps >= 10_000, "{totals:#?}");
        assert!(totals.failed == 0, "{totals:#?}");
    }

    /// The world of a seed under `auto`, which does not sleep.
    fn drawn(seed: u64) -> Simulation {
        let mut setup = world::draw(seed).unwrap().setup;
        setup.settings.contact = "auto".to_owned();
        setup.settings.stepper.sleep = Sleep::Off;
        let mut sim = Simulation::new(setup.world, setup.state, setup.settings).unwrap();
        sim.control_mut().copy_from_slice(&setup.control);
        sim
    }

    /// A humanoid whose limbs are drawn into each other, at rest: pushes at contacts that act on next to no lever made
    /// it 2.6 MJ in the first step. In 5 ms neither weight nor servos make more than some joules.
    #[test]
    fn limbs_drawn_into_each_other_are_not_thrown() {
        let mut sim = drawn(847);
        for _ in 0..10 {
            let report = sim.step();
            assert!(!report.flagged() && report.penetration > 0.05, "{report:?}");
            assert!(sim.energy().kinetic < 5.0, "{} J", sim.energy().kinetic);
        }
    }

    /// Two cubes, one of which is ten thousand times as heavy: half of the steps end at what rounding leaves, none is
    /// flagged or takes more than some steps of Newton's method.
    #[test]
    fn rounding_is_told_and_costs_nothing() {
        let drawn = trial(3640, ("auto", &Params::default()), None);
        assert!(drawn.rounding > 20 && drawn.flagged == 0 && drawn.uncertified == 0, "{drawn:?}");
        assert!(drawn.natural_map > 1e-8, "{drawn:?}");
        let mut setup = world::draw(3640).unwrap().setup;
        setup.settings.contact = "auto".to_owned();
        let mut sim = Simulation::new(setup.world, setup.state, setup.settings).unwrap();
        let most = (0..STEPS).map(|_| sim.step().iterations).max();
        assert!(most < Some(100), "{most:?}");
    }

    /// A light cube between the ground and one that is ten thousand times as heavy and bounces: what strikes it from both
    /// sides cancels, yet weighted by the shares of the step it put the cube 15 km away.
    #[test]
    fn what_is_struck_from_both_sides_is_not_put_elsewhere() {
        let mut setup = world::draw(1221).unwrap().setup;
        setup.settings.contact = "auto".to_owned();
        let mut sim = Simulation::new(setup.world, setup.state, setup.settings).unwrap();
        for _ in 0..25 {
            sim.step();
            assert!(sim.state().q.iter().all(|q| q.abs() < 2.0), "{:?}", sim.state());
        }
    }

    /// Servos of far more stiffness than light links have inertia, on trees that are hit in every step: taken before the end
    /// of a step in which the tree moves by the velocity at its end, they doubled the speed from step to step, to 1e12 m/s.
    /// The second starts with 2.6 kJ in a servo. In the third a body alone on a ball, which a loop holds, turns by 2 rad a
    /// step: its Coriolis terms squared its speed from step to step, to 1e100 rad/s. The fourth and fifth are chains of
    /// six and seven links that turn by 0.3 to 1 rad a step: they went from 450 and 130 J to 1e15. In the last, bounces
    /// between links made energy, to 1e8 J.
    #[test]
    fn mechanisms_do_not_run_away() {
        let known = [(68, 50.0), (857, 5e3), (5180, 200.0), (905, 2e3), (8189, 1e3), (2414, 2e3)];
        for (seed, most) in known {
            let mut sim = drawn(seed);
            for _ in 0..STEPS {
                let report = sim.step();
                assert!(report.failure().is_none(), "seed {seed}: {report:?}");
                assert!(sim.energy().kinetic < most, "seed {seed}: {} J", sim.energy().kinetic);
            }
        }
    }

    /// Links that overlap deeply, with more contacts that spin and roll than the path takes: the augmented Lagrangian
    /// comes in its place. Steps of this world took 500 iterations to leave 1 to 30 m/s.
    #[test]
    fn tangles_of_patches_are_solved() {
        let mut sim = drawn(9590);
        for k in 0..10 {
            let report = sim.step();
            assert!(sim.problem().rows() > 400 && !report.flagged(), "{k}: {report:?}");
            assert!(report.iterations < 400 || k == 0, "{k}: {report:?}");
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_trial() {
        for seed in [3, 4, 5] {
            let line = || trial(seed, ("auto", &Params::default()), None).line();
            assert_eq!(line(), line());
        }
    }

    #[test]
    fn lines_are_read_back() {
        let trial =
            Trial { seed: 7, of: "pile a; b".to_owned(), steps: 3, natural_map: 1e-9, ..Trial::default() };
        assert_eq!(Trial::of_line(&trial.line()), Some(trial));
        assert_eq!(Trial::of_line(HEADS), None);
    }
}
