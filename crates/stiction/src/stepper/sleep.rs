//! Islands at rest that sleep: nothing of them is computed until something happens to them.
//!
//! An island is what contacts join, touching or near; the world joins nothing. It sleeps when
//!
//! ```text
//!     no point of it was faster than 1e-7 m/s at the end of any step for 50 ms, and something held every tree   (1)
//!     and a step from v = 0 exactly leaves (1)                                                                  (2)
//! ```
//!
//! all steps whole, converged and without a jam. The speed is ten times the tolerance that solvers have of themselves,
//! about what a converged step leaves of a body at rest; what gains as little as 2e-6 m/s² is faster before the time is
//! over, and does not sleep. A sleeping island is as it was before (2), v = 0: that step, its contacts, impulses and
//! certificate stand for every later one, whose problem would be the same.
//!
//! The island wakes, whole and within the step, when a contact with something awake, touching or near, would enter the
//! problem, or when its state, gravity or a force on it was set from outside. Trees that servos, motors, tendons,
//! loops, couplings, dry friction or carried weight act on never sleep; nor does anything under compliant laws.

use super::sleepers::{AWAKE, Sleepers, SleepingContact};
use super::{Input, TimeStepper};
use crate::State;
use crate::report::StepReport;
use std::ops::Range;
use stiction_contact::{SolveReport, SolveStatus};
use stiction_models::World;

impl TimeStepper {
    /// Before a step: wakes what was changed from outside. True if everything sleeps on.
    pub(super) fn all_sleep(&mut self, world: &World, state: &State, input: &Input) -> bool {
        let Self { sleepers, q_next, .. } = self;
        sleepers.fell.clear();
        if !zero(&input.generalized) {
            let pushed = input.generalized.iter().zip(&sleepers.tree_of).filter(|(f, _)| **f != 0.0);
            for (_, &tree) in pushed {
                sleepers.calm[tree] = 0;
                sleepers.wakes[tree] = true;
            }
        }
        if sleepers.gravity != world.model.gravity {
            sleepers.gravity = world.model.gravity;
            sleepers.calm.fill(0);
            sleepers.wakes.fill(true);
        }
        let stays = |q: &Range<usize>| same(&state.q[q.clone()], &q_next[q.clone()]);
        if !(sleepers.q.iter().all(stays) && sleepers.v.iter().all(|v| zero(&state.v[v.clone()]))) {
            for joint in &world.model.joints {
                let q = joint.idx_q..joint.idx_q + joint.kind.nq();
                let v = joint.idx_v..joint.idx_v + joint.kind.nv();
                let tree = sleepers.tree_of[joint.idx_v];
                sleepers.wakes[tree] |= !(stays(&q) && zero(&state.v[v]));
            }
        }
        self.wake(world);
        self.sleepers.all()
    }

    /// The step of a world in which everything sleeps.
    pub(super) fn pass(&mut self, state: &mut State) -> StepReport {
        state.t += self.params.dt;
        if !self.problem.is_empty() {
            self.clear_problem();
        }
        self.sleepers.add_to(StepReport { parts: 1, ..StepReport::start() })
    }

    /// Wakes what sleeps beside contacts that were found; true if there is anything.
    pub(super) fn wake_touched(&mut self, world: &World) -> bool {
        if !self.sleepers.any() {
            return false;
        }
        for body in self.contacts.iter().flat_map(|c| c.bodies).flatten() {
            let tree = world.model.bodies[body].tree;
            self.sleepers.wakes[tree] = self.sleepers.sleeps(tree);
        }
        self.wake(world)
    }

    /// Wakes everything, which starts cold.
    pub(super) fn forget_sleep(&mut self) {
        if self.sleepers.on {
            self.sleepers.forget();
            self.tell_who_sleeps();
        }
    }

    fn clear_problem(&mut self) {
        self.contacts.clear();
        self.rows.clear();
        self.problem.clear();
        self.impulses.clear();
    }

    /// Wakes the islands of which a tree is marked; true if there are any.
    fn wake(&mut self, world: &World) -> bool {
        let sleepers = &mut self.sleepers;
        if !sleepers.wakes.contains(&true) {
            return false;
        }
        let mut any = false;
        for t in 0..sleepers.island.len() {
            let island = sleepers.island[t];
            if std::mem::take(&mut sleepers.wakes[t]) && island != AWAKE {
                any = true;
                for (of, calm) in
                    sleepers.island.iter_mut().zip(&mut sleepers.calm).filter(|x| *x.0 == island)
                {
                    (*of, *calm) = (AWAKE, 0);
                }
            }
        }
        if any {
            let mut contacts = std::mem::take(&mut sleepers.contacts);
            contacts.retain(|c| sleepers.island_of(&c.contact) != AWAKE);
            let mut memory = std::mem::take(&mut sleepers.memory);
            let woken = |key| !sleepers.sleeps_at(world, key);
            memory.lend(&mut self.memory, woken);
            if self.params.adaptive > 0 {
                memory.lend(self.kept.memory(), woken);
            }
            memory.drop_those(woken);
            (sleepers.contacts, sleepers.memory) = (contacts, memory);
            self.sleepers.list(world);
            self.tell_who_sleeps();
        }
        any
    }

