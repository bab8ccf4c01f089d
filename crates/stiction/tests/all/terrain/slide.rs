//! Without friction nothing but the true surface may change a velocity: an edge between triangles of one
//! plane is no edge.

use super::ground::{CELL, field, mesh, on, position, step, velocity};
use std::f64::consts::FRAC_PI_2;
use stiction::collision::Shape;
use stiction::dynamics::spatial::{Pose, Quat, Vec3, vec3};

const FRAMES: usize = 2000;
const DT: f64 = 1e-3;

/// A box, a ball, a capsule and a cylinder, each in a lane of its own, at a slant and 1 m/s.
fn sliders() -> Vec<(Shape, Pose, Vec3)> {
    let yaw = Quat::from_axis_angle(Vec3::Z, 0.3);
    let lying = Quat::from_axis_angle(Vec3::X, FRAC_PI_2);
    let v = vec3(1.0, 0.013, 0.0);
    vec![
        (Shape::Box { half: vec3(0.04, 0.03, 0.02) }, Pose::new(yaw, vec3(0.0, -0.35, 0.02)), v),
        (Shape::Sphere { radius: 0.03 }, Pose::from_translation(vec3(0.0, -0.15, 0.03)), v),
        (
            Shape::Capsule { radius: 0.02, half_length: 0.05 },
            Pose::new(yaw * lying, vec3(0.0, 0.05, 0.02)),
            v,
        ),
        (Shape::Cylinder { radius: 0.05, half_length: 0.03 }, Pose::new(yaw, vec3(0.0, 0.25, 0.03)), v),
    ]
}

#[test]
fn two_thousand_frames_over_flat_triangles_without_a_wrong_normal_or_a_bump() {
    for ground in [mesh(|_| 0.0), field(|_| 0.0)] {
        let (name, bodies) = (ground.0.name(), sliders());
        let mut sim = on(ground, &bodies, 0.0, DT);
        for frame in 0..FRAMES {
            for c in step(&mut sim) {
                let wrong = c.normal.cross(Vec3::Z).norm();
                assert!(wrong < 1e-6 && c.normal.z > 0.0, "{name}, frame {frame}: {c:?}");
            }
            for (i, (.., v)) in bodies.iter().enumerate() {
                let bump = velocity(&sim, i) - *v;
                assert!(bump.norm() < 1e-6, "{name}, body {i}, frame {frame}: {bump:?}");
            }
        }
        assert!(position(&sim, 0).x > 1.9);
    }
}

/// Over a fold, up a ramp of 1:5 and down again: the normals are those of the two sides or lie between
/// them, and the energy is kept.
#[test]
fn over_a_convex_fold() {
    let ridge = |x: f64| if x < 1.0 { 0.2 * (x - 1.0) } else { -0.2 * (x - 1.0) };
    let slope = 0.2_f64.atan();
    for ground in [mesh(ridge), field(ridge)] {
        let name = ground.0.name();
        let ball = Shape::Sphere { radius: 0.03 };
        let start = vec3(0.3, 0.01, -0.14) + vec3(-slope.sin(), 0.0, slope.cos()) * 0.03;
        let v = vec3(slope.cos(), 0.0, slope.sin()) * 2.0;
        let mut sim = on(ground, &[(ball, Pose::from_translation(start), v)], 0.0, DT);
        let before = sim.energy().total();
        for frame in 0..900 {
            for c in step(&mut sim) {
                let angle = c.normal.x.atan2(c.normal.z);
                assert!(angle.abs() < slope + 1e-6 && c.normal.y.abs() < 1e-9, "{name}, {frame}: {c:?}");
            }
        }
        assert!(position(&sim, 0).x > 1.5, "{:?}", position(&sim, 0));
        let lost = 1.0 - sim.energy().total() / before;
        assert!(lost.abs() < 0.1, "{name} took {lost} of the energy");
    }
}

/// A ball rolls through a valley of 2 m radius, tessellated: it keeps to the curve and to its energy.
#[test]
fn rolling_over_a_tessellated_curve() {
    let bowl = |x: f64| 2.0 - (4.0 - (x - 1.25) * (x - 1.25)).sqrt();
    for ground in [mesh(bowl), field(bowl)] {
        let name = ground.0.name();
        let ball = Shape::Sphere { radius: 0.05 };
        let along: f64 = -0.6;
        let start = vec3(1.25, 0.01, 2.0) + vec3(along.sin(), 0.0, -along.cos()) * 1.949;
        let mut sim = on(ground, &[(ball, Pose::from_translation(start), Vec3::ZERO)], 1.0, DT);
        let (height, floor) = (start.z, 0.05);
        let mut lowest = f64::INFINITY;
        for frame in 0..FRAMES {
            for c in step(&mut sim) {
                let true_normal = (vec3(1.25, 0.0, 2.0) - vec3(c.position.x, 0.0, c.position.z)).normalized();
                // Half a cell of a circle of 2 m, where it is steepest, and a little over the fold, where both
                // sides touch.
                let wrong = c.normal.cross(true_normal.unwrap()).norm();
                assert!(wrong < 0.55 * CELL / 2.0 / along.cos(), "{name}, frame {frame}: {wrong} {c:?}");
            }
            lowest = lowest.min(position(&sim, 0).z);
        }
        assert!((lowest - floor).abs() < 2e-3, "{name}: {lowest}");
        assert!(position(&sim, 0).z < height + 1e-3, "{name}: the ball gained height");
        assert!(velocity(&sim, 0).norm() < (2.0 * 9.81 * height).sqrt());
    }
}
