//! Pictures without a graphics card: colour, depth and segmentation of a scene at given poses, the same bits everywhere.
//!
//! ```text
//!     scene (shapes on bodies) ──Painter::new──▶ Painter          triangles, made once
//!     poses, Lens, X_WC ──Painter::paint──▶ Image                 colour, depth, segmentation
//! ```
//!
//! For cameras as sensors, and for `stiction render`. A picture is made in three passes: the painter takes the triangles
//! of every shape to the screen, as many as its size there asks for, the nearest is kept at every pixel, and what was
//! kept is turned into colours, with the ground under it and the shadows on the ground. Depth of balls, ellipsoids, capsules
//! and cylinders is that of the shape, not of its triangles. [`png`] writes them.

// Capitals carry meaning: R_WB is a rotation.
#![allow(non_snake_case)]

mod canvas;
mod eye;
mod ground;
mod look;
mod painter;
mod part;
pub mod png;
mod raster;
mod round;
mod solid;
mod vector;
mod wide;

pub use look::{Lens, Look, Shot, Stand};
pub use painter::{Image, Painter};
