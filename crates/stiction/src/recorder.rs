//! Fills a [`Recording`] while a simulation runs.

use crate::recording::{
    ContactMark, ContactMode, Frame, Mechanism, RecordedGeometry, RecordedShape, Recording, StepMark,
    StepOutcome,
};
use crate::report::{StepReport, StepStatus};
use crate::simulation::{ContactState, Simulation};
use stiction_collision::Shape;
use stiction_dynamics::spatial::Vec3;
use stiction_world::Drawing;

/// Slip below this counts as sticking in a recording [m/s].
const STICK_SPEED: f64 = 1e-6;

/// See the module.
pub struct Recorder {
    recording: Recording,
    /// Time between frames [s].
    interval: f64,
    next: f64,
}

impl Recorder {
    /// InitialGuesses with the present state as first frame; then about `fps` frames a second.
    pub fn new(sim: &mut Simulation, fps: f64) -> Self {
        let t = sim.state().t;
        let mut recorder = Self { recording: scene_of(sim), interval: 1.0 / fps, next: t };
        recorder.record(sim, f64::NAN, StepMark::default());
        recorder
    }

    /// Adds a frame if one is due. `natural_map`: certificate of the step just made [m/s], or NaN.
    pub fn after_step(&mut self, sim: &mut Simulation, natural_map: f64, step: StepMark) {
        // Half a step of slack, so that frames fall on the nearest step.
        if sim.state().t + 0.5 * sim.settings().stepper.dt >= self.next {
            self.record(sim, natural_map, step);
        }
    }

    fn record(&mut self, sim: &mut Simulation, natural_map: f64, step: StepMark) {
        self.next += self.interval;
        self.recording.frames.push(frame_of(sim, natural_map, step));
    }

    /// The recording so far.
    pub fn finish(self) -> Recording {
        self.recording
    }
}

/// What a simulation looks like, before the first frame.
pub fn scene_of(sim: &Simulation) -> Recording {
    let world = sim.world();
    Recording {
        name: world.name.clone(),
        contact_model: sim.contact_model().to_owned(),
        dt: sim.settings().stepper.dt,
        tolerance: sim.settings().tolerance,
        notes: world.ledger.notes().iter().map(ToString::to_string).collect(),
        bodies: world.model.bodies.iter().map(|b| b.name.clone()).collect(),
        geometries: drawn(sim),
        mechanism: Mechanism::of(world),
        runs: Vec::new(),
        frames: Vec::new(),
    }
}

/// The present state, and what the step that led to it says of itself.
pub fn frame_of(sim: &mut Simulation, natural_map: f64, step: StepMark) -> Frame {
    let (mut contacts, mut efforts) = (Vec::new(), Vec::new());
    sim.contacts_into(&mut contacts);
    sim.efforts_into(&mut efforts);
    // Contacts of what sleeps stand between those of the problem and its other rows.
    let awake = sim.contacts_awake();
    let worst = step.worst.map(|i| if i < awake { i } else { i + contacts.len() - awake });
    let step = StepMark { worst, ..step };
    let energy = sim.energy().total();
    let patches = sim.patches();
    let poses =
        (sim.kinematics().X_WB.iter()).map(|x| (x.translation.to_array(), x.rotation.to_array())).collect();
    let scalar = sim.world().model.joints.iter().filter(|j| j.kind.is_scalar());
    Frame {
        t: sim.state().t,
        poses,
        contacts: contacts.iter().map(mark).collect(),
        natural_map,
        energy,
        step,
        patches,
        joints: scalar.map(|j| sim.state().q[j.idx_q]).collect(),
        efforts,
    }
}

impl StepMark {
    /// Of a step that was judged, or not (NaN).
    pub fn new(report: &StepReport, own_natural_map: f64, worst: Option<usize>) -> Self {
        let outcome = match report.status {
            StepStatus::Converged => StepOutcome::Converged,
            StepStatus::Rounding => StepOutcome::Rounding,
            StepStatus::NotConverged => StepOutcome::NotConverged,
            StepStatus::GainedEnergy => StepOutcome::GainedEnergy,
            StepStatus::Failed(_) => StepOutcome::Failed,
        };
        let (penetration, iterations) = (report.penetration, report.iterations);
        Self { own_natural_map, penetration, iterations, outcome, remedy: report.remedy, worst }
    }
}

fn mark(c: &ContactState) -> ContactMark {
    let mode = if c.force == Vec3::ZERO {
        ContactMode::Open
    } else if c.slip.norm() > STICK_SPEED {
        ContactMode::Slide
    } else {
        ContactMode::Stick
    };
    ContactMark {
        bodies: c.bodies,
        point: c.position.to_array(),
        normal: c.normal.to_array(),
        force: c.force.to_array(),
        mu: c.friction,
        mode,
    }
}

/// Visuals where a link has some, else what touches.
fn drawn(sim: &Simulation) -> Vec<RecordedGeometry> {
    let world = sim.world();
    let made = |name: &str, link, X_L, shape, rgba| {
        let (body, X) = world.mount(link, X_L);
        RecordedGeometry {
            name: name.to_owned(),
            body,
            shape,
            position: X.translation.to_array(),
            quaternion: X.rotation.to_array(),
            rgba,
        }
    };
    let seen = |link: Option<usize>| link.is_some() && world.visuals.iter().any(|v| v.link == link);
    let touching = (world.geometries.iter())
        .filter(|g| !seen(g.link))
        .map(|g| made(&g.name, g.link, g.X_LG, recorded(&g.shape), g.rgba));
    let visuals = world.visuals.iter().map(|v| {
        let shape = match &v.drawing {
            Drawing::Shape(shape) => recorded(shape),
            Drawing::Mesh { vertices, triangles } => RecordedShape::Mesh {
                vertices: vertices.iter().map(short).collect(),
                triangles: triangles.clone(),
            },
        };
        made("", v.link, v.X_LV, shape, v.rgba)
    });
    touching.chain(visuals).collect()
}

fn short(v: &Vec3) -> [f32; 3] {
    [v.x as f32, v.y as f32, v.z as f32]
}

fn recorded(shape: &Shape) -> RecordedShape {
    match shape {
        Shape::Plane => RecordedShape::Plane,
        Shape::Sphere { radius } => RecordedShape::Sphere { radius: *radius },
        Shape::Box { half } => RecordedShape::Box { half: half.to_array() },
        Shape::Capsule { radius, half_length } => {
            RecordedShape::Capsule { radius: *radius, half_length: *half_length }
        }
        Shape::Cylinder { radius, half_length } => {
            RecordedShape::Cylinder { radius: *radius, half_length: *half_length }
        }
        Shape::Ellipsoid { radii } => RecordedShape::Ellipsoid { radii: radii.to_array() },
        Shape::Cone { radius, half_height } => {
            RecordedShape::Cone { radius: *radius, half_height: *half_height }
        }
        Shape::HeightField(field) => RecordedShape::HeightField {
            rows: field.rows(),
            cols: field.cols(),
            size: field.size(),
            heights: field.heights().iter().map(|h| *h as f32).collect(),
            bottom: field.bottom(),
        },
        Shape::Mesh(mesh) => RecordedShape::Mesh {
            vertices: mesh.vertices().iter().map(short).collect(),
            triangles: mesh.triangles().to_vec(),
        },
        Shape::Convex(mesh) => RecordedShape::Mesh {
            vertices: mesh.vertices().iter().map(short).collect(),
            triangles: mesh.triangles().to_vec(),
        },
    }
}
