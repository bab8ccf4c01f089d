//! Seams: contacts of one body with several geometries that are rigidly joined to each other.
//!
//! The narrow phase judges every pair of geometries alone. Where tiles A₁ and A₂ lie flush beside each other it reports
//! the side wall of A₂ to whatever slides over from A₁ a rounding error below the top: a ghost, as are the inner edges
//! of a mesh (see [`crate::facet`]). Here the contacts of a geometry B with all geometries A_j of one rigid group are
//! judged together, as contacts with their union. A contact with A_j of normal m, that touches the feature F of A_j (the
//! corners, edge or face farthest along m), is a ghost
//!
//! ```text
//!     behind     if F and all that is touched of it lies behind the plane of the contact with another A_i, of normal n,
//!                n·x ≤ max { n·y : y touched of A_i } + ε, and that one is no ghost itself: B is in front of the
//!                plane, and F is not. Of two contacts behind each other the nearer is real              (1)
//!     covered    if it overlaps and, where it touches, another A_i lies in front of the surface of A_j: B cannot leave
//!                through an inner face                                                                   (2)
//! ```
//!
//! with ε = [`FLUSH`]: a step up to ε high is none, a higher one stops what hits it. (1) wants the contact with A_i to be
//! as near as [`NEAR`], or A_i next to what is touched ([`BRIDGED`]): what flies may come down in a wide gap. A ghost is
//! replaced by the contact along the best normal that A_j has left (see [`replacement`]): n itself where all of A_j is
//! behind the plane, else that of a face of A_j in front of all planes. It has no points where B is not over A_j.
//!
//! The result is a pure function of the poses; geometries that B does not meet shield nothing. Where no geometry has
//! rigid neighbours there is nothing to do, elsewhere the cost is that of sorting the manifolds.

mod along;
mod ghost;
mod groups;
mod replacement;

pub(crate) use groups::rigid_groups;
pub(crate) use replacement::each_face;

use crate::collider::Collider;
use crate::frame::Frame;
use crate::manifold::Manifold;
use crate::shape::Shape;
use stiction_dynamics::spatial::{Pose, Vec3};

/// ε: how far tops of neighbours may be apart to count as flush, and not more than [`SHARE_FLUSH`] of the size of B
/// [m]. The stepper lets bodies rest so deep in each other.
pub(crate) const FLUSH: f64 = 1e-5;
/// B lies on a surface that is so near, whatever is beside it, and not more than [`SHARE_NEAR`] of the size of B [m].
const NEAR: f64 = 1e-3;
/// Gaps between neighbours that B does not get into, with the same share [m].
pub(crate) const BRIDGED: f64 = 2e-3;
const SHARE_FLUSH: f64 = 1e-3;
const SHARE_NEAR: f64 = 0.05;
/// Normals that differ by less are the same, squared [–].
pub(crate) const SAME_NORMAL: f64 = 1e-12;

/// Which geometries are joined rigidly, and scratch.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seams {
    /// Per collider: the number of its rigid group.
    groups: Vec<u32>,
    /// Per collider: nothing else is in its group.
    alone: Vec<bool>,
    /// Of the last query, sorted: (group, the geometry that meets it, index of the manifold as it was found).
    meetings: Vec<(u32, u32, u32)>,
    bench: Bench,
}

/// Scratch of the judge.
#[derive(Clone, Debug, Default)]
struct Bench {
    run: Vec<Touch>,
    /// Row j, column i: contact j of the run is behind contact i.
    behind: Vec<bool>,
    /// Per contact of the run, as far as it is known: it is real, no ghost.
    verdicts: Vec<Option<bool>>,
    /// The real ones.
    front: Vec<Touch>,
}

/// A contact of B as seen from A_j, a geometry of the group.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Touch {
    /// Index of the manifold.
    index: usize,
    /// Index of the geometry A_j.
    geometry: usize,
    /// Unit, in W, from A_j to B.
    normal: Vec3,
    /// The smallest gap [m].
    gap: f64,
    /// Height along the normal of what is touched of A_j [m].
    level: f64,
}

