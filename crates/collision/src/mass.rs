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

use crate::shape::Shape;
use std::f64::consts::PI;
use stiction_dynamics::spatial::{Inertia, Mat3, Sym3, Vec3, vec3};

impl Shape {
    /// The volume [m³]; infinite for a plane, zero for an open mesh.
    pub fn volume(&self) -> f64 {
        match self {
            Self::Plane => f64::INFINITY,
            Self::Sphere { radius: r } => 4.0 / 3.0 * PI * r.powi(3),
            Self::Box { half } => 8.0 * half.x * half.y * half.z,
            Self::Capsule { radius: r, half_length: l } => PI * r * r * (2.0 * l + 4.0 / 3.0 * r),
            Self::Cylinder { radius: r, half_length: l } => 2.0 * PI * r * r * l,
            Self::Ellipsoid { radii: r } => 4.0 / 3.0 * PI * r.x * r.y * r.z,
            Self::Cone { radius: r, half_height: h } => 2.0 / 3.0 * PI * r * r * h,
            Self::Convex(_) | Self::HeightField(_) | Self::Mesh(_) => {
                self.inertia(1.0).map_or(0.0, |solid| solid.mass)
            }
        }
    }

    /// The inertia about the origin of G, in the axes of G, at `density` [kg/m³]; `None` for a
    /// plane and an open mesh.
    pub fn inertia(&self, density: f64) -> Option<Inertia> {
        let m = match self {
            Self::Convex(_) | Self::HeightField(_) | Self::Mesh(_) => f64::NAN, // not used below
            _ => density * self.volume(),
        };
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
            Self::Ellipsoid { radii } => {
                let (x, y, z) = (radii.x * radii.x, radii.y * radii.y, radii.z * radii.z);
                centred(m / 5.0 * (y + z), m / 5.0 * (x + z), m / 5.0 * (x + y))
            }
            Self::Cone { radius: r, half_height: h } => {
                let across = 0.15 * m * (r * r + h * h);
                let about_com = Sym3::diagonal(across, across, 0.3 * m * r * r);
                Some(Inertia::new(m, vec3(0.0, 0.0, -0.5 * h), about_com))
            }
            Self::Convex(mesh) => {
                let corners = |t: &[u32; 3]| t.map(|i| mesh.vertices()[i as usize]);
                Some(polyhedron(mesh.triangles().iter().map(corners), mesh.center(), density))
            }
            Self::HeightField(field) => Some(polyhedron(field.triangles(), field.bounds().center(), density)),
            Self::Mesh(mesh) if mesh.is_closed() => {
                let corners = (0..mesh.triangles().len()).map(|t| mesh.corners(t));
                Some(polyhedron(corners, mesh.bounds().center(), density))
            }
            Self::Mesh(_) => None,
        }
    }
}

