//! Axis-aligned boxes.

use stiction_dynamics::spatial::{Vec3, vec3};

/// The box { x : min ≤ x ≤ max } in W [m].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Smallest coordinates.
    pub min: Vec3,
    /// Largest coordinates.
    pub max: Vec3,
}

impl Aabb {
    /// The box around `center` with half sides `half`.
    pub fn around(center: Vec3, half: Vec3) -> Self {
        Self { min: center - half, max: center + half }
    }

    /// The middle.
    #[inline]
    pub fn center(&self) -> Vec3 {
        (self.min + self.max) * 0.5
    }

    /// Half the sides.
    #[inline]
    pub fn half(&self) -> Vec3 {
        (self.max - self.min) * 0.5
    }

    /// True when the boxes share a point.
    #[inline]
    pub fn overlaps(&self, o: &Self) -> bool {
        (0..3).all(|i| self.min[i] <= o.max[i] && o.min[i] <= self.max[i])
    }

    /// The smallest box around both.
    #[inline]
    pub fn joined(&self, o: &Self) -> Self {
        let (mut min, mut max) = (self.min, self.max);
        for i in 0..3 {
            min[i] = min[i].min(o.min[i]);
            max[i] = max[i].max(o.max[i]);
        }
        Self { min, max }
    }

    /// The box grown by `margin` [m] on every side.
    pub(crate) fn grown(&self, margin: f64) -> Self {
        let by = vec3(margin, margin, margin);
        Self { min: self.min - by, max: self.max + by }
    }

    /// The box moved by `d` [m].
    #[inline]
    pub(crate) fn shifted(&self, d: Vec3) -> Self {
        Self { min: self.min + d, max: self.max + d }
    }

    /// True when all of `o` is in the box.
    #[inline]
    pub(crate) fn encloses(&self, o: &Self) -> bool {
        (0..3).all(|i| self.min[i] <= o.min[i] && o.max[i] <= self.max[i])
    }

    /// The squared distance of `p`, zero inside [m²].
    #[inline]
    pub(crate) fn squared_distance(&self, p: Vec3) -> f64 {
        let out = |i: usize| (self.min[i] - p[i]).max(p[i] - self.max[i]).max(0.0);
        let (x, y, z) = (out(0), out(1), out(2));
        x * x + y * y + z * z
    }

    /// The distance of two boxes, zero when they share a point [m].
    pub(crate) fn distance(&self, o: &Self) -> f64 {
        let apart = |i: usize| (self.min[i] - o.max[i]).max(o.min[i] - self.max[i]).max(0.0);
        vec3(apart(0), apart(1), apart(2)).norm()
    }

    /// The corner farthest in `direction`.
    #[inline]
    pub(crate) fn support(&self, direction: Vec3) -> Vec3 {
        let mut corner = self.min;
        for i in 0..3 {
            if direction[i] >= 0.0 {
                corner[i] = self.max[i];
            }
        }
        corner
    }

    /// True when `p` is in the box.
    pub fn contains(&self, p: Vec3) -> bool {
        (0..3).all(|i| self.min[i] <= p[i] && p[i] <= self.max[i])
    }
}
