//! Contact points of lanes.

use stiction_assembly::Face;
use stiction_assembly::laws::coplanar::FacePoint;
use stiction_dynamics::Real;
use stiction_dynamics::spatial::Vec3;

/// One contact point of each lane in which it is `active`.
#[derive(Clone, Copy)]
pub(super) struct Slot<T> {
    pub(super) pair: usize,
    /// Its number within the pair.
    pub(super) ordinal: usize,
    /// The touching features, lane by lane.
    pub(super) feature: [u32; super::WIDEST],
    /// 1 or 0.
    pub(super) active: T,
    pub(super) position: Vec3<T>,
    /// (t1, t2, n), n from A to B.
    pub(super) frame: [Vec3<T>; 3],
    pub(super) gap: T,
    /// Gaps that it shares with the points of its face.
    pub(super) face: Face<T>,
}

impl<T: Real> Slot<T> {
    /// The point, as far as faces are concerned.
    #[inline(always)]
    pub(super) fn point(&self) -> FacePoint<T> {
        FacePoint { position: self.position, n: self.frame[2], gap: self.gap }
    }
}

/// A vector of one lane.
#[inline(always)]
pub(super) fn one<T: Real>(x: Vec3<T>, lane: usize) -> Vec3 {
    Vec3::from([x.x.lane(lane), x.y.lane(lane), x.z.lane(lane)])
}
