//! Velocity-level time stepping: contacts, limits, loops and couplings as one constraint problem a step.
//!
//! ```text
//!     M̂ = M + h k                                                         (1)
//!     M̂ (v_f − v) = h (τ − b)                                             (2)
//!     v⁺ = v_f + M̂⁻¹ Jᵀ λ,   λ from the constraint problem                (3)
//!     q⁺ by the rule of each tree, [`crate::Quadrature`]                  (4)
//! ```
//!
//! k are the gains of joint dampers, joint springs and actuators ([`stiction_assembly::forces::actuators`]).
//! The gyroscopic moment of a free single body is taken at the midpoint,
//!
//! ```text
//!     I (ω⁺ − ω) = −h ω̄ × I ω̄,   ω̄ = (ω + ω⁺)/2                          (5)
//! ```
//!
//! which keeps its energy and the norm of its angular momentum to rounding.
//!
//! | what | when | where |
//! |---|---|---|
//! | M, b, J and gaps in the middle of the step, rows that hold the velocity at its end | always, but trees that turn too far or may pass what they meet, compliant laws and the conic relaxation | `integrate::rolling` |
//! | trees that turn farther than the step can follow keep their energy | a joint turns by more than 0.2 rad | `integrate::fast_rotation` |
//! | servos expected within, or at, their limits are made rows and the step is solved again | v⁺ belies it | `effort_limits` of the assembly |
//! | impacts | at their instant, where the step is parted ([`super::driver::parts`]) | [`impact`] |
//! | energy that a step makes is told, and much of it flagged | trees of joints that move by rules of first and second order | [`energy_error`] |
//! | problems without a good answer | see there | [`crate::stepping::remedies`] |
//! | position errors | overlaps, errors of loops and couplings | [`position_correction`] |
//!
//! A step either succeeds or leaves the state as it was and says why.

mod advance;
mod contact_corrections;
mod contact_search;
mod energy_error;
mod impact;
pub(crate) mod position_correction;
mod stepper;
mod tree_energies;
mod turns;

use super::attempt::{Attempt, Event, Landings, Part, Reason, Step};
use super::contact_correction::{ContactCorrection, CorrectableContact};
use super::free_velocity::{FreeMotion, LEARNED};
use super::here::Here;
use super::integrate::rolling::{RollingBodies, STILL};
use super::remedies::Solving;
use super::remedies::without_feedback::NONE;
use super::trial::Trial;
use crate::params::StepperParams;
use crate::remedy::Remedy;
use crate::report::{StepReport, StepStatus};
use crate::state::State;
use advance::{Advance, SolvedStep};
use contact_search::ContactSearch;
use energy_error::{EnergyError, EnergyFound};
use position_correction::PositionCorrection;
pub(crate) use position_correction::{YIELDS, reaches};
use stiction_assembly::compliance::ComplianceParameters;
use stiction_assembly::consistent::Consistent;
use stiction_assembly::forces::Servos;
use stiction_assembly::loops::Loops;
use stiction_assembly::{BlockKey, Choice, Posed, Posing, RowParams, Start, WarmStart, primal};
use stiction_collision::ShapeError;
use stiction_contact::{ContactSolver, Judge, Law};
use stiction_world::World;
use turns::TurnedFriction;

/// The stepper `time-stepping`; owns all memory that a step needs.
pub struct TimeStepping {
    params: StepperParams,
    here: Here,
    free: FreeMotion,
    search: ContactSearch,
    constants: Constants,
    warm: WarmStart,
    /// Empty: an impact starts from no impulses.
    no_warm_starts: WarmStart,
    /// Feedback of couplings and loops was left out of the last step.
    left_out: bool,
    posed: Posed,
    /// Numbers that the rows of `posed` were made with.
    row_params: RowParams,
    trial: Trial,
    remedy: Option<Remedy>,
    room: SolvingRoom,
    correction: PositionCorrection,
    advance: Advance,
    rolling: RollingBodies,
    energy_error: EnergyError,
    turned: TurnedFriction,
}

/// Constants of the world, for rows.
struct Constants {
    compliance: ComplianceParameters,
    loops: Loops,
}

/// Memory for solving, beside the problem.
struct SolvingRoom {
    judge: Judge,
    /// Scratch of the remedies.
    other: Trial,
    /// The trial of an impact by the largest share of restitution so far that makes no energy.
    best: Trial,
    momentum: Vec<f64>,
    consistent: Consistent,
    correction: Option<Box<dyn ContactCorrection>>,
    corrected: bool,
    /// Scratch of the correction.
    contacts: Vec<CorrectableContact>,
    impulses: Vec<[f64; 3]>,
    blocks: Vec<[f64; 9]>,
    /// q and v at the start of the part.
    q_start: Vec<f64>,
    v_start: Vec<f64>,
}

