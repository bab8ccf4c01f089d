//! Islands at rest that sleep: nothing of them is computed until something happens to them.
//!
//! An island is what contacts join, touching or near; the world joins nothing. It sleeps when
//!
//! ```text
//!     no point of it was faster than 1e-7 m/s at the end of any step for 50 ms, and something held every tree   (1)
//!     and a step from v = 0 exactly leaves (1)                                                                  (2)
//! ```
//!
//! all steps whole, converged and without a remedy. The speed is ten times the tolerance that solvers have of
//! themselves, about what a converged step leaves of a body at rest; what gains as little as 2e-6 m/s² is
//! faster before the time is over, and does not sleep. A sleeping island is as it was before (2), v = 0: that
//! step, its contacts, impulses and certificate stand for every later one, whose problem would be the same.
//!
//! The island wakes, whole and within the step, when a contact with something awake, touching or near, would
//! enter the problem, or when its state, gravity or a force on it was set from outside. Trees that servos,
//! motors, tendons, loops, couplings, dry friction or carried weight act on never sleep; nor does anything
//! under compliant laws.

use super::islands_at_rest::{AWAKE, SleepingContact};
use super::{Driver, LastPart, Stepper};
use crate::input::Input;
use crate::report::{StepReport, StepStatus};
use crate::state::State;
use crate::stepping::memory::Memory;
use std::ops::Range;
use stiction_world::World;

impl<S: Stepper + ?Sized> Driver<S> {
    /// Before a step: wakes what was changed from outside.
    pub(super) fn wake_changed(&mut self, world: &World, state: &State, input: &Input) {
        let Self { islands, q: held, .. } = self;
        islands.fell.clear();
        if !zero(&input.generalized) {
            let pushed = input.generalized.iter().zip(&islands.tree_of).filter(|(f, _)| **f != 0.0);
            for (_, &tree) in pushed {
                islands.calm[tree] = 0;
                islands.wakes[tree] = true;
            }
        }
        if islands.gravity != world.model.gravity {
            islands.gravity = world.model.gravity;
            islands.calm.fill(0);
            islands.wakes.fill(true);
        }
        let stays = |q: &Range<usize>| same(&state.q[q.clone()], &held[q.clone()]);
        if !(islands.q.iter().all(stays) && islands.v.iter().all(|v| zero(&state.v[v.clone()]))) {
            for joint in &world.model.joints {
                let q = joint.idx_q..joint.idx_q + joint.kind.nq();
                let v = joint.idx_v..joint.idx_v + joint.kind.nv();
                let tree = islands.tree_of[joint.idx_v];
                islands.wakes[tree] |= islands.sleeps(tree) && !(stays(&q) && zero(&state.v[v]));
            }
        }
        if self.wake(world) {
            self.lend_woken();
        }
    }

    /// Gives the stepper the warm starts of what woke.
    pub(super) fn lend_woken(&mut self) {
        let Self { islands, stepper, .. } = self;
        if let Some(core) = stepper.leaves_out() {
            islands.woken_memory.lend(core.warm_starts_mut(), |_| true);
        }
        islands.woken_memory.clear();
    }

    /// The step of a world in which everything sleeps.
    pub(super) fn pass(&mut self, state: &mut State, h: f64) -> StepReport {
        state.t += h;
        self.parts.clear();
        if !self.posed().problem.is_empty()
            && let Some(core) = self.stepper.leaves_out()
        {
            core.clear_problem();
        }
        let mut report = StepReport::of_part();
        self.islands.add_to(&mut report);
        report
    }

    /// Wakes what sleeps beside contacts that were found; true if there is anything.
    pub(super) fn wake_touched(&mut self, world: &World) -> bool {
        if !self.islands.any() {
            return false;
        }
        let Self { stepper, earlier, islands, .. } = self;
        let contacts = stepper.last().contacts.iter().chain(earlier.contacts.iter().map(|(c, _)| c));
        for body in contacts.flat_map(|c| c.bodies).flatten() {
            let tree = world.model.bodies[body].tree;
            islands.wakes[tree] = islands.sleeps(tree);
        }
        self.wake(world)
    }

    /// Wakes everything, which starts cold.
    pub(super) fn forget_sleep(&mut self) {
        if self.islands.on {
            self.islands.forget();
            self.tell_who_sleeps(None);
        }
    }

    /// Wakes the islands of which a tree is marked; true if there are any. Their warm starts are then in
    /// `woken_memory`.
    fn wake(&mut self, world: &World) -> bool {
        let any = self.islands.wake(world);
        if any {
            self.tell_who_sleeps(None);
        }
        any
    }

