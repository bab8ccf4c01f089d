//! 1 + Σᵢ Wᵢᵀ Dᵢ Wᵢ by blocks of trees, and its block LU factors.
//!
//! ```text
//!     A_qr ← A_qr − A_qp A_pp⁻¹ A_pr      for q, r after p                                (1)
//! ```
//!
//! The pattern is symmetric, the numbers need not be. Pivots are sought within the blocks of the diagonal only. A tree
//! alone is one dense matrix.

use super::order::Order;
use super::ready::Ready;
use super::symmetric::{subtract_transposed, subtract_transposed_product};
use super::{Block, times};
use crate::dense::{Lu, STRIP, add};
use crate::work;
use stiction_contact::BranchSparseRows;
use stiction_contact::cone::MAX_ROWS;
use stiction_dynamics::spatial::Vec3;

/// Factors may hold so many: 1 GiB.
const MOST_NUMBERS: usize = 1 << 27;

/// See the module; keeps the memory.
#[derive(Default)]
pub(crate) struct TreeLu {
    /// Pairs of trees that touch, and those that `order` is of.
    pairs: Vec<(usize, usize)>,
    known: Vec<(usize, usize)>,
    order: Order,
    /// First coordinate and number of coordinates of every tree.
    tree: Vec<(usize, usize)>,
    /// Per tree, the start of its block of the diagonal in `values`; then for each neighbour, ascending, those
    /// of A_pq and A_qp.
    at: Vec<usize>,
    beside: Vec<Vec<(usize, usize, usize)>>,
    /// Where the blocks start that (1) changes, in that order.
    changed: Vec<usize>,
    values: Vec<f64>,
    numbers: usize,
    /// Multiplications of a factorisation.
    operations: f64,
    /// All D are symmetric, and of A_pq and A_qp one is formed: (1) and (2) of [`super::symmetric`].
    symmetric: bool,
    /// Row of A_pp that stands in place k.
    pivot: Vec<usize>,
    scratch: Vec<f64>,
    /// Every block, as it is added.
    ready: Vec<Ready>,
    /// D Wᵢ on one tree.
    turned: Vec<Vec3>,
    /// Tree, coordinate in it and column of a block with rows beyond the third.
    wide: Vec<(usize, usize, [f64; MAX_ROWS])>,
    /// Of a tree alone, no free body.
    alone: bool,
    dense: Lu,
    /// Rows of D Wᵢ in full.
    turned_rows: [Vec<[f64; STRIP]>; 3],
}

impl TreeLu {
    /// Makes room for the trees of `delassus_factor`.
    pub(crate) fn lay_out(&mut self, delassus_factor: &BranchSparseRows) {
        let n = delassus_factor.trees();
        self.alone = n == 1 && delassus_factor.tree(0).len() != 6;
        self.pairs.clear();
        for i in 0..delassus_factor.len() {
            let mut trees = delassus_factor.trees_of(i);
            if let (Some(a), Some(b)) = (trees.next(), trees.next()) {
                self.pairs.push((a.min(b), a.max(b)));
            }
        }
        self.pairs.sort_unstable();
        self.pairs.dedup();
        let same = self.tree.len() == n
            && self.known == self.pairs
            && (0..n).all(|t| self.tree[t] == (delassus_factor.tree(t).start, delassus_factor.tree(t).len()));
        if !same {
            self.order.find(n, &self.pairs);
            self.known.clone_from(&self.pairs);
            self.place_blocks(delassus_factor);
        }
        self.make_ready(delassus_factor);
    }

    /// Takes the numbers of `delassus_factor`, whose trees and blocks are those laid out.
    pub(crate) fn make_ready(&mut self, delassus_factor: &BranchSparseRows) {
        if self.alone {
            return;
        }
        let mut ready = std::mem::take(&mut self.ready);
        ready.clear();
        ready.extend((0..delassus_factor.len()).map(|i| {
            let mut segments = delassus_factor.segments(i);
            // Six columns may also be those of a chain in a larger tree.
            let mut next = || {
                let (tree, _, columns) = segments.next()?;
                let whole = if self.tree[tree].1 == columns.len() { columns } else { &[] };
                Some((tree, <&[Vec3; 6]>::try_from(whole).ok().map(Ready::rows)))
            };
            match (next(), next()) {
                (Some((p, Some(rows))), None) => Ready::One(rows, self.at[p]),
                (Some((p, Some(first))), Some((q, Some(second)))) if p != q => {
                    let at = [self.at[p], self.find(p, q), self.find(q, p), self.at[q]];
                    Ready::Two([first, second], at)
                }
                _ => Ready::Not,
            }
        }));
        self.ready = ready;
    }

