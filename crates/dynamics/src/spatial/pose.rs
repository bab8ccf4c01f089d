//! Rotations and poses.

use super::vec3::{Mat3, Vec3, vec3};
use crate::real::Real;
use std::ops::{Add, Mul};

/// A unit quaternion, Hamilton convention, order (w, x, y, z). `R_WB` takes components in B to
/// components in W.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quat<T = f64> {
    pub w: T,
    pub x: T,
    pub y: T,
    pub z: T,
}

impl Quat<f64> {
    pub const IDENTITY: Self = Self { w: 1.0, x: 0.0, y: 0.0, z: 0.0 };

    pub const fn new(w: f64, x: f64, y: f64, z: f64) -> Self {
        Self { w, x, y, z }
    }

    /// Roll, pitch, yaw about the fixed axes x, y, z, in that order [rad] (the URDF convention).
    pub fn from_rpy(roll: f64, pitch: f64, yaw: f64) -> Self {
        let about = |axis, angle| Self::from_axis_angle(axis, angle);
        about(Vec3::Z, yaw) * about(Vec3::Y, pitch) * about(Vec3::X, roll)
    }

    /// The rotation whose matrix is `m` (orthonormal, right-handed).
    pub fn from_matrix(m: &Mat3) -> Self {
        // Shepperd: divide by the largest of the four, never by a small number.
        let [a, b, c] = m.rows;
        let trace = m.trace();
        let q = if trace >= a.x.max(b.y).max(c.z) {
            Self::new(1.0 + trace, c.y - b.z, a.z - c.x, b.x - a.y)
        } else if a.x >= b.y && a.x >= c.z {
            Self::new(c.y - b.z, 1.0 + a.x - b.y - c.z, a.y + b.x, a.z + c.x)
        } else if b.y >= c.z {
            Self::new(a.z - c.x, a.y + b.x, 1.0 + b.y - a.x - c.z, b.z + c.y)
        } else {
            Self::new(b.x - a.y, a.z + c.x, b.z + c.y, 1.0 + c.z - a.x - b.y)
        };
        q.renormalized()
    }

    /// The smallest rotation that takes the unit vector `a` to the unit vector `b`.
    pub fn between(a: Vec3, b: Vec3) -> Self {
        let c = 1.0 + a.dot(b);
        if c < 1e-14 {
            // Opposite: half a turn about any axis normal to a.
            let (t, _) = a.tangents();
            return Self::new(0.0, t.x, t.y, t.z);
        }
        let v = a.cross(b);
        Self::new(c, v.x, v.y, v.z).renormalized()
    }

    /// The rotation as constants of the scalar of `kind`.
    #[inline(always)]
    pub fn cast<T: Real>(self, kind: T) -> Quat<T> {
        Quat { w: kind.like(self.w), x: kind.like(self.x), y: kind.like(self.y), z: kind.like(self.z) }
    }

    pub fn to_array(self) -> [f64; 4] {
        [self.w, self.x, self.y, self.z]
    }

    pub fn is_finite(self) -> bool {
        self.w.is_finite() && self.x.is_finite() && self.y.is_finite() && self.z.is_finite()
    }
}

impl<T: Real> Quat<T> {
    #[inline(always)]
    pub fn identity(kind: T) -> Self {
        let o = kind.zero();
        Self { w: kind.one(), x: o, y: o, z: o }
    }

    /// Rotation by `angle` [rad] about the unit vector `axis`.
    #[inline(always)]
    pub fn from_axis_angle(axis: Vec3<T>, angle: T) -> Self {
        let (s, w) = (angle * angle.like(0.5)).sin_cos();
        Self { w, x: axis.x * s, y: axis.y * s, z: axis.z * s }
    }

