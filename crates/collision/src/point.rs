//! The signed distance of a point to a solid, and the direction in which it grows fastest.
//!
//! ```text
//!     d(c) = ± min { ‖c − x‖ : x on the surface },  − inside;   m = ∇d, outward      (1)
//! ```
//!
//! The nearest point is c − d m. Where several are equally near, one of them, the same for the
//! same c. All in the frame G of the shape [m].
//!
//! Ellipsoid with semi-axes r: the nearest point is xᵢ = rᵢ² cᵢ/(t + rᵢ²), with t > −min rᵢ² from
//! Σ (rᵢ cᵢ/(t + rᵢ²))² = 1 (2) [Eberly2013]. With f the left side of (2), 1/√f is nearly linear in t:
//! Newton's method on it converges in a few steps, kept within a bracket.

use crate::convex::ConvexMesh;
use crate::faces::Face;
use stiction_dynamics::spatial::{Vec3, vec3};

/// Length and direction of v; `otherwise` for the zero vector.
pub(crate) fn away_from(v: Vec3, otherwise: Vec3) -> (f64, Vec3) {
    v.normalized().map_or((0.0, otherwise), |m| (v.norm(), m))
}

pub(crate) fn to_capsule(c: Vec3, radius: f64, half_length: f64) -> (f64, Vec3) {
    let axis = vec3(0.0, 0.0, c.z.clamp(-half_length, half_length));
    let (d, m) = away_from(c - axis, Vec3::X);
    (d - radius, m)
}

