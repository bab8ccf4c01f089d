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

use super::meet::{Closest, meet_facing};
use crate::convex::ConvexMesh;
use crate::frame::Frame;
use crate::manifold::{Manifold, ManifoldPoint};
use crate::patch::is_of_two_faces;
use crate::shape::Shape;
use stiction_dynamics::spatial::{Mat3, Vec3};

/// Relative to the size: of faces that differ by less the one of the larger shape is taken, so that
/// rounding does not decide between parallel ones.
const PREFER: f64 = 1e-10;
/// Relative to the size: what a proof may leave open.
const EXACT: f64 = 5e-10;
/// Relative to the size: deeper overlaps are not guessed at.
const DEEP: f64 = 0.2;
/// Relative to the size: bodies that share a point this deep in one of them overlap beyond doubt.
const SURELY: f64 = 1e-3;

/// Outcome of the guess.
pub(crate) enum Guess {
    /// The manifold is written, if there is one.
    Proven,
    /// The cores overlap; the best axis tried.
    Overlap(Vec3),
    Unknown,
}

/// An axis: s(n), and n from A to B.
#[derive(Clone, Copy)]
struct Try {
    s: f64,
    n: Vec3,
}

/// Writes the manifold if there is a proven one.
pub(crate) fn collide(a: &Shape, A: &Frame, b: &Shape, B: &Frame, margin: f64, out: &mut Manifold) -> Guess {
    if [a, b].iter().any(|shape| matches!(shape, Shape::Sphere { .. } | Shape::Ellipsoid { .. })) {
        return Guess::Unknown; // Rarely nearest to a face, or so treated before.
    }
    let limit = margin + a.rounding() + b.rounding();
    let between = B.point(b.center()) - A.point(a.center());
    let size = a.size().min(b.size());

    let best_a = Faces::new(a, A, b, B).best(between, limit);
    if best_a.is_some_and(|t| t.s > limit) {
        return Guess::Proven;
    }
    // A face that is no good says nothing about where the other one is.
    let toward = best_a.filter(|t| t.s >= -DEEP * size).map_or(-between, |t| -t.n);
    let best_b = Faces::new(b, B, a, A).best(toward, limit).map(|t| Try { n: -t.n, ..t });
    let (best, of_a) = match (best_a, best_b) {
        (Some(p), Some(q)) => {
            let tie = (p.s - q.s).abs() <= PREFER * size;
            let first = if tie { a.size() >= b.size() } else { p.s > q.s };
            if first { (p, true) } else { (q, false) }
        }
        (Some(p), None) => (p, true),
        (None, Some(q)) => (q, false),
        (None, None) => return Guess::Unknown,
    };
    if best.s > limit {
        return Guess::Proven;
    }
    if best.s < -DEEP * size || best.s < 0.0 && limit > margin {
        return Guess::Unknown;
    }
    // The middle is wanted only where nothing is proven.
    let closest = Closest { normal: best.n, distance: best.s, middle: Some(A.origin) };
    let missing = meet_facing((a, A), (b, B), closest, size, margin, out);
    if best.s >= 0.0 && missing <= EXACT * size {
        return Guess::Proven; // (1)
    }
    let (owner, X, side) = if of_a { (a, A, 0.5) } else { (b, B, -0.5) };
    let depth = if best.s < 0.0 { deepest(owner, X, out, side) } else { f64::NEG_INFINITY };
    if missing <= EXACT * size && depth >= -best.s - EXACT * size {
        return Guess::Proven; // (2)
    }
    out.clear();
    if depth > SURELY * size { Guess::Overlap(best.n) } else { Guess::Unknown }
}

/// The faces of a shape, tried against another: all in the frame of the shape.
struct Faces<'a> {
    shape: &'a Shape,
    other: &'a Shape,
    X: &'a Frame,
    /// Directions of the shape in the frame of the other, and the origin of the other.
    R: Mat3,
    p: Vec3,
}

impl<'a> Faces<'a> {
    fn new(shape: &'a Shape, X: &'a Frame, other: &'a Shape, Y: &Frame) -> Self {
        Self { shape, other, X, R: Y.R.transpose() * X.R, p: X.inverse_point(Y.origin) }
    }

