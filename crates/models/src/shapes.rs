//! Small things about shapes that both formats need.

use crate::error::LoadError;
use crate::mesh::TriangleMesh;
use crate::value::Attribute;
use stiction_dynamics::spatial::{Vec3, vec3};

/// Three lengths > 0, times `factor`.
pub(crate) fn half_box(attribute: Attribute<'_>, factor: f64) -> Result<Vec3, LoadError> {
    let size = attribute.vector()?;
    if size.x > 0.0 && size.y > 0.0 && size.z > 0.0 {
        Ok(size * factor)
    } else {
        Err(attribute.error("three numbers > 0"))
    }
}

/// The surface of an ellipsoid about the origin, for drawing.
pub(crate) fn ellipsoid_mesh(radii: Vec3) -> TriangleMesh {
    const RINGS: u32 = 12;
    const SECTORS: u32 = 24;
    let mut mesh = TriangleMesh::default();
    for ring in 0..=RINGS {
        let (s, c) = (std::f64::consts::PI * f64::from(ring) / f64::from(RINGS)).sin_cos();
        for sector in 0..SECTORS {
            let (sy, cx) = (std::f64::consts::TAU * f64::from(sector) / f64::from(SECTORS)).sin_cos();
            mesh.vertices.push(vec3(radii.x * s * cx, radii.y * s * sy, radii.z * c));
        }
    }
    for ring in 0..RINGS {
        for sector in 0..SECTORS {
            let next = (sector + 1) % SECTORS;
            let (a, b) = (ring * SECTORS + sector, ring * SECTORS + next);
            let (c, d) = (a + SECTORS, b + SECTORS);
            if ring > 0 {
                mesh.triangles.push([a, c, b]);
            }
            if ring + 1 < RINGS {
                mesh.triangles.push([b, c, d]);
            }
        }
    }
    mesh
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Filling;
    use stiction_collision::Shape;

    #[test]
    fn the_drawn_ellipsoid_is_closed_outward_and_nearly_the_ellipsoid() {
        let radii = vec3(0.1, 0.2, 0.3);
        let (drawn, solid) =
            (ellipsoid_mesh(radii).inertia(Filling::Exact), Shape::Ellipsoid { radii }.inertia(1.0).unwrap());
        assert!((drawn.mass / solid.mass - 1.0).abs() < 0.05);
        assert!((drawn.second.xx / solid.second.xx - 1.0).abs() < 0.08);
    }
}
