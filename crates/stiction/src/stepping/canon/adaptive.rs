//! `adaptive`: error control by step doubling around another stepper, with its hard contact.
//!
//! ```text
//!     q_h by one step, q_h/2 by two halves,   ε = max(‖q_h/2 ⊖ q_h‖_∞, growth of the deepest overlap) ≤ accuracy      (1)
//! ```
//!
//! A part that errs by more is divided; what is accepted is the result of the halves. Only positions are compared: the velocity
//! of what is hit within a part jumps, and by how much it is late does not fall with the step, but what that does to positions
//! does [CENIC2025]. Where one step and two halves miss the same impact they agree; the overlap tells. A part that fails, or whose solver does
//! not converge, is divided as well, down to `least` of the step, where it is taken as it is.

use super::search::Search;
use crate::canon_params::AdaptiveParams;
use crate::input::Input;
use crate::report::StepReport;
use crate::state::State;
use crate::stepping::Stepper;
use crate::stepping::contact_source::ContactSource;
use crate::stepping::decoratable::Decoratable;
use crate::stepping::memory::Memory;
use crate::stepping::slopes::{NoSlopes, Slopes};
use stiction_assembly::{ContactPoint, Posed};
use stiction_collision::ShapeError;
use stiction_contact::ContactSolver;
use stiction_dynamics::spatial::Motion;
use stiction_dynamics::{Kinematics, difference_into};
use stiction_models::World;

/// The stepper.
pub(crate) struct Adaptive {
    inner: Box<dyn Decoratable>,
    params: AdaptiveParams,
    /// Share of a step that the next part tries [–].
    part: f64,
    before: Memory,
    kin: Kinematics,
    search: Search,
    still: Vec<Motion>,
}

/// The outcome of a part of a step.
struct Part {
    state: State,
    report: StepReport,
    error: f64,
}

impl Adaptive {
    /// Around `inner`, which is made for `world`.
    pub(crate) fn new(
        world: &World,
        inner: Box<dyn Decoratable>,
        params: AdaptiveParams,
    ) -> Result<Self, ShapeError> {
        let model = &world.model;
        Ok(Self {
            inner,
            params,
            part: 1.0,
            before: Memory::default(),
            kin: Kinematics::new(model),
            search: Search::new(world)?,
            still: vec![Motion::ZERO; model.bodies.len()],
        })
    }

    /// A part of h [s] from `state` by two halves, and how far it is from one step.
    fn try_part(
        &mut self,
        world: &World,
        state: &State,
        input: &Input,
        h: f64,
        solver: &mut dyn ContactSolver,
    ) -> Part {
        self.inner.memory_into(&mut self.before);
        let mut whole = state.clone();
        let once = self.inner.step(world, &mut whole, input, h, solver);
        self.inner.restore(world, state, input, &self.before);
        let mut halves = state.clone();
        let first = self.inner.step(world, &mut halves, input, 0.5 * h, solver);
        if first.failure().is_some() {
            return Part { state: halves, report: first, error: f64::INFINITY };
        }
        let second = self.inner.step(world, &mut halves, input, 0.5 * h, solver);
        let report = first.followed_by(second);
        let mut apart = vec![0.0; state.v.len()];
        difference_into(&world.model, &whole.q, &halves.q, 1.0, &mut apart);
        let grown = self.overlap(world, &halves.q) - self.overlap(world, &state.q);
        let error = apart.iter().fold(grown.max(0.0), |most, x| most.max(x.abs()));
        let bad = once.flagged() || report.flagged() || error.is_nan();
        Part { state: halves, report, error: if bad { f64::INFINITY } else { error } }
    }
}

impl Adaptive {
    /// The deepest overlap at q [m].
    fn overlap(&mut self, world: &World, q: &[f64]) -> f64 {
        self.kin.update(&world.model, q);
        self.search.find(world, &self.kin, &self.still, (0.0, 0.0));
        self.search.points.iter().fold(0.0, |deepest, c| deepest.max(-c.gap))
    }
}

impl Stepper for Adaptive {
    fn name(&self) -> &'static str {
        "adaptive"
    }

    fn step(
        &mut self,
        world: &World,
        state: &mut State,
        input: &Input,
        h: f64,
        solver: &mut dyn ContactSolver,
    ) -> StepReport {
        let AdaptiveParams { accuracy, least, .. } = self.params;
        let mut at_start = Memory::default();
        self.inner.memory_into(&mut at_start);
        let part_at_start = self.part;
        let (mut here, mut done) = (state.clone(), 0.0);
        let mut report: Option<StepReport> = None;
        while done < 1.0 {
            let left: f64 = 1.0 - done;
            let mut share = self.part.min(left);
            // No crumb is left over for the end.
            if left - share < 0.1 * share {
                share = left;
            }
            let part = self.try_part(world, &here, input, share * h, solver);
            let allowed = accuracy;
            let smallest = share <= least;
            if part.error > allowed && !smallest {
                self.inner.restore(world, &here, input, &self.before);
                let shrink =
                    if part.error.is_finite() { (0.8 * allowed / part.error).clamp(0.2, 0.7) } else { 0.5 };
                self.part = (share * shrink).max(least);
                continue;
            }
            if part.report.failure().is_some() {
                self.inner.restore(world, state, input, &at_start);
                self.part = part_at_start;
                return part.report;
            }
            here = part.state;
            report = Some(match report {
                Some(before) => before.followed_by(part.report),
                None => part.report,
            });
            done = if share == left { 1.0 } else { done + share };
            let grow = if part.error > 0.0 { (0.8 * allowed / part.error).clamp(0.3, 3.0) } else { 3.0 };
            self.part = (share * grow).clamp(least, 1.0);
        }
        here.t = state.t + h;
        *state = here;
        report.unwrap_or_else(StepReport::start)
    }

    fn posed(&self) -> &Posed {
        self.inner.posed()
    }

    fn impulses(&self) -> &[f64] {
        self.inner.impulses()
    }

    fn contacts(&self) -> &[ContactPoint] {
        self.inner.contacts()
    }

    fn efforts_into(&self, world: &World, out: &mut Vec<f64>) {
        self.inner.efforts_into(world, out);
    }

    fn memory_into(&self, out: &mut Memory) {
        self.inner.memory_into(out);
        out.substep = Some(self.part);
    }

    fn restore(&mut self, world: &World, state: &State, input: &Input, memory: &Memory) {
        self.part = memory.substep.unwrap_or(1.0);
        self.inner.restore(world, state, input, memory);
    }

    fn forget(&mut self) {
        self.part = 1.0;
        self.inner.forget();
    }

    fn take_numbers(&mut self, world: &World) {
        self.inner.take_numbers(world);
    }

    fn add_contact_source(&mut self, source: Box<dyn ContactSource>) -> bool {
        self.inner.add_contact_source(source)
    }

    fn slopes(&mut self, _: &World, _: &State, _: &Input, _: f64) -> Result<Slopes, NoSlopes> {
        Err(NoSlopes::Unsupported("its parts are chosen by error control"))
    }
}

/// Nothing sleeps, and nothing is swept.
impl Decoratable for Adaptive {
    fn clear_problem(&mut self) {
        self.inner.clear_problem();
    }
}
