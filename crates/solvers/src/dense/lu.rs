//! Dense linear systems: P A = L U with partial pivoting [Golub2013, 3.4].
//!
//! Rows are first scaled by their largest number, because rows of contact problems carry different
//! units. Columns are factored by strips of four, whose rows are four at once to what is on their right; panels of
//! strips keep that in cache. Cost ⅔ n³.

use super::{STRIP, Strip, at, dots, four, four_mut, less, minus, whole_strips};
use std::ops::Range;
use stiction_dynamics::lanes::{Kernel, Simd, SimdBase, SimdFrom, f64x4, in_fours};

/// Strips of a panel.
const PANEL: usize = 8;

/// A matrix and its factors, by rows.
#[derive(Default)]
pub(crate) struct Lu {
    n: usize,
    /// From row to row: whole strips, zeros after the columns there are.
    stride: usize,
    /// A before, L (unit diagonal not stored) and U after [`Self::factor`]: whole strips of rows, and those after the last are of
    /// the unit matrix.
    a: Vec<f64>,
    /// Row of A in place i.
    pivot: Vec<usize>,
    /// Exchanges of two rows that led there.
    exchanges: usize,
    /// One over the largest number of a row of A.
    scale: Vec<f64>,
    /// One over every pivot.
    inverse: Vec<f64>,
    scratch: Vec<f64>,
}

impl Lu {
    /// Makes room for an n × n matrix, so that smaller ones need none.
    pub(crate) fn reserve(&mut self, n: usize) {
        let stride = n.next_multiple_of(STRIP);
        for (v, numbers) in [
            (&mut self.a, stride * stride),
            (&mut self.scale, stride),
            (&mut self.inverse, stride),
            (&mut self.scratch, stride),
        ] {
            v.clear();
            v.reserve(numbers);
        }
        self.pivot.clear();
        self.pivot.reserve(n);
    }

    /// An n × n matrix that is to be filled through [`Self::row_mut`], all of it.
    pub(crate) fn begin(&mut self, n: usize) {
        (self.n, self.stride) = (n, whole_strips(n, &mut self.a));
    }

    /// An n × n matrix of zeros, to be filled through [`Self::row_mut`].
    pub(crate) fn clear(&mut self, n: usize) {
        self.a.clear();
        self.begin(n);
    }

