//! `event-driven`: smooth motion in modes, events found as roots on dense output, and impulsive resets at
//! them.
//!
//! ```text
//!     mode        open            stick                          slide
//!     forces      none            J v̇ + J̇ v + 2 α c + α² φ = 0   the same of the normal, λ_T = −μ λ_N c_T/‖c_T‖       (1)
//!     guard       φ ≥ 0           λ_N ≥ 0, ‖λ_T‖ ≤ μ λ_N         λ_N ≥ 0, c_T does not turn back                  (2)
//! ```
//!
//! Between events (1) is an ordinary differential equation in the [`super::chart`] of the step, with the
//! forces of least norm where contacts are redundant. An accepted internal step in which a guard of (2) fails
//! is cut at the first instant at which it does. There
//!
//! 1. contacts that touch and approach are hit, all that touch at once, by the law of restitution that is asked for
//!    ([`super::restitution`]), until none approaches; what approaches slower than `rest_speed` does not bounce,
//!    so that a ball comes to rest after finitely many bounces,
//! 2. modes are chosen anew, all at once, from the exact law over a short time ε: what bears nothing is open, what moves along
//!    the surface slides, and the rest sticks.
//!
//! A guard of forces fails where the modes, chosen anew, are others ([`modes`]).
//!
//! Guards are looked at in the middle and at the end of every internal step; one that fails and holds again
//! in between is missed. J̇ v is found by differences of contact velocities along the motion, which also sees
//! how contact points move over surfaces.
//!
//! Joint limits are contacts without friction ([`stops`]), which do not bounce. Limits of ball joints, dry
//! friction of joints, loops, couplings and tendons are refused.

mod events;
mod impacts;
mod modes;
mod stops;

use super::chart;
use super::ended::add_changes;
use super::judged::{Given, JointForce};
use super::mechanics::Mechanics;
use super::method::{Method, Published, Shared};
use super::ode::defect::energy_made;
use super::ode::{Dense, Integrator, System, Tolerance};
use super::rows::Rows;
use super::search::{Search, contact_powers, relative_velocity};
use super::unsupported::{Features, UnsupportedByCanon};
use crate::canon_params::OdeMethod;
use crate::catalogue::{StepperEntry, entry};
use crate::energy_ledger::EnergyLedger;
use crate::input::Input;
use crate::params::StepperParams;
use crate::remedy::Remedy;
use crate::report::{Cause, StepReport};
use crate::state::State;
use crate::stepping::attempt::Part;
use crate::stepping::slopes::{NoSlopes, Slopes};
use events::first_failure;
use modes::Modes;
use stiction_contact::ContactSolver;
use stiction_dynamics::spatial::Motion;
use stiction_dynamics::{Factor, integrate_into};
use stiction_solvers::registry::{Common, make_from};
use stiction_solvers::values::Params;
use stiction_world::World;
use stops::Stop;

/// Gap at which contacts touch at an event [m].
const TOUCH: f64 = 1e-8;
/// How far guards of gaps may fail before it counts [m].
const SLACK: f64 = 1e-10;
/// How far guards of forces and slip may fail, relative to the weight of the lighter tree of a contact, and
/// in m/s [–].
const LOOSE: f64 = 1e-9;
/// ε of the choice of modes [s].
const SHORT: f64 = 1e-5;
/// Slip after it, and approach, that count as such [m/s].
const SLIPS: f64 = 1e-8;
/// Half of the time over which contact velocities are differenced [s].
const NUDGE: f64 = 1e-6;
/// α of (1) [1/s].
const ALPHA: f64 = 20.0;
/// Singular values below this share of the largest count as zero [–].
const RANK: f64 = 1e-10;
/// Works that are integrated: of actuators, given forces, dampers, normal forces, friction and stops.
const WORKS: usize = 6;

/// The method.
pub(crate) struct EventDriven {
    params: StepperParams,
    law: Modes,
    integrator: Integrator,
    y: Vec<f64>,
    q: Vec<f64>,
    ledger: EnergyLedger,
    /// The remedy of the impacts of the step, if one was needed.
    remedy: Option<Remedy>,
}

/// (1) of one step.
struct Motions<'a> {
    world: &'a World,
    q_start: &'a [f64],
    input: &'a Input,
    law: &'a mut Modes,
}

impl Published for EventDriven {
    const ENTRY: &'static StepperEntry = entry("event-driven");
    const SUPPORTS: Features = Features { turning_joints: true, restitution: true, ..Features::TREES };

