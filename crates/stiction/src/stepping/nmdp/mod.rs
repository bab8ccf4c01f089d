//! Implicit integration by the non-convex maximal dissipation principle, as steppers: `ne-mdp`, `ne-nmdp-pgm`,
//! `ne-nmdp-zopgm`, `pbd-nmdp-pgm` and `pbd-nmdp-zopgm`; see [`stiction_nmdp`].
//!
//! These steppers bring their own contact law: forces in sets that grow with depth, and of these those after which the kinetic
//! energy is least. The contact solver of the settings has no part in a step. What the judge certifies is how far their
//! impulses are from the exact law ([`judged`]).

mod judged;

use super::Stepper;
use super::attempt::{Attempt, Part};
use super::memory::Memory;
use crate::input::Input;
use crate::params::StepperParams;
use crate::report::{Cause, StepReport};
use crate::state::State;
use crate::stepping::slopes::{NoSlopes, Slopes, Solved};
use judged::Judged;
use std::sync::Arc;
use stiction_assembly::{ContactFinder, ContactPoint, Lookahead, PatchDetail, Posed};
use stiction_contact::ContactSolver;
use stiction_dynamics::Kinematics;
use stiction_dynamics::spatial::Motion;
use stiction_models::World;
use stiction_nmdp::{
    Acting, ContactSets, Failure, Method, Nmdp, NmdpMemory, NmdpReport, NoDerivative, UnsupportedWorld,
    WorldSites,
};

/// One of the five steppers.
pub struct NmdpStepper {
    params: StepperParams,
    sets: ContactSets,
    nmdp: Nmdp,
    judged: Judged,
    meetings: Option<Meetings>,
    report: Arc<NmdpReport>,
    q_start: Vec<f64>,
    v_start: Vec<f64>,
}

/// Finds bodies that touch one another, which the method has no sets for.
struct Meetings {
    finder: ContactFinder,
    kin: Kinematics,
    still: Vec<Motion>,
    points: Vec<ContactPoint>,
}

impl NmdpStepper {
    /// `method` for `world` with these contact sets; the parameters must be valid.
    pub fn new(
        world: &World,
        method: Method,
        params: StepperParams,
        sets: ContactSets,
    ) -> Result<Self, UnsupportedWorld> {
        let WorldSites { contacts, sites, bodies_may_meet } =
            WorldSites::new(world, &params.nmdp, &|site| sets.make(site, &params.nmdp))?;
        let model = &world.model;
        let meetings = if bodies_may_meet {
            Some(Meetings {
                finder: ContactFinder::new(world, false)?,
                kin: Kinematics::new(model),
                still: vec![Motion::ZERO; model.bodies.len()],
                points: Vec::new(),
            })
        } else {
            None
        };
        Ok(Self {
            nmdp: Nmdp::new(world, method, params.nmdp.clone(), sites),
            sets,
            judged: Judged::new(world, contacts),
            meetings,
            report: Arc::default(),
            q_start: model.neutral(),
            v_start: vec![0.0; model.nv()],
            params,
        })
    }

