//! The broad phase.
