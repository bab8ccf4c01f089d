//! Three-dimensional vectors, full and symmetric 3×3 matrices.

use crate::real::Real;
use std::ops::{Add, AddAssign, Index, IndexMut, Mul, Neg, Sub, SubAssign};

/// A vector of ℝ³; its frame and unit are named by the variable that holds it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Vec3<T = f64> {
    pub x: T,
    pub y: T,
    pub z: T,
}

/// Shorthand constructor.
#[inline(always)]
pub const fn vec3<T>(x: T, y: T, z: T) -> Vec3<T> {
    Vec3 { x, y, z }
}

impl Vec3<f64> {
    pub const ZERO: Self = vec3(0.0, 0.0, 0.0);
    pub const X: Self = vec3(1.0, 0.0, 0.0);
    pub const Y: Self = vec3(0.0, 1.0, 0.0);
    pub const Z: Self = vec3(0.0, 0.0, 1.0);

    /// The vector divided by its norm; `None` when the norm is zero or not finite.
    pub fn normalized(self) -> Option<Self> {
        let n = self.norm();
        if n > 1e-140 && n < f64::INFINITY {
            return Some(self * (1.0 / n));
        }
        // The squares leave the range of numbers: once more at a scale where they do not.
        let largest = self.x.abs().max(self.y.abs()).max(self.z.abs());
        let v = self * (1.0 / largest);
        let n = v.norm();
        (1.0..2.0).contains(&n).then(|| v * (1.0 / n))
    }

    /// True when all three components are finite.
    pub fn is_finite(self) -> bool {
        self.x.is_finite() && self.y.is_finite() && self.z.is_finite()
    }

    /// Two unit vectors (t1, t2) that complete the unit vector `self` = n to a right-handed
    /// frame (t1, t2, n). Depends on n alone; t1 lies in the plane of n and the coordinate axis
    /// least aligned with it, so that t1 = x and t2 = y for n = z.
    pub fn tangents(self) -> (Self, Self) {
        let (n, axis) = (self, self.least_axis());
        let t1 = axis - n * n.dot(axis);
        let t1 = t1 * (1.0 / t1.norm());
        (t1, n.cross(t1))
    }

    /// The change of both vectors of [`Self::tangents`] as n changes by `dn`, which is normal to n.
    pub fn tangents_change(self, dn: Self) -> (Self, Self) {
        let (n, axis) = (self, self.least_axis());
        let along = axis - n * n.dot(axis);
        let size = 1.0 / along.norm();
        let t1 = along * size;
        let change = -(dn * n.dot(axis) + n * dn.dot(axis));
        let dt1 = (change - t1 * t1.dot(change)) * size;
        (dt1, dn.cross(t1) + n.cross(dt1))
    }

    /// The coordinate axis least aligned with the vector; among ties the earlier: for z it is x.
    fn least_axis(self) -> Self {
        let n = self;
        if n.x.abs() <= n.y.abs() && n.x.abs() <= n.z.abs() {
            Self::X
        } else if n.y.abs() <= n.z.abs() {
            Self::Y
        } else {
            Self::Z
        }
    }

    /// The vector as constants of the scalar of `one`.
    #[inline(always)]
    pub fn cast<T: Real>(self, kind: T) -> Vec3<T> {
        vec3(kind.like(self.x), kind.like(self.y), kind.like(self.z))
    }

    pub fn to_array(self) -> [f64; 3] {
        [self.x, self.y, self.z]
    }
}

impl From<[f64; 3]> for Vec3<f64> {
    fn from([x, y, z]: [f64; 3]) -> Self {
        vec3(x, y, z)
    }
}

impl<T: Real> Vec3<T> {
    /// The zero vector of the kind of `kind`.
    #[inline(always)]
    pub fn zero(kind: T) -> Self {
        let o = kind.zero();
        vec3(o, o, o)
    }

    #[inline(always)]
    pub fn dot(self, o: Self) -> T {
        self.x * o.x + self.y * o.y + self.z * o.z
    }

    #[inline(always)]
    pub fn cross(self, o: Self) -> Self {
        vec3(self.y * o.z - self.z * o.y, self.z * o.x - self.x * o.z, self.x * o.y - self.y * o.x)
    }

