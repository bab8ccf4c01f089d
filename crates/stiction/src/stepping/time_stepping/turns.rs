//! Slip that stops within a step and turns back, where steps are posed in their middle.
//!
//! Friction of a step acts in one sense. Where slip c stops after the share τ of a step and the force that would hold
//! it then is outside of the cone, it slides back in the rest, and friction changes its sense. Its impulse is wrong
//! by O(h) otherwise.
//!
//! ```text
//!     contact         τ = −c·a/a²,  a the change of c in a step in which all friction slides;  the part ends there     (1)
//!     joint, tendon   τ = |c| / |A − s B|,  A the change of c without dry friction, B what it takes;
//!                     solved once more with the impulse −s h τ_f (2τ − 1),  s = sign c                                (2)
//! ```
//!
//! What turns back: c·(c + a) < 0 and |λ_T + μ λ_N τ ĉ| > (1 − τ) μ λ_N, with λ the impulse of the law at the end of the step, in (1); in
//! (2) |A| > B against c.

use super::TimeStepping;
use crate::stepping::attempt::{Event, Part};
use crate::stepping::integrate::rolling::{Slid, Slips};
use stiction_assembly::laws::lasting::{dry_friction_turns, has_stopped, turn_back};
use stiction_assembly::{BlockKey, ContactPoint, Posed, RowKey, Slip};
use stiction_contact::Cone;

/// Impulses of dry friction that turns within a step.
#[derive(Default)]
pub(super) struct TurnedFriction {
    /// Rows and their impulses [N·s or N·m·s].
    fixed: Vec<(RowKey, f64)>,
    diagonal: Vec<[f64; 9]>,
}

impl TurnedFriction {
    pub(super) fn clear(&mut self) {
        self.fixed.clear();
    }

    /// Gives the rows their impulses.
    pub(super) fn fix(&self, posed: &mut Posed) {
        for &(key, impulse) in &self.fixed {
            if let Some(block) = posed.blocks.iter().position(|b| b.key == BlockKey::Row(key)) {
                posed.problem.set_cone(block, Cone::Box { lo: impulse, hi: impulse });
            }
        }
    }

    /// (2), of a step from v to `v_next`; true if some row turns.
    pub(super) fn find(&mut self, posed: &Posed, impulses: &[f64], v: &[f64], v_next: &[f64]) -> bool {
        let Self { fixed, diagonal } = self;
        if !fixed.is_empty() {
            return false;
        }
        diagonal.clear();
        for (block, of) in posed.blocks.iter().enumerate() {
            let BlockKey::Row(key @ (RowKey::DryFriction(_) | RowKey::TendonFriction(_))) = of.key else {
                continue;
            };
            let (Cone::Box { hi, .. }, rate) =
                (posed.problem.cone(block), posed.jacobian.row_velocity(block, 0, v))
            else {
                continue;
            };
            if diagonal.is_empty() {
                posed.problem.diagonal_blocks_into(diagonal);
            }
            let next = posed.jacobian.row_velocity(block, 0, v_next);
            let (w, impulse) = (diagonal[block][0], impulses[posed.problem.range(block).start]);
            let (turned, turns) = dry_friction_turns([rate, next], impulse, w, hi);
            if turns {
                fixed.push((key, turned));
            }
        }
        !fixed.is_empty()
    }

    /// Finds the contacts that slid and, as far as their own mobility tells, stop and turn back in a step to
    /// `v_next`: they are posed as sliding next, which tells when. True if there are some.
    pub(super) fn find_slips(
        &mut self,
        posed: &Posed,
        (points, impulses): (&[ContactPoint], &[f64]),
        v_next: &[f64],
        slips: &mut Slips,
    ) -> bool {
        let Self { diagonal, .. } = self;
        diagonal.clear();
        let mut found = false;
        for contact in posed.rolling.iter().filter(|c| c.slid && !c.slides) {
            let (block, [x, y]) = (contact.block, contact.slip);
            if slips.is_known(block) {
                continue;
            }
            let after = posed.jacobian.velocity(block, v_next);
            if !has_stopped([x, y], [after.x, after.y]) {
                continue;
            }
            if diagonal.is_empty() {
                posed.problem.diagonal_blocks_into(diagonal);
            }
            let (rows, w) = (&impulses[posed.problem.range(block)], &diagonal[block]);
            let (most, size) = (points[block].friction * rows[2], x.hypot(y));
            let more = [rows[0] + most * x / size, rows[1] + most * y / size];
            let after =
                [after.x - w[0] * more[0] - w[1] * more[1], after.y - w[3] * more[0] - w[4] * more[1]];
            let slid = Slid { block, before: [x, y], after };
            if slid.turn(most, [rows[0], rows[1]]).is_some() {
                slips.know(block, Slip::Slides);
                found = true;
            }
        }
        found
    }
}

impl Slid {
    /// τ of (1), under the impulse `friction` of a law at the end of the step, which is `most` at most.
    fn turn(&self, most: f64, friction: [f64; 2]) -> Option<f64> {
        let (share, turns) = turn_back(self.before, self.after, most, friction);
        turns.then_some(share)
    }
}

impl TimeStepping {
    /// (1): the event that ends a part that was solved.
    pub(super) fn find_turn(&self, part: &Part<'_>) -> Option<Event> {
        if !part.inelastic {
            return None;
        }
        let shares = self.rolling.slips.slid.iter().filter_map(|slid| self.turn_of(slid));
        let share = shares.reduce(f64::min)?;
        Some(Event::SlipTurns { share })
    }

    /// τ of a contact that turns back.
    fn turn_of(&self, slid: &Slid) -> Option<f64> {
        let rows = &self.trial.impulses[self.posed.problem.range(slid.block)];
        let most = self.search.points.get(slid.block)?.friction * rows.get(2)?;
        slid.turn(most, [rows[0], rows[1]])
    }
}
