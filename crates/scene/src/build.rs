//! From a scene to everything a run needs.

use super::ground::{GROUND_RGBA, choose_floors};
use super::model::Part;
use super::robot_file::complete;
use super::{Force, Motion, Scene, SceneError};
use stiction::collision::Shape;
use stiction::dynamics::spatial::{Vec3, vec3};
use stiction::solvers::registry::{self, Common, SolverError};
use stiction::world::{Note, Severity, Topic, World};
use stiction::{Composer, Settings, State};

/// Standard gravity as roboticists write it [m/s²].
const GRAVITY: Vec3 = vec3(0.0, 0.0, -9.81);

/// Steps beyond which a run is taken for a mistake: so many are not counted exactly in t = n·dt.
const MAX_STEPS: u64 = 1 << 53;

/// A world, where it starts, what acts on it and how it is simulated.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Name of the scene.
    pub name: String,
    pub world: World,
    pub state: State,
    pub settings: Settings,
    pub forces: Vec<Force>,
    /// The motion that the actuators follow, if they do.
    pub motion: Option<Motion>,
    /// One control per actuator, kept during the run.
    pub control: Vec<f64>,
    /// Simulated time of the run [s].
    pub duration: f64,
}

impl Setup {
    /// Steps of the whole run.
    pub fn steps(&self) -> u64 {
        (self.duration / self.settings.stepper.dt).round().max(0.0) as u64
    }

    /// Everything left out, added or changed on the way from the files to this world.
    pub fn notes(&self) -> Vec<Note> {
        let mut notes = self.world.ledger.notes();
        notes.retain(|n| n.topic != Topic::Softness || !self.is_mujoco());
        notes
    }

    /// Refuses a world in which nothing moves though its file says something that is not simulated: a run of it would be a
    /// run of nothing.
    pub fn check_content(&self) -> Result<(), SceneError> {
        let left_out =
            self.notes().into_iter().find(|n| matches!(n.topic, Topic::NotSimulated | Topic::Unknown));
        match left_out {
            Some(note) if self.world.model.bodies.is_empty() => {
                Err(SceneError::Nothing { scene: self.name.clone(), note: note.to_string() })
            }
            _ => Ok(()),
        }
    }

    /// Refuses a run of no step, and one of so many that their number is not exact.
    pub fn check_length(&self) -> Result<(), SceneError> {
        match self.steps() {
            1..=MAX_STEPS => Ok(()),
            _ => Err(SceneError::Length { duration: self.duration, dt: self.settings.stepper.dt }),
        }
    }
}

impl Scene {
    /// Reads the models, puts everything in its place.
    pub fn build(&self) -> Result<Setup, SceneError> {
        self.stepper.validate().map_err(|e| self.mistake("stepper", 0, e.name, e.to_string()))?;
        registry::make_from(&self.contact.solver, &Common::default(), &self.contact.all_params()).map_err(
            |e| {
                let key = if matches!(e, SolverError::Unknown { .. }) { "solver" } else { "params" };
                self.mistake("contact", 0, key, e.to_string())
            },
        )?;
        let mut parts = (self.model.iter().enumerate())
            .map(|(i, spec)| self.load_model(i, spec))
            .collect::<Result<Vec<_>, _>>()?;
        if !self.is_robot_file() || self.ground.is_some() {
            let floors = self.model.iter().map(|spec| spec.floor);
            choose_floors(parts.iter_mut().map(|p| &mut p.world).zip(floors), self.has_ground());
        }
        let mut settings = self.settings();
        if self.is_robot_file() {
            settings.stepper.dt = parts.iter().find_map(|p| p.world.time_step).unwrap_or(settings.stepper.dt);
        }
        let control = parts.iter().flat_map(|p| p.control.iter().copied()).collect();
        let keyframes = match &mut parts[..] {
            [only] if self.is_robot_file() => std::mem::take(&mut only.world.keyframes),
            _ => Vec::new(),
        };
        let (mut world, mut state) = self.compose(parts)?;
        if let Some(asked) = self.standalone {
            world.keyframes = keyframes;
            let free_base = self.model.iter().any(|m| m.free_base);
            let told = complete(&mut world, &mut state, asked, free_base);
            world.ledger.remarks.extend(told);
        }
        for (i, spec) in self.knife_edge.iter().enumerate() {
            world.loops.push(self.knife_edge(i, spec, &world)?);
        }
        world.ledger.remarks.extend(outside_limits(&world, &state));
        world.ledger.remarks.extend(unread_sensors(&world));
        let forces = (self.force.iter().enumerate())
            .map(|(i, spec)| self.force(i, spec, &world))
            .collect::<Result<_, _>>()?;
        let motion = match (&self.motion, &self.track) {
            (None, None) => None,
            (Some(spec), None) => Some(self.motion(spec, &world)?),
            (None, Some(spec)) => Some(Motion::Track(self.track(spec, &world)?)),
            (Some(_), Some(_)) => {
                return Err(self.mistake(
                    "track",
                    0,
                    "file",
                    "a scene has a [motion] or a [track], not both",
                ));
            }
        };
        Ok(Setup {
            name: self.name.clone(),
            world,
            state,
            settings,
            forces,
            motion,
            control,
            duration: self.duration.0,
        })
    }