impl TimeStepping {
    /// Sizes everything for `world`; the parameters must be valid.
    pub fn new(world: &World, params: StepperParams) -> Result<Self, ShapeError> {
        let nv = world.model.nv();
        let advance = Advance::new(world, params.higher_order);
        let rolling = RollingBodies::new(world, params.higher_order);
        let row_params = params.rows(params.dt, &world.model.gravity);
        Ok(Self {
            here: Here::new(world),
            free: FreeMotion::new(world),
            search: ContactSearch::new(world, &params)?,
            params,
            constants: Constants { compliance: ComplianceParameters::new(world), loops: Loops::new(world) },
            warm: WarmStart::default(),
            no_warm_starts: WarmStart::default(),
            left_out: false,
            posed: Posed::new(&world.model),
            row_params,
            trial: Trial::new(nv),
            remedy: None,
            room: SolvingRoom {
                judge: Judge::default(),
                other: Trial::new(nv),
                best: Trial::new(nv),
                momentum: Vec::new(),
                consistent: Consistent::default(),
                correction: None,
                corrected: false,
                contacts: Vec::new(),
                impulses: Vec::new(),
                blocks: Vec::new(),
                q_start: world.model.neutral(),
                v_start: vec![0.0; nv],
            },
            correction: PositionCorrection::new(world),
            advance,
            rolling,
            energy_error: EnergyError::new(world),
            turned: TurnedFriction::default(),
        })
    }

    /// Solves a part, posed in its middle; the guess that was wrong, if there is one.
    fn attempt_part(
        &mut self,
        part: &Part<'_>,
        state: &State,
        solver: &mut dyn ContactSolver,
    ) -> Result<Option<Reason>, String> {
        if part.place == 0 && !matches!(part.landings, Landings::LeftOut { .. }) {
            self.search.begin();
        }
        self.search.swept = part.swept;
        self.search.leaves_out = matches!(part.landings, Landings::LeftOut { .. });
        self.here.fast.came_in = part.follows;
        if part.follows.is_some() && part.again.is_none() {
            self.free.last_forces.clear();
        }
        if !matches!(part.again, Some(Reason::EffortLimit | Reason::SlipEnds | Reason::SlipTurns)) {
            self.turned.clear();
        }
        if part.again.is_none() {
            self.free.learned = 0;
            self.here.fast.find(&part.world.model, &state.v, part.h);
            if is_posed_in_middle(solver) {
                self.here.look_at_start(part.world, state);
            }
            self.find_middle(&Step::new(part, state), solver);
        } else if part.again == Some(Reason::TurnsTooFar) {
            self.find_middle(&Step::new(part, state), solver);
        } else if part.again == Some(Reason::NoMiddle) {
            self.rolling.give_up();
        }
        if self.rolling.any() {
            let middle = std::mem::take(&mut self.rolling.middle);
            let solved = self.solve_part(part, state, &middle, solver);
            self.rolling.middle = middle;
            match solved {
                Err(_) => Ok(Some(Reason::NoMiddle)),
                solved => solved,
            }
        } else {
            self.solve_part(part, state, state, solver)
        }
    }

    /// Accepts the part that was solved, and looks for the event that ends it.
    fn finish_part(&mut self, part: &Part<'_>, state: &mut State, solver: &mut dyn ContactSolver) -> Attempt {
        self.accept(part.world, state, part.h);
        let bound_met = if self.posed.problem.is_empty() { None } else { solver.bound_met() };
        let mut remedy = self.remedy;
        let event = self.find_landing(part, &state.q, &mut remedy);
        let event = event.or_else(|| self.find_turn(part));
        match self.find_meeting(part, &state.q, event.map_or(f64::INFINITY, |e| e.share())).or(event) {
            Some(event) => Attempt::Event(event, self.report(1, remedy, bound_met)),
            None => Attempt::Done(self.report(1, remedy, bound_met)),
        }
    }

    /// Poses the trees in the middle of the step.
    fn find_middle(&mut self, step: &Step<'_>, solver: &dyn ContactSolver) {
        let Step { world, start: state, h, .. } = *step;
        let Self { rolling, here, warm, search, params, .. } = self;
        rolling.give_up();
        if !is_posed_in_middle(solver) {
            return;
        }
        search.look_back((world, here), &state.v, (h, params.margin));
        rolling.find(step, warm, [&here.sleeps, &search.at_start], solver.law() == Law::Ncp);
    }

