//! Constraint Jacobians along the branches of the tree, and the Delassus matrix they make.
//!
//! A row of J is nonzero only on the dofs between its bodies and the roots of their trees. With
//! M = LᵀDL of the same branch sparsity, that support is closed under L⁻ᵀ, so
//!
//! ```text
//!     w = D^-½ L⁻ᵀ Jᵀ   (on the support),     Gᵢⱼ = wᵢᵀ wⱼ  over common dofs         (1)
//! ```
//!
//! and two blocks meet only if they share a tree. [Featherstone2010]

use stiction_contact::ConstraintProblem;
use stiction_dynamics::{Factor, Model};

/// Rows of all blocks. Values are dof-major: entry `k * dim + r` is row r at dof `support[k]`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    /// Support of block i: `support[start[i]..start[i + 1]]`, dofs descending.
    start: Vec<usize>,
    support: Vec<usize>,
    /// First value of block i.
    value_start: Vec<usize>,
    J: Vec<f64>,
    W: Vec<f64>,
    /// Blocks that touch each tree, ascending.
    blocks_of_tree: Vec<Vec<usize>>,
    trees: Vec<[Option<usize>; 2]>,
    /// One entry per dof, zero between calls.
    scratch: Vec<f64>,
    /// D^-½.
    root: Vec<f64>,
}

impl Rows {
    /// Removes all rows; keeps the memory.
    pub(crate) fn clear(&mut self, nv: usize, trees: usize) {
        self.start.clear();
        self.start.push(0);
        self.support.clear();
        self.value_start.clear();
        self.value_start.push(0);
        self.J.clear();
        self.W.clear();
        self.blocks_of_tree.resize(trees, Vec::new());
        self.blocks_of_tree.iter_mut().for_each(Vec::clear);
        self.trees.clear();
        self.scratch.resize(nv, 0.0);
    }

    /// Adds a block of `dim` rows on the union of two descending chains of dofs, closed under
    /// ancestors. `column(dof, on_a, on_b, out)` writes the `dim` entries of J at a dof and is told
    /// which of the chains it is on.
    pub(crate) fn push(
        &mut self,
        dim: usize,
        trees: [Option<usize>; 2],
        chain_a: impl Iterator<Item = usize>,
        chain_b: impl Iterator<Item = usize>,
        mut column: impl FnMut(usize, bool, bool, &mut [f64]),
    ) {
        let (mut a, mut b) = (chain_a.peekable(), chain_b.peekable());
        loop {
            let (dof, on_a, on_b) = match (a.peek().copied(), b.peek().copied()) {
                (None, None) => break,
                (Some(x), None) => (x, true, false),
                (None, Some(y)) => (y, false, true),
                (Some(x), Some(y)) if x == y => (x, true, true),
                (Some(x), Some(y)) => (x.max(y), x > y, y > x),
            };
            if on_a {
                a.next();
            }
            if on_b {
                b.next();
            }
            self.support.push(dof);
            let first = self.J.len();
            self.J.resize(first + dim, 0.0);
            column(dof, on_a, on_b, &mut self.J[first..]);
        }
        self.close(trees);
    }

    /// Adds the row Σ c v over (dof, c), whose dofs belong to at most two trees.
    pub(crate) fn push_linear(&mut self, terms: &[(usize, f64)], model: &Model) {
        let first = self.support.len();
        let mut trees = [None; 2];
        for &(dof, _) in terms {
            let tree = Some(model.bodies[model.dofs[dof].body].tree);
            match trees {
                [None, _] => trees[0] = tree,
                [a, None] if a != tree => trees[1] = tree,
                [a, b] => assert!(a == tree || b == tree, "a linear row joins at most two trees"),
            }
            self.support.extend(std::iter::successors(Some(dof), |&d| model.dofs[d].parent));
        }
        let support = &mut self.support[first..];
        support.sort_unstable_by(|a, b| b.cmp(a));
        let mut kept = first;
        for k in first..self.support.len() {
            if k == first || self.support[k] != self.support[kept - 1] {
                self.support[kept] = self.support[k];
                kept += 1;
            }
        }
        self.support.truncate(kept);
        let coefficient = |d: &usize| terms.iter().filter(|t| t.0 == *d).map(|t| t.1).sum::<f64>();
        self.J.extend(self.support[first..].iter().map(coefficient));
        self.close(trees);
    }

