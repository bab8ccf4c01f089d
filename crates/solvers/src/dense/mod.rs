//! Dense factorisations of the matrices that contact solvers meet: some tens to some thousands of rows.

mod cholesky;
mod lu;

pub(crate) use cholesky::Cholesky;
pub(crate) use lu::{Lu, STRIP};

use std::ops::Range;
use stiction_contact::ConstraintProblem;
use stiction_dynamics::spatial::Vec3;

/// A = ½ (G + Gᵀ) + R by rows into `out`, which becomes rows × rows. The blocks must be formed. False if
/// G itself is not symmetric: measured problems need not be.
pub(crate) fn symmetric_into(problem: &ConstraintProblem, out: &mut Vec<f64>) -> bool {
    let (n, start) = (problem.rows(), problem.row_start());
    out.clear();
    out.resize(n * n, 0.0);
    let (mut largest, mut apart) = (0.0_f64, 0.0_f64);
    for i in 0..problem.len() {
        for k in problem.blocks.entries(i) {
            let j = problem.blocks.column_of(k);
            let (height, width) = (start[i + 1] - start[i], start[j + 1] - start[j]);
            let (here, there) = (problem.blocks.entry(k), problem.blocks.entry(problem.blocks.mirror_of(k)));
            for r in 0..height {
                for c in 0..width {
                    let (a, b) = (here[r * width + c], there[c * height + r]);
                    largest = largest.max(a.abs());
                    apart = apart.max((a - b).abs());
                    out[(start[i] + r) * n + start[j] + c] = 0.5 * (a + b);
                }
            }
        }
    }
    for (r, compliance) in problem.compliance.iter().enumerate() {
        out[r * n + r] += compliance;
    }
    apart <= 1e-14 * largest
}

/// A = G + R by rows into `out`, which becomes rows × rows. The blocks must be formed.
pub(crate) fn matrix_into(problem: &ConstraintProblem, out: &mut Vec<f64>) {
    let n = problem.rows();
    out.clear();
    out.resize(n * n, 0.0);
    for i in 0..problem.len() {
        for k in problem.blocks.entries(i) {
            let columns = problem.range(problem.blocks.column_of(k));
            let rows = problem.blocks.entry(k).chunks_exact(columns.len());
            for (r, values) in problem.range(i).zip(rows) {
                out[r * n + columns.start..r * n + columns.end].copy_from_slice(values);
            }
        }
    }
    for (r, compliance) in problem.compliance.iter().enumerate() {
        out[r * n + r] += compliance;
    }
}

/// G = W Wᵀ by rows of whole strips into `out`, from the W of a problem; `columns` is scratch, W by coordinates.
#[inline(always)]
pub(crate) fn whole_into(problem: &ConstraintProblem, columns: &mut Vec<[f64; STRIP]>, out: &mut Vec<f64>) {
    let (delassus_factor, rows) = (&problem.delassus_factor, problem.rows());
    let width = rows.div_ceil(STRIP);
    columns.clear();
    columns.resize(delassus_factor.coordinates() * width, [0.0; STRIP]);
    let numbers = columns.as_flattened_mut();
    let mut write = |range: Range<usize>, (coordinate, w): (usize, Vec3)| {
        let at = STRIP * width * coordinate;
        numbers[at + range.start..at + range.end].copy_from_slice(&w.to_array()[..range.len()]);
    };
    for (i, range) in problem.row_start().windows(2).enumerate() {
        let end = range[1].min(range[0] + 3);
        delassus_factor.terms(i).for_each(|term| write(range[0]..end, term));
        if end < range[1] {
            delassus_factor.more_terms(i).for_each(|term| write(end..range[1], term));
        }
    }
    out.clear();
    out.resize(rows * STRIP * width, 0.0);
    // From the diagonal on, and then the same below it.
    let strips = out.as_chunks_mut::<STRIP>().0;
    for (i, range) in problem.row_start().windows(2).enumerate() {
        let end = range[1].min(range[0] + 3);
        add_rows(strips, range[0]..end, width, columns, delassus_factor.terms(i));
        if end < range[1] {
            add_rows(strips, end..range[1], width, columns, delassus_factor.more_terms(i));
        }
    }
    for row in 0..rows {
        for column in row + 1..rows {
            out[column * STRIP * width + row] = out[row * STRIP * width + column];
        }
    }
}

