//! What the tests of this crate share: a small generator of random numbers, and shapes.

use crate::convex::ConvexMesh;
use crate::shape::Shape;
use std::f64::consts::TAU;
use std::sync::Arc;
use stiction_dynamics::spatial::{Pose, Quat, Vec3, vec3};

/// A linear congruential generator: the same numbers on every machine.
pub(crate) struct Lcg(u64);

impl Lcg {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// Uniform in [−1, 1).
    pub(crate) fn symmetric(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as f64 / (1_u64 << 30) as f64 - 1.0
    }

    /// Uniform in 0..n.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        (((self.symmetric() + 1.0) * 0.5 * n as f64) as usize).min(n - 1)
    }

    pub(crate) fn vector(&mut self) -> Vec3 {
        vec3(self.symmetric(), self.symmetric(), self.symmetric())
    }

    /// A random direction.
    pub(crate) fn unit(&mut self) -> Vec3 {
        loop {
            let v = self.vector();
            let n = v.norm();
            if n > 0.1 && n < 1.0 {
                return v * (1.0 / n);
            }
        }
    }

    pub(crate) fn rotation(&mut self) -> Quat {
        let axis = self.unit();
        Quat::from_axis_angle(axis, self.symmetric() * std::f64::consts::PI)
    }

    /// Any rotation, and a position in the cube of half side `reach`.
    pub(crate) fn pose(&mut self, reach: f64) -> Pose {
        Pose::new(self.rotation(), self.vector() * reach)
    }
}

pub(crate) fn box_mesh(half: Vec3, center: Vec3) -> ConvexMesh {
    let sign = |bit: usize| if bit == 0 { -1.0 } else { 1.0 };
    let corner =
        |i: usize| center + vec3(half.x * sign(i & 1), half.y * sign(i >> 1 & 1), half.z * sign(i >> 2 & 1));
    ConvexMesh::from_points(&(0..8).map(corner).collect::<Vec<_>>()).unwrap()
}

/// A regular prism of `n` sides with axis z, turned a little so that nothing is aligned.
pub(crate) fn prism(n: usize, radius: f64, half_height: f64) -> ConvexMesh {
    let rim = |i: usize, z: f64| {
        let (s, c) = (TAU * i as f64 / n as f64 + 0.1).sin_cos();
        vec3(radius * c, radius * s, z)
    };
    let points: Vec<Vec3> = (0..n).flat_map(|i| [rim(i, half_height), rim(i, -half_height)]).collect();
    ConvexMesh::from_points(&points).unwrap()
}

/// A hull of random points.
pub(crate) fn pebble(n: usize, size: f64, seed: u64) -> ConvexMesh {
    let mut random = Lcg::new(seed);
    let points: Vec<Vec3> = (0..n).map(|_| random.vector() * size).collect();
    ConvexMesh::from_points(&points).unwrap()
}

/// One of each kind, about 0.1 m large, and hulls small and large.
pub(crate) fn every_shape() -> Vec<Shape> {
    vec![
        Shape::Plane,
        Shape::Sphere { radius: 0.1 },
        Shape::Box { half: vec3(0.1, 0.07, 0.13) },
        Shape::Capsule { radius: 0.06, half_length: 0.1 },
        Shape::Cylinder { radius: 0.08, half_length: 0.12 },
        Shape::Convex(Arc::new(prism(8, 0.1, 0.05))),
        Shape::Convex(Arc::new(pebble(20, 0.1, 5))),
        Shape::Convex(Arc::new(pebble(400, 0.1, 6))),
    ]
}
