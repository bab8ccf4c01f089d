//! `compliant`: contacts as springs and dampers, integrated as a differential equation with error control.
//!
//! ```text
//!     q̇ = v,   M v̇ = f(q, v) + Σ Jᵀ f_c(φ, J v)                                                  (1)
//! ```
//!
//! f_c is [`super::spring_law`]; positions are those of [`super::chart`] about the start of the step, and the works of seven causes are
//! integrated beside them for the ledger. What the method of integration does to the energy is [`super::ode::defect`]. Contact points are found anew at every evaluation. Stops of joints are springs of the
//! same stiffness and dissipation; dry friction of joints is regularised as that of contacts, at the same slip in rad/s or m/s.
//!
//! The implicit method reads the Jacobian of (1) from the derivatives of inverse dynamics and of the contact law; what of it
//! depends on how M⁻¹, J and contact points turn is left out, which costs iterations alone.

use super::chart;
use super::ended::{add_changes, end};
use super::judged::{Judged, add_forces};
use super::mechanics::{Gains, Mechanics};
use super::ode::defect::energy_made;
use super::ode::{Dense, Integrator, System, Tolerance};
use super::search::{Search, relative_velocity};
use super::spring_law;
use super::unsupported::{UnsupportedByCanon, refuse_bound};
use crate::canon_params::CompliantParams;
use crate::energy_ledger::EnergyLedger;
use crate::input::Input;
use crate::params::StepperParams;
use crate::report::StepReport;
use crate::state::State;
use crate::stepping::Stepper;
use crate::stepping::attempt::{Attempt, Part};
use crate::stepping::contact_source::ContactSource;
use crate::stepping::memory::Memory;
use crate::stepping::slopes::{NoSlopes, Slopes};
use stiction_assembly::{ContactPoint, Posed};
use stiction_contact::ContactSolver;
use stiction_dynamics::spatial::{Motion, Vec3};
use stiction_dynamics::{Factor, integrate_into};
use stiction_models::World;

/// Works that are integrated: of actuators, given forces, dampers, normal forces, friction, stops, dry friction.
const WORKS: usize = 7;

/// The stepper.
pub(crate) struct Compliant {
    params: StepperParams,
    force: ForceLaw,
    integrator: Integrator,
    judged: Judged,
    start: Mechanics,
    y: Vec<f64>,
    q_next: Vec<f64>,
    ledger: EnergyLedger,
}

/// The evaluation of (1), with its scratch.
struct ForceLaw {
    params: CompliantParams,
    at: Mechanics,
    gains: Gains,
    search: Search,
    still: Vec<Motion>,
    factor: Factor,
    q: Vec<f64>,
    tau: Vec<f64>,
    forces: Vec<Vec3>,
    /// Per dof: the force of stops and of dry friction.
    stops: Vec<f64>,
    dry: Vec<f64>,
}

/// (1) of one step.
struct Motions<'a> {
    world: &'a World,
    q_start: &'a [f64],
    input: &'a Input,
    law: &'a mut ForceLaw,
}

impl Compliant {
    /// For `world`; the parameters must be valid.
    pub(crate) fn new(world: &World, params: StepperParams) -> Result<Self, UnsupportedByCanon> {
        refuse_bound(world, "compliant")?;
        let model = &world.model;
        let numbers = || vec![0.0; model.nv()];
        let gains = Gains::new(world);
        let own = params.canon.compliant;
        let tolerance = Tolerance { relative: own.relative_tolerance, absolute: own.absolute_tolerance };
        Ok(Self {
            integrator: Integrator::new(own.method, tolerance),
            judged: Judged::new(world, gains.q_of_dof.clone()),
            start: Mechanics::new(world),
            y: vec![0.0; 2 * model.nv() + WORKS],
            q_next: model.neutral(),
            ledger: EnergyLedger::default(),
            force: ForceLaw {
                params: own,
                at: Mechanics::new(world),
                gains,
                search: Search::new(world)?,
                still: vec![Motion::ZERO; model.bodies.len()],
                factor: Factor::new(model),
                q: model.neutral(),
                tau: numbers(),
                forces: Vec::new(),
                stops: numbers(),
                dry: numbers(),
            },
            params,
        })
    }

