//! A robot file as a scene of its own.

use super::ground::{GROUND_RGBA, carrier, lowest_point, lowest_points};
use super::joined::{joined, shift_trees};
use super::spec::{ActuatorKind, HoldSpec, MeshKind, ModelSpec};
use super::{Finite, Scene, SceneError};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use stiction::State;
use stiction::collision::Shape;
use stiction::dynamics::JointKind;
use stiction::dynamics::spatial::{Pose, Vec3};
use stiction::world::{Geometry, Note, Severity, World};

/// Height above an added ground from which a robot settles [m].
const CLEARANCE: f64 = 1e-3;

/// Choices that a robot file leaves open.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RobotOptions {
    /// URDF: the root link moves freely.
    pub free_base: bool,
    /// Keyframe to start from; see [`ModelSpec::keyframe`].
    pub keyframe: Option<String>,
    /// Actuators on joints that the file drives with none; see [`ModelSpec::actuators`].
    pub actuators: Option<ActuatorKind>,
    /// Servos on joints without an actuator; see [`ModelSpec::hold`].
    pub hold: Option<HoldSpec>,
    /// Starting positions of single joints; see [`ModelSpec::joints`].
    pub joints: BTreeMap<String, Finite>,
    /// Where packages lie; see [`ModelSpec::package_dirs`].
    pub package_dirs: Vec<PathBuf>,
    /// SRDF file, as in [`ModelSpec::srdf`].
    pub srdf: Option<PathBuf>,
    /// Shapes by which meshes touch, as in [`ModelSpec::meshes`].
    pub meshes: MeshKind,
    /// The plane z = 0 is added, whatever the file has.
    pub ground: bool,
}

impl Scene {
    /// True if the scene is a robot file and nothing else.
    pub fn is_robot_file(&self) -> bool {
        self.standalone.is_some()
    }

    /// The scene of one URDF, SDF or MJCF file: its gravity, its time step, its keyframe, its initial state. One robot with
    /// a free base whose file has no ground gets one, and is set down on it; see [`complete`].
    pub fn from_model_file(path: &Path, options: &RobotOptions) -> Result<Self, SceneError> {
        let stem = path.file_stem().map_or_else(String::new, |s| s.to_string_lossy().into_owned());
        let model = ModelSpec {
            file: Some(path.to_owned()),
            free_base: options.free_base,
            keyframe: options.keyframe.clone(),
            actuators: options.actuators,
            hold: options.hold,
            joints: options.joints.clone(),
            package_dirs: options.package_dirs.clone(),
            srdf: options.srdf.clone(),
            meshes: options.meshes,
            ..ModelSpec::default()
        };
        let description = format!("the robot of {}", path.display());
        let standalone = Some(Standalone { ground: options.ground });
        Ok(Self { name: stem, description, model: vec![model], standalone, ..Self::default() })
    }
}

/// Wishes about a robot file that it does not hold itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Standalone {
    /// The wish of [`RobotOptions::ground`].
    pub(super) ground: bool,
}

/// Adds the plane z = 0 where it was asked for, and under one robot with a free base whose file has nothing to stand on;
/// says what it did. `free_base`: the root was freed by an option, so that no file says where it starts.
///
/// Whatever a joint, a loop, a coupling or a tendon holds to a free body moves with it, and nothing moves that holds on to
/// the world: the file's state stays what it is but for its height. Asked for, the ground lifts what would start in it, and
/// lowers nothing.
pub(super) fn complete(
    world: &mut World,
    state: &mut State,
    asked: Standalone,
    free_base: bool,
) -> Option<Note> {
    let note = |message: String| Some(Note::of_scene(Severity::Note, message));
    let free = world.model.joints.iter().any(|j| j.kind == JointKind::Free);
    let stage = world.geometries.iter().any(|g| carrier(world, g.link).is_none());
    if !asked.ground && (!free || stage || world.model.gravity == Vec3::ZERO) {
        return None;
    }
    let groups = joined(world);
    if asked.ground {
        let mut lifted = Vec::new();
        let lows = lowest_points(world, state, &Pose::IDENTITY);
        let mut shifts = vec![0.0; lows.len()];
        let mut roots = vec![0; lows.len()];
        world.model.bodies.iter().enumerate().rev().for_each(|(i, body)| roots[body.tree] = i);
        for group in groups.iter().filter(|g| g.floats) {
            let low = group.trees.iter().filter_map(|t| lows[*t]).reduce(f64::min);
            if let Some(low) = low.filter(|low| *low < 0.0) {
                group.trees.iter().for_each(|t| shifts[*t] = CLEARANCE - low);
                let root = group.trees.first().map_or("", |t| &world.model.bodies[roots[*t]].name);
                lifted.push(format!("`{root}` by {:.4} m", CLEARANCE - low));
            }
        }
        shift_trees(world, state, |tree| Vec3::Z * shifts[tree]);
        add_plane(world);
        let lifts =
            if lifted.is_empty() { String::new() } else { format!(", and lifted {}", lifted.join(", ")) };
        return note(format!("added the plane z = 0, as asked{lifts}"));
    }
    let at_rest = state.v.iter().all(|v| *v == 0.0);
    let robot = free_base || world.model.bodies.len() > 1;
    match &groups[..] {
        [whole] if whole.floats && robot && at_rest => {
            let low = lowest_point(world, state, &Pose::IDENTITY)?;
            shift_trees(world, state, |_| Vec3::Z * (CLEARANCE - low));
            add_plane(world);
            note(format!(
                "the file has no ground: added the plane z = 0, and moved the robot by {:.4} m so that it starts 1 mm above",
                CLEARANCE - low
            ))
        }
        _ => note(
            "the file has nothing to stand on, and none was added: what is free falls for ever (--ground adds the plane z = 0)"
                .to_owned(),
        ),
    }
}

fn add_plane(world: &mut World) {
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
}
