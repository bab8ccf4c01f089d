//! One file per kind of row: which rows a world has, which act in a step, their Jacobian, their bias by cause, the set of
//! their impulses, and what the rest of the engine must know of them ([`kind`]). The formulas are laws ([`crate::laws`]).

pub mod contact;
pub mod coupling;
pub mod dry_friction;
pub mod implicit_force;
pub mod kind;
pub mod limit;
pub mod loop_closure;
pub mod scalar;
pub mod tendon;
