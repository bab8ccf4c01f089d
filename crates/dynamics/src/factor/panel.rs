//! Several rows of one chain at a time: what a factorisation and a solve do with a panel.
//!
//! The rows i, i − 1, …, i − K + 1 are numbered k = 0 to K − 1 from the tip. They are eliminated among
//! themselves, in registers, for their pivots wait for one another; then from the rows of their
//! common ancestors, each visited once for all K. Equations (1) and (2) are those of [`super`]. Plain
//! numbers go four by four, over the zeros before the rows too; lanes are blocks already. What plain
//! numbers and lanes undergo is the same, operation by operation.

#![allow(clippy::needless_range_loop, clippy::manual_memcpy)] // the indices are those of the equations

use super::NotPositive;
use crate::mass_matrix::{Panel, Pattern, TRUNK};
use crate::real::Real;
use std::cmp::Ordering;

/// Columns for which there are registers, and lengths are told to the compiler.
const FEW: usize = 16;

/// (1) and (2) for the K rows of `panel` among themselves; `inverse` is 1/D.
#[inline(always)]
pub(super) fn pivot<T: Real, const K: usize>(
    panel: &Panel,
    entries: &mut [T],
    inverse: &mut [T],
    failed: &mut Option<NotPositive>,
) {
    let rows = panel.rows_mut::<T, K>(&mut entries[panel.begin..panel.end]);
    let inverse = &mut inverse[panel.tip + 1 - K..=panel.tip];
    let mut M = [[inverse[0]; K]; K];
    for k in 0..K {
        M[k].copy_from_slice(&rows[k][panel.square..][..K]);
    }
    // One by one: the compiler does not unroll so much by itself.
    pivot_row::<T, K, 0>(panel, &mut M, inverse, failed);
    pivot_row::<T, K, 1>(panel, &mut M, inverse, failed);
    pivot_row::<T, K, 2>(panel, &mut M, inverse, failed);
    pivot_row::<T, K, 3>(panel, &mut M, inverse, failed);
    pivot_row::<T, K, 4>(panel, &mut M, inverse, failed);
    pivot_row::<T, K, 5>(panel, &mut M, inverse, failed);
    pivot_row::<T, K, 6>(panel, &mut M, inverse, failed);
    for k in 0..K {
        let row = &mut rows[k][panel.square..][..K];
        for l in k..K {
            row[l] = M[k][l];
        }
    }
}

/// (1) and (2) for row k = `ROW` of a panel, if it has so many.
#[inline(always)]
fn pivot_row<T: Real, const K: usize, const ROW: usize>(
    panel: &Panel,
    M: &mut [[T; K]; K],
    inverse: &mut [T],
    failed: &mut Option<NotPositive>,
) {
    let k = ROW;
    if k >= K {
        return;
    }
    let inverse_D = inverse_pivot(M[k][k], panel.tip - k, failed);
    let mut L = M[k];
    for l in k + 1..K {
        L[l] = M[k][l] * inverse_D;
        for m in l..K {
            // In this order the next pivot, which all else waits for, waits for the division alone.
            M[l][m] -= M[k][l] * M[k][m] * inverse_D;
        }
    }
    M[k] = L;
    inverse[K - 1 - k] = inverse_D;
}

