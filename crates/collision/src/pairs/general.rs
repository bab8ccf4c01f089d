//! Any two bounded shapes: a proven guess, or the axis from iterations, made exact; then the overlap
//! of patches.

use super::face_first::{self, Guess};
use super::meet::{Closest, meet_facing, separation_along};
use super::refine::refined;
use crate::frame::Frame;
use crate::manifold::Manifold;
use crate::parry::{Axis, separation};
use crate::shape::Shape;
use stiction_dynamics::spatial::Vec3;

pub(crate) fn collide(a: &Shape, A: &Frame, b: &Shape, B: &Frame, margin: f64, out: &mut Manifold) {
    let overlap = match face_first::collide(a, A, b, B, margin, out) {
        Guess::Proven => return,
        Guess::Overlap(n) => Some(n),
        Guess::Unknown => None,
    };
    let limit = margin + a.rounding() + b.rounding();
    let along = |n: Vec3| separation_along(a, A, b, B, n);
    let size = a.size().min(b.size());
    let found = |overlap: Option<Vec3>| match separation(a, A, b, B, limit, overlap) {
        Axis::Apart => None,
        Axis::Found(axis) if !axis.doubtful => Some(axis.normal),
        Axis::Found(axis) => Some(by_search(a, A, b, B, Some(axis.normal))),
        Axis::Unknown => Some(by_search(a, A, b, B, None)),
    };
    let Some(axis) = found(overlap) else { return };
    let (mut normal, proven) = refined((a, A), (b, B), axis);
    let mut distance = along(normal);
    if !proven && distance < 0.0 && overlap.is_none() {
        // Shallow overlaps of corners: the axis of the shrunk cores is not that of the depth.
        let Some(axis) = found(Some(normal)) else { return };
        let deep = refined((a, A), (b, B), axis).0;
        let s = along(deep);
        if s > distance {
            (normal, distance) = (deep, s);
        }
    }
    if distance > limit {
        return;
    }
    meet_facing((a, A), (b, B), Closest { normal, distance }, size, margin, out);
}

/// Hulls with more faces are not searched when there is something to start from.
const SEARCHED: usize = 64;

/// The best of the axis given, the face normals and the line of centres: what remains when
/// iterations fail. Exact for face contacts.
fn by_search(a: &Shape, A: &Frame, b: &Shape, B: &Frame, start: Option<Vec3>) -> Vec3 {
    let along = |n: Vec3| separation_along(a, A, b, B, n);
    let centres = (B.point(b.center()) - A.point(a.center())).normalized().unwrap_or(Vec3::Z);
    let first = start.unwrap_or(centres);
    let mut best = (along(first), first);
    let mut consider = |n: Vec3| {
        let s = along(n);
        // Among equals the first, up to rounding.
        if s > best.0 + 1e-12 * best.0.abs() {
            best = (s, n);
        }
    };
    for (shape, frame, sign) in [(a, A, 1.0), (b, B, -1.0)] {
        match shape {
            Shape::Convex(mesh) if start.is_none() || mesh.faces().len() <= SEARCHED => {
                mesh.faces().iter().for_each(|f| consider(frame.direction(f.normal) * sign));
            }
            Shape::Box { .. } | Shape::Cylinder { .. } | Shape::Cone { .. } => {
                for i in 0..3 {
                    consider(frame.R.column(i));
                    consider(-frame.R.column(i));
                }
            }
            _ => {}
        }
    }
    best.1
}
