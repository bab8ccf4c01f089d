//! The θ-method with a contact law: `moreau`, `stewart-trinkle`, `anitescu` and `todorov`.
//!
//! ```text
//!     M̃ (v⁺ − v) = h f̃ + Jᵀ λ,     λ from the contact law at q                                       (1)
//!     q⁺ = q ⊕ h v̄,   v̄ = θ v⁺ + (1 − θ) v                                                         (2)
//!     midpoint:   M̃ = M(q̃),   f̃ = f(q̃, v̄),   q̃ = q ⊕ θ h v̄                                        (3)
//!     ends:       M̃ = M(q⁺),   f̃ = θ f(q⁺, v⁺) + (1 − θ) f(q, v)                                     (4)
//! ```
//!
//! `moreau` is the method of Moreau and Jean [Moreau1988; Jean1999]. Moreau takes inertia and forces at one
//! point of the step, (3), which at θ = ½ is the implicit midpoint rule: symmetric in time, and of the second
//! order; the energy wanders little. Jean's form (4), which other programs have, takes them at both ends with
//! the mass matrix of the end: of the first order where M changes, and the energy drifts. f̃ is linearised
//! about the velocity w = v first, and Newton's method with M̃ as it is at w repeats this until w settles, or
//! as often as `newton` says; once is the linearly implicit method.
//!
//! The others are the semi-implicit Euler method θ = 1 with M̃ and inertial forces at the start; springs,
//! dampers and servos are taken linearly implicit, where servos reach their limits the limit. In `todorov` M̃
//! is M + B, with B = b diag(M) a damper of h B that is taken implicit, and f loses B v [Todorov2014].
//!
//! What of (1) depends on v⁺ beyond the diagonal is iterated with the contact problem around it, so that the
//! problem stays symmetric; the iteration contracts by h times the rate at which forces of inertia change.
//!
//! Limits and dry friction of joints, couplings and loops are rows as those of `time-stepping`.

mod forces;
mod lasting;
mod laws;
mod least_norm;
mod linkages;
mod slopes;
mod works;

pub(crate) use laws::{Anitescu, Moreau, StewartTrinkle, Todorov};

use super::mechanics::Mechanics;
use super::method::{Method, Published, Shared, Solution};
use super::rows::Rows;
use super::search::{Search, relative_velocity, velocities_into};
use super::unsupported::{Features, UnsupportedByCanon, pressing, refuse_compliant};
use crate::catalogue::StepperEntry;
use crate::params::StepperParams;
use crate::report::{StepReport, StepStatus};
use crate::stepping::attempt::Step;
use crate::stepping::slopes::{NoSlopes, Slopes};
use lasting::Lasting;
use laws::{ContactRows, Held, Rule, ThetaLaw};
use linkages::Linkages;
use std::marker::PhantomData;
use stiction_assembly::consistent::Consistent;
use stiction_assembly::{Bias, BlockKey, ContactPoint, Middle, Posed, Posing, primal};
use stiction_contact::{ContactSolver, SolveReport, SolveStatus};
use stiction_dynamics::spatial::Motion;
use stiction_dynamics::{Factor, integrate_into, motions_into};
use stiction_world::World;

/// Rounds of the iteration around a contact problem, at most.
const ROUNDS: u32 = 60;
/// It ends when velocities change by less, relative to them [–].
const SETTLED: f64 = 1e-14;
/// The change that it may be left with, relative to the velocities [–].
const UNSETTLED: f64 = 1e-9;

/// The θ-method with the contact law L.
pub(crate) struct Theta<L> {
    law: PhantomData<L>,
    rule: Rule,
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
    search: Search,
    /// Contacts of the last step that go on, and per contact of this step what they start with, where they
    /// are held by their mean.
    lasting: Lasting,
    held: Vec<Option<Held>>,
    consistent: Consistent,
    report: SolveReport,
    /// Implicit damping inertia.
    added: Vec<f64>,
    room: Room,
}

/// Vectors of a step.
struct Room {
    v_free: Vec<f64>,
    motions: Vec<Motion>,
    /// Where forces are linearised.
    q_ahead: Vec<f64>,
    w: Vec<f64>,
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

impl<L: ThetaLaw> Published for Theta<L> {
    const ENTRY: &'static StepperEntry = L::ENTRY;
    const SUPPORTS: Features = L::SUPPORTS;

