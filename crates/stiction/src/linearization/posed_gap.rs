//! Gaps that normal rows of contacts are posed with.

use super::contact_geometry::{Placed, Zeta, asked};
use super::forces::Forces;
use stiction_assembly::ContactPoint;
use stiction_assembly::laws::row_params::RowParams;
use stiction_assembly::laws::yielding::Spring;
use stiction_dynamics::Real;

/// The gap that the normal row of a contact is posed with.
#[derive(Clone, Copy)]
pub(super) enum PosedGap {
    /// The gap where the step is posed.
    Here,
    /// The gap of the middle, of a contact that is new and closes at `closes` [m/s].
    New { closes: Zeta },
    /// The gap of the start, which is that of the middle and `earlier` [m]; there the contact closes at `closes` [m/s].
    Lasts { earlier: f64, closes: f64 },
    /// The gap of the start, of a contact that yields.
    Yields { earlier: f64 },
}

impl PosedGap {
    /// The gap that the row is posed with, beyond that of the place where the step is posed [m].
    pub(super) fn earlier(self) -> f64 {
        match self {
            Self::Here | Self::New { .. } => 0.0,
            Self::Lasts { earlier, .. } | Self::Yields { earlier } => earlier,
        }
    }

    /// The terms that a contact asks of its normal velocity beyond J v_f: bias and compliance with their derivatives,
    /// and the correction of its overlap.
    pub(super) fn asked(self, params: &RowParams, spring: Option<Spring>, placed: &Placed) -> [Zeta; 3] {
        let none = placed.gap.zero();
        let mut of = *placed;
        match self {
            Self::Here => asked(params, spring, placed),
            Self::New { closes } => {
                let asked = params.cast(placed.gap).new_contact(placed.gap, placed.face, closes);
                [asked.gap, none, asked.correction]
            }
            Self::Lasts { earlier, closes } => {
                of.gap += none.like(earlier);
                of.face.deepest += none.like(earlier);
                let [gap, compliance, correction] = asked(params, spring, &of);
                let gap = gap + none.like(0.5 * closes.min(0.0));
                [if gap.value > 0.0 { gap } else { none }, compliance, correction]
            }
            Self::Yields { earlier } => {
                of.gap += none.like(earlier);
                asked(params, spring, &of)
            }
        }
    }
}

impl Forces<'_> {
    /// The gap that block `block` of contact `c` is posed with.
    pub(super) fn posed_gap(&self, block: usize, c: &ContactPoint) -> PosedGap {
        let (accepted, h) = (self.accepted, self.h);
        let posed = accepted.posed;
        if self.middle.is_none() || accepted.facts.rows.is_instant() {
            return PosedGap::Here;
        }
        let normal = posed.problem.cone(block).normal();
        let before = posed.jacobian.row_velocity(block, normal, accepted.v);
        let rolling = posed.rolling.iter().find(|r| r.block == block);
        match rolling {
            Some(r) if r.lasts => {
                let turn = posed.blocks[block].bias.turn;
                PosedGap::Lasts { earlier: 0.25 * h * turn - 0.5 * h * before, closes: before - turn }
            }
            _ if c.spring.is_some() => PosedGap::Yields { earlier: -0.5 * h * before },
            _ => PosedGap::New { closes: Zeta::constant(before) },
        }
    }
}