    fn solve_step(
        &mut self,
        world: &World,
        state: &State,
        input: &Input,
        h: f64,
        solver: &dyn ContactSolver,
    ) -> Result<u32, String> {
        let n = state.v.len();
        self.start.look(world, &state.q, &state.v);
        let before = self.start.energies(world, (&state.q, &state.v));
        self.y.fill(0.0);
        self.y[n..2 * n].copy_from_slice(&state.v);
        let mut motions = Motions { world, q_start: &state.q, input, law: &mut self.force };
        let mut integrator = 0.0;
        let mut watch = |system: &mut dyn System, dense: &Dense| {
            integrator += energy_made(system, dense, 1.0, WORKS)?;
            Ok(None)
        };
        let (_, steps) = self.integrator.run(&mut motions, (0.0, h), &mut self.y, &mut watch)?;
        let (delta, rest) = self.y.split_at(n);
        let (v, works) = rest.split_at(n);
        integrate_into(&world.model, &state.q, delta, 1.0, &mut self.q_next);
        self.force.find_contacts(world, &self.q_next, v, self.params.margin);
        let law = &self.force;
        let at_end = (&law.at.kin, &law.search);
        let here = (&self.q_next[..], v);
        self.judged.pose(world, at_end, here, (&self.params, h), (&law.forces, &[], solver.needs()))?;
        let after = self.force.at.energies(world, here);
        let [actuators, applied, damping, normal, friction, limits, joint_friction] =
            std::array::from_fn(|k| works[k]);
        self.ledger = EnergyLedger {
            actuators,
            applied,
            damping,
            normal,
            friction,
            limits,
            joint_friction,
            integrator,
            ..EnergyLedger::default()
        };
        add_changes(&mut self.ledger, before, after);
        Ok(steps)
    }
}

impl ForceLaw {
    /// Kinematics, contact points within `margin` and their forces, at q and v.
    fn find_contacts(&mut self, world: &World, q: &[f64], v: &[f64], margin: f64) {
        self.at.look(world, q, v);
        self.search.find_compliant(world, &self.at.kin, &self.still, margin);
        self.forces.clear();
        for c in &self.search.points {
            let velocity = relative_velocity(&self.at.kin, &self.at.vel, c);
            self.forces.push(spring_law::force(&self.params, c, velocity));
        }
    }

    /// Stops and dry friction of joints, as forces on the dofs.
    fn find_joint_forces(&mut self, world: &World, q: &[f64], v: &[f64]) {
        let CompliantParams { stiffness, dissipation, slip_speed, .. } = self.params;
        self.stops.fill(0.0);
        for joint in &world.model.joints {
            let (Some([lo, hi]), true) = (joint.limit, joint.kind.nv() == 1) else { continue };
            let (q, v) = (q[joint.idx_q], v[joint.idx_v]);
            let (depth, sign) = if q < lo { (lo - q, 1.0) } else { ((q - hi).max(0.0), -1.0) };
            let share = (1.0 - dissipation * sign * v).max(0.0);
            self.stops[joint.idx_v] = sign * stiffness * depth * share;
        }
        for (i, dof) in world.model.dofs.iter().enumerate() {
            self.dry[i] = -dof.friction * (v[i] / slip_speed).clamp(-1.0, 1.0);
        }
    }
}

