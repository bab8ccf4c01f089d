//! A contact manifold: the points at which two geometries touch or are about to.

use stiction_dynamics::spatial::Vec3;

/// The most points a manifold holds: as many corners as two rectangles share.
pub const MAX_POINTS: usize = 8;
/// The first so many of its points span the contact area, nearly.
pub const SPAN: usize = 4;

/// One contact point.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ManifoldPoint {
    /// Position in W, midway between the two surfaces [m].
    pub position: Vec3,
    /// Distance of the surfaces along the normal [m]; negative where they overlap.
    pub gap: f64,
    /// The features that meet, the one of A in the upper 16 bits and the one of B in the lower:
    /// the same features have the same value in the next step, for warm starts. Unique within
    /// a manifold.
    pub feature: u32,
}

/// The contact of geometry `a` with geometry `b`: one normal, at most [`MAX_POINTS`] points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Manifold {
    /// Index of geometry A.
    pub a: usize,
    /// Index of geometry B; a < b.
    pub b: usize,
    /// Unit normal in W, from A to B.
    pub normal: Vec3,
    points: [ManifoldPoint; MAX_POINTS],
    len: usize,
}

impl Manifold {
    /// A manifold of the pair (a, b) without points; its normal is z.
    pub fn new(a: usize, b: usize) -> Self {
        Self { a, b, normal: Vec3::Z, points: [ManifoldPoint::default(); MAX_POINTS], len: 0 }
    }

    /// The contact points.
    #[inline]
    pub fn points(&self) -> &[ManifoldPoint] {
        &self.points[..self.len]
    }

    pub(crate) fn points_mut(&mut self) -> &mut [ManifoldPoint] {
        &mut self.points[..self.len]
    }

    /// The smallest gap [m]; `None` without points.
    pub fn deepest(&self) -> Option<f64> {
        self.points().iter().map(|p| p.gap).reduce(f64::min)
    }

    /// Removes the points.
    #[inline]
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// Appends a point.
    #[inline]
    pub(crate) fn push(&mut self, point: ManifoldPoint) {
        assert!(self.len < MAX_POINTS, "a manifold has at most {MAX_POINTS} points: reduce first");
        self.points[self.len] = point;
        self.len += 1;
    }

    /// Turns the manifold to that of the pair (B, A): the normal flips, the features change halves. Without
    /// points there is nothing to turn.
    pub(crate) fn flip(&mut self) {
        if self.len > 0 {
            self.normal = -self.normal;
        }
        for p in &mut self.points[..self.len] {
            p.feature = p.feature.rotate_left(16);
        }
    }
}
