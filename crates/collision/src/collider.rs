//! A shape of a body, and what it may meet.

use crate::shape::Shape;

/// A shape that belongs to a body.
#[derive(Clone, Debug)]
pub struct Collider {
    /// Geometry of the collider.
    pub shape: Shape,
    /// The rigid body it is fixed to; colliders of one owner never meet.
    pub owner: usize,
    /// The groups it belongs to, one per bit (MuJoCo: `contype`).
    pub group: u32,
    /// The groups it meets (MuJoCo: `conaffinity`): two colliders meet when the group of one and
    /// the mask of the other share a bit, either way around.
    pub mask: u32,
}
