//! The closest points of two segments.
//!
//! On the lines p₁ + s u and p₂ + t v (s, t ∈ [−1, 1] on the segments) the distance is least at
//!
//! ```text
//!     s = clamp((b f − c e) / (a e − b²)),   t = (b s + f) / e,             (1)
//!     a = u·u, e = v·v, b = u·v, c = u·r, f = v·r, r = p₁ − p₂
//! ```
//!
//! with t clamped and s recomputed where t leaves its segment [Ericson2005, 5.1.9].

use stiction_dynamics::spatial::Vec3;

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
