//! `variational`: the midpoint rule of discrete mechanics, with impacts between its steps.
//!
//! ```text
//!     L_d(q₀, q₁) = h L(q̄, w),   q̄ = (q₀ + q₁)/2,   w = (q₁ − q₀)/h                                (1)
//!     p₀  =  M(q̄) w − ½ h (∂L/∂q + f)(q̄, w)          solved for w                                    (2)
//!     p₁⁻ =  M(q̄) w + ½ h (∂L/∂q + f)(q̄, w)                                                        (3)
//!     p₁  =  p₁⁻ + Jᵀ λ,   v₁ = M(q₁)⁻¹ p₁                                                           (4)
//! ```
//!
//! [MarsdenWest2001]. Without f and contacts (2) and (3) are a canonical transformation: energy swings about its value and does
//! not drift, however many steps. ∂L/∂q is Cᵀ w less gravity, with the Coriolis matrix for which Ṁ = C + Cᵀ. In (4) λ is the
//! exact law's, with Newton's restitution, of contacts and stops that touch at q₁, as at an impact of `time-stepping`; nothing
//! else of a step sees them, and what overlaps there stays.
//!
//! What the rule does to the energy is told from what it is: with T̄(p) = ½ pᵀ M(q̄)⁻¹ p, of whose change (2) and (3) make h w · (∂L/∂q + f),
//!
//! ```text
//!     W_integrator = T(q₁, p₁⁻) − T̄(p₁⁻) − T(q₀, p₀) + T̄(p₀) + h w · ∂L/∂q + ΔU                     (5)
//! ```
//!
//! Ball and free joints, whose coordinates do not add up, dry friction of joints, loops and couplings are refused.

use super::ended::{add_changes, end, works_of_rows};
use super::mechanics::{Gains, Mechanics};
use super::rows::Rows;
use super::search::Search;
use super::unsupported::{UnsupportedByCanon, refuse_angles, refuse_bound, refuse_dry, refuse_pressure};
use crate::energy_ledger::EnergyLedger;
use crate::input::Input;
use crate::params::StepperParams;
use crate::report::{StepReport, StepStatus};
use crate::state::State;
use crate::stepping::Stepper;
use crate::stepping::attempt::{Attempt, Part};
use crate::stepping::contact_source::ContactSource;
use crate::stepping::memory::Memory;
use crate::stepping::slopes::{NoSlopes, Slopes};
use stiction_assembly::{ContactPoint, Posed};
use stiction_contact::{ContactSolver, SolveStatus};
use stiction_dynamics::spatial::Motion;
use stiction_dynamics::{ColumnRates, CoriolisMatrix, Factor, MassMatrix};
use stiction_models::World;

/// Newton iterations of (2), at most.
const ITERATIONS: u32 = 100;
/// They end when w changes by less, relative to its size [–].
const SETTLED: f64 = 1e-15;
/// The change that they may be left with [–].
const UNSETTLED: f64 = 1e-10;
/// A contact touches up to this gap [m].
const TOUCH: f64 = 1e-12;

/// The stepper.
pub(crate) struct Variational {
    params: StepperParams,
    start: Mechanics,
    middle: Mechanics,
    end: Mechanics,
    gains: Gains,
    rates: ColumnRates,
    coriolis: CoriolisMatrix,
    mass: MassMatrix,
    factor: Factor,
    search: Search,
    still: Vec<Motion>,
    rows: Rows,
    q_middle: Vec<f64>,
    q_next: Vec<f64>,
    w: Vec<f64>,
    v_next: Vec<f64>,
    ledger: EnergyLedger,
}

impl Variational {
    /// For `world`; the parameters must be valid.
    pub(crate) fn new(world: &World, params: StepperParams) -> Result<Self, UnsupportedByCanon> {
        let name = "variational";
        refuse_bound(world, name)?;
        refuse_dry(world, name)?;
        refuse_angles(world, name)?;
        refuse_pressure(world, name)?;
        let model = &world.model;
        let gains = Gains::new(world);
        Ok(Self {
            params,
            start: Mechanics::new(world),
            middle: Mechanics::new(world),
            end: Mechanics::new(world),
            rates: ColumnRates::new(model),
            coriolis: CoriolisMatrix::new(model),
            mass: MassMatrix::new(model),
            factor: Factor::new(model),
            search: Search::new(world)?,
            still: vec![Motion::ZERO; model.bodies.len()],
            rows: Rows::new(world, gains.q_of_dof.clone()),
            gains,
            q_middle: model.neutral(),
            q_next: model.neutral(),
            w: vec![0.0; model.nv()],
            v_next: vec![0.0; model.nv()],
            ledger: EnergyLedger::default(),
        })
    }

