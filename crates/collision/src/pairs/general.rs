//! Any two bounded shapes: a proven guess, or the axis from iterations, made exact; then the overlap
//! of patches.

use super::axis::{best, separation_along};
use super::face_first::{self, Guess};
use super::meet::{Closest, meet_facing};
use super::refine::Refined;
use crate::frame::Frame;
use crate::manifold::Manifold;
use crate::shape::Shape;
use stiction_dynamics::spatial::Vec3;

pub(crate) fn collide(a: &Shape, A: &Frame, b: &Shape, B: &Frame, margin: f64, out: &mut Manifold) {
    let overlap = match face_first::collide(a, A, b, B, margin, out) {
        Guess::Proven => return,
        Guess::Overlap(n) => Some(n),
        Guess::Unknown => None,
    };
    let limit = margin + a.rounding() + b.rounding();
    let otherwise = |start: Option<Vec3>| Some(by_search(a, A, b, B, start));
    let Some(Refined { normal, distance, middle, .. }) = best((a, A), (b, B), limit, overlap, otherwise)
    else {
        return;
    };
    if distance <= limit {
        let size = a.size().min(b.size());
        meet_facing((a, A), (b, B), Closest { normal, distance, middle }, size, margin, out);
    }
}

/// Hulls with more faces are not searched when there is something to start from.
const SEARCHED: usize = 64;

/// The best of the axis given, the face normals and the line of centres: what remains when
/// iterations fail. Exact for face contacts.
fn by_search(a: &Shape, A: &Frame, b: &Shape, B: &Frame, start: Option<Vec3>) -> Vec3 {
    let along = |n: Vec3| separation_along((a, A), (b, B), n);
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
