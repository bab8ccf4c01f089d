//! A problem that was posed: Jacobian, blocks with their biases by cause, and the constraint problem they make.

use crate::block::{Bias, Block, BlockKey, Choice, RollingContact};
use crate::consistent::Consistent;
use crate::contact_point::ContactPoint;
use crate::jacobian::Jacobian;
use crate::laws::row_params::RowParams;
use crate::row_key::RowKey;
use std::ops::Range;
use stiction_contact::{Cone, ConstraintProblem, Softness};
use stiction_dynamics::Model;

/// What [`crate::Posing::pose_into`] writes. Blocks of `problem`, `jacobian` and `blocks` are the same, in one order; contacts
/// come first.
#[derive(Debug)]
pub struct Posed {
    pub jacobian: Jacobian,
    pub problem: ConstraintProblem,
    pub blocks: Vec<Block>,
    /// Contacts and stops of trees that are posed in the middle of the step.
    pub rolling: Vec<RollingContact>,
    choice: Choice,
    /// Blocks whose g holds restitution, and those of couplings and loops.
    bounces: Vec<usize>,
    bilateral: Range<usize>,
}

impl Posed {
    /// An empty problem on the trees of `model`.
    pub fn new(model: &Model) -> Self {
        Self {
            jacobian: Jacobian::new(model),
            problem: ConstraintProblem::default(),
            blocks: Vec::new(),
            rolling: Vec::new(),
            choice: Choice::default(),
            bounces: Vec::new(),
            bilateral: 0..0,
        }
    }

    /// Removes all blocks; keeps the memory.
    pub fn clear(&mut self) {
        self.jacobian.clear();
        self.problem.clear();
        self.blocks.clear();
        self.rolling.clear();
        self.bounces.clear();
        self.choice = Choice::default();
        self.bilateral = 0..0;
    }

    /// Appends a block whose columns of J were pushed; g of the normal row is the bias's. `g` holds J v_f of all rows.
    #[inline(always)]
    pub(crate) fn push(&mut self, key: BlockKey, cone: Cone, g: &mut [f64], bias: Bias, gap: Option<f64>) {
        g[cone.normal()] = bias.total(self.choice);
        self.problem.push(cone, g);
        if let Some(gap) = gap {
            self.problem.softness.push(Softness { gap, ..Softness::default() });
        }
        if bias.restitution != 0.0 {
            self.bounces.push(self.blocks.len());
        }
        self.blocks.push(Block { key, bias });
    }

    /// Notes how a stop was posed in the middle of a step, with its distance at the start, J v and J v_f.
    pub(crate) fn note_stop(
        &mut self,
        params: &RowParams,
        block: usize,
        lasts: bool,
        gap: f64,
        [before, free]: [f64; 2],
    ) {
        let middle = gap + 0.5 * params.h * before;
        let landing = if lasts { None } else { params.landing([gap, middle], before, free) };
        self.rolling.push(RollingContact { block, lasts, landing, ..RollingContact::default() });
    }

    /// Appends a block of one row.
    pub(crate) fn push_scalar(&mut self, key: RowKey, cone: Cone, bias: Bias, gap: Option<f64>) {
        self.push(BlockKey::Row(key), cone, &mut [0.0], bias, gap);
    }

    /// True if some contact is thrown back.
    pub fn bounces(&self) -> bool {
        !self.bounces.is_empty()
    }

    /// Blocks from `first` to the last are of couplings and loops.
    pub(crate) fn note_bilateral(&mut self, first: usize) {
        self.bilateral = first..self.blocks.len();
    }

    /// The feedback of couplings and loops, once W is known: where there are loops, what of it some velocity can do.
    pub fn find_feedback(&mut self, consistent: &mut Consistent, scratch: &mut Vec<f64>) {
        let Self { blocks, problem, bilateral, .. } = self;
        if bilateral.start == bilateral.end {
            return;
        }
        scratch.clear();
        scratch.extend(blocks[bilateral.clone()].iter().map(|b| b.bias.feedback));
        // Couplings alone are taken to be independent.
        if matches!(blocks[bilateral.end - 1].key, BlockKey::Row(RowKey::Loop(_))) {
            consistent.find(bilateral.clone(), scratch, problem);
        }
        for (block, feedback) in bilateral.clone().zip(&*scratch) {
            blocks[block].bias.feedback = *feedback;
            let row = problem.row_start()[block];
            problem.free_velocity[row] = blocks[block].bias.total(self.choice);
        }
    }

    /// Size of the feedback of couplings and loops, whether g holds it or not [m/s].
    pub fn feedback(&self) -> f64 {
        let of = self.blocks[self.bilateral.clone()].iter().map(|b| b.bias.feedback.powi(2));
        of.sum::<f64>().sqrt()
    }

    /// Blocks of couplings and loops.
    pub fn bilateral(&self) -> Range<usize> {
        self.bilateral.clone()
    }

    /// Which shares of the biases g holds.
    pub fn choice(&self) -> Choice {
        self.choice
    }

    /// Poses the problem anew by another choice.
    pub fn choose(&mut self, choice: Choice) {
        self.choice = choice;
        for block in self.bounces.iter().copied().chain(self.bilateral.clone()) {
            let row = self.normal_row(block);
            let bias = &self.blocks[block].bias;
            self.problem.free_velocity[row] = bias.total(choice);
            if let Some(primal) = &mut self.problem.primal {
                primal.bias[row] = bias.offset(choice);
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
        let some = self.choice.restitution > 0.0;
        let blocks = self.blocks.iter().enumerate().filter(move |_| some);
        blocks.filter_map(|(i, b)| Some((i, b.bias.after_bounce?)))
    }

    /// Largest position error that g leaves to the positions, as the velocity that undoes it [m/s].
    pub fn largest_correction(&self) -> f64 {
        let unilateral = self.blocks.iter().fold(0.0, |most: f64, b| most.max(b.bias.correction.abs()));
        if self.choice.feedback == 0.0 { unilateral.max(self.feedback()) } else { unilateral }
    }

    /// Calls `at` with the row, the dof and the value of every entry of J; entries of one place add up.
    pub fn for_each_entry(&self, mut at: impl FnMut(usize, usize, f64)) {
        for block in 0..self.problem.len() {
            let (first, dim) = (self.problem.range(block).start, self.problem.cone(block).dim());
            for (dof, column) in self.jacobian.columns(block) {
                let entries = column.to_array().into_iter().enumerate().take(dim);
                entries.for_each(|(k, x)| at(first + k, dof, x));
            }
            if dim > 3 {
                for (dof, column) in self.jacobian.more_columns(block) {
                    let entries = column.to_array().into_iter().enumerate().take(dim - 3);
                    entries.for_each(|(k, x)| at(first + 3 + k, dof, x));
                }
            }
        }
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
