//! (2) of [`super`]: Newton's step on the active set that the sweep ended with.
//!
//! ```text
//!     open   Δλ = −λ
//!     stick  Δc = −c
//!     slide  Δc_N = −c_N,   d·Δλ_T = μ Δλ_N,   e·Δc_T + α e·Δλ_T = −e·c_T,    d = λ_T/‖λ_T‖, e ⟂ d     (1)
//! ```
//!
//! (1) for all e where there are more tangents. Tangents of three rows are rotated to (d, e); of more they are reflected by
//! I − w wᵀ/|w_0|, which takes the first axis to ∓d. A dense elimination without pivots: n³/3 multiplications for n rows.

use super::one_contact::OneBlock;
use super::turning::{TANGENTS, tangent};
use super::{LaneProblem, LaneSolver};
use stiction_dynamics::Real;

impl<T: Real> LaneSolver<T> {
    /// (2): the impulses it leads to, in `trial`.
    #[inline(always)]
    pub(super) fn newton(&mut self, problem: &LaneProblem<'_, T>, yields: T) {
        let n = problem.g.len();
        self.turn_to_slip(problem);
        self.write_pieces(n, yields);
        eliminate(&mut self.matrix, &mut self.right, n);
        self.take_step();
    }

    /// The system of Δc = −c, in axes (d, e) where a contact slides.
    #[inline(always)]
    fn turn_to_slip(&mut self, problem: &LaneProblem<'_, T>) {
        let n = problem.g.len();
        let Self { lambda, velocity, trial, blocks, matrix, right, along, mirrors, .. } = self;
        let kind = lambda[0].zero();
        matrix.clear();
        matrix.extend_from_slice(&problem.A[..n * n]);
        right.clear();
        trial.clear();
        trial.extend_from_slice(lambda);
        along.clear();
        mirrors.clear();
        for c in velocity.iter() {
            right.push(-*c);
        }
        let one = kind.one();
        for block in blocks.iter() {
            let (r, dim) = (block.row, block.cone.dim);
            let slides = block.slides.mask();
            let mut axis = [one, kind];
            if dim == 3 && T::any(slides) {
                let (x, y) = (lambda[r], lambda[r + 1]);
                let length = (x * x + y * y).sqrt();
                let turned = T::both(slides, kind.less(length));
                axis = [T::select(turned, x / length, one), T::select(turned, y / length, kind)];
                turn(matrix, right, n, r, axis);
            }
            if dim > 3 {
                let w = mirror(&lambda[r..r + dim], slides);
                if T::any(slides) {
                    reflect(matrix, right, n, r, &w[..dim - 1]);
                }
                mirrors.push(w);
            }
            along.push(axis);
        }
    }

    /// The equations of what slides, is open or at a bound, and a diagonal that yields, into the system of n
    /// rows.
    #[inline(always)]
    fn write_pieces(&mut self, n: usize, yields: T) {
        let Self { lambda, blocks, matrix, right, mirrors, .. } = self;
        let kind = lambda[0].zero();
        let one = kind.one();
        for block in blocks.iter() {
            let (r, dim, open) = (block.row, block.cone.dim, block.open.mask());
            let a = block.norm;
            if dim > 1 {
                let slides = block.slides.mask();
                if T::any(slides) {
                    // d·Δλ_T − μ Δλ_N = 0 and the α of e.
                    let along = if dim == 3 { one } else { -sign(mirrors[block.turning][0]) };
                    set_row(matrix, n, r, slides, kind);
                    let at = r * n + r;
                    matrix[at] = T::select(slides, along * a, matrix[at]);
                    matrix[at + 2] = T::select(slides, -block.cone.mu * a, matrix[at + 2]);
                    right[r] = T::select(slides, kind, right[r]);
                    for k in 1..dim - 1 {
                        let at = (r + tangent(k)) * (n + 1);
                        matrix[at] += T::select(slides, block.alpha, kind);
                    }
                }
                if T::any(open) {
                    for k in 0..dim {
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
            for k in 0..dim {
                let at = (r + k) * (n + 1);
                matrix[at] += a * yields;
            }
        }
    }

    /// Adds the step that was solved to the impulses, and puts them into their sets.
    #[inline(always)]
    fn take_step(&mut self) {
        let Self { trial, blocks, right, along, mirrors, .. } = self;
        for (block, [x, y]) in blocks.iter().zip(along.iter()) {
            let (r, dim) = (block.row, block.cone.dim);
            if dim == 1 {
                trial[r] = (trial[r] + right[r]).clamp(block.cone.bounds[0], block.cone.bounds[1]);
                continue;
            }
            if dim > 3 {
                let (w, step) = (&mirrors[block.turning][..dim - 1], &mut right[r..r + dim]);
                reflect_one(step, w, mirror_scale(w));
                let trial = &mut trial[r..r + dim];
                for (l, d) in trial.iter_mut().zip(step) {
                    *l += *d;
                }
                admit(trial, block);
                continue;
            }
            let (d, e) = (right[r], right[r + 1]);
            trial[r] += *x * d - *y * e;
            trial[r + 1] += *y * d + *x * e;
            trial[r + 2] += right[r + 2];
            admit(&mut trial[r..r + 3], block);
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
fn admit<T: Real>(lambda: &mut [T], block: &OneBlock<T>) {
    let (zero, one) = (block.cone.mu.zero(), block.cone.mu.one());
    let mut squares = zero;
    for (k, l) in lambda.iter().enumerate() {
        squares += if k == 2 { zero } else { *l * *l };
    }
    let (length, normal) = (squares.sqrt(), lambda[2].max(zero));
    let on_cone = block.cone.mu * normal / T::select(zero.less(length), length, one);
    let scale = T::select(block.slides.mask(), on_cone, on_cone.min(one));
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
