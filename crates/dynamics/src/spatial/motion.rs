//! Spatial motion, force and inertia, as structured blocks.
//!
//! Angular part first. All quantities of one product are about the same point O and in the same
//! axes; what they are is said by the variable (`V_WB_W`, `F_B_W`, `I_BO_W`).
//!
//! ```text
//!     motion   V = (ω, v_O)          force   F = (n_O, f)
//!     V ×  U = (ω×u_ω, ω×u_v + v×u_ω)                                  (1)
//!     V ×* F = (ω×n + v×f, ω×f)                                        (2)
//!     inertia of a rigid body: m, h = m c, I_O (10 numbers)
//!     I V = (I_O ω + h×v, m v − h×ω)                                   (3)
//! ```
//! [Featherstone2008, ch. 2]

use super::vec3::{Mat3, Sym3, Vec3, vec3};
use crate::real::Real;
use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

/// Velocity or acceleration of a body: (angular, linear of the body-fixed point now at O).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Motion<T = f64> {
    pub angular: Vec3<T>,
    pub linear: Vec3<T>,
}

/// Force or momentum: (moment about O, force).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Force<T = f64> {
    pub angular: Vec3<T>,
    pub linear: Vec3<T>,
}

macro_rules! six_vector {
    ($name:ident) => {
        impl $name<f64> {
            pub const ZERO: Self = Self { angular: Vec3::ZERO, linear: Vec3::ZERO };
        }
        impl<T: Real> $name<T> {
            #[inline(always)]
            pub fn new(angular: Vec3<T>, linear: Vec3<T>) -> Self {
                Self { angular, linear }
            }
            #[inline(always)]
            pub fn zero(kind: T) -> Self {
                Self { angular: Vec3::zero(kind), linear: Vec3::zero(kind) }
            }
        }
        impl<T: Real> Add for $name<T> {
            type Output = Self;
            #[inline(always)]
            fn add(self, o: Self) -> Self {
                Self { angular: self.angular + o.angular, linear: self.linear + o.linear }
            }
        }
        impl<T: Real> Sub for $name<T> {
            type Output = Self;
            #[inline(always)]
            fn sub(self, o: Self) -> Self {
                Self { angular: self.angular - o.angular, linear: self.linear - o.linear }
            }
        }
        impl<T: Real> Neg for $name<T> {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                Self { angular: -self.angular, linear: -self.linear }
            }
        }
        impl<T: Real> Mul<T> for $name<T> {
            type Output = Self;
            #[inline(always)]
            fn mul(self, s: T) -> Self {
                Self { angular: self.angular * s, linear: self.linear * s }
            }
        }
        impl<T: Real> AddAssign for $name<T> {
            #[inline(always)]
            fn add_assign(&mut self, o: Self) {
                *self = *self + o;
            }
        }
        impl<T: Real> SubAssign for $name<T> {
            #[inline(always)]
            fn sub_assign(&mut self, o: Self) {
                *self = *self - o;
            }
        }
    };
}
six_vector!(Motion);
six_vector!(Force);

impl<T: Real> Motion<T> {
    /// Power of `f` on this motion [W], or the joint component Sᵀ F.
    #[inline(always)]
    pub fn dot(self, f: Force<T>) -> T {
        self.angular.dot(f.angular) + self.linear.dot(f.linear)
    }

    /// (1): rate of change of the motion vector `u` carried along by `self`.
    #[inline(always)]
    pub fn cross(self, u: Self) -> Self {
        Self {
            angular: self.angular.cross(u.angular),
            linear: self.angular.cross(u.linear) + self.linear.cross(u.angular),
        }
    }

    /// (2): rate of change of the force vector `f` carried along by `self`.
    #[inline(always)]
    pub fn cross_force(self, f: Force<T>) -> Force<T> {
        Force {
            angular: self.angular.cross(f.angular) + self.linear.cross(f.linear),
            linear: self.angular.cross(f.linear),
        }
    }