    /// exp: the rotation by ‖r‖ about r/‖r‖; r in radians. Smooth through r = 0.
    #[inline(always)]
    pub fn exp(r: Vec3<T>) -> Self {
        let one = r.x.one();
        let angle2 = r.norm_squared();
        // sin(a/2)/a = ½ − a²/48 + O(a⁴): below a = 1e-4 the next term is < 1e-17.
        let tiny = angle2.less(one.like(1e-8));
        let (mut w, mut f) = (one - angle2 * one.like(0.125), one.like(0.5) - angle2 * one.like(1.0 / 48.0));
        if !T::all(tiny) {
            let angle = T::select(tiny, one, angle2).sqrt();
            let (s, c) = (angle * one.like(0.5)).sin_cos();
            (w, f) = (T::select(tiny, w, c), T::select(tiny, f, s / angle));
        }
        Self { w, x: r.x * f, y: r.y * f, z: r.z * f }
    }

    #[inline(always)]
    pub fn conjugate(self) -> Self {
        Self { w: self.w, x: -self.x, y: -self.y, z: -self.z }
    }

    #[inline(always)]
    pub fn norm_squared(self) -> T {
        self.w * self.w + self.x * self.x + self.y * self.y + self.z * self.z
    }

    /// Divided by its norm, which must not be zero.
    #[inline(always)]
    pub fn renormalized(self) -> Self {
        let s = self.w.one() / self.norm_squared().sqrt();
        Self { w: self.w * s, x: self.x * s, y: self.y * s, z: self.z * s }
    }

    #[inline(always)]
    pub fn to_matrix(self) -> Mat3<T> {
        let Self { w, x, y, z } = self;
        let one = w.one();
        let (x2, y2, z2) = (x + x, y + y, z + z);
        let (xx, yy, zz) = (x * x2, y * y2, z * z2);
        let (xy, xz, yz) = (x * y2, x * z2, y * z2);
        let (wx, wy, wz) = (w * x2, w * y2, w * z2);
        Mat3 {
            rows: [
                vec3(one - (yy + zz), xy - wz, xz + wy),
                vec3(xy + wz, one - (xx + zz), yz - wx),
                vec3(xz - wy, yz + wx, one - (xx + yy)),
            ],
        }
    }

    /// R v.
    #[inline(always)]
    pub fn rotate(self, v: Vec3<T>) -> Vec3<T> {
        let u = vec3(self.x, self.y, self.z);
        let t = u.cross(v);
        let t = t + t;
        v + t * self.w + u.cross(t)
    }
}

impl Quat<f64> {
    /// log: the rotation vector r [rad], ‖r‖ ≤ π, with exp(r) = self.
    pub fn log(self) -> Vec3 {
        let v = vec3(self.x, self.y, self.z);
        let (v, w) = if self.w < 0.0 { (-v, -self.w) } else { (v, self.w) };
        let s = v.norm();
        // angle/sin(angle/2) → 2 as the angle vanishes.
        let f = if s < 1e-8 { 2.0 / w } else { 2.0 * s.atan2(w) / s };
        v * f
    }
}

impl<T: Real> Mul for Quat<T> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        Self {
            w: self.w * o.w - self.x * o.x - self.y * o.y - self.z * o.z,
            x: self.w * o.x + self.x * o.w + self.y * o.z - self.z * o.y,
            y: self.w * o.y - self.x * o.z + self.y * o.w + self.z * o.x,
            z: self.w * o.z + self.x * o.y - self.y * o.x + self.z * o.w,
        }
    }
}

impl<T: Real> Mul<T> for Quat<T> {
    type Output = Self;
    /// Componentwise; not a rotation any more.
    #[inline(always)]
    fn mul(self, s: T) -> Self {
        Self { w: self.w * s, x: self.x * s, y: self.y * s, z: self.z * s }
    }
}
impl<T: Real> Add for Quat<T> {
    type Output = Self;
    /// Componentwise; not a rotation any more.
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Self { w: self.w + o.w, x: self.x + o.x, y: self.y + o.y, z: self.z + o.z }
    }
}

/// The pose `X_AB` of a frame B in a frame A: rotation `R_AB` and origin `p_AB` in A.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose<T = f64> {
    pub rotation: Quat<T>,
    pub translation: Vec3<T>,
}

