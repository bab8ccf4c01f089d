//! What a query of a whole world costs: heaps of boxes over a plane, slowly moving.
//!
//! `cargo run --release -p stiction-collision --example world_cost`

#![allow(non_snake_case)] // X_WG, as in the library
#![allow(clippy::print_stdout)] // a report

use std::time::Instant;
use stiction_collision::{Collider, CollisionWorld, Shape};
use stiction_dynamics::spatial::{Pose, Quat, Vec3, vec3};

const MARGIN: f64 = 1e-3;

fn main() {
    println!("{:<10} {:>10} {:>10} {:>10}", "colliders", "us/query", "manifolds", "ns/body");
    for n in [5, 64, 256, 1000] {
        world(n);
    }
}

/// Two layers of boxes a little apart, each turned its own way.
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
        world.query(&poses, &margins, Vec3::ZERO, &mut out);
        fastest = fastest.min(started.elapsed().as_secs_f64());
    }
    println!("{n:<10} {:>10.1} {:>10} {:>10.0}", fastest * 1e6, out.len(), fastest * 1e9 / n as f64);
    assert!(n < 3 || !out.is_empty());
}
