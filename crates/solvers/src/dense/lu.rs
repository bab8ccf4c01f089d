//! Dense linear systems: P A = L U with partial pivoting [Golub2013, 3.4].
//!
//! Rows are first scaled by their largest number, because rows of contact problems carry different
//! units. Panels of columns keep the update in cache. Cost ⅔ n³.

use super::{axpy, subtract_four};
use stiction_dynamics::lanes;

/// Columns factored together.
const PANEL: usize = 32;

/// A matrix and its factors, by rows.
#[derive(Default)]
pub(crate) struct Lu {
    n: usize,
    /// A before, L (unit diagonal not stored) and U after [`Self::factor`].
    a: Vec<f64>,
    /// Row of A in place i.
    pivot: Vec<usize>,
    /// Exchanges of two rows that led there.
    exchanges: usize,
    /// One over the largest number of a row of A.
    scale: Vec<f64>,
    scratch: Vec<f64>,
}

impl Lu {
    /// Makes room for an n × n matrix, so that smaller ones need none.
    pub(crate) fn reserve(&mut self, n: usize) {
        self.clear(n);
        for v in [&mut self.scale, &mut self.scratch] {
            v.clear();
            v.reserve(n);
        }
        self.pivot.clear();
        self.pivot.reserve(n);
    }

    /// An n × n matrix of zeros, to be filled through [`Self::row_mut`].
    pub(crate) fn clear(&mut self, n: usize) {
        self.n = n;
        self.a.clear();
        self.a.resize(n * n, 0.0);
    }

    pub(crate) fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.a[i * self.n..(i + 1) * self.n]
    }

    /// False if a pivot is zero or not a number.
    pub(crate) fn factor(&mut self) -> bool {
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
        for row in self.a.chunks_exact_mut(n.max(1)) {
            let largest = row.iter().fold(0.0_f64, |m, x| if x.abs() > m { x.abs() } else { m });
            let scale = if largest > 0.0 { 1.0 / largest } else { 1.0 };
            row.iter_mut().for_each(|x| *x *= scale);
            self.scale.push(scale);
        }
        let mut first = 0;
        while first < n {
            let last = (first + PANEL).min(n);
            if !self.factor_panel(first, last) {
                return false;
            }
            self.update(first, last);
            first = last;
        }
        true
    }

    /// True if det A < 0, after [`Self::factor`].
    pub(crate) fn reverses(&self) -> bool {
        let negative = self.a.iter().step_by(self.n + 1).filter(|u| **u < 0.0).count();
        (negative + self.exchanges) % 2 == 1
    }

    /// The least pivot of a matrix whose rows have been scaled to 1: small where it is nearly singular.
    pub(crate) fn least_pivot(&self) -> f64 {
        self.a.iter().step_by(self.n + 1).fold(f64::INFINITY, |m, u| m.min(u.abs()))
    }

    /// Columns first..last of the rows below, whole rows exchanged.
    #[inline(always)]
    fn factor_panel(&mut self, first: usize, last: usize) -> bool {
        let n = self.n;
        for k in first..last {
            let mut best = (k, self.a[k * n + k].abs());
            for i in k + 1..n {
                let candidate = self.a[i * n + k].abs();
                if candidate > best.1 {
                    best = (i, candidate);
                }
            }
            if !(best.1 > 0.0 && best.1.is_finite()) {
                return false;
            }
            if best.0 != k {
                let (upper, lower) = self.a.split_at_mut(best.0 * n);
                upper[k * n..(k + 1) * n].swap_with_slice(&mut lower[..n]);
                self.pivot.swap(k, best.0);
                self.exchanges += 1;
            }
            let (upper, lower) = self.a.split_at_mut((k + 1) * n);
            let pivot_row = &upper[k * n..k * n + last];
            let inverse = 1.0 / pivot_row[k];
            for row in lower.chunks_exact_mut(n) {
                let factor = row[k] * inverse;
                row[k] = factor;
                axpy(-factor, &pivot_row[k + 1..], &mut row[k + 1..last]);
            }
        }
        true
    }

    /// The columns right of the panel.
    #[inline(always)]
    fn update(&mut self, first: usize, last: usize) {
        let n = self.n;
        if last == n {
            return;
        }
        let (upper, lower) = self.a.split_at_mut(last * n);
        let panel = &mut upper[first * n..];
        for k in 1..last - first {
            let (above, row) = panel.split_at_mut(k * n);
            for j in 0..k {
                let factor = row[first + j];
                axpy(-factor, &above[j * n + last..(j + 1) * n], &mut row[last..n]);
            }
        }
        for row in lower.chunks_exact_mut(n) {
            let (left, right) = row.split_at_mut(last);
            let factors = &left[first..];
            let mut k = 0;
            while k + 4 <= factors.len() {
                let f = [factors[k], factors[k + 1], factors[k + 2], factors[k + 3]];
                let u = |j: usize| &panel[(k + j) * n + last..(k + j + 1) * n];
                subtract_four(f, [u(0), u(1), u(2), u(3)], right);
                k += 4;
            }
            for (j, factor) in factors.iter().enumerate().skip(k) {
                axpy(-factor, &panel[j * n + last..(j + 1) * n], right);
            }
        }
    }

    /// x ← A⁻¹ x.
    pub(crate) fn solve(&mut self, x: &mut [f64]) {
        let n = self.n;
        self.scratch.clear();
        self.scratch.extend(self.pivot.iter().map(|&p| x[p] * self.scale[p]));
        for i in 0..n {
            let row = &self.a[i * n..i * n + i];
            let sum: f64 = row.iter().zip(&self.scratch).map(|(l, y)| l * y).sum();
            self.scratch[i] -= sum;
        }
        for i in (0..n).rev() {
            let row = &self.a[i * n..(i + 1) * n];
            let sum: f64 = row[i + 1..].iter().zip(&x[i + 1..]).map(|(u, x)| u * x).sum();
            x[i] = (self.scratch[i] - sum) / row[i];
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
            lu.solve(&mut b);
            let error = b.iter().zip(&x).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
            assert!(error < 1e-9, "n = {n}: {error}");
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
