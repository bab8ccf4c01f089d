//! Bodies on ground made of triangles: fine meshes, height fields, folds and tessellated curves.

// Capitals carry meaning: X_WB is a pose.
#![allow(non_snake_case)]
// Helpers of tests may panic as tests do.
#![allow(clippy::unwrap_used)]

mod ground;
mod rest;
mod slide;
