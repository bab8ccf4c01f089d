//! What steppers say of the derivative of a step that is not that of `time-stepping`.

use nalgebra::DMatrix;
use stiction_assembly::Posed;
use stiction_contact::{ConstraintProblem, Law};

/// Derivatives by (q, v, u) of a step q⁺ = q ⊕ h ν to v⁺: a row per velocity, positions along the coordinates
/// of v.
#[derive(Clone, Debug)]
pub enum Slopes {
    /// Derivatives of velocities, from the stepper's own conditions of the least.
    Solved(Solved),
    /// Derivatives of the stepper's equations, whose impulses obey a contact law.
    Equations(Box<Equations>),
}

/// Derivatives of velocities.
#[derive(Clone, Debug)]
pub struct Solved {
    /// ν [m/s or rad/s], and its derivative.
    pub mean: Vec<f64>,
    pub mean_change: DMatrix<f64>,
    /// ∂v⁺.
    pub v_change: DMatrix<f64>,
    /// Numbers that hold, and the rank of their equations.
    pub rows: usize,
    pub rank: usize,
    /// The derivative is one-sided.
    pub at_switch: bool,
}

/// The equations r(v⁺, λ) = 0 of a step, S = −∂r/∂v⁺ and Jᵀ = ∂r/∂λ, with the velocities c of their rows.
#[derive(Clone, Debug)]
pub struct Equations {
    pub problem: ConstraintProblem,
    /// The law of the method, if it is not that of the contact solver.
    pub law: Option<Law>,
    pub lambda: Vec<f64>,
    pub c: Vec<f64>,
    pub J: DMatrix<f64>,
    pub S: DMatrix<f64>,
    /// ∂r and ∂c where v⁺ and λ stay.
    pub r_change: DMatrix<f64>,
    pub c_change: DMatrix<f64>,
    /// ν = θ v⁺ + (1 − θ) v.
    pub theta: f64,
    pub mean: Vec<f64>,
}

/// Why there are none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoSlopes {
    /// The stepper, or this kind of it, is not differentiated.
    Unsupported(&'static str),
    /// The step is at a switch, or its equations are singular.
    Here(String),
}

/// J, a row per row of the problem, over `nv` velocities.
pub(crate) fn dense_jacobian(posed: &Posed, nv: usize) -> DMatrix<f64> {
    let mut J = DMatrix::zeros(posed.problem.rows(), nv);
    posed.for_each_entry(|row, dof, x| J[(row, dof)] += x);
    J
}
