//! Bodies side by side on a floor, watched for tilt and for the identity of their contacts.
use std::f64::consts::TAU;
use std::sync::Arc;
use stiction::collision::{ConvexMesh, Shape};
use stiction::dynamics::spatial::{Pose, Quat, Vec3, vec3};
use stiction::world::Material;
use stiction::{Composer, ContactState, FreeBody, Settings, Simulation, Sleep, StepperParams, UNCOLOURED};

/// Half the thickness of the floor that is a box [m].
const THICK: f64 = 0.5;

/// What the bodies stand on; its surface is z = 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Floor {
    Plane,
    Box,
}

pub(crate) const FLOORS: [Floor; 2] = [Floor::Plane, Floor::Box];

/// Bodies as (shape, pose), 1 kg each, on `floor`.
pub(crate) fn standing(floor: Floor, bodies: Vec<(Shape, Pose)>) -> Simulation {
    let (shape, z) = match floor {
        Floor::Plane => (Shape::Plane, 0.0),
        Floor::Box => (Shape::Box { half: vec3(30.0, 30.0, THICK) }, -THICK),
    };
    standing_on(shape, Pose::from_translation(Vec3::Z * z), bodies)
}

/// The same on any shape.
pub(crate) fn standing_on(floor: Shape, pose: Pose, bodies: Vec<(Shape, Pose)>) -> Simulation {
    let material = Material { friction: 0.5, ..Material::default() };
    let mut c = Composer::new("rest", vec3(0.0, 0.0, -9.81)).unwrap();
    c.fixed("floor", floor, pose, material, UNCOLOURED).unwrap();
    for (i, (shape, pose)) in bodies.into_iter().enumerate() {
        let body = FreeBody::new(format!("body {i}"), shape, 1.0, pose);
        c.body(FreeBody { material, ..body }).unwrap();
    }
    let (world, state) = c.finish();
    let stepper = StepperParams { dt: 2e-3, sleep: Sleep::Off, ..StepperParams::default() };
    Simulation::new(world, state, Settings { stepper, tolerance: 1e-10, ..Settings::default() }).unwrap()
}

/// A regular prism of radius 0.1 m with axis z.
pub(crate) fn prism(n: usize, half_height: f64) -> Shape {
    let rim = |i: usize, z: f64| {
        let (s, c) = (TAU * i as f64 / n as f64).sin_cos();
        vec3(0.1 * c, 0.1 * s, z)
    };
    let points: Vec<Vec3> = (0..n).flat_map(|i| [rim(i, half_height), rim(i, -half_height)]).collect();
    Shape::Convex(Arc::new(ConvexMesh::from_points(&points).unwrap()))
}

pub(crate) fn run(sim: &mut Simulation, steps: usize) {
    for _ in 0..steps {
        let report = sim.step();
        assert!(report.failure().is_none(), "{report:?}");
    }
}

pub(crate) fn rotation(sim: &Simulation, body: usize) -> Quat {
    let q = &sim.state().q[7 * body + 3..];
    Quat::new(q[0], q[1], q[2], q[3])
}

/// The angle between the axes z of two orientations, turned by what they have in common [deg].
pub(crate) fn tilt_between(before: Quat, after: Quat) -> f64 {
    let up = before.conjugate().rotate(Vec3::Z);
    after.rotate(up).cross(Vec3::Z).norm().atan2(after.rotate(up).z).to_degrees()
}

/// The contacts of the last step.
pub(crate) fn contacts(sim: &mut Simulation) -> Vec<ContactState> {
    let mut out = Vec::new();
    sim.contacts_into(&mut out);
    out
}
