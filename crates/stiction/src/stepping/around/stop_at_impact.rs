//! A step in parts that end at impacts.
//!
//! | event within the step | how its instant is found | what happens there |
//! |---|---|---|
//! | a contact with e > 0 closes faster than bodies bounce | root of its gap along the motion that leads to it without the contact (1) | the velocity jumps at fixed positions (`time_stepping::impact`) |
//! | a fast body meets another, where bodies are swept | time of impact of the swept shapes ([`stiction_assembly::swept`]) | the contact is an ordinary near one of the next part |
//!
//! The rest of the step is tried whole. If there is an event after the share s of it, state and memory go back and the part s is done
//! instead, without what is met; the rest follows as a step of its own, from the velocities after the impact. In (1) s is predicted from
//! the start of the part, and then shortened by regula falsi until nothing overlaps by more than 10 nm.
//!
//! A step has [`StepperParams::impact_instants`] instants of bounces at most. What would bounce after the last does so at once, in the
//! problem of the rest of the step ([`stiction_assembly::laws::restitution`]), and the report names [`Remedy::ImpactsAtOnce`].
//!
//! Problem and impulses of a step in parts are those of the last part. Contacts and certificates of earlier parts and of impacts are
//! kept ([`Earlier`]): all contact forces of a step explain its change of momentum, and the worst certificate is that of the step.

use crate::input::Input;
use crate::params::StepperParams;
use crate::remedy::Remedy;
use crate::report::{StepReport, StepStatus};
use crate::state::{State, copy};
use crate::stepping::decoratable::{Bounce, Decoratable};
use crate::stepping::memory::Memory;
use stiction_assembly::ContactPoint;
use stiction_contact::certificate::worse;
use stiction_contact::{Certificate, ContactSolver, Judge, Law};
use stiction_dynamics::spatial::Vec3;
use stiction_models::World;

/// Parts of a step, at most: one more than the events that are followed.
const PARTS: usize = 64;
/// A part is at least this share of the step.
const SHORTEST: f64 = 1e-6;
/// Times that a part is shortened because its own motion meets something, at most.
const SHORTENED: usize = 4;
/// Overlap of (1), at most, unless shortening does not help [m].
const OVERLAP: f64 = 1e-8;

/// Stopping at impacts around a stepper.
pub(crate) struct StopAtImpact<S> {
    pub(crate) inner: S,
    /// Instants of bounces in a step, at most.
    most: u32,
    instants: u32,
    /// State and memory at the start of the step, and at the start of the part.
    before: State,
    remembered: Memory,
    state: State,
    memory: Memory,
    judge: Judge,
    pub(crate) earlier: Earlier,
    /// The parts of the last step; none where nothing may part it.
    pub(crate) parts: Vec<PartDone>,
}

/// A part of a step, as far as it takes to do it again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PartDone {
    /// Duration [s]; 0 where an impact is at the start of the part.
    pub(crate) length: f64,
    pub(crate) end: End,
    /// Impacts at its end, one after another at one instant.
    pub(crate) impacts: usize,
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

/// A part that was done.
struct Part {
    report: StepReport,
    done: PartDone,
}

/// How a part ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// With the step, or where it failed.
    Step,
    /// Before something that it meets.
    Meeting,
    /// After an impact.
    Impact,
}

impl<S: Decoratable> StopAtImpact<S> {
    pub(crate) fn new(world: &World, inner: S, params: &StepperParams) -> Self {
        let neutral = || State::neutral(&world.model);
        let (remembered, memory) = (Memory::default(), Memory::default());
        let most = params.impact_instants;
        Self {
            inner,
            most,
            instants: 0,
            before: neutral(),
            remembered,
            state: neutral(),
            memory,
            judge: Judge::default(),
            earlier: Earlier::default(),
            parts: Vec::with_capacity(PARTS),
        }
    }