    /// Solves a part from `start`, posed at `state`, up to its acceptance; the guess that v⁺ belies, if there is one.
    fn solve_part(
        &mut self,
        part: &Part<'_>,
        start: &State,
        state: &State,
        solver: &mut dyn ContactSolver,
    ) -> Result<Option<Reason>, String> {
        let (step, whole) = (&Step::new(part, state), &Step::new(part, start));
        let Part { world, h, again, .. } = *part;
        if matches!(again, None | Some(Reason::NoMiddle | Reason::TurnsTooFar)) {
            if self.rolling.any() {
                self.here.look_at_middle(world, state);
            } else {
                self.here.look(world, state, h, !solver.needs().softness);
            }
            self.here.patches = contact_search::patches_of(solver.law());
        }
        let Self { free, here, rolling, .. } = self;
        free.find(step, start, here, rolling)?; // (1), (2)
        self.find_contacts(world, h);
        self.pose_with(self.params.rows(h, &world.model.gravity), world, (start, state), solver)?;
        self.turned.fix(&mut self.posed);
        self.solve(world, state, solver)?; // (3)
        if let Some(reason) = self.wrong_guess(whole, part.inelastic) {
            return Ok(Some(reason));
        }
        self.correct_contacts_of(state);
        self.correct_positions(world);
        self.advance_by_rules(step, whole); // (4)
        self.advance.check(world)?;
        self.find_energy_error(whole);
        Ok(None)
    }

    /// The landing that ends a part which led to `q_next`.
    fn find_landing(
        &mut self,
        part: &Part<'_>,
        q_next: &[f64],
        remedy: &mut Option<Remedy>,
    ) -> Option<Event> {
        if let Landings::LeftOut { overlap } = part.landings {
            self.here.kin.update(&part.world.model, q_next);
            let at = (&self.here, &self.free);
            let gap = self.search.gap_of_landing(part.world, (q_next, part.h), at, &self.warm);
            let apart = overlap.is_finite() && gap.is_finite() && gap > self.params.landing_tolerance;
            return (gap < -overlap || apart).then_some(Event::Overlap { gap });
        }
        let looks = part.landings != Landings::Ignored && self.here.rigid;
        if !looks || self.trial.choice.restitution <= 0.0 {
            return None;
        }
        let landing = if self.rolling.any() {
            let solved = (&self.posed, &self.trial.impulses[..]);
            if !self.search.find_landings_at_middle(solved, part.inelastic) {
                return None;
            }
            self.here.kin.update(&part.world.model, &self.room.q_start);
            let start = (&self.room.q_start[..], part.h);
            let at = (&self.here, &self.free);
            self.search.first_landing(part.world, start, at, &self.warm)
        } else {
            self.search.find_landings(&self.posed)?
        };
        if part.landings == Landings::End {
            return Some(Event::Landing(landing));
        }
        *remedy = (*remedy).max(Some(Remedy::ImpactsAtOnce));
        None
    }

    /// The meeting of fast bodies that ends a part which led to `q_next`, before the share `until`.
    fn find_meeting(&mut self, part: &Part<'_>, q_next: &[f64], until: f64) -> Option<Event> {
        let may_meet = until > 0.0 && self.search.finder.may_be_fast();
        let of_step = part.h / part.meetings.filter(|_| may_meet)?;
        let Self { search, here, room, rolling, params, .. } = self;
        let (way, limits) = ([&room.q_start[..], q_next], (of_step, [params.margin, 0.0]));
        let met = search.first_impact((part.world, &mut here.kin), way, limits, rolling.any())?;
        (met.share < until).then(|| search.landing_of(met, part.h))
    }

    fn find_contacts(&mut self, world: &World, h: f64) {
        self.search.find(world, (&self.here, &self.free), (h, self.params.margin), &self.warm);
    }

