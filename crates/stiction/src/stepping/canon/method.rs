//! A published method, and the stepper that it becomes, with what methods have in common.
//!
//! A method solves a part of a step: [`Method::solve`] leaves positions, velocities, the problem and its
//! impulses in [`Shared`]. Methods that bring their own contact forces have the judge's problem posed by
//! [`super::judged`].

use super::mechanics::Mechanics;
use super::rows::Rows;
use super::search::Search;
use super::unsupported::{Features, UnsupportedByCanon, refuse};
use crate::catalogue::StepperEntry;
use crate::params::StepperParams;
use crate::report::{Cause, StepReport};
use crate::state::State;
use crate::stepping::attempt::{Attempt, Part, Step};
use crate::stepping::memory::Memory;
use crate::stepping::slopes::{NoSlopes, Slopes};
use crate::stepping::{About, Extension, LastPart, Stepper};
use stiction_assembly::{ContactPoint, WarmStart};
use stiction_contact::ContactSolver;
use stiction_world::World;

/// The report of a part that was solved.
pub(crate) type Solution = Result<StepReport, Cause>;

/// A method of time stepping.
pub(crate) trait Method: Send + Sized + 'static {
    /// Solves `step`; contacts and overlap of the report are those of [`Shared::points`].
    fn solve(&mut self, step: &Step<'_>, at: &mut Shared, solver: &mut dyn ContactSolver) -> Solution;

    /// The derivative of the last part, which was `step`.
    fn jacobian(&mut self, step: &Step<'_>, at: &mut Shared) -> Result<Slopes, NoSlopes>;

    /// Where it evaluates forces and inertia.
    fn mechanics(&mut self) -> Vec<&mut Mechanics> {
        Vec::new()
    }

    /// The searches for contacts that it keeps. Where there is one, others may add points to it.
    fn searches(&mut self) -> Vec<&mut Search> {
        Vec::new()
    }

    /// Takes the numbers of a world that differs from the first in inertias, gravity and surfaces at most.
    fn take_numbers(&mut self, world: &World) {
        self.mechanics().into_iter().for_each(|at| at.take_numbers(world));
        self.searches().into_iter().for_each(|search| search.finder.take_surfaces(world));
    }

    /// The rule, in words, by which its own solver takes one answer where the contact law has several.
    fn rule_of_choice(&self) -> Option<&'static str> {
        None
    }

    /// Forgets the last step.
    fn forget(&mut self) {}

    /// Numbers that decide the future beside those of [`Shared`], into `out.own`.
    fn memory_into(&self, out: &mut Memory) {
        out.own.clear();
    }

    /// Goes on from these numbers.
    fn restore(&mut self, memory: &Memory) {
        let _ = memory;
    }
}

/// A method that is made of a world and parameters alone.
pub(crate) trait Published: Method {
    /// The entry in the catalogue.
    const ENTRY: &'static StepperEntry;
    /// The parts of a world that it knows.
    const SUPPORTS: Features;

    /// Memory for a world that it supports; the parameters must be valid.
    fn new(world: &World, params: &StepperParams) -> Result<Self, UnsupportedByCanon>;
}

/// The end of a part, as a method leaves it, and its memory.
pub(crate) struct Shared {
    pub(crate) params: StepperParams,
    /// The problem and its impulses, with M and its factor.
    pub(crate) rows: Rows,
    /// The contacts of the problem.
    pub(crate) points: Vec<ContactPoint>,
    /// Effort of every actuator [N·m or N].
    pub(crate) efforts: Vec<f64>,
    /// q⁺ and v⁺.
    pub(crate) q: Vec<f64>,
    pub(crate) v: Vec<f64>,
    pub(crate) warm: WarmStart,
    /// Size of the next internal step, of methods that control their error [s].
    pub(crate) substep: Option<f64>,
}

