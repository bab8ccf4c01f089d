//! Volume and inertia of solids of uniform density.
//!
//! ```text
//!     I_G = ∫ ρ ((x·x) 1 − x xᵀ) dV = ρ (tr(C) 1 − C),   C = ∫ x xᵀ dV        (1)
//!     tetrahedron (0, a, b, c), V = a·(b × c)/6:
//!         ∫ x dV = V (a + b + c)/4                                              (2)
//!         C = V/20 (aaᵀ + bbᵀ + ccᵀ + ssᵀ),   s = a + b + c                     (3)
//! ```
//!
//! Units: density ρ [kg/m³], volume [m³], inertia [kg·m²] about the origin of G.

use crate::convex::ConvexMesh;
use crate::shape::Shape;
use std::f64::consts::PI;
use stiction_dynamics::spatial::{Inertia, Sym3, Vec3};

impl Shape {
    /// The volume [m³]; infinite for a plane.
    pub fn volume(&self) -> f64 {
        match self {
            Self::Plane => f64::INFINITY,
            Self::Sphere { radius: r } => 4.0 / 3.0 * PI * r.powi(3),
            Self::Box { half } => 8.0 * half.x * half.y * half.z,
            Self::Capsule { radius: r, half_length: l } => PI * r * r * (2.0 * l + 4.0 / 3.0 * r),
            Self::Cylinder { radius: r, half_length: l } => 2.0 * PI * r * r * l,
            Self::Convex(mesh) => polyhedron(mesh, 1.0).mass,
        }
    }

    /// The inertia about the origin of G, in the axes of G, at `density` [kg/m³]; `None` for a
    /// plane.
    pub fn inertia(&self, density: f64) -> Option<Inertia> {
        let m = density * self.volume();
        let centred = |xx, yy, zz| Some(Inertia::new(m, Vec3::ZERO, Sym3::diagonal(xx, yy, zz)));
        match self {
            Self::Plane => None,
            Self::Sphere { radius: r } => {
                let i = 0.4 * m * r * r;
                centred(i, i, i)
            }
            Self::Box { half } => {
                let (x, y, z) = (half.x * half.x, half.y * half.y, half.z * half.z);
                centred(m / 3.0 * (y + z), m / 3.0 * (x + z), m / 3.0 * (x + y))
            }
            Self::Cylinder { radius: r, half_length: l } => {
                let across = m * (r * r / 4.0 + l * l / 3.0);
                centred(across, across, 0.5 * m * r * r)
            }
            Self::Capsule { radius: r, half_length: l } => {
                // The cylinder of the segment and a ball cut in two; the centre of mass of each
                // half ball is 3r/8 beyond the end of the segment.
                let rod = density * 2.0 * PI * r * r * l;
                let ball = density * 4.0 / 3.0 * PI * r.powi(3);
                let along = 0.5 * rod * r * r + 0.4 * ball * r * r;
                let across = rod * (r * r / 4.0 + l * l / 3.0) + ball * (0.4 * r * r + l * l + 0.75 * l * r);
                centred(across, across, along)
            }
            Self::Convex(mesh) => Some(polyhedron(mesh, density)),
        }
    }
}

/// Sum over the tetrahedra that the triangles of the surface span with the origin of G.
fn polyhedron(mesh: &ConvexMesh, density: f64) -> Inertia {
    let (mut mass, mut first, mut C) = (0.0, Vec3::ZERO, Sym3::ZERO);
    for t in mesh.triangles() {
        let [a, b, c] = t.map(|i| mesh.vertices()[i as usize]);
        let (m, s) = (density * a.dot(b.cross(c)) / 6.0, a + b + c);
        mass += m;
        first += s * (m / 4.0); // (2)
        for x in [a, b, c, s] {
            C = C + Sym3::outer(x, m / 20.0); // (3)
        }
    }
    let trace = C.xx + C.yy + C.zz;
    Inertia { mass, first, second: Sym3::diagonal(trace, trace, trace) - C } // (1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pairs::testing::{box_mesh, prism};
    use std::sync::Arc;
    use stiction_dynamics::spatial::vec3;

    /// A box and the hull of its corners are the same solid, wherever the origin is.
    #[test]
    fn hull_of_a_box_is_the_box() {
        let half = vec3(0.1, 0.2, 0.3);
        let c = vec3(0.5, -0.7, 0.2);
        let hull = Shape::Convex(Arc::new(box_mesh(half, c)));
        let solid = Shape::Box { half };
        assert!((hull.volume() - 0.048).abs() < 1e-15 && (solid.volume() - 0.048).abs() < 1e-15);
        let (h, s) = (hull.inertia(1000.0).unwrap(), solid.inertia(1000.0).unwrap());
        assert!((h.com() - c).norm() < 1e-14);
        let difference = (h.about_com() - s.about_com()).to_mat3();
        assert!(difference.rows.iter().all(|r| r.norm() < 1e-12));
    }

    /// A prism with many sides is a cylinder.
    #[test]
    fn fine_prism_is_a_cylinder() {
        let hull = Shape::Convex(Arc::new(prism(256, 0.3, 0.1))).inertia(700.0).unwrap();
        let solid = Shape::Cylinder { radius: 0.3, half_length: 0.1 }.inertia(700.0).unwrap();
        assert!((hull.mass / solid.mass - 1.0).abs() < 2e-4);
        assert!((hull.second.zz / solid.second.zz - 1.0).abs() < 4e-4);
        assert!((hull.second.xx / solid.second.xx - 1.0).abs() < 4e-4);
    }

    /// Limits: a capsule without a segment is a ball, one without a radius a thin rod.
    #[test]
    fn capsule_between_ball_and_rod() {
        let capsule = |radius, half_length| Shape::Capsule { radius, half_length }.inertia(1.0).unwrap();
        let ball = Shape::Sphere { radius: 0.5 }.inertia(1.0).unwrap();
        let round = capsule(0.5, 1e-12);
        assert!((round.second.xx - ball.second.xx).abs() < 1e-11);
        assert!((round.second.zz - ball.second.zz).abs() < 1e-11);
        let rod = capsule(1e-6, 1.0);
        assert!((rod.second.xx / rod.mass - 1.0 / 3.0).abs() < 1e-5);
        assert!(Shape::Plane.inertia(1.0).is_none());
    }
}
