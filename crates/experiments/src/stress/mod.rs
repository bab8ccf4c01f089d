//! Steps of random worlds, all judged: does anything go wrong in silence?
//!
//! A trial is a world made of a seed ([`world`]) and some hundred steps of it. Of every step it is counted whether the
//! judge certifies it (natural map of the exact law at most 1e-6 m/s), whether the step flagged itself or said that what is
//! left is rounding, and whether it was neither certified nor flagged: silent. What failed, stopped being finite or
//! panicked ends its trial and is counted too. Contact problems of steps that were flagged or not certified are kept as
//! files.

mod mechanisms;
mod side_by_side;
mod subject;
mod trial;
pub mod world;

pub use subject::{Subject, trial};
pub use trial::{STEPS, Trial};

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
pub use stiction::CERTIFIED;
use stiction_store::{Lines, Store, StoreError};
use trial::HEADS;

/// Many trials.
#[derive(Clone, Debug)]
pub struct Campaign {
    pub first_seed: u64,
    /// Steps of all trials together, at least.
    pub steps: u64,
    /// Each thread takes the next seed that none has.
    pub threads: usize,
    /// Steps the worlds.
    pub subject: Subject,
    /// Where results (`trials.csv`) and problems are kept, of one subject. Seeds that are there already are not run again.
    pub folder: Option<PathBuf>,
}

/// Sums over trials.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Totals {
    pub trials: u64,
    pub steps: u64,
    pub contacts: u64,
    pub flagged: u64,
    pub gained_energy: u64,
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
    /// Steps and trials that an earlier run left in the folder.
    pub kept: [u64; 2],
    /// The rest of the last line of an earlier run that was ended by force.
    pub cut_off: Option<String>,
    /// Seed and outcome of the trials with anything but certified steps.
    pub notable: Vec<String>,
}

impl Totals {
    fn add(&mut self, trial: &Trial) {
        self.trials += 1;
        self.steps += trial.steps;
        self.contacts += trial.contacts;
        self.flagged += trial.flagged;
        self.gained_energy += trial.gained_energy;
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
    ///
    /// # Errors
    ///
    /// If the folder holds results of another subject, a line of them is damaged, doubled or foreign, or the disk is full.
    pub fn run(&self, tell: impl Fn(&Totals) -> ControlFlow<()> + Sync) -> Result<Totals, StoreError> {
        let (mut totals, mut done) = (Totals::default(), BTreeSet::new());
        let lines = match &self.folder {
            None => None,
            Some(folder) => {
                let store = Store::open(folder, &self.subject.key())?;
                let (lines, kept) = Lines::open(&store, "trials.csv", HEADS)?;
                for line in &kept.lines {
                    let trial = Trial::of_line(line).ok_or_else(|| StoreError::Damaged {
                        file: lines.path().to_owned(),
                        what: format!("`{line}` is no trial of this version"),
                        remedy: "choose another folder, or remove this one",
                    })?;
                    if trial.seed >= self.first_seed {
                        totals.add(&trial);
                        done.insert(trial.seed);
                    }
                }
                totals.cut_off = kept.cut_off;
                Some(lines)
            }
        };
        totals.kept = [totals.steps, totals.trials];
        let lines = Mutex::new(lines);
        let (next, stop) = (AtomicU64::new(self.first_seed), AtomicBool::new(totals.steps >= self.steps));
        let (totals, trouble) = (Mutex::new(totals), Mutex::new(None));
        let work = || {
            while !stop.load(Ordering::Relaxed) {
                let seed = next.fetch_add(1, Ordering::Relaxed);
                if done.contains(&seed) {
                    continue;
                }
                let trial = trial(seed, &self.subject, self.folder.as_deref());
                let Ok(mut totals) = totals.lock() else { return };
                totals.add(&trial);
                let kept =
                    lines.lock().map_or(Ok(()), |mut l| l.as_mut().map_or(Ok(()), |l| l.add(&trial.line())));
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

#[cfg(test)]
mod tests {
    use super::*;
    use stiction::batch::Precision;
    use stiction::{Simulation, Sleep};

    /// Ten thousand steps; the campaign of a million is `stiction stress --steps 1000000`.
    #[test]
    fn nothing_goes_wrong_in_silence() {
        let campaign =
            Campaign { first_seed: 1, steps: 10_000, threads: 2, subject: Subject::auto(), folder: None };
        let totals = campaign.run(|_| ControlFlow::Continue(())).unwrap();
        assert!(totals.sound() && totals.steps >= 10_000, "{totals:#?}");
        assert!(totals.failed == 0, "{totals:#?}");
    }

    /// Batches of the same worlds: lanes, and what they leave to a step alone.
    #[test]
    fn nothing_goes_wrong_in_silence_in_batches() {
        let campaign = Campaign {
            first_seed: 1,
            steps: 8_000,
            threads: 2,
            subject: Subject::Batch { environments: 8, precision: Precision::Double },
            folder: None,
        };
        let totals = campaign.run(|_| ControlFlow::Continue(())).unwrap();
        assert!(totals.sound() && totals.steps >= 8_000, "{totals:#?}");
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
        let drawn = trial(3640, &Subject::auto(), None);
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

    /// Servos of far more stiffness than light links have inertia, on trees that are hit in every step: taken before
    /// the end of a step in which the tree moves by the velocity at its end, they doubled the speed from step to
    /// step, to 1e12 m/s. The second starts with 2.6 kJ in a servo, turns a link by 6 rad in the first step, which is
    /// flagged, and strikes another link time and again. In the third a body alone on a ball, which a loop holds,
    /// turns by 2 rad a step: its Coriolis terms squared its speed from step to step, to 1e100 rad/s. The fourth and
    /// fifth are chains of six and seven links that turn by 0.3 to 1 rad a step: they went from 450 and 130 J to
    /// 1e15. In the last, bounces between links made energy, to 1e8 J.
    #[test]
    fn mechanisms_do_not_run_away() {
        let known = [(68, 50.0), (857, 6e3), (5180, 200.0), (905, 2e3), (8189, 1.2e3), (2414, 2e3)];
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

    /// Fast bodies beside flush tiles, and fast links of a robot: geometries that overlap and that the narrow phase leaves out on purpose
    /// were met at once in every part of every step, so that nothing moved.
    #[test]
    fn what_the_narrow_phase_leaves_out_stops_nothing() {
        for seed in [108, 156] {
            let mut sim = drawn(seed);
            let (start, dt) = (sim.state().q.clone(), sim.settings().stepper.dt);
            for _ in 0..3 {
                let report = sim.step();
                assert!(!report.flagged() && report.parts < 32, "seed {seed}: {report:?}");
            }
            let way = sim.state().q.iter().zip(&start).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
            assert!(way > 3.0 * dt, "seed {seed}: {way}");
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_trial() {
        for seed in [3, 4, 5] {
            let line = || trial(seed, &Subject::auto(), None).line();
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
