//! A part of a step, and how an attempt at it ends.
//!
//! The driver ([`super::driver`]) takes a step in parts. A part ends with the step, or before it at an event:
//! where a contact that bounces lands, or where a fast body meets another. What else is to end a part is a
//! variant of [`Event`].

use super::Stepper;
use crate::input::Input;
use crate::report::{Cause, StepReport};
use crate::state::State;
use stiction_contact::ContactSolver;
use stiction_dynamics::integrate_into;
use stiction_world::World;

/// A part of a step, as a stepper is to attempt it.
#[derive(Clone, Copy)]
pub struct Part<'a> {
    pub world: &'a World,
    /// Controls and forces, which act alike in all parts of a step.
    pub input: &'a Input,
    /// Duration [s].
    pub h: f64,
    /// How contacts that bounce act.
    pub landings: Landings,
    /// Landings without restitution, and slip that stops and turns back, end the part.
    pub inelastic: bool,
    /// Duration of the whole step [s] where a fast body that meets another ends the part.
    pub meetings: Option<f64>,
    /// Duration of the whole step [s] where fast bodies are swept: their far contacts are left out.
    pub swept: Option<f64>,
    /// Duration of the part before [s], where that ended at a meeting.
    pub follows: Option<f64>,
    /// Why the last attempt at this part was given up.
    pub again: Option<Reason>,
    /// Parts of the step that are done.
    pub place: usize,
}

impl<'a> Part<'a> {
    /// A step of h [s] that no event ends.
    pub fn whole(world: &'a World, input: &'a Input, h: f64) -> Self {
        Self {
            world,
            input,
            h,
            landings: Landings::Ignored,
            inelastic: false,
            meetings: None,
            swept: None,
            follows: None,
            again: None,
            place: 0,
        }
    }
}

/// A part of a step with its start, as it is solved: nothing ends it before its time.
#[derive(Clone, Copy)]
pub(crate) struct Step<'a> {
    pub(crate) world: &'a World,
    pub(crate) input: &'a Input,
    pub(crate) start: &'a State,
    /// Duration [s].
    pub(crate) h: f64,
}

impl<'a> Step<'a> {
    /// `part` from `start`.
    pub(crate) fn new(part: &Part<'a>, start: &'a State) -> Self {
        Self { world: part.world, input: part.input, start, h: part.h }
    }

    /// The start and the input with coordinate `k` of (q, v, u) displaced by x.
    pub(crate) fn displaced(&self, k: usize, x: f64) -> (State, Input) {
        let (model, nv) = (&self.world.model, self.start.v.len());
        let (mut start, mut input) = (self.start.clone(), self.input.clone());
        match k {
            _ if k < nv => {
                let mut e = vec![0.0; nv];
                e[k] = x;
                integrate_into(model, &self.start.q, &e, 1.0, &mut start.q);
            }
            _ if k < 2 * nv => start.v[k - nv] += x,
            _ => input.control[k - 2 * nv] += x,
        }
        (start, input)
    }
}

/// How contacts that bounce act in a part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Landings {
    /// They bounce in the problem of the part, and nobody looks.
    Ignored,
    /// The first of them ends the part.
    End,
    /// They bounce in the problem of the part, and the report names [`crate::Remedy::ImpactsAtOnce`].
    AtOnce,
    /// The contacts that ended the last attempt do not act: the part leads to their landing. An overlap of
    /// more than this at its end [m] is an event.
    LeftOut { overlap: f64 },
    /// Positions stand still, and velocities jump by the next impact of what touches and approaches; `done`
    /// came before it at this instant. The duration is that of the whole step.
    Strike { done: usize },
}

/// How an attempt ends.
#[derive(Debug)]
pub enum Attempt {
    /// The part is done: the state has moved.
    Done(StepReport),
    /// Something ends the part before its time. State, memory and report are of the whole part: the driver
    /// goes back.
    Event(Event, StepReport),
    /// A guess was wrong. Nothing has moved, and the same part is to be attempted again.
    Retry(Reason),
    /// The part cannot be done. State and memory are as before.
    Failed(Cause),
}

/// An event that ends a part before its time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Event {
    /// A contact that bounces closes.
    Landing(Landing),
    /// Bodies on the way to their landing overlap, or are still apart: the least gap at the end of the part [m].
    Overlap { gap: f64 },
    /// The slip of a contact stops after this share of the part, and then turns back [–].
    SlipTurns { share: f64 },
    /// Nothing is left that strikes: there was no impact.
    Parted,
    /// Error control asks for the part once more, with this duration [s]; the step may end with it.
    Again { h: f64, last: bool },
}

impl Event {
    /// The share of the part after which it ends, as far as it is known [–].
    pub(crate) fn share(&self) -> f64 {
        match *self {
            Self::Landing(landing) => landing.share,
            Self::SlipTurns { share } => share,
            Self::Overlap { .. } | Self::Parted | Self::Again { .. } => 0.0,
        }
    }
}

/// The first landing within a part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Landing {
    /// Share of the part before it, as predicted from its start [–].
    pub share: f64,
    /// Gap of its contact at the start of the part [m].
    pub gap: f64,
    /// Speed at which its contact closes [m/s]; 0: unknown.
    pub speed: f64,
    /// Nothing that lands bounces.
    pub inelastic: bool,
}

/// A guess that the velocity at the end of a part belied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A servo reaches its effort limit.
    EffortLimit,
    /// Coriolis forces are of the mean velocity, which is known now.
    MeanVelocity,
    /// A contact ceases to slide.
    SlipEnds,
    /// The slip of a joint or tendon with dry friction stops in the part, and turns back.
    SlipTurns,
    /// Trees that were posed in the middle turn too far by the velocities at the end.
    TurnsTooFar,
    /// The part has no answer where it was posed in its middle.
    NoMiddle,
    /// The error of the part was to be known, or was too large.
    ErrorControl,
}

/// The events that may end a part of the next step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ends {
    pub landings: bool,
    /// Landings without restitution, and slip that turns back.
    pub inelastic: bool,
    pub meetings: bool,
    /// The stepper chooses how long every part is.
    pub error_control: bool,
}

/// Attempts `part` until no guess is wrong: the event that ends it, if there is one, and its report.
pub(crate) fn settle<S: Stepper + ?Sized>(
    stepper: &mut S,
    mut part: Part<'_>,
    state: &mut State,
    solver: &mut dyn ContactSolver,
) -> Result<(Option<Event>, StepReport), Cause> {
    loop {
        match stepper.attempt(&part, state, solver) {
            Attempt::Done(report) => return Ok((None, report)),
            Attempt::Event(event, report) => return Ok((Some(event), report)),
            Attempt::Retry(reason) => part.again = Some(reason),
            Attempt::Failed(cause) => return Err(cause),
        }
    }
}

/// A step of `stepper` that no event ends.
pub(crate) fn whole_step<S: Stepper + ?Sized>(
    stepper: &mut S,
    whole: Part<'_>,
    state: &mut State,
    solver: &mut dyn ContactSolver,
) -> StepReport {
    settle(stepper, whole, state, solver).map_or_else(StepReport::failed, |(_, report)| report)
}
