//! The same questions to all colliders of a world.

use super::{Distance, Ray, RayHit, distance, overlaps};
use crate::aabb::Aabb;
use crate::collider::Collider;
use crate::shape::Shape;
use crate::world::CollisionWorld;
use stiction_dynamics::spatial::Pose;

/// Where a ray crosses a collider.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorldHit {
    /// Index of the collider.
    pub collider: usize,
    /// Where.
    pub hit: RayHit,
}

/// The nearest collider of a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorldDistance {
    /// Index of the collider.
    pub collider: usize,
    /// From the shape (A) to the collider (B).
    pub distance: Distance,
}

/// `poses`: X_WG of every collider, as for [`CollisionWorld::query`]. Every query looks at the box of
/// each collider that `keep` keeps, and closer at those within reach.
impl CollisionWorld {
    /// The first crossing of `ray` with a collider; of several at one distance the first collider's.
    pub fn ray_first(
        &self,
        poses: &[Pose],
        ray: &Ray,
        keep: impl Fn(usize, &Collider) -> bool,
    ) -> Option<WorldHit> {
        let mut first: Option<WorldHit> = None;
        for (collider, (c, X)) in self.kept(poses, &keep) {
            let limit = first.map_or(ray.limit, |f| f.hit.distance);
            if let Some(hit) = c.shape.ray_first(X, &Ray { limit, ..*ray })
                && first.is_none_or(|f| hit.distance < f.hit.distance)
            {
                first = Some(WorldHit { collider, hit });
            }
        }
        first
    }

    /// All crossings of `ray` with colliders, by distance; `out` is overwritten.
    pub fn ray_all(
        &self,
        poses: &[Pose],
        ray: &Ray,
        keep: impl Fn(usize, &Collider) -> bool,
        out: &mut Vec<WorldHit>,
    ) {
        out.clear();
        let mut hits = Vec::new();
        for (collider, (c, X)) in self.kept(poses, &keep) {
            hits.clear();
            c.shape.ray_all(X, ray, &mut hits);
            out.extend(hits.iter().map(|hit| WorldHit { collider, hit: *hit }));
        }
        // Sorting is stable: at one distance the order of the colliders.
        out.sort_by(|a, b| a.hit.distance.total_cmp(&b.hit.distance));
    }

    /// The collider with the least signed distance from `shape` at `X_WS`, within `limit` [m]. To ask
    /// for a collider of the world, give its shape and pose and let `keep` leave it out.
    pub fn nearest(
        &self,
        poses: &[Pose],
        shape: &Shape,
        X_WS: &Pose,
        limit: f64,
        keep: impl Fn(usize, &Collider) -> bool,
    ) -> Option<WorldDistance> {
        let bounds = shape.aabb(X_WS, 0.0);
        let mut nearest: Option<WorldDistance> = None;
        for (collider, (c, X)) in self.kept(poses, &keep) {
            let within = nearest.map_or(limit, |n| n.distance.distance.min(limit));
            if bounds.distance(&c.shape.aabb(X, 0.0)) > within {
                continue;
            }
            let found = distance(shape, X_WS, &c.shape, X, within.max(0.0));
            if let Some(distance) = found
                && distance.distance <= limit
                && nearest.is_none_or(|n| distance.distance < n.distance.distance)
            {
                nearest = Some(WorldDistance { collider, distance });
            }
        }
        nearest
    }

    /// The colliders that share a point with `shape` at `X_WS`, in order; `out` is overwritten.
    pub fn overlapping(
        &self,
        poses: &[Pose],
        shape: &Shape,
        X_WS: &Pose,
        keep: impl Fn(usize, &Collider) -> bool,
        out: &mut Vec<usize>,
    ) {
        let bounds: Aabb = shape.aabb(X_WS, 0.0);
        let near = |c: &Collider, X: &Pose| c.shape.aabb(X, 0.0).overlaps(&bounds);
        out.clear();
        out.extend(
            self.kept(poses, &keep)
                .filter(|(_, (c, X))| near(c, X) && overlaps(shape, X_WS, &c.shape, X))
                .map(|(i, _)| i),
        );
    }

    fn kept<'a>(
        &'a self,
        poses: &'a [Pose],
        keep: &'a impl Fn(usize, &Collider) -> bool,
    ) -> impl Iterator<Item = (usize, (&'a Collider, &'a Pose))> {
        assert_eq!(poses.len(), self.colliders().len(), "one pose per collider");
        self.colliders().iter().zip(poses).enumerate().filter(|(i, (c, _))| keep(*i, c))
    }
}
