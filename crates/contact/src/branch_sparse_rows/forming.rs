//! The blocks of G out of its factor: (1) of [`super`], for who cannot do without.

use super::BranchSparseRows;
use super::products::write;
use crate::blocks::{BlockMatrix, MAX_VALUES};
use crate::primal::PrimalError;

impl BranchSparseRows {
    /// Forms the blocks of G, (1) of [`super`], with the pattern and rows that block i has from `row_start[i]` on. Err where
    /// there would be more than [`MAX_VALUES`] numbers; `out` is then as it was.
    pub(crate) fn form_blocks_into(
        &mut self,
        row_start: &[usize],
        out: &mut BlockMatrix,
    ) -> Result<(), PrimalError> {
        self.find_blocks_of_trees();
        let pairs: usize = self.blocks_of_tree.iter().map(|b| b.len() * b.len()).sum();
        if 9 * pairs > MAX_VALUES {
            return Err(PrimalError::Size { what: "numbers of G", value: 9 * pairs, expected: MAX_VALUES });
        }
        out.reshape(row_start, |i, columns| self.neighbours_into(i, columns));
        let dim = |i: usize| row_start[i + 1] - row_start[i];
        for i in 0..self.len() {
            for k in out.entries(i) {
                let j = out.column_of(k);
                if j < i {
                    continue;
                }
                if dim(i).max(dim(j)) > 3 {
                    self.product_into(i, j, [dim(i), dim(j)], out.entry_mut(k));
                    let mirror = out.mirror_of(k);
                    self.product_into(j, i, [dim(j), dim(i)], out.entry_mut(mirror));
                    continue;
                }
                let product = self.product(i, j);
                write(&product, dim(i), dim(j), out.entry_mut(k));
                if j > i {
                    let mirror = out.mirror_of(k);
                    write(&product.transpose(), dim(j), dim(i), out.entry_mut(mirror));
                }
            }
        }
        Ok(())
    }

    fn find_blocks_of_trees(&mut self) {
        let Self { blocks, segments, trees, blocks_of_tree, .. } = self;
        blocks_of_tree.iter_mut().for_each(Vec::clear);
        if blocks_of_tree.len() < trees.len() {
            blocks_of_tree.resize(trees.len(), Vec::new());
        }
        for (i, block) in blocks.iter().enumerate() {
            segments[block.segments.range()].iter().for_each(|s| blocks_of_tree[s.tree].push(i));
        }
    }

    /// Blocks that share a tree with block i, ascending, i among them; after [`Self::find_blocks_of_trees`].
    fn neighbours_into(&self, i: usize, out: &mut Vec<usize>) {
        let (a, b) = match self.segments_of(i) {
            [] => return out.push(i),
            [a] => return out.extend_from_slice(&self.blocks_of_tree[a.tree]),
            [a, b, ..] => (&self.blocks_of_tree[a.tree], &self.blocks_of_tree[b.tree]),
        };
        let (mut x, mut y) = (0, 0);
        while x < a.len() || y < b.len() {
            let next = match (a.get(x), b.get(y)) {
                (Some(&p), Some(&q)) => p.min(q),
                (Some(&p), None) | (None, Some(&p)) => p,
                (None, None) => return,
            };
            x += usize::from(a.get(x) == Some(&next));
            y += usize::from(b.get(y) == Some(&next));
            out.push(next);
        }
    }
}
