//! Depths, distances and normals against the separating axis theorem, written out in full.
//!
//! For convex polyhedra with s(n) = min_B n·x − max_A n·x, the signed distance is the largest s over
//! all unit n. Of overlapping polyhedra that is a face normal of one of them or the cross product
//! of an edge of each [Gottschalk1996], and all of these are tried; of separated ones the distance is that
//! of a corner and a body or of two edges, and all of these are measured.

// Capitals carry meaning: X_WA is a pose.
#![allow(non_snake_case)]
// Helpers of tests may panic as tests do.
#![allow(clippy::unwrap_used)]

mod boxes;
mod hulls;
pub(crate) mod random;
mod solid;
