//! The exact law of one contact, in lanes and without branches: [`crate::local::quartic`] in the same symbols, by Newton's
//! method.
//!
//! ```text
//!     open     q_N ≥ 0          λ = 0                                                          (1)
//!     stick    λ − A⁻¹ c ∈ K    that                                                           (2)
//!     slide    (S + α) λ_T = −b,  λ_N = −(q_N + A_NT λ_T)/A_NN,  μ λ_N/‖λ_T‖ − 1 = ψ(α) = 0     (3)
//! ```
//!
//! ψ is almost linear in α: Newton's steps from the α of the last sweep, within a bracket. What they leave is the next sweep's.

use super::LaneCone;
use stiction_dynamics::Real;

/// One block of a solve, a contact or a single row: its place, what it needs of A, and how the last sweep left it.
#[derive(Clone, Copy, Debug)]
pub(super) struct OneBlock<T> {
    pub(super) cone: LaneCone<T>,
    /// First row of the block.
    pub(super) row: usize,
    /// Index among the blocks of more than three rows.
    pub(super) turning: usize,
    /// A = (G + R)_ii: xx, xy, yy, xN, yN, NN.
    a: [T; 6],
    /// A⁻¹, likewise.
    inverse: [T; 6],
    /// S: xx, xy, yy; its trace and determinant.
    s: [T; 5],
    inverse_nn: T,
    /// ‖A‖_F.
    pub(super) norm: T,
    /// α of the last sweep; 1 or 0: how it ended.
    pub(super) alpha: T,
    pub(super) open: T,
    pub(super) slides: T,
}

impl<T: Real> OneBlock<T> {
    #[inline(always)]
    pub(super) fn new(cone: LaneCone<T>, row: usize, turning: usize) -> Self {
        let o = cone.mu.zero();
        Self {
            cone,
            row,
            turning,
            a: [o; 6],
            inverse: [o; 6],
            s: [o; 5],
            inverse_nn: o,
            norm: o,
            alpha: o,
            open: o,
            slides: o,
        }
    }

    /// Reads A_ii off A, dense with `n` rows.
    #[inline(always)]
    pub(super) fn set_diagonal(&mut self, A: &[T], n: usize, nudge: f64) {
        let (one, at) = (self.norm.one(), self.row * n + self.row);
        if self.cone.dim == 1 {
            self.norm = A[at];
            self.inverse_nn = one / A[at];
            return;
        }
        let (first, second, third) = (&A[at..at + 3], &A[at + n..at + n + 3], &A[at + 2 * n..at + 2 * n + 3]);
        let [xx, xy, yy, xn, yn, nn] = [first[0], first[1], second[1], first[2], second[2], third[2]];
        self.a = [xx, xy, yy, xn, yn, nn];
        let squares = xx * xx + yy * yy + nn * nn;
        let mixed = xy * xy + xn * xn + yn * yn;
        self.norm = (squares + mixed + mixed).sqrt();
        // A point that cannot move in some direction: a nudge, without which there is no inverse. The sweep asks for
        // λ − A⁻¹ c, whose fixed points do not feel it, nor do those of (3), where it is a part of α.
        let nudge = self.norm * one.like(nudge);
        let (x, y, z) = (xx + nudge, yy + nudge, nn + nudge);
        let (c_xx, c_xy, c_xn) = (y * z - yn * yn, xn * yn - xy * z, xy * yn - y * xn);
        let d = one / (x * c_xx + xy * c_xy + xn * c_xn);
        self.inverse = [
            c_xx * d,
            c_xy * d,
            (x * z - xn * xn) * d,
            c_xn * d,
            (xy * xn - x * yn) * d,
            (x * y - xy * xy) * d,
        ];
        self.inverse_nn = one / nn;
        let (f, k) = (xn * self.inverse_nn, yn * self.inverse_nn);
        let (s_xx, s_xy, s_yy) = (x - f * xn, xy - f * yn, y - k * yn);
        self.s = [s_xx, s_xy, s_yy, s_xx + s_yy, s_xx * s_yy - s_xy * s_xy];
    }

    /// The impulse of a single row, given its present impulse and velocity.
    #[inline(always)]
    pub(super) fn answer_row(&mut self, lambda: T, c: T) -> T {
        let free = lambda - c * self.inverse_nn;
        let answer = free.clamp(self.cone.bounds[0], self.cone.bounds[1]);
        let at_bound = T::not(T::both(self.cone.bounds[0].less(free), free.less(self.cone.bounds[1])));
        // A lane without the row counts as one at its bound: nothing moves its impulse from zero.
        let there = self.cone.active.mask();
        self.open = T::select(there, T::select(at_bound, c.one(), c.zero()), c.one());
        T::select(there, answer, c.zero())
    }

