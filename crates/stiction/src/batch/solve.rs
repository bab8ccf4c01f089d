//! Impulses of as many environments as there are lanes, by the exact law.
//!
//! ```text
//!     sweep    block by block the exact answer to the others' impulses [`super::local`]          (1)
//!     Newton   on the active set that the sweep ended with: per contact, with d = λ_T/‖λ_T‖, e ⟂ d
//!              open   Δλ = −λ
//!              stick  Δc = −c
//!              slide  Δc_N = −c_N,   d·Δλ_T = μ Δλ_N,   e·Δc_T + α e·Δλ_T = −e·c_T               (2)
//!              taken in the lanes whose natural map it lowers
//! ```
//!
//! (1) and (2) in turn until the natural map of every lane is below the tolerance. A lane that is done is not touched
//! again: what it holds does not depend on the others. [`stiction_solvers`]'s `auto` does the same and more.

use super::judge;
use super::lane::{mask, max, truth};
use super::rows::Rows;
use stiction_dynamics::Real;

/// Times (1) and (2), at most.
const ITERATIONS: usize = 40;
/// Newton's steps for a sliding contact in a first and in a later sweep.
const STEPS: [usize; 2] = [4, 2];

/// See the module.
pub(super) struct Solver<T> {
    /// λ, by rows; what is in it is the start.
    pub(super) lambda: Vec<T>,
    /// c.
    velocity: Vec<T>,
    trial: Vec<T>,
    trial_velocity: Vec<T>,
    /// (2), with its right-hand side.
    matrix: Vec<T>,
    right: Vec<T>,
    /// d of (2), per block.
    along: Vec<[T; 2]>,
}

impl<T: Real> Solver<T> {
    pub(super) fn new() -> Self {
        Self {
            lambda: Vec::new(),
            velocity: Vec::new(),
            trial: Vec::new(),
            trial_velocity: Vec::new(),
            matrix: Vec::new(),
            right: Vec::new(),
            along: Vec::new(),
        }
    }

    /// The natural map of each lane. `tolerance` [m/s]; `nudge`: see the plan. Lanes in which `sound` is 0 do not
    /// count.
    #[inline(always)]
    pub(super) fn solve(&mut self, rows: &mut Rows<T>, tolerance: T, sound: T, nudge: f64) -> T {
        let n = rows.rows;
        self.trial.clear();
        self.trial.extend_from_slice(&self.lambda);
        self.velocity.clear();
        self.velocity.resize(n, sound.zero());
        self.trial_velocity.clear();
        self.trial_velocity.resize(n, sound.zero());
        let (mut e, mut running) = (sound.like(f64::INFINITY), mask(sound));
        // What each round makes of the last: first the start, then (1) and (2) in turn.
        for round in 0..2 * ITERATIONS {
            let swept = round % 2 == 1;
            if swept {
                self.sweep(rows, running, STEPS[usize::from(round > 1)]);
            } else if round > 0 {
                self.newton(rows, nudge);
            }
            let after = judge::natural_map(rows, &self.trial, &mut self.trial_velocity);
            // A sweep is taken as it is: it need not lower e to lead to where it vanishes.
            let taken = if swept { running } else { T::both(running, after.less(e)) };
            for r in 0..n {
                self.lambda[r] = T::select(taken, self.trial[r], self.lambda[r]);
                self.velocity[r] = T::select(taken, self.trial_velocity[r], self.velocity[r]);
            }
            e = T::select(taken, after, e);
            running = T::both(running, T::not(e.less(tolerance)));
            if !T::any(running) {
                break;
            }
        }
        e
    }

    /// (1) in the lanes `running`: the impulses it leads to, in `trial`.
    #[inline(always)]
    fn sweep(&mut self, rows: &mut Rows<T>, running: T::Mask, steps: usize) {
        let n = rows.rows;
        let (lambda, velocity) = (&mut self.trial[..n], &mut self.trial_velocity[..n]);
        lambda.copy_from_slice(&self.lambda[..n]);
        velocity.copy_from_slice(&self.velocity[..n]);
        for (block, local) in rows.blocks.iter().zip(&mut rows.locals) {
            let r = block.row;
            if block.dim == 3 {
                let l = [lambda[r], lambda[r + 1], lambda[r + 2]];
                let c = [velocity[r], velocity[r + 1], velocity[r + 2]];
                let answer = local.answer(l, c, steps);
                let mut d = l;
                for k in 0..3 {
                    let next = T::select(running, answer[k], l[k]);
                    d[k] = next - l[k];
                    lambda[r + k] = next;
                }
                let G = &rows.G[r * n..(r + 3) * n];
                let (first, rest) = G.split_at(n);
                let (second, third) = rest.split_at(n);
                for i in 0..n {
                    velocity[i] += first[i] * d[0] + second[i] * d[1] + third[i] * d[2];
                }
            } else {
                let answer = local.answer_row(lambda[r], velocity[r]);
                let next = T::select(running, answer, lambda[r]);
                let d = next - lambda[r];
                lambda[r] = next;
                for (c, G) in velocity.iter_mut().zip(&rows.G[r * n..(r + 1) * n]) {
                    *c += *G * d;
                }
            }
        }
    }

