//! A body that stands tips where the line of its weight leaves the area it stands on, to 1e-4 rad.
//!
//! A side of a body on a slope, and the edge of a table under a body that overhangs. With its centre of mass H over the ground
//! and the edge R beside it, a body tips where the weight leans by more than atan(R/H).

use super::worlds::rough;
use std::f64::consts::TAU;
use std::sync::Arc;
use stiction::collision::{ConvexMesh, Shape};
use stiction::dynamics::spatial::{Pose, Quat, Vec3, vec3};
use stiction::{Composer, FreeBody, Settings, Simulation, StepperParams, UNCOLOURED};

/// So near to the angle at which it tips [rad].
const NEAR: f64 = 1e-4;
/// Half of the width, and of the height [m].
const SIZE: [f64; 2] = [0.03, 0.05];

/// A prism of six sides.
fn prism() -> Shape {
    let corner = |k: usize, z: f64| {
        let (s, c) = (TAU * k as f64 / 6.0).sin_cos();
        vec3(SIZE[0] * c, SIZE[0] * s, z)
    };
    let points: Vec<Vec3> = (0..12).map(|k| corner(k % 6, if k < 6 { -SIZE[1] } else { SIZE[1] })).collect();
    Shape::Convex(Arc::new(ConvexMesh::from_points(&points).unwrap()))
}

fn cuboid() -> Shape {
    Shape::Box { half: vec3(SIZE[0], SIZE[0], SIZE[1]) }
}

/// The spin of a body after a fifth of a second, from rest [rad/s].
fn spin(shape: &Shape, pose: Pose, weight: Vec3, floor: (Shape, Pose)) -> f64 {
    let mut c = Composer::new("tips", weight).unwrap();
    c.fixed("floor", floor.0, floor.1, rough(2.0), UNCOLOURED).unwrap();
    let body = FreeBody::new("body", shape.clone(), 1.0, pose);
    c.body(FreeBody { material: rough(2.0), ..body }).unwrap();
    let (world, state) = c.finish();
    let stepper = StepperParams { sleep: stiction::Sleep::Off, ..StepperParams::default() };
    let mut sim = Simulation::new(world, state, Settings { stepper, ..Settings::default() }).unwrap();
    for _ in 0..200 {
        assert!(sim.step().failure().is_none());
    }
    sim.state().v[3..6].iter().map(|v| v * v).sum::<f64>().sqrt()
}

fn assert_tips_over(shape: &Shape, k: usize, pose: Pose, weight: Vec3, floor: (Shape, Pose), beyond: f64) {
    let spin = spin(shape, pose, weight, floor);
    let right = if beyond > 0.0 { spin > 1e-4 } else { spin < 1e-7 };
    assert!(right, "{} {k}, {beyond:e} rad beyond where it tips, turns at {spin:e} rad/s", shape.name());
}

/// On slopes that fall straight across a side.
#[test]
fn over_a_side_on_a_slope() {
    for (k, beyond) in (0..4).flat_map(|k| [(k, -NEAR), (k, NEAR)]) {
        let (azimuth, lean) = (0.25 * TAU * k as f64, (SIZE[0] / SIZE[1]).atan() + beyond);
        let weight = vec3(lean.sin() * azimuth.cos(), lean.sin() * azimuth.sin(), -lean.cos()) * 9.81;
        let pose = Pose::from_translation(Vec3::Z * SIZE[1]);
        let slab = (Shape::Box { half: vec3(1.0, 1.0, 0.1) }, Pose::from_translation(Vec3::Z * -0.1));
        for floor in [(Shape::Plane, Pose::IDENTITY), slab] {
            assert_tips_over(&cuboid(), k, pose, weight, floor, beyond);
        }
    }
}

/// Turned about its own axis in any way.
#[test]
fn over_the_edge_of_a_table() {
    for shape in [prism(), cuboid()] {
        for (k, beyond) in (0..8).flat_map(|k| [(k, -NEAR), (k, NEAR)]) {
            let turn = Quat::from_axis_angle(Vec3::Z, 0.137 * k as f64);
            let over = vec3(SIZE[1] * beyond.tan(), 0.003 * k as f64, SIZE[1]);
            let table =
                (Shape::Box { half: vec3(1.0, 1.0, 0.1) }, Pose::from_translation(vec3(-1.0, 0.0, -0.1)));
            assert_tips_over(&shape, k, Pose::new(turn, over), Vec3::Z * -9.81, table, beyond);
        }
    }
}

/// A can or a cone on a slope that falls in any direction leans on the point of its rim that is lowest.
#[test]
fn over_a_rim_on_a_slope() {
    let [radius, half] = SIZE;
    let can = (Shape::Cylinder { radius, half_length: half }, half);
    let cone = (Shape::Cone { radius, half_height: half }, 0.5 * half);
    for (shape, height) in [can, cone] {
        for (k, beyond) in (0..6).flat_map(|k| [(k, -NEAR), (k, NEAR)]) {
            let (azimuth, lean) = (0.3 + TAU * k as f64 / 6.0, (radius / height).atan() + beyond);
            let weight = vec3(lean.sin() * azimuth.cos(), lean.sin() * azimuth.sin(), -lean.cos()) * 9.81;
            let turn = Quat::from_axis_angle(Vec3::Z, 0.137 * k as f64);
            let pose = Pose::new(turn, Vec3::Z * half);
            let slab = (Shape::Box { half: vec3(1.0, 1.0, 0.1) }, Pose::from_translation(Vec3::Z * -0.1));
            for floor in [(Shape::Plane, Pose::IDENTITY), slab] {
                assert_tips_over(&shape, k, pose, weight, floor, beyond);
            }
        }
    }
}