    pub(crate) fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.a[i * self.stride..][..self.n]
    }

    /// So many rows from the i-th on, and the strips of a row; what follows the columns there are stays zero.
    pub(crate) fn rows_mut(&mut self, i: usize, count: usize) -> (&mut [[f64; STRIP]], usize) {
        let width = self.stride / STRIP;
        (&mut self.a.as_chunks_mut().0[i * width..(i + count) * width], width)
    }

    /// False if a pivot is zero or not a number.
    pub(crate) fn factor(&mut self) -> bool {
        crate::work::factored_by_rows((self.n as f64).powi(3) / 3.0);
        self.exchanges = 0;
        self.pivot.clear();
        self.pivot.extend(0..self.n);
        self.scale.clear();
        self.inverse.clear();
        let (n, width) = (self.n, self.stride / STRIP);
        let a = self.a.as_chunks_mut::<STRIP>().0;
        in_fours(Scale { a, width, scale: &mut self.scale });
        let mut first = 0;
        while first < width {
            let last = (first + PANEL).min(width);
            for strip in first..last {
                let rows = &mut a[STRIP * strip * width..n * width];
                let pivot = &mut self.pivot[STRIP * strip..];
                let columns = Columns { rows, width, strip, pivot, inverse: &mut self.inverse };
                let Some(exchanges) = in_fours(columns) else { return false };
                self.exchanges += exchanges;
                if strip + 1 < last {
                    let rows = &mut a[STRIP * strip * width..];
                    in_fours(Right { rows, width, strip, columns: strip + 1..last });
                }
            }
            if last < width {
                for strip in first..last {
                    let rows = &mut a[STRIP * strip * width..STRIP * last * width];
                    in_fours(Right { rows, width, strip, columns: last..width });
                }
                let (panel, lower) = a.split_at_mut(STRIP * last * width);
                in_fours(Below { panel, lower, width, strips: first..last });
            }
            first = last;
        }
        // Rows after the last are those of the unit matrix.
        self.inverse.resize(self.stride, 1.0);
        true
    }

    /// True if det A < 0, after [`Self::factor`].
    pub(crate) fn reverses(&self) -> bool {
        let negative = self.a.iter().step_by(self.stride + 1).take(self.n).filter(|u| **u < 0.0).count();
        (negative + self.exchanges) % 2 == 1
    }

    /// The least pivot of a matrix whose rows have been scaled to 1: small where it is nearly singular.
    pub(crate) fn least_pivot(&self) -> f64 {
        self.a.iter().step_by(self.stride + 1).take(self.n).fold(f64::INFINITY, |m, u| m.min(u.abs()))
    }

    /// x ← A⁻¹ x, number by number: what interior methods come to at their end bears no other order.
    pub(crate) fn solve(&mut self, x: &mut [f64]) {
        let (n, stride) = (self.n, self.stride);
        self.turn(x);
        for i in 0..n {
            let row = &self.a[i * stride..i * stride + i];
            let sum: f64 = row.iter().zip(&self.scratch).map(|(l, y)| l * y).sum();
            self.scratch[i] -= sum;
        }
        for i in (0..n).rev() {
            let row = &self.a[i * stride..i * stride + n];
            let sum: f64 = row[i + 1..].iter().zip(&x[i + 1..]).map(|(u, x)| u * x).sum();
            x[i] = (self.scratch[i] - sum) / row[i];
        }
    }

    /// x ← A⁻¹ x, four numbers at a time.
    pub(crate) fn solve_at_once(&mut self, b: &mut [f64]) {
        self.turn(b);
        self.scratch.resize(self.stride, 0.0);
        let (a, x) = (self.a.as_chunks().0, self.scratch.as_chunks_mut().0);
        in_fours(Solve { a, inverse: self.inverse.as_chunks().0, x });
        b.copy_from_slice(&self.scratch[..self.n]);
    }

    /// P x, scaled, into `scratch`.
    fn turn(&mut self, x: &[f64]) {
        self.scratch.clear();
        self.scratch.extend(self.pivot.iter().map(|&p| x[p] * self.scale[p]));
    }
}

/// Rows scaled by their largest numbers.
struct Scale<'a> {
    a: &'a mut [Strip],
    width: usize,
    scale: &'a mut Vec<f64>,
}

impl Kernel for Scale<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        for row in self.a.chunks_exact_mut(self.width.max(1)) {
            let mut largest = f64x4::simd_from(simd, 0.0);
            for x in &*row {
                largest = largest.max(at(simd, x).abs());
            }
            let [a, b, c, d] = *largest;
            let largest = a.max(b).max(c.max(d));
            let scale = if largest > 0.0 { 1.0 / largest } else { 1.0 };
            for x in row.iter_mut() {
                *x = *(at(simd, x) * scale);
            }
            self.scale.push(scale);
        }
    }
}

/// The columns of a strip, from its first row on, whole rows exchanged: how often, or nothing if there is no pivot.
struct Columns<'a> {
    rows: &'a mut [Strip],
    width: usize,
    strip: usize,
    pivot: &'a mut [usize],
    inverse: &'a mut Vec<f64>,
}

