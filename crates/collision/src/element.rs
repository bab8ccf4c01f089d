//! Elements of convex bodies: what may be farthest along a direction, point by point or line by line.
//!
//! Along a vertex, a rim and an ellipsoid one point is farthest. Of an edge, and of the side of a cylinder or cone, a
//! whole line is, where the outward normal is on a circle:
//!
//! ```text
//!     u · n = c,   p = q + t (u − c n)          of an edge c = 0                        (1)
//! ```

use stiction_dynamics::spatial::{Mat3, Vec3};

/// Sine from (1) up to which a normal is near a line.
const NEAR: f64 = 0.3;
/// Iterations leave an axis off by so much [rad].
const FOUND: f64 = 1e-4;

/// A part of a core in which it may touch, in W: what is farthest along a range of directions.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Element {
    Vertex(Vec3),
    /// (1), for the outward normal, with the range of t [m] and the radius of the surface around it [m].
    Line {
        q: Vec3,
        u: Vec3,
        c: f64,
        range: [f64; 2],
        radius: f64,
    },
    Rim {
        q: Vec3,
        axis: Vec3,
        radius: f64,
    },
    /// With the radius by which its core is smaller [m].
    Ellipsoid {
        q: Vec3,
        axes: Mat3,
        radii: Vec3,
        rounding: f64,
    },
}

/// At most this many elements of a core are tried.
const MOST: usize = 5;

/// Elements of a core near an outward normal, the likeliest first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Elements {
    all: [(f64, Element); MOST],
    len: usize,
    /// The outward normal of the face next to it.
    pub(crate) face: Option<Vec3>,
}

impl Elements {
    pub(crate) fn new() -> Self {
        Self { all: [(0.0, Element::Vertex(Vec3::ZERO)); MOST], len: 0, face: None }
    }

    /// The face with an outward normal, if that is near n.
    pub(crate) fn face(&mut self, n: Vec3, normal: Vec3) {
        if n.dot(normal) > 1.0 - 0.5 * NEAR * NEAR {
            self.face = Some(normal);
        }
    }

    /// Adds an element whose directions are `off` from the normal, if that is near [rad].
    pub(crate) fn push(&mut self, off: f64, element: Element) {
        if off > NEAR || self.len == MOST {
            return;
        }
        let mut k = self.len;
        while k > 0 && off < self.all[k - 1].0 {
            self.all[k] = self.all[k - 1];
            k -= 1;
        }
        self.all[k] = (off, element);
        self.len += 1;
    }

    /// Adds the line (1) through q for the outward normal n: it is the likeliest where the iterations found it.
    pub(crate) fn line(&mut self, n: Vec3, q: Vec3, (u, c): (Vec3, f64), range: [f64; 2], radius: f64) {
        let off = (u.dot(n) - c).abs();
        self.push(if off < FOUND { off - FOUND } else { off }, Element::Line { q, u, c, range, radius });
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Element> {
        self.all[..self.len].iter().map(|e| &e.1)
    }
}

impl Element {
    /// The radius of the surface about the points [m].
    pub(crate) fn radius(&self) -> f64 {
        match self {
            Self::Line { radius, .. } => *radius,
            Self::Ellipsoid { rounding, .. } => -rounding,
            Self::Vertex(_) | Self::Rim { .. } => 0.0,
        }
    }
}
