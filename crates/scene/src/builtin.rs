//! Our own scenes and robots, carried inside the program.

use super::{Scene, SceneError};
use crate::nearest::hint;
use std::path::{Path, PathBuf};

macro_rules! files {
    ($($name:literal: $file:literal),+ $(,)?) => {
        &[$(($name, include_str!(concat!("../scenes/", $file)))),+]
    };
}

/// Name and text of every built-in scene, in the order they are listed.
pub const BUILTIN_SCENES: &[(&str, &str)] = files![
    "ball": "ball.toml",
    "cube-slide": "cube-slide.toml",
    "cube-drag": "cube-drag.toml",
    "cube-toss": "cube-toss.toml",
    "slope": "slope.toml",
    "stack": "stack.toml",
    "mass-ratio-stack": "mass-ratio-stack.toml",
    "two-cubes": "two-cubes.toml",
    "pendulum": "pendulum.toml",
    "double-pendulum": "double-pendulum.toml",
    "quadruped": "quadruped.toml",
    "humanoid": "humanoid.toml",
    "grasp": "grasp.toml",
    "wedge": "wedge.toml",
    "pile": "pile.toml",
    "robosimian-walk": "robosimian-walk.toml",
    "robosimian-jump": "robosimian-jump.toml",
    "spider-walk": "spider-walk.toml",
    "spider-jump": "spider-jump.toml",
    "sand": "sand.toml",
];

/// Name and text of every built-in model (MJCF).
pub const BUILTIN_MODELS: &[(&str, &str)] = files![
    "pendulum": "pendulum.xml",
    "double-pendulum": "double-pendulum.xml",
    "quadruped": "quadruped.xml",
    "humanoid": "humanoid.xml",
    "gripper": "gripper.xml",
    "wedge": "wedge.xml",
    "robosimian": "robosimian.xml",
    "spider": "spider.xml",
    "lander": "lander.xml",
    "solo12": "solo12.xml",
    "push-box": "push-box.xml",
    "hand": "hand.xml",
];

/// Name of a built-in file in messages.
pub(super) fn builtin_path(name: &str, extension: &str) -> PathBuf {
    Path::new("builtin").join(name).with_extension(extension)
}

/// Names of the built-in models.
pub(super) fn model_names() -> impl Iterator<Item = &'static str> {
    BUILTIN_MODELS.iter().map(|(name, _)| *name)
}

impl Scene {
    /// The built-in scene called `name`.
    pub fn builtin(name: &str) -> Result<Self, SceneError> {
        let names = BUILTIN_SCENES.iter().map(|(name, _)| *name);
        let (_, text) = BUILTIN_SCENES.iter().find(|(n, _)| *n == name).ok_or_else(|| {
            let (hint, available) = (hint(name, names.clone()), names.collect::<Vec<_>>().join(", "));
            SceneError::Unknown { name: name.to_owned(), hint, available }
        })?;
        Self::from_toml(text, &builtin_path(name, "toml"))
    }
}

/// Name and description of every built-in scene.
pub fn builtin_summaries() -> Result<Vec<(&'static str, String)>, SceneError> {
    BUILTIN_SCENES.iter().map(|(name, _)| Ok((*name, Scene::builtin(name)?.description))).collect()
}
