//! A recording: what a run leaves to look at.
//!
//! The scene is told once (bodies, and the shapes that ride on them); then one [`Frame`] per shown instant says where
//! the bodies are and what the contacts do. Plain data without behaviour: the recorder fills it, a viewer reads it,
//! and neither needs to know the other.
//!
//! Frames and units: world frame W, z up; SI throughout (m, s, N, J). A pose X_WB is the position of the body origin
//! and the unit quaternion (w, x, y, z) that turns body axes into world axes.
//!
//! Sign of a contact, as everywhere in this project: the normal n points from the first body A to the second body B,
//! and the force acts on B. With friction coefficient μ a force inside the cone obeys
//!
//! ```text
//!     f·n ≥ 0,      |f − (f·n) n| ≤ μ f·n                                            (1)
//! ```

use crate::remedy::Remedy;
use serde::{Deserialize, Serialize};

pub use crate::mechanism::{Mechanism, RecordedActuator, RecordedInertia, RecordedJoint};

/// The scene, and one frame per shown instant.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    /// Name of the scene, shown as the title. Any text.
    pub name: String,
    /// Contact model and algorithm that computed the forces, as in the solver registry (`law-algorithm`).
    pub contact_model: String,
    /// Time step of the simulation [s]; frames may be farther apart.
    pub dt: f64,
    /// Tolerance of the contact solver [m/s]; NaN: not known.
    pub tolerance: f64,
    /// Notes on the files, a sentence each: everything that is not simulated, was added or may be a mistake.
    pub notes: Vec<String>,
    /// Names of the moving bodies; every body index below counts in this list.
    pub bodies: Vec<String>,
    /// Everything that is drawn.
    pub geometries: Vec<RecordedGeometry>,
    /// Inertias, joints and actuators; of several runs, those of the first.
    pub mechanism: Mechanism,
    /// Several runs of one world: whose bodies are whose. Empty where there is one run.
    pub runs: Vec<RecordedRun>,
    /// In order of time.
    pub frames: Vec<Frame>,
}

/// One of several runs: `count` bodies from `first` on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedRun {
    /// What tells it from the others.
    pub name: String,
    pub first: usize,
    pub count: usize,
}

/// A shape fixed in a body or in the world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordedGeometry {
    pub name: String,
    /// The body it rides on; `None`: fixed to the world.
    pub body: Option<usize>,
    pub shape: RecordedShape,
    /// Origin of the geometry in its body [m].
    pub position: [f64; 3],
    /// Orientation of the geometry in its body, unit quaternion (w, x, y, z).
    pub quaternion: [f64; 4],
    /// Red, green, blue, opacity in 0..=1. [`RecordedGeometry::UNCOLOURED`] lets the viewer choose.
    pub rgba: [f32; 4],
}

impl RecordedGeometry {
    /// The grey of a geometry that nobody coloured (the default of MJCF): a viewer gives each body a colour instead.
    pub const UNCOLOURED: [f32; 4] = [0.5, 0.5, 0.5, 1.0];
}

/// Shapes in their own frame, centred at the origin, lengths in metres.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum RecordedShape {
    /// The half space z ≤ 0.
    Plane,
    Sphere {
        radius: f64,
    },
    /// Half extents along x, y, z.
    Box {
        half: [f64; 3],
    },
    /// Axis z; the half length is that of the segment, without the caps.
    Capsule {
        radius: f64,
        half_length: f64,
    },
    /// Axis z.
    Cylinder {
        radius: f64,
        half_length: f64,
    },
    /// Semi-axes along x, y, z.
    Ellipsoid {
        radii: [f64; 3],
    },
    /// Axis z: the base at −`half_height`, the apex at `half_height`.
    Cone {
        radius: f64,
        half_height: f64,
    },
    /// Heights over the rectangle of sides `size` about the origin, row by row from the least y, each from the least
    /// x; a cell is cut from its corner of least x and y. Solid down to z = `bottom`.
    HeightField {
        rows: usize,
        cols: usize,
        size: [f64; 2],
        heights: Vec<f32>,
        bottom: f64,
    },
    /// Triangles index `vertices`, counter-clockwise seen from outside.
    Mesh {
        vertices: Vec<[f32; 3]>,
        triangles: Vec<[u32; 3]>,
    },
}

