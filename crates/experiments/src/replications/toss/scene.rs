//! What is thrown, told by named numbers, and its simulation by the engine.

use super::measured::{FRAME, Toss};
use serde::Serialize;
use stiction::world::World;
use stiction::{Settings, Simulation, State};

/// A position [m] and the quaternion (w, x, y, z) from body to world.
pub type Pose = [f64; 7];

/// A thing that is thrown onto a table: its parameters, which make it a scene.
pub trait TossScene: Copy + Default + Serialize + Send + Sync + 'static {
    /// How the files of its tosses begin.
    const FILES: &'static str;
    /// Columns of the angles of its joints, and of their rates.
    const ANGLES: &'static [&'static str];
    const RATES: &'static [&'static str];
    /// All parameters that can be identified.
    const NAMED: &'static [Named<Self>];
    /// The fits of its table.
    const FITS: &'static [TossFit];
    /// The radius by which angles become lengths where one number is wanted [m].
    const GYRATION: f64;

    /// Numbers that others have published, by name; the default is the first.
    fn published() -> Vec<(&'static str, Self)>;

    /// The world, and a state of it.
    ///
    /// # Errors
    ///
    /// If the parameters are none that a scene can have.
    fn build(&self) -> Result<(World, State), SceneError>;

    /// The poses of its bodies at positions as in [`Toss::frames`].
    fn poses(q: &[f64]) -> Vec<Pose>;

    /// Acceleration of free fall [m/s²].
    fn gravity(&self) -> f64;
}

/// A parameter that can be identified.
#[derive(Clone, Copy)]
pub struct Named<S> {
    pub name: &'static str,
    /// Where it is looked for.
    pub range: [f64; 2],
    /// The value in a scene.
    pub get: fn(&S) -> f64,
    /// Sets it.
    pub set: fn(&mut S, f64),
}

/// A name, its range, and how to reach the field.
macro_rules! named {
    ($name:ident, $low:expr, $high:expr) => {
        $crate::replications::toss::Named {
            name: stringify!($name),
            range: [$low, $high],
            get: |p| p.$name,
            set: |p, x| p.$name = x,
        }
    };
}
pub(super) use named;

/// A fit: its name and the parameters that it searches.
#[derive(Clone, Copy, Debug)]
pub struct TossFit {
    pub name: &'static str,
    pub parameters: &'static [&'static str],
}

/// The parameter of `S` called `name`.
pub fn parameter<S: TossScene>(name: &str) -> Option<&'static Named<S>> {
    S::NAMED.iter().find(|n| n.name == name)
}

/// Parameters that make no scene, or a toss that the engine cannot start from.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the toss cannot be simulated: {0}")]
pub struct SceneError(String);

impl SceneError {
    /// The error of another layer.
    pub fn of(error: impl std::fmt::Display) -> Self {
        Self(error.to_string())
    }
}

/// How tosses are simulated.
#[derive(Clone, Debug)]
pub struct TossSimulator {
    /// Steps of a frame.
    pub steps: usize,
    pub settings: Settings,
}

impl Default for TossSimulator {
    fn default() -> Self {
        Self { steps: 2, settings: Settings::default() }
    }
}

impl TossSimulator {
    /// Positions as in [`Toss::frames`], as many as `frames`, from the first measured ones and the velocity on, in the world that
    /// `scene` has built.
    ///
    /// # Errors
    ///
    /// If the engine cannot start from there.
    pub fn simulate<S: TossScene>(
        &self,
        scene: &S,
        (world, state): &(World, State),
        toss: &Toss,
        frames: usize,
    ) -> Result<Vec<Vec<f64>>, SceneError> {
        let mut state = state.clone();
        state.q.copy_from_slice(&toss.frames[0]);
        state.v.copy_from_slice(&toss.velocity);
        // The velocity is half a frame old, and the thing is in free fall.
        state.v[2] -= 0.5 * FRAME * scene.gravity();
        let mut settings = self.settings.clone();
        settings.stepper.dt = FRAME / self.steps.max(1) as f64;
        let mut simulation = Simulation::new(world.clone(), state, settings).map_err(SceneError::of)?;
        let mut track = Vec::with_capacity(frames);
        track.push(toss.frames[0].clone());
        while track.len() < frames {
            for _ in 0..self.steps.max(1) {
                simulation.step();
            }
            track.push(simulation.state().q.clone());
        }
        Ok(track)
    }
}
