//! Loading worlds, changing their numbers, and saying what is in them.

use crate::describe;
use crate::errors::{guarded, released, wrong};
use crate::fields::{QUANTITIES, Quantity};
use crate::numbers::{Row, Rows, numbers, pose_of, row, table};
use crate::workspace::Workspaces;
use crate::world::{World, quantity_values, without_place};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use stiction::batch::Fields;
use stiction::collision::Shape;
use stiction::dynamics::spatial::{Pose, Vec3};
use stiction::models::{LoadOptions, load, to_mjcf, to_urdf};
use stiction::world::{Severity, TendonPath, Topic};
use stiction::{Settings, State};
use stiction_scene::add_actuators;
use stiction_scene::spec::{ActuatorKind, HoldSpec, MeshKind};
use stiction_scene::{RobotOptions, Scene};

/// Choices that a file leaves open.
#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Options {
    free_base: bool,
    keyframe: Option<String>,
    actuators: Option<ActuatorKind>,
    hold: Option<HoldSpec>,
    package_dirs: Vec<PathBuf>,
    srdf: Option<PathBuf>,
    meshes: MeshKind,
    /// A ground is added under a robot that would fall, and a keyframe is its start.
    complete: bool,
    /// The plane z = 0 is added, whatever the file has.
    ground: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            free_base: false,
            keyframe: None,
            actuators: None,
            hold: None,
            package_dirs: Vec::new(),
            srdf: None,
            meshes: MeshKind::Hull,
            complete: true,
            ground: false,
        }
    }
}

/// The shape of the same kind with MuJoCo's sizes.
fn resized(shape: &Shape, size: Vec3) -> Result<Shape, String> {
    let (a, b, c) = (size.x, size.y, size.z);
    let positive = |numbers: &[f64]| match numbers.iter().find(|x| !(x.is_finite() && **x > 0.0)) {
        Some(x) => Err(format!("{x}; expected > 0 [m]")),
        None => Ok(()),
    };
    Ok(match shape {
        Shape::Sphere { .. } => positive(&[a]).map(|()| Shape::Sphere { radius: a })?,
        Shape::Box { .. } => positive(&[a, b, c]).map(|()| Shape::Box { half: size })?,
        Shape::Capsule { .. } => positive(&[a, b]).map(|()| Shape::Capsule { radius: a, half_length: b })?,
        Shape::Cylinder { .. } => {
            positive(&[a, b]).map(|()| Shape::Cylinder { radius: a, half_length: b })?
        }
        Shape::Ellipsoid { .. } => positive(&[a, b, c]).map(|()| Shape::Ellipsoid { radii: size })?,
        other => other.clone(),
    })
}

#[pymethods]
impl World {
    /// A built-in scene by name, a scene file or a robot file.
    #[staticmethod]
    fn find(py: Python<'_>, name_or_path: &str, options: &str) -> PyResult<Self> {
        let options = read_options(options)?;
        released(py, || {
            if !options.complete {
                return as_it_is(Path::new(name_or_path), &options);
            }
            let robot = RobotOptions {
                free_base: options.free_base,
                keyframe: options.keyframe,
                actuators: options.actuators,
                hold: options.hold,
                package_dirs: options.package_dirs,
                srdf: options.srdf,
                meshes: options.meshes,
                ground: options.ground,
                ..RobotOptions::default()
            };
            let scene = Scene::find(name_or_path, &robot).map_err(wrong)?;
            Ok(scene.build().map_err(wrong)?.into())
        })
    }

    /// A scene whose sections are given as JSON.
    #[staticmethod]
    fn scene(py: Python<'_>, sections: &str) -> PyResult<Self> {
        released(py, || {
            let scene: Scene = serde_json::from_str(sections).map_err(|e| wrong(without_place(&e)))?;
            Ok(scene.build().map_err(wrong)?.into())
        })
    }

    /// This world with other numbers: `fields` maps quantities to arrays.
    fn replace(&self, py: Python<'_>, fields: &Bound<'_, PyDict>) -> PyResult<Self> {
        let mut numbers = Fields::of(&self.world);
        for (name, _) in fields.iter() {
            Quantity::named(&name.extract::<String>()?)?;
        }
        for quantity in &QUANTITIES {
            if let Some(given) = fields.get_item(quantity.name)? {
                let given = quantity_values(quantity, &given, &quantity.shape(&self.world))?;
                quantity.set(&mut numbers, &given)?;
            }
        }
        released(py, || {
            let mut world = (*self.world).clone();
            numbers.apply(&mut world).map_err(wrong)?;
            Ok(Self { world: Arc::new(world), ..self.copy() })
        })
    }

