//! The driver of a stepper: it takes a step part by part, and says what follows an attempt.
//!
//! | an attempt | what follows |
//! |---|---|
//! | is done | the next part; where the part led to a landing, the impacts there ([`parts`]) |
//! | meets an event | the start of the part again, and a shorter one |
//! | guessed wrong | the same part again: nothing has moved |
//! | fails | the start of the step again, and the step in 2, 4, … halves where that is allowed ([`halvings`]) |
//! | touches what sleeps | the start of the step again, with that awake ([`sleep`]) |
//!
//! State and memory go back in [`Driver::go_back`] alone, to one of two starts: that of the step or that of
//! the part. Problem and impulses of a step in parts are those of its last part. Contacts and certificates of
//! earlier parts and of impacts are kept ([`Earlier`]): all contact forces of a step explain its change of
//! momentum, and the worst certificate is that of the step.

pub(crate) mod certificates_at_rest;
mod halvings;
pub(crate) mod islands_at_rest;
pub(crate) mod parts;
mod sleep;

use super::attempt::{Ends, Landings, Part, settle, whole_step};
use super::memory::Memory;
use super::{LastPart, Stepper};
use crate::input::Input;
use crate::params::{Sleep, StepperParams};
use crate::remedy::Remedy;
use crate::report::{StepReport, StepStatus};
use crate::state::{State, copy};
use halvings::Halvings;
use islands_at_rest::IslandsAtRest;
use parts::{Course, Credit, Earlier, End, PARTS, PartDone};
use stiction_assembly::{ContactPoint, Posed};
use stiction_contact::certificate::worse;
use stiction_contact::{ContactSolver, Judge, Law};
use stiction_dynamics::spatial::Vec3;
use stiction_world::World;

/// A stepper, and what is done around its steps: halving, parts that end at events, islands that sleep.
pub struct Driver<S: Stepper + ?Sized> {
    pub(crate) islands: IslandsAtRest,
    /// Positions of what sleeps; others as they were when something last fell asleep.
    q: Vec<f64>,
    /// Length of an ordinary step [s].
    dt: f64,
    /// Halvings of a step, and instants of impacts in one, at most.
    halvings: u32,
    instants: u32,
    /// Overlap at which a part ends that leads to a landing, at most [m or rad].
    landing_tolerance: f64,
    /// Landings without restitution and turns of slip that may end parts.
    credit: Credit,
    /// Starts of the step and of the part; the first part starts with the step.
    start_of_step: Checkpoint,
    start_of_part: Checkpoint,
    judge: Judge,
    pub(crate) earlier: Earlier,
    /// The parts of the last step; none where no event may end one.
    pub(crate) parts: Vec<PartDone>,
    stepper: Box<S>,
}

/// State and memory at a start.
struct Checkpoint {
    state: State,
    memory: Memory,
    /// Whether the memory is kept.
    kept: bool,
}

/// The starts that a step goes back to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Start {
    Step,
    Part,
}

impl<S: Stepper + ?Sized> Driver<S> {
    /// Drives `stepper` as `params` say.
    pub fn new(world: &World, mut stepper: Box<S>, params: &StepperParams) -> Self {
        let sleep = if stepper.leaves_out().is_some() { params.sleep } else { Sleep::Off };
        let checkpoint =
            || Checkpoint { state: State::neutral(&world.model), memory: Memory::default(), kept: false };
        Self {
            islands: IslandsAtRest::new(world, sleep, params.dt),
            q: vec![0.0; world.model.nq],
            dt: params.dt,
            halvings: params.adaptive,
            instants: params.impact_instants,
            landing_tolerance: params.landing_tolerance,
            credit: Credit::new(params.landing_interval),
            start_of_step: checkpoint(),
            start_of_part: checkpoint(),
            judge: Judge::default(),
            earlier: Earlier::default(),
            parts: Vec::with_capacity(PARTS),
            stepper,
        }
    }

    /// Advances `state` in place by h [s]. On failure the state is as before, and so is the memory.
    pub fn step(
        &mut self,
        world: &World,
        state: &mut State,
        input: &Input,
        h: f64,
        solver: &mut dyn ContactSolver,
    ) -> StepReport {
        if self.islands.on {
            self.wake_changed(world, state, input);
            if self.islands.all() {
                return self.pass(state, h);
            }
        }
        self.credit.save();
        let credit = self.credit;
        let whole = Part::whole(world, input, h);
        let mut tries = Halvings::new(self.halvings);
        self.keep_start(state);
        let mut report;
        loop {
            report = self.attempt(&tries, whole, state, solver);
            let again = tries.go_on(&report);
            let wakes = !again && self.wake_touched(world);
            if again || wakes || report.failure().is_some() {
                self.go_back(Start::Step, state);
                self.credit = credit;
            }
            if again {
                solver.forget();
            } else if wakes {
                self.lend_woken();
                tries = Halvings::new(self.halvings);
                self.keep_start(state);
            } else {
                break;
            }
        }
        if self.islands.on {
            if report.failure().is_none() {
                self.lull(world, state, &report, solver.needs().softness);
            }
            self.islands.add_to(&mut report);
        }
        report
    }

