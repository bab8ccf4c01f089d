//! Islands at rest that sleep: nothing of them is computed until something happens to them.
//!
//! An island is what contacts join, touching or near; the world joins nothing. It sleeps when
//!
//! ```text
//!     no point of it was faster than 1e-7 m/s at the end of any step for 50 ms, and something held every tree   (1)
//!     and a step from v = 0 exactly leaves (1)                                                                  (2)
//! ```
//!
//! all steps whole, converged and without a remedy. The speed is ten times the tolerance that solvers have of themselves,
//! about what a converged step leaves of a body at rest; what gains as little as 2e-6 m/s² is faster before the time is
//! over, and does not sleep. A sleeping island is as it was before (2), v = 0: that step, its contacts, impulses and
//! certificate stand for every later one, whose problem would be the same.
//!
//! The island wakes, whole and within the step, when a contact with something awake, touching or near, would enter the
//! problem, or when its state, gravity or a force on it was set from outside. Trees that servos, motors, tendons,
//! loops, couplings, dry friction or carried weight act on never sleep; nor does anything under compliant laws.

use super::halving::Halving;
use super::islands_at_rest::{AWAKE, IslandsAtRest, SleepingContact};
use super::stop_at_impact::StopAtImpact;
use crate::input::Input;
use crate::params::{Sleep, StepperParams};
use crate::report::{StepReport, StepStatus};
use crate::state::{State, copy};
use crate::stepping::Stepper;
use crate::stepping::accepted::Accepted;
use crate::stepping::contact_correction::ContactCorrection;
use crate::stepping::contact_source::ContactSource;
use crate::stepping::decoratable::Decoratable;
use crate::stepping::memory::Memory;
use crate::stepping::slopes::{NoSlopes, Slopes};
use std::ops::Range;
use stiction_assembly::{ContactPoint, Posed, WarmStart};
use stiction_contact::ContactSolver;
use stiction_models::World;

/// Sleep around step halving around stopping at impacts around a stepper.
pub(crate) struct Sleeping<S> {
    pub(crate) inner: Halving<S>,
    pub(crate) islands: IslandsAtRest,
    /// State and memory at the start of the step, kept while something sleeps.
    state: State,
    memory: Memory,
    /// Positions of what sleeps; others as they were when something last fell asleep.
    q: Vec<f64>,
    /// Length of an ordinary step [s].
    dt: f64,
}

impl<S: Decoratable> Sleeping<S> {
    pub(crate) fn new(world: &World, inner: S, params: &StepperParams) -> Self {
        let sleep = if inner.may_sleep() { params.sleep } else { Sleep::Off };
        let inner = Halving::new(world, StopAtImpact::new(world, inner, params), params.adaptive);
        Self {
            inner,
            islands: IslandsAtRest::new(world, sleep, params.dt),
            state: State::neutral(&world.model),
            memory: Memory::default(),
            q: vec![0.0; world.model.nq],
            dt: params.dt,
        }
    }

    pub(crate) fn core(&self) -> &S {
        &self.inner.inner.inner
    }

    pub(crate) fn core_mut(&mut self) -> &mut S {
        &mut self.inner.inner.inner
    }