    /// This world with some bodies `factor` times as large.
    fn resized(&self, py: Python<'_>, bodies: Vec<usize>, factor: f64) -> PyResult<Self> {
        released(py, || {
            let world = self.world.resized(&bodies, factor).map_err(wrong)?;
            Ok(Self { world: Arc::new(world), ..self.copy() })
        })
    }

    /// This world, started elsewhere.
    fn started_at(&self, t: f64, q: Row<'_>, v: Row<'_>) -> PyResult<Self> {
        let model = self.model();
        let state = State {
            t,
            q: numbers("q", &q, model.nq, "one for each coordinate")?,
            v: numbers("v", &v, model.nv(), "one for each velocity")?,
        };
        state.validate(model).map_err(wrong)?;
        Ok(Self { state, ..self.copy() })
    }

    /// This world, in which those of its equalities hold that `holds` names.
    fn switched(&self, py: Python<'_>, holds: Vec<bool>) -> PyResult<Self> {
        let count = self.world.equalities().len();
        if holds.len() != count {
            return Err(crate::errors::wrong_length(
                "eq_active",
                holds.len(),
                count,
                "one for each equality",
            ));
        }
        released(py, || Ok(Self { world: Arc::new(self.world.switched(&holds)), ..self.copy() }))
    }

    /// This world without contacts, limits of joints and tendons, and limits of controls.
    fn without(&self, py: Python<'_>, contacts: bool, limits: bool, clamping: bool) -> PyResult<Self> {
        released(py, || {
            let mut world = (*self.world).clone();
            if contacts {
                world.geometries.iter_mut().for_each(|g| (g.group, g.mask) = (0, 0));
                world.pairs.clear();
            }
            if limits {
                world.model.joints.iter_mut().for_each(|j| j.limit = None);
                world.tendons.iter_mut().for_each(|t| t.limit = None);
            }
            if clamping {
                world.actuators.iter_mut().for_each(|a| a.control_limit = None);
            }
            Ok(Self { world: Arc::new(world), ..self.copy() })
        })
    }

