//! The narrow phase: which function is in charge of a pair.
//!
//! The pair is first put in a canonical order (by kind, then size, then place), so that ties are
//! broken the same way whichever shape comes first: the result of (B, A) is that of (A, B) with
//! the normal flipped, to the last bit.

use crate::frame::Frame;
use crate::manifold::Manifold;
use crate::pairs::surface::Scratch;
use crate::pairs::{
    boxes::boxes,
    capsule::capsules,
    general,
    plane::plane,
    sphere::{sphere, spheres},
    surface,
};
use crate::segments::closest_on_segments;
use crate::shape::Shape;
use std::cmp::Ordering;
use stiction_dynamics::spatial::{Pose, Vec3};

/// Shapes this share of their sizes and the margin farther apart than that are so whatever rounding does [–].
const SURELY: f64 = 1e-6;

/// Appends to `out` all manifolds of `a` at X_WA and `b` at X_WB: one for two convex shapes, for
/// meshes and height fields one for every part of the contact that has a normal of its own. None
/// without points. The indices in them are 0 and 1.
///
/// As [`collide`] otherwise.
pub fn collide_all(a: &Shape, X_WA: &Pose, b: &Shape, X_WB: &Pose, margin: f64, out: &mut Vec<Manifold>) {
    append((a, X_WA), (b, X_WB), (margin, Vec3::ZERO), &mut Scratch::default(), out);
}

/// [`collide_all`] under an acceleration of gravity in W [m/s²], with the memory it needs.
pub(crate) fn append(
    a: (&Shape, &Pose),
    b: (&Shape, &Pose),
    (margin, gravity): (f64, Vec3),
    scratch: &mut Scratch,
    out: &mut Vec<Manifold>,
) {
    if are_apart(a, b, margin) {
        return;
    }
    let first = out.len();
    if a.0.is_convex() && b.0.is_convex() || [a.0, b.0].iter().any(|s| matches!(s, Shape::Plane)) {
        // Where it will be: it is large.
        out.resize(first + 1, Manifold::new(0, 1));
        collide_under(gravity, a, b, margin, &mut out[first]);
        if out[first].points().is_empty() {
            out.pop();
        }
    } else if a.1.is_finite() && b.1.is_finite() {
        // The surface of the higher rank lends the triangles.
        if in_order(a.0, a.1, b.0, b.1) {
            surface::collide(b, a, (margin, gravity), scratch, out);
            out[first..].iter_mut().for_each(Manifold::flip);
        } else {
            surface::collide(a, b, (margin, gravity), scratch, out);
        }
    }
}

/// Fills `out` with the contact of `a` at X_WA and `b` at X_WB: the normal from A to B and every
/// point whose gap is at most `margin` [m], reduced to [`crate::MAX_POINTS`]. No points when the
/// shapes are farther apart, when both are planes, and when a pose is not finite.
///
/// Meshes and height fields may touch in several places with several normals: this is then the
/// manifold that is deepest, and [`collide_all`] has them all.
///
/// The shapes must be valid ([`Shape::validate`]). `out.a` and `out.b` are left alone.
pub fn collide(a: &Shape, X_WA: &Pose, b: &Shape, X_WB: &Pose, margin: f64, out: &mut Manifold) {
    collide_under(Vec3::ZERO, (a, X_WA), (b, X_WB), margin, out);
}