impl Kernel for Columns<'_> {
    type Output = Option<usize>;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Option<usize> {
        let Self { rows, width, strip, pivot, inverse } = self;
        let count = rows.len() / width;
        let mut best = Pivot::default();
        let mut exchanges = 0;
        for i in 0..count {
            best.offer(i, rows[i * width + strip][0]);
        }
        for k in 0..count.min(STRIP) {
            let Pivot { row, size } = best;
            if !(size > 0 && size < f64::INFINITY.to_bits()) {
                return None;
            }
            let (upper, lower) = rows.split_at_mut((k + 1) * width);
            let upper = &mut upper[k * width..];
            if row != k {
                upper.swap_with_slice(&mut lower[(row - k - 1) * width..][..width]);
                pivot.swap(k, row);
                exchanges += 1;
            }
            let mut right = upper[strip];
            let over = 1.0 / right[k];
            inverse.push(over);
            right[..=k].fill(0.0);
            let (right, next) = (at(simd, &right), (k + 1) % STRIP);
            best = Pivot::default();
            let mut i = k;
            for row in lower.chunks_exact_mut(width) {
                i += 1;
                let row = &mut row[strip];
                let factor = row[k] * over;
                *row = *minus(at(simd, row), factor, right);
                row[k] = factor;
                best.offer(i, row[next]);
            }
        }
        Some(exchanges)
    }
}

/// Effect of a strip, whose rows are the first, on columns on its right.
struct Right<'a> {
    rows: &'a mut [Strip],
    width: usize,
    strip: usize,
    columns: Range<usize>,
}

impl Kernel for Right<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Self { rows, width, strip, columns } = self;
        let (upper, lower) = rows.split_at_mut(STRIP * width);
        let (l1, l2, l3) = (upper[width + strip], upper[2 * width + strip], upper[3 * width + strip]);
        let count = columns.end - columns.start;
        let [p, q, r, s] = four_mut(upper, width, columns.clone());
        let (p, q, r, s) = (&p[..count], &mut q[..count], &mut r[..count], &mut s[..count]);
        for c in 0..count {
            let x = at(simd, &p[c]);
            let y = minus(at(simd, &q[c]), l1[0], x);
            let z = minus(minus(at(simd, &r[c]), l2[0], x), l2[1], y);
            let w = minus(minus(minus(at(simd, &s[c]), l3[0], x), l3[1], y), l3[2], z);
            (q[c], r[c], s[c]) = (*y, *z, *w);
        }
        let upper = four(upper, width, columns.clone());
        for rows in lower.chunks_exact_mut(STRIP * width) {
            subtract::<false, S>(simd, upper, strip, rows, width, columns.start);
        }
    }
}

/// Effect of the strips of a panel on the rows below it, in columns on its right.
struct Below<'a> {
    panel: &'a [Strip],
    lower: &'a mut [Strip],
    width: usize,
    strips: Range<usize>,
}

impl Kernel for Below<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Self { panel, lower, width, strips } = self;
        for rows in lower.chunks_exact_mut(STRIP * width) {
            for strip in strips.start..strips.end {
                let upper = four(&panel[STRIP * strip * width..], width, strips.end..width);
                subtract::<true, S>(simd, upper, strip, rows, width, strips.end);
            }
        }
    }
}

/// [`Lu::solve_at_once`] of whole strips: effects of others on all rows of one, then its rows one by one.
struct Solve<'a> {
    a: &'a [Strip],
    inverse: &'a [Strip],
    x: &'a mut [Strip],
}

impl Kernel for Solve<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Self { a, inverse, x } = self;
        let width = x.len();
        for s in 0..width {
            let rows = &a[STRIP * s * width..];
            let sums = dots(simd, four(rows, width, 0..s), &x[..s]);
            let [_, q, r, t] = four(rows, width, s..s + 1);
            let (q, r, t) = (&q[0], &r[0], &t[0]);
            let h = &mut x[s];
            h[0] -= sums[0];
            h[1] = h[1] - sums[1] - q[0] * h[0];
            h[2] = h[2] - sums[2] - r[0] * h[0] - r[1] * h[1];
            h[3] = h[3] - sums[3] - t[0] * h[0] - t[1] * h[1] - t[2] * h[2];
        }
        for s in (0..width).rev() {
            let rows = &a[STRIP * s * width..];
            let sums = dots(simd, four(rows, width, s + 1..width), &x[s + 1..]);
            let [p, q, r, _] = four(rows, width, s..s + 1);
            let (p, q, r) = (&p[0], &q[0], &r[0]);
            let (h, over) = (&mut x[s], &inverse[s]);
            h[3] = (h[3] - sums[3]) * over[3];
            h[2] = (h[2] - sums[2] - r[3] * h[3]) * over[2];
            h[1] = (h[1] - sums[1] - q[2] * h[2] - q[3] * h[3]) * over[1];
            h[0] = (h[0] - sums[0] - p[1] * h[1] - p[2] * h[2] - p[3] * h[3]) * over[0];
        }
    }
}

