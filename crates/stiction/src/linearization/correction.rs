//! The derivative of what undoes position errors.
//!
//! With p the impulses of the position correction, y = M̂⁻¹ Jᵀ p the velocities by which it moves what
//! overlaps, and w = max(c, 0) + b what its rows ask for, in the rows where p > 0
//!
//! ```text
//!     J y + ε p + w = 0                                                                             (1)
//!     (J M̂⁻¹ Jᵀ + ε) δp = −(δJ y + J M̂⁻¹ (δJᵀ p − δM̂ y) + δε p + δw)                                (2)
//! ```
//!
//! and δε is a share of the diagonal of the first matrix, whose derivative is 2 δJ_r x − xᵀ δM̂ x with x =
//! M̂⁻¹ J_rᵀ.

use super::rows::{Pushed, Stepped};
use super::{LinearizationError, Solved};
use crate::stepping::time_stepping::YIELDS;
use nalgebra::DMatrix;
use stiction_contact::Cone;

/// A correction that is held back by `push_out_speed` differs from y by more than this share [–].
const SAME: f64 = 1e-9;

/// A step whose velocities are differentiated.
pub(super) struct Corrected<'a> {
    pub(super) stepped: Stepped<'a>,
    pub(super) solved: &'a Solved,
    /// ∂v⁺ of the problem.
    pub(super) dv: &'a DMatrix<f64>,
    /// Row velocities below this are none [m/s].
    pub(super) still: f64,
}

impl Corrected<'_> {
    /// ∂y, nv rows; zero where nothing was corrected.
    pub(super) fn change(&self) -> Result<DMatrix<f64>, LinearizationError> {
        let Self { stepped, solved, .. } = self;
        let (rows, T) = (&solved.rows, solved.pushed());
        let (accepted, columns) = (stepped.forces.accepted, stepped.forces.columns);
        let (corrected, p) = (accepted.facts.correction, accepted.facts.correction_impulses);
        if corrected.is_empty() {
            return Ok(columns.zeros(columns.nv));
        }
        let problem = &accepted.posed.problem;
        let Pushed { y, change: mut right, rows: turned } = stepped.pushed(T, p)?;
        let size = y.iter().fold(0.0_f64, |m, y| m.max(y.abs()));
        if y.iter().zip(corrected).any(|(y, v)| (y - v).abs() > SAME * size) {
            return Err(LinearizationError::HeldBack);
        }
        let mut c = Vec::new();
        problem.velocities_into(accepted.impulses, &mut c);
        let active: Vec<usize> = (0..problem.len())
            .map(|i| (problem.cone(i), accepted.posed.normal_row(i)))
            .filter(|(cone, row)| *cone == Cone::Free || cone.opens() && p[*row] > 0.0)
            .map(|(_, row)| row)
            .collect();
        let share = if accepted.facts.posed_in_middle.is_some() { 0.5 } else { 1.0 };
        let (k, n) = (active.len(), columns.count());
        if k == 0 {
            return Ok(right); // nothing pushes
        }
        let mut K = DMatrix::<f64>::zeros(k, k);
        let mut wanted = DMatrix::<f64>::zeros(k, n);
        for (a, &r) in active.iter().enumerate() {
            for (b, &s) in active.iter().enumerate() {
                K[(a, b)] = (rows.J.row(r) * T.column(s))[(0, 0)];
            }
            let row = rows.J.row(r) * &right + turned.velocity.row(r) + rows.correction.row(r);
            wanted.row_mut(a).copy_from(&row);
            if c[r] > self.still {
                let more = wanted.row(a) + (rows.J.row(r) * self.dv + rows.velocity.row(r)) * share;
                wanted.row_mut(a).copy_from(&more);
            }
            if p[r] == 0.0 {
                continue; // a bilateral row, which does not yield
            }
            let diagonal = stepped.mobility_change(T, r..r + 1)? * (YIELDS * p[r]);
            let more = wanted.row(a) + diagonal;
            wanted.row_mut(a).copy_from(&more);
            K[(a, a)] *= 1.0 + YIELDS;
            K[(a, a)] += problem.compliance[r];
        }
        let Some(dp) = K.lu().solve(&wanted) else { return Err(LinearizationError::PositionErrors) };
        for (a, &r) in active.iter().enumerate() {
            for j in 0..n {
                for i in 0..columns.nv {
                    right[(i, j)] -= T[(i, r)] * dp[(a, j)];
                }
            }
        }
        Ok(right)
    }
}
