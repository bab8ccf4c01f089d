//! [`TimeStepping`] as a stepper that the driver steps.

use super::TimeStepping;
use super::advance::Advance;
use super::energy_error::EnergyError;
use crate::input::Input;
use crate::state::State;
use crate::stepping::accepted::{Accepted, PosedInMiddle, StepFacts};
use crate::stepping::attempt::{Attempt, Ends, Landings, Part, Step};
use crate::stepping::integrate::rolling::RollingBodies;
use crate::stepping::memory::Memory;
use crate::stepping::{About, Extension, LastPart, LeavesOut, Stepper};
use stiction_assembly::WarmStart;
use stiction_contact::ContactSolver;
use stiction_world::World;

impl Stepper for TimeStepping {
    fn about(&self) -> About {
        let meetings = self.search.finder.may_be_fast();
        let may_end = Ends { landings: true, inelastic: true, meetings, error_control: false };
        About { may_end, ..About::of("time-stepping") }
    }

    fn attempt(&mut self, part: &Part<'_>, state: &mut State, solver: &mut dyn ContactSolver) -> Attempt {
        if let Landings::Strike { done } = part.landings {
            return self.strike(part, done, state, solver);
        }
        match self.attempt_part(part, state, solver) {
            Ok(None) => self.finish_part(part, state, solver),
            Ok(Some(reason)) => Attempt::Retry(reason),
            Err(cause) => Attempt::Failed(cause.into()),
        }
    }

    fn last(&self) -> LastPart<'_> {
        let Self { posed, trial, search, .. } = self;
        LastPart { posed, impulses: &trial.impulses, contacts: &search.points }
    }

    fn efforts_into(&self, world: &World, out: &mut Vec<f64>) {
        self.free.servos.exerted_into(&world.actuators, &self.room.v_start, &self.trial.v_next, out);
        self.advance.efforts_into(out);
    }

    fn memory_into(&self, out: &mut Memory) {
        out.warm_starts.set_to(&self.warm);
        out.saturated.clear();
        out.saturated.extend_from_slice(self.free.servos.promoted());
        out.without_feedback = self.left_out;
        out.own.truncate(1);
        let forces = &self.free.last_forces;
        match out.own.first_mut() {
            Some(own) => own.clone_from(forces),
            None if forces.is_empty() => {}
            None => out.own.push(forces.clone()),
        }
        out.substep = None;
    }

    fn restore(&mut self, memory: &Memory) {
        self.warm.set_to(&memory.warm_starts);
        self.free.servos.set_promoted(&memory.saturated);
        self.left_out = memory.without_feedback;
        self.free.last_forces.clear();
        self.free.last_forces.extend(memory.own.first().into_iter().flatten());
    }

    fn forget(&mut self) {
        self.warm.clear();
        self.left_out = false;
        self.free.servos.forget();
        self.free.last_forces.clear();
        self.search.finder.forget_speeds();
    }

    fn take_numbers(&mut self, world: &World) {
        self.search.take_surfaces(world);
        self.free.take_numbers(world);
        self.advance = Advance::new(world, self.params.higher_order);
        self.rolling = RollingBodies::new(world, self.params.higher_order);
        self.energy_error = EnergyError::new(world);
        self.here.take_numbers(world);
    }

    fn leaves_out(&mut self) -> Option<&mut dyn LeavesOut> {
        Some(self)
    }

    fn accepted(&self) -> Option<Accepted<'_>> {
        Some(Accepted {
            posed: &self.posed,
            contacts: &self.search.points,
            impulses: &self.trial.impulses,
            v: &self.room.v_start,
            v_free: &self.free.v_free,
            v_next: &self.trial.v_next,
            mass: &self.free.mass,
            factor: &self.free.factor,
            quadrature: &self.advance.rules,
            remedy: self.remedy,
            facts: StepFacts {
                rigid: self.here.rigid,
                posed_in_middle: self.rolling.any().then_some(PosedInMiddle {
                    state: &self.rolling.middle,
                    bodies: &self.rolling,
                    mean: self.free.mean_velocity(),
                }),
                too_fast: self.here.fast.far.iter().position(|far| *far),
                servos: &self.free.servos,
                gravity_compensation: &self.free.gravity_compensation,
                gyroscopic: &self.free.free_bodies,
                q_of_dof: &self.free.q_of_dof,
                bodies: &self.rolling,
                ballistic: &self.advance.ballistic,
                finder: &self.search.finder,
                rows: self.row_params,
                correction: &self.correction.v,
                correction_impulses: self.correction.impulses(),
                corrected: self.room.corrected,
            },
        })
    }

    fn extend(&mut self, extension: Extension) -> bool {
        match extension {
            Extension::ContactCorrection(correction) => self.room.correction = correction,
            Extension::ContactSource(source) => self.search.add(source),
        }
        true
    }
}

impl LeavesOut for TimeStepping {
    fn select(&mut self, awake: &dyn Fn(usize) -> bool, held: Option<(&World, &[f64])>) {
        if let Some((world, q)) = held {
            self.advance.q.copy_from_slice(q);
            if self.search.finder.sweeps() {
                self.here.kin.update(&world.model, q); // it is of the end of the step
            }
        }
        let Self { here, free, search, advance, trial, rolling, .. } = self;
        here.select(&rolling.tree_of_dof, awake);
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

    fn warm_starts_mut(&mut self) -> &mut WarmStart {
        &mut self.warm
    }

    fn find_contacts(&mut self, world: &World, state: &State, input: &Input, h: f64) -> bool {
        (self.search.swept, self.search.leaves_out, self.here.fast.came_in) = (None, false, None);
        self.here.look(world, state, h, true);
        self.rolling.give_up();
        let Self { free, here, rolling, .. } = self;
        let step = Step { world, input, start: state, h };
        let found = free.find(&step, state, here, rolling);
        if found.is_ok() {
            Self::find_contacts(self, world, h);
        }
        self.advance.q.copy_from_slice(&state.q);
        found.is_ok()
    }

    fn clear_problem(&mut self) {
        self.search.points.clear();
        self.posed.clear();
        self.trial.impulses.clear();
    }
}
