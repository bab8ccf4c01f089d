//! Dense linear systems: P A = L U with partial pivoting [Golub2013, 3.4].
//!
//! Rows are first scaled by their largest number, because rows of contact problems carry different
//! units. Columns are factored by strips of four, whose rows are four at once to what is on their right; panels of
//! strips keep that in cache. Cost ⅔ n³.

use super::dot_strips;
use std::ops::Range;
use stiction_dynamics::lanes;

/// Columns of a strip, and strips of a panel.
pub(crate) const STRIP: usize = 4;
const PANEL: usize = 8;

/// A matrix and its factors, by rows.
#[derive(Default)]
pub(crate) struct Lu {
    n: usize,
    /// From row to row: whole strips, zeros after the columns there are.
    stride: usize,
    /// A before, L (unit diagonal not stored) and U after [`Self::factor`].
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
            (&mut self.a, n * stride),
            (&mut self.scale, n),
            (&mut self.inverse, n),
            (&mut self.scratch, stride),
        ] {
            v.clear();
            v.reserve(numbers);
        }
        self.pivot.clear();
        self.pivot.reserve(n);
    }

    /// An n × n matrix of zeros, to be filled through [`Self::row_mut`].
    pub(crate) fn clear(&mut self, n: usize) {
        (self.n, self.stride) = (n, n.next_multiple_of(STRIP));
        self.a.clear();
        self.a.resize(n * self.stride, 0.0);
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
        lanes::plain(
            #[inline(always)]
            || self.factor_by_panels(),
        )
    }

    #[inline(always)]
    fn factor_by_panels(&mut self) -> bool {
        let n = self.n;
        self.exchanges = 0;
        self.pivot.clear();
        self.pivot.extend(0..n);
        self.scale.clear();
        self.inverse.clear();
        for row in self.a.chunks_exact_mut(self.stride.max(1)) {
            let strips = row.as_chunks_mut::<STRIP>().0;
            let mut largest = [0.0_f64; STRIP];
            for strip in &*strips {
                largest.iter_mut().zip(strip).for_each(|(m, x)| *m = if x.abs() > *m { x.abs() } else { *m });
            }
            let largest = largest.into_iter().fold(0.0, |m, x| if x > m { x } else { m });
            let scale = if largest > 0.0 { 1.0 / largest } else { 1.0 };
            strips.as_flattened_mut().iter_mut().for_each(|x| *x *= scale);
            self.scale.push(scale);
        }
        let width = self.stride / STRIP;
        for first in (0..width).step_by(PANEL) {
            let last = (first + PANEL).min(width);
            for strip in first..last {
                if !self.factor_strip(strip) {
                    return false;
                }
                self.update(strip, n, strip + 1..last);
            }
            for strip in first..last {
                self.update(strip, STRIP * last, last..width);
            }
            self.update_below(first..last, last..width);
        }
        true
    }

    /// True if det A < 0, after [`Self::factor`].
    pub(crate) fn reverses(&self) -> bool {
        let negative = self.a.iter().step_by(self.stride + 1).filter(|u| **u < 0.0).count();
        (negative + self.exchanges) % 2 == 1
    }

    /// The least pivot of a matrix whose rows have been scaled to 1: small where it is nearly singular.
    pub(crate) fn least_pivot(&self) -> f64 {
        self.a.iter().step_by(self.stride + 1).fold(f64::INFINITY, |m, u| m.min(u.abs()))
    }

    /// The columns of a strip from its first row on, whole rows exchanged.
    #[inline(always)]
    fn factor_strip(&mut self, strip: usize) -> bool {
        let (width, first) = (self.stride / STRIP, STRIP * strip);
        let count = (self.n - first).min(STRIP);
        let mut pivot = Pivot::default();
        let rows = self.a.as_chunks::<STRIP>().0[first * width..].chunks_exact(width);
        rows.enumerate().for_each(|(i, row)| pivot.offer(first + i, row[strip][0]));
        self.factor_column::<0>(strip, &mut pivot)
            && (count < 2 || self.factor_column::<1>(strip, &mut pivot))
            && (count < 3 || self.factor_column::<2>(strip, &mut pivot))
            && (count < 4 || self.factor_column::<3>(strip, &mut pivot))
    }

    /// By the pivot given, which becomes that of the next.
    #[inline(always)]
    fn factor_column<const K: usize>(&mut self, strip: usize, pivot: &mut Pivot) -> bool {
        let (width, k) = (self.stride / STRIP, STRIP * strip + K);
        let Pivot { row: best, size } = std::mem::take(pivot);
        if !(size > 0 && size < f64::INFINITY.to_bits()) {
            return false;
        }
        let (upper, lower) = self.a.as_chunks_mut::<STRIP>().0.split_at_mut((k + 1) * width);
        let row_k = &mut upper[k * width..];
        if best != k {
            for (a, b) in row_k.iter_mut().zip(&mut lower[(best - k - 1) * width..]) {
                std::mem::swap(a, b);
            }
            self.pivot.swap(k, best);
            self.exchanges += 1;
        }
        let pivot_row = row_k[strip];
        let inverse = 1.0 / pivot_row[K];
        self.inverse.push(inverse);
        for (i, row) in lower.chunks_exact_mut(width).enumerate() {
            let row = &mut row[strip];
            let factor = row[K] * inverse;
            *row = std::array::from_fn(|j| match j {
                _ if j < K => row[j],
                _ if j == K => factor,
                _ => row[j] - factor * pivot_row[j],
            });
            if K + 1 < STRIP {
                pivot.offer(k + 1 + i, row[(K + 1) % STRIP]);
            }
        }
        true
    }

    /// What a strip does to columns of others on its right, down to row `end`.
    #[inline(always)]
    fn update(&mut self, strip: usize, end: usize, columns: Range<usize>) {
        let width = self.stride / STRIP;
        if columns.is_empty() {
            return;
        }
        let chunks = &mut self.a.as_chunks_mut::<STRIP>().0[STRIP * strip * width..end * width];
        let (upper, lower) = chunks.split_at_mut(STRIP * width);
        let (first, rest) = upper.split_at_mut(width);
        let (second, rest) = rest.split_at_mut(width);
        let (third, fourth) = rest.split_at_mut(width);
        let (l1, l2, l3) = (second[strip], third[strip], fourth[strip]);
        let firsts = first[columns.clone()].iter().zip(&mut second[columns.clone()]);
        let others = third[columns.clone()].iter_mut().zip(&mut fourth[columns.clone()]);
        for ((u0, u1), (u2, u3)) in firsts.zip(others) {
            *u1 = std::array::from_fn(|c| u1[c] - l1[0] * u0[c]);
            *u2 = std::array::from_fn(|c| u2[c] - l2[0] * u0[c] - l2[1] * u1[c]);
            *u3 = std::array::from_fn(|c| u3[c] - l3[0] * u0[c] - l3[1] * u1[c] - l3[2] * u2[c]);
        }
        for row in lower.chunks_exact_mut(width) {
            subtract::<false>(upper, strip, row, columns.clone());
        }
    }

    /// What the strips of a panel do to columns on their right, in the rows below.
    #[inline(always)]
    fn update_below(&mut self, strips: Range<usize>, columns: Range<usize>) {
        let width = self.stride / STRIP;
        if columns.is_empty() {
            return;
        }
        let chunks = self.a.as_chunks_mut::<STRIP>().0;
        let (panel, lower) = chunks.split_at_mut(STRIP * strips.end * width);
        for row in lower.chunks_exact_mut(width) {
            for strip in strips.clone() {
                subtract::<true>(&panel[STRIP * strip * width..], strip, row, columns.clone());
            }
        }
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
    pub(crate) fn solve_at_once(&mut self, x: &mut [f64]) {
        self.turn(x);
        self.scratch.resize(self.stride, 0.0);
        lanes::plain(
            #[inline(always)]
            || self.solve_by_strips(),
        );
        x.copy_from_slice(&self.scratch[..self.n]);
    }

    /// P x, scaled, into `scratch`.
    fn turn(&mut self, x: &[f64]) {
        self.scratch.clear();
        self.scratch.extend(self.pivot.iter().map(|&p| x[p] * self.scale[p]));
    }

    /// Strip by strip: what others say to all its rows, then the rows one by one.
    #[inline(always)]
    fn solve_by_strips(&mut self) {
        let (n, width) = (self.n, self.stride / STRIP);
        let Self { a, scratch, inverse, .. } = self;
        let (a, x) = (a.as_chunks::<STRIP>().0, scratch.as_chunks_mut::<STRIP>().0);
        for s in 0..width {
            let mut here = x[s];
            for (k, row) in a[STRIP * s * width..].chunks_exact(width).take(STRIP).enumerate() {
                here[k] -= dot_strips(&row[..s], &x[..s]);
                (0..k).for_each(|l| here[k] -= row[s][l] * here[l]);
            }
            x[s] = here;
        }
        for s in (0..width).rev() {
            let mut here = x[s];
            let rows = STRIP * s..n.min(STRIP * (s + 1));
            for (k, row) in rows.clone().enumerate().rev() {
                let row = &a[row * width..][..width];
                here[k] -= dot_strips(&row[s + 1..], &x[s + 1..]);
                (k + 1..rows.len()).for_each(|l| here[k] -= row[s][l] * here[l]);
                here[k] *= inverse[STRIP * s + k];
            }
            x[s] = here;
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

/// Columns of a row less those of the four first of `rows`, by its factors in a strip: one after another, or summed first.
#[inline(always)]
fn subtract<const SUMMED: bool>(
    rows: &[[f64; STRIP]],
    strip: usize,
    row: &mut [[f64; STRIP]],
    columns: Range<usize>,
) {
    let width = row.len();
    let f = row[strip];
    let of = |k: usize| &rows[k * width..(k + 1) * width][columns.clone()];
    let four = of(0).iter().zip(of(1)).zip(of(2).iter().zip(of(3)));
    for (x, ((u0, u1), (u2, u3))) in row[columns.clone()].iter_mut().zip(four) {
        // All four before any is written: then they go together.
        *x = std::array::from_fn(|c| match SUMMED {
            true => x[c] - (f[0] * u0[c] + f[1] * u1[c] + f[2] * u2[c] + f[3] * u3[c]),
            false => x[c] - f[0] * u0[c] - f[1] * u1[c] - f[2] * u2[c] - f[3] * u3[c],
        });
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