    /// InitialGuesses with 1, to which blocks of any D are added, or of `symmetric` ones; false if the factors would be too large.
    #[inline(always)]
    pub(crate) fn start(&mut self, symmetric: bool) -> bool {
        self.symmetric = symmetric;
        if self.numbers > MOST_NUMBERS {
            return false;
        }
        if self.alone {
            let n = self.tree[0].1;
            self.dense.clear(n);
            (0..n).for_each(|k| self.dense.row_mut(k)[k] = 1.0);
            return true;
        }
        self.values.clear();
        self.values.resize(self.numbers, 0.0);
        for (&(_, size), &at) in self.tree.iter().zip(&self.at) {
            (0..size).for_each(|k| self.values[at + k * (size + 1)] = 1.0);
        }
        true
    }

    fn place_blocks(&mut self, delassus_factor: &BranchSparseRows) {
        let n = delassus_factor.trees();
        self.tree.clear();
        self.tree.extend((0..n).map(|t| (delassus_factor.tree(t).start, delassus_factor.tree(t).len())));
        self.at.clear();
        self.beside.resize(n.max(self.beside.len()), Vec::new());
        self.beside.iter_mut().for_each(Vec::clear);
        let mut end = 0;
        for t in 0..n {
            let size = self.tree[t].1;
            self.at.push(end);
            end += size * size;
            for &q in &self.order.neighbours[t] {
                let block = size * self.tree[q].1;
                self.beside[t].push((q, end, end + block));
                end += 2 * block;
            }
        }
        self.numbers = end;
        self.operations = 0.0;
        for (t, &(_, n)) in self.tree.iter().enumerate() {
            let beside = self.order.neighbours[t].iter().map(|&q| self.tree[q].1).sum::<usize>();
            self.operations += (n * (n * n / 3 + n * beside + beside * beside)) as f64;
        }
        self.changed.clear();
        for &p in &self.order.sequence {
            let list = &self.beside[p];
            for (&(q, ..), &(r, ..)) in list.iter().flat_map(|q| list.iter().map(move |r| (q, r))) {
                self.changed.push(if q == r { self.at[q] } else { self.find(q, r) });
            }
        }
        self.pivot.resize(self.tree.iter().map(|t| t.0 + t.1).max().unwrap_or(0), 0);
        self.scratch.resize(self.tree.iter().map(|t| t.1).max().unwrap_or(0), 0.0);
    }

    /// Where block (p, q) starts, p ≠ q.
    fn find(&self, p: usize, q: usize) -> usize {
        let entry = |t: usize, other: usize| {
            let list = &self.beside[t];
            list[list.partition_point(|e| e.0 < other)]
        };
        if self.order.place[p] < self.order.place[q] { entry(p, q).1 } else { entry(q, p).2 }
    }

    /// Adds Wᵢᵀ D Wᵢ.
    #[inline(always)]
    pub(crate) fn add(&mut self, delassus_factor: &BranchSparseRows, i: usize, d: &Block) {
        if self.alone {
            return self.add_dense(delassus_factor, i, d);
        }
        if self.ready[i].add(d, self.symmetric, &mut self.values) {
            return;
        }
        let mut turned = std::mem::take(&mut self.turned);
        for (q, columns, right) in delassus_factor.segments(i) {
            turned.clear();
            turned.extend(right.iter().map(|w| times(d, *w)));
            let (first, width) = self.tree[q];
            for (p, rows, left) in delassus_factor.segments(i) {
                if self.symmetric && self.order.place[p] > self.order.place[q] {
                    continue;
                }
                let (top, height) = self.tree[p];
                let at = if p == q { self.at[p] } else { self.find(p, q) };
                let block = &mut self.values[at..at + height * width];
                for (row, u) in rows.iter().zip(left) {
                    let out = &mut block[(row - top) * width..][..width];
                    for (column, v) in columns.iter().zip(&turned) {
                        out[column - first] += u.dot(*v);
                    }
                }
            }
        }
        self.turned = turned;
    }

