//! Everything a scene file may say, section by section. Units: m, kg, s, N; angles in degrees where the key says so.
//!
//! A key that is not listed here is an error. Materials meet by the larger friction and the larger restitution of the
//! two; what states none leaves it to the other.

use super::number::{Direction, Finite, NotNegative, Positive, Quaternion, Rgba, Share, Size, Vector};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;
use stiction::models::Meshes;
use stiction::solvers::{Effort, Params};
use stiction::{Settings, StepperName, StepperParams};

/// `[ground]`: the plane z = `height`, perhaps sloping. Ground planes of robot files are left out beside it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GroundSpec {
    /// Coulomb coefficient [–].
    pub friction: Option<NotNegative>,
    /// Newton's coefficient of restitution [–].
    pub restitution: Option<Share>,
    /// The plane falls off towards +x by this angle [degrees].
    pub slope: Finite,
    /// Height at the origin [m].
    pub height: Finite,
    pub soft: Option<SoftSpec>,
    pub rgba: Option<Rgba>,
}

/// `soft = { … }`: how a surface yields. What is left out is left to the partner; where neither says it, compliant laws
/// take MuJoCo's and Drake's defaults, and contacts of the others are rigid without a stiffness.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SoftSpec {
    /// Stiffness under every law but `mujoco` [N/m]; `sap`, `lagged` and `similar` take 1e6.
    pub stiffness: Option<Positive>,
    /// Relaxation time of `sap`, which takes 0.1, and of the exact law where no dissipation is stated [s].
    pub relaxation: Option<NotNegative>,
    /// Dissipation of `lagged` and `similar`, which take 50, and of the exact law [s/m].
    pub dissipation: Option<NotNegative>,
    /// Reference of `mujoco`: time constant [s] and damping ratio, or both negative; 0.02, 1.
    pub solref: Option<[Finite; 2]>,
    /// Impedance of `mujoco`: d₀, d_width, width [m], midpoint, power; 0.9, 0.95, 0.001, 0.5, 2.
    pub solimp: Option<[Finite; 5]>,
    /// Impedance of friction over that of the normal for `mujoco` [–]; 1, and of two the larger.
    pub impratio: Option<Positive>,
    /// Contact by pressure over an area, with others that state this; left out: contact in points.
    pub hydroelastic: Option<HydroelasticSpec>,
    /// Pressure of what is compliant where it is deepest [Pa]; 1e7.
    pub modulus: Option<Positive>,
    /// Largest edge of the faces and cells of its surface [m]; a quarter of the radius of a ball inside.
    pub resolution: Option<Positive>,
    /// Depth at which a compliant plane has its modulus [m]; 10.
    pub thickness: Option<Positive>,
    /// Coulomb coefficient of what sticks, for the stepper `compliant` [–]; its `static_ratio` times `friction`.
    pub static_friction: Option<NotNegative>,
}

/// The part of a surface in contact by pressure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HydroelasticSpec {
    /// It does not yield; what it meets does.
    Rigid,
    /// It yields: planes and convex shapes.
    Compliant,
}

/// The kinds of primitive shapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ShapeKind {
    /// The half space below z = 0 of its pose; only fixed.
    Plane,
    /// `radius`.
    Sphere,
    /// `size`: full edges along x, y, z.
    Box,
    /// `radius`, and `length` between the centres of its two ends; axis z.
    Capsule,
    /// `radius`, and `length`; axis z.
    Cylinder,
    /// `size`: full axes along x, y, z.
    Ellipsoid,
    /// `radius` of its base, and `length` from there to its apex; axis z, origin half way up.
    Cone,
    /// `heights`, rows from the least y, each from the least x; `size`: sides along x and y, and how far
    /// it is solid below the lowest height.
    HeightField,
}

/// Frame that position and orientation are measured from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Frame {
    #[default]
    World,
    /// x, y in the (sloping) ground plane, z along its normal.
    Ground,
}

/// `[[fixed]]`: a shape that never moves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FixedSpec {
    pub name: String,
    pub shape: ShapeKind,
    pub size: Option<Size>,
    pub radius: Option<Positive>,
    pub length: Option<Positive>,
    /// Heights by rows [m].
    pub heights: Option<Vec<Vec<Finite>>>,
    #[serde(default)]
    pub position: Vector,
    /// Roll, pitch, yaw about the fixed axes x, y, z [degrees].
    pub rpy: Option<Vector>,
    /// (w, x, y, z), instead of `rpy`.
    pub quaternion: Option<Quaternion>,
    #[serde(default)]
    pub frame: Frame,
    pub friction: Option<NotNegative>,
    pub restitution: Option<Share>,
    pub soft: Option<SoftSpec>,
    pub rgba: Option<Rgba>,
}