    /// The step in as many halves as `tries` say; up to the first that is flagged, unless the step stands as
    /// it is.
    fn attempt(
        &mut self,
        tries: &Halvings,
        whole: Part<'_>,
        state: &mut State,
        solver: &mut dyn ContactSolver,
    ) -> StepReport {
        if tries.first() {
            return self.piece(whole, state, solver);
        }
        let count = 1_u32 << tries.now();
        let piece = Part { h: whole.h / f64::from(count), ..whole };
        let t = state.t;
        let mut report = StepReport::default();
        for k in 0..count {
            if k > 0 {
                self.keep_part(state);
            }
            report = report.followed_by(self.piece(piece, state, solver));
            if report.failure().is_some() || !tries.settled() && report.flagged() {
                break;
            }
        }
        state.t = t + whole.h;
        report.remedy = report.remedy.or((tries.now() > 0).then_some(Remedy::Halved));
        report
    }

    /// A step, or one of the halves of a step, in parts that end at events. When there are too many events,
    /// what would follow the last is left out, and the report says that it did not converge.
    fn piece(&mut self, whole: Part<'_>, state: &mut State, solver: &mut dyn ContactSolver) -> StepReport {
        self.earlier.clear();
        self.parts.clear();
        let ends = self.stepper.about().may_end;
        if ends == Ends::default() {
            return whole_step(&mut *self.stepper, whole, state, solver);
        }
        let t = state.t;
        let mut course = Course::new(whole, ends, (self.instants, self.landing_tolerance), self.credit);
        let mut part = course.next_part(None);
        loop {
            let mut report = match settle(&mut *self.stepper, part, state, solver) {
                Ok((None, report)) => report,
                Ok((Some(event), _)) => {
                    self.go_back(Start::Part, state);
                    let parts = course.shorten(&mut part, event);
                    self.credit = course.credit;
                    if parts {
                        continue;
                    }
                    StepReport::default()
                }
                Err(cause) => return StepReport::failed(cause),
            };
            let end = course.end(&part);
            let mut impacts = 0;
            if end == End::Impact {
                (report, impacts) = self.land(report, whole, part.h, state, solver);
                if report.failure().is_some() {
                    return report;
                }
                course.note_impacts(&part, impacts);
            }
            if let Some(before) = course.report.take() {
                report = before.followed_by(report);
            }
            self.parts.push(PartDone { length: part.h, end, impacts });
            if matches!(end, End::SlipTurns | End::Impact) && course.exhausted() {
                report.status = StepStatus::NotConverged;
            }
            let ended = course.pass(&part, end);
            if end == End::SlipTurns && !ended {
                self.keep(solver.law());
            }
            if ended || course.exhausted() {
                state.t = t + whole.h;
                return report;
            }
            course.report = Some(report);
            part = course.next_part((end == End::SlipTurns).then_some(part.h));
            self.keep_part(state);
        }
    }

    /// The impacts at the end of a part of the duration `length` that led to them: its report with theirs,
    /// and their number.
    fn land(
        &mut self,
        mut report: StepReport,
        whole: Part<'_>,
        length: f64,
        state: &mut State,
        solver: &mut dyn ContactSolver,
    ) -> (StepReport, usize) {
        if length > 0.0 {
            self.keep(solver.law());
        }
        let mut impacts = 0;
        loop {
            let strike = Part { landings: Landings::Strike { done: impacts }, ..whole };
            match settle(&mut *self.stepper, strike, state, solver) {
                Ok((None, impact)) => report = report.followed_by(impact),
                Ok((Some(_), _)) => return (report, impacts),
                Err(cause) => return (report.followed_by(StepReport::failed(cause)), impacts),
            }
            self.keep(solver.law());
            impacts += 1;
        }
    }

    /// Keeps state and memory at the start of a step, as far as it may go back there.
    fn keep_start(&mut self, state: &State) {
        let parted = self.stepper.about().may_end != Ends::default();
        let may_go_back = parted || self.halvings > 0 || self.islands.any();
        let Checkpoint { state: start, memory, kept } = &mut self.start_of_step;
        if may_go_back || self.islands.on {
            copy(state, start);
        }
        if may_go_back {
            self.stepper.memory_into(memory);
        }
        *kept = may_go_back;
        self.start_of_part.kept = false;
    }

