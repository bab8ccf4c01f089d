//! The θ-method with a contact law: `moreau`, `stewart-trinkle`, `anitescu` and `todorov`.
//!
//! ```text
//!     M̃ (v⁺ − v) = h f̃ + Jᵀ λ,     λ from the contact law at q                                       (1)
//!     q⁺ = q ⊕ h v̄,   v̄ = θ v⁺ + (1 − θ) v                                                         (2)
//!     midpoint:   M̃ = M(q̃),   f̃ = f(q̃, v̄),   q̃ = q ⊕ θ h v̄                                        (3)
//!     ends:       M̃ = M(q⁺),   f̃ = θ f(q⁺, v⁺) + (1 − θ) f(q, v)                                     (4)
//! ```
//!
//! `moreau` is the method of Moreau and Jean [Moreau1988; Jean1999]. Moreau takes inertia and forces at one point of the step, (3),
//! which at θ = ½ is the implicit midpoint rule: symmetric in time, and of the second order; the energy wanders little. Jean's form
//! (4), which other programs have, takes them at both ends with the mass matrix of the end: of the first order where M changes, and the energy
//! drifts. f̃ is linearised about the velocity w = v first, and Newton's method with M̃ as it is at w repeats this until w settles, or
//! as often as `newton` says; once is the linearly implicit method.
//!
//! The others are the semi-implicit Euler method θ = 1 with M̃ and inertial forces at the start; springs, dampers and servos are
//! taken linearly implicit, where servos reach their limits the limit. In `todorov` M̃ is M + B, with B = b diag(M) a damper of
//! h B that is taken implicit, and f loses B v [Todorov2014].
//!
//! What of (1) depends on v⁺ beyond the diagonal is iterated with the contact problem around it, so that the problem stays
//! symmetric; the iteration contracts by h times the rate at which forces of inertia change.
//!
//! Limits and dry friction of joints, couplings and loops are rows as those of `time-stepping`.

mod forces;
mod lasting;
mod least_norm;
mod slopes;
mod works;

use super::contact_law::{ContactLaw, Held};
use super::ended::end;
use super::mechanics::{Gains, Mechanics};
use super::search::{Search, relative_velocity, velocities_into};
use super::unsupported::{UnsupportedByCanon, refuse, refuse_pressure};
use crate::canon_params::ThetaForces;
use crate::energy_ledger::EnergyLedger;
use crate::input::Input;
use crate::params::StepperParams;
use crate::report::{StepReport, StepStatus};
use crate::state::State;
use crate::stepping::Stepper;
use crate::stepping::attempt::{Attempt, Part};
use crate::stepping::contact_source::ContactSource;
use crate::stepping::integrate::Linkages;
use crate::stepping::memory::Memory;
use crate::stepping::slopes::{NoSlopes, Slopes};
use lasting::Lasting;
use stiction_assembly::consistent::Consistent;
use stiction_assembly::loops::Loops;
use stiction_assembly::{ContactPoint, Middle, Posed, Posing, WarmStart, primal};
use stiction_contact::{ContactSolver, SolveReport, SolveStatus};
use stiction_dynamics::spatial::Motion;
use stiction_dynamics::{Factor, MassMatrix, integrate_into, motions_into};
use stiction_models::World;

/// Rounds of the iteration around a contact problem, at most.
const ROUNDS: u32 = 60;
/// It ends when velocities change by less, relative to them [–].
const SETTLED: f64 = 1e-14;
/// The change that it may be left with, relative to the velocities [–].
const UNSETTLED: f64 = 1e-9;

/// One of the four steppers.
pub(crate) struct ThetaStepper {
    law: ContactLaw,
    params: StepperParams,
    /// The solver that is part of the method.
    own: Option<Box<dyn ContactSolver>>,
    start: Mechanics,
    /// Where forces are linearised; after the step, its end.
    ahead: Mechanics,
    /// The middle of the step that v leads to, where contacts are looked for by (3).
    middle: Mechanics,
    linkages: Linkages,
    /// No tree has lost its loops.
    kept: Vec<bool>,
    /// No contact presses over an area.
    in_points: bool,
    gains: Gains,
    search: Search,
    warm: WarmStart,
    /// Contacts of the last step that go on, and per contact of this step what they start with, where they are held by their mean.
    lasting: Lasting,
    held: Vec<Option<Held>>,
    loops: Loops,
    consistent: Consistent,
    posed: Posed,
    impulses: Vec<f64>,
    /// M̃ with the implicit gains on its diagonal.
    mass: MassMatrix,
    factor: Factor,
    report: SolveReport,
    efforts: Vec<f64>,
    /// Implicit damping inertia.
    added: Vec<f64>,
    ledger: EnergyLedger,
    room: Room,
}