/// One shown instant.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// Time [s].
    pub t: f64,
    /// X_WB of every body: position [m] and quaternion (w, x, y, z).
    pub poses: Vec<([f64; 3], [f64; 4])>,
    /// Contacts of the step that led to this instant, open ones included.
    pub contacts: Vec<ContactMark>,
    /// Contact surfaces at this instant of what meets by pressure; empty where nothing does.
    pub patches: Vec<PatchMark>,
    /// Certificate of that step: the natural-map residual [m/s]. NaN when it was not asked for.
    pub natural_map: f64,
    /// Kinetic and potential energy [J].
    pub energy: f64,
    pub step: StepMark,
    /// Positions of the joints that have one number [rad or m].
    pub joints: Vec<f64>,
    /// Efforts of the actuators [N·m or N].
    pub efforts: Vec<f64>,
}

/// What the step that led to a frame says of itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepMark {
    /// Natural map of the law the solver claims to solve [m/s]. NaN when it was not asked for.
    pub own_natural_map: f64,
    /// Deepest overlap at the start of the step [m].
    pub penetration: f64,
    /// Of the contact solver.
    pub iterations: u32,
    pub outcome: StepOutcome,
    /// What was done because the problem had no good answer.
    pub remedy: Option<Remedy>,
    /// The constraint with the largest natural map: contacts first, in the order of the frame, then limits and others.
    pub worst: Option<usize>,
}

impl Default for StepMark {
    /// Of a frame no step led to.
    fn default() -> Self {
        Self {
            own_natural_map: f64::NAN,
            penetration: 0.0,
            iterations: 0,
            outcome: StepOutcome::None,
            remedy: None,
            worst: None,
        }
    }
}

/// How a step ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepOutcome {
    /// There was no step, or nothing is known of it.
    None,
    Converged,
    /// Accepted, though the solver did not reach its tolerance.
    NotConverged,
    /// Not accepted: the state is as before the step.
    Failed,
    /// Accepted; what is left is what rounding the impulses to 64 bits leaves.
    Rounding,
    /// Accepted; the law is obeyed, but the step made energy that nothing explains.
    GainedEnergy,
}

/// One contact point.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactMark {
    /// Bodies A and B; `None`: the world.
    pub bodies: [Option<usize>; 2],
    /// Where the force acts, in W [m].
    pub point: [f64; 3],
    /// Unit normal in W, from A to B.
    pub normal: [f64; 3],
    /// Force on B in W [N]: the impulse of the step divided by its length.
    pub force: [f64; 3],
    /// Coulomb's coefficient, equation (1).
    pub mu: f64,
    pub mode: ContactMode,
}

/// A surface on which the pressures of two solids are equal, as polygons.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PatchMark {
    /// Bodies A and B; `None`: the world.
    pub bodies: [Option<usize>; 2],
    /// How many of the corners are those of each polygon, in their order.
    pub polygons: Vec<usize>,
    /// Corners of all polygons: where in W [m], and the pressure there without dissipation [Pa].
    pub corners: Vec<([f64; 3], f64)>,
}

/// What a contact does during the step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContactMode {
    /// Separating or not touching: no force.
    Open,
    /// Pressed together without relative motion.
    Stick,
    /// Pressed together and slipping: the force lies on the cone.
    Slide,
}

