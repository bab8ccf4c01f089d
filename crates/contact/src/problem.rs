//! The constraint problem of one step: constant data for a solver and for the judge.
//!
//! Find impulses λ, one block per constraint, such that
//!
//! ```text
//!     c = (G + R) λ + g,     G = J M⁻¹ Jᵀ                               (1)
//!     Kᵢ ∋ λᵢ ⟂ cᵢ + Γ(cᵢ) ∈ Kᵢ*         for every block i              (2)
//! ```
//!
//! Γ is De Saxcé's correction on friction blocks and zero elsewhere (see [`crate::cone`]). For a
//! box block, (2) reads: λ = P_box(λ − ρ c) for any ρ > 0.
//! Units: λ [N·s], c and g [m/s], G and R [1/kg] (for angular rows: N·m·s, rad/s, 1/(kg·m²)).

use crate::blocks::BlockMatrix;
use crate::branch_sparse_rows::BranchSparseRows;
use crate::cone::Cone;
use crate::primal::{MassFactor, Primal};
use crate::softness::Softness;

/// The constraint problem of one step. It is rebuilt in place every step: [`Self::clear`], [`Self::push`], then the
/// blocks.
#[derive(Clone, Debug)]
pub struct ConstraintProblem {
    cones: Vec<Cone>,
    /// First row of every block, and after them the number of rows.
    row_start: Vec<usize>,
    /// g: constraint velocity without impulses, stabilisation included.
    pub free_velocity: Vec<f64>,
    /// Diagonal of R ≥ 0; zero for rigid rows.
    pub compliance: Vec<f64>,
    /// G by blocks; without any, `delassus_factor` or `primal` is the operator behind (1).
    pub blocks: BlockMatrix,
    /// W with G = W Wᵀ, where whoever built the problem knows it; else empty.
    pub delassus_factor: BranchSparseRows,
    /// M, J and v_free behind G, when whoever built the problem kept them.
    pub primal: Option<Primal>,
    /// Factor of the mass of `primal`, where the problem was built from it.
    pub(crate) factor: Option<MassFactor>,
    /// Compliance of every block, for compliant laws; empty when the problem was built without.
    pub softness: Vec<Softness>,
    /// Another start beside the impulses given to a solver, e.g. those of the step before the last; or empty.
    /// What the last step put right is in its impulses once too often.
    pub second_start: Vec<f64>,
    /// h [s]: turns impulses into forces. 1 where a file does not say.
    pub time_step: f64,
}

impl Default for ConstraintProblem {
    fn default() -> Self {
        Self {
            cones: Vec::new(),
            row_start: vec![0],
            free_velocity: Vec::new(),
            compliance: Vec::new(),
            blocks: BlockMatrix::default(),
            delassus_factor: BranchSparseRows::default(),
            primal: None,
            factor: None,
            softness: Vec::new(),
            second_start: Vec::new(),
            time_step: 1.0,
        }
    }
}

impl ConstraintProblem {
    /// Removes all constraints; keeps the memory.
    pub fn clear(&mut self) {
        self.cones.clear();
        self.row_start.clear();
        self.row_start.push(0);
        self.free_velocity.clear();
        self.compliance.clear();
        self.blocks.clear();
        self.delassus_factor.clear();
        self.primal = None;
        self.factor = None;
        self.softness.clear();
        self.second_start.clear();
    }

    /// Becomes `other` without its M and J, whose blocks must be formed; keeps the memory.
    pub fn copy_blocks_of(&mut self, other: &Self) {
        self.copy_sets_of(other);
        self.blocks.clone_from(&other.blocks);
    }

    /// Becomes `other` with its W alone: without blocks, M and J; keeps the memory.
    pub fn copy_rows_of(&mut self, other: &Self) {
        self.copy_sets_of(other);
        self.delassus_factor.clone_from(&other.delassus_factor);
    }

    /// All but what is behind G.
    fn copy_sets_of(&mut self, other: &Self) {
        self.clear();
        self.cones.extend_from_slice(&other.cones);
        self.row_start.clone_from(&other.row_start);
        self.free_velocity.extend_from_slice(&other.free_velocity);
        self.compliance.clone_from(&other.compliance);
        self.softness.extend_from_slice(&other.softness);
        self.second_start.extend_from_slice(&other.second_start);
        self.time_step = other.time_step;
    }

