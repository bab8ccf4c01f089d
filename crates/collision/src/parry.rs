//! The one door to `parry3d-f64`: convex hulls, and the distance of two convex cores (GJK, EPA).
//! Its types do not leave this file.

use parry3d_f64::math::Vector;
use parry3d_f64::transformation::try_convex_hull;
use stiction_dynamics::spatial::{Vec3, vec3};

fn to(v: Vec3) -> Vector {
    Vector::new(v.x, v.y, v.z)
}

fn from(v: Vector) -> Vec3 {
    vec3(v.x, v.y, v.z)
}

/// Vertices and outward, counter-clockwise triangles of the convex hull; Err says why not.
pub(crate) fn convex_hull(points: &[Vec3]) -> Result<(Vec<Vec3>, Vec<[u32; 3]>), String> {
    let points: Vec<Vector> = points.iter().map(|p| to(*p)).collect();
    let (vertices, triangles) = try_convex_hull(&points).map_err(|e| e.to_string())?;
    Ok((vertices.into_iter().map(from).collect(), triangles))
}