    #[inline(always)]
    pub fn norm_squared(self) -> T {
        self.dot(self)
    }

    #[inline(always)]
    pub fn norm(self) -> T {
        self.dot(self).sqrt()
    }

    /// `yes` where the mask holds, else `no`.
    #[inline(always)]
    pub fn select(mask: T::Mask, yes: Self, no: Self) -> Self {
        vec3(T::select(mask, yes.x, no.x), T::select(mask, yes.y, no.y), T::select(mask, yes.z, no.z))
    }
}

impl<T: Real> Add for Vec3<T> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        vec3(self.x + o.x, self.y + o.y, self.z + o.z)
    }
}
impl<T: Real> Sub for Vec3<T> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        vec3(self.x - o.x, self.y - o.y, self.z - o.z)
    }
}
impl<T: Real> Neg for Vec3<T> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        vec3(-self.x, -self.y, -self.z)
    }
}
impl<T: Real> Mul<T> for Vec3<T> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, s: T) -> Self {
        vec3(self.x * s, self.y * s, self.z * s)
    }
}
impl<T: Real> AddAssign for Vec3<T> {
    #[inline(always)]
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}
impl<T: Real> SubAssign for Vec3<T> {
    #[inline(always)]
    fn sub_assign(&mut self, o: Self) {
        *self = *self - o;
    }
}
impl<T> Index<usize> for Vec3<T> {
    type Output = T;
    #[inline(always)]
    fn index(&self, i: usize) -> &T {
        match i {
            0 => &self.x,
            1 => &self.y,
            2 => &self.z,
            _ => panic!("a Vec3 has components 0, 1, 2; asked for {i}"),
        }
    }
}
impl<T> IndexMut<usize> for Vec3<T> {
    #[inline(always)]
    fn index_mut(&mut self, i: usize) -> &mut T {
        match i {
            0 => &mut self.x,
            1 => &mut self.y,
            2 => &mut self.z,
            _ => panic!("a Vec3 has components 0, 1, 2; asked for {i}"),
        }
    }
}

/// A 3×3 matrix by rows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Mat3<T = f64> {
    pub rows: [Vec3<T>; 3],
}

impl Mat3<f64> {
    pub const IDENTITY: Self = Self { rows: [Vec3::X, Vec3::Y, Vec3::Z] };
    pub const ZERO: Self = Self { rows: [Vec3::ZERO; 3] };

    /// The inverse by cofactors; `None` when the determinant is zero or not finite.
    pub fn inverse(self) -> Option<Self> {
        let [a, b, c] = self.rows;
        let (bc, ca, ab) = (b.cross(c), c.cross(a), a.cross(b));
        let det = a.dot(bc);
        let inv = 1.0 / det;
        (det != 0.0 && inv.is_finite()).then(|| Self::from_columns(bc * inv, ca * inv, ab * inv))
    }
}

impl<T: Real> Mat3<T> {
    #[inline(always)]
    pub fn from_columns(a: Vec3<T>, b: Vec3<T>, c: Vec3<T>) -> Self {
        Self { rows: [vec3(a.x, b.x, c.x), vec3(a.y, b.y, c.y), vec3(a.z, b.z, c.z)] }
    }

    #[inline(always)]
    pub fn column(&self, j: usize) -> Vec3<T> {
        vec3(self.rows[0][j], self.rows[1][j], self.rows[2][j])
    }

    #[inline(always)]
    pub fn transpose(self) -> Self {
        let [a, b, c] = self.rows;
        Self::from_columns(a, b, c)
    }

    /// Mᵀ v without forming the transpose.
    #[inline(always)]
    pub fn transpose_mul(&self, v: Vec3<T>) -> Vec3<T> {
        self.rows[0] * v.x + self.rows[1] * v.y + self.rows[2] * v.z
    }

    #[inline(always)]
    pub fn trace(&self) -> T {
        self.rows[0].x + self.rows[1].y + self.rows[2].z
    }
}

