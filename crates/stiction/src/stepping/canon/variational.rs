//! `variational`: the midpoint rule of discrete mechanics, with impacts between its steps.
//!
//! ```text
//!     L_d(q₀, q₁) = h L(q̄, w),   q̄ = (q₀ + q₁)/2,   w = (q₁ − q₀)/h                                (1)
//!     p₀  =  M(q̄) w − ½ h (∂L/∂q + f)(q̄, w)          solved for w                                    (2)
//!     p₁⁻ =  M(q̄) w + ½ h (∂L/∂q + f)(q̄, w)                                                        (3)
//!     p₁  =  p₁⁻ + Jᵀ λ,   v₁ = M(q₁)⁻¹ p₁                                                           (4)
//! ```
//!
//! [MarsdenWest2001]. Without f and contacts (2) and (3) are a canonical transformation: energy swings about
//! its value and does not drift, however many steps. ∂L/∂q is Cᵀ w less gravity, with the Coriolis matrix for
//! which Ṁ = C + Cᵀ. In (4) λ is the exact law's, with Newton's restitution, of contacts and stops that touch
//! at q₁, as at an impact of `time-stepping`; nothing else of a step sees them, and what overlaps there
//! stays.
//!
//! What the rule does to the energy is told from what it is: with T̄(p) = ½ pᵀ M(q̄)⁻¹ p, of whose change (2)
//! and (3) make h w · (∂L/∂q + f),
//!
//! ```text
//!     W_integrator = T(q₁, p₁⁻) − T̄(p₁⁻) − T(q₀, p₀) + T̄(p₀) + h w · ∂L/∂q + ΔU                     (5)
//! ```
//!
//! Ball and free joints, whose coordinates do not add up, dry friction of joints, loops and couplings are
//! refused.

use super::ended::{add_changes, works_of_rows};
use super::mechanics::Mechanics;
use super::method::{Method, Published, Shared, Solution};
use super::rows::Approach;
use super::search::Search;
use super::unsupported::{Features, UnsupportedByCanon, refuse_compliant};
use crate::catalogue::{StepperEntry, entry};
use crate::energy_ledger::EnergyLedger;
use crate::input::Input;
use crate::params::StepperParams;
use crate::report::{StepReport, StepStatus};
use crate::stepping::attempt::Step;
use crate::stepping::slopes::{NoSlopes, Slopes};
use stiction_contact::ContactSolver;
use stiction_dynamics::{ColumnRates, CoriolisMatrix, Factor, MassMatrix};
use stiction_world::World;

/// Newton iterations of (2), at most.
const ITERATIONS: u32 = 100;
/// They end when w changes by less, relative to its size [–].
const SETTLED: f64 = 1e-15;
/// The change that they may be left with [–].
const UNSETTLED: f64 = 1e-10;
/// A contact touches up to this gap [m].
const TOUCH: f64 = 1e-12;

/// The method.
pub(crate) struct Variational {
    start: Mechanics,
    middle: Mechanics,
    end: Mechanics,
    rates: ColumnRates,
    coriolis: CoriolisMatrix,
    mass: MassMatrix,
    factor: Factor,
    search: Search,
    q_middle: Vec<f64>,
    w: Vec<f64>,
}

impl Published for Variational {
    const ENTRY: &'static StepperEntry = entry("variational");
    const SUPPORTS: Features = Features { restitution: true, ..Features::TREES };

    fn new(world: &World, _: &StepperParams) -> Result<Self, UnsupportedByCanon> {
        let model = &world.model;
        Ok(Self {
            start: Mechanics::new(world),
            middle: Mechanics::new(world),
            end: Mechanics::new(world),
            rates: ColumnRates::new(model),
            coriolis: CoriolisMatrix::new(model),
            mass: MassMatrix::new(model),
            factor: Factor::new(model),
            search: Search::new(world)?,
            q_middle: model.neutral(),
            w: vec![0.0; model.nv()],
        })
    }
}