    /// (2): the impulses it leads to, in `trial`.
    #[inline(always)]
    fn newton(&mut self, rows: &Rows<T>, nudge: f64) {
        let n = rows.rows;
        let Self { lambda, velocity, trial, matrix, right, along, .. } = self;
        let kind = lambda[0].zero();
        matrix.clear();
        matrix.extend_from_slice(&rows.G[..n * n]);
        right.clear();
        trial.clear();
        trial.extend_from_slice(lambda);
        along.clear();
        for c in velocity.iter() {
            right.push(-*c);
        }
        let (one, nudge) = (kind.one(), kind.like(nudge));
        // Axes (d, e) where a contact slides.
        for (block, local) in rows.blocks.iter().zip(&rows.locals) {
            let r = block.row;
            let slides = mask(local.slides);
            let mut axis = [one, kind];
            if block.dim == 3 && T::any(slides) {
                let (x, y) = (lambda[r], lambda[r + 1]);
                let length = (x * x + y * y).sqrt();
                let turned = T::both(slides, kind.less(length));
                axis = [T::select(turned, x / length, one), T::select(turned, y / length, kind)];
                turn(matrix, right, n, r, axis);
            }
            along.push(axis);
        }
        for (block, local) in rows.blocks.iter().zip(&rows.locals) {
            let (r, open) = (block.row, mask(local.open));
            let a = local.norm;
            if block.dim == 3 {
                let slides = mask(local.slides);
                if T::any(slides) {
                    // d·Δλ_T − μ Δλ_N = 0 and the α of e.
                    set_row(matrix, n, r, slides, kind);
                    let at = r * n + r;
                    matrix[at] = T::select(slides, a, matrix[at]);
                    matrix[at + 2] = T::select(slides, -local.mu * a, matrix[at + 2]);
                    right[r] = T::select(slides, kind, right[r]);
                    let at = (r + 1) * n + r + 1;
                    matrix[at] += T::select(slides, local.alpha, kind);
                }
                if T::any(open) {
                    for k in 0..3 {
                        set_row(matrix, n, r + k, open, kind);
                        let at = (r + k) * (n + 1);
                        matrix[at] = T::select(open, a, matrix[at]);
                        right[r + k] = T::select(open, -lambda[r + k] * a, right[r + k]);
                    }
                }
            } else if T::any(open) {
                // At a bound, where it stays.
                set_row(matrix, n, r, open, kind);
                let at = r * (n + 1);
                matrix[at] = T::select(open, a, matrix[at]);
                right[r] = T::select(open, kind, right[r]);
            }
            for k in 0..block.dim {
                let at = (r + k) * (n + 1);
                matrix[at] += a * nudge;
            }
        }
        eliminate(matrix, right, n);
        for ((block, local), [x, y]) in rows.blocks.iter().zip(&rows.locals).zip(along.iter()) {
            let r = block.row;
            if block.dim == 1 {
                trial[r] += right[r];
                continue;
            }
            let (d, e) = (right[r], right[r + 1]);
            let normal = lambda[r + 2] + right[r + 2];
            let (t1, t2) = (lambda[r] + *x * d - *y * e, lambda[r + 1] + *y * d + *x * e);
            let slides = mask(local.slides);
            let mut scale = one;
            let mut positive = normal;
            if T::any(slides) {
                let length = (t1 * t1 + t2 * t2).sqrt();
                positive = T::select(slides, max(normal, kind), normal);
                let on_cone = local.mu * positive / T::select(kind.less(length), length, one);
                scale = T::select(slides, on_cone, one);
            }
            (trial[r], trial[r + 1], trial[r + 2]) = (t1 * scale, t2 * scale, positive);
        }
    }
}

/// The tangents of the block at row r along (d, e), d = `axis`.
#[inline(always)]
fn turn<T: Real>(matrix: &mut [T], right: &mut [T], n: usize, r: usize, [x, y]: [T; 2]) {
    for k in 0..n {
        let (a, b) = (matrix[r * n + k], matrix[(r + 1) * n + k]);
        matrix[r * n + k] = x * a + y * b;
        matrix[(r + 1) * n + k] = x * b - y * a;
    }
    for k in 0..n {
        let (a, b) = (matrix[k * n + r], matrix[k * n + r + 1]);
        matrix[k * n + r] = x * a + y * b;
        matrix[k * n + r + 1] = x * b - y * a;
    }
    let (a, b) = (right[r], right[r + 1]);
    right[r] = x * a + y * b;
    right[r + 1] = x * b - y * a;
}

#[inline(always)]
fn set_row<T: Real>(matrix: &mut [T], n: usize, r: usize, there: T::Mask, value: T) {
    for x in &mut matrix[r * n..(r + 1) * n] {
        *x = T::select(there, value, *x);
    }
}

/// Solves by elimination without pivots; the answer is in `right`.
#[inline(always)]
fn eliminate<T: Real>(matrix: &mut [T], right: &mut [T], n: usize) {
    for p in 0..n {
        let (above, below) = matrix.split_at_mut((p + 1) * n);
        let pivot = &above[p * n + p..];
        let inverse = pivot[0].one() / pivot[0];
        let tail = &pivot[1..n - p];
        let b = right[p];
        for (row, right) in below.chunks_exact_mut(n).zip(&mut right[p + 1..n]) {
            let f = row[p] * inverse;
            for (x, y) in row[p + 1..n].iter_mut().zip(tail) {
                *x -= f * *y;
            }
            *right -= f * b;
        }
    }
    for p in (0..n).rev() {
        let mut x = right[p];
        for k in p + 1..n {
            x -= matrix[p * n + k] * right[k];
        }
        right[p] = x / matrix[p * n + p];
    }
}

/// 1 in the lanes whose residual is not below the tolerance.
#[inline(always)]
pub(super) fn unsolved<T: Real>(e: T, tolerance: T) -> T {
    truth(e, T::not(e.less(tolerance)))
}
