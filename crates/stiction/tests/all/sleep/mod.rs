//! Islands at rest sleep and wake, and nobody can tell but by the clock.

// Helpers of tests may panic as tests do.
#![allow(clippy::unwrap_used)]

mod falls;
mod scene;
mod snapshot;
mod wakes;
