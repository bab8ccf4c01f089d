//! Contact points of lanes.

use super::plan::Pair;
use stiction_assembly::laws::coplanar::FacePoint;
use stiction_assembly::{BlockKey, ContactMotion, Face};
use stiction_dynamics::spatial::Vec3;
use stiction_dynamics::{Kinematics, Real, Velocities};

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
    /// Velocity of B relative to A at the contact, where bodies move by `vel`.
    #[inline(always)]
    pub(super) fn velocity(&self, pair: &Pair, kin: &Kinematics<T>, vel: &Velocities<T>) -> Vec3<T> {
        let of = |body: Option<usize>| match body {
            Some(b) => vel.V[b].linear_at(self.position - kin.reference[kin.tree_of(b)]),
            None => Vec3::zero(self.gap),
        };
        of(pair.bodies[1]) - of(pair.bodies[0])
    }

    /// Relative angular velocity of the bodies.
    #[inline(always)]
    pub(super) fn angular_velocity(&self, pair: &Pair, vel: &Velocities<T>) -> Vec3<T> {
        let of = |body: Option<usize>| match body {
            Some(b) => vel.V[b].angular,
            None => Vec3::zero(self.gap),
        };
        of(pair.bodies[1]) - of(pair.bodies[0])
    }

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

/// Replaces a vector of one lane.
pub(super) fn set<T: Real>(x: &mut Vec3<T>, lane: usize, value: Vec3) {
    x.x = x.x.with_lane(lane, value.x);
    x.y = x.y.with_lane(lane, value.y);
    x.z = x.z.with_lane(lane, value.z);
}

/// Impulse of a contact in the last step, its moment, and how the bodies went on from it; zero where that is not known.
#[derive(Clone, Copy)]
pub(super) struct Known<T> {
    pub(super) impulse: Vec3<T>,
    pub(super) moment: Vec3<T>,
    /// Numbers of the [`ContactMotion`].
    pub(super) velocity: Vec3<T>,
    pub(super) angular: Vec3<T>,
    pub(super) since: T,
    pub(super) steps: T,
}

impl<T: Real> Known<T> {
    /// Takes the motion of one lane.
    pub(super) fn set_motion(&mut self, lane: usize, motion: &ContactMotion) {
        set(&mut self.velocity, lane, motion.velocity[0]);
        set(&mut self.angular, lane, motion.velocity[1]);
        self.since = self.since.with_lane(lane, motion.since);
        self.steps = self.steps.with_lane(lane, f64::from(motion.steps));
    }

    /// Where the bodies of the contact went on from it.
    #[inline(always)]
    pub(super) fn lasts(&self) -> T::Mask {
        self.steps.zero().less(self.steps)
    }
}

/// One block: three rows of a contact (t₁, t₂, n), more where it resists spinning (n) and rolling (t₁, t₂), or one.
#[derive(Clone, Copy)]
pub(super) struct Block {
    /// Constraint that the block is of; a contact is a slot.
    pub(super) key: BlockKey,
    /// First row of the block.
    pub(super) row: usize,
    pub(super) dim: usize,
    /// First part of the block, of the rows up to the third; a second follows where there are more.
    pub(super) part: usize,
}

impl Block {
    /// The row along the normal, or the only one.
    #[inline(always)]
    pub(super) fn normal(&self) -> usize {
        self.row + if self.dim == 1 { 0 } else { 2 }
    }
}
