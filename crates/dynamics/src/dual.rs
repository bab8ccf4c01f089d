//! Dual numbers: a value and N derivatives of it, carried through every operation.
//!
//! ```text
//!     x = a + Σ_k a'_k ε_k,   ε_j ε_k = 0                               (1)
//!     f(x) = f(a) + f'(a) Σ_k a'_k ε_k                                  (2)
//! ```
//!
//! An algorithm generic over [`Real`] that runs on them returns its exact derivatives, to rounding:
//! the second witness of every analytic one, and the way to differentiate what has none. Costs
//! about 1 + N times the plain run.
//!
//! Comparisons see values only. Numbers that pass through [`Real::lane`] lose their derivatives:
//! [`crate::difference_into`] is therefore not differentiated. √ has no derivative at zero (NaN).

use crate::real::Real;
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

/// A dual number: a value and its derivatives by N variables.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dual<const N: usize> {
    pub value: f64,
    /// By each of N variables.
    pub tangent: [f64; N],
}

impl<const N: usize> Dual<N> {
    /// A constant.
    pub fn constant(value: f64) -> Self {
        Self { value, tangent: [0.0; N] }
    }

    /// The variable number `k` at `value`.
    pub fn variable(value: f64, k: usize) -> Self {
        let mut x = Self::constant(value);
        x.tangent[k] = 1.0;
        x
    }

    /// (2): f(a) and f'(a). Not inlined, nor is the other: algorithms that are inlined as a whole
    /// would grow beyond what a compiler digests.
    #[inline(never)]
    fn chain(self, value: f64, slope: f64) -> Self {
        Self { value, tangent: self.tangent.map(|t| slope * t) }
    }

    /// The value `value`, the tangents a x' + b y'.
    #[inline(never)]
    fn combine(value: f64, a: f64, x: &Self, b: f64, y: &Self) -> Self {
        Self { value, tangent: std::array::from_fn(|k| a * x.tangent[k] + b * y.tangent[k]) }
    }
}

impl<const N: usize> Add for Dual<N> {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Self::combine(self.value + o.value, 1.0, &self, 1.0, &o)
    }
}
impl<const N: usize> Sub for Dual<N> {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        Self::combine(self.value - o.value, 1.0, &self, -1.0, &o)
    }
}
impl<const N: usize> Mul for Dual<N> {
    type Output = Self;
    fn mul(self, o: Self) -> Self {
        Self::combine(self.value * o.value, o.value, &self, self.value, &o)
    }
}
impl<const N: usize> Div for Dual<N> {
    type Output = Self;
    fn div(self, o: Self) -> Self {
        let quotient = self.value / o.value;
        Self::combine(quotient, 1.0 / o.value, &self, -quotient / o.value, &o)
    }
}
impl<const N: usize> Neg for Dual<N> {
    type Output = Self;
    fn neg(self) -> Self {
        self.chain(-self.value, -1.0)
    }
}
impl<const N: usize> AddAssign for Dual<N> {
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}
impl<const N: usize> SubAssign for Dual<N> {
    fn sub_assign(&mut self, o: Self) {
        *self = *self - o;
    }
}
impl<const N: usize> MulAssign for Dual<N> {
    fn mul_assign(&mut self, o: Self) {
        *self = *self * o;
    }
}

impl<const N: usize> Real for Dual<N> {
    type Mask = bool;
    const LANES: usize = 1;
    const EPSILON: f64 = f64::EPSILON;

    fn like(self, x: f64) -> Self {
        Self::constant(x)
    }
    fn lane(self, _lane: usize) -> f64 {
        self.value
    }
    fn with_lane(self, _lane: usize, x: f64) -> Self {
        Self::constant(x)
    }
    fn sqrt(self) -> Self {
        let root = self.value.sqrt();
        self.chain(root, 0.5 / root)
    }
    fn sin_cos(self) -> (Self, Self) {
        let (s, c) = Real::sin_cos(self.value);
        (self.chain(s, c), self.chain(c, -s))
    }
    fn less(self, other: Self) -> bool {
        self.value < other.value
    }
    fn at_most(self, other: Self) -> bool {
        self.value <= other.value
    }
    fn all(mask: bool) -> bool {
        mask
    }
    fn any(mask: bool) -> bool {
        mask
    }
    fn both(a: bool, b: bool) -> bool {
        a && b
    }
    fn not(mask: bool) -> bool {
        !mask
    }
    fn select(mask: bool, yes: Self, no: Self) -> Self {
        if mask { yes } else { no }
    }
    fn abs(self) -> Self {
        if self.value < 0.0 { -self } else { self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::assert_close;

    /// f = (x y − sin x) / √(x² + |y|), its gradient by hand.
    #[test]
    fn gradient_of_a_formula() {
        let (a, b) = (0.7_f64, -1.9_f64);
        let (x, y) = (Dual::<2>::variable(a, 0), Dual::<2>::variable(b, 1));
        let mut top = x * y;
        top -= x.sin_cos().0;
        let f = top / (x * x + y.abs()).sqrt();
        let (t, r) = (a * b - a.sin(), (a * a - b).sqrt());
        let by_x = (b - a.cos()) / r - t * a / r.powi(3);
        let by_y = a / r + t * 0.5 / r.powi(3);
        assert_close(&[f.value, f.tangent[0], f.tangent[1]], &[t / r, by_x, by_y], 1e-15);
    }

    #[test]
    fn cosine_negation_and_assignments() {
        let mut x = -Dual::<1>::variable(0.3, 0);
        x *= x.like(2.0);
        x += x.one();
        let c = x.sin_cos().1; // cos(1 − 2 t)
        assert_close(&[c.value, c.tangent[0]], &[0.4_f64.cos(), 2.0 * 0.4_f64.sin()], 1e-15);
        assert!(x.less(x.one()) && Dual::select(false, x, x.zero()) == Dual::constant(0.0));
    }
}
