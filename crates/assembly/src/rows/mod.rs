//! One file per kind of row, all alike: which rows the state asks for, their Jacobian, their bias by cause, and the set of
//! admissible impulses. What a row is made of is a law ([`crate::laws`]); [`scalar`] lists the kinds that lanes write.

pub mod contact;
pub mod coupling;
pub mod dry_friction;
pub mod implicit_force;
pub mod limit;
pub mod loop_closure;
pub mod scalar;
pub mod tendon;
