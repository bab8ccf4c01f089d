//! Rows of constraints over trees of coordinates, sparse by branches: J, and W with G = W Wᵀ.
//!
//! ```text
//!     G_ij = Σ_d w_i(d) w_j(d)ᵀ over the coordinates d that both blocks reach                      (1)
//!     G x = W (Wᵀ x),   in O(numbers of W)                                                         (2)
//! ```
//!
//! A block of up to six rows reaches some coordinates of at most two trees; the part in one tree is a
//! segment. Blocks meet in (1) only if they share a tree.

mod dense;
mod forming;
mod products;

use dense::Dense;
use std::ops::{AddAssign, Mul, Range};
use stiction_dynamics::lanes;
use stiction_dynamics::spatial::Vec3;

/// Rows of J, or of the factor W, by blocks and trees. A block of one row uses the first component of its columns.
#[derive(Debug, Default)]
pub struct BranchSparseRows {
    blocks: Vec<Block>,
    segments: Vec<Segment>,
    /// Coordinates of every segment, descending.
    reached: Vec<usize>,
    /// Column of the block at every one of them.
    columns: Vec<Vec3>,
    /// Rows four to six of the columns of patches, at the same places; not longer than the last patch asks for.
    more: Vec<Vec3>,
    /// Coordinates of every tree.
    trees: Vec<Span>,
    /// Blocks that touch each tree, ascending: found when blocks are formed.
    blocks_of_tree: Vec<Vec<usize>>,
    dense: Dense,
}

/// A range that is copied with the memory it is in.
#[derive(Clone, Copy, Debug)]
struct Span {
    start: usize,
    end: usize,
}

impl Span {
    #[inline(always)]
    fn range(self) -> Range<usize> {
        self.start..self.end
    }

    #[inline(always)]
    fn len(self) -> usize {
        self.end - self.start
    }
}

/// A block: none, one or two segments, and their places.
#[derive(Clone, Copy, Debug)]
struct Block {
    segments: Span,
    /// In `reached` and `columns`.
    places: Span,
}

/// The part of a block in one tree.
#[derive(Clone, Copy, Debug)]
struct Segment {
    tree: usize,
    /// In `reached` and `columns`.
    places: Span,
    /// The last coordinate, if all coordinates of the segment are one chain from there to the root.
    tip: Option<usize>,
    /// The first of the last [`RUN`] of them, if these follow one another, as those of a free root do.
    run: Option<usize>,
}

/// Coordinates of a free body.
const RUN: usize = 6;
/// The first coordinate of a run, and the columns there, the last coordinate's first.
type Run<'a> = (usize, &'a [Vec3; RUN]);

impl Clone for BranchSparseRows {
    fn clone(&self) -> Self {
        let mut out = Self::default();
        out.clone_from(self);
        out
    }

    /// Keeps the memory.
    fn clone_from(&mut self, other: &Self) {
        self.copy_places_of(other);
        self.columns.clone_from(&other.columns);
        self.dense.copy(&other.dense);
    }
}

/// The part of a block in one tree, as it is seen from without.
#[derive(Clone, Copy)]
pub struct Part<'a> {
    pub tree: usize,
    /// The last coordinate, if all coordinates of the part are one chain from there to the root.
    pub tip: Option<usize>,
    pub coordinates: &'a [usize],
    pub columns: &'a [Vec3],
}

impl BranchSparseRows {
    /// Removes all rows; keeps the memory.
    pub fn clear(&mut self) {
        self.blocks.clear();
        self.segments.clear();
        self.reached.clear();
        self.columns.clear();
        self.more.clear();
        self.dense.clear();
    }

    /// All but the columns.
    fn copy_places_of(&mut self, other: &Self) {
        let Self { blocks, segments, reached, columns: _, more, trees, blocks_of_tree: _, dense } = self;
        dense.clear();
        blocks.clone_from(&other.blocks);
        segments.clone_from(&other.segments);
        reached.clone_from(&other.reached);
        more.clone_from(&other.more);
        trees.clone_from(&other.trees);
    }

