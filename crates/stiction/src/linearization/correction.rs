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

use super::LinearizationError;
use super::columns::solve;
use super::contact_geometry::Geometry;
use super::forces::Forces;
use super::rows::{At, Rows, Writer};
use crate::stepping::time_stepping::YIELDS;
use nalgebra::DMatrix;
use stiction_contact::Cone;
use stiction_dynamics::MassMatrix;

/// A correction that is held back by `push_out_speed` differs from y by more than this share [–].
const SAME: f64 = 1e-9;

/// A step whose velocities are differentiated.
pub(super) struct Corrected<'a> {
    pub(super) forces: &'a Forces<'a>,
    pub(super) mass: &'a MassMatrix,
    pub(super) geometry: &'a Geometry,
    pub(super) rows: &'a Rows,
    /// M̂⁻¹ Jᵀ, of all rows.
    pub(super) T: &'a DMatrix<f64>,
    /// ∂v⁺ of the problem.
    pub(super) dv: &'a DMatrix<f64>,
    /// Row velocities below this are none [m/s].
    pub(super) still: f64,
}

impl Corrected<'_> {
    /// ∂y, nv rows; zero where nothing was corrected.
    pub(super) fn change(&self) -> Result<DMatrix<f64>, LinearizationError> {
        let (accepted, columns) = (self.forces.accepted, self.forces.columns);
        let (corrected, p) = (accepted.facts.correction, accepted.facts.correction_impulses);
        if corrected.is_empty() {
            return Ok(columns.zeros(columns.nv));
        }
        let problem = &accepted.posed.problem;
        let y: Vec<f64> = (self.T * DMatrix::from_column_slice(p.len(), 1, p)).as_slice().to_vec();
        let size = y.iter().fold(0.0_f64, |m, y| m.max(y.abs()));
        if y.iter().zip(corrected).any(|(y, v)| (y - v).abs() > SAME * size) {
            return Err(LinearizationError::HeldBack);
        }
        let mut force = columns.zeros(columns.nv);
        let at = At { v: &y, impulses: p, biases: false };
        let turned = Writer::new(self.forces, self.mass, self.geometry, at).write(&mut force)?;
        let mut right = force + self.forces.inertia_change(self.mass, &y);
        solve(accepted.factor, &mut right);
        let mut c = Vec::new();
        problem.velocities_into(accepted.impulses, &mut c);
        let active: Vec<usize> = (0..problem.len())
            .map(|i| (problem.cone(i), accepted.posed.normal_row(i)))
            .filter(|(cone, row)| *cone == Cone::Free || cone.opens() && p[*row] > 0.0)
            .map(|(_, row)| row)
            .collect();
        let (k, n) = (active.len(), columns.count());
        if k == 0 {
            return Ok(right); // nothing pushes
        }
        let mut K = DMatrix::<f64>::zeros(k, k);
        let mut wanted = DMatrix::<f64>::zeros(k, n);
        for (a, &r) in active.iter().enumerate() {
            for (b, &s) in active.iter().enumerate() {
                K[(a, b)] = (self.rows.J.row(r) * self.T.column(s))[(0, 0)];
            }
            let row = self.rows.J.row(r) * &right + turned.velocity.row(r) + self.rows.correction.row(r);
            wanted.row_mut(a).copy_from(&row);
            if c[r] > self.still {
                let more = wanted.row(a) + self.rows.J.row(r) * self.dv + self.rows.velocity.row(r);
                wanted.row_mut(a).copy_from(&more);
            }
            if p[r] == 0.0 {
                continue; // a bilateral row, which does not yield
            }
            let diagonal = self.diagonal_change(r)? * (YIELDS * p[r]);
            let more = wanted.row(a) + diagonal;
            wanted.row_mut(a).copy_from(&more);
            K[(a, a)] *= 1.0 + YIELDS;
            K[(a, a)] += problem.compliance[r];
        }
        let Some(dp) = K.lu().solve(&wanted) else { return Err(LinearizationError::PositionErrors) };
        for (a, &r) in active.iter().enumerate() {
            for j in 0..n {
                for i in 0..columns.nv {
                    right[(i, j)] -= self.T[(i, r)] * dp[(a, j)];
                }
            }
        }
        Ok(right)
    }

    /// ∂(J M̂⁻¹ Jᵀ)_rr, a row.
    fn diagonal_change(&self, r: usize) -> Result<DMatrix<f64>, LinearizationError> {
        let columns = self.forces.columns;
        let x = self.T.column(r).as_slice().to_vec();
        let none = vec![0.0; self.forces.accepted.impulses.len()];
        let at = At { v: &x, impulses: &none, biases: false };
        let mut force = columns.zeros(columns.nv);
        let turned = Writer::new(self.forces, self.mass, self.geometry, at).write(&mut force)?;
        let inertia = self.forces.inertia_change(self.mass, &x);
        let x = DMatrix::from_row_slice(1, x.len(), &x);
        Ok(turned.velocity.rows(r, 1) * 2.0 + x * inertia)
    }
}
