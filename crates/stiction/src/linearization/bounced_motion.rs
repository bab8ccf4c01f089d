//! Motions of what bounces within a step: velocities without impulses, and the shift of what nothing else
//! acts upon.
//!
//! A free body on which nothing acts but bounces goes by the mean velocities of its two parabolas, (4) of
//! [`crate::stepping::integrate::ballistic`]: these have M̂⁻¹ Σ (1 − s) Jᵀ λ, whose derivative is [`shift`].

use super::bounces::Velocities;
use super::columns::solve;
use super::forces::Forces;
use super::rows::Stepped;
use super::{LinearizationError, Solved};
use nalgebra::DMatrix;

/// The velocities of the rows, of which those `before` the step are known.
pub(super) fn velocities(
    before: DMatrix<f64>,
    stepped: Stepped<'_>,
) -> Result<Velocities, LinearizationError> {
    let accepted = stepped.forces.accepted;
    let change: Vec<f64> = accepted.v_free.iter().zip(accepted.v).map(|(a, b)| a - b).collect();
    let shorter: Forces<'_> = *stepped.forces;
    let unhindered = Forces { change: &change, ..shorter };
    let (mut right, _) = unhindered.right_hand_side();
    unhindered.add_parameters(&mut right);
    solve(accepted.factor, &mut right);
    let (turned, _) = stepped.turned(accepted.v_free, None)?;
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
    stepped: Stepped<'_>,
    solved: &Solved,
    dlambda: &DMatrix<f64>,
) -> Result<Option<Shift>, LinearizationError> {
    let (accepted, columns) = (stepped.forces.accepted, stepped.forces.columns);
    let (posed, lambda) = (accepted.posed, accepted.impulses);
    let mut weighted = vec![0.0; lambda.len()];
    let mut change = columns.zeros(lambda.len());
    let mut any = false;
    for (block, left) in posed.bouncing() {
        any = true;
        for r in posed.problem.range(block) {
            weighted[r] = left * lambda[r];
            let row = dlambda.row(r) * left + solved.rows.left.row(posed.normal_row(block)) * lambda[r];
            change.row_mut(r).copy_from(&row);
        }
    }
    if !any {
        return Ok(None);
    }
    let pushed = stepped.pushed(solved.pushed(), &weighted)?;
    let change = pushed.change + solved.pushed() * change;
    Ok(Some(Shift { velocity: pushed.y, change, unhindered: velocities.unhindered }))
}