/// Vectors of a step.
struct Room {
    v_free: Vec<f64>,
    motions: Vec<Motion>,
    /// Where forces are linearised.
    q_ahead: Vec<f64>,
    w: Vec<f64>,
    v_next: Vec<f64>,
    q_next: Vec<f64>,
    /// S − M̃, on the diagonal.
    implicit: Vec<f64>,
    /// S (v_f − w) where v⁺ = w.
    base: Vec<f64>,
    change: Vec<f64>,
    difference: Vec<f64>,
    offsets: Vec<f64>,
    along: Vec<f64>,
    before: Vec<f64>,
    scratch: Vec<f64>,
}

impl ThetaStepper {
    /// `law` for `world`; the parameters must be valid.
    pub(crate) fn new(
        world: &World,
        law: ContactLaw,
        params: StepperParams,
    ) -> Result<Self, UnsupportedByCanon> {
        refuse(world, law)?;
        let model = &world.model;
        let numbers = || vec![0.0; model.nv()];
        Ok(Self {
            law,
            own: law.solver(&params.canon)?,
            params,
            start: Mechanics::new(world),
            ahead: Mechanics::new(world),
            middle: Mechanics::new(world),
            in_points: refuse_pressure(world, law.name()).is_ok(),
            linkages: Linkages::new(world),
            kept: vec![false; model.trees],
            gains: Gains::new(world),
            search: Search::new(world)?,
            warm: WarmStart::default(),
            lasting: Lasting::default(),
            held: Vec::new(),
            loops: Loops::new(world),
            consistent: Consistent::default(),
            posed: Posed::new(model),
            impulses: Vec::new(),
            mass: MassMatrix::new(model),
            factor: Factor::new(model),
            report: SolveReport { status: SolveStatus::Converged, iterations: 0, residual: 0.0 },
            efforts: vec![0.0; world.actuators.len()],
            added: numbers(),
            ledger: EnergyLedger::default(),
            room: Room {
                v_free: numbers(),
                motions: vec![Motion::ZERO; model.bodies.len()],
                q_ahead: model.neutral(),
                w: numbers(),
                v_next: numbers(),
                q_next: model.neutral(),
                implicit: numbers(),
                base: numbers(),
                change: numbers(),
                difference: numbers(),
                offsets: Vec::new(),
                along: Vec::new(),
                before: Vec::new(),
                scratch: Vec::new(),
            },
        })
    }

    /// θ, and whether forces of inertia are taken by it.
    fn rule(&self) -> (f64, bool) {
        match self.law {
            ContactLaw::Moreau => (self.params.canon.moreau.theta, true),
            _ => (1.0, false),
        }
    }

    /// The share of f̃ that is taken where it is linearised; the rest is that of the start.
    fn share_ahead(&self) -> f64 {
        match (self.law, self.params.canon.moreau.forces) {
            (ContactLaw::Moreau, ThetaForces::Ends) => self.params.canon.moreau.theta,
            _ => 1.0,
        }
    }

    /// Whether the step is the implicit midpoint rule.
    fn is_midpoint(&self) -> bool {
        let moreau = &self.params.canon.moreau;
        self.law == ContactLaw::Moreau && moreau.forces == ThetaForces::Midpoint && moreau.theta == 0.5
    }

    /// Whether contacts are those of the middle of the step: by the midpoint rule, unless loops hold what they tie where the step starts,
    /// or surfaces press by their overlap.
    fn by_middle(&self) -> bool {
        self.is_midpoint() && self.in_points && !self.linkages.any
    }

