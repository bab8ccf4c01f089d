//! Constraint Jacobians along the branches of the tree: a row of J is nonzero only on the dofs between its bodies and the
//! roots of their trees [Featherstone2010].

use std::ops::Range;
use stiction_contact::BranchSparseRows;
use stiction_dynamics::spatial::{Motion, Vec3, vec3};
use stiction_dynamics::{JointKind, Model, Trunk, lanes};

/// J of all blocks. The columns of a block are 3-vectors; a block of one row uses the first component.
#[derive(Clone, Debug, Default)]
pub struct Jacobian {
    pub(crate) J: BranchSparseRows,
    /// Every dof and those it is carried by, towards the root, one chain after another; per dof the end of its own.
    chains: Vec<usize>,
    chain_end: Vec<usize>,
    /// Per tree: its root is free, so that chains end in the six dofs of [`Point::trunk`].
    free: Vec<bool>,
    /// Per tree: the first dof of a free body that is alone in it, and what half solves there read.
    pub(crate) alone: Vec<Option<usize>>,
    pub(crate) trunks: Vec<Trunk>,
    /// One entry per dof, zero between calls.
    pub(crate) scratch: Vec<Vec3>,
    /// D^-½.
    pub(crate) root: Vec<f64>,
    /// Dofs of a segment that is not one chain, descending.
    dofs: Vec<usize>,
    /// Trees of the row being pushed.
    seen: Vec<usize>,
    /// Where dofs of several trees lie between one another: the coordinates of W that they are, tree by tree, and those of
    /// every tree.
    pub(crate) place: Vec<usize>,
    pub(crate) apart: Vec<Range<usize>>,
}

/// One end of a constraint: the dof nearest to it, and the tree of that dof.
#[derive(Clone, Copy, Debug)]
pub struct End {
    pub tip: usize,
    pub tree: usize,
}

/// Dofs of a free root.
pub(crate) const TRUNK: usize = 6;

/// A point of a body, and the axes along which its velocity counts: the rows of a block.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    /// From the reference of the tree.
    pub arm: Vec3,
    pub axes: Axes,
}

/// Up to three axes by coordinates: the x of all, the y, the z. Zero where there is one row.
#[derive(Clone, Copy, Debug)]
pub struct Axes(pub [Vec3; 3]);

impl Axes {
    #[inline(always)]
    pub fn new([a, b, c]: [Vec3; 3]) -> Self {
        Self([vec3(a.x, b.x, c.x), vec3(a.y, b.y, c.y), vec3(a.z, b.z, c.z)])
    }

    /// What u is along them.
    #[inline(always)]
    pub fn along(&self, u: Vec3) -> Vec3 {
        let [x, y, z] = self.0;
        x * u.x + y * u.y + z * u.z
    }

    #[inline(always)]
    pub fn reversed(&self) -> Self {
        let [x, y, z] = self.0;
        Self([-x, -y, -z])
    }
}

impl Point {
    /// What a dof moves.
    #[inline(always)]
    fn column(&self, S: &Motion) -> Vec3 {
        self.axes.along(S.linear_at(self.arm))
    }

    /// The same of a free root, whose dofs are shifts along the axes of the world and turns about those of its body,
    /// from the last to the first.
    #[inline(always)]
    fn trunk(&self, S: &[Motion]) -> [Vec3; TRUNK] {
        let (Axes([x, y, z]), arm) = (self.axes, self.arm);
        // The axes along ω × arm, by the coordinates of ω.
        let turned = Axes([z * arm.y - y * arm.z, x * arm.z - z * arm.x, y * arm.x - x * arm.y]);
        let turn = |k: usize| turned.along(S[k].angular);
        [turn(5), turn(4), turn(3), z, y, x]
    }
}

impl Jacobian {
    /// No rows on the trees of `model`.
    pub fn new(model: &Model) -> Self {
        let mut trees: Vec<Range<usize>> = vec![0..0; model.trees];
        let mut rows = Self { scratch: vec![Vec3::ZERO; model.nv()], ..Self::default() };
        rows.free.resize(model.trees, false);
        for (dof, owner) in model.dofs.iter().enumerate() {
            let t = model.bodies[owner.body].tree;
            let tree = &mut trees[t];
            *tree = if tree.end == 0 { dof } else { tree.start }..dof + 1;
            rows.free[t] |= owner.parent.is_none() && model.joints[owner.joint].kind == JointKind::Free;
            rows.chains.extend(std::iter::successors(Some(dof), |&d| model.dofs[d].parent));
            rows.chain_end.push(rows.chains.len());
        }
        let alone =
            |(tree, free): (&Range<usize>, &bool)| (*free && tree.len() == TRUNK).then_some(tree.start);
        rows.alone.extend(trees.iter().zip(&rows.free).map(alone));
        rows.trunks.resize(model.trees, Trunk::new(1.0));
        if !trees.is_sorted_by(|a, b| a.end <= b.start) {
            rows.take_apart(model);
        }
        rows.J.start(trees.into_iter());
        rows
    }