impl Recording {
    /// Several recordings of the same world in one, each under the name of its contact model. Fixed
    /// geometries, times, energy and certificate are those of the first; a run that ended earlier leaves
    /// poses that are not numbers. `None` without any.
    #[must_use]
    pub fn together(recordings: Vec<Self>) -> Option<Self> {
        let longest = recordings.iter().map(|r| r.frames.len()).max()?;
        let mut all = recordings.into_iter();
        let mut out = all.next()?;
        let count = out.bodies.len();
        let own = out.geometries.clone();
        out.runs = vec![RecordedRun { name: out.contact_model.clone(), first: 0, count }];
        let lost = ([f64::NAN; 3], [f64::NAN; 4]);
        while let (true, Some(last)) = (out.frames.len() < longest, out.frames.last()) {
            // The first run ended early: time goes on without it.
            let step =
                if out.frames.len() > 1 { last.t - out.frames[out.frames.len() - 2].t } else { out.dt };
            let (t, poses) = (last.t + step, vec![lost; count]);
            out.frames.push(Frame { t, poses, ..Frame::default() });
        }
        for run in all {
            let first = out.bodies.len();
            out.add_run(&run.contact_model, &run.bodies, &own);
            for (i, frame) in out.frames.iter_mut().enumerate() {
                match run.frames.get(i) {
                    Some(theirs) => frame.add_run(theirs, first),
                    None => frame.poses.extend(vec![lost; run.bodies.len()]),
                }
            }
        }
        if out.runs.len() > 1 {
            out.contact_model = format!("{} and {} more", out.contact_model, out.runs.len() - 1);
        }
        Some(out)
    }

    /// One more run, called after its contact model, of the `bodies` and `geometries` of the first. Frames are left
    /// alone: [`Frame::add_run`].
    pub fn add_run(&mut self, contact_model: &str, bodies: &[String], geometries: &[RecordedGeometry]) {
        let first = self.bodies.len();
        self.runs.push(RecordedRun { name: contact_model.to_owned(), first, count: bodies.len() });
        self.bodies.extend(bodies.iter().map(|b| format!("{b} ({contact_model})")));
        let moved = geometries.iter().filter(|g| g.body.is_some());
        self.geometries
            .extend(moved.map(|g| RecordedGeometry { body: g.body.map(|b| b + first), ..g.clone() }));
    }

    /// Looks for what no viewer could show: poses that do not match the bodies, indices out of range, time running
    /// backwards.
    ///
    /// # Errors
    /// The first fault found, in words.
    pub fn check(&self) -> Result<(), RecordingFault> {
        let body_count = self.bodies.len();
        for geometry in &self.geometries {
            if geometry.body.is_some_and(|body| body >= body_count) {
                return Err(RecordingFault::GeometryBody { geometry: geometry.name.clone(), body_count });
            }
            if let RecordedShape::Mesh { vertices, triangles } = &geometry.shape
                && triangles.iter().flatten().any(|&i| i as usize >= vertices.len())
            {
                return Err(RecordingFault::MeshIndex {
                    geometry: geometry.name.clone(),
                    vertex_count: vertices.len(),
                });
            }
        }
        for geometry in &self.geometries {
            if let RecordedShape::HeightField { rows, cols, heights, .. } = &geometry.shape
                && (*rows < 2 || *cols < 2 || rows.checked_mul(*cols) != Some(heights.len()))
            {
                return Err(RecordingFault::Grid { geometry: geometry.name.clone(), heights: heights.len() });
            }
        }
        if let Some(run) = self.runs.iter().find(|r| r.first.saturating_add(r.count) > body_count) {
            return Err(RecordingFault::Run { run: run.name.clone(), body_count });
        }
        let mut before = f64::NEG_INFINITY;
        for (index, frame) in self.frames.iter().enumerate() {
            if frame.poses.len() != body_count {
                return Err(RecordingFault::PoseCount { frame: index, poses: frame.poses.len(), body_count });
            }
            // A NaN time is caught here too: it is not after anything.
            if frame.t.partial_cmp(&before) != Some(std::cmp::Ordering::Greater) {
                return Err(RecordingFault::Time { frame: index, t: frame.t, before });
            }
            before = frame.t;
            if frame.patches.iter().any(|p| p.polygons.iter().sum::<usize>() != p.corners.len()) {
                return Err(RecordingFault::Polygons { frame: index });
            }
            let patched = frame.patches.iter().flat_map(|patch| patch.bodies);
            let mut ends = frame.contacts.iter().flat_map(|mark| mark.bodies).chain(patched);
            if ends.any(|end| end.is_some_and(|body| body >= body_count)) {
                return Err(RecordingFault::ContactBody { frame: index, body_count });
            }
        }
        Ok(())
    }
}

