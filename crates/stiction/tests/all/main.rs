//! Integration tests of the crate, in one program: linking is a large part of building them.

// Helpers of tests may panic as tests do.
#![allow(clippy::unwrap_used)]

mod analytic;
mod batch;
mod behaviour;
mod canon;
mod canon_accuracy;
mod canon_equations;
mod canon_impacts;
mod canon_siconos;
mod fast;
mod front_door;
mod hydroelastic;
mod knife_edge;
mod linearization;
mod nmdp;
mod no_allocation;
mod one_motion;
mod prescribed_rate;
mod rest;
mod sleep;
mod stepping;
mod terrain;
