//! How far two shapes are apart, and where: the deepest point of their contact.
//!
//! Contact of all triangles within a reach finds the nearest of them if there is any; else the reach
//! is doubled, so that shapes far apart do not look at every triangle.

use crate::manifold::Manifold;
use crate::narrow::{append, collide};
use crate::pairs::surface::Scratch;
use crate::shape::Shape;
use stiction_dynamics::spatial::{Pose, Vec3};

/// Where two shapes A and B are closest, or overlap most.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distance {
    /// Signed: the length of the shortest motion that parts overlapping shapes, negative [m]. Within
    /// a billionth of the size of the smaller shape.
    pub distance: f64,
    /// The point of A in W [m].
    pub on_a: Vec3,
    /// The point of B in W [m]: `on_a + normal * distance`.
    pub on_b: Vec3,
    /// Unit, in W, from A to B.
    pub normal: Vec3,
}

/// The signed distance of `a` at X_WA and `b` at X_WB; `None` beyond `limit` [m], for two planes, and
/// for poses that are not finite.
pub fn distance(a: &Shape, X_WA: &Pose, b: &Shape, X_WB: &Pose, limit: f64) -> Option<Distance> {
    if !X_WA.is_finite() || !X_WB.is_finite() || limit.is_nan() {
        return None;
    }
    let plane = [a, b].iter().any(|s| matches!(s, Shape::Plane));
    if plane || a.is_convex() && b.is_convex() {
        let mut manifold = Manifold::new(0, 1);
        collide(a, X_WA, b, X_WB, limit.min(f64::MAX), &mut manifold);
        return deepest(&manifold);
    }
    let apart = a.aabb(X_WA, 0.0).distance(&b.aabb(X_WB, 0.0));
    let mut reach = apart + 1e-3 * a.size().min(b.size());
    let farthest = limit.min(apart + 2.0 * (a.size() + b.size()));
    let (mut scratch, mut found) = (Scratch::default(), Vec::new());
    loop {
        append((a, X_WA), (b, X_WB), (reach.min(limit), Vec3::ZERO), &mut scratch, &mut found);
        let all = found.iter().filter_map(deepest);
        match all.min_by(|p, q| p.distance.total_cmp(&q.distance)) {
            Some(nearest) => return Some(nearest),
            None if reach >= farthest => return None,
            None => reach *= 2.0,
        }
    }
}

/// True when the shapes share a point.
pub fn overlaps(a: &Shape, X_WA: &Pose, b: &Shape, X_WB: &Pose) -> bool {
    let mut manifold = Manifold::new(0, 1);
    collide(a, X_WA, b, X_WB, 0.0, &mut manifold);
    !manifold.points().is_empty()
}

fn deepest(m: &Manifold) -> Option<Distance> {
    let p = m.points().iter().min_by(|p, q| p.gap.total_cmp(&q.gap))?;
    let half = m.normal * (0.5 * p.gap);
    Some(Distance { distance: p.gap, on_a: p.position - half, on_b: p.position + half, normal: m.normal })
}
