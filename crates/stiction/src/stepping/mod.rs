//! Steppers: rules that take a state one time step further.
//!
//! ```text
//!     Stepper::step(world, state, input, h, solver) ──▶ state⁺, StepReport
//!     Sleeping ▷ Halving ▷ StopAtImpact ▷ any stepper          decorators, from the outermost
//! ```
//!
//! A stepper owns its memory ([`Memory`]), which together with state and input decides the future, and poses the contact
//! problem of a step, which a [`ContactSolver`] solves. The catalogue is [`crate::steppers`].

mod accepted;
pub(crate) mod around;
pub(crate) mod canon;
mod contact_correction;
mod contact_source;
pub(crate) mod decoratable;
pub(crate) mod free_velocity;
pub(crate) mod here;
pub(crate) mod integrate;
mod memory;
mod nmdp;
pub(crate) mod remedies;
mod slopes;
mod steppers;
pub(crate) mod time_stepping;
mod trial;

pub use accepted::{Accepted, BlockMode};
pub use canon::UnsupportedByCanon;
pub use contact_correction::{ContactCorrection, CorrectableContact};
pub use contact_source::ContactSource;
pub use decoratable::Decoratable;
pub use integrate::Quadrature;
pub use memory::Memory;
pub use nmdp::NmdpStepper;
pub use slopes::{Equations, NoSlopes, Slopes, Solved};
pub(crate) use steppers::make_undecorated;
pub use steppers::{StepperError, decorate, make};
pub use time_stepping::TimeStepping;
pub use trial::Trial;

use crate::input::Input;
use crate::report::StepReport;
use crate::state::State;
use stiction_assembly::{ContactPoint, Posed};
use stiction_contact::ContactSolver;
use stiction_models::World;

/// A rule that advances a world by a time step.
pub trait Stepper: Send {
    /// Its name in the catalogue.
    fn name(&self) -> &'static str;

    /// Advances `state` in place by h [s]. On failure the state is as before, and so is the memory.
    fn step(
        &mut self,
        world: &World,
        state: &mut State,
        input: &Input,
        h: f64,
        solver: &mut dyn ContactSolver,
    ) -> StepReport;

    /// The problem of the last step, with the key and the biases of every block; without what slept.
    fn posed(&self) -> &Posed;

    /// The impulses of the last step, in the rows of [`Self::posed`] [N·s].
    fn impulses(&self) -> &[f64];

    /// Contact points of the last step, without what slept.
    fn contacts(&self) -> &[ContactPoint];

    /// Effort of every actuator during the last step [N·m or N] into `out`; zero before the first.
    fn efforts_into(&self, world: &World, out: &mut Vec<f64>);

    /// Everything beside state and input that decides the future, into `out`.
    fn memory_into(&self, out: &mut Memory);

    /// Goes on from `memory`, which [`Self::memory_into`] gave at this state and input.
    fn restore(&mut self, world: &World, state: &State, input: &Input, memory: &Memory);

    /// Forgets warm starts and who is at rest, as after a jump of the state.
    fn forget(&mut self);

    /// Takes the numbers of a world that differs from the first in inertias, gravity and surfaces at most.
    fn take_numbers(&mut self, world: &World);

    /// The rule, in words, by which one answer is taken where the contact law has several, if it solves by a method of its own.
    fn rule_of_choice(&self) -> Option<&'static str> {
        None
    }

    /// What a derivative of the last accepted step needs, for steppers that can say it.
    fn accepted(&self) -> Option<Accepted<'_>> {
        None
    }

    /// The derivative of the last step, which went from `start` under `input`, for steppers that differentiate their own equations. The state of
    /// the stepper is as before.
    ///
    /// # Errors
    ///
    /// [`NoSlopes`] says why there is none.
    fn slopes(&mut self, world: &World, start: &State, input: &Input, h: f64) -> Result<Slopes, NoSlopes> {
        let _ = (world, start, input, h);
        Err(NoSlopes::Unsupported("it does not say what a derivative of its step needs"))
    }

    /// Lets `correction` change the impulses of contacts between solving and applying them; `None` takes it away. False if
    /// this stepper has no such place.
    fn correct_contacts(&mut self, correction: Option<Box<dyn ContactCorrection>>) -> bool {
        correction.is_none()
    }

    /// Adds a producer of contact points beside the narrow phase. False if this stepper has no such place.
    fn add_contact_source(&mut self, source: Box<dyn ContactSource>) -> bool {
        drop(source);
        false
    }
}
