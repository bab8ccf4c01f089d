//! From many candidate points to at most four that span the contact area.
//!
//! ```text
//!     1. the deepest                       p₁
//!     2. the farthest from it              p₂ = argmax ‖p − p₁‖²
//!     3. the farthest from the segment     p₃ = argmax dist(p, [p₁ p₂])²
//!     4. the farthest outside the triangle p₄
//! ```
//!
//! all seen along the normal. Resting bodies are full of ties (all corners of a face are equally
//! deep), and rounding must not decide them: among candidates that are equal within a tolerance
//! the one with the smallest feature code wins. The tolerance on depth, a ten-millionth of the
//! size of the smaller shape, is the only inexactness of a manifold's smallest gap.

use crate::manifold::{MAX_POINTS, Manifold, ManifoldPoint};
use stiction_dynamics::spatial::Vec3;

/// Relative to the size of the smaller shape: differences of depth that do not count.
const SAME_DEPTH: f64 = 1e-7;
/// Relative to the size: points closer than this are one, and triangles thinner than this lines.
const SAME_PLACE: f64 = 1e-5;
/// Relative: distances that do not count as different.
const SAME_DISTANCE: f64 = 1e-6;

/// A list of at most N candidates.
pub(crate) struct Candidates<const N: usize> {
    points: [ManifoldPoint; N],
    len: usize,
}

impl<const N: usize> Candidates<N> {
    #[inline]
    pub(crate) fn new() -> Self {
        Self { points: [ManifoldPoint { position: Vec3::ZERO, gap: 0.0, feature: 0 }; N], len: 0 }
    }

    /// Adds a point; one beyond the N is dropped.
    #[inline]
    pub(crate) fn push(&mut self, position: Vec3, gap: f64, feature: u32) {
        if self.len < N {
            self.points[self.len] = ManifoldPoint { position, gap, feature };
            self.len += 1;
        }
    }

    #[inline]
    pub(crate) fn points(&self) -> &[ManifoldPoint] {
        &self.points[..self.len]
    }

    /// Exchanges A and B in the feature codes.
    pub(crate) fn flip(&mut self) {
        for p in &mut self.points[..self.len] {
            p.feature = p.feature.rotate_left(16);
        }
    }

    /// Raises every gap to `least` at least.
    pub(crate) fn raise(&mut self, least: f64) {
        for p in &mut self.points[..self.len] {
            p.gap = p.gap.max(least);
        }
    }

    /// The smallest gap; infinite without points.
    #[inline]
    pub(crate) fn deepest(&self) -> f64 {
        self.points().iter().map(|p| p.gap).fold(f64::INFINITY, f64::min)
    }
}

/// Appends to `out`, whose normal is set, at most four of the candidates; `size` [m] is the
/// length that the tolerances refer to.
pub(crate) fn reduce(candidates: &[ManifoldPoint], size: f64, out: &mut Manifold) {
    let near = SAME_PLACE * size;
    let n = out.normal;
    let flat = |v: Vec3| v - n * n.dot(v);
    if let [only] = candidates {
        out.push(*only);
        return;
    }
    // Four corners of a face, the common case.
    if candidates.len() <= MAX_POINTS && all_apart(candidates, n, near) {
        candidates.iter().for_each(|p| out.push(*p));
        return;
    }

    let shallowest_first = |p: &ManifoldPoint| -p.gap;
    let Some(p1) = best(candidates, SAME_DEPTH * size, shallowest_first) else { return };
    out.push(p1);

    let from_p1 = |p: &ManifoldPoint| flat(p.position - p1.position).norm_squared();
    let Some(p2) = farthest(candidates, near * near, from_p1) else { return };
    out.push(p2);

    let side = flat(p2.position - p1.position);
    let along = side * (1.0 / side.norm_squared());
    let from_segment = |p: &ManifoldPoint| {
        let r = flat(p.position - p1.position);
        (r - side * r.dot(along).clamp(0.0, 1.0)).norm_squared()
    };
    let Some(p3) = farthest(candidates, near * near, from_segment) else { return };
    out.push(p3);

    // The sides of the triangle: a corner and the outward normal.
    let corners = [p1.position, p2.position, p3.position];
    let sides = [0, 1, 2].map(|k| {
        let (p, q, opposite) = (corners[k], corners[(k + 1) % 3], corners[(k + 2) % 3]);
        let across = n.cross(q - p);
        let outward = if across.dot(opposite - p) > 0.0 { -across } else { across };
        (p, outward * (1.0 / across.norm()))
    });
    let outside = |p: &ManifoldPoint| {
        sides
            .iter()
            .map(|(corner, outward)| outward.dot(p.position - *corner))
            .fold(f64::NEG_INFINITY, f64::max)
    };
    if let Some(p4) = farthest(candidates, near, outside) {
        out.push(p4);
    }
}

