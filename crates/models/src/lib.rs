//! Readers and writers of robot descriptions.
//!
//! ```text
//!     file ── xml::Document ──▶ urdf | sdf | mjcf ──▶ ModelBuilder, geometries, actuators ──▶ World
//!               places, marks        │                                                   │
//!                                  audit: everything unmarked ─────────────────────▶ Ledger
//! ```
//!
//! Nothing is dropped silently: every element and attribute met is in [`World::ledger`](stiction_world::World::ledger), used,
//! kept, soft, unsupported or unknown, with the place of its first occurrence. What cannot be read is a
//! [`LoadError`] that names file, line, column, element, value and what was expected. No input
//! makes a reader panic or run away: sizes, nesting and copies are bounded.

// Capitals carry meaning: X_LG is a pose.
#![allow(non_snake_case)]

mod audit;
pub mod check;
mod error;
mod files;
mod filter_groups;
#[cfg(test)]
mod formats_page;
mod hulls;
mod load;
mod mesh;
mod mesh_file;
mod meshes;
mod mjcf;
mod names;
mod neighbours;
mod obj;
mod options;
mod overlap;
mod path;
mod plugins;
mod png;
mod proximity;
mod sdf;
mod shapes;
mod triangle_mesh;
mod urdf;
mod value;
#[cfg(test)]
mod vocabulary_check;
mod words;
mod write;
mod xml;

pub use error::LoadError;
pub use hulls::HullCache;
pub use load::{load, load_str};
pub use meshes::Meshes;
pub use options::LoadOptions;
pub use write::{WriteError, Written, to_mjcf, to_urdf};
