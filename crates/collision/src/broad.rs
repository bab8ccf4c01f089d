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
    /// Its boxes: `entries[start..end]`.
    start: usize,
    end: usize,
    /// Its halves; `None`: a leaf.
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

    /// Calls `visit` once for every two overlapping boxes, the smaller index first.
    pub(crate) fn pairs(&mut self, mut visit: impl FnMut(usize, usize)) {
        self.nodes.clear();
        if !self.entries.is_empty() {
            let root = self.build(0, self.entries.len());
            self.within(root, &mut visit);
        }
    }

    /// The node of `entries[start..end]`, which it reorders.
    fn build(&mut self, start: usize, end: usize) -> usize {
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
            let left = self.build(start, start + middle);
            let right = self.build(start + middle, end);
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
            self.between(left, right, visit);
            return;
        }
        for i in start..end {
            for j in i + 1..end {
                self.meet(i, j, visit);
            }
        }
    }

    /// Pairs with one box in each of two nodes that share none.
    fn between(&self, a: usize, b: usize, visit: &mut impl FnMut(usize, usize)) {
        let (p, q) = (&self.nodes[a], &self.nodes[b]);
        if !p.bounds.overlaps(&q.bounds) {
            return;
        }
        match (p.halves, q.halves) {
            (Some(halves), _) if p.end - p.start >= q.end - q.start => {
                halves.into_iter().for_each(|half| self.between(half, b, visit));
            }
            (_, Some(halves)) => halves.into_iter().for_each(|half| self.between(a, half, visit)),
            (Some(halves), None) => halves.into_iter().for_each(|half| self.between(half, b, visit)),
            (None, None) => {
                for i in p.start..p.end {
                    for j in q.start..q.end {
                        self.meet(i, j, visit);
                    }
                }
            }
        }
    }

    #[inline]
    fn meet(&self, i: usize, j: usize, visit: &mut impl FnMut(usize, usize)) {
        let (a, b) = (&self.entries[i], &self.entries[j]);
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
            let mut bvh = Bvh::default();
            boxes.iter().enumerate().for_each(|(i, b)| bvh.add(i, *b));
            let mut found = Vec::new();
            bvh.pairs(|a, b| found.push((a, b)));
            found.sort_unstable();
            let mut expected = Vec::new();
            for a in 0..boxes.len() {
                expected
                    .extend((a + 1..boxes.len()).filter(|b| boxes[a].overlaps(&boxes[*b])).map(|b| (a, b)));
            }
            assert!(expected.len() > 20);
            assert_eq!(found, expected);
        }
    }
}
