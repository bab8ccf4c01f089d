//! A pose with its rotation written out as a matrix: turning many points costs less.

use stiction_dynamics::spatial::{Mat3, Pose, Vec3};

/// The frame G in W: p_W = R p_G + origin.
#[derive(Clone, Copy)]
pub(crate) struct Frame {
    pub(crate) R: Mat3,
    pub(crate) origin: Vec3,
}

impl Frame {
    #[inline]
    pub(crate) fn new(X_WG: &Pose) -> Self {
        Self { R: X_WG.rotation.to_matrix(), origin: X_WG.translation }
    }

    /// The frame from another origin in W.
    pub(crate) fn from(&self, origin: Vec3) -> Self {
        Self { R: self.R, origin: self.origin - origin }
    }

    /// p_W of p_G.
    #[inline]
    pub(crate) fn point(&self, p_G: Vec3) -> Vec3 {
        self.R * p_G + self.origin
    }

    /// p_G of p_W.
    #[inline]
    pub(crate) fn inverse_point(&self, p_W: Vec3) -> Vec3 {
        self.R.transpose_mul(p_W - self.origin)
    }

    /// A direction in W of one in G.
    #[inline]
    pub(crate) fn direction(&self, d_G: Vec3) -> Vec3 {
        self.R * d_G
    }

    /// A direction in G of one in W.
    #[inline]
    pub(crate) fn inverse_direction(&self, d_W: Vec3) -> Vec3 {
        self.R.transpose_mul(d_W)
    }

    /// The axis z of G, in W.
    #[inline]
    pub(crate) fn axis(&self) -> Vec3 {
        self.R.column(2)
    }
}
