//! A constant set of colliders, asked again and again which of them touch.
//!
//! Two colliders may meet unless they have one owner, both owners are fixed, their parts are an
//! excluded pair, or their bits do not match; pairs that are named may meet in spite of the last two. The boxes of
//! bounded shapes, somewhat grown, go through a tree, or where there are few, pair by pair of those that may meet; those
//! that are near are kept, and asked by their boxes as they are, until a shape leaves its grown box [Verlet1967]. Planes,
//! which have no bounds, are compared with the bounding sphere of every other shape.

use crate::aabb::Aabb;
use crate::broad::Bvh;
use crate::collider::Collider;
use crate::error::ShapeError;
use crate::impact::{Moving, Way};
use crate::manifold::Manifold;
use crate::narrow::append;
use crate::pairs::surface::Scratch;
use crate::seams::{Seams, rigid_groups};
use crate::shape::Shape;
use stiction_dynamics::spatial::{Pose, Vec3, vec3};

/// Constant colliders and the scratch of the broad phase.
#[derive(Clone, Debug)]
pub struct CollisionWorld {
    colliders: Vec<Collider>,
    filter: Filter,
    seams: Seams,
    /// Indices of the planes, and of the others.
    planes: Vec<usize>,
    bounded: Vec<usize>,
    /// Plane by plane, the colliders it may meet.
    meets_plane: Vec<bool>,
    /// Per collider [m].
    bounding_radius: Vec<f64>,
    /// Colliders of `bounded` that queries look at: all, or those that do not rest.
    awake: Vec<usize>,
    /// Per collider: it rests.
    resting: Vec<bool>,
    /// The others of `bounded`, where they rest.
    rest: Bvh,
    /// Colliders of `awake` that do not move, which are not compared with one another.
    still: Bvh,
    /// Pairs of `bounded` of which one at least does not rest, if there are few: sorted, and only those that may meet.
    listed: Option<Vec<[u32; 2]>>,
    /// Per collider; of those that rest from when they fell asleep.
    boxes: Vec<Aabb>,
    /// Per collider of `awake`: while all are in these, `near` has all pairs whose boxes overlap.
    grown: Vec<Aabb>,
    /// How far the middles of the boxes have come since the query before [m].
    moved: Vec<Vec3>,
    near: Vec<[u32; 2]>,
    // Scratch, overwritten by every query.
    bvh: Bvh,
    pairs: Vec<(usize, usize)>,
    scratch: Scratch,
}

/// Bounded shapes whose pairs are listed, at most: a tree costs as much as some sixty pairs each.
const LISTED: usize = 64;
/// Boxes are grown by this share of the smallest half side [–], and by so many queries' way, but no more than half sides.
const GROWTH: f64 = 0.1;
const AHEAD: f64 = 10.0;

/// The empty box.
const NOWHERE: Aabb = Aabb { min: splat(f64::INFINITY), max: splat(f64::NEG_INFINITY) };

const fn splat(x: f64) -> Vec3 {
    vec3(x, x, x)
}

/// Who may meet whom.
#[derive(Clone, Debug)]
struct Filter {
    /// Per collider: the part of its owner that it is, for exclusions.
    parts: Vec<usize>,
    /// Pairs of parts, the smaller first, sorted.
    excluded: Vec<(usize, usize)>,
    /// Per collider: its owner does not move.
    fixed: Vec<bool>,
    /// Pairs of colliders, the smaller first, sorted, that need neither bits nor parts that may meet.
    named: Vec<(usize, usize)>,
}

impl Filter {
    fn allows(&self, colliders: &[Collider], i: usize, j: usize) -> bool {
        let (a, b) = (&colliders[i], &colliders[j]);
        let bits = a.group & b.mask != 0 || b.group & a.mask != 0;
        let (one, two) = (self.parts[i], self.parts[j]);
        let parts = (one.min(two), one.max(two));
        let excluded = !self.excluded.is_empty() && self.excluded.binary_search(&parts).is_ok();
        a.owner != b.owner
            && !(self.fixed[i] && self.fixed[j])
            && (bits && !excluded || self.named.binary_search(&(i.min(j), i.max(j))).is_ok())
    }
}

