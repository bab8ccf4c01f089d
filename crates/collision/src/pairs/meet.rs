//! What all pairs with an extended contact area share: given the axis, patches to points.

use crate::clip::Meeting;
use crate::frame::Frame;
use crate::manifold::Manifold;
use crate::patch::{Patch, pair_code};
use crate::reduce::{Candidates, reduce};
use crate::shape::Shape;
use stiction_dynamics::spatial::Vec3;

/// Segments that differ in direction by less than this sine share a stretch, not a point.
const PARALLEL: f64 = 0.01;
/// A face seen at a smaller cosine is not worth clipping.
const EDGE_ON: f64 = 0.02;
/// Relative to the size of the smaller shape: slack of the clipping.
const SLACK: f64 = 1e-6;

/// Where two cores are closest: s(n), its normal, and the middle of the two points.
#[derive(Clone, Copy)]
pub(crate) struct Closest {
    /// Unit, in W, from A to B.
    pub(crate) normal: Vec3,
    /// s(n) of the cores [m].
    pub(crate) distance: f64,
    /// Midway between the points of the cores, in W [m].
    pub(crate) middle: Vec3,
}

/// s(n): how far the cores are separated along the unit vector n in W [m].
pub(crate) fn separation_along(a: &Shape, A: &Frame, b: &Shape, B: &Frame, n: Vec3) -> f64 {
    let p_A = a.core_support(A.inverse_direction(n));
    let p_B = b.core_support(B.inverse_direction(-n));
    n.dot(B.point(p_B) - A.point(p_A))
}

/// Writes the manifold of two patches; false when none of their points is as deep as `closest`
/// (and that point has then been added).
///
/// `size` [m] is the size of the smaller shape, M at least the number of corners of both.
pub(crate) fn meet<const N: usize, const M: usize>(
    a: &Patch<N>,
    b: &Patch<N>,
    roundings: (f64, f64),
    closest: Closest,
    size: f64,
    margin: f64,
    out: &mut Manifold,
) -> bool {
    let mut candidates = Candidates::<M>::new();
    let n = closest.normal;
    let meeting = |a, b, normal, rounding_a, rounding_b| Meeting {
        a,
        b,
        normal,
        rounding_a,
        rounding_b,
        margin,
        tolerance: SLACK * size,
    };
    let forward = meeting(a, b, n, roundings.0, roundings.1);
    match (a.corners(), b.corners()) {
        ([_], _) | (_, [_]) => {}
        ([p, q], [r, s]) => {
            let (u, v) = (q.p - p.p, s.p - r.p);
            if u.cross(v).norm() < PARALLEL * u.norm() * v.norm() && n.dot(u).abs() < 0.5 * u.norm() {
                forward.stretch(&mut candidates);
            }
        }
        (_, [_, _]) => {
            if a.normal.dot(n) > EDGE_ON {
                meeting(b, a, -n, roundings.1, roundings.0).overlap(&mut candidates);
                candidates.flip();
            }
        }
        (corners, _) => {
            let a_seen = corners.len() == 2 || a.normal.dot(n) > EDGE_ON;
            if a_seen && b.normal.dot(n) < -EDGE_ON {
                forward.overlap(&mut candidates);
            }
        }
    }

    let gap = closest.distance - roundings.0 - roundings.1;
    let complete = candidates.deepest() <= gap + SLACK * size;
    if !complete && gap <= margin {
        let shift = n * (0.5 * (roundings.0 - roundings.1));
        candidates.push(closest.middle + shift, gap, pair_code(a.face, b.face));
    }
    out.clear();
    out.normal = n;
    reduce(candidates.points(), size, out);
    complete
}