    /// The same for a tree alone.
    #[inline(always)]
    fn add_dense(&mut self, delassus_factor: &BranchSparseRows, i: usize, d: &Block) {
        let Self { dense, turned_rows, tree: tree_sizes, .. } = self;
        let (first, n) = tree_sizes[0];
        let width = n.div_ceil(STRIP);
        for (row, d) in turned_rows.iter_mut().zip(d) {
            row.clear();
            row.resize(width, [0.0; STRIP]);
            let numbers = row.as_flattened_mut();
            delassus_factor
                .terms(i)
                .for_each(|(c, w)| numbers[c - first] = d[0] * w.x + d[1] * w.y + d[2] * w.z);
        }
        let [x, y, z] = &*turned_rows;
        let one = d[1] == [0.0; 3] && d[2] == [0.0; 3];
        for (coordinate, w) in delassus_factor.terms(i) {
            let (out, _) = dense.rows_mut(coordinate - first, 1);
            if one {
                out.iter_mut().zip(x).for_each(|(out, x)| *out = add(out, w.x, x));
                continue;
            }
            for ((out, x), (y, z)) in out.iter_mut().zip(x).zip(y.iter().zip(z)) {
                *out = add(&add(&add(out, w.x, x), w.y, y), w.z, z);
            }
        }
    }

    /// Adds Wᵢᵀ D Wᵢ of a block with rows beyond the third; where D is smaller, the rest of it is zero.
    pub(crate) fn add_patch(
        &mut self,
        delassus_factor: &BranchSparseRows,
        i: usize,
        d: &[[f64; MAX_ROWS]; MAX_ROWS],
    ) {
        let mut wide = std::mem::take(&mut self.wide);
        wide.clear();
        let trees =
            delassus_factor.segments(i).flat_map(|(t, coordinates, _)| coordinates.iter().map(move |_| t));
        let columns = delassus_factor.terms(i).zip(delassus_factor.more_terms(i));
        wide.extend(trees.zip(columns).map(|(tree, ((coordinate, w), (_, m)))| {
            (tree, coordinate - self.tree[tree].0, [w.x, w.y, w.z, m.x, m.y, m.z])
        }));
        for (q, column, right) in &wide {
            let turned = d.map(|row| row.iter().zip(right).map(|(d, w)| d * w).sum::<f64>());
            for (p, row, left) in &wide {
                let sum = left.iter().zip(turned).map(|(w, t)| w * t).sum::<f64>();
                if self.alone {
                    self.dense.row_mut(*row)[*column] += sum;
                } else if !self.symmetric || self.order.place[*p] <= self.order.place[*q] {
                    let at = if p == q { self.at[*p] } else { self.find(*p, *q) };
                    self.values[at + row * self.tree[*q].1 + column] += sum;
                }
            }
        }
        self.wide = wide;
    }

    /// False if a pivot is zero or not a number.
    #[inline(always)]
    pub(crate) fn factor(&mut self) -> bool {
        if self.alone {
            return self.dense.factor();
        }
        work::factored(if self.symmetric { 0.5 } else { 1.0 } * self.operations, self.ready.len());
        let mut changed = self.changed.iter();
        for &p in &self.order.sequence {
            let (first, n) = self.tree[p];
            let diagonal = &mut self.values[self.at[p]..self.at[p] + n * n];
            let pivot = &mut self.pivot[first..first + n];
            // Of a size the compiler knows for free bodies, most of what there is to do in a pile.
            if !(if n == 6 { factor(diagonal, pivot, 6) } else { factor(diagonal, pivot, n) }) {
                return false;
            }
            // A_pp⁻¹ A_pq takes the place of A_pq, or where A_qp is its transpose, of that.
            for &(q, upper, lower) in &self.beside[p] {
                let width = self.tree[q].1;
                let solved = if self.symmetric { lower } else { upper };
                if self.symmetric {
                    self.values.copy_within(upper..upper + n * width, lower);
                }
                let (start, end) = (self.at[p], solved + n * width);
                let (left, right) = self.values[start..end].split_at_mut(solved - start);
                let (left, pivot) = (&left[..n * n], &self.pivot[first..first + n]);
                match (n, width) {
                    (6, 6) => solve_columns(left, pivot, right, 6, 6),
                    _ => solve_columns(left, pivot, right, n, width),
                }
            }
            // (1)
            for &(q, transposed, lower) in &self.beside[p] {
                for (&(r, upper, solved), &to) in self.beside[p].iter().zip(&mut changed) {
                    let sizes = [self.tree[q].1, n, self.tree[r].1];
                    if !self.symmetric {
                        subtract_product(&mut self.values, [to, lower, upper], sizes);
                    } else if self.order.place[q] <= self.order.place[r] {
                        subtract_transposed_product(&mut self.values, [to, transposed, solved], sizes);
                    }
                }
            }
        }
        true
    }