impl Touch {
    /// The contact of a manifold that has points, from the side of `geometry`.
    fn new(index: usize, geometry: usize, m: &Manifold) -> Self {
        let mut touch =
            Self { index, geometry, normal: m.normal, gap: f64::INFINITY, level: f64::NEG_INFINITY };
        if m.b == geometry {
            touch.normal = -m.normal;
        }
        for p in m.points() {
            touch.gap = touch.gap.min(p.gap);
            touch.level = touch.level.max(touch.normal.dot(p.position) - 0.5 * p.gap);
        }
        touch
    }

    /// Where it touches A_j, in W.
    fn on_group(self, m: &Manifold) -> impl Iterator<Item = Vec3> + Clone + '_ {
        m.points().iter().map(move |p| p.position - self.normal * (0.5 * p.gap))
    }

    /// Where it touches B, in W.
    fn on_other(self, m: &Manifold) -> impl Iterator<Item = Vec3> + Clone + '_ {
        m.points().iter().map(move |p| p.position + self.normal * (0.5 * p.gap))
    }
}

/// What the judges of one run need of the world.
#[derive(Clone, Copy)]
pub(crate) struct Scene<'a> {
    colliders: &'a [Collider],
    poses: &'a [Pose],
    margins: &'a [f64],
    /// Index of B.
    other: usize,
    /// ε, [`NEAR`] and [`BRIDGED`] for a body of that size [m].
    flush: f64,
    near: f64,
    bridged: f64,
}

impl<'a> Scene<'a> {
    fn new(colliders: &'a [Collider], poses: &'a [Pose], margins: &'a [f64], other: usize) -> Self {
        let size = colliders[other].shape.size();
        Self {
            colliders,
            poses,
            margins,
            other,
            flush: FLUSH.min(SHARE_FLUSH * size),
            near: NEAR.min(SHARE_NEAR * size),
            bridged: BRIDGED.min(SHARE_NEAR * size),
        }
    }

    fn shape(&self, geometry: usize) -> &'a Shape {
        &self.colliders[geometry].shape
    }

    fn frame(&self, geometry: usize) -> Frame {
        Frame::new(&self.poses[geometry])
    }

    fn margin(&self, geometry: usize) -> f64 {
        self.margins[geometry] + self.margins[self.other]
    }
}

impl Seams {
    /// Colliders that are rigidly joined have the same number in `groups`.
    pub(crate) fn new(groups: Vec<u32>) -> Self {
        let mut sorted = groups.clone();
        sorted.sort_unstable();
        let members = |g: u32| sorted.partition_point(|x| *x <= g) - sorted.partition_point(|x| *x < g);
        let alone = groups.iter().map(|g| members(*g) == 1).collect();
        Self { groups, alone, ..Self::default() }
    }

    /// True when two colliders are of one rigid group.
    pub(crate) fn are_joined(&self, i: usize, j: usize) -> bool {
        self.groups[i] == self.groups[j]
    }

    /// True when in the last query one of two colliders was near the rigid group of the other.
    pub(crate) fn may_pass(&self, i: usize, j: usize) -> bool {
        let met = |a: usize, b: usize| {
            let key = (self.groups[a], b as u32);
            self.meetings.binary_search_by(|m| (m.0, m.1).cmp(&key)).is_ok()
        };
        met(i, j) || met(j, i)
    }

