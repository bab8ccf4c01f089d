//! `adaptive`: error control by step doubling around another stepper, with its hard contact.
//!
//! ```text
//!     ε = max(‖q_h/2 ⊖ q_h‖_∞, T ‖v_h/2 − v_h‖_∞, growth of the deepest overlap)                     (1)
//!     ε ≤ accuracy h/T        of a part of h in which the motion is smooth                            (2)
//!     ε ≤ accuracy/20         of a part with an event                                                 (3)
//! ```
//!
//! q_h, v_h are those of one step, q_h/2, v_h/2 those of two halves, which are what is accepted. By (2) the
//! errors of all parts over the time T (`horizon`) sum to the accuracy: it is the error at the end of T of a
//! motion that neither spreads nor gathers errors [HairerNorsettWanner1993].
//!
//! Where friction stops what slid, or slip turns back, ε is also T times the slip at the start of the part,
//! or the velocity that the other forces would have given in it, if that is less: a step and two halves take
//! the turn at their own starts, which may be the same.
//!
//! At an impact, or where slip turns back, a velocity jumps somewhere within the part, and ε falls no faster
//! than with h: (2) is never met. Such an event is told by this order, which two tries of a part show, and is
//! held to (3). One step and two halves that miss the same impact agree; the overlap tells. Where one of them
//! has the impact and the other has not, their velocities differ by the jump, and the part is divided until
//! both have it or neither. A part that fails, or whose solver does not converge, is divided as well, down to
//! `least` of the step, where it is taken as it is.
//!
//! Sizes follow a proportional and integral controller [Soederlind2003]. The solver's tolerance is a small
//! share of the accuracy ([`AdaptiveParams::solver_tolerance`]); what is left of its residual in the three
//! steps counts as rounding, which shorter parts do not lessen.

use super::search::{Search, relative_velocity, velocities_into};
use super::unsupported::UnsupportedByCanon;
use crate::canon_params::AdaptiveParams;
use crate::params::StepperParams;
use crate::report::{Cause, StepReport, StepStatus};
use crate::state::State;
use crate::stepping::attempt::{Attempt, Ends, Event, Part, whole_step};
use crate::stepping::memory::Memory;
use crate::stepping::slopes::{NoSlopes, Slopes};
use crate::stepping::{About, Extension, LastPart, Stepper};
use stiction_assembly::{BlockKey, ContactPoint};
use stiction_collision::ShapeError;
use stiction_contact::{Cone, ContactSolver};
use stiction_dynamics::{Kinematics, Velocities, difference_into};
use stiction_world::World;

/// The stepper.
pub(crate) struct Adaptive {
    inner: Box<dyn Stepper>,
    params: AdaptiveParams,
    /// Share of a step that the next part tries [–].
    part: f64,
    /// 1/p, where the error of a smooth part falls by (2) with the power p of its length [–].
    exponent: f64,
    course: Course,
    kin: Kinematics,
    vel: Velocities,
    search: Search,
    points: Vec<ContactPoint>,
    /// Velocities along the rows of the last half of a part, at its start, middle and end.
    start: Vec<f64>,
    half: Vec<f64>,
    end: Vec<f64>,
}

/// Share of the accuracy that a part with an event may err by [–].
const OF_EVENT: f64 = 0.05;
/// Share of the accuracy below which an error counts as rounding, and the least that does [–, m].
const ROUNDING: [f64; 2] = [1e-6, 1e-14];
/// Errors of velocities per residual of the solver [–].
const OF_RESIDUAL: f64 = 4.0;
/// Order of the error of a part, in its length, below which the part has an event [–].
const SMOOTH: f64 = 1.5;
/// Slip at the end of a part, along that at its start, that counts as none, relative to it [–].
const STOPPED: f64 = 1e-6;
/// A part is chosen to err by this share of what is allowed [–].
const SAFETY: f64 = 0.8;
/// Shares of the exponent that the controller gives to the error of this part and takes for that of the last
/// one [–].
const PI: [f64; 2] = [1.0, 0.3];
/// By how much a part may be shorter than the last try, and longer than the last part [–].
const CHANGES: [f64; 2] = [0.1, 8.0];

