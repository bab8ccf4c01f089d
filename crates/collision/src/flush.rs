//! Which geometries of a world have flush neighbours at all.

use crate::frame::Frame;
use crate::seams::{BRIDGED, FLUSH, SAME_NORMAL, each_face};
use crate::shape::Shape;
use crate::world::CollisionWorld;
use stiction_dynamics::spatial::{Pose, Vec3};

impl CollisionWorld {
    /// Seams that a third collider may cross: (i, j, k) where i and j are rigidly joined, beside each other, and have a face in one
    /// plane, and k may meet both. `poses` are those of all colliders in a frame of their rigid group, for fixed ones W. Where no
    /// k meets i and j at once, every contact is what [`crate::collide`] says of its pair, but where two colliders of a group share
    /// a plane with no face.
    pub fn seams(&self, poses: &[Pose]) -> impl Iterator<Item = [usize; 3]> {
        let n = self.colliders().len();
        let pairs = (0..n).flat_map(move |i| (i + 1..n).map(move |j| (i, j)));
        pairs.filter(|&(i, j)| self.are_joined(i, j) && self.are_flush(i, j, poses)).flat_map(
            move |(i, j)| {
                let crosses = move |k: &usize| {
                    !matches!(self.colliders()[*k].shape, Shape::Plane)
                        && self.may_meet(i, *k)
                        && self.may_meet(j, *k)
                };
                (0..n).filter(crosses).map(move |k| [i, j, k])
            },
        )
    }

    fn are_flush(&self, i: usize, j: usize, poses: &[Pose]) -> bool {
        let shape = |k: usize| &self.colliders()[k].shape;
        let boxes = [i, j].map(|k| shape(k).aabb(&poses[k], 0.5 * BRIDGED));
        // Meshes and fields may have a face anywhere.
        let faceless = [i, j].iter().any(|&k| !shape(k).is_convex());
        boxes[0].overlaps(&boxes[1])
            && (faceless || has_common_plane((shape(i), &poses[i]), (shape(j), &poses[j])))
    }
}

/// True when a face of one of two convex shapes is as high along its normal as the other, up to what counts as flush.
fn has_common_plane(a: (&Shape, &Pose), b: (&Shape, &Pose)) -> bool {
    let mut common = false;
    for ((this, X), (that, Y)) in [(a, b), (b, a)] {
        let (X, Y) = (Frame::new(X), Frame::new(Y));
        let mut consider = |n: Vec3| {
            let height = match that {
                // A half space is as high as its plane along its own normal alone.
                Shape::Plane if (Y.axis() - n).norm_squared() > SAME_NORMAL => f64::INFINITY,
                Shape::Plane => n.dot(Y.origin),
                _ => n.dot(Y.point(that.support(Y.inverse_direction(n)))),
            };
            common |= (height - n.dot(X.point(this.support(X.inverse_direction(n))))).abs() <= FLUSH;
        };
        if !matches!(this, Shape::Plane) {
            each_face(this, &X, |_, n| consider(n));
        }
    }
    common
}