    /// Velocity of the body-fixed point now at O + `r`.
    #[inline(always)]
    pub fn linear_at(self, r: Vec3<T>) -> Vec3<T> {
        self.linear + self.angular.cross(r)
    }
}

impl<T: Real> Force<T> {
    /// The force `f` applied at the point O + `r`.
    #[inline(always)]
    pub fn at(r: Vec3<T>, f: Vec3<T>) -> Self {
        Self { angular: r.cross(f), linear: f }
    }
}

/// Inertia of a rigid body about O: mass [kg], first moment h = m c [kg·m], I_O [kg·m²].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Inertia<T = f64> {
    pub mass: T,
    pub first: Vec3<T>,
    pub second: Sym3<T>,
}

impl Inertia<f64> {
    pub const ZERO: Self = Self { mass: 0.0, first: Vec3::ZERO, second: Sym3::ZERO };

    /// From the mass [kg], the centre of mass c (from O) [m] and the inertia about the centre of
    /// mass `about_com` [kg·m²], in the axes of O.
    pub fn new(mass: f64, com: Vec3, about_com: Sym3) -> Self {
        Self { mass, first: com * mass, second: about_com + Sym3::point_mass(com, mass) }
    }

    /// The inertia as constants of the scalar of `kind`.
    #[inline(always)]
    pub fn cast<T: Real>(self, kind: T) -> Inertia<T> {
        Inertia { mass: kind.like(self.mass), first: self.first.cast(kind), second: self.second.cast(kind) }
    }
}

impl<T: Real> Inertia<T> {
    #[inline(always)]
    pub fn zero(kind: T) -> Self {
        Self { mass: kind.zero(), first: Vec3::zero(kind), second: Sym3::zero(kind) }
    }

    /// Centre of mass from O [m]; O itself for a massless body.
    #[inline(always)]
    pub fn com(&self) -> Vec3<T> {
        let zero = self.mass.zero();
        Vec3::select(zero.less(self.mass), self.first * (zero.one() / self.mass), Vec3::zero(zero))
    }

    /// Inertia about the centre of mass [kg·m²], same axes.
    #[inline(always)]
    pub fn about_com(&self) -> Sym3<T> {
        self.second - Sym3::point_mass(self.com(), self.mass)
    }

    /// The inertia about the origin of A, in the axes of A, of a body whose inertia `self` is
    /// about the origin of B in the axes of B; `r` = R_AB and `p` = p_AB.
    ///
    /// With h' = R h and the body first rotated, then shifted by p:
    /// I' = R I Rᵀ + m(p·p 1 − p pᵀ) + 2(p·h') 1 − (p h'ᵀ + h' pᵀ).
    #[inline(always)]
    pub fn transformed(&self, r: &Mat3<T>, p: Vec3<T>) -> Self {
        let h = *r * self.first;
        let i = self.second.rotated(r);
        // Shift by p: all terms are products of p with g = h' + ½ m p, symmetrised.
        let g = h + p * (self.mass * self.mass.like(0.5));
        let (xx, yy, zz) = (p.x * g.x, p.y * g.y, p.z * g.z);
        let two = self.mass.like(2.0);
        let shift = Sym3 {
            xx: two * (yy + zz),
            yy: two * (xx + zz),
            zz: two * (xx + yy),
            xy: -(p.x * g.y + p.y * g.x),
            xz: -(p.x * g.z + p.z * g.x),
            yz: -(p.y * g.z + p.z * g.y),
        };
        Self { mass: self.mass, first: h + p * self.mass, second: i + shift }
    }
}

impl<T: Real> Add for Inertia<T> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Self { mass: self.mass + o.mass, first: self.first + o.first, second: self.second + o.second }
    }
}
impl<T: Real> AddAssign for Inertia<T> {
    #[inline(always)]
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}
impl<T: Real> Mul<Motion<T>> for Inertia<T> {
    type Output = Force<T>;
    /// Force or momentum (3) of a motion.
    #[inline(always)]
    fn mul(self, v: Motion<T>) -> Force<T> {
        Force {
            angular: self.second * v.angular + self.first.cross(v.linear),
            linear: v.linear * self.mass - self.first.cross(v.angular),
        }
    }
}