    /// ∂L/∂q and f at q̄ and w, added.
    fn find_force(&mut self, world: &World, input: &Input, out: &mut [f64]) {
        let Self { middle, rates, coriolis, q_middle, w, gains, .. } = self;
        middle.look(world, q_middle, w);
        middle.find_mass(world);
        middle.find_forces(world, (q_middle, w), &input.control, &gains.q_of_dof);
        rates.update(&world.model, &middle.kin, &middle.vel, w);
        coriolis.update(&middle.kin, &middle.vel, rates);
        let (n, f) = (w.len(), &middle.forces);
        for (i, out) in out.iter_mut().enumerate() {
            // The inertial force is −C w − g: Cᵀ w − g = it + (C + Cᵀ) w.
            let entries = &coriolis.entries;
            let turned: f64 = (0..n).map(|j| (entries[i * n + j] + entries[j * n + i]) * w[j]).sum();
            let given = input.generalized.get(i).copied().unwrap_or(0.0);
            *out = f.inertial[i] + turned + f.springs[i] + f.damping[i] + f.actuators[i] + given;
        }
    }

    fn solve_step(
        &mut self,
        world: &World,
        state: &State,
        input: &Input,
        h: f64,
        solver: &mut dyn ContactSolver,
    ) -> Result<SolveStatus, String> {
        let n = state.v.len();
        if solver.needs().softness {
            return Err(format!(
                "variational takes contact solvers of rigid laws; {} is one of a compliant law",
                solver.name()
            ));
        }
        self.start.look(world, &state.q, &state.v);
        self.start.find_mass(world);
        let before = self.start.energies(world, (&state.q, &state.v));
        let (mut momentum, mut force, mut moved) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
        self.start.mass.mul_into(&state.v, &mut momentum);
        self.w.copy_from_slice(&state.v);
        let mut left = f64::INFINITY;
        for _ in 0..ITERATIONS {
            for (q, (start, w)) in self.q_middle.iter_mut().zip(state.q.iter().zip(&self.w)) {
                *q = start + 0.5 * h * w;
            }
            self.find_force(world, input, &mut force);
            self.middle.mass.mul_into(&self.w, &mut moved);
            self.mass.set_to(&self.middle.mass);
            for i in 0..n {
                let gain = 0.5 * h * (self.gains.dampers[i] + 0.5 * h * self.gains.springs[i]);
                self.mass.add_diagonal(i, gain);
                moved[i] = momentum[i] + 0.5 * h * force[i] - moved[i];
            }
            self.factor.factor(&self.mass).map_err(|e| format!("the mass matrix: {e}"))?;
            self.factor.solve_in_place(&mut moved);
            self.w.iter_mut().zip(&moved).for_each(|(w, change)| *w += change);
            let size = |x: &[f64]| x.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
            let change = size(&moved) / size(&self.w).max(1e-12);
            if change <= SETTLED || change >= left && change <= UNSETTLED {
                left = 0.0;
                break;
            }
            left = change;
        }
        if left > UNSETTLED {
            return Err(format!(
                "the step of discrete mechanics does not converge; a smaller h than {h} s may"
            ));
        }
        for (q, (start, w)) in self.q_next.iter_mut().zip(state.q.iter().zip(&self.w)) {
            *q = start + h * w;
        }
        // (3) at q̄ of this w.
        for (q, (start, w)) in self.q_middle.iter_mut().zip(state.q.iter().zip(&self.w)) {
            *q = start + 0.5 * h * w;
        }
        self.find_force(world, input, &mut force);
        self.middle.mass.mul_into(&self.w, &mut momentum);
        momentum.iter_mut().zip(&force).for_each(|(p, f)| *p += 0.5 * h * f);
        self.end.look(world, &self.q_next, &state.v);
        self.rows.factor(world, &self.end.kin)?;
        let at_end = momentum.clone();
        self.rows.factor.solve_in_place(&mut momentum);
        let v_free = momentum;
        self.end.look(world, &self.q_next, &v_free);
        self.search.find(world, &self.end.kin, &self.still, (0.0, TOUCH));
        self.search.points.retain(|c| c.gap <= TOUCH && c.spring.is_none());
        let params = self.params.rows(h, &world.model.gravity).at_instant(TOUCH);
        let here = (&self.q_next[..], &v_free[..], &v_free[..]);
        let blocks = !solver.needs().delassus_factor;
        self.rows.pose(world, (&self.end.kin, &self.search.points), here, params, blocks)?;
        self.v_next.copy_from_slice(&v_free);
        let status = self.rows.solve(solver, &mut self.v_next)?;
        if !self.v_next.iter().chain(&self.q_next).all(|x| x.is_finite()) {
            return Err("a number stopped being finite".to_owned());
        }
        self.factor.factor(&self.middle.mass).map_err(|e| format!("the mass matrix: {e}"))?;
        let mut at_start = vec![0.0; n];
        self.start.mass.mul_into(&state.v, &mut at_start);
        // The kinetic energies that the momenta at both ends have with the mass matrix of the middle.
        let with_middle = |p: &[f64]| {
            let mut v = p.to_vec();
            self.factor.solve_in_place(&mut v);
            0.5 * p.iter().zip(&v).map(|(p, v)| p * v).sum::<f64>()
        };
        let swing = [with_middle(&at_start), with_middle(&at_end)];
        self.end.look(world, &self.q_next, &v_free);
        let [kinetic, ..] = self.end.energies(world, (&self.q_next, &v_free));
        let carried = self.keep_ledger(world, input, (before, &v_free), h);
        // (5), with the forces of springs, whose energy is part of U.
        let f = &self.middle.forces;
        let pushed: f64 = (0..n)
            .map(|i| {
                let given = input.generalized.get(i).copied().unwrap_or(0.0);
                h * self.w[i] * (force[i] - f.actuators[i] - f.damping[i] - given)
            })
            .sum();
        let ledger = &mut self.ledger;
        ledger.integrator = (kinetic - swing[1]) - (before[0] - swing[0])
            + (pushed - carried + ledger.gravity + ledger.springs);
        Ok(status)
    }

