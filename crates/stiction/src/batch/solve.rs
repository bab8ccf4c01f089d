//! Impulses of as many environments as there are lanes, by the exact law.
//!
//! ```text
//!     sweep    block by block the exact answer to the others' impulses [`super::local`]          (1)
//!     Newton   on the active set that the sweep ended with: per contact, with d = λ_T/‖λ_T‖, e ⟂ d
//!              open   Δλ = −λ
//!              stick  Δc = −c
//!              slide  Δc_N = −c_N,   d·Δλ_T = μ Δλ_N,   e·Δc_T + α e·Δλ_T = −e·c_T               (2)
//!              for all e where there are more tangents; taken in the lanes whose natural map it lowers
//! ```
//!
//! (1) and (2) in turn until the natural map of every lane is below the tolerance. A lane that is done is not touched
//! again: what it holds does not depend on the others. [`stiction_solvers`]'s `auto` does the same and more.

use super::judge;
use super::lane::{clamp, mask, max, min, truth};
use super::local::Local;
use super::patch::{TANGENTS, tangent};
use super::rows::Rows;
use stiction_contact::cone::MAX_ROWS;
use stiction_dynamics::Real;

/// Times (1) and (2), at most.
const ITERATIONS: usize = 40;
/// What is added to G's diagonal, as a share of it, where Newton's step has led nowhere, and how it grows and shrinks [–].
const FIRM: f64 = 1e-4;
const FIRMER: f64 = 30.0;
const FIRMEST: f64 = 1e-2;
const SOFTER: f64 = 0.1;
/// A lane in which so many rounds leave more than this share of the least is given up.
const PATIENCE: f64 = 8.0;
const GAIN: f64 = 0.3;
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
    /// d of (2), per block of three rows.
    along: Vec<[T; 2]>,
    /// Of those of more: w of the reflection I − w wᵀ/w_0 that takes the first axis to −w_0 d/|w_0|.
    mirrors: Vec<[T; TANGENTS]>,
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
            mirrors: Vec::new(),
        }
    }

    /// The natural map of each lane. `tolerance` [m/s]; `yields`: see the plan. Lanes in which `sound` is 0 do not
    /// count.
    #[inline(always)]
    pub(super) fn solve(&mut self, rows: &mut Rows<T>, tolerance: T, sound: T, yields: f64) -> T {
        let n = rows.rows;
        self.trial.clear();
        self.trial.extend_from_slice(&self.lambda);
        self.velocity.clear();
        self.velocity.resize(n, sound.zero());
        self.trial_velocity.clear();
        self.trial_velocity.resize(n, sound.zero());
        let (mut e, mut running) = (sound.like(f64::INFINITY), mask(sound));
        let (mut mark, mut age) = (e, sound.zero());
        let least = sound.like(yields);
        let mut epsilon = least;
        // What each round makes of the last: first the start, then (1) and (2) in turn.
        for round in 0..2 * ITERATIONS {
            let swept = round % 2 == 1;
            if swept {
                self.sweep(rows, running, STEPS[usize::from(round > 1)]);
            } else if round > 0 {
                self.newton(rows, epsilon);
            }
            let after = judge::natural_map(rows, &self.trial, &mut self.trial_velocity);
            // A sweep is taken as it is: it need not lower e to lead to where it vanishes.
            let better = after.less(e);
            let taken = if swept { running } else { T::both(running, better) };
            if !swept && round > 0 {
                let firmer = max(epsilon * sound.like(FIRMER), sound.like(FIRM));
                epsilon = T::select(
                    better,
                    max(epsilon * sound.like(SOFTER), least),
                    min(firmer, sound.like(FIRMEST)),
                );
            }
            for r in 0..n {
                self.lambda[r] = T::select(taken, self.trial[r], self.lambda[r]);
                self.velocity[r] = T::select(taken, self.trial_velocity[r], self.velocity[r]);
            }
            e = T::select(taken, after, e);
            // Lanes that gain nothing any more are left.
            let gains = after.less(mark * sound.like(GAIN));
            mark = T::select(gains, after, mark);
            age = T::select(gains, sound.zero(), age + sound.one());
            running = T::both(running, T::both(T::not(e.less(tolerance)), age.less(sound.like(PATIENCE))));
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
            if block.dim == 1 {
                let answer = local.answer_row(lambda[r], velocity[r]);
                let [d] = take(&mut lambda[r..=r], [answer], running);
                move_one(velocity, &rows.G, r, d);
                continue;
            }
            if block.dim == 3 {
                let l = [lambda[r], lambda[r + 1], lambda[r + 2]];
                let c = [velocity[r], velocity[r + 1], velocity[r + 2]];
                let answer = local.answer(l, c, steps);
                let d = take(&mut lambda[r..r + 3], answer, running);
                move_three(velocity, &rows.G, r, d);
                continue;
            }
            let zero = local.mu.zero();
            let (mut l, mut c) = ([zero; MAX_ROWS], [zero; MAX_ROWS]);
            l[..block.dim].copy_from_slice(&lambda[r..r + block.dim]);
            c[..block.dim].copy_from_slice(&velocity[r..r + block.dim]);
            let patch = &rows.patches[block.patch];
            let answer = match block.dim {
                4 => patch.answer::<4, 3>(local, l, c),
                _ => patch.answer::<MAX_ROWS, TANGENTS>(local, l, c),
            };
            let [x, y, z, turns @ ..] = answer;
            let d = take(&mut lambda[r..r + 3], [x, y, z], running);
            move_three(velocity, &rows.G, r, d);
            if block.dim == 4 {
                let [d] = take(&mut lambda[r + 3..=r + 3], [turns[0]], running);
                move_one(velocity, &rows.G, r + 3, d);
            } else {
                let d = take(&mut lambda[r + 3..r + 6], turns, running);
                move_three(velocity, &rows.G, r + 3, d);
            }
        }
    }

    /// (2): the impulses it leads to, in `trial`.
    #[inline(always)]
    fn newton(&mut self, rows: &Rows<T>, yields: T) {
        let n = rows.rows;
        let Self { lambda, velocity, trial, matrix, right, along, mirrors, .. } = self;
        let kind = lambda[0].zero();
        matrix.clear();
        matrix.extend_from_slice(&rows.G[..n * n]);
        right.clear();
        trial.clear();
        trial.extend_from_slice(lambda);
        along.clear();
        mirrors.clear();
        for c in velocity.iter() {
            right.push(-*c);
        }
        let one = kind.one();
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
            if block.dim > 3 {
                let w = mirror(&lambda[r..r + block.dim], slides);
                if T::any(slides) {
                    reflect(matrix, right, n, r, &w[..block.dim - 1]);
                }
                mirrors.push(w);
            }
            along.push(axis);
        }
        for (block, local) in rows.blocks.iter().zip(&rows.locals) {
            let (r, open) = (block.row, mask(local.open));
            let a = local.norm;
            if block.dim > 1 {
                let slides = mask(local.slides);
                if T::any(slides) {
                    // d·Δλ_T − μ Δλ_N = 0 and the α of e.
                    let along = if block.dim == 3 { one } else { -sign(mirrors[block.patch][0]) };
                    set_row(matrix, n, r, slides, kind);
                    let at = r * n + r;
                    matrix[at] = T::select(slides, along * a, matrix[at]);
                    matrix[at + 2] = T::select(slides, -local.mu * a, matrix[at + 2]);
                    right[r] = T::select(slides, kind, right[r]);
                    for k in 1..block.dim - 1 {
                        let at = (r + tangent(k)) * (n + 1);
                        matrix[at] += T::select(slides, local.alpha, kind);
                    }
                }
                if T::any(open) {
                    for k in 0..block.dim {
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
                matrix[at] += a * yields;
            }
        }
        eliminate(matrix, right, n);
        for ((block, local), [x, y]) in rows.blocks.iter().zip(&rows.locals).zip(along.iter()) {
            let r = block.row;
            if block.dim == 1 {
                trial[r] = clamp(trial[r] + right[r], local.bounds);
                continue;
            }
            if block.dim > 3 {
                let (w, step) = (&mirrors[block.patch][..block.dim - 1], &mut right[r..r + block.dim]);
                reflect_one(step, w, mirror_scale(w));
                let trial = &mut trial[r..r + block.dim];
                trial.iter_mut().zip(step).for_each(|(l, d)| *l += *d);
                admit(trial, local);
                continue;
            }
            let (d, e) = (right[r], right[r + 1]);
            trial[r] += *x * d - *y * e;
            trial[r + 1] += *y * d + *x * e;
            trial[r + 2] += right[r + 2];
            admit(&mut trial[r..r + 3], local);
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

/// The answer of a block in the lanes `running`, into `lambda`; what it differs by.
#[inline(always)]
fn take<T: Real, const D: usize>(lambda: &mut [T], answer: [T; D], running: T::Mask) -> [T; D] {
    let mut d = answer;
    for ((d, l), answer) in d.iter_mut().zip(lambda).zip(answer) {
        let next = T::select(running, answer, *l);
        *d = next - *l;
        *l = next;
    }
    d
}

/// c + G d for d in row r, and in three rows from r.
#[inline(always)]
fn move_one<T: Real>(velocity: &mut [T], G: &[T], r: usize, d: T) {
    let n = velocity.len();
    for (c, G) in velocity.iter_mut().zip(&G[r * n..(r + 1) * n]) {
        *c += *G * d;
    }
}

#[inline(always)]
fn move_three<T: Real>(velocity: &mut [T], G: &[T], r: usize, d: [T; 3]) {
    let n = velocity.len();
    let (first, rest) = G[r * n..(r + 3) * n].split_at(n);
    let (second, third) = rest.split_at(n);
    for i in 0..n {
        velocity[i] += first[i] * d[0] + second[i] * d[1] + third[i] * d[2];
    }
}

/// ±1.
#[inline(always)]
fn sign<T: Real>(x: T) -> T {
    T::select(x.less(x.zero()), -x.one(), x.one())
}

/// w of a patch with impulses `l`; none in lanes where it does not slide: with d = λ_T/‖λ_T‖, d + (1, 0, …) sign d_0.
#[inline(always)]
fn mirror<T: Real>(l: &[T], slides: T::Mask) -> [T; TANGENTS] {
    let zero = l[0].zero();
    let (mut w, mut squares) = ([zero; TANGENTS], zero);
    for k in 0..l.len() - 1 {
        w[k] = l[tangent(k)];
        squares += w[k] * w[k];
    }
    let turned = T::both(slides, zero.less(squares));
    let inverse = zero.one() / T::select(turned, squares, zero.one()).sqrt();
    for w in &mut w {
        *w = T::select(turned, *w * inverse, zero);
    }
    w[0] += T::select(slides, sign(w[0]), zero);
    w
}

/// The tangents of the patch at row r, as many as w has numbers, mirrored.
#[inline(always)]
fn reflect<T: Real>(matrix: &mut [T], right: &mut [T], n: usize, r: usize, w: &[T]) {
    let scaled = mirror_scale(w);
    for k in 0..n {
        let mut dot = w[0].zero();
        for (j, w) in w.iter().enumerate() {
            dot += *w * matrix[(r + tangent(j)) * n + k];
        }
        dot *= scaled;
        for (j, w) in w.iter().enumerate() {
            matrix[(r + tangent(j)) * n + k] -= *w * dot;
        }
    }
    for row in matrix.chunks_exact_mut(n) {
        reflect_one(&mut row[r..], w, scaled);
    }
    reflect_one(&mut right[r..], w, scaled);
}

#[inline(always)]
fn reflect_one<T: Real>(x: &mut [T], w: &[T], scaled: T) {
    let mut dot = scaled.zero();
    for (j, w) in w.iter().enumerate() {
        dot += *w * x[tangent(j)];
    }
    dot *= scaled;
    for (j, w) in w.iter().enumerate() {
        x[tangent(j)] -= *w * dot;
    }
}

/// 2/wᵀw = 1/|w_0|; anything where w is none.
#[inline(always)]
fn mirror_scale<T: Real>(w: &[T]) -> T {
    let size = w[0].abs();
    size.one() / T::select(size.zero().less(size), size, size.one())
}

/// On the cone where it slides, else within it.
#[inline(always)]
fn admit<T: Real>(lambda: &mut [T], local: &Local<T>) {
    let (zero, one) = (local.mu.zero(), local.mu.one());
    let mut squares = zero;
    for (k, l) in lambda.iter().enumerate() {
        squares += if k == 2 { zero } else { *l * *l };
    }
    let (length, normal) = (squares.sqrt(), max(lambda[2], zero));
    let on_cone = local.mu * normal / T::select(zero.less(length), length, one);
    let scale = T::select(mask(local.slides), on_cone, min(on_cone, one));
    for l in lambda.iter_mut() {
        *l *= scale;
    }
    lambda[2] = normal;
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