    /// Writes the constraint problem, with what the solver reads of it, and the impulses that it starts from.
    fn pose_with(
        &mut self,
        params: RowParams,
        world: &World,
        (start, state): (&State, &State),
        solver: &dyn ContactSolver,
    ) -> Result<(), String> {
        let (needs, law) = (solver.needs(), solver.law());
        self.row_params = params;
        self.search.check_size(&world.model)?;
        let Self { here, free, search, constants, warm, posed, trial, room, rolling, .. } = self;
        let start = Start { kin: here.start(), q: &start.q, left_out: search.stops_left_out() };
        let posing = Posing {
            world,
            kin: &here.kin,
            middle: None,
            q: &state.q,
            v: &state.v,
            free_velocity: &free.v_free,
            free_motions: &free.motions,
            params,
            implicit_forces: &free.implicit_forces,
            q_of_dof: &free.q_of_dof,
            loops: &constants.loops,
            rolling: rolling.rows(start),
            compliance: needs.softness.then_some((&constants.compliance, law)),
        };
        let kept = posed.problem.primal.take();
        posing.pose_into(&search.points, warm, posed);
        trial.impulses.clear();
        trial.impulses.extend_from_slice(warm.last());
        posed.problem.second_start.extend_from_slice(warm.before());
        posed.jacobian.factor_into(&free.factor, &mut posed.problem);
        posed.find_feedback(&mut room.consistent, &mut room.momentum);
        if self.left_out && posed.feedback() > NONE {
            posed.choose(Choice { feedback: 0.0, ..Choice::default() });
        }
        if !needs.delassus_factor {
            posed.problem.form_blocks().map_err(|e| format!("the contact problem: {e}"))?;
        }
        if needs.softness {
            primal::complete_softness(posed, &state.v);
            for (softness, contact) in posed.problem.softness.iter_mut().zip(&search.points) {
                constants.compliance.contact(law, contact, &search.finder.surface(contact), softness);
            }
        }
        if needs.primal {
            let mut primal = kept.unwrap_or_default();
            primal::write_primal(&free.mass, posed, &free.v_free, &mut primal);
            posed.problem.primal = Some(primal);
        }
        Ok(())
    }

    /// λ and v⁺, with what is done where there is no good answer.
    fn solve(&mut self, world: &World, state: &State, solver: &mut dyn ContactSolver) -> Result<(), String> {
        let name = solver.name();
        let Self { params, free, posed, trial, room, .. } = self;
        let mut solving = Solving {
            world,
            params,
            posed,
            free,
            v: &state.v,
            solver,
            judge: &mut room.judge,
            other: &mut room.other,
            momentum: &mut room.momentum,
        };
        let Ok(remedy) = solving.solve(trial) else {
            return Err(format!("{name}: a number stopped being finite; {}", self.culprit(world)));
        };
        self.remedy = remedy;
        if let Some(dof) = self.trial.v_next.iter().position(|v| !v.is_finite()) {
            let model = &world.model;
            let joint = &model.joints[model.dofs[dof].joint].name;
            return Err(format!("the velocity of joint `{joint}` is {}", self.trial.v_next[dof]));
        }
        Ok(())
    }

    /// The guess that v⁺ belies, if there is one; slip that turns back counts where it may end the part.
    fn wrong_guess(&mut self, step: &Step<'_>, turns_end: bool) -> Option<Reason> {
        let Step { world, start: state, h, .. } = *step;
        let Self { trial, posed, here, free, rolling, turned, search, .. } = self;
        let (v, v_next) = (&state.v[..], &trial.v_next[..]);
        if free.servos.promote(v, v_next) {
            return Some(Reason::EffortLimit);
        }
        if rolling.sticks_now(posed, v_next) {
            return Some(Reason::SlipEnds);
        }
        if !rolling.any() {
            return None;
        }
        if here.fast.find_lost(&world.model, v_next, h, &rolling.on) {
            return Some(Reason::TurnsTooFar);
        }
        if turns_end
            && turned.find_slips(posed, (&search.points, &trial.impulses), v_next, &mut rolling.slips)
        {
            return Some(Reason::SlipEnds);
        }
        if free.last_forces.is_empty() || (1..LEARNED).contains(&free.learned) {
            free.remember_forces(posed, &trial.impulses, h);
            free.learned += 1;
            let changes = |dof: usize| (v_next[dof] - v[dof]).abs() > STILL;
            if rolling.dofs_of_joints().any(changes) {
                return Some(Reason::MeanVelocity);
            }
        }
        let turns = turned.find(posed, &trial.impulses, v, v_next);
        turns.then_some(Reason::SlipTurns)
    }

    /// Finds what undoes position errors.
    fn correct_positions(&mut self, world: &World) {
        let Self { correction, here, free, posed, trial, .. } = self;
        if here.rigid {
            let most = self.params.push_out_speed;
            correction.find(world, here, free, posed, &trial.impulses, most);
        } else {
            correction.clear();
        }
    }

    fn advance_by_rules(&mut self, step: &Step<'_>, whole: &Step<'_>) {
        let Self { advance, trial, posed, here, free, correction, rolling, .. } = self;
        let (step, whole) = (*step, *whole);
        advance.find(&SolvedStep { step, whole, here, free, posed, trial, correction, rolling });
    }