/// Pairs, the smaller first, each once and in order.
fn sorted(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let mut pairs: Vec<_> = pairs.iter().map(|(a, b)| (*a.min(b), *a.max(b))).collect();
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

impl CollisionWorld {
    /// Colliders of the `excluded` pairs of owners (in either order) never meet, nor do those of
    /// two owners that are `fixed`. Err names the collider whose shape is not valid.
    pub fn new(
        colliders: Vec<Collider>,
        excluded: &[(usize, usize)],
        fixed: impl Fn(usize) -> bool,
    ) -> Result<Self, ShapeError> {
        for (index, collider) in colliders.iter().enumerate() {
            let named = |source| ShapeError::Collider { index, source: Box::new(source) };
            collider.shape.validate().map_err(named)?;
        }
        let (excluded, parts) = (sorted(excluded), colliders.iter().map(|c| c.owner).collect());
        let is_plane = |i: &usize| matches!(colliders[*i].shape, Shape::Plane);
        let (planes, bounded): (Vec<usize>, Vec<usize>) = (0..colliders.len()).partition(is_plane);
        let fixed: Vec<bool> = colliders.iter().map(|c| fixed(c.owner)).collect();
        let mut world = Self {
            seams: Seams::default(),
            filter: Filter { parts, excluded, fixed, named: Vec::new() },
            planes,
            meets_plane: Vec::new(),
            awake: Vec::clone(&bounded),
            listed: (bounded.len() <= LISTED).then(Vec::new),
            bounded,
            resting: vec![false; colliders.len()],
            rest: Bvh::default(),
            still: Bvh::default(),
            boxes: vec![NOWHERE; colliders.len()],
            grown: vec![NOWHERE; colliders.len()],
            moved: vec![Vec3::ZERO; colliders.len()],
            near: Vec::new(),
            bounding_radius: colliders.iter().map(|c| c.shape.bounding_radius()).collect(),
            bvh: Bvh::default(),
            pairs: Vec::new(),
            scratch: Scratch::default(),
            colliders,
        };
        world.list_pairs();
        Ok(world.with_joined([]))
    }

    /// The same where the two owners of each pair move as one body. Colliders of one owner, of owners that are joined,
    /// and of all fixed ones are rigid groups: their contacts with another collider are judged together, so that
    /// nothing stumbles over the seams of what is flush (to 1e-5 m).
    pub fn with_joined(mut self, pairs: impl IntoIterator<Item = (usize, usize)>) -> Self {
        self.seams = Seams::new(rigid_groups(&self.colliders, &self.filter.fixed, pairs));
        self
    }

    /// A copy whose colliders are the `parts` of their owners, one for each: those of `excluded` pairs of parts (in
    /// either order) never meet, instead of pairs of owners.
    pub fn with_parts(mut self, parts: Vec<usize>, excluded: &[(usize, usize)]) -> Self {
        (self.filter.parts, self.filter.excluded) = (parts, sorted(excluded));
        self.list_pairs();
        self
    }

    /// A copy with `pairs` of colliders (in either order) that may meet whatever their bits, and though
    /// their parts are excluded.
    pub fn with_pairs(mut self, pairs: impl IntoIterator<Item = (usize, usize)>) -> Self {
        self.filter.named = pairs.into_iter().map(|(a, b)| (a.min(b), a.max(b))).collect();
        self.filter.named.sort_unstable();
        self.list_pairs();
        self
    }

    /// Lists the pairs again; none are known to be near.
    fn list_pairs(&mut self) {
        let Self { colliders, filter, planes, bounded, meets_plane, resting, listed, grown, near, .. } = self;
        grown.fill(NOWHERE);
        near.clear();
        meets_plane.clear();
        for &p in &*planes {
            meets_plane.extend((0..colliders.len()).map(|i| filter.allows(colliders, p, i)));
        }
        let Some(listed) = listed else { return };
        listed.clear();
        for (k, &i) in bounded.iter().enumerate() {
            let partners = bounded[k + 1..].iter().filter(|&&j| !(resting[i] && resting[j]));
            let partners = partners.filter(|&&j| filter.allows(colliders, i, j));
            listed.extend(partners.map(|&j| [i as u32, j as u32]));
        }
    }

    /// The colliders, in the order given.
    pub fn colliders(&self) -> &[Collider] {
        &self.colliders
    }

    /// The pairs (a, b), a < b, that the last query looked at, sorted: all that are near, touching or not.
    pub fn near(&self) -> &[(usize, usize)] {
        &self.pairs
    }

    /// Whether the colliders i and j ever meet, wherever they are.
    pub fn may_meet(&self, i: usize, j: usize) -> bool {
        self.filter.allows(&self.colliders, i, j)
    }

    /// Whether the colliders i and j are rigidly joined.
    pub(crate) fn are_joined(&self, i: usize, j: usize) -> bool {
        self.seams.are_joined(i, j)
    }

    /// All contacts at the poses X_WG, one per collider, sorted by (a, b); of meshes and height
    /// fields several manifolds may have one (a, b). `margins` [m], one per
    /// collider: a pair is reported within the sum of its two. Manifolds without points are left
    /// out. Level caps of cylinders and cones have a point where `gravity` in W [m/s²] points, because a body that tips
    /// leans on it. `out` is overwritten; nothing is allocated once it and the scratch have grown.
    pub fn query(&mut self, poses: &[Pose], margins: &[f64], gravity: Vec3, out: &mut Vec<Manifold>) {
        assert_eq!(poses.len(), self.colliders.len(), "one pose per collider");
        assert_eq!(margins.len(), self.colliders.len(), "one margin per collider");
        self.find_pairs(poses, margins);
        out.clear();
        for &(a, b) in &self.pairs {
            let first = out.len();
            let of = |i: usize| (&self.colliders[i].shape, &poses[i]);
            append(of(a), of(b), (margins[a] + margins[b], gravity), &mut self.scratch, out);
            out[first..].iter_mut().for_each(|m| (m.a, m.b) = (a, b));
        }
        self.seams.judge(&self.colliders, poses, margins, out);
    }

    /// Calls `visit` with every pair (a, b), a < b, of bounded colliders that may meet on their ways, one per collider, and of which
    /// one is `fast`; and whether in the last query one of them was near the rigid group of the other: it may then be as deep
    /// in it as flush neighbours differ in height, 1e-5 m.
    pub fn sweep(
        &mut self,
        ways: &[Way],
        fast: &[bool],
        mut visit: impl FnMut((usize, &Moving), (usize, &Moving), bool),
    ) {
        let Self { colliders, filter, bounded, bvh, seams, .. } = self;
        let moving = |i: usize| Moving::new(&colliders[i].shape, ways[i]);
        bvh.clear();
        for &i in &*bounded {
            bvh.add(i, moving(i).aabb());
        }
        bvh.build();
        bvh.pairs(&mut |a: usize, b: usize| {
            if (fast[a] || fast[b]) && filter.allows(colliders, a, b) {
                visit((a, &moving(a)), (b, &moving(b)), seams.may_pass(a, b));
            }
        });
    }

    /// From now on the colliders for which `rests` is true stay where they are, and pairs of them, or of one and what
    /// does not move, are left out of queries: poses and margins of these are read now, and not again until
    /// the next call. With none at all everything is as at first. Nothing is allocated once it has grown.
    pub fn let_rest(&mut self, rests: impl Fn(usize) -> bool, poses: &[Pose], margins: &[f64]) {
        let Self { colliders, filter, bounded, awake, resting, rest, boxes, .. } = self;
        resting.iter_mut().enumerate().for_each(|(i, r)| *r = rests(i));
        let any = resting.contains(&true);
        resting.iter_mut().zip(&filter.fixed).for_each(|(r, fixed)| *r |= any && *fixed);
        awake.clear();
        rest.clear();
        for &i in &*bounded {
            if resting[i] {
                boxes[i] = colliders[i].shape.aabb(&poses[i], margins[i]);
                rest.add(i, boxes[i]);
            } else {
                awake.push(i);
            }
        }
        rest.build();
        self.list_pairs();
    }

    /// The pairs that may touch, sorted.
    fn find_pairs(&mut self, poses: &[Pose], margins: &[f64]) {
        let Self { planes, bounded, bounding_radius, meets_plane, pairs, awake, resting, .. } = self;
        pairs.clear();
        for (&p, meets) in planes.iter().zip(meets_plane.chunks_exact(bounding_radius.len().max(1))) {
            let normal = poses[p].rotation.rotate(Vec3::Z);
            for &i in if resting[p] { &*awake } else { &*bounded } {
                let height = normal.dot(poses[i].translation - poses[p].translation);
                let reach = bounding_radius[i] + margins[i] + margins[p];
                if height <= reach && meets[i] {
                    pairs.push((p.min(i), p.max(i)));
                }
            }
        }
        let Self { colliders, boxes, grown, moved, awake, .. } = self;
        let mut stay = true;
        for &i in &*awake {
            let now = colliders[i].shape.aabb(&poses[i], margins[i]);
            moved[i] = now.center() - boxes[i].center();
            stay &= grown[i].encloses(&now);
            boxes[i] = now;
        }
        if !stay {
            self.find_near();
        }
        let Self { boxes, near, pairs, .. } = self;
        let near = near.iter().map(|&[a, b]| (a as usize, b as usize));
        pairs.extend(near.filter(|&(a, b)| boxes[a].overlaps(&boxes[b])));
        pairs.sort_unstable();
    }

    /// Grows the boxes, and finds the pairs whose grown ones overlap.
    fn find_near(&mut self) {
        let Self { colliders, filter, bounded, awake, resting, rest, .. } = self;
        let Self { listed, boxes, grown, moved, near, bvh, still, .. } = self;
        for &i in &*bounded {
            grown[i] = boxes[i];
            if resting[i] || filter.fixed[i] {
                continue;
            }
            let half = boxes[i].half();
            // What comes farther than its size was put there.
            let ahead = |k: usize| match moved[i][k] {
                d if d.abs() > half[k] => 0.0,
                d => (AHEAD * d).max(-half[k]).min(half[k]),
            };
            let ahead = boxes[i].shifted(vec3(ahead(0), ahead(1), ahead(2)));
            grown[i] = boxes[i].joined(&ahead).grown(GROWTH * half.x.min(half.y).min(half.z));
        }
        near.clear();
        if let Some(listed) = listed {
            near.extend(listed.iter().filter(|[a, b]| grown[*a as usize].overlaps(&grown[*b as usize])));
            return;
        }
        bvh.clear();
        still.clear();
        awake.iter().for_each(|&i| if filter.fixed[i] { &mut *still } else { &mut *bvh }.add(i, grown[i]));
        bvh.build();
        still.build();
        let mut consider = |a: usize, b: usize| {
            if filter.allows(colliders, a, b) {
                near.push([a as u32, b as u32]);
            }
        };
        bvh.pairs(&mut consider);
        bvh.pairs_with(rest, &mut consider);
        bvh.pairs_with(still, &mut consider);
        near.sort_unstable();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::narrow::collide;
    use crate::pairs::testing::{Lcg, every_shape};
    use stiction_dynamics::spatial::vec3;

    fn ball(owner: usize) -> Collider {
        Collider { shape: Shape::Sphere { radius: 0.1 }, owner, group: 1, mask: 1 }
    }

    fn contacts(world: &mut CollisionWorld, poses: &[Pose]) -> Vec<(usize, usize)> {
        let mut out = Vec::new();
        world.query(poses, &vec![0.0; poses.len()], Vec3::ZERO, &mut out);
        out.iter().map(|m| (m.a, m.b)).collect()
    }

    fn at(x: f64) -> Pose {
        Pose::from_translation(vec3(x, 0.0, 0.0))
    }

    /// Five balls in one place: every rule takes pairs away.
    #[test]
    fn filters_by_owner_exclusion_fixedness_and_bits() {
        let poses = [at(0.0); 5];
        let owners = [0, 1, 1, 2, 3];
        let mut balls: Vec<Collider> = owners.into_iter().map(ball).collect();
        let build = |balls: &[Collider], excluded: &[_], fixed: &[usize]| {
            CollisionWorld::new(balls.to_vec(), excluded, |o| fixed.contains(&o)).unwrap()
        };
        let all = contacts(&mut build(&balls, &[], &[]), &poses);
        assert_eq!(all.len(), 9); // ten pairs less (1, 2) of owner 1
        assert!(all.is_sorted() && !all.contains(&(1, 2)));
        let excluded = contacts(&mut build(&balls, &[(2, 1), (0, 3)], &[]), &poses);
        assert_eq!(excluded, [(0, 1), (0, 2), (0, 3), (1, 4), (2, 4), (3, 4)]);
        let fixed = contacts(&mut build(&balls, &[], &[0, 2]), &poses);
        assert!(!fixed.contains(&(0, 3)) && fixed.len() == 8);
        balls[0].group = 2; // met by nobody's mask, but its own mask meets the others
        assert_eq!(contacts(&mut build(&balls, &[], &[]), &poses).len(), 9);
        balls[0].mask = 4;
        assert_eq!(contacts(&mut build(&balls, &[], &[]), &poses).len(), 5);
        // Named pairs need neither bits nor owners that may meet, but motion against each other.
        let named = |pair| build(&balls, &[(2, 1)], &[0, 3]).with_pairs([pair]);
        let others = contacts(&mut named((1, 2)), &poses); // of one owner
        assert_eq!(contacts(&mut named((0, 4)), &poses), others); // both fixed
        assert!(contacts(&mut named((3, 0)), &poses).contains(&(0, 3)));
        assert!(contacts(&mut named((3, 1)), &poses).contains(&(1, 3)) && !others.contains(&(1, 3)));
    }

    #[test]
    fn margins_of_a_pair_add_up() {
        let mut world = CollisionWorld::new(vec![ball(0), ball(1)], &[], |_| false).unwrap();
        let mut out = Vec::new();
        world.query(&[at(0.0), at(0.25)], &[0.02, 0.031], Vec3::ZERO, &mut out);
        assert_eq!(out.len(), 1);
        assert!((out[0].points()[0].gap - 0.05).abs() < 1e-15);
        world.query(&[at(0.0), at(0.25)], &[0.02, 0.029], Vec3::ZERO, &mut out);
        assert!(out.is_empty());
    }

    /// The broad phase changes nothing but the cost: same manifolds as all against all, the same
    /// bits when asked again, no growth of memory.
    #[test]
    fn query_is_all_against_all_and_repeatable() {
        let mut random = Lcg::new(8);
        let shapes = every_shape();
        let collider = |owner: usize| Collider {
            shape: shapes[if owner == 0 { 0 } else { 1 + owner % (shapes.len() - 1) }].clone(),
            owner,
            group: 1,
            mask: 1,
        };
        for n in [60, LISTED + 10] {
            all_against_all(&mut random, (0..n).map(collider).collect());
        }
    }

    /// Somewhere else every ninth time, and between these on the way, slowly or fast, or where they are.
    fn all_against_all(random: &mut Lcg, colliders: Vec<Collider>) {
        let n = colliders.len();
        let margins = vec![0.005; n];
        let mut world = CollisionWorld::new(colliders.clone(), &[], |o| o == 7).unwrap();
        let (mut out, mut again) = (Vec::new(), Vec::new());
        let (mut poses, mut ways) = (Vec::new(), Vec::new());
        let mut kept = 0;
        for time in 0..54 {
            if time % 9 == 0 {
                poses = (0..n).map(|_| random.pose(0.5)).collect();
                poses[0] = Pose::from_translation(vec3(0.0, 0.0, -0.3));
                ways = (0..n).map(|_| random.vector() * [0.0, 1e-4, 0.02][time / 9 % 3]).collect();
                (ways[0], ways[7]) = (Vec3::ZERO, Vec3::ZERO);
            }
            poses.iter_mut().zip(&ways).for_each(|(pose, way)| pose.translation += *way);
            let before = world.grown.clone();
            world.query(&poses, &margins, Vec3::ZERO, &mut out);
            kept += usize::from(world.grown == before);
            world.query(&poses, &margins, Vec3::ZERO, &mut again);
            assert_eq!(out, again);
            let mut expected = Vec::new();
            for a in 0..n {
                for b in a + 1..n {
                    let mut m = Manifold::new(a, b);
                    collide(&colliders[a].shape, &poses[a], &colliders[b].shape, &poses[b], 0.01, &mut m);
                    if !m.points().is_empty() {
                        expected.push(m);
                    }
                }
            }
            assert!(expected.len() > 30);
            assert_eq!(out, expected);
        }
        assert!((30..46).contains(&kept), "those near were kept {kept} times");
    }

    /// Colliders at rest are met by the others, not by one another.
    #[test]
    fn what_rests_is_left_out() {
        what_rests(true);
        what_rests(false);
    }

    fn what_rests(listed: bool) {
        let shapes = [Shape::Plane, Shape::Sphere { radius: 0.1 }];
        let collider = |i: usize| Collider { shape: shapes[i.min(1)].clone(), ..ball(i) };
        let mut world = CollisionWorld::new((0..6).map(collider).collect(), &[], |o| o < 2).unwrap();
        world.listed = world.listed.filter(|_| listed);
        let mut poses = [at(0.0); 6];
        poses[0] = Pose::from_translation(vec3(0.0, 0.0, -0.05));
        let all = contacts(&mut world, &poses);
        assert_eq!(all.len(), 14); // fifteen pairs less (0, 1), both fixed
        world.let_rest(|i| i == 3 || i == 5, &poses, &[0.0; 6]);
        let some = contacts(&mut world, &poses);
        let awake = |i: usize| i == 2 || i == 4;
        assert!(some.iter().eq(all.iter().filter(|(a, b)| awake(*a) || awake(*b))));
        world.let_rest(|_| false, &poses, &[0.0; 6]);
        assert_eq!(contacts(&mut world, &poses), all);
    }

    #[test]
    fn the_bad_collider_is_named() {
        let mut bad = ball(1);
        bad.shape = Shape::Sphere { radius: -1.0 };
        let text = CollisionWorld::new(vec![ball(0), bad], &[], |_| false).unwrap_err().to_string();
        assert!(text.contains("collider 1") && text.contains("radius") && text.contains("-1"), "{text}");
    }
}
