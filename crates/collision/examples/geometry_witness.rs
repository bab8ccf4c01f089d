//! Random pairs and rays with our answers, as JSON, for libraries that are asked the same.
//!
//! `cargo run --release -p stiction-collision --example geometry_witness [-- CASES [SEED]]`
//!
//! `cargo xtask verify geometry` hands what this prints to `xtask/verify/geometry_witnesses.py`.

#![allow(non_snake_case)] // X_WG, as in the library
#![allow(clippy::print_stdout)] // a report

use std::f64::consts::PI;
use std::sync::Arc;
use stiction_collision::query::{Ray, distance};
use stiction_collision::{ConvexMesh, HeightField, Shape};
use stiction_dynamics::spatial::{Pose, Quat, Vec3, vec3};

fn main() {
    let mut words = std::env::args().skip(1).map(|word| word.parse::<u64>());
    let cases = words.next().and_then(Result::ok).unwrap_or(100);
    let mut random = Random(words.next().and_then(Result::ok).unwrap_or(1));
    let shapes = shapes(&mut random);
    let (mut pairs, mut rays) = (Vec::new(), Vec::new());
    for (i, a) in shapes.iter().enumerate() {
        for (j, b) in shapes.iter().enumerate().skip(i) {
            if a.is_convex() && b.is_convex() {
                pairs.extend((0..cases).map(|_| pair((i, a), (j, b), &mut random)));
            }
        }
        rays.extend((0..4 * cases).map(|_| ray(i, a, &mut random)));
    }
    let shapes: Vec<String> = shapes.iter().map(described).collect();
    println!(
        "{{\"shapes\":[{}],\"pairs\":[{}],\"rays\":[{}]}}",
        shapes.join(","),
        pairs.join(","),
        rays.join(",")
    );
}

/// One or two of every kind, about 0.1 m large.
fn shapes(random: &mut Random) -> Vec<Shape> {
    let mut hull = |n: usize| {
        // In single precision, which MuJoCo keeps vertices in.
        let single = |x: f64| f64::from(x as f32);
        let points: Vec<Vec3> =
            (0..n).map(|_| random.vector(0.1)).map(|p| vec3(single(p.x), single(p.y), single(p.z))).collect();
        match ConvexMesh::from_points(&points) {
            Ok(mesh) => Shape::Convex(Arc::new(mesh)),
            Err(error) => panic!("{error}"),
        }
    };
    let (small, large) = (hull(12), hull(200));
    let (rows, cols) = (7, 9);
    let height = |k: usize| {
        let z = 0.03 * (1.0 + ((k % cols) as f64).sin() * ((k / cols) as f64 * 0.8).cos());
        f64::from(z as f32)
    };
    let field = HeightField::new(rows, cols, [0.4, 0.3], (0..rows * cols).map(height).collect(), 0.1);
    let field = field.unwrap_or_else(|error| panic!("{error}"));
    vec![
        Shape::Plane,
        Shape::Sphere { radius: 0.08 },
        Shape::Box { half: vec3(0.1, 0.07, 0.13) },
        Shape::Box { half: vec3(0.15, 0.1, 0.01) },
        Shape::Capsule { radius: 0.04, half_length: 0.1 },
        Shape::Cylinder { radius: 0.08, half_length: 0.12 },
        Shape::Cylinder { radius: 0.1, half_length: 0.01 },
        Shape::Ellipsoid { radii: vec3(0.1, 0.06, 0.14) },
        Shape::Cone { radius: 0.09, half_height: 0.1 },
        small,
        large,
        Shape::HeightField(Arc::new(field)),
    ]
}

/// Two shapes, near each other or overlapping; their signed distance and its normal.
fn pair((i, a): (usize, &Shape), (j, b): (usize, &Shape), random: &mut Random) -> String {
    let X_WA = random.pose(0.2);
    let reach = [0.05, 0.15, 0.3][random.below(3)];
    let X_WB = X_WA * random.pose(reach);
    let (d, n) = match distance(a, &X_WA, b, &X_WB, f64::INFINITY) {
        Some(found) => (format!("{:?}", found.distance), numbers(&found.normal.to_array())),
        None => ("null".to_owned(), "null".to_owned()),
    };
    let (X_WA, X_WB) = (pose(&X_WA), pose(&X_WB));
    format!("{{\"a\":{i},\"b\":{j},\"X_WA\":{X_WA},\"X_WB\":{X_WB},\"distance\":{d},\"normal\":{n}}}")
}

/// A ray towards a shape, from outside or inside; where it first crosses the surface, and the normal there.
fn ray(i: usize, shape: &Shape, random: &mut Random) -> String {
    let X_WG = random.pose(0.2);
    let reach = [0.05, 0.5][random.below(2)];
    let origin = X_WG.transform(random.vector(reach));
    let target = X_WG.transform(random.vector(0.1));
    let direction = (target - origin).normalized().unwrap_or(Vec3::X);
    let hit = shape.ray_first(&X_WG, &Ray { origin, direction, limit: f64::INFINITY });
    let (t, n) = hit.map_or(("null".to_owned(), "null".to_owned()), |h| {
        (format!("{:?}", h.distance), numbers(&h.normal.to_array()))
    });
    format!(
        "{{\"shape\":{i},\"X_WG\":{},\"origin\":{},\"direction\":{},\"distance\":{t},\"normal\":{n}}}",
        pose(&X_WG),
        numbers(&origin.to_array()),
        numbers(&direction.to_array())
    )
}

/// Kind and numbers: of a hull its vertices, of a height field rows, columns, sides, depth and heights.
fn described(shape: &Shape) -> String {
    let size = match shape {
        Shape::Sphere { radius } => vec![*radius],
        Shape::Box { half } => half.to_array().to_vec(),
        Shape::Ellipsoid { radii } => radii.to_array().to_vec(),
        Shape::Capsule { radius, half_length } | Shape::Cylinder { radius, half_length } => {
            vec![*radius, *half_length]
        }
        Shape::Cone { radius, half_height } => vec![*radius, *half_height],
        Shape::Convex(mesh) => mesh.vertices().iter().flat_map(|v| v.to_array()).collect(),
        Shape::HeightField(field) => {
            let [x, y] = field.size();
            let head = [field.rows() as f64, field.cols() as f64, x, y, -field.bottom()];
            head.into_iter().chain(field.heights().iter().copied()).collect()
        }
        Shape::Plane | Shape::Mesh(_) => Vec::new(),
    };
    format!("{{\"type\":\"{}\",\"size\":{}}}", shape.name(), numbers(&size))
}

fn pose(X: &Pose) -> String {
    let [x, y, z] = X.translation.to_array();
    let [w, i, j, k] = X.rotation.to_array();
    numbers(&[x, y, z, w, i, j, k])
}

fn numbers(list: &[f64]) -> String {
    format!("[{}]", list.iter().map(|x| format!("{x:?}")).collect::<Vec<_>>().join(","))
}

/// SplitMix64 [Steele2014].
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in [−1, 1).
    fn symmetric(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }

    fn vector(&mut self, reach: f64) -> Vec3 {
        vec3(self.symmetric(), self.symmetric(), self.symmetric()) * reach
    }

    fn pose(&mut self, reach: f64) -> Pose {
        let axis = self.vector(1.0).normalized().unwrap_or(Vec3::Z);
        let angle = PI * self.symmetric();
        Pose::new(Quat::from_axis_angle(axis, angle), self.vector(reach))
    }
}
