//! The Coriolis operator of a moving inertia: twelve numbers.
//!
//! ```text
//!     Γ = V ×* I − I V × + (I V) ×̄*,   F ×̄* U meaning U ×* F            (1)
//! ```
//!
//! It is how the inertia turns (İ = V ×* I − I V ×) and how its momentum h = I V = (n, p) is
//! carried: Γ V = 2 V ×* I V, and Γ − İ is skew-symmetric [Singh2022; Echeandia2021]. In
//! blocks, with Q the rate of the second moment about the fixed point O,
//!
//! ```text
//!     Γ = [ Q − n×   0 ]
//!         [ −2 p×    0 ]                                                (2)
//!     Q = W + Wᵀ − (h vᵀ + v hᵀ) + 2 (h·v) 1,   W = ω× I_O,  h = m c    (3)
//! ```
//!
//! The right half vanishes because mechanics does not know uniform translations. Operators about
//! one point add up as inertias do.

use super::{Force, Inertia, Motion, Sym3, Vec3};
use crate::real::Real;
use std::ops::{Add, AddAssign};

/// Γ of (1).
#[derive(Clone, Copy, Debug)]
pub struct Coriolis<T = f64> {
    /// Q: how fast the second moment changes [kg·m²/s].
    pub rate: Sym3<T>,
    /// I V.
    pub momentum: Force<T>,
}

impl<T: Real> Coriolis<T> {
    #[inline(always)]
    pub fn zero(kind: T) -> Self {
        Self { rate: Sym3::zero(kind), momentum: Force::zero(kind) }
    }

    /// Coriolis matrix of a body of inertia `I` that moves with `V`.
    #[inline(always)]
    pub fn new(I: &Inertia<T>, V: Motion<T>) -> Self {
        let (w, v, h, J) = (V.angular, V.linear, I.first, &I.second);
        let (hx, hy, hz) = (h.x * v.x, h.y * v.y, h.z * v.z);
        let (xy, xz, yz) = (w.z * J.xy, w.y * J.xz, w.x * J.yz);
        let rate = Sym3 {
            xx: twice(xz - xy + hy + hz),
            yy: twice(xy - yz + hx + hz),
            zz: twice(yz - xz + hx + hy),
            xy: w.z * (J.xx - J.yy) + w.y * J.yz - w.x * J.xz - (h.x * v.y + h.y * v.x),
            xz: w.y * (J.zz - J.xx) + w.x * J.xy - w.z * J.yz - (h.x * v.z + h.z * v.x),
            yz: w.x * (J.yy - J.zz) + w.z * J.xz - w.y * J.xy - (h.y * v.z + h.z * v.y),
        };
        Self { rate, momentum: *I * V }
    }

    /// Γ U, which depends on the angular part of U alone.
    #[inline(always)]
    pub fn apply(&self, angular: Vec3<T>) -> Force<T> {
        let p = angular.cross(self.momentum.linear);
        Force { angular: self.rate * angular + angular.cross(self.momentum.angular), linear: p + p }
    }

    /// The angular part of Γᵀ U; the linear part is zero.
    #[inline(always)]
    pub fn apply_transposed(&self, U: Motion<T>) -> Vec3<T> {
        let p = self.momentum.linear.cross(U.linear);
        self.rate * U.angular + self.momentum.angular.cross(U.angular) + (p + p)
    }
}

#[inline(always)]
fn twice<T: Real>(x: T) -> T {
    x + x
}

impl<T: Real> Add for Coriolis<T> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Self { rate: self.rate + o.rate, momentum: self.momentum + o.momentum }
    }
}
impl<T: Real> AddAssign for Coriolis<T> {
    #[inline(always)]
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Dice, assert_close};

    fn force(f: Force) -> Vec<f64> {
        [f.angular.to_array(), f.linear.to_array()].concat()
    }

    /// (2) is (1), applied from both sides.
    #[test]
    fn blocks_are_the_definition() {
        let mut d = Dice::new(80);
        let mut motion = || Motion::new(d.vec3(), d.vec3());
        let (V, U, S) = (motion(), motion(), motion());
        let I = Dice::new(81).inertia();
        let expected = V.cross_force(I * U) - I * V.cross(U) + U.cross_force(I * V);
        let G = Coriolis::new(&I, V);
        assert_close(&force(G.apply(U.angular)), &force(expected), 1e-15);
        assert_close(&[G.apply_transposed(S).dot(U.angular)], &[S.dot(expected)], 1e-15);
    }
}
