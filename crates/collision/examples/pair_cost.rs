//! What a contact costs: nanoseconds per pair in typical states, ours and parry's.
//!
//! `cargo run --release -p stiction-collision --example pair_cost [-- --json] [PART OF A NAME]`
//!
//! Every number is the fastest of many short runs over a few poses near the one named. Ours
//! has no memory; parry is timed without its manifolds of the call before, and with them, as its users
//! have it while nothing moves much. With `--json` the cases are printed
//! too, for `cargo xtask bench collision`, which adds MuJoCo's column.

#![allow(non_snake_case)] // X_WG, as in the library
#![allow(clippy::print_stdout)] // a report

use parry3d_f64::math::{Pose as ParryPose, Rotation, Vector};
use parry3d_f64::query::{ContactManifold, DefaultQueryDispatcher, PersistentQueryDispatcher};
use parry3d_f64::shape::{Ball, Capsule, ConvexPolyhedron, Cuboid, Cylinder, HalfSpace, Shape as ParryShape};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, TAU};
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;
use stiction_collision::{ConvexMesh, Manifold, Shape, collide};
use stiction_dynamics::spatial::{Pose, Quat, Vec3, vec3};

const MARGIN: f64 = 1e-3;
const POSES: usize = 16;
const RUNS: usize = 2000;

fn main() {
    let json = std::env::args().any(|a| a == "--json");
    let wanted = std::env::args().skip(1).find(|a| a != "--json").unwrap_or_default();
    if !json {
        println!("{:<34} {:>8} {:>8} {:>8} {:>7} {:>8}", "pair", "ns", "parry", "kept", "points", "gap um");
    }
    let mut records = Vec::new();
    for (name, a, b, X_WB) in cases().iter().filter(|case| case.0.contains(&wanted)) {
        let mut out = Manifold::new(0, 1);
        let poses: Vec<Pose> = (0..POSES).map(|k| jitter(k, X_WB)).collect();
        let ours = fastest(|| {
            for X in &poses {
                collide(black_box(a), &Pose::IDENTITY, black_box(b), black_box(X), MARGIN, &mut out);
                black_box(&out);
            }
        });
        let (parry, kept, points) = parry(a, b, &poses);
        if json {
            let pose = numbers(X_WB.translation.to_array().iter().chain(&X_WB.rotation.to_array()));
            let (a, b) = (described(a), described(b));
            records.push(format!(
                "{{\"name\":\"{name}\",\"ns\":{ours:.1},\"parry_ns\":{parry:.1},\"parry_kept_ns\":{kept:.1},\
                 \"points\":{},\"parry_points\":{points},\"a\":{a},\"b\":{b},\"pose\":{pose}}}",
                out.points().len()
            ));
        } else {
            let gap = out.deepest().unwrap_or(f64::NAN) * 1e6;
            let points = out.points().len();
            println!("{name:<34} {ours:>8.0} {parry:>8.0} {kept:>8.0} {points:>7} {gap:>8.1}");
        }
    }
    if json {
        println!("{{\"margin\":{MARGIN},\"pairs\":[{}]}}", records.join(","));
    }
}

