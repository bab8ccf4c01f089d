//! Where a step is posed: kinematics of its start and of its middle.

use super::integrate::fast_rotation::FastRotation;
use crate::state::State;
use std::ops::Range;
use stiction_assembly::PatchDetail;
use stiction_dynamics::{Kinematics, lanes};
use stiction_world::World;

/// Kinematics of one step, and who sleeps.
pub(crate) struct Here {
    /// At q.
    pub(crate) kin: Kinematics,
    /// At q⁺ of the last step, and that q⁺; empty if it is not known.
    next: Kinematics,
    q_next: Vec<f64>,
    /// The step started where the last one with a known end led.
    pub(crate) came: bool,
    /// Trees that turn farther in the step than it can follow.
    pub(crate) fast: FastRotation,
    /// The step is posed in its middle, where `kin` is; `next` is of its start until it ends.
    at_middle: bool,
    /// The contact law is rigid.
    pub(crate) rigid: bool,
    /// In how many points the contact law is given what meets by pressure.
    pub(crate) patches: PatchDetail,
    /// Dofs of trees that sleep.
    pub(crate) asleep: Vec<Range<usize>>,
    /// Per tree, whether it sleeps.
    pub(crate) sleeps: Vec<bool>,
}

impl Here {
    pub(crate) fn new(world: &World) -> Self {
        Self {
            kin: Kinematics::new(&world.model),
            next: Kinematics::new(&world.model),
            q_next: Vec::with_capacity(world.model.nq),
            came: false,
            fast: FastRotation::new(world),
            at_middle: false,
            rigid: true,
            patches: PatchDetail::Representative,
            asleep: Vec::new(),
            sleeps: vec![false; world.model.trees],
        }
    }

    /// Computes everything at the start of a step of h [s].
    pub(crate) fn look(&mut self, world: &World, state: &State, h: f64, rigid: bool) {
        self.came = self.asleep.is_empty() && self.q_next == state.q;
        self.q_next.clear();
        if self.came {
            std::mem::swap(&mut self.kin, &mut self.next);
        } else {
            lanes::plain(
                #[inline(always)]
                || self.kin.update(&world.model, &state.q),
            );
        }
        (self.rigid, self.at_middle) = (rigid, false);
        self.fast.find(&world.model, &state.v, h);
    }

    /// Computes the kinematics at the start of a step that is to be posed in its middle.
    pub(crate) fn look_at_start(&mut self, world: &World, start: &State) {
        self.came = self.asleep.is_empty() && self.q_next == start.q;
        if !self.came {
            self.next.update(&world.model, &start.q);
            self.q_next.clear();
            if self.asleep.is_empty() {
                self.q_next.extend_from_slice(&start.q);
            }
        }
        self.at_middle = true;
    }

    /// Computes everything of a step that is posed at its middle; its start and fast rotations are known.
    pub(crate) fn look_at_middle(&mut self, world: &World, middle: &State) {
        lanes::plain(
            #[inline(always)]
            || self.kin.update(&world.model, &middle.q),
        );
        (self.rigid, self.at_middle) = (true, true);
    }

    /// Whether the step is posed in its middle.
    pub(crate) fn is_at_middle(&self) -> bool {
        self.at_middle
    }

    /// Kinematics at the start of the step, until it ends.
    pub(crate) fn start(&self) -> &Kinematics {
        if self.at_middle { &self.next } else { &self.kin }
    }

    /// Kinematics at the end of the step, which the next starts with.
    pub(crate) fn arrive(&mut self, world: &World, q: &[f64]) -> &Kinematics {
        let Self { next, q_next, .. } = self;
        if *q_next == q {
            return &self.next;
        }
        lanes::plain(
            #[inline(always)]
            || next.update(&world.model, q),
        );
        q_next.clear();
        q_next.extend_from_slice(q);
        &self.next
    }

    /// Kinematics at the end of the step, after [`Self::arrive`].
    pub(crate) fn end(&self) -> &Kinematics {
        &self.next
    }

    /// Leaves out of kinematics the trees for which `awake` is false.
    pub(crate) fn select(&mut self, tree_of_dof: &[usize], awake: &dyn Fn(usize) -> bool) {
        self.sleeps.iter_mut().enumerate().for_each(|(t, s)| *s = !awake(t));
        self.kin.select(awake);
        self.q_next.clear();
        self.asleep.clear();
        for (dof, _) in tree_of_dof.iter().enumerate().filter(|(_, t)| !awake(**t)) {
            stiction_dynamics::append_range(&mut self.asleep, dof..dof + 1);
        }
    }

    /// Takes the numbers of a world that differs in inertias at most.
    pub(crate) fn take_numbers(&mut self, world: &World) {
        self.kin.set_inertias(&world.model);
        self.next.set_inertias(&world.model);
        self.q_next.clear();
        self.fast = FastRotation::new(world);
    }
}
