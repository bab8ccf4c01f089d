//! The point of a surface that is nearest to another, and on which side that is.
//!
//! The nearest point of a triangle lies in its face, on an edge or on a corner [Ericson2005, 5.1.5].
//! Of a closed mesh, c is outside where it lies on the side of the nearest point x to which the
//! pseudo-normal at x points: that of the face, the sum of both at an edge, at a vertex the sum of
//! all around it weighted by their angles [Baerentzen2005]. Of a height field, where it is not below
//! the triangle above or under it.

use crate::aabb::Aabb;
use crate::facet::Feature;
use crate::height_field::HeightField;
use crate::mesh::TriangleMesh;
use crate::mesh::topology::NONE;
use crate::surface::Surface;
use stiction_dynamics::spatial::{Vec3, vec3};

/// The nearest point x of a surface.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nearest {
    pub(crate) triangle: usize,
    pub(crate) point: Vec3,
    feature: Feature,
    /// ‖c − x‖² [m²].
    squared: f64,
}

/// The point of a triangle nearest to c, and the feature it is on.
pub(crate) fn in_triangle(c: Vec3, [p, q, r]: [Vec3; 3]) -> (Vec3, Feature) {
    let (pq, pr, pc) = (q - p, r - p, c - p);
    let (d1, d2) = (pq.dot(pc), pr.dot(pc));
    if d1 <= 0.0 && d2 <= 0.0 {
        return (p, Feature::Vertex(0));
    }
    let qc = c - q;
    let (d3, d4) = (pq.dot(qc), pr.dot(qc));
    if d3 >= 0.0 && d4 <= d3 {
        return (q, Feature::Vertex(1));
    }
    let over_r = d1 * d4 - d3 * d2;
    if over_r <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return (p + pq * (d1 / (d1 - d3)), Feature::Edge(0));
    }
    let rc = c - r;
    let (d5, d6) = (pq.dot(rc), pr.dot(rc));
    if d6 >= 0.0 && d5 <= d6 {
        return (r, Feature::Vertex(2));
    }
    let over_q = d5 * d2 - d1 * d6;
    if over_q <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return (p + pr * (d2 / (d2 - d6)), Feature::Edge(2));
    }
    let over_p = d3 * d6 - d5 * d4;
    if over_p <= 0.0 && d4 >= d3 && d5 >= d6 {
        return (q + (r - q) * ((d4 - d3) / ((d4 - d3) + (d5 - d6))), Feature::Edge(1));
    }
    let scale = 1.0 / (over_p + over_q + over_r);
    (p + pq * (over_q * scale) + pr * (over_r * scale), Feature::Face)
}

impl Surface<'_> {
    /// The nearest point within `limit` [m] of c, in G.
    pub(crate) fn nearest(&self, c: Vec3, limit: f64) -> Option<Nearest> {
        let mut best: Option<Nearest> = None;
        let mut consider = |triangle: usize| {
            let (point, feature) = in_triangle(c, self.corners(triangle));
            let squared = (c - point).norm_squared();
            let nearer = |b: &Nearest| squared < b.squared || squared == b.squared && triangle < b.triangle;
            if best.as_ref().is_none_or(nearer) {
                best = Some(Nearest { triangle, point, feature, squared });
            }
            best.map_or(f64::INFINITY, |b| b.squared)
        };
        let limit2 = limit * limit;
        match self {
            Self::Mesh(mesh) => {
                mesh.tree().search(limit2, &|b| b.squared_distance(c), &mut |t, most| consider(t).min(most));
            }
            Self::Field(field) => {
                // Wider and wider boxes, until one reaches as far as the nearest point in it.
                let bounds = field.bounds();
                let all = (bounds.squared_distance(c)).sqrt() + 2.0 * bounds.half().norm();
                let mut reach = bounds.squared_distance(c).sqrt() + field.spacing();
                loop {
                    let mut squared = f64::INFINITY;
                    let around = Aabb::around(c, vec3(reach, reach, reach));
                    field.touching(&around, &mut |i| squared = consider(i));
                    if squared <= reach * reach || reach > all.min(limit) {
                        break;
                    }
                    reach =
                        if squared < f64::INFINITY { squared.sqrt() * (1.0 + 1e-12) } else { 2.0 * reach };
                }
            }
        }
        best.filter(|b| b.squared <= limit2)
    }

    /// Signed distance of c, in G: negative inside a solid, never of a shell; and the direction in
    /// which it grows. `None` beyond `limit` [m] outside or inside.
    pub(crate) fn distance(&self, c: Vec3, limit: f64) -> Option<(f64, Vec3)> {
        let x = self.nearest(c, limit)?;
        let normal = self.pseudo_normal(&x);
        let outside = match self {
            Self::Mesh(mesh) => !mesh.is_closed() || normal.dot(c - x.point) >= 0.0,
            Self::Field(field) => !field.contains(c),
        };
        let sign = if outside { 1.0 } else { -1.0 };
        let m = (c - x.point).normalized().map_or(normal, |m| m * sign);
        Some((sign * x.squared.sqrt(), m))
    }

    /// The direction that tells outside from inside at a nearest point; not a unit vector.
    fn pseudo_normal(&self, x: &Nearest) -> Vec3 {
        match (self, x.feature) {
            (Self::Mesh(mesh), Feature::Vertex(k)) => {
                mesh.pseudo_normal(mesh.triangles()[x.triangle][k] as usize)
            }
            (Self::Mesh(mesh), Feature::Edge(k)) => match mesh.neighbor(x.triangle, k) {
                NONE => mesh.normal(x.triangle),
                s => mesh.normal(x.triangle) + mesh.normal(s as usize),
            },
            _ => self.facet(x.triangle).normal,
        }
    }
}