impl<T: Real> Mul<Vec3<T>> for Mat3<T> {
    type Output = Vec3<T>;
    #[inline(always)]
    fn mul(self, v: Vec3<T>) -> Vec3<T> {
        vec3(self.rows[0].dot(v), self.rows[1].dot(v), self.rows[2].dot(v))
    }
}
impl<T: Real> Mul for Mat3<T> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        let [a, b, c] = self.rows;
        Self { rows: [o.transpose_mul(a), o.transpose_mul(b), o.transpose_mul(c)] }
    }
}
impl<T: Real> Mul<T> for Mat3<T> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, s: T) -> Self {
        let [a, b, c] = self.rows;
        Self { rows: [a * s, b * s, c * s] }
    }
}
impl<T: Real> Add for Mat3<T> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        let (a, b) = (self.rows, o.rows);
        Self { rows: [a[0] + b[0], a[1] + b[1], a[2] + b[2]] }
    }
}
impl<T: Real> Sub for Mat3<T> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        let (a, b) = (self.rows, o.rows);
        Self { rows: [a[0] - b[0], a[1] - b[1], a[2] - b[2]] }
    }
}

/// A symmetric 3×3 matrix: six numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sym3<T = f64> {
    pub xx: T,
    pub yy: T,
    pub zz: T,
    pub xy: T,
    pub xz: T,
    pub yz: T,
}

impl Sym3<f64> {
    pub const ZERO: Self = Self { xx: 0.0, yy: 0.0, zz: 0.0, xy: 0.0, xz: 0.0, yz: 0.0 };

    pub const fn diagonal(xx: f64, yy: f64, zz: f64) -> Self {
        Self { xx, yy, zz, xy: 0.0, xz: 0.0, yz: 0.0 }
    }

    /// The matrix as constants of the scalar of `kind`.
    #[inline(always)]
    pub fn cast<T: Real>(self, kind: T) -> Sym3<T> {
        Sym3 {
            xx: kind.like(self.xx),
            yy: kind.like(self.yy),
            zz: kind.like(self.zz),
            xy: kind.like(self.xy),
            xz: kind.like(self.xz),
            yz: kind.like(self.yz),
        }
    }
}

impl<T: Real> Sym3<T> {
    #[inline(always)]
    pub fn zero(kind: T) -> Self {
        let o = kind.zero();
        Self { xx: o, yy: o, zz: o, xy: o, xz: o, yz: o }
    }

    #[inline(always)]
    pub fn to_mat3(self) -> Mat3<T> {
        Mat3 {
            rows: [
                vec3(self.xx, self.xy, self.xz),
                vec3(self.xy, self.yy, self.yz),
                vec3(self.xz, self.yz, self.zz),
            ],
        }
    }

    /// The symmetric matrix whose upper triangle is that of `m`.
    #[inline(always)]
    pub fn from_upper(m: &Mat3<T>) -> Self {
        let [a, b, c] = m.rows;
        Self { xx: a.x, yy: b.y, zz: c.z, xy: a.y, xz: a.z, yz: b.z }
    }

    /// s v vᵀ.
    #[inline(always)]
    pub fn outer(v: Vec3<T>, s: T) -> Self {
        let w = v * s;
        Self { xx: w.x * v.x, yy: w.y * v.y, zz: w.z * v.z, xy: w.x * v.y, xz: w.x * v.z, yz: w.y * v.z }
    }

    /// s ((v·v) 1 − v vᵀ), the inertia about the origin of a point mass s at v.
    #[inline(always)]
    pub fn point_mass(v: Vec3<T>, s: T) -> Self {
        let w = v * s;
        let (xx, yy, zz) = (w.x * v.x, w.y * v.y, w.z * v.z);
        Self { xx: yy + zz, yy: xx + zz, zz: xx + yy, xy: -(w.x * v.y), xz: -(w.x * v.z), yz: -(w.y * v.z) }
    }

    /// R S Rᵀ.
    #[inline(always)]
    pub fn rotated(self, r: &Mat3<T>) -> Self {
        let s = self.to_mat3();
        let [a, b, c] = r.rows;
        let (sa, sb, sc) = (s * a, s * b, s * c);
        Self { xx: sa.dot(a), yy: sb.dot(b), zz: sc.dot(c), xy: sa.dot(b), xz: sa.dot(c), yz: sb.dot(c) }
    }
}

