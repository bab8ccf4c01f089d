//! Dense factorisations of the matrices that contact solvers meet: some tens to some thousands of rows.

mod cholesky;
mod lu;

pub(crate) use cholesky::Cholesky;
pub(crate) use lu::Lu;

use std::ops::Range;
use stiction_contact::ConstraintProblem;
use stiction_dynamics::lanes::{Kernel, Simd, SimdFrom, f64x4, in_fours};
use stiction_dynamics::spatial::Vec3;

/// Columns of a strip.
pub(crate) const STRIP: usize = 4;

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
pub(crate) fn whole_into(problem: &ConstraintProblem, columns: &mut Vec<Strip>, out: &mut Vec<f64>) {
    let (delassus_factor, rows) = (&problem.delassus_factor, problem.rows());
    let width = rows.div_ceil(STRIP);
    columns.clear();
    columns.resize(delassus_factor.coordinates() * width, [0.0; STRIP]);
    out.resize(rows * STRIP * width, 0.0);
    in_fours(Whole { problem, columns, out: out.as_chunks_mut().0, width });
}

struct Whole<'a> {
    problem: &'a ConstraintProblem,
    columns: &'a mut [Strip],
    out: &'a mut [Strip],
    width: usize,
}

impl Kernel for Whole<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Self { problem, columns, out, width } = self;
        let (delassus_factor, rows) = (&problem.delassus_factor, problem.rows());
        let numbers = columns.as_flattened_mut();
        for (i, range) in problem.row_start().windows(2).enumerate() {
            let end = range[1].min(range[0] + 3);
            for (coordinate, w) in delassus_factor.terms(i) {
                write(&mut numbers[STRIP * width * coordinate..], range[0]..end, w);
            }
            if end < range[1] {
                for (coordinate, w) in delassus_factor.more_terms(i) {
                    write(&mut numbers[STRIP * width * coordinate..], end..range[1], w);
                }
            }
        }
        // From the diagonal on, and then the same below it.
        for (i, range) in problem.row_start().windows(2).enumerate() {
            let end = range[1].min(range[0] + 3);
            set_rows(simd, out, range[0]..end, width, columns, || delassus_factor.terms(i));
            if end < range[1] {
                set_rows(simd, out, end..range[1], width, columns, || delassus_factor.more_terms(i));
            }
        }
        let numbers = out.as_flattened_mut();
        for row in 1..rows {
            let (above, below) = numbers.split_at_mut(STRIP * width * row);
            let below = &mut below[..row];
            for (x, line) in below.iter_mut().zip(above.chunks_exact(STRIP * width)) {
                *x = line[row];
            }
        }
    }
}

/// Up to three numbers into rows of a column.
#[inline(always)]
fn write(column: &mut [f64], rows: Range<usize>, w: Vec3) {
    let out = &mut column[rows];
    match out.len() {
        3 => (out[0], out[1], out[2]) = (w.x, w.y, w.z),
        2 => (out[0], out[1]) = (w.x, w.y),
        _ => out[0] = w.x,
    }
}

/// Up to three rows of G, from the diagonal on: those of W times its columns.
#[inline(always)]
fn set_rows<S: Simd, I: Iterator<Item = (usize, Vec3)>>(
    simd: S,
    out: &mut [Strip],
    rows: Range<usize>,
    width: usize,
    columns: &[Strip],
    terms: impl Fn() -> I,
) {
    let count = rows.end - rows.start;
    for strip in rows.start / STRIP..width {
        let zero = f64x4::simd_from(simd, 0.0);
        let (mut x, mut y, mut z) = (zero, zero, zero);
        for (coordinate, w) in terms() {
            let g = at(simd, &columns[coordinate * width + strip]);
            x += g * w.x;
            y += g * w.y;
            z += g * w.z;
        }
        let first = rows.start * width + strip;
        out[first] = *x;
        if count > 1 {
            out[first + width] = *y;
        }
        if count > 2 {
            out[first + 2 * width] = *z;
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

/// out = A x, A by rows of whole strips, as many as x has, and as many rows as `out` has or more.
pub(crate) fn times(a: &[f64], x: &[f64], out: &mut [f64]) {
    in_fours(Times { a: a.as_chunks().0, x: x.as_chunks().0, out });
}

struct Times<'a> {
    a: &'a [Strip],
    x: &'a [Strip],
    out: &'a mut [f64],
}

impl Kernel for Times<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Self { a, x, out } = self;
        let (width, n) = (x.len(), out.len());
        let fours = n / STRIP;
        for (i, out) in out[..STRIP * fours].as_chunks_mut::<STRIP>().0.iter_mut().enumerate() {
            *out = dots(simd, four(&a[STRIP * i * width..], width, 0..width), x);
        }
        for row in STRIP * fours..n {
            out[row] = dot_strips(&a[row * width..][..width], x);
        }
    }
}

