//! Implicit integration by the non-convex maximal dissipation principle, as steppers: `ne-mdp`,
//! `ne-nmdp-pgm`, `ne-nmdp-zopgm`, `pbd-nmdp-pgm` and `pbd-nmdp-zopgm`; see [`stiction_nmdp`].
//!
//! These steppers bring their own contact law: forces in sets that grow with depth, and of these those after
//! which the kinetic energy is least. The contact solver of the settings has no part in a step. What the
//! judge certifies is how far their impulses are from the exact law ([`judged`]).

mod judged;

use super::canon::judged::Given;
use super::canon::method::{Method, MethodStepper, Shared, Solution};
use super::canon::search::Search;
use super::memory::Memory;
use crate::params::StepperParams;
use crate::report::{Cause, StepReport};
use crate::state::State;
use crate::stepping::attempt::Step;
use crate::stepping::slopes::{self, NoSlopes, Slopes};
use judged::Impulses;
use std::sync::Arc;
use stiction_assembly::ContactPoint;
use stiction_contact::ContactSolver;
use stiction_dynamics::Kinematics;
use stiction_nmdp::{
    self as nmdp, Acting, ContactSets, Failure, Nmdp, NmdpMemory, NmdpParams, NmdpReport, NoDerivative,
    UnsupportedWorld, WorldSites,
};
use stiction_world::World;

/// One of the five methods.
pub(crate) struct NmdpMethod {
    params: NmdpParams,
    sets: ContactSets,
    nmdp: Nmdp,
    impulses: Impulses,
    meetings: Option<Meetings>,
    report: Arc<NmdpReport>,
}

/// Finds bodies that touch one another, which the method has no sets for.
struct Meetings {
    search: Search,
    kin: Kinematics,
    points: Vec<ContactPoint>,
}

impl NmdpMethod {
    /// The stepper of `method` for `world` with these contact sets; the parameters must be valid.
    pub(crate) fn stepper(
        world: &World,
        method: nmdp::Method,
        params: StepperParams,
        sets: ContactSets,
    ) -> Result<MethodStepper<Self>, UnsupportedWorld> {
        let WorldSites { contacts, sites, bodies_may_meet } =
            WorldSites::new(world, &params.nmdp, &|site| sets.make(site, &params.nmdp))?;
        let model = &world.model;
        let meetings = if bodies_may_meet {
            Some(Meetings { search: Search::new(world)?, kin: Kinematics::new(model), points: Vec::new() })
        } else {
            None
        };
        let own = Self {
            nmdp: Nmdp::new(world, method, params.nmdp.clone(), sites),
            sets,
            impulses: Impulses::new(world, contacts),
            meetings,
            report: Arc::default(),
            params: params.nmdp.clone(),
        };
        Ok(MethodStepper::of(world, method.name(), own, params))
    }

    /// The error of bodies that overlap.
    fn check_meetings(&mut self, world: &World, state: &State) -> Result<(), String> {
        let Some(Meetings { search, kin, points }) = &mut self.meetings else { return Ok(()) };
        kin.update(&world.model, &state.q);
        search.find_near(world, kin, 0.0, points);
        let touching = |c: &&ContactPoint| c.bodies[0].is_some() && c.bodies[1].is_some() && c.gap < 0.0;
        match points.iter().find(touching) {
            None => Ok(()),
            Some(c) => {
                let [a, b] = c.geometries.map(|g| &world.geometries[g].name);
                Err(format!("`{a}` and `{b}` touch; NMDP steppers know contacts with fixed planes alone"))
            }
        }
    }
}

/// The cause in words.
fn words(failure: Failure, report: &NmdpReport, least: f64) -> String {
    let why = match failure {
        Failure::Singular => "the dynamics have no unique solution",
        Failure::Projection => "Newton's method does not reduce the error of the dynamics",
        Failure::Descent => "no change of the contact forces reduces the energy",
        Failure::NotFinite => "a number stopped being finite",
    };
    let tried = report.singular + report.projection_failures + report.descent_failures;
    format!("{why}, in parts down to {least} s; {tried} parts were given up")
}

