//! The joint-space inertia matrix, stored along the tree.
//!
//! M_ij vanishes unless one of the dofs i, j is an ancestor of the other, and the matrix is
//! symmetric. Row i holds the entries of i and of its ancestors, towards the root, packed:
//!
//! ```text
//!     (i, i), (i, parent(i)), (i, parent(parent(i))), …                 (1)
//! ```
//!
//! nv + Σ depth numbers; the tail of row i lies over the rows of its ancestors entry by entry,
//! which makes the factorisation [`crate::Factor`] a matter of subtracting slices. Rows are preceded
//! by zeros: those of a panel, consecutive rows of one chain, have one length, of plain numbers a
//! multiple of four, so that slices are subtracted four by four. Where the root of a tree moves freely, the rows of all
//! other dofs end in the six columns of the root, the *trunk*.

use crate::model::{JointKind, Model};
use crate::real::Real;
use std::ops::Range;

/// Columns of a free root.
pub(crate) const TRUNK: usize = 6;

/// Where the entries of the packed rows are.
#[derive(Clone, Debug)]
pub(crate) struct Pattern {
    rows: Vec<Row>,
    /// The dof of every entry; of the zeros before a row, any.
    columns: Vec<u32>,
    pub(crate) panels: Panels,
}

/// Tip to base, by levels: panels of one level have no columns of each other.
#[derive(Clone, Debug, Default)]
pub(crate) struct Panels {
    list: Vec<Panel>,
    levels: Vec<Range<usize>>,
}

/// Consecutive rows of one chain, i, i − 1, …, for those who work on several at a time. All end in
/// the same columns, those of their common ancestors: first a branch, then perhaps the trunk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Panel {
    /// Last row of the panel, the one nearest to the tip.
    pub(crate) tip: usize,
    /// Rows, at most [`Panel::LARGE`], or [`Panel::LARGEST`] of those without ancestors.
    pub(crate) count: usize,
    /// First entry of the panel: a matrix of rows of length `stride`, the tip's last. The panel's own columns are a
    /// square of it,
    /// from `square` on, in which row k, from the tip, has entries from k on.
    pub(crate) begin: usize,
    pub(crate) end: usize,
    pub(crate) stride: usize,
    pub(crate) square: usize,
    /// Common columns.
    pub(crate) common: usize,
    /// Common columns that belong to the branch: how many, and where in the columns of the pattern.
    pub(crate) branch: usize,
    pub(crate) columns: usize,
    /// The first dof of the arm, if the branch is one: a panel of six or seven rows without ancestors.
    pub(crate) arm: Option<usize>,
    /// The first dof of the free root in whose columns the rows end.
    pub(crate) root: Option<usize>,
}

impl Panels {
    /// Adds one to a level, which is the last or the next.
    fn push(&mut self, panel: Panel, level: usize) {
        self.list.push(panel);
        self.levels.resize(level + 1, self.list.len() - 1..self.list.len());
        self.levels[level].end = self.list.len();
    }

    /// Becomes those of `all` whose rows are wanted. Allocates the first time only.
    pub(crate) fn set_to(&mut self, all: &Self, wanted: impl Fn(usize) -> bool) {
        self.list.clear();
        self.list.reserve(all.list.len());
        self.levels.clear();
        self.levels.reserve(all.levels.len());
        for (number, level) in all.levels().enumerate() {
            level.iter().filter(|p| wanted(p.tip)).for_each(|p| self.push(*p, number));
        }
    }

    /// Panels that do not wait for one another, tip to base.
    #[inline(always)]
    pub(crate) fn levels(&self) -> impl Iterator<Item = &[Panel]> {
        self.levels.iter().map(|level| &self.list[level.clone()])
    }

    /// All rows, tip to base.
    #[inline(always)]
    pub(crate) fn all(&self) -> &[Panel] {
        &self.list
    }
}

impl Panel {
    /// Rows of a panel with ancestors, at most: as many as there are registers for.
    pub(crate) const LARGE: usize = 4;
    /// An arm, or a free root.
    pub(crate) const LARGEST: usize = 7;

    /// The K rows of the panel out of its entries, from the tip on.
    #[inline(always)]
    pub(crate) fn rows<'a, T, const K: usize>(&self, entries: &'a [T]) -> [&'a [T]; K] {
        let (mut rows, mut rest): ([&[T]; K], _) = ([&[]; K], entries);
        for row in rows.iter_mut().rev() {
            (*row, rest) = rest.split_at(self.stride);
        }
        rows
    }

    /// [`Self::rows`], to write.
    #[inline(always)]
    pub(crate) fn rows_mut<'a, T, const K: usize>(&self, entries: &'a mut [T]) -> [&'a mut [T]; K] {
        let (mut rows, mut rest): ([&mut [T]; K], _) = (std::array::from_fn(|_| Default::default()), entries);
        for row in rows.iter_mut().rev() {
            (*row, rest) = rest.split_at_mut(self.stride);
        }
        rows
    }
}

