//! Runs a scene: forces on, step, judge, count, record; again.
//!
//! The clock runs during [`Simulation::step`] only.

use crate::driven::Driven;
use crate::dump::Dump;
use crate::incidents::Incidents;
use crate::summary::{EndState, EnergyBalance, Summary, Tally, WorstCertificate};
use crate::trajectory::{Detail, Trajectory};
use crate::work::Work;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use stiction::contact::Law;
use stiction::recording::{Recording, StepMark};
use stiction::world::Note;
use stiction::{Recorder, SetupError, Simulation, StepReport};
use stiction_problem_files::ProblemFileError;
use stiction_scene::Setup;

/// Parts of a run to keep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunOptions {
    /// Frames per second of a recording to look at; `None`: none.
    pub frames_per_second: Option<f64>,
    /// How much to keep of every step; `None`: nothing.
    pub trajectory: Option<Detail>,
    /// Judge every step.
    pub certify: bool,
    /// Steps taken before the run, which then starts as if there had been none: its times are those
    /// of memory that has been touched.
    pub warm_up: u64,
}

impl Default for RunOptions {
    fn default() -> Self {
        Self { frames_per_second: None, trajectory: None, certify: true, warm_up: 0 }
    }
}

/// How far a run is.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    pub step: u64,
    pub steps: u64,
    /// Simulated time [s].
    pub t: f64,
}

/// A simulation of a scene, run to its end or step by step.
pub struct Runner {
    name: String,
    sim: Driven,
    options: RunOptions,
    notes: Vec<Note>,
    incidents: Incidents,
    /// Steps of the whole run.
    steps: u64,
    tally: Tally,
    /// `None` once a step was only counted.
    work: Option<Work>,
    stepping: Spent,
    energy_start: f64,
    recorder: Option<Recorder>,
    trajectory: Option<Trajectory>,
    dump: Option<Dump>,
    dump_failure: Option<ProblemFileError>,
}

/// The wall clock and that of the processor.
struct Clocks {
    wall: Instant,
    #[cfg(feature = "full")]
    processor: cpu_time::ProcessTime,
}

impl Clocks {
    fn now() -> Self {
        Self {
            wall: Instant::now(),
            #[cfg(feature = "full")]
            processor: cpu_time::ProcessTime::now(),
        }
    }
}

/// Time by both clocks.
#[derive(Default)]
struct Spent {
    wall: Duration,
    processor: Duration,
}

impl Spent {
    /// Adds the time since `start`; that by the wall clock.
    fn add(&mut self, start: &Clocks) -> Duration {
        let wall = start.wall.elapsed();
        self.wall += wall;
        #[cfg(feature = "full")]
        {
            self.processor += start.processor.elapsed();
        }
        wall
    }
}

/// Result of a run.
pub struct Outcome {
    pub summary: Summary,
    pub recording: Option<Recording>,
    pub trajectory: Option<Trajectory>,
    /// Problem files, or why there are not all of them.
    pub dump: Result<Vec<PathBuf>, ProblemFileError>,
}

impl Runner {
    /// Ready at the first state.
    pub fn new(setup: Setup, options: RunOptions) -> Result<Self, SetupError> {
        let (steps, notes) = (setup.steps(), setup.notes());
        let name = setup.name.clone();
        let mut sim = Driven::new(setup)?;
        if options.warm_up > 0 {
            let start = sim.sim_mut().snapshot();
            (0..options.warm_up).for_each(|_| drop(Simulation::step(sim.sim_mut())));
            sim.sim_mut().restore(&start).expect("a snapshot of this simulation");
        }
        let incidents = Incidents::new(sim.sim());
        let energy_start = sim.sim_mut().energy().total();
        let recorder = options.frames_per_second.map(|fps| Recorder::new(sim.sim_mut(), fps));
        let trajectory = options.trajectory.map(|detail| Trajectory::new(sim.sim_mut(), detail));
        Ok(Self {
            name,
            sim,
            options,
            notes,
            incidents,
            steps,
            tally: Tally::default(),
            work: Some(Work::default()),
            stepping: Spent::default(),
            energy_start,
            recorder,
            trajectory,
            dump: None,
            dump_failure: None,
        })
    }

    /// Writes contact problems of the run to files; one that cannot be written ends that, not the run.
    #[must_use]
    pub fn with_dump(mut self, dump: Dump) -> Self {
        self.dump = Some(dump);
        self
    }

