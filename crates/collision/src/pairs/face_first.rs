//! A guess with a proof: most bodies that touch do so on a face of one of them.
//!
//! The faces of A and B near the line between them are tried as axes, the best is clipped, and
//! the result stands if the points found prove it:
//!
//! ```text
//!     apart     a point of A and one of B are s(n) apart along n: no two are nearer, since s(n) is a
//!               lower bound of the distance                                          (1)
//!     overlap   a point of B on its face is as deep in A, under all faces of A, as A and B overlap
//!               along n: B cannot leave by a shorter way (or A and B exchanged)        (2)
//! ```
//!
//! Any axis with s(n) beyond the margin proves that there is nothing to do. What is not proven is
//! left to the iterations of [`super::general`], which cost several times as much.

use super::meet::{Closest, meet, separation_along};
use crate::convex::ConvexMesh;
use crate::frame::Frame;
use crate::manifold::Manifold;
use crate::patch::{CORNERS, facing};
use crate::shape::Shape;
use stiction_dynamics::spatial::Vec3;

/// Relative to the size: of faces that differ by less the one of the larger shape is taken, so that
/// rounding does not decide between parallel ones.
const PREFER: f64 = 1e-8;
/// Relative to the size: what a proof may leave open.
const EXACT: f64 = 1e-10;
/// Relative to the size: deeper overlaps are not guessed at.
const DEEP: f64 = 0.05;
/// Hulls with more faces offer none.
const SEARCHED: usize = 80;

/// An axis: s(n), and n from A to B.
#[derive(Clone, Copy)]
struct Try {
    s: f64,
    n: Vec3,
}

/// Writes the manifold if there is a proven one, or none to write; false: nothing is known.
pub(crate) fn collide(a: &Shape, A: &Frame, b: &Shape, B: &Frame, margin: f64, out: &mut Manifold) -> bool {
    if [a, b].iter().any(|shape| matches!(shape, Shape::Sphere { .. } | Shape::Ellipsoid { .. })) {
        return false; // Rarely nearest to a face, or so treated before.
    }
    let roundings = (a.rounding(), b.rounding());
    let limit = margin + roundings.0 + roundings.1;
    let between = B.point(b.center()) - A.point(a.center());
    let size = a.size().min(b.size());

    let along = |n: Vec3| separation_along(a, A, b, B, n);
    let best_a = best_face(a, A, between, limit, along);
    let toward = best_a.map_or(-between, |t| -t.n);
    let best_b = best_face(b, B, toward, limit, |n| along(-n)).map(|t| Try { n: -t.n, ..t });
    let (best, of_a) = match (best_a, best_b) {
        (Some(p), Some(q)) => {
            let tie = (p.s - q.s).abs() <= PREFER * size;
            let first = if tie { a.size() >= b.size() } else { p.s > q.s };
            if first { (p, true) } else { (q, false) }
        }
        (Some(p), None) => (p, true),
        (None, Some(q)) => (q, false),
        (None, None) => return false,
    };
    if best.s > limit {
        out.clear();
        return true;
    }
    if best.s < -DEEP * size || best.s < 0.0 && limit > margin {
        return false;
    }
    let (patch_a, patch_b) = (facing::<CORNERS>(a, A, best.n), facing::<CORNERS>(b, B, -best.n));
    // The middle is wanted only where nothing is proven.
    let closest = Closest { normal: best.n, distance: best.s, middle: A.origin };
    let missing = if patch_a.corners().len() + patch_b.corners().len() <= 16 {
        meet::<CORNERS, 16>(&patch_a, &patch_b, roundings, closest, size, margin, out)
    } else {
        meet::<CORNERS, { 2 * CORNERS }>(&patch_a, &patch_b, roundings, closest, size, margin, out)
    };
    let proven = missing <= EXACT * size
        && if best.s >= 0.0 {
            true // (1)
        } else if of_a {
            is_deepest(a, A, out, 0.5, size)
        } else {
            is_deepest(b, B, out, -0.5, size)
        };
    if !proven {
        out.clear();
    }
    proven
}

/// The best of the faces of `shape` near the direction `toward` the other: n out of the shape, `along(n)`
/// its s. The first beyond `limit` is enough.
fn best_face(shape: &Shape, X: &Frame, toward: Vec3, limit: f64, along: impl Fn(Vec3) -> f64) -> Option<Try> {
    let facing = |axis: Vec3| if axis.dot(toward) < 0.0 { -axis } else { axis };
    let attempt = |n: Vec3| Try { s: along(n), n };
    match shape {
        Shape::Box { .. } => {
            let mut best = attempt(facing(X.R.column(0)));
            for i in 1..3 {
                if best.s > limit {
                    break;
                }
                let next = attempt(facing(X.R.column(i)));
                if next.s > best.s {
                    best = next;
                }
            }
            Some(best)
        }
        Shape::Cylinder { .. } => Some(attempt(facing(X.axis()))),
        Shape::Convex(mesh) if mesh.faces().len() <= SEARCHED => {
            Some(attempt(X.direction(best_aligned(mesh, X.inverse_direction(toward)))))
        }
        _ => None,
    }
}

/// Among the faces at the support vertex in the direction `d`, the normal of the best aligned (in G).
fn best_aligned(mesh: &ConvexMesh, d: Vec3) -> Vec3 {
    let normal = |f: &u32| mesh.faces()[*f as usize].normal;
    let normals = mesh.faces_at(mesh.support_vertex(d)).iter().map(normal);
    normals.max_by(|m, n| m.dot(d).total_cmp(&n.dot(d))).unwrap_or(Vec3::Z)
}

/// (2): whether some point of the other shape is as deep in `owner` as the deepest point of the manifold;
/// `side` times its gap leads from a contact point to the other's surface. A corner of the overlap may lie at
/// the rim of the face: a point a little inward is as deep, up to the tilt.
fn is_deepest(owner: &Shape, X: &Frame, found: &Manifold, side: f64, size: f64) -> bool {
    let points = found.points();
    let Some(deepest) = points.iter().min_by(|p, q| p.gap.total_cmp(&q.gap)) else { return false };
    let surface = |k: usize| points[k].position + found.normal * (side * points[k].gap);
    let here = deepest.position + found.normal * (side * deepest.gap);
    let middle = (0..points.len()).fold(Vec3::ZERO, |sum, k| sum + surface(k)) * (1.0 / points.len() as f64);
    let inward = middle - here;
    let share = (8.0 * deepest.gap.abs() / inward.norm()).min(1.0);
    let deep = |p: Vec3| depth_of(X.inverse_point(p), owner) >= -deepest.gap - EXACT * size;
    deep(here) || points.len() > 1 && deep(here + inward * share)
}

/// How deep a point in G is under the surface of a shape with faces [m].
fn depth_of(p: Vec3, shape: &Shape) -> f64 {
    match shape {
        Shape::Box { half } => (half.x - p.x.abs()).min(half.y - p.y.abs()).min(half.z - p.z.abs()),
        Shape::Cylinder { radius, half_length } => (radius - p.x.hypot(p.y)).min(half_length - p.z.abs()),
        Shape::Convex(mesh) => {
            mesh.faces().iter().map(|f| f.offset - f.normal.dot(p)).fold(f64::INFINITY, f64::min)
        }
        _ => f64::NEG_INFINITY,
    }
}
