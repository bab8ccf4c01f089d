//! Reduce.
