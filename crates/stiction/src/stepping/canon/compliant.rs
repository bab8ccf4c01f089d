//! `compliant`: contacts as springs and dampers, integrated as a differential equation with error control.
//!
//! ```text
//!     q̇ = v,   M v̇ = f(q, v) + Σ Jᵀ f_c(φ, J v)                                                  (1)
//! ```
//!
//! f_c is [`super::spring_law`]; positions are those of [`super::chart`] about the start of the step, and the
//! works of seven causes are integrated beside them for the ledger. What the method of integration does to
//! the energy is [`super::ode::defect`]. Contact points are found anew at every evaluation. Stops of joints
//! are springs of the same stiffness and dissipation; dry friction of joints is regularised as that of
//! contacts, at the same slip in rad/s or m/s.
//!
//! The implicit method reads the Jacobian of (1) from the derivatives of inverse dynamics and of the contact
//! law; what of it depends on how M⁻¹, J and contact points turn is left out, which costs iterations alone.

use super::chart;
use super::ended::add_changes;
use super::judged::{Given, add_forces};
use super::mechanics::Mechanics;
use super::method::{Method, Published, Shared};
use super::ode::defect::energy_made;
use super::ode::{Dense, Integrator, System, Tolerance};
use super::search::{Search, contact_powers, relative_velocity};
use super::spring_law;
use super::unsupported::{Features, UnsupportedByCanon};
use crate::canon_params::CompliantParams;
use crate::catalogue::{StepperEntry, entry};
use crate::energy_ledger::EnergyLedger;
use crate::input::Input;
use crate::params::StepperParams;
use crate::report::{Cause, StepReport};
use crate::state::State;
use crate::stepping::attempt::Part;
use crate::stepping::slopes::{NoSlopes, Slopes};
use stiction_assembly::ContactPoint;
use stiction_contact::ContactSolver;
use stiction_dynamics::spatial::{Motion, Vec3};
use stiction_dynamics::{Factor, integrate_into};
use stiction_world::World;

/// Works that are integrated: of actuators, given forces, dampers, normal forces, friction, stops, dry
/// friction.
const WORKS: usize = 7;

/// The method.
pub(crate) struct Compliant {
    force: ForceLaw,
    integrator: Integrator,
    start: Mechanics,
    y: Vec<f64>,
}

/// The evaluation of (1), with its scratch.
struct ForceLaw {
    params: CompliantParams,
    at: Mechanics,
    search: Search,
    points: Vec<ContactPoint>,
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

impl Published for Compliant {
    const ENTRY: &'static StepperEntry = entry("compliant");
    const SUPPORTS: Features = Features {
        dry_friction: true,
        turning_joints: true,
        pressure: true,
        restitution: true,
        ..Features::TREES
    };

    fn new(world: &World, params: &StepperParams) -> Result<Self, UnsupportedByCanon> {
        let model = &world.model;
        let numbers = || vec![0.0; model.nv()];
        let own = params.canon.compliant;
        let tolerance = Tolerance { relative: own.relative_tolerance, absolute: own.absolute_tolerance };
        Ok(Self {
            integrator: Integrator::new(own.method, tolerance),
            start: Mechanics::new(world),
            y: vec![0.0; 2 * model.nv() + WORKS],
            force: ForceLaw {
                params: own,
                at: Mechanics::new(world),
                search: Search::new(world)?,
                points: Vec::new(),
                still: vec![Motion::ZERO; model.bodies.len()],
                factor: Factor::new(model),
                q: model.neutral(),
                tau: numbers(),
                forces: Vec::new(),
                stops: numbers(),
                dry: numbers(),
            },
        })
    }
}

impl Method for Compliant {
    fn solve(
        &mut self,
        part: &Part<'_>,
        state: &State,
        at: &mut Shared,
        solver: &mut dyn ContactSolver,
    ) -> Result<StepReport, Cause> {
        let (Part { world, input, h, .. }, n) = (*part, state.v.len());
        self.integrator.set_next_step(at.substep.unwrap_or(0.0));
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
        integrate_into(&world.model, &state.q, delta, 1.0, &mut at.q);
        at.v.copy_from_slice(v);
        self.force.find_contacts(world, &at.q, v, at.params.margin);
        let law = &self.force;
        let forces = at.take_touching(&law.points, &law.forces);
        let (q, given) = (at.q.clone(), Given { contacts: &forces, joints: &[], over: h });
        at.pose_forces(part, &law.at.kin, &q, v, &given, solver.needs())?;
        let after = self.force.at.energies(world, (&q, v));
        let [actuators, applied, damping, normal, friction, limits, joint_friction] =
            std::array::from_fn(|k| works[k]);
        let mut ledger = EnergyLedger {
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
        add_changes(&mut ledger, before, after);
        at.efforts.copy_from_slice(&self.force.at.forces.efforts);
        at.substep = Some(self.integrator.next_step());
        Ok(StepReport { iterations: steps, ledger: Some(Box::new(ledger)), ..StepReport::of_part() })
    }

    fn jacobian(&mut self, _: &Part<'_>, _: &State, _: &mut Shared) -> Result<Slopes, NoSlopes> {
        Err(NoSlopes::Unsupported("its stages are chosen by error control"))
    }

    fn mechanics(&mut self) -> Vec<&mut Mechanics> {
        vec![&mut self.start, &mut self.force.at]
    }

    fn searches(&mut self) -> Vec<&mut Search> {
        vec![&mut self.force.search]
    }
}

impl ForceLaw {
    /// Kinematics, contact points within `margin` and their forces, at q and v.
    fn find_contacts(&mut self, world: &World, q: &[f64], v: &[f64], margin: f64) {
        self.at.look(world, q, v);
        self.search.find_compliant(world, &self.at.kin, &self.still, margin, &mut self.points);
        self.forces.clear();
        for c in &self.points {
            let velocity = relative_velocity(&self.at.kin, &self.at.vel, c);
            self.forces.push(spring_law::force(&self.params, c, velocity));
        }
    }

