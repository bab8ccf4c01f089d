//! Steppers: rules that take a state one time step further.
//!
//! ```text
//!     Driver::step(world, state, input, h, solver) ──▶ state⁺, StepReport
//!         Stepper::attempt(part, state, solver) ──▶ Attempt { Done, Event, Retry, Failed }      of each part of the step
//! ```
//!
//! A stepper owns its memory ([`Memory`]), which together with state and input decides the future, and poses
//! the contact problem of a part, which a [`ContactSolver`] solves. The [`driver`] decides what follows an
//! attempt. The catalogue is [`crate::steppers`].

pub(crate) mod accepted;
pub(crate) mod attempt;
pub(crate) mod canon;
mod contact_correction;
mod contact_source;
pub(crate) mod driver;
pub(crate) mod free_velocity;
pub(crate) mod here;
pub(crate) mod integrate;
mod memory;
#[cfg(feature = "nmdp")]
mod nmdp;
pub(crate) mod remedies;
pub(crate) mod slopes;
mod steppers;
pub(crate) mod time_stepping;
mod trial;

pub use accepted::{Accepted, BlockMode};
pub use attempt::{Attempt, Ends, Event, Landing, Landings, Part, Reason};
pub use canon::UnsupportedByCanon;
pub use contact_correction::{ContactCorrection, CorrectableContact};
pub use contact_source::ContactSource;
pub use driver::Driver;
pub use integrate::Quadrature;
pub use memory::Memory;
pub use slopes::{Equations, NoSlopes, Slopes, Solved};
pub(crate) use steppers::make_stepper;
pub use steppers::{StepperError, make};
pub(crate) use time_stepping::Lending;
pub use time_stepping::TimeStepping;
pub use trial::Trial;

use crate::input::Input;
use crate::state::State;
use stiction_assembly::{ContactPoint, Posed, WarmStart};
use stiction_contact::ContactSolver;
use stiction_world::World;

/// A rule that advances a world by a part of a time step.
pub trait Stepper: Send {
    /// Facts that steps do not change, and what may end a part of the next one.
    fn about(&self) -> About;

    /// Attempts `part`, and advances `state` in place if it is done.
    fn attempt(&mut self, part: &Part<'_>, state: &mut State, solver: &mut dyn ContactSolver) -> Attempt;

    /// The contact problem of the last part and its answer.
    fn last(&self) -> LastPart<'_>;

    /// Effort of every actuator during the last step [N·m or N] into `out`; zero before the first.
    fn efforts_into(&self, world: &World, out: &mut Vec<f64>);

    /// Everything beside state and input that decides the future, into `out`.
    fn memory_into(&self, out: &mut Memory);

    /// Goes on from `memory`, which [`Self::memory_into`] gave.
    fn restore(&mut self, memory: &Memory);

    /// Forgets warm starts and who is at rest, as after a jump of the state.
    fn forget(&mut self);

    /// Takes the numbers of a world that differs from the first in inertias, gravity and surfaces at most.
    fn take_numbers(&mut self, world: &World);

    /// Access for the driver, if islands at rest may be left out of its steps.
    fn leaves_out(&mut self) -> Option<&mut dyn LeavesOut> {
        None
    }

    /// The last accepted step as a derivative reads it, for steppers that keep that.
    fn accepted(&self) -> Option<Accepted<'_>> {
        None
    }

    /// The derivative of the last step, which was `part` from `start`, for steppers that differentiate their
    /// own equations. The state of the stepper is as before.
    ///
    /// # Errors
    ///
    /// [`NoSlopes`] says why there is none.
    fn slopes(&mut self, part: &Part<'_>, start: &State) -> Result<Slopes, NoSlopes> {
        let _ = (part, start);
        Err(NoSlopes::Unsupported("it does not say what a derivative of its step needs"))
    }

    /// Takes an extension; false if this stepper has no place for it.
    fn extend(&mut self, extension: Extension) -> bool {
        matches!(extension, Extension::ContactCorrection(None))
    }
}

/// Facts of a stepper.
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// The name in the catalogue.
    pub name: &'static str,
    /// The events that may end a part of the next step.
    pub may_end: Ends,
    /// The rule, in words, by which one answer is taken where the contact law has several, if the stepper
    /// solves by a method of its own.
    pub rule_of_choice: Option<&'static str>,
}

impl About {
    /// Facts of a stepper that no event ends and that takes the answer of the contact solver.
    pub fn of(name: &'static str) -> Self {
        Self { name, may_end: Ends::default(), rule_of_choice: None }
    }
}

/// The contact problem of a part, and its answer.
#[derive(Clone, Copy)]
pub struct LastPart<'a> {
    /// The problem, with the key and the biases of every block; without what slept.
    pub posed: &'a Posed,
    /// Impulses, in the rows of the problem [N·s].
    pub impulses: &'a [f64],
    /// Contact points, without what slept.
    pub contacts: &'a [ContactPoint],
}

/// Something from outside that acts in the steps of a stepper.
pub enum Extension {
    /// Changes the impulses of contacts between solving and applying them; `None` takes it away.
    ContactCorrection(Option<Box<dyn ContactCorrection>>),
    /// Produces contact points beside the narrow phase.
    ContactSource(Box<dyn ContactSource>),
}

/// The methods of a stepper that leaves islands at rest out of its steps.
pub trait LeavesOut {
    /// Trees for which `awake` is false are left out of steps from now on; those that fall asleep stay at the
    /// positions `held`.
    fn select(&mut self, awake: &dyn Fn(usize) -> bool, held: Option<(&World, &[f64])>);

    /// Whether constraint impulses, and nothing else, held the tree in the last step.
    fn holds(&self, tree: usize) -> bool;

    /// Warm starts of the next step, to lend some of them.
    fn warm_starts_mut(&mut self) -> &mut WarmStart;

    /// The contacts that a step of h [s] from here would have; false if there is no such step.
    fn find_contacts(&mut self, world: &World, state: &State, input: &Input, h: f64) -> bool;

    /// Removes the problem of the last step.
    fn clear_problem(&mut self);
}
