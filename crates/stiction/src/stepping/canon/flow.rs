//! Motions with contact forces as a differential equation with error control, for [`super::compliant`] and
//! [`super::event_driven`].
//!
//! ```text
//!     y = (δ, v, W),   δ̇ of v by the chart,   M v̇ = f(q, v) + Σ Jᵀ f_c,   Ẇ the powers of all causes    (1)
//! ```
//!
//! Positions are those of [`super::chart`] about the start of the step, and the works W are integrated for
//! the ledger. What the method of integration does to the energy is [`super::ode::defect`].

use super::chart;
use super::ended::add_changes;
use super::judged::{Given, JointForce};
use super::mechanics::Mechanics;
use super::method::Shared;
use super::ode::defect::energy_made;
use super::ode::{Dense, Integrator, System};
use super::search::{Search, contact_powers};
use super::unsupported::UnsupportedByCanon;
use crate::energy_ledger::EnergyLedger;
use crate::stepping::attempt::Step;
use stiction_assembly::ContactPoint;
use stiction_contact::Needs;
use stiction_dynamics::spatial::Vec3;
use stiction_dynamics::{Factor, integrate_into};
use stiction_world::World;

/// The forces of a method, of which (1) is.
pub(super) trait Flow {
    /// Works that are integrated: of actuators, given forces, dampers, normal forces, friction and stops; of
    /// seven, dry friction of joints too.
    const WORKS: usize;

    /// The forces that act, with what they act on.
    fn acting(&mut self) -> &mut Acting;

    /// Finds all forces at q and v, leaves v̇ in [`Acting::tau`], and writes the powers of stops and of dry
    /// friction, if that is integrated, into `powers` [W].
    fn accelerate(&mut self, step: &Step<'_>, at: (&[f64], &[f64]), powers: &mut [f64])
    -> Result<(), String>;

    /// ∂(1)/∂y at the velocity v, after [`Self::accelerate`] there, by rows, into `out`.
    fn jacobian(&mut self, step: &Step<'_>, v: &[f64], out: &mut [f64]) -> Result<(), String>;

    /// Whether (1) does not hold at q and v, after [`Self::accelerate`] there.
    fn fails(&mut self, step: &Step<'_>, at: (&[f64], &[f64])) -> Result<bool, String> {
        let _ = (step, at);
        Ok(false)
    }

    /// Finds the contacts within `margin` at the end of the step, and their forces.
    fn look_at_end(&mut self, step: &Step<'_>, at: (&[f64], &[f64]), margin: f64) -> Result<(), String>;

    /// Forces of joints there, for the judge.
    fn joints(&self) -> Vec<JointForce> {
        Vec::new()
    }
}

/// Contacts and forces at one q and v, with room for them.
pub(super) struct Acting {
    pub(super) at: Mechanics,
    pub(super) search: Search,
    pub(super) points: Vec<ContactPoint>,
    /// Per point, the force on B [N].
    pub(super) forces: Vec<Vec3>,
    /// Forces on the dofs, and then accelerations.
    pub(super) tau: Vec<f64>,
    pub(super) factor: Factor,
}

impl Acting {
    pub(super) fn new(world: &World) -> Result<Self, UnsupportedByCanon> {
        let model = &world.model;
        Ok(Self {
            at: Mechanics::new(world),
            search: Search::new(world)?,
            points: Vec::new(),
            forces: Vec::new(),
            tau: vec![0.0; model.nv()],
            factor: Factor::new(model),
        })
    }

    /// M where [`Mechanics::look`] looked, and its factor.
    pub(super) fn factor_mass(&mut self, world: &World) -> Result<(), String> {
        self.at.find_mass(world);
        self.factor.factor(&self.at.mass).map_err(|e| format!("the mass matrix: {e}"))
    }
}

/// (1) of one step.
struct Moving<'a, F> {
    step: Step<'a>,
    flow: &'a mut F,
    q: Vec<f64>,
}

impl<F: Flow> System for Moving<'_, F> {
    fn rate(&mut self, _: f64, y: &[f64], out: &mut [f64]) -> Result<(), String> {
        let Self { step, flow, q } = self;
        let n = step.start.v.len();
        let (delta, rest) = y.split_at(n);
        let v = &rest[..n];
        integrate_into(&step.world.model, &step.start.q, delta, 1.0, q);
        let (rate, rest) = out.split_at_mut(n);
        let (acceleration, powers) = rest.split_at_mut(n);
        flow.accelerate(step, (q, v), &mut powers[5..])?;
        let Acting { at, points, forces, tau, .. } = flow.acting();
        powers[..3].copy_from_slice(&at.powers(v, &step.input.generalized));
        powers[3..5].copy_from_slice(&contact_powers(&at.kin, &at.vel, points, forces));
        chart::rate_into(&step.world.model, delta, v, rate);
        acceleration.copy_from_slice(tau);
        Ok(())
    }

    fn energy(&mut self, moving: &[f64]) -> f64 {
        let Step { world, start, .. } = self.step;
        self.flow.acting().at.energy_in_chart(world, &start.q, moving)
    }

    fn jacobian(&mut self, t: f64, y: &[f64], out: &mut [f64]) -> Result<(), String> {
        let n = self.step.start.v.len();
        self.rate(t, y, &mut vec![0.0; y.len()])?;
        self.flow.jacobian(&self.step, &y[n..2 * n], out)
    }

    fn fails(&mut self, t: f64, y: &[f64]) -> Result<bool, String> {
        let n = self.step.start.v.len();
        self.rate(t, y, &mut vec![0.0; y.len()])?;
        self.flow.fails(&self.step, (&self.q, &y[n..2 * n]))
    }
}

/// The course of one step.
pub(super) struct Course {
    pub(super) integrator: Integrator,
    pub(super) y: Vec<f64>,
    /// Energies at the start, and the energy that the integration has made [J].
    before: [f64; 4],
    made: f64,
}

impl Course {
    /// A course of `works` works by `integrator`.
    pub(super) fn new(world: &World, integrator: Integrator, works: usize) -> Self {
        Self { integrator, y: vec![0.0; 2 * world.model.nv() + works], before: [0.0; 4], made: 0.0 }
    }

