//! Slips that end, dry friction that turns and landings of steps that are posed in their middle: what a solve of the step
//! shows for the next, and what is left to a step alone; as in [`crate::stepping::time_stepping`].

use super::plan::Plan;
use super::slot::{Block, Slot};
use stiction_assembly::laws::lasting::{dry_friction_turns, has_stopped, turn_back};
use stiction_dynamics::{Kinematics, Real, Velocities};
use stiction_solvers::lanes::LaneCone;

/// The slip of a contact that lasts, see [`stiction_assembly::RollingContact`].
#[derive(Clone, Copy)]
pub(super) struct Slipping<T> {
    /// J_T v⁻ [m/s].
    pub(super) slip: [T; 2],
    /// 1 where it slid at the start of the step, and where friction is that of a contact that slides.
    pub(super) slid: T,
    pub(super) slides: T,
}

/// The slip of a contact that was posed as sliding, and that ended in some lanes: it is posed as sticking there.
#[derive(Clone, Copy)]
pub(super) struct EndedSlip<T> {
    pub(super) pair: usize,
    pub(super) ordinal: usize,
    pub(super) lanes: T,
    /// Slip after a step in which it slides on [m/s].
    pub(super) after: [T; 2],
}

impl<T: Real> EndedSlip<T> {
    fn is_of(&self, slot: &Slot<T>) -> bool {
        (self.pair, self.ordinal) == (slot.pair, slot.ordinal)
    }
}

/// A row of the plan, of dry friction that turns in some lanes: its impulse is known there.
#[derive(Clone, Copy)]
pub(super) struct FixedFriction<T> {
    pub(super) line: usize,
    pub(super) lanes: T,
    pub(super) impulse: T,
}

/// A block of dry friction.
#[derive(Clone, Copy)]
pub(super) struct Dry<T> {
    pub(super) block: usize,
    /// Place in the rows of the plan.
    pub(super) line: usize,
    /// J v⁻ [m/s or rad/s].
    pub(super) rate: T,
}

/// A problem that was solved, and the contacts of its first blocks.
pub(super) struct Solved<'a, T> {
    pub(super) blocks: &'a [Block],
    pub(super) cones: &'a [LaneCone<T>],
    pub(super) G: &'a [T],
    pub(super) lambda: &'a [T],
    pub(super) slots: &'a [Slot<T>],
}

/// The module's knowledge of one step.
pub(super) struct Slips<T> {
    /// 1 where a contact or stop lands if it gets an impulse, which ends a part of the step: per block.
    pub(super) lands: Vec<T>,
    /// Per contact.
    pub(super) slipping: Vec<Slipping<T>>,
    pub(super) dry: Vec<Dry<T>>,
    /// Knowledge by earlier solves of the step, and 1 in the lanes in which some dry friction turned.
    ended: Vec<EndedSlip<T>>,
    pub(super) fixed: Vec<FixedFriction<T>>,
    turned: T,
}

impl<T: Real> Slips<T> {
    pub(super) fn new(kind: T) -> Self {
        Self {
            lands: Vec::new(),
            slipping: Vec::new(),
            dry: Vec::new(),
            ended: Vec::new(),
            fixed: Vec::new(),
            turned: kind,
        }
    }

    /// The rows are written anew.
    #[inline(always)]
    pub(super) fn clear(&mut self) {
        self.lands.clear();
        self.slipping.clear();
        self.dry.clear();
    }

    /// 1 in the lanes in which the slip of a contact is known to have ended.
    #[inline(always)]
    pub(super) fn ended(&self, slot: &Slot<T>) -> T {
        let mut ended = slot.gap.zero();
        for slip in &self.ended {
            if slip.is_of(slot) {
                ended = ended.max(slip.lanes);
            }
        }
        ended
    }