    /// After a step that was solved, before it is accepted: counts the steps at rest, stops islands for (2), and lets
    /// those sleep that have passed it. Their warm starts are those of the step.
    pub(super) fn lull(&mut self, world: &World, state: &State, solve: &SolveReport, share: f64) {
        let whole = share == 1.0 && self.params.dt == self.step_length;
        let settled = solve.status == SolveStatus::Converged && !self.jam.solved && self.trapezoidal;
        if !(whole && settled) {
            self.sleepers.calm.fill(0);
            return;
        }
        let Self { sleepers, flight, apart, kin, rows, .. } = self;
        if !sleepers.count(&self.v_end, kin.selected_dofs(), |t| flight.holds(t) && !apart.moves(t)) {
            return;
        }
        sleepers.join(rows, &state.v, kin.selected_dofs());
        for t in 0..sleepers.island.len() {
            let root = sleepers.root[t];
            if sleepers.island[t] == AWAKE && sleepers.stays[root] && !sleepers.moves[root] {
                sleepers.island[t] = root;
                if t == root {
                    sleepers.fell.push(root);
                }
            }
        }
        for (dof, v) in self.v_end.iter_mut().enumerate() {
            if sleepers.stays[sleepers.root[sleepers.tree_of[dof]]] {
                *v = 0.0;
            }
        }
        if !sleepers.fell.is_empty() {
            self.put_to_sleep(world, state);
        }
    }

    /// Keeps what stands for the islands that fell asleep.
    fn put_to_sleep(&mut self, world: &World, state: &State) {
        let mut row = 0;
        for (place, contact) in self.contacts.iter().enumerate() {
            let rows = row..row + contact.cone().dim();
            row = rows.end;
            if self.sleepers.island_of(contact) != AWAKE {
                let wrench = contact.wrench(&self.impulses[rows]);
                self.sleepers.contacts.push(SleepingContact { contact: *contact, place, wrench });
            }
        }
        self.keep_memory(world);
        if self.finder.sweeps() {
            self.kin.update(&world.model, &state.q); // it was looked ahead with it
        }
        self.sleepers.list(world);
        self.tell_who_sleeps();
        for q in &self.sleepers.q {
            self.q_next[q.clone()].copy_from_slice(&state.q[q.clone()]);
        }
    }

    /// Takes the warm starts of what sleeps out of those of the next step.
    fn keep_memory(&mut self, world: &World) {
        self.sleepers.contacts.sort_unstable_by_key(|c| (c.contact.geometries, c.place));
        let mut kept = std::mem::take(&mut self.sleepers.memory);
        let sleeps = |key| self.sleepers.sleeps_at(world, key);
        self.memory.lend(&mut kept, sleeps);
        self.memory.drop_those(sleeps);
        self.sleepers.memory = kept;
    }

    /// Tells everybody who sleeps now.
    fn tell_who_sleeps(&mut self) {
        let Self { sleepers, kin, middle, factor, finder, .. } = self;
        sleepers.changes += 1;
        let awake = |tree: usize| !sleepers.sleeps(tree);
        kin.select(awake);
        middle.select(awake);
        factor.select(kin.selected_dofs());
        finder.let_rest(|g| sleepers.tree_of_geometry[g].is_some_and(|t| sleepers.sleeps(t)));
        for dofs in sleepers.dofs() {
            for still in [&mut self.tau, &mut self.v_free, &mut self.v_next, &mut self.v_end] {
                still[dofs.clone()].fill(0.0);
            }
        }
    }

    /// Puts to sleep who slept in a snapshot, whose state, input and warm starts are back: from v = 0 their contacts
    /// are found as they were.
    pub(crate) fn restore_sleep(
        &mut self,
        world: &World,
        state: &State,
        input: &Input,
        island: &[usize],
        calm: &[u32],
    ) {
        self.sleepers.calm.copy_from_slice(calm);
        if island.iter().all(|&i| i == AWAKE) {
            return;
        }
        self.kin.update(&world.model, &state.q);
        self.middle.find(world, state, self.params.dt, false, &self.fast.lost);
        if self.find_contacts(world, state, input).is_err() {
            return; // The next step will say why.
        }
        self.q_next.copy_from_slice(&state.q);
        self.sleepers.island.copy_from_slice(island);
        for (place, contact) in self.contacts.iter().enumerate() {
            if self.sleepers.island_of(contact) != AWAKE {
                let wrench = self.memory.wrench_of(contact);
                self.sleepers.contacts.push(SleepingContact { contact: *contact, place, wrench });
            }
        }
        self.keep_memory(world);
        self.sleepers.list(world);
        self.tell_who_sleeps();
        self.clear_problem();
    }

    /// Whether these numbers of a snapshot can be: as many as trees, and only what may sleep sleeps.
    pub(crate) fn may_sleep(&self, island: &[usize], calm: &[u32]) -> bool {
        let Sleepers { on, enough, may, .. } = &self.sleepers;
        let n = may.len();
        let fine =
            |t: usize| island[t] == AWAKE || *on && may[t] && island[t] < n && island[island[t]] == island[t];
        [island.len(), calm.len()] == [n, n] && (0..n).all(fine) && calm.iter().all(|c| c <= enough)
    }

    /// Who sleeps.
    pub(crate) fn sleepers(&self) -> &Sleepers {
        &self.sleepers
    }

    /// True of blocks of the last problem whose island sleeps since.
    pub(crate) fn fell(&self, block: usize, island: usize) -> bool {
        self.rows.trees_of(block).any(|t| self.sleepers.island[t] == island)
    }
}

/// The same bits: all are compared, which is faster than to stop.
fn same(a: &[f64], b: &[f64]) -> bool {
    a.iter().zip(b).fold(0, |differ, (a, b)| differ | (a.to_bits() ^ b.to_bits())) == 0
}

/// 0 or −0.
fn zero(x: &[f64]) -> bool {
    x.iter().fold(0, |some, x| some | x.to_bits() << 1) == 0
}
