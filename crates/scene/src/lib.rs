//! A scene: what is where, made of what, how it moves, and how it is simulated. Written once, as a TOML file, and used
//! by tests, benchmarks, command line and viewer alike.
//!
//! ```text
//!     scene.toml ─┐
//!     built-in   ─┼─▶ Scene ──build──▶ Setup { world, state, settings, forces, control }
//!     robot file ─┘
//! ```

// Capitals carry meaning: X_WB is a pose, M a mass matrix.
#![allow(non_snake_case)]
// !(a <= b) is how a NaN is caught.
#![allow(clippy::neg_cmp_op_on_partial_ord)]

mod body;
mod build;
mod builtin;
pub mod columns;
mod error;
mod force;
mod ground;
mod hold;
mod joined;
mod knife_edge;
mod model;
mod motion;
pub mod nearest;
mod number;
pub mod overrides;
mod posture;
#[cfg(test)]
mod reference;
mod robot_file;
mod source;
pub mod spec;
pub mod stepper_changes;
pub mod text;
mod track;
mod yielding;

pub use build::Setup;
pub use builtin::{BUILTIN_MODELS, BUILTIN_SCENES, builtin_summaries};
pub use error::SceneError;
pub use force::Force;
pub use hold::add_actuators;
pub use motion::{Motion, MotionSpec, Periodic};
pub use number::{Direction, Finite, NotNegative, Positive, Quaternion, Rgba, Share, Size, Vector};
pub use overrides::Overrides;
pub use robot_file::RobotOptions;
pub use source::Source;
pub use track::{Between, Track, TrackKind, TrackSpec};

use crate::text::read_text;
use serde::{Deserialize, Serialize};
use spec::{BodySpec, ContactSpec, FixedSpec, ForceSpec, GroundSpec, KnifeEdgeSpec, ModelSpec};
use std::path::Path;
use stiction::StepperParams;

/// Bytes beyond which a scene file is taken for a mistake.
const MAX_TEXT: u64 = 16 << 20;

/// A scene as it was read; its sections are described in [`spec`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Scene {
    /// Without: the name of the file.
    pub name: String,
    pub description: String,
    /// Simulated time of a run [s].
    pub duration: Positive,
    /// In world axes [m/s²]; without: (0, 0, −9.81).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gravity: Option<Vector>,
    /// Without: no ground.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ground: Option<GroundSpec>,
    pub contact: ContactSpec,
    /// A table of parameters, or the name of a stepper alone.
    #[serde(deserialize_with = "spec::stepper")]
    pub stepper: StepperParams,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fixed: Vec<FixedSpec>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub body: Vec<BodySpec>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub model: Vec<ModelSpec>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub force: Vec<ForceSpec>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub knife_edge: Vec<KnifeEdgeSpec>,
    /// The motion that actuators follow; without: they keep their controls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub motion: Option<MotionSpec>,
    /// Controls or positions over time from a file, instead of a motion.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub track: Option<TrackSpec>,
    /// The scene is a robot file: gravity, time step and initial state are the file's.
    #[serde(skip)]
    pub(crate) standalone: Option<robot_file::Standalone>,
    #[serde(skip)]
    source: Source,
}

impl Default for Scene {
    fn default() -> Self {
        Self {
            name: String::new(),
            description: String::new(),
            duration: Positive(5.0),
            gravity: None,
            ground: None,
            contact: ContactSpec::default(),
            stepper: StepperParams::default(),
            fixed: Vec::new(),
            body: Vec::new(),
            model: Vec::new(),
            force: Vec::new(),
            knife_edge: Vec::new(),
            motion: None,
            track: None,
            standalone: None,
            source: Source::default(),
        }
    }
}

impl Scene {
    /// Reads a scene file.
    pub fn load(path: &Path) -> Result<Self, SceneError> {
        let unread = |reason: String| SceneError::Read { path: path.to_owned(), reason };
        let text = read_text(path, MAX_TEXT).map_err(unread)?;
        Self::from_toml(&text, path)
    }

    /// Reads the text of a scene; messages call it `file`, and paths in it are relative to the folder of `file`.
    pub fn from_toml(text: &str, file: &Path) -> Result<Self, SceneError> {
        let source = Source { file: file.to_owned(), text: text.into() };
        let mut scene: Self = toml::from_str(text).map_err(|e| source.error_of(&e))?;
        if scene.name.is_empty() {
            scene.name = file.file_stem().map_or_else(String::new, |s| s.to_string_lossy().into_owned());
        }
        scene.source = source;
        Ok(scene)
    }

    /// The text of a scene file that says the same.
    pub fn to_toml(&self) -> Result<String, SceneError> {
        toml::to_string(self)
            .map_err(|e| SceneError::Scene { scene: self.name.clone(), message: e.to_string() })
    }

    /// A built-in scene by name, a scene file (.toml) or a robot file (.urdf, .sdf, .world, .xml, .mjcf).
    pub fn find(name_or_path: &str, robot: &RobotOptions) -> Result<Self, SceneError> {
        let path = Path::new(name_or_path);
        match path.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase).as_deref() {
            Some("toml") => Self::load(path),
            Some("xml" | "urdf" | "sdf" | "world" | "mjcf" | "xacro") => Self::from_model_file(path, robot),
            _ if path.components().count() > 1 || path.exists() => {
                Err(SceneError::Extension { path: path.to_owned() })
            }
            _ => Self::builtin(name_or_path),
        }
    }

    /// A mistake at `section[index].key`, placed if the scene was read from a text.
    pub(crate) fn mistake(
        &self,
        section: &str,
        index: usize,
        key: &str,
        message: impl Into<String>,
    ) -> SceneError {
        let mistake = self.source.error_in(section, index, key, message.into());
        mistake.unwrap_or_else(|message| SceneError::Scene {
            scene: self.name.clone(),
            message: match key {
                "joints" if self.is_robot_file() => format!("--joint: {message}"),
                "keyframe" if self.is_robot_file() => format!("--keyframe: {message}"),
                _ => format!("{section}.{key}: {message}"),
            },
        })
    }
}
