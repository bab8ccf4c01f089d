//! Triangle meshes from files, and the solids and hulls made of them.
//!
//! ```text
//!     tetrahedron (p, a, b, c), edges from p:  V = a·(b × c)/6
//!         ∫ x dV = V s/4,     ∫ x xᵀ dV = V/20 (aaᵀ + bbᵀ + ccᵀ + ssᵀ),   s = a + b + c   (1)
//!     triangle (a, b, c):  A = |(b − a) × (c − a)|/2
//!         ∫ x dA = A s/3,     ∫ x xᵀ dA = A/12 (aaᵀ + bbᵀ + ccᵀ + ssᵀ)                   (2)
//!     I = tr(C) 1 − C                                                                (3)
//! ```
//! Units: metres; inertia at a density of 1 kg/m³ (shells: 1 kg/m²).

use std::sync::Arc;
use stiction_collision::{ConvexMesh, ShapeError, TriangleMesh as Surface};
use stiction_dynamics::spatial::{Inertia, Sym3, Vec3, vec3};

/// Triangles over shared vertices.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct TriangleMesh {
    pub(crate) vertices: Vec<Vec3>,
    pub(crate) triangles: Vec<[u32; 3]>,
}

/// How mass is spread over a mesh (MuJoCo's words).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Filling {
    /// The solid inside a closed surface; inward faces count negative.
    Exact,
    /// Integrates as `Exact` does, every tetrahedron counting positive: right for solids star-shaped about their
    /// centre of
    /// mass, too heavy for others.
    Legacy,
    /// The surface.
    Shell,
}

impl TriangleMesh {
    /// The mesh without vertices that no triangle has.
    pub(crate) fn without_strays(self) -> Self {
        let mut place = vec![u32::MAX; self.vertices.len()];
        let mut mesh = Self::default();
        for t in &self.triangles {
            mesh.triangles.push(t.map(|i| {
                let slot = &mut place[i as usize];
                if *slot == u32::MAX {
                    *slot = mesh.vertices.len() as u32;
                    mesh.vertices.push(self.vertices[i as usize]);
                }
                *slot
            }));
        }
        mesh
    }

    /// The mesh with every vertex x at `f(x)`; `mirrored` turns the faces round again.
    pub(crate) fn mapped(&self, f: impl Fn(Vec3) -> Vec3, mirrored: bool) -> Self {
        let turn = |&[a, b, c]: &[u32; 3]| if mirrored { [a, c, b] } else { [a, b, c] };
        Self {
            vertices: self.vertices.iter().map(|&v| f(v)).collect(),
            triangles: self.triangles.iter().map(turn).collect(),
        }
    }

    pub(crate) fn scaled(&self, s: Vec3) -> Self {
        self.mapped(|v| vec3(v.x * s.x, v.y * s.y, v.z * s.z), s.x * s.y * s.z < 0.0)
    }

    pub(crate) fn hull(&self) -> Result<Arc<ConvexMesh>, ShapeError> {
        ConvexMesh::from_points(&self.vertices).map(Arc::new)
    }

    /// All its triangles, to touch.
    pub(crate) fn surface(&self) -> Result<Arc<Surface>, ShapeError> {
        Surface::new(&self.vertices, &self.triangles).map(Arc::new)
    }

    pub(crate) fn of_hull(hull: &ConvexMesh) -> Self {
        Self { vertices: hull.vertices().to_vec(), triangles: hull.triangles().to_vec() }
    }

    /// The middle of its bounding box.
    pub(crate) fn middle(&self) -> Vec3 {
        let mut bounds = [Vec3::ZERO; 2];
        for (i, v) in self.vertices.iter().enumerate() {
            let [lo, hi] = if i == 0 { [*v; 2] } else { bounds };
            bounds = [
                vec3(lo.x.min(v.x), lo.y.min(v.y), lo.z.min(v.z)),
                vec3(hi.x.max(v.x), hi.y.max(v.y), hi.z.max(v.z)),
            ];
        }
        (bounds[0] + bounds[1]) * 0.5
    }