    fn solve_step(
        &mut self,
        world: &World,
        state: &State,
        input: &Input,
        h: f64,
        solver: &mut dyn ContactSolver,
    ) -> Result<(), String> {
        let mut own = self.own.take();
        let result = match &mut own {
            Some(own) => self.solve(world, state, input, h, own.as_mut()),
            None if solver.needs().softness => {
                let (name, solver) = (self.law.name(), solver.name());
                Err(format!("{name} takes contact solvers of rigid laws; {solver} is one of a compliant law"))
            }
            None => self.solve(world, state, input, h, solver),
        };
        self.own = own;
        result?;
        let (theta, _) = self.rule();
        let Room { v_next, q_next, scratch, .. } = &mut self.room;
        scratch.clear();
        scratch.extend(state.v.iter().zip(&*v_next).map(|(v, next)| theta * next + (1.0 - theta) * v));
        integrate_into(&world.model, &state.q, scratch, h, q_next); // (2)
        let finite = v_next.iter().chain(&*q_next).all(|x| x.is_finite());
        if !finite {
            return Err("a number stopped being finite".to_owned());
        }
        self.keep_ledger(world, state, input, h);
        Ok(())
    }

    /// Solves (1).
    fn solve(
        &mut self,
        world: &World,
        state: &State,
        input: &Input,
        h: f64,
        solver: &mut dyn ContactSolver,
    ) -> Result<(), String> {
        let (_, implicit) = self.rule();
        let here = (&state.q[..], &state.v[..]);
        self.start.look(world, here.0, here.1);
        self.start.find_forces(world, here, &input.control, &self.gains.q_of_dof);
        self.start.find_mass(world);
        self.room.w.copy_from_slice(&state.v);
        if self.is_midpoint() {
            integrate_into(&world.model, &state.q, &state.v, 0.5 * h, &mut self.room.q_ahead);
            self.middle.look(world, &self.room.q_ahead, &state.v);
            self.linkages.find(&self.warm, &self.kept);
        }
        self.lasting.find(&self.warm);
        let rounds = if implicit { self.params.canon.moreau.newton } else { 1 };
        self.report = SolveReport { status: SolveStatus::Converged, iterations: 0, residual: 0.0 };
        for round in 0..rounds {
            if round > 0 {
                let Room { w, v_next, .. } = &mut self.room;
                let size = v_next.iter().fold(0.0_f64, |size, v| size.max(v.abs()));
                let moved = w.iter().zip(&*v_next).fold(0.0_f64, |most, (w, v)| most.max((v - w).abs()));
                if moved <= SETTLED * size {
                    break;
                }
                w.copy_from_slice(v_next);
            }
            self.linearise(world, state, input, h);
            loop {
                self.find_base(world, state, input, h)?;
                if round == 0 {
                    self.find_contacts(world, h);
                }
                self.pose(world, state, h, solver)?;
                self.iterate(world, h, solver)?;
                let touched = self.linkages.hold_touched(&self.posed, &self.impulses);
                if !touched && !self.reaches_limits(world, h) {
                    break;
                }
            }
        }
        if self.law == ContactLaw::Moreau {
            least_norm::take(&self.posed, state.v.len(), &mut self.impulses)?;
        }
        self.law.undo(&mut self.posed, &self.search.points, h, &mut self.room.offsets);
        self.set_free_velocities();
        Ok(())
    }

    /// Contacts at the start, as the law wants them.
    fn find_contacts(&mut self, world: &World, h: f64) {
        self.find_free(0.0);
        let in_middle = self.by_middle();
        let Self { law, params, start, middle, search, lasting, held, room, .. } = self;
        let motions = match law {
            ContactLaw::Moreau => &start.vel.V,
            _ => {
                motions_into(&world.model, &start.kin, &room.v_free, &mut room.motions);
                &room.motions
            }
        };
        // Under the relaxation a contact acts from φ = h (μ ‖c_T‖ − c_N) on.
        let fastest = motions.iter().fold(0.0, |most: f64, V| most.max(V.linear.norm() + V.angular.norm()));
        let margin = match law {
            ContactLaw::Todorov => params.canon.todorov.margin,
            ContactLaw::Anitescu => params.margin + 2.0 * h * fastest,
            ContactLaw::Moreau | ContactLaw::StewartTrinkle => params.margin,
        };
        search.find(world, &start.kin, motions, (h, margin));
        let of_body = |body: Option<usize>| {
            body.map_or(0.0, |b| start.vel.V[b].linear.norm() + start.vel.V[b].angular.norm())
        };
        held.clear();
        search.points.retain(|c| {
            let velocity = relative_velocity(&start.kin, &start.vel, c);
            let opening = c.n.dot(velocity);
            let way = h * c.bodies.map(of_body).iter().sum::<f64>();
            let lasts = lasting.has(c, way.max(params.canon.moreau.touch));
            let takes = lasts || law.takes(&params.canon, c, opening, h);
            if takes {
                held.push(lasts.then_some(Held { velocity, opening }));
            }
            takes
        });
        if !in_middle {
            held.fill(None);
        }
        if in_middle && !search.points.is_empty() {
            // Who takes part is known at the start; where it touches is that of the middle.
            let taken = std::mem::take(&mut search.points);
            search.find(world, &middle.kin, motions, (h, margin));
            let there = std::mem::replace(&mut search.points, taken);
            for c in &mut search.points {
                let same = |m: &&ContactPoint| m.geometries == c.geometries && m.feature == c.feature;
                if let Some(m) = there.iter().find(same) {
                    (c.position, c.n, c.t1, c.t2) = (m.position, m.n, m.t1, m.t2);
                }
            }
        }
    }

