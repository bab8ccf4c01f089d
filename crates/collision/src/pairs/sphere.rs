//! A sphere and any other bounded shape: the signed distance of its centre.
//!
//! With d the distance of the centre c from the surface of B, negative inside, and m the outward
//! direction of steepest ascent, the gap is d − r, the normal −m, and the contact point, midway
//! between the two surfaces, is c − m (d + r)/2. Exact for all shapes, also for centres inside.

use super::general;
use crate::convex::{ConvexMesh, Face};
use crate::frame::Frame;
use crate::manifold::Manifold;
use crate::patch::{face_code, pair_code, vertex_code};
use crate::reduce::{Candidates, reduce};
use crate::shape::Shape;
use stiction_dynamics::spatial::{Vec3, vec3};

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
        Shape::Plane => return,
        Shape::Sphere { radius } => {
            let (d, m) = away_from(c, Vec3::Z);
            (d - radius, m)
        }
        Shape::Capsule { radius, half_length } => {
            let axis = vec3(0.0, 0.0, c.z.clamp(-half_length, *half_length));
            let (d, m) = away_from(c - axis, Vec3::X);
            (d - radius, m)
        }
        Shape::Box { half } => from_box(c, *half),
        Shape::Cylinder { radius, half_length } => from_cylinder(c, *radius, *half_length),
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

/// Length and direction of v; `otherwise` for the zero vector.
fn away_from(v: Vec3, otherwise: Vec3) -> (f64, Vec3) {
    v.normalized().map_or((0.0, otherwise), |m| (v.norm(), m))
}

fn from_box(c: Vec3, half: Vec3) -> (f64, Vec3) {
    let nearest = vec3(c.x.clamp(-half.x, half.x), c.y.clamp(-half.y, half.y), c.z.clamp(-half.z, half.z));
    if let Some(m) = (c - nearest).normalized() {
        return ((c - nearest).norm(), m);
    }
    let depth = |i: usize| c[i].abs() - half[i];
    // Among ties the first axis.
    let i = if depth(0) >= depth(1) && depth(0) >= depth(2) {
        0
    } else if depth(1) >= depth(2) {
        1
    } else {
        2
    };
    let axis = [Vec3::X, Vec3::Y, Vec3::Z][i];
    (depth(i), if c[i] >= 0.0 { axis } else { -axis })
}

fn from_cylinder(c: Vec3, radius: f64, half_length: f64) -> (f64, Vec3) {
    let across = c.x.hypot(c.y);
    let out = if across > 0.0 { vec3(c.x / across, c.y / across, 0.0) } else { Vec3::X };
    let up = if c.z >= 0.0 { Vec3::Z } else { -Vec3::Z };
    let (over_side, over_cap) = (across - radius, c.z.abs() - half_length);
    if over_side > 0.0 && over_cap > 0.0 {
        let d = over_side.hypot(over_cap);
        (d, out * (over_side / d) + up * (over_cap / d))
    } else if over_side > over_cap {
        (over_side, out)
    } else {
        (over_cap, up)
    }
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

fn from_hull(c: Vec3, mesh: &ConvexMesh, limit: f64) -> Hull {
    let (mut height, mut best) = (f64::NEG_INFINITY, 0);
    for (i, face) in mesh.faces().iter().enumerate() {
        let h = face.normal.dot(c) - face.offset;
        if h > height {
            (height, best) = (h, i);
        }
    }
    let face = &mesh.faces()[best];
    // A point on the surface has no direction to an edge or a vertex.
    let on_surface = 1e-9 * mesh.radius();
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
