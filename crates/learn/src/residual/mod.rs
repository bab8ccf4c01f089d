//! Residual learners: corrections of the impulses of a law, as distributions over the features of a contact.

mod contact_residual;
mod density;
pub mod features;
mod gaussian_process;
mod optimal;
mod planar_residual;
mod recurrent;

pub use contact_residual::{ContactExample, ContactResidual};
pub(crate) use contact_residual::{energy_made, stopping, unit, velocity_after};
pub use density::DensityNetwork;
pub use gaussian_process::GaussianProcess;
pub use optimal::{OptimalImpulse, optimal_impulse, project};
pub use planar_residual::{Corrector, Form, PlanarResidual, Representation, mirrored, mirrored_with, units};
pub use recurrent::Recurrent;
