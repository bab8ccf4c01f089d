//! Small dense symmetric systems: A = L Lᵀ, by rows, lower triangle, in place.

/// Overwrites the lower triangle of the n × n matrix `A` by L. The error is the first row whose
/// pivot is not positive, NaN included.
pub(crate) fn cholesky(A: &mut [f64], n: usize) -> Result<(), usize> {
    assert_eq!(A.len(), n * n, "A is n × n");
    for i in 0..n {
        let (above, row_i) = A.split_at_mut(i * n);
        for j in 0..i {
            let row_j = &above[j * n..j * n + j + 1];
            row_i[j] = (row_i[j] - dot(&row_i[..j], &row_j[..j])) / row_j[j];
        }
        let pivot = row_i[i] - dot(&row_i[..i], &row_i[..i]);
        if !(pivot > 0.0 && pivot.is_finite()) {
            return Err(i);
        }
        row_i[i] = pivot.sqrt();
    }
    Ok(())
}

/// x ← A⁻¹ x with the factor of [`cholesky`].
pub(crate) fn cholesky_solve(L: &[f64], n: usize, x: &mut [f64]) {
    assert_eq!(x.len(), n, "x has n entries");
    for i in 0..n {
        x[i] = (x[i] - dot(&L[i * n..i * n + i], &x[..i])) / L[i * n + i];
    }
    for i in (0..n).rev() {
        x[i] /= L[i * n + i];
        let x_i = x[i];
        for (x, l) in x[..i].iter_mut().zip(&L[i * n..]) {
            *x -= l * x_i;
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Dice, assert_close};

    /// A = B Bᵀ + 1, A x multiplied out, solved back.
    #[test]
    fn solve_undoes_the_product() {
        let (n, mut dice) = (9, Dice::new(90));
        let (B, x) = (dice.vector(n * n), dice.vector(n));
        let row = |i: usize| &B[i * n..(i + 1) * n];
        let mut A: Vec<f64> =
            (0..n * n).map(|ij| dot(row(ij / n), row(ij % n)) + f64::from(ij / n == ij % n)).collect();
        let mut y: Vec<f64> = (0..n).map(|i| dot(&A[i * n..(i + 1) * n], &x)).collect();
        cholesky(&mut A, n).unwrap();
        cholesky_solve(&A, n, &mut y);
        assert_close(&y, &x, 1e-12);
    }

    #[test]
    fn a_pivot_that_is_not_positive_is_named() {
        assert_eq!(cholesky(&mut [1.0, 0.0, 1.0, 1.0], 2), Err(1));
        assert_eq!(cholesky(&mut [f64::NAN], 1), Err(0));
    }
}
