//! One walk: a controller, a contact model, a ground.

use super::ground::Ground;
use crate::ExperimentError;
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;
use std::time::Instant;
use stiction::recording::{Recording, StepMark};
use stiction::world::World;
use stiction::{ContactState, Recorder, Settings, Simulation, Sleep, State, StepperName};
use stiction_control::{Command, Gait, Locomotion, LocomotionParams, MpcWeights};

/// Time step, and with it the period of the controller [s].
pub(super) const STEP: f64 = 1e-3;
/// Height that the trunk is commanded above the ground [m].
const HEIGHT: f64 = 0.24;
/// Weights of the trunk's velocity in the plans, the same along x and y [s²/m²].
const VELOCITY_WEIGHTS: [f64; 3] = [0.5, 0.5, 0.2];
/// Time that the robot trots on the spot, and time in which it comes to its speed after that [s].
const SETTLING: f64 = 0.3;
const SPEEDING_UP: f64 = 0.5;
/// A trunk lower than this above the ground [m], or whose axis is farther from the vertical than of this cosine, has fallen.
const FALLEN_HEIGHT: f64 = 0.1;
const FALLEN_COSINE: f64 = 0.5;
/// Gap between the lowest foot and the ground at the start [m].
const CLEARANCE: f64 = 1e-3;
/// A contact is loaded above this force [N], and slips above this speed [m/s].
const LOADED: f64 = 0.1;
const SLIPS: f64 = 1e-3;
/// Steps between two samples of a course.
const STRIDE: usize = 10;
/// Frames per second of a replay.
const FRAMES: f64 = 50.0;

/// A contact model and an algorithm, as a run uses them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Variant {
    /// Contact solver, a name of the registry.
    pub(super) contact: String,
    pub(super) stepper: StepperName,
    /// A fixed number of iterations, as in the paper; `None`: until the tolerance.
    pub(super) iterations: Option<u32>,
}

impl Variant {
    pub(super) fn label(&self) -> String {
        match (self.iterations, self.stepper == StepperName::default()) {
            (Some(n), _) => format!("{} ({n} sweeps)", self.contact),
            (None, true) => self.contact.clone(),
            (None, false) => self.stepper.as_str().to_owned(),
        }
    }

    fn settings(&self) -> Settings {
        let mut settings = Settings::default();
        settings.set_contact(&self.contact);
        settings.stepper.method = self.stepper;
        settings.stepper.dt = STEP;
        settings.stepper.sleep = Sleep::Off;
        if let Some(n) = self.iterations {
            settings.max_iterations = n;
            settings.tolerance = NEVER;
        }
        settings
    }
}

/// A tolerance that no sweep reaches, so that the number of sweeps is fixed [m/s].
const NEVER: f64 = 1e-300;

/// A task for the robot, and the place where it is done.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct Task {
    pub(super) ground: Ground,
    /// μ of all surfaces. The controller counts on that of its parameters.
    pub(super) friction: f64,
    /// Where the trunk starts [m].
    pub(super) start: [f64; 2],
    pub(super) gait: Gait,
    /// Commanded velocity along x [m/s].
    pub(super) speed: f64,
    /// Height of a foot above the line from lift-off to landing [m].
    pub(super) step_height: f64,
    /// Simulated time, unless the robot falls [s].
    pub(super) duration: f64,
}

/// How a walk ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum End {
    Upright,
    Fell,
    /// A step failed, or the controller found no torques.
    Failed(String),
}

/// The course of a walk, a line every [`STRIDE`] steps: t [s], largest ε_abs since the last, x, y, z of the trunk [m], and
/// mean cost of a step since the last [µs].
pub(super) type Course = Vec<[f64; 6]>;

/// Measurements of a walk.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Walk {
    pub(super) end: End,
    /// Simulated time until the end [s].
    pub(super) time: f64,
    pub(super) steps: usize,
    /// Way of the trunk along x [m].
    pub(super) distance: f64,
    /// Mean velocity along x once it is up to speed [m/s].
    pub(super) mean_speed: f64,
    /// Positive mechanical work of the joints, none recovered, and net work of all [J].
    pub(super) energy: f64,
    pub(super) work: f64,
    /// Change of kinetic and potential energy [J].
    pub(super) gained: f64,
    /// ε_abs of the steps: median, 95th percentile, largest.
    pub(super) eps_abs: [f64; 3],
    /// Largest natural map [m/s].
    pub(super) natural_map: f64,
    /// Steps that were flagged, and steps in which a remedy changed what the solver found.
    pub(super) flagged: usize,
    pub(super) remedied: usize,
    /// Share of the steps in which a loaded foot slips.
    pub(super) slipping: f64,
    /// Mean cost of a step of the simulation [µs].
    pub(super) cost: f64,
    pub(super) course: Course,
}