    /// Ground, fixed shapes, models, bodies, in this order.
    fn compose(&self, parts: Vec<Part>) -> Result<(World, State), SceneError> {
        let file_gravity = parts.first().filter(|_| self.is_robot_file()).map(|p| p.world.model.gravity);
        let gravity = file_gravity.unwrap_or_else(|| self.gravity_or_default());
        let mut composer = Composer::new(self.name.clone(), gravity)?;
        if let Some(ground) = &self.ground {
            let slope = ground.slope.0;
            if slope.abs() >= 90.0 {
                let message = format!("found {slope}; expected degrees between -90 and 90");
                return Err(self.mistake("ground", 0, "slope", message));
            }
            let rgba = ground.rgba.map_or(GROUND_RGBA, |c| c.0);
            composer.fixed("ground", Shape::Plane, ground.pose(), ground.material(), rgba)?;
        }
        for (i, spec) in self.fixed.iter().enumerate() {
            self.add_fixed(i, spec, &mut composer)?;
        }
        for (part, spec) in parts.into_iter().zip(&self.model) {
            composer.robot(part.world, &part.state, part.pose, &spec.prefix);
        }
        for (i, spec) in self.body.iter().enumerate() {
            if !spec.name.is_empty() && self.body[..i].iter().any(|b| b.name == spec.name) {
                return Err(self.mistake("body", i, "name", format!("a second body `{}`", spec.name)));
            }
            self.add_bodies(i, spec, &mut composer)?;
        }
        Ok(composer.finish())
    }

    pub(super) fn gravity_or_default(&self) -> Vec3 {
        self.gravity.map_or(GRAVITY, |g| g.vec3())
    }

    fn settings(&self) -> Settings {
        let mut stepper = self.stepper.clone();
        stepper.nmdp.learned = stepper.nmdp.learned.map(|file| self.source.folder().join(file));
        Settings {
            contact: self.contact.solver.clone(),
            contact_params: self.contact.all_params(),
            tolerance: self.contact.tolerance.0,
            max_iterations: self.contact.max_iterations,
            answers: self.contact.answers,
            stepper,
            ..Settings::default()
        }
    }
}

/// How far beyond a limit a joint may start without a word [rad or m].
const HAIR: f64 = 1e-6;
/// Joints named in a note.
const NAMED: usize = 5;

/// A note on the joints that start outside of their ranges.
fn outside_limits(world: &World, state: &State) -> Option<Note> {
    let outside = world.model.joints.iter().filter_map(|joint| {
        let ([low, high], q) = (joint.limit?, state.q.get(joint.idx_q)?);
        let beyond = joint.kind.is_scalar() && !(low - HAIR..=high + HAIR).contains(q);
        beyond.then(|| format!("`{}` at {q:.4} of [{low:.4}, {high:.4}]", joint.name))
    });
    let all: Vec<String> = outside.collect();
    let more = if all.len() > NAMED { format!(" and {} more", all.len() - NAMED) } else { String::new() };
    let list = all[..all.len().min(NAMED)].join(", ");
    let message = format!("joints that start outside of their ranges: {list}{more}");
    (!all.is_empty()).then(|| Note::of_scene(Severity::Warning, message))
}

/// A note on sensors: a run writes none of their readings.
fn unread_sensors(world: &World) -> Option<Note> {
    let of_format =
        |what: &str| world.ledger.entries.iter().filter(|e| e.what == what).map(|e| e.count).sum();
    let count = world.extras.sensors.len().max(of_format("sensor"));
    let message = format!(
        "{count} sensors of the file: runs write no readings (Python reads them: `Simulation.sensors`)"
    );
    (count > 0).then(|| Note::of_scene(Severity::Note, message))
}
