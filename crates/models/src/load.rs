//! The door: a path or a text in, a [`World`] out.

use crate::error::LoadError;
use crate::world::World;
use std::path::{Path, PathBuf};
use stiction_dynamics::spatial::Vec3;

/// What the file leaves open.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadOptions {
    /// URDF: the root link moves freely instead of being fixed to the world.
    pub free_base: bool,
    /// Gravity in world axes [m/s²]; `None`: what the file says, else (0, 0, −9.81).
    pub gravity: Option<Vec3>,
    /// Folders in which `package://name/…` is looked up, before those above the file.
    pub package_dirs: Vec<PathBuf>,
    /// Load what is only drawn. Without, visual meshes are not opened.
    pub visuals: bool,
}

impl Default for LoadOptions {
    fn default() -> Self {
        Self { free_base: false, gravity: None, package_dirs: Vec::new(), visuals: true }
    }
}

/// Reads a URDF or MJCF file; the root element says which.
pub fn load(path: &Path, options: &LoadOptions) -> Result<World, LoadError> {
    let _ = (path, options);
    Err(LoadError::Read { path: path.to_owned(), reason: "not implemented".to_owned() })
}

/// Reads a URDF or MJCF text. Messages call it `file`; meshes and includes are relative to
/// `base_dir`.
pub fn load_str(
    text: &str,
    file: &Path,
    base_dir: &Path,
    options: &LoadOptions,
) -> Result<World, LoadError> {
    let _ = (text, base_dir, options);
    Err(LoadError::Read { path: file.to_owned(), reason: "not implemented".to_owned() })
}
