//! What an optimiser asks of a system.

use nalgebra::DMatrix;
use std::ops::ControlFlow;

/// A state: configuration (nq numbers) and velocity (nv numbers).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Point {
    pub q: Vec<f64>,
    pub v: Vec<f64>,
}

/// The derivatives of one knot in tangent coordinates of (q, v): row by row, `a` is 2 nv × 2 nv and `b` 2 nv × nu.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Derivative {
    pub a: Vec<f64>,
    pub b: Vec<f64>,
}

impl Derivative {
    /// The derivative of a step after another, under one control for both: A = A₂ A₁, B = A₂ B₁ + B₂; n states and nu controls.
    #[must_use]
    pub fn after(&self, before: &Self, n: usize, nu: usize) -> Self {
        let (A, B) = (DMatrix::from_row_slice(n, n, &self.a), DMatrix::from_row_slice(n, nu, &self.b));
        let a = &A * DMatrix::from_row_slice(n, n, &before.a);
        let b = &A * DMatrix::from_row_slice(n, nu, &before.b) + B;
        let rows = |m: DMatrix<f64>| m.transpose().as_slice().to_vec();
        Self { a: rows(a), b: rows(b) }
    }
}

/// Why a system did not go on.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{0}")]
pub struct SystemError(pub String);

/// A system in discrete time, x_{k+1} = f(x_k, u_k), whose states are points of a manifold.
///
/// One knot is the time for which a control is kept. A system may remember more than its state, as a simulation does its last
/// impulses: from [`Self::restart`] on the same controls lead to the same states, bit for bit.
pub trait System {
    /// Numbers of a velocity, and of a control.
    fn nv(&self) -> usize;
    fn nu(&self) -> usize;
    /// Goes back to the first state.
    ///
    /// # Errors
    ///
    /// The system cannot be put there.
    fn restart(&mut self) -> Result<(), SystemError>;
    /// The present state.
    fn point(&self) -> Point;
    /// Advances by one knot under the control `u` (nu numbers).
    ///
    /// # Errors
    ///
    /// The system has no next state; where it is then is unspecified until [`Self::restart`].
    fn advance(&mut self, u: &[f64]) -> Result<(), SystemError>;
    /// Advances by one knot, to the same state but for what iterative solvers leave within their tolerance, and differentiates it.
    ///
    /// # Errors
    ///
    /// As [`Self::advance`], and where there is no derivative.
    fn differentiate(&mut self, u: &[f64]) -> Result<Derivative, SystemError>;
    /// The tangent vector that takes `from` to `to`, 2 nv numbers.
    fn difference(&self, from: &Point, to: &Point) -> Vec<f64>;
}

/// Is told after every iteration, and says whether to go on.
pub type Tell<'a> = dyn FnMut(&super::Iteration) -> ControlFlow<()> + 'a;
