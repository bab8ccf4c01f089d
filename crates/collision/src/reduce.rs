//! From many candidate points to few that span the contact area.
//!
//! ```text
//!     1. the deepest                       p₁
//!     2. the farthest from it              p₂ = argmax ‖p − p₁‖ − ℓ(p)
//!     3. the farthest from the segment     p₃ = argmax dist(p, [p₁ p₂]) − ℓ(p)
//!     4. the farthest outside the triangle p₄
//!     5. … 8. the farthest outside of all those before
//! ```
//!
//! all seen along the normal, with ℓ(p) = (φ(p) − φ(p₁))/τ: by tilting by τ ([`TILTS`]) p comes down as far as p₁ where
//! it is farther out by ℓ. So a foot with rounded edges rests on the corners of its sole, not on the deepest and three
//! points of the rim that hover. Where ℓ leaves none, the deepest of the others is taken that overlaps by more than rigid bodies at
//! rest do, as where surfaces yield; and then the farthest as it is. Four span the area, nearly; what leans on a corner that they leave out needs that too.
//! Resting bodies are full of ties (all corners of a face are equally deep), and rounding must not decide them: among
//! candidates that are equal within a tolerance the one with the smallest feature code wins. The tolerance on depth, a
//! part in two billion of the size of the smaller shape, is the only inexactness of a manifold's smallest gap.

use crate::manifold::{MAX_POINTS, Manifold, ManifoldPoint, SPAN};
use stiction_dynamics::spatial::Vec3;

/// Relative to the size of the smaller shape: differences of depth that do not count.
const SAME_DEPTH: f64 = 5e-10;
/// Relative to the size: points closer than this are one, and triangles thinner than this lines. Between two so close a
/// tilt of nothing is a speed that only impulses without end would hold.
const SAME_PLACE: f64 = 1e-4;
/// Relative: distances that do not count as different.
const SAME_DISTANCE: f64 = 1e-6;

/// τ, one after the other: bodies at rest tilt by less than the first in a step, and few by more than the last [rad].
const TILTS: [f64; 2] = [1e-3, 2e-2];

