//! A half-space and any other shape: heights over the plane, exact for all of them.
//!
//! With n the normal of the plane and o a point of it, the height of a point is
//!
//! ```text
//!     φ(p) = n · (p − o)                                               (1)
//! ```
//!
//! and the contact point lies midway between p and its foot. Candidates: the centre of a sphere;
//! the ends of a capsule; the corners of the lowest face of a box; of a cylinder, four points
//! of the rim of the lower cap, the lowest of them first, and the lowest of the upper cap; of a
//! cone, four points of its rim and the apex; of an ellipsoid, its lowest point; of a hull, all
//! vertices not much higher than the lowest one. What is not convex: see [`super::surface`].

use super::surface::on_plane;
use crate::convex::ConvexMesh;
use crate::frame::Frame;
use crate::manifold::Manifold;
use crate::patch::{Patch, SIXTEENTHS, box_face, face_code, pair_code, vertex_code};
use crate::reduce::{Candidates, reduce, reduce_to_corners};
use crate::shape::Shape;
use stiction_dynamics::spatial::{Vec3, vec3};

/// Relative to the radius of the hull: vertices of a hull this much above the lowest may rest on
/// the plane after a step; higher ones are on its sides.
const LOWEST: f64 = 0.05;
/// Up to so many low vertices of a hull are all considered.
const VERTICES: usize = 40;
/// The tilt of a lying cylinder below which neither cap is the lower.
const LYING: f64 = 1e-7;

/// A is the plane.
pub(crate) fn plane(A: &Frame, b: &Shape, B: &Frame, margin: f64, out: &mut Manifold) {
    let n = A.axis();
    out.normal = n;
    let height = |p: Vec3| n.dot(p - A.origin); // (1)
    match b {
        Shape::Plane => {}
        Shape::Sphere { radius } => {
            let gap = height(B.origin) - radius;
            if gap <= margin {
                let mut one = Candidates::<1>::new();
                one.push(B.origin - n * (radius + 0.5 * gap), gap, feature(0));
                reduce(one.points(), *radius, out);
            }
        }
        Shape::Capsule { radius, half_length } => {
            let reach = B.axis() * *half_length;
            let mut ends = Candidates::<2>::new();
            for (k, p) in [B.origin - reach, B.origin + reach].into_iter().enumerate() {
                let gap = height(p) - radius;
                if gap <= margin {
                    ends.push(p - n * (radius + 0.5 * gap), gap, feature(k));
                }
            }
            reduce(ends.points(), radius + half_length, out);
        }
        Shape::Box { half } => {
            let face: Patch<4> = box_face(*half, B, B.inverse_direction(-n));
            let mut corners = Candidates::<4>::new();
            for corner in face.corners() {
                let gap = height(corner.p);
                if gap <= margin {
                    corners.push(corner.p - n * (0.5 * gap), gap, pair_code(face_code(0), corner.vertex));
                }
            }
            reduce(corners.points(), half.norm(), out);
        }
        Shape::Cylinder { radius, half_length } => {
            let mut rim = Candidates::<8>::new();
            for (k, p) in rim_points(*radius, *half_length, B, B.inverse_direction(n)) {
                let p = B.point(p);
                let gap = height(p);
                if gap <= margin {
                    rim.push(p - n * (0.5 * gap), gap, feature(k));
                }
            }
            reduce(rim.points(), b.bounding_radius(), out);
        }
        Shape::Ellipsoid { .. } => {
            let p = B.point(b.support(B.inverse_direction(-n)));
            let gap = height(p);
            if gap <= margin {
                let mut one = Candidates::<1>::new();
                one.push(p - n * (0.5 * gap), gap, feature(0));
                reduce(one.points(), b.size(), out);
            }
        }
        Shape::Cone { radius, half_height } => {
            let mut points = Candidates::<8>::new();
            let up = B.inverse_direction(n);
            let apex = (4, vec3(0.0, 0.0, *half_height));
            let base = rim_points(*radius, *half_height, B, vec3(up.x, up.y, up.z.abs()));
            for (k, p) in base.into_iter().take(4).chain([apex]) {
                let p = B.point(p);
                let gap = height(p);
                if gap <= margin {
                    points.push(p - n * (0.5 * gap), gap, feature(k));
                }
            }
            reduce(points.points(), b.size(), out);
        }
        Shape::HeightField(_) | Shape::Mesh(_) => on_plane(n, A.origin, b, B, margin, out),
        Shape::Convex(mesh) => hull(mesh, n, A, B, margin, out),
    }
}

/// The feature of a plane, A, and a vertex of B; of a capsule its end, the one at −z first.
pub fn feature(vertex: usize) -> u32 {
    pair_code(face_code(0), vertex_code(vertex))
}

