//! Forces that act on joints, and those of them that become rows because they depend on the end of the step.

pub mod actuators;
pub mod effort_limits;
pub mod gravity_compensation;
mod implicit;
pub mod tendons;

pub use crate::laws::actuator::Effort;
pub use effort_limits::Servos;
pub use gravity_compensation::GravityCompensation;
pub use implicit::ImplicitForce;