    /// v_f, with h θ (∂f/∂v + h θ ∂f/∂q)(v⁺ − w) beyond the diagonal times `share`.
    fn find_free(&mut self, share: f64) {
        let Room { v_free, w, base, change, .. } = &mut self.room;
        for ((v_free, base), change) in v_free.iter_mut().zip(&*base).zip(&*change) {
            *v_free = if share == 0.0 { *base } else { base + change };
        }
        self.factor.solve_in_place(v_free);
        v_free.iter_mut().zip(&*w).for_each(|(v_free, w)| *v_free += w);
    }

    fn pose(
        &mut self,
        world: &World,
        state: &State,
        h: f64,
        solver: &dyn ContactSolver,
    ) -> Result<(), String> {
        self.pose_rows(world, state, h);
        let Self { warm, posed, room, factor, consistent, impulses, .. } = self;
        impulses.clear();
        impulses.extend_from_slice(warm.last());
        posed.jacobian.factor_into(factor, &mut posed.problem);
        posed.find_feedback(consistent, &mut room.scratch);
        let needs = solver.needs();
        if !needs.delassus_factor {
            posed.problem.form_blocks().map_err(|e| format!("the contact problem: {e}"))?;
        }
        self.write_law(state, h);
        Ok(())
    }

    /// The rows of contacts and joints at v_f.
    fn pose_rows(&mut self, world: &World, state: &State, h: f64) {
        self.find_free(0.0);
        let (midpoint, in_middle) = (self.is_midpoint(), self.by_middle());
        let Self { params, start, middle, search, warm, loops, posed, room, .. } = self;
        let kin = if in_middle { &middle.kin } else { &start.kin };
        motions_into(&world.model, kin, &room.v_free, &mut room.motions);
        let turning = Middle { kin: &self.ahead.kin, q: &room.q_ahead, turning: &self.linkages.turning };
        let posing = Posing {
            world,
            kin,
            middle: (midpoint && self.linkages.any).then_some(turning),
            rolling: None,
            q: &state.q,
            v: &state.v,
            free_velocity: &room.v_free,
            free_motions: &room.motions,
            params: params.rows(h, &world.model.gravity),
            implicit_forces: &[],
            q_of_dof: &self.gains.q_of_dof,
            loops,
            compliance: None,
        };
        posing.pose_into(&search.points, warm, posed);
    }

    /// Lets the law write the rows that are posed.
    fn write_law(&mut self, state: &State, h: f64) {
        let Self { params, search, held, posed, room, factor, .. } = self;
        velocities_into(posed, &room.v_free, &mut room.along);
        room.offsets.clear();
        room.offsets.extend(posed.problem.free_velocity.iter().zip(&room.along).map(|(g, c)| g - c));
        velocities_into(posed, &state.v, &mut room.before);
        let points = &search.points;
        self.law.write(&params.canon, (posed, points, held), &room.before, (h, factor), &mut room.offsets);
    }

    /// g = J v_f and the offsets, in the problem and its blocks.
    fn set_free_velocities(&mut self) {
        let Self { posed, room, .. } = self;
        velocities_into(posed, &room.v_free, &mut room.along);
        for (g, (along, offset)) in
            posed.problem.free_velocity.iter_mut().zip(room.along.iter().zip(&room.offsets))
        {
            *g = along + offset;
        }
        for block in 0..posed.blocks.len() {
            let normal = posed.normal_row(block);
            posed.blocks[block].bias.free = room.along[normal];
        }
    }

