//! What a contact law cannot know, from data: parameters that explain measurements, corrections of contact impulses, and
//! beliefs over what follows.
//!
//! The walk: [`data`] reads measurements; [`planar`] simulates one body in a plane, cheaply and with impacts exact in time;
//! [`identify`] finds parameters, and [`system`] those of any scene; [`dice`] is the experiment of [Fazeli2020], each model judged by
//! [`score`].

pub mod belief;
pub mod data;
pub mod dice;
mod exact;
pub mod identify;
pub mod parallel;
pub mod planar;
pub mod residual;
pub mod score;
pub mod store;
pub mod system;