    /// After an accepted step: counts the steps at rest, stops islands for (2), and lets those sleep that
    /// have passed it. Their warm starts are those of the step.
    pub(super) fn lull(&mut self, world: &World, state: &mut State, report: &StepReport, soft: bool) {
        let whole = report.parts == 1;
        let settled = report.status == StepStatus::Converged && report.remedy.is_none() && !soft;
        let Self { islands, stepper, start_of_step, .. } = self;
        let core = stepper.leaves_out().filter(|_| whole && settled);
        let Some(core) = core else {
            islands.calm.fill(0);
            return;
        };
        if !islands.count(&state.v, |t| core.holds(t)) {
            return;
        }
        islands.join(&stepper.last().posed.jacobian, &start_of_step.state.v);
        islands.let_fall_asleep();
        for (dof, v) in state.v.iter_mut().enumerate() {
            let tree = islands.tree_of[dof];
            if islands.stays[islands.root[tree]] {
                *v = 0.0;
            }
        }
        if !islands.fell.is_empty() {
            self.put_to_sleep(world, state);
        }
    }

    /// Keeps what stands for the islands that fell asleep.
    fn put_to_sleep(&mut self, world: &World, state: &mut State) {
        let Self { stepper: core, islands, .. } = self;
        let LastPart { posed, impulses, contacts, .. } = core.last();
        for (block, contact) in posed.contacts(contacts) {
            if islands.island_of(contact) != AWAKE {
                let wrench = contact.wrench(&impulses[posed.problem.range(block)]);
                islands.contacts.push(SleepingContact { contact: *contact, place: block, wrench });
            }
        }
        self.keep_memory(world);
        self.islands.list(world);
        // As they were before the step.
        for q in &self.islands.q {
            state.q[q.clone()].copy_from_slice(&self.start_of_step.state.q[q.clone()]);
        }
        self.q.copy_from_slice(&state.q);
        self.tell_who_sleeps(Some(world));
    }

    /// Takes the warm starts of what sleeps out of those of the next step.
    fn keep_memory(&mut self, world: &World) {
        self.islands.contacts.sort_unstable_by_key(|c| (c.contact.geometries, c.place));
        let Self { stepper, islands, .. } = self;
        let Some(core) = stepper.leaves_out() else { return };
        let warm = core.warm_starts_mut();
        let mut kept = std::mem::take(&mut islands.memory);
        let sleeps = |key| islands.sleeps_at(world, key);
        warm.lend(&mut kept, sleeps);
        warm.drop_those(sleeps);
        islands.memory = kept;
    }

    /// Leaves what sleeps now out of steps, where it was when something fell asleep in `world`.
    fn tell_who_sleeps(&mut self, falls_in: Option<&World>) {
        let Self { stepper, islands, q, .. } = self;
        islands.changes += 1;
        if let Some(core) = stepper.leaves_out() {
            core.select(&|tree| !islands.sleeps(tree), falls_in.map(|world| (world, &q[..])));
        }
    }

    /// Puts to sleep who slept when `memory` was written, at this state and input, of which the warm starts
    /// are back: from v = 0 their contacts are found as they were.
    pub(super) fn restore_sleep(&mut self, world: &World, state: &State, input: &Input, memory: &Memory) {
        if !self.islands.on {
            return;
        }
        self.islands.calm.copy_from_slice(&memory.steps_at_rest);
        if memory.asleep_with.iter().all(Option::is_none) {
            return;
        }
        let Self { stepper, islands, dt, .. } = self;
        let found = stepper.leaves_out().is_some_and(|core| core.find_contacts(world, state, input, *dt));
        if !found {
            return; // The next step will say why.
        }
        self.q.copy_from_slice(&state.q);
        let of = |i: &Option<usize>| i.unwrap_or(AWAKE);
        islands.island.iter_mut().zip(&memory.asleep_with).for_each(|(to, i)| *to = of(i));
        for (place, contact) in stepper.last().contacts.iter().enumerate() {
            if islands.island_of(contact) != AWAKE {
                let wrench = memory.warm_starts.wrench_of(contact);
                islands.contacts.push(SleepingContact { contact: *contact, place, wrench });
            }
        }
        self.keep_memory(world);
        self.islands.list(world);
        self.tell_who_sleeps(None);
        if let Some(core) = self.stepper.leaves_out() {
            core.clear_problem();
        }
    }

    /// Whether `memory` can be one of this world: as many numbers as it needs, and only what may sleep
    /// sleeps.
    pub(crate) fn may_restore(&self, memory: &Memory) -> bool {
        self.islands.may_sleep(&memory.asleep_with, &memory.steps_at_rest)
    }

    /// True of blocks of the last problem whose island sleeps since.
    pub(crate) fn fell(&self, block: usize, island: usize) -> bool {
        self.posed().jacobian.trees_of(block).any(|t| self.islands.island[t] == island)
    }
}

/// Whether all bits are equal: all are compared, which is faster than to stop.
fn same(a: &[f64], b: &[f64]) -> bool {
    a.iter().zip(b).fold(0, |differ, (a, b)| differ | (a.to_bits() ^ b.to_bits())) == 0
}

/// 0 or −0.
fn zero(x: &[f64]) -> bool {
    x.iter().fold(0, |some, x| some | x.to_bits() << 1) == 0
}
