//! Two capsules: the closest points of two segments, in closed form.
//!
//! On the lines p₁ + s u and p₂ + t v (s, t ∈ [−1, 1] on the segments) the distance is least at
//!
//! ```text
//!     s = clamp((b f − c e) / (a e − b²)),   t = (b s + f) / e,             (1)
//!     a = u·u, e = v·v, b = u·v, c = u·r, f = v·r, r = p₁ − p₂
//! ```
//!
//! with t clamped and s recomputed where t leaves its segment [Ericson2005, 5.1.9].

use super::meet::{Closest, meet, meet_in_a_point, share_a_stretch};
use crate::frame::Frame;
use crate::manifold::Manifold;
use crate::patch::{Patch, capsule_axis};
use stiction_dynamics::spatial::Vec3;

/// A and B are capsules; sizes as (radius, half length) [m].
pub(crate) fn capsules((A, B): (&Frame, &Frame), sizes: [(f64, f64); 2], margin: f64, out: &mut Manifold) {
    let [(r_a, l_a), (r_b, l_b)] = sizes;
    let (u, v) = (A.axis() * l_a, B.axis() * l_b);
    let (on_a, on_b) = closest_on_segments(A.origin, u, B.origin, v);
    let apart = on_b - on_a;
    let distance = apart.norm();
    if distance > margin + r_a + r_b {
        return;
    }
    let normal = apart.normalized().unwrap_or_else(|| across(u, v, B.origin - A.origin));
    let closest = Closest { normal, distance, middle: Some((on_a + on_b) * 0.5) };
    if !share_a_stretch(u, v, normal) {
        return meet_in_a_point(closest, [on_a, on_b], (r_a, r_b), margin, out);
    }
    let patch_a: Patch<2> = capsule_axis(r_a, A.origin, u, normal);
    let patch_b: Patch<2> = capsule_axis(r_b, B.origin, v, -normal);
    let size = (r_a + l_a).min(r_b + l_b);
    meet::<2, 4>(&patch_a, &patch_b, (r_a, r_b), (closest, || on_a), size, margin, out);
}

/// A normal for axes that meet: at right angles to both, on the side of the other's centre.
fn across(u: Vec3, v: Vec3, between: Vec3) -> Vec3 {
    let n = u.cross(v).normalized().unwrap_or_else(|| u.normalized().unwrap_or(Vec3::X).tangents().0);
    if n.dot(between) < 0.0 { -n } else { n }
}

/// The closest points of two segments, by their middles and from there to an end: (1).
pub(crate) fn closest_on_segments(p1: Vec3, u: Vec3, p2: Vec3, v: Vec3) -> (Vec3, Vec3) {
    let r = p1 - p2;
    let (a, e, b) = (u.norm_squared(), v.norm_squared(), u.dot(v));
    let (c, f) = (u.dot(r), v.dot(r));
    let denominator = a * e - b * b;
    // Parallel lines: any s will do, the middle of A does.
    let s = if denominator > 1e-14 * a * e { ((b * f - c * e) / denominator).clamp(-1.0, 1.0) } else { 0.0 };
    let t = (b * s + f) / e;
    let clamped = t.clamp(-1.0, 1.0);
    let s = if t == clamped { s } else { ((b * clamped - c) / a).clamp(-1.0, 1.0) };
    (p1 + u * s, p2 + v * clamped)
}