    /// Works of forces are h w · f; those of impulses are exact. The work of what carries weight is told.
    fn keep_ledger(
        &mut self,
        world: &World,
        input: &Input,
        (before, v_free): ([f64; 4], &[f64]),
        h: f64,
    ) -> f64 {
        let mut ledger = works_of_rows(&self.rows.posed, &self.rows.impulses, v_free, &self.v_next);
        let f = &self.middle.forces;
        for (i, w) in self.w.iter().enumerate() {
            ledger.actuators += h * w * f.actuators[i];
            ledger.damping += h * w * f.damping[i];
            ledger.applied += h * w * input.generalized.get(i).copied().unwrap_or(0.0);
        }
        self.end.look(world, &self.q_next, &self.v_next);
        let after = self.end.energies(world, (&self.q_next, &self.v_next));
        let carried = add_changes(&mut ledger, before, after);
        self.ledger = ledger;
        carried
    }
}

impl Stepper for Variational {
    fn name(&self) -> &'static str {
        "variational"
    }

    fn attempt(&mut self, part: &Part<'_>, state: &mut State, solver: &mut dyn ContactSolver) -> Attempt {
        let status = match self.solve_step(part.world, state, part.input, part.h, solver) {
            Ok(status) => StepStatus::from(status),
            Err(cause) => return Attempt::Failed(cause.into()),
        };
        let report = StepReport { status, parts: 1, ..StepReport::default() };
        let to = (&self.q_next[..], &self.v_next[..]);
        Attempt::Done(end(state, part.h, to, (&self.search.points, self.ledger), report))
    }

    fn posed(&self) -> &Posed {
        &self.rows.posed
    }

    fn impulses(&self) -> &[f64] {
        &self.rows.impulses
    }

    fn contacts(&self) -> &[ContactPoint] {
        &self.search.points
    }

    fn efforts_into(&self, _: &World, out: &mut Vec<f64>) {
        out.clear();
        out.extend_from_slice(&self.middle.forces.efforts);
    }

    fn memory_into(&self, out: &mut Memory) {
        *out = Memory { saturated: vec![false; self.middle.forces.efforts.len()], ..Memory::default() };
    }

    fn restore(&mut self, _: &Memory) {}

    fn forget(&mut self) {}

    fn take_numbers(&mut self, world: &World) {
        for at in [&mut self.start, &mut self.middle, &mut self.end] {
            at.take_numbers(world);
        }
        self.gains = Gains::new(world);
        self.search.finder.take_surfaces(world);
    }

    fn add_contact_source(&mut self, source: Box<dyn ContactSource>) -> bool {
        self.search.sources.push(source);
        true
    }

    fn slopes(&mut self, _: &World, _: &State, _: &Input, _: f64) -> Result<Slopes, NoSlopes> {
        Err(NoSlopes::Unsupported(
            "the impacts within it are solved one after another, at instants that are roots",
        ))
    }

    fn clear_problem(&mut self) {
        self.search.points.clear();
        self.rows.clear();
    }
}
