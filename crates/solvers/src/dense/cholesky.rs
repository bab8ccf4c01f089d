//! Symmetric positive definite systems: A = Uᵀ U [Golub2013, 4.2], in panels of rows, by strips of four rows and columns.
//! Cost ⅓ n³.

use super::{STRIP, Strip, at, dots, four, four_mut, less, minus, whole_strips};
use stiction_dynamics::lanes::{Kernel, Simd, SimdFrom, f64x4, in_fours};

/// Strips of rows factored together.
const PANEL: usize = 8;

/// A symmetric matrix and its factor, by rows; only the upper triangle is read.
#[derive(Default)]
pub(crate) struct Cholesky {
    n: usize,
    /// From row to row: whole strips.
    stride: usize,
    /// A before, U after [`Self::factor`]: whole strips of rows, and those after the last are of the unit matrix.
    a: Vec<f64>,
    scratch: Vec<f64>,
}

impl Cholesky {
    /// Takes the upper triangle of the n × n matrix `a`, by rows.
    pub(crate) fn set(&mut self, n: usize, a: &[f64]) {
        assert_eq!(a.len(), n * n, "a square matrix");
        self.begin(n);
        for (i, from) in a.chunks_exact(n.max(1)).enumerate() {
            self.row_mut(i).copy_from_slice(from);
        }
    }

    /// An n × n matrix whose upper triangle, all of it, is to be filled through [`Self::row_mut`].
    pub(crate) fn begin(&mut self, n: usize) {
        (self.n, self.stride) = (n, whole_strips(n, &mut self.a));
    }

    pub(crate) fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.a[i * self.stride..][..self.n]
    }

    /// A + diag(x), before [`Self::factor`].
    pub(crate) fn add_diagonal(&mut self, x: impl Iterator<Item = f64>) {
        self.a.iter_mut().step_by(self.stride + 1).take(self.n).zip(x).for_each(|(a, x)| *a += x);
    }

    /// False if a pivot is not positive: A is not positive definite.
    pub(crate) fn factor(&mut self) -> bool {
        crate::work::factored_by_rows((self.n as f64).powi(3) / 6.0);
        in_fours(Factor { a: self.a.as_chunks_mut().0, width: self.stride / STRIP })
    }

    /// The least pivot over the largest, after [`Self::factor`] [–].
    pub(crate) fn least_pivot(&self) -> f64 {
        let roots = self.a.iter().step_by(self.stride + 1).take(self.n);
        let (least, most) = roots.fold((f64::INFINITY, 0.0_f64), |(l, m), u| (l.min(*u), m.max(*u)));
        (least / most).powi(2)
    }

    /// x ← A⁻¹ x, number by number, which methods of many steps bear best.
    pub(crate) fn solve(&self, x: &mut [f64]) {
        let n = self.n;
        let rows = || self.a.chunks_exact(self.stride.max(1)).take(n).map(|row| &row[..n]).enumerate();
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
        in_fours(Solve { a: self.a.as_chunks().0, x: self.scratch.as_chunks_mut().0 });
        x.copy_from_slice(&self.scratch[..self.n]);
    }
}

/// [`Cholesky::factor`] of whole strips.
struct Factor<'a> {
    a: &'a mut [Strip],
    width: usize,
}

impl Kernel for Factor<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> bool {
        let Self { a, width } = self;
        let mut first = 0;
        while first < width {
            let last = (first + PANEL).min(width);
            for strip in first..last {
                let (above, here) = a.split_at_mut(STRIP * strip * width);
                let here = &mut here[..STRIP * width];
                for s in first..strip {
                    subtract::<false, S>(simd, &above[STRIP * s * width..], here, width, strip);
                }
                if !factor_strip(simd, here, width, strip) {
                    return false;
                }
            }
            let (upper, lower) = a.split_at_mut(STRIP * last * width);
            for strip in last..width {
                let here = &mut lower[STRIP * (strip - last) * width..][..STRIP * width];
                for s in first..last {
                    subtract::<true, S>(simd, &upper[STRIP * s * width..], here, width, strip);
                }
            }
            first = last;
        }
        true
    }
}

