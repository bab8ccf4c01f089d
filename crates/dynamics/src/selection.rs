//! Which trees of a model the algorithms go through: all, or those that are not left out.
//!
//! Bodies are told as ranges, so that the loops over them are the same whether all are gone through, which is one
//! range, or some. What is left out keeps the numbers it has.

use crate::topology::Topology;
use std::ops::Range;

/// The bodies, dofs and joints of the trees that are selected, as ascending ranges.
#[derive(Clone, Debug)]
pub(crate) struct Selection {
    pub(crate) bodies: Vec<Range<usize>>,
    pub(crate) dofs: Vec<Range<usize>>,
    pub(crate) joints: Vec<Range<usize>>,
    /// Per tree.
    left_out: Vec<bool>,
}

impl Selection {
    /// Everything.
    pub(crate) fn all(bodies: usize, dofs: usize, joints: usize, trees: usize) -> Self {
        let one = |n: usize| std::iter::once(0..n).collect();
        Self { bodies: one(bodies), dofs: one(dofs), joints: one(joints), left_out: vec![false; trees] }
    }

    /// The trees for which `goes` is true. Allocates the first time only.
    pub(crate) fn set(&mut self, topology: &Topology, goes: impl Fn(usize) -> bool) {
        self.left_out.iter_mut().enumerate().for_each(|(t, out)| *out = !goes(t));
        let Self { bodies, dofs, joints, left_out } = self;
        for ranges in [&mut *bodies, dofs, joints] {
            ranges.clear();
            ranges.reserve(topology.tree.len());
        }
        for b in (0..topology.tree.len()).filter(|&b| !left_out[topology.tree[b]]) {
            append_range(bodies, b..b + 1);
            append_range(dofs, topology.dofs[b].clone());
            append_range(joints, topology.joints[b].clone());
        }
    }

    #[inline]
    pub(crate) fn goes(&self, tree: usize) -> bool {
        !self.left_out[tree]
    }

    /// True when the dof belongs to a tree that is selected.
    pub(crate) fn goes_dof(&self, dof: usize) -> bool {
        self.dofs.iter().any(|r| r.contains(&dof))
    }
}

/// Ranges that meet become one.
pub fn append_range(ranges: &mut Vec<Range<usize>>, more: Range<usize>) {
    match ranges.last_mut() {
        Some(last) if last.end == more.start => last.end = more.end,
        _ => ranges.push(more),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::*;
    use crate::{CrbaWorkspace, Factor, MassMatrix, Real, RneaWorkspace, Velocities, bias_into, crba_into};

    /// Selection changes no number of the trees that are selected, and leaves those of the others as they were.
    #[test]
    fn some_trees_are_as_in_the_whole() {
        let model = random_trees(41, 24);
        assert!(model.trees > 1, "more than one tree");
        let (q, v) = random_state(&model, 41);
        let (whole, _) = at(&model, &q, &v);
        let mut kin = crate::Kinematics::new(&model);
        let (start, goes) = (kin.clone(), |tree: usize| tree % 2 == 1);
        kin.select(goes);
        kin.update(&model, &q);
        let mut vel = Velocities::new(&model);
        vel.update(&model, &kin, &v);
        let mut tau = vec![7.0; model.nv()];
        bias_into(&model, &kin, &vel, &mut RneaWorkspace::new(&model), &mut tau);
        let mut M = MassMatrix::new(&model);
        crba_into(&model, &kin, &mut CrbaWorkspace::new(&model), &mut M);
        let mut factor = Factor::new(&model);
        factor.select(kin.selected_dofs());
        factor.factor(&M).unwrap();
        let mut x = v.clone();
        factor.solve_in_place(&mut x);

        let expected_tau = bias(&model, &whole, &at(&model, &q, &v).1);
        let expected_M = mass_matrix(&model, &whole);
        let mut expected_x = v.clone();
        factored(&model, &expected_M).solve_in_place(&mut expected_x);
        for (b, body) in model.bodies.iter().enumerate() {
            let from = if goes(body.tree) { &whole } else { &start };
            assert!(kin.X_WB[b] == from.X_WB[b] && kin.I[b] == from.I[b], "body {b}");
        }
        for (i, dof) in model.dofs.iter().enumerate() {
            if goes(model.bodies[dof.body].tree) {
                assert_eq!((tau[i], x[i]), (expected_tau[i], expected_x[i]), "dof {i}");
                assert_eq!(M.row(i), expected_M.row(i), "dof {i}");
            } else {
                assert_eq!((tau[i], x[i]), (7.0, v[i]), "dof {i}");
                assert!(M.row(i).iter().all(|m| *m == m.zero()), "dof {i}");
            }
        }
        kin.select(|_| true);
        kin.update(&model, &q);
        assert!(
            kin.X_WB == whole.X_WB && kin.selected_dofs().iter().map(Range::len).sum::<usize>() == model.nv()
        );
    }
}
