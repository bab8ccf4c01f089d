//! What the inertia of the bodies resists with during a step, weight included, and the kinetic energy at its end: two ways
//! to put time into steps.
//!
//! | name | file |
//! |---|---|
//! | `ne` | [`newton_euler`]: backward Euler on the recursive Newton–Euler equations |
//! | `pbd` | [`displaced_points`]: backward Euler on the points of the bodies, position-based dynamics |
//!
//! Both add to a residual G [N, N·m] and to its derivatives by the tangent coordinates of q⁺ and by v⁺ directly, of which the second
//! only knows backward Euler, v⁺ = ν; see
//! [`crate::end_of_step`].

pub mod displaced_points;
pub mod newton_euler;

use crate::body_forces::BodyForces;
use crate::end_of_step::{EndOfStep, Start};
use displaced_points::DisplacedPoints;
use newton_euler::NewtonEuler;
use stiction_dynamics::{MassMatrix, Model};

/// Matrices and vectors that parts of a residual add to; nv×nv by rows.
#[derive(Debug)]
pub struct Parts<'a> {
    pub g: &'a mut [f64],
    pub by_q: &'a mut [f64],
    pub by_v: &'a mut [f64],
    /// Wrenches on bodies, the negative of what acts.
    pub forces: &'a mut BodyForces,
}

/// One of the two ways.
#[derive(Clone, Debug)]
pub enum Inertia {
    NewtonEuler(Box<NewtonEuler>),
    DisplacedPoints(Box<DisplacedPoints>),
}

impl Inertia {
    /// Prepares a step: computes all that ν does not change.
    pub fn begin(&mut self, model: &Model, start: &Start<'_>) {
        match self {
            Self::NewtonEuler(_) => {}
            Self::DisplacedPoints(points) => points.begin(model, start),
        }
    }

    /// Adds inertia and weight at the trial velocity ν to `parts`.
    #[inline(always)]
    pub fn add(
        &mut self,
        model: &Model,
        start: &Start<'_>,
        end: &EndOfStep,
        nu: &[f64],
        parts: &mut Parts<'_>,
    ) {
        match self {
            Self::NewtonEuler(ne) => ne.add(model, start, end, parts),
            Self::DisplacedPoints(points) => points.add(model, start, end, nu, parts),
        }
    }

    /// Kinetic energy at the trial velocity that was looked at last [J]; its derivatives by q⁺ and v⁺ are added.
    pub fn kinetic_energy(
        &mut self,
        model: &Model,
        start: &Start<'_>,
        end: &EndOfStep,
        nu: &[f64],
        by: [&mut [f64]; 2],
    ) -> f64 {
        match self {
            Self::NewtonEuler(ne) => ne.kinetic_energy(model, end, by),
            Self::DisplacedPoints(points) => points.kinetic_energy(model, start, end, nu, by),
        }
    }

    /// Mass matrix at q⁺: the second derivative of the kinetic energy by v⁺, but for turns of its axes.
    pub fn mass(&self) -> &MassMatrix {
        match self {
            Self::NewtonEuler(ne) => ne.mass(),
            Self::DisplacedPoints(points) => points.mass(),
        }
    }
}
