//! Fast bodies: none passes through another, and none is stopped by what it passes by.

// Capitals carry meaning: X_WB is a pose.
#![allow(non_snake_case)]
// Helpers of tests may panic as tests do.
#![allow(clippy::unwrap_used)]

mod beside;
mod flagged;
mod range;
mod through;
