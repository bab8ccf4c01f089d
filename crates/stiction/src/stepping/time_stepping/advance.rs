//! (4) of [`super`]: positions and velocities at the end of the step, tree by tree by its rule.

use super::position_correction::PositionCorrection;
use crate::params::HigherOrder;
use crate::stepping::attempt::Step;
use crate::stepping::free_velocity::FreeMotion;
use crate::stepping::here::Here;
use crate::stepping::integrate::ballistic::Ballistic;
use crate::stepping::integrate::rolling::RollingBodies;
use crate::stepping::integrate::{Facts, Quadrature, Touch, Unbound, choose};
use crate::stepping::trial::Trial;
use stiction_assembly::Posed;
use stiction_dynamics::integrate_joints_into;
use stiction_world::World;

/// The rules of a step, and where they lead.
pub(crate) struct Advance {
    pub(crate) ballistic: Ballistic,
    /// Per tree, the rule of the last step.
    pub(crate) rules: Vec<Quadrature>,
    unbound: Vec<Option<Unbound>>,
    /// State at the end of the step.
    pub(crate) q: Vec<f64>,
    pub(crate) v: Vec<f64>,
    /// Velocities by which positions move.
    moving: Vec<f64>,
}

/// A step that was solved.
pub(crate) struct SolvedStep<'a> {
    /// The step from where it was posed, and from where it starts.
    pub(crate) step: Step<'a>,
    pub(crate) whole: Step<'a>,
    pub(crate) here: &'a Here,
    pub(crate) free: &'a FreeMotion,
    pub(crate) posed: &'a Posed,
    pub(crate) trial: &'a Trial,
    pub(crate) correction: &'a PositionCorrection,
    pub(crate) rolling: &'a RollingBodies,
}

impl Advance {
    pub(crate) fn new(world: &World, higher_order: HigherOrder) -> Self {
        let model = &world.model;
        let numbers = || vec![0.0; model.nv()];
        Self {
            ballistic: Ballistic::new(world, higher_order),
            rules: vec![Quadrature::Backward; model.trees],
            unbound: vec![None; model.trees],
            q: model.neutral(),
            v: numbers(),
            moving: numbers(),
        }
    }

    /// Finds the rule of every tree, and the state at the end of the step.
    pub(crate) fn find(&mut self, s: &SolvedStep<'_>) {
        self.choose(s);
        let Step { world, start: state, h, .. } = s.step;
        let (model, v_next) = (&world.model, &s.trial.v_next);
        self.moving.copy_from_slice(v_next);
        self.moving.iter_mut().zip(&s.correction.v).for_each(|(v, more)| *v += more);
        let rules = &self.rules;
        let elsewhere = |joint: &usize| {
            let rule = rules[model.bodies[model.joints[*joint].body].tree];
            matches!(rule, Quadrature::Ballistic | Quadrature::HigherOrder | Quadrature::Middle)
        };
        for joints in s.here.kin.selected_joints() {
            let mut left = joints.clone();
            while let Some(first) = left.find(|joint| !elsewhere(joint)) {
                let end = left.find(elsewhere).unwrap_or(joints.end);
                integrate_joints_into(model, first..end, &state.q, &self.moving, h, &mut self.q);
            }
        }
        self.v.copy_from_slice(v_next);
        let (q, v) = (&mut self.q, &mut self.v);
        self.ballistic.advance(state, &s.free.v_free, h, &self.rules, q, v);
        self.moving.iter_mut().zip(&s.correction.v).for_each(|(v, more)| *v += more);
        s.rolling.advance((world, state), [&s.correction.v, &self.moving], h, &self.rules, q, v);
        if s.here.rigid {
            self.ballistic.fly_after_impulses(state, &s.correction.v, h, &self.rules, q, v);
        }
    }

    fn choose(&mut self, s: &SolvedStep<'_>) {
        let Step { world, input, start: state, h } = s.whole;
        let Self { ballistic, rules, unbound, .. } = self;
        let held = |tree: usize| s.here.sleeps[tree] || s.correction.moves(tree);
        ballistic.find(s.posed, &s.trial.impulses, &s.free.factor, held);
        if ballistic.has_trees() || !world.actuators.is_empty() || !input.generalized.is_empty() {
            ballistic.applied.fill(0.0);
            ballistic.applied.iter_mut().zip(&input.generalized).for_each(|(a, f)| *a += f);
            s.free.servos.add_given_efforts(&world.actuators, &mut ballistic.applied);
        }
        let of_step = (state, input);
        ballistic.unbound_into(of_step, &s.free.mass, h, [&s.free.v_free, &s.trial.v_next], unbound);
        for (tree, rule) in rules.iter_mut().enumerate() {
            *rule = choose(&Facts {
                asleep: s.here.sleeps[tree],
                in_middle: s.rolling.on[tree],
                touch: ballistic.touch(tree),
                unbound: unbound[tree],
            });
        }
    }

    /// Puts the mean efforts of servos of trees that moved by rules of higher order into their places.
    pub(crate) fn efforts_into(&self, out: &mut [f64]) {
        self.ballistic.efforts_into(&self.rules, out);
    }

    /// Whether constraint impulses held the tree, and nothing else moved it.
    pub(crate) fn holds(&self, tree: usize) -> bool {
        self.ballistic.touch(tree) == Touch::Holds
    }

    /// The number that is not finite, in words.
    pub(crate) fn check(&self, world: &World) -> Result<(), String> {
        let model = &world.model;
        if let Some(i) = self.q.iter().position(|q| !q.is_finite()) {
            let of = model.joints.iter().rfind(|j| j.idx_q <= i);
            let name = of.map_or("?", |j| &j.name);
            return Err(format!("the position of joint `{name}` is {}", self.q[i]));
        }
        if let Some(dof) = self.v.iter().position(|v| !v.is_finite()) {
            let name = &model.joints[model.dofs[dof].joint].name;
            return Err(format!("the velocity of joint `{name}` is {}", self.v[dof]));
        }
        Ok(())
    }
}
