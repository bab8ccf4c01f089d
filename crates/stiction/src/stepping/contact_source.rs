//! Contact points from another producer than the narrow phase.

use stiction_assembly::ContactPoint;
use stiction_dynamics::Kinematics;
use stiction_dynamics::spatial::Motion;
use stiction_world::World;

/// A producer of contact points beside the narrow phase, for example of pressure fields.
pub trait ContactSource: Send {
    /// Appends contact points to `out`: geometries in ascending order within each, features that stay from
    /// step to step. `kin` is at the start of the step of `h` [s], `motions` are those that bodies would have
    /// without contacts, about the references of `kin`.
    fn find(
        &mut self,
        world: &World,
        kin: &Kinematics,
        motions: &[Motion],
        h: f64,
        out: &mut Vec<ContactPoint>,
    );
}