    /// Ends the block in progress.
    fn close(&mut self, trees: [Option<usize>; 2]) {
        let block = self.trees.len();
        self.start.push(self.support.len());
        self.value_start.push(self.J.len());
        let trees = if trees[0] == trees[1] { [trees[0], None] } else { trees };
        for tree in trees.into_iter().flatten() {
            self.blocks_of_tree[tree].push(block);
        }
        self.trees.push(trees);
    }

    /// Number of blocks.
    pub(crate) fn len(&self) -> usize {
        self.trees.len()
    }

    /// J of block i at every dof of its support: (dof, the entries of its rows).
    pub(crate) fn jacobian(&self, i: usize) -> impl Iterator<Item = (usize, &[f64])> {
        let support = &self.support[self.start[i]..self.start[i + 1]];
        let values = &self.J[self.value_start[i]..self.value_start[i + 1]];
        let dim = if support.is_empty() { 1 } else { values.len() / support.len() };
        support.iter().copied().zip(values.chunks_exact(dim))
    }

    /// out = J v, for block i.
    pub(crate) fn velocity_into(&self, i: usize, v: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for (dof, column) in self.jacobian(i) {
            for (out, j) in out.iter_mut().zip(column) {
                *out += j * v[dof];
            }
        }
    }

    /// tau += Jᵀ λ, over all blocks.
    pub(crate) fn add_impulses_into(&self, row_start: &[usize], impulses: &[f64], tau: &mut [f64]) {
        for i in 0..self.len() {
            let lambda = &impulses[row_start[i]..row_start[i + 1]];
            if lambda.iter().all(|l| *l == 0.0) {
                continue;
            }
            for (dof, column) in self.jacobian(i) {
                tau[dof] += column.iter().zip(lambda).map(|(j, l)| j * l).sum::<f64>();
            }
        }
    }

    /// (1): fills the blocks of `problem`, which already holds one cone per block of these rows.
    pub(crate) fn assemble(&mut self, factor: &Factor, problem: &mut ConstraintProblem) {
        self.half_solve(factor);
        let (starts, blocks) = problem.starts_and_blocks_mut();
        blocks.set_pattern(starts, |i, out| merge_trees(&self.blocks_of_tree, self.trees[i], i, out));
        for i in 0..self.len() {
            for k in blocks.entries(i) {
                let j = blocks.column_of(k);
                if j < i {
                    continue;
                }
                let (di, dj) = (starts[i + 1] - starts[i], starts[j + 1] - starts[j]);
                self.product_into(i, j, di, dj, blocks.entry_mut(k));
                if j > i {
                    let mut upper = [0.0; 9];
                    let n = di * dj;
                    upper[..n].copy_from_slice(blocks.entry(k));
                    let mirror = blocks.mirror_of(k);
                    let lower = blocks.entry_mut(mirror);
                    for r in 0..di {
                        for c in 0..dj {
                            lower[c * di + r] = upper[r * dj + c];
                        }
                    }
                }
            }
        }
    }

    /// W = D^-½ L⁻ᵀ Jᵀ.
    fn half_solve(&mut self, factor: &Factor) {
        self.W.resize(self.J.len(), 0.0);
        self.root.clear();
        self.root.extend(factor.inverse_diagonal().iter().map(|d| d.sqrt()));
        for i in 0..self.len() {
            let support = &self.support[self.start[i]..self.start[i + 1]];
            if support.is_empty() {
                continue;
            }
            let values = self.value_start[i]..self.value_start[i + 1];
            let dim = values.len() / support.len();
            let (J, W) = (&self.J[values.clone()], &mut self.W[values]);
            for r in 0..dim {
                for (k, &dof) in support.iter().enumerate() {
                    self.scratch[dof] = J[k * dim + r];
                }
                factor.half_solve_chain_in_place(support, &mut self.scratch);
                for (k, &dof) in support.iter().enumerate() {
                    W[k * dim + r] = self.scratch[dof] * self.root[dof];
                    self.scratch[dof] = 0.0;
                }
            }
        }
    }

    /// Wᵢᵀ Wⱼ over common dofs, by rows.
    fn product_into(&self, i: usize, j: usize, di: usize, dj: usize, out: &mut [f64]) {
        let (si, sj) = (
            &self.support[self.start[i]..self.start[i + 1]],
            &self.support[self.start[j]..self.start[j + 1]],
        );
        let (wi, wj) = (&self.W[self.value_start[i]..], &self.W[self.value_start[j]..]);
        let (mut a, mut b) = (0, 0);
        while a < si.len() && b < sj.len() {
            match si[a].cmp(&sj[b]) {
                std::cmp::Ordering::Greater => a += 1,
                std::cmp::Ordering::Less => b += 1,
                std::cmp::Ordering::Equal => {
                    let (x, y) = (&wi[a * di..a * di + di], &wj[b * dj..b * dj + dj]);
                    for (x, out) in x.iter().zip(out.chunks_exact_mut(dj)) {
                        for (y, out) in y.iter().zip(out) {
                            *out += x * y;
                        }
                    }
                    a += 1;
                    b += 1;
                }
            }
        }
    }
}

