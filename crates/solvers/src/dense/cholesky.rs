//! Symmetric positive definite systems: A = Uᵀ U [Golub2013, 4.2], in panels of rows, by strips of four rows and columns.
//! Cost ⅓ n³.

use super::{STRIP, add, dot_strips};
use stiction_dynamics::lanes;

/// Strips of rows factored together.
const PANEL: usize = 8;

/// A symmetric matrix and its factor, by rows; only the upper triangle is read.
#[derive(Default)]
pub(crate) struct Cholesky {
    n: usize,
    /// From row to row: whole strips.
    stride: usize,
    /// A before, U after [`Self::factor`].
    a: Vec<f64>,
    scratch: Vec<f64>,
}

impl Cholesky {
    /// Takes the upper triangle of the n × n matrix `a`, by rows.
    pub(crate) fn set(&mut self, n: usize, a: &[f64]) {
        assert_eq!(a.len(), n * n, "a square matrix");
        self.clear(n);
        for (row, from) in self.a.chunks_exact_mut(self.stride.max(1)).zip(a.chunks_exact(n.max(1))) {
            row[..n].copy_from_slice(from);
        }
    }

    /// An n × n matrix of zeros, whose upper triangle is to be filled through [`Self::row_mut`].
    pub(crate) fn clear(&mut self, n: usize) {
        (self.n, self.stride) = (n, n.next_multiple_of(STRIP));
        self.a.clear();
        self.a.resize(n * self.stride, 0.0);
    }

    pub(crate) fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.a[i * self.stride..][..self.n]
    }

    /// A + diag(x), before [`Self::factor`].
    pub(crate) fn add_diagonal(&mut self, x: impl Iterator<Item = f64>) {
        self.a.iter_mut().step_by(self.stride + 1).zip(x).for_each(|(a, x)| *a += x);
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
        let (n, width) = (self.n, self.stride / STRIP);
        let a = self.a.as_chunks_mut::<STRIP>().0;
        for first in (0..width).step_by(PANEL) {
            let last = (first + PANEL).min(width);
            for strip in first..last {
                let rows = STRIP * strip..n.min(STRIP * (strip + 1));
                let (above, here) = a.split_at_mut(rows.start * width);
                let here = &mut here[..rows.len() * width];
                (first..strip)
                    .for_each(|s| subtract::<false>(&above[STRIP * s * width..], here, width, strip));
                if !factor_strip(here, width, strip) {
                    return false;
                }
            }
            let (upper, lower) = a.split_at_mut((STRIP * last).min(n) * width);
            for (k, rows) in lower.chunks_mut((STRIP * width).max(1)).enumerate() {
                (first..last)
                    .for_each(|s| subtract::<true>(&upper[STRIP * s * width..], rows, width, last + k));
            }
        }
        true
    }

    /// The least pivot over the largest, after [`Self::factor`] [–].
    pub(crate) fn least_pivot(&self) -> f64 {
        let roots = self.a.iter().step_by(self.stride + 1);
        let (least, most) = roots.fold((f64::INFINITY, 0.0_f64), |(l, m), u| (l.min(*u), m.max(*u)));
        (least / most).powi(2)
    }

    /// x ← A⁻¹ x, number by number, which methods of many steps bear best.
    pub(crate) fn solve(&self, x: &mut [f64]) {
        let n = self.n;
        let rows = || self.a.chunks_exact(self.stride.max(1)).map(|row| &row[..n]).enumerate();
        for (k, row) in rows() {
            x[k] /= row[k];
            let y = x[k];
            x[k + 1..].iter_mut().zip(&row[k + 1..]).for_each(|(x, u)| *x -= y * u);
        }
        for (k, row) in rows().rev() {
            let sum: f64 = row[k + 1..].iter().zip(&x[k + 1..]).map(|(u, x)| u * x).sum();
            x[k] = (x[k] - sum) / row[k];
        }
    }

    /// x ← A⁻¹ x, four numbers at a time.
    pub(crate) fn solve_at_once(&mut self, x: &mut [f64]) {
        self.scratch.clear();
        self.scratch.extend_from_slice(x);
        self.scratch.resize(self.stride, 0.0);
        lanes::plain(
            #[inline(always)]
            || self.solve_by_strips(),
        );
        x.copy_from_slice(&self.scratch[..self.n]);
    }

    /// Strip by strip: its rows one by one, then what they say to all others.
    #[inline(always)]
    fn solve_by_strips(&mut self) {
        let (n, width) = (self.n, self.stride / STRIP);
        let Self { a, scratch, .. } = self;
        let (a, x) = (a.as_chunks::<STRIP>().0, scratch.as_chunks_mut::<STRIP>().0);
        for s in 0..width {
            let rows = &a[STRIP * s * width..n.min(STRIP * (s + 1)) * width];
            let (here, after) = x[s..].split_first_mut().expect("strip s");
            for (k, row) in rows.chunks_exact(width).enumerate() {
                here[k] /= row[s][k];
                (k + 1..STRIP).for_each(|l| here[l] -= row[s][l] * here[k]);
            }
            if rows.len() == STRIP * width {
                let of = |k: usize| &rows[k * width..(k + 1) * width][s + 1..];
                let four = of(0).iter().zip(of(1)).zip(of(2).iter().zip(of(3)));
                for (x, ((u0, u1), (u2, u3))) in after.iter_mut().zip(four) {
                    *x = std::array::from_fn(|c| {
                        x[c] - here[0] * u0[c] - here[1] * u1[c] - here[2] * u2[c] - here[3] * u3[c]
                    });
                }
            }
        }
        for s in (0..width).rev() {
            let mut here = x[s];
            let rows = STRIP * s..n.min(STRIP * (s + 1));
            for (k, row) in rows.clone().enumerate().rev() {
                let row = &a[row * width..][..width];
                here[k] -= dot_strips(&row[s + 1..], &x[s + 1..]);
                (k + 1..rows.len()).for_each(|l| here[k] -= row[s][l] * here[l]);
                here[k] /= row[s][k];
            }
            x[s] = here;
        }
    }
}