/// Steppers around which `adaptive` can control the error.
const INNER: &str = "moreau, stewart-trinkle, anitescu, todorov, variational";
/// Share of the accuracy up to which the gap of a contact counts as closed [–].
const TOUCH: f64 = 0.1;

/// The course of a step, part by part.
#[derive(Default)]
struct Course {
    /// Duration of the step [s].
    h: f64,
    /// Shares of the step: of what is done, of the part that is proposed, and of that which is tried [–].
    done: f64,
    proposed: f64,
    share: f64,
    tries: u32,
    /// Length and error of the last try of this part.
    tried: Option<[f64; 2]>,
    /// By how much the last part erred, of what it was allowed [–].
    last: f64,
    /// The end of the part by one step, and how that went.
    once: Option<Once>,
}

/// One step over a part.
struct Once {
    end: State,
    flagged: bool,
    /// Residual that its solver left [m/s].
    residual: f64,
}

/// How far one step and two halves are apart, and which of that is rounding.
#[derive(Clone, Copy)]
struct Apart {
    error: f64,
    rounding: f64,
}

impl Adaptive {
    /// The order of the stepper that the parameters name, where motions are smooth; its tolerances then go
    /// with the accuracy.
    pub(crate) fn order_of_inner(params: &mut StepperParams) -> Result<u32, UnsupportedByCanon> {
        let canon = &mut params.canon;
        canon.tolerance = canon.adaptive.solver_tolerance(canon.tolerance, params.dt);
        canon.moreau.touch = canon.moreau.touch.max(TOUCH * canon.adaptive.accuracy);
        let name = &canon.adaptive.inner[..];
        if !INNER.split(", ").any(|known| known == name) {
            return Err(UnsupportedByCanon::Inner { name: name.to_owned(), available: INNER });
        }
        let second = name == "variational" || name == "moreau" && canon.moreau.theta == 0.5;
        Ok(if second { 2 } else { 1 })
    }

    /// Around `inner`, which is made for `world` and is of `order` in the step where motions are smooth.
    pub(crate) fn new(
        world: &World,
        (inner, order): (Box<dyn Stepper>, u32),
        params: AdaptiveParams,
    ) -> Result<Self, ShapeError> {
        let model = &world.model;
        Ok(Self {
            inner,
            params,
            part: 1.0,
            exponent: 1.0 / f64::from(order),
            course: Course::default(),
            kin: Kinematics::new(model),
            vel: Velocities::new(model),
            search: Search::new(world)?,
            points: Vec::new(),
            start: Vec::new(),
            half: Vec::new(),
            end: Vec::new(),
        })
    }

    /// Tries the part that is proposed, by one step. No crumb is left over for the end of the step.
    fn try_once(&mut self, part: &Part<'_>, state: &mut State, solver: &mut dyn ContactSolver) -> Attempt {
        let (course, most_parts) = (&mut self.course, self.params.most_parts);
        course.tries += 1;
        if course.tries > most_parts {
            let cause = format!(
                "the accuracy is not met within {most_parts} parts of a step, {:.3} of which are done; canon.adaptive.most_parts allows \
                 more",
                course.done
            );
            return Attempt::Failed(cause.into());
        }
        let left: f64 = 1.0 - course.done;
        let share = course.proposed.min(left);
        course.share = if left - share < 0.1 * share { left } else { share };
        let (share, h) = (course.share, course.share * course.h);
        let report = whole_step(&mut *self.inner, Part { h, ..*part }, state, solver);
        let (flagged, residual) = (report.flagged(), report.residual);
        self.course.once = Some(Once { end: state.clone(), flagged, residual });
        Attempt::Event(Event::Again { h, last: share == left }, report)
    }

