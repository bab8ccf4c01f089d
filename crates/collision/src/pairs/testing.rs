//! What the tests of this crate share: a small generator of random numbers, and shapes.

use crate::convex::ConvexMesh;
use crate::height_field::HeightField;
use crate::mesh::TriangleMesh;
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

/// A sheet of 2 n² triangles over the square of the given side, its heights a function of x and y.
pub(crate) fn grid_mesh(n: usize, side: f64, height: impl Fn(f64, f64) -> f64) -> TriangleMesh {
    let at = |i: usize| side * (i as f64 / n as f64 - 0.5);
    let nodes = (0..(n + 1) * (n + 1)).map(|k| (at(k % (n + 1)), at(k / (n + 1))));
    let vertices: Vec<Vec3> = nodes.map(|(x, y)| vec3(x, y, height(x, y))).collect();
    let mut triangles = Vec::new();
    for (r, c) in (0..n * n).map(|k| (k / n, k % n)) {
        let a = (r * (n + 1) + c) as u32;
        let (b, up) = (a + 1, n as u32 + 1);
        triangles.extend([[a, b, b + up], [a, b + up, a + up]]);
    }
    TriangleMesh::new(&vertices, &triangles).unwrap()
}

/// A ring about z: `n` sections of `m` corners, radius `R` of the ring and `r` of its tube.
pub(crate) fn torus(n: usize, m: usize, R: f64, r: f64) -> TriangleMesh {
    let corner = |i: usize, j: usize| {
        let ((s, c), (sj, cj)) =
            ((TAU * i as f64 / n as f64).sin_cos(), (TAU * j as f64 / m as f64).sin_cos());
        vec3((R + r * cj) * c, (R + r * cj) * s, r * sj)
    };
    let vertices: Vec<Vec3> = (0..n * m).map(|k| corner(k / m, k % m)).collect();
    let index = |i: usize, j: usize| (i % n * m + j % m) as u32;
    let quad = |i: usize, j: usize| {
        let [a, b, c, d] = [index(i, j), index(i + 1, j), index(i + 1, j + 1), index(i, j + 1)];
        [[a, b, c], [a, c, d]]
    };
    let triangles: Vec<[u32; 3]> = (0..n * m).flat_map(|k| quad(k / m, k % m)).collect();
    TriangleMesh::new(&vertices, &triangles).unwrap()
}

/// A field of gentle waves, 0.6 m wide.
pub(crate) fn waves() -> HeightField {
    let (rows, cols) = (9, 11);
    let height = |k: usize| 0.02 * ((k % cols) as f64).sin() + 0.02 * ((k / cols) as f64 * 0.8).cos();
    HeightField::new(rows, cols, [0.6, 0.5], (0..rows * cols).map(height).collect(), 0.1).unwrap()
}

/// The closed mesh of the same solid as a field: its floor is a fan, so that no edge ends midway.
pub(crate) fn mesh_of_field(field: &HeightField) -> TriangleMesh {
    let mut soup: Vec<[Vec3; 3]> = field.triangles().collect();
    let border = 2 * (field.rows() + field.cols()) - 4;
    soup.truncate(soup.len() - 2);
    let middle = vec3(0.0, 0.0, field.bottom());
    let fan: Vec<[Vec3; 3]> =
        soup[soup.len() - 2 * border..].iter().skip(1).step_by(2).map(|[_, a, b]| [*b, *a, middle]).collect();
    soup.extend(fan);
    let vertices: Vec<Vec3> = soup.iter().flatten().copied().collect();
    let triangles: Vec<[u32; 3]> = (0..soup.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    TriangleMesh::new(&vertices, &triangles).unwrap()
}

/// Shapes that are not convex: a field, a solid and a shell.
pub(crate) fn surfaces() -> Vec<Shape> {
    let sheet = grid_mesh(6, 0.3, |x, y| 0.3 * (x * x - y * y));
    vec![
        Shape::HeightField(Arc::new(waves())),
        Shape::Mesh(Arc::new(torus(16, 8, 0.1, 0.04))),
        Shape::Mesh(Arc::new(sheet)),
    ]
}

/// One of each convex kind, about 0.1 m large, and hulls small and large.
pub(crate) fn every_shape() -> Vec<Shape> {
    vec![
        Shape::Plane,
        Shape::Sphere { radius: 0.1 },
        Shape::Box { half: vec3(0.1, 0.07, 0.13) },
        Shape::Capsule { radius: 0.06, half_length: 0.1 },
        Shape::Cylinder { radius: 0.08, half_length: 0.12 },
        Shape::Ellipsoid { radii: vec3(0.1, 0.06, 0.14) },
        Shape::Cone { radius: 0.09, half_height: 0.1 },
        Shape::Convex(Arc::new(prism(8, 0.1, 0.05))),
        Shape::Convex(Arc::new(pebble(20, 0.1, 5))),
        Shape::Convex(Arc::new(pebble(400, 0.1, 6))),
    ]
}