    fn new(world: &World, params: &StepperParams) -> Result<Self, UnsupportedByCanon> {
        let model = &world.model;
        let own = params.canon.event_driven;
        let tolerance = Tolerance { relative: own.relative_tolerance, absolute: own.absolute_tolerance };
        let common = Common { tolerance: 1e-12, max_iterations: 2000 };
        let mut weights = vec![0.0; model.trees];
        model.bodies.iter().for_each(|b| weights[b.tree] += b.inertia.mass * model.gravity.norm());
        weights.iter_mut().for_each(|w| *w = f64::max(*w, 1e-9));
        Ok(Self {
            integrator: Integrator::new(OdeMethod::Explicit, tolerance),
            y: vec![0.0; 2 * model.nv() + WORKS],
            q: model.neutral(),
            ledger: EnergyLedger::default(),
            remedy: None,
            law: Modes {
                solver: make_from("auto", &common, &Params::default())?,
                rows: Rows::new(world),
                params: params.clone(),
                at: Mechanics::new(world),
                nudged: Mechanics::new(world),
                search: Search::new(world)?,
                points: Vec::new(),
                other: Search::new(world)?,
                still: vec![Motion::ZERO; model.bodies.len()],
                factor: Factor::new(model),
                q: model.neutral(),
                q_nudged: model.neutral(),
                tau: vec![0.0; model.nv()],
                active: Vec::new(),
                stops: Stop::all(world, Self::ENTRY.name)?,
                found: Vec::new(),
                forces: Vec::new(),
                weights,
            },
            params: params.clone(),
        })
    }
}

impl Method for EventDriven {
    fn solve(
        &mut self,
        part: &Part<'_>,
        state: &State,
        at: &mut Shared,
        solver: &mut dyn ContactSolver,
    ) -> Result<StepReport, Cause> {
        let (Part { world, input, h, .. }, n) = (*part, state.v.len());
        self.integrator.set_next_step(at.substep.unwrap_or(0.0));
        self.law.at.look(world, &state.q, &state.v);
        let before = self.law.at.energies(world, (&state.q, &state.v));
        self.y.fill(0.0);
        self.y[n..2 * n].copy_from_slice(&state.v);
        (self.ledger, self.remedy) = (EnergyLedger::default(), None);
        let (mut t, mut steps, mut events, mut integrator) = (0.0, 0, 0, 0.0);
        loop {
            self.reset(world, &state.q, input)?;
            let mut motions = Motions { world, q_start: &state.q, input, law: &mut self.law };
            let mut watch = |system: &mut dyn System, dense: &Dense| {
                let stop = first_failure(system, dense)?;
                integrator += energy_made(system, dense, stop.unwrap_or(1.0), WORKS)?;
                Ok(stop)
            };
            let (reached, taken) = self.integrator.run(&mut motions, (t, h), &mut self.y, &mut watch)?;
            steps += taken;
            t = reached;
            if t >= h {
                break;
            }
            self.integrator.forget();
            events += 1;
            if events > self.params.canon.event_driven.most_events {
                let text = format!(
                    "more than {} events within one step; canon.event_driven.most_events allows more",
                    self.params.canon.event_driven.most_events
                );
                return Err(text.into());
            }
        }
        // Forces, and a last look at what touches there.
        let mut rate = vec![0.0; self.y.len()];
        Motions { world, q_start: &state.q, input, law: &mut self.law }.rate(h, &self.y, &mut rate)?;
        let (delta, rest) = self.y.split_at(n);
        let (v, works) = rest.split_at(n);
        integrate_into(&world.model, &state.q, delta, 1.0, &mut self.q);
        at.q.copy_from_slice(&self.q);
        at.v.copy_from_slice(v);
        let law = &self.law;
        let joints: Vec<JointForce> = law.stops.iter().filter_map(Stop::given).collect();
        let forces = at.take_touching(&law.points, &law.forces);
        let given = Given { contacts: &forces, joints: &joints, over: h };
        at.pose_forces(part, &law.at.kin, &self.q, v, &given, solver.needs())?;
        let after = law.at.energies(world, (&self.q, v));
        let ledger = &mut self.ledger;
        ledger.actuators += works[0];
        ledger.applied += works[1];
        ledger.damping += works[2];
        ledger.normal += works[3];
        ledger.friction += works[4];
        ledger.limits += works[5];
        ledger.integrator = integrator;
        add_changes(ledger, before, after);
        at.efforts.copy_from_slice(&law.at.forces.efforts);
        at.substep = Some(self.integrator.next_step());
        let (parts, remedy, ledger) = (events + 1, self.remedy, Some(Box::new(self.ledger)));
        Ok(StepReport { iterations: steps, parts, remedy, ledger, ..StepReport::of_part() })
    }

