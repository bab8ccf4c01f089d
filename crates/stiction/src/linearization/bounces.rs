//! Contacts that bounce within a step: what they ask for depends on the velocities at its start and without impulses.
//!
//! ```text
//!     c_N = J_N v⁺ + b(φ, J_N v, J_N v_f, e)                                                        (1)
//!     ∂(J v_f) = ∂J v_f + J ∂v_f,   M̂ ∂v_f by the right-hand side of [`super::forces`] with Δ = v_f − v   (2)
//! ```
//!
//! b is [`stiction_assembly::laws::restitution`], evaluated with dual numbers, and so is the share 1 − s of the step that is left after
//! the bounce. A free body on which nothing acts but bounces goes by the mean velocities of its two parabolas, (4) of
//! [`crate::stepping::integrate::ballistic`]: these have M̂⁻¹ Σ (1 − s) Jᵀ λ, whose derivative is [`shift`].

use super::LinearizationError;
use super::contact_geometry::Geometry;
use super::forces::Forces;
use super::parameter::Parameter;
use super::rows::{At, Rows, Writer};
use nalgebra::DMatrix;
use stiction_assembly::ContactPoint;
use stiction_assembly::laws::restitution::Restitution;
use stiction_assembly::laws::row_params::RowParams;
use stiction_dynamics::{Dual, MassMatrix};

/// Velocities of the rows before the step and without impulses, with their derivatives, a row per row of the problem.
pub(super) struct Velocities {
    pub(super) before: DMatrix<f64>,
    pub(super) free: DMatrix<f64>,
    /// ∂v_f.
    unhindered: DMatrix<f64>,
}

impl Velocities {
    /// Both, `before` being known.
    pub(super) fn new(
        before: DMatrix<f64>,
        forces: &Forces<'_>,
        mass: &MassMatrix,
        geometry: &Geometry,
    ) -> Result<Self, LinearizationError> {
        let (accepted, columns) = (forces.accepted, forces.columns);
        let change: Vec<f64> = accepted.v_free.iter().zip(accepted.v).map(|(a, b)| a - b).collect();
        let unhindered = Forces { change: &change, ..*forces };
        let (mut right, _) = unhindered.right_hand_side();
        unhindered.add_parameters(&mut right);
        right.as_mut_slice().chunks_exact_mut(columns.nv).for_each(|c| accepted.factor.solve_in_place(c));
        let none = vec![0.0; accepted.impulses.len()];
        let at = At { v: accepted.v_free, impulses: &none, biases: false };
        let turned = Writer::new(forces, mass, geometry, at).write(&mut columns.zeros(columns.nv))?;
        Ok(Self { before, free: &turned.J * &right + turned.velocity, unhindered: right })
    }
}

/// A contact that bounces: b and 1 − s by φ, J_N v, J_N v_f and e.
pub(super) struct Bounce {
    pub(super) bias: Dual<4>,
    pub(super) left: Dual<4>,
}

/// The bounce of a contact, where it asks for that instead of what its gap does.
pub(super) fn bounce(params: &RowParams, c: &ContactPoint, before: f64, free: f64) -> Option<Bounce> {
    if c.restitution <= 0.0 || c.spring.is_some() {
        return None;
    }
    let number = Dual::<4>::variable;
    let surfaces =
        Restitution { coefficient: number(c.restitution, 3), depth: Dual::constant(c.bounce_depth) };
    let of =
        params.cast(number(0.0, 0)).bounce(surfaces, number(c.gap, 0), number(before, 1), number(free, 2));
    of.holds.then_some(Bounce { bias: of.bias, left: of.left })
}

impl Forces<'_> {
    /// Calls `at` with the columns of the coefficient of restitution of a contact.
    pub(super) fn columns_of_restitution(&self, c: &ContactPoint, mut at: impl FnMut(usize)) {
        for (p, parameter) in self.parameters.iter().enumerate() {
            if matches!(parameter, Parameter::Restitution { .. }) && parameter.is_of(c.geometries) {
                at(self.columns.p(p));
            }
        }
    }
}

/// The part of the motion of bodies that is of bounces, where nothing else acts on them.
pub(super) struct Shift {
    /// The velocity M̂⁻¹ Σ (1 − s) Jᵀ λ of the blocks that bounce, and its derivative.
    pub(super) velocity: Vec<f64>,
    pub(super) change: DMatrix<f64>,
    /// ∂v_f.
    pub(super) unhindered: DMatrix<f64>,
}

/// The shift of a step; `None` where nothing bounces.
pub(super) fn shift(
    velocities: Velocities,
    (forces, mass, geometry): (&Forces<'_>, &MassMatrix, &Geometry),
    rows: &Rows,
    T: &DMatrix<f64>,
    dlambda: &DMatrix<f64>,
) -> Result<Option<Shift>, LinearizationError> {
    let (accepted, columns) = (forces.accepted, forces.columns);
    let (posed, lambda) = (accepted.posed, accepted.impulses);
    let mut weighted = vec![0.0; lambda.len()];
    let mut change = columns.zeros(lambda.len());
    let mut any = false;
    for (block, left) in posed.bouncing() {
        any = true;
        for r in posed.problem.range(block) {
            weighted[r] = left * lambda[r];
            let row = dlambda.row(r) * left + rows.left.row(posed.normal_row(block)) * lambda[r];
            change.row_mut(r).copy_from(&row);
        }
    }
    if !any {
        return Ok(None);
    }
    let y: Vec<f64> = (T * DMatrix::from_column_slice(lambda.len(), 1, &weighted)).as_slice().to_vec();
    let mut force = columns.zeros(columns.nv);
    let at = At { v: &y, impulses: &weighted, biases: false };
    Writer::new(forces, mass, geometry, at).write(&mut force)?;
    force += forces.inertia_change(mass, &y);
    force.as_mut_slice().chunks_exact_mut(columns.nv).for_each(|c| accepted.factor.solve_in_place(c));
    Ok(Some(Shift { velocity: y, change: force + T * change, unhindered: velocities.unhindered }))
}