    /// Stops and dry friction of joints, as forces on the dofs.
    fn find_joint_forces(&mut self, world: &World, q: &[f64], v: &[f64]) {
        let CompliantParams { stiffness, dissipation, slip_speed, .. } = self.params;
        self.stops.fill(0.0);
        for stop in world.model.stops().filter(|stop| stop.gap(q) < 0.0) {
            let share = (1.0 - dissipation * stop.opening(v)).max(0.0);
            self.stops[stop.dof] = stop.sign * stiffness * -stop.gap(q) * share;
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
        law.at.find_forces(world, (&q, v), &input.control);
        law.find_joint_forces(world, &q, v);
        law.q = q;
        law.at.find_mass(world);
        law.factor.factor(&law.at.mass).map_err(|e| format!("the mass matrix: {e}"))?;
        let ForceLaw { at, tau, points, forces, stops, dry, factor, .. } = &mut **law;
        let by = &at.forces;
        let mut works = [0.0; WORKS];
        for (i, total) in at.total(&input.generalized).enumerate() {
            let given = input.generalized.get(i).copied().unwrap_or(0.0);
            tau[i] = total + (stops[i] + dry[i]);
            for (work, force) in [(0, by.actuators[i]), (1, given), (2, by.damping[i])] {
                works[work] += v[i] * force;
            }
            works[5] += v[i] * stops[i];
            works[6] += v[i] * dry[i];
        }
        [works[3], works[4]] = contact_powers(&at.kin, &at.vel, points, forces);
        add_forces(world, &at.kin, points, forces, 1.0, tau);
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
        let ForceLaw { params, at, points, factor, stops, dry, .. } = &mut **law;
        at.find_derivatives(world, v);
        let slope = |c: &ContactPoint| spring_law::gains(params, c, relative_velocity(&at.kin, &at.vel, c));
        let slopes: Vec<[f64; 3]> = points.iter().map(slope).collect();
        let (mut of_q, mut of_v, mut unit) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
        for column in 0..n {
            unit.fill(0.0);
            unit[column] = 1.0;
            at.inertial_change_into([1.0, 0.0], &unit, &mut of_v);
            at.inertial_change_into([0.0, 1.0], &unit, &mut of_q);
            of_v[column] -= at.dampers[column];
            of_q[column] -= at.springs[column];
            at.add_actuator_change(world, [1.0, 0.0], &unit, &mut of_v);
            at.add_actuator_change(world, [0.0, 1.0], &unit, &mut of_q);
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
            for (c, [k, d, slip]) in points.iter().zip(&slopes) {
                let moved = relative_velocity(&at.kin, &at.vel, c);
                let along = c.n.dot(moved);
                by_q.push(c.n * (-k * along));
                by_v.push(c.n * (-d * along) - (moved - c.n * along) * *slip);
            }
            add_forces(world, &at.kin, points, &by_q, 1.0, &mut of_q);
            add_forces(world, &at.kin, points, &by_v, 1.0, &mut of_v);
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
