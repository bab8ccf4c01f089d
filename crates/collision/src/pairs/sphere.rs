//! A sphere and any other bounded shape: the signed distance of its centre.
//!
//! With d the distance of the centre c from the surface of B, negative inside, and m the outward
//! direction of steepest ascent, the gap is d − r, the normal −m, and the contact point, midway
//! between the two surfaces, is c − m (d + r)/2. Exact for all shapes, also for centres inside.

use super::general;
use crate::convex::ConvexMesh;
use crate::faces::Face;
use crate::frame::Frame;
use crate::manifold::{Manifold, ManifoldPoint};
use crate::patch::{face_code, pair_code, vertex_code};
use crate::point::{away_from, to_box, to_capsule, to_cone, to_cylinder, to_ellipsoid};
use crate::reduce::{Candidates, reduce};
use crate::shape::Shape;
use stiction_dynamics::spatial::Vec3;

/// A is the sphere `a` of the given radius.
pub(crate) fn sphere(
    a: &Shape,
    radius: f64,
    A: &Frame,
    b: &Shape,
    B: &Frame,
    margin: f64,
    out: &mut Manifold,
) {
    let c = B.inverse_point(A.origin);
    let (distance, m) = match b {
        Shape::Plane | Shape::HeightField(_) | Shape::Mesh(_) => return,
        Shape::Sphere { radius } => {
            let (d, m) = away_from(c, Vec3::Z);
            (d - radius, m)
        }
        Shape::Capsule { radius, half_length } => to_capsule(c, *radius, *half_length),
        Shape::Box { half } => to_box(c, *half),
        Shape::Cylinder { radius, half_length } => to_cylinder(c, *radius, *half_length),
        Shape::Ellipsoid { radii } => to_ellipsoid(c, *radii),
        Shape::Cone { radius, half_height } => to_cone(c, *radius, *half_height),
        Shape::Convex(mesh) => match from_hull(c, mesh, radius + margin) {
            Hull::Apart => return,
            Hull::Face(d, m) => (d, m),
            // Nearest to an edge or a vertex.
            Hull::Beyond => return general::collide(a, A, b, B, margin, out),
        },
    };
    let gap = distance - radius;
    if gap <= margin {
        let m = B.direction(m);
        out.normal = -m;
        let mut one = Candidates::<1>::new();
        let feature = pair_code(vertex_code(0), face_code(0));
        one.push(A.origin - m * (0.5 * (distance + radius)), gap, feature);
        reduce(one.points(), radius, out);
    }
}

/// Two spheres, whose frames do not matter; true when their centres are far enough apart to tell a normal.
/// The formulas are symmetric, to the last bit.
pub(crate) fn spheres(c: [Vec3; 2], radii: [f64; 2], margin: f64, out: &mut Manifold) -> bool {
    let between = c[1] - c[0];
    let distance = between.norm();
    let gap = distance - (radii[0] + radii[1]);
    if gap > margin {
        return true;
    }
    if distance <= 1e-6 * (radii[0] + radii[1]) {
        return false;
    }
    let n = between * (1.0 / distance);
    let position = ((c[0] + n * radii[0]) + (c[1] - n * radii[1])) * 0.5;
    out.normal = n;
    out.push(ManifoldPoint { position, gap, feature: pair_code(face_code(0), face_code(0)) });
    true
}

/// Where a point is relative to a hull.
enum Hull {
    /// Farther than asked for.
    Apart,
    /// Nearest to a face, or inside: distance and direction.
    Face(f64, Vec3),
    /// Outside, nearest to an edge or a vertex.
    Beyond,
}

/// Hulls of more faces than this are climbed first.
const CLIMB: usize = 48;

fn from_hull(c: Vec3, mesh: &ConvexMesh, limit: f64) -> Hull {
    // A point on the surface has no direction to an edge or a vertex.
    let on_surface = 1e-9 * mesh.radius();
    if mesh.faces().len() > CLIMB {
        let (near, height) = mesh.climb_over(c, mesh.face_toward(c - mesh.center()));
        let face = &mesh.faces()[near];
        // Any plane between the two tells them apart, and a face under a point outside is the nearest.
        if height > limit {
            return Hull::Apart;
        } else if height > on_surface && is_over(c, face, mesh) {
            return Hull::Face(height, face.normal);
        }
    }
    let (best, height) = mesh.highest_over(c);
    let face = &mesh.faces()[best];
    if height > limit {
        Hull::Apart
    } else if height <= on_surface || is_over(c, face, mesh) {
        Hull::Face(height, face.normal)
    } else {
        Hull::Beyond
    }
}

/// True when the foot of c on the plane of the face is in the face.
fn is_over(c: Vec3, face: &Face, mesh: &ConvexMesh) -> bool {
    let corner = |k: usize| mesh.vertices()[face.vertices[k % face.vertices.len()] as usize];
    (0..face.vertices.len()).all(|k| (corner(k + 1) - corner(k)).cross(c - corner(k)).dot(face.normal) >= 0.0)
}