    /// The part by two halves, and how far it is from one step.
    fn try_halves(
        &mut self,
        Once { end: once, flagged, residual }: Once,
        part: &Part<'_>,
        state: &mut State,
        solver: &mut dyn ContactSolver,
    ) -> (StepReport, Apart) {
        let AdaptiveParams { accuracy, horizon, .. } = self.params;
        let (start, half) = (state.clone(), Part { h: 0.5 * part.h, ..*part });
        let first = whole_step(&mut *self.inner, half, state, solver);
        if first.failure().is_some() {
            return (first, Apart { error: f64::INFINITY, rounding: 0.0 });
        }
        let middle = state.v.clone();
        let second = whole_step(&mut *self.inner, half, state, solver);
        let report = first.followed_by(second);
        let mut apart = vec![0.0; state.v.len()];
        difference_into(&part.world.model, &once.q, &state.q, 1.0, &mut apart);
        let faster = once.v.iter().zip(&state.v).map(|(a, b)| horizon * (a - b));
        apart.extend(faster);
        let grown = self.overlap(part.world, &state.q) - self.overlap(part.world, &start.q);
        let turning = horizon * self.turning(part.world, &start.v, &middle);
        let error = apart.iter().fold(grown.max(turning), |most, x| most.max(x.abs()));
        let finite = apart.iter().all(|x| x.is_finite());
        let bad = flagged || report.flagged() || !finite;
        let of_solver = OF_RESIDUAL * horizon * residual.max(report.residual);
        let rounding = (ROUNDING[0] * accuracy).max(ROUNDING[1]).max(of_solver);
        (report, Apart { error: if bad { f64::INFINITY } else { error }, rounding })
    }

    /// Proposes a shorter part than that which was tried, if its error is too large; else false, and how long
    /// the next part is.
    fn shortens(&mut self, Apart { error, rounding }: Apart) -> bool {
        let AdaptiveParams { accuracy, horizon, least, .. } = self.params;
        let Course { h, done, proposed, share, tried, last, .. } = &mut self.course;
        let smooth = (accuracy * *share * *h / horizon).max(rounding);
        let order = tried.map(|[long, before]| (before / error).ln() / (long / *share).ln());
        let event = order.is_some_and(|order| order < SMOOTH);
        let allowed = if event { smooth.max(OF_EVENT * accuracy) } else { smooth };
        if error > allowed && *share > least {
            let exponent = if event { 1.0 } else { self.exponent };
            let shrink = (SAFETY * allowed / error).powf(exponent);
            *tried = Some([*share, error]).filter(|[_, error]| error.is_finite());
            *proposed = (*share * shrink.clamp(CHANGES[0], 0.7)).max(least);
            return true;
        }
        let ends = *share == 1.0 - *done;
        *done = if ends { 1.0 } else { *done + *share };
        let ratio = (error / smooth).max(1e-12);
        let grow = if event {
            CHANGES[1]
        } else {
            (SAFETY / ratio).powf(PI[0] * self.exponent) * last.powf(PI[1] * self.exponent)
        };
        *last = if event { 1.0 } else { ratio.clamp(1e-2, 1.0) };
        // A part that the end of the step cut short says nothing of how long parts may be.
        let next = *share * grow.clamp(CHANGES[0], CHANGES[1]);
        self.part = if ends { next.max(*proposed) } else { next }.clamp(least, 1.0);
        *tried = None;
        false
    }
}