    /// One step, judged, counted and recorded.
    pub fn step(&mut self) -> StepReport {
        self.sim.act();
        if let Some(work) = &mut self.work {
            work.before_step(self.sim.sim_mut());
        }
        let clocks = Clocks::now();
        let report = Simulation::step(self.sim.sim_mut());
        let time = self.stepping.add(&clocks);
        if let Some(work) = self.work.as_mut().filter(|_| report.failure().is_none()) {
            work.after_step(self.sim.sim());
            self.incidents.after_step(self.sim.sim());
        }
        self.look(&report, time);
        report
    }

    /// Judges, counts and records the step just taken.
    fn look(&mut self, report: &StepReport, time: Duration) {
        let certificate = self.options.certify.then(|| self.sim.sim_mut().certificate());
        self.tally.count(self.sim.sim().state().t, report, certificate.as_ref());
        let mut own = f64::NAN;
        if let Some(c) = &certificate {
            let exact = self.sim.sim().solver().law() == Law::Ncp;
            own = if exact { c.natural_map } else { self.sim.sim_mut().own_natural_map() };
            self.tally.count_own(own);
        }
        if let Some(dump) = &mut self.dump
            && let Err(error) =
                dump.after_step(&self.name, self.tally.steps, self.sim.sim(), report, certificate.as_ref())
        {
            (self.dump, self.dump_failure) = (None, Some(error));
        }
        if report.failure().is_none() {
            let natural_map = certificate.map_or(f64::NAN, |c| c.natural_map);
            if let Some(recorder) = &mut self.recorder {
                let mark = StepMark::new(report, own, certificate.and_then(|c| c.worst));
                recorder.after_step(self.sim.sim_mut(), natural_map, mark);
            }
            if let Some(trajectory) = &mut self.trajectory {
                trajectory.after_step(self.sim.sim_mut(), report, natural_map, time.as_secs_f64());
            }
        }
    }

    /// True if nothing is to be done between steps but to count them.
    fn unobserved(&self) -> bool {
        let Self { options, sim, recorder, trajectory, dump, .. } = self;
        !options.certify && !sim.is_driven() && recorder.is_none() && trajectory.is_none() && dump.is_none()
    }

    /// Steps to the end, or until `on_step` breaks off or a step fails.
    pub fn run(&mut self, mut on_step: impl FnMut(&Progress) -> ControlFlow<()>) -> Summary {
        let mut interrupted = false;
        // Looked at before and after every step, the clock takes a few hundredths of a short one.
        let start = self.unobserved().then(Clocks::now);
        if start.is_some() {
            self.work = None;
        }
        while self.tally.steps < self.steps && self.tally.failure.is_none() {
            if start.is_some() {
                let report = self.sim.step();
                self.look(&report, Duration::ZERO);
            } else {
                self.step();
            }
            let progress =
                Progress { step: self.tally.steps, steps: self.steps, t: self.sim.sim().state().t };
            if on_step(&progress).is_break() {
                interrupted = true;
                break;
            }
        }
        if let Some(start) = &start {
            self.stepping.add(start);
        }
        Summary { interrupted, ..self.summary() }
    }

    /// Steps to the end without telling anybody.
    pub fn run_quietly(&mut self) -> Summary {
        self.run(|_| ControlFlow::Continue(()))
    }

    /// The run so far.
    pub fn summary(&mut self) -> Summary {
        let energy = EnergyBalance {
            start: self.energy_start,
            end: self.sim.sim_mut().energy().total(),
            actuators: self.work.as_ref().map(|w| w.actuators),
            forces: self.work.as_ref().map(|w| w.forces),
            error: self.tally.energy_error,
            made: self.tally.energy_made,
            lost: (self.tally.energy_made - self.tally.energy_error).max(0.0),
            in_motion: self.tally.in_motion,
            ledger: self.tally.ledger,
        };
        let (sim, wall_s) = (&self.sim, self.stepping.wall.as_secs_f64());
        Summary {
            scene: self.name.clone(),
            contact: sim.sim().contacts_by().to_owned(),
            stepper: sim.sim().settings().stepper.method.to_string(),
            dt: sim.sim().settings().stepper.dt,
            steps: self.tally.steps,
            wall_s,
            cpu_s: cfg!(feature = "full").then(|| self.stepping.processor.as_secs_f64()),
            steps_per_s: if wall_s > 0.0 { self.tally.steps as f64 / wall_s } else { 0.0 },
            end: EndState { q: sim.sim().state().q.clone(), v: sim.sim().state().v.clone() },
            energy,
            penetration_max: self.tally.penetration_max,
            certificate: self.tally.worst.as_ref().map(|(_, c)| WorstCertificate::from(c)),
            own_natural_map: self.tally.worst_own,
            tolerance: sim.sim().settings().tolerance,
            solver: self.tally.effort(),
            sleep: self.tally.asleep(),
            notes: [self.notes.clone(), self.incidents.notes(self.sim.sim())].concat(),
            worst_time: self.tally.worst.as_ref().map_or(f64::NAN, |(t, _)| *t),
            end_time: sim.sim().state().t,
            failure: self.tally.failure.clone(),
            interrupted: false,
        }
    }