/// Walks. `None` if `tell`, asked now and then, wants no more; a recording if one is wanted.
pub(super) fn walk(
    task: &Task,
    variant: &Variant,
    recorded: bool,
    tell: &mut dyn FnMut() -> ControlFlow<()>,
) -> Result<Option<(Walk, Option<Recording>)>, ExperimentError> {
    let mut runner = Runner::new(task, variant, recorded)?;
    let steps = (task.duration / STEP).round() as usize;
    for k in 0..steps {
        if k % 100 == 0 && tell().is_break() {
            return Ok(None);
        }
        if let Some(end) = runner.step() {
            return Ok(Some(runner.finish(end)));
        }
    }
    Ok(Some(runner.finish(End::Upright)))
}

/// Index of the trunk's velocity in v, and of its pose in q: its free joint is the first.
const TRUNK: usize = 0;

struct Runner {
    task: Task,
    sim: Simulation,
    control: Locomotion,
    recorder: Option<Recorder>,
    contacts: Vec<ContactState>,
    efforts: Vec<f64>,
    /// Dof of each actuator.
    driven: Vec<usize>,
    before: State,
    eps: Vec<f64>,
    course: Course,
    natural_map: f64,
    flagged: usize,
    remedied: usize,
    slipping: usize,
    seconds: f64,
    since: f64,
    energy: f64,
    work: f64,
    energy_start: f64,
}

impl Runner {
    fn new(task: &Task, variant: &Variant, recorded: bool) -> Result<Self, ExperimentError> {
        let mut world: World = task.ground.world(task.friction)?;
        world.name = format!("solo12-mpc, {}, μ = {}", variant.label(), task.friction);
        let home = world.keyframes.first().map_or_else(|| world.model.neutral(), |key| key.q.clone());
        let (gait, step_height) = (task.gait, task.step_height);
        let weights = MpcWeights { velocity: VELOCITY_WEIGHTS, ..MpcWeights::default() };
        let params = LocomotionParams { gait, step_height, weights, ..LocomotionParams::default() };
        let feet = ["FL_foot", "FR_foot", "HL_foot", "HR_foot"];
        let control = Locomotion::new(&world.model, "trunk", feet, &home, params)?;
        let mut state = State::neutral(&world.model);
        state.q.copy_from_slice(&home);
        state.q[..2].copy_from_slice(&task.start);
        let hips = [[0.2, 0.15], [0.2, -0.15], [-0.2, 0.15], [-0.2, -0.15]];
        let [x, y] = task.start;
        let under = hips.map(|[dx, dy]| {
            let near = [-0.02, 0.0, 0.02];
            let around = near.iter().flat_map(|a| near.map(|b| task.ground.height(x + dx + a, y + dy + b)));
            around.fold(f64::NEG_INFINITY, f64::max)
        });
        state.q[2] += under.iter().copied().fold(f64::NEG_INFINITY, f64::max) + CLEARANCE;
        let driven = world.actuators.iter().map(|a| a.transmission.first().map_or(0, |t| t.0)).collect();
        let before = state.clone();
        let mut sim = Simulation::new(world, state, variant.settings())?;
        let energy_start = sim.energy().total();
        let recorder = recorded.then(|| Recorder::new(&mut sim, FRAMES));
        Ok(Self {
            task: *task,
            sim,
            control,
            recorder,
            contacts: Vec::new(),
            efforts: Vec::new(),
            driven,
            before,
            eps: Vec::new(),
            course: Vec::new(),
            natural_map: 0.0,
            flagged: 0,
            remedied: 0,
            slipping: 0,
            seconds: 0.0,
            since: 0.0,
            energy: 0.0,
            work: 0.0,
            energy_start,
        })
    }