impl<T: Real> Mul<Vec3<T>> for Sym3<T> {
    type Output = Vec3<T>;
    #[inline(always)]
    fn mul(self, v: Vec3<T>) -> Vec3<T> {
        vec3(
            self.xx * v.x + self.xy * v.y + self.xz * v.z,
            self.xy * v.x + self.yy * v.y + self.yz * v.z,
            self.xz * v.x + self.yz * v.y + self.zz * v.z,
        )
    }
}
impl<T: Real> Add for Sym3<T> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Self {
            xx: self.xx + o.xx,
            yy: self.yy + o.yy,
            zz: self.zz + o.zz,
            xy: self.xy + o.xy,
            xz: self.xz + o.xz,
            yz: self.yz + o.yz,
        }
    }
}
impl<T: Real> Sub for Sym3<T> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Self {
            xx: self.xx - o.xx,
            yy: self.yy - o.yy,
            zz: self.zz - o.zz,
            xy: self.xy - o.xy,
            xz: self.xz - o.xz,
            yz: self.yz - o.yz,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tangents_complete_a_right_handed_frame() {
        assert_eq!(Vec3::Z.tangents(), (Vec3::X, Vec3::Y));
        for n in [vec3(0.6, 0.0, 0.8), vec3(-0.36, 0.48, -0.8), vec3(1.0, 0.0, 0.0)] {
            let (t1, t2) = n.tangents();
            assert!((t1.cross(t2) - n).norm() < 1e-15);
            assert!((t1.norm() - 1.0).abs() < 1e-15 && t1.dot(n).abs() < 1e-15);
        }
    }

    /// Tangents change with their normal as central differences say.
    #[test]
    fn tangents_change_with_their_normal() {
        let n = vec3(0.3, -0.5, 0.9).normalized().unwrap();
        let dn = n.cross(vec3(0.7, 0.2, -0.4));
        let at = |h: f64| (n + dn * h).normalized().unwrap().tangents();
        let ((a1, a2), (b1, b2), h) = (at(1e-5), at(-1e-5), 1e-5);
        let (d1, d2) = n.tangents_change(dn);
        assert!(((a1 - b1) * (0.5 / h) - d1).norm() < 1e-9);
        assert!(((a2 - b2) * (0.5 / h) - d2).norm() < 1e-9);
    }

    #[test]
    fn directions_are_unit_at_any_scale() {
        for scale in [1e-300, 1e-160, 1.0, 1e200, 1e307] {
            let unit = (vec3(3.0, 0.0, -4.0) * scale).normalized().unwrap();
            assert!((unit - vec3(0.6, 0.0, -0.8)).norm() < 1e-15, "{scale}");
        }
        for none in [Vec3::ZERO, vec3(f64::NAN, 0.0, 1.0), vec3(1.0, f64::INFINITY, 0.0)] {
            assert!(none.normalized().is_none());
        }
    }

    #[test]
    fn inverse_undoes_the_matrix() {
        let m = Mat3 { rows: [vec3(2.0, 1.0, 0.0), vec3(-1.0, 3.0, 1.0), vec3(0.5, 0.0, 1.0)] };
        let one = m * m.inverse().unwrap();
        assert!(one.rows.iter().zip(Mat3::IDENTITY.rows).all(|(a, b)| (*a - b).norm() < 1e-15));
        assert!(Mat3::ZERO.inverse().is_none());
    }

    #[test]
    fn rotated_symmetric_matrix_is_r_s_rt() {
        let s = Sym3 { xx: 1.0, yy: 2.0, zz: 3.0, xy: 0.1, xz: -0.2, yz: 0.3 };
        let r = Mat3 { rows: [vec3(0.0, -1.0, 0.0), vec3(0.6, 0.0, -0.8), vec3(0.8, 0.0, 0.6)] };
        let expected = r * s.to_mat3() * r.transpose();
        let got = s.rotated(&r).to_mat3();
        assert!(got.rows.iter().zip(expected.rows).all(|(a, b)| (*a - b).norm() < 1e-15));
    }
}
