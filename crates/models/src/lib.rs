//! Readers of robot descriptions, and the world they describe.
//!
//! ```text
//!     file ── xml::Document ──▶ urdf | sdf | mjcf ──▶ ModelBuilder, geometries, actuators ──▶ World
//!               places, marks        │                                                   │
//!                                  audit: everything unmarked ─────────────────────▶ Ledger
//! ```
//!
//! Nothing is dropped silently: every element and attribute met is in [`World::ledger`], used,
//! kept, soft, unsupported or unknown, with the place of its first occurrence. What cannot be read is a
//! [`LoadError`] that names file, line, column, element, value and what was expected. No input
//! makes a reader panic or run away: sizes, nesting and copies are bounded.

// Capitals carry meaning: X_LG is a pose.
#![allow(non_snake_case)]

mod audit;
pub mod check;
mod closure;
mod error;
mod extras;
mod filter_groups;
#[cfg(test)]
mod formats_page;
mod grain;
mod hulls;
mod hydroelastic;
mod inertia;
mod ledger;
mod load;
mod lock;
mod mesh;
mod mesh_file;
mod meshes;
mod mjcf;
mod mounts;
mod names;
mod neighbours;
mod obj;
mod overlap;
mod path;
mod plugins;
mod png;
mod proximity;
mod resize;
mod sdf;
mod shapes;
mod surface;
mod tendon;
mod urdf;
mod value;
#[cfg(test)]
mod vocabulary_check;
mod world;
mod write;
mod xml;

pub use closure::{Hold, LoopClosure};
pub use error::LoadError;
pub use extras::{Camera, Counts, Custom, Drawn, Extras, JointSoftness, Sensor, Site, UserData};
pub use grain::{Grain, GrainFrame, Tangents};
pub use hulls::HullCache;
pub use hydroelastic::{Hydroelastic, HydroelasticKind};
pub use inertia::principal;
pub use ledger::{Entry, Fate, Ledger, Note, Place, Severity, Topic};
pub use load::{LoadOptions, load, load_str};
pub use meshes::Meshes;
pub use resize::ResizeError;
pub use surface::{Compliance, ContactPair, Dimension, Material, Mixing, PairSurface, SLIPPERY, Softness};
pub use tendon::{Tendon, TendonPath, Waypoint};
pub use world::{
    Actuator, ActuatorLaw, Coupling, Curve, Drawing, DriveLimit, Geometry, Keyframe, Visual, World,
};
pub use write::{WriteError, Written, to_mjcf, to_urdf};