/// Points of the rims, numbered, for the upward direction `up` in the frame of the cylinder.
fn rim_points(radius: f64, half_length: f64, B: &Frame, up: Vec3) -> [(usize, Vec3); 5] {
    let (c, s) = B.toward_rim(-up);
    let (lower, z) = if up.z >= -LYING { (0, -half_length) } else { (1, half_length) };
    let (x, y) = (radius * c, radius * s);
    let at = |k: usize, x: f64, y: f64, z: f64| (k, vec3(x, y, z));
    [
        at(4 * lower, x, y, z),
        at(4 * lower + 1, -x, -y, z),
        at(4 * lower + 2, -y, x, z),
        at(4 * lower + 3, y, -x, z),
        at(4 * (1 - lower), x, y, -z),
    ]
}

fn hull(mesh: &ConvexMesh, n: Vec3, A: &Frame, B: &Frame, margin: f64, out: &mut Manifold) {
    match mesh.vertices().len() {
        0..=16 => small_hull::<16>(mesh, n, A, B, margin, out),
        17..=VERTICES => small_hull::<VERTICES>(mesh, n, A, B, margin, out),
        _ => large_hull(mesh, n, A, B, margin, out),
    }
}

/// Contact of a hull of at most N vertices: all are looked at, in buffers that cost little to set up.
fn small_hull<const N: usize>(
    mesh: &ConvexMesh,
    n: Vec3,
    A: &Frame,
    B: &Frame,
    margin: f64,
    out: &mut Manifold,
) {
    // Heights in the frame of the mesh: one product per vertex.
    let (up, origin) = (B.inverse_direction(n), n.dot(B.origin - A.origin));
    let (mut heights, mut lowest) = ([0.0; N], f64::INFINITY);
    for (height, p) in heights.iter_mut().zip(mesh.vertices()) {
        *height = up.dot(*p) + origin;
        lowest = if *height < lowest { *height } else { lowest };
    }
    let limit = margin.min(lowest + LOWEST * mesh.radius());
    let mut candidates = Candidates::<N>::new();
    for (i, (gap, p)) in heights.iter().zip(mesh.vertices()).enumerate() {
        if *gap <= limit {
            candidates.push(B.point(*p) - n * (0.5 * gap), *gap, feature(i));
        }
    }
    reduce_to_corners(candidates.points(), mesh.radius(), out);
}

fn large_hull(mesh: &ConvexMesh, n: Vec3, A: &Frame, B: &Frame, margin: f64, out: &mut Manifold) {
    let (up, origin) = (B.inverse_direction(n), n.dot(B.origin - A.origin));
    let height = |i: usize| up.dot(mesh.vertices()[i]) + origin;
    let start = mesh.support_vertex(-up);
    let lowest = height(start);
    if lowest > margin {
        return;
    }
    let limit = margin.min(lowest + LOWEST * mesh.radius());
    let low = |i: usize| height(i) <= limit;
    let mut candidates = Candidates::<VERTICES>::new();
    let mut add = |i: usize| {
        let gap = height(i);
        candidates.push(B.point(mesh.vertices()[i]) - n * (0.5 * gap), gap, feature(i));
    };
    let mut found = [0_u32; VERTICES];
    if let Some(count) = low_around(mesh, start, low, &mut found) {
        found[..count].iter().for_each(|i| add(*i as usize));
    } else {
        // Many: the lowest, and the outermost in each of sixteen directions.
        add(start);
        let (t1, t2) = up.tangents();
        let mut outermost = SIXTEENTHS.map(|_| (f64::NEG_INFINITY, start));
        for (i, p) in mesh.vertices().iter().enumerate().filter(|e| low(e.0)) {
            let (x, y) = (p.dot(t1), p.dot(t2));
            for ((c, s), best) in SIXTEENTHS.iter().zip(&mut outermost) {
                let far = c * x + s * y;
                if far >= best.0 {
                    *best = (far, i);
                }
            }
        }
        outermost.iter().for_each(|(_, i)| add(*i));
    }
    reduce_to_corners(candidates.points(), mesh.radius(), out);
}

/// The `low` vertices, in the order of their numbers; `None` when they are more than fit. On a convex
/// polyhedron a path along edges leads down from each to the lowest: they are found from there.
fn low_around(
    mesh: &ConvexMesh,
    lowest: usize,
    low: impl Fn(usize) -> bool,
    found: &mut [u32; VERTICES],
) -> Option<usize> {
    found[0] = lowest as u32;
    let (mut count, mut next) = (1, 0);
    while next < count {
        for &i in mesh.neighbors(found[next] as usize) {
            if low(i as usize) && !found[..count].contains(&i) {
                *found.get_mut(count)? = i;
                count += 1;
            }
        }
        next += 1;
    }
    found[..count].sort_unstable();
    Some(count)
}