fn cases() -> Vec<(&'static str, Shape, Shape, Pose)> {
    let plane = || Shape::Plane;
    let box_ = || Shape::Box { half: vec3(0.1, 0.1, 0.1) };
    let slab = || Shape::Box { half: vec3(1.0, 1.0, 0.1) };
    let sphere = || Shape::Sphere { radius: 0.1 };
    let capsule = || Shape::Capsule { radius: 0.05, half_length: 0.1 };
    let cylinder = || Shape::Cylinder { radius: 0.1, half_length: 0.1 };
    let (octagon, coin, pebble) = (Arc::new(prism(8)), Arc::new(prism(32)), Arc::new(ball_of_points(300)));
    let octagon = || Shape::Convex(Arc::clone(&octagon));
    let coin = || Shape::Convex(Arc::clone(&coin));
    let pebble = || Shape::Convex(Arc::clone(&pebble));

    let on = |z: f64| Pose::from_translation(vec3(0.01, 0.02, z));
    let tilted = |axis: Vec3, angle, z| Pose::new(Quat::from_axis_angle(axis, angle), vec3(0.01, 0.02, z));
    let lying = |z| tilted(Vec3::X, FRAC_PI_2, z);
    let edge = |z| Pose::new(Quat::from_rpy(FRAC_PI_4, 0.0, 0.4), vec3(0.0, 0.0, z));
    let beside = |x, z| Pose::from_translation(vec3(x, 0.0, z));
    let root2 = 2.0_f64.sqrt();

    vec![
        ("plane sphere", plane(), sphere(), on(0.1)),
        ("plane box, face", plane(), box_(), on(0.1)),
        ("plane capsule, lying", plane(), capsule(), lying(0.05)),
        ("plane cylinder, standing", plane(), cylinder(), on(0.1)),
        ("plane octagon", plane(), octagon(), on(0.05)),
        ("plane hull of 300", plane(), pebble(), on(0.0999)),
        ("sphere sphere", sphere(), sphere(), on(0.199)),
        ("sphere box", slab(), sphere(), on(0.2)),
        ("sphere cylinder", cylinder(), sphere(), on(0.2)),
        ("sphere octagon", octagon(), sphere(), on(0.15)),
        ("sphere hull of 300", pebble(), sphere(), on(0.199)),
        ("capsule capsule, parallel", capsule(), capsule(), beside(0.1, 0.02)),
        ("capsule capsule, crossed", capsule(), capsule(), tilted(Vec3::X, 0.8, 0.02)),
        ("capsule box, lying", slab(), capsule(), lying(0.15)),
        ("capsule octagon, lying", octagon(), capsule(), lying(0.1)),
        ("box box, face", slab(), box_(), on(0.2)),
        ("box box, face turned 30 deg", slab(), box_(), tilted(Vec3::Z, 0.52, 0.2)),
        ("box box, equal", box_(), box_(), beside(0.0, 0.2)),
        ("box box, edge on face", slab(), box_(), edge(0.1 + 0.1 * root2)),
        ("box box, far apart", box_(), box_(), on(0.4)),
        ("box cylinder, standing", slab(), cylinder(), on(0.2)),
        ("box cylinder, lying", slab(), cylinder(), lying(0.2)),
        ("cylinder cylinder, standing", cylinder(), cylinder(), on(0.2)),
        ("box octagon", slab(), octagon(), on(0.15)),
        ("box octagon, 1 cm deep", slab(), octagon(), on(0.14)),
        ("octagon octagon", octagon(), octagon(), on(0.1)),
        ("box 32-gon", slab(), coin(), on(0.15)),
        ("box hull of 300", slab(), pebble(), on(0.1999)),
        ("hull of 300, hull of 300", pebble(), pebble(), on(0.197)),
    ]
}

/// A micrometre and a microradian off.
fn jitter(k: usize, X: &Pose) -> Pose {
    let turn = TAU * k as f64 / POSES as f64;
    let p = vec3(turn.cos(), turn.sin(), turn.cos()) * 1e-6;
    Pose::new(Quat::exp(p * 1e-3) * X.rotation, X.translation + p)
}

/// Nanoseconds per pose.
fn fastest(mut run: impl FnMut()) -> f64 {
    let once = || {
        let started = Instant::now();
        run();
        started.elapsed().as_secs_f64()
    };
    std::iter::repeat_with(once).take(RUNS).fold(f64::INFINITY, f64::min) * 1e9 / POSES as f64
}

