//! `event-driven`: smooth motion in modes, events found as roots on dense output, and impulsive resets at
//! them.
//!
//! ```text
//!     mode        open            stick                          slide
//!     forces      none            J v̇ + J̇ v + 2 α c + α² φ = 0   the same of the normal, λ_T = −μ λ_N c_T/‖c_T‖       (1)
//!     guard       φ ≥ 0           λ_N ≥ 0, ‖λ_T‖ ≤ μ λ_N         λ_N ≥ 0, c_T does not turn back                  (2)
//! ```
//!
//! Between events (1) is an ordinary differential equation, integrated by [`super::flow`], with the
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

use super::flow::{Acting, Course, Flow};
use super::judged::JointForce;
use super::mechanics::Mechanics;
use super::method::{Method, Published, Shared, Solution};
use super::ode::{Integrator, Tolerance};
use super::rows::Rows;
use super::search::{Search, relative_velocity};
use super::unsupported::{Features, UnsupportedByCanon};
use crate::canon_params::OdeMethod;
use crate::catalogue::{StepperEntry, entry};
use crate::energy_ledger::EnergyLedger;
use crate::params::StepperParams;
use crate::remedy::Remedy;
use crate::report::StepReport;
use crate::stepping::attempt::Step;
use crate::stepping::slopes::{NoSlopes, Slopes};
use events::first_failure;
use modes::Modes;
use stiction_contact::ContactSolver;
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
/// The method.
pub(crate) struct EventDriven {
    params: StepperParams,
    law: Modes,
    course: Course,
    ledger: EnergyLedger,
    /// The remedy of the impacts of the step, if one was needed.
    remedy: Option<Remedy>,
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
            course: Course::new(world, Integrator::new(OdeMethod::Explicit, tolerance), Modes::WORKS),
            ledger: EnergyLedger::default(),
            remedy: None,
            law: Modes {
                solver: make_from("auto", &common, &Params::default())?,
                rows: Rows::new(world),
                params: params.clone(),
                acting: Acting::new(world)?,
                nudged: Mechanics::new(world),
                other: Search::new(world)?,
                q_nudged: model.neutral(),
                active: Vec::new(),
                stops: Stop::all(world, Self::ENTRY.name)?,
                found: Vec::new(),
                weights,
            },
            params: params.clone(),
        })
    }
}

impl Method for EventDriven {
    fn solve(&mut self, step: &Step<'_>, at: &mut Shared, solver: &mut dyn ContactSolver) -> Solution {
        self.course.begin(step, &mut self.law, at.substep);
        (self.ledger, self.remedy) = (EnergyLedger::default(), None);
        let most = self.params.canon.event_driven.most_events;
        let (mut t, mut iterations, mut events) = (0.0, 0, 0);
        loop {
            self.reset(step)?;
            let (reached, taken) = self.course.run(step, &mut self.law, t, first_failure)?;
            (t, iterations) = (reached, iterations + taken);
            if t >= step.h {
                break;
            }
            self.course.integrator.forget();
            events += 1;
            if events > most {
                let text = format!(
                    "more than {most} events within one step; canon.event_driven.most_events allows more"
                );
                return Err(text.into());
            }
        }
        self.course.end(step, &mut self.law, at, solver.needs(), &mut self.ledger)?;
        let (parts, remedy, ledger) = (events + 1, self.remedy, Some(Box::new(self.ledger)));
        Ok(StepReport { iterations, parts, remedy, ledger, ..StepReport::of_part() })
    }

    fn jacobian(&mut self, _: &Step<'_>, _: &mut Shared) -> Result<Slopes, NoSlopes> {
        Err(NoSlopes::Unsupported(
            "the impacts within it are solved one after another, at instants that are roots",
        ))
    }

    fn mechanics(&mut self) -> Vec<&mut Mechanics> {
        vec![&mut self.law.acting.at, &mut self.law.nudged]
    }

    fn searches(&mut self) -> Vec<&mut Search> {
        vec![&mut self.law.acting.search, &mut self.law.other]
    }

    fn forget(&mut self) {
        self.law.solver.forget();
    }
}

impl Flow for Modes {
    const WORKS: usize = 6;

    fn acting(&mut self) -> &mut Acting {
        &mut self.acting
    }

    fn accelerate(
        &mut self,
        step: &Step<'_>,
        at: (&[f64], &[f64]),
        powers: &mut [f64],
    ) -> Result<(), String> {
        self.acting.at.look(step.world, at.0, at.1);
        self.find_smooth_forces(step, at)?;
        self.find_contact_forces(step.world, at.0, at.1)?;
        powers[0] = self.stops.iter().map(|s| s.force * s.end.opening(at.1)).sum();
        self.acting.factor.solve_in_place(&mut self.acting.tau);
        Ok(())
    }

    fn jacobian(&mut self, _: &Step<'_>, _: &[f64], _: &mut [f64]) -> Result<(), String> {
        Err("modes are integrated by an explicit method".to_owned())
    }

    /// True if a guard of (2) fails.
    fn fails(&mut self, step: &Step<'_>, (q, v): (&[f64], &[f64])) -> Result<bool, String> {
        let Acting { at, points, forces, .. } = &self.acting;
        let (mut turned_back, mut overloaded) = (false, false);
        for (p, c) in points.iter().enumerate() {
            let velocity = relative_velocity(&at.kin, &at.vel, c);
            let opening = c.n.dot(velocity);
            let Some(k) = self.found.iter().position(|f| *f == Some(p)) else {
                if c.gap < -SLACK && opening < -SLIPS {
                    return Ok(true);
                }
                continue;
            };
            let normal = c.n.dot(forces[p]);
            let along = (forces[p] - c.n * normal).norm();
            let (slack, slip) = (self.slack(&step.world.model, c), velocity - c.n * opening);
            turned_back |= match self.active[k].slides {
                Some(start) => c.friction > 0.0 && slip.dot(start) < -SLIPS * LOOSE,
                None => false,
            };
            let sticks = self.active[k].slides.is_none();
            overloaded |= normal < -slack || sticks && along > c.friction * normal + slack;
        }
        for stop in &self.stops {
            match stop.closed {
                Some(_) => overloaded |= stop.force < -LOOSE * self.weights[stop.tree],
                None if stop.end.gap(q) < -SLACK && stop.end.opening(v) < -SLIPS => return Ok(true),
                None => {}
            }
        }
        if turned_back || !overloaded {
            return Ok(turned_back);
        }
        Ok(!self.hold(step, (q, v))?)
    }

    fn look_at_end(&mut self, step: &Step<'_>, at: (&[f64], &[f64]), _: f64) -> Result<(), String> {
        self.accelerate(step, at, &mut [0.0])
    }

    fn joints(&self) -> Vec<JointForce> {
        self.stops.iter().filter_map(Stop::given).collect()
    }
}