    /// Commits the memory, and moves the state.
    fn accept(&mut self, world: &World, state: &mut State, h: f64) {
        let Self { here, warm, search, posed, trial, free, room, advance, rolling, .. } = self;
        warm.commit(&search.points, posed.problem.cones(), &trial.impulses, |i, steps| {
            rolling.motion((world, &here.kin), posed, (i, &search.points[i]), &trial.v_next, (h, steps))
        });
        free.servos.commit(&world.actuators, &state.v, &trial.v_next);
        free.remember_forces(posed, &trial.impulses, h);
        self.left_out = trial.choice.feedback == 0.0;
        room.q_start.copy_from_slice(&state.q);
        room.v_start.copy_from_slice(&state.v);
        state.q.copy_from_slice(&advance.q);
        state.v.copy_from_slice(&advance.v);
        state.t += h;
    }

    fn report(&self, parts: u32, remedy: Option<Remedy>, bound_met: Option<u32>) -> StepReport {
        let Trial { report, .. } = &self.trial;
        let EnergyFound { error, in_motion, rate } = self.energy_error.found;
        let status = match StepStatus::from(report.status) {
            StepStatus::Converged | StepStatus::Rounding if rate > self.params.energy_tolerance => {
                StepStatus::GainedEnergy
            }
            status => status,
        };
        StepReport {
            status,
            iterations: report.iterations,
            residual: report.residual,
            contacts: self.search.points.len(),
            penetration: self.penetration(),
            parts,
            energy_error: error,
            energy_in_motion: in_motion,
            energy_error_rate: rate,
            remedy,
            bound_met,
            corrected: self.room.corrected,
            ..StepReport::default()
        }
    }

    /// The deepest overlap at the start of the part [m]; of contacts that yield where the part is posed.
    fn penetration(&self) -> f64 {
        let points = &self.search.points;
        if !self.rolling.any() {
            return points.iter().fold(0.0, |deepest, c| deepest.max(-c.gap));
        }
        let yielding = points.iter().filter(|c| c.spring.is_some()).map(|c| c.gap);
        let of_contact = |block: usize| matches!(self.posed.blocks[block].key, BlockKey::Contact(_));
        let rigid = self.posed.rolling.iter().filter(|c| of_contact(c.block)).map(|c| c.start);
        rigid.chain(yielding).fold(0.0, |deepest, gap| deepest.max(-gap))
    }

    /// The constraint that a failure of the solver most likely comes from, in words.
    fn culprit(&self, world: &World) -> String {
        let problem = &self.posed.problem;
        let size = |block: usize| {
            let rows = &problem.free_velocity[problem.range(block)];
            rows.iter().fold(0.0_f64, |m, g| if g.is_finite() { m.max(g.abs()) } else { f64::INFINITY })
        };
        let worst = (0..problem.len()).map(|b| (b, size(b))).reduce(|a, b| if b.1 > a.1 { b } else { a });
        let Some((block, speed)) = worst else { return "there is no constraint".to_owned() };
        let what = match self.posed.blocks[block].key {
            BlockKey::Contact(i) => {
                let [a, b] = self.search.points[i].geometries.map(|g| &world.geometries[g].name);
                format!("the contact of `{a}` with `{b}`")
            }
            BlockKey::Row(key) => key.kind().words(world),
        };
        format!("the fastest constraint, at {speed:.1e} m/s or rad/s, is {what}")
    }

    /// Memory that the next step goes on from, for a batch to keep.
    pub(crate) fn lending(&mut self) -> Lending<'_> {
        let FreeMotion { servos, last_forces, .. } = &mut self.free;
        Lending { warm_starts: &mut self.warm, servos, last_forces }
    }
}

/// Warm starts of the next step, which servos are at their limits, and the mean forces of the constraints in the last
/// step.
pub(crate) struct Lending<'a> {
    pub(crate) warm_starts: &'a mut WarmStart,
    pub(crate) servos: &'a mut Servos,
    pub(crate) last_forces: &'a mut Vec<f64>,
}

/// Whether steps under the law of the solver are posed in their middle. Compliant laws and the conic relaxation are
/// written for positions that move by v⁺: what slides under the latter hovers at the distance h μ ‖v_T‖, and would
/// hop where impulses act in the middle.
fn is_posed_in_middle(solver: &dyn ContactSolver) -> bool {
    !solver.needs().softness && !matches!(solver.law(), Law::Ccp | Law::PolyhedralCcp { .. })
}
