//! What contact asks of a convex body, be it a shape or a single triangle of a surface.

use crate::element::{Element, Elements};
use crate::facet::{Facet, Feature};
use crate::frame::Frame;
use crate::part::{Part, Polygon};
use crate::patch::{CORNERS, Corner, Patch, edge_code, face_code, facing, vertex_code};
use crate::shape::Shape;
use crate::surface::Surface;
use stiction_dynamics::spatial::{Vec3, vec3};

/// Support functions of a shape in its own frame, named after [`Shape::core_support`] and its neighbours.
pub(crate) trait Support {
    fn core_support(&self, d: Vec3) -> Vec3;
    fn center(&self) -> Vec3;
    fn size(&self) -> f64;
    fn rounding(&self) -> f64;
    /// True where the core is no polyhedron.
    fn is_round(&self) -> bool;
    /// Where the core may touch near the outward normal `n`, in W.
    fn elements(&self, X: &Frame, n: Vec3) -> Elements;
    /// The part of the core that is farthest along the unit vector `d_W`, up to `level` [m].
    fn highest(&self, X: &Frame, d_W: Vec3, level: f64) -> Part;
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
    fn is_round(&self) -> bool {
        matches!(self, Self::Cylinder { .. } | Self::Cone { .. } | Self::Ellipsoid { .. })
    }
    fn elements(&self, X: &Frame, n: Vec3) -> Elements {
        let (d, mut found) = (X.inverse_direction(n), Elements::new());
        let vertex = |p: Vec3| Element::Vertex(X.point(p));
        let rim = |z: f64, radius: f64| Element::Rim { q: X.point(Vec3::Z * z), axis: X.axis(), radius };
        match self {
            Self::Ellipsoid { radii } => {
                let rounding = Shape::rounding(self);
                found.push(0.0, Element::Ellipsoid { q: X.origin, axes: X.R, radii: *radii, rounding });
            }
            Self::Capsule { half_length, .. } => {
                found.push(0.0, vertex(Shape::core_support(self, d)));
                found.line(n, X.origin, (X.axis(), 0.0), [-half_length, *half_length], 0.0);
            }
            Self::Cylinder { radius, half_length } => {
                found.face(n, X.axis() * 1.0_f64.copysign(d.z));
                found.push(0.0, rim(half_length.copysign(d.z), *radius));
                found.line(n, X.origin, (X.axis(), 0.0), [-half_length, *half_length], *radius);
            }
            Self::Cone { radius, half_height } => {
                // The normal of the side leans towards the apex.
                let slant = radius.hypot(2.0 * half_height);
                let lean = radius / slant;
                let apex = X.point(Vec3::Z * *half_height);
                found.face(n, -X.axis());
                found.push((d.z - lean).max(0.0), rim(-half_height, *radius));
                found.push((lean - d.z).max(0.0), Element::Vertex(apex));
                found.line(n, apex, (X.axis(), lean), [-0.5 * slant * slant / half_height, 0.0], 0.0);
            }
            Self::Box { half } => {
                let p = Shape::core_support(self, d);
                found.push(0.0, vertex(p));
                for i in 0..3 {
                    found.face(n, X.R.column(i) * 1.0_f64.copysign(d[i]));
                    let mut middle = p;
                    middle[i] = 0.0;
                    found.line(n, X.point(middle), (X.R.column(i), 0.0), [-half[i], half[i]], 0.0);
                }
            }
            Self::Convex(mesh) => {
                let (p, edges) = mesh.flattest_edges(d);
                found.face(n, X.direction(mesh.faces()[mesh.face_toward(d)].normal));
                found.push(0.0, vertex(p));
                for (e, length) in edges.into_iter().flatten() {
                    found.line(n, X.point(p), (X.direction(e), 0.0), [0.0, length], 0.0);
                }
            }
            _ => found.push(0.0, vertex(Shape::core_support(self, d))),
        }
        found
    }
    fn highest(&self, X: &Frame, d_W: Vec3, level: f64) -> Part {
        let d = X.inverse_direction(d_W);
        let point = || Part::Point(X.point(self.core_support(d)));
        let segment = |p: Vec3, q: Vec3| Part::Segment(X.point(p), X.point(q));
        let polygon = || {
            let patch: Patch<CORNERS> = facing(self, X, d_W);
            Part::Polygon(Polygon::new(patch.normal, patch.corners().iter().map(|c| c.p)))
        };
        let across = d.x.hypot(d.y);
        let rim = |radius: f64, z: f64| vec3(d.x * (radius / across), d.y * (radius / across), z);
        match self {
            Self::Capsule { half_length, .. } if 2.0 * half_length * d.z.abs() <= level => {
                segment(Vec3::Z * -*half_length, Vec3::Z * *half_length)
            }
            Self::Cylinder { radius, half_length } => {
                if 2.0 * radius * across <= level {
                    Part::Disc(X.point(Vec3::Z * half_length.copysign(d.z)), *radius)
                } else if 2.0 * half_length * d.z.abs() <= level {
                    segment(rim(*radius, -half_length), rim(*radius, *half_length))
                } else {
                    point()
                }
            }
            Self::Cone { radius, half_height } => {
                if d.z < 0.0 && 2.0 * radius * across <= level {
                    Part::Disc(X.point(Vec3::Z * -*half_height), *radius)
                } else if (2.0 * half_height * d.z - radius * across).abs() <= level {
                    segment(rim(*radius, -half_height), Vec3::Z * *half_height)
                } else {
                    point()
                }
            }
            Self::Box { half } => {
                let level = [0, 1, 2].map(|i| 2.0 * half[i] * d[i].abs() <= level);
                match level.iter().filter(|l| **l).count() {
                    0 => point(),
                    1 => {
                        let (mut p, mut q) = (self.core_support(d), self.core_support(d));
                        for i in (0..3).filter(|i| level[*i]) {
                            (p[i], q[i]) = (-half[i], half[i]);
                        }
                        segment(p, q)
                    }
                    _ => polygon(),
                }
            }
            Self::Convex(mesh) => {
                let top = mesh.support_vertex(d);
                let p = mesh.vertices()[top];
                let others = mesh.neighbors(top).iter().map(|i| mesh.vertices()[*i as usize]);
                let mut level = others.filter(|q| d.dot(p - *q) <= level);
                match (level.next(), level.next()) {
                    (None, _) => point(),
                    (Some(q), None) => segment(p, q),
                    _ => polygon(),
                }
            }
            _ => point(),
        }
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
    fn is_round(&self) -> bool {
        false
    }
    fn elements(&self, X: &Frame, n: Vec3) -> Elements {
        let mut found = Elements::new();
        found.push(0.0, Element::Vertex(X.point(self.core_support(X.inverse_direction(n)))));
        found.face(n, X.direction(self.normal));
        for k in 0..3 {
            let length = self.edge(k).norm();
            if let Some(e) = self.edge(k).normalized() {
                found.line(n, X.point(self.corners[k]), (X.direction(e), 0.0), [0.0, length], 0.0);
            }
        }
        found
    }
    fn highest(&self, X: &Frame, d_W: Vec3, level: f64) -> Part {
        let d = X.inverse_direction(d_W);
        let top = self.core_support(d);
        match self.corners.map(|p| d.dot(top - p) <= level) {
            [true, true, true] => self.part(X, Feature::Face),
            [true, true, false] => self.part(X, Feature::Edge(0)),
            [false, true, true] => self.part(X, Feature::Edge(1)),
            [true, false, true] => self.part(X, Feature::Edge(2)),
            _ => Part::Point(X.point(top)),
        }
    }
}

impl Facet {
    /// A feature of the triangle, in W.
    pub(crate) fn part(&self, X: &Frame, feature: Feature) -> Part {
        let corner = |k: usize| X.point(self.corners[k % 3]);
        match feature {
            Feature::Face => Part::Polygon(Polygon::new(X.direction(self.normal), (0..3).map(corner))),
            Feature::Edge(k) => Part::Segment(corner(k), corner(k + 1)),
            Feature::Vertex(k) => Part::Point(corner(k)),
        }
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
    fn is_round(&self) -> bool {
        false
    }
    fn elements(&self, X: &Frame, n: Vec3) -> Elements {
        self.facet.elements(X, n)
    }
    fn highest(&self, X: &Frame, d_W: Vec3, level: f64) -> Part {
        self.facet.highest(X, d_W, level)
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
