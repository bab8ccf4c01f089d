//! What contact asks of a convex body, be it a shape or a single triangle of a surface.

use crate::facet::{Facet, Feature};
use crate::frame::Frame;
use crate::patch::{CORNERS, Corner, Patch, edge_code, face_code, facing, vertex_code};
use crate::shape::Shape;
use crate::surface::Surface;
use stiction_dynamics::spatial::Vec3;

/// Support functions of a shape in its own frame, named after [`Shape::core_support`] and its neighbours.
pub(crate) trait Support {
    fn core_support(&self, d: Vec3) -> Vec3;
    fn center(&self) -> Vec3;
    fn size(&self) -> f64;
    fn rounding(&self) -> f64;
}

impl Support for Shape {
    #[inline]
    fn core_support(&self, d: Vec3) -> Vec3 {
        Shape::core_support(self, d)
    }
    fn center(&self) -> Vec3 {
        Shape::center(self)
    }
    fn size(&self) -> f64 {
        Shape::size(self)
    }
    fn rounding(&self) -> f64 {
        Shape::rounding(self)
    }
}

impl Support for Facet {
    #[inline]
    fn core_support(&self, d: Vec3) -> Vec3 {
        let [a, b, c] = self.corners;
        let (ha, hb, hc) = (a.dot(d), b.dot(d), c.dot(d));
        if ha >= hb && ha >= hc {
            a
        } else if hb >= hc {
            b
        } else {
            c
        }
    }
    fn center(&self) -> Vec3 {
        let [a, b, c] = self.corners;
        (a + b + c) * (1.0 / 3.0)
    }
    fn size(&self) -> f64 {
        let m = self.center();
        self.corners.into_iter().map(|p| (p - m).norm()).fold(0.0, f64::max)
    }
    fn rounding(&self) -> f64 {
        0.0
    }
}

/// A shape in contact with a triangle.
pub(crate) trait Piece: Support {
    /// The part of the surface that faces the direction `d_W` out of it.
    fn patch(&self, X: &Frame, d_W: Vec3) -> Patch<CORNERS>;
    /// True when a contact may have the outward normal `d_W`.
    fn admits(&self, X: &Frame, d_W: Vec3) -> bool;
    /// The lasting name of a feature of a patch; `None` when it is a seam in a plane.
    fn name(&self, code: u16) -> Option<u16>;
}

impl Piece for Shape {
    #[inline]
    fn patch(&self, X: &Frame, d_W: Vec3) -> Patch<CORNERS> {
        facing(self, X, d_W)
    }
    fn admits(&self, _: &Frame, _: Vec3) -> bool {
        true
    }
    fn name(&self, code: u16) -> Option<u16> {
        Some(code)
    }
}

/// A triangle of a surface, as one side of a contact.
#[derive(Clone, Copy)]
pub(crate) struct Tile<'a> {
    pub(crate) facet: Facet,
    pub(crate) surface: Surface<'a>,
}

impl Support for Tile<'_> {
    #[inline]
    fn core_support(&self, d: Vec3) -> Vec3 {
        self.facet.core_support(d)
    }
    fn center(&self) -> Vec3 {
        self.facet.center()
    }
    fn size(&self) -> f64 {
        self.facet.size()
    }
    fn rounding(&self) -> f64 {
        0.0
    }
}

impl Tile<'_> {
    /// The feature farthest along the unit vector `n_G`, and whether it admits a contact.
    pub(crate) fn feature(&self, n_G: Vec3) -> (Feature, bool) {
        let feature = self.facet.farthest(n_G).0;
        let ring = |k: usize, visit: &mut dyn FnMut(Vec3)| self.surface.ring(&self.facet, k, visit);
        (feature, self.facet.admits(feature, n_G, ring))
    }

    /// The polygon, segment or point of a feature, its parts named after their place in the triangle.
    pub(crate) fn patch_of(&self, X: &Frame, feature: Feature, d_W: Vec3) -> Patch<CORNERS> {
        let corner = |k: usize, edge: usize| Corner {
            p: X.point(self.facet.corners[k % 3]),
            vertex: vertex_code(k % 3),
            edge: edge_code(edge),
        };
        match feature {
            Feature::Face => {
                let corners = [corner(0, 0), corner(1, 1), corner(2, 2)];
                Patch::of(X.direction(self.facet.normal), face_code(0), &corners)
            }
            Feature::Edge(k) => Patch::of(d_W, edge_code(k), &[corner(k, k), corner(k + 1, k)]),
            Feature::Vertex(k) => Patch::of(d_W, vertex_code(k), &[corner(k, k)]),
        }
    }
}

impl Piece for Tile<'_> {
    fn patch(&self, X: &Frame, d_W: Vec3) -> Patch<CORNERS> {
        let d = X.inverse_direction(d_W);
        // A face that is only nearly aligned is still what a body lies on.
        let feature = if d.dot(self.facet.normal) > 0.9 { Feature::Face } else { self.facet.farthest(d).0 };
        self.patch_of(X, feature, d_W)
    }
    fn admits(&self, X: &Frame, d_W: Vec3) -> bool {
        self.feature(X.inverse_direction(d_W)).1
    }
    fn name(&self, code: u16) -> Option<u16> {
        let k = usize::from(code & 3);
        // 14 bits of the number: equal for few features of one contact, which are told apart later.
        let short = |x: u32| (x ^ x >> 14 ^ x >> 28) as usize;
        match code >> 14 {
            0 => Some(face_code(short(self.facet.region))),
            1 if matches!(self.facet.sides[k], crate::facet::Side::Flat) => None,
            1 => Some(edge_code(short(self.facet.edges[k]))),
            _ if self.facet.flat[k] => None,
            _ => Some(vertex_code(short(self.facet.vertices[k]))),
        }
    }
}
