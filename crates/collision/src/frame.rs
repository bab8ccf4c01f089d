//! A pose with its rotation written out as a matrix: turning many points costs less.

use stiction_dynamics::spatial::{Mat3, Pose, Vec3};

/// The frame G in W: p_W = R p_G + origin.
#[derive(Clone, Copy)]
pub(crate) struct Frame {
    pub(crate) R: Mat3,
    pub(crate) origin: Vec3,
    /// Acceleration of gravity in W [m/s²]; zero where nothing weighs.
    pub(crate) gravity: Vec3,
}

/// Sine of the tilt below which a cap has no lowest point.
pub(crate) const UPRIGHT: f64 = 1e-7;
/// Sine of the angle between gravity and the axis of a cap below which gravity has no direction within the cap. Only a
/// body a thousand times higher than wide tips over at so small an angle.
const PLUMB: f64 = 1e-3;

impl Frame {
    #[inline]
    pub(crate) fn new(X_WG: &Pose) -> Self {
        Self::under(X_WG, Vec3::ZERO)
    }

    /// The frame of a body under this acceleration of gravity in W [m/s²].
    #[inline]
    pub(crate) fn under(X_WG: &Pose, gravity: Vec3) -> Self {
        Self { R: X_WG.rotation.to_matrix(), origin: X_WG.translation, gravity }
    }

    /// The frame from another origin in W.
    pub(crate) fn from(&self, origin: Vec3) -> Self {
        Self { origin: self.origin - origin, ..*self }
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

    /// Cosine and sine, in the plane xy of G, of the direction in which a rim about z reaches farthest toward `d_G`. A
    /// level rim reaches equally far everywhere: the direction is then that of gravity along the rim, because a body
    /// that tips leans on that point; where gravity has none, it is x.
    pub(crate) fn toward_rim(&self, d_G: Vec3) -> (f64, f64) {
        let across = d_G.x.hypot(d_G.y);
        if across > UPRIGHT {
            return (d_G.x / across, d_G.y / across);
        }
        let g = self.inverse_direction(self.gravity);
        let along = g.x.hypot(g.y);
        if along > PLUMB * g.z.abs() { (g.x / along, g.y / along) } else { (1.0, 0.0) }
    }

    /// The axis z of G, in W.
    #[inline]
    pub(crate) fn axis(&self) -> Vec3 {
        self.R.column(2)
    }
}