impl Default for Frame {
    /// Nothing, at no time that is known.
    fn default() -> Self {
        let nan = f64::NAN;
        let step = StepMark::default();
        Self {
            t: nan,
            poses: vec![],
            contacts: vec![],
            patches: vec![],
            natural_map: nan,
            energy: nan,
            step,
            joints: vec![],
            efforts: vec![],
        }
    }
}

impl Frame {
    /// The same instant of another run, whose bodies start at `first`.
    pub fn add_run(&mut self, other: &Self, first: usize) {
        // What is no contact can no longer be told by its number.
        self.step.worst = self.step.worst.filter(|&i| i < self.contacts.len());
        self.poses.extend(&other.poses);
        let ours = |bodies: [Option<usize>; 2]| bodies.map(|b| b.map(|b| b + first));
        let contact = |m: &ContactMark| ContactMark { bodies: ours(m.bodies), ..m.clone() };
        let patch = |m: &PatchMark| PatchMark { bodies: ours(m.bodies), ..m.clone() };
        self.contacts.extend(other.contacts.iter().map(contact));
        self.patches.extend(other.patches.iter().map(patch));
    }

    /// Force of the world on the bodies [N]: the sum over contacts with the world at one end; what two bodies do to
    /// each other cancels and is left out. For a robot at rest this is its weight, upwards.
    #[must_use]
    pub fn force_from_world(&self) -> [f64; 3] {
        let mut sum = [0.0; 3];
        for mark in &self.contacts {
            let sign = match mark.bodies {
                [None, Some(_)] => 1.0,
                [Some(_), None] => -1.0,
                _ => continue,
            };
            for (total, component) in sum.iter_mut().zip(mark.force) {
                *total += sign * component;
            }
        }
        sum
    }
}

