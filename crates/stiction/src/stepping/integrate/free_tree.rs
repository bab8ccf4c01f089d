//! Steps of a tree that no constraint acts upon, in parts as large as is accurate.
//!
//! Where springs, dampers and servos are soft beside inertia the tree goes by [`super::runge_kutta`], of the fifth order; where any
//! is stiff by [`super::rosenbrock`], of the second, which is implicit in them. A part of a step of which the method's own
//! error estimate is too large is halved; an implicit part that is accurate is followed by one twice as long.

use super::system::System;
use super::{rosenbrock, runge_kutta};
use crate::input::Input;
use crate::state::State;
use stiction_dynamics::{MassMatrix, lanes};
use stiction_world::World;

/// Share of a diagonal of M̂ that its springs, dampers and servos may be where the explicit method is taken [–].
const SOFT: f64 = 0.75;

/// A tree by itself, and the memory of both methods.
pub(crate) struct FreeTree {
    /// The number of the tree in the whole.
    pub(crate) number: usize,
    pub(super) system: System,
    pub(super) implicit: rosenbrock::Workspace,
    /// The parts of the last step, as shares of it, and whether they were by the implicit method.
    pub(super) parts: Vec<f64>,
    pub(super) stiff: bool,
}

impl FreeTree {
    /// Tree `number` of `world`, whose servos act on single dofs.
    pub(crate) fn new(world: &World, number: usize) -> Self {
        let system = System::new(world, number);
        let implicit = rosenbrock::Workspace::new(&system);
        // As many parts as there are most without an allocation in a step.
        let parts = Vec::with_capacity(runge_kutta::PARTS.max(rosenbrock::PARTS) as usize);
        Self { number, implicit, system, parts, stiff: false }
    }

    /// Finds where the step leads under the efforts `applied`, which are not of servos; false if no part is accurate
    /// enough. `mass` is M̂ of the whole.
    pub(crate) fn find(
        &mut self,
        state: &State,
        (applied, input): (&[f64], &Input),
        mass: &MassMatrix,
        h: f64,
    ) -> bool {
        let gain = |i: usize| self.implicit.gain_over(i, h);
        let stiff =
            self.system.tree.v.iter().enumerate().any(|(i, &dof)| gain(i) > SOFT * mass.diagonal(dof));
        self.system.start(state, applied, input);
        self.stiff = stiff;
        self.in_parts(h, stiff) && !self.system.outruns(h)
    }

    /// Puts what was found into its places.
    pub(crate) fn advance(&self, q_next: &mut [f64], v_next: &mut [f64]) {
        let System { tree, q, v, .. } = &self.system;
        tree.q.iter().zip(q).for_each(|(&i, x)| q_next[i] = *x);
        tree.v.iter().zip(v).for_each(|(&i, x)| v_next[i] = *x);
    }

    /// Puts the mean efforts of its servos during the step into their places.
    pub(crate) fn efforts_into(&self, out: &mut [f64]) {
        self.system.servos.iter().for_each(|s| out[s.index] = s.mean);
    }

    /// The step from q and v, in parts as large as is accurate; false if the least is not.
    fn in_parts(&mut self, h: f64, stiff: bool) -> bool {
        let Self { system, implicit, parts, .. } = self;
        parts.clear();
        let most = if stiff { rosenbrock::PARTS } else { runge_kutta::PARTS };
        let unit = 1.0 / f64::from(most);
        let (mut left, mut size) = (most, most);
        lanes::plain(
            #[inline(always)]
            || {
                while left > 0 {
                    size = size.min(left);
                    system.q0.copy_from_slice(&system.q);
                    system.v0.copy_from_slice(&system.v);
                    let share = unit * f64::from(size);
                    let (good, weights) = match stiff {
                        true => (implicit.part(system, h * share, size == 1), &rosenbrock::B[..]),
                        false => (runge_kutta::part(system, h * share), &runge_kutta::B[..]),
                    };
                    if good {
                        system.servos.iter_mut().for_each(|s| s.add_mean(weights, share));
                        parts.push(share);
                        left -= size;
                        if stiff {
                            size *= 2; // what was fast has died away
                        }
                    } else if size > 1 {
                        system.q.copy_from_slice(&system.q0);
                        system.v.copy_from_slice(&system.v0);
                        size /= 2;
                    } else {
                        return false;
                    }
                }
                true
            },
        )
    }
}