/// (1) and (2) for the common columns of `panel`, after [`pivot`].
#[inline(always)]
pub(super) fn eliminate<T: Real, const K: usize>(
    pattern: &Pattern,
    panel: &Panel,
    entries: &mut [T],
    inverse: &[T],
) {
    let (above, rows) = entries.split_at_mut(panel.begin);
    let mut rows = panel.rows_mut::<T, K>(&mut rows[..panel.end - panel.begin]);
    let inverse = &inverse[panel.tip + 1 - K..=panel.tip];
    let (mut L, mut D, mut inverse_D) = ([[inverse[0]; K]; K], [inverse[0]; K], [inverse[0]; K]);
    for k in 0..K {
        let row = &rows[k][panel.square..][..K];
        for l in k + 1..K {
            L[k][l] = row[l];
        }
        (D[k], inverse_D[k]) = (row[k], inverse[K - 1 - k]);
    }

    // In the common columns. Where whole blocks reach beyond them is written at the end.
    if T::LANES == 1 && panel.common <= FEW {
        let tails = scale_few(&mut rows, panel.stride, panel.common, &L, &inverse_D);
        subtract_few(pattern, panel, above, &tails, D);
    } else {
        let width = if T::LANES == 1 { 4 } else { 1 };
        for block in 1..=panel.common.div_ceil(width) {
            if T::LANES == 1 {
                scale::<T, K, 4>(&mut rows, panel.stride - 4 * block, &L, &inverse_D);
            } else {
                scale::<T, K, 1>(&mut rows, panel.stride - block, &L, &inverse_D);
            }
        }
        // (2), with L_ij D_i in the place of M_ij.
        for t in 0..panel.common {
            let place = pattern.place(pattern.common(panel)[t] as usize);
            let mut M_j = D;
            for k in 0..K {
                M_j[k] *= rows[k][panel.stride - panel.common + t];
            }
            subtract(&mut above[place.begin..place.end], &rows, panel.stride, M_j);
        }
    }

    for k in 0..K {
        let row = &mut rows[k][panel.square..][..K];
        for l in k + 1..K {
            row[l] = L[k][l];
        }
        row[k] = D[k];
    }
}

/// The W columns from `at` on: elimination among the rows, and (1).
#[inline(always)]
fn scale<T: Real, const K: usize, const W: usize>(
    rows: &mut [&mut [T]; K],
    at: usize,
    L: &[[T; K]; K],
    inverse: &[T; K],
) -> [[T; W]; K] {
    let (mut M, mut scaled) = ([[inverse[0]; W]; K], [[inverse[0]; W]; K]);
    for k in 0..K {
        let row = &mut rows[k][at..][..W];
        M[k].copy_from_slice(row);
        for l in 0..k {
            for w in 0..W {
                M[k][w] -= L[l][k] * M[l][w];
            }
        }
        for w in 0..W {
            scaled[k][w] = M[k][w] * inverse[k];
        }
        row.copy_from_slice(&scaled[k]);
    }
    scaled
}

/// [`scale`] of all common columns, if they are few; returns the ends of the rows.
#[inline(always)]
fn scale_few<T: Real, const K: usize>(
    rows: &mut [&mut [T]; K],
    stride: usize,
    common: usize,
    L: &[[T; K]; K],
    inverse: &[T; K],
) -> [[T; FEW]; K] {
    let mut tails = [[inverse[0]; FEW]; K];
    for block in 1..=FEW / 4 {
        if 4 * block >= common + 4 {
            break;
        }
        let scaled = scale::<T, K, 4>(rows, stride - 4 * block, L, inverse);
        for k in 0..K {
            tails[k][FEW - 4 * block..][..4].copy_from_slice(&scaled[k]);
        }
    }
    tails
}

/// (2), with L_ij D_i in the place of M_ij, for the ancestors of a panel that has few.
#[inline(always)]
fn subtract_few<T: Real, const K: usize>(
    pattern: &Pattern,
    panel: &Panel,
    above: &mut [T],
    tails: &[[T; FEW]; K],
    D: [T; K],
) {
    if let Some(arm) = panel.arm {
        return match panel.branch {
            6 => subtract_square::<T, K, 6>(pattern, arm, above, tails, D),
            _ => subtract_square::<T, K, 7>(pattern, arm, above, tails, D),
        };
    }
    for (t, j) in pattern.branch_of(panel).iter().enumerate() {
        let place = pattern.place(*j as usize);
        let mut M_j = D;
        for k in 0..K {
            M_j[k] *= tails[k][(FEW - panel.common + t) % FEW];
        }
        let row = &mut above[place.begin..place.end];
        match row.len() {
            4 => subtract_blocks::<T, K, 4>(row, tails, M_j),
            8 => subtract_blocks::<T, K, 8>(row, tails, M_j),
            12 => subtract_blocks::<T, K, 12>(row, tails, M_j),
            _ => subtract_blocks::<T, K, 16>(row, tails, M_j),
        }
    }
    if let Some(root) = panel.root {
        subtract_square::<T, K, TRUNK>(pattern, root, above, tails, D);
    }
}

