//! What can be wrong with a scene: the place, what was found, what was expected.

use std::path::PathBuf;
use stiction::models::LoadError;
use stiction::world::Place;
use stiction::{ComposeError, SetupError};

/// Why a scene cannot be read or set up.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SceneError {
    /// The file cannot be read at all.
    #[error("{}: {reason}", path.display())]
    Read { path: PathBuf, reason: String },
    /// No built-in scene has this name.
    #[error(
        "no scene is called `{name}`{hint}; there are: {available}; or give a .toml, .urdf, .sdf or .xml file"
    )]
    Unknown { name: String, hint: String, available: String },
    /// The file type is none of those we read.
    #[error("{}: expected a scene (.toml) or a robot (.urdf, .sdf, .world, .xml, .mjcf)", path.display())]
    Extension { path: PathBuf },
    /// A mistake in the scene file.
    #[error("{place}: {message}")]
    Toml { place: Place, message: String },
    /// A mistake in a scene that was not read from a file.
    #[error("scene `{scene}`: {message}")]
    Scene { scene: String, message: String },
    /// A run of no step, or of more than can be counted.
    #[error(
        "a duration of {duration:e} s at a time step of {dt:e} s makes {:e} steps; expected 1 to 2^53: change either",
        (duration / dt).round()
    )]
    Length { duration: f64, dt: f64 },
    /// Nothing in the world moves, and something of its file is left out.
    #[error("`{scene}`: nothing is left to simulate: {note}; `stiction check` of the file tells all")]
    Nothing { scene: String, note: String },
    /// A mistake in a robot file.
    #[error(transparent)]
    Model(Box<LoadError>),
    /// Parts that do not make a world.
    #[error(transparent)]
    Compose(#[from] ComposeError),
    /// World, state and settings that do not fit each other.
    #[error(transparent)]
    Setup(#[from] SetupError),
}

impl From<LoadError> for SceneError {
    fn from(error: LoadError) -> Self {
        Self::Model(Box::new(error))
    }
}
