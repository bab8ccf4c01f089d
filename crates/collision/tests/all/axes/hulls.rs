//! A hundred thousand pairs of hulls, deep ones above all: where EPA goes wrong.

use super::random::Random;
use super::solid::{Solid, separation, signed_distance};
use std::f64::consts::TAU;
use std::sync::Arc;
use stiction_collision::{ConvexMesh, Manifold, Shape, collide};
use stiction_dynamics::spatial::{Pose, Vec3, vec3};

const MARGIN: f64 = 0.01;
const EXACT: f64 = 1e-9;

fn pebble(n: usize, random: &mut Random) -> ConvexMesh {
    let points: Vec<Vec3> = (0..n).map(|_| random.vector(0.1)).collect();
    ConvexMesh::from_points(&points).unwrap()
}

fn prism(n: usize) -> ConvexMesh {
    let rim = |i: usize, z: f64| {
        let (s, c) = (TAU * i as f64 / n as f64).sin_cos();
        vec3(0.1 * c, 0.1 * s, z)
    };
    ConvexMesh::from_points(&(0..n).flat_map(|i| [rim(i, 0.05), rim(i, -0.05)]).collect::<Vec<_>>()).unwrap()
}

/// Checks `pairs` random pairs of the meshes; returns how many overlapped.
fn check(meshes: Vec<ConvexMesh>, pairs: usize, random: &mut Random) -> usize {
    let solids: Vec<Solid> = meshes.iter().map(Solid::of_hull).collect();
    let shapes: Vec<Shape> = meshes.into_iter().map(|m| Shape::Convex(Arc::new(m))).collect();
    let mut overlapping = 0;
    for k in 0..pairs {
        let (i, j) = (random.below(shapes.len()), random.below(shapes.len()));
        let X_WA = if k % 2 == 0 { Pose::IDENTITY } else { random.pose(1.0) };
        let X_WB = X_WA * random.pose([0.02, 0.08, 0.14][k % 3]);
        let mut m = Manifold::new(0, 1);
        collide(&shapes[i], &X_WA, &shapes[j], &X_WB, MARGIN, &mut m);
        let (a, b) = (solids[i].placed(&X_WA), solids[j].placed(&X_WB));
        let truth = signed_distance(&a, &b);
        let at = || format!("pair {k} ({i}, {j}): {X_WA:?} {X_WB:?} {m:?} {}", truth.distance);
        let Some(deepest) = m.deepest() else {
            assert!(truth.distance > MARGIN - EXACT, "missed: {}", at());
            continue;
        };
        overlapping += usize::from(truth.distance < 0.0);
        assert!((deepest - truth.distance).abs() < EXACT, "{}", at());
        let s = separation(&a, &b, m.normal).0;
        assert!((s - truth.distance).abs() < EXACT, "normal: {s} {}", at());
    }
    overlapping
}

#[test]
fn a_hundred_thousand_pairs_of_small_hulls_agree_with_every_axis() {
    let mut random = Random::new(7);
    let meshes = (0..60).map(|k| pebble(4 + k % 5, &mut random)).collect();
    assert!(check(meshes, 100_000, &mut random) > 50_000);
}

/// Many parallel edges and equal faces: what EPA stumbles over.
#[test]
fn prisms_agree_with_every_axis() {
    let mut random = Random::new(8);
    assert!(check([3, 4, 6, 8, 16].map(prism).to_vec(), 10_000, &mut random) > 6_000);
}

#[test]
fn larger_hulls_agree_with_every_axis() {
    let mut random = Random::new(9);
    let meshes = (0..8).map(|k| pebble(20 + 5 * k, &mut random)).collect();
    assert!(check(meshes, 150, &mut random) > 100);
}
