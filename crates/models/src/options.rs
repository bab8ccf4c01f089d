//! Choices that files leave open, and what a reader works with.

use crate::meshes::Meshes;
use std::path::{Path, PathBuf};
use stiction_dynamics::spatial::Vec3;

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