/// Up to four rows of strip `strip`, less what the four first of `from`, rows of U above them, say to them: one after another, or
/// summed first.
#[inline(always)]
fn subtract<const SUMMED: bool>(
    from: &[[f64; STRIP]],
    rows: &mut [[f64; STRIP]],
    width: usize,
    strip: usize,
) {
    let of = |k: usize| &from[k * width..(k + 1) * width][strip..];
    let u = [of(0), of(1), of(2), of(3)];
    for (r, row) in rows.chunks_exact_mut(width).enumerate() {
        let f = u.map(|u| u[0][r]);
        let four = u[0].iter().zip(u[1]).zip(u[2].iter().zip(u[3]));
        for (x, ((u0, u1), (u2, u3))) in row[strip..].iter_mut().zip(four) {
            *x = std::array::from_fn(|c| match SUMMED {
                true => x[c] - (f[0] * u0[c] + f[1] * u1[c] + f[2] * u2[c] + f[3] * u3[c]),
                false => x[c] - f[0] * u0[c] - f[1] * u1[c] - f[2] * u2[c] - f[3] * u3[c],
            });
        }
    }
}

/// U of up to four rows of strip `strip`, after all that rows above say to them; false if a pivot is not positive.
#[inline(always)]
fn factor_strip(rows: &mut [[f64; STRIP]], width: usize, strip: usize) -> bool {
    for k in 0..rows.len() / width {
        let (above, row) = rows.split_at_mut(k * width);
        let row = &mut row[strip..width];
        for upper in above.chunks_exact(width) {
            let upper = &upper[strip..];
            let f = upper[0][k];
            row.iter_mut().zip(upper).for_each(|(x, u)| *x = add(x, -f, u));
        }
        let pivot = row[0][k];
        if !(pivot > 0.0 && pivot.is_finite()) {
            return false;
        }
        let root = pivot.sqrt();
        row.iter_mut().for_each(|x| *x = x.map(|x| x / root));
    }
    true
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
            let mut at_once = y.clone();
            cholesky.solve(&mut y);
            cholesky.solve_at_once(&mut at_once);
            for y in [y, at_once] {
                let error = y.iter().zip(&x).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
                assert!(error < 1e-10, "n = {n}: {error}");
            }
        }
    }

    #[test]
    fn an_indefinite_matrix_is_refused() {
        let mut cholesky = Cholesky::default();
        cholesky.set(2, &[1.0, 2.0, 2.0, 1.0]);
        assert!(!cholesky.factor());
    }
}
