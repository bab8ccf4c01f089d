//! Derivatives of steps against central differences of whole steps.

#![allow(clippy::unwrap_used, non_snake_case)]

mod bounces;
mod free;
mod impacts;
mod laws;
mod middle;
mod parameters;
mod steppers;
mod surfaces;
mod touching;
mod witness;
