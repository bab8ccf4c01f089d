//! Symmetric positive definite systems: A = Uᵀ U [Golub2013, 4.2], in panels of rows. Cost ⅓ n³.

use super::{axpy, subtract_four};
use stiction_dynamics::lanes;

/// Rows factored together.
const PANEL: usize = 32;

/// A symmetric matrix and its factor, by rows; only the upper triangle is read.
#[derive(Default)]
pub(crate) struct Cholesky {
    n: usize,
    /// A before, U after [`Self::factor`].
    a: Vec<f64>,
}

impl Cholesky {
    /// Takes the upper triangle of the n × n matrix `a`, by rows.
    pub(crate) fn set(&mut self, n: usize, a: &[f64]) {
        assert_eq!(a.len(), n * n, "a square matrix");
        self.n = n;
        self.a.clear();
        self.a.extend_from_slice(a);
    }

    /// An n × n matrix of zeros, whose upper triangle is to be filled through [`Self::row_mut`].
    pub(crate) fn clear(&mut self, n: usize) {
        self.n = n;
        self.a.clear();
        self.a.resize(n * n, 0.0);
    }

    pub(crate) fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.a[i * self.n..][..self.n]
    }

    /// A + diag(x), before [`Self::factor`].
    pub(crate) fn add_diagonal(&mut self, x: impl Iterator<Item = f64>) {
        self.a.iter_mut().step_by(self.n + 1).zip(x).for_each(|(a, x)| *a += x);
    }

    /// False if a pivot is not positive: A is not positive definite.
    pub(crate) fn factor(&mut self) -> bool {
        crate::work::factored_by_rows((self.n as f64).powi(3) / 6.0);
        lanes::plain(
            #[inline(always)]
            || self.factor_by_panels(),
        )
    }

    #[inline(always)]
    fn factor_by_panels(&mut self) -> bool {
        let n = self.n;
        let mut first = 0;
        while first < n {
            let last = (first + PANEL).min(n);
            for k in first..last {
                let (above, rows) = self.a.split_at_mut(k * n);
                let row = &mut rows[k..n];
                for j in first..k {
                    let upper = &above[j * n + k..(j + 1) * n];
                    axpy(-upper[0], upper, row);
                }
                let pivot = row[0];
                if !(pivot > 0.0 && pivot.is_finite()) {
                    return false;
                }
                let root = pivot.sqrt();
                row.iter_mut().for_each(|x| *x /= root);
            }
            let (upper, lower) = self.a.split_at_mut(last * n);
            let panel = &upper[first * n..];
            for (i, row) in lower.chunks_exact_mut(n).enumerate() {
                let (from, row) = (last + i, &mut row[last + i..]);
                let u = |k: usize| &panel[k * n + from..(k + 1) * n];
                let count = last - first;
                let mut k = 0;
                while k + 4 <= count {
                    let x = [u(k), u(k + 1), u(k + 2), u(k + 3)];
                    subtract_four(x.map(|x| x[0]), x, row);
                    k += 4;
                }
                (k..count).for_each(|k| axpy(-u(k)[0], u(k), row));
            }
            first = last;
        }
        true
    }

    /// The least pivot over the largest, after [`Self::factor`] [–].
    pub(crate) fn least_pivot(&self) -> f64 {
        let roots = || self.a.iter().step_by(self.n + 1);
        let (least, most) = roots().fold((f64::INFINITY, 0.0_f64), |(l, m), u| (l.min(*u), m.max(*u)));
        (least / most).powi(2)
    }

    /// x ← A⁻¹ x.
    #[inline(always)]
    pub(crate) fn solve(&self, x: &mut [f64]) {
        let n = self.n;
        for (k, row) in self.a.chunks_exact(n.max(1)).enumerate() {
            x[k] /= row[k];
            let y = x[k];
            axpy(-y, &row[k + 1..], &mut x[k + 1..]);
        }
        for (k, row) in self.a.chunks_exact(n.max(1)).enumerate().rev() {
            let sum: f64 = row[k + 1..].iter().zip(&x[k + 1..]).map(|(u, x)| u * x).sum();
            x[k] = (x[k] - sum) / row[k];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction_contact::corpus::Random;

    #[test]
    fn solves_across_panels() {
        for n in [1, 5, 31, 32, 33, 70] {
            let mut random = Random(n as u64);
            let b: Vec<f64> = (0..n * n).map(|_| random.number()).collect();
            let product = |i: usize, j: usize| (0..n).map(|k| b[i * n + k] * b[j * n + k]).sum::<f64>();
            let mut a: Vec<f64> = (0..n * n).map(|e| product(e / n, e % n)).collect();
            let x: Vec<f64> = (0..n).map(|_| random.number()).collect();
            let mut cholesky = Cholesky::default();
            cholesky.set(n, &a);
            cholesky.add_diagonal((0..n).map(|_| 0.1));
            a.iter_mut().step_by(n + 1).for_each(|d| *d += 0.1);
            let mut y: Vec<f64> =
                a.chunks(n).map(|row| row.iter().zip(&x).map(|(a, x)| a * x).sum()).collect();
            assert!(cholesky.factor());
            cholesky.solve(&mut y);
            let error = y.iter().zip(&x).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
            assert!(error < 1e-10, "n = {n}: {error}");
        }
    }

    #[test]
    fn an_indefinite_matrix_is_refused() {
        let mut cholesky = Cholesky::default();
        cholesky.set(2, &[1.0, 2.0, 2.0, 1.0]);
        assert!(!cholesky.factor());
    }
}
