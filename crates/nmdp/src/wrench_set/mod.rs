//! Contact sets: the wrenches that a contact can exert at a pose, as a polytope with known vertices.
//!
//! ```text
//!     F ∈ { B(X) w : w ≥ 0, Σ w ≤ 1 }                                                (1)
//! ```
//!
//! The vertices B_j(X) depend on the pose X of the body as smoothly as the author of a set likes; no force is always among
//! them. One file per set.

pub mod cone;
pub mod granular;
pub mod learned;
pub mod learning;
pub mod patch;

use crate::body_forces::Mat6;
use std::fmt::Debug;
use stiction_dynamics::spatial::{Force, Mat3, Vec3};

/// Where a contact site of a body is.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// Rotation of the body.
    pub R_WB: Mat3,
    /// The site, a point fixed in the body, in W [m].
    pub p: Vec3,
}

/// A pose-dependent set of wrenches (1) on a body at a site.
pub trait WrenchSet: Debug + Send {
    /// Number of vertices beside the origin, the same at every pose.
    fn len(&self) -> usize;

    /// True if the set has no vertex.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The vertices at a pose: moment about the site [N·m] and force [N], world axes.
    fn vertices_into(&self, place: &Place, out: &mut [Force]);

    /// Derivative of Σ w_j B_j by the turning of the body and the displacement of the site, world axes.
    fn slope(&self, place: &Place, weights: &[f64]) -> Mat6;

    /// False where all vertices vanish: the site then costs nothing.
    fn acts(&self, place: &Place) -> bool {
        self.depth(place) > 0.0
    }

    /// Depth below the surface, zero above it [m]: for reports.
    fn depth(&self, place: &Place) -> f64;

    /// A copy of the set, for another thread or a copy.
    fn boxed(&self) -> Box<dyn WrenchSet>;
}

impl Clone for Box<dyn WrenchSet> {
    fn clone(&self) -> Self {
        self.boxed()
    }
}