    /// Before a step: wakes what was changed from outside.
    fn wake_changed(&mut self, world: &World, state: &State, input: &Input) {
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
            let warm = std::mem::take(&mut self.islands.woken_memory);
            self.lend_woken(warm);
        }
    }

    /// Gives the stepper the warm starts of what woke.
    fn lend_woken(&mut self, mut warm: WarmStart) {
        if let Some(next) = self.core_mut().warm_starts_mut() {
            warm.lend(next, |_| true);
        }
        warm.clear();
        self.islands.woken_memory = warm;
    }

    /// The step of a world in which everything sleeps.
    fn pass(&mut self, state: &mut State, h: f64) -> StepReport {
        state.t += h;
        self.inner.inner.parts.clear();
        if !self.core().posed().problem.is_empty() {
            self.core_mut().clear_problem();
        }
        self.islands.add_to(StepReport { parts: 1, ..StepReport::start() })
    }

    /// Wakes what sleeps beside contacts that were found; true if there is anything.
    fn wake_touched(&mut self, world: &World) -> bool {
        if !self.islands.any() {
            return false;
        }
        for body in self.inner.inner.inner.contacts().iter().flat_map(|c| c.bodies).flatten() {
            let tree = world.model.bodies[body].tree;
            self.islands.wakes[tree] = self.islands.sleeps(tree);
        }
        self.wake(world)
    }

    /// Wakes everything, which starts cold.
    fn forget_sleep(&mut self) {
        if self.islands.on {
            self.islands.forget();
            self.tell_who_sleeps();
        }
    }

    /// Wakes the islands of which a tree is marked; true if there are any. Their warm starts are then in `woken_memory`.
    fn wake(&mut self, world: &World) -> bool {
        let any = self.islands.wake(world);
        if any {
            self.tell_who_sleeps();
        }
        any
    }

    /// After an accepted step: counts the steps at rest, stops islands for (2), and lets those sleep that have passed it.
    /// Their warm starts are those of the step.
    fn lull(&mut self, world: &World, state: &mut State, report: &StepReport, soft: bool) {
        let whole = report.parts == 1;
        let settled = report.status == StepStatus::Converged && report.remedy.is_none() && !soft;
        let islands = &mut self.islands;
        if !(whole && settled) {
            islands.calm.fill(0);
            return;
        }
        let core = &self.inner.inner.inner;
        if !islands.count(&state.v, |t| core.holds(t)) {
            return;
        }
        islands.join(&core.posed().jacobian, &self.state.v);
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
        let Self { inner, islands, .. } = self;
        let core = &inner.inner.inner;
        for (block, contact) in core.posed().contacts(core.contacts()) {
            if islands.island_of(contact) != AWAKE {
                let wrench = contact.wrench(&core.impulses()[core.posed().problem.range(block)]);
                islands.contacts.push(SleepingContact { contact: *contact, place: block, wrench });
            }
        }
        self.keep_memory(world);
        self.islands.list(world);
        // As they were before the step.
        for q in &self.islands.q {
            state.q[q.clone()].copy_from_slice(&self.state.q[q.clone()]);
        }
        self.q.copy_from_slice(&state.q);
        self.inner.inner.inner.hold_at(world, &self.q);
        self.tell_who_sleeps();
    }

    /// Takes the warm starts of what sleeps out of those of the next step.
    fn keep_memory(&mut self, world: &World) {
        self.islands.contacts.sort_unstable_by_key(|c| (c.contact.geometries, c.place));
        let Self { inner, islands, .. } = self;
        let Some(warm) = inner.inner.inner.warm_starts_mut() else { return };
        let mut kept = std::mem::take(&mut islands.memory);
        let sleeps = |key| islands.sleeps_at(world, key);
        warm.lend(&mut kept, sleeps);
        warm.drop_those(sleeps);
        islands.memory = kept;
    }

    /// Tells everybody who sleeps now.
    fn tell_who_sleeps(&mut self) {
        let Self { inner, islands, .. } = self;
        islands.changes += 1;
        inner.inner.inner.select(&|tree| !islands.sleeps(tree));
    }

    /// Puts to sleep who slept when `memory` was written, at this state and input, of which the warm starts are back: from
    /// v = 0 their contacts are found as they were.
    fn restore_sleep(&mut self, world: &World, state: &State, input: &Input, memory: &Memory) {
        if !self.islands.on {
            return;
        }
        self.islands.calm.copy_from_slice(&memory.steps_at_rest);
        if memory.asleep_with.iter().all(Option::is_none) {
            return;
        }
        let dt = self.dt;
        if !self.core_mut().find_contacts(world, state, input, dt) {
            return; // The next step will say why.
        }
        self.q.copy_from_slice(&state.q);
        let Self { inner, islands, .. } = self;
        let of = |i: &Option<usize>| i.unwrap_or(AWAKE);
        islands.island.iter_mut().zip(&memory.asleep_with).for_each(|(to, i)| *to = of(i));
        for (place, contact) in inner.inner.inner.contacts().iter().enumerate() {
            if islands.island_of(contact) != AWAKE {
                let wrench = memory.warm_starts.wrench_of(contact);
                islands.contacts.push(SleepingContact { contact: *contact, place, wrench });
            }
        }
        self.keep_memory(world);
        self.islands.list(world);
        self.tell_who_sleeps();
        self.core_mut().clear_problem();
    }

    /// Whether `memory` can be one of this world: as many numbers as it needs, and only what may sleep sleeps.
    pub(crate) fn may_restore(&self, memory: &Memory) -> bool {
        self.islands.may_sleep(&memory.asleep_with, &memory.steps_at_rest)
    }

    /// True of blocks of the last problem whose island sleeps since.
    pub(crate) fn fell(&self, block: usize, island: usize) -> bool {
        self.core().posed().jacobian.trees_of(block).any(|t| self.islands.island[t] == island)
    }
}

