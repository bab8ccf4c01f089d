//! Motions of what bounces within a step: velocities without impulses, and the shift of what nothing else
//! acts upon.
//!
//! A free body on which nothing acts but bounces goes by the mean velocities of its two parabolas, (4) of
//! [`crate::stepping::integrate::ballistic`]: these have M̂⁻¹ Σ (1 − s) Jᵀ λ, whose derivative is [`shift`].

use super::LinearizationError;
use super::bounces::Velocities;
use super::columns::solve;
use super::contact_geometry::Geometry;
use super::forces::Forces;
use super::rows::{At, Rows, Writer};
use nalgebra::DMatrix;
use stiction_dynamics::MassMatrix;

/// The velocities of the rows, of which those `before` the step are known.
pub(super) fn velocities(
    before: DMatrix<f64>,
    forces: &Forces<'_>,
    mass: &MassMatrix,
    geometry: &Geometry,
) -> Result<Velocities, LinearizationError> {
    let (accepted, columns) = (forces.accepted, forces.columns);
    let change: Vec<f64> = accepted.v_free.iter().zip(accepted.v).map(|(a, b)| a - b).collect();
    let shorter: Forces<'_> = *forces;
    let unhindered = Forces { change: &change, ..shorter };
    let (mut right, _) = unhindered.right_hand_side();
    unhindered.add_parameters(&mut right);
    solve(accepted.factor, &mut right);
    let none = vec![0.0; accepted.impulses.len()];
    let at = At { v: accepted.v_free, impulses: &none, biases: false };
    let turned = Writer::new(forces, mass, geometry, at).write(&mut columns.zeros(columns.nv))?;
    Ok(Velocities { before, free: &turned.J * &right + turned.velocity, unhindered: right })
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
    solve(accepted.factor, &mut force);
    Ok(Some(Shift { velocity: y, change: force + T * change, unhindered: velocities.unhindered }))
}
