//! What the targets leave free: along the self-motion towards a posture.
//!
//! With z = posture ⊖ q and N the projection on the motions that keep the residual,
//!
//! ```text
//!     N z = ε (Jᵀ J + ε 1)⁻¹ z,   ε → 0                                 (1)
//! ```
//!
//! the solution steps by α N z, returns to the targets by a descent, and keeps what is nearer to the
//! posture in ‖z‖ (rad and m weigh alike). At the end N z vanishes: to first order no motion that
//! keeps the targets and the limits leads nearer.

use super::descent::Descent;
use super::limits::leads_out;
use super::residual::{Problem, dot};
use super::{IkStatus, Task};
use crate::integrate::difference_into;
use crate::model::Model;

/// ε of (1) against ‖J‖².
const EPSILON: f64 = 1e-10;
/// ‖N z‖ at which the posture is as near as it gets [rad].
const NEAR: f64 = 1e-7;
/// Smallest α.
const SHORTEST: f64 = 1e-3;

/// The scratch of a slide.
#[derive(Clone, Debug)]
pub(super) struct Slide {
    /// N z, per dof that matters.
    direction: Vec<f64>,
    /// z, length nv.
    z: Vec<f64>,
    /// Length nq.
    q_next: Vec<f64>,
}

impl Slide {
    pub(super) fn new(model: &Model) -> Self {
        Self { direction: Vec::new(), z: vec![0.0; model.nv()], q_next: model.neutral() }
    }

    /// Slides `q`, which meets the targets and still does after; returns the number of steps.
    pub(super) fn run(
        &mut self,
        task: &Task<'_>,
        posture: &[f64],
        problem: &mut Problem,
        descent: &mut Descent,
        q: &mut [f64],
    ) -> usize {
        let (mut iterations, mut alpha) = (0, 1.0);
        let mut distance = distance_into(task, posture, problem, q, &mut self.z);
        self.aim(task, problem, descent, q);
        while dot(&self.direction, &self.direction) > NEAR * NEAR
            && alpha > SHORTEST
            && iterations < task.params.iterations
        {
            descent.step.copy_from_slice(&self.direction);
            descent.take_step(task.model, problem, q, alpha);
            self.q_next.copy_from_slice(&descent.q_try);
            let end = descent.run(task, problem, &mut self.q_next);
            iterations += 1 + end.iterations;
            let there = distance_into(task, posture, problem, &self.q_next, &mut self.z);
            if end.status == IkStatus::Converged && there < distance {
                q.copy_from_slice(&self.q_next);
                (distance, alpha) = (there, (2.0 * alpha).min(1.0));
                self.aim(task, problem, descent, q);
            } else {
                alpha *= 0.5;
            }
        }
        iterations
    }

    /// (1) at `q`, without what the limits forbid.
    fn aim(&mut self, task: &Task<'_>, problem: &mut Problem, descent: &mut Descent, q: &[f64]) {
        problem.evaluate(task, q);
        problem.linearise(task);
        let epsilon = EPSILON * problem.steepest().max(f64::MIN_POSITIVE / EPSILON);
        self.direction.resize(problem.dofs.len(), 0.0);
        for (k, i) in problem.dofs.iter().enumerate() {
            self.direction[k] = self.z[*i];
        }
        // One more joint is held in each round, until none is left that leads out.
        for _ in 0..=problem.dofs.len() {
            for (step, z) in descent.step.iter_mut().zip(&self.direction) {
                *step = epsilon * z;
            }
            if !descent.solve(problem, epsilon) {
                self.direction.fill(0.0);
                return;
            }
            if !self.hold(task.model, problem, &descent.step, q) {
                self.direction.copy_from_slice(&descent.step);
                return;
            }
        }
        self.direction.fill(0.0);
    }

    /// Takes away the freedom of the scalar joints that `step` would lead out of their limits.
    fn hold(&mut self, model: &Model, problem: &mut Problem, step: &[f64], q: &[f64]) -> bool {
        let m = problem.r.len();
        let mut held = false;
        for joint in &model.joints {
            let Some(k) = problem.column_of(joint.idx_v) else { continue };
            if leads_out(joint, &q[joint.idx_q..], step[k]) {
                problem.J[k * m..(k + 1) * m].fill(0.0);
                self.direction[k] = 0.0;
                held = true;
            }
        }
        held
    }
}

/// Writes z and returns ‖z‖² over the dofs that matter.
fn distance_into(task: &Task<'_>, posture: &[f64], problem: &Problem, q: &[f64], z: &mut [f64]) -> f64 {
    difference_into(task.model, q, posture, 1.0, z);
    problem.dofs.iter().map(|i| z[*i] * z[*i]).sum()
}