/// [`collide`] under an acceleration of gravity in W [m/s²].
fn collide_under(
    gravity: Vec3,
    (a, X_WA): (&Shape, &Pose),
    (b, X_WB): (&Shape, &Pose),
    margin: f64,
    out: &mut Manifold,
) {
    out.clear();
    if !X_WA.is_finite() || !X_WB.is_finite() || far_apart(a, X_WA, b, X_WB, margin) {
        return;
    }
    if let (Shape::Sphere { radius: r_a }, Shape::Sphere { radius: r_b }) = (a, b)
        && spheres([X_WA.translation, X_WB.translation], [*r_a, *r_b], margin, out)
    {
        return;
    }
    let surfaces = !a.is_convex() || !b.is_convex();
    if surfaces && ![a, b].iter().any(|s| matches!(s, Shape::Plane)) {
        let mut all = Vec::new();
        append((a, X_WA), (b, X_WB), (margin, gravity), &mut Scratch::default(), &mut all);
        let depth = |m: &Manifold| m.deepest().unwrap_or(f64::INFINITY);
        if let Some(deepest) = all.iter().min_by(|m, n| depth(m).total_cmp(&depth(n))) {
            let pair = (out.a, out.b);
            *out = *deepest;
            (out.a, out.b) = pair;
        }
    } else if in_order(a, X_WA, b, X_WB) {
        ordered(a, &Frame::under(X_WA, gravity), b, &Frame::under(X_WB, gravity), margin, out);
    } else {
        ordered(b, &Frame::under(X_WB, gravity), a, &Frame::under(X_WA, gravity), margin, out);
        out.flip();
    }
}

/// True if round shapes, or one and a plane, are surely farther apart than the margin; of others nothing is said.
fn are_apart(a: (&Shape, &Pose), b: (&Shape, &Pose), margin: f64) -> bool {
    let (p, q) = match (Round::new(a), Round::new(b)) {
        (Some(p), Some(q)) => (p, q),
        (Some(p), None) if matches!(b.0, Shape::Plane) => return p.is_over(b.1, margin),
        (None, Some(q)) if matches!(a.0, Shape::Plane) => return q.is_over(a.1, margin),
        _ => return false,
    };
    let reach = p.radius + q.radius + margin;
    let between = |(x, y): (Vec3, Vec3)| (y - x).norm_squared();
    let apart = match (p.reach, q.reach) {
        (Some(u), Some(v)) => between(closest_on_segments(p.center, u, q.center, v)),
        (Some(u), None) => between((p.center + u * along(u, q.center - p.center), q.center)),
        (None, Some(v)) => between((p.center, q.center + v * along(v, p.center - q.center))),
        (None, None) => between((p.center, q.center)),
    };
    reach >= 0.0 && apart > reach * reach * (1.0 + SURELY)
}

/// Where between −1 and 1 the point x is nearest to the segment from −u to u.
fn along(u: Vec3, x: Vec3) -> f64 {
    (u.dot(x) / u.norm_squared()).clamp(-1.0, 1.0)
}

/// A ball or a capsule.
struct Round {
    center: Vec3,
    /// From the centre to an end.
    reach: Option<Vec3>,
    radius: f64,
}

impl Round {
    fn new((shape, X_WG): (&Shape, &Pose)) -> Option<Self> {
        let (reach, radius) = match shape {
            Shape::Sphere { radius } => (None, *radius),
            Shape::Capsule { radius, half_length } => {
                (Some(X_WG.rotation.rotate(Vec3::Z) * *half_length), *radius)
            }
            _ => return None,
        };
        Some(Self { center: X_WG.translation, reach, radius })
    }

    /// Higher over a plane than the margin.
    fn is_over(&self, plane: &Pose, margin: f64) -> bool {
        let n = plane.rotation.rotate(Vec3::Z);
        let (height, reach) =
            (n.dot(self.center - plane.translation), self.reach.map_or(0.0, |u| n.dot(u).abs()));
        height - reach - self.radius - margin > SURELY * (reach + self.radius + margin)
    }
}

/// The spheres around both are farther apart than the margin; with room for rounding.
fn far_apart(a: &Shape, X_WA: &Pose, b: &Shape, X_WB: &Pose, margin: f64) -> bool {
    let reach = a.bounding_radius() + b.bounding_radius() + margin;
    (X_WB.translation - X_WA.translation).norm_squared() > reach * reach * (1.0 + 1e-12)
}

