//! An order of elimination of little fill: always the tree with the fewest neighbours left [George1989].

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// See the module; keeps the memory.
#[derive(Default)]
pub(super) struct Order {
    /// Trees in the order of elimination.
    pub(super) sequence: Vec<usize>,
    /// Where tree t stands in it.
    pub(super) place: Vec<usize>,
    /// Trees that are left when tree t goes and that it then couples: those of its row of U.
    pub(super) neighbours: Vec<Vec<usize>>,
    queue: BinaryHeap<Reverse<(usize, usize)>>,
    merged: Vec<usize>,
}

impl Order {
    /// For trees 0 … n − 1 and the pairs that touch.
    pub(super) fn find(&mut self, n: usize, pairs: &[(usize, usize)]) {
        let Self { sequence, place, neighbours, queue, merged } = self;
        sequence.clear();
        place.clear();
        place.resize(n, usize::MAX);
        neighbours.resize(n.max(neighbours.len()), Vec::new());
        neighbours.iter_mut().for_each(Vec::clear);
        for &(a, b) in pairs {
            neighbours[a].push(b);
            neighbours[b].push(a);
        }
        queue.clear();
        for (t, list) in neighbours[..n].iter_mut().enumerate() {
            list.sort_unstable();
            list.dedup();
            queue.push(Reverse((list.len(), t)));
        }
        while let Some(Reverse((degree, t))) = queue.pop() {
            if place[t] != usize::MAX || degree != neighbours[t].len() {
                continue; // gone, or queued again since
            }
            place[t] = sequence.len();
            sequence.push(t);
            let mine = std::mem::take(&mut neighbours[t]);
            for &q in &mine {
                merged.clear();
                let mut theirs = neighbours[q].iter().copied().filter(|&r| r != t).peekable();
                let mut ours = mine.iter().copied().filter(|&r| r != q).peekable();
                while let (Some(&a), b) = (ours.peek(), theirs.peek()) {
                    match b {
                        Some(&b) if b < a => merged.extend(theirs.next()),
                        Some(&b) if b == a => {
                            theirs.next();
                        }
                        _ => merged.extend(ours.next()),
                    }
                }
                merged.extend(theirs);
                neighbours[q].clone_from(merged);
                queue.push(Reverse((merged.len(), q)));
            }
            neighbours[t] = mine;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A chain is eliminated from its ends, a star from its points: no fill.
    #[test]
    fn chains_and_stars_fill_nothing() {
        let chain: Vec<_> = (0..9).map(|k| (k, k + 1)).collect();
        let star: Vec<_> = (1..10).map(|k| (0, k)).collect();
        for pairs in [chain, star] {
            let mut order = Order::default();
            order.find(10, &pairs);
            let entries: usize = order.neighbours.iter().map(Vec::len).sum();
            assert_eq!(entries, 9);
            assert!((0..10).all(|t| order.sequence[order.place[t]] == t));
        }
    }
}