/// Up to three rows of G, from the diagonal on: those of W times its columns.
#[inline(always)]
fn add_rows(
    strips: &mut [[f64; STRIP]],
    rows: Range<usize>,
    width: usize,
    columns: &[[f64; STRIP]],
    terms: impl Iterator<Item = (usize, Vec3)>,
) {
    let first = rows.start / STRIP;
    let (x, more) = strips[rows.start * width..rows.end * width].split_at_mut(width);
    for (coordinate, w) in terms {
        let from = &columns[coordinate * width..][first..width];
        if more.is_empty() {
            x[first..].iter_mut().zip(from).for_each(|(x, g)| *x = add(x, w.x, g));
            continue;
        }
        let (y, z) = more.split_at_mut(width);
        let others = y[first..].iter_mut().zip(&mut z[first..]);
        for ((x, (y, z)), g) in x[first..].iter_mut().zip(others).zip(from) {
            (*x, *y, *z) = (add(x, w.x, g), add(y, w.y, g), add(z, w.z, g));
        }
    }
}

/// y + a x.
#[inline(always)]
pub(crate) fn add(y: &[f64; STRIP], a: f64, x: &[f64; STRIP]) -> [f64; STRIP] {
    std::array::from_fn(|k| y[k] + a * x[k])
}

/// a·x, four numbers at a time.
#[inline(always)]
pub(crate) fn dot(a: &[f64], x: &[f64]) -> f64 {
    let ((a, rest_a), (x, rest_x)) = (a.as_chunks::<STRIP>(), x.as_chunks::<STRIP>());
    let rest: f64 = rest_a.iter().zip(rest_x).map(|(a, x)| a * x).sum();
    dot_strips(a, x) + rest
}

/// out = A x, A by rows of whole strips, as many as x has: four rows at once.
#[inline(always)]
pub(crate) fn times(a: &[f64], x: &[f64], out: &mut [f64]) {
    let x = x.as_chunks::<STRIP>().0;
    let width = x.len();
    let a = a.as_chunks::<STRIP>().0;
    let mut rows = a.chunks_exact((STRIP * width).max(1));
    let mut fours = out.chunks_exact_mut(STRIP);
    for (out, rows) in (&mut fours).zip(&mut rows) {
        let of = |k: usize| &rows[k * width..(k + 1) * width];
        let mut sums = [[0.0; STRIP]; STRIP];
        for ((((x, a), b), c), d) in x.iter().zip(of(0)).zip(of(1)).zip(of(2)).zip(of(3)) {
            sums[0] = std::array::from_fn(|k| sums[0][k] + a[k] * x[k]);
            sums[1] = std::array::from_fn(|k| sums[1][k] + b[k] * x[k]);
            sums[2] = std::array::from_fn(|k| sums[2][k] + c[k] * x[k]);
            sums[3] = std::array::from_fn(|k| sums[3][k] + d[k] * x[k]);
        }
        out.iter_mut().zip(sums).for_each(|(out, s)| *out = (s[0] + s[1]) + (s[2] + s[3]));
    }
    for (out, row) in fours.into_remainder().iter_mut().zip(rows.remainder().chunks_exact(width.max(1))) {
        *out = dot_strips(row, x);
    }
}

/// A dot product of whole strips.
#[inline(always)]
fn dot_strips(a: &[[f64; STRIP]], x: &[[f64; STRIP]]) -> f64 {
    let mut sum = [0.0; STRIP];
    for (a, x) in a.iter().zip(x) {
        sum = std::array::from_fn(|k| sum[k] + a[k] * x[k]);
    }
    (sum[0] + sum[1]) + (sum[2] + sum[3])
}