impl Method for NmdpMethod {
    fn solve(&mut self, step: &Step<'_>, at: &mut Shared, solver: &mut dyn ContactSolver) -> Solution {
        let Step { world, input, start: state, h } = *step;
        self.check_meetings(world, state)?;
        at.q.copy_from_slice(&state.q);
        at.v.copy_from_slice(&state.v);
        let acting = Acting { control: &input.control, generalized: &input.generalized };
        match self.nmdp.step(world, (&mut at.q, &mut at.v), &acting, h) {
            Ok(report) => match Arc::get_mut(&mut self.report) {
                Some(last) => *last = report,
                None => self.report = Arc::new(report),
            },
            Err((failure, report)) => {
                let text = words(failure, &report, self.params.min_step);
                return Err(Cause { text, extra: Some(Arc::new(report)) });
            }
        }
        let margin = at.params.margin;
        self.impulses.find(world, &self.nmdp, &state.q, margin, &mut at.points);
        let Impulses { contacts, joints, .. } = &self.impulses;
        let given = Given { contacts, joints, over: 1.0 };
        at.pose_forces(step, self.nmdp.kinematics(), (&state.q, &state.v), &given, solver.needs())?;
        at.efforts.copy_from_slice(self.nmdp.efforts());
        let NmdpReport { outer, residual, parts, .. } = *self.report;
        let extra = self.report.clone();
        Ok(StepReport { iterations: outer, residual, parts, extra: Some(extra), ..StepReport::of_part() })
    }

    fn jacobian(&mut self, step: &Step<'_>, _: &mut Shared) -> Result<Slopes, NoSlopes> {
        let Step { world, input, start, h } = *step;
        let acting = Acting { control: &input.control, generalized: &input.generalized };
        let found =
            self.nmdp.derivative(world, (&start.q, &start.v), &acting, h).map_err(|why| match why {
                NoDerivative::Linearised => NoSlopes::Unsupported(
                    "its quadratic program is posed anew from linearised dynamics in every step",
                ),
                NoDerivative::Switch => NoSlopes::Here("a contact set begins or ceases to act".to_owned()),
                NoDerivative::Singular => NoSlopes::Here("∂G/∂ν has no inverse".to_owned()),
            })?;
        Ok(Slopes::Solved(slopes::Solved {
            mean: self.nmdp.mean_velocity().to_vec(),
            v_change: &found.mean * found.gain,
            mean_change: found.mean,
            rows: found.weights,
            rank: found.rank,
            at_switch: found.at_switch,
        }))
    }

    fn memory_into(&self, out: &mut Memory) {
        let NmdpMemory { weights, beta, last_step, mean, v_before } = self.nmdp.memory();
        out.own.resize(4, Vec::new());
        let [own_weights, own_lengths, own_mean, own_before] = &mut out.own[..] else { return };
        for (to, of) in [(own_weights, weights), (own_mean, mean), (own_before, v_before)] {
            to.clone_from(of);
        }
        own_lengths.clear();
        own_lengths.extend([beta, last_step]);
    }

    fn restore(&mut self, memory: &Memory) {
        match &memory.own[..] {
            [weights, lengths, mean, before] if lengths.len() == 2 => self.nmdp.restore(&NmdpMemory {
                weights: weights.clone(),
                beta: lengths[0],
                last_step: lengths[1],
                mean: mean.clone(),
                v_before: before.clone(),
            }),
            _ => self.nmdp.forget(),
        }
    }

    fn forget(&mut self) {
        self.nmdp.forget();
    }

    fn take_numbers(&mut self, world: &World) {
        // Sets hold friction, inertias hold masses: the same world was accepted before.
        let params = &self.params;
        if let Ok(sites) = WorldSites::new(world, params, &|site| self.sets.make(site, params)) {
            let memory = self.nmdp.memory().clone();
            self.nmdp = Nmdp::new(world, self.nmdp.method(), params.clone(), sites.sites);
            self.nmdp.restore(&memory);
            self.impulses = Impulses::new(world, sites.contacts);
        }
    }
}