/// The first largest number of a column so far: its row, and its size as bits, which are in the order of sizes.
#[derive(Default)]
struct Pivot {
    row: usize,
    size: u64,
}

impl Pivot {
    #[inline(always)]
    fn offer(&mut self, row: usize, number: f64) {
        let size = number.abs().to_bits();
        let larger = size > self.size;
        self.row = if larger { row } else { self.row };
        self.size = if larger { size } else { self.size };
    }
}

/// Four rows, from strip `first` on, less four `above` by their factors in a strip: one after another, or summed first.
#[inline(always)]
fn subtract<const SUMMED: bool, S: Simd>(
    simd: S,
    [p, q, r, s]: [&[Strip]; STRIP],
    strip: usize,
    rows: &mut [Strip],
    width: usize,
    first: usize,
) {
    let count = p.len();
    let (q, r, s) = (&q[..count], &r[..count], &s[..count]);
    let (x, rest) = rows.split_at_mut(width);
    let (y, rest) = rest.split_at_mut(width);
    let (z, w) = rest.split_at_mut(width);
    let (f, g, h, l) = (x[strip], y[strip], z[strip], w[strip]);
    let (x, y) = (&mut x[first..][..count], &mut y[first..][..count]);
    let (z, w) = (&mut z[first..][..count], &mut w[first..][..count]);
    for c in 0..count {
        let u = [at(simd, &p[c]), at(simd, &q[c]), at(simd, &r[c]), at(simd, &s[c])];
        x[c] = *less::<SUMMED, S>(at(simd, &x[c]), f, u);
        y[c] = *less::<SUMMED, S>(at(simd, &y[c]), g, u);
        z[c] = *less::<SUMMED, S>(at(simd, &z[c]), h, u);
        w[c] = *less::<SUMMED, S>(at(simd, &w[c]), l, u);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction_contact::corpus::Random;

    #[test]
    fn solves_across_panels() {
        for n in [0, 1, 5, 31, 32, 33, 70] {
            let mut random = Random(n as u64);
            let mut lu = Lu::default();
            lu.clear(n);
            let mut a = Vec::new();
            for i in 0..n {
                // Units differ from row to row.
                let unit = 10_f64.powi((i % 7) as i32 - 3);
                lu.row_mut(i).iter_mut().for_each(|x| *x = unit * random.number());
                a.extend_from_slice(lu.row_mut(i));
            }
            let x: Vec<f64> = (0..n).map(|_| random.number()).collect();
            let mut b: Vec<f64> =
                (0..n).map(|i| a[i * n..(i + 1) * n].iter().zip(&x).map(|(a, x)| a * x).sum()).collect();
            assert!(lu.factor());
            let mut at_once = b.clone();
            lu.solve(&mut b);
            lu.solve_at_once(&mut at_once);
            for b in [b, at_once] {
                let error = b.iter().zip(&x).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
                assert!(error < 1e-9, "n = {n}: {error}");
            }
        }
    }

    #[test]
    fn a_singular_matrix_is_refused() {
        let mut lu = Lu::default();
        lu.clear(2);
        lu.row_mut(0).copy_from_slice(&[1.0, 2.0]);
        lu.row_mut(1).copy_from_slice(&[2.0, 4.0]);
        assert!(!lu.factor());
    }
}