impl Method for Variational {
    fn solve(&mut self, step: &Step<'_>, at: &mut Shared, solver: &mut dyn ContactSolver) -> Solution {
        let Step { world, input, start: state, h } = *step;
        let n = state.v.len();
        refuse_compliant(Self::ENTRY.name, solver)?;
        self.start.look(world, &state.q, &state.v);
        self.start.find_mass(world);
        let before = self.start.energies(world, (&state.q, &state.v));
        let (mut momentum, mut force) = (vec![0.0; n], vec![0.0; n]);
        self.start.mass.mul_into(&state.v, &mut momentum);
        self.find_mean(step, &momentum)?; // (2)
        for (q, (start, w)) in at.q.iter_mut().zip(state.q.iter().zip(&self.w)) {
            *q = start + h * w;
        }
        // (3) at q̄ of this w.
        for (q, (start, w)) in self.q_middle.iter_mut().zip(state.q.iter().zip(&self.w)) {
            *q = start + 0.5 * h * w;
        }
        self.find_force(world, input, &mut force);
        self.middle.mass.mul_into(&self.w, &mut momentum);
        momentum.iter_mut().zip(&force).for_each(|(p, f)| *p += 0.5 * h * f);
        self.end.look(world, &at.q, &state.v);
        at.rows.factor(world, &self.end.kin)?;
        let at_end = momentum.clone();
        at.rows.factor.solve_in_place(&mut momentum);
        let v_free = momentum;
        self.end.look(world, &at.q, &v_free);
        self.search.find_near(world, &self.end.kin, TOUCH, &mut at.points);
        at.points.retain(|c| c.gap <= TOUCH && c.spring.is_none());
        let params = at.params.rows(h, &world.model.gravity).at_instant(TOUCH);
        let here = Approach { q: &at.q, v: &v_free, v_free: &v_free };
        let blocks = !solver.needs().delassus_factor;
        at.rows.pose(world, (&self.end.kin, &at.points), here, params, blocks)?;
        at.v.copy_from_slice(&v_free);
        let status = at.rows.solve(solver, &mut at.v)?;
        at.check()?;
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
        self.end.look(world, &at.q, &v_free);
        let [kinetic, ..] = self.end.energies(world, (&at.q, &v_free));
        let (mut ledger, carried) = self.ledger(step, at, before, &v_free);
        // (5), with the forces of springs, whose energy is part of U.
        let f = &self.middle.forces;
        let pushed: f64 = (0..n)
            .map(|i| {
                let given = input.generalized.get(i).copied().unwrap_or(0.0);
                h * self.w[i] * (force[i] - f.actuators[i] - f.damping[i] - given)
            })
            .sum();
        ledger.integrator = (kinetic - swing[1]) - (before[0] - swing[0])
            + (pushed - carried + ledger.gravity + ledger.springs);
        at.efforts.copy_from_slice(&self.middle.forces.efforts);
        let ledger = Some(Box::new(ledger));
        Ok(StepReport { status: StepStatus::from(status), ledger, ..StepReport::of_part() })
    }

    fn jacobian(&mut self, _: &Step<'_>, _: &mut Shared) -> Result<Slopes, NoSlopes> {
        Err(NoSlopes::Unsupported(
            "the impacts within it are solved one after another, at instants that are roots",
        ))
    }

    fn mechanics(&mut self) -> Vec<&mut Mechanics> {
        vec![&mut self.start, &mut self.middle, &mut self.end]
    }

    fn searches(&mut self) -> Vec<&mut Search> {
        vec![&mut self.search]
    }
}

impl Variational {
    /// ∂L/∂q and f at q̄ and w, added.
    fn find_force(&mut self, world: &World, input: &Input, out: &mut [f64]) {
        let Self { middle, rates, coriolis, q_middle, w, .. } = self;
        middle.look(world, q_middle, w);
        middle.find_mass(world);
        middle.find_forces(world, (q_middle, w), &input.control);
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

    /// (2): w, from the momentum p₀.
    fn find_mean(&mut self, step: &Step<'_>, momentum: &[f64]) -> Result<(), String> {
        let (Step { world, input, start: state, h }, n) = (*step, momentum.len());
        let (mut force, mut moved) = (vec![0.0; n], vec![0.0; n]);
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
                let gain = 0.5 * h * (self.middle.dampers[i] + 0.5 * h * self.middle.springs[i]);
                self.mass.add_diagonal(i, gain);
                moved[i] = momentum[i] + 0.5 * h * force[i] - moved[i];
            }
            self.factor.factor(&self.mass).map_err(|e| format!("the mass matrix: {e}"))?;
            self.factor.solve_in_place(&mut moved);
            self.w.iter_mut().zip(&moved).for_each(|(w, change)| *w += change);
            let size = |x: &[f64]| x.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
            let change = size(&moved) / size(&self.w).max(1e-12);
            if change <= SETTLED || change >= left && change <= UNSETTLED {
                return Ok(());
            }
            left = change;
        }
        if left > UNSETTLED {
            return Err(format!(
                "the step of discrete mechanics does not converge; a smaller h than {h} s may"
            ));
        }
        Ok(())
    }

    /// The ledger, with works of forces h w · f; those of impulses are exact. The work of what carries weight
    /// comes beside it [J].
    fn ledger(
        &mut self,
        step: &Step<'_>,
        at: &Shared,
        before: [f64; 4],
        v_free: &[f64],
    ) -> (EnergyLedger, f64) {
        let Step { world, input, h, .. } = *step;
        let mut ledger = works_of_rows(&at.rows.posed, &at.rows.impulses, v_free, &at.v);
        let f = &self.middle.forces;
        for (i, w) in self.w.iter().enumerate() {
            ledger.actuators += h * w * f.actuators[i];
            ledger.damping += h * w * f.damping[i];
            ledger.applied += h * w * input.generalized.get(i).copied().unwrap_or(0.0);
        }
        self.end.look(world, &at.q, &at.v);
        let after = self.end.energies(world, (&at.q, &at.v));
        let carried = add_changes(&mut ledger, before, after);
        (ledger, carried)
    }
}
