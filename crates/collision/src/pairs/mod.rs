//! One file per kind of pair. Every function takes A before B, their frames, the margin [m] and
//! the manifold to fill, which it leaves without points when there are none.

pub(crate) mod axis;
pub(crate) mod boxes;
pub(crate) mod capsule;
pub(crate) mod face_first;
pub(crate) mod general;
pub(crate) mod meet;
pub(crate) mod plane;
pub(crate) mod refine;
pub(crate) mod sphere;
pub(crate) mod surface;
pub(crate) mod tile;
pub(crate) mod witness;

#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
