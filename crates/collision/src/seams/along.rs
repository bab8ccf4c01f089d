//! The contact of two convex shapes along a given normal.

use crate::frame::Frame;
use crate::manifold::Manifold;
use crate::pairs::axis::separation_along;
use crate::pairs::meet::{SLACK, common};
use crate::patch::{CORNERS, Patch, facing, pair_code};
use crate::reduce::{Candidates, reduce_to_corners};
use crate::shape::Shape;
use stiction_dynamics::spatial::Vec3;

/// Fills `out` with the points in which A and B face each other along the unit vector n in W, from A to B, with gaps
/// along n; none where they are beside each other, or farther apart than the margin [m].
pub(super) fn along(
    (a, A): (&Shape, &Frame),
    (b, B): (&Shape, &Frame),
    n: Vec3,
    margin: f64,
    out: &mut Manifold,
) {
    let (r_a, r_b) = (a.rounding(), b.rounding());
    let gap = separation_along((a, A), (b, B), n) - r_a - r_b;
    if gap > margin {
        return;
    }
    let size = a.size().min(b.size());
    let (p, q): (Patch<CORNERS>, Patch<CORNERS>) = (facing(a, A, n), facing(b, B, -n));
    let mut found = Candidates::<{ 2 * CORNERS }>::new();
    common(&p, &q, (r_a, r_b), n, size, margin, &mut found);
    if found.points().is_empty() {
        // Points, and faces seen edge on: what is farthest along the normal, if it is over the other's face.
        let on_a = A.point(a.core_support(A.inverse_direction(n))) + n * r_a;
        let on_b = B.point(b.core_support(B.inverse_direction(-n))) - n * r_b;
        let name = |patch: &Patch<CORNERS>| patch.corners().first().map_or(patch.face, |c| c.vertex);
        if holds(&p, n, on_b, SLACK * size) {
            found.push(on_b - n * (0.5 * gap), gap, pair_code(p.face, name(&q)));
        } else if holds(&q, -n, on_a, SLACK * size) {
            found.push(on_a + n * (0.5 * gap), gap, pair_code(name(&p), q.face));
        } else if (on_b - on_a - n * gap).norm() <= SLACK * size {
            found.push((on_a + on_b) * 0.5, gap, pair_code(p.face, q.face));
        }
    }
    found.raise(gap);
    out.normal = n;
    reduce_to_corners(found.points(), size, out);
}

/// True when the polygon, seen against the direction n out of it, holds the point x.
fn holds<const N: usize>(face: &Patch<N>, n: Vec3, x: Vec3, slack: f64) -> bool {
    let c = face.corners();
    c.len() > 2
        && face.normal.dot(n) > 0.0
        && (0..c.len()).all(|k| {
            let e = c[(k + 1) % c.len()].p - c[k].p;
            e.cross(x - c[k].p).dot(n) >= -slack * e.norm()
        })
}