/// The candidate of the largest distance, if that exceeds `least`.
fn farthest(
    candidates: &[ManifoldPoint],
    least: f64,
    distance: impl Fn(&ManifoldPoint) -> f64,
) -> Option<ManifoldPoint> {
    let largest = candidates.iter().map(&distance).fold(f64::NEG_INFINITY, f64::max);
    if largest > least { best(candidates, SAME_DISTANCE * largest, distance) } else { None }
}

/// Among the candidates within `tolerance` of the largest merit, the smallest feature code.
fn best(
    candidates: &[ManifoldPoint],
    tolerance: f64,
    merit: impl Fn(&ManifoldPoint) -> f64,
) -> Option<ManifoldPoint> {
    let largest = candidates.iter().map(&merit).fold(f64::NEG_INFINITY, f64::max);
    candidates.iter().filter(|p| merit(p) >= largest - tolerance).min_by_key(|p| p.feature).copied()
}

fn all_apart(points: &[ManifoldPoint], n: Vec3, near: f64) -> bool {
    let apart = |p: &ManifoldPoint, q: &ManifoldPoint| {
        let d = p.position - q.position;
        d.norm_squared() - n.dot(d) * n.dot(d) > near * near
    };
    points.iter().enumerate().all(|(i, p)| points[..i].iter().all(|q| apart(p, q)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pairs::testing::Lcg;
    use std::f64::consts::TAU;
    use stiction_dynamics::spatial::vec3;

    fn ring(n: usize, noise: f64, random: &mut Lcg) -> Vec<ManifoldPoint> {
        let at = |i: usize| TAU * i as f64 / n as f64;
        (0..n)
            .map(|i| ManifoldPoint {
                position: vec3(at(i).cos(), at(i).sin(), 0.0) + random.vector() * noise,
                gap: noise * random.symmetric(),
                feature: i as u32,
            })
            .collect()
    }

    /// A quarter turn apart on a regular polygon, and the same ones whatever the rounding.
    #[test]
    fn regular_polygon_keeps_a_square_whatever_the_noise() {
        let mut random = Lcg::new(11);
        for n in [8, 12, 16, 32] {
            for _ in 0..100 {
                let mut out = Manifold::new(0, 1);
                reduce(&ring(n, 1e-12, &mut random), 1.0, &mut out);
                let mut features: Vec<u32> = out.points().iter().map(|p| p.feature).collect();
                features.sort_unstable();
                let n = n as u32;
                assert_eq!(features, [0, n / 4, n / 2, 3 * n / 4]);
            }
        }
    }

    #[test]
    fn points_in_one_place_are_one_and_points_on_a_line_two() {
        let p = |x: f64, gap: f64, feature| ManifoldPoint { position: vec3(x, 0.0, 0.0), gap, feature };
        let mut out = Manifold::new(0, 1);
        reduce(&[p(0.0, 0.0, 3), p(1e-9, 0.0, 1), p(0.0, 0.0, 2)], 1.0, &mut out);
        assert_eq!(out.points().len(), 1);
        out.clear();
        reduce(
            &[p(0.0, 0.0, 1), p(1.0, 0.0, 2), p(0.5, 0.0, 3), p(0.7, 0.0, 4), p(0.2, 0.0, 5)],
            1.0,
            &mut out,
        );
        assert_eq!(out.points().iter().map(|p| p.feature).collect::<Vec<_>>(), [1, 2]);
        // Those above each other are one as well, and the deepest in the middle keeps both ends.
        out.clear();
        reduce(
            &[p(0.0, 0.0, 1), p(1.0, 0.0, 2), p(0.5, -0.1, 3), p(0.7, 0.0, 4), p(0.2, 0.0, 5)],
            1.0,
            &mut out,
        );
        assert_eq!(out.points().len(), 3);
    }
}
