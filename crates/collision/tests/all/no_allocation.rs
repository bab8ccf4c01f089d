//! After warm-up a query allocates nothing: counted by the allocator itself.
#![allow(non_snake_case)]
// as in the crate: frames are written as in the literature
// A global allocator can only be replaced through an unsafe trait; this one forwards to the system's.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use stiction_collision::{Collider, CollisionWorld, ConvexMesh, HeightField, Shape, TriangleMesh};
use stiction_dynamics::spatial::{Pose, Quat, Vec3, vec3};

struct Counting;
static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is forwarded unchanged to the system allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: the caller's promises are passed on.
        unsafe { System.dealloc(ptr, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The only test of this binary, so that no other thread allocates meanwhile. A dense heap of
/// all kinds, so that deep overlaps (EPA) are among the pairs.
#[test]
fn nothing_allocates_after_warm_up() {
    let points: Vec<Vec3> =
        (0..60).map(|i| f64::from(i) * 0.7).map(|t| vec3(t.sin(), t.cos(), (1.7 * t).sin()) * 0.1).collect();
    let hull = Arc::new(ConvexMesh::from_points(&points).unwrap());
    let heights = (0..20).map(|i| 0.03 * f64::from(i).sin()).collect();
    let shapes = [
        Shape::Plane,
        Shape::Sphere { radius: 0.1 },
        Shape::Box { half: vec3(0.1, 0.07, 0.13) },
        Shape::Capsule { radius: 0.06, half_length: 0.1 },
        Shape::Cylinder { radius: 0.08, half_length: 0.12 },
        Shape::Convex(Arc::clone(&hull)),
        Shape::Ellipsoid { radii: vec3(0.1, 0.06, 0.14) },
        Shape::Cone { radius: 0.09, half_height: 0.1 },
        Shape::Mesh(Arc::new(TriangleMesh::new(hull.vertices(), hull.triangles()).unwrap())),
        Shape::HeightField(Arc::new(HeightField::new(4, 5, [0.3, 0.3], heights, 0.1).unwrap())),
    ];
    let of = |i: usize| if i == 0 { 0 } else { 1 + i % 9 };
    let collider = |i: usize| Collider { shape: shapes[of(i)].clone(), owner: i, group: 1, mask: 1 };
    let world = CollisionWorld::new((0..40).map(collider).collect(), &[], |o| o == 0).unwrap();
    // Rigid groups of four, whose contacts are judged together.
    let mut world = world.with_joined((0..30).map(|i| (i, i + 10)));
    let pose = |i: usize, t: f64| {
        let s = i as f64 + t;
        Pose::new(
            Quat::from_rpy(s, 2.0 * s, 0.5 * s),
            vec3((3.0 * s).sin(), (5.0 * s).sin(), (7.0 * s).sin()) * 0.2,
        )
    };
    let margins = [0.01; 40];
    let mut out = Vec::with_capacity(40 * 40);
    let steps: Vec<Vec<Pose>> =
        (0..20).map(|k| (0..40).map(|i| pose(i, 0.01 * f64::from(k))).collect()).collect();
    steps.iter().for_each(|poses| world.query(poses, &margins, Vec3::ZERO, &mut out));

    let before = ALLOCATIONS.load(Ordering::Relaxed);
    let mut manifolds = 0;
    for poses in &steps {
        world.query(poses, &margins, Vec3::ZERO, &mut out);
        manifolds += out.len();
    }
    assert_eq!(ALLOCATIONS.load(Ordering::Relaxed) - before, 0);
    assert!(manifolds > 1000);
}
