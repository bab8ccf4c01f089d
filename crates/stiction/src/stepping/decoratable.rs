//! What decorators ask of a stepper.

use super::Stepper;
use super::accepted::Accepted;
use super::contact_correction::ContactCorrection;
use super::contact_source::ContactSource;
use super::memory::Memory;
use super::slopes::{NoSlopes, Slopes};
use crate::input::Input;
use crate::report::StepReport;
use crate::state::State;
use stiction_assembly::{ContactPoint, Posed, WarmStart};
use stiction_contact::ContactSolver;
use stiction_models::World;

/// The first bounce within a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounce {
    /// Share of the step before it, as predicted from its start [–].
    pub share: f64,
    /// Gap of its contact at the start of the step [m].
    pub gap: f64,
}

/// The methods that decorators need of a stepper beside [`Stepper`]. A stepper that leaves everything here as it is can be halved; it is not
/// put to sleep, and its fast bodies are not swept.
pub trait Decoratable: Stepper {
    /// True if islands at rest may be left out of its steps: then all that follows up to [`Self::clear_problem`] is asked for.
    fn may_sleep(&self) -> bool {
        false
    }

    /// Trees for which `awake` is false are left out of steps from now on.
    fn select(&mut self, awake: &dyn Fn(usize) -> bool) {
        let _ = awake;
    }

    /// Whether constraint impulses, and nothing else, held the tree in the last step.
    fn holds(&self, tree: usize) -> bool {
        let _ = tree;
        false
    }

    /// Warm starts of the next step, to lend some of them.
    fn warm_starts_mut(&mut self) -> Option<&mut WarmStart> {
        None
    }

    /// The contacts that a step of h [s] from here would have; false if there is no such step.
    fn find_contacts(&mut self, world: &World, state: &State, input: &Input, h: f64) -> bool {
        let _ = (world, state, input, h);
        false
    }

    /// Bodies that fall asleep stay at the positions `q`.
    fn hold_at(&mut self, world: &World, q: &[f64]) {
        let _ = (world, q);
    }

    /// Removes the problem of the last step.
    fn clear_problem(&mut self) {}

    /// True if fast bodies may need steps that end at impacts: then the two that follow are asked for.
    fn sweeps(&self) -> bool {
        false
    }

    /// While `whole` is given [s], far contacts of bodies that are fast in a step so long are left out: their motion is swept.
    fn sweep_steps_of(&mut self, whole: Option<f64>) {
        let _ = whole;
    }

    /// Notes how long the part of a step was that the next goes on after [s]; none where a step begins, or an impact was.
    fn goes_on_after(&mut self, length: Option<f64>) {
        let _ = length;
    }

    /// True if something may bounce in a step: then the four that follow are asked for.
    fn may_bounce(&self) -> bool {
        false
    }

    /// The first bounce within the last step, `None` if nothing bounced.
    fn first_bounce(&mut self) -> Option<Bounce> {
        None
    }

    /// While `leave_out`, the contacts that bounced in the step of which [`Self::first_bounce`] was asked last do not act: steps
    /// lead to their impact.
    fn leave_out_bounces(&mut self, leave_out: bool) {
        let _ = leave_out;
    }

    /// The least gap of the pairs of those contacts at the positions `q` [m].
    fn gap_at_bounce(&mut self, world: &World, q: &[f64]) -> f64 {
        let _ = (world, q);
        f64::INFINITY
    }

    /// Replaces the velocity of `state` by that after the next impact of what touches there; `done` impacts of this instant came
    /// before. `None` if nothing is left to bounce. `h` is the length of a whole step [s].
    fn impact(
        &mut self,
        world: &World,
        state: &mut State,
        (done, h): (usize, f64),
        solver: &mut dyn ContactSolver,
    ) -> Option<StepReport> {
        let _ = (world, state, done, h, solver);
        None
    }

    /// The share after which fast bodies first meet, if bodies moved from the positions q to `q_next` in that part of a step.
    fn first_impact(&mut self, world: &World, [q, q_next]: [&[f64]; 2], part: f64) -> Option<f64> {
        let _ = (world, q, q_next, part);
        None
    }
}