/// `[[body]]`: a free rigid body of one homogeneous shape, or many copies of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BodySpec {
    /// Copies are called name0, name1, …
    pub name: String,
    pub shape: ShapeKind,
    pub size: Option<Size>,
    pub radius: Option<Positive>,
    pub length: Option<Positive>,
    /// Heights by rows [m].
    pub heights: Option<Vec<Vec<Finite>>>,
    /// Mass [kg].
    pub mass: Positive,
    /// Position of the centre [m].
    #[serde(default)]
    pub position: Vector,
    /// Roll, pitch, yaw about the fixed axes x, y, z [degrees].
    pub rpy: Option<Vector>,
    /// (w, x, y, z), instead of `rpy`.
    pub quaternion: Option<Quaternion>,
    /// Frame that position, orientation and velocity are measured in.
    #[serde(default)]
    pub frame: Frame,
    /// Velocity of the centre [m/s].
    #[serde(default)]
    pub velocity: Vector,
    /// In the axes of the body [rad/s].
    #[serde(default)]
    pub angular_velocity: Vector,
    pub friction: Option<NotNegative>,
    pub restitution: Option<Share>,
    pub soft: Option<SoftSpec>,
    pub rgba: Option<Rgba>,
    /// Number of copies in a row, each `offset` further than the one before.
    pub count: Option<u32>,
    /// Copies along x, y, z, at distances `offset`; instead of `count`.
    pub grid: Option<[u32; 3]>,
    /// Distance between neighbouring copies, along x, y, z [m].
    pub offset: Option<Vector>,
    /// Each copy has this many times the mass of the one before [–].
    pub mass_ratio: Option<Positive>,
    /// Random disorder, the same at every run.
    pub jitter: Option<JitterSpec>,
}

/// `jitter = { position, angle, seed }`: uniform disorder of copies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct JitterSpec {
    /// Every coordinate moves by up to this, either way [m].
    pub position: NotNegative,
    /// Turns by up to this about a random axis [degrees].
    pub angle: NotNegative,
    pub seed: u64,
}

/// `[[model]]`: a robot file, at a pose, in a posture.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ModelSpec {
    /// URDF, SDF or MJCF, relative to the scene file.
    pub file: Option<PathBuf>,
    /// The name of one of our own models, instead of `file`.
    pub builtin: Option<String>,
    /// Put before every name of the model.
    pub prefix: String,
    pub position: Vector,
    /// Roll, pitch, yaw about the fixed axes x, y, z [degrees].
    pub rpy: Option<Vector>,
    /// (w, x, y, z), instead of `rpy`.
    pub quaternion: Option<Quaternion>,
    pub frame: Frame,
    /// Keyframe to start from; without: `home`, `standing`, `stand` or `half_sitting` if there is one of these, else the first,
    /// else the neutral posture.
    pub keyframe: Option<String>,
    /// Starting position of single joints by name, over the keyframe [rad or m].
    pub joints: BTreeMap<String, Finite>,
    /// Starting velocity of single joints by name, over the keyframe [rad/s or m/s].
    pub joint_velocities: BTreeMap<String, Finite>,
    /// Starting velocity of the origin of a free base, along the axes of `frame`, instead of the keyframe's [m/s].
    pub velocity: Option<Vector>,
    /// Starting angular velocity of a free base in its own axes, instead of the keyframe's [rad/s].
    pub angular_velocity: Option<Vector>,
    /// URDF: the root link moves freely.
    pub free_base: bool,
    /// Folders in which `package://name/…` and `model://name/…` are looked up first, relative to the scene file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub package_dirs: Vec<PathBuf>,
    /// URDF: the SRDF file beside it, for pairs that never touch and for keyframes, relative to the scene file.
    pub srdf: Option<PathBuf>,
    /// Shapes by which its meshes touch.
    pub meshes: MeshKind,
    /// Whether the ground planes of its file come along; without: they are left where the scene has a ground, a fixed
    /// plane or a terrain, or a model before brings one.
    pub floor: Option<Floor>,
    /// Lowered or lifted so that its lowest point just touches the ground; only where nothing holds it to the world.
    pub set_down: bool,
    /// Friction coefficient of all its surfaces, instead of the file's [–].
    pub friction: Option<NotNegative>,
    /// One control per actuator, kept during the run, instead of the keyframe's.
    pub control: Option<Vec<Finite>>,
    /// Actuators for joints that none of the file drives, within the file's limits of effort: motors, whose control is the
    /// effort; position servos of 10 Hz, critically damped; velocity servos. Joints that follow others get none.
    pub actuators: Option<ActuatorKind>,
    /// Servos that keep the starting posture, on joints that no actuator drives.
    pub hold: Option<HoldSpec>,
}