/// Blocks that share a tree with block i, ascending, i among them.
fn merge_trees(blocks_of_tree: &[Vec<usize>], trees: [Option<usize>; 2], i: usize, out: &mut Vec<usize>) {
    let list = |t: Option<usize>| t.map_or(&[][..], |t| &blocks_of_tree[t]);
    let (a, b) = (list(trees[0]), list(trees[1]));
    if a.is_empty() && b.is_empty() {
        out.push(i);
        return;
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use stiction_contact::Cone;
    use stiction_dynamics::spatial::{Inertia, Pose, Sym3, Vec3, vec3};
    use stiction_dynamics::{
        CrbaWorkspace, JointKind, JointSpec, Kinematics, MassMatrix, ModelBuilder, crba_into,
    };

    /// A two-link arm and a free body.
    fn arm_and_body() -> Model {
        let solid = |m| Inertia::new(m, vec3(0.1, 0.2, -0.3), Sym3::diagonal(0.02, 0.03, 0.04));
        let mut b = ModelBuilder::new();
        let upper = b.link("upper", None, Pose::IDENTITY, solid(2.0));
        b.joint(upper, JointSpec::new("shoulder", JointKind::Hinge, Vec3::Y));
        let lower = b.link("lower", Some(upper), Pose::from_translation(vec3(0.0, 0.0, -0.5)), solid(1.0));
        b.joint(lower, JointSpec::new("elbow", JointKind::Hinge, vec3(0.0, 1.0, 1.0)));
        let free = b.link("free", None, Pose::from_translation(vec3(1.0, 0.0, 0.0)), solid(3.0));
        b.joint(free, JointSpec::new("free", JointKind::Free, Vec3::Z));
        b.build(vec3(0.0, 0.0, -9.81)).unwrap()
    }

    /// Every block of (1) against J M⁻¹ Jᵀ by full solves.
    #[test]
    fn delassus_is_j_inverse_m_jt() {
        let model = arm_and_body();
        let mut q = model.neutral();
        q[..2].copy_from_slice(&[0.4, -0.9]);
        let mut kin = Kinematics::new(&model);
        kin.update(&model, &q);
        let (mut mass, mut crba) = (MassMatrix::new(&model), CrbaWorkspace::new(&model));
        crba_into(&model, &kin, &mut crba, &mut mass);
        let mut factor = Factor::new(&model);
        factor.factor(&mass).unwrap();

        let (mut rows, mut problem) = (Rows::default(), ConstraintProblem::default());
        rows.clear(model.nv(), model.trees);
        let value = |dof: usize, r: usize| ((3 * dof + 5 * r) as f64).sin();
        let fill = |dof: usize, _: bool, _: bool, out: &mut [f64]| {
            (0..out.len()).for_each(|r| out[r] = value(dof, r));
        };
        // Arm against body, arm against itself, one joint, a coupling across trees.
        rows.push(3, [Some(0), Some(1)], model.chain(Some(1)), model.chain(Some(2)), fill);
        rows.push(3, [Some(0), Some(0)], model.chain(Some(0)), model.chain(Some(1)), fill);
        rows.push_linear(&[(1, 1.0)], &model);
        rows.push_linear(&[(1, 0.5), (4, -2.0)], &model);
        for cone in [Cone::Friction { mu: 0.5 }, Cone::Friction { mu: 0.5 }, Cone::Free, Cone::Free] {
            problem.push(cone, &[0.0; 3][..cone.dim()]);
        }
        rows.assemble(&factor, &mut problem);

        let n = problem.rows();
        let unit = |r: usize| (0..n).map(|i| f64::from(u8::from(i == r))).collect::<Vec<_>>();
        for r in 0..n {
            let mut column = vec![0.0; model.nv()];
            rows.add_impulses_into(problem.row_start(), &unit(r), &mut column);
            factor.solve_in_place(&mut column);
            let mut expected = vec![0.0; n];
            for i in 0..rows.len() {
                rows.velocity_into(i, &column, &mut expected[problem.range(i)]);
            }
            let mut got = Vec::new();
            problem.velocities_into(&unit(r), &mut got);
            assert!(got.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-12), "column {r}");
        }
    }
}
