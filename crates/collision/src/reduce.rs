//! From many candidate points to few that span the contact area.
//!
//! ```text
//!     1. the deepest                       p₁
//!     2. the farthest from it              p₂ = argmax ‖p − p₁‖²
//!     3. the farthest from the segment     p₃ = argmax dist(p, [p₁ p₂])²
//!     4. the farthest outside the triangle p₄
//!     5. … 8. the farthest outside of all those before
//! ```
//!
//! all seen along the normal. Four span the area, nearly; what leans on a corner that they leave out needs that too.
//! Resting bodies are full of ties (all corners of a face are equally deep), and rounding must not decide them: among
//! candidates that are equal within a tolerance the one with the smallest feature code wins. The tolerance on depth, a
//! ten-millionth of the size of the smaller shape, is the only inexactness of a manifold's smallest gap.

use crate::manifold::{MAX_POINTS, Manifold, ManifoldPoint, SPAN};
use stiction_dynamics::spatial::Vec3;

/// Relative to the size of the smaller shape: differences of depth that do not count.
const SAME_DEPTH: f64 = 1e-7;
/// Relative to the size: points closer than this are one, and triangles thinner than this lines. Between two so close a
/// tilt of nothing is a speed that only impulses without end would hold.
const SAME_PLACE: f64 = 1e-4;
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

/// The most candidates there are.
const MOST: usize = 64;

/// Appends to `out`, whose normal is set, at most [`SPAN`] of the candidates; `size` [m] is the
/// length that the tolerances refer to.
pub(crate) fn reduce(candidates: &[ManifoldPoint], size: f64, out: &mut Manifold) {
    reduce_to(SPAN, candidates, size, out);
}

/// Reduces as [`reduce`] does, but to at most [`MAX_POINTS`], all of them corners of the contact area.
pub(crate) fn reduce_to_corners(candidates: &[ManifoldPoint], size: f64, out: &mut Manifold) {
    reduce_to(MAX_POINTS, candidates, size, out);
}

fn reduce_to(most: usize, candidates: &[ManifoldPoint], size: f64, out: &mut Manifold) {
    let near = SAME_PLACE * size;
    if let [only] = candidates {
        out.push(*only);
        return;
    }
    // Four corners of a face, the common case.
    if candidates.len() <= SPAN && all_apart(candidates, out.normal, near) {
        candidates.iter().for_each(|p| out.push(*p));
        return;
    }
    // Few candidates need small buffers, which cost less to set up.
    if candidates.len() <= 8 {
        Seen::<8>::new(candidates, out.normal).choose(most, size, near, out);
    } else if candidates.len() <= 16 {
        Seen::<16>::new(candidates, out.normal).choose(most, size, near, out);
    } else {
        Seen::<MOST>::new(candidates, out.normal).choose(most, size, near, out);
    }
}

/// The candidates as seen along the normal: two coordinates each, from the first.
struct Seen<'a, const N: usize> {
    points: &'a [ManifoldPoint],
    places: [[f64; 2]; N],
    merits: [f64; N],
}

impl<'a, const N: usize> Seen<'a, N> {
    #[inline]
    fn new(points: &'a [ManifoldPoint], normal: Vec3) -> Self {
        let points = &points[..points.len().min(N)];
        let mut places = [[0.0; 2]; N];
        if let Some(first) = points.first() {
            let (t1, t2) = normal.tangents();
            for (place, p) in places.iter_mut().zip(points) {
                let r = p.position - first.position;
                *place = [t1.dot(r), t2.dot(r)];
            }
        }
        Self { points, places, merits: [0.0; N] }
    }

    fn choose(mut self, most: usize, size: f64, near: f64, out: &mut Manifold) {
        let push = |out: &mut Manifold, i: usize| out.push(self.points[i]);
        for (merit, p) in self.merits.iter_mut().zip(self.points) {
            *merit = -p.gap;
        }
        let Some(i1) = self.best(f64::NEG_INFINITY, |_| SAME_DEPTH * size) else { return };
        push(out, i1);

        let p1 = self.places[i1];
        self.rate(|p| squared(minus(p, p1)));
        let Some(i2) = self.best(near * near, |largest| SAME_DISTANCE * largest) else { return };
        push(out, i2);

        let p2 = self.places[i2];
        let side = minus(p2, p1);
        let per_side = 1.0 / squared(side);
        self.rate(|p| {
            let r = minus(p, p1);
            let along = (dot(r, side) * per_side).clamp(0.0, 1.0);
            squared([r[0] - side[0] * along, r[1] - side[1] * along])
        });
        let Some(i3) = self.best(near * near, |largest| SAME_DISTANCE * largest) else { return };
        push(out, i3);

        // Outside the polygon: over one of its sides.
        let p3 = self.places[i3];
        let mut hull = Hull::new(p1, p2, p3);
        for _ in 3..most {
            self.rate(|p| hull.height(p));
            let Some(next) = self.best(near, |largest| SAME_DISTANCE * largest) else { return };
            push(out, next);
            hull.add(self.places[next]);
        }
    }

    #[inline]
    fn rate(&mut self, merit: impl Fn([f64; 2]) -> f64) {
        for (rated, place) in self.merits.iter_mut().zip(&self.places).take(self.points.len()) {
            *rated = merit(*place);
        }
    }