    /// True if det A < 0, after [`Self::factor`].
    pub(crate) fn reverses(&self) -> bool {
        if self.alone {
            return self.dense.reverses();
        }
        let mut reverses = false;
        for (&(first, n), &at) in self.tree.iter().zip(&self.at) {
            let pivots = &self.pivot[first..first + n];
            // Pairs out of order: an exchange changes their number by an odd one.
            for (k, p) in pivots.iter().enumerate() {
                reverses ^= pivots[k + 1..].iter().filter(|later| *later < p).count() % 2 == 1;
                reverses ^= self.values[at + k * (n + 1)] < 0.0;
            }
        }
        reverses
    }

    /// x ← A⁻¹ x.
    #[inline(always)]
    pub(crate) fn solve(&mut self, x: &mut [f64]) {
        if self.alone {
            let (first, n) = self.tree[0];
            return self.dense.solve_at_once(&mut x[first..first + n]);
        }
        for &p in &self.order.sequence {
            let (first, n) = self.tree[p];
            let diagonal = &self.values[self.at[p]..self.at[p] + n * n];
            let pivot = &self.pivot[first..first + n];
            match n {
                6 => solve_one(diagonal, pivot, &mut x[first..first + n], &mut self.scratch, 6),
                _ => solve_one(diagonal, pivot, &mut x[first..first + n], &mut self.scratch, n),
            }
            for &(q, upper, lower) in &self.beside[p] {
                let (to, height) = self.tree[q];
                let at = if self.symmetric { upper } else { lower };
                let block = &self.values[at..at + height * n];
                match (height, n) {
                    (6, 6) if self.symmetric => subtract_transposed(block, x, [to, first], 6, 6),
                    _ if self.symmetric => subtract_transposed(block, x, [to, first], n, height),
                    (6, 6) => subtract(block, x, [to, first], 6, 6),
                    _ => subtract(block, x, [to, first], height, n),
                }
            }
        }
        for &p in self.order.sequence.iter().rev() {
            let (first, n) = self.tree[p];
            for &(q, upper, lower) in &self.beside[p] {
                let (from, width) = self.tree[q];
                let at = if self.symmetric { lower } else { upper };
                let block = &self.values[at..at + n * width];
                match (n, width) {
                    (6, 6) => subtract(block, x, [first, from], 6, 6),
                    _ => subtract(block, x, [first, from], n, width),
                }
            }
        }
    }
}

/// C −= A B at [C, A, B] of `values`, A of m × k and B of k × n numbers; the three do not overlap.
#[inline(always)]
fn subtract_product(values: &mut [f64], [c, a, b]: [usize; 3], [m, k, n]: [usize; 3]) {
    if [m, k, n] == [6; 3] {
        return subtract_product_of_six(values, [c, a, b]);
    }
    for row in 0..m {
        for inner in 0..k {
            let factor = values[a + row * k + inner];
            if factor != 0.0 {
                for column in 0..n {
                    values[c + row * n + column] -= factor * values[b + inner * n + column];
                }
            }
        }
    }
}

/// The same of free bodies: of a size the compiler knows.
#[inline(always)]
fn subtract_product_of_six(values: &mut [f64], [c, a, b]: [usize; 3]) {
    let [mut left, mut right] = [[0.0; 36]; 2];
    left.copy_from_slice(&values[a..a + 36]);
    right.copy_from_slice(&values[b..b + 36]);
    let right = right.as_chunks::<6>().0;
    let rows = values[c..c + 36].as_chunks_mut::<6>().0.iter_mut();
    for (row, factors) in rows.zip(left.as_chunks::<6>().0) {
        let mut sum = *row;
        for (factor, other) in factors.iter().zip(right) {
            for k in 0..6 {
                sum[k] -= factor * other[k];
            }
        }
        *row = sum;
    }
}

