//! The canon of time stepping: the published methods that other simulators and courses teach, one beside the
//! other.
//!
//! | stepper | contact law | file |
//! |---|---|---|
//! | `moreau` | velocities, Newton's impact law, the exact law of friction by any solver | [`theta`] |
//! | `stewart-trinkle` | linear complementarity over polygons, gaps at the end of the step | [`theta`] |
//! | `anitescu` | the convex relaxation of the same: what slides rises | [`theta`] |
//! | `todorov` | its regularised dual with Baumgarte's stabilisation and implicit damping inertia | [`theta`] |
//! | `compliant` | springs, dampers and regularised friction as a differential equation with error control | [`compliant`] |
//! | `event-driven` | modes of sticking and sliding between events, impacts by the exact law at them | [`event_driven`] |
//! | `variational` | none: discrete mechanics, with impacts by the exact law between steps | [`variational`] |
//! | `adaptive` | that of another stepper, whose steps are doubled to control the error | [`adaptive`] |
//!
//! They stand on the same dynamics, contact points and rows as `time-stepping`, and the same judge certifies
//! them. None lets anything sleep, sweeps fast bodies, or resolves overlaps in the positions alone.

mod adaptive;
mod bisection;
mod chart;
mod compliant;
mod ended;
mod event_driven;
mod flow;
pub(crate) mod judged;
mod mechanics;
pub(crate) mod method;
mod ode;
mod restitution;
pub(crate) mod rows;
pub(crate) mod search;
mod spring_law;
#[cfg(test)]
mod tests;
mod theta;
pub(crate) mod unsupported;
mod variational;

pub(crate) use adaptive::Adaptive;
pub(crate) use compliant::Compliant;
pub(crate) use event_driven::EventDriven;
pub(crate) use theta::{Anitescu, Moreau, StewartTrinkle, Theta, Todorov};
pub use unsupported::UnsupportedByCanon;
pub(crate) use variational::Variational;