/// Kinds in the order of [`rank`].
fn ordered(a: &Shape, A: &Frame, b: &Shape, B: &Frame, margin: f64, out: &mut Manifold) {
    match (a, b) {
        (_, Shape::HeightField(_) | Shape::Mesh(_)) if !matches!(a, Shape::Plane) => {}
        (Shape::Plane, _) => plane(A, b, B, margin, out),
        (Shape::Sphere { radius }, _) => sphere(a, *radius, A, b, B, margin, out),
        (
            Shape::Capsule { radius: r_a, half_length: l_a },
            Shape::Capsule { radius: r_b, half_length: l_b },
        ) => capsules((A, B), [(*r_a, *l_a), (*r_b, *l_b)], margin, out),
        (Shape::Box { half: a_half }, Shape::Box { half: b_half }) => {
            boxes((a, A), (b, B), (*a_half, *b_half), margin, out)
        }
        _ => general::collide(a, A, b, B, margin, out),
    }
}

/// Simple kinds before complex ones; those that may be segments before those that are not.
fn rank(shape: &Shape) -> u8 {
    match shape {
        Shape::Plane => 0,
        Shape::Sphere { .. } => 1,
        Shape::Ellipsoid { .. } => 2,
        Shape::Capsule { .. } => 3,
        Shape::Cylinder { .. } => 4,
        Shape::Cone { .. } => 5,
        Shape::Box { .. } => 6,
        Shape::Convex(_) => 7,
        Shape::HeightField(_) => 8,
        Shape::Mesh(_) => 9,
    }
}

fn in_order(a: &Shape, X_WA: &Pose, b: &Shape, X_WB: &Pose) -> bool {
    // The larger first: the ground under a box is the one whose face lends its normal.
    let by_shape = rank(a).cmp(&rank(b)).then_with(|| b.bounding_radius().total_cmp(&a.bounding_radius()));
    by_shape.then_with(|| by_place(X_WA, X_WB)).is_le()
}

/// Shapes of one size: the one on the negative side of the direction in which they are farthest
/// apart, which for stacked bodies is not up to rounding; then by orientation.
fn by_place(X_WA: &Pose, X_WB: &Pose) -> Ordering {
    let d: Vec3 = X_WB.translation - X_WA.translation;
    let size = [d.z.abs(), d.y.abs(), d.x.abs()];
    let farthest = if size[0] >= size[1] && size[0] >= size[2] {
        d.z
    } else if size[1] >= size[2] {
        d.y
    } else {
        d.x
    };
    let turns = || {
        let (p, q) = (X_WA.rotation.to_array(), X_WB.rotation.to_array());
        p.iter().zip(&q).map(|(p, q)| p.total_cmp(q)).find(|o| o.is_ne()).unwrap_or(Ordering::Equal)
    };
    0.0_f64.partial_cmp(&farthest).unwrap_or(Ordering::Equal).then_with(turns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pairs::testing::Lcg;

    /// Shapes found to be surely apart have no contact, and little else is taken for near.
    #[test]
    fn what_is_surely_apart_does_not_touch() {
        let shapes = [
            Shape::Plane,
            Shape::Sphere { radius: 0.2 },
            Shape::Capsule { radius: 0.1, half_length: 0.5 },
            Shape::Capsule { radius: 0.05, half_length: 0.2 },
        ];
        let (mut random, mut apart, mut missed) = (Lcg::new(3), 0, 0);
        for k in 0..4000 {
            let (a, b) = (&shapes[k % 4], &shapes[1 + k / 4 % 3]);
            let (p, q) = (random.pose(0.6), random.pose(0.6));
            let mut found = Manifold::new(0, 1);
            collide(a, &p, b, &q, 0.01, &mut found);
            let touch = !found.points().is_empty();
            for surely in [are_apart((a, &p), (b, &q), 0.01), are_apart((b, &q), (a, &p), 0.01)] {
                assert!(!(surely && touch), "{a:?} {p:?} {b:?} {q:?}");
                apart += usize::from(surely);
                missed += usize::from(!surely && !touch);
            }
        }
        assert!(apart > 1000 && missed == 0, "{apart} {missed}");
    }
}