impl TriangleMesh {
    /// True when c is in the solid; never in a shell.
    pub(crate) fn contains(&self, c: Vec3) -> bool {
        self.is_closed()
            && self.bounds().contains(c)
            && Surface::Mesh(self).distance(c, f64::INFINITY).is_some_and(|(d, _)| d < 0.0)
    }
}

impl HeightField {
    /// Height of the surface over a place in the rectangle [m].
    pub(crate) fn height_at(&self, x: f64, y: f64) -> Option<f64> {
        let [sx, sy] = self.size();
        let at = |x: f64, side: f64, n: usize| (x / side + 0.5) * (n - 1) as f64;
        let (u, v) = (at(x, sx, self.cols()), at(y, sy, self.rows()));
        let last = |n: usize| (n - 1) as f64;
        if !(0.0..=last(self.cols())).contains(&u) || !(0.0..=last(self.rows())).contains(&v) {
            return None;
        }
        let (c, r) = ((u as usize).min(self.cols() - 2), (v as usize).min(self.rows() - 2));
        let (u, v) = (u - c as f64, v - r as f64);
        let h = |dr: usize, dc: usize| self.vertex(r + dr, c + dc).z;
        // Two triangles, each a plane.
        let rest = if u >= v {
            u * (h(0, 1) - h(0, 0)) + v * (h(1, 1) - h(0, 1))
        } else {
            v * (h(1, 0) - h(0, 0)) + u * (h(1, 1) - h(1, 0))
        };
        Some(h(0, 0) + rest)
    }

    /// True when c is in the solid.
    pub(crate) fn contains(&self, c: Vec3) -> bool {
        c.z > self.bottom() && self.height_at(c.x, c.y).is_some_and(|h| c.z < h)
    }

    /// Distance of neighbours in the grid, the larger of both [m].
    fn spacing(&self) -> f64 {
        let [sx, sy] = self.size();
        (sx / (self.cols() - 1) as f64).max(sy / (self.rows() - 1) as f64)
    }
}

impl Surface<'_> {
    /// True when c is in the solid; never in a shell.
    pub(crate) fn contains(&self, c: Vec3) -> bool {
        match self {
            Self::Mesh(mesh) => mesh.contains(c),
            Self::Field(field) => field.contains(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pairs::testing::{Lcg, mesh_of_field, torus, waves};

    /// Distance to a fine torus is that of its formula, within the sagitta of its facets.
    #[test]
    fn distance_to_a_torus_is_that_of_its_formula() {
        let (R, r) = (0.3, 0.1);
        let mesh = torus(128, 64, R, r);
        let mut random = Lcg::new(91);
        let mut inside = 0;
        for _ in 0..2000 {
            let c = random.vector() * 0.5;
            let exact = (c.x.hypot(c.y) - R).hypot(c.z) - r;
            let (d, m) = Surface::Mesh(&mesh).distance(c, f64::INFINITY).unwrap();
            assert!((d - exact).abs() < 6e-4, "{d} {exact}");
            let step = Surface::Mesh(&mesh).distance(c + m * 1e-7, f64::INFINITY).unwrap().0;
            assert!((step - d - 1e-7).abs() < 1e-9, "{c:?} {d} {m:?} {step}");
            assert!(Surface::Mesh(&mesh).distance(c, 0.5 * d.abs()).is_none());
            inside += usize::from(d < 0.0);
        }
        assert!(inside > 100);
    }

    /// Field and mesh of one solid, point by point, inside and outside.
    #[test]
    fn a_field_is_as_far_as_the_mesh_of_its_triangles() {
        let field = waves();
        let mesh = mesh_of_field(&field);
        let mut random = Lcg::new(92);
        let mut inside = 0;
        for k in 0..1500 {
            let c = random.vector() * [0.1, 0.4, 2.0][k % 3];
            let (p, q) = (
                Surface::Field(&field).distance(c, f64::INFINITY).unwrap(),
                Surface::Mesh(&mesh).distance(c, f64::INFINITY).unwrap(),
            );
            assert!((p.0 - q.0).abs() < 1e-12 && (p.1 - q.1).norm() < 1e-6, "{c:?} {p:?} {q:?}");
            inside += usize::from(p.0 < 0.0);
        }
        assert!(inside > 100, "{inside}");
    }
}
