//! Two capsules: the closest points of two segments, in closed form.
//!
//! See [`crate::segments`].

use super::meet::{Closest, meet, meet_in_a_point, share_a_stretch};
use crate::frame::Frame;
use crate::manifold::Manifold;
use crate::patch::{Patch, capsule_axis};
use crate::segments::closest_on_segments;
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
