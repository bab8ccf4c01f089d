//! The world of a simulation: what does not change during a run.
//!
//! A [`World`] holds the [`Model`](stiction_dynamics::Model) of trees, bodies and joints, with geometries and their
//! materials, actuators, tendons, couplings and loops. Readers of files make one (`stiction-models`), or a program
//! does. Its [`Ledger`] lists every word of the file with its fate.

// Capitals carry meaning: X_LG is a pose.
#![allow(non_snake_case)]

mod between;
mod closure;
mod coupling;
mod extras;
mod grain;
mod hydroelastic;
pub mod inertia;
pub mod ledger;
mod lock;
mod mounts;
mod resize;
mod surface;
mod tendon;
mod world;

pub use between::{Between, Source};
pub use closure::{Hold, LoopClosure};
pub use coupling::{Coupling, Curve};
pub use extras::{Camera, Counts, Custom, Drawn, Equality, Extras, JointSoftness, Sensor, Site, UserData};
pub use grain::{Grain, GrainFrame, Tangents};
pub use hydroelastic::{Hydroelastic, HydroelasticKind};
pub use inertia::principal;
pub use ledger::{Entry, Fate, Ledger, Note, Place, Severity, Topic};
pub use resize::ResizeError;
pub use surface::{Compliance, ContactPair, Dimension, Material, Mixing, PairSurface, SLIPPERY, Softness};
pub use tendon::{Tendon, TendonPath, Waypoint};
pub use world::{Actuator, ActuatorLaw, Drawing, DriveLimit, Geometry, Keyframe, Visual, World};
