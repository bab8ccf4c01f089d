//! The part of a convex body that is farthest along a direction: a point, a segment, a disc or a polygon.

use stiction_dynamics::spatial::Vec3;

/// The part of a core that is farthest along a direction, in W.
#[allow(clippy::large_enum_variant)] // few at a time, and on the stack
pub(crate) enum Part {
    Point(Vec3),
    Segment(Vec3, Vec3),
    /// About a centre, at right angles to the direction.
    Disc(Vec3, f64),
    Polygon(Polygon),
}

/// Corners of the largest polygon.
const CORNERS: usize = 32;

/// A flat polygon in W, its corners counter-clockwise about the normal.
#[derive(Clone, Copy)]
pub(crate) struct Polygon {
    corners: [Vec3; CORNERS],
    len: usize,
    normal: Vec3,
}

impl Polygon {
    /// The polygon with these corners; of more than fit, the first.
    pub(crate) fn new(normal: Vec3, around: impl Iterator<Item = Vec3>) -> Self {
        let mut polygon = Self { corners: [Vec3::ZERO; CORNERS], len: 0, normal };
        for p in around.take(CORNERS) {
            polygon.corners[polygon.len] = p;
            polygon.len += 1;
        }
        polygon
    }

    fn corners(&self) -> &[Vec3] {
        &self.corners[..self.len]
    }
}

impl Part {
    pub(crate) fn center(&self) -> Vec3 {
        match self {
            Self::Point(p) | Self::Disc(p, _) => *p,
            Self::Segment(p, q) => (*p + *q) * 0.5,
            Self::Polygon(patch) => {
                let c = patch.corners();
                c.iter().fold(Vec3::ZERO, |sum, c| sum + *c) * (1.0 / c.len() as f64)
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
                    let side = c[(k + 1) % c.len()] - c[k];
                    side.cross(x - c[k]).dot(up) / across(side, n).norm()
                };
                (0..c.len()).map(from_side).fold(f64::INFINITY, f64::min)
            }
        }
    }

    /// The point of the part that is nearest to x as seen along n.
    pub(crate) fn nearest(&self, x: Vec3, n: Vec3) -> Vec3 {
        match self {
            Self::Point(p) => *p,
            Self::Segment(p, q) => nearest_on_side(*p, *q, x, n),
            Self::Disc(c, radius) => {
                let out = across(x - *c, n);
                *c + out * (radius / out.norm()).min(1.0)
            }
            Self::Polygon(patch) => {
                let c = patch.corners();
                let sides = || (0..c.len()).map(|k| (c[k], c[(k + 1) % c.len()]));
                let up = if patch.normal.dot(n) < 0.0 { -n } else { n };
                if sides().all(|(p, q)| (q - p).cross(x - p).dot(up) >= 0.0) {
                    return x + n * (n.dot(c[0] - x));
                }
                let distance = |p: &Vec3| across(x - *p, n).norm_squared();
                let on_sides = sides().map(|(p, q)| nearest_on_side(p, q, x, n));
                on_sides.min_by(|p, q| distance(p).total_cmp(&distance(q))).unwrap_or(x)
            }
        }
    }
}

/// v without what of it is along the unit vector n.
pub(crate) fn across(v: Vec3, n: Vec3) -> Vec3 {
    v - n * n.dot(v)
}

fn nearest_on_side(p: Vec3, q: Vec3, x: Vec3, n: Vec3) -> Vec3 {
    let side = across(q - p, n);
    let length2 = side.norm_squared();
    let share = if length2 > 0.0 { (side.dot(x - p) / length2).clamp(0.0, 1.0) } else { 0.5 };
    p + (q - p) * share
}