    fn new(world: &World, params: &StepperParams) -> Result<Self, UnsupportedByCanon> {
        let model = &world.model;
        let numbers = || vec![0.0; model.nv()];
        Ok(Self {
            law: PhantomData,
            rule: L::rule(&params.canon),
            own: L::solver(&params.canon)?,
            start: Mechanics::new(world),
            ahead: Mechanics::new(world),
            middle: Mechanics::new(world),
            in_points: pressing(world).is_none(),
            linkages: Linkages::new(world),
            kept: vec![false; model.trees],
            search: Search::new(world)?,
            lasting: Lasting::default(),
            held: Vec::new(),
            consistent: Consistent::default(),
            report: SolveReport { status: SolveStatus::Converged, iterations: 0, residual: 0.0 },
            added: numbers(),
            room: Room {
                v_free: numbers(),
                motions: vec![Motion::ZERO; model.bodies.len()],
                q_ahead: model.neutral(),
                w: numbers(),
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
}

impl<L: ThetaLaw> Method for Theta<L> {
    fn solve(&mut self, step: &Step<'_>, at: &mut Shared, solver: &mut dyn ContactSolver) -> Solution {
        let state = step.start;
        let mut own = self.own.take();
        let solved = match &mut own {
            Some(own) => self.solve_by(step, at, own.as_mut()),
            None => refuse_compliant(L::ENTRY.name, solver).and_then(|()| self.solve_by(step, at, solver)),
        };
        self.own = own;
        solved?;
        let (theta, scratch) = (self.rule.theta, &mut self.room.scratch);
        scratch.clear();
        scratch.extend(state.v.iter().zip(&at.v).map(|(v, next)| theta * next + (1.0 - theta) * v));
        integrate_into(&step.world.model, &state.q, scratch, step.h, &mut at.q); // (2)
        at.check()?;
        let ledger = Some(Box::new(self.ledger(step, at)));
        self.remember(step.h, at);
        let SolveReport { status, iterations, residual } = self.report;
        let status = StepStatus::from(status);
        Ok(StepReport { status, iterations, residual, ledger, ..StepReport::of_part() })
    }

    fn jacobian(&mut self, step: &Step<'_>, at: &mut Shared) -> Result<Slopes, NoSlopes> {
        self.differentiate(step, at)
    }

    fn mechanics(&mut self) -> Vec<&mut Mechanics> {
        vec![&mut self.start, &mut self.ahead, &mut self.middle]
    }

    fn searches(&mut self) -> Vec<&mut Search> {
        vec![&mut self.search]
    }

    fn rule_of_choice(&self) -> Option<&'static str> {
        self.own.as_ref().map(|own| own.rule_of_choice())
    }

    fn forget(&mut self) {
        if let Some(own) = &mut self.own {
            own.forget();
        }
    }
}

impl<L: ThetaLaw> Theta<L> {
    /// Whether contacts are those of the middle of the step: by the midpoint rule, unless loops hold what
    /// they tie where the step starts, or surfaces press by their overlap.
    fn by_middle(&self) -> bool {
        self.rule.midpoint && self.in_points && !self.linkages.any
    }

    /// Solves (1).
    fn solve_by(
        &mut self,
        step: &Step<'_>,
        at: &mut Shared,
        solver: &mut dyn ContactSolver,
    ) -> Result<(), String> {
        let Step { world, input, start: state, h } = *step;
        let here = (&state.q[..], &state.v[..]);
        self.start.look(world, here.0, here.1);
        self.start.find_forces(world, here, &input.control);
        self.start.find_mass(world);
        self.room.w.copy_from_slice(&state.v);
        if self.rule.midpoint {
            integrate_into(&world.model, &state.q, &state.v, 0.5 * h, &mut self.room.q_ahead);
            self.middle.look(world, &self.room.q_ahead, &state.v);
            self.linkages.find(&at.warm, &self.kept);
        }
        self.lasting.find(&at.warm);
        self.report = SolveReport { status: SolveStatus::Converged, iterations: 0, residual: 0.0 };
        for round in 0..self.rule.rounds {
            if round > 0 {
                let (w, v_next) = (&mut self.room.w, &at.v);
                let size = v_next.iter().fold(0.0_f64, |size, v| size.max(v.abs()));
                let moved = w.iter().zip(v_next).fold(0.0_f64, |most, (w, v)| most.max((v - w).abs()));
                if moved <= SETTLED * size {
                    break;
                }
                w.copy_from_slice(v_next);
            }
            self.linearise(step);
            loop {
                self.find_base(step, at)?;
                if round == 0 {
                    self.find_contacts(step, at);
                }
                self.pose(step, at, solver)?;
                self.iterate(step, at, solver)?;
                let touched = self.linkages.hold_touched(&at.rows.posed, &at.rows.impulses);
                if !touched && !self.reaches_limits(step, at) {
                    break;
                }
            }
        }
        if self.rule.lasts {
            least_norm::take(&at.rows.posed, state.v.len(), &mut at.rows.impulses)?;
        }
        self.hide_regularization(h, at);
        self.set_free_velocities(&mut at.rows.posed);
        Ok(())
    }

    /// Contacts at the start, as the law wants them.
    fn find_contacts(&mut self, step: &Step<'_>, at: &mut Shared) {
        let Step { world, h, .. } = *step;
        self.find_free(0.0, &at.rows.factor);
        let in_middle = self.by_middle();
        let Self { start, middle, search, lasting, held, room, .. } = self;
        let Shared { params, points, .. } = at;
        let motions = if self.rule.lasts {
            &start.vel.V
        } else {
            motions_into(&world.model, &start.kin, &room.v_free, &mut room.motions);
            &room.motions
        };
        let fastest = motions.iter().fold(0.0, |most: f64, V| most.max(V.linear.norm() + V.angular.norm()));
        let ahead = (h, L::margin(params, h * fastest));
        search.find(world, &start.kin, motions, ahead, points);
        let of_body = |body: Option<usize>| {
            body.map_or(0.0, |b| start.vel.V[b].linear.norm() + start.vel.V[b].angular.norm())
        };
        held.clear();
        points.retain(|c| {
            let velocity = relative_velocity(&start.kin, &start.vel, c);
            let opening = c.n.dot(velocity);
            let way = h * c.bodies.map(of_body).iter().sum::<f64>();
            let lasts = lasting.has(c, way.max(params.canon.moreau.touch));
            let takes = lasts || L::takes(&params.canon, c, opening, h);
            if takes {
                held.push(lasts.then_some(Held { velocity, opening }));
            }
            takes
        });
        if !in_middle {
            held.fill(None);
        }
        if in_middle && !points.is_empty() {
            // Who takes part is known at the start; where it touches is that of the middle.
            let mut there = Vec::new();
            search.find(world, &middle.kin, motions, ahead, &mut there);
            for c in points {
                let same = |m: &&ContactPoint| m.geometries == c.geometries && m.feature == c.feature;
                if let Some(m) = there.iter().find(same) {
                    (c.position, c.n, c.t1, c.t2) = (m.position, m.n, m.t1, m.t2);
                }
            }
        }
    }

    /// v_f, with h θ (∂f/∂v + h θ ∂f/∂q)(v⁺ − w) beyond the diagonal times `share`.
    fn find_free(&mut self, share: f64, factor: &Factor) {
        let Room { v_free, w, base, change, .. } = &mut self.room;
        for ((v_free, base), change) in v_free.iter_mut().zip(&*base).zip(&*change) {
            *v_free = if share == 0.0 { *base } else { base + change };
        }
        factor.solve_in_place(v_free);
        v_free.iter_mut().zip(&*w).for_each(|(v_free, w)| *v_free += w);
    }

    fn pose(&mut self, step: &Step<'_>, at: &mut Shared, solver: &dyn ContactSolver) -> Result<(), String> {
        self.pose_rows(step, at);
        let Rows { posed, impulses, factor, .. } = &mut at.rows;
        impulses.clear();
        impulses.extend_from_slice(at.warm.last());
        posed.jacobian.factor_into(factor, &mut posed.problem);
        posed.find_feedback(&mut self.consistent, &mut self.room.scratch);
        if !solver.needs().delassus_factor {
            posed.problem.form_blocks().map_err(|e| format!("the contact problem: {e}"))?;
        }
        self.write_law(step, at);
        Ok(())
    }

    /// The rows of contacts and joints at v_f.
    fn pose_rows(&mut self, step: &Step<'_>, at: &mut Shared) {
        let Step { world, start: state, h, .. } = *step;
        self.find_free(0.0, &at.rows.factor);
        let in_middle = self.by_middle();
        let Self { rule, start, middle, room, .. } = self;
        let kin = if in_middle { &middle.kin } else { &start.kin };
        motions_into(&world.model, kin, &room.v_free, &mut room.motions);
        let turning = Middle { kin: &self.ahead.kin, q: &room.q_ahead, turning: &self.linkages.turning };
        let Rows { posed, loops, q_of_dof, .. } = &mut at.rows;
        let posing = Posing {
            world,
            kin,
            middle: (rule.midpoint && self.linkages.any).then_some(turning),
            rolling: None,
            q: &state.q,
            v: &state.v,
            free_velocity: &room.v_free,
            free_motions: &room.motions,
            params: at.params.rows(h, &world.model.gravity),
            implicit_forces: &[],
            q_of_dof,
            loops,
            compliance: None,
        };
        posing.pose_into(&at.points, &mut at.warm, posed);
    }

    /// Lets the law write the rows of contacts that do not yield: g of these without J v_f, and R. Those of
    /// other rows stay.
    fn write_law(&mut self, step: &Step<'_>, at: &mut Shared) {
        let Room { v_free, offsets, along, before, .. } = &mut self.room;
        let (canon, Rows { posed, factor, .. }) = (&at.params.canon, &mut at.rows);
        velocities_into(posed, v_free, along);
        offsets.clear();
        offsets.extend(posed.problem.free_velocity.iter().zip(&*along).map(|(g, c)| g - c));
        velocities_into(posed, &step.start.v, before);
        for block in 0..posed.blocks.len() {
            let BlockKey::Contact(c) = posed.blocks[block].key else { continue };
            let point = &at.points[c];
            if point.spring.is_some() {
                continue;
            }
            let (rows, normal) = (posed.problem.range(block), posed.normal_row(block));
            let (free, held) = (posed.blocks[block].bias.free, self.held[c]);
            offsets[rows.clone()].fill(0.0);
            let contact = ContactRows { point, held, rows: rows.clone(), normal, free, before, h: step.h };
            let bias = L::write(canon, &contact, offsets);
            offsets[normal] = bias.turn + bias.gap + bias.restitution;
            posed.blocks[block].bias = bias;
            if let Some(share) = L::regularization(canon) {
                rows.for_each(|r| posed.problem.compliance[r] = share * diagonal(posed, factor, r));
            }
        }
    }

    /// Takes back what is not part of the exact law, before the judge sees the problem: R, and all of g but
    /// open gaps.
    fn hide_regularization(&mut self, h: f64, at: &mut Shared) {
        let Shared { params, points, rows, .. } = at;
        if L::regularization(&params.canon).is_none() {
            return;
        }
        let (posed, offsets) = (&mut rows.posed, &mut self.room.offsets);
        for block in 0..posed.blocks.len() {
            let BlockKey::Contact(c) = posed.blocks[block].key else { continue };
            if points[c].spring.is_some() {
                continue;
            }
            let (rows, normal) = (posed.problem.range(block), posed.normal_row(block));
            offsets[rows.clone()].fill(0.0);
            posed.problem.compliance[rows].fill(0.0);
            offsets[normal] = points[c].gap.max(0.0) / h;
            let free = posed.blocks[block].bias.free;
            posed.blocks[block].bias = Bias { free, gap: offsets[normal], ..Bias::default() };
        }
    }

    /// g = J v_f and the offsets, in the problem and its blocks.
    fn set_free_velocities(&mut self, posed: &mut Posed) {
        let Room { v_free, along, offsets, .. } = &mut self.room;
        velocities_into(posed, v_free, along);
        for (g, (along, offset)) in posed.problem.free_velocity.iter_mut().zip(along.iter().zip(&*offsets)) {
            *g = along + offset;
        }
        for block in 0..posed.blocks.len() {
            let normal = posed.normal_row(block);
            posed.blocks[block].bias.free = along[normal];
        }
    }

    /// λ and v⁺ of the linearised step.
    fn iterate(
        &mut self,
        step: &Step<'_>,
        at: &mut Shared,
        solver: &mut dyn ContactSolver,
    ) -> Result<(), String> {
        let (mut iterations, mut last) = (0, f64::INFINITY);
        for round in 0.. {
            self.find_free(if round == 0 { 0.0 } else { 1.0 }, &at.rows.factor);
            self.set_free_velocities(&mut at.rows.posed);
            let Rows { posed, impulses, mass, factor, .. } = &mut at.rows;
            if solver.needs().primal {
                let mut primal = posed.problem.primal.take().unwrap_or_default();
                primal::write_primal(mass, posed, &self.room.v_free, &mut primal);
                posed.problem.primal = Some(primal);
            }
            if !posed.problem.is_empty() {
                let report = solver.solve(&posed.problem, impulses);
                if report.status == SolveStatus::NumericalFailure {
                    return Err(format!("{}: a number stopped being finite", solver.name()));
                }
                iterations += report.iterations;
                self.report = SolveReport { iterations, ..report };
            }
            let (Room { v_free, scratch, .. }, v_next) = (&mut self.room, &mut at.v);
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
            if settled || !self.find_change(step, &at.v) {
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

/// J_r M̂⁻¹ J_rᵀ of row r.
fn diagonal(posed: &Posed, factor: &Factor, r: usize) -> f64 {
    let mut unit = vec![0.0; posed.problem.rows()];
    unit[r] = 1.0;
    let mut column = vec![0.0; factor.inverse_diagonal().len()];
    posed.jacobian.add_impulses_into(posed.problem.row_start(), &unit, &mut column);
    let row = column.clone();
    factor.solve_in_place(&mut column);
    row.iter().zip(&column).map(|(a, b)| a * b).sum()
}
