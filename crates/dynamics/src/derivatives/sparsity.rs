//! Which columns of a matrix with one row and one column per dof are not zero, as runs.

use crate::mass_matrix::Pattern;
use crate::{JointKind, Model};
use std::ops::Range;

/// Runs of columns, per row.
#[derive(Clone, Debug)]
pub(crate) struct Runs {
    runs: Vec<Range<usize>>,
    /// Per row: its entries in `runs`.
    rows: Vec<Range<usize>>,
}

impl Runs {
    /// The dofs on one chain with i: where ∂τ/∂(q, v) is not zero. Translations of a free root,
    /// on which nothing depends, are left out.
    pub(crate) fn chain<T>(model: &Model<T>) -> Self {
        let pattern = Pattern::new(model);
        let above = |i: usize, j: usize| pattern.columns(i).contains(&(j as u32));
        Self::new(model, |i, j| (above(i, j) || above(j, i)) && !is_free_translation(model, j))
    }

    /// The dofs of the tree of i, without the translations of a free root.
    pub(crate) fn tree<T>(model: &Model<T>) -> Self {
        let tree = |i: usize| model.bodies[model.dofs[i].body].tree;
        Self::new(model, |i, j| tree(i) == tree(j) && !is_free_translation(model, j))
    }

    /// The dofs of the tree of i from i on.
    pub(crate) fn tree_from<T>(model: &Model<T>) -> Self {
        let tree = |i: usize| model.bodies[model.dofs[i].body].tree;
        Self::new(model, |i, j| i <= j && tree(i) == tree(j))
    }

    /// Those that i moves, i among them.
    pub(crate) fn moved<T>(model: &Model<T>) -> Self {
        let pattern = Pattern::new(model);
        Self::new(model, |i, j| pattern.columns(j).contains(&(i as u32)))
    }

    fn new<T>(model: &Model<T>, holds: impl Fn(usize, usize) -> bool) -> Self {
        let (mut runs, mut rows): (Vec<Range<usize>>, Vec<Range<usize>>) = (Vec::new(), Vec::new());
        for i in 0..model.nv() {
            let first = runs.len();
            for j in (0..model.nv()).filter(|j| holds(i, *j)) {
                match runs[first..].last_mut() {
                    Some(run) if run.end == j => run.end = j + 1,
                    _ => runs.push(j..j + 1),
                }
            }
            rows.push(first..runs.len());
        }
        Self { runs, rows }
    }

    /// The runs of row i.
    #[inline(always)]
    pub(crate) fn row(&self, i: usize) -> &[Range<usize>] {
        &self.runs[self.rows[i].clone()]
    }
}

fn is_free_translation<T>(model: &Model<T>, i: usize) -> bool {
    let joint = &model.joints[model.dofs[i].joint];
    joint.kind == JointKind::Free && i < joint.idx_v + 3
}