    /// Keeps state and memory at the start of a part that does not start with the step.
    fn keep_part(&mut self, state: &State) {
        copy(state, &mut self.start_of_part.state);
        self.stepper.memory_into(&mut self.start_of_part.memory);
        self.start_of_part.kept = true;
    }

    /// State and memory go back to a start. Where none is kept, the stepper has left them as they were.
    fn go_back(&mut self, to: Start, state: &mut State) {
        let of_part = to == Start::Part && self.start_of_part.kept;
        let start = if of_part { &self.start_of_part } else { &self.start_of_step };
        if start.kept {
            copy(&start.state, state);
            self.stepper.restore(&start.memory);
        }
        if to == Start::Step {
            self.start_of_part.kept = false;
        }
    }

    /// Keeps the contacts of the last part or impact that have an impulse, and what the judge says of it.
    fn keep(&mut self, law: Law) {
        let Self { stepper, earlier: Earlier { contacts, judged }, judge, .. } = self;
        let LastPart { posed, impulses, contacts: points, .. } = stepper.last();
        for (block, contact) in posed.contacts(points) {
            let rows = &impulses[posed.problem.range(block)];
            if rows.iter().any(|l| *l != 0.0) {
                contacts.push((*contact, contact.wrench(rows)));
            }
        }
        let certificate = judge.certify(&posed.problem, impulses);
        let own = match law {
            Law::Ncp => certificate.natural_map,
            _ => judge.natural_map_of(&posed.problem, impulses, law),
        };
        *judged = Some(match judged {
            Some((known, other)) => (certificate.or_worse(known), worse(own, *other)),
            None => (certificate, own),
        });
    }

    /// The stepper.
    pub fn stepper(&self) -> &S {
        &self.stepper
    }

    /// The stepper, to change it.
    pub(crate) fn stepper_mut(&mut self) -> &mut S {
        &mut self.stepper
    }

    /// The stepper, and the parts of the last step.
    pub(crate) fn of_last_step(&mut self) -> (&mut S, &[PartDone]) {
        (&mut self.stepper, &self.parts)
    }

    /// The name of the stepper in the catalogue.
    pub fn name(&self) -> &'static str {
        self.stepper.about().name
    }

    /// The problem of the last part, with the key and the biases of every block; without what slept.
    pub fn posed(&self) -> &Posed {
        self.stepper.last().posed
    }

    /// The impulses of the last part, in the rows of [`Self::posed`] [N·s].
    pub fn impulses(&self) -> &[f64] {
        self.stepper.last().impulses
    }

    /// Contacts of the last step that are not of its problem, with impulse and moment about the point [N·s,
    /// N·m·s]: those of earlier parts and impacts, and of what slept.
    pub(crate) fn other_contacts(&self) -> impl Iterator<Item = (&ContactPoint, [Vec3; 2])> {
        let earlier = self.earlier.contacts.iter().map(|(contact, wrench)| (contact, *wrench));
        earlier.chain(self.islands.steady().map(|asleep| (&asleep.contact, asleep.wrench)))
    }

    /// Everything beside state and input that decides the future, into `out`.
    pub fn memory_into(&self, out: &mut Memory) {
        self.stepper.memory_into(out);
        self.islands.memory_into(out);
        out.credit = self.credit.remembered();
    }

    /// Goes on from `memory`, which [`Self::memory_into`] gave at this state and input.
    pub fn restore(&mut self, world: &World, state: &State, input: &Input, memory: &Memory) {
        self.forget();
        self.earlier.clear();
        self.stepper.restore(memory);
        self.credit.restore(memory.credit);
        self.restore_sleep(world, state, input, memory);
    }

    /// Steps that are saved for landings that end parts; `None`: as many as can be.
    pub(crate) fn credit(&self) -> Option<u32> {
        self.credit.remembered()
    }

    /// Goes on from what [`Self::credit`] gave.
    pub(crate) fn restore_credit(&mut self, remembered: Option<u32>) {
        self.credit.restore(remembered);
    }

    /// Forgets warm starts and who is at rest, as after a jump of the state.
    pub fn forget(&mut self) {
        self.stepper.forget();
        self.credit.restore(None);
        self.forget_sleep();
    }

    /// Takes the numbers of a world that differs from the first in inertias, gravity and surfaces at most.
    pub fn take_numbers(&mut self, world: &World) {
        self.stepper.take_numbers(world);
        self.forget_sleep();
    }
}
