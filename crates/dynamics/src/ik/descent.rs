//! From one start downhill: Levenberg and Marquardt's method with an active set.
//!
//! ```text
//!     (Jᵀ J + λ 1) δ = −Jᵀ r,   λ = μ ‖r‖²                              (1)
//!     q⁺ = P(q ⊕ δ),   P: the nearest configuration within the limits   (2)
//!     ρ = (‖r‖² − ‖r⁺‖²) / (what the linear model promises)             (3)
//! ```
//!
//! J without what leads out of the limits. λ vanishes with the residual, so that convergence to a
//! solution is quadratic even where J is singular [Yamashita2001]; μ grows while ρ is small and
//! falls while it is near 1. Where ‖Jᵀ r‖ vanishes against ‖J‖ ‖r‖, or no step helps any more,
//! no small motion does.

use super::residual::{Errors, Problem, dot};
use super::{End, IkParams, IkStatus, Task};
use crate::dense;
use crate::integrate::integrate_into;
use crate::model::Model;

/// First μ, its range, and its factor from step to step.
const MU: f64 = 0.1;
const MU_RANGE: [f64; 2] = [1e-10, 1e12];
const MU_FACTOR: f64 = 5.0;
/// ρ below which a step is not taken, below which μ grows, and beyond which it falls.
const RHO: [f64; 3] = [1e-4, 0.25, 0.5];
/// ‖Jᵀ r‖ against ‖J‖ ‖r‖: below, what a step along it could gain is lost in the rounding of ‖r‖².
const STATIONARY: f64 = 3e-8;
/// Least λ, against ‖J‖².
const FLOOR: f64 = 1e-14;

/// The scratch of a descent.
#[derive(Clone, Debug)]
pub(super) struct Descent {
    /// Jᵀ J + λ, then its factor.
    A: Vec<f64>,
    /// δ, per dof that matters.
    pub(super) step: Vec<f64>,
    /// Length nv.
    v: Vec<f64>,
    /// Length nq: q⁺ of (2).
    pub(super) q_try: Vec<f64>,
}

impl Descent {
    pub(super) fn new(model: &Model) -> Self {
        Self { A: Vec::new(), step: Vec::new(), v: vec![0.0; model.nv()], q_try: model.neutral() }
    }

    /// Sizes everything for `n` dofs.
    pub(super) fn prepare(&mut self, n: usize) {
        self.A.resize(n * n, 0.0);
        self.step.resize(n, 0.0);
    }

    /// Moves `q` downhill until a status can be given.
    pub(super) fn run(&mut self, task: &Task<'_>, problem: &mut Problem, q: &mut [f64]) -> End {
        let mut errors = problem.evaluate(task, q);
        let mut mu = MU;
        for iterations in 0..task.params.iterations {
            if let Some(status) = arrived(&errors, task.params) {
                return End { status, cost: errors.cost, iterations };
            }
            problem.linearise(task);
            let level = STATIONARY * STATIONARY * 2.0 * errors.cost * problem.steepest();
            let held = problem.hold_at_limits(task.model, q);
            let flat = dot(&problem.gradient, &problem.gradient) <= level;
            match if flat { None } else { self.improve(task, problem, &errors, &mut mu, q) } {
                Some(better) => errors = better,
                None => {
                    let status = if held > level { IkStatus::LimitsReached } else { IkStatus::Stalled };
                    return End { status, cost: errors.cost, iterations };
                }
            }
        }
        let status = arrived(&errors, task.params).unwrap_or(IkStatus::IterationLimit);
        End { status, cost: errors.cost, iterations: task.params.iterations }
    }

    /// One step (1), (2), with ever more damping until it helps; `None` where none does.
    fn improve(
        &mut self,
        task: &Task<'_>,
        problem: &mut Problem,
        errors: &Errors,
        mu: &mut f64,
        q: &mut [f64],
    ) -> Option<Errors> {
        let least = FLOOR * problem.steepest();
        *mu = mu.clamp(MU_RANGE[0], MU_RANGE[1]);
        while *mu <= MU_RANGE[1] {
            let lambda = (*mu * 2.0 * errors.cost).max(least);
            self.step.iter_mut().zip(&problem.gradient).for_each(|(step, g)| *step = -g);
            if self.solve(problem, lambda) {
                // ½ δᵀ (λ δ − g)
                let promised =
                    0.5 * (lambda * dot(&self.step, &self.step) - dot(&self.step, &problem.gradient));
                self.take_step(task.model, problem, q, 1.0);
                let there = problem.evaluate(task, &self.q_try);
                let rho = (errors.cost - there.cost) / promised; // (3)
                if rho > RHO[0] && there.cost < errors.cost {
                    if rho > RHO[2] {
                        *mu /= MU_FACTOR;
                    } else if rho < RHO[1] {
                        *mu *= MU_FACTOR;
                    }
                    q.copy_from_slice(&self.q_try);
                    return Some(there);
                }
            }
            *mu *= MU_FACTOR;
        }
        None
    }

    /// step ← (Jᵀ J + λ)⁻¹ step; false when that is no number.
    pub(super) fn solve(&mut self, problem: &Problem, lambda: f64) -> bool {
        let (m, n) = (problem.r.len(), self.step.len());
        for k in 0..n {
            let column = &problem.J[k * m..(k + 1) * m];
            for l in 0..=k {
                self.A[k * n + l] = dot(column, &problem.J[l * m..(l + 1) * m]);
            }
            self.A[k * n + k] += lambda;
        }
        let factored = dense::cholesky(&mut self.A, n).is_ok();
        if factored {
            dense::cholesky_solve(&self.A, n, &mut self.step);
        }
        factored
    }

    /// q_try ← P(q ⊕ scale · step).
    pub(super) fn take_step(&mut self, model: &Model, problem: &Problem, q: &[f64], scale: f64) {
        self.v.fill(0.0);
        for (i, step) in problem.dofs.iter().zip(&self.step) {
            self.v[*i] = *step;
        }
        integrate_into(model, q, &self.v, scale, &mut self.q_try);
        problem.clamp(model, &mut self.q_try);
    }
}

/// Whether there is nothing left to do.
fn arrived(errors: &Errors, params: &IkParams) -> Option<IkStatus> {
    if !(errors.cost + errors.position + errors.rotation).is_finite() {
        return Some(IkStatus::NumericalFailure);
    }
    let met = errors.position <= params.position_tolerance && errors.rotation <= params.rotation_tolerance;
    met.then_some(IkStatus::Converged)
}