    /// Steps of the whole run.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    pub fn simulation(&self) -> &Simulation {
        self.sim.sim()
    }

    /// To change controls or add forces between steps.
    pub fn simulation_mut(&mut self) -> &mut Simulation {
        self.sim.sim_mut()
    }

    /// Ends the run with the summary that [`Self::run`] gave.
    pub fn finish(self, summary: Summary) -> Outcome {
        let (mut recording, mut trajectory) = (self.recorder.map(Recorder::finish), self.trajectory);
        // What is written of a run that was cut short says so.
        if summary.interrupted {
            if let Some(recording) = &mut recording {
                recording.name = format!("{} (interrupted at t = {} s)", recording.name, summary.end_time);
            }
            if let Some(trajectory) = &mut trajectory {
                trajectory.about.interrupted = Some(summary.end_time);
            }
        }
        let dump = match (self.dump, self.dump_failure) {
            (_, Some(error)) => Err(error),
            (Some(dump), None) => dump.finish(&self.name),
            (None, None) => Ok(Vec::new()),
        };
        Outcome { summary, recording, trajectory, dump }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::scratch;
    use stiction_scene::Scene;

    fn run(scene: &Scene) -> Summary {
        Runner::new(scene.build().unwrap(), RunOptions::default()).unwrap().run_quietly()
    }

    /// A motor of 3 N pulls 2 kg along a rail for 0.5 s: v = 0.75 m/s, and all its work is kinetic energy.
    #[test]
    fn the_work_of_a_motor_is_the_energy_gained() {
        let cart = r#"<mujoco><option gravity="0 0 0"/><worldbody><body><joint name="rail" type="slide" axis="1 0 0"/>
            <geom type="sphere" size="0.1" mass="2" contype="0" conaffinity="0"/></body></worldbody>
            <actuator><motor joint="rail"/></actuator></mujoco>"#;
        scratch("motor.xml", cart);
        let text = "duration = 0.5\ngravity = [0, 0, 0]\n[[model]]\nfile = \"motor.xml\"\ncontrol = [3.0]\n";
        let energy = run(&Scene::load(&scratch("motor.toml", text)).unwrap()).energy;
        assert!((energy.end - 0.5 * 2.0 * 0.75 * 0.75).abs() < 1e-12, "{energy:?}");
        assert!(
            (energy.actuators.unwrap() - energy.end).abs() < 1e-12 && energy.forces == Some(0.0),
            "{energy:?}"
        );
        assert!(energy.rest().unwrap().abs() < 1e-12);
    }

    /// A box of 1 kg dragged by 5 N over μ = 0.3: what the force does and kinetic energy does not show, friction took.
    #[test]
    fn the_work_of_a_force_is_energy_and_friction() {
        let text = "duration = 0.5\n[ground]\nfriction = 0.3\n[[body]]\nname = \"box\"\nshape = \"box\"\n\
                    size = [0.2, 0.2, 0.2]\nmass = 1.0\nposition = [0.0, 0.0, 0.1]\nfriction = 0.3\n\
                    [[force]]\nbody = \"box\"\ndirection = [1.0, 0.0, 0.0]\nmagnitude = 5.0\n";
        let summary = run(&Scene::load(&scratch("dragged.toml", text)).unwrap());
        let (energy, distance) = (summary.energy, summary.end.q[0]);
        assert!(
            (energy.forces.unwrap() - 5.0 * distance).abs() < 5e-3 * 5.0 * distance,
            "{energy:?}, {distance} m"
        );
        let friction = -0.3 * 9.81 * distance;
        assert!(
            (energy.rest().unwrap() - friction).abs() < 5e-3 * friction.abs(),
            "{energy:?}, {friction} J"
        );
    }
}