    /// The error of bodies that overlap.
    fn check_meetings(&mut self, world: &World, state: &State) -> Result<(), String> {
        let Some(Meetings { finder, kin, still, points }) = &mut self.meetings else { return Ok(()) };
        kin.update(&world.model, &state.q);
        let ahead = Lookahead {
            margin: 0.0,
            h: 0.0,
            continuous: None,
            rigid: true,
            patches: PatchDetail::Representative,
        };
        finder.find(world, kin, still, ahead, points);
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

impl Stepper for NmdpStepper {
    fn name(&self) -> &'static str {
        self.nmdp.method().name()
    }

    fn attempt(&mut self, part: &Part<'_>, state: &mut State, solver: &mut dyn ContactSolver) -> Attempt {
        let Part { world, input, h, .. } = *part;
        if let Err(cause) = self.check_meetings(world, state) {
            return Attempt::Failed(cause.into());
        }
        self.q_start.copy_from_slice(&state.q);
        self.v_start.copy_from_slice(&state.v);
        let acting = Acting { control: &input.control, generalized: &input.generalized };
        match self.nmdp.step(world, (&mut state.q, &mut state.v), &acting, h) {
            Ok(report) => match Arc::get_mut(&mut self.report) {
                Some(last) => *last = report,
                None => self.report = Arc::new(report),
            },
            Err((failure, report)) => {
                let text = words(failure, &report, self.params.nmdp.min_step);
                return Attempt::Failed(Cause { text, extra: Some(Arc::new(report)) });
            }
        }
        let rows = self.params.rows(h, &world.model.gravity);
        let from = (&self.q_start[..], &self.v_start[..], &state.v[..]);
        if let Err(cause) = self.judged.pose(world, &self.nmdp, from, rows, solver.needs()) {
            state.q.copy_from_slice(&self.q_start);
            state.v.copy_from_slice(&self.v_start);
            return Attempt::Failed(cause.into());
        }
        state.t += h;
        Attempt::Done(StepReport {
            iterations: self.report.outer,
            residual: self.report.residual,
            contacts: self.judged.points.len(),
            penetration: self.judged.points.iter().fold(0.0, |d, c| d.max(-c.gap)),
            parts: self.report.parts,
            extra: Some(self.report.clone()),
            ..StepReport::default()
        })
    }

    fn posed(&self) -> &Posed {
        &self.judged.posed
    }

    fn impulses(&self) -> &[f64] {
        &self.judged.impulses
    }

    fn contacts(&self) -> &[ContactPoint] {
        &self.judged.points
    }

    fn efforts_into(&self, _: &World, out: &mut Vec<f64>) {
        out.clear();
        out.extend_from_slice(self.nmdp.efforts());
    }

    fn memory_into(&self, out: &mut Memory) {
        let NmdpMemory { weights, beta, last_step, mean, v_before } = self.nmdp.memory();
        out.saturated.clear();
        out.saturated.resize(self.nmdp.efforts().len(), false);
        out.own.resize(4, Vec::new());
        let [own_weights, own_lengths, own_mean, own_before] = &mut out.own[..] else { return };
        for (to, of) in [(own_weights, weights), (own_mean, mean), (own_before, v_before)] {
            to.clone_from(of);
        }
        own_lengths.clear();
        own_lengths.extend([beta, last_step]);
        out.substep = None;
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
        let params = &self.params.nmdp;
        if let Ok(sites) = WorldSites::new(world, params, &|site| self.sets.make(site, params)) {
            let memory = self.nmdp.memory().clone();
            self.nmdp = Nmdp::new(world, self.nmdp.method(), params.clone(), sites.sites);
            self.nmdp.restore(&memory);
            self.judged = Judged::new(world, sites.contacts);
        }
    }

    fn slopes(&mut self, world: &World, start: &State, input: &Input, h: f64) -> Result<Slopes, NoSlopes> {
        let acting = Acting { control: &input.control, generalized: &input.generalized };
        let found =
            self.nmdp.derivative(world, (&start.q, &start.v), &acting, h).map_err(|why| match why {
                NoDerivative::Linearised => NoSlopes::Unsupported(
                    "its quadratic program is posed anew from linearised dynamics in every step",
                ),
                NoDerivative::Switch => NoSlopes::Here("a contact set begins or ceases to act".to_owned()),
                NoDerivative::Singular => NoSlopes::Here("∂G/∂ν has no inverse".to_owned()),
            })?;
        Ok(Slopes::Solved(Solved {
            mean: self.nmdp.mean_velocity().to_vec(),
            v_change: &found.mean * found.gain,
            mean_change: found.mean,
            rows: found.weights,
            rank: found.rank,
            at_switch: found.at_switch,
        }))
    }

    fn clear_problem(&mut self) {
        self.judged.clear();
    }
}