    /// s of the plane n · x = offset, and the point of the other that is nearest to it.
    #[inline]
    fn attempt(&self, n: Vec3, offset: f64) -> (f64, Vec3) {
        let d = self.R * n;
        let point = self.p + self.R.transpose_mul(self.other.core_support(-d));
        (n.dot(point) - offset, point)
    }

    /// The best of the faces near the direction `toward` the other: n out of the shape, in W. The first
    /// beyond `limit` is enough.
    fn best(&self, toward: Vec3, limit: f64) -> Option<Try> {
        let toward = self.X.inverse_direction(toward);
        let (s, n) = match self.shape {
            Shape::Box { half } => self.of_box(*half, toward, limit),
            Shape::Cylinder { half_length, .. } => {
                let n = if toward.z < 0.0 { -Vec3::Z } else { Vec3::Z };
                (self.attempt(n, *half_length).0, n)
            }
            Shape::Convex(mesh) => self.of_hull(mesh, toward, limit),
            _ => return None,
        };
        Some(Try { s, n: self.X.direction(n) })
    }

    fn of_box(&self, half: Vec3, toward: Vec3, limit: f64) -> (f64, Vec3) {
        let mut best = (f64::NEG_INFINITY, Vec3::Z);
        for (i, axis) in [Vec3::X, Vec3::Y, Vec3::Z].into_iter().enumerate() {
            let n = if toward[i] < 0.0 { -axis } else { axis };
            let s = self.attempt(n, half[i]).0;
            if s > best.0 {
                best = (s, n);
            }
            if s > limit {
                break;
            }
        }
        best
    }

    /// From the face that looks `toward` the other, over its neighbours uphill.
    fn of_hull(&self, mesh: &ConvexMesh, toward: Vec3, limit: f64) -> (f64, Vec3) {
        let mut at = mesh.face_toward(toward);
        let plane = |f: usize| (mesh.faces()[f].normal, mesh.faces()[f].offset);
        let of = |f: usize| self.attempt(plane(f).0, plane(f).1);
        let (mut s, mut point) = of(at);
        while s <= limit {
            let before = at;
            for &f in &mesh.faces()[before].neighbors {
                let (n, offset) = plane(f as usize);
                // The other reaches down to the point at least.
                if n.dot(point) - offset > s {
                    let next = self.attempt(n, offset);
                    if next.0 > s {
                        (at, (s, point)) = (f as usize, next);
                    }
                }
            }
            if at == before {
                break;
            }
        }
        (s, plane(at).0)
    }
}

/// (2): how deep the deepest point of the manifold on the other shape is in `owner` [m]; `side` times its gap
/// leads from a contact point to the other's surface. A corner of the overlap may lie at the rim of the
/// face: a point a little inward is as deep, up to the tilt.
fn deepest(owner: &Shape, X: &Frame, found: &Manifold, side: f64) -> f64 {
    // The point that stands in for what the clipping missed is no point of the surfaces.
    let clipped = || found.points().iter().filter(|p| !is_of_two_faces(p.feature));
    let Some(first) = clipped().min_by(|p, q| p.gap.total_cmp(&q.gap)) else { return f64::NEG_INFINITY };
    let surface = |p: &ManifoldPoint| p.position + found.normal * (side * p.gap);
    let here = surface(first);
    let depth = depth_of(X.inverse_point(here), owner);
    let count = clipped().count();
    if count == 1 || depth >= -first.gap {
        return depth;
    }
    let middle = clipped().fold(Vec3::ZERO, |sum, p| sum + surface(p)) * (1.0 / count as f64);
    let inward = middle - here;
    let share = (8.0 * first.gap.abs() / inward.norm()).min(1.0);
    depth.max(depth_of(X.inverse_point(here + inward * share), owner))
}

/// How deep a point in G is under the surface of a shape with faces [m].
fn depth_of(p: Vec3, shape: &Shape) -> f64 {
    match shape {
        Shape::Box { half } => (half.x - p.x.abs()).min(half.y - p.y.abs()).min(half.z - p.z.abs()),
        Shape::Cylinder { radius, half_length } => {
            (radius - (p.x * p.x + p.y * p.y).sqrt()).min(half_length - p.z.abs())
        }
        Shape::Convex(mesh) => -mesh.highest_over(p).1,
        _ => f64::NEG_INFINITY,
    }
}
