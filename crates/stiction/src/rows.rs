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
use stiction_dynamics::spatial::{Mat3, Vec3};
use stiction_dynamics::{Factor, Model};

/// Rows of all blocks. The columns of a block are 3-vectors; a block of one row uses the first
/// component.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    blocks: Vec<Block>,
    /// Dofs of every block, descending.
    support: Vec<usize>,
    /// Column of J at every dof of `support`, and of w as in (1).
    J: Vec<Vec3>,
    W: Vec<Vec3>,
    /// Blocks that touch each tree, ascending.
    blocks_of_tree: Vec<Vec<usize>>,
    /// One entry per dof, zero between calls.
    scratch: Vec<Vec3>,
    /// D^-½.
    root: Vec<f64>,
}

#[derive(Clone, Copy, Debug)]
struct Block {
    dim: usize,
    /// Range in `support`, `J`, `W`.
    start: usize,
    end: usize,
    trees: [Option<usize>; 2],
    /// The support is one chain, from this dof to the root.
    tip: Option<usize>,
}

impl Block {
    fn range(&self) -> std::ops::Range<usize> {
        self.start..self.end
    }
}

impl Rows {
    /// Removes all rows; keeps the memory.
    pub(crate) fn clear(&mut self, nv: usize, trees: usize) {
        self.blocks.clear();
        self.support.clear();
        self.J.clear();
        self.W.clear();
        self.blocks_of_tree.resize(trees, Vec::new());
        self.blocks_of_tree.iter_mut().for_each(Vec::clear);
        self.scratch.resize(nv, Vec3::ZERO);
    }

    /// Adds a block of `dim` rows on the union of two descending chains of dofs, closed under
    /// ancestors. `column(dof, on_a, on_b)` is J at a dof and is told which of the chains it is on.
    pub(crate) fn push(
        &mut self,
        dim: usize,
        trees: [Option<usize>; 2],
        chain_a: impl Iterator<Item = usize>,
        chain_b: impl Iterator<Item = usize>,
        mut column: impl FnMut(usize, bool, bool) -> Vec3,
    ) {
        let start = self.support.len();
        let (mut a, mut b) = (chain_a.peekable(), chain_b.peekable());
        let tip = match (a.peek(), b.peek()) {
            (Some(tip), None) | (None, Some(tip)) => Some(*tip),
            _ => None,
        };
        loop {
            let (dof, on_a, on_b) = match (a.peek().copied(), b.peek().copied()) {
                (None, None) => break,
                (Some(x), None) => (x, true, false),
                (None, Some(y)) => (y, false, true),
                (Some(x), Some(y)) => (x.max(y), x >= y, y >= x),
            };
            if on_a {
                a.next();
            }
            if on_b {
                b.next();
            }
            self.support.push(dof);
            self.J.push(column(dof, on_a, on_b));
        }
        self.close(dim, start, trees, tip);
    }

    /// Adds the row Σ c v over (dof, c), whose dofs belong to at most two trees.
    pub(crate) fn push_linear(&mut self, terms: &[(usize, f64)], model: &Model) {
        let start = self.support.len();
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
        let tip = if let [(dof, _)] = terms { Some(*dof) } else { None };
        if tip.is_none() {
            self.support[start..].sort_unstable_by(|a, b| b.cmp(a));
            let mut kept = start;
            for k in start..self.support.len() {
                if k == start || self.support[k] != self.support[kept - 1] {
                    self.support[kept] = self.support[k];
                    kept += 1;
                }
            }
            self.support.truncate(kept);
        }
        let coefficient = |d: &usize| terms.iter().filter(|t| t.0 == *d).map(|t| t.1).sum::<f64>();
        self.J.extend(self.support[start..].iter().map(|d| Vec3::X * coefficient(d)));
        self.close(1, start, trees, tip);
    }

    /// Ends the block in progress.
    fn close(&mut self, dim: usize, start: usize, trees: [Option<usize>; 2], tip: Option<usize>) {
        let trees = if trees[0] == trees[1] { [trees[0], None] } else { trees };
        for tree in trees.into_iter().flatten() {
            self.blocks_of_tree[tree].push(self.blocks.len());
        }
        self.blocks.push(Block { dim, start, end: self.support.len(), trees, tip });
    }

    /// Number of blocks.
    pub(crate) fn len(&self) -> usize {
        self.blocks.len()
    }

    /// J v of block i.
    pub(crate) fn velocity(&self, i: usize, v: &[f64]) -> Vec3 {
        let range = self.blocks[i].range();
        let mut out = Vec3::ZERO;
        for (dof, column) in self.support[range.clone()].iter().zip(&self.J[range]) {
            out += *column * v[*dof];
        }
        out
    }

