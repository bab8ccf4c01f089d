//! Many environments side by side, against one at a time.

// Helpers of tests may panic as tests do.
#![allow(clippy::unwrap_used)]

mod apart;
mod differences;
mod fields;
mod pace;
mod scalar;
mod scene;
