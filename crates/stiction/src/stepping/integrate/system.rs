//! The equations of motion of a tree that no constraint acts upon.
//!
//! ```text
//!     q̇ = rates of q at v,   v̇ = M(q)⁻¹ (τ + Σ c e(c q, c v) − D v − K (q − q₀) − b(q, v))          (1)
//! ```
//!
//! with τ what motors and others exert, held during the step, and e the laws of its servos within their limits
//! ([`stiction_assembly::laws::actuator`]).

use super::is_servo;
use crate::input::Input;
use crate::state::State;
use stiction_assembly::forces::actuators::{self, effort_and_slopes};
use stiction_assembly::laws::actuator::AffineActuator;
use stiction_assembly::laws::spring::{held_damper, held_spring};
use stiction_dynamics::{
    AbaWorkspace, Dual, JointKind, Kinematics, Model, Tree, Velocities, aba_into, normalize, rates_into,
};
use stiction_world::{Actuator, World};

/// Stages of a method, at most.
pub(super) const STAGES: usize = 6;
/// The farthest that a joint under servos may turn in a step [rad].
const FAR: f64 = 1.0;
/// Speeds below which an error estimate may be more: rounding [m/s or rad/s].
const STILL: f64 = 1e-9;

/// (1), at the start of a part of a step and at its stages.
pub(super) struct System {
    pub(super) tree: Tree,
    pub(super) kin: Kinematics,
    pub(super) vel: Velocities,
    aba: AbaWorkspace,
    pub(super) servos: Vec<Servo>,
    /// At the start of a part: coordinates, velocities, and what acts.
    pub(super) q0: Vec<f64>,
    pub(super) v0: Vec<f64>,
    pub(super) applied: Vec<f64>,
    /// Coordinates, velocities and efforts of a stage.
    pub(super) q: Vec<f64>,
    pub(super) v: Vec<f64>,
    pub(super) tau: Vec<f64>,
    /// q̇ and v̇, a row per stage.
    pub(super) q_dot: [Vec<f64>; STAGES],
    pub(super) v_dot: [Vec<f64>; STAGES],
}

/// A servo on one dof.
pub(super) struct Servo {
    /// The number of the actuator.
    pub(super) index: usize,
    /// Dof and coordinate in the tree, and the coefficient of the length.
    pub(super) dof: usize,
    pub(super) idx_q: usize,
    pub(super) c: f64,
    pub(super) law: AffineActuator,
    /// Control in this step.
    pub(super) control: f64,
    /// It was within its limits at the start of the part.
    pub(super) within: bool,
    /// Effort at every stage, and its mean over the step so far [N or N·m].
    pub(super) stages: [f64; STAGES],
    pub(super) mean: f64,
}

impl Servo {
    /// The effort, and whether it is within its limits.
    pub(super) fn effort(&self, q: &[f64], v: &[f64]) -> (f64, bool) {
        let effort = self.law.effort(self.control, self.c * q[self.idx_q], self.c * v[self.dof]);
        let limited = self.law.limited(effort);
        (limited, limited == effort)
    }

    /// The effort without its limit, with its derivatives by length, rate and control.
    pub(super) fn effort_and_slopes(&self, q: &[f64], v: &[f64]) -> Dual<3> {
        effort_and_slopes(&self.law, self.control, self.c * q[self.idx_q], self.c * v[self.dof])
    }

    /// Damping and stiffness along the dof, zero where they are negative.
    pub(super) fn gains(&self) -> [f64; 2] {
        [self.law.bias_velocity, self.law.bias_length].map(|b| (-b).max(0.0) * self.c * self.c)
    }

    /// Adds a part of the step to its mean effort.
    pub(super) fn add_mean(&mut self, weights: &[f64], share: f64) {
        self.mean += share * weights.iter().zip(&self.stages).map(|(w, e)| w * e).sum::<f64>();
    }
}