/// The part of [`subtract_few`] in the N rows from `first` on, which have one to N entries in two blocks each, of
/// which the first is needed by the last rows only.
#[inline(always)]
fn subtract_square<T: Real, const K: usize, const N: usize>(
    pattern: &Pattern,
    first: usize,
    above: &mut [T],
    tails: &[[T; FEW]; K],
    D: [T; K],
) {
    let rows = &mut above[pattern.place(first).end - 8..][..8 * N];
    for j in 0..N {
        let mut M_j = D;
        for k in 0..K {
            M_j[k] *= tails[k][FEW - 1 - j];
        }
        match j {
            0..4 => subtract_blocks::<T, K, 4>(&mut rows[8 * j + 4..], tails, M_j),
            _ => subtract_blocks::<T, K, 8>(&mut rows[8 * j..], tails, M_j),
        }
    }
}

/// The first N of `x` −= Σ s_k (last N of tail k).
#[inline(always)]
fn subtract_blocks<T: Real, const K: usize, const N: usize>(x: &mut [T], tails: &[[T; FEW]; K], s: [T; K]) {
    let x = &mut x[..N];
    for block in 0..N / 4 {
        let mut difference = [s[0]; 4];
        difference.copy_from_slice(&x[4 * block..][..4]);
        for k in 0..K {
            for w in 0..4 {
                difference[w] -= s[k] * tails[k][FEW - N + 4 * block + w];
            }
        }
        x[4 * block..][..4].copy_from_slice(&difference);
    }
}

/// x −= Σ s_k (end of row k).
#[inline(always)]
fn subtract<T: Real, const K: usize>(x: &mut [T], rows: &[&mut [T]; K], stride: usize, s: [T; K]) {
    let mut tails: [&[T]; K] = [&[]; K];
    for k in 0..K {
        tails[k] = &rows[k][stride - x.len()..][..x.len()];
    }
    if T::LANES > 1 {
        for (t, x) in x.iter_mut().enumerate() {
            for k in 0..K {
                *x -= s[k] * tails[k][t];
            }
        }
        return;
    }
    for at in (0..x.len()).step_by(4) {
        let mut difference = [s[0]; 4];
        difference.copy_from_slice(&x[at..at + 4]);
        for k in 0..K {
            let tail = &tails[k][at..at + 4];
            for w in 0..4 {
                difference[w] -= s[k] * tail[w];
            }
        }
        x[at..at + 4].copy_from_slice(&difference);
    }
}

/// x ← L⁻ᵀ x for the K rows of `panel`, and of these x ← D⁻¹ x.
#[inline(always)]
pub(super) fn spread<T: Real, const K: usize>(
    pattern: &Pattern,
    panel: &Panel,
    entries: &[T],
    inverse: &[T],
    x: &mut [T],
) {
    let rows = panel.rows::<T, K>(&entries[panel.begin..panel.end]);
    let first = panel.tip + 1 - K;
    let (x_above, x_here) = x.split_at_mut(first);
    let (x_here, inverse) = (&mut x_here[..K], &inverse[first..][..K]);
    let mut x_panel = [inverse[0]; K];
    for k in 0..K {
        x_panel[k] = x_here[K - 1 - k];
    }
    for k in 0..K {
        let row = &rows[k][panel.square..][..K];
        for l in k + 1..K {
            x_panel[l] -= row[l] * x_panel[k];
        }
    }
    for k in 0..K {
        x_here[K - 1 - k] = x_panel[k] * inverse[K - 1 - k];
    }
    let tails = tails(rows, panel.stride - panel.common, panel.branch);
    match (panel.arm, panel.branch) {
        // The compiler is told how long the usual arms are.
        (Some(arm), 6) if K <= 2 => spread_along::<T, K, 6>(&mut x_above[arm..], tails, x_panel),
        (Some(arm), 7) if K <= 2 => spread_along::<T, K, 7>(&mut x_above[arm..], tails, x_panel),
        _ => {
            for (t, j) in pattern.branch_of(panel).iter().enumerate() {
                let x_j = &mut x_above[*j as usize];
                let mut difference = *x_j;
                for k in 0..K {
                    difference -= tails[k][t] * x_panel[k];
                }
                *x_j = difference;
            }
        }
    }
    if let Some(root) = panel.root {
        let x_root = &mut x_above[root..][..TRUNK];
        let tails = self::tails(rows, panel.stride - TRUNK, TRUNK);
        for j in 0..TRUNK {
            let mut difference = x_root[j];
            for k in 0..K {
                difference -= tails[k][TRUNK - 1 - j] * x_panel[k];
            }
            x_root[j] = difference;
        }
    }
}

