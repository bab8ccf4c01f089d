//! The tangents of contacts whose friction has a direction.
//!
//! An axis a that is fixed in a surface, a link or the world gives, in the plane of contact with the normal n,
//!
//! ```text
//!     t₁ = (a − (a·n) n)/‖a − (a·n) n‖,   t₂ = n × t₁                                (1)
//! ```
//!
//! Where a is normal to the surface there is no such direction, and tangents are as MuJoCo lays them: t₁ is (1) of the
//! y axis of the world, or of its z axis where n is within 60° of y. On planes capsules give their own axis.

use stiction_collision::Shape;
use stiction_dynamics::Kinematics;
use stiction_dynamics::spatial::{Pose, Quat, Vec3};
use stiction_world::{GrainFrame, PairSurface, Tangents, World};

/// Sine of the angle to the normal below which an axis has no direction in the plane of contact [–].
const NORMAL: f64 = 1e-6;

/// Where t₁ of a pair comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Direction {
    /// The normal alone, friction being the same all round.
    None,
    /// MuJoCo's.
    OfNormal,
    /// An axis in a body, or, `None`, in the world.
    Axis { body: Option<usize>, axis: Vec3 },
}

impl Direction {
    /// The direction for the pair of the geometries a < b, mounted on bodies at the poses of `mounts`.
    pub(crate) fn of(
        world: &World,
        mounts: &[(Option<usize>, Pose)],
        pair: [usize; 2],
        surface: &PairSurface,
    ) -> Self {
        if !surface.is_directed() {
            return Self::None;
        }
        let mounted = |(body, rotation): (Option<usize>, Quat), axis: Vec3| Self::Axis {
            body,
            axis: rotation.rotate(axis),
        };
        let geometry = |g: usize| (mounts[g].0, mounts[g].1.rotation);
        match surface.tangents {
            Tangents::Along { side, grain } => {
                let frame = match grain.fixed_in {
                    GrainFrame::Geometry => geometry(pair[side]),
                    GrainFrame::Link(link) => {
                        let (body, X) = world.mount(link, Pose::IDENTITY);
                        (body, X.rotation)
                    }
                };
                mounted(frame, grain.axis)
            }
            Tangents::OfNormal => {
                let shape = |g: usize| &world.geometries[g].shape;
                let plane = pair.iter().any(|&g| matches!(shape(g), Shape::Plane));
                let capsule = pair.into_iter().find(|&g| matches!(shape(g), Shape::Capsule { .. }));
                match capsule.filter(|_| plane) {
                    Some(capsule) => mounted(geometry(capsule), Vec3::Z),
                    None => Self::OfNormal,
                }
            }
        }
    }

    /// t₁ and t₂ of a contact with the normal n.
    #[inline]
    pub(crate) fn tangents(&self, kin: &Kinematics, n: Vec3) -> (Vec3, Vec3) {
        let axis = match *self {
            Self::None => return n.tangents(),
            Self::OfNormal => None,
            Self::Axis { body: Some(b), axis } => Some(kin.X_WB[b].rotation.rotate(axis)),
            Self::Axis { body: None, axis } => Some(axis),
        };
        let within = |a: Vec3| a - n * n.dot(a);
        let t1 = axis.map(within).filter(|t| t.norm() > NORMAL);
        let t1 = t1.unwrap_or_else(|| within(if n.y.abs() < 0.5 { Vec3::Y } else { Vec3::Z }));
        let t1 = t1 * (1.0 / t1.norm());
        (t1, n.cross(t1))
    }
}