/// Why a recording cannot be shown.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RecordingFault {
    #[error("geometry `{geometry}` rides on a body beyond the {body_count} recorded ones")]
    GeometryBody { geometry: String, body_count: usize },
    #[error("mesh `{geometry}` has a triangle that points beyond its {vertex_count} vertices")]
    MeshIndex { geometry: String, vertex_count: usize },
    #[error(
        "height field `{geometry}` has {heights} heights, which is not its rows times columns, at least 2 × 2"
    )]
    Grid { geometry: String, heights: usize },
    #[error("run `{run}` has bodies beyond the {body_count} recorded ones")]
    Run { run: String, body_count: usize },
    #[error("frame {frame} has {poses} poses, but there are {body_count} bodies")]
    PoseCount { frame: usize, poses: usize, body_count: usize },
    #[error("frame {frame} is at t = {t} s, which is not after the frame before it ({before} s)")]
    Time { frame: usize, t: f64, before: f64 },
    #[error("frame {frame} has a contact on a body beyond the {body_count} recorded ones")]
    ContactBody { frame: usize, body_count: usize },
    #[error("frame {frame} has a contact surface whose polygons are not made of its corners")]
    Polygons { frame: usize },
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(bodies: [Option<usize>; 2], force: [f64; 3]) -> ContactMark {
        ContactMark {
            bodies,
            point: [0.0; 3],
            normal: [0.0, 0.0, 1.0],
            force,
            mu: 0.5,
            mode: ContactMode::Stick,
        }
    }

    /// Box 1 (2 N) on box 0 (3 N) on the ground: the ground carries 5 N, whichever end it is, and what the boxes do
    /// to each other does not count.
    #[test]
    fn the_ground_carries_the_stack() {
        let on_box_0 = mark([None, Some(0)], [0.0, 0.0, 2.5]);
        let on_ground = mark([Some(0), None], [0.0, 0.0, -2.5]);
        let between = mark([Some(0), Some(1)], [0.0, 0.0, 2.0]);
        let frame = Frame { t: 0.0, contacts: vec![on_box_0, on_ground, between], ..Frame::default() };
        assert_eq!(frame.force_from_world(), [0.0, 0.0, 5.0]);
    }

    #[test]
    fn faults_are_named() {
        let frame = |t, poses: usize| Frame {
            t,
            poses: vec![([0.0; 3], [1.0, 0.0, 0.0, 0.0]); poses],
            ..Frame::default()
        };
        let mut recording = Recording {
            name: "pair".into(),
            contact_model: "ncp-pgs".into(),
            dt: 1e-3,
            tolerance: 1e-8,
            notes: Vec::new(),
            mechanism: Mechanism::default(),
            bodies: vec!["box".into()],
            geometries: vec![],
            runs: vec![],
            frames: vec![frame(0.0, 1), frame(0.1, 1)],
        };
        assert_eq!(recording.check(), Ok(()));

        recording.frames[1].t = 0.0;
        assert!(matches!(recording.check(), Err(RecordingFault::Time { frame: 1, .. })));
        recording.frames[1] = frame(f64::NAN, 1);
        assert!(matches!(recording.check(), Err(RecordingFault::Time { frame: 1, .. })));
        recording.frames[1] = frame(0.1, 2);
        assert!(matches!(recording.check(), Err(RecordingFault::PoseCount { poses: 2, .. })));
        recording.frames[1] = frame(0.1, 1);
        recording.frames[1].contacts.push(mark([None, Some(1)], [0.0; 3]));
        assert!(matches!(recording.check(), Err(RecordingFault::ContactBody { frame: 1, .. })));
        recording.frames[1] = frame(0.1, 1);
        let patch = |body| PatchMark {
            bodies: [None, Some(body)],
            polygons: vec![3],
            corners: vec![([0.0; 3], 1e3); 3],
        };
        recording.frames[1].patches.push(patch(0));
        assert_eq!(recording.check(), Ok(()));
        recording.frames[1].patches.push(patch(1));
        assert!(matches!(recording.check(), Err(RecordingFault::ContactBody { frame: 1, .. })));
        recording.frames[1].patches[1] = PatchMark { polygons: vec![4], ..patch(0) };
        assert!(matches!(recording.check(), Err(RecordingFault::Polygons { frame: 1 })));
    }

    /// Two runs of a box on the floor, the second shorter: bodies and contacts are told apart, the floor is there once.
    #[test]
    fn runs_lie_beside_each_other() {
        let shape = |body| RecordedGeometry {
            name: "shape".into(),
            body,
            shape: RecordedShape::Sphere { radius: 1.0 },
            position: [0.0; 3],
            quaternion: [1.0, 0.0, 0.0, 0.0],
            rgba: RecordedGeometry::UNCOLOURED,
        };
        let run = |contact_model: &str, frames: usize| Recording {
            name: "box".into(),
            contact_model: contact_model.into(),
            dt: 0.1,
            tolerance: 1e-8,
            notes: Vec::new(),
            mechanism: Mechanism::default(),
            bodies: vec!["box".into()],
            geometries: vec![shape(None), shape(Some(0))],
            runs: vec![],
            frames: (0..frames)
                .map(|i| Frame {
                    t: 0.1 * i as f64,
                    poses: vec![([0.0; 3], [1.0, 0.0, 0.0, 0.0])],
                    contacts: vec![mark([None, Some(0)], [0.0; 3])],
                    ..Frame::default()
                })
                .collect(),
        };
        for (lengths, ends) in [([3, 2], 1), ([2, 3], 0)] {
            let [a, b] = lengths;
            let both = Recording::together(vec![run("nsgs", a), run("sap", b)]).unwrap();
            assert_eq!(both.check(), Ok(()));
            assert_eq!((both.bodies.len(), both.geometries.len(), both.frames.len()), (2, 3, 3));
            assert_eq!(both.runs[1], RecordedRun { name: "sap".into(), first: 1, count: 1 });
            assert_eq!(both.frames[0].contacts[1].bodies, [None, Some(1)]);
            let gone = |i: usize| both.frames[2].poses[i].0[0].is_nan();
            assert!(gone(ends) && !gone(1 - ends));
        }
        assert_eq!(Recording::together(vec![]), None);
    }
}
