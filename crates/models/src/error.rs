//! What can be wrong with a robot description: the place, what was found, what was expected.

use std::path::{Path, PathBuf};
use stiction_dynamics::ModelError;
use stiction_world::Place;

/// Why a file could not be read into a world.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    #[error("{}: {reason}", path.display())]
    Read { path: PathBuf, reason: String },
    #[error("{place}: not well-formed XML: {reason}")]
    Xml { place: Place, reason: String },
    #[error(
        "{place}: the root element is <{found}>; supported are <robot> (URDF), <sdf> (SDF) and <mujoco> (MJCF){hint}"
    )]
    Format { place: Place, found: String, hint: String },
    #[error("{place}: {element} {attribute}=\"{value}\": expected {expected}{hint}")]
    Value {
        place: Place,
        element: Box<str>,
        attribute: Box<str>,
        value: Box<str>,
        expected: Box<str>,
        /// A nearby word that exists, or nothing.
        hint: Box<str>,
    },
    #[error("{place}: <{element}> lacks {what}: expected {expected}")]
    Missing { place: Place, element: String, what: String, expected: String },
    #[error("{place}: {element} names the {kind} `{name}`, which does not exist{hint}")]
    Reference { place: Place, element: String, kind: &'static str, name: String, hint: String },
    #[error("{place}: a second {kind} `{name}`; the first is at {first}")]
    Duplicate { place: Place, kind: &'static str, name: String, first: Place },
    #[error("{place}: {message}")]
    Structure { place: Place, message: String },
    #[error("{place}: mesh {}: {reason}", shown(path))]
    Mesh { place: Place, path: PathBuf, reason: String },
    #[error("{place}: {source}")]
    Model { place: Place, source: ModelError },
    #[error("{place}: {what}: at most {limit} are supported")]
    Limit { place: Place, what: String, limit: usize },
}

/// A path as messages show it; of a very long one, the end.
fn shown(path: &Path) -> String {
    let text = path.display().to_string();
    let rest = text.chars().count().saturating_sub(200);
    if rest == 0 { text } else { format!("…{}", text.chars().skip(rest).collect::<String>()) }
}

impl LoadError {
    /// Where the mistake is; `None` when a file could not be read at all.
    pub fn place(&self) -> Option<&Place> {
        match self {
            Self::Read { .. } => None,
            Self::Xml { place, .. }
            | Self::Format { place, .. }
            | Self::Value { place, .. }
            | Self::Missing { place, .. }
            | Self::Reference { place, .. }
            | Self::Duplicate { place, .. }
            | Self::Structure { place, .. }
            | Self::Mesh { place, .. }
            | Self::Model { place, .. }
            | Self::Limit { place, .. } => Some(place),
        }
    }
}
