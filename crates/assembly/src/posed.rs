//! A problem that was posed: Jacobian, blocks with their biases by cause, and the constraint problem they make.

use crate::block::{Bias, Block, BlockKey, RowKey};
use crate::contact_points::ContactPoint;
use crate::jacobian::Jacobian;
use stiction_contact::{Cone, ConstraintProblem, Softness};
use stiction_dynamics::Model;

/// What [`crate::Posing::pose_into`] writes. Blocks of `problem`, `jacobian` and `blocks` are the same, in one order; contacts
/// come first.
#[derive(Debug)]
pub struct Posed {
    pub jacobian: Jacobian,
    pub problem: ConstraintProblem,
    pub blocks: Vec<Block>,
    /// Share of restitution that g holds [–].
    restitution: f64,
    /// Blocks whose g holds restitution.
    bounces: Vec<usize>,
}

impl Posed {
    /// An empty problem on the trees of `model`.
    pub fn new(model: &Model) -> Self {
        Self {
            jacobian: Jacobian::new(model),
            problem: ConstraintProblem::default(),
            blocks: Vec::new(),
            restitution: 1.0,
            bounces: Vec::new(),
        }
    }

    /// Removes all blocks; keeps the memory.
    pub fn clear(&mut self) {
        self.jacobian.clear();
        self.problem.clear();
        self.blocks.clear();
        self.bounces.clear();
        self.restitution = 1.0;
    }

    /// Appends a block whose columns of J were pushed; g of the normal row is the bias's. `g` holds J v_f of all rows.
    #[inline(always)]
    pub(crate) fn push(&mut self, key: BlockKey, cone: Cone, g: &mut [f64], bias: Bias, gap: Option<f64>) {
        g[cone.normal()] = bias.total(1.0);
        self.problem.push(cone, g);
        if let Some(gap) = gap {
            self.problem.softness.push(Softness { gap, ..Softness::default() });
        }
        if bias.restitution != 0.0 {
            self.bounces.push(self.blocks.len());
        }
        self.blocks.push(Block { key, bias });
    }

    /// Appends a block of one row.
    pub(crate) fn push_scalar(&mut self, key: RowKey, cone: Cone, bias: Bias, gap: Option<f64>) {
        self.push(BlockKey::Row(key), cone, &mut [0.0], bias, gap);
    }

    /// True if some contact is thrown back.
    pub fn bounces(&self) -> bool {
        !self.bounces.is_empty()
    }

    /// The share of restitution that g holds [–].
    pub fn restitution(&self) -> f64 {
        self.restitution
    }

    /// Poses the problem anew with a share of the restitution, 0 to 1.
    pub fn set_restitution(&mut self, share: f64) {
        self.restitution = share;
        for &block in &self.bounces {
            let row = self.normal_row(block);
            let bias = &self.blocks[block].bias;
            self.problem.free_velocity[row] = bias.total(share);
            if let Some(primal) = &mut self.problem.primal {
                primal.bias[row] = bias.offset(share);
            }
        }
    }

    /// The normal row (or only row) of a block, an index into g and λ.
    #[inline]
    pub fn normal_row(&self, block: usize) -> usize {
        self.problem.row_start()[block] + self.problem.cone(block).normal()
    }

    /// Blocks that bounce in this step, and the share of the step left after it [–].
    pub fn bouncing(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        let some = self.restitution > 0.0;
        let blocks = self.blocks.iter().enumerate().filter(move |_| some);
        blocks.filter_map(|(i, b)| Some((i, b.bias.after_bounce?)))
    }

    /// Largest correction that a block asks for [m/s].
    pub fn largest_correction(&self) -> f64 {
        self.blocks.iter().fold(0.0, |most: f64, b| most.max(b.bias.correction.abs()))
    }

    /// Contacts and the blocks that are theirs.
    pub fn contacts<'a>(
        &'a self,
        points: &'a [ContactPoint],
    ) -> impl Iterator<Item = (usize, &'a ContactPoint)> + 'a {
        self.blocks.iter().enumerate().filter_map(|(i, b)| match b.key {
            BlockKey::Contact(c) => Some((i, &points[c])),
            BlockKey::Row(_) => None,
        })
    }
}
