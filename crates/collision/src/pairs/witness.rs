//! Where two cores are closest, given the axis along which they are separated most.
//!
//! Farthest along n the core of A is a point, a segment, a disc or a polygon, F_A; that of B along −n is F_B. At the
//! largest s(n) they share a point as seen along n, since the slope of s is their distance across n:
//!
//! ```text
//!     p_A ∈ F_A,  p_B ∈ F_B,  p_B − p_A = s n                                        (1)
//! ```
//!
//! So a rim on a face or an edge touches with its own farthest point, whatever the other body is as large as; two edges
//! touch where their lines cross. Rounding tilts edges and faces a little: as much of a body is farthest as it takes
//! for (1) to hold.

use crate::frame::Frame;
use crate::part::{Part, across};
use crate::segments::closest_on_segments;
use crate::support::Support;
use stiction_dynamics::spatial::Vec3;

/// Points this much below the highest, relative to the smaller core, are as high.
const LEVEL: f64 = 1e-11;
/// (1) holds across n up to this, relative to the smaller core.
pub(crate) const MET: f64 = 1e-10;
/// Rounds in which points of two faces come together.
const BACK_AND_FORTH: usize = 32;
/// LEVEL grows so often, by a factor of ten.
const GROWN: usize = 6;

/// The middle of the points (1) of two cores in W [m], for the unit vector n in W along which they are separated most.
pub(crate) fn middle<P: Support, Q: Support>((a, A): (&P, &Frame), (b, B): (&Q, &Frame), n: Vec3) -> Vec3 {
    // Far from the origin of W coordinates are rounded.
    let (origin, A, B) = (A.origin, A.from(A.origin), B.from(A.origin));
    origin + middle_of(|level| a.highest(&A, n, level), (b, &B), n, (a.size(), b.size())).1
}

/// [`middle`] where the part of A, up to a level, is known, and how far the two points are from (1) across n [m]; sizes
/// of both [m].
pub(crate) fn middle_of<Q: Support>(
    part: impl Fn(f64) -> Part,
    (b, B): (&Q, &Frame),
    n: Vec3,
    sizes: (f64, f64),
) -> (f64, Vec3) {
    let size = sizes.0.min(sizes.1);
    let rounding = f64::EPSILON * (sizes.0 + sizes.1);
    let mut best = (f64::INFINITY, B.origin);
    let mut level = LEVEL * size + rounding;
    for _ in 0..GROWN {
        let (on_a, on_b) = shared(&part(level), &b.highest(B, -n, level), n);
        let apart = across(on_b - on_a, n).norm();
        if apart < best.0 {
            best = (apart, (on_a + on_b) * 0.5);
        }
        if apart <= MET * size + rounding {
            break;
        }
        level *= 10.0;
    }
    best
}

/// A point of each part, as near to one another across n as there are.
fn shared(a: &Part, b: &Part, n: Vec3) -> (Vec3, Vec3) {
    match (a, b) {
        (Part::Point(p), _) => (*p, b.nearest(*p, n)),
        (_, Part::Point(q)) => (a.nearest(*q, n), *q),
        (Part::Segment(p, q), Part::Segment(r, s)) => {
            let (p, q, r, s) = (across(*p, n), across(*q, n), across(*r, n), across(*s, n));
            let (x, y) = closest_on_segments((p + q) * 0.5, (q - p) * 0.5, (r + s) * 0.5, (s - r) * 0.5);
            (a.nearest(x, n), b.nearest(y, n))
        }
        _ => {
            // From one to the other and back: the points come together if the parts do.
            let mut on_b = b.center();
            let mut on_a = a.nearest(on_b, n);
            for _ in 0..BACK_AND_FORTH {
                on_b = b.nearest(on_a, n);
                let next = a.nearest(on_b, n);
                let moved = (next - on_a).norm_squared();
                on_a = next;
                if moved == 0.0 {
                    break;
                }
            }
            (on_a, on_b)
        }
    }
}
