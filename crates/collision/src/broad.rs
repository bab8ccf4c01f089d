//! The broad phase: a bounding volume hierarchy, built anew for every query.
//!
//! Boxes are halved at the median of their centres, along the axis on which the centres spread
//! most, down to a few per leaf; then the tree is met with itself. The set of pairs depends on the
//! boxes alone. Cost O(n log n + pairs), wherever the boxes lie; nothing is allocated once the
//! scratch has grown. [Ericson2005, ch. 6]

use crate::aabb::Aabb;
use stiction_dynamics::spatial::Vec3;

/// Boxes in a leaf, at most.
const LEAF: usize = 4;

/// The tree and its scratch; [`Self::clear`] and [`Self::add`] boxes, then ask for the pairs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bvh {
    /// Boxes, those of a node next to each other.
    entries: Vec<Entry>,
    nodes: Vec<Node>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    bounds: Aabb,
    index: usize,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    bounds: Aabb,
    /// Boxes of the node: `entries[start..end]`.
    start: usize,
    end: usize,
    /// Halves of the node; `None`: a leaf.
    halves: Option<[usize; 2]>,
}

impl Bvh {
    pub(crate) fn clear(&mut self) {
        self.entries.clear();
    }

    /// Adds the box of the collider `index`.
    pub(crate) fn add(&mut self, index: usize, bounds: Aabb) {
        self.entries.push(Entry { bounds, index });
    }

    /// Makes the tree of the boxes that were added.
    pub(crate) fn build(&mut self) {
        self.nodes.clear();
        if !self.entries.is_empty() {
            self.node(0, self.entries.len());
        }
    }

    /// Calls `visit` once for every two overlapping boxes of the tree, the smaller index first.
    pub(crate) fn pairs(&self, mut visit: impl FnMut(usize, usize)) {
        if !self.nodes.is_empty() {
            self.within(0, &mut visit);
        }
    }

    /// Calls `visit(i, j)` for every box i of this tree and j of another that overlap.
    pub(crate) fn pairs_with(&self, other: &Self, mut visit: impl FnMut(usize, usize)) {
        if !self.nodes.is_empty() && !other.nodes.is_empty() {
            self.between(0, other, 0, &mut visit);
        }
    }

    /// The node of `entries[start..end]`, which it reorders.
    fn node(&mut self, start: usize, end: usize) -> usize {
        let boxes = &mut self.entries[start..end];
        let bounds = boxes.iter().skip(1).fold(boxes[0].bounds, |sum, e| sum.joined(&e.bounds));
        let node = self.nodes.len();
        self.nodes.push(Node { bounds, start, end, halves: None });
        if end - start > LEAF {
            let axis = widest_axis(boxes);
            let middle = boxes.len() / 2;
            boxes.select_nth_unstable_by(middle, |a, b| {
                let (p, q) = (twice_center(a)[axis], twice_center(b)[axis]);
                p.total_cmp(&q).then(a.index.cmp(&b.index))
            });
            let left = self.node(start, start + middle);
            let right = self.node(start + middle, end);
            self.nodes[node].halves = Some([left, right]);
        }
        node
    }

    /// Pairs with both boxes in `node`.
    fn within(&self, node: usize, visit: &mut impl FnMut(usize, usize)) {
        let Node { start, end, halves, .. } = self.nodes[node];
        if let Some([left, right]) = halves {
            self.within(left, visit);
            self.within(right, visit);
            self.between(left, self, right, visit);
            return;
        }
        for i in start..end {
            for j in i + 1..end {
                self.meet(i, self, j, visit);
            }
        }
    }

    /// Pairs with one box in node a and one in node b of `other`, which share none.
    fn between(&self, a: usize, other: &Self, b: usize, visit: &mut impl FnMut(usize, usize)) {
        let (p, q) = (&self.nodes[a], &other.nodes[b]);
        if !p.bounds.overlaps(&q.bounds) {
            return;
        }
        match (p.halves, q.halves) {
            (Some(halves), _) if p.end - p.start >= q.end - q.start => {
                halves.into_iter().for_each(|half| self.between(half, other, b, visit));
            }
            (_, Some(halves)) => halves.into_iter().for_each(|half| self.between(a, other, half, visit)),
            (Some(halves), None) => halves.into_iter().for_each(|half| self.between(half, other, b, visit)),
            (None, None) => {
                for i in p.start..p.end {
                    for j in q.start..q.end {
                        self.meet(i, other, j, visit);
                    }
                }
            }
        }
    }

    #[inline]
    fn meet(&self, i: usize, other: &Self, j: usize, visit: &mut impl FnMut(usize, usize)) {
        let (a, b) = (&self.entries[i], &other.entries[j]);
        if a.bounds.overlaps(&b.bounds) {
            visit(a.index.min(b.index), a.index.max(b.index));
        }
    }
}

#[inline]
fn twice_center(e: &Entry) -> Vec3 {
    e.bounds.min + e.bounds.max
}

/// The axis along which the centres spread most.
fn widest_axis(boxes: &[Entry]) -> usize {
    let first = twice_center(&boxes[0]);
    let centers = |sum: Aabb, e: &Entry| sum.joined(&Aabb::around(twice_center(e), Vec3::ZERO));
    let spread = boxes.iter().fold(Aabb::around(first, Vec3::ZERO), centers);
    let d = spread.max - spread.min;
    let wider = |a: usize, b: usize| if d[b] > d[a] { b } else { a };
    wider(wider(0, 1), 2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pairs::testing::Lcg;
    use stiction_dynamics::spatial::vec3;

    /// The tree finds what comparing all with all finds, however the boxes are spread.
    #[test]
    fn the_tree_finds_every_pair_once() {
        let mut random = Lcg::new(4);
        for stretch in [vec3(5.0, 1.0, 1.0), vec3(1.0, 5.0, 1.0), vec3(1.0, 1.0, 5.0)] {
            let mut boxes = Vec::new();
            for _ in 0..80 {
                let c = random.vector();
                let c = vec3(c.x * stretch.x, c.y * stretch.y, c.z * stretch.z);
                let h = random.vector();
                boxes.push(Aabb::around(c, vec3(h.x.abs(), h.y.abs(), h.z.abs()) * 0.5));
            }
            let tree = |of: &dyn Fn(usize) -> bool| {
                let mut bvh = Bvh::default();
                boxes.iter().enumerate().filter(|(i, _)| of(*i)).for_each(|(i, b)| bvh.add(i, *b));
                bvh.build();
                bvh
            };
            let mut found = Vec::new();
            tree(&|_| true).pairs(|a, b| found.push((a, b)));
            found.sort_unstable();
            let mut expected = Vec::new();
            for a in 0..boxes.len() {
                expected
                    .extend((a + 1..boxes.len()).filter(|b| boxes[a].overlaps(&boxes[*b])).map(|b| (a, b)));
            }
            assert!(expected.len() > 20);
            assert_eq!(found, expected);
            // In two trees the same, less those within the other.
            let third = |i: usize| i.is_multiple_of(3);
            let (some, others) = (tree(&third), tree(&|i| !third(i)));
            found.clear();
            some.pairs(|a, b| found.push((a, b)));
            some.pairs_with(&others, |a, b| found.push((a, b)));
            found.sort_unstable();
            expected.retain(|(a, b)| third(*a) || third(*b));
            assert_eq!(found, expected);
        }
    }
}