/// A row of the pattern.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    /// Where the first of the blocks begins that it ends in.
    pub(crate) begin: usize,
    /// The diagonal entry.
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// First dof of the free root in whose columns it ends, if it is not a row of that root.
    pub(crate) trunk: Option<usize>,
    /// It is the first row of a free root.
    pub(crate) free: bool,
}

impl Pattern {
    pub(crate) fn new<T>(model: &Model<T>) -> Self {
        Self::in_blocks(model, 1)
    }

    /// With rows whose lengths are multiples of `block`.
    pub(crate) fn in_blocks<T>(model: &Model<T>, block: usize) -> Self {
        let mut pattern = Self { rows: Vec::new(), columns: Vec::new(), panels: Panels::default() };
        let free = |root: usize| model.joints[model.bodies[root].joints.start].kind == JointKind::Free;
        let root_of = |dof: usize| {
            let mut body = model.dofs[dof].body;
            while let Some(parent) = model.bodies[body].parent {
                body = parent;
            }
            body
        };
        // Consecutive dofs of one chain, as many as a panel takes; a trunk has panels of its own.
        let in_trunk = |i: usize| model.dofs[i].body == root_of(i) && free(root_of(i));
        let mut first = 0;
        while first < model.dofs.len() {
            let most = if model.dofs[first].parent.is_none() { Panel::LARGEST } else { Panel::LARGE };
            let goes_on = |i: usize| {
                i < model.dofs.len() && model.dofs[i].parent == Some(i - 1) && in_trunk(i) == in_trunk(i - 1)
            };
            let count = 1 + (first + 1..first + most).take_while(|i| goes_on(*i)).count();
            let above: Option<Row> = model.dofs[first].parent.map(|p| pattern.rows[p]);
            let common = above.map_or(0, |p| p.end - p.start);
            let stride = (common + count).next_multiple_of(block);
            let (begin, mut columns) = (pattern.columns.len(), common);
            for i in first..first + count {
                let above = model.dofs[i].parent.map(|p| pattern.rows[p]);
                let end = pattern.columns.len() + stride;
                columns += 1;
                let start = end - columns;
                pattern.columns.resize(start, 0);
                pattern.columns.push(i as u32);
                pattern.columns.extend_from_within(above.map_or(0..0, |p| p.start..p.end));
                let trunk = (!in_trunk(i) && free(root_of(i))).then(|| model.bodies[root_of(i)].dofs.start);
                let free = in_trunk(i) && model.dofs[i].parent.is_none();
                let begin = end - columns.next_multiple_of(block);
                pattern.rows.push(Row { begin, start, end, trunk, free });
            }
            let (tip, start) = (first + count - 1, pattern.rows[first].start);
            let branch = pattern.branch(first);
            let tip_below = branch.first().map(|j| *j as usize);
            let below = tip_below.and_then(|j| pattern.panels.list.iter().find(|p| p.tip == j));
            let arm = below
                .filter(|p| p.common == 0 && p.count == common && common >= TRUNK)
                .map(|p| p.tip + 1 - p.count);
            pattern.panels.list.push(Panel {
                tip,
                count,
                begin,
                end: pattern.columns.len(),
                stride,
                square: stride - common - count,
                common,
                branch: branch.len(),
                columns: start + 1,
                arm,
                root: pattern.rows[first].trunk,
            });
            first += count;
        }
        pattern.order_panels();
        pattern
    }

    /// By how many panels they carry one after another.
    fn order_panels(&mut self) {
        let list = &self.panels.list;
        let mut carried = vec![0; list.len()];
        for (p, panel) in list.iter().enumerate().rev() {
            let below = self.common(panel).first().map(|j| *j as usize);
            if let Some(below) = below.and_then(|j| list.iter().position(|p| p.tip >= j)) {
                carried[below] = carried[below].max(carried[p] + 1);
            }
        }
        let mut order: Vec<usize> = (0..list.len()).collect();
        order.sort_by_key(|p| (carried[*p], usize::MAX - p));
        let mut ordered = Panels::default();
        order.iter().for_each(|p| ordered.push(list[*p], carried[*p]));
        self.panels = ordered;
    }