    fn take_apart(&mut self, model: &Model) {
        let tree_of = |dof: &usize| model.bodies[model.dofs[*dof].body].tree;
        let mut order: Vec<usize> = (0..model.nv()).collect();
        order.sort_by_key(tree_of);
        self.place.resize(model.nv(), 0);
        order.iter().enumerate().for_each(|(at, &dof)| self.place[dof] = at);
        let first = |t: usize| order.partition_point(|dof| tree_of(dof) < t);
        self.apart.extend((0..model.trees).map(|t| first(t)..first(t + 1)));
    }

    /// Removes all rows; keeps the memory.
    pub fn clear(&mut self) {
        self.J.clear();
    }

    /// Adds a block between two ends (`None`: the world). `column(dof, on_a, on_b)` is J at a dof and is
    /// told from which of the ends it is reached.
    #[inline]
    pub fn push(
        &mut self,
        model: &Model,
        ends: [Option<End>; 2],
        column: impl Fn(usize, bool, bool) -> Vec3,
    ) {
        self.J.push_block();
        match ends {
            [Some(a), Some(b)] if a.tree == b.tree => {
                let (mut x, mut y) = (Some(a.tip), Some(b.tip));
                let terms = std::iter::from_fn(|| {
                    let dof = x.max(y)?;
                    let term = (dof, column(dof, x == Some(dof), y == Some(dof)));
                    for end in [&mut x, &mut y] {
                        if *end == Some(dof) {
                            *end = model.dofs[dof].parent;
                        }
                    }
                    Some(term)
                });
                self.J.push_segment(a.tree, None, terms);
            }
            _ => {
                for (which, end) in ends.into_iter().enumerate() {
                    let Some(End { tip, tree }) = end else { continue };
                    let chain = chain(&self.chains, &self.chain_end, tip);
                    let columns = chain.iter().map(|&dof| column(dof, which == 0, which == 1));
                    self.J.push_chain(tree, chain, columns, None);
                }
            }
        }
    }

    /// The same for the velocities of two points, of the first of A and of the second of B: what both bodies have in
    /// common moves both alike, and their difference does not feel it.
    #[inline(always)]
    pub fn push_points(
        &mut self,
        model: &Model,
        S: &[Motion],
        ends: &[Option<End>; 2],
        point: impl Fn(usize, &End) -> Point,
    ) {
        if let [Some(a), Some(b)] = ends
            && a.tree == b.tree
        {
            let points = [point(0, a), point(1, b)];
            return self.push(model, *ends, |dof, on_a, on_b| match (on_a, on_b) {
                (true, false) => points[0].column(&S[dof]),
                (false, true) => points[1].column(&S[dof]),
                _ => Vec3::ZERO,
            });
        }
        self.J.push_block();
        for (side, end) in ends.iter().enumerate() {
            let Some(end) = end else { continue };
            let point = point(side, end);
            match self.alone[end.tree] {
                Some(first) => self.J.push_run(
                    end.tree,
                    None,
                    first,
                    #[inline(always)]
                    || point.trunk(&S[first..][..TRUNK]),
                ),
                None => self.push_branch(S, *end, point),
            }
        }
    }

    /// The part of a block in a tree with joints.
    #[inline(never)]
    fn push_branch(&mut self, S: &[Motion], End { tip, tree }: End, point: Point) {
        let chain = chain(&self.chains, &self.chain_end, tip);
        let column = |&dof: &usize| point.column(&S[dof]);
        match chain.split_last_chunk::<TRUNK>() {
            Some((branch, trunk)) if self.free[tree] => {
                let first = trunk[TRUNK - 1];
                let trunk = point.trunk(&S[first..][..TRUNK]);
                self.J.push_chain(tree, branch, branch.iter().map(column), Some((first, trunk)));
            }
            _ => self.J.push_chain(tree, chain, chain.iter().map(column), None),
        }
    }

