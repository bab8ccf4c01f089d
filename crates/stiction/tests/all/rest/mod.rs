//! Bodies at rest stay at rest: upright to a thousandth of a degree, on the same contact points from
//! step to step.

// Capitals carry meaning: X_WB is a pose.
#![allow(non_snake_case)]
// Helpers of tests may panic as tests do.
#![allow(clippy::unwrap_used)]

mod layers;
mod prisms;
mod scene;
mod sets;