    /// Begins a step, of which the first part may be as long as the last of the step before.
    pub(super) fn begin(&mut self, step: &Step<'_>, flow: &mut impl Flow, substep: Option<f64>) {
        let (at, n) = (&mut flow.acting().at, step.start.v.len());
        self.integrator.set_next_step(substep.unwrap_or(0.0));
        at.look(step.world, &step.start.q, &step.start.v);
        self.before = at.energies(step.world, (&step.start.q, &step.start.v));
        self.made = 0.0;
        self.y.fill(0.0);
        self.y[n..2 * n].copy_from_slice(&step.start.v);
    }

    /// Integrates (1) from `t` to the end of the step, or to the share of a part of it at which `event` is:
    /// the time there, and the number of parts.
    pub(super) fn run<F: Flow>(
        &mut self,
        step: &Step<'_>,
        flow: &mut F,
        t: f64,
        event: fn(&mut dyn System, &Dense) -> Result<Option<f64>, String>,
    ) -> Result<(f64, u32), String> {
        let Self { integrator, y, made, .. } = self;
        let mut watch = |system: &mut dyn System, dense: &Dense| {
            let stop = event(system, dense)?;
            *made += energy_made(system, dense, stop.unwrap_or(1.0), F::WORKS)?;
            Ok(stop)
        };
        let mut moving = Moving { step: *step, flow, q: step.start.q.clone() };
        integrator.run(&mut moving, (t, step.h), y, &mut watch)
    }

    /// Leaves the end of the step in `at`, with the forces there as the judge's problem; works and changes of
    /// energies are added to `ledger`.
    pub(super) fn end(
        &self,
        step: &Step<'_>,
        flow: &mut impl Flow,
        at: &mut Shared,
        needs: Needs,
        ledger: &mut EnergyLedger,
    ) -> Result<(), String> {
        let (delta, rest) = self.y.split_at(step.start.v.len());
        let (v, works) = rest.split_at(delta.len());
        integrate_into(&step.world.model, &step.start.q, delta, 1.0, &mut at.q);
        at.v.copy_from_slice(v);
        flow.look_at_end(step, (&at.q, v), at.params.margin)?;
        let joints = flow.joints();
        let Acting { at: mechanics, points, forces, .. } = flow.acting();
        let forces = at.take_touching(points, forces);
        let (q, given) = (at.q.clone(), Given { contacts: &forces, joints: &joints, over: step.h });
        at.pose_forces(step, &mechanics.kin, (&q, v), &given, needs)?;
        let after = mechanics.energies(step.world, (&q, v));
        let EnergyLedger { actuators, applied, damping, normal, friction, limits, joint_friction, .. } =
            ledger;
        let causes = [actuators, applied, damping, normal, friction, limits, joint_friction];
        causes.into_iter().zip(works).for_each(|(sum, work)| *sum += work);
        ledger.integrator = self.made;
        add_changes(ledger, self.before, after);
        at.efforts.copy_from_slice(&mechanics.forces.efforts);
        at.substep = Some(self.integrator.next_step());
        Ok(())
    }
}
