//! The axis along which two cores are separated most: found by iterations, then made exact.

use super::refine::{Refined, refined};
use crate::frame::Frame;
use crate::parry::{Axis, separation};
use crate::support::Support;
use stiction_dynamics::spatial::Vec3;

/// The axis of two cores that may be `limit` [m] apart; `None` where they are farther. Where the cores are known to overlap
/// deeply, the search starts from `overlap`. `otherwise` gives an axis where iterations fail or end early.
pub(crate) fn best<P: Support, Q: Support>(
    a: (&P, &Frame),
    b: (&Q, &Frame),
    limit: f64,
    overlap: Option<Vec3>,
    otherwise: impl Fn(Option<Vec3>) -> Option<Vec3>,
) -> Option<Refined> {
    let found = |overlap: Option<Vec3>| {
        let axis = match separation(a.0, a.1, b.0, b.1, limit, overlap) {
            Axis::Apart => return None,
            Axis::Found(axis) if axis.doubtful => {
                (otherwise(Some(axis.normal)).unwrap_or(axis.normal), false)
            }
            Axis::Found(axis) => (axis.normal, axis.proven),
            Axis::Unknown => (otherwise(None)?, false),
        };
        if axis.1 && !a.0.is_round() && !b.0.is_round() {
            // The search ended on a face of the difference, whose normal is exact.
            let distance = separation_along(a, b, axis.0);
            return Some(Refined { normal: axis.0, distance, middle: None, proven: true });
        }
        Some(refined(a, b, axis.0, axis.1))
    };
    let first = found(overlap)?;
    if first.proven || first.distance >= 0.0 || overlap.is_some() {
        return Some(first);
    }
    // Overlaps of corners: the axis of the shrunk cores is not that of the depth.
    let second = found(Some(first.normal))?;
    Some(if second.distance > first.distance { second } else { Refined { proven: second.proven, ..first } })
}

/// s(n): how far the cores are separated along the unit vector n in W [m].
pub(crate) fn separation_along<P: Support, Q: Support>(
    (a, A): (&P, &Frame),
    (b, B): (&Q, &Frame),
    n: Vec3,
) -> f64 {
    let p_A = a.core_support(A.inverse_direction(n));
    let p_B = b.core_support(B.inverse_direction(-n));
    n.dot(B.point(p_B) - A.point(p_A))
}
