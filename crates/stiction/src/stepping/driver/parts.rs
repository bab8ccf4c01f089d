//! The parts of a step: how long the next attempt is, and what is kept of those that are done.
//!
//! | event | its instant | what happens there |
//! |---|---|---|
//! | a contact or stop closes faster than bodies bounce, at any e | root of its gap along the motion that leads to it without the contact, from both sides (1) | the velocity jumps at fixed positions (`time_stepping::impact`) |
//! | a fast body meets another, where bodies are swept | time of impact of the swept shapes ([`stiction_assembly::swept`]) | the same |
//! | the slip of a contact stops and turns back | by the rate at which it slides | nothing |
//! | the error of a part is too large, or not known yet | chosen by the stepper (`canon::adaptive`) | nothing |
//!
//! The rest of the step is tried whole. Where an event ends it after the share s, the part s is done instead, without
//! what lands there. The rest follows as a part of its own, from the velocities after the impact. In (1) s is
//! predicted from the start of the part, and then shortened by secants, until nothing overlaps by more than
//! [`crate::StepperParams::landing_tolerance`].
//!
//! A step has [`crate::StepperParams::impact_instants`] instants of impacts at most. What would bounce after
//! the last does so at once, in the problem of the rest of the step
//! ([`stiction_assembly::laws::restitution`]).

use crate::report::StepReport;
use crate::stepping::attempt::{Ends, Event, Landing, Landings, Part, Reason};
use stiction_assembly::ContactPoint;
use stiction_contact::Certificate;
use stiction_dynamics::spatial::Vec3;

/// Parts of a step, at most: one more than the events that are followed.
pub(super) const PARTS: usize = 64;
/// A part is at least this share of the step.
const SHORTEST: f64 = 1e-6;
/// Times that a part is shortened because its own motion meets something, at most.
const SHORTENED: usize = 4;
/// Landings without restitution and turns of slip that end parts of one step, at most.
const INELASTIC: u32 = 4;
/// A part that ends before its landing is made longer by this factor at most [–].
const LENGTHENED: f64 = 2.0;

/// A part of a step, as far as it takes to do it again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PartDone {
    /// Duration [s]; 0 where an impact is at the start of the part.
    pub(crate) length: f64,
    pub(crate) end: End,
    /// Impacts at its end, one after another at one instant.
    pub(crate) impacts: usize,
}

/// How a part ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// With the step.
    Step,
    /// Where slip turns back.
    SlipTurns,
    /// After an impact.
    Impact,
    /// Where error control ends it.
    Paced,
}

/// Impacts of a step, and all its parts but the last.
#[derive(Default)]
pub(crate) struct Earlier {
    /// Contacts of these, with impulse and moment about the point [N·s, N·m·s].
    pub(crate) contacts: Vec<(ContactPoint, [Vec3; 2])>,
    /// The worst of their certificates, and of their natural maps by the solver's own law [m/s].
    pub(crate) judged: Option<(Certificate, f64)>,
}

impl Earlier {
    pub(crate) fn clear(&mut self) {
        self.contacts.clear();
        self.judged = None;
    }
}

/// How many landings without restitution and turns of slip may end parts: one in so many steps, and [`INELASTIC`] at
/// once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Credit {
    /// Steps that each costs; 0: none may.
    interval: u32,
    /// Steps that are saved.
    saved: u32,
}

impl Credit {
    pub(crate) fn new(interval: u32) -> Self {
        Self { interval, saved: INELASTIC * interval }
    }

    /// A step begins.
    pub(crate) fn save(&mut self) {
        self.saved = (self.saved + 1).min(INELASTIC * self.interval);
    }

    /// Whether it is as large as ever.
    pub(super) fn is_full(&self) -> bool {
        self.saved == INELASTIC * self.interval
    }

    pub(crate) fn has_one(&self) -> bool {
        self.interval > 0 && self.saved >= self.interval
    }

    fn spend(&mut self) {
        self.saved = self.saved.saturating_sub(self.interval);
    }

    /// The steps that are saved, for the memory of a simulation; `None`: as many as can be.
    pub(crate) fn remembered(&self) -> Option<u32> {
        (!self.is_full()).then_some(self.saved)
    }

    /// Goes on from what was remembered.
    pub(crate) fn restore(&mut self, remembered: Option<u32>) {
        let full = INELASTIC * self.interval;
        self.saved = remembered.unwrap_or(full).min(full);
    }
}

/// A step, or a halved part of one, while it is done part by part.
pub(super) struct Course<'a> {
    whole: Part<'a>,
    ends: Ends,
    /// Overlap of (1), at most [m or rad].
    tolerance: f64,
    /// Instants of impacts that are left.
    instants: u32,
    /// Time that is left of the step [s].
    left: f64,
    /// The number of the part, from 1, and how often it was shortened.
    number: usize,
    shortened: usize,
    /// The last part led to a landing at its very start, and nothing struck there.
    stalled: bool,
    /// Landings without restitution and turns of slip that may still end parts.
    pub(super) credit: Credit,
    /// The last attempt that missed the landing: its duration [s] and the gap at its end [m].
    missed: Option<(f64, f64)>,
    /// How many landings this part was to lead to, each sooner than the one before.
    landings: usize,
    /// The part leads to this landing.
    landing: Option<Landing>,
    /// Error control ends the part before the step.
    paced: bool,
    /// Reports of the parts that are done.
    pub(super) report: Option<StepReport>,
}

