//! One triangle of a surface and one convex piece: where they touch, and along which normal.
//!
//! Let s(n) be how far the piece B is separated from the triangle T along the unit vector n, and N
//! the normals that T admits (see [`crate::facet`]). The contact normal is
//!
//! ```text
//!     n = argmax { s(n) : n ∈ N }                                                 (1)
//! ```
//!
//! The face is tried first: its normal is right where a point of B over T attains s(n), and is the
//! only one where no edge of T sticks out. Else GJK finds the axis, and if N does not hold it the
//! best of the face normal and of what the edges admit takes its place; where that leaves no contact, the best axis of N
//! along which features of T and B meet. Points of the overlap that
//! lie on a seam within a plane are left out: the corners of the plane and of B are enough.

use super::axis::best;
use super::meet::{SLACK, common};
use super::refine::{Refined, each_meeting};
use super::witness::middle_of;
use crate::facet::Feature;
use crate::frame::Frame;
use crate::frame::UPRIGHT;
use crate::manifold::ManifoldPoint;
use crate::patch::{CORNERS, face_code, pair_code};
use crate::reduce::Candidates;
use crate::support::{Piece, Support, Tile};
use std::cell::Cell;
use stiction_dynamics::spatial::Vec3;

/// Depth, relative to the size of the piece, up to which a face that explains the contact is
/// believed without asking GJK.
const SHALLOW: f64 = 1e-6;
/// A normal this close (sine) to that of a face is a candidate for being it.
const SNAP: f64 = 1e-2;

type Points = Candidates<{ 2 * CORNERS }>;

/// The contact of a triangle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hit {
    /// Unit, in W, from the surface to the piece.
    pub(crate) normal: Vec3,
    /// s(n) [m], the rounding of the piece taken off.
    pub(crate) separation: f64,
    /// The normal of the face stands for one that N does not hold.
    pub(crate) lost: bool,
    /// The corners of the triangle in W [m], and the height of the highest along the normal.
    pub(crate) corners: [Vec3; 3],
    pub(crate) level: f64,
    /// Points of the hit: `points[start..end]` of the list they were added to.
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// A triangle of A and a piece of B, in W.
pub(crate) struct Meeting<'a, P> {
    pub(crate) tile: Tile<'a>,
    pub(crate) A: &'a Frame,
    pub(crate) b: &'a P,
    pub(crate) B: &'a Frame,
    /// The largest gap wanted [m].
    pub(crate) margin: f64,
    /// All elements that may meet are tried where the best axis is not in N: the corner of a surface that meets an edge, a
    /// rim or a corner has none of its own.
    pub(crate) thorough: bool,
    /// The two overlap along an axis that is not in N.
    pub(crate) lost: Cell<bool>,
}