    fn jacobian(&mut self, _: &Part<'_>, _: &State, _: &mut Shared) -> Result<Slopes, NoSlopes> {
        Err(NoSlopes::Unsupported(
            "the impacts within it are solved one after another, at instants that are roots",
        ))
    }

    fn mechanics(&mut self) -> Vec<&mut Mechanics> {
        vec![&mut self.law.at, &mut self.law.nudged]
    }

    fn searches(&mut self) -> Vec<&mut Search> {
        vec![&mut self.law.search, &mut self.law.other]
    }

    fn forget(&mut self) {
        self.law.solver.forget();
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
        law.at.look(world, &q, v);
        let forces = law.find_smooth_forces(world, (&q, v), input);
        let contacts = forces.and_then(|()| law.find_contact_forces(world, &q, v));
        law.q = q;
        contacts?;
        let mut works = [0.0; WORKS];
        for (i, v) in v.iter().enumerate() {
            works[0] += v * law.at.forces.actuators[i];
            works[1] += v * input.generalized.get(i).copied().unwrap_or(0.0);
            works[2] += v * law.at.forces.damping[i];
        }
        [works[3], works[4]] = contact_powers(&law.at.kin, &law.at.vel, &law.points, &law.forces);
        works[5] = law.stops.iter().map(|s| s.force * s.end.opening(v)).sum();
        law.factor.solve_in_place(&mut law.tau);
        let (rate, rest) = out.split_at_mut(n);
        let (acceleration, power) = rest.split_at_mut(n);
        chart::rate_into(&world.model, delta, v, rate);
        acceleration.copy_from_slice(&law.tau);
        power.copy_from_slice(&works);
        Ok(())
    }

    fn energy(&mut self, moving: &[f64]) -> f64 {
        let Self { world, q_start, law, .. } = self;
        law.at.energy_in_chart(world, q_start, moving)
    }

    fn jacobian(&mut self, _: f64, _: &[f64], _: &mut [f64]) -> Result<(), String> {
        Err("modes are integrated by an explicit method".to_owned())
    }

    /// True if a guard of (2) fails.
    fn fails(&mut self, t: f64, y: &[f64]) -> Result<bool, String> {
        let mut rate = vec![0.0; y.len()];
        self.rate(t, y, &mut rate)?;
        let law = &*self.law;
        let (mut turned_back, mut overloaded) = (false, false);
        for (p, c) in law.points.iter().enumerate() {
            let velocity = relative_velocity(&law.at.kin, &law.at.vel, c);
            let opening = c.n.dot(velocity);
            let Some(k) = law.found.iter().position(|f| *f == Some(p)) else {
                if c.gap < -SLACK && opening < -SLIPS {
                    return Ok(true);
                }
                continue;
            };
            let normal = c.n.dot(law.forces[p]);
            let along = (law.forces[p] - c.n * normal).norm();
            let (slack, slip) = (law.slack(&self.world.model, c), velocity - c.n * opening);
            turned_back |= match law.active[k].slides {
                Some(start) => c.friction > 0.0 && slip.dot(start) < -SLIPS * LOOSE,
                None => false,
            };
            let sticks = law.active[k].slides.is_none();
            overloaded |= normal < -slack || sticks && along > c.friction * normal + slack;
        }
        let n = self.law.tau.len();
        let v = &y[n..2 * n];
        for stop in &law.stops {
            match stop.closed {
                Some(_) => overloaded |= stop.force < -LOOSE * law.weights[stop.tree],
                None if stop.end.gap(&law.q) < -SLACK && stop.end.opening(v) < -SLIPS => return Ok(true),
                None => {}
            }
        }
        if turned_back || !overloaded {
            return Ok(turned_back);
        }
        let mut q = std::mem::take(&mut self.law.q);
        let holds = self.law.hold(self.world, (&q, v), self.input);
        std::mem::swap(&mut self.law.q, &mut q);
        Ok(!holds?)
    }
}
