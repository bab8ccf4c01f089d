//! A world with the state and the settings it starts with, as it was loaded; it never changes.

use crate::errors::wrong;
use crate::fields::Quantity;
use crate::workspace::Workspaces;
use numpy::{AllowTypeChange, PyArrayLikeDyn};
use pyo3::prelude::*;
use std::sync::{Arc, OnceLock};
use stiction::{Settings, State, world};
use stiction_scene::{Force, Motion, Setup};
use stiction_sensors::Reading;

/// A loaded world.
#[pyclass(frozen, module = "stiction._stiction")]
pub(crate) struct World {
    pub(crate) name: String,
    pub(crate) world: Arc<world::World>,
    /// Where it starts.
    pub(crate) state: State,
    pub(crate) settings: Settings,
    pub(crate) forces: Vec<Force>,
    /// The motion that the actuators follow, if they do.
    pub(crate) motion: Option<Motion>,
    /// One control per actuator at the start.
    pub(crate) control: Vec<f64>,
    pub(crate) duration: f64,
    pub(crate) workspaces: Workspaces,
    /// Readings of its sensors, once somebody has asked.
    pub(crate) readings: OnceLock<Vec<Result<Reading, String>>>,
}

impl From<Setup> for World {
    fn from(setup: Setup) -> Self {
        let Setup { name, world, state, settings, forces, control, duration, motion } = setup;
        let world = Arc::new(world);
        Self {
            name,
            world,
            state,
            settings,
            forces,
            motion,
            control,
            duration,
            workspaces: Workspaces::default(),
            readings: OnceLock::new(),
        }
    }
}

impl World {
    /// The model of its bodies.
    pub(crate) fn model(&self) -> &stiction::dynamics::Model {
        &self.world.model
    }
}

impl World {
    /// Another of the same, whose memory is its own.
    pub(crate) fn copy(&self) -> Self {
        Self {
            name: self.name.clone(),
            world: Arc::clone(&self.world),
            state: self.state.clone(),
            settings: self.settings.clone(),
            forces: self.forces.clone(),
            motion: self.motion.clone(),
            control: self.control.clone(),
            duration: self.duration,
            workspaces: Workspaces::default(),
            readings: OnceLock::new(),
        }
    }
}

/// Numbers that Python gave for `quantity`, which must have `shape`, or be one number for all.
pub(crate) fn quantity_values(
    quantity: &Quantity,
    given: &Bound<'_, PyAny>,
    shape: &[usize],
) -> PyResult<Vec<f64>> {
    let array: PyArrayLikeDyn<'_, f64, AllowTypeChange> = given.extract()?;
    let view = array.as_array();
    let all: usize = shape.iter().product();
    if view.ndim() == 0 && quantity.columns == 1 {
        return Ok(vec![view.iter().copied().next().unwrap_or(f64::NAN); all]);
    }
    if view.shape() != shape {
        let found = view.shape();
        return Err(wrong(format_args!("`{}` has the shape {found:?}; expected {shape:?}", quantity.name)));
    }
    Ok(view.iter().copied().collect())
}

/// The message without its place in a text that nobody wrote.
pub(crate) fn without_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.rfind(" at line ").map_or(text.clone(), |end| text[..end].to_owned())
}
