//! The door: a path or a text in, a [`World`] out.

use crate::error::LoadError;
use crate::meshes::Meshes;
use crate::value::shortened;
use crate::xml::{Document, MAX_TEXT};
use crate::{mjcf, sdf, urdf};
use std::io::Read;
use std::path::{Path, PathBuf};
use stiction_dynamics::spatial::Vec3;
use stiction_world::World;

/// Choices that a file leaves open.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadOptions {
    /// URDF: the root link moves freely instead of being fixed to the world.
    pub free_base: bool,
    /// Gravity in world axes [m/s²]; `None`: what the file says, else (0, 0, −9.81).
    pub gravity: Option<Vec3>,
    /// Folders in which `package://name/…` and `model://name/…` are looked up, before those above the
    /// file and those of the environment (`ROS_PACKAGE_PATH`, `GAZEBO_MODEL_PATH`, …).
    pub package_dirs: Vec<PathBuf>,
    /// URDF: an SRDF file that says more of the robot: pairs that never touch, and postures, which
    /// become keyframes.
    pub srdf: Option<PathBuf>,
    /// Load what is only drawn. Without, visual meshes are not opened.
    pub visuals: bool,
    /// URDF and SDF: accept moving bodies without mass or with an inertia that no body has, to look at them:
    /// such a world cannot be relied on in a simulation.
    pub unphysical: bool,
    /// Shapes by which meshes touch.
    pub meshes: Meshes,
}

impl Default for LoadOptions {
    fn default() -> Self {
        Self {
            free_base: false,
            gravity: None,
            package_dirs: Vec::new(),
            srdf: None,
            visuals: true,
            unphysical: false,
            meshes: Meshes::default(),
        }
    }
}

/// Folder and options that a reader works with.
pub(crate) struct Context<'a> {
    /// Folder that relative paths start from.
    pub(crate) folder: &'a Path,
    pub(crate) options: &'a LoadOptions,
}

/// Reads a URDF, SDF or MJCF file; the root element says which.
pub fn load(path: &Path, options: &LoadOptions) -> Result<World, LoadError> {
    let text = read_text(path)?;
    load_str(&text, path, path.parent().unwrap_or(Path::new("")), options)
}

/// Reads a URDF, SDF or MJCF text. Messages call it `file`; meshes and includes are relative to
/// `base_dir`.
pub fn load_str(text: &str, file: &Path, base_dir: &Path, options: &LoadOptions) -> Result<World, LoadError> {
    let document = Document::parse(file, text)?;
    let context = Context { folder: base_dir, options };
    match document.root().name() {
        "robot" | "drake:robot" => urdf::read(&document, &context),
        "sdf" | "gazebo" => sdf::read(document, &context),
        "mujoco" => mjcf::read(document, &context),
        found => {
            let hint = match found {
                "mujocoinclude" => "; this file is meant to be included by another: load that one",
                "COLLADA" => "; this is a mesh: name it in a URDF, SDF or MJCF file",
                _ => "",
            };
            let (place, found) = (document.root().place(), shortened(found));
            Err(LoadError::Format { place, found, hint: hint.to_owned() })
        }
    }
}

/// The text of a file that is not too large.
pub(crate) fn read_text(path: &Path) -> Result<String, LoadError> {
    let unread = |reason: String| LoadError::Read { path: path.to_owned(), reason };
    let bytes = read_bytes(path, MAX_TEXT as u64).map_err(unread)?;
    String::from_utf8(bytes).map_err(|e| {
        unread(format!("not UTF-8 text (byte {}); expected an XML file", e.utf8_error().valid_up_to()))
    })
}

/// A regular file of at most `limit` bytes.
pub(crate) fn read_bytes(path: &Path, limit: u64) -> Result<Vec<u8>, String> {
    // Looked at before it is opened: opening a pipe waits for its writer.
    let about = std::fs::metadata(path).map_err(|e| e.to_string())?;
    if !about.is_file() {
        return Err("not a regular file".to_owned());
    }
    if about.len() > limit {
        return Err(format!("{} bytes long; at most {limit} are read", about.len()));
    }
    let file = std::fs::File::open(path).map_err(|e| e.to_string())?;
    let mut bytes = Vec::new();
    file.take(limit).read_to_end(&mut bytes).map_err(|e| e.to_string())?;
    Ok(bytes)
}
