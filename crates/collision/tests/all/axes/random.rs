//! Random poses from a seed, the same on every machine.

use std::f64::consts::PI;
use stiction_dynamics::spatial::{Pose, Quat, Vec3, vec3};

/// SplitMix64 [Steele2014].
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in [a, b).
    pub(crate) fn between(&mut self, a: f64, b: f64) -> f64 {
        a + (b - a) * ((self.bits() >> 11) as f64 / (1_u64 << 53) as f64)
    }

    /// Uniform in 0..n.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }

    /// Uniform in the cube of half side `reach`.
    pub(crate) fn vector(&mut self, reach: f64) -> Vec3 {
        let mut x = || self.between(-reach, reach);
        vec3(x(), x(), x())
    }

    /// Any rotation; one in four is a quarter turn about an axis, so that faces and edges align.
    pub(crate) fn rotation(&mut self) -> Quat {
        if self.below(4) == 0 {
            let axis = [Vec3::X, Vec3::Y, Vec3::Z][self.below(3)];
            return Quat::from_axis_angle(axis, self.below(4) as f64 * 0.5 * PI);
        }
        loop {
            if let Some(axis) = self.vector(1.0).normalized() {
                return Quat::from_axis_angle(axis, self.between(-PI, PI));
            }
        }
    }

    pub(crate) fn pose(&mut self, reach: f64) -> Pose {
        Pose::new(self.rotation(), self.vector(reach))
    }
}