    fn corners(&self) -> impl Iterator<Item = [Vec3; 3]> {
        let corner = |&i: &u32| self.vertices.get(i as usize).copied().unwrap_or(Vec3::ZERO);
        self.triangles.iter().map(move |[a, b, c]| [corner(a), corner(b), corner(c)])
    }

    /// Inertia about the origin of the mesh at unit density.
    pub(crate) fn inertia(&self, filling: Filling) -> Inertia {
        // Centroid of the surface: a point near the middle loses the fewest digits.
        let (mut weight, mut middle) = (0.0, Vec3::ZERO);
        for t in self.corners() {
            weight += area(t);
            middle += (t[0] + t[1] + t[2]) * (area(t) / 3.0);
        }
        let p = if weight > 0.0 { middle * (1.0 / weight) } else { Vec3::ZERO };
        let mut about_p = self.inertia_about(p, filling);
        let mut q = p;
        if filling != Filling::Shell && about_p.mass > 0.0 {
            // As MuJoCo, of surfaces that overlap or are open: the centre of mass from tetrahedra from p, the rest from
            // tetrahedra from there.
            q = p + about_p.com();
            about_p = Inertia { first: Vec3::ZERO, ..self.inertia_about(q, filling) };
        }
        about_p.transformed(&stiction_dynamics::spatial::Mat3::IDENTITY, q)
    }

    /// (1)–(3), tetrahedra starting from p.
    fn inertia_about(&self, p: Vec3, filling: Filling) -> Inertia {
        let (mut mass, mut first, mut C) = (0.0, Vec3::ZERO, Sym3::ZERO);
        for t in self.corners() {
            let [a, b, c] = t.map(|x| x - p);
            let s = a + b + c;
            let volume = a.dot(b.cross(c)) / 6.0;
            let (m, per_first, per_second) = match filling {
                Filling::Exact => (volume, 4.0, 20.0), // (1)
                Filling::Legacy => (volume.abs(), 4.0, 20.0),
                Filling::Shell => (area(t), 3.0, 12.0), // (2)
            };
            mass += m;
            first += s * (m / per_first);
            for x in [a, b, c, s] {
                C = C + Sym3::outer(x, m / per_second);
            }
        }
        let trace = C.xx + C.yy + C.zz;
        Inertia { mass, first, second: Sym3::diagonal(trace, trace, trace) - C } // (3)
    }
}

fn area([a, b, c]: [Vec3; 3]) -> f64 {
    0.5 * (b - a).cross(c - a).norm()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The corner tetrahedron (0, e1, e2, e3).
    fn tetrahedron() -> TriangleMesh {
        TriangleMesh {
            vertices: vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z],
            triangles: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
        }
    }

    #[test]
    fn solid_tetrahedron_by_hand() {
        for filling in [Filling::Exact, Filling::Legacy] {
            let i = tetrahedron().inertia(filling);
            assert!((i.mass - 1.0 / 6.0).abs() < 1e-15);
            assert!((i.com() - vec3(0.25, 0.25, 0.25)).norm() < 1e-15);
            // ∫ x² dV = 1/60, so ∫ y² + z² dV = 1/30; ∫ x y dV = 1/120.
            assert!((i.second.xx - 1.0 / 30.0).abs() < 1e-15);
            assert!((i.second.xy + 1.0 / 120.0).abs() < 1e-15);
        }
    }

    #[test]
    fn a_mirrored_mesh_keeps_its_volume_and_a_shell_its_area() {
        let m = tetrahedron();
        let mirrored = m.scaled(vec3(1.0, -2.0, 1.0)).inertia(Filling::Exact);
        assert!((mirrored.mass - 2.0 / 6.0).abs() < 1e-15 && mirrored.com().y < 0.0);
        let area = 1.5 + 0.75_f64.sqrt();
        assert!((m.inertia(Filling::Shell).mass - area).abs() < 1e-15);
    }
}
