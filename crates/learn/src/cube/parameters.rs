//! The scene of a toss, told by named numbers, and its simulation by the engine.

use super::set::{FRAME, Toss};
use serde::{Deserialize, Serialize};
use stiction::collision::Shape;
use stiction::dynamics::spatial::{Inertia, Pose, Sym3, Vec3, vec3};
use stiction::models::Material;
use stiction::{Composer, FreeBody, Settings, Simulation, UNCOLOURED};

/// Everything that the scene is made of. Defaults are the numbers that come with the data [Pfrommer2020].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CubeParameters {
    pub friction: f64,
    /// Newton's coefficient of restitution.
    pub restitution: f64,
    /// Half of the side [m].
    pub half: f64,
    /// Radius of gyration about each axis [m].
    pub gyration: f64,
    /// Acceleration of free fall [m/s²].
    pub gravity: f64,
    /// Height of the table [m].
    pub table: f64,
    /// Mass [kg]; no contact with a table that stands still depends on it.
    pub mass: f64,
}

impl Default for CubeParameters {
    fn default() -> Self {
        Self {
            friction: 0.18,
            restitution: 0.125,
            half: 0.0524,
            gyration: (0.00081_f64 / 0.37).sqrt(),
            gravity: 9.81,
            table: 0.0,
            mass: 0.37,
        }
    }
}

/// A parameter that can be identified.
#[derive(Clone, Copy)]
pub struct Named {
    pub name: &'static str,
    /// Where it is looked for.
    pub range: [f64; 2],
    /// The value in a scene.
    pub get: fn(&CubeParameters) -> f64,
    /// Sets it.
    pub set: fn(&mut CubeParameters, f64),
}

/// A name, its range, and how to reach the field.
macro_rules! named {
    ($name:ident, $low:expr, $high:expr) => {
        Named { name: stringify!($name), range: [$low, $high], get: |p| p.$name, set: |p, x| p.$name = x }
    };
}

/// All parameters that can be identified.
pub const NAMED: &[Named] = &[
    named!(friction, 0.0, 0.6),
    named!(restitution, 0.0, 0.6),
    named!(half, 0.047, 0.058),
    named!(gyration, 0.036, 0.056),
    named!(gravity, 9.2, 10.2),
    named!(table, -0.006, 0.004),
];

/// The parameter called `name`.
pub fn parameter(name: &str) -> Option<&'static Named> {
    NAMED.iter().find(|n| n.name == name)
}

/// A toss that the engine could not simulate.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("toss {id} cannot be simulated: {what}")]
pub struct TossError {
    pub id: u32,
    pub what: String,
}

/// How tosses are simulated.
#[derive(Clone, Debug)]
pub struct CubeSimulator {
    /// Steps of a frame.
    pub steps: usize,
    pub settings: Settings,
}

impl Default for CubeSimulator {
    fn default() -> Self {
        Self { steps: 2, settings: Settings::default() }
    }
}

impl CubeSimulator {
    /// Poses as in [`Toss::frames`], as many as `frames`, from the first measured pose and velocity on.
    ///
    /// # Errors
    ///
    /// If the parameters are none that a scene can have, or the first state is none.
    pub fn simulate(
        &self,
        parameters: &CubeParameters,
        toss: &Toss,
        frames: usize,
    ) -> Result<Vec<[f64; 7]>, TossError> {
        let p = parameters;
        let wrong = |what: String| TossError { id: toss.id, what };
        let mut scene =
            Composer::new("toss", vec3(0.0, 0.0, -p.gravity)).map_err(|e| wrong(e.to_string()))?;
        let surface = Material { friction: p.friction, restitution: p.restitution, ..Material::default() };
        let table = Pose::from_translation(vec3(0.0, 0.0, p.table));
        scene.fixed("table", Shape::Plane, table, surface, UNCOLOURED).map_err(|e| wrong(e.to_string()))?;
        let shape = Shape::Box { half: vec3(p.half, p.half, p.half) };
        let body = FreeBody { material: surface, ..FreeBody::new("cube", shape, p.mass, Pose::IDENTITY) };
        let cube = scene.body(body).map_err(|e| wrong(e.to_string()))?;
        let (mut world, mut state) = scene.finish();
        let about = p.mass * p.gyration * p.gyration;
        world.model.bodies[cube].inertia =
            Inertia::new(p.mass, Vec3::ZERO, Sym3::diagonal(about, about, about));
        state.q.copy_from_slice(&toss.frames[0]);
        state.v.copy_from_slice(&toss.velocity);
        // The velocity is half a frame old, and the cube is in free fall.
        state.v[2] -= 0.5 * FRAME * p.gravity;
        let mut settings = self.settings.clone();
        settings.stepper.dt = FRAME / self.steps.max(1) as f64;
        let mut simulation = Simulation::new(world, state, settings).map_err(|e| wrong(e.to_string()))?;
        let mut track = Vec::with_capacity(frames);
        track.push(toss.frames[0]);
        while track.len() < frames {
            for _ in 0..self.steps.max(1) {
                simulation.step();
            }
            track.push(std::array::from_fn(|i| simulation.state().q[i]));
        }
        Ok(track)
    }
}
