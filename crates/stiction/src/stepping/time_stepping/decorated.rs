//! [`TimeStepping`] under sleeping, halving and stopping at impacts.

use super::TimeStepping;
use crate::input::Input;
use crate::report::StepReport;
use crate::state::State;
use crate::stepping::decoratable::{Bounce, Decoratable};
use stiction_assembly::WarmStart;
use stiction_contact::ContactSolver;
use stiction_models::World;

impl Decoratable for TimeStepping {
    fn may_sleep(&self) -> bool {
        true
    }

    fn select(&mut self, awake: &dyn Fn(usize) -> bool) {
        let Self { here, free, search, advance, trial, .. } = self;
        here.select(&advance.trapezoidal.tree_of, awake);
        free.select(here);
        search.let_rest(&here.sleeps);
        for dofs in &here.asleep {
            trial.v_next[dofs.clone()].fill(0.0);
            advance.v[dofs.clone()].fill(0.0);
        }
    }

    fn holds(&self, tree: usize) -> bool {
        self.advance.holds(tree) && !self.correction.moves(tree)
    }

    fn warm_starts_mut(&mut self) -> Option<&mut WarmStart> {
        Some(&mut self.warm)
    }

    fn find_contacts(&mut self, world: &World, state: &State, input: &Input, h: f64) -> bool {
        self.here.look(world, (state, &self.warm), h, true);
        self.rolling.give_up();
        self.advance.trapezoidal.begin();
        let found = self.free.find(
            world,
            state,
            input,
            h,
            (&mut self.here, &mut self.advance.trapezoidal, &self.rolling),
        );
        if found.is_ok() {
            Self::find_contacts(self, world, h);
        }
        self.advance.q.copy_from_slice(&state.q);
        found.is_ok()
    }

    fn hold_at(&mut self, world: &World, q: &[f64]) {
        self.advance.q.copy_from_slice(q);
        if self.search.finder.sweeps() {
            self.here.kin.update(&world.model, q); // it is of the end of the step
        }
    }

    fn clear_problem(&mut self) {
        self.search.points.clear();
        self.posed.clear();
        self.trial.impulses.clear();
    }

    fn sweeps(&self) -> bool {
        self.search.finder.may_be_fast()
    }

    fn sweep_steps_of(&mut self, whole: Option<f64>) {
        self.search.swept = whole;
    }

    fn goes_on_after(&mut self, length: Option<f64>) {
        self.here.fast.came_in = length;
    }

    fn may_bounce(&self) -> bool {
        self.search.may_bounce
    }

    fn first_bounce(&mut self) -> Option<Bounce> {
        let rigid = self.here.rigid && self.trial.choice.restitution > 0.0;
        if rigid { self.search.find_bounces(&self.posed) } else { None }
    }

    fn leave_out_bounces(&mut self, leave_out: bool) {
        self.search.leaves_out = leave_out;
    }

    fn gap_at_bounce(&mut self, world: &World, q: &[f64]) -> f64 {
        self.here.kin.update(&world.model, q);
        self.search.gap_at_bounce(world, (&self.here, &self.free))
    }

    fn impact(
        &mut self,
        world: &World,
        state: &mut State,
        at: (usize, f64),
        solver: &mut dyn ContactSolver,
    ) -> Option<StepReport> {
        self.next_impact(world, state, at, solver).unwrap_or_else(|cause| Some(StepReport::failed(cause)))
    }

    fn first_impact(&mut self, world: &World, way: [&[f64]; 2], part: f64) -> Option<f64> {
        let limits = [self.params.margin, self.params.slop];
        self.search.finder.first_impact((world, &mut self.here.kin), way, (part, limits))
    }
}
