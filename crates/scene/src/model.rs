//! From `[[model]]` to a robot in its starting posture, with its controls.

use super::body::At;
use super::builtin::{BUILTIN_MODELS, builtin_path, model_names};
use super::ground::lowest_point;
use super::hold::{add_actuators, add_servos};
use super::joined::{joined, root_name, shift_trees};
use super::posture::{STANDING, close_couplings, into_limits, srdf_beside};
use super::spec::ModelSpec;
use super::{Scene, SceneError};
use crate::nearest::hint;
use std::path::Path;
use stiction::State;
use stiction::dynamics::spatial::{Pose, Vec3};
use stiction::dynamics::{Joint, JointKind, Model};
use stiction::models::check::{Report, check};
use stiction::models::{LoadOptions, load, load_str};
use stiction::world::{Fate, Keyframe, Note, Severity, World};

/// Word for the posture of no keyframe.
const NEUTRAL: &str = "neutral";

/// A robot, the state it starts in and the controls it keeps.
pub(super) struct Part {
    pub(super) world: World,
    pub(super) state: State,
    pub(super) control: Vec<f64>,
    /// Where it goes in the world.
    pub(super) pose: Pose,
}

impl Scene {
    /// Reads `[[model]]` number `index` and puts it into its starting posture.
    pub(super) fn load_model(&self, index: usize, spec: &ModelSpec) -> Result<Part, SceneError> {
        let at = At { scene: self, section: "model", index };
        let mut world = self.read_model(&at, spec)?;
        if !self.is_robot_file() {
            let told = self.overrule(&mut world);
            world.ledger.remarks.extend(told.into_iter().filter(|_| spec.file.is_some()));
        }
        let keyframe = choose_keyframe(&at, spec, &world)?.cloned();
        if let (true, Some(key), None) = (self.is_robot_file(), &keyframe, &spec.keyframe) {
            let name =
                if key.name.is_empty() { "without a name".to_owned() } else { format!("`{}`", key.name) };
            let message = format!(
                "starts at the keyframe {name} of the file (--keyframe {NEUTRAL}: at the reference posture)"
            );
            world.ledger.remarks.push(Note::of_scene(Severity::Note, message));
        }
        let mut state = State::neutral(&world.model);
        let mut control = vec![0.0; world.actuators.len()];
        if let Some(key) = &keyframe {
            copy_prefix(&mut state.q, &key.q);
            copy_prefix(&mut state.v, &key.v);
            copy_prefix(&mut control, &key.control);
        }
        if spec.hold.is_some() && keyframe.is_none() {
            let note = into_limits(&world, &mut state);
            world.ledger.remarks.extend(note.map(|text| Note::of_scene(Severity::Note, text)));
        }
        self.set_joints(&at, spec, &world.model, &mut state)?;
        if keyframe.is_none() {
            let note = close_couplings(&world, &mut state, |name| spec.joints.contains_key(name));
            world.ledger.remarks.extend(note.map(|text| Note::of_scene(Severity::Note, text)));
        }
        if let Some(kind) = spec.actuators {
            control.extend(add_actuators(&mut world, &state, kind));
        }
        if let Some(given) = &spec.control {
            if given.len() != control.len() {
                let message =
                    format!("found {} numbers; this model has {} actuators", given.len(), control.len());
                return Err(at.mistake("control", message));
            }
            control = given.iter().map(|c| c.0).collect();
        }
        if let Some(friction) = spec.friction {
            for material in world.geometries.iter_mut().map(|g| &mut g.material) {
                (material.friction, material.grain) = (friction.0, None);
            }
        }
        if let Some(hold) = &spec.hold {
            control.extend(add_servos(&mut world, &state, hold));
        }
        let pose = self.frame(spec.frame) * at.pose(spec.position, spec.rpy, spec.quaternion)?;
        self.set_velocity(&at, spec, &pose, (&world.model, &mut state))?;
        if spec.set_down {
            self.set_down(&at, &world, &mut state, &pose)?;
        }
        Ok(Part { world, state, control, pose })
    }