    /// Adds rows four to six to the block that was pushed last.
    pub fn push_more(
        &mut self,
        model: &Model,
        ends: [Option<End>; 2],
        column: impl Fn(usize, bool, bool) -> Vec3,
    ) {
        let mut at = ends.map(|end| end.map(|e| e.tip));
        self.J.push_more(|dof| {
            let on = at.map(|tip| tip == Some(dof));
            for (tip, on) in at.iter_mut().zip(on) {
                if on {
                    *tip = model.dofs[dof].parent;
                }
            }
            column(dof, on[0], on[1])
        });
    }

    /// Adds the row Σ c v over (dof, c), whose dofs belong to at most two trees.
    pub fn push_linear(&mut self, terms: &[(usize, f64)], model: &Model) {
        self.push_sum(terms.iter().copied(), model);
    }

    /// The same for terms made on the way.
    pub fn push_sum(&mut self, terms: impl Iterator<Item = (usize, f64)> + Clone, model: &Model) {
        let tree_of = |dof: usize| model.bodies[model.dofs[dof].body].tree;
        self.J.push_block();
        let mut alone = terms.clone();
        if let (Some((dof, c)), None) = (alone.next(), alone.next()) {
            let chain = chain(&self.chains, &self.chain_end, dof);
            let column = |&d: &usize| if d == dof { Vec3::X * c } else { Vec3::ZERO };
            return self.J.push_chain(tree_of(dof), chain, chain.iter().map(column), None);
        }
        let coefficient = |d: usize| terms.clone().filter(|t| t.0 == d).map(|t| t.1).sum::<f64>();
        self.seen.clear();
        while let Some(tree) = terms.clone().map(|t| tree_of(t.0)).find(|t| !self.seen.contains(t)) {
            self.seen.push(tree);
            self.dofs.clear();
            for (dof, _) in terms.clone().filter(|t| tree_of(t.0) == tree) {
                self.dofs.extend(std::iter::successors(Some(dof), |&d| model.dofs[d].parent));
            }
            self.dofs.sort_unstable_by(|a, b| b.cmp(a));
            self.dofs.dedup();
            self.J.push_segment(tree, None, self.dofs.iter().map(|&d| (d, Vec3::X * coefficient(d))));
        }
    }

    /// Number of blocks.
    pub fn len(&self) -> usize {
        self.J.len()
    }

    /// True without blocks.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Trees that block i touches.
    pub fn trees_of(&self, i: usize) -> impl Iterator<Item = usize> + '_ {
        self.J.trees_of(i)
    }

    /// J v of block i.
    pub fn velocity(&self, i: usize, v: &[f64]) -> Vec3 {
        self.J.dot(i, v)
    }

    /// Of the same, one of the first three rows.
    pub fn row_velocity(&self, i: usize, row: usize, v: &[f64]) -> f64 {
        self.J.dot_row(i, row, v)
    }

    /// The rows of J v from the fourth on, of block i.
    pub fn turning(&self, i: usize, v: &[f64]) -> Vec3 {
        self.J.dot_more(i, v)
    }

    /// (dof, column of J) of block i; a dof comes once.
    pub fn columns(&self, i: usize) -> impl Iterator<Item = (usize, Vec3)> + '_ {
        self.J.terms(i)
    }

    /// The same of its rows from the fourth on, where it has any.
    pub fn more_columns(&self, i: usize) -> impl Iterator<Item = (usize, Vec3)> + '_ {
        self.J.more_terms(i)
    }

    /// tau += Jᵀ λ, over all blocks.
    pub fn add_impulses_into(&self, row_start: &[usize], impulses: &[f64], tau: &mut [f64]) {
        lanes::plain(
            #[inline(always)]
            || self.J.add_all_transposed(row_start, impulses, tau),
        );
    }
}