/// A stepper that was chosen by name.
impl Stepper for Box<dyn Decoratable> {
    fn name(&self) -> &'static str {
        (**self).name()
    }

    fn step(
        &mut self,
        world: &World,
        state: &mut State,
        input: &Input,
        h: f64,
        solver: &mut dyn ContactSolver,
    ) -> StepReport {
        (**self).step(world, state, input, h, solver)
    }

    fn posed(&self) -> &Posed {
        (**self).posed()
    }

    fn impulses(&self) -> &[f64] {
        (**self).impulses()
    }

    fn contacts(&self) -> &[ContactPoint] {
        (**self).contacts()
    }

    fn efforts_into(&self, world: &World, out: &mut Vec<f64>) {
        (**self).efforts_into(world, out);
    }

    fn memory_into(&self, out: &mut Memory) {
        (**self).memory_into(out);
    }

    fn restore(&mut self, world: &World, state: &State, input: &Input, memory: &Memory) {
        (**self).restore(world, state, input, memory);
    }

    fn forget(&mut self) {
        (**self).forget();
    }

    fn take_numbers(&mut self, world: &World) {
        (**self).take_numbers(world);
    }

    fn rule_of_choice(&self) -> Option<&'static str> {
        (**self).rule_of_choice()
    }

    fn accepted(&self) -> Option<Accepted<'_>> {
        (**self).accepted()
    }

    fn slopes(&mut self, world: &World, start: &State, input: &Input, h: f64) -> Result<Slopes, NoSlopes> {
        (**self).slopes(world, start, input, h)
    }

    fn correct_contacts(&mut self, correction: Option<Box<dyn ContactCorrection>>) -> bool {
        (**self).correct_contacts(correction)
    }

    fn add_contact_source(&mut self, source: Box<dyn ContactSource>) -> bool {
        (**self).add_contact_source(source)
    }
}

impl Decoratable for Box<dyn Decoratable> {
    fn may_sleep(&self) -> bool {
        (**self).may_sleep()
    }

    fn select(&mut self, awake: &dyn Fn(usize) -> bool) {
        (**self).select(awake);
    }

    fn holds(&self, tree: usize) -> bool {
        (**self).holds(tree)
    }

    fn warm_starts_mut(&mut self) -> Option<&mut WarmStart> {
        (**self).warm_starts_mut()
    }

    fn find_contacts(&mut self, world: &World, state: &State, input: &Input, h: f64) -> bool {
        (**self).find_contacts(world, state, input, h)
    }

    fn hold_at(&mut self, world: &World, q: &[f64]) {
        (**self).hold_at(world, q);
    }

    fn clear_problem(&mut self) {
        (**self).clear_problem();
    }

    fn sweeps(&self) -> bool {
        (**self).sweeps()
    }

    fn sweep_steps_of(&mut self, whole: Option<f64>) {
        (**self).sweep_steps_of(whole);
    }

    fn goes_on_after(&mut self, length: Option<f64>) {
        (**self).goes_on_after(length);
    }

    fn first_impact(&mut self, world: &World, way: [&[f64]; 2], part: f64) -> Option<f64> {
        (**self).first_impact(world, way, part)
    }

    fn may_bounce(&self) -> bool {
        (**self).may_bounce()
    }

    fn first_bounce(&mut self) -> Option<Bounce> {
        (**self).first_bounce()
    }

    fn leave_out_bounces(&mut self, leave_out: bool) {
        (**self).leave_out_bounces(leave_out);
    }

    fn gap_at_bounce(&mut self, world: &World, q: &[f64]) -> f64 {
        (**self).gap_at_bounce(world, q)
    }

    fn impact(
        &mut self,
        world: &World,
        state: &mut State,
        at: (usize, f64),
        solver: &mut dyn ContactSolver,
    ) -> Option<StepReport> {
        (**self).impact(world, state, at, solver)
    }
}
