//! What a contact costs: nanoseconds per pair in typical states, and per query of a world.
//!
//! `cargo run --release -p stiction-collision --example pair_cost`
//!
//! Every number is the fastest of many short runs over a few poses near the one named.

#![allow(non_snake_case)] // X_WG, as in the library
#![allow(clippy::print_stdout)] // a report

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, TAU};
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;
use stiction_collision::{Collider, CollisionWorld, ConvexMesh, Manifold, Shape, collide};
use stiction_dynamics::spatial::{Pose, Quat, Vec3, vec3};

const MARGIN: f64 = 1e-3;

fn main() {
    let box_ = Shape::Box { half: vec3(0.1, 0.1, 0.1) };
    let slab = Shape::Box { half: vec3(1.0, 1.0, 0.1) };
    let sphere = Shape::Sphere { radius: 0.1 };
    let capsule = Shape::Capsule { radius: 0.05, half_length: 0.1 };
    let cylinder = Shape::Cylinder { radius: 0.1, half_length: 0.1 };
    let octagon = Shape::Convex(Arc::new(prism(8)));
    let coin = Shape::Convex(Arc::new(prism(32)));
    let pebble = Shape::Convex(Arc::new(ball_of_points(300)));

    let on = |z: f64| Pose::from_translation(vec3(0.01, 0.02, z));
    let tilted = |axis: Vec3, angle, z| Pose::new(Quat::from_axis_angle(axis, angle), vec3(0.01, 0.02, z));
    let lying = |z| tilted(Vec3::X, FRAC_PI_2, z);
    let edge = |z| Pose::new(Quat::from_rpy(FRAC_PI_4, 0.0, 0.4), vec3(0.0, 0.0, z));
    let root2 = 2.0_f64.sqrt();

    println!("{:<34} {:>8} {:>7} {:>8}", "pair", "ns", "points", "gap um");
    let cases: [(&str, &Shape, &Shape, Pose); 29] = [
        ("plane sphere", &Shape::Plane, &sphere, on(0.1)),
        ("plane box, face", &Shape::Plane, &box_, on(0.1)),
        ("plane capsule, lying", &Shape::Plane, &capsule, lying(0.05)),
        ("plane cylinder, standing", &Shape::Plane, &cylinder, on(0.1)),
        ("plane octagon", &Shape::Plane, &octagon, on(0.05)),
        ("plane hull of 300", &Shape::Plane, &pebble, on(0.0999)),
        ("sphere sphere", &sphere, &sphere, on(0.199)),
        ("sphere box", &slab, &sphere, on(0.2)),
        ("sphere cylinder", &cylinder, &sphere, on(0.2)),
        ("sphere octagon", &octagon, &sphere, on(0.15)),
        ("sphere hull of 300", &pebble, &sphere, on(0.199)),
        ("capsule capsule, parallel", &capsule, &capsule, Pose::from_translation(vec3(0.1, 0.0, 0.02))),
        ("capsule capsule, crossed", &capsule, &capsule, tilted(Vec3::Y, 0.5, 0.0)),
        ("capsule box, lying", &slab, &capsule, lying(0.15)),
        ("capsule octagon, lying", &octagon, &capsule, lying(0.1)),
        ("box box, face", &slab, &box_, on(0.2)),
        ("box box, face turned 30 deg", &slab, &box_, tilted(Vec3::Z, 0.52, 0.2)),
        ("box box, equal", &box_, &box_, Pose::from_translation(vec3(0.0, 0.0, 0.2))),
        ("box box, edge on face", &slab, &box_, edge(0.1 + 0.1 * root2)),
        ("box box, far apart", &box_, &box_, on(0.4)),
        ("box cylinder, standing", &slab, &cylinder, on(0.2)),
        ("box cylinder, lying", &slab, &cylinder, lying(0.2)),
        ("cylinder cylinder, standing", &cylinder, &cylinder, on(0.2)),
        ("box octagon", &slab, &octagon, on(0.15)),
        ("box octagon, 1 cm deep", &slab, &octagon, on(0.14)),
        ("octagon octagon", &octagon, &octagon, on(0.1)),
        ("box 32-gon", &slab, &coin, on(0.15)),
        ("box hull of 300", &slab, &pebble, on(0.1999)),
        ("hull of 300, hull of 300", &pebble, &pebble, on(0.197)),
    ];
    for (name, a, b, X_WB) in cases {
        report(name, a, b, X_WB);
    }
    for n in [5, 50, 500] {
        world(n);
    }
    let started = Instant::now();
    let points: Vec<Vec3> = ball_of_points(20_000).vertices().to_vec();
    println!(
        "hull of 20000 points, {} vertices: {:.0} ms",
        points.len(),
        started.elapsed().as_secs_f64() * 1e3
    );
}

fn report(name: &str, a: &Shape, b: &Shape, X_WB: Pose) {
    const POSES: usize = 16;
    let jitter = |k: usize| {
        let turn = TAU * k as f64 / POSES as f64;
        let p = vec3(turn.cos(), turn.sin(), turn.cos()) * 1e-6;
        Pose::new(Quat::exp(p * 1e-3) * X_WB.rotation, X_WB.translation + p)
    };
    let poses: Vec<Pose> = (0..POSES).map(jitter).collect();
    let mut out = Manifold::new(0, 1);
    let mut fastest = f64::INFINITY;
    for _ in 0..2000 {
        let started = Instant::now();
        for X in &poses {
            collide(black_box(a), &Pose::IDENTITY, black_box(b), black_box(X), MARGIN, &mut out);
            black_box(&out);
        }
        fastest = fastest.min(started.elapsed().as_secs_f64() / POSES as f64);
    }
    let gap = out.deepest().unwrap_or(f64::NAN) * 1e6;
    println!("{name:<34} {:>8.0} {:>7} {gap:>8.1}", fastest * 1e9, out.points().len());
}

/// n boxes in a loose heap over a plane, slowly moving.
fn world(n: usize) {
    let collider = |shape, owner| Collider { shape, owner, group: 1, mask: 1 };
    let mut colliders = vec![collider(Shape::Plane, 0)];
    colliders.extend((1..n).map(|i| collider(Shape::Box { half: vec3(0.1, 0.1, 0.1) }, i)));
    let Ok(mut world) = CollisionWorld::new(colliders, &[], |owner| owner == 0) else { return };
    let side = (n as f64).sqrt().ceil() as usize;
    let place = |i: usize, t: f64| {
        let (row, column) = ((i / 2) / side, (i / 2) % side);
        let height = 0.1 + 0.2 * (i % 2) as f64;
        let q = Quat::from_axis_angle(Vec3::Z, 0.1 * (i % 7) as f64 + t);
        Pose::new(q, vec3(0.27 * row as f64, 0.27 * column as f64, height))
    };
    let margins = vec![MARGIN; n];
    let (mut out, mut fastest) = (Vec::new(), f64::INFINITY);
    for k in 0..200 {
        let mut poses: Vec<Pose> = (0..n).map(|i| place(i, 1e-4 * f64::from(k))).collect();
        poses[0] = Pose::IDENTITY;
        let started = Instant::now();
        world.query(&poses, &margins, &mut out);
        fastest = fastest.min(started.elapsed().as_secs_f64());
    }
    println!("query of {n} colliders: {:.1} us, {} manifolds", fastest * 1e6, out.len());
    assert!(n < 3 || !out.is_empty());
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