    /// The step in parts that end at events. When there are too many of fast bodies, what would follow the last is left out, and the
    /// report says that it did not converge.
    pub(crate) fn step(
        &mut self,
        world: &World,
        state: &mut State,
        input: &Input,
        h: f64,
        solver: &mut dyn ContactSolver,
    ) -> StepReport {
        self.earlier.clear();
        self.parts.clear();
        let sweeps = self.inner.sweeps();
        if !sweeps && !self.inner.may_bounce() {
            return self.inner.step(world, state, input, h, solver);
        }
        let (mut left, mut report) = (h, StepReport::start());
        copy(state, &mut self.before);
        self.inner.memory_into(&mut self.remembered);
        self.inner.sweep_steps_of(sweeps.then_some(h));
        self.instants = 0;
        for part in 1..=PARTS {
            let Part { report: of_part, done } =
                self.part(part < PARTS, [left, h], world, state, input, solver);
            if let StepStatus::Failed(_) = of_part.status {
                copy(&self.before, state);
                self.inner.restore(world, &self.before, input, &self.remembered);
                report = of_part;
                break;
            }
            report = report.followed_by(of_part);
            self.parts.push(done);
            if done.end == End::Meeting && part == PARTS {
                report.status = StepStatus::NotConverged;
            }
            left -= done.length;
            if left <= SHORTEST * h {
                break;
            }
            if done.end == End::Meeting {
                self.keep(solver.law());
            }
            self.inner.goes_on_after((done.end == End::Meeting).then_some(done.length));
        }
        self.inner.sweep_steps_of(None);
        self.inner.goes_on_after(None);
        if report.failure().is_none() {
            state.t = self.before.t + h;
        }
        report
    }

    /// One part, of what is left of the step of h [s]; with an impact at its end if it leads to one.
    fn part(
        &mut self,
        may_stop: bool,
        [left, h]: [f64; 2],
        world: &World,
        state: &mut State,
        input: &Input,
        solver: &mut dyn ContactSolver,
    ) -> Part {
        copy(state, &mut self.state);
        self.inner.memory_into(&mut self.memory);
        let (mut length, mut shortened, mut last) = (left, 0, false);
        loop {
            let mut report = self.inner.step(world, state, input, length, solver);
            let done = |report, end| Part { report, done: PartDone { length, end, impacts: 0 } };
            if report.failure().is_some() {
                return done(report, End::Step);
            }
            if let Some(bounce) = self.inner.first_bounce() {
                if self.instants < self.most && may_stop {
                    return self.bounce(bounce, [length, h], world, state, input, solver);
                }
                report.remedy = report.remedy.max(Some(Remedy::ImpactsAtOnce));
            }
            let way = [&self.state.q[..], &state.q];
            let meets =
                if self.inner.sweeps() { self.inner.first_impact(world, way, length / h) } else { None };
            let Some(share) = meets else {
                return done(report, if length < left { End::Meeting } else { End::Step });
            };
            if last || length <= SHORTEST * h {
                return done(report, End::Meeting);
            }
            shortened += 1;
            last = !may_stop || shortened > SHORTENED;
            length = (length * share).max(SHORTEST * h);
            self.roll_back(world, state, input);
        }
    }

    /// The way of a part of `length` [s] to its first bounce, without the contacts that will bounce, and the impact there.
    fn bounce(
        &mut self,
        bounce: Bounce,
        [length, h]: [f64; 2],
        world: &World,
        state: &mut State,
        input: &Input,
        solver: &mut dyn ContactSolver,
    ) -> Part {
        self.instants += 1;
        self.roll_back(world, state, input);
        let mut length = length * bounce.share;
        let mut report = StepReport { parts: 0, ..StepReport::start() };
        if length > SHORTEST * h {
            self.inner.leave_out_bounces(true);
            for shortened in 0..=SHORTENED {
                report = self.inner.step(world, state, input, length, solver);
                if report.failure().is_some() {
                    break;
                }
                let gap = self.inner.gap_at_bounce(world, &state.q);
                if gap >= -OVERLAP || shortened == SHORTENED {
                    break;
                }
                length *= (bounce.gap / (bounce.gap - gap)).clamp(0.1, 1.0);
                self.roll_back(world, state, input);
            }
            self.inner.leave_out_bounces(false);
            if report.failure().is_some() {
                return Part { report, done: PartDone { length, end: End::Step, impacts: 0 } };
            }
            self.keep(solver.law());
        } else {
            length = 0.0;
        }
        let mut impacts = 0;
        while let Some(impact) = self.inner.impact(world, state, (impacts, h), solver) {
            report = report.followed_by(impact);
            if report.failure().is_some() {
                return Part { report, done: PartDone { length, end: End::Step, impacts } };
            }
            self.keep(solver.law());
            impacts += 1;
        }
        self.inner.clear_problem(); // All of it is kept. Nothing may be left of the step to pose another.
        Part { report, done: PartDone { length, end: End::Impact, impacts } }
    }

    fn roll_back(&mut self, world: &World, state: &mut State, input: &Input) {
        copy(&self.state, state);
        self.inner.restore(world, state, input, &self.memory);
    }

    /// Keeps the contacts of the last part or impact that have an impulse, and what the judge says of it.
    fn keep(&mut self, law: Law) {
        let Self { inner, earlier: Earlier { contacts, judged }, judge, .. } = self;
        let (posed, impulses) = (inner.posed(), inner.impulses());
        for (block, contact) in posed.contacts(inner.contacts()) {
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
}
