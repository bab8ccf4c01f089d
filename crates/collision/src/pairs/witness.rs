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

use super::capsule::closest_on_segments;
use crate::frame::Frame;
use crate::patch::{CORNERS, Patch};
use crate::support::Support;
use stiction_dynamics::spatial::Vec3;

/// What lies this much below the highest point, relative to the smaller core, is as high.
const LEVEL: f64 = 1e-11;
/// (1) holds across n up to this, relative to the smaller core.
pub(crate) const MET: f64 = 1e-10;
/// Rounds in which points of two faces come together.
const BACK_AND_FORTH: usize = 32;
/// LEVEL grows so often, by a factor of ten.
const GROWN: usize = 6;

/// The part of a core that is farthest along a direction, in W.
#[allow(clippy::large_enum_variant)] // few at a time, and on the stack
pub(crate) enum Part {
    Point(Vec3),
    Segment(Vec3, Vec3),
    /// About a centre, at right angles to the direction.
    Disc(Vec3, f64),
    Polygon(Patch<CORNERS>),
}

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

impl Part {
    fn center(&self) -> Vec3 {
        match self {
            Self::Point(p) | Self::Disc(p, _) => *p,
            Self::Segment(p, q) => (*p + *q) * 0.5,
            Self::Polygon(patch) => {
                let c = patch.corners();
                c.iter().fold(Vec3::ZERO, |sum, c| sum + c.p) * (1.0 / c.len() as f64)
            }
        }
    }

    /// How far x is from the rim of a face, inward, as seen along n [m]; 0 for what is no face.
    pub(crate) fn clearance(&self, x: Vec3, n: Vec3) -> f64 {
        match self {
            Self::Point(_) | Self::Segment(..) => 0.0,
            Self::Disc(c, radius) => radius - across(x - *c, n).norm(),
            Self::Polygon(patch) => {
                let c = patch.corners();
                let up = if patch.normal.dot(n) < 0.0 { -n } else { n };
                let from_side = |k: usize| {
                    let side = c[(k + 1) % c.len()].p - c[k].p;
                    side.cross(x - c[k].p).dot(up) / across(side, n).norm()
                };
                (0..c.len()).map(from_side).fold(f64::INFINITY, f64::min)
            }
        }
    }

    /// The point of the part that is nearest to x as seen along n.
    fn nearest(&self, x: Vec3, n: Vec3) -> Vec3 {
        match self {
            Self::Point(p) => *p,
            Self::Segment(p, q) => nearest_on_side(*p, *q, x, n),
            Self::Disc(c, radius) => {
                let out = across(x - *c, n);
                *c + out * (radius / out.norm()).min(1.0)
            }
            Self::Polygon(patch) => {
                let c = patch.corners();
                let sides = || (0..c.len()).map(|k| (c[k].p, c[(k + 1) % c.len()].p));
                let up = if patch.normal.dot(n) < 0.0 { -n } else { n };
                if sides().all(|(p, q)| (q - p).cross(x - p).dot(up) >= 0.0) {
                    return x + n * (n.dot(c[0].p - x));
                }
                let distance = |p: &Vec3| across(x - *p, n).norm_squared();
                let on_sides = sides().map(|(p, q)| nearest_on_side(p, q, x, n));
                on_sides.min_by(|p, q| distance(p).total_cmp(&distance(q))).unwrap_or(x)
            }
        }
    }
}

/// v without what of it is along the unit vector n.
fn across(v: Vec3, n: Vec3) -> Vec3 {
    v - n * n.dot(v)
}

fn nearest_on_side(p: Vec3, q: Vec3, x: Vec3, n: Vec3) -> Vec3 {
    let side = across(q - p, n);
    let length2 = side.norm_squared();
    let share = if length2 > 0.0 { (side.dot(x - p) / length2).clamp(0.0, 1.0) } else { 0.5 };
    p + (q - p) * share
}
