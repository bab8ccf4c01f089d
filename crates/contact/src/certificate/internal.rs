//! Internal forces: the part of the impulses that moves nothing.
//!
//! ```text
//!     λ_int = (I − (Jᵀ)⁺ Jᵀ) λ                                        (1)
//! ```
//!
//! on the rows that carry an impulse: the deviation from the minimum-norm impulses with the same
//! effect [LeLidec2024]. Jᵀ λ = 0 ⇔ G λ = 0, so the null space of the symmetric part of G serves
//! where J is not at hand. Rows are scaled by their diagonal before ranks are decided, so that
//! masses of very different size are not mistaken for a null space.

use crate::problem::ConstraintProblem;
use nalgebra::{DMatrix, DVector};

/// Internal forces of a set of impulses: the part λ_int of (1) that moves nothing, and its size.
#[derive(Clone, Debug, PartialEq)]
pub struct InternalForces {
    /// λ_int, one per row of the problem [N·s].
    pub impulses: Vec<f64>,
    /// ‖λ_int‖ [N·s].
    pub norm: f64,
    /// ‖λ_int‖/‖λ‖; zero without impulses [–].
    pub relative: f64,
    /// Rows that carry an impulse.
    pub active_rows: usize,
    /// Rank of G on them.
    pub rank: usize,
}

/// Singular values below this share of the largest one count as zero.
const CUTOFF: f64 = 1e-10;

/// (1). Allocates, and costs O(rows³): for reports, not for every step.
pub fn internal_forces(problem: &ConstraintProblem, impulses: &[f64]) -> InternalForces {
    let n = problem.rows();
    assert_eq!(impulses.len(), n, "one impulse per row");
    let active: Vec<usize> = (0..problem.len())
        .filter(|&i| problem.range(i).any(|r| impulses[r] != 0.0))
        .flat_map(|i| problem.range(i))
        .collect();
    let mut out = InternalForces {
        impulses: vec![0.0; n],
        norm: 0.0,
        relative: 0.0,
        active_rows: active.len(),
        rank: 0,
    };
    let lambda = DVector::from_iterator(active.len(), active.iter().map(|&r| impulses[r]));
    let G = active_delassus(problem, &active);
    if active.is_empty() || !lambda.iter().chain(G.iter()).all(|x| x.is_finite()) {
        out.norm = if active.is_empty() { 0.0 } else { f64::NAN };
        out.relative = out.norm;
        return out;
    }

    // With S = diag(1/√G_rr): G x = 0 ⇔ (S G S)(S⁻¹ x) = 0, so N = S V₀ spans the null space.
    let scale = DVector::from_iterator(
        active.len(),
        (0..active.len()).map(|r| if G[(r, r)] > 0.0 { 1.0 / G[(r, r)].sqrt() } else { 1.0 }),
    );
    let scaled = DMatrix::from_fn(active.len(), active.len(), |r, c| {
        0.5 * (G[(r, c)] + G[(c, r)]) * scale[r] * scale[c]
    });
    let eigen = scaled.symmetric_eigen();
    let largest = eigen.eigenvalues.iter().fold(0.0_f64, |m, e| m.max(e.abs()));
    let null: Vec<DVector<f64>> = (0..active.len())
        .filter(|&k| eigen.eigenvalues[k].abs() <= CUTOFF * largest)
        .map(|k| eigen.eigenvectors.column(k).component_mul(&scale))
        .collect();
    out.rank = active.len() - null.len();
    if !null.is_empty() {
        let q = DMatrix::from_columns(&null).qr().q();
        let internal = &q * q.tr_mul(&lambda); // (1)
        out.norm = internal.norm();
        out.relative = if lambda.norm() > 0.0 { out.norm / lambda.norm() } else { 0.0 };
        for (&r, x) in active.iter().zip(internal.iter()) {
            out.impulses[r] = *x;
        }
    }
    out
}

/// G on the active rows, dense.
fn active_delassus(problem: &ConstraintProblem, active: &[usize]) -> DMatrix<f64> {
    let mut unit = vec![0.0; problem.rows()];
    let mut column = Vec::new();
    let mut G = DMatrix::zeros(active.len(), active.len());
    for (k, &r) in active.iter().enumerate() {
        unit[r] = 1.0;
        problem.delassus_mul_into(&unit, &mut column);
        unit[r] = 0.0;
        for (l, &s) in active.iter().enumerate() {
            G[(l, k)] = column[s];
        }
    }
    G
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cone::Cone;

    /// Two bilateral rows squeeze one body of 1 kg along x from both sides: u = λ₁ − λ₂. Equal
    /// impulses are internal, opposite ones are not.
    #[test]
    fn a_squeeze_is_internal() {
        let mut problem = ConstraintProblem::default();
        problem.push(Cone::Free, &[0.0]);
        problem.push(Cone::Free, &[0.0]);
        let (start, blocks) = problem.starts_and_blocks_mut();
        blocks.set_pattern(start, |_, out| out.extend([0, 1]));
        for (k, v) in [1.0, -1.0, -1.0, 1.0].into_iter().enumerate() {
            blocks.entry_mut(k)[0] = v;
        }
        let squeeze = internal_forces(&problem, &[3.0, 1.0]);
        assert_eq!(squeeze.rank, 1);
        assert!((squeeze.impulses[0] - 2.0).abs() < 1e-14 && (squeeze.impulses[1] - 2.0).abs() < 1e-14);
        assert!(internal_forces(&problem, &[1.0, -1.0]).norm < 1e-14);
        assert_eq!(internal_forces(&problem, &[0.0, 0.0]).relative, 0.0);
    }
}