/// parry's nanoseconds per pose without and with the points of the call before, and their number.
fn parry(a: &Shape, b: &Shape, poses: &[Pose]) -> (f64, f64, usize) {
    let ((a, turn_a), (b, turn_b)) = (converted(a), converted(b));
    let relative = |X: &Pose| {
        let q = turn_a.conjugate() * X.rotation * turn_b;
        let p = turn_a.conjugate().rotate(X.translation);
        ParryPose::from_parts(Vector::new(p.x, p.y, p.z), Rotation::from_xyzw(q.x, q.y, q.z, q.w))
    };
    let poses: Vec<ParryPose> = poses.iter().map(relative).collect();
    let mut manifolds: Vec<ContactManifold<(), ()>> = Vec::new();
    let mut workspace = None;
    let dispatcher = DefaultQueryDispatcher;
    let mut ask = |keep: bool| {
        fastest(|| {
            for X in &poses {
                if !keep {
                    manifolds.iter_mut().for_each(ContactManifold::clear);
                }
                let asked = dispatcher.contact_manifolds(X, &*a, &*b, MARGIN, &mut manifolds, &mut workspace);
                black_box(asked.is_ok());
            }
        })
    };
    let (without, with) = (ask(false), ask(true));
    (without, with, manifolds.iter().map(|m| m.points.len()).sum())
}

/// The shape and its turn: the axis of parry's cylinder is y.
fn converted(shape: &Shape) -> (Box<dyn ParryShape>, Quat) {
    let lying = Quat::from_axis_angle(Vec3::X, FRAC_PI_2);
    match shape {
        Shape::Plane => (Box::new(HalfSpace::new(Vector::Z)), Quat::IDENTITY),
        Shape::Sphere { radius } => (Box::new(Ball::new(*radius)), Quat::IDENTITY),
        Shape::Box { half } => (Box::new(Cuboid::new(Vector::new(half.x, half.y, half.z))), Quat::IDENTITY),
        Shape::Capsule { radius, half_length } => {
            (Box::new(Capsule::new_z(*half_length, *radius)), Quat::IDENTITY)
        }
        Shape::Cylinder { radius, half_length } => (Box::new(Cylinder::new(*half_length, *radius)), lying),
        Shape::Convex(mesh) => {
            let points: Vec<Vector> = mesh.vertices().iter().map(|v| Vector::new(v.x, v.y, v.z)).collect();
            match ConvexPolyhedron::from_convex_hull(&points) {
                Some(hull) => (Box::new(hull), Quat::IDENTITY),
                None => panic!("parry finds no hull"),
            }
        }
        other => panic!("parry is not asked about a {}", other.name()),
    }
}

/// A shape for the other engine: its kind and its numbers, of a hull the vertices.
fn described(shape: &Shape) -> String {
    let size = match shape {
        Shape::Sphere { radius } => vec![*radius],
        Shape::Box { half } => half.to_array().to_vec(),
        Shape::Capsule { radius, half_length } | Shape::Cylinder { radius, half_length } => {
            vec![*radius, *half_length]
        }
        Shape::Convex(mesh) => mesh.vertices().iter().flat_map(|v| v.to_array()).collect(),
        _ => Vec::new(),
    };
    format!("{{\"type\":\"{}\",\"size\":{}}}", shape.name(), numbers(size.iter()))
}

fn numbers<'a>(list: impl Iterator<Item = &'a f64>) -> String {
    format!("[{}]", list.map(f64::to_string).collect::<Vec<_>>().join(","))
}

fn prism(n: usize) -> ConvexMesh {
    let rim = |i: usize, z: f64| {
        let (s, c) = (TAU * i as f64 / n as f64).sin_cos();
        vec3(0.1 * c, 0.1 * s, z)
    };
    let points: Vec<Vec3> = (0..n).flat_map(|i| [rim(i, 0.05), rim(i, -0.05)]).collect();
    hull(&points)
}

/// Evenly spread points on a sphere of radius 0.1 m.
fn ball_of_points(n: usize) -> ConvexMesh {
    let golden_angle = std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
    let point = |k: usize| {
        let z = 1.0 - (2 * k + 1) as f64 / n as f64;
        let (s, c) = (golden_angle * k as f64).sin_cos();
        let r = (1.0 - z * z).sqrt();
        vec3(r * c, r * s, z) * 0.1
    };
    hull(&(0..n).map(point).collect::<Vec<_>>())
}

fn hull(points: &[Vec3]) -> ConvexMesh {
    match ConvexMesh::from_points(points) {
        Ok(mesh) => mesh,
        Err(error) => panic!("{error}"),
    }
}