/// Rigid bodies at rest overlap by less [m].
const AT_REST: f64 = 2e-5;

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
    /// φ(p) − φ(p₁) of every point [m].
    lifts: [f64; N],
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
        Self { points, places, lifts: [0.0; N], merits: [0.0; N] }
    }

    fn choose(mut self, most: usize, size: f64, near: f64, out: &mut Manifold) {
        let push = |out: &mut Manifold, i: usize| out.push(self.points[i]);
        for (merit, p) in self.merits.iter_mut().zip(self.points) {
            *merit = -p.gap;
        }
        let Some(i1) = self.best(f64::NEG_INFINITY, |_| SAME_DEPTH * size) else { return };
        push(out, i1);
        let low = self.points[i1].gap + SAME_DEPTH * size;
        for (lift, p) in self.lifts.iter_mut().zip(self.points) {
            *lift = (p.gap - low).max(0.0);
        }

        let p1 = self.places[i1];
        let Some(i2) = self.farthest(near, |p| squared(minus(p, p1)).sqrt()) else { return };
        push(out, i2);

        let p2 = self.places[i2];
        let side = minus(p2, p1);
        let per_side = 1.0 / squared(side);
        let from_segment = |p| {
            let r = minus(p, p1);
            let along = (dot(r, side) * per_side).clamp(0.0, 1.0);
            squared([r[0] - side[0] * along, r[1] - side[1] * along]).sqrt()
        };
        let Some(i3) = self.farthest(near, from_segment) else { return };
        push(out, i3);

        // Outside the polygon: over one of its sides.
        let p3 = self.places[i3];
        let mut hull = Hull::new(p1, p2, p3);
        let mut left = most - 3;
        while left > 0 {
            left -= 1;
            if let Some(low) = self.farthest_by(near, &TILTS[..1], |p| hull.height(p)) {
                push(out, low);
                hull.add(self.places[low]);
            } else if most > SPAN
                && let Some(deep) = self.deepest(near, out)
            {
                push(out, deep);
                if hull.height(self.places[deep]) > 0.0 {
                    hull.add(self.places[deep]);
                }
            } else {
                let Some(next) = self.farthest(near, |p| hull.height(p)) else { return };
                push(out, next);
                hull.add(self.places[next]);
            }
        }
    }

    /// The point that is farthest out, less its ℓ, and by more than `near`; else for the larger τ; else the farthest of all.
    #[inline]
    fn farthest(&mut self, near: f64, out: impl Fn([f64; 2]) -> f64) -> Option<usize> {
        self.farthest_by(near, &TILTS, &out).or_else(|| self.farthest_by(near, &[f64::INFINITY], out))
    }

    /// The point that is farthest out, less its ℓ by the first of `tilts` for which that is more than `near`.
    #[inline]
    fn farthest_by(&mut self, near: f64, tilts: &[f64], out: impl Fn([f64; 2]) -> f64) -> Option<usize> {
        tilts.iter().find_map(|tilt| {
            let seen = self.places.iter().zip(&self.lifts).take(self.points.len());
            for (merit, (place, lift)) in self.merits.iter_mut().zip(seen) {
                *merit = out(*place) - lift * (1.0 / tilt);
            }
            self.best(near, |largest| SAME_DISTANCE * largest)
        })
    }

    /// The deepest point that overlaps by more than [`AT_REST`] and is `near` none of those in `chosen`.
    fn deepest(&self, near: f64, chosen: &Manifold) -> Option<usize> {
        let apart = |p: &ManifoldPoint| {
            let far = |q: &ManifoldPoint| (p.position - q.position).norm_squared() > near * near;
            chosen.points().iter().all(|q| p.feature != q.feature && far(q))
        };
        let deep = self.points.iter().enumerate().filter(|(_, p)| p.gap < -AT_REST && apart(p));
        Some(deep.min_by(|p, q| p.1.gap.total_cmp(&q.1.gap))?.0)
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

    /// A sole of which eight corners of a flat octagon overlap by little, and a rim a centimetre farther out hovers a
    /// millimetre above: it rests on the sole, whichever of its corners is the deepest.
    #[test]
    fn a_sole_with_rounded_edges_rests_on_its_corners() {
        let mut random = Lcg::new(3);
        for _ in 0..50 {
            let mut all = ring(8, 1e-5, &mut random);
            all.iter_mut().for_each(|p| p.position = p.position * 0.1);
            all.extend(ring(16, 1e-6, &mut random).into_iter().map(|p| ManifoldPoint {
                position: p.position * 0.11,
                gap: p.gap + 1e-3,
                feature: p.feature + 8,
            }));
            let mut out = Manifold::new(0, 1);
            reduce_to_corners(&all, 0.1, &mut out);
            let low = out.points().iter().filter(|p| p.feature < 8).count();
            assert_eq!(low, MAX_POINTS, "{:?}", out.points());
        }
    }

    /// A sole that has sunk into something soft rests on all that has sunk in, before what hovers.
    #[test]
    fn a_sunken_sole_rests_on_what_has_sunk() {
        let mut random = Lcg::new(4);
        let mut all = ring(4, 1e-6, &mut random);
        all.iter_mut().for_each(|p| (p.position, p.gap) = (p.position * 0.05, p.gap - 2e-4));
        all.extend(ring(3, 1e-6, &mut random).into_iter().map(|p| ManifoldPoint {
            position: p.position * 0.02,
            gap: p.gap - 1e-4,
            feature: p.feature + 4,
        }));
        all.extend(ring(8, 1e-6, &mut random).into_iter().map(|p| ManifoldPoint {
            position: p.position * 0.055,
            gap: p.gap + 5e-4,
            feature: p.feature + 7,
        }));
        let mut out = Manifold::new(0, 1);
        reduce_to_corners(&all, 0.1, &mut out);
        assert!(out.points()[..7].iter().all(|p| p.feature < 7), "{:?}", out.points());
        assert_eq!(out.points().len(), MAX_POINTS);
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
