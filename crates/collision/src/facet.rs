//! A triangle of a surface and what lies around it: which normals a contact on it may have.
//!
//! On a polyhedral surface a contact on a face has the normal of the face, one on an edge a normal
//! between those of its two faces, one on a vertex a normal of the cone between those of all faces
//! around it: the normal cone of the feature,
//!
//! ```text
//!     N(x) = { n : n · (w − x) ≤ 0 for all neighbours w }                        (1)
//! ```
//!
//! It has an inside only where the surface is convex. A triangle met alone does not know that and
//! reports its own edges as if they stuck out: bodies that slide over a flat floor stumble over the
//! edges of its triangles. Here an edge between triangles that are flat or concave carries no
//! contact of its own, and the normal of every other contact lies in (1).

use stiction_dynamics::spatial::Vec3;

/// Sine of the angle between two triangles that counts as none.
pub(crate) const FLAT: f64 = 1e-5;
/// Slack of (1), as a sine.
const SLACK: f64 = 1e-8;
/// Sine up to which an edge is at right angles to a direction.
const LEVEL: f64 = 1e-6;

/// Shape of a surface across an edge of a triangle, with the far corner of the neighbour.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Side {
    /// Goes on in the plane.
    Flat,
    /// Rises.
    Concave(Vec3),
    /// Falls off.
    Convex(Vec3),
    /// Ends.
    Open,
}

impl Side {
    /// Over an edge at p of a triangle with the given normal, to a neighbour with its normal and
    /// far corner.
    #[inline]
    pub(crate) fn new(p: Vec3, normal: Vec3, neighbor: Vec3, far: Vec3) -> Self {
        if normal.dot(neighbor) > 0.0 && normal.cross(neighbor).norm_squared() < FLAT * FLAT {
            Self::Flat
        } else if normal.dot(far - p) < 0.0 {
            Self::Convex(far)
        } else {
            Self::Concave(far)
        }
    }

    fn turned(self) -> Self {
        match self {
            Self::Convex(far) => Self::Concave(far),
            Self::Concave(far) => Self::Convex(far),
            same => same,
        }
    }
}

/// The part of a triangle that is farthest along a direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Feature {
    Face,
    /// From corner k to corner k + 1.
    Edge(usize),
    Vertex(usize),
}

/// A triangle of a surface, in its frame G.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facet {
    /// Counter-clockwise from outside [m].
    pub(crate) corners: [Vec3; 3],
    /// Unit, outward.
    pub(crate) normal: Vec3,
    /// Over the edges from corner k to corner k + 1.
    pub(crate) sides: [Side; 3],
    /// Numbers of the plane, the corners and the edges: the same for all triangles that share them.
    pub(crate) region: u32,
    pub(crate) vertices: [u32; 3],
    pub(crate) edges: [u32; 3],
    /// Per corner: all triangles around it are in one plane.
    pub(crate) flat: [bool; 3],
}

impl Facet {
    /// The triangle seen from its other side, where edges that fell off now rise.
    pub(crate) fn turned(&self) -> Self {
        let [ab, bc, ca] = self.sides.map(Side::turned);
        let swap = |x: [u32; 3]| [x[0], x[2], x[1]];
        Self {
            corners: [self.corners[0], self.corners[2], self.corners[1]],
            normal: -self.normal,
            sides: [ca, bc, ab],
            region: self.region,
            vertices: swap(self.vertices),
            edges: [self.edges[2], self.edges[1], self.edges[0]],
            flat: [self.flat[0], self.flat[2], self.flat[1]],
        }
    }

    /// Along edge k, from its first corner [m].
    #[inline]
    pub(crate) fn edge(&self, k: usize) -> Vec3 {
        self.corners[(k + 1) % 3] - self.corners[k]
    }

    /// True when some edge may carry contacts of its own.
    #[inline]
    pub(crate) fn sticks_out(&self) -> bool {
        self.sides.iter().any(|s| matches!(s, Side::Convex(_) | Side::Open))
    }

    /// The feature farthest along the unit vector n, and its height above the origin.
    #[inline]
    pub(crate) fn farthest(&self, n: Vec3) -> (Feature, f64) {
        let h = self.corners.map(|p| n.dot(p));
        let top = h[0].max(h[1]).max(h[2]);
        let longest = (0..3).map(|k| self.edge(k).norm_squared()).fold(0.0, f64::max).sqrt();
        let on = h.map(|h| h >= top - LEVEL * longest);
        let feature = match on {
            [true, true, true] => Feature::Face,
            [true, true, false] => Feature::Edge(0),
            [false, true, true] => Feature::Edge(1),
            [true, false, true] => Feature::Edge(2),
            [true, false, false] => Feature::Vertex(0),
            [false, true, false] => Feature::Vertex(1),
            _ => Feature::Vertex(2),
        };
        (feature, top)
    }

    /// (1) for a feature: `ring` calls with every neighbour of a corner.
    pub(crate) fn admits(
        &self,
        feature: Feature,
        n: Vec3,
        ring: impl Fn(usize, &mut dyn FnMut(Vec3)),
    ) -> bool {
        let below = |w: Vec3, x: Vec3| n.dot(w - x) <= SLACK * (w - x).norm();
        match feature {
            Feature::Face => n.dot(self.normal) > 0.0,
            Feature::Edge(k) => match self.sides[k] {
                Side::Convex(far) => below(far, self.corners[k]),
                Side::Open => true,
                Side::Flat | Side::Concave(_) => false,
            },
            Feature::Vertex(k) => {
                let mut inside = true;
                ring(k, &mut |w| inside &= below(w, self.corners[k]));
                inside
            }
        }
    }

    /// The normal nearest to n, in the plane across it, that edge k admits.
    pub(crate) fn across_edge(&self, k: usize, n: Vec3) -> Option<Vec3> {
        let e = self.edge(k).normalized()?;
        let n = (n - e * e.dot(n)).normalized()?;
        let own = n.dot(self.corners[(k + 2) % 3] - self.corners[k]) <= 0.0;
        (own && self.admits(Feature::Edge(k), n, |_, _| {})).then_some(n)
    }
}

/// A number that two vertices give their edge, whichever comes first.
pub(crate) fn edge_number(u: u32, v: u32) -> u32 {
    (u.min(v)).wrapping_mul(0x9E37_79B1) ^ u.max(v)
}
