//! A robot at one state: what the equations of motion are made of.
//!
//! ```text
//!     M(q) v̇ + bias(q, v) = τ + Jᵀ f
//! ```
//!
//! Links fixed to the world count in mass, centre of mass and potential energy of an MJCF file, and do not in those of
//! a URDF or SDF file: the reference libraries of the two formats, MuJoCo and Pinocchio, do the same.

use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use stiction::dynamics::spatial::Vec3;
use stiction::dynamics::{
    CrbaWorkspace, Joint, JointKind, Kinematics, Link, MassMatrix, RneaWorkspace, Velocities, bias_into,
    centre_of_mass, crba_into, kinetic_energy, potential_energy, spring_energy,
};
use stiction::models::{LoadError, LoadOptions, load, load_str};
use stiction::world::{Dimension, Fate, Mixing, World, principal};
use stiction::{NoMemory, State, StateError, check_square};
use stiction_scene::BUILTIN_MODELS;
use stiction_scene::nearest::hint;
use stiction_scene::text::read_text;

/// Bytes beyond which a file of a state is taken for a mistake.
const MAX_STATE: u64 = 16 << 20;

/// A robot or scene as `stiction inspect --json` prints it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Inspection {
    pub nq: usize,
    pub nv: usize,
    pub joints: Vec<JointEntry>,
    pub links: Vec<LinkEntry>,
    #[serde(flatten)]
    pub contact: ContactEntries,
    /// By rows, rotor inertia included.
    pub M: Vec<Vec<f64>>,
    /// Gravity, Coriolis and centrifugal efforts [N or N·m].
    pub bias: Vec<f64>,
    /// Centre of mass [m].
    pub com: [f64; 3],
    /// Kinetic energy [J].
    pub kinetic: f64,
    /// Gravity and joint springs; zero height at the world origin [J].
    pub potential: f64,
    /// Mass that counts: of what moves, and in an MJCF file of what is fixed to the world [kg].
    pub total_mass: f64,
    /// Mass of what moves [kg].
    pub moving_mass: f64,
    /// Mass of the links that are fixed to the world, whether it counts or not [kg].
    pub fixed_mass: f64,
    #[serde(flatten)]
    pub doubts: Doubts,
}

/// Shapes that can touch, and how.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ContactEntries {
    pub surfaces: Vec<SurfaceEntry>,
    /// Pairs of shapes with a rule of their own.
    pub pairs: Vec<PairEntry>,
}

/// Everything that may be wrong with a file.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Doubts {
    /// Warnings on parts that were read but look wrong, or were not understood.
    pub warnings: Vec<String>,
    /// Parts that would change the motion but are not simulated yet.
    pub unsupported: Vec<String>,
}

/// A joint: where it sits in q and v, and what holds it. Units are those of its coordinate: rad and N·m, or m and N.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JointEntry {
    pub name: String,
    #[serde(rename = "type")]
    pub kind: &'static str,
    pub idx_q: usize,
    pub idx_v: usize,
    /// Range of the coordinate, of a ball of the angle [rad or m].
    pub limit: Option<[f64; 2]>,
    /// Viscous damping, per dof [N·m·s/rad or N·s/m].
    pub damping: Vec<f64>,
    /// Dry friction, per dof [N·m or N].
    pub friction: Vec<f64>,
    /// Inertia of the rotor at the joint, per dof [kg·m² or kg].
    pub armature: Vec<f64>,
    /// Spring [N·m/rad or N/m].
    pub stiffness: f64,
    /// Range of the efforts of all its actuators together, where the file says it, of the first dof [N·m or N].
    pub effort_limit: Option<[f64; 2]>,
    /// Largest speed of its drive, where the file says it, of the first dof [rad/s or m/s].
    pub velocity_limit: Option<f64>,
}

/// A link's own mass, without those of the links fixed to it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LinkEntry {
    pub name: String,
    /// [kg]
    pub mass: f64,
    /// Centre of mass from the link's origin, in its axes [m].
    pub com: [f64; 3],
    /// xx, yy, zz, xy, xz, yz about the centre of mass, in the axes of the link [kg·m²].
    pub inertia: [f64; 6],
    /// Principal moments about the centre of mass, ascending [kg·m²].
    pub principal_moments: [f64; 3],
}