    /// λ and v⁺ of the linearised step.
    fn iterate(&mut self, world: &World, h: f64, solver: &mut dyn ContactSolver) -> Result<(), String> {
        let (mut iterations, mut last) = (0, f64::INFINITY);
        for round in 0.. {
            self.find_free(if round == 0 { 0.0 } else { 1.0 });
            self.set_free_velocities();
            if solver.needs().primal {
                let mut primal = self.posed.problem.primal.take().unwrap_or_default();
                primal::write_primal(&self.mass, &self.posed, &self.room.v_free, &mut primal);
                self.posed.problem.primal = Some(primal);
            }
            if !self.posed.problem.is_empty() {
                let report = solver.solve(&self.posed.problem, &mut self.impulses);
                if report.status == SolveStatus::NumericalFailure {
                    return Err(format!("{}: a number stopped being finite", solver.name()));
                }
                iterations += report.iterations;
                self.report = SolveReport { iterations, ..report };
            }
            let Self { posed, impulses, factor, room: Room { v_free, v_next, scratch, .. }, .. } = self;
            scratch.clear();
            scratch.resize(v_free.len(), 0.0);
            posed.jacobian.add_impulses_into(posed.problem.row_start(), impulses, scratch);
            factor.solve_in_place(scratch);
            let (mut moved, mut size) = (0.0_f64, 0.0_f64);
            for ((next, free), by_impulse) in v_next.iter_mut().zip(&*v_free).zip(&*scratch) {
                let new = free + by_impulse;
                moved = moved.max((new - *next).abs());
                size = size.max(new.abs());
                *next = new;
            }
            // The last round changed nothing to speak of, or rounding alone goes on.
            let settled =
                round > 0 && (moved <= SETTLED * size || moved >= last && moved <= UNSETTLED * size);
            if settled || !self.find_change(world, h) {
                return Ok(());
            }
            if round >= ROUNDS {
                if moved > UNSETTLED * size {
                    self.report.status = SolveStatus::IterationLimit;
                    self.report.residual = moved;
                }
                return Ok(());
            }
            if round > 0 {
                last = moved;
            }
        }
        Ok(())
    }
}

impl Stepper for ThetaStepper {
    fn name(&self) -> &'static str {
        self.law.name()
    }

    fn attempt(&mut self, part: &Part<'_>, state: &mut State, solver: &mut dyn ContactSolver) -> Attempt {
        if let Err(cause) = self.solve_step(part.world, state, part.input, part.h, solver) {
            return Attempt::Failed(cause.into());
        }
        self.remember(part.h);
        let report = StepReport {
            status: StepStatus::from(self.report.status),
            iterations: self.report.iterations,
            residual: self.report.residual,
            parts: 1,
            ..StepReport::default()
        };
        let to = (&self.room.q_next[..], &self.room.v_next[..]);
        Attempt::Done(end(state, part.h, to, (&self.search.points, self.ledger), report))
    }

    fn posed(&self) -> &Posed {
        &self.posed
    }

    fn impulses(&self) -> &[f64] {
        &self.impulses
    }

    fn contacts(&self) -> &[ContactPoint] {
        &self.search.points
    }

    fn rule_of_choice(&self) -> Option<&'static str> {
        self.own.as_ref().map(|own| own.rule_of_choice())
    }

    fn efforts_into(&self, _: &World, out: &mut Vec<f64>) {
        out.clear();
        out.extend_from_slice(&self.efforts);
    }

    fn memory_into(&self, out: &mut Memory) {
        *out = Memory { saturated: vec![false; self.efforts.len()], ..Memory::default() };
        out.warm_starts.set_to(&self.warm);
    }

    fn restore(&mut self, memory: &Memory) {
        self.warm.set_to(&memory.warm_starts);
    }

    fn forget(&mut self) {
        self.warm.clear();
        if let Some(own) = &mut self.own {
            own.forget();
        }
    }

    fn take_numbers(&mut self, world: &World) {
        self.start.take_numbers(world);
        self.ahead.take_numbers(world);
        self.gains = Gains::new(world);
        self.search.finder.take_surfaces(world);
    }

    fn slopes(&mut self, world: &World, start: &State, input: &Input, h: f64) -> Result<Slopes, NoSlopes> {
        self.differentiate(world, start, input, h)
    }

    fn add_contact_source(&mut self, source: Box<dyn ContactSource>) -> bool {
        self.search.sources.push(source);
        true
    }

    fn clear_problem(&mut self) {
        self.search.points.clear();
        self.posed.clear();
        self.impulses.clear();
    }
}