    /// The impulse of a contact, given its present impulse and velocity, after `steps` of Newton's for (3).
    #[inline(always)]
    pub(super) fn answer(&mut self, l: [T; 3], c: [T; 3], steps: usize) -> [T; 3] {
        let (one, zero) = (self.cone.mu.one(), self.cone.mu.zero());
        let [xx, xy, yy, xn, yn, nn] = self.a;
        let q = [
            c[0] - (xx * l[0] + xy * l[1] + xn * l[2]),
            c[1] - (xy * l[0] + yy * l[1] + yn * l[2]),
            c[2] - (xn * l[0] + yn * l[1] + nn * l[2]),
        ];
        let open = T::not(q[2].less(zero));
        let i = &self.inverse;
        let stick = [
            l[0] - (i[0] * c[0] + i[1] * c[1] + i[3] * c[2]),
            l[1] - (i[1] * c[0] + i[2] * c[1] + i[4] * c[2]),
            l[2] - (i[3] * c[0] + i[4] * c[1] + i[5] * c[2]),
        ];
        let r = (self.cone.mu * stick[2]).max(zero);
        let sticks = T::not((r * r).less(stick[0] * stick[0] + stick[1] * stick[1]));
        let sticks = T::both(sticks, T::not(stick[2].less(zero)));
        let mut answer = stick;
        let there = self.cone.active.mask();
        let slides = T::both(there, T::both(T::not(open), T::not(sticks)));
        if T::any(slides) {
            let (alpha, slide) = self.slide(q, steps);
            self.alpha = T::select(slides, alpha, zero);
            let smooth = T::not(zero.less(self.cone.mu));
            let normal = -q[2] * self.inverse_nn;
            answer = [
                T::select(slides, T::select(smooth, zero, slide[0]), answer[0]),
                T::select(slides, T::select(smooth, zero, slide[1]), answer[1]),
                T::select(slides, T::select(smooth, normal, slide[2]), answer[2]),
            ];
            self.slides = T::select(slides, one, zero);
        } else {
            self.alpha = zero;
            self.slides = zero;
        }
        let none = T::not(T::both(there, T::not(open)));
        self.open = T::select(none, one, zero);
        [T::select(none, zero, answer[0]), T::select(none, zero, answer[1]), T::select(none, zero, answer[2])]
    }

    /// (3): α and the impulse, which is on the cone.
    #[inline(always)]
    fn slide(&self, q: [T; 3], steps: usize) -> (T, [T; 3]) {
        let (one, zero) = (self.cone.mu.one(), self.cone.mu.zero());
        let [_, _, _, xn, yn, _] = self.a;
        let [s_xx, s_xy, s_yy, trace, det] = self.s;
        let share = q[2] * self.inverse_nn;
        let b = [q[0] - xn * share, q[1] - yn * share];
        let mut alpha = self.alpha;
        // ψ < 0 at the lower end, ψ ≥ 0 at the upper.
        let (mut low, mut high) = (zero, one.like(f64::INFINITY));
        let tiny = one.like(1e-30);
        let mut step = 0;
        loop {
            let d = -one / (alpha * alpha + trace * alpha + det);
            // adj(S + α) x = (tr S + α − S) x.
            let t = [((s_yy + alpha) * b[0] - s_xy * b[1]) * d, ((s_xx + alpha) * b[1] - s_xy * b[0]) * d];
            let normal = -(q[2] + xn * t[0] + yn * t[1]) * self.inverse_nn;
            let length = ((t[0] * t[0] + t[1] * t[1]).sqrt()).max(tiny);
            if step == steps {
                let normal = normal.max(zero);
                let scale = self.cone.mu * normal / length;
                return (alpha, [t[0] * scale, t[1] * scale, normal]);
            }
            let dt = [((s_yy + alpha) * t[0] - s_xy * t[1]) * d, ((s_xx + alpha) * t[1] - s_xy * t[0]) * d];
            let d_normal = -(xn * dt[0] + yn * dt[1]) * self.inverse_nn;
            let d_length = (t[0] * dt[0] + t[1] * dt[1]) / length;
            // ψ = μ N/t − 1 and ψ' = μ (N' t − N t')/t².
            let value = (self.cone.mu * normal - length) * length;
            let slope = self.cone.mu * (d_normal * length - normal * d_length);
            let next = alpha - value / slope;
            let below = value.less(zero);
            low = T::select(below, alpha, low);
            high = T::select(below, high, alpha);
            // Where Newton's step leaves the bracket: its middle, or twice as far where it has no upper end.
            let open = T::not(high.less(one.like(f64::INFINITY)));
            let middle = T::select(open, alpha + alpha + trace, one.like(0.5) * (low + high));
            alpha = T::select(T::both(low.at_most(next), next.at_most(high)), next, middle);
            step += 1;
        }
    }
}