impl<P: Piece> Meeting<'_, P> {
    /// Contact of the tile and B, its points appended to `points`; `None` when they do not touch.
    pub(crate) fn touch(&self, points: &mut Vec<ManifoldPoint>) -> Option<Hit> {
        let facet = &self.tile.facet;
        let corners = facet.corners.map(|p| self.A.point(p));
        let (n, r) = (self.A.direction(facet.normal), self.b.rounding());
        let level = n.dot(corners[0]);
        let height = self.lowest(n) - level;
        let highest = -self.lowest(-n) - level;
        if height > self.margin + r || highest + r <= 0.0 || self.beside(&corners, n) {
            return None;
        }
        let hit =
            |normal: Vec3, separation: f64, lost: bool, found: &Points, points: &mut Vec<ManifoldPoint>| {
                let start = points.len();
                points.extend(found.points());
                let level = corners.iter().map(|p| normal.dot(*p)).fold(f64::NEG_INFINITY, f64::max);
                let end = points.len();
                (end > start).then_some(Hit { normal, separation, lost, corners, level, start, end })
            };
        let face = if self.b.admits(self.B, -n) { self.on_face(n, height) } else { Points::new() };
        let explained = face.deepest() - (height - r) <= SLACK * self.size();
        if explained && height - r > -SHALLOW * self.b.size() || !facet.sticks_out() {
            return hit(n, height - r, false, &self.named(&face), points);
        }
        let (normal, feature) = self.axis(n, face.points().is_empty())?;
        if feature == Feature::Face {
            return hit(n, height - r, !explained, &self.named(&face), points);
        }
        let s = self.along(normal);
        if s > self.margin + r {
            return None;
        }
        let found = self.on_feature(normal, s, feature);
        hit(normal, s - r, false, &self.named(&found), points)
    }

    /// The normal of the face, how deep B is behind it (negative), and the point midway, when B and
    /// the triangle share a point.
    pub(crate) fn crossed(&self) -> Option<(Vec3, f64, Vec3)> {
        let facet = &self.tile.facet;
        let corners = facet.corners.map(|p| self.A.point(p));
        let (n, r) = (self.A.direction(facet.normal), self.b.rounding());
        let (level, lowest) = (n.dot(corners[0]), self.lowest(n));
        let depth = lowest - level - r;
        if depth >= 0.0 || -self.lowest(-n) - level + r <= 0.0 || self.beside(&corners, n) {
            return None;
        }
        let crossed = best((facet, self.A), (self.b, self.B), r, None, |_| Some(n))
            .is_some_and(|axis| axis.distance < r - SLACK * self.size());
        let p = self.B.point(self.b.core_support(self.B.inverse_direction(-n)));
        crossed.then(|| (n, depth, p - n * (r + 0.5 * depth)))
    }

    /// min { n·x : x ∈ B, without its rounding }.
    #[inline]
    fn lowest(&self, n: Vec3) -> f64 {
        n.dot(self.B.point(self.b.core_support(self.B.inverse_direction(-n))))
    }

    /// s(n), roundings not taken off.
    fn along(&self, n: Vec3) -> f64 {
        let p = self.A.point(self.tile.facet.core_support(self.A.inverse_direction(n)));
        self.lowest(n) - n.dot(p)
    }

    fn size(&self) -> f64 {
        self.tile.size().min(self.b.size())
    }

    /// True when B is beyond a plane through an edge of T, at right angles to it.
    fn beside(&self, corners: &[Vec3; 3], n: Vec3) -> bool {
        let limit = self.margin + self.b.rounding();
        (0..3).any(|k| {
            let (p, e) = (corners[k], corners[(k + 1) % 3] - corners[k]);
            let outward = e.cross(n);
            self.lowest(outward) - outward.dot(p) > limit * e.norm()
        })
    }

    /// Points of B over the triangle, along its normal.
    fn on_face(&self, n: Vec3, height: f64) -> Points {
        let r = self.b.rounding();
        let patch = self.b.patch(self.B, -n);
        let tile = self.tile.patch_of(self.A, Feature::Face, n);
        let mut found = Points::new();
        common(&tile, &patch, (0.0, r), n, self.size(), self.margin, &mut found);
        // A face that lies level has no lowest point.
        let level = patch.corners().len() > 2 && patch.normal.cross(n).norm() < UPRIGHT;
        if found.points().is_empty() && !level && height - r <= self.margin {
            // A point, or a face seen edge on: the lowest point, if it is over the triangle.
            let p = self.B.point(self.b.core_support(self.B.inverse_direction(-n)));
            let c = tile.corners();
            let inside = |k: usize| {
                let e = c[(k + 1) % 3].p - c[k].p;
                e.cross(p - c[k].p).dot(n) >= -SLACK * self.size() * e.norm()
            };
            if (0..3).all(inside) {
                let name = patch.corners().first().map_or(patch.face, |c| c.vertex);
                found.push(p - n * (0.5 * (height + r)), height - r, pair_code(face_code(0), name));
            }
        }
        found.raise(height - r);
        found
    }

    /// (1) and the feature of the triangle it is on. `None` when they are apart, or nothing is left.
    fn axis(&self, face: Vec3, bare: bool) -> Option<(Vec3, Feature)> {
        let limit = self.margin + self.b.rounding();
        let admitted = |n: Vec3| {
            let (feature, fine) = self.tile.feature(self.A.inverse_direction(n));
            (fine && self.b.admits(self.B, -n)).then_some(feature)
        };
        let Refined { normal: axis, distance, proven, .. } =
            best((&self.tile.facet, self.A), (self.b, self.B), limit, None, |_| Some(face))?;
        let doubtful = !proven && distance < 0.0;
        let mut chosen: Option<(Vec3, Feature)> = None;
        let mut most = f64::NEG_INFINITY;
        let mut consider = |chosen: &mut Option<_>, found: (Vec3, Feature), slack: f64| {
            let s = self.along(found.0);
            if s > most + slack {
                (*chosen, most) = (Some(found), s);
            }
        };
        let tie = 1e-12 * self.b.size();
        if let Some(feature) = admitted(axis) {
            consider(&mut chosen, (axis, feature), -tie);
        }
        let near = axis.cross(face).norm() < SNAP && axis.dot(face) > 0.0;
        let lost = doubtful || chosen.is_none();
        self.lost.set(lost && distance <= self.b.rounding() + SHALLOW * self.b.size());
        if !bare && (near || lost) {
            consider(&mut chosen, (face, Feature::Face), -tie);
        }
        if lost && self.thorough {
            let edges = (0..3).filter_map(|k| self.tile.facet.across_edge(k, self.A.inverse_direction(axis)));
            for start in edges.map(|n| self.A.direction(n)).chain([axis, face]) {
                each_meeting((&self.tile.facet, self.A), (self.b, self.B), start, &mut |n| {
                    if let Some(feature) = admitted(n) {
                        consider(&mut chosen, (n, feature), tie);
                    }
                });
            }
        } else if lost {
            let n = self.A.inverse_direction(axis);
            for k in 0..3 {
                if let Some(across) = self.tile.facet.across_edge(k, n).map(|n| self.A.direction(n))
                    && self.b.admits(self.B, -across)
                {
                    consider(&mut chosen, (across, Feature::Edge(k)), tie);
                }
            }
        }
        chosen
    }

    /// Points of B over an edge or a vertex, or the closest points if they are none of these.
    fn on_feature(&self, n: Vec3, s: f64, feature: Feature) -> Points {
        let r = self.b.rounding();
        let (tile, patch) = (self.tile.patch_of(self.A, feature, n), self.b.patch(self.B, -n));
        let mut found = Points::new();
        common(&tile, &patch, (0.0, r), n, self.size(), self.margin, &mut found);
        found.raise(s - r);
        if found.deepest() - (s - r) > SLACK * self.size() {
            let origin = self.A.origin;
            let (A, B) = (self.A.from(origin), self.B.from(origin));
            let part = |_| self.tile.facet.part(&A, feature);
            let (apart, middle) = middle_of(part, (self.b, &B), n, (self.tile.size(), self.b.size()));
            if apart <= SLACK * self.size() {
                found.push(origin + middle - n * (0.5 * r), s - r, pair_code(tile.face, patch.face));
            }
        }
        found
    }

    /// The points with lasting names, without those on seams.
    fn named(&self, found: &Points) -> Points {
        let mut named = Points::new();
        for p in found.points() {
            let (a, b) = ((p.feature >> 16) as u16, p.feature as u16);
            if let (Some(a), Some(b)) = (self.tile.name(a), self.b.name(b)) {
                named.push(p.position, p.gap, pair_code(a, b));
            }
        }
        named
    }
}
