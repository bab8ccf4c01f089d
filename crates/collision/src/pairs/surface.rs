//! A surface (a mesh or a height field) and anything else: contacts of triangles to manifolds.
//!
//! Every triangle that the box of the other body meets may touch it ([`super::tile`]). Then
//!
//! ```text
//!     1. a contact that overlaps is dropped when its triangle, or all of it that is touched, lies
//!        behind the plane of a contact that overlaps less: once that is resolved, it is gone. For
//!        a convex mesh this leaves the separating axis theorem; of a thin plate it leaves the
//!        nearer side.                                                                     (1)
//!     2. contacts with normals within 5° of the deepest are one patch, then the next deepest
//!     3. a patch is reduced to four points
//! ```
//!
//! A body without such a contact may be deep in the surface. It then goes back through the triangle
//! that it crosses least; inside a solid it is pushed out at the point of the surface nearest to its
//! centre; of a body that is a surface itself, all vertices inside are.
//!
//! Solids have one side, shells two: the one on which the centre of the other body is.

use super::tile::{Hit, Meeting};
use crate::facet::Facet;
use crate::frame::Frame;
use crate::manifold::{Manifold, ManifoldPoint};
use crate::mesh::box_of;
use crate::patch::{SIXTEENTHS, face_code, pair_code, vertex_code};
use crate::reduce::reduce;
use crate::shape::Shape;
use crate::support::{Piece, Support, Tile};
use crate::surface::Surface;
use std::cell::Cell;
use stiction_dynamics::spatial::{Pose, Quat, Vec3};

/// Cosine of 5°.
const SAME_PATCH: f64 = 0.996_194_698;
/// Relative to the size: differences of depth that do not decide.
const SAME_DEPTH: f64 = 1e-7;
/// Relative to the size: what counts as behind a plane, and as less overlap.
const BEHIND: f64 = 1e-8;
/// Relative to the size: points of one name closer than this are one.
const SAME_POINT: f64 = 1e-3;
/// Relative to the size: gaps up to which bodies are taken to touch.
const OVERLAP: f64 = 1e-6;
/// Planes that (1) looks behind, those of the least overlap.
const PLANES: usize = 64;
/// Relative to the size: vertices this much above the lowest may rest on a plane after a step.
const LOWEST: f64 = 0.05;

/// Memory for a contact of surfaces; it carries nothing from call to call.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    hits: Vec<Hit>,
    points: Vec<ManifoldPoint>,
    order: Vec<usize>,
    planes: Vec<Hit>,
    patch: Vec<ManifoldPoint>,
    /// Some triangle overlaps the other body along an axis that it does not admit.
    lost: bool,
}

/// Appends the manifolds of the surface `a` and the shape `b`, a surface or not, to `out`; their
/// normals lead from A to B.
pub(crate) fn collide(
    (a, X_WA): (&Shape, &Pose),
    (b, X_WB): (&Shape, &Pose),
    (margin, gravity): (f64, Vec3),
    scratch: &mut Scratch,
    out: &mut Vec<Manifold>,
) {
    let Some(surface) = Surface::of(a) else { return };
    let (A, B) = (Frame::under(X_WA, gravity), Frame::under(X_WB, gravity));
    let X_AB = X_WA.inverse() * *X_WB;
    let slack = OVERLAP * a.size().min(b.size());
    for thorough in [false, true] {
        scratch.hits.clear();
        scratch.points.clear();
        scratch.lost = false;
        if let Some(other) = Surface::of(b) {
            let within = a.aabb(&X_AB.inverse(), margin);
            other.touching(&within, &mut |j| {
                let facet = other.facet(j);
                let bounds = box_of(facet.corners.map(|p| X_AB.transform(p))).grown(margin);
                let first = scratch.hits.len();
                surface.touching(&bounds, &mut |i| {
                    scratch.tiles((surface, i, &A), (other, j, &B), margin, thorough);
                });
                scratch.drop_what_is_behind(first, BEHIND * facet.size());
            });
        } else {
            let bounds = b.aabb(&X_AB, margin);
            surface.touching(&bounds, &mut |i| {
                let facet = facing(surface, i, &A, B.point(b.center()));
                scratch.touch(Meeting {
                    tile: Tile { facet, surface },
                    A: &A,
                    b,
                    B: &B,
                    margin,
                    thorough,
                    lost: Cell::default(),
                });
            });
            scratch.drop_what_is_behind(0, BEHIND * b.size());
        }
        if !scratch.lost || scratch.touch_within(slack, false) {
            break;
        }
    }
    let touch = scratch.touch_within(slack, true);
    if !touch && Surface::of(b).is_none() {
        scratch.rescue((surface, &A), (b, &B), &X_AB);
    }
    if !touch && Surface::of(b).is_some() {
        scratch.vertices_inside(a, &A, b, &B, 1.0);
        scratch.vertices_inside(b, &B, a, &A, -1.0);
    }
    scratch.manifolds(a.size().min(b.size()), out);
}