    /// 1 where the step alone goes another way: something lands, or a contact that slid turns back; and where it is solved
    /// again, because a contact that slid stops or dry friction turns. Contacts move by `vel` after the impulses, dofs by
    /// `v_next`; solves of lanes in which `valid` is 1 count.
    #[inline(always)]
    pub(super) fn belied(
        &mut self,
        plan: &Plan,
        solved: &Solved<'_, T>,
        (kin, vel): (&Kinematics<T>, &Velocities<T>),
        v_next: &[T],
        [may_land, valid]: [T; 2],
    ) -> [T; 2] {
        let (Solved { blocks, cones, lambda, slots, .. }, kind) = (solved, may_land.zero());
        let [mut parts, mut again] = [kind; 2];
        for (i, block) in blocks.iter().enumerate() {
            let normal = lambda[block.normal()];
            parts = parts.max(T::select(kind.less(normal), self.lands[i], kind));
        }
        let known = self.ended.len();
        for (i, slot) in slots.iter().enumerate() {
            let slipping = self.slipping[i];
            if !T::any(slipping.slid.mask()) {
                continue;
            }
            let u = slot.velocity(&plan.pairs[slot.pair], kin, vel);
            let after = [slot.frame[0].dot(u), slot.frame[1].dot(u)];
            let stops = T::both(has_stopped(slipping.slip, after), (slipping.slid * cones[i].active).mask());
            let ends = valid * kind.truth(T::both(stops, slipping.slides.mask()));
            if T::any(ends.mask()) {
                let (pair, ordinal) = (slot.pair, slot.ordinal);
                self.ended.push(EndedSlip { pair, ordinal, lanes: ends, after });
                again = again.max(ends);
            }
            let turns = self.turns_back(solved, i, known, (kind.truth(stops), after));
            parts = parts.max(turns * may_land * (kind.one() - ends));
        }
        for i in 0..self.dry.len() {
            let dry = self.dry[i];
            let (impulse, turns) = friction_turns(plan, solved, &dry, v_next);
            let first = T::both(T::not(self.turned.mask()), T::not(again.mask()));
            let turns = valid * kind.truth(T::both(turns, first)) * cones[dry.block].active;
            if T::any(turns.mask()) {
                self.fixed.push(FixedFriction { line: dry.line, lanes: turns, impulse });
            }
        }
        for fixed in &self.fixed {
            again = again.max(fixed.lanes * (kind.one() - self.turned));
        }
        for fixed in &self.fixed {
            self.turned = self.turned.max(fixed.lanes);
        }
        [parts, again]
    }

    /// 1 where the slip of contact i turns back, which `stops` and is `after` the step; of the first `known` that ended it is known
    /// how they slide on.
    #[inline(always)]
    fn turns_back(
        &self,
        solved: &Solved<'_, T>,
        i: usize,
        known: usize,
        (mut stops, after): (T, [T; 2]),
    ) -> T {
        let Solved { blocks, cones, G, lambda, slots } = solved;
        let (slip, row, n) = (self.slipping[i].slip, blocks[i].row, lambda.len());
        let [x, y] = slip;
        let friction = [lambda[row], lambda[row + 1]];
        let (most, size) = (cones[i].mu * lambda[row + 2], (x * x + y * y).sqrt());
        let more = [friction[0] + most * x / size, friction[1] + most * y / size];
        let w = |i: usize, j: usize| G[(row + i) * n + row + j];
        let mut slides_on = [
            after[0] - w(0, 0) * more[0] - w(0, 1) * more[1],
            after[1] - w(1, 0) * more[0] - w(1, 1) * more[1],
        ];
        for ended in self.ended[..known].iter().filter(|e| e.is_of(&slots[i])) {
            for (on, known) in slides_on.iter_mut().zip(ended.after) {
                *on = T::select(ended.lanes.mask(), known, *on);
            }
            stops = stops.max(ended.lanes);
        }
        stops * x.truth(turn_back(slip, slides_on, most, friction).1)
    }

    /// Nothing is known of a new step.
    #[inline(always)]
    pub(super) fn begin(&mut self) {
        self.ended.clear();
        self.fixed.clear();
        self.turned = self.turned.zero();
    }
}

/// The impulse of dry friction that turns, and where it does.
#[inline(always)]
fn friction_turns<T: Real>(plan: &Plan, solved: &Solved<'_, T>, dry: &Dry<T>, v_next: &[T]) -> (T, T::Mask) {
    let Solved { blocks, cones, G, lambda, .. } = solved;
    let (row, n) = (blocks[dry.block].row, lambda.len());
    let rates = [dry.rate, plan.rows[dry.line].1.rate(v_next)];
    dry_friction_turns(rates, lambda[row], G[row * n + row], cones[dry.block].bounds[1])
}
