//! Forces that act on joints, and those of them that become rows because they depend on the end of the step.

pub mod actuators;
pub mod effort_limits;
pub mod gravity_compensation;
pub mod gyroscopic;
mod implicit;
pub mod tendons;

pub use actuators::Effort;
pub use effort_limits::Servos;
pub use gravity_compensation::GravityCompensation;
pub use gyroscopic::midpoint_moment;
pub use implicit::ImplicitForce;