    /// One step; the end, if it is one.
    fn step(&mut self) -> Option<End> {
        self.before.clone_from(self.sim.state());
        let State { t, q, v, .. } = &self.before;
        let share = ((t - SETTLING) / SPEEDING_UP).clamp(0.0, 1.0);
        let command = Command { velocity: [self.task.speed * share, 0.0], yaw_rate: 0.0, height: HEIGHT };
        let ground = self.task.ground;
        let torques = match self.control.torques(*t, (q, v), &command, &|x, y| ground.height(x, y)) {
            Ok(torques) => torques,
            Err(error) => return Some(End::Failed(error.to_string())),
        };
        for (u, tau) in self.sim.control_mut().iter_mut().zip(torques.iter().flatten()) {
            *u = *tau;
        }
        let start = Instant::now();
        let report = self.sim.step();
        let seconds = start.elapsed().as_secs_f64();
        if let Some(cause) = report.failure() {
            return Some(End::Failed(cause.to_owned()));
        }
        self.seconds += seconds;
        self.since += seconds;
        let certificate = self.sim.certificate();
        self.eps.push(certificate.eps_abs);
        self.natural_map = stiction::contact::certificate::worse(self.natural_map, certificate.natural_map);
        self.flagged += usize::from(report.flagged());
        self.remedied += usize::from(report.remedy.is_some());
        self.sim.contacts_into(&mut self.contacts);
        let slips = |c: &ContactState| c.force.norm() > LOADED && c.slip.norm() > SLIPS;
        self.slipping += usize::from(self.contacts.iter().any(slips));
        self.sim.efforts_into(&mut self.efforts);
        let after = self.sim.state();
        for (effort, dof) in self.efforts.iter().zip(&self.driven) {
            let work = STEP * effort * 0.5 * (self.before.v[*dof] + after.v[*dof]);
            self.work += work;
            self.energy += work.max(0.0);
        }
        let steps = self.eps.len();
        if steps.is_multiple_of(STRIDE) {
            let eps = self.eps[steps - STRIDE..].iter().fold(0.0, |m: f64, e| m.max(*e));
            let q = &after.q;
            let cost = 1e6 * self.since / STRIDE as f64;
            self.course.push([after.t, eps, q[TRUNK], q[TRUNK + 1], q[TRUNK + 2], cost]);
            self.since = 0.0;
        }
        if let Some(recorder) = &mut self.recorder {
            let own = self.sim.own_natural_map();
            let mark = StepMark::new(&report, own, certificate.worst);
            recorder.after_step(&mut self.sim, certificate.natural_map, mark);
        }
        let q = &self.sim.state().q;
        let upright = 1.0 - 2.0 * (q[TRUNK + 4] * q[TRUNK + 4] + q[TRUNK + 5] * q[TRUNK + 5]);
        let height = q[TRUNK + 2] - ground.height(q[TRUNK], q[TRUNK + 1]);
        let stands = height >= FALLEN_HEIGHT && upright >= FALLEN_COSINE;
        (!stands).then_some(End::Fell)
    }

    fn finish(mut self, end: End) -> (Walk, Option<Recording>) {
        let steps = self.eps.len();
        self.eps.sort_unstable_by(f64::total_cmp);
        let quantile = |share: f64| match steps {
            0 => f64::NAN,
            n => self.eps[((share * n as f64) as usize).min(n - 1)],
        };
        let state = self.sim.state();
        let (time, x) = (state.t, state.q[TRUNK]);
        let steady = SETTLING + SPEEDING_UP;
        let first = self.course.iter().find(|c| c[0] >= steady);
        let mean_speed = first.map_or(f64::NAN, |c| (x - c[2]) / (time - c[0]));
        let all = steps.max(1) as f64;
        let walk = Walk {
            end,
            time,
            steps,
            distance: x - self.task.start[0],
            mean_speed,
            energy: self.energy,
            work: self.work,
            gained: self.sim.energy().total() - self.energy_start,
            eps_abs: [quantile(0.5), quantile(0.95), quantile(1.0)],
            natural_map: self.natural_map,
            flagged: self.flagged,
            remedied: self.remedied,
            slipping: self.slipping as f64 / all,
            cost: 1e6 * self.seconds / all,
            course: self.course,
        };
        (walk, self.recorder.map(Recorder::finish))
    }
}
