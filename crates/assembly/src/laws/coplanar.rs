//! Which contact points are of one face, where its plane is, and what its points share; why is told in [`crate::coplanar`].
//!
//! Points p_i and p_j of the same two bodies, with normals n and gaps φ, are of one face if
//!
//! ```text
//!     ‖n_i − n_j‖² ≤ 10⁻²⁰,   |n_i·(p_i − p_j)| ≤ max(|φ_i|, |φ_j|) + 1 nm                          (1)
//!     φ₀ = min φ,   p ← p + n (n₀·p₀ − n·p) where some φ − φ₀ exceeds 100 nm                        (2)
//!     spread = max (φ − φ₀) of those within 100 nm                                                  (3)
//! ```

use stiction_dynamics::Real;
use stiction_dynamics::spatial::Vec3;

/// Normals that differ by less are the same, squared [–].
pub const SAME_NORMAL: f64 = 1e-20;
/// How much rounding may make of heights and gaps [m].
pub const ROUNDING: f64 = 1e-9;
/// Points so much farther than the deepest are near it [m].
pub const NEAR: f64 = 1e-7;

/// Gaps that the points of a face share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Face<T = f64> {
    /// The least of their gaps [m].
    pub deepest: T,
    /// By how much the largest of those near it exceeds it [m].
    pub spread: T,
}

impl<T: Real> Face<T> {
    /// The face of a point alone.
    #[inline(always)]
    pub fn of_one(gap: T) -> Self {
        Self { deepest: gap, spread: gap.zero() }
    }
}

/// A contact point, as far as faces are concerned.
#[derive(Clone, Copy, Debug)]
pub struct FacePoint<T = f64> {
    /// In W [m].
    pub position: Vec3<T>,
    /// The normal.
    pub n: Vec3<T>,
    /// φ [m].
    pub gap: T,
}

impl<T: Real> FacePoint<T> {
    /// (1); positions are `coarseness` times as coarse as those of 64-bit numbers [–].
    #[inline(always)]
    pub fn is_of_face_of(&self, first: &Self, coarseness: T) -> T::Mask {
        let height = first.n.dot(first.position - self.position).abs();
        let limit = first.gap.abs().max(self.gap.abs()) + coarseness * coarseness.like(ROUNDING);
        let apart = (first.n - self.n).norm_squared();
        T::both(apart.at_most(apart.like(SAME_NORMAL)), height.at_most(limit))
    }
}

/// A face, from its points one after another: all by [`Self::deepen`], then all by [`Self::widen`].
#[derive(Clone, Copy, Debug)]
pub struct Plane<T: Real> {
    pub face: Face<T>,
    /// n₀·p₀ of the deepest point [m].
    level: T,
    /// Some point is so far from the deepest that all are moved.
    moves: T::Mask,
}

impl<T: Real> Plane<T> {
    /// The face of `first` alone.
    #[inline(always)]
    pub fn new(first: &FacePoint<T>) -> Self {
        let gap = first.gap;
        Self { face: Face::of_one(gap), level: first.n.dot(first.position), moves: gap.less(gap) }
    }

    /// φ₀ of (2), where `point` is of the face.
    #[inline(always)]
    pub fn deepen(&mut self, point: &FacePoint<T>, is_of_face: T::Mask) {
        let lower = T::both(is_of_face, point.gap.less(self.face.deepest));
        if T::any(lower) {
            self.face.deepest = T::select(lower, point.gap, self.face.deepest);
            self.level = T::select(lower, point.n.dot(point.position), self.level);
        }
    }

    /// (3), where `point` is of the face.
    #[inline(always)]
    pub fn widen(&mut self, point: &FacePoint<T>, is_of_face: T::Mask, coarseness: T) {
        let apart = point.gap - self.face.deepest;
        let beyond = (coarseness * apart.like(NEAR)).less(apart);
        let near = T::both(is_of_face, T::not(beyond));
        self.face.spread = T::select(near, self.face.spread.max(apart), self.face.spread);
        self.moves = T::not(T::both(T::not(self.moves), T::not(T::both(is_of_face, beyond))));
    }

    /// Where (2) puts `point`, where it is of the face.
    #[inline(always)]
    pub fn flattened(&self, point: &FacePoint<T>, is_of_face: T::Mask) -> Vec3<T> {
        let moves = T::both(is_of_face, self.moves);
        if !T::any(moves) {
            return point.position;
        }
        let height = self.level - point.n.dot(point.position);
        point.position + point.n * T::select(moves, height, height.zero())
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Dice, Law, hold};
    use super::*;
    use stiction_dynamics::spatial::vec3;

    /// Two points of nearly the same height, with normals that are the same or hardly differ.
    struct TwoPoints;

    impl Law<8, 6> for TwoPoints {
        const SINGLE: f64 = 1e-6;

        fn draw(dice: &mut Dice) -> [f64; 8] {
            let apart = if dice.share() < 0.5 { dice.decades(1e-9, 1e-2) } else { 0.0 };
            let tilt = if dice.share() < 0.5 { 0.0 } else { dice.decades(1e-12, 1e-4) };
            let gap = dice.sign() * dice.decades(1e-8, 1e-2);
            let height = dice.sign() * dice.decades(1e-9, 1e-2);
            [dice.one(), dice.one(), dice.one(), dice.one(), gap, apart, height, tilt]
        }

        #[inline(always)]
        fn evaluate<T: Real>([x, y, a, b, gap, apart, height, tilt]: [T; 8]) -> [T; 6] {
            let n = vec3(a.zero(), a.zero(), a.one());
            let first = FacePoint { position: vec3(x, y, x.zero()), n, gap };
            let other = FacePoint {
                position: vec3(a, b, height),
                n: vec3(tilt, tilt.zero(), tilt.one()),
                gap: gap - apart,
            };
            let same = other.is_of_face_of(&first, a.one());
            let mut plane = Plane::new(&first);
            plane.deepen(&other, same);
            let always = a.zero().less(a.one());
            plane.widen(&first, always, a.one());
            plane.widen(&other, same, a.one());
            let moved = plane.flattened(&first, always);
            [
                plane.face.deepest,
                plane.face.spread,
                moved.x,
                moved.y,
                moved.z,
                T::select(same, a.one(), a.zero()),
            ]
        }

        fn sizes([.., gap, apart, height, _]: &[f64; 8]) -> [f64; 6] {
            let farthest = gap.abs() + apart;
            [farthest, farthest, 1.0, 1.0, height.abs(), 1.0]
        }
    }

    #[test]
    fn faces_are_one_law() {
        hold::<TwoPoints, _, _>();
    }
}