/// The part of [`spread`] in the N dofs of an arm.
#[inline(always)]
fn spread_along<T: Real, const K: usize, const N: usize>(x: &mut [T], tails: [&[T]; K], x_panel: [T; K]) {
    let (x, tails) = (&mut x[..N], self::tails(tails, 0, N));
    for t in 0..N {
        for k in 0..K {
            x[N - 1 - t] -= tails[k][t] * x_panel[k];
        }
    }
}

/// The part of [`gather`] in the N dofs of an arm.
#[inline(always)]
fn gather_along<T: Real, const K: usize, const N: usize>(x: &[T], tails: [&[T]; K], x_panel: &mut [T; K]) {
    let (x, tails) = (&x[..N], self::tails(tails, 0, N));
    for t in (0..N).rev() {
        for k in 0..K {
            x_panel[k] -= tails[k][t] * x[N - 1 - t];
        }
    }
}

/// x ← L⁻¹ x for the K rows of `panel`. From the root on: what was found last comes last into the sum.
#[inline(always)]
pub(super) fn gather<T: Real, const K: usize>(pattern: &Pattern, panel: &Panel, entries: &[T], x: &mut [T]) {
    let rows = panel.rows::<T, K>(&entries[panel.begin..panel.end]);
    let (x_above, x_here) = x.split_at_mut(panel.tip + 1 - K);
    let x_here = &mut x_here[..K];
    let mut x_panel = [x_here[0]; K];
    for k in 0..K {
        x_panel[k] = x_here[K - 1 - k];
    }
    if let Some(root) = panel.root {
        let (y, tails) = (&x_above[root..][..TRUNK], tails(rows, panel.stride - TRUNK, TRUNK));
        for k in 0..K {
            let L = tails[k];
            let (a, b) = (L[5] * y[0] + L[4] * y[1], L[3] * y[2] + L[2] * y[3]);
            x_panel[k] -= a + b + (L[1] * y[4] + L[0] * y[5]);
        }
    }
    let tails = tails(rows, panel.stride - panel.common, panel.branch);
    match (panel.arm, panel.branch) {
        (Some(arm), 6) if K <= 2 => gather_along::<T, K, 6>(&x_above[arm..], tails, &mut x_panel),
        (Some(arm), 7) if K <= 2 => gather_along::<T, K, 7>(&x_above[arm..], tails, &mut x_panel),
        _ => {
            for (t, j) in pattern.branch_of(panel).iter().enumerate().rev() {
                let x_j = x_above[*j as usize];
                for k in 0..K {
                    x_panel[k] -= tails[k][t] * x_j;
                }
            }
        }
    }
    for k in (0..K).rev() {
        let row = &rows[k][panel.square..][..K];
        for l in (k + 1..K).rev() {
            x_panel[k] -= row[l] * x_panel[l];
        }
    }
    for k in 0..K {
        x_here[K - 1 - k] = x_panel[k];
    }
}

/// The `n` entries from `at` on, of every row.
#[inline(always)]
fn tails<T, const K: usize>(rows: [&[T]; K], at: usize, n: usize) -> [&[T]; K] {
    let mut tails = rows;
    for k in 0..K {
        tails[k] = &rows[k][at..][..n];
    }
    tails
}

/// 1/D of dof i; a D that is not positive is noted.
#[inline(always)]
fn inverse_pivot<T: Real>(D: T, i: usize, failed: &mut Option<NotPositive>) -> T {
    if !T::all(D.zero().less(D)) {
        let lanes = lanes_not_positive(D);
        failed.get_or_insert(NotPositive { dof: i, lanes }).lanes |= lanes;
    }
    D.one() / D
}

/// Bit mask of the lanes in which D is not positive; NaN is not positive.
#[cold]
fn lanes_not_positive<T: Real>(D: T) -> u32 {
    (0..T::LANES)
        .filter(|l| D.lane(*l).partial_cmp(&0.0) != Some(Ordering::Greater))
        .fold(0, |bits, l| bits | 1 << l)
}