    /// The common columns of `panel`.
    #[inline(always)]
    pub(crate) fn common(&self, panel: &Panel) -> &[u32] {
        &self.columns[panel.columns..][..panel.common]
    }

    /// The dofs of the branch of `panel`.
    #[inline(always)]
    pub(crate) fn branch_of(&self, panel: &Panel) -> &[u32] {
        &self.columns[panel.columns..][..panel.branch]
    }

    /// Four plain numbers make a block; lanes are blocks already.
    pub(crate) const fn block<T: Real>() -> usize {
        if T::LANES == 1 { 4 } else { 1 }
    }

    /// The place of (i, i).
    #[inline(always)]
    pub(crate) fn start(&self, i: usize) -> usize {
        self.rows[i].start
    }

    #[inline(always)]
    pub(crate) fn row(&self, i: usize) -> Range<usize> {
        self.rows[i].start..self.rows[i].end
    }

    /// Places of all rows.
    #[inline(always)]
    pub(crate) fn places(&self) -> &[Row] {
        &self.rows
    }

    #[inline(always)]
    pub(crate) fn place(&self, i: usize) -> Row {
        self.rows[i]
    }

    #[inline(always)]
    pub(crate) fn columns(&self, i: usize) -> &[u32] {
        &self.columns[self.row(i)]
    }

    /// The columns of row i between its diagonal and the trunk, if there is one.
    #[inline(always)]
    pub(crate) fn branch(&self, i: usize) -> &[u32] {
        self.branch_in(self.rows[i])
    }

    /// [`Self::branch`] of the row at `place`.
    #[inline(always)]
    pub(crate) fn branch_in(&self, place: Row) -> &[u32] {
        let Row { start, end, trunk, .. } = place;
        &self.columns[start + 1..if trunk.is_some() { end - TRUNK } else { end }]
    }

    /// Rows.
    #[inline(always)]
    pub(crate) fn size(&self) -> usize {
        self.rows.len()
    }

    /// Stored entries, zeros before rows included.
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.columns.len()
    }
}

/// M(q), packed as (1).
#[derive(Clone, Debug)]
pub struct MassMatrix<T = f64> {
    pub(crate) pattern: Pattern,
    pub(crate) entries: Vec<T>,
}

impl<T: Real> MassMatrix<T> {
    /// All zero, with the pattern of `model`.
    pub fn new(model: &Model<T>) -> Self {
        let pattern = Pattern::in_blocks(model, Pattern::block::<T>());
        let entries = vec![model.kind(); pattern.len()];
        Self { pattern, entries }
    }

    /// Number of rows, nv.
    #[inline(always)]
    pub fn size(&self) -> usize {
        self.pattern.size()
    }

    /// (i, i), (i, parent(i)), …
    #[inline(always)]
    pub fn row(&self, i: usize) -> &[T] {
        &self.entries[self.pattern.row(i)]
    }

    /// The dofs of the entries of [`Self::row`]: i, parent(i), …
    #[inline(always)]
    pub fn columns(&self, i: usize) -> &[u32] {
        self.pattern.columns(i)
    }

    /// M_ii.
    #[inline(always)]
    pub fn diagonal(&self, i: usize) -> T {
        self.entries[self.pattern.start(i)]
    }

    /// M_ii += x.
    #[inline(always)]
    pub fn add_diagonal(&mut self, i: usize, x: T) {
        self.entries[self.pattern.start(i)] += x;
    }

    /// Becomes `other`, a matrix of the same model.
    #[inline(always)]
    pub fn set_to(&mut self, other: &Self) {
        self.entries.copy_from_slice(&other.entries);
    }

    /// The full matrix by rows, nv × nv.
    pub fn to_dense(&self) -> Vec<T> {
        let n = self.size();
        let Some(first) = self.entries.first() else { return Vec::new() };
        let mut dense = vec![first.zero(); n * n];
        for i in 0..n {
            for (x, j) in self.row(i).iter().zip(self.columns(i)) {
                dense[i * n + *j as usize] = *x;
                dense[*j as usize * n + i] = *x;
            }
        }
        dense
    }

    /// y = M x.
    #[inline(always)]
    pub fn mul_into(&self, x: &[T], y: &mut [T]) {
        assert_eq!((x.len(), y.len()), (self.size(), self.size()), "x and y have nv entries");
        for i in 0..x.len() {
            let (row, columns) = (self.row(i), self.columns(i));
            let (x_i, mut y_i) = (x[i], row[0] * x[i]);
            for (m, j) in row[1..].iter().zip(&columns[1..]) {
                let j = *j as usize;
                y_i += *m * x[j];
                y[j] += *m * x_i;
            }
            y[i] = y_i;
        }
    }
}
