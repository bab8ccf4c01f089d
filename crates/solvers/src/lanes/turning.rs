//! The exact law of one contact that resists spinning and rolling, in lanes: [`super::one_contact`] in more tangential
//! directions, N = D − 1 of D rows.

use super::one_contact::OneBlock;
use stiction_contact::cone::MAX_ROWS;
use stiction_dynamics::Real;

/// Tangential directions, at most.
pub(super) const TANGENTS: usize = MAX_ROWS - 1;

/// Numbers of such a block beside its [`OneBlock`], in the first D or N rows and columns.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turning<T> {
    /// A, and the factor of A + nudge.
    a: [[T; MAX_ROWS]; MAX_ROWS],
    factor: [[T; MAX_ROWS]; MAX_ROWS],
    /// S + nudge, in the tangential rows.
    s: [[T; TANGENTS]; TANGENTS],
    inverse_nn: T,
}

/// Where α starts of what has not slid [‖A‖_F], how many steps it has, and what they may leave of ‖λ_T‖ [–].
const START: f64 = 0.1;
const STEPS: usize = 24;
const NEAR: f64 = 1e-4;

/// Row of the tangential direction k.
pub(super) const fn tangent(k: usize) -> usize {
    if k < 2 { k } else { k + 1 }
}

impl<T: Real> Turning<T> {
    #[inline(always)]
    pub(super) fn new(kind: T) -> Self {
        let o = kind.zero();
        Self {
            a: [[o; MAX_ROWS]; MAX_ROWS],
            factor: [[o; MAX_ROWS]; MAX_ROWS],
            s: [[o; TANGENTS]; TANGENTS],
            inverse_nn: o,
        }
    }

    /// Reads A_ii off A, dense with `n` rows, at `row`; ‖A‖_F.
    #[inline(always)]
    pub(super) fn set_diagonal<const D: usize>(&mut self, A: &[T], n: usize, row: usize, nudge: f64) -> T {
        let mut squares = self.inverse_nn.zero();
        for k in 0..D {
            let at = (row + k) * n + row;
            self.a[k][..D].copy_from_slice(&A[at..at + D]);
            for a in &self.a[k][..D] {
                squares += *a * *a;
            }
        }
        let norm = squares.sqrt();
        // As in [`super::one_contact`]: fixed points feel it in neither.
        let nudge = norm * norm.like(nudge);
        self.inverse_nn = norm.one() / self.a[2][2];
        for k in 0..D - 1 {
            let f = self.a[tangent(k)][2] * self.inverse_nn;
            for l in 0..D - 1 {
                self.s[k][l] = self.a[tangent(k)][tangent(l)] - f * self.a[2][tangent(l)];
            }
            self.s[k][k] += nudge;
        }
        self.factor = self.a;
        factor::<T, D, MAX_ROWS>(&mut self.factor, nudge);
        norm
    }

    /// The impulse given its present one and the velocity, both in the first D numbers.
    #[inline(always)]
    pub(super) fn answer<const D: usize, const N: usize>(
        &self,
        block: &mut OneBlock<T>,
        l: [T; MAX_ROWS],
        c: [T; MAX_ROWS],
    ) -> [T; MAX_ROWS] {
        let (one, zero) = (block.cone.mu.one(), block.cone.mu.zero());
        let mut q = c;
        for (q, a) in q.iter_mut().zip(&self.a).take(D) {
            for k in 0..D {
                *q -= a[k] * l[k];
            }
        }
        let open = T::not(q[2].less(zero));
        let mut stick = c;
        solve::<T, D, MAX_ROWS>(&self.factor, &mut stick);
        let mut squares = zero;
        for k in 0..D {
            stick[k] = l[k] - stick[k];
            if k != 2 {
                squares += stick[k] * stick[k];
            }
        }
        let r = (block.cone.mu * stick[2]).max(zero);
        let sticks = T::both(T::not((r * r).less(squares)), T::not(stick[2].less(zero)));
        let mut answer = stick;
        let there = block.cone.active.mask();
        let slides = T::both(there, T::both(T::not(open), T::not(sticks)));
        (block.alpha, block.slides) = (zero, T::select(slides, one, zero));
        if T::any(slides) {
            let (mut power, mut squares) = (zero, zero);
            for k in 0..N {
                let (l, c) = (l[tangent(k)], c[tangent(k)]);
                power -= c * l;
                squares += l * l;
            }
            let present = power / squares;
            let slid = T::both(zero.less(present), present.finite());
            let start = T::select(slid, present, block.norm * zero.like(START));
            let (alpha, slide) = self.slide::<D, N>(block.cone.mu, q, start, slides);
            block.alpha = T::select(slides, alpha, zero);
            for k in 0..D {
                answer[k] = T::select(slides, slide[k], answer[k]);
            }
        }
        let none = T::not(T::both(there, T::not(open)));
        block.open = T::select(none, one, zero);
        for x in &mut answer {
            *x = T::select(none, zero, *x);
        }
        answer
    }