impl System {
    /// Tree `number` of `world`, whose servos act on single dofs.
    pub(super) fn new(world: &World, number: usize) -> Self {
        let tree = Tree::of(&world.model, number);
        let (nq, nv) = (tree.model.nq, tree.model.nv());
        let servo = |(index, a): (usize, &Actuator)| {
            let [(dof, c)] = a.transmission[..] else { return None };
            let dof = tree.v.iter().position(|&d| d == dof)?;
            let joint = &tree.model.joints[tree.model.dofs[dof].joint];
            let (idx_q, stages, law) = (joint.idx_q, [0.0; STAGES], actuators::law(a));
            Some(Servo { index, dof, idx_q, c, law, control: 0.0, within: true, stages, mean: 0.0 })
        };
        let driven = world.actuators.iter().enumerate().filter(|(_, a)| is_servo(a));
        Self {
            kin: Kinematics::new(&tree.model),
            vel: Velocities::new(&tree.model),
            aba: AbaWorkspace::new(&tree.model),
            servos: driven.filter_map(servo).collect(),
            q0: vec![0.0; nq],
            v0: vec![0.0; nv],
            applied: vec![0.0; nv],
            q: vec![0.0; nq],
            v: vec![0.0; nv],
            tau: vec![0.0; nv],
            q_dot: std::array::from_fn(|_| vec![0.0; nq]),
            v_dot: std::array::from_fn(|_| vec![0.0; nv]),
            tree,
        }
    }

    /// Starts a step at `state` under the efforts `applied`, which are not of servos.
    pub(super) fn start(&mut self, state: &State, applied: &[f64], input: &Input) {
        self.applied.iter_mut().zip(&self.tree.v).for_each(|(x, &i)| *x = applied[i]);
        self.q.iter_mut().zip(&self.tree.q).for_each(|(x, &i)| *x = state.q[i]);
        self.v.iter_mut().zip(&self.tree.v).for_each(|(x, &i)| *x = state.v[i]);
        for servo in &mut self.servos {
            servo.control = input.control.get(servo.index).copied().unwrap_or(0.0);
            servo.mean = 0.0;
        }
    }

    /// Whether servos have made a joint so fast that it turns by more than [`FAR`] in a step of h [s]: what it then touches is
    /// met by steps that cannot follow, and rules that damp such motion serve better.
    pub(super) fn outruns(&self, h: f64) -> bool {
        !self.servos.is_empty()
            && self.tree.model.dofs.iter().zip(&self.v).any(|(dof, v)| {
                self.tree.model.joints[dof.joint].kind != JointKind::Slide && (h * v).abs() > FAR
            })
    }

    /// q and v at the start of the part plus h times the stages so weighted.
    #[inline(always)]
    pub(super) fn combine(&mut self, weights: &[f64], h: f64) {
        let add = |to: &mut [f64], from: &[f64], stages: &[Vec<f64>]| {
            for (i, (x, x0)) in to.iter_mut().zip(from).enumerate() {
                *x = x0 + h * weights.iter().zip(stages).map(|(w, k)| w * k[i]).sum::<f64>();
            }
        };
        add(&mut self.q, &self.q0, &self.q_dot);
        add(&mut self.v, &self.v0, &self.v_dot);
        normalize(&self.tree.model, &mut self.q);
    }

    /// Whether Σ (weight · v̇) of the stages, times h, is small beside the speeds of the part, after [`Self::combine`].
    #[inline(always)]
    pub(super) fn is_small(&self, weights: &[f64], h: f64, share: f64) -> bool {
        let (mut error, mut speed) = (0.0, 0.0);
        for i in 0..self.v.len() {
            let difference: f64 = weights.iter().zip(&self.v_dot).map(|(w, k)| w * k[i]).sum();
            error += h * difference.abs();
            speed += self.v[i].abs() + self.v0[i].abs() + h * self.v_dot[0][i].abs();
        }
        error <= share * (speed + STILL) && self.q.iter().all(|x| x.is_finite())
    }

    /// (1) at q and v.
    #[inline(always)]
    pub(super) fn evaluate(&mut self, stage: usize) {
        let model = &self.tree.model;
        self.kin.update(model, &self.q);
        self.vel.update(model, &self.kin, &self.v);
        rates_into(model, &self.q, &self.v, &mut self.q_dot[stage]);
        for (i, dof) in model.dofs.iter().enumerate() {
            self.tau[i] = self.applied[i] + held_damper(dof.damping, self.v[i]);
        }
        for (_, joint) in model.springs() {
            let stretch = joint.spring_stretch(&self.q[joint.idx_q..]);
            let tau = self.tau[joint.idx_v..][..joint.kind.nv()].iter_mut();
            tau.zip(stretch).for_each(|(tau, stretch)| *tau += held_spring(joint.stiffness, stretch));
        }
        for servo in &mut self.servos {
            let effort = servo.effort(&self.q, &self.v).0;
            servo.stages[stage] = effort;
            self.tau[servo.dof] += servo.c * effort;
        }
        aba_into(model, &self.kin, &self.vel, &self.tau, &mut self.aba, &mut self.v_dot[stage]);
    }

    /// The tree as a model of its own.
    pub(super) fn model(&self) -> &Model {
        &self.tree.model
    }
}
