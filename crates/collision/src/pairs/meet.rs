//! What all pairs with an extended contact area share: given the axis, patches to points.

use super::witness::middle;
use crate::clip::Meeting;
use crate::frame::Frame;
use crate::manifold::{Manifold, ManifoldPoint};
use crate::patch::{CORNERS, Corner, Patch, face_code, facing, most_corners, pair_code};
use crate::reduce::{Candidates, reduce_to_corners};
use crate::shape::Shape;
use stiction_dynamics::spatial::Vec3;

/// Segments that differ in direction by less than this sine share a stretch, not a point.
const PARALLEL: f64 = 0.01;
/// A face seen at a smaller cosine is not worth clipping.
const EDGE_ON: f64 = 0.02;
/// Ratio of the squares of two sizes: equal ones must not be told apart by rounding.
const WIDER: f64 = 1.01;
/// Relative to the size of the smaller shape: a corner this near to a side of the other is on it. Bodies that are pressed
/// together stand in line up to what the solver leaves of their speeds.
const ON_A_SIDE: f64 = 1e-6;
/// Relative to the size of the smaller shape: what rounding leaves.
pub(crate) const SLACK: f64 = 5e-10;

/// The axis along which two cores are separated most.
#[derive(Clone, Copy)]
pub(crate) struct Closest {
    /// Unit, in W, from A to B.
    pub(crate) normal: Vec3,
    /// s(n) of the cores [m].
    pub(crate) distance: f64,
    /// Midway between their points, in W, where that is known [m].
    pub(crate) middle: Option<Vec3>,
}

/// Writes the manifold of two patches. Returns by how much the deepest of their points misses the depth of `closest`
/// [m]; when that is more than rounding, that point has been added: `middle` finds it where it is not known.
///
/// `size` [m] is the size of the smaller shape, M at least the number of corners of both.
pub(crate) fn meet<const N: usize, const M: usize>(
    a: &Patch<N>,
    b: &Patch<N>,
    roundings: (f64, f64),
    (closest, middle): (Closest, impl FnOnce() -> Vec3),
    size: f64,
    margin: f64,
    out: &mut Manifold,
) -> f64 {
    let n = closest.normal;
    let mut candidates = Candidates::<M>::new();
    common(a, b, roundings, n, size, margin, &mut candidates);
    let gap = closest.distance - roundings.0 - roundings.1;
    // No point is deeper than s(n) but by the slack of the clipping.
    candidates.raise(gap);
    let missing = candidates.deepest() - gap;
    if missing > SLACK * size && gap <= margin {
        let shift = n * (0.5 * (roundings.0 - roundings.1));
        candidates.push(closest.middle.unwrap_or_else(middle) + shift, gap, pair_code(a.face, b.face));
    }
    out.clear();
    out.normal = n;
    reduce_to_corners(candidates.points(), size, out);
    missing
}

/// True when segments along u and v, met along n, are so nearly parallel that they share a stretch.
pub(crate) fn share_a_stretch(u: Vec3, v: Vec3, n: Vec3) -> bool {
    let (uu, along) = (u.norm_squared(), n.dot(u));
    u.cross(v).norm_squared() < PARALLEL * PARALLEL * uu * v.norm_squared() && along * along < 0.25 * uu
}

/// The manifold of cores that meet in one point, midway between `ends`.
pub(crate) fn meet_in_a_point(
    closest: Closest,
    ends: [Vec3; 2],
    roundings: (f64, f64),
    margin: f64,
    out: &mut Manifold,
) {
    let gap = closest.distance - roundings.0 - roundings.1;
    out.normal = closest.normal;
    if gap <= margin {
        let shift = closest.normal * (0.5 * (roundings.0 - roundings.1));
        let feature = pair_code(face_code(0), face_code(0));
        out.push(ManifoldPoint { position: (ends[0] + ends[1]) * 0.5 + shift, gap, feature });
    }
}

/// [`meet`] with the patches that face each other along the normal, in buffers no larger than need be.
pub(crate) fn meet_facing(
    (a, A): (&Shape, &Frame),
    (b, B): (&Shape, &Frame),
    closest: Closest,
    size: f64,
    margin: f64,
    out: &mut Manifold,
) -> f64 {
    match most_corners(a).max(most_corners(b)) {
        0..=8 => patches::<8, 16>((a, A), (b, B), closest, size, margin, out),
        9..=16 => patches::<16, 32>((a, A), (b, B), closest, size, margin, out),
        _ => patches::<CORNERS, { 2 * CORNERS }>((a, A), (b, B), closest, size, margin, out),
    }
}

fn patches<const N: usize, const M: usize>(
    (a, A): (&Shape, &Frame),
    (b, B): (&Shape, &Frame),
    closest: Closest,
    size: f64,
    margin: f64,
    out: &mut Manifold,
) -> f64 {
    let n = closest.normal;
    let (p, q): (Patch<N>, Patch<N>) = (facing(a, A, n), facing(b, B, -n));
    let middle = || middle((a, A), (b, B), n);
    meet::<N, M>(&p, &q, (a.rounding(), b.rounding()), (closest, middle), size, margin, out)
}

/// Adds the common part of two patches along the unit vector n from A to B to the candidates: nothing where
/// one of them is a point or seen edge on.
pub(crate) fn common<const N: usize, const M: usize>(
    a: &Patch<N>,
    b: &Patch<N>,
    roundings: (f64, f64),
    n: Vec3,
    size: f64,
    margin: f64,
    candidates: &mut Candidates<M>,
) {
    let meeting = |a, b, normal, rounding_a, rounding_b| Meeting {
        a,
        b,
        normal,
        rounding_a,
        rounding_b,
        margin,
        tolerance: ON_A_SIDE * size,
        rounding: SLACK * size,
    };
    let forward = meeting(a, b, n, roundings.0, roundings.1);
    match (a.corners(), b.corners()) {
        ([_], _) | (_, [_]) => {}
        ([p, q], [r, s]) => {
            if share_a_stretch(q.p - p.p, s.p - r.p, n) {
                forward.stretch(candidates);
            }
        }
        (p, q) => {
            let seen =
                |patch: &Patch<N>, d: Vec3| patch.corners().len() == 2 || patch.normal.dot(d) > EDGE_ON;
            // Cut a segment rather than with one, and with the polygon of fewer sides, or the wider: often
            // it cuts nothing off.
            let across = |c: &[Corner]| (c[c.len() / 2].p - c[0].p).norm_squared();
            let wider = p.len() == q.len() && across(p) > WIDER * across(q);
            let cut_b = q.len() == 2 || p.len() > 2 && (p.len() < q.len() || wider);
            if !seen(a, n) || !seen(b, -n) {
                // Only the closest points are known.
            } else if cut_b {
                meeting(b, a, -n, roundings.1, roundings.0).overlap(candidates);
                candidates.flip();
            } else {
                forward.overlap(candidates);
            }
        }
    }
}