    /// Gravity and time step are those of the scene; returns what to say where the file states others.
    fn overrule(&self, world: &mut World) -> Vec<Note> {
        let gravity = self.gravity_or_default();
        let of_file = std::mem::replace(&mut world.model.gravity, gravity);
        let states = |words: &[&str]| world.ledger.of(Fate::Used).any(|e| words.contains(&e.what.as_str()));
        let (dt, mut told) = (self.stepper.dt, Vec::new());
        if of_file != gravity && states(&["option@gravity", "flag@gravity", "gravity", "physics/gravity"]) {
            let [[x, y, z], [sx, sy, sz]] = [of_file, gravity].map(|g| g.to_array());
            let message = format!(
                "`{}` states the gravity {x} {y} {z} m/s², which does not count in a scene: its `gravity` does, {sx} {sy} {sz}",
                world.name
            );
            told.push(Note::of_scene(Severity::Warning, message));
        }
        if let Some(step) = world.time_step.filter(|step| *step != dt)
            && states(&["option@timestep", "physics/max_step_size"])
        {
            let message = format!(
                "`{}` states the time step {step} s, which does not count in a scene: its `[stepper] dt` does, {dt}",
                world.name
            );
            told.push(Note::of_scene(Severity::Note, message));
        }
        told
    }

    /// How the file of a `[[model]]` is read.
    fn load_options(&self, spec: &ModelSpec) -> LoadOptions {
        let folder = self.source.folder();
        LoadOptions {
            free_base: spec.free_base,
            package_dirs: spec.package_dirs.iter().map(|p| folder.join(p)).collect(),
            srdf: spec.srdf.as_ref().map(|p| folder.join(p)),
            meshes: spec.meshes.into(),
            ..LoadOptions::default()
        }
    }

    /// The linter's reports on the files of all `[[model]]`, each read as the scene reads it; a file that several name is told
    /// once.
    pub fn check_models(&self) -> Vec<Report> {
        let mut reports: Vec<Report> = Vec::new();
        for spec in &self.model {
            let Some(file) = spec.file.as_ref().map(|file| self.source.folder().join(file)) else { continue };
            if !reports.iter().any(|r| r.file == file) {
                reports.push(check(&file, &self.load_options(spec)));
            }
        }
        reports
    }

    fn read_model(&self, at: &At<'_>, spec: &ModelSpec) -> Result<World, SceneError> {
        let options = self.load_options(spec);
        match (&spec.file, &spec.builtin) {
            (Some(file), None) => {
                let path = self.source.folder().join(file);
                if !path.exists() {
                    let message = format!("there is no file {}", path.display());
                    return Err(if self.is_robot_file() {
                        SceneError::Read { path, reason: "there is no such file".to_owned() }
                    } else {
                        at.mistake("file", message)
                    });
                }
                load_beside_srdf(&path, options, spec)
            }
            (None, Some(name)) => {
                let Some((_, text)) = BUILTIN_MODELS.iter().find(|(n, _)| n == name) else {
                    let names = model_names().collect::<Vec<_>>().join(", ");
                    let guess = hint(name, model_names());
                    return Err(at.mistake(
                        "builtin",
                        format!("no model is called `{name}`{guess}; there are: {names}"),
                    ));
                };
                let path = builtin_path(name, "xml");
                Ok(load_str(text, &path, path.parent().unwrap_or(&path), &options)?)
            }
            _ => Err(at.mistake("file", "a model needs either `file` (URDF, SDF or MJCF) or `builtin`")),
        }
    }

    /// Starting positions and velocities by joint name.
    fn set_joints(
        &self,
        at: &At<'_>,
        spec: &ModelSpec,
        model: &Model,
        state: &mut State,
    ) -> Result<(), SceneError> {
        for (name, q) in &spec.joints {
            state.q[scalar_joint(at, "joints", model, name)?.idx_q] = q.0;
        }
        for (name, v) in &spec.joint_velocities {
            state.v[scalar_joint(at, "joint_velocities", model, name)?.idx_v] = v.0;
        }
        Ok(())
    }