    /// (3) of [`super::one_contact`]: α and the impulse, which is on the cone, by Newton's steps within a bracket from `alpha`, as
    /// [`crate::local::patch`], until all lanes that slide are near.
    #[inline(always)]
    fn slide<const D: usize, const N: usize>(
        &self,
        mu: T,
        q: [T; MAX_ROWS],
        mut alpha: T,
        slides: T::Mask,
    ) -> (T, [T; MAX_ROWS]) {
        let (zero, tiny) = (mu.zero(), mu.like(1e-30));
        let share = q[2] * self.inverse_nn;
        let mut b = [zero; TANGENTS];
        for k in 0..N {
            b[k] = self.a[tangent(k)][2] * share - q[tangent(k)];
        }
        let (mut low, mut high) = (zero, zero.like(f64::INFINITY));
        let mut step = 0;
        loop {
            let mut inner = self.s;
            factor::<T, N, TANGENTS>(&mut inner, alpha);
            let mut t = b;
            solve::<T, N, TANGENTS>(&inner, &mut t);
            let (mut normal, mut squares) = (q[2], zero);
            for (k, t) in t.iter().enumerate().take(N) {
                normal += self.a[2][tangent(k)] * *t;
                squares += *t * *t;
            }
            let (normal, length) = (-(normal * self.inverse_nn), squares.sqrt().max(tiny));
            let value = length - mu * normal;
            let far = T::both(slides, (length * mu.like(NEAR)).less(value.abs()));
            if step == STEPS || !T::any(far) {
                let normal = normal.max(zero);
                let scale = mu * normal / length;
                let mut out = [normal; MAX_ROWS];
                for k in 0..N {
                    out[tangent(k)] = t[k] * scale;
                }
                return (alpha, out);
            }
            let below = zero.less(value);
            (low, high) = (T::select(below, alpha, low), T::select(below, high, alpha));
            let mut dt = t;
            solve::<T, N, TANGENTS>(&inner, &mut dt);
            // −t' and what follows of it.
            let (mut d_normal, mut d_length) = (zero, zero);
            for k in 0..N {
                d_normal += self.a[2][tangent(k)] * dt[k];
                d_length -= t[k] * dt[k];
            }
            let (d_normal, d_length) = (d_normal * self.inverse_nn, d_length / length);
            let newton = alpha - value * length / (mu * (d_length * normal - d_normal * length));
            let bounded = high.less(mu.like(f64::INFINITY));
            let middle = T::select(bounded, (low + high) * mu.like(0.5), low * mu.like(8.0));
            let next = T::select(T::both(low.less(newton), newton.less(high)), newton, middle);
            // Lanes that are near stay as they are, whatever others still do.
            alpha = T::select(far, next, alpha);
            step += 1;
        }
    }
}

/// LDLᵀ of the first N rows of a symmetric matrix + `more` I, in place: L below the diagonal, D⁻¹ on it.
#[inline(always)]
fn factor<T: Real, const N: usize, const M: usize>(m: &mut [[T; M]; M], more: T) {
    for (k, row) in m.iter_mut().enumerate().take(N) {
        row[k] += more;
    }
    for k in 0..N {
        let (inverse, mut column) = (more.one() / m[k][k], [more; M]);
        for (c, row) in column.iter_mut().zip(m.iter()).take(N) {
            *c = row[k];
        }
        for i in k + 1..N {
            let f = column[i] * inverse;
            for (x, c) in m[i][k + 1..=i].iter_mut().zip(&column[k + 1..]) {
                *x -= f * *c;
            }
        }
        for row in &mut m[k + 1..N] {
            row[k] *= inverse;
        }
        m[k][k] = inverse;
    }
}

/// Solves by it, in the first N numbers.
#[inline(always)]
fn solve<T: Real, const N: usize, const M: usize>(m: &[[T; M]; M], x: &mut [T; M]) {
    for i in 1..N {
        for j in 0..i {
            let y = x[j];
            x[i] -= m[i][j] * y;
        }
    }
    for i in (0..N).rev() {
        x[i] *= m[i][i];
        for j in i + 1..N {
            let y = x[j];
            x[i] -= m[j][i] * y;
        }
    }
}
