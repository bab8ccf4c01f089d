//! A robot at one state: what the equations of motion are made of.
//!
//! ```text
//!     M(q) v̇ + bias(q, v) = τ + Jᵀ f
//! ```
//!
//! Links fixed to the world count in mass, centre of mass and potential energy of an MJCF file, and do not in those of
//! a URDF or SDF file: the reference libraries of the two formats, MuJoCo and Pinocchio, do the same.

use crate::nearest::hint;
use crate::scene::BUILTIN_MODELS;
use crate::text::read_text;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use stiction::dynamics::spatial::Vec3;
use stiction::dynamics::{
    CrbaWorkspace, JointKind, Kinematics, MassMatrix, RneaWorkspace, Velocities, bias_into, centre_of_mass,
    crba_into, kinetic_energy, potential_energy, spring_energy,
};
use stiction::models::{Fate, LoadError, LoadOptions, World, load, load_str};
use stiction::{State, StateError};

/// Bytes beyond which a file of a state is taken for a mistake.
const MAX_STATE: u64 = 16 << 20;

/// A robot or scene as `stiction inspect --json` prints it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Inspection {
    pub nq: usize,
    pub nv: usize,
    pub joints: Vec<JointEntry>,
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
    /// Mass of all bodies [kg].
    pub total_mass: f64,
    /// Warnings on parts that were read but look wrong, or were not understood.
    pub warnings: Vec<String>,
    /// Parts that would change the motion but are not simulated yet.
    pub unsupported: Vec<String>,
}

/// Where a joint sits in q and v.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JointEntry {
    pub name: String,
    #[serde(rename = "type")]
    pub kind: &'static str,
    pub idx_q: usize,
    pub idx_v: usize,
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
    pub fn new(world: &World, state: &State) -> Self {
        let model = &world.model;
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
        Self {
            nq: model.nq,
            nv: model.nv(),
            joints: (model.joints.iter())
                .map(|j| JointEntry {
                    name: j.name.clone(),
                    kind: kind_name(j.kind),
                    idx_q: j.idx_q,
                    idx_v: j.idx_v,
                })
                .collect(),
            M: mass.to_dense().chunks(model.nv().max(1)).map(<[f64]>::to_vec).collect(),
            bias,
            com: ((moving + fixed.moment) * (1.0 / total_mass)).to_array(),
            kinetic: kinetic_energy(model, &kin, &vel, &state.v),
            potential: gravity + spring_energy(model, &state.q),
            total_mass,
            warnings: warnings.chain(notes(Fate::Unknown)).collect(),
            unsupported: notes(Fate::Unsupported).collect(),
        }
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
        let found = Inspection::new(&world, &state);
        assert_eq!((found.nq, found.nv, found.joints[0].kind), (1, 1, "hinge"));
        assert!((found.M[0][0] - 1.0 / 3.0).abs() < 1e-12);
        assert!((found.bias[0].abs() - 9.81 * 0.5).abs() < 1e-12);
        assert!((found.potential - 9.81 * 1.5).abs() < 1e-12 && found.kinetic == 0.0);
        assert!((found.total_mass - 1.0).abs() < 1e-15 && found.unsupported.is_empty(), "{found:?}");
    }

    #[test]
    fn mistakes_name_the_alternatives() {
        let world = load_model("quadruped", &LoadOptions::default()).unwrap();
        let error = state_of(&world, &Posture::Keyframe("hom".into())).unwrap_err().to_string();
        assert!(error.contains("did you mean `home`?"), "{error}");
        let path = crate::scene::tests::scratch("short.json", "{\"q\": [1, 2]}");
        let error = state_of(&world, &Posture::File(path)).unwrap_err().to_string();
        assert!(error.contains("short.json") && error.contains("19"), "{error}");
        assert!(
            load_model("quadrupde", &LoadOptions::default()).unwrap_err().to_string().contains("quadruped")
        );
    }
}
