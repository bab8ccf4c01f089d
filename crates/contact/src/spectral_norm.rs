//! ‖A‖₂ of the largest blocks, those of patches; of three rows there is a formula, [`crate::matrix3::spectral_norm`].
//!
//! One-sided rotations of Jacobi make the columns of A orthogonal [Golub2013, 8.6]: A V = U Σ, whose largest column is as long
//! as the largest singular value. About six sweeps of fifteen rotations, whatever the condition of A, symmetric or not.

use crate::cone::MAX_ROWS;
use crate::nan::worse;

/// Sweeps, at most: convergence is quadratic.
const SWEEPS: usize = 30;

/// ‖A‖₂, A by rows; NaN if a number of it is.
pub(crate) fn spectral_norm(a: &[[f64; MAX_ROWS]; MAX_ROWS]) -> f64 {
    // Columns, as rows of the transpose.
    let mut columns = [[0.0; MAX_ROWS]; MAX_ROWS];
    for (i, row) in a.iter().enumerate() {
        for (j, x) in row.iter().enumerate() {
            columns[j][i] = *x;
        }
    }
    for _ in 0..SWEEPS {
        let mut rotated = false;
        for j in 1..MAX_ROWS {
            let (before, after) = columns.split_at_mut(j);
            for column in before {
                rotated |= make_orthogonal(column, &mut after[0]);
            }
        }
        if !rotated {
            break;
        }
    }
    columns.iter().map(|c| dot(c, c)).fold(0.0, worse).sqrt()
}

/// Rotates x and y until they are orthogonal; false if they are.
fn make_orthogonal(x: &mut [f64; MAX_ROWS], y: &mut [f64; MAX_ROWS]) -> bool {
    let (xx, xy, yy) = (dot(x, x), dot(x, y), dot(y, y));
    if !(xy.abs() > f64::EPSILON * (xx * yy).sqrt()) {
        return false;
    }
    let tau = (yy - xx) / (2.0 * xy);
    let t = 1.0_f64.copysign(tau) / (tau.abs() + tau.hypot(1.0));
    let c = 1.0 / t.hypot(1.0);
    let s = t * c;
    for (x, y) in x.iter_mut().zip(y) {
        (*x, *y) = (c * *x - s * *y, s * *x + c * *y);
    }
    true
}

fn dot(x: &[f64; MAX_ROWS], y: &[f64; MAX_ROWS]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::Random;
    use nalgebra::SMatrix;

    /// The norms are nalgebra's singular values, of matrices full, symmetric, of four rows, of rank two, and of scales a million apart.
    #[test]
    fn the_largest_singular_value_is_found() {
        let mut random = Random(11);
        for k in 0..500 {
            let mut m = SMatrix::<f64, 6, 6>::from_fn(|_, _| random.number());
            match k % 5 {
                1 => m *= m.transpose(),
                2 => (4..6).for_each(|i| (0..6).for_each(|j| (m[(i, j)], m[(j, i)]) = (0.0, 0.0))),
                3 => m = m.fixed_columns::<2>(0) * m.fixed_rows::<2>(2),
                4 => (0..6).for_each(|i| m.row_mut(i).scale_mut(10.0_f64.powi(i as i32 - 6))),
                _ => {}
            }
            let rows = std::array::from_fn(|i| std::array::from_fn(|j| m[(i, j)]));
            let (ours, theirs) = (spectral_norm(&rows), m.singular_values().max());
            assert!((ours - theirs).abs() < 1e-13 * theirs, "{k}: {ours} {theirs}");
        }
        let mut wrong = [[1.0; MAX_ROWS]; MAX_ROWS];
        assert!((spectral_norm(&wrong) - 6.0).abs() < 1e-14);
        wrong[3][1] = f64::NAN;
        assert!(spectral_norm(&wrong).is_nan());
    }
}
