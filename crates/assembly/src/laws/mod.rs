//! The laws of forces and of rows: numbers in, numbers out, for any scalar [`Real`](stiction_dynamics::Real).
//!
//! A law knows no world, no model and no memory. Callers gather its numbers and decide what becomes of the result, so that the time step, the
//! lanes of batches, the integrators, NMDP and the sensors evaluate one text. A branch of plain numbers is a mask here: what
//! is costly is computed only where some lane needs it. There are no allocations, trait objects or closures.

pub mod actuator;
pub mod contact;
pub mod coplanar;
pub mod gap;
pub mod gyroscopic;
pub mod lasting;
pub mod restitution;
pub mod row;
pub mod row_params;
pub mod spring;
#[cfg(test)]
mod testing;
pub mod turning;
pub mod yielding;
