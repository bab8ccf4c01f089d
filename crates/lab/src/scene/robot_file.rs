//! A robot file as a scene of its own.

use super::ground::{GROUND_RGBA, carrier, lowest_point, shift_free_bodies};
use super::spec::{HoldSpec, MeshKind, ModelSpec};
use super::{Scene, SceneError};
use std::path::{Path, PathBuf};
use stiction::State;
use stiction::collision::Shape;
use stiction::dynamics::JointKind;
use stiction::dynamics::spatial::{Pose, Vec3};
use stiction::models::{Geometry, World};

/// Height above an added ground from which a robot settles [m].
const CLEARANCE: f64 = 1e-3;

/// Choices that a robot file leaves open.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RobotOptions {
    /// URDF: the root link moves freely.
    pub free_base: bool,
    /// Keyframe to start from; see [`ModelSpec::keyframe`].
    pub keyframe: Option<String>,
    /// Servos on joints without an actuator; see [`ModelSpec::hold`].
    pub hold: Option<HoldSpec>,
    /// Where packages lie; see [`ModelSpec::package_dirs`].
    pub package_dirs: Vec<PathBuf>,
    /// SRDF file, as in [`ModelSpec::srdf`].
    pub srdf: Option<PathBuf>,
    /// Shapes by which meshes touch, as in [`ModelSpec::meshes`].
    pub meshes: MeshKind,
}

impl Scene {
    /// True if the scene is a robot file and nothing else.
    pub fn is_robot_file(&self) -> bool {
        self.standalone
    }

    /// The scene of one URDF, SDF or MJCF file: its gravity, its time step, its keyframe. A robot that would fall forever
    /// gets a ground plane, and stands just above it.
    pub fn from_model_file(path: &Path, options: &RobotOptions) -> Result<Self, SceneError> {
        let stem = path.file_stem().map_or_else(String::new, |s| s.to_string_lossy().into_owned());
        let model = ModelSpec {
            file: Some(path.to_owned()),
            free_base: options.free_base,
            keyframe: options.keyframe.clone(),
            hold: options.hold,
            package_dirs: options.package_dirs.clone(),
            srdf: options.srdf.clone(),
            meshes: options.meshes,
            ..ModelSpec::default()
        };
        let description = format!("the robot of {}", path.display());
        Ok(Self { name: stem, description, model: vec![model], standalone: true, ..Self::default() })
    }
}

/// Adds a ground where a robot is free to fall and nothing in its file would stop it. Says what it did.
pub(super) fn complete(world: &mut World, state: &mut State) -> Option<String> {
    let free = world.model.joints.iter().any(|j| j.kind == JointKind::Free);
    let stage = world.geometries.iter().any(|g| carrier(world, g.link).is_none());
    if !free || stage || world.model.gravity == Vec3::ZERO {
        return None;
    }
    let low = lowest_point(world, state, &Pose::IDENTITY)?;
    shift_free_bodies(world, state, Vec3::Z * (CLEARANCE - low));
    world.geometries.push(Geometry {
        name: "ground".to_owned(),
        link: None,
        X_LG: Pose::IDENTITY,
        shape: Shape::Plane,
        material: super::ground::surface(None, None, None),
        group: 1,
        mask: u32::MAX,
        continuous: false,
        rgba: GROUND_RGBA,
    });
    Some(format!(
        "the file has no ground: added the plane z = 0, and moved the robot by {:.4} m so that it starts 1 mm above",
        CLEARANCE - low
    ))
}