impl<S: Decoratable> Stepper for Sleeping<S> {
    fn name(&self) -> &'static str {
        self.core().name()
    }

    fn step(
        &mut self,
        world: &World,
        state: &mut State,
        input: &Input,
        h: f64,
        solver: &mut dyn ContactSolver,
    ) -> StepReport {
        if !self.islands.on {
            return self.inner.step(world, state, input, h, solver);
        }
        self.wake_changed(world, state, input);
        if self.islands.all() {
            return self.pass(state, h);
        }
        copy(state, &mut self.state);
        let report = loop {
            if self.islands.any() {
                self.inner.inner.inner.memory_into(&mut self.memory);
            }
            let report = self.inner.step(world, state, input, h, solver);
            if !self.wake_touched(world) {
                break report;
            }
            copy(&self.state, state);
            let warm = std::mem::take(&mut self.islands.woken_memory);
            self.inner.inner.inner.restore(world, &self.state, input, &self.memory);
            self.lend_woken(warm);
        };
        if report.failure().is_none() {
            self.lull(world, state, &report, solver.needs().softness);
        }
        self.islands.add_to(report)
    }

    fn posed(&self) -> &Posed {
        self.core().posed()
    }

    fn impulses(&self) -> &[f64] {
        self.core().impulses()
    }

    fn contacts(&self) -> &[ContactPoint] {
        self.core().contacts()
    }

    fn efforts_into(&self, world: &World, out: &mut Vec<f64>) {
        self.core().efforts_into(world, out);
    }

    fn memory_into(&self, out: &mut Memory) {
        self.core().memory_into(out);
        self.islands.memory.lend(&mut out.warm_starts, |_| true);
        out.steps_at_rest.clone_from(&self.islands.calm);
        out.asleep_with.clear();
        out.asleep_with.extend(self.islands.island.iter().map(|&i| (i != AWAKE).then_some(i)));
    }

    fn restore(&mut self, world: &World, state: &State, input: &Input, memory: &Memory) {
        self.forget();
        self.core_mut().restore(world, state, input, memory);
        self.restore_sleep(world, state, input, memory);
    }

    fn forget(&mut self) {
        self.core_mut().forget();
        self.forget_sleep();
    }

    fn take_numbers(&mut self, world: &World) {
        self.core_mut().take_numbers(world);
        self.forget_sleep();
    }

    fn accepted(&self) -> Option<Accepted<'_>> {
        self.core().accepted()
    }

    fn slopes(&mut self, world: &World, start: &State, input: &Input, h: f64) -> Result<Slopes, NoSlopes> {
        self.core_mut().slopes(world, start, input, h)
    }

    fn correct_contacts(&mut self, correction: Option<Box<dyn ContactCorrection>>) -> bool {
        self.core_mut().correct_contacts(correction)
    }

    fn add_contact_source(&mut self, source: Box<dyn ContactSource>) -> bool {
        self.core_mut().add_contact_source(source)
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