    /// Appends a block with its free velocity g; R = 0. The slice has the block's dimension.
    #[inline(always)]
    pub fn push(&mut self, cone: Cone, free_velocity: &[f64]) {
        assert_eq!(free_velocity.len(), cone.dim(), "one free velocity per row of the block");
        self.cones.push(cone);
        match *free_velocity {
            // Contacts in one piece.
            [x, y, z] => {
                self.free_velocity.extend_from_slice(&[x, y, z]);
                self.compliance.extend_from_slice(&[0.0; 3]);
            }
            [x] => {
                self.free_velocity.push(x);
                self.compliance.push(0.0);
            }
            _ => {
                self.free_velocity.extend_from_slice(free_velocity);
                self.compliance.resize(self.free_velocity.len(), 0.0);
            }
        }
        self.row_start.push(self.free_velocity.len());
    }

    /// Number of blocks.
    #[inline]
    pub fn len(&self) -> usize {
        self.cones.len()
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.cones.is_empty()
    }

    /// Number of rows, the length of λ.
    #[inline]
    pub fn rows(&self) -> usize {
        self.free_velocity.len()
    }

    #[inline]
    pub fn cones(&self) -> &[Cone] {
        &self.cones
    }

    #[inline]
    pub fn cone(&self, i: usize) -> Cone {
        self.cones[i]
    }

    /// Replaces the set of block i by one of the same dimension.
    pub fn set_cone(&mut self, i: usize, cone: Cone) {
        assert_eq!(cone.dim(), self.cones[i].dim(), "a block keeps its dimension");
        self.cones[i] = cone;
    }

    /// Rows of block i.
    #[inline]
    pub fn range(&self, i: usize) -> std::ops::Range<usize> {
        self.row_start[i]..self.row_start[i + 1]
    }

    /// First row of every block, and after them the number of rows.
    #[inline]
    pub fn row_start(&self) -> &[usize] {
        &self.row_start
    }

    /// First rows and blocks at once, for whoever fills the blocks.
    pub fn starts_and_blocks_mut(&mut self) -> (&[usize], &mut BlockMatrix) {
        (&self.row_start, &mut self.blocks)
    }

    /// The problem of some of the blocks, ascending, as if the others were not there. M stays whole.
    pub fn part(&self, blocks: &[usize]) -> Self {
        let mut out = Self { time_step: self.time_step, ..Self::default() };
        let mut rows = Vec::new();
        for &i in blocks {
            out.push(self.cone(i), &self.free_velocity[self.range(i)]);
            out.softness.extend(self.softness.get(i));
            rows.extend(self.range(i));
        }
        out.compliance.clear();
        out.compliance.extend(rows.iter().map(|&r| self.compliance[r]));
        if self.blocks_formed() {
            let kept = |i: usize| {
                self.blocks.entries(blocks[i]).filter_map(|k| {
                    let at = blocks.binary_search(&self.blocks.column_of(k)).ok()?;
                    Some((k, at))
                })
            };
            let (start, matrix) = out.starts_and_blocks_mut();
            matrix.set_pattern(start, |i, columns| columns.extend(kept(i).map(|(_, at)| at)));
            for i in 0..blocks.len() {
                for (to, (from, _)) in matrix.entries(i).zip(kept(i)) {
                    matrix.entry_mut(to).copy_from_slice(self.blocks.entry(from));
                }
            }
        }
        if !self.delassus_factor.is_empty() {
            let trees: Vec<usize> = (0..self.delassus_factor.trees()).collect();
            out.delassus_factor.gather(&self.delassus_factor, blocks, &trees, &trees);
        }
        out.primal = self.primal.as_ref().map(|p| p.rows(&rows));
        out.factor.clone_from(&self.factor);
        out
    }

    /// (1): c = (G + R) λ + g.
    pub fn velocities_into(&self, impulses: &[f64], c: &mut Vec<f64>) {
        assert_eq!(impulses.len(), self.rows(), "one impulse per row");
        self.delassus_mul_into(impulses, c);
        for (((c, g), r), l) in c.iter_mut().zip(&self.free_velocity).zip(&self.compliance).zip(impulses) {
            *c += g + r * l;
        }
    }
}
