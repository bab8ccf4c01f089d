//! A tree of boxes over things that do not move: built once, then only read.
//!
//! Boxes are halved at the median of their centres along the axis on which the centres spread
//! most, down to a few per leaf; the depth is log₂ of their number whatever they are. A node lies
//! directly before its first half. [Ericson2005, ch. 6]

use crate::aabb::Aabb;
use stiction_dynamics::spatial::Vec3;

/// Items in a leaf, at most.
const LEAF: usize = 4;

/// A tree of bounding boxes over the triangles of a mesh.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    /// Indices of the boxes given, those of a leaf next to each other.
    items: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    bounds: Aabb,
    /// Items of a leaf: `items[start..start + count]`; a count of 0: no leaf.
    start: u32,
    count: u32,
    /// The second half of a node that is no leaf.
    second: u32,
}

impl Tree {
    /// A tree over `boxes`, of which there must be some.
    pub(crate) fn new(boxes: &[Aabb]) -> Self {
        let items = (0..boxes.len() as u32).collect();
        let mut tree = Self { nodes: Vec::with_capacity(boxes.len()), items };
        tree.build(boxes, 0, boxes.len());
        tree.nodes.shrink_to_fit();
        tree
    }

    fn build(&mut self, boxes: &[Aabb], start: usize, end: usize) {
        let items = &mut self.items[start..end];
        let of = |i: &u32| &boxes[*i as usize];
        let bounds = items.iter().skip(1).fold(*of(&items[0]), |sum, i| sum.joined(of(i)));
        let node = self.nodes.len();
        let count = if end - start <= LEAF { (end - start) as u32 } else { 0 };
        self.nodes.push(Node { bounds, start: start as u32, count, second: 0 });
        if count == 0 {
            let twice_center = |i: &u32| of(i).min + of(i).max;
            let around = |i: &u32| Aabb::around(twice_center(i), Vec3::ZERO);
            let spread = items.iter().skip(1).fold(around(&items[0]), |sum, i| sum.joined(&around(i)));
            let axis = widest(spread.max - spread.min);
            let middle = items.len() / 2;
            items.select_nth_unstable_by(middle, |i, j| {
                twice_center(i)[axis].total_cmp(&twice_center(j)[axis]).then(i.cmp(j))
            });
            self.build(boxes, start, start + middle);
            self.nodes[node].second = self.nodes.len() as u32;
            self.build(boxes, start + middle, end);
        }
    }

    /// The box around everything.
    pub(crate) fn bounds(&self) -> Aabb {
        self.nodes[0].bounds
    }

    /// Calls `visit` with every item of every leaf whose box, and those around it, `keep` keeps.
    pub(crate) fn visit(&self, keep: &impl Fn(&Aabb) -> bool, visit: &mut impl FnMut(usize)) {
        self.visit_below(0, keep, visit);
    }

    fn visit_below(&self, at: usize, keep: &impl Fn(&Aabb) -> bool, visit: &mut impl FnMut(usize)) {
        let node = &self.nodes[at];
        if !keep(&node.bounds) {
            return;
        }
        if node.count == 0 {
            self.visit_below(at + 1, keep, visit);
            self.visit_below(node.second as usize, keep, visit);
        } else {
            self.leaf(node).for_each(visit);
        }
    }

    /// Branch and bound: `cost` of a box is at most that of every item in it; `visit` of an item
    /// returns the largest cost still of interest, at first `limit`. Nearer halves come first.
    pub(crate) fn search(
        &self,
        limit: f64,
        cost: &impl Fn(&Aabb) -> f64,
        visit: &mut impl FnMut(usize, f64) -> f64,
    ) {
        let mut limit = limit;
        if cost(&self.bounds()) <= limit {
            self.search_below(0, &mut limit, cost, visit);
        }
    }

    fn search_below(
        &self,
        at: usize,
        limit: &mut f64,
        cost: &impl Fn(&Aabb) -> f64,
        visit: &mut impl FnMut(usize, f64) -> f64,
    ) {
        let node = &self.nodes[at];
        if node.count > 0 {
            for item in self.leaf(node) {
                *limit = visit(item, *limit);
            }
            return;
        }
        let (first, second) = (at + 1, node.second as usize);
        let costs = [cost(&self.nodes[first].bounds), cost(&self.nodes[second].bounds)];
        let order = if costs[0] <= costs[1] {
            [(first, costs[0]), (second, costs[1])]
        } else {
            [(second, costs[1]), (first, costs[0])]
        };
        for (half, cost_of_half) in order {
            if cost_of_half <= *limit {
                self.search_below(half, limit, cost, visit);
            }
        }
    }

    fn leaf(&self, node: &Node) -> impl Iterator<Item = usize> + '_ {
        let (start, count) = (node.start as usize, node.count as usize);
        self.items[start..start + count].iter().map(|i| *i as usize)
    }
}

/// The axis of the largest component.
fn widest(d: Vec3) -> usize {
    let wider = |a: usize, b: usize| if d[b] > d[a] { b } else { a };
    wider(wider(0, 1), 2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pairs::testing::Lcg;
    use stiction_dynamics::spatial::vec3;

    fn boxes(n: usize, random: &mut Lcg) -> Vec<Aabb> {
        let size = |v: Vec3| vec3(v.x.abs(), v.y.abs(), v.z.abs()) * 0.1;
        (0..n).map(|_| Aabb::around(random.vector(), size(random.vector()))).collect()
    }

    #[test]
    fn overlaps_are_those_of_all_boxes() {
        let mut random = Lcg::new(9);
        for n in [1, 2, 5, 64, 300] {
            let boxes = boxes(n, &mut random);
            let tree = Tree::new(&boxes);
            for _ in 0..50 {
                let asked = Aabb::around(random.vector(), vec3(0.3, 0.2, 0.1));
                let mut found = Vec::new();
                tree.visit(&|b| b.overlaps(&asked), &mut |i| {
                    if boxes[i].overlaps(&asked) {
                        found.push(i);
                    }
                });
                found.sort_unstable();
                assert_eq!(found, (0..n).filter(|i| boxes[*i].overlaps(&asked)).collect::<Vec<_>>());
            }
        }
    }

    /// The lowest of many boxes, found by looking at few of them.
    #[test]
    fn branch_and_bound_finds_the_least_and_skips_most() {
        let mut random = Lcg::new(10);
        let boxes = boxes(1000, &mut random);
        let tree = Tree::new(&boxes);
        let (mut lowest, mut seen) = (f64::INFINITY, 0);
        tree.search(f64::INFINITY, &|b| b.min.z, &mut |i, _| {
            seen += 1;
            lowest = lowest.min(boxes[i].min.z);
            lowest
        });
        assert_eq!(lowest, boxes.iter().map(|b| b.min.z).fold(f64::INFINITY, f64::min));
        assert!(seen < 200, "{seen}");
    }
}
