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

use std::ops::Range;
use stiction_contact::ConstraintProblem;
use stiction_dynamics::spatial::{Mat3, Vec3};
use stiction_dynamics::{Factor, Model};

/// Rows of all blocks. The columns of a block are 3-vectors; a block of one row uses the first
/// component.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    blocks: Vec<Block>,
    /// One per block and tree it touches.
    segments: Vec<Segment>,
    /// Dofs of every segment, descending.
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
    /// Its segments: none, one or two.
    first: usize,
    end: usize,
}

/// The part of a block in one tree.
#[derive(Clone, Copy, Debug)]
struct Segment {
    tree: usize,
    /// Range in `support`, `J`, `W`.
    start: usize,
    end: usize,
    /// The support is one chain, from this dof to the root.
    tip: Option<usize>,
}

impl Segment {
    fn range(&self) -> Range<usize> {
        self.start..self.end
    }
}

/// One end of a constraint: the dof nearest to it, and the tree of that dof.
#[derive(Clone, Copy, Debug)]
pub(crate) struct End {
    pub(crate) tip: usize,
    pub(crate) tree: usize,
}

impl Rows {
    /// Removes all rows; keeps the memory.
    pub(crate) fn clear(&mut self, nv: usize, trees: usize) {
        self.blocks.clear();
        self.segments.clear();
        self.support.clear();
        self.J.clear();
        self.W.clear();
        self.blocks_of_tree.resize(trees, Vec::new());
        self.blocks_of_tree.iter_mut().for_each(Vec::clear);
        self.scratch.resize(nv, Vec3::ZERO);
    }

    /// Adds a block of `dim` rows between two ends (`None`: the world). `column(dof, on_a, on_b)` is
    /// J at a dof and is told from which of the ends it is reached.
    pub(crate) fn push(
        &mut self,
        dim: usize,
        model: &Model,
        ends: [Option<End>; 2],
        mut column: impl FnMut(usize, bool, bool) -> Vec3,
    ) {
        let first = self.segments.len();
        match ends {
            [Some(a), Some(b)] if a.tree == b.tree => {
                let start = self.support.len();
                let (mut x, mut y) = (Some(a.tip), Some(b.tip));
                while let Some(dof) = x.max(y) {
                    self.support.push(dof);
                    self.J.push(column(dof, x == Some(dof), y == Some(dof)));
                    for end in [&mut x, &mut y] {
                        if *end == Some(dof) {
                            *end = model.dofs[dof].parent;
                        }
                    }
                }
                self.segments.push(Segment { tree: a.tree, start, end: self.support.len(), tip: None });
            }
            _ => {
                for (which, end) in ends.into_iter().enumerate() {
                    let Some(End { tip, tree }) = end else { continue };
                    let start = self.support.len();
                    let mut next = Some(tip);
                    while let Some(dof) = next {
                        self.support.push(dof);
                        self.J.push(column(dof, which == 0, which == 1));
                        next = model.dofs[dof].parent;
                    }
                    self.segments.push(Segment { tree, start, end: self.support.len(), tip: Some(tip) });
                }
            }
        }
        self.close(dim, first);
    }

    /// Adds the row Σ c v over (dof, c), whose dofs belong to at most two trees.
    pub(crate) fn push_linear(&mut self, terms: &[(usize, f64)], model: &Model) {
        self.push_sum(terms.iter().copied(), model);
    }

    /// The same for terms made on the way.
    pub(crate) fn push_sum(&mut self, terms: impl Iterator<Item = (usize, f64)> + Clone, model: &Model) {
        let tree_of = |dof: usize| model.bodies[model.dofs[dof].body].tree;
        let first = self.segments.len();
        let mut alone = terms.clone();
        let only = alone.next().filter(|_| alone.next().is_none());
        let mut trees = terms.clone().next().map(|t| tree_of(t.0));
        while let Some(tree) = trees {
            let start = self.support.len();
            for (dof, _) in terms.clone().filter(|t| tree_of(t.0) == tree) {
                self.support.extend(std::iter::successors(Some(dof), |&d| model.dofs[d].parent));
            }
            let tip = only.map(|t| t.0);
            if tip.is_none() {
                sort_and_merge(&mut self.support, start);
            }
            let coefficient = |d: &usize| terms.clone().filter(|t| t.0 == *d).map(|t| t.1).sum::<f64>();
            self.J.extend(self.support[start..].iter().map(|d| Vec3::X * coefficient(d)));
            self.segments.push(Segment { tree, start, end: self.support.len(), tip });
            let seen = &self.segments[first..];
            trees = terms.clone().map(|t| tree_of(t.0)).find(|t| seen.iter().all(|s| s.tree != *t));
        }
        self.close(1, first);
    }

    /// Ends the block whose segments start at `first`.
    fn close(&mut self, dim: usize, first: usize) {
        for segment in &self.segments[first..] {
            self.blocks_of_tree[segment.tree].push(self.blocks.len());
        }
        self.blocks.push(Block { dim, first, end: self.segments.len() });
    }

    fn segments_of(&self, block: &Block) -> &[Segment] {
        &self.segments[block.first..block.end]
    }