    /// Starting velocity of the first free base; `pose` will turn its linear part into world axes.
    fn set_velocity(
        &self,
        at: &At<'_>,
        spec: &ModelSpec,
        pose: &Pose,
        (model, state): (&Model, &mut State),
    ) -> Result<(), SceneError> {
        let key = if spec.velocity.is_some() { "velocity" } else { "angular_velocity" };
        if spec.velocity.is_none() && spec.angular_velocity.is_none() {
            return Ok(());
        }
        let Some(base) = model.joints.iter().find(|j| j.kind == JointKind::Free) else {
            return Err(at.mistake(key, "this model is fixed to the world; only a free base has a velocity"));
        };
        if let Some(velocity) = spec.velocity {
            let in_world = self.frame(spec.frame).rotation.rotate(velocity.vec3());
            let given = pose.inverse().rotation.rotate(in_world);
            state.v[base.idx_v..][..3].copy_from_slice(&given.to_array());
        }
        if let Some(angular) = spec.angular_velocity {
            state.v[base.idx_v + 3..][..3].copy_from_slice(&angular.0);
        }
        Ok(())
    }

    /// Moves a model along the normal of the ground until its lowest point touches that: all of it that moves, or nothing.
    fn set_down(&self, at: &At<'_>, world: &World, state: &mut State, pose: &Pose) -> Result<(), SceneError> {
        if !world.model.joints.iter().any(|j| j.kind == JointKind::Free) {
            return Err(
                at.mistake("set_down", "this model is fixed to the world; only a free base can be set down")
            );
        }
        if let Some(held) = joined(world).iter().find(|group| !group.floats) {
            let name = root_name(world, held);
            return Err(at.mistake(
                "set_down",
                format!(
                    "`{name}` is held to the world, and would be left behind; move the model with `position`"
                ),
            ));
        }
        let ground = pose.inverse() * self.frame(super::spec::Frame::Ground);
        if let Some(low) = lowest_point(world, state, &ground) {
            shift_trees(world, state, |_| ground.rotation.rotate(Vec3::Z) * -low);
        }
        Ok(())
    }
}

/// The hinge, slide or screw called `name`.
fn scalar_joint<'m>(at: &At<'_>, key: &str, model: &'m Model, name: &str) -> Result<&'m Joint, SceneError> {
    let joints = || model.joints.iter().filter(|j| j.kind.is_scalar());
    joints().find(|j| j.name == name).ok_or_else(|| {
        let names = || joints().map(|j| j.name.as_str());
        let all = names().collect::<Vec<_>>().join(", ");
        let guess = hint(name, names());
        at.mistake(key, format!("no hinge, slide or screw is called `{name}`{guess}; there are: {all}"))
    })
}

/// Loads `path`; a URDF that is to be held with the SRDF that lies beside it, if none is named and that can be read.
fn load_beside_srdf(path: &Path, options: LoadOptions, spec: &ModelSpec) -> Result<World, SceneError> {
    let urdf = path.extension().is_some_and(|e| e == "urdf");
    let wanted = urdf && spec.hold.is_some() && options.srdf.is_none();
    let Some(srdf) = wanted.then(|| srdf_beside(path)).flatten() else { return Ok(load(path, &options)?) };
    let with = LoadOptions { srdf: Some(srdf.clone()), ..options.clone() };
    let (mut world, told) = match load(path, &with) {
        Ok(world) => (world, "postures, and pairs that never touch, are those of".to_owned()),
        Err(e) => (load(path, &options)?, format!("does not read the SRDF beside it ({e}):")),
    };
    let message = format!("{told} {} (--srdf FILE: of another)", srdf.display());
    world.ledger.remarks.push(Note::of_scene(Severity::Note, message));
    Ok(world)
}

/// `keyframe` if given; else the first of [`STANDING`] that there is, else the first, else none.
fn choose_keyframe<'w>(
    at: &At<'_>,
    spec: &ModelSpec,
    world: &'w World,
) -> Result<Option<&'w Keyframe>, SceneError> {
    let named = |name: &str| world.keyframes.iter().find(|k| k.name == name);
    match spec.keyframe.as_deref() {
        None => Ok(STANDING.into_iter().find_map(named).or(world.keyframes.first())),
        Some(NEUTRAL) => Ok(None),
        Some(name) => named(name).map(Some).ok_or_else(|| {
            let names = || world.keyframes.iter().map(|k| k.name.as_str()).chain([NEUTRAL]);
            let all = names().collect::<Vec<_>>().join(", ");
            at.mistake(
                "keyframe",
                format!("no keyframe is called `{name}`{}; there are: {all}", hint(name, names())),
            )
        }),
    }
}

/// Keyframes may leave velocities and controls out.
fn copy_prefix(to: &mut [f64], from: &[f64]) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
}