impl System for Motions<'_> {
    fn rate(&mut self, _: f64, y: &[f64], out: &mut [f64]) -> Result<(), String> {
        let Self { world, q_start, input, law } = self;
        let n = law.tau.len();
        let (delta, rest) = y.split_at(n);
        let v = &rest[..n];
        let mut q = std::mem::take(&mut law.q);
        integrate_into(&world.model, q_start, delta, 1.0, &mut q);
        law.find_contacts(world, &q, v, 0.0);
        law.at.find_forces(world, (&q, v), &input.control, &law.gains.q_of_dof);
        law.find_joint_forces(world, &q, v);
        law.q = q;
        law.at.find_mass(world);
        law.factor.factor(&law.at.mass).map_err(|e| format!("the mass matrix: {e}"))?;
        let ForceLaw { at, tau, search, forces, stops, dry, factor, .. } = &mut **law;
        let by = &at.forces;
        let mut works = [0.0; WORKS];
        for i in 0..n {
            let given = input.generalized.get(i).copied().unwrap_or(0.0);
            tau[i] = by.inertial[i] + by.springs[i] + by.damping[i] + by.actuators[i] + given;
            tau[i] += stops[i] + dry[i];
            for (work, force) in [(0, by.actuators[i]), (1, given), (2, by.damping[i])] {
                works[work] += v[i] * force;
            }
            works[5] += v[i] * stops[i];
            works[6] += v[i] * dry[i];
        }
        for (c, force) in search.points.iter().zip(&*forces) {
            let velocity = relative_velocity(&at.kin, &at.vel, c);
            let normal = c.n * c.n.dot(*force);
            works[3] += velocity.dot(normal);
            works[4] += velocity.dot(*force - normal);
        }
        add_forces(world, &at.kin, &search.points, forces, 1.0, tau);
        factor.solve_in_place(tau);
        let (rate, rest) = out.split_at_mut(n);
        let (acceleration, power) = rest.split_at_mut(n);
        chart::rate_into(&world.model, delta, v, rate);
        acceleration.copy_from_slice(tau);
        power.copy_from_slice(&works);
        Ok(())
    }

    fn energy(&mut self, moving: &[f64]) -> f64 {
        let Self { world, q_start, law, .. } = self;
        law.at.energy_in_chart(world, q_start, moving)
    }

    fn jacobian(&mut self, t: f64, y: &[f64], out: &mut [f64]) -> Result<(), String> {
        let (n, all) = (self.law.tau.len(), y.len());
        let mut rate = vec![0.0; all];
        self.rate(t, y, &mut rate)?;
        let v = &y[n..2 * n];
        out.fill(0.0);
        let Self { world, law, .. } = self;
        let ForceLaw { params, at, gains, search, factor, stops, dry, .. } = &mut **law;
        let Gains { springs, dampers, .. } = &*gains;
        at.find_derivatives(world, v);
        let slope = |c: &ContactPoint| spring_law::gains(params, c, relative_velocity(&at.kin, &at.vel, c));
        let slopes: Vec<[f64; 3]> = search.points.iter().map(slope).collect();
        let (mut of_q, mut of_v, mut unit) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
        for column in 0..n {
            unit.fill(0.0);
            unit[column] = 1.0;
            at.inertial_change_into([1.0, 0.0], &unit, &mut of_v);
            at.inertial_change_into([0.0, 1.0], &unit, &mut of_q);
            of_v[column] -= dampers[column];
            of_q[column] -= springs[column];
            let at_limit = &at.forces.at_limit;
            Gains::add_actuator_change(world, at_limit, [1.0, 0.0], &unit, &mut of_v);
            Gains::add_actuator_change(world, at_limit, [0.0, 1.0], &unit, &mut of_q);
            if stops[column] != 0.0 {
                of_q[column] -= params.stiffness;
                of_v[column] -= stops[column].abs() * params.dissipation;
            }
            let friction = world.model.dofs[column].friction;
            if dry[column].abs() < friction {
                of_v[column] -= friction / params.slip_speed;
            }
            at.vel.update(&world.model, &at.kin, &unit);
            let (mut by_q, mut by_v) = (Vec::new(), Vec::new());
            for (c, [k, d, slip]) in search.points.iter().zip(&slopes) {
                let moved = relative_velocity(&at.kin, &at.vel, c);
                let along = c.n.dot(moved);
                by_q.push(c.n * (-k * along));
                by_v.push(c.n * (-d * along) - (moved - c.n * along) * *slip);
            }
            add_forces(world, &at.kin, &search.points, &by_q, 1.0, &mut of_q);
            add_forces(world, &at.kin, &search.points, &by_v, 1.0, &mut of_v);
            factor.solve_in_place(&mut of_q);
            factor.solve_in_place(&mut of_v);
            out[column * all + n + column] = 1.0;
            for i in 0..n {
                out[(n + i) * all + column] = of_q[i];
                out[(n + i) * all + n + column] = of_v[i];
            }
        }
        Ok(())
    }
}

impl Stepper for Compliant {
    fn name(&self) -> &'static str {
        "compliant"
    }

    fn attempt(&mut self, part: &Part<'_>, state: &mut State, solver: &mut dyn ContactSolver) -> Attempt {
        let steps = match self.solve_step(part.world, state, part.input, part.h, solver) {
            Ok(steps) => steps,
            Err(cause) => {
                self.integrator.forget();
                return Attempt::Failed(cause.into());
            }
        };
        let n = state.v.len();
        let report = StepReport { iterations: steps, parts: 1, ..StepReport::default() };
        let to = (&self.q_next[..], &self.y[n..2 * n]);
        Attempt::Done(end(state, part.h, to, (&self.judged.points, self.ledger), report))
    }

    fn posed(&self) -> &Posed {
        &self.judged.rows.posed
    }

    fn impulses(&self) -> &[f64] {
        &self.judged.rows.impulses
    }

    fn contacts(&self) -> &[ContactPoint] {
        &self.judged.points
    }

    fn efforts_into(&self, _: &World, out: &mut Vec<f64>) {
        out.clear();
        out.extend_from_slice(&self.force.at.forces.efforts);
    }

    fn memory_into(&self, out: &mut Memory) {
        *out = Memory { saturated: vec![false; self.force.at.forces.efforts.len()], ..Memory::default() };
        out.substep = Some(self.integrator.next_step());
    }

    fn restore(&mut self, memory: &Memory) {
        self.integrator.set_next_step(memory.substep.unwrap_or(0.0));
    }

    fn forget(&mut self) {
        self.integrator.forget();
    }

    fn take_numbers(&mut self, world: &World) {
        self.start.take_numbers(world);
        self.force.at.take_numbers(world);
        self.force.gains = Gains::new(world);
        self.force.search.finder.take_surfaces(world);
    }

    fn add_contact_source(&mut self, source: Box<dyn ContactSource>) -> bool {
        self.force.search.sources.push(source);
        true
    }

    fn slopes(&mut self, _: &World, _: &State, _: &Input, _: f64) -> Result<Slopes, NoSlopes> {
        Err(NoSlopes::Unsupported("its stages are chosen by error control"))
    }

    fn clear_problem(&mut self) {
        self.judged.clear();
    }
}