/// P A = L U with partial pivoting, in place.
#[inline(always)]
fn factor(a: &mut [f64], pivot: &mut [usize], n: usize) -> bool {
    let (a, pivot) = (&mut a[..n * n], &mut pivot[..n]);
    pivot.iter_mut().enumerate().for_each(|(k, p)| *p = k);
    for k in 0..n {
        let (mut best, mut largest) = (k, 0.0);
        for i in k..n {
            let size = a[i * n + k].abs();
            if size > largest {
                (best, largest) = (i, size);
            }
        }
        if !(largest > 0.0 && largest.is_finite()) {
            return false;
        }
        if best != k {
            pivot.swap(k, best);
            for column in 0..n {
                a.swap(k * n + column, best * n + column);
            }
        }
        let (upper, lower) = a.split_at_mut((k + 1) * n);
        let row = &upper[k * n..];
        for below in lower.chunks_exact_mut(n) {
            let factor = below[k] / row[k];
            below[k] = factor;
            for (x, u) in below[k + 1..].iter_mut().zip(&row[k + 1..]) {
                *x -= factor * u;
            }
        }
    }
    true
}

/// x at `to` −= A x at `from`, A of m × n numbers.
#[inline(always)]
fn subtract(a: &[f64], x: &mut [f64], [to, from]: [usize; 2], m: usize, n: usize) {
    let a = &a[..m * n];
    for (r, row) in a.chunks_exact(n).enumerate() {
        let sum: f64 = row.iter().zip(&x[from..from + n]).map(|(a, x)| a * x).sum();
        x[to + r] -= sum;
    }
}

/// x ← A⁻¹ x.
#[inline(always)]
fn solve_one(lu: &[f64], pivot: &[usize], x: &mut [f64], scratch: &mut [f64], n: usize) {
    let (lu, pivot, x, scratch) = (&lu[..n * n], &pivot[..n], &mut x[..n], &mut scratch[..n]);
    scratch.iter_mut().zip(pivot).for_each(|(s, &p)| *s = x[p]);
    x.copy_from_slice(&scratch[..n]);
    for k in 0..n {
        x[k] -= (0..k).map(|j| lu[k * n + j] * x[j]).sum::<f64>();
    }
    for k in (0..n).rev() {
        let sum: f64 = (k + 1..n).map(|j| lu[k * n + j] * x[j]).sum();
        x[k] = (x[k] - sum) / lu[k * n + k];
    }
}

/// B ← A⁻¹ B, B by rows of `width` numbers.
#[inline(always)]
fn solve_columns(lu: &[f64], pivot: &[usize], b: &mut [f64], n: usize, width: usize) {
    let (lu, pivot, b) = (&lu[..n * n], &pivot[..n], &mut b[..n * width]);
    // The rows of P B: each place is exchanged with where its row has gone since.
    for k in 0..n {
        let mut from = pivot[k];
        while from < k {
            from = pivot[from];
        }
        if from != k {
            let (upper, lower) = b.split_at_mut(from * width);
            upper[k * width..(k + 1) * width].swap_with_slice(&mut lower[..width]);
        }
    }
    for k in 0..n {
        let (above, row) = b.split_at_mut(k * width);
        let row = &mut row[..width];
        for (j, other) in above.chunks_exact(width).enumerate() {
            let factor = lu[k * n + j];
            row.iter_mut().zip(other).for_each(|(x, y)| *x -= factor * y);
        }
    }
    for k in (0..n).rev() {
        let (row, below) = b[k * width..].split_at_mut(width);
        for (j, other) in below.chunks_exact(width).enumerate() {
            let factor = lu[k * n + k + 1 + j];
            row.iter_mut().zip(other).for_each(|(x, y)| *x -= factor * y);
        }
        let inverse = 1.0 / lu[k * n + k];
        row.iter_mut().for_each(|x| *x *= inverse);
    }
}