    /// Range of block i in `support`, `J`, `W`.
    fn range(&self, block: &Block) -> Range<usize> {
        match self.segments_of(block) {
            [] => 0..0,
            [one] => one.range(),
            [first, .., last] => first.start..last.end,
        }
    }

    /// Number of blocks.
    pub(crate) fn len(&self) -> usize {
        self.blocks.len()
    }

    /// J v of block i.
    pub(crate) fn velocity(&self, i: usize, v: &[f64]) -> Vec3 {
        let range = self.range(&self.blocks[i]);
        let mut out = Vec3::ZERO;
        for (dof, column) in self.support[range.clone()].iter().zip(&self.J[range]) {
            out += *column * v[*dof];
        }
        out
    }

    /// (dof, column of J) of block i; a dof comes once.
    pub(crate) fn columns(&self, i: usize) -> impl Iterator<Item = (usize, Vec3)> + '_ {
        let range = self.range(&self.blocks[i]);
        self.support[range.clone()].iter().copied().zip(self.J[range].iter().copied())
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
            let range = self.range(block);
            for (dof, column) in self.support[range.clone()].iter().zip(&self.J[range]) {
                tau[*dof] += column.dot(lambda);
            }
        }
    }

    /// (1): fills the blocks of `problem`, which already holds one cone per block of these rows.
    pub(crate) fn assemble(&mut self, factor: &Factor, problem: &mut ConstraintProblem) {
        self.half_solve(factor);
        let (row_start, out) = problem.starts_and_blocks_mut();
        out.reshape(row_start, |i, columns| self.neighbours_into(i, columns));
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
        for segment in &self.segments {
            let (support, W) = (&self.support[segment.range()], &mut self.W[segment.range()]);
            if let Some(tip) = segment.tip {
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
        let mut sum = Mat3::ZERO;
        for a in self.segments_of(&self.blocks[i]) {
            for b in self.segments_of(&self.blocks[j]) {
                if a.tree == b.tree {
                    sum = sum + self.segment_product(a, b);
                }
            }
        }
        sum
    }

    /// The part of the product in one tree.
    #[inline]
    fn segment_product(&self, a: &Segment, b: &Segment) -> Mat3 {
        let (sa, sb) = (&self.support[a.range()], &self.support[b.range()]);
        let (wa, wb) = (&self.W[a.range()], &self.W[b.range()]);
        if a.tip.is_some() && b.tip.is_some() {
            // Two chains have in common how they end.
            let common = sa.iter().rev().zip(sb.iter().rev()).take_while(|(p, q)| p == q).count();
            return outer_sum(&wa[wa.len() - common..], &wb[wb.len() - common..]);
        }
        let mut sum = Mat3::ZERO;
        let (mut p, mut q) = (0, 0);
        while p < sa.len() && q < sb.len() {
            match sa[p].cmp(&sb[q]) {
                std::cmp::Ordering::Greater => p += 1,
                std::cmp::Ordering::Less => q += 1,
                std::cmp::Ordering::Equal => {
                    sum = sum + outer_sum(&wa[p..=p], &wb[q..=q]);
                    p += 1;
                    q += 1;
                }
            }
        }
        sum
    }

    /// Blocks that share a tree with block i, ascending, i among them.
    fn neighbours_into(&self, i: usize, out: &mut Vec<usize>) {
        let (a, b) = match self.segments_of(&self.blocks[i]) {
            [] => return out.push(i),
            [a] => return out.extend_from_slice(&self.blocks_of_tree[a.tree]),
            [a, b, rest @ ..] => {
                assert!(rest.is_empty(), "a constraint joins at most two trees");
                (&self.blocks_of_tree[a.tree], &self.blocks_of_tree[b.tree])
            }
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

/// Sorts the dofs from `start` on in descending order and drops repetitions.
fn sort_and_merge(support: &mut Vec<usize>, start: usize) {
    support[start..].sort_unstable_by(|a, b| b.cmp(a));
    let mut kept = start;
    for k in start..support.len() {
        if k == start || support[k] != support[kept - 1] {
            support[kept] = support[k];
            kept += 1;
        }
    }
    support.truncate(kept);
}

/// Σ x yᵀ, in nine registers.
#[inline]
fn outer_sum(x: &[Vec3], y: &[Vec3]) -> Mat3 {
    let (mut a, mut b, mut c) = (Vec3::ZERO, Vec3::ZERO, Vec3::ZERO);
    for (x, y) in x.iter().zip(y) {
        a += *y * x.x;
        b += *y * x.y;
        c += *y * x.z;
    }
    Mat3 { rows: [a, b, c] }
}

/// The leading di × dj entries of `m`, by rows.
#[inline]
fn write(m: &Mat3, di: usize, dj: usize, out: &mut [f64]) {
    if let Ok(out) = <&mut [f64; 9]>::try_from(&mut *out) {
        let [a, b, c] = m.rows;
        *out = [a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z];
        return;
    }
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
        let end = |tip, tree| Some(End { tip, tree });
        rows.push(3, &model, [end(1, 0), end(7, 1)], fill);
        rows.push(3, &model, [end(0, 0), end(1, 0)], fill);
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