/// Triangle i, of a shell the side that faces the point `c` in W.
fn facing(surface: Surface<'_>, i: usize, A: &Frame, c: Vec3) -> Facet {
    let facet = surface.facet(i);
    let behind = facet.normal.dot(A.inverse_point(c) - facet.corners[0]) < 0.0;
    if behind && !surface.is_solid() { facet.turned() } else { facet }
}

impl Scratch {
    fn touch<P: Piece>(&mut self, meeting: Meeting<'_, P>) {
        let hit = meeting.touch(&mut self.points);
        self.lost |= meeting.lost.get();
        self.hits.extend(hit);
    }

    /// True where bodies touch or overlap, up to a gap [m]; whether contacts with the normal of a face that stands for another count.
    fn touch_within(&self, gap: f64, lost: bool) -> bool {
        self.hits.iter().any(|h| h.end > h.start && h.separation <= gap && (lost || !h.lost))
    }

    /// Two triangles; of shells the sides that face each other.
    fn tiles(
        &mut self,
        a: (Surface<'_>, usize, &Frame),
        b: (Surface<'_>, usize, &Frame),
        margin: f64,
        thorough: bool,
    ) {
        let ((surface_a, i, A), (surface_b, j, B)) = (a, b);
        let mut facet_b = surface_b.facet(j);
        let facet_a = facing(surface_a, i, A, B.point(facet_b.center()));
        if !surface_b.is_solid() {
            facet_b = facing(surface_b, j, B, A.point(facet_a.center()));
        }
        let (tile, piece) =
            (Tile { facet: facet_a, surface: surface_a }, Tile { facet: facet_b, surface: surface_b });
        self.touch(Meeting { tile, A, b: &piece, B, margin, thorough, lost: Cell::default() });
    }

    /// A convex body that overlaps the surface, but nowhere as bodies do that have just met: it goes
    /// back through the triangle that it crosses least, or out of the solid that it is inside of.
    fn rescue(&mut self, (surface, A): (Surface<'_>, &Frame), (b, B): (&Shape, &Frame), X_AB: &Pose) {
        let mut least: Option<(Vec3, f64, Vec3)> = None;
        let c = B.point(b.center());
        surface.touching(&b.aabb(X_AB, 0.0), &mut |i| {
            let tile = Tile { facet: facing(surface, i, A, c), surface };
            if let Some(found) =
                (Meeting { tile, A, b, B, margin: 0.0, thorough: false, lost: Cell::default() }).crossed()
                && least.is_none_or(|l| found.1 > l.1)
            {
                least = Some(found);
            }
        });
        match least {
            Some((n, depth, p)) => self.single(n, depth, p, pair_code(face_code(0), face_code(0))),
            None if self.hits.is_empty() && surface.is_solid() => self.sunk(surface, A, b, B),
            None => {}
        }
    }

    /// A convex body inside the solid `surface`.
    fn sunk(&mut self, surface: Surface<'_>, A: &Frame, b: &Shape, B: &Frame) {
        let c = A.inverse_point(B.point(b.center()));
        if !surface.contains(c) {
            return;
        }
        if let Some((d, m)) = surface.distance(c, f64::INFINITY) {
            let (n, out) = (A.direction(m), A.point(c - m * d));
            let farthest = B.point(b.support(B.inverse_direction(-n)));
            let gap = n.dot(farthest - out);
            self.single(n, gap, farthest - n * (0.5 * gap), pair_code(face_code(0), face_code(0)));
        }
    }

    /// The vertices of the surface `b` inside the solid `a`, each pushed to the nearest way out.
    /// `sign`: 1 when the normals of the contact lead from a to b.
    fn vertices_inside(&mut self, a: &Shape, A: &Frame, b: &Shape, B: &Frame, sign: f64) {
        let (Some(solid), Some(other)) = (Surface::of(a), Surface::of(b)) else { return };
        let X_BA = Pose::new(Quat::from_matrix(&(B.R.transpose() * A.R)), B.inverse_point(A.origin));
        let within = a.aabb(&X_BA, 0.0);
        other.vertices(&|bounds| bounds.overlaps(&within), &mut |v, p| {
            let c = A.inverse_point(B.point(p));
            if !within.contains(p) || !solid.contains(c) {
                return;
            }
            if let Some((d, m)) = solid.distance(c, f64::INFINITY) {
                let short = (v ^ v >> 14 ^ v >> 28) as usize;
                let code = pair_code(face_code(0), vertex_code(short));
                let name = if sign > 0.0 { code } else { code.rotate_left(16) };
                self.single(A.direction(m) * sign, d, A.point(c - m * (0.5 * d)), name);
            }
        });
    }

    /// A contact of one point.
    fn single(&mut self, normal: Vec3, gap: f64, position: Vec3, feature: u32) {
        let start = self.points.len();
        self.points.push(ManifoldPoint { position, gap, feature });
        let level = normal.dot(position);
        self.hits.push(Hit {
            normal,
            separation: gap,
            lost: false,
            corners: [position; 3],
            level,
            start,
            end: start + 1,
        });
    }

    /// (1), among the contacts with one convex piece: those from `first` on.
    fn drop_what_is_behind(&mut self, first: usize, tolerance: f64) {
        let Self { hits, points, order, planes, .. } = self;
        let hits = &mut hits[first..];
        order.clear();
        order.extend(0..hits.len());
        order.sort_unstable_by(|i, j| hits[*j].separation.total_cmp(&hits[*i].separation).then(i.cmp(j)));
        planes.clear();
        for hit in order.iter().map(|i| hits[*i]) {
            let same =
                |p: &Hit| p.normal.dot(hit.normal) > 1.0 - 1e-12 && (p.level - hit.level).abs() <= tolerance;
            if planes.len() < PLANES && !planes.iter().any(same) {
                planes.push(hit);
            }
        }
        for hit in hits {
            let behind = |plane: &Hit| {
                let height = |p: Vec3| plane.normal.dot(p) - plane.level;
                // The point of the surface, from the one midway to the other body.
                let touched = |p: &ManifoldPoint| height(p.position - hit.normal * (0.5 * p.gap));
                hit.corners.iter().all(|p| height(*p) <= tolerance)
                    || points[hit.start..hit.end].iter().all(|p| touched(p) < -tolerance)
            };
            let mut less = planes.iter().take_while(|p| p.separation > hit.separation + tolerance);
            if hit.separation < 0.0 && less.any(behind) {
                hit.end = hit.start;
            }
        }
    }

    /// Steps 2 and 3.
    fn manifolds(&mut self, size: f64, out: &mut Vec<Manifold>) {
        let Self { hits, points, order, patch, .. } = self;
        let first = out.len();
        let points_of = |hit: &Hit| &points[hit.start..hit.end];
        let deepest = |hit: &Hit| points_of(hit).iter().map(|p| p.gap).fold(f64::INFINITY, f64::min);
        let name = |hit: &Hit| points_of(hit).iter().map(|p| p.feature).min();
        order.clear();
        order.extend((0..hits.len()).filter(|i| hits[*i].end > hits[*i].start));
        while !order.is_empty() {
            let least = order.iter().map(|i| deepest(&hits[*i])).fold(f64::INFINITY, f64::min);
            // Rounding must not decide between equals: the smallest name does.
            let among = order.iter().filter(|i| deepest(&hits[**i]) <= least + SAME_DEPTH * size);
            let Some(seed) = among.min_by_key(|i| name(&hits[**i])).map(|i| hits[*i]) else { return };
            patch.clear();
            order.retain(|i| {
                let same = hits[*i].normal.dot(seed.normal) >= SAME_PATCH;
                if same {
                    patch.extend(points_of(&hits[*i]));
                }
                !same
            });
            // Neighbours share corners and edges: one point each.
            patch.sort_unstable_by(|p, q| p.feature.cmp(&q.feature).then(p.gap.total_cmp(&q.gap)));
            patch.dedup_by(|q, p| {
                q.feature == p.feature && (q.position - p.position).norm() < SAME_POINT * size
            });
            let mut manifold = Manifold::new(0, 1);
            manifold.normal = seed.normal;
            reduce(patch, size, &mut manifold);
            out.push(manifold);
        }
        tell_apart(&mut out[first..]);
    }
}

/// No two points of the pair have one name: shortened numbers may agree.
fn tell_apart(manifolds: &mut [Manifold]) {
    manifolds.sort_unstable_by_key(|m| m.points().iter().map(|p| p.feature).min());
    for k in 0..manifolds.len() {
        let (before, rest) = manifolds.split_at_mut(k);
        let taken = |feature: u32| before.iter().any(|m| m.points().iter().any(|p| p.feature == feature));
        let points = rest[0].points_mut();
        for i in 0..points.len() {
            while taken(points[i].feature) || points[..i].iter().any(|p| p.feature == points[i].feature) {
                points[i].feature = points[i].feature.wrapping_add(1);
            }
        }
    }
}

/// Vertices that are considered before only the outermost are.
const VERTICES: usize = 40;

/// A half-space with the normal n through `origin`, both in W, and a surface: the vertices not much
/// higher than the lowest.
pub(crate) fn on_plane(n: Vec3, origin: Vec3, b: &Shape, B: &Frame, margin: f64, out: &mut Manifold) {
    let Some(surface) = Surface::of(b) else { return };
    let up = B.inverse_direction(n);
    let level = n.dot(B.origin - origin);
    let lowest = up.dot(b.support(-up)) + level;
    if lowest > margin {
        return;
    }
    let limit = margin.min(lowest + LOWEST * b.size());
    let low = |visit: &mut dyn FnMut(u32, Vec3, f64)| {
        surface.vertices(&|bounds| up.dot(bounds.support(-up)) + level <= limit, &mut |v, p| {
            let gap = up.dot(p) + level;
            if gap <= limit {
                visit(v, p, gap);
            }
        });
    };
    let point = |v: u32, p: Vec3, gap: f64| {
        let short = (v ^ v >> 14 ^ v >> 28) as usize;
        let position = B.point(p) - n * (0.5 * gap);
        ManifoldPoint { position, gap, feature: pair_code(face_code(0), vertex_code(short)) }
    };
    let mut kept: [(u32, ManifoldPoint); VERTICES] = [(0, ManifoldPoint::default()); VERTICES];
    let (mut count, mut too_many) = (0, false);
    let mut keep = |v: u32, p: Vec3, gap: f64, count: &mut usize| {
        if kept[..*count].iter().all(|k| k.0 != v) {
            match kept.get_mut(*count) {
                Some(place) => *place = (v, point(v, p, gap)),
                None => return true,
            }
            *count += 1;
        }
        false
    };
    low(&mut |v, p, gap| too_many |= keep(v, p, gap, &mut count));
    if too_many {
        // The lowest, and the outermost in each of sixteen directions.
        count = 0;
        let (t1, t2) = up.tangents();
        let merits = SIXTEENTHS.iter().map(|(c, s)| t1 * *c + t2 * *s).chain([-up]);
        for d in merits {
            let mut best: Option<(f64, u32, Vec3, f64)> = None;
            low(&mut |v, p, gap| {
                let merit = p.dot(d);
                if best.is_none_or(|(most, w, ..)| merit > most || merit == most && v < w) {
                    best = Some((merit, v, p, gap));
                }
            });
            if let Some((_, v, p, gap)) = best {
                keep(v, p, gap, &mut count);
            }
        }
    }
    let mut points = [ManifoldPoint::default(); VERTICES];
    points.iter_mut().zip(&kept[..count]).for_each(|(p, k)| *p = k.1);
    out.normal = n;
    reduce(&points[..count], b.size(), out);
    tell_apart(std::slice::from_mut(out));
}

#[cfg(test)]
mod tests;