impl Adaptive {
    /// By how much a part may be late or early with a slip that stops or turns back in it, from that at the
    /// start, at `v` [m/s or rad/s].
    ///
    /// Friction of a step has one direction. A step in which slip turns back ends at rest, and is late by
    /// what the other forces would have done since; or it ends with the slip turned back, and has braked with
    /// the friction of afterwards from its start on. One step and two halves may agree on either. After
    /// [`Self::overlap`] at the start, where slips of contacts are taken: rows of the end may have turned.
    fn turning(&mut self, world: &World, v: &[f64], middle: &[f64]) -> f64 {
        let Self { inner, kin, vel, points, start, half, .. } = self;
        vel.update(&world.model, kin, v);
        let LastPart { posed, impulses, contacts, .. } = inner.last();
        velocities_into(posed, v, start);
        velocities_into(posed, middle, half);
        let problem = &posed.problem;
        problem.velocities_into(impulses, &mut self.end);
        let mut most = 0.0_f64;
        for block in 0..problem.len() {
            let mut rows = problem.range(block);
            match (problem.cone(block), posed.blocks[block].key) {
                (Cone::Friction { .. }, BlockKey::Contact(c)) => {
                    rows.end -= 1;
                    let c = &contacts[c];
                    let same = |p: &&ContactPoint| p.geometries == c.geometries && p.feature == c.feature;
                    let Some(point) = points.iter().find(same) else { continue };
                    let velocity = relative_velocity(kin, vel, point);
                    let slip = velocity - point.n * point.n.dot(velocity);
                    for (r, axis) in rows.clone().zip(c.axes()) {
                        start[r] = axis.dot(slip);
                    }
                }
                (Cone::Box { .. }, _) => {}
                (Cone::Friction { .. }, BlockKey::Row(_))
                | (Cone::Free | Cone::NonNegative | Cone::Patch { .. }, _) => continue,
            }
            let sum = |of: &dyn Fn(usize) -> f64| rows.clone().map(of).sum::<f64>();
            let size = |of: &dyn Fn(usize) -> f64| sum(&|r| of(r).powi(2)).sqrt();
            let slid = size(&|r| start[r]);
            if sum(&|r| start[r] * self.end[r]) <= STOPPED * slid * slid {
                // What drives it, over both halves.
                most = most.max(slid.min(2.0 * size(&|r| problem.free_velocity[r] - half[r])));
            }
        }
        most
    }

    /// The deepest overlap at q [m].
    fn overlap(&mut self, world: &World, q: &[f64]) -> f64 {
        self.kin.update(&world.model, q);
        self.search.find_near(world, &self.kin, self.params.accuracy, &mut self.points);
        self.points.iter().fold(0.0, |deepest, c| deepest.max(-c.gap))
    }
}

impl Stepper for Adaptive {
    fn about(&self) -> About {
        let may_end = Ends { error_control: true, ..Ends::default() };
        About { name: "adaptive", may_end, ..self.inner.about() }
    }

    /// A part is attempted by one step, and then by two halves, which stand if both agree.
    fn attempt(&mut self, part: &Part<'_>, state: &mut State, solver: &mut dyn ContactSolver) -> Attempt {
        if part.again.is_none() {
            if part.place == 0 {
                self.course = Course { h: part.h, last: 1.0, ..Course::default() };
            }
            (self.course.proposed, self.course.once) = (self.part, None);
        }
        let Some(once) = self.course.once.take() else { return self.try_once(part, state, solver) };
        let (report, apart) = self.try_halves(once, part, state, solver);
        if self.shortens(apart) {
            return Attempt::Event(Event::Again { h: part.h, last: false }, report);
        }
        match report.status {
            StepStatus::Failed(text) => Attempt::Failed(Cause { text, extra: report.extra }),
            _ => Attempt::Done(report),
        }
    }

    fn last(&self) -> LastPart<'_> {
        self.inner.last()
    }

    fn efforts_into(&self, world: &World, out: &mut Vec<f64>) {
        self.inner.efforts_into(world, out);
    }

    fn memory_into(&self, out: &mut Memory) {
        self.inner.memory_into(out);
        out.substep = Some(self.part);
    }

    fn restore(&mut self, memory: &Memory) {
        self.part = memory.substep.unwrap_or(1.0);
        self.inner.restore(memory);
    }

    fn forget(&mut self) {
        self.part = 1.0;
        self.inner.forget();
    }

    fn take_numbers(&mut self, world: &World) {
        self.inner.take_numbers(world);
    }

    fn extend(&mut self, extension: Extension) -> bool {
        self.inner.extend(extension)
    }

    fn slopes(&mut self, _: &Part<'_>, _: &State) -> Result<Slopes, NoSlopes> {
        Err(NoSlopes::Unsupported("its parts are chosen by error control"))
    }
}