    /// Replaces or removes the ghosts among the manifolds of one query, sorted by (a, b).
    pub(crate) fn judge(
        &mut self,
        colliders: &[Collider],
        poses: &[Pose],
        margins: &[f64],
        manifolds: &mut Vec<Manifold>,
    ) {
        let Self { groups, alone, meetings, bench } = self;
        meetings.clear();
        for (k, m) in manifolds.iter().enumerate() {
            for (mine, other) in [(m.a, m.b), (m.b, m.a)] {
                // All contacts with a plane have its normal.
                if !alone[mine] && !matches!(colliders[other].shape, Shape::Plane) {
                    meetings.push((groups[mine], other as u32, k as u32));
                }
            }
        }
        if meetings.len() < 2 {
            return;
        }
        meetings.sort_unstable();
        let mut emptied = false;
        for group in meetings.chunk_by(|p, q| (p.0, p.1) == (q.0, q.1)) {
            let other = group[0].1 as usize;
            let first = &manifolds[group[0].2 as usize];
            let turned = |m: &Manifold| if m.b == other { m.normal } else { -m.normal };
            let n = turned(first);
            let differs = |m: &Manifold| (turned(m) - n).norm_squared() > SAME_NORMAL;
            if group.iter().all(|g| !differs(&manifolds[g.2 as usize])) {
                continue;
            }
            let run = &mut bench.run;
            run.clear();
            for &(_, _, k) in group {
                let m = &manifolds[k as usize];
                if !m.points().is_empty() {
                    run.push(Touch::new(k as usize, if m.b == other { m.a } else { m.b }, m));
                }
            }
            if run.iter().any(|t| t.geometry != run[0].geometry) {
                let scene = Scene::new(colliders, poses, margins, other);
                emptied |= judge_run(&scene, bench, manifolds);
            }
        }
        if emptied {
            manifolds.retain(|m| !m.points().is_empty());
        }
    }
}

/// Judges the contacts of B with one group; true when some have no points left.
fn judge_run(scene: &Scene<'_>, bench: &mut Bench, manifolds: &mut [Manifold]) -> bool {
    let Bench { run, behind, verdicts, front } = bench;
    let mut emptied = false;
    // (2), all against the contacts as they were found.
    for k in 0..run.len() {
        let covered = scene.is_covered(&run[k], &manifolds[run[k].index], run);
        if covered {
            emptied |= scene.replace(&run[k], &run[..0], run, &mut manifolds[run[k].index]);
        }
    }
    run.retain(|t| !manifolds[t.index].points().is_empty());
    for t in run.iter_mut() {
        *t = Touch::new(t.index, t.geometry, &manifolds[t.index]);
    }
    // (1), the nearest first.
    run.sort_unstable_by(|p, q| p.gap.total_cmp(&q.gap).then(p.index.cmp(&q.index)));
    let n = run.len();
    behind.clear();
    for (j, i) in (0..n * n).map(|k| (k / n, k % n)) {
        behind.push(scene.is_behind(&run[j], &manifolds[run[j].index], &run[i]));
    }
    verdicts.clear();
    verdicts.resize(n, None);
    while verdicts.contains(&None) {
        let mut found = false;
        for j in 0..n {
            // One that may be a ghost itself does not count; of two behind each other the nearer is real.
            let open = |i: usize| verdicts[i].is_none() && behind[j * n + i] && !behind[i * n + j];
            if verdicts[j].is_none() && !(0..n).any(open) {
                found = true;
                accept(j, behind, verdicts);
            }
        }
        if let Some(first) = verdicts.iter().position(Option::is_none).filter(|_| !found) {
            accept(first, behind, verdicts);
        }
    }
    front.clear();
    front.extend((0..n).filter(|&j| verdicts[j] == Some(true)).map(|j| run[j]));
    for j in (0..n).filter(|&j| verdicts[j] == Some(false)) {
        emptied |= scene.replace(&run[j], front, run, &mut manifolds[run[j].index]);
    }
    emptied
}

/// Contact j is real, and what is behind it is not.
fn accept(j: usize, behind: &[bool], verdicts: &mut [Option<bool>]) {
    let n = verdicts.len();
    verdicts[j] = Some(true);
    for (k, verdict) in verdicts.iter_mut().enumerate() {
        if behind[k * n + j] {
            verdict.get_or_insert(false);
        }
    }
}

#[cfg(test)]
mod tests;