    /// tau += Jᵀ λ, over all blocks.
    pub(crate) fn add_impulses_into(&self, row_start: &[usize], impulses: &[f64], tau: &mut [f64]) {
        for (block, row) in self.blocks.iter().zip(row_start) {
            let lambda = match impulses[*row..*row + block.dim] {
                [x, y, z] => Vec3 { x, y, z },
                [x] => Vec3::X * x,
                _ => unreachable!("a block has one or three rows"),
            };
            if lambda == Vec3::ZERO {
                continue;
            }
            for (dof, column) in self.support[block.range()].iter().zip(&self.J[block.range()]) {
                tau[*dof] += column.dot(lambda);
            }
        }
    }

    /// (1): fills the blocks of `problem`, which already holds one cone per block of these rows.
    pub(crate) fn assemble(&mut self, factor: &Factor, problem: &mut ConstraintProblem) {
        self.half_solve(factor);
        let (row_start, out) = problem.starts_and_blocks_mut();
        out.set_pattern(row_start, |i, columns| self.neighbours_into(i, columns));
        for i in 0..self.len() {
            for k in out.entries(i) {
                let j = out.column_of(k);
                if j < i {
                    continue;
                }
                let product = self.product(i, j);
                let (di, dj) = (self.blocks[i].dim, self.blocks[j].dim);
                write(&product, di, dj, out.entry_mut(k));
                if j > i {
                    let mirror = out.mirror_of(k);
                    write(&product.transpose(), dj, di, out.entry_mut(mirror));
                }
            }
        }
    }

    /// W = D^-½ L⁻ᵀ Jᵀ.
    fn half_solve(&mut self, factor: &Factor) {
        self.root.clear();
        self.root.extend(factor.inverse_diagonal().iter().map(|d| d.sqrt()));
        self.W.clear();
        self.W.extend_from_slice(&self.J);
        for block in &self.blocks {
            let (support, W) = (&self.support[block.range()], &mut self.W[block.range()]);
            if let Some(tip) = block.tip {
                factor.half_solve_packed_in_place(tip, W);
            } else {
                for (dof, w) in support.iter().zip(W.iter()) {
                    self.scratch[*dof] = *w;
                }
                for dof in support {
                    let x = self.scratch[*dof];
                    for (L, j) in factor.row(*dof).iter().zip(factor.columns(*dof)).skip(1) {
                        self.scratch[*j as usize] -= x * *L;
                    }
                }
                for (dof, w) in support.iter().zip(W.iter_mut()) {
                    *w = std::mem::take(&mut self.scratch[*dof]);
                }
            }
            for (dof, w) in support.iter().zip(W) {
                *w = *w * self.root[*dof];
            }
        }
    }

    /// Wᵢᵀ Wⱼ over common dofs.
    #[inline]
    fn product(&self, i: usize, j: usize) -> Mat3 {
        let (bi, bj) = (&self.blocks[i], &self.blocks[j]);
        let (si, sj) = (&self.support[bi.range()], &self.support[bj.range()]);
        let (wi, wj) = (&self.W[bi.range()], &self.W[bj.range()]);
        let mut rows = [Vec3::ZERO; 3];
        let mut add = |x: Vec3, y: Vec3| {
            rows[0] += y * x.x;
            rows[1] += y * x.y;
            rows[2] += y * x.z;
        };
        if bi.tip.is_some() && bj.tip.is_some() {
            // Two chains have in common how they end.
            for (((p, q), x), y) in
                si.iter().rev().zip(sj.iter().rev()).zip(wi.iter().rev()).zip(wj.iter().rev())
            {
                if p != q {
                    break;
                }
                add(*x, *y);
            }
            return Mat3 { rows };
        }
        let (mut a, mut b) = (0, 0);
        while a < si.len() && b < sj.len() {
            match si[a].cmp(&sj[b]) {
                std::cmp::Ordering::Greater => a += 1,
                std::cmp::Ordering::Less => b += 1,
                std::cmp::Ordering::Equal => {
                    add(wi[a], wj[b]);
                    a += 1;
                    b += 1;
                }
            }
        }
        Mat3 { rows }
    }

    /// Blocks that share a tree with block i, ascending, i among them.
    fn neighbours_into(&self, i: usize, out: &mut Vec<usize>) {
        let list = |t: Option<usize>| t.map_or(&[][..], |t| &self.blocks_of_tree[t]);
        let [a, b] = self.blocks[i].trees.map(list);
        if b.is_empty() {
            out.extend_from_slice(if a.is_empty() { std::slice::from_ref(&i) } else { a });
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
}

/// The leading di × dj entries of `m`, by rows.
#[inline]
fn write(m: &Mat3, di: usize, dj: usize, out: &mut [f64]) {
    for (row, out) in m.rows.iter().zip(out.chunks_exact_mut(dj)).take(di) {
        out.copy_from_slice(&row.to_array()[..dj]);
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
        let fill = |dof: usize, _: bool, _: bool| vec3(value(dof, 0), value(dof, 1), value(dof, 2));
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
                let range = problem.range(i);
                let velocity = rows.velocity(i, &column).to_array();
                expected[range.clone()].copy_from_slice(&velocity[..range.len()]);
            }
            let mut got = Vec::new();
            problem.velocities_into(&unit(r), &mut got);
            assert!(got.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-12), "column {r}");
        }
    }
}