/// Room for an n × n matrix in `a` by whole strips of rows and columns, those after the last of the unit matrix; the length of a row.
fn whole_strips(n: usize, a: &mut Vec<f64>) -> usize {
    let stride = n.next_multiple_of(STRIP);
    a.resize(stride * stride, 0.0);
    for row in a.chunks_exact_mut(stride.max(1)) {
        row[n..].fill(0.0);
    }
    for k in n..stride {
        a[k * stride..][..n].fill(0.0);
        a[k * (stride + 1)] = 1.0;
    }
    stride
}

/// Four numbers in one vector.
pub(crate) type Strip = [f64; STRIP];

/// Four rows of `width` strips, of each the strips `columns`.
#[inline(always)]
fn four(rows: &[Strip], width: usize, columns: Range<usize>) -> [&[Strip]; STRIP] {
    let (start, count) = (columns.start, columns.end - columns.start);
    let of = |k: usize| &rows[k * width + start..][..count];
    [of(0), of(1), of(2), of(3)]
}

/// As [`four`].
#[inline(always)]
fn four_mut(rows: &mut [Strip], width: usize, columns: Range<usize>) -> [&mut [Strip]; STRIP] {
    let (x, rest) = rows.split_at_mut(width);
    let (y, rest) = rest.split_at_mut(width);
    let (z, w) = rest.split_at_mut(width);
    [&mut x[columns.clone()], &mut y[columns.clone()], &mut z[columns.clone()], &mut w[columns]]
}

/// A strip as a vector.
#[inline(always)]
fn at<S: Simd>(simd: S, x: &Strip) -> f64x4<S> {
    f64x4::simd_from(simd, *x)
}

/// x − f u.
#[inline(always)]
fn minus<S: Simd>(x: f64x4<S>, f: f64, u: f64x4<S>) -> f64x4<S> {
    x - u * f
}

/// x − Σ fₖ uₖ: one after another, or summed first.
#[inline(always)]
fn less<const SUMMED: bool, S: Simd>(x: f64x4<S>, f: Strip, [p, q, r, s]: [f64x4<S>; STRIP]) -> f64x4<S> {
    if SUMMED {
        return x - (p * f[0] + q * f[1] + r * f[2] + s * f[3]);
    }
    x - p * f[0] - q * f[1] - r * f[2] - s * f[3]
}

/// Four rows times x.
#[inline(always)]
fn dots<S: Simd>(simd: S, [a, b, c, d]: [&[Strip]; STRIP], x: &[Strip]) -> Strip {
    let count = x.len();
    let (a, b, c, d) = (&a[..count], &b[..count], &c[..count], &d[..count]);
    let zero = f64x4::simd_from(simd, 0.0);
    let (mut s, mut t, mut u, mut v) = (zero, zero, zero, zero);
    for k in 0..count {
        let x = at(simd, &x[k]);
        s += at(simd, &a[k]) * x;
        t += at(simd, &b[k]) * x;
        u += at(simd, &c[k]) * x;
        v += at(simd, &d[k]) * x;
    }
    let sum = |s: f64x4<S>| (s[0] + s[1]) + (s[2] + s[3]);
    [sum(s), sum(t), sum(u), sum(v)]
}

/// A dot product of whole strips.
#[inline(always)]
fn dot_strips(a: &[Strip], x: &[Strip]) -> f64 {
    let mut sum = [0.0; STRIP];
    for (a, x) in a.iter().zip(x) {
        sum = std::array::from_fn(|k| sum[k] + a[k] * x[k]);
    }
    (sum[0] + sum[1]) + (sum[2] + sum[3])
}

/// Makes `x` so many zeros.
#[inline]
pub(crate) fn zeros(x: &mut Vec<f64>, n: usize) {
    x.clear();
    x.resize(n, 0.0);
}
