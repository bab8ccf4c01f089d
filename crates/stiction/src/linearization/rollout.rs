//! Gradients through rollouts, by the adjoint of each step.
//!
//! With x_{k+1} = f(x_k, u_k) and a cost whose gradients by the states are g_1 … g_N, in tangent coordinates
//! of (q, v),
//!
//! ```text
//!     p_N = g_N,   ∂/∂u_k = B_kᵀ p_{k+1},   p_k = A_kᵀ p_{k+1} + g_k,   ∂/∂x_0 = A_0ᵀ p_1            (1)
//! ```
//!
//! A_k and B_k are kept between two checkpoints alone, from which steps are done again: two rollouts of work,
//! and memory for N/m checkpoints and m matrices.

use super::{LinearizationError, LinearizationNote, LinearizationParams, Parameter};
use crate::simulation::Simulation;

/// The gradient of a cost of the states of a rollout.
#[derive(Clone, Debug, PartialEq)]
pub struct RolloutGradient {
    /// By the first state, 2 nv numbers.
    pub start: Vec<f64>,
    /// By the controls, nu numbers a step.
    pub controls: Vec<f64>,
    /// By the parameters that were asked for.
    pub parameters: Vec<f64>,
    /// Facts to be known of the derivatives, each with the step that it is of.
    pub notes: Vec<(usize, LinearizationNote)>,
}

/// Why a rollout has no gradient.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RolloutError {
    #[error("{what} of a rollout are {got} numbers; expected {expected}, {each} a step")]
    Size { what: &'static str, got: usize, expected: usize, each: usize },
    #[error("a rollout has a checkpoint every 0 steps; expected one or more")]
    Checkpoints,
    #[error("step {step}: {why}")]
    Step { step: usize, why: LinearizationError },
}

impl Simulation {
    /// (1): the gradient of a cost of a rollout from the present state under `controls`, nu numbers a step,
    /// by the gradients of the cost by the `states` after each step, 2 nv numbers a step. There is a
    /// checkpoint every `every` steps. State and memory are as before, the input too; generalized forces that
    /// were set act in the first step.
    ///
    /// # Errors
    ///
    /// Sizes that do not fit, and the first step that has no derivative, with the reason.
    pub fn rollout_vjp(
        &mut self,
        controls: &[f64],
        states: &[f64],
        every: usize,
    ) -> Result<RolloutGradient, RolloutError> {
        self.rollout_vjp_by(controls, states, every, &[])
    }

    /// Finds what [`Self::rollout_vjp`] finds, with the gradient by `parameters` as well, Σ C_kᵀ p_{k+1},
    /// which are the same in all steps.
    ///
    /// # Errors
    ///
    /// As [`Self::rollout_vjp`].
    pub fn rollout_vjp_by(
        &mut self,
        controls: &[f64],
        states: &[f64],
        every: usize,
        parameters: &[Parameter],
    ) -> Result<RolloutGradient, RolloutError> {
        let (n, nu) = (2 * self.world().model.nv(), self.world().actuators.len());
        let steps = states.len().checked_div(n).unwrap_or(0);
        for (what, of, each) in [("controls", controls, nu), ("gradients", states, n)] {
            if of.len() != each * steps {
                return Err(RolloutError::Size { what, got: of.len(), expected: each * steps, each });
            }
        }
        if every == 0 {
            return Err(RolloutError::Checkpoints);
        }
        let before = self.moment();
        let gradient = self.gradient((controls, nu), (states, n), every, parameters);
        self.go_back(&before);
        gradient
    }

    fn gradient(
        &mut self,
        (controls, nu): (&[f64], usize),
        (states, n): (&[f64], usize),
        every: usize,
        parameters: &[Parameter],
    ) -> Result<RolloutGradient, RolloutError> {
        let steps = states.len() / n.max(1);
        let control = |k: usize| &controls[k * nu..(k + 1) * nu];
        let mut checkpoints = Vec::new();
        for k in 0..steps {
            if k % every == 0 {
                checkpoints.push(self.moment());
            }
            self.control_mut().copy_from_slice(control(k));
            if let Some(cause) = self.step().failure() {
                let why = LinearizationError::Failed(cause.to_owned());
                return Err(RolloutError::Step { step: k, why });
            }
        }
        let mut out = RolloutGradient {
            start: vec![0.0; n],
            controls: vec![0.0; controls.len()],
            parameters: vec![0.0; parameters.len()],
            notes: Vec::new(),
        };
        for (segment, checkpoint) in checkpoints.iter().enumerate().rev() {
            let first = segment * every;
            let last = (first + every).min(steps);
            self.go_back(checkpoint);
            let mut parts = Vec::with_capacity(last - first);
            for k in first..last {
                self.control_mut().copy_from_slice(control(k));
                let (_, linearization) = self.step_linearized_by(&LinearizationParams::default(), parameters);
                parts.push(linearization.map_err(|why| RolloutError::Step { step: k, why })?);
            }
            for (k, part) in (first..last).zip(parts).rev() {
                out.start.iter_mut().zip(&states[k * n..(k + 1) * n]).for_each(|(p, g)| *p += g);
                let transposed = |matrix: &[f64], columns: usize, p: &[f64]| -> Vec<f64> {
                    (0..columns).map(|j| (0..n).map(|i| matrix[i * columns + j] * p[i]).sum()).collect()
                };
                out.controls[k * nu..(k + 1) * nu].copy_from_slice(&transposed(&part.b, nu, &out.start));
                let by_parameters = transposed(&part.c, parameters.len(), &out.start);
                out.parameters.iter_mut().zip(by_parameters).for_each(|(sum, x)| *sum += x);
                out.start = transposed(&part.a, n, &out.start);
                out.notes.extend(part.notes.into_iter().map(|note| (k, note)));
            }
        }
        out.notes.sort_by_key(|note| note.0);
        Ok(out)
    }
}