    /// Becomes `other` with other columns: `change` adds those of every part.
    #[inline(always)]
    pub fn change_from(&mut self, other: &Self, mut change: impl FnMut(Part<'_>, &mut Vec<Vec3>)) {
        self.copy_places_of(other);
        self.columns.clear();
        for &Segment { tree, places, tip, .. } in &other.segments {
            let (coordinates, columns) = (&other.reached[places.range()], &other.columns[places.range()]);
            change(Part { tree, tip, coordinates, columns }, &mut self.columns);
        }
        assert_eq!(self.columns.len(), self.reached.len(), "one column per coordinate");
        self.write_out();
    }

    /// Removes all rows and sets the trees: the coordinates of each.
    pub fn start(&mut self, trees: impl Iterator<Item = Range<usize>>) {
        self.clear();
        self.trees.clear();
        self.trees.extend(trees.map(|t| Span { start: t.start, end: t.end }));
    }

    /// Adds a block of segments that follow.
    #[inline(always)]
    pub fn push_block(&mut self) {
        self.dense.clear();
        let empty = |at: usize| Span { start: at, end: at };
        self.blocks.push(Block { segments: empty(self.segments.len()), places: empty(self.reached.len()) });
    }

    /// Adds to the last block its part in a tree: (coordinate, column), coordinates descending. With `tip`
    /// they are one chain, from the tip to a root.
    #[inline]
    pub fn push_segment(
        &mut self,
        tree: usize,
        tip: Option<usize>,
        terms: impl Iterator<Item = (usize, Vec3)>,
    ) {
        for (coordinate, column) in terms {
            self.reached.push(coordinate);
            self.columns.push(column);
        }
        self.end_segment(tree, tip, self.last_run());
    }

    /// Appends the segment of a whole chain to the last block, its columns one by one; with a `run` these are
    /// followed by the
    /// coordinates of a free root, from the last to the first: its first coordinate, and the columns.
    #[inline]
    pub fn push_chain(
        &mut self,
        tree: usize,
        chain: &[usize],
        columns: impl Iterator<Item = Vec3>,
        run: Option<(usize, [Vec3; RUN])>,
    ) {
        self.reached.extend_from_slice(chain);
        self.columns.extend(columns);
        assert_eq!(self.reached.len(), self.columns.len(), "one column per coordinate");
        match run {
            Some((first, columns)) => self.push_run(tree, chain.first().copied(), first, || columns),
            None => self.end_segment(tree, chain.first().copied(), self.last_run()),
        }
    }

    /// The coordinates of a free root, from the last to the first, and their columns: they end a chain that begins at
    /// the `tip`, or are all of it.
    #[inline(always)]
    pub fn push_run(
        &mut self,
        tree: usize,
        tip: Option<usize>,
        first: usize,
        columns: impl FnOnce() -> [Vec3; RUN],
    ) {
        let last = first + RUN - 1;
        self.reached.extend_from_slice(&std::array::from_fn::<_, RUN, _>(|k| last - k));
        self.columns.reserve(RUN); // before there are columns to be kept in mind
        self.columns.extend_from_slice(&columns());
        self.end_segment(tree, tip.or(Some(last)), Some(first));
    }

    /// The first of the last coordinates pushed, if these run.
    #[inline]
    fn last_run(&self) -> Option<usize> {
        let start = self.blocks.last()?.places.end;
        let run = self.reached[start..].last_chunk::<RUN>()?;
        (run[0] == run[RUN - 1] + RUN - 1).then_some(run[RUN - 1])
    }

    /// Ends the segment of all columns that were pushed since the last one.
    #[inline(always)]
    fn end_segment(&mut self, tree: usize, tip: Option<usize>, run: Option<usize>) {
        let Some(block) = self.blocks.last_mut() else { return };
        let places = Span { start: block.places.end, end: self.reached.len() };
        (block.segments.end, block.places.end) = (block.segments.end + 1, places.end);
        assert!(block.segments.len() <= 2, "a constraint joins at most two trees");
        self.segments.push(Segment { tree, places, tip, run });
    }

    /// Numbers coordinates anew, in the same order within a tree: coordinate d becomes `place[d]`, and the trees are these.
    pub fn renumber(&mut self, place: &[usize], trees: &[Range<usize>]) {
        self.reached.iter_mut().for_each(|d| *d = place[*d]);
        for Segment { tip, run, .. } in &mut self.segments {
            for d in [tip, run].into_iter().flatten() {
                *d = place[*d];
            }
        }
        self.trees.clear();
        self.trees.extend(trees.iter().map(|t| Span { start: t.start, end: t.end }));
        self.dense.clear();
    }

    /// Adds a block that reaches what block i of `other` does, over the same trees, with columns made of its columns.
    pub fn push_like(&mut self, other: &Self, i: usize, mut column: impl FnMut(Vec3) -> Vec3) {
        self.push_block();
        for s in other.segments_of(i) {
            let places = s.places.range();
            self.reached.extend_from_slice(&other.reached[places.clone()]);
            self.columns.extend(other.columns[places].iter().map(|w| column(*w)));
            self.end_segment(s.tree, s.tip, s.run);
        }
    }

    /// Adds rows four to six to the last block, whose segments are there: `column` is asked for every coordinate, in
    /// their order.
    pub fn push_more(&mut self, column: impl FnMut(usize) -> Vec3) {
        let Some(block) = self.blocks.last() else { return };
        let start = block.places.start;
        self.more.resize(start, Vec3::ZERO);
        self.more.extend(self.reached[start..].iter().copied().map(column));
    }

    /// Number of blocks.
    #[inline]
    pub fn len(&self) -> usize {
        self.blocks.len()
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// How many numbers there are.
    #[inline]
    pub(crate) fn numbers(&self) -> usize {
        3 * (self.columns.len() + self.more.len())
    }

    /// Coordinates there are: one more than the largest of a tree.
    pub fn coordinates(&self) -> usize {
        self.trees.iter().map(|t| t.end).max().unwrap_or(0)
    }

    /// Number of trees.
    pub fn trees(&self) -> usize {
        self.trees.len()
    }

    /// Trees that block i touches.
    pub fn trees_of(&self, i: usize) -> impl Iterator<Item = usize> + '_ {
        self.segments_of(i).iter().map(|s| s.tree)
    }

    /// Coordinates of tree t.
    pub fn tree(&self, t: usize) -> Range<usize> {
        self.trees[t].range()
    }

    /// The segments of block i: tree, coordinates in it, columns there.
    pub fn segments(&self, i: usize) -> impl Iterator<Item = (usize, &[usize], &[Vec3])> {
        self.segments_of(i)
            .iter()
            .map(|s| (s.tree, &self.reached[s.places.range()], &self.columns[s.places.range()]))
    }

    #[inline]
    fn segments_of(&self, i: usize) -> &[Segment] {
        &self.segments[self.blocks[i].segments.range()]
    }

    /// Coordinates of block i, and the columns there.
    #[inline(always)]
    fn block(&self, i: usize) -> (&[usize], &[Vec3]) {
        let places = self.blocks[i].places.range();
        (&self.reached[places.clone()], &self.columns[places])
    }

    /// (coordinate, column) of block i; a coordinate comes once.
    #[inline(always)]
    pub fn terms(&self, i: usize) -> impl Iterator<Item = (usize, Vec3)> + '_ {
        let (reached, columns) = self.block(i);
        reached.iter().copied().zip(columns.iter().copied())
    }