/// Of the chains, that of a dof.
#[inline]
fn chain<'a>(chains: &'a [usize], end: &[usize], dof: usize) -> &'a [usize] {
    &chains[if dof == 0 { 0 } else { end[dof - 1] }..end[dof]]
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction_contact::{Cone, ConstraintProblem};
    use stiction_dynamics::spatial::{Inertia, Pose, Sym3};
    use stiction_dynamics::{
        CrbaWorkspace, Factor, JointSpec, Kinematics, MassMatrix, ModelBuilder, crba_into,
    };

    /// A two-link arm and a free body, which may be between the links.
    fn arm_and_body(between: bool) -> Model {
        let solid = |m| Inertia::new(m, vec3(0.1, 0.2, -0.3), Sym3::diagonal(0.02, 0.03, 0.04));
        let mut b = ModelBuilder::new();
        let upper = b.link("upper", None, Pose::IDENTITY, solid(2.0));
        b.joint(upper, JointSpec::new("shoulder", JointKind::Hinge, Vec3::Y));
        let add_lower = |b: &mut ModelBuilder| {
            let at = Pose::from_translation(vec3(0.0, 0.0, -0.5));
            let lower = b.link("lower", Some(upper), at, solid(1.0));
            b.joint(lower, JointSpec::new("elbow", JointKind::Hinge, vec3(0.0, 1.0, 1.0)));
        };
        if !between {
            add_lower(&mut b);
        }
        let free = b.link("free", None, Pose::from_translation(vec3(1.0, 0.0, 0.0)), solid(3.0));
        b.joint(free, JointSpec::new("free", JointKind::Free, Vec3::Z));
        if between {
            add_lower(&mut b);
        }
        b.build(vec3(0.0, 0.0, -9.81)).unwrap()
    }

    /// W Wᵀ, as an operator and formed, against J M⁻¹ Jᵀ by full solves.
    #[test]
    fn delassus_is_j_inverse_m_jt() {
        for between in [false, true] {
            check_delassus(&arm_and_body(between), if between { [7, 6] } else { [1, 7] });
        }
    }

    /// `elbow` and `tip`: that dof, and the last of the free body.
    fn check_delassus(model: &Model, [elbow, tip]: [usize; 2]) {
        let mut q = model.neutral();
        let at = |dof: usize| model.joints[model.dofs[dof].joint].idx_q;
        (q[at(0)], q[at(elbow)]) = (0.4, -0.9);
        let mut kin = Kinematics::new(model);
        kin.update(model, &q);
        let (mut mass, mut crba) = (MassMatrix::new(model), CrbaWorkspace::new(model));
        crba_into(model, &kin, &mut crba, &mut mass);
        let mut factor = Factor::new(model);
        factor.factor(&mass).unwrap();

        let (mut rows, mut problem) = (Jacobian::new(model), ConstraintProblem::default());
        let value = |dof: usize, r: usize| ((3 * dof + 5 * r) as f64).sin();
        let fill = |dof: usize, _: bool, _: bool| vec3(value(dof, 0), value(dof, 1), value(dof, 2));
        // Arm against body, arm against itself, one joint, a coupling across trees.
        let end = |tip, tree| Some(End { tip, tree });
        rows.push(model, [end(elbow, 0), end(tip, 1)], fill);
        rows.push(model, [end(0, 0), end(elbow, 0)], fill);
        rows.push_linear(&[(elbow, 1.0)], model);
        rows.push_linear(&[(elbow, 0.5), (tip - 3, -2.0)], model);
        // Patches of both sizes, across trees and within one.
        let more = |dof: usize, _: bool, _: bool| vec3(value(dof, 3), value(dof, 4), value(dof, 5));
        rows.push(model, [end(elbow, 0), end(tip, 1)], fill);
        rows.push_more(model, [end(elbow, 0), end(tip, 1)], more);
        rows.push(model, [end(0, 0), end(elbow, 0)], fill);
        rows.push_more(model, [end(0, 0), end(elbow, 0)], more);
        let (contact, patch) = (Cone::Friction { mu: 0.5 }, |rolls| Cone::Patch { mu: 0.5, rolls });
        for cone in [contact, contact, Cone::Free, Cone::Free, patch(true), patch(false)] {
            problem.push(cone, &[0.0; 6][..cone.dim()]);
        }
        rows.factor_into(&factor, &mut problem);
        assert_eq!([problem.delassus_factor.tree(0), problem.delassus_factor.tree(1)], [0..2, 2..8]);
        let operator = problem.clone();
        problem.form_blocks().unwrap();
        assert!(problem.blocks_formed() && !operator.blocks_formed());

        let n = problem.rows();
        let unit = |r: usize| (0..n).map(|i| f64::from(u8::from(i == r))).collect::<Vec<_>>();
        for r in 0..n {
            let mut column = vec![0.0; model.nv()];
            rows.add_impulses_into(problem.row_start(), &unit(r), &mut column);
            factor.solve_in_place(&mut column);
            let mut expected = vec![0.0; n];
            for i in 0..rows.len() {
                let range = problem.range(i);
                let (first, more) =
                    (rows.velocity(i, &column).to_array(), rows.turning(i, &column).to_array());
                let velocity = [first, more].concat();
                expected[range.clone()].copy_from_slice(&velocity[..range.len()]);
            }
            for problem in [&operator, &problem] {
                let mut got = Vec::new();
                problem.velocities_into(&unit(r), &mut got);
                assert!(got.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-12), "column {r}");
            }
        }
    }
}
