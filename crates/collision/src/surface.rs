//! What is not convex, as triangles: one face to meshes and height fields.

use crate::aabb::Aabb;
use crate::facet::{Facet, Side, edge_number};
use crate::height_field::HeightField;
use crate::mesh::TriangleMesh;
use crate::mesh::topology::NONE;
use crate::shape::Shape;
use stiction_dynamics::spatial::Vec3;

/// A surface of numbered triangles in its frame G.
#[derive(Clone, Copy)]
pub(crate) enum Surface<'a> {
    Field(&'a HeightField),
    Mesh(&'a TriangleMesh),
}

impl<'a> Surface<'a> {
    /// The surface of a shape that is not convex.
    pub(crate) fn of(shape: &'a Shape) -> Option<Self> {
        match shape {
            Shape::HeightField(field) => Some(Self::Field(field)),
            Shape::Mesh(mesh) => Some(Self::Mesh(mesh)),
            _ => None,
        }
    }

    /// True: the surface of a solid; false: a shell with two sides.
    pub(crate) fn is_solid(&self) -> bool {
        match self {
            Self::Field(_) => true,
            Self::Mesh(mesh) => mesh.is_closed(),
        }
    }

    /// Calls `visit` with triangles, among them all that meet the box.
    pub(crate) fn touching(&self, bounds: &Aabb, visit: &mut impl FnMut(usize)) {
        match self {
            Self::Field(field) => field.touching(bounds, visit),
            Self::Mesh(mesh) => mesh.tree().visit(&|b| b.overlaps(bounds), visit),
        }
    }

    /// The corners of triangle i [m].
    #[inline]
    pub(crate) fn corners(&self, i: usize) -> [Vec3; 3] {
        match self {
            Self::Field(field) => field.corners(i),
            Self::Mesh(mesh) => mesh.corners(i),
        }
    }

    /// Triangle i and what is around it.
    #[inline]
    pub(crate) fn facet(&self, i: usize) -> Facet {
        match self {
            Self::Field(field) => field.facet(i),
            Self::Mesh(mesh) => mesh.facet(i),
        }
    }

    /// Calls `visit` with the vertices around corner k of a triangle.
    pub(crate) fn ring(&self, facet: &Facet, k: usize, visit: &mut dyn FnMut(Vec3)) {
        match self {
            Self::Field(field) => field.ring(facet.vertices[k] as usize, visit),
            Self::Mesh(mesh) => mesh.ring(facet.vertices[k] as usize, visit),
        }
    }

    /// Calls `visit` with the number and place of vertices, among them all in boxes that `keep`
    /// keeps; some more than once.
    pub(crate) fn vertices(&self, keep: &impl Fn(&Aabb) -> bool, visit: &mut impl FnMut(u32, Vec3)) {
        match self {
            Self::Field(field) => field.vertices(keep, visit),
            Self::Mesh(mesh) => mesh.tree().visit(keep, &mut |t| {
                for (v, p) in mesh.triangles()[t].into_iter().zip(mesh.corners(t)) {
                    visit(v, p);
                }
            }),
        }
    }
}

impl TriangleMesh {
    /// Triangle t with its neighbours, as [`Surface::facet`].
    pub(crate) fn facet(&self, t: usize) -> Facet {
        let (corners, vertices) = (self.corners(t), self.triangles()[t]);
        let normal = self.normal(t);
        let side = |k: usize| match self.neighbor(t, k) {
            NONE => Side::Open,
            s => {
                let s = s as usize;
                let own = |v: &u32| *v == vertices[k] || *v == vertices[(k + 1) % 3];
                let far = self.triangles()[s].iter().position(|v| !own(v)).unwrap_or(0);
                Side::new(corners[k], normal, self.normal(s), self.corners(s)[far])
            }
        };
        Facet {
            corners,
            normal,
            sides: [side(0), side(1), side(2)],
            region: self.region(t),
            vertices,
            edges: [0, 1, 2].map(|k| edge_number(vertices[k], vertices[(k + 1) % 3])),
            flat: vertices.map(|v| self.is_flat(v as usize)),
        }
    }

    fn ring(&self, vertex: usize, visit: &mut dyn FnMut(Vec3)) {
        self.around(vertex).iter().for_each(|w| visit(self.vertices()[*w as usize]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facet::Feature;
    use crate::pairs::testing::{Lcg, grid_mesh, mesh_of_field, surfaces, waves};
    use stiction_dynamics::spatial::vec3;

    /// A field knows the same about its triangles as a mesh of the same surface.
    #[test]
    fn a_field_is_the_mesh_of_its_triangles() {
        let field = waves();
        let mesh = mesh_of_field(&field);
        assert!(mesh.is_closed());
        let tops = 2 * (field.rows() - 1) * (field.cols() - 1);
        let walls = field.triangles().count() - 2;
        for i in 0..walls {
            let (f, m) = (field.facet(i), mesh.facet(i));
            assert!(
                (0..3).all(|k| (f.corners[k] - m.corners[k]).norm() < 1e-15) && f.corners == field.corners(i)
            );
            assert!((f.normal - m.normal).norm() < 1e-12, "{i}");
            for k in 0..3 {
                let same = match (f.sides[k], m.sides[k]) {
                    (Side::Convex(p), Side::Convex(q)) | (Side::Concave(p), Side::Concave(q)) => {
                        (p - q).norm() < 1e-14
                    }
                    (p, q) => p == q,
                };
                assert!(same, "{i} {k} {:?} {:?}", f.sides[k], m.sides[k]);
            }
            if i < tops {
                for k in 0..3 {
                    let (mut near, mut around) = (Vec::new(), Vec::new());
                    field.ring(f.vertices[k] as usize, &mut |w| near.push(w));
                    mesh.ring(m.vertices[k] as usize, &mut |w| around.push(w));
                    assert!(around.iter().all(|w| near.iter().any(|n| (*n - *w).norm() < 1e-14)), "{i} {k}");
                }
            }
        }
    }

    #[test]
    fn triangles_in_a_box_are_found() {
        let mut random = Lcg::new(71);
        for shape in surfaces() {
            let surface = Surface::of(&shape).unwrap();
            let all = match surface {
                Surface::Field(field) => field.triangles().count(),
                Surface::Mesh(mesh) => mesh.triangles().len(),
            };
            for _ in 0..200 {
                let asked = Aabb::around(random.vector() * 0.3, vec3(0.05, 0.04, 0.06));
                let mut found = Vec::new();
                surface.touching(&asked, &mut |i| found.push(i));
                let expected = (0..all).filter(|i| crate::mesh::box_of(surface.corners(*i)).overlaps(&asked));
                for i in expected {
                    assert!(found.contains(&i), "{} {i}", shape.name());
                }
                found.sort_unstable();
                assert!(found.windows(2).all(|w| w[0] != w[1]));
            }
        }
    }

    /// On a saddle no inner vertex admits a normal, on a dome every one its own, on the back of
    /// a dome none.
    #[test]
    fn normals_are_those_of_convex_features() {
        let admitted = |height: &dyn Fn(f64, f64) -> f64, back: bool| {
            let mesh = grid_mesh(8, 1.0, height);
            let surface = Surface::Mesh(&mesh);
            let inner = |p: Vec3| p.x.abs() < 0.45 && p.y.abs() < 0.45;
            let (mut yes, mut all) = (0, 0);
            for t in 0..mesh.triangles().len() {
                let facet = if back { surface.facet(t).turned() } else { surface.facet(t) };
                for k in (0..3).filter(|k| inner(facet.corners[*k])) {
                    let up = if back { -Vec3::Z } else { Vec3::Z };
                    let p = facet.corners[k];
                    let slope = vec3(
                        height(p.x + 1e-6, p.y) - height(p.x, p.y),
                        height(p.x, p.y + 1e-6) - height(p.x, p.y),
                        0.0,
                    ) * 1e6;
                    let n = (up - slope * up.z).normalized().unwrap();
                    all += 1;
                    yes += usize::from(
                        facet.admits(Feature::Vertex(k), n, |k, visit| surface.ring(&facet, k, visit)),
                    );
                }
            }
            (yes, all)
        };
        let dome = |x: f64, y: f64| -0.3 * (x * x + y * y);
        let (yes, all) = admitted(&dome, false);
        assert!(yes == all && all > 200, "{yes} {all}");
        assert_eq!(admitted(&dome, true).0, 0);
        assert_eq!(admitted(&|x, y| x * x - y * y, false).0, 0);
    }
}