/// The surface of a shape.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SurfaceEntry {
    pub name: String,
    /// Coulomb's coefficient, along the axis of its grain if it has one [–].
    pub friction: f64,
    /// Newton's coefficient of restitution [–].
    pub restitution: f64,
    /// Friction that counts where it meets another of its format: larger, smaller, harmonic, or that of the other.
    pub of_two: &'static str,
    /// Among two surfaces the higher decides alone.
    pub priority: i32,
}

/// Friction and restitution of two shapes, and whence.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PairEntry {
    pub shapes: [String; 2],
    /// Coulomb's coefficient, of two directions the larger [–].
    pub friction: f64,
    /// Newton's coefficient of restitution [–].
    pub restitution: f64,
    pub why_friction: String,
    pub why_restitution: String,
    /// Whether the two ever meet: groups, exclusions and joints may keep them apart.
    pub meet: bool,
}

impl SurfaceEntry {
    fn new(world: &World, g: usize) -> Self {
        let material = &world.geometries[g].material;
        let of_two = match material.mixing {
            Mixing::Unsaid if material.says_no_friction() => "other",
            Mixing::Unsaid | Mixing::Larger => "larger",
            Mixing::Smaller => "smaller",
            Mixing::Harmonic => "harmonic",
        };
        Self {
            name: world.geometry_in_words(g),
            friction: if material.dimension == Dimension::Normal { 0.0 } else { material.friction },
            restitution: material.restitution,
            of_two,
            priority: material.priority,
        }
    }
}

impl PairEntry {
    /// The geometries `a` and `b` of a world.
    fn new(world: &World, [a, b]: [usize; 2], meet: bool) -> Self {
        let between = world.between(a, b);
        Self {
            shapes: [a, b].map(|g| world.geometry_in_words(g)),
            friction: between.surface.friction(),
            restitution: between.surface.restitution,
            why_friction: between.why_friction(world),
            why_restitution: between.why_restitution(world),
            meet,
        }
    }

    /// The shapes of these names, of which each has to be the only one.
    pub fn named(world: &World, names: [&str; 2]) -> Result<Self, InspectError> {
        let [a, b] = [geometry(world, names[0])?, geometry(world, names[1])?];
        let meet = world.collision().is_ok_and(|of| of.may_meet(a.min(b), a.max(b)));
        Ok(Self::new(world, [a, b], meet && a != b))
    }
}

/// The shape of a name, or the only one of the link of that name.
fn geometry(world: &World, name: &str) -> Result<usize, InspectError> {
    let named = |g: &usize| world.geometries[*g].name == name;
    let on_link = |g: &usize| world.geometries[*g].link.is_some_and(|l| world.model.links[l].name == name);
    let all = || 0..world.geometries.len();
    let mut found: Vec<usize> = all().filter(named).collect();
    if found.is_empty() {
        found = all().filter(on_link).collect();
    }
    match found[..] {
        [one] => Ok(one),
        [] => {
            let names = || world.geometries.iter().map(|g| g.name.as_str()).filter(|n| !n.is_empty());
            let available = names().collect::<Vec<_>>().join(", ");
            Err(InspectError::Shape { name: name.to_owned(), hint: hint(name, names()), available })
        }
        _ => Err(InspectError::Shapes { name: name.to_owned(), count: found.len() }),
    }
}

impl LinkEntry {
    fn new(link: &Link) -> Self {
        let about = link.inertia.about_com();
        let mut moments = principal(&about).0.to_array();
        moments.sort_by(f64::total_cmp);
        Self {
            name: link.name.clone(),
            mass: link.inertia.mass,
            com: link.inertia.com().to_array(),
            inertia: [about.xx, about.yy, about.zz, about.xy, about.xz, about.yz],
            principal_moments: moments,
        }
    }
}

impl JointEntry {
    fn new(world: &World, joint: &Joint) -> Self {
        let dofs = &world.model.dofs[joint.idx_v..joint.idx_v + joint.kind.nv()];
        let drive = world.drive_limits.get(joint.idx_v).copied().unwrap_or_default();
        Self {
            name: joint.name.clone(),
            kind: kind_name(joint.kind),
            idx_q: joint.idx_q,
            idx_v: joint.idx_v,
            limit: joint.limit,
            damping: dofs.iter().map(|d| d.damping).collect(),
            friction: dofs.iter().map(|d| d.friction).collect(),
            armature: dofs.iter().map(|d| d.armature).collect(),
            stiffness: joint.stiffness,
            effort_limit: drive.effort,
            velocity_limit: drive.velocity,
        }
    }
}