    /// This world with other numbers of geometries (of each: sizes, position, quaternion, of `shaped` alone; and for all solref, solimp
    /// and margin, and their groups and masks), ranges of joints and of controls where there are some, what efforts of actuators come to
    /// on velocities, coefficients of tendons that are sums of joints, and poses of the second link of a loop in its first with the
    /// point of the second that is held and metres of a radian. Sizes are MuJoCo's.
    #[expect(clippy::too_many_arguments, reason = "names of Python")]
    #[pyo3(signature = (shaped, shapes, softness=None, groups=None, ranges=None, controls=None, moments=None, coefficients=None,
        held=Vec::new(), poses=None))]
    fn adjusted(
        &self,
        shaped: Vec<usize>,
        shapes: Rows<'_>,
        softness: Option<Rows<'_>>,
        groups: Option<Vec<(u32, u32)>>,
        ranges: Option<Rows<'_>>,
        controls: Option<Rows<'_>>,
        moments: Option<Rows<'_>>,
        coefficients: Option<Rows<'_>>,
        held: Vec<usize>,
        poses: Option<Rows<'_>>,
    ) -> PyResult<Self> {
        let mut world = (*self.world).clone();
        let rows = table("shapes", &shapes, [shaped.len(), 10], "size, position and quaternion of each")?;
        for (g, x) in shaped.iter().zip(rows.chunks_exact(10)) {
            let geometry = world.geometries.get_mut(*g);
            let geometry = geometry.ok_or_else(|| wrong(format_args!("there is no geometry {g}")))?;
            geometry.shape = resized(&geometry.shape, Vec3::from([x[0], x[1], x[2]]))
                .map_err(|why| wrong(format_args!("geom_size of `{}`: {why}", geometry.name)))?;
            geometry.X_LG = pose_of(&x[3..]);
        }
        if let Some(rows) = &softness {
            let rows = table("softness", rows, [world.geometries.len(), 8], "for each geometry")?;
            for (geometry, x) in world.geometries.iter_mut().zip(rows.chunks_exact(8)) {
                let material = &mut geometry.material;
                material.softness.reference.copy_from_slice(&x[..2]);
                material.softness.impedance.copy_from_slice(&x[2..7]);
                material.margin = x[7];
            }
        }
        if let Some(rows) = &ranges {
            let rows = table("ranges", rows, [world.model.joints.len(), 2], "for each joint")?;
            for (joint, x) in world.model.joints.iter_mut().zip(rows.chunks_exact(2)) {
                joint.limit = joint.limit.map(|_| [x[0], x[1]]);
            }
        }
        if let Some(rows) = &controls {
            let rows = table("controls", rows, [world.actuators.len(), 2], "for each actuator")?;
            for (actuator, x) in world.actuators.iter_mut().zip(rows.chunks_exact(2)) {
                actuator.control_limit = actuator.control_limit.map(|_| [x[0], x[1]]);
            }
        }
        for (geometry, bits) in world.geometries.iter_mut().zip(groups.unwrap_or_default()) {
            (geometry.group, geometry.mask) = bits;
        }
        let nv = world.model.nv();
        let terms = |x: &[f64]| x.iter().copied().enumerate().filter(|(_, c)| *c != 0.0).collect::<Vec<_>>();
        if let Some(rows) = &coefficients {
            let rows = table("coefficients", rows, [world.tendons.len(), nv], "for each tendon")?;
            for (tendon, x) in world.tendons.iter_mut().zip(rows.chunks_exact(nv.max(1))) {
                if let TendonPath::Fixed(of) = &mut tendon.path {
                    *of = terms(x);
                }
            }
        }
        if let Some(rows) = &moments {
            let rows = table("moments", rows, [world.actuators.len(), nv], "for each actuator")?;
            for (actuator, x) in world.actuators.iter_mut().zip(rows.chunks_exact(nv.max(1))) {
                actuator.transmission = terms(x);
            }
        }
        if let Some(poses) = &poses {
            let rows = table("poses", poses, [held.len(), 11], "position, quaternion, point and scale")?;
            for (l, x) in held.iter().zip(rows.chunks_exact(11)) {
                let held = world.loops.get_mut(*l);
                let held = held.ok_or_else(|| wrong(format_args!("there is no loop {l}")))?;
                let X_LB = Pose::new(held.ends[1].1.rotation, Vec3::from([x[7], x[8], x[9]]));
                (held.ends[1].1, held.ends[0].1) = (X_LB, pose_of(&x[..7]) * X_LB);
                held.torque_scale = x[10];
            }
        }
        Ok(Self { world: Arc::new(world), ..self.copy() })
    }

    /// This world with links and sites elsewhere. A link that stands in the world takes with it what hangs on it; of one that its
    /// joints move the pose in its parent link, joints at their reference, is another. Rows are positions and quaternions.
    fn placed(
        &self,
        links: Vec<usize>,
        poses: Rows<'_>,
        sites: Vec<usize>,
        in_links: Rows<'_>,
    ) -> PyResult<Self> {
        let row_of = |rows: &Rows<'_>, what: &str, n: usize| -> PyResult<Vec<Pose>> {
            let x = table(what, rows, [n, 7], "a position and a quaternion for each")?;
            Ok(x.chunks_exact(7).map(pose_of).collect())
        };
        let (poses, in_links) =
            (row_of(&poses, "poses", links.len())?, row_of(&in_links, "in_links", sites.len())?);
        let mut world = (*self.world).clone();
        for (&l, X_PL) in links.iter().zip(&poses) {
            let model = &mut world.model;
            let link = model.links.get(l).ok_or_else(|| wrong(format_args!("there is no link {l}")))?;
            let parent = link.parent.and_then(|p| model.links.get(p));
            let X_BP = parent.map_or(Pose::IDENTITY, |p| p.X_BL);
            match (link.body, parent.and_then(|p| p.body)) {
                (None, _) => {
                    let change = X_BP * *X_PL * link.X_BL.inverse();
                    let hangs: Vec<bool> = (0..model.links.len())
                        .map(|i| std::iter::successors(Some(i), |i| model.links[*i].parent).any(|i| i == l))
                        .collect();
                    // A body that hangs on it by joints stands at X_PB in the world.
                    let carried = |b: usize| {
                        let first = model.links.iter().position(|k| k.body == Some(b));
                        model.bodies[b].parent.is_none() && first.is_some_and(|k| hangs[k])
                    };
                    let bodies: Vec<usize> = (0..model.bodies.len()).filter(|b| carried(*b)).collect();
                    bodies.into_iter().for_each(|b| model.bodies[b].X_PB = change * model.bodies[b].X_PB);
                    let fixed = model.links.iter_mut().zip(&hangs).filter(|(k, h)| **h && k.body.is_none());
                    fixed.for_each(|(k, _)| k.X_BL = change * k.X_BL);
                }
                (Some(b), on) if on != Some(b) => model.bodies[b].X_PB = X_BP * *X_PL,
                _ => {
                    return Err(wrong(format_args!(
                        "link {l} is a part of the body that carries its parent"
                    )));
                }
            }
        }
        for (&s, X_LS) in sites.iter().zip(&in_links) {
            let site = world.extras.sites.get_mut(s);
            site.ok_or_else(|| wrong(format_args!("there is no site {s}")))?.X_LS = *X_LS;
        }
        Ok(Self { world: Arc::new(world), ..self.copy() })
    }

    /// The numbers that [`Self::replace`] takes.
    fn fields<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let fields = Fields::of(&self.world);
        let out = PyDict::new(py);
        for quantity in &QUANTITIES {
            let values = row(py, quantity.get(&fields));
            out.set_item(quantity.name, values.reshape(quantity.shape(&self.world))?)?;
        }
        Ok(out)
    }

    /// Everything with a name, as JSON.
    fn describe(&self) -> PyResult<String> {
        guarded(|| serde_json::to_string(&describe::world(self)).map_err(wrong))
    }

    /// The file that says the same, and what it cannot say.
    #[expect(clippy::type_complexity, reason = "text, files and notes, which Python names")]
    fn written(&self, format: &str, stem: &str) -> PyResult<(String, Vec<(String, String)>, Vec<String>)> {
        guarded(|| {
            let written = match format {
                "mjcf" => to_mjcf(&self.world, stem),
                "urdf" => to_urdf(&self.world, stem),
                _ => {
                    return Err(wrong(format_args!("no format is called `{format}`; there are: mjcf, urdf")));
                }
            };
            Ok((written.text, written.files, written.notes))
        })
    }

    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    #[getter]
    fn nq(&self) -> usize {
        self.model().nq
    }

    #[getter]
    fn nv(&self) -> usize {
        self.model().nv()
    }

    #[getter]
    fn nu(&self) -> usize {
        self.world.actuators.len()
    }

    #[getter]
    fn q0<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        row(py, self.state.q.clone())
    }

    #[getter]
    fn v0<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        row(py, self.state.v.clone())
    }

    #[getter]
    fn control0<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        row(py, self.control.clone())
    }

    /// Notes on everything that the file names and nothing simulates.
    #[getter]
    fn not_simulated<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let notes = self.world.ledger.notes();
        let left_out = notes.iter().filter(|n| n.topic == Topic::NotSimulated);
        PyList::new(py, left_out.map(ToString::to_string))
    }

    /// Notes on words that stand where the format has none of their name, or that no format has.
    #[getter]
    fn unknown<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let notes = self.world.ledger.notes();
        let unknown = notes.iter().filter(|n| n.topic == Topic::Unknown);
        PyList::new(py, unknown.map(ToString::to_string))
    }

    /// Notes that loading warns of: whether a note is about a word that is not simulated, an unknown one or something else, and its text.
    fn warned(&self) -> Vec<(&'static str, String)> {
        let notes = self.world.ledger.notes();
        let minded = notes.iter().filter(|n| n.severity > Severity::Note && n.topic != Topic::Run);
        minded.map(|n| (n.topic.name(), n.to_string())).collect()
    }

    #[getter]
    fn notes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, self.world.ledger.notes().iter().map(ToString::to_string))
    }
}

/// A robot file and nothing else.
fn as_it_is(path: &Path, options: &Options) -> PyResult<World> {
    let load_options = LoadOptions {
        free_base: options.free_base,
        package_dirs: options.package_dirs.clone(),
        srdf: options.srdf.clone(),
        meshes: options.meshes.into(),
        ..LoadOptions::default()
    };
    let mut world = load(path, &load_options).map_err(wrong)?;
    let state = State::neutral(&world.model);
    let mut control = vec![0.0; world.actuators.len()];
    if let Some(kind) = options.actuators {
        control.extend(add_actuators(&mut world, &state, kind));
    }
    let mut settings = Settings::default();
    settings.stepper.dt = world.time_step.unwrap_or(settings.stepper.dt);
    Ok(World {
        name: world.name.clone(),
        state,
        control,
        settings,
        motion: None,
        forces: Vec::new(),
        duration: Scene::default().duration.0,
        world: Arc::new(world),
        workspaces: Workspaces::default(),
        readings: OnceLock::new(),
    })
}

fn read_options(text: &str) -> PyResult<Options> {
    serde_json::from_str(text).map_err(|e| wrong(format_args!("options of a model: {}", without_place(&e))))
}
