//! Contact geometry: shapes, broad phase, and contact manifolds one can build a simulator on.
//!
//! ```text
//!     poses X_WG ── world::query ──▶ [Manifold { a, b, normal, points }]
//!                      │ broad: a tree of boxes (BVH), planes apart
//!                      └ narrow: collide(A, B) = separation axis ─▶ patches ─▶ overlap ─▶ reduce
//! ```
//!
//! A manifold is a *pure function of the two poses*: no history, hence snapshots restore bit by
//! bit and finite differences mean something. It has at most [`MAX_POINTS`] points, the first
//! [`SPAN`] chosen to span the contact area, and every point carries the pair of features it comes from.
//!
//! Units: metres. Frames: W the world, G the frame of a geometry; X_WG takes G to W. The normal
//! points from A to B; a negative gap overlaps.

// Frames are written as in the literature: X_WG is the pose of G in W.
#![allow(non_snake_case)]
#![warn(missing_docs)]

mod aabb;
mod broad;
mod clip;
mod collider;
mod convex;
mod cuts;
mod decompose;
mod difference;
mod element;
mod error;
mod faces;
mod facet;
mod flush;
mod frame;
mod height_field;
mod hull;
mod impact;
mod manifold;
mod mass;
mod mesh;
mod narrow;
mod nearest;
mod pairs;
mod parry;
mod parry_hulls;
mod part;
mod patch;
mod point;
mod pressure;
pub mod query;
mod reduce;
mod seams;
mod segments;
mod shape;
mod support;
mod surface;
mod world;

pub use aabb::Aabb;
pub use collider::Collider;
pub use convex::ConvexMesh;
pub use decompose::Decomposition;
pub use error::ShapeError;
pub use faces::Face;
pub use height_field::{HeightField, MAX_HEIGHTS};
pub use impact::{Moving, Way, time_of_impact};
pub use manifold::{MAX_POINTS, Manifold, ManifoldPoint, SPAN};
pub use mesh::{MAX_TRIANGLES, MAX_VERTICES, MeshReport, TriangleMesh};
pub use narrow::{collide, collide_all};
pub use pairs::plane::feature as plane_feature;
pub use pressure::{
    FINEST, MAX_CELLS, PatchElement, PressureGeometry, PressurePatch, PressureScratch, RESOLUTION,
    RepresentativePoint, pressure_patch, representative_points,
};
pub use shape::Shape;
pub use world::CollisionWorld;
