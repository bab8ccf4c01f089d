//! `compliant`: contacts as springs and dampers, integrated as a differential equation with error control.
//!
//! ```text
//!     q̇ = v,   M v̇ = f(q, v) + Σ Jᵀ f_c(φ, J v)                                                  (1)
//! ```
//!
//! f_c is [`super::spring_law`]; the equation is integrated by [`super::flow`]. Contact points are found anew
//! at every evaluation. Stops of joints are springs of the same stiffness and dissipation; dry friction of
//! joints is regularised as that of contacts, at the same slip in rad/s or m/s.
//!
//! The implicit method reads the Jacobian of (1) from the derivatives of inverse dynamics and of the contact
//! law; what of it depends on how M⁻¹, J and contact points turn is left out, which costs iterations alone.

use super::flow::{Acting, Course, Flow};
use super::judged::add_forces;
use super::mechanics::Mechanics;
use super::method::{Method, Published, Shared, Solution};
use super::ode::{Integrator, Tolerance};
use super::search::{Search, relative_velocity};
use super::spring_law;
use super::unsupported::{Features, UnsupportedByCanon};
use crate::canon_params::CompliantParams;
use crate::catalogue::{StepperEntry, entry};
use crate::energy_ledger::EnergyLedger;
use crate::params::StepperParams;
use crate::report::StepReport;
use crate::stepping::attempt::Step;
use crate::stepping::slopes::{NoSlopes, Slopes};
use stiction_assembly::ContactPoint;
use stiction_contact::ContactSolver;
use stiction_world::World;

/// The method.
pub(crate) struct Compliant {
    force: ForceLaw,
    course: Course,
}

/// The evaluation of (1), with its scratch.
struct ForceLaw {
    params: CompliantParams,
    acting: Acting,
    /// Per dof: the force of stops and of dry friction.
    stops: Vec<f64>,
    dry: Vec<f64>,
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
        let numbers = || vec![0.0; world.model.nv()];
        let own = params.canon.compliant;
        let tolerance = Tolerance { relative: own.relative_tolerance, absolute: own.absolute_tolerance };
        let acting = Acting::new(world)?;
        Ok(Self {
            course: Course::new(world, Integrator::new(own.method, tolerance), ForceLaw::WORKS),
            force: ForceLaw { params: own, acting, stops: numbers(), dry: numbers() },
        })
    }
}

impl Method for Compliant {
    fn solve(&mut self, step: &Step<'_>, at: &mut Shared, solver: &mut dyn ContactSolver) -> Solution {
        let Self { force, course } = self;
        course.begin(step, force, at.substep);
        let (_, iterations) = course.run(step, force, 0.0, |_, _| Ok(None))?;
        let mut ledger = EnergyLedger::default();
        course.end(step, force, at, solver.needs(), &mut ledger)?;
        Ok(StepReport { iterations, ledger: Some(Box::new(ledger)), ..StepReport::of_part() })
    }

    fn jacobian(&mut self, _: &Step<'_>, _: &mut Shared) -> Result<Slopes, NoSlopes> {
        Err(NoSlopes::Unsupported("its stages are chosen by error control"))
    }

    fn mechanics(&mut self) -> Vec<&mut Mechanics> {
        vec![&mut self.force.acting.at]
    }

    fn searches(&mut self) -> Vec<&mut Search> {
        vec![&mut self.force.acting.search]
    }
}

impl ForceLaw {
    /// Kinematics, contact points within `margin` and their forces, at q and v.
    fn find_contacts(&mut self, world: &World, (q, v): (&[f64], &[f64]), margin: f64) {
        let Acting { at, search, points, forces, .. } = &mut self.acting;
        at.look(world, q, v);
        search.find_compliant(world, &at.kin, margin, points);
        forces.clear();
        for c in points {
            forces.push(spring_law::force(&self.params, c, relative_velocity(&at.kin, &at.vel, c)));
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

impl Flow for ForceLaw {
    const WORKS: usize = 7;

    fn acting(&mut self) -> &mut Acting {
        &mut self.acting
    }

    fn accelerate(
        &mut self,
        step: &Step<'_>,
        (q, v): (&[f64], &[f64]),
        powers: &mut [f64],
    ) -> Result<(), String> {
        let Step { world, input, .. } = *step;
        self.find_contacts(world, (q, v), 0.0);
        self.acting.at.find_forces(world, (q, v), &input.control);
        self.find_joint_forces(world, q, v);
        self.acting.factor_mass(world)?;
        let Self { acting: Acting { at, tau, points, forces, factor, .. }, stops, dry, .. } = self;
        powers.fill(0.0);
        for (i, total) in at.total(&input.generalized).enumerate() {
            tau[i] = total + (stops[i] + dry[i]);
            powers[0] += v[i] * stops[i];
            powers[1] += v[i] * dry[i];
        }
        add_forces(world, &at.kin, points, forces, 1.0, tau);
        factor.solve_in_place(tau);
        Ok(())
    }

    fn look_at_end(&mut self, step: &Step<'_>, at: (&[f64], &[f64]), margin: f64) -> Result<(), String> {
        self.find_contacts(step.world, at, margin);
        Ok(())
    }

    fn jacobian(&mut self, step: &Step<'_>, v: &[f64], out: &mut [f64]) -> Result<(), String> {
        let (world, n, all) = (step.world, v.len(), 2 * v.len() + Self::WORKS);
        out.fill(0.0);
        let Self { params, acting: Acting { at, points, factor, .. }, stops, dry, .. } = self;
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
