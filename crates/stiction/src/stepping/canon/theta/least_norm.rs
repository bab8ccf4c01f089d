//! Impulses of bilateral rows, of all that make the same motion the least.
//!
//! ```text
//!     min ‖λ‖   such that   Jᵀ λ = Jᵀ λ*,     J the rows of loops and couplings,   λ = (Jᵀ)⁺ Jᵀ λ*
//! ```
//!
//! Where bars are redundant, as in parallel four-bars, rows of J depend on one another, and a solver of
//! contacts leaves what presses the bars against each other at what its tolerance allows.

use nalgebra::{DMatrix, DVector};
use stiction_assembly::Posed;
use stiction_contact::Cone;

/// Singular values below this share of the largest count as zero [–].
const RANK: f64 = 1e-9;

/// Takes the least of the impulses λ that do what `impulses` do, of the rigid bilateral rows of `posed`, over
/// `nv` dofs.
pub(super) fn take(posed: &Posed, nv: usize, impulses: &mut [f64]) -> Result<(), String> {
    let problem = &posed.problem;
    let bilateral = (0..problem.len()).filter(|&block| problem.cone(block) == Cone::Free);
    let rigid = |row: &usize| problem.compliance[*row] == 0.0;
    let rows: Vec<usize> = bilateral.map(|block| problem.range(block).start).filter(rigid).collect();
    if rows.len() < 2 {
        return Ok(());
    }
    let mut unit = vec![0.0; problem.rows()];
    let mut transposed = DMatrix::zeros(nv, rows.len());
    for (k, &row) in rows.iter().enumerate() {
        unit[row] = 1.0;
        let mut column = vec![0.0; nv];
        posed.jacobian.add_impulses_into(problem.row_start(), &unit, &mut column);
        unit[row] = 0.0;
        transposed.column_mut(k).copy_from_slice(&column);
    }
    let taken = DVector::from_iterator(rows.len(), rows.iter().map(|&row| impulses[row]));
    let pushed = &transposed * taken;
    let svd = transposed.svd(true, true);
    let least = RANK * svd.singular_values.max();
    if svd.singular_values.len() == rows.len() && svd.singular_values.iter().all(|s| *s > least) {
        return Ok(());
    }
    let smallest = svd.solve(&pushed, least).map_err(|e| format!("impulses of least norm: {e}"))?;
    rows.iter().zip(smallest.iter()).for_each(|(&row, x)| impulses[row] = *x);
    Ok(())
}