    /// Among the candidates within the tolerance of the largest merit, if that exceeds `least`, the one of
    /// the smallest feature code.
    #[inline]
    fn best(&self, least: f64, tolerance: impl Fn(f64) -> f64) -> Option<usize> {
        let mut largest = f64::NEG_INFINITY;
        for merit in &self.merits[..self.points.len()] {
            largest = if *merit > largest { *merit } else { largest };
        }
        let enough = largest - tolerance(largest);
        if largest.is_nan() || largest <= least {
            return None;
        }
        let (mut best, mut lowest) = (0, u32::MAX);
        for (i, (merit, point)) in self.merits.iter().zip(self.points).enumerate() {
            if *merit >= enough && point.feature < lowest {
                (best, lowest) = (i, point.feature);
            }
        }
        Some(best)
    }
}

/// A convex polygon, counter-clockwise: corners, each with the outward normal of the side to the next.
struct Hull {
    corners: [([f64; 2], [f64; 2]); MAX_POINTS],
    len: usize,
}

impl Hull {
    fn new(p: [f64; 2], q: [f64; 2], r: [f64; 2]) -> Self {
        let (q, r) = if cross(minus(q, p), minus(r, p)) < 0.0 { (r, q) } else { (q, r) };
        let mut hull = Self { corners: [([0.0; 2], [0.0; 2]); MAX_POINTS], len: 3 };
        [p, q, r].into_iter().zip(&mut hull.corners).for_each(|(p, corner)| corner.0 = p);
        hull.find_normals();
        hull
    }

    fn find_normals(&mut self) {
        for k in 0..self.len {
            let along = minus(self.corners[(k + 1) % self.len].0, self.corners[k].0);
            let scale = 1.0 / squared(along).sqrt();
            self.corners[k].1 = [along[1] * scale, -along[0] * scale];
        }
    }

    /// Height of p over the side that it is farthest from; negative inside.
    fn height(&self, p: [f64; 2]) -> f64 {
        let over = self.corners[..self.len].iter().map(|(q, normal)| dot(minus(p, *q), *normal));
        over.fold(f64::NEG_INFINITY, f64::max)
    }

    /// Reaches p, which is outside; there is room for it.
    fn add(&mut self, p: [f64; 2]) {
        let old = self.corners;
        let n = std::mem::take(&mut self.len);
        let sees = |k: usize| dot(minus(p, old[k % n].0), old[k % n].1) > 0.0;
        let mut missing = true;
        for (k, &(corner, _)) in old[..n].iter().enumerate() {
            let (before, after) = (sees(k + n - 1), sees(k));
            // Between two sides that p sees there is no corner any more.
            let kept = (!(before && after)).then_some(corner);
            let reached = (missing && !before && after).then_some(p);
            missing &= reached.is_none();
            for corner in kept.into_iter().chain(reached) {
                self.corners[self.len].0 = corner;
                self.len += 1;
            }
        }
        self.find_normals();
    }
}

fn minus(p: [f64; 2], q: [f64; 2]) -> [f64; 2] {
    [p[0] - q[0], p[1] - q[1]]
}

fn dot(p: [f64; 2], q: [f64; 2]) -> f64 {
    p[0] * q[0] + p[1] * q[1]
}

fn squared(p: [f64; 2]) -> f64 {
    dot(p, p)
}

fn cross(p: [f64; 2], q: [f64; 2]) -> f64 {
    p[0] * q[1] - p[1] * q[0]
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

    /// First a quarter turn apart on a regular polygon, then what parts the sides of that, and the same ones whatever the
    /// rounding.
    #[test]
    fn regular_polygon_keeps_a_square_whatever_the_noise() {
        let mut random = Lcg::new(11);
        for n in [8, 12, 16, 32] {
            for _ in 0..100 {
                let mut out = Manifold::new(0, 1);
                reduce_to_corners(&ring(n, 1e-12, &mut random), 1.0, &mut out);
                let mut features: Vec<u32> = out.points().iter().map(|p| p.feature).collect();
                let n = n as u32;
                features[..SPAN].sort_unstable();
                assert_eq!(features[..SPAN], [0, n / 4, n / 2, 3 * n / 4]);
                // Of ties the lowest, side by side.
                features[SPAN..].sort_unstable();
                let part = |side: u32| (2 * side + 1) * n / 8;
                assert_eq!(features[SPAN..], [0, 1, 2, 3].map(part), "{n}");
            }
        }
    }

    #[test]
    fn points_in_one_place_are_one_and_points_on_a_line_two() {
        let p = |x: f64, gap: f64, feature| ManifoldPoint { position: vec3(x, 0.0, 0.0), gap, feature };
        let mut out = Manifold::new(0, 1);
        reduce(&[p(0.0, 0.0, 3), p(1e-9, 0.0, 1), p(0.0, 0.0, 2)], 1.0, &mut out);
        assert_eq!(out.points().len(), 1);
        for (apart, points) in [(0.5 * SAME_PLACE, 1), (2.0 * SAME_PLACE, 2)] {
            out.clear();
            reduce(&[p(0.0, 0.0, 1), p(3.0 * apart, 1e-6, 2)], 3.0, &mut out);
            assert_eq!(out.points().len(), points, "{apart}");
        }
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