/// A state as a user writes it: `{"q": […], "v": […]}`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct StateFile {
    q: Vec<f64>,
    /// Without: at rest.
    v: Option<Vec<f64>>,
}

/// State to look at.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Posture {
    /// Every joint at its reference.
    #[default]
    Neutral,
    Keyframe(String),
    /// A JSON file.
    File(PathBuf),
}

/// Why a robot cannot be inspected.
#[derive(Debug, thiserror::Error)]
pub enum InspectError {
    #[error(transparent)]
    Model(Box<LoadError>),
    #[error("no model is called `{name}`{hint}; there are: {available}; or give a .urdf, .sdf or .xml file")]
    Unknown { name: String, hint: String, available: String },
    #[error("no shape that can touch is called `{name}`{hint}; there are: {available}")]
    Shape { name: String, hint: String, available: String },
    #[error("{count} shapes are called `{name}`, or are of the link of that name; expected one")]
    Shapes { name: String, count: usize },
    #[error("no keyframe is called `{name}`{hint}; there are: {available}")]
    Keyframe { name: String, hint: String, available: String },
    #[error("no keyframe is called `{name}`: the file has none; --state takes a posture of your own")]
    NoKeyframes { name: String },
    #[error("{}: {reason}", path.display())]
    StateFile { path: PathBuf, reason: String },
    #[error("{}: {source}", path.display())]
    State { path: PathBuf, source: StateError },
}

impl From<LoadError> for InspectError {
    fn from(error: LoadError) -> Self {
        Self::Model(Box::new(error))
    }
}

/// Reads a model file, or one of our own by name.
pub fn load_model(name_or_path: &str, options: &LoadOptions) -> Result<World, InspectError> {
    let path = Path::new(name_or_path);
    let builtin = BUILTIN_MODELS.iter().find(|(n, _)| *n == name_or_path).filter(|_| !path.exists());
    if let Some((name, text)) = builtin {
        let file = Path::new("builtin").join(name).with_extension("xml");
        return Ok(load_str(text, &file, Path::new("builtin"), options)?);
    }
    if path.extension().is_none() && !path.exists() {
        let names = || BUILTIN_MODELS.iter().map(|(name, _)| *name);
        let (hint, available) = (hint(name_or_path, names()), names().collect::<Vec<_>>().join(", "));
        return Err(InspectError::Unknown { name: name_or_path.to_owned(), hint, available });
    }
    Ok(load(path, options)?)
}

/// The state of `posture`.
pub fn state_of(world: &World, posture: &Posture) -> Result<State, InspectError> {
    let model = &world.model;
    match posture {
        Posture::Neutral => Ok(State::neutral(model)),
        Posture::Keyframe(name) if world.keyframes.is_empty() => {
            Err(InspectError::NoKeyframes { name: name.clone() })
        }
        Posture::Keyframe(name) => {
            let key = world.keyframes.iter().find(|k| k.name == *name).ok_or_else(|| {
                let names = || world.keyframes.iter().map(|k| k.name.as_str());
                let (hint, available) = (hint(name, names()), names().collect::<Vec<_>>().join(", "));
                InspectError::Keyframe { name: name.clone(), hint, available }
            })?;
            let v = if key.v.len() == model.nv() { key.v.clone() } else { vec![0.0; model.nv()] };
            Ok(State { t: 0.0, q: key.q.clone(), v })
        }
        Posture::File(path) => {
            let unread = |reason: String| InspectError::StateFile { path: path.clone(), reason };
            let text = read_text(path, MAX_STATE).map_err(unread)?;
            let file: StateFile = serde_json::from_str(&text)
                .map_err(|e| unread(format!("{e}; expected {{\"q\": [...], \"v\": [...]}}")))?;
            let state = State { t: 0.0, q: file.q, v: file.v.unwrap_or_else(|| vec![0.0; model.nv()]) };
            state.validate(model).map_err(|source| InspectError::State { path: path.clone(), source })?;
            Ok(state)
        }
    }
}

