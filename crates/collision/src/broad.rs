//! The broad phase: sweep and prune.
//!
//! Boxes are sorted by their lower ends along one axis, the one along which their centres vary
//! most; two boxes that overlap there are compared along the other two. The set of pairs does
//! not depend on the axis. Cost O(n log n + pairs that overlap along the axis); little more
//! than O(n) when the order is that of the last query.

use crate::aabb::Aabb;
use stiction_dynamics::spatial::Vec3;

/// The scratch of the sweep; [`Self::clear`] and [`Self::add`] boxes, then ask for the pairs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sweep {
    entries: Vec<Entry>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    bounds: Aabb,
    index: usize,
}

impl Sweep {
    pub(crate) fn clear(&mut self) {
        self.entries.clear();
    }

    /// Adds the box of the collider `index`.
    pub(crate) fn add(&mut self, index: usize, bounds: Aabb) {
        self.entries.push(Entry { bounds, index });
    }

    /// Calls `visit` once for every two overlapping boxes, the smaller index first.
    pub(crate) fn pairs(&mut self, mut visit: impl FnMut(usize, usize)) {
        let axis = self.widest_axis();
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        self.entries.sort_unstable_by(|a, b| {
            a.bounds.min[axis].total_cmp(&b.bounds.min[axis]).then(a.index.cmp(&b.index))
        });
        for (i, a) in self.entries.iter().enumerate() {
            let end = a.bounds.max[axis];
            for b in &self.entries[i + 1..] {
                if b.bounds.min[axis] > end {
                    break;
                }
                let across =
                    |k: usize| a.bounds.min[k] <= b.bounds.max[k] && b.bounds.min[k] <= a.bounds.max[k];
                if across(u) && across(v) {
                    visit(a.index.min(b.index), a.index.max(b.index));
                }
            }
        }
    }

    /// The axis along which the centres of the boxes vary most; x without boxes.
    fn widest_axis(&self) -> usize {
        let n = self.entries.len().max(1) as f64;
        let center = |e: &Entry| (e.bounds.min + e.bounds.max) * 0.5;
        let mean = self.entries.iter().fold(Vec3::ZERO, |sum, e| sum + center(e)) * (1.0 / n);
        let mut variance = Vec3::ZERO;
        for e in &self.entries {
            let d = center(e) - mean;
            for k in 0..3 {
                variance[k] += d[k] * d[k];
            }
        }
        let wider = |a: usize, b: usize| if variance[b] > variance[a] { b } else { a };
        wider(wider(0, 1), 2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pairs::testing::Lcg;
    use stiction_dynamics::spatial::vec3;

    /// The sweep finds what comparing all with all finds, along whichever axis.
    #[test]
    fn sweep_finds_every_pair_once() {
        let mut random = Lcg::new(4);
        for stretch in [vec3(5.0, 1.0, 1.0), vec3(1.0, 5.0, 1.0), vec3(1.0, 1.0, 5.0)] {
            let mut boxes = Vec::new();
            for _ in 0..80 {
                let c = random.vector();
                let c = vec3(c.x * stretch.x, c.y * stretch.y, c.z * stretch.z);
                let h = random.vector();
                boxes.push(Aabb::around(c, vec3(h.x.abs(), h.y.abs(), h.z.abs()) * 0.5));
            }
            let mut sweep = Sweep::default();
            boxes.iter().enumerate().for_each(|(i, b)| sweep.add(i, *b));
            let mut found = Vec::new();
            sweep.pairs(|a, b| found.push((a, b)));
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