impl Pose<f64> {
    pub const IDENTITY: Self = Self { rotation: Quat::IDENTITY, translation: Vec3::ZERO };

    pub const fn new(rotation: Quat, translation: Vec3) -> Self {
        Self { rotation, translation }
    }

    pub const fn from_translation(translation: Vec3) -> Self {
        Self { rotation: Quat::IDENTITY, translation }
    }

    /// The pose as constants of the scalar of `kind`.
    #[inline(always)]
    pub fn cast<T: Real>(self, kind: T) -> Pose<T> {
        Pose { rotation: self.rotation.cast(kind), translation: self.translation.cast(kind) }
    }

    pub fn is_finite(self) -> bool {
        self.rotation.is_finite() && self.translation.is_finite()
    }
}

impl<T: Real> Pose<T> {
    #[inline(always)]
    pub fn identity(kind: T) -> Self {
        Self { rotation: Quat::identity(kind), translation: Vec3::zero(kind) }
    }

    /// p_A = X_AB p_B.
    #[inline(always)]
    pub fn transform(self, p: Vec3<T>) -> Vec3<T> {
        self.rotation.rotate(p) + self.translation
    }

    /// p_B = X_AB⁻¹ p_A.
    #[inline(always)]
    pub fn inverse_transform(self, p: Vec3<T>) -> Vec3<T> {
        self.rotation.conjugate().rotate(p - self.translation)
    }

    #[inline(always)]
    pub fn inverse(self) -> Self {
        let r = self.rotation.conjugate();
        Self { rotation: r, translation: -r.rotate(self.translation) }
    }
}

impl<T: Real> Mul for Pose<T> {
    type Output = Self;
    /// X_AC = X_AB X_BC.
    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        Self { rotation: self.rotation * o.rotation, translation: self.transform(o.translation) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exp_and_log_are_inverse_from_tiny_to_half_a_turn() {
        for r in [vec3(1e-9, -2e-9, 1e-10), vec3(1e-5, 2e-5, 0.0), vec3(0.4, -0.2, 1.0), vec3(0.0, 3.1, 0.0)]
        {
            assert!((Quat::exp(r).log() - r).norm() < 1e-14 * (1.0 + r.norm()));
            assert!((Quat::exp(r).norm_squared() - 1.0).abs() < 1e-15);
        }
    }

    #[test]
    fn quaternion_matrix_and_product_agree() {
        let a = Quat::from_rpy(0.3, -0.7, 1.9);
        let b = Quat::from_rpy(-2.0, 0.1, 0.4);
        let v = vec3(0.2, -1.0, 0.5);
        assert!(((a * b).rotate(v) - a.to_matrix() * (b.to_matrix() * v)).norm() < 1e-15);
        for q in [
            a,
            b,
            Quat::from_rpy(3.1, 0.0, 0.0),
            Quat::from_rpy(0.0, 3.1, 0.0),
            Quat::from_rpy(0.0, 0.0, 3.1),
        ] {
            assert!((Quat::from_matrix(&q.to_matrix()).rotate(v) - q.rotate(v)).norm() < 1e-14);
        }
    }

    #[test]
    fn between_takes_a_to_b_even_when_opposite() {
        let a = vec3(0.6, 0.0, 0.8);
        for b in [Vec3::X, -a, a, vec3(0.0, -1.0, 0.0)] {
            assert!((Quat::between(a, b).rotate(a) - b).norm() < 1e-14);
        }
    }

    #[test]
    fn inverse_pose_undoes_the_pose() {
        let x = Pose::new(Quat::from_rpy(0.3, -0.7, 1.9), vec3(1.0, 2.0, 3.0));
        let p = vec3(0.2, -1.0, 0.5);
        assert!((x.inverse().transform(x.transform(p)) - p).norm() < 1e-15);
        assert!((x.inverse_transform(x.transform(p)) - p).norm() < 1e-15);
    }
}