impl Inspection {
    /// Inspects a world in a state.
    ///
    /// # Errors
    ///
    /// If the mass matrix, which is told with its zeros, does not fit into memory.
    pub fn new(world: &World, state: &State) -> Result<Self, NoMemory> {
        let model = &world.model;
        let remedy = "`stiction check` looks at a file without it";
        // Twice: as it is computed, and by rows.
        check_square(model.nv(), 2, "the mass matrix, twice,", remedy)?;
        let mut kin = Kinematics::new(model);
        kin.update(model, &state.q);
        let mut vel = Velocities::new(model);
        vel.update(model, &kin, &state.v);
        let mut mass = MassMatrix::new(model);
        crba_into(model, &kin, &mut CrbaWorkspace::new(model), &mut mass);
        let mut bias = vec![0.0; model.nv()];
        bias_into(model, &kin, &vel, &mut RneaWorkspace::new(model), &mut bias);
        let fixed = fixed_links(world);
        let moving_mass = model.moving_mass();
        let total_mass = moving_mass + fixed.mass;
        let moving = if moving_mass > 0.0 { centre_of_mass(model, &kin) * moving_mass } else { Vec3::ZERO };
        let gravity = potential_energy(model, &kin) - model.gravity.dot(fixed.moment);
        let notes = |fate| {
            world.ledger.of(fate).map(|e| format!("{}: {} ({}×): {}", e.first, e.what, e.count, e.note))
        };
        let warnings = world.ledger.warnings.iter().map(|(place, text)| format!("{place}: {text}"));
        Ok(Self {
            nq: model.nq,
            nv: model.nv(),
            joints: model.joints.iter().map(|j| JointEntry::new(world, j)).collect(),
            links: model.links.iter().map(LinkEntry::new).collect(),
            contact: ContactEntries {
                surfaces: (0..world.geometries.len()).map(|g| SurfaceEntry::new(world, g)).collect(),
                pairs: world.pairs.iter().map(|p| PairEntry::new(world, p.geometries, true)).collect(),
            },
            M: mass.to_dense().chunks(model.nv().max(1)).map(<[f64]>::to_vec).collect(),
            bias,
            com: ((moving + fixed.moment) * (1.0 / total_mass)).to_array(),
            kinetic: kinetic_energy(model, &kin, &vel, &state.v),
            potential: gravity + spring_energy(model, &state.q),
            total_mass,
            moving_mass,
            fixed_mass: (model.links.iter().filter(|l| l.body.is_none())).map(|l| l.inertia.mass).sum(),
            doubts: Doubts {
                warnings: warnings.chain(notes(Fate::Unknown)).collect(),
                unsupported: notes(Fate::Unsupported).collect(),
            },
        })
    }
}

/// `hinge`, `slide`, `screw`, `ball` or `free`.
pub fn kind_name(kind: JointKind) -> &'static str {
    match kind {
        JointKind::Hinge => "hinge",
        JointKind::Slide => "slide",
        JointKind::Screw => "screw",
        JointKind::Ball => "ball",
        JointKind::Free => "free",
    }
}

/// Mass, and mass times place, of what cannot move.
struct Fixed {
    mass: f64,
    moment: Vec3,
}

