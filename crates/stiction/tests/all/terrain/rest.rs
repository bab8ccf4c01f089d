//! At rest on triangles: upright, on the same points from step to step.

use super::ground::{field, mesh, on, step};
use std::f64::consts::{FRAC_PI_2, TAU};
use std::sync::Arc;
use stiction::collision::{ConvexMesh, Shape};
use stiction::dynamics::spatial::{Pose, Quat, Vec3, vec3};

fn prism(n: usize) -> Shape {
    let rim = |i: usize, z: f64| {
        let (s, c) = (TAU * i as f64 / n as f64).sin_cos();
        vec3(0.05 * c, 0.05 * s, z)
    };
    let points: Vec<Vec3> = (0..n).flat_map(|i| [rim(i, 0.03), rim(i, -0.03)]).collect();
    Shape::Convex(Arc::new(ConvexMesh::from_points(&points).unwrap()))
}

#[test]
fn resting_contact_sets_on_triangles_do_not_change() {
    let lying = Quat::from_axis_angle(Vec3::X, FRAC_PI_2);
    let shapes = [
        (Shape::Sphere { radius: 0.03 }, Quat::IDENTITY, 0.03),
        (Shape::Box { half: vec3(0.05, 0.04, 0.03) }, Quat::from_axis_angle(Vec3::Z, 0.4), 0.03),
        (Shape::Capsule { radius: 0.03, half_length: 0.05 }, lying, 0.03),
        (Shape::Cylinder { radius: 0.05, half_length: 0.03 }, Quat::IDENTITY, 0.03),
        (prism(6), Quat::from_axis_angle(Vec3::Z, 0.2), 0.03),
        (prism(8), Quat::from_axis_angle(Vec3::Z, 1.2), 0.03),
        (prism(16), Quat::IDENTITY, 0.03),
    ];
    for ground in [mesh(|_| 0.0), field(|_| 0.0)] {
        let name = ground.0.name();
        let place = |(i, (shape, q, z)): (usize, &(Shape, Quat, f64))| {
            (shape.clone(), Pose::new(*q, vec3(0.3 * i as f64 + 0.0071, 0.0123, z + 1e-4)), Vec3::ZERO)
        };
        let bodies: Vec<_> = shapes.iter().enumerate().map(place).collect();
        let mut sim = on(ground, &bodies, 0.5, 2e-3);
        (0..500).for_each(|_| drop(step(&mut sim)));
        let mut last = step(&mut sim);
        for (i, (shape, ..)) in shapes.iter().enumerate().skip(3) {
            let points = last.iter().filter(|c| c.geometries[1] == i + 1).count();
            assert!(points >= 3, "{} on {name}: {points} points", shape.name());
        }
        for k in 0..1000 {
            let now = step(&mut sim);
            assert_eq!(now.len(), last.len(), "{name}, step {k}");
            for (c, d) in last.iter().zip(&now) {
                let same = c.geometries == d.geometries && c.feature == d.feature;
                assert!(same && (d.position - c.position).norm() < 1e-12, "{name}, step {k}: {c:?} {d:?}");
            }
            last = now;
        }
        for (i, (shape, q, _)) in shapes.iter().enumerate().skip(3) {
            let p = &sim.state().q[7 * i + 3..7 * i + 7];
            let up = q.conjugate().rotate(Vec3::Z);
            let tilt = Quat::new(p[0], p[1], p[2], p[3]).rotate(up).cross(Vec3::Z).norm().to_degrees();
            assert!(tilt < 1e-3, "{} on {name} tilts by {tilt} degrees", shape.name());
        }
    }
}