    /// (tip if it is a chain, coordinates, columns) of every segment, to change the columns.
    pub fn segments_mut(&mut self) -> impl Iterator<Item = (Option<usize>, &[usize], &mut [Vec3])> {
        self.dense.clear();
        segments_of(&self.segments, &self.reached, &mut self.columns)
    }

    /// Segments with rows four to six of their columns, for blocks that have these rows.
    pub fn more_segments_mut(&mut self) -> impl Iterator<Item = (Option<usize>, &[usize], &mut [Vec3])> {
        segments_of(&self.segments, &self.reached, &mut self.more)
    }

    /// (coordinate, rows four to six of the column) of block i, where it has any.
    #[inline]
    pub fn more_terms(&self, i: usize) -> impl Iterator<Item = (usize, Vec3)> + '_ {
        let places = self.blocks[i].places.range();
        let more = self.more.get(places.clone()).unwrap_or_default();
        self.reached[places].iter().copied().zip(more.iter().copied())
    }

    /// Rows four to six of block i times x.
    pub fn dot_more(&self, i: usize, x: &[f64]) -> Vec3 {
        self.more_terms(i).fold(Vec3::ZERO, |sum, (coordinate, column)| sum + column * x[coordinate])
    }

    /// Coordinates and columns of a segment; if its end runs, that apart.
    #[inline(always)]
    fn split(&self, s: &Segment) -> (&[usize], &[Vec3], Option<Run<'_>>) {
        let Span { start, mut end } = s.places;
        let run = s.run.and_then(|first| {
            end -= RUN;
            Some((first, self.columns[end..].first_chunk()?))
        });
        if start == end {
            (&[], &[], run)
        } else {
            (&self.reached[start..end], &self.columns[start..end], run)
        }
    }

    /// Row block i times x.
    #[inline(always)]
    pub fn dot(&self, i: usize, x: &[f64]) -> Vec3 {
        self.sum(i, x, Vec3::ZERO, |column| *column)
    }

    /// Product of one of the first three rows of block i with `x`.
    #[inline]
    pub fn dot_row(&self, i: usize, row: usize, x: &[f64]) -> f64 {
        match row {
            0 => self.sum(i, x, 0.0, |column| column.x),
            1 => self.sum(i, x, 0.0, |column| column.y),
            _ => self.sum(i, x, 0.0, |column| column.z),
        }
    }

    /// The sum of what `part` takes of the columns of block i, times x.
    #[inline(always)]
    fn sum<T: AddAssign + Mul<f64, Output = T>>(
        &self,
        i: usize,
        x: &[f64],
        zero: T,
        part: impl Fn(&Vec3) -> T,
    ) -> T {
        let mut out = zero;
        for s in self.segments_of(i) {
            let (reached, columns, run) = self.split(s);
            for (coordinate, column) in reached.iter().zip(columns) {
                out += part(column) * x[*coordinate];
            }
            if let Some((first, run)) = run {
                let x = &x[first..][..RUN];
                for k in 0..RUN {
                    out += part(&run[k]) * x[RUN - 1 - k];
                }
            }
        }
        out
    }

    /// x += (row block i)ᵀ λ.
    #[inline(always)]
    pub fn add_transposed(&self, i: usize, lambda: Vec3, x: &mut [f64]) {
        for s in self.segments_of(i) {
            let (reached, columns, run) = self.split(s);
            for (coordinate, column) in reached.iter().zip(columns) {
                x[*coordinate] += column.dot(lambda);
            }
            if let Some((first, run)) = run {
                let x = &mut x[first..][..RUN];
                for k in 0..RUN {
                    x[RUN - 1 - k] += run[k].dot(lambda);
                }
            }
        }
    }

    /// x += (all rows)ᵀ λ. `row_start` as in the problem.
    #[inline(always)]
    pub fn add_all_transposed(&self, row_start: &[usize], lambda: &[f64], x: &mut [f64]) {
        for (i, range) in row_start.windows(2).enumerate() {
            let lambda = vector(&lambda[range[0]..range[1]]);
            if lambda != Vec3::ZERO {
                self.add_transposed(i, lambda, x);
            }
        }
        for (i, lambda) in self.more_rows(row_start).map(|(i, rows)| (i, vector(&lambda[rows]))) {
            for (coordinate, column) in self.more_terms(i) {
                x[coordinate] += column.dot(lambda);
            }
        }
    }

    /// (block, its rows from the fourth on), where there are any.
    fn more_rows<'a>(&self, row_start: &'a [usize]) -> impl Iterator<Item = (usize, Range<usize>)> + use<'a> {
        let starts = if self.more.is_empty() { &[] } else { row_start };
        let rows = starts.windows(2).enumerate().map(|(i, range)| (i, range[0] + 3..range[1]));
        rows.filter(|(_, rows)| rows.start < rows.end)
    }

    /// How many numbers a product needs beside one for each of so many rows.
    pub fn scratch(&self, rows: usize) -> usize {
        if self.dense.is_empty() { self.coordinates() } else { self.dense.scratch(rows) }
    }

    /// (2) into the first numbers of y, one per row; what follows them is scratch.
    pub(crate) fn square_mul_into(&self, row_start: &[usize], x: &[f64], y: &mut Vec<f64>) {
        let rows = x.len();
        y.clear();
        y.resize(rows + self.scratch(rows), 0.0);
        let (out, momentum) = y.split_at_mut(rows);
        if !self.dense.is_empty() {
            lanes::plain(
                #[inline(always)]
                || self.dense.square_mul(row_start, x, out, momentum),
            );
            return y.truncate(rows);
        }
        lanes::plain(
            #[inline(always)]
            || {
                self.add_all_transposed(row_start, x, momentum);
                for (i, range) in row_start.windows(2).enumerate() {
                    let dot = self.dot(i, momentum);
                    match &mut out[range[0]..range[1]] {
                        [x, y, z, ..] => [*x, *y, *z] = dot.to_array(),
                        [x, ..] => *x = dot.x,
                        [] => {}
                    }
                }
            },
        );
        for (i, rows) in self.more_rows(row_start) {
            let n = rows.len();
            out[rows].copy_from_slice(&self.dot_more(i, momentum).to_array()[..n]);
        }
        y.truncate(rows);
    }

    /// G_ii by rows into the leading dim² numbers of `out`, for blocks of one row or three.
    #[inline(always)]
    pub(crate) fn square_into(&self, i: usize, dim: usize, out: &mut [f64; 9]) {
        let squares = self.segments_of(i).iter().map(|s| &self.columns[s.places.range()]);
        if dim == 1 {
            out[0] = squares.map(|w| w.iter().map(|w| w.x * w.x).sum::<f64>()).sum();
            return;
        }
        // By pairs, as registers hold them, where they are loaded as they lie.
        let ([mut xx_yy, mut xy_yz, mut xz_zz], zero) = ([[0.0; 2]; 3], [0.0; 2]);
        for w in squares {
            let [mut a, mut b, mut c] = [zero; 3];
            for &Vec3 { x, y, z } in w {
                a = [a[0] + x * x, a[1] + y * y];
                b = [b[0] + x * y, b[1] + y * z];
                c = [c[0] + x * z, c[1] + z * z];
            }
            for (sum, more) in [(&mut xx_yy, a), (&mut xy_yz, b), (&mut xz_zz, c)] {
                *sum = [sum[0] + more[0], sum[1] + more[1]];
            }
        }
        let ([xx, yy], [xy, yz], [xz, zz]) = (xx_yy, xy_yz, xz_zz);
        *out = [xx, xy, xz, xy, yy, yz, xz, yz, zz];
    }

    /// G_ii of a patch; what it has less than six rows is of no meaning.
    #[inline(always)]
    pub(crate) fn patch_square(&self, i: usize) -> [[f64; 6]; 6] {
        let places = self.blocks[i].places.range();
        let mut sums = [[0.0; 6]; 6];
        for (Vec3 { x, y, z }, more) in self.columns[places.clone()].iter().zip(&self.more[places]) {
            let w = [*x, *y, *z, more.x, more.y, more.z];
            for (k, row) in sums.iter_mut().enumerate() {
                for l in k..6 {
                    row[l] += w[k] * w[l];
                }
            }
        }
        std::array::from_fn(|k| std::array::from_fn(|l| sums[k.min(l)][k.max(l)]))
    }

    /// Becomes some blocks of `whole`, ascending. `place` says which tree of these rows a tree of theirs is;
    /// `trees` are those trees, in that order. Coordinates are numbered anew.
    pub fn gather(&mut self, whole: &Self, blocks: &[usize], trees: &[usize], place: &[usize]) {
        let mut end = 0;
        self.start(trees.iter().map(|&t| {
            let start = end;
            end += whole.trees[t].len();
            start..end
        }));
        for &i in blocks {
            self.push_block();
            for s in whole.segments_of(i) {
                let tree = place[s.tree];
                let (from, to) = (whole.trees[s.tree].start, self.trees[tree].start);
                self.reached.extend(whole.reached[s.places.range()].iter().map(|d| d - from + to));
                self.columns.extend_from_slice(&whole.columns[s.places.range()]);
                self.end_segment(tree, s.tip.map(|d| d - from + to), s.run.map(|d| d - from + to));
                if let Some(more) = whole.more.get(s.places.range()) {
                    self.more.resize(self.reached.len() - more.len(), Vec3::ZERO);
                    self.more.extend_from_slice(more);
                }
            }
        }
    }
}

/// Up to three numbers, or the first three.
#[inline]
fn vector(x: &[f64]) -> Vec3 {
    match *x {
        [x, y, z, ..] => Vec3 { x, y, z },
        [x] => Vec3::X * x,
        _ => unreachable!("a block has one row, or three and more"),
    }
}

fn segments_of<'a>(
    segments: &'a [Segment],
    reached: &'a [usize],
    mut rest: &'a mut [Vec3],
) -> impl Iterator<Item = (Option<usize>, &'a [usize], &'a mut [Vec3])> {
    let (length, mut done) = (rest.len(), 0);
    segments.iter().take_while(move |s| s.places.end <= length).map(move |s| {
        let (mine, after) = std::mem::take(&mut rest).split_at_mut(s.places.end - done);
        (rest, done) = (after, s.places.end);
        (s.tip, &reached[s.places.range()], mine)
    })
}