/// `floor`: the ground planes of a model's file are kept, or left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Floor {
    Keep,
    Leave,
}

/// `actuators`: the kind of those that are added; see [`ModelSpec::actuators`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ActuatorKind {
    Motor,
    Position,
    Velocity,
}

/// `meshes`: what of a mesh touches; see [`Meshes`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MeshKind {
    #[default]
    Hull,
    /// Convex parts, made at the first load and remembered in the user's cache.
    Decompose,
    Triangles,
}

impl From<MeshKind> for Meshes {
    fn from(kind: MeshKind) -> Self {
        match kind {
            MeshKind::Hull => Self::Hull,
            MeshKind::Decompose => Self::decompose(),
            MeshKind::Triangles => Self::Triangles,
        }
    }
}

/// `hold = { stiffness, damping }`, or `{ frequency }`, or `{}`: see [`ModelSpec::hold`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HoldSpec {
    /// Stiffness of the spring [N·m/rad or N/m].
    pub stiffness: Option<Positive>,
    /// [N·m·s/rad or N·s/m]; without: critical for the inertia that the joint carries.
    pub damping: Option<NotNegative>,
    /// Without a stiffness: that of an oscillator with this frequency and the inertia that the joint carries
    /// [Hz]; 10.
    pub frequency: Option<Positive>,
}

/// `[[force]]`: a force on a body, constant or growing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ForceSpec {
    pub body: String,
    /// In world axes; only its direction counts.
    pub direction: Direction,
    /// At `start` [N].
    #[serde(default)]
    pub magnitude: Finite,
    /// Growth [N/s].
    #[serde(default)]
    pub ramp: Finite,
    /// The force grows no larger than this [N].
    pub cap: Option<NotNegative>,
    /// Time from which it acts [s].
    #[serde(default)]
    pub start: NotNegative,
    /// [s]; without: never.
    pub stop: Option<NotNegative>,
    /// Where it acts, in the axes of the body, from its origin [m].
    #[serde(default)]
    pub point: Vector,
}

/// `[[knife_edge]]`: a blade or a wheel that does not skid: a point of a body that has no velocity along one axis of the body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnifeEdgeSpec {
    /// A body, or a link of a robot.
    pub body: String,
    /// Where the edge is, in the axes of the body, from its origin [m].
    #[serde(default)]
    pub point: Vector,
    /// In the axes of the body: the direction without velocity, for a wheel its axle; only its direction counts.
    pub across: Direction,
}

/// `stepper = "NAME"`, or `[stepper]` with its parameters.
pub(super) fn stepper<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<StepperParams, D::Error> {
    struct NameOrTable;
    impl<'de> serde::de::Visitor<'de> for NameOrTable {
        type Value = StepperParams;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("the name of a stepper, or a table of its parameters")
        }

        fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<StepperParams, E> {
            let method = StepperName::of(name).map_err(E::custom)?;
            Ok(StepperParams { method, ..StepperParams::default() })
        }

        fn visit_map<A: serde::de::MapAccess<'de>>(self, map: A) -> Result<StepperParams, A::Error> {
            StepperParams::deserialize(serde::de::value::MapAccessDeserializer::new(map))
        }
    }
    deserializer.deserialize_any(NameOrTable)
}

/// `[contact]`: who solves the contacts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ContactSpec {
    /// A name that `stiction solvers` lists.
    pub solver: String,
    /// Residual at which the solver stops [m/s].
    pub tolerance: Positive,
    /// Iterations a step may take.
    pub max_iterations: u32,
    /// Every step of few contacts tells all motions that obey the law, and by which rule one was taken; `--json` says what was found.
    pub answers: bool,
    /// How much a step may cost, of the solver `auto`: its budgets are in the manual `stiction solvers auto`, and
    /// `balanced` is meant where nothing is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effort: Option<Effort>,
    /// `[contact.params]`: parameters of the solver, which `stiction solvers NAME` lists.
    #[serde(skip_serializing_if = "Params::is_empty")]
    pub params: Params,
}

impl ContactSpec {
    /// `params` with the effort, if one is asked for.
    pub(super) fn all_params(&self) -> Params {
        let params = self.params.clone();
        self.effort.map_or(params.clone(), |effort| effort.over(params))
    }
}

impl Default for ContactSpec {
    fn default() -> Self {
        let Settings { contact: solver, tolerance, max_iterations, .. } = Settings::default();
        Self {
            solver,
            tolerance: Positive(tolerance),
            max_iterations,
            answers: false,
            effort: None,
            params: Params::default(),
        }
    }
}
