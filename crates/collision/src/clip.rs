//! Clip.