pub(crate) fn to_box(c: Vec3, half: Vec3) -> (f64, Vec3) {
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

/// The direction away from the axis z, and the distance from it.
fn radial(c: Vec3) -> (f64, Vec3) {
    let across = c.x.hypot(c.y);
    (across, if across > 0.0 { vec3(c.x / across, c.y / across, 0.0) } else { Vec3::X })
}

pub(crate) fn to_cylinder(c: Vec3, radius: f64, half_length: f64) -> (f64, Vec3) {
    let (across, out) = radial(c);
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

/// In the half-plane of c and the axis the cone is a triangle: slant, base and axis.
pub(crate) fn to_cone(c: Vec3, radius: f64, half_height: f64) -> (f64, Vec3) {
    let (across, out) = radial(c);
    let length = radius.hypot(2.0 * half_height);
    // Along the slant from the rim to the apex, and its outward normal: (out, up).
    let (along, normal) =
        ([-radius / length, 2.0 * half_height / length], [2.0 * half_height / length, radius / length]);
    let (x, z) = (across - radius, c.z + half_height); // from the rim
    let (over_slant, over_base) = (normal[0] * x + normal[1] * z, -z);
    if over_slant <= 0.0 && over_base <= 0.0 {
        return if over_slant > over_base {
            (over_slant, out * normal[0] + Vec3::Z * normal[1])
        } else {
            (over_base, -Vec3::Z)
        };
    }
    if over_base > 0.0 && x <= 0.0 {
        return (over_base, -Vec3::Z);
    }
    let s = along[0] * x + along[1] * z;
    // Over the slant the normal is that of the cone to the last bit: one that leans by rounding is over the far end of it.
    if (0.0..=length).contains(&s) {
        return (over_slant, out * normal[0] + Vec3::Z * normal[1]);
    }
    let end = s.clamp(0.0, length);
    let (dx, dz) = (x - along[0] * end, z - along[1] * end);
    let d = dx.hypot(dz);
    (d, out * (dx / d) + Vec3::Z * (dz / d))
}

/// Steps of (2) after which it is as good as it gets.
const STEPS: usize = 100;
/// A coordinate this small, relative to its semi-axis, is taken for this large: the sides of a
/// plane of symmetry are not told apart.
const LEAST: f64 = 1e-20;

pub(crate) fn to_ellipsoid(c: Vec3, radii: Vec3) -> (f64, Vec3) {
    let least = radii.x.min(radii.y).min(radii.z);
    // In units of the smallest semi-axis, with u = t + 1 > 0, and all coordinates positive.
    let r = vec3(radii.x / least, radii.y / least, radii.z / least);
    let mut z = c * (1.0 / least);
    for i in 0..3 {
        z[i] = z[i].abs().max(LEAST * r[i]);
    }
    let root = lagrange(r, z);
    let mut x = Vec3::ZERO;
    for i in 0..3 {
        x[i] = (radii[i] / (root + (r[i] * r[i] - 1.0)) * z[i] * r[i]).copysign(c[i]);
    }
    // The gradient of the implicit function is the normal.
    let m = vec3(x.x / (r.x * r.x), x.y / (r.y * r.y), x.z / (r.z * r.z)).normalized().unwrap_or(Vec3::Z);
    (m.dot(c - x), m)
}

/// u of (2), for r with least component 1 and z > 0.
fn lagrange(r: Vec3, z: Vec3) -> f64 {
    let (mut low, mut high) = (0.0_f64, 0.0);
    for i in 0..3 {
        // Any one term alone is 1 at a smaller u; all of them, were they as large as the largest.
        low = low.max(r[i] * z[i] - (r[i] * r[i] - 1.0));
        high += r[i] * z[i] * r[i] * z[i];
    }
    let mut high = high.sqrt().max(low);
    let mut u = low;
    for _ in 0..STEPS {
        let (mut f, mut slope) = (0.0, 0.0);
        for i in 0..3 {
            let b = u + (r[i] * r[i] - 1.0);
            let q = r[i] * z[i] / b;
            f += q * q;
            slope -= 2.0 * q * q / b;
        }
        if f >= 1.0 {
            low = u
        } else {
            high = u
        }
        // Newton on 1/√f − 1.
        let newton = u + 2.0 * f * (1.0 - f.sqrt()) / slope;
        if (newton - u).abs() <= 4.0 * f64::EPSILON * u {
            return u;
        }
        u = if newton > low && newton < high { newton } else { (low * high).sqrt() };
    }
    u
}

/// Outside, the nearest of the nearest points of all faces in sight.
pub(crate) fn to_hull(c: Vec3, mesh: &ConvexMesh) -> (f64, Vec3) {
    let (face, height) = mesh.highest_over(c);
    let best = mesh.faces()[face].normal;
    // A point on the surface has no direction to an edge or a vertex.
    if height <= 1e-9 * mesh.radius() {
        return (height, best);
    }
    let (mut least, mut away) = (f64::INFINITY, Vec3::ZERO);
    for face in mesh.faces().iter().filter(|f| f.normal.dot(c) > f.offset) {
        let from = c - nearest_in_face(c, face, mesh);
        if from.norm_squared() < least {
            (least, away) = (from.norm_squared(), from);
        }
    }
    away_from(away, best)
}

/// The point of a face that is nearest to c.
fn nearest_in_face(c: Vec3, face: &Face, mesh: &ConvexMesh) -> Vec3 {
    let corner = |k: usize| mesh.vertices()[face.vertices[k % face.vertices.len()] as usize];
    let sides = || (0..face.vertices.len()).map(|k| (corner(k), corner(k + 1)));
    if sides().all(|(p, q)| (q - p).cross(c - p).dot(face.normal) >= 0.0) {
        return c - face.normal * (face.normal.dot(c) - face.offset);
    }
    let on_side = |(p, q): (Vec3, Vec3)| {
        let side = q - p;
        p + side * ((c - p).dot(side) / side.norm_squared()).clamp(0.0, 1.0)
    };
    let distance = |p: &Vec3| (c - *p).norm_squared();
    sides().map(on_side).min_by(|p, q| distance(p).total_cmp(&distance(q))).unwrap_or(corner(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pairs::testing::Lcg;

    /// The nearest point is on the surface, its normal leads to c, and no other is nearer: rings
    /// around it, small and large, are all farther.
    #[test]
    fn ellipsoid_from_outside_inside_and_on_its_planes() {
        let mut random = Lcg::new(15);
        let all = [vec3(1.0, 1.0, 1.0), vec3(0.3, 0.2, 0.1), vec3(0.01, 1.0, 1.0), vec3(2.0, 0.05, 0.4)];
        for radii in all {
            for k in 0..600 {
                let mut c = random.vector() * [0.1, 1.0, 5.0][k % 3];
                if k % 4 == 0 {
                    c[k / 4 % 3] = 0.0;
                }
                if k % 20 == 0 {
                    c[(k / 4 + 1) % 3] = 0.0;
                }
                let (d, m) = to_ellipsoid(c, radii);
                let x = c - m * d;
                let level = |p: Vec3| vec3(p.x / radii.x, p.y / radii.y, p.z / radii.z).norm_squared();
                assert!((level(x) - 1.0).abs() < 1e-9, "{c:?} {radii:?} {}", level(x) - 1.0);
                assert_eq!(d < 0.0, level(c) < 1.0 - 1e-12, "{c:?} {radii:?}");
                for _ in 0..20 {
                    let p = random.unit();
                    let p = p * (1.0 / level(p).sqrt());
                    assert!((c - p).norm() > d.abs() - 1e-12);
                    let near = x + random.vector() * 1e-3;
                    assert!((c - near * (1.0 / level(near).sqrt())).norm() > d.abs() - 1e-12);
                }
            }
        }
        let (d, m) = to_ellipsoid(Vec3::ZERO, vec3(0.3, 0.2, 0.4));
        assert!((d + 0.2).abs() < 1e-15 && (m.y.abs() - 1.0).abs() < 1e-15);
    }

    #[test]
    fn cone_by_hand() {
        // Slant of 3-4-5: r = 3, h = 2 · 2.
        let of = |x: f64, z: f64| to_cone(vec3(x, 0.0, z), 3.0, 2.0);
        assert_eq!(of(0.0, 3.0), (1.0, Vec3::Z));
        assert_eq!(of(1.0, -3.0), (1.0, -Vec3::Z));
        let (d, m) = of(3.0, 2.0); // foot of the slant at its middle: (1.5, 0) + …
        assert!((d - 12.0 / 5.0).abs() < 1e-14 && (m - vec3(0.8, 0.0, 0.6)).norm() < 1e-14);
        let (d, m) = of(6.0, -6.0);
        assert!((d - 5.0).abs() < 1e-14 && (m - vec3(0.6, 0.0, -0.8)).norm() < 1e-14);
        let (d, m) = of(0.0, -1.9);
        assert!((d + 0.1).abs() < 1e-14 && m == -Vec3::Z);
        let (d, m) = of(0.0, 1.0);
        assert!((d + 0.6).abs() < 1e-14 && (m - vec3(0.8, 0.0, 0.6)).norm() < 1e-14);
    }
}