impl Shared {
    pub(crate) fn new(world: &World, params: StepperParams) -> Self {
        let model = &world.model;
        Self {
            rows: Rows::new(world),
            points: Vec::new(),
            efforts: vec![0.0; world.actuators.len()],
            q: model.neutral(),
            v: vec![0.0; model.nv()],
            warm: WarmStart::default(),
            substep: None,
            params,
        }
    }

    /// The error of an end that is not finite.
    pub(super) fn check(&self) -> Result<(), String> {
        match self.v.iter().chain(&self.q).all(|x| x.is_finite()) {
            true => Ok(()),
            false => Err("a number stopped being finite".to_owned()),
        }
    }

    /// Moves `state` to the end of a part of h [s].
    fn move_to_end(&self, state: &mut State, h: f64) {
        state.q.copy_from_slice(&self.q);
        state.v.copy_from_slice(&self.v);
        state.t += h;
    }
}

/// A method as a stepper.
pub(crate) struct MethodStepper<M> {
    name: &'static str,
    method: M,
    at: Shared,
}

impl<M: Published> MethodStepper<M> {
    /// The stepper for `world`, unless the method does not support that; the parameters must be valid.
    pub(crate) fn new(world: &World, params: StepperParams) -> Result<Self, UnsupportedByCanon> {
        refuse(world, M::ENTRY.name, &M::SUPPORTS)?;
        Ok(Self::of(world, M::ENTRY.name, M::new(world, &params)?, params))
    }
}

impl<M: Method> MethodStepper<M> {
    /// The stepper `name` of a method that is made.
    pub(crate) fn of(world: &World, name: &'static str, method: M, params: StepperParams) -> Self {
        Self { name, method, at: Shared::new(world, params) }
    }
}

impl<M: Method> Stepper for MethodStepper<M> {
    fn about(&self) -> About {
        About { rule_of_choice: self.method.rule_of_choice(), ..About::of(self.name) }
    }

    fn attempt(&mut self, part: &Part<'_>, state: &mut State, solver: &mut dyn ContactSolver) -> Attempt {
        match self.method.solve(&Step::new(part, state), &mut self.at, solver) {
            Ok(mut report) => {
                self.at.move_to_end(state, part.h);
                report.contacts = self.at.points.len();
                report.penetration = self.at.points.iter().fold(0.0, |deepest, c| deepest.max(-c.gap));
                Attempt::Done(report)
            }
            Err(cause) => {
                self.at.substep = None;
                Attempt::Failed(cause)
            }
        }
    }

    fn last(&self) -> LastPart<'_> {
        let Shared { rows: Rows { posed, impulses, .. }, points, .. } = &self.at;
        LastPart { posed, impulses, contacts: points }
    }

    fn efforts_into(&self, _: &World, out: &mut Vec<f64>) {
        out.clone_from(&self.at.efforts);
    }

    fn memory_into(&self, out: &mut Memory) {
        out.warm_starts.set_to(&self.at.warm);
        out.saturated.clear();
        out.saturated.resize(self.at.efforts.len(), false);
        out.without_feedback = false;
        out.substep = self.at.substep;
        self.method.memory_into(out);
    }

    fn restore(&mut self, memory: &Memory) {
        self.at.warm.set_to(&memory.warm_starts);
        self.at.substep = memory.substep;
        self.method.restore(memory);
    }

    fn forget(&mut self) {
        self.at.warm.clear();
        self.at.substep = None;
        self.method.forget();
    }

    fn take_numbers(&mut self, world: &World) {
        self.method.take_numbers(world);
    }

    fn slopes(&mut self, part: &Part<'_>, start: &State) -> Result<Slopes, NoSlopes> {
        self.method.jacobian(&Step::new(part, start), &mut self.at)
    }

    fn extend(&mut self, extension: Extension) -> bool {
        match (extension, &mut self.method.searches()[..]) {
            (Extension::ContactSource(source), [only]) => only.sources.push(source),
            (extension, _) => return matches!(extension, Extension::ContactCorrection(None)),
        }
        true
    }
}