/// Links of an MJCF file that are fixed to the world; of other formats none counts.
fn fixed_links(world: &World) -> Fixed {
    let counted = world.ledger.entries.iter().any(|e| e.what == "mujoco");
    let mut fixed = Fixed { mass: 0.0, moment: Vec3::ZERO };
    for link in world.model.links.iter().filter(|l| counted && l.body.is_none()) {
        fixed.mass += link.inertia.mass;
        fixed.moment += link.X_BL.transform(link.inertia.com()) * link.inertia.mass;
    }
    fixed
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pendulum hanging at 90°: M = m l²/3, bias = m g l/2 about +y, energy zero at the pivot's height.
    #[test]
    fn a_rod_by_hand() {
        let world = load_model("pendulum", &LoadOptions::default()).unwrap();
        let state = state_of(&world, &Posture::Keyframe("home".into())).unwrap();
        let found = Inspection::new(&world, &state).unwrap();
        assert_eq!((found.nq, found.nv, found.joints[0].kind), (1, 1, "hinge"));
        assert!((found.M[0][0] - 1.0 / 3.0).abs() < 1e-12);
        assert!((found.bias[0].abs() - 9.81 * 0.5).abs() < 1e-12);
        assert!((found.potential - 9.81 * 1.5).abs() < 1e-12 && found.kinetic == 0.0);
        assert!((found.total_mass - 1.0).abs() < 1e-15 && found.doubts.unsupported.is_empty(), "{found:?}");
    }

    /// A pair is found by shapes or by links with one shape, says whose friction counts, and whether the two ever meet.
    #[test]
    fn surfaces_say_why() {
        let text = r#"<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1" friction="0.4"/><body name="foot">
            <freejoint/><geom name="sole" size=".1" friction="0.7"/></body><body name="toe"><freejoint/><geom size=".1"/></body></worldbody>
            <contact><exclude body1="foot" body2="toe"/></contact></mujoco>"#;
        let world = load_str(text, Path::new("m.xml"), Path::new("."), &LoadOptions::default()).unwrap();
        let pair = PairEntry::named(&world, ["foot", "floor"]).unwrap();
        assert_eq!((pair.friction, pair.restitution, pair.meet), (0.7, 0.0, true));
        assert_eq!(pair.why_friction, "the larger of 0.4 (`floor`) and 0.7 (`sole`)");
        assert!(!PairEntry::named(&world, ["sole", "toe"]).unwrap().meet);
        let wrong = PairEntry::named(&world, ["flor", "toe"]).unwrap_err().to_string();
        assert_eq!(
            wrong,
            "no shape that can touch is called `flor`; did you mean `floor`?; there are: floor, sole"
        );
        let found = Inspection::new(&world, &State::neutral(&world.model)).unwrap();
        let frictions: Vec<f64> = found.contact.surfaces.iter().map(|s| s.friction).collect();
        assert_eq!((frictions, found.contact.surfaces[0].of_two), (vec![0.4, 0.7, 1.0], "larger"));
    }

    /// A link's mass and moments are its own, a joint says where it sits and what holds it, and what is fixed to the
    /// world is told apart from what moves.
    #[test]
    fn every_number_is_named_by_what_it_counts() {
        let urdf = r#"<robot name="arm">
            <link name="base"><inertial><mass value="7"/>
              <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
            <link name="arm"><inertial><origin xyz="0 0 -0.5"/><mass value="2"/>
              <inertia ixx="0.3" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.25"/></inertial></link>
            <joint name="hip" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>
              <limit lower="-1" upper="2" effort="30" velocity="4"/><dynamics damping="0.5" friction="0.2"/></joint>
          </robot>"#;
        let world = load_str(urdf, Path::new("arm.urdf"), Path::new(""), &LoadOptions::default()).unwrap();
        let found = Inspection::new(&world, &State::neutral(&world.model)).unwrap();
        assert_eq!((found.total_mass, found.moving_mass, found.fixed_mass), (2.0, 2.0, 7.0));
        let arm = found.links.iter().find(|l| l.name == "arm").unwrap();
        assert_eq!((arm.mass, arm.com), (2.0, [0.0, 0.0, -0.5]));
        let close = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12);
        assert!(close(&arm.inertia, &[0.3, 0.1, 0.25, 0.0, 0.0, 0.0]), "{arm:?}");
        assert!(close(&arm.principal_moments, &[0.1, 0.25, 0.3]), "{arm:?}");
        let hip = &found.joints[0];
        assert_eq!((hip.idx_q, hip.idx_v, hip.limit), (0, 0, Some([-1.0, 2.0])));
        assert_eq!((&hip.damping[..], &hip.friction[..]), (&[0.5][..], &[0.2][..]));
        assert_eq!((hip.effort_limit, hip.velocity_limit), (Some([-30.0, 30.0]), Some(4.0)));
    }

    #[test]
    fn mistakes_name_the_alternatives() {
        let world = load_model("quadruped", &LoadOptions::default()).unwrap();
        let error = state_of(&world, &Posture::Keyframe("hom".into())).unwrap_err().to_string();
        assert!(error.contains("did you mean `home`?"), "{error}");
        let path = crate::testing::scratch("short.json", "{\"q\": [1, 2]}");
        let error = state_of(&world, &Posture::File(path)).unwrap_err().to_string();
        assert!(error.contains("short.json") && error.contains("19"), "{error}");
        assert!(
            load_model("quadrupde", &LoadOptions::default()).unwrap_err().to_string().contains("quadruped")
        );
    }
}