impl<'a> Course<'a> {
    pub(super) fn new(
        whole: Part<'a>,
        ends: Ends,
        (instants, tolerance): (u32, f64),
        credit: Credit,
    ) -> Self {
        Self {
            whole,
            ends,
            tolerance,
            instants,
            left: whole.h,
            number: 0,
            shortened: 0,
            credit,
            missed: None,
            landings: 0,
            stalled: false,
            landing: None,
            paced: false,
            report: None,
        }
    }

    /// Whether the part is the last that an event may end.
    pub(super) fn exhausted(&self) -> bool {
        self.number == PARTS && !self.ends.error_control
    }

    /// All that is left, after a part of the duration `follows` that ended at a meeting.
    pub(super) fn next_part(&mut self, follows: Option<f64>) -> Part<'a> {
        (self.number, self.shortened, self.landings, self.landing) = (self.number + 1, 0, 0, None);
        self.missed = None;
        let may_end = self.instants > 0 && !self.exhausted() && !self.stalled;
        Part {
            h: self.left,
            landings: if may_end { Landings::End } else { Landings::AtOnce },
            inelastic: may_end && self.ends.inelastic && self.credit.has_one(),
            meetings: Some(self.whole.h),
            swept: self.ends.meetings.then_some(self.whole.h),
            follows,
            place: self.number - 1,
            ..self.whole
        }
    }

    /// Shortens `part`, which `event` ends. False if the landing is at its very start.
    pub(super) fn shorten(&mut self, part: &mut Part<'_>, event: Event) -> bool {
        let shortest = SHORTEST * self.whole.h;
        match event {
            Event::Landing(landing) => {
                (self.instants, self.shortened, self.landing) =
                    (self.instants.saturating_sub(1), 0, Some(landing));
                self.missed = None;
                if landing.inelastic {
                    self.credit.spend();
                }
                part.landings = Landings::LeftOut { overlap: self.tolerance };
                self.landings += 1;
                let sweeps = self.ends.inelastic && self.landings <= SHORTENED;
                part.meetings = part.meetings.filter(|_| sweeps);
                part.inelastic = false;
                part.h *= landing.share;
                if part.h <= shortest {
                    part.h = 0.0;
                }
                part.h > 0.0
            }
            Event::Overlap { gap } => {
                self.shortened += 1;
                let known = self.landing.map_or(gap, |landing| landing.gap);
                let longest = if gap < 0.0 { 1.0 } else { LENGTHENED };
                let times = match self.landing.map_or(0.0, |landing| landing.speed) {
                    0.0 => known / (known - gap),
                    speed => 1.0 + gap / (self.closing_speed(part.h, gap, speed) * part.h),
                };
                self.missed = Some((part.h, gap));
                part.h = (part.h * times.clamp(0.1, longest)).min(self.left);
                if self.shortened == SHORTENED {
                    part.landings = Landings::LeftOut { overlap: f64::INFINITY };
                }
                true
            }
            Event::SlipTurns { share } => {
                self.credit.spend();
                part.h = (part.h * share).max(shortest);
                part.inelastic = self.credit.has_one() && part.h > shortest;
                true
            }
            Event::Parted => true, // only impacts end so
            Event::Again { h, last } => {
                (part.h, part.again, self.paced) = (h, Some(Reason::ErrorControl), !last);
                true
            }
        }
    }

    /// Speed at which the gap closes by the last two attempts to lead a part to a landing, the later of which ended with `gap` after h
    /// [s]; before that the `predicted` one [m/s].
    fn closing_speed(&self, h: f64, gap: f64, predicted: f64) -> f64 {
        let by = |(other, known): (f64, f64)| (known - gap) / (h - other);
        self.missed.map(by).filter(|speed| speed.is_finite() && *speed > 0.0).unwrap_or(predicted)
    }

    /// Notes the impacts at the end of `part`.
    pub(super) fn note_impacts(&mut self, part: &Part<'_>, impacts: usize) {
        self.stalled = part.h == 0.0 && impacts == 0;
    }

    /// How `part` ends, which is done.
    pub(super) fn end(&self, part: &Part<'_>) -> End {
        match self.landing {
            Some(_) => End::Impact,
            None if self.paced => End::Paced,
            None if part.h < self.left && !self.ends.error_control => End::SlipTurns,
            None => End::Step,
        }
    }

    /// Takes `part`, which is done, off what is left; true if the step has ended with it.
    pub(super) fn pass(&mut self, part: &Part<'_>, end: End) -> bool {
        self.left -= part.h;
        match end {
            End::Paced => false,
            End::Step => true,
            End::SlipTurns | End::Impact => self.left <= SHORTEST * self.whole.h,
        }
    }
}