/// Sum over the tetrahedra that the triangles of a closed surface span with `middle`, a point
/// near it: far from it digits would be lost.
fn polyhedron(triangles: impl Iterator<Item = [Vec3; 3]>, middle: Vec3, density: f64) -> Inertia {
    let (mut mass, mut first, mut C) = (0.0, Vec3::ZERO, Sym3::ZERO);
    for t in triangles {
        let [a, b, c] = t.map(|x| x - middle);
        let (m, s) = (density * a.dot(b.cross(c)) / 6.0, a + b + c);
        mass += m;
        first += s * (m / 4.0); // (2)
        for x in [a, b, c, s] {
            C = C + Sym3::outer(x, m / 20.0); // (3)
        }
    }
    let trace = C.xx + C.yy + C.zz;
    let about_middle = Inertia { mass, first, second: Sym3::diagonal(trace, trace, trace) - C }; // (1)
    about_middle.transformed(&Mat3::IDENTITY, middle)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::height_field::HeightField;
    use crate::pairs::testing::{box_mesh, grid_mesh, prism, torus};
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

    /// The integral over many small cells against the closed form.
    #[test]
    fn round_solids_are_the_sum_of_their_parts() {
        let radii = vec3(0.3, 0.2, 0.4);
        let (r, h) = (0.3, 0.4);
        let in_ellipsoid = |p: Vec3| vec3(p.x / radii.x, p.y / radii.y, p.z / radii.z).norm_squared() <= 1.0;
        let in_cone = |p: Vec3| p.z.abs() <= h && p.x.hypot(p.y) <= 0.5 * r * (1.0 - p.z / h);
        let solids: [(Shape, &dyn Fn(Vec3) -> bool); 2] = [
            (Shape::Ellipsoid { radii }, &in_ellipsoid),
            (Shape::Cone { radius: r, half_height: h }, &in_cone),
        ];
        for (shape, inside) in solids {
            let (n, mut parts) = (80, Inertia::ZERO);
            let step = 0.8 / f64::from(n);
            let at = |i: i32| (f64::from(i) + 0.5) * step - 0.4;
            for (i, j, k) in (0..n * n * n).map(|c| (c / n / n, c / n % n, c % n)) {
                let p = vec3(at(i), at(j), at(k));
                if inside(p) {
                    parts += Inertia::new(step.powi(3), p, Sym3::ZERO);
                }
            }
            let exact = shape.inertia(1.0).unwrap();
            assert!((parts.mass / exact.mass - 1.0).abs() < 2e-3, "{}", shape.name());
            assert!((parts.com() - exact.com()).norm() < 5e-4, "{}", shape.name());
            for (p, e) in [
                (parts.second.xx, exact.second.xx),
                (parts.second.yy, exact.second.yy),
                (parts.second.zz, exact.second.zz),
            ] {
                assert!((p / e - 1.0).abs() < 5e-3, "{} {p} {e}", shape.name());
            }
        }
    }

    /// A ring: V = 2π²Rr², I_z = m (R² + ¾ r²), I_x = m (½R² + ⅝ r²), here off the origin.
    #[test]
    fn a_torus_of_triangles_is_a_torus() {
        let (R, r) = (0.3, 0.1);
        let ring = torus(200, 100, R, r).moved(vec3(5.0, 0.0, -3.0));
        let solid = Shape::Mesh(Arc::new(ring)).inertia(1.0).unwrap();
        let m = 2.0 * PI * PI * R * r * r;
        assert!((solid.mass / m - 1.0).abs() < 2e-3);
        assert!((solid.com() - vec3(5.0, 0.0, -3.0)).norm() < 1e-12);
        let I = solid.about_com();
        assert!((I.zz / (m * (R * R + 0.75 * r * r)) - 1.0).abs() < 3e-3);
        assert!((I.xx / (m * (0.5 * R * R + 0.625 * r * r)) - 1.0).abs() < 3e-3);
        assert!((I.xx - I.yy).abs() < 1e-12 && I.xy.abs() < 1e-12);
    }

    /// A field of equal heights is a box; a ramp is a box and a wedge.
    #[test]
    fn height_fields_have_the_mass_below_them() {
        let field = |heights: Vec<f64>| {
            Shape::HeightField(Arc::new(HeightField::new(3, 3, [2.0, 1.0], heights, 0.5).unwrap()))
        };
        let (flat, block) = (field(vec![0.25; 9]), Shape::Box { half: vec3(1.0, 0.5, 0.25) });
        let (f, b) = (flat.inertia(2.0).unwrap(), block.inertia(2.0).unwrap());
        assert!((f.mass - b.mass).abs() < 1e-15 && f.com().norm() < 1e-15);
        assert!((f.second - b.second).to_mat3().rows.iter().all(|row| row.norm() < 1e-15));
        let ramp = field([0.0, 0.5, 1.0].repeat(3));
        assert!((ramp.volume() - (1.0 + 1.0)).abs() < 1e-14);
        // The block has its middle at x = 0, z = −¼, the wedge its at x = ⅓, z = ⅓.
        assert!((ramp.inertia(1.0).unwrap().com() - vec3(1.0 / 6.0, 0.0, 1.0 / 24.0)).norm() < 1e-15);
        let open = Shape::Mesh(Arc::new(grid_mesh(3, 1.0, |_, _| 0.0)));
        assert!(open.inertia(1.0).is_none() && open.volume() == 0.0);
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