/// Inertia of an articulated body: `F = [[I, H], [Hᵀ, M]] V`, 21 numbers.
#[derive(Clone, Copy, Debug)]
pub struct ArticulatedInertia<T = f64> {
    pub second: Sym3<T>,
    pub coupling: Mat3<T>,
    pub mass: Sym3<T>,
}

impl<T: Real> ArticulatedInertia<T> {
    #[inline(always)]
    pub fn from_rigid(i: &Inertia<T>) -> Self {
        let (h, o) = (i.first, i.mass.zero());
        Self {
            second: i.second,
            coupling: Mat3 { rows: [vec3(o, -h.z, h.y), vec3(h.z, o, -h.x), vec3(-h.y, h.x, o)] },
            mass: Sym3 { xx: i.mass, yy: i.mass, zz: i.mass, xy: o, xz: o, yz: o },
        }
    }

    /// self − s F Fᵀ.
    #[inline(always)]
    pub fn minus_outer(self, f: Force<T>, s: T) -> Self {
        let w = f.angular * s;
        let l = f.linear;
        let drop = Mat3 { rows: [l * w.x, l * w.y, l * w.z] };
        Self {
            second: self.second - Sym3::outer(f.angular, s),
            coupling: self.coupling - drop,
            mass: self.mass - Sym3::outer(f.linear, s),
        }
    }
}

impl<T: Real> AddAssign for ArticulatedInertia<T> {
    #[inline(always)]
    fn add_assign(&mut self, o: Self) {
        self.second = self.second + o.second;
        self.coupling = self.coupling + o.coupling;
        self.mass = self.mass + o.mass;
    }
}
impl<T: Real> Mul<Motion<T>> for ArticulatedInertia<T> {
    type Output = Force<T>;
    #[inline(always)]
    fn mul(self, v: Motion<T>) -> Force<T> {
        Force {
            angular: self.second * v.angular + self.coupling * v.linear,
            linear: self.coupling.transpose_mul(v.angular) + self.mass * v.linear,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::pose::Quat;
    use super::*;

    fn body() -> Inertia {
        Inertia::new(
            2.0,
            vec3(0.1, -0.2, 0.3),
            Sym3 { xx: 0.5, yy: 0.6, zz: 0.7, xy: 0.01, xz: 0.02, yz: -0.03 },
        )
    }

    /// Kinetic energy does not depend on the frame the inertia is written in.
    #[test]
    fn transformed_inertia_keeps_the_energy() {
        let (q, p) = (Quat::from_rpy(0.4, 1.1, -0.3), vec3(0.7, -0.5, 0.2));
        let v_b = Motion::new(vec3(0.3, 1.0, -2.0), vec3(0.1, 0.2, 0.3));
        // The same motion about the origin of A: v_A = R v_B + p × R ω.
        let w = q.rotate(v_b.angular);
        let v_a = Motion::new(w, q.rotate(v_b.linear) + p.cross(w));
        let moved = body().transformed(&q.to_matrix(), p);
        let energy = |i: Inertia, v: Motion| 0.5 * v.dot(i * v);
        assert!((energy(body(), v_b) - energy(moved, v_a)).abs() < 1e-14);
    }

    #[test]
    fn articulated_inertia_of_a_rigid_body_is_its_inertia() {
        let v = Motion::new(vec3(0.3, 1.0, -2.0), vec3(0.1, 0.2, 0.3));
        let (a, b) = (ArticulatedInertia::from_rigid(&body()) * v, body() * v);
        assert!((a - b).angular.norm() + (a - b).linear.norm() < 1e-15);
    }

    #[test]
    fn com_and_inertia_about_it_are_recovered() {
        let i = body();
        assert!((i.com() - vec3(0.1, -0.2, 0.3)).norm() < 1e-16);
        assert!((i.about_com().xx - 0.5).abs() < 1e-15 && (i.about_com().yz + 0.03).abs() < 1e-15);
    }
}
