//! Planar worlds that are cheap: one convex body among half-planes, with impacts exact in time.

mod body;
mod correction;
mod explained;
mod flight;
mod law;
mod stepper;
mod world;

pub use body::{PlanarBody, PlanarState};
pub use correction::{Admission, Admitted, PlanarContact, PlanarCorrection, PlanarImpulse, into_cone};
pub use explained::{least_miss, share_explained};
pub use law::point_impulse;
pub use stepper::{Advance, Impact, PlanarStepper, impact_of};
pub use world::{PlanarWorld, PlanarWorldError, Surface};
