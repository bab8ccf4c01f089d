//! One simulation whose every step is judged, and what it leaves in the table.

use super::super::ExperimentError;
use std::path::Path;
use stiction::dynamics::spatial::{Vec3, vec3};
use stiction::models::{LoadOptions, load_str};
use stiction::{ContactState, Settings, Simulation, Sleep, State};
use stiction_lab::driven::Driven;
use stiction_scene::Scene;

/// Natural map of the exact law at which a step counts as certified [m/s].
pub(super) const CERTIFIED: f64 = 1e-6;
/// Steps not certified after which a trial, failed by the first, is broken off.
const ENOUGH: usize = 100;
/// Gravity [m/s²].
pub(super) const G: f64 = 9.81;

/// A line of the table.
pub(super) struct Line {
    pub(super) case: &'static str,
    /// Variant of the case.
    pub(super) of: String,
    pub(super) quantity: &'static str,
    pub(super) unit: &'static str,
    pub(super) value: f64,
    pub(super) limit: f64,
    pub(super) steps: usize,
    pub(super) uncertified: usize,
    /// Worst of all steps [m/s].
    pub(super) natural_map: f64,
}

impl Line {
    /// False for NaN.
    pub(super) fn holds(&self) -> bool {
        self.value <= self.limit && self.uncertified == 0
    }
}

/// A simulation that a case steps and measures.
pub(super) struct Trial {
    pub(super) sim: Driven,
    steps: usize,
    uncertified: usize,
    natural_map: f64,
    contacts: Vec<ContactState>,
}

impl Trial {
    fn new(sim: Driven) -> Self {
        Self { sim, steps: 0, uncertified: 0, natural_map: 0.0, contacts: Vec::new() }
    }

    /// Trial of a scene, with the contact solver it names.
    pub(super) fn of(scene: &Scene) -> Result<Self, ExperimentError> {
        let mut setup = scene.build()?;
        setup.settings.stepper.sleep = Sleep::Off; // every step is looked at
        Ok(Self::new(Driven::new(setup)?))
    }

    /// Trial of the text of a scene file.
    pub(super) fn of_toml(text: &str) -> Result<Self, ExperimentError> {
        Self::of(&Scene::from_toml(text, Path::new("hard-case.toml"))?)
    }

    /// Trial of the text of an MJCF file, with its time step, solved to `tolerance` [m/s].
    pub(super) fn of_mjcf(text: &str, tolerance: f64) -> Result<Self, ExperimentError> {
        let world = load_str(text, Path::new("hard-case.xml"), Path::new(""), &LoadOptions::default())?;
        let mut settings = Settings { tolerance, ..Settings::default() };
        settings.stepper.sleep = Sleep::Off;
        settings.stepper.dt = world.time_step.unwrap_or(settings.stepper.dt);
        let state = State::neutral(&world.model);
        Ok(Self::new(Simulation::new(world, state, settings)?.into()))
    }

    /// One judged step. One that failed counts as not certified.
    pub(super) fn step(&mut self) {
        let report = self.sim.step();
        let natural_map = match report.failure() {
            None => self.sim.sim_mut().certificate().natural_map,
            Some(_) => f64::INFINITY,
        };
        self.steps += 1;
        self.uncertified += usize::from(!(natural_map <= CERTIFIED));
        if !(natural_map <= self.natural_map) {
            self.natural_map = natural_map;
        }
    }

    /// Steps for `seconds`, or until [`ENOUGH`], and calls `look` after each.
    pub(super) fn run(&mut self, seconds: f64, mut look: impl FnMut(&mut Self)) {
        for _ in 0..self.steps_in(seconds) {
            if self.uncertified >= ENOUGH {
                break;
            }
            self.step();
            look(self);
        }
    }

    /// Steps for `seconds`; the farthest that one of the chosen free bodies was from where it started [m].
    pub(super) fn largest_shift(&mut self, seconds: f64, bodies: &[usize]) -> f64 {
        let start: Vec<Vec3> = bodies.iter().map(|b| self.position(*b)).collect();
        let mut worst = 0.0_f64;
        self.run(seconds, |t| {
            for (b, p) in bodies.iter().zip(&start) {
                worst = worse(worst, (t.position(*b) - *p).norm());
            }
        });
        worst
    }

    pub(super) fn steps_in(&self, seconds: f64) -> usize {
        (seconds / self.dt()).round() as usize
    }

    /// h [s].
    pub(super) fn dt(&self) -> f64 {
        self.sim.sim().settings().stepper.dt
    }

    /// Position of a body whose joint is free, the bodies counted as in the model [m].
    pub(super) fn position(&self, body: usize) -> Vec3 {
        let model = &self.sim.sim().world().model;
        let joint = &model.joints[model.dofs[model.bodies[body].dofs.start].joint];
        let q = &self.sim.sim().state().q[joint.idx_q..];
        vec3(q[0], q[1], q[2])
    }

    /// Velocity of the origin of such a body [m/s].
    pub(super) fn velocity(&self, body: usize) -> Vec3 {
        let v = &self.sim.sim().state().v[self.sim.sim().world().model.bodies[body].dofs.start..];
        vec3(v[0], v[1], v[2])
    }

    /// Contacts of the last step.
    pub(super) fn contacts(&mut self) -> &[ContactState] {
        self.sim.sim_mut().contacts_into(&mut self.contacts);
        &self.contacts
    }

    pub(super) fn line(
        &self,
        case: &'static str,
        of: impl Into<String>,
        [quantity, unit]: [&'static str; 2],
        value: f64,
        limit: f64,
    ) -> Line {
        let Self { steps, uncertified, natural_map, .. } = *self;
        Line { case, of: of.into(), quantity, unit, value, limit, steps, uncertified, natural_map }
    }
}

/// The larger; NaN is the largest.
pub(super) fn worse(a: f64, b: f64) -> f64 {
    if b.is_nan() { b } else { a.max(b) }
}