/// Four rows from strip `strip` of columns on, less what the first four of `above`, rows of U, say to them: one after another,
/// or summed first.
#[inline(always)]
fn subtract<const SUMMED: bool, S: Simd>(
    simd: S,
    above: &[Strip],
    rows: &mut [Strip],
    width: usize,
    strip: usize,
) {
    let count = width - strip;
    let [p, q, r, s] = four(above, width, strip..width);
    let (p, q, r, s) = (&p[..count], &q[..count], &r[..count], &s[..count]);
    let [x, y, z, w] = four_mut(rows, width, strip..width);
    let (x, y, z, w) = (&mut x[..count], &mut y[..count], &mut z[..count], &mut w[..count]);
    let of = |k: usize| [p[0][k], q[0][k], r[0][k], s[0][k]];
    let (f, g, h, l) = (of(0), of(1), of(2), of(3));
    for c in 0..count {
        let u = [at(simd, &p[c]), at(simd, &q[c]), at(simd, &r[c]), at(simd, &s[c])];
        x[c] = *less::<SUMMED, S>(at(simd, &x[c]), f, u);
        y[c] = *less::<SUMMED, S>(at(simd, &y[c]), g, u);
        z[c] = *less::<SUMMED, S>(at(simd, &z[c]), h, u);
        w[c] = *less::<SUMMED, S>(at(simd, &w[c]), l, u);
    }
}

/// U of four rows of strip `strip`, after all that rows above say to them; false if a pivot is not positive.
#[inline(always)]
fn factor_strip<S: Simd>(simd: S, rows: &mut [Strip], width: usize, strip: usize) -> bool {
    let count = width - strip;
    let [x, y, z, w] = four_mut(rows, width, strip..width);
    let (x, y, z, w) = (&mut x[..count], &mut y[..count], &mut z[..count], &mut w[..count]);
    let at = |x: &Strip| at(simd, x);
    let over = |x: f64x4<S>, root: f64| x / f64x4::simd_from(simd, root);
    // The diagonal first.
    let a = at(&x[0]);
    let r0 = a[0].sqrt();
    let a = over(a, r0);
    let b = minus(at(&y[0]), a[1], a);
    let r1 = b[1].sqrt();
    let b = over(b, r1);
    let c = minus(minus(at(&z[0]), a[2], a), b[2], b);
    let r2 = c[2].sqrt();
    let c = over(c, r2);
    let d = minus(minus(minus(at(&w[0]), a[3], a), b[3], b), c[3], c);
    let r3 = d[3].sqrt();
    if [r0, r1, r2, r3].iter().any(|r| !(*r > 0.0 && *r < f64::INFINITY)) {
        return false;
    }
    (x[0], y[0], z[0], w[0]) = (*a, *b, *c, *over(d, r3));
    for k in 1..count {
        let p = over(at(&x[k]), r0);
        let q = over(minus(at(&y[k]), a[1], p), r1);
        let r = over(minus(minus(at(&z[k]), a[2], p), b[2], q), r2);
        let s = over(minus(minus(minus(at(&w[k]), a[3], p), b[3], q), c[3], r), r3);
        (x[k], y[k], z[k], w[k]) = (*p, *q, *r, *s);
    }
    true
}

/// [`Cholesky::solve_at_once`] of whole strips: strip by strip its rows one by one, then what they say to all others.
struct Solve<'a> {
    a: &'a [Strip],
    x: &'a mut [Strip],
}

impl Kernel for Solve<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Self { a, x } = self;
        let width = x.len();
        for s in 0..width {
            let count = width - s;
            let [p, q, r, t] = four(&a[STRIP * s * width..], width, s..width);
            let (p, q, r, t) = (&p[..count], &q[..count], &r[..count], &t[..count]);
            let after = &mut x[s..][..count];
            let mut h = after[0];
            h[0] /= p[0][0];
            (h[1], h[2], h[3]) = (h[1] - p[0][1] * h[0], h[2] - p[0][2] * h[0], h[3] - p[0][3] * h[0]);
            h[1] /= q[0][1];
            (h[2], h[3]) = (h[2] - q[0][2] * h[1], h[3] - q[0][3] * h[1]);
            h[2] /= r[0][2];
            h[3] = (h[3] - r[0][3] * h[2]) / t[0][3];
            after[0] = h;
            for c in 1..count {
                let u = [at(simd, &p[c]), at(simd, &q[c]), at(simd, &r[c]), at(simd, &t[c])];
                after[c] = *less::<false, S>(at(simd, &after[c]), h, u);
            }
        }
        for s in (0..width).rev() {
            let u = four(&a[STRIP * s * width..], width, s..width);
            let [p, q, r, t] = u;
            let sums = dots(simd, [&p[1..], &q[1..], &r[1..], &t[1..]], &x[s + 1..]);
            let mut h = x[s];
            h[3] = (h[3] - sums[3]) / t[0][3];
            h[2] = (h[2] - sums[2] - r[0][3] * h[3]) / r[0][2];
            h[1] = (h[1] - sums[1] - q[0][2] * h[2] - q[0][3] * h[3]) / q[0][1];
            h[0] = (h[0] - sums[0] - p[0][1] * h[1] - p[0][2] * h[2] - p[0][3] * h[3]) / p[0][0];
            x[s] = h;
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
