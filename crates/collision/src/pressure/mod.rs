//! Contact of solids that yield as fields of pressure: the surface on which the pressures of two solids are equal, in polygons.
//!
//! ```text
//!     two compliant solids     p_A(x) = p_B(x):  (∇p_A − ∇p_B) · x + (p_A0 − p_B0) = 0 in a pair of cells          (1)
//!     compliant and rigid      the surface of the rigid one inside the other                                     (2)
//!     normal                   n = (∇p_B − ∇p_A)/‖∇p_B − ∇p_A‖ from A to B, or that of the rigid surface          (3)
//!     slope                    1/g = 1/g_A + 1/g_B,   g_A = −∇p_A · n,   g_B = ∇p_B · n   (rigid: g = ∞)          (4)
//! ```
//!
//! A polygon is the plane (1), or a face of (2), cut by the walls of the cells. Where the normal is more than 105° from a direction in
//! which pressure falls the polygon counts in part, and from 120° on not at all: it is the far side of something. (The literature
//! cuts at 5π/8, between the two, so that forces jump as bodies turn.) Force and moment are integrals of the pressure and change
//! continuously as bodies move; the normals of contact points of two boxes jump. [Elandt2019] [Masterjohn2022]
//!
//! Units: m, Pa; slopes of pressure in Pa/m.

mod faces;
mod field;
mod geometry;
mod medial;
mod meet;
mod patch;
mod polygon;
mod representative;
#[cfg(test)]
mod tests;

pub use geometry::{FINEST, MAX_CELLS, PressureGeometry, RESOLUTION};
pub use meet::{PressureScratch, pressure_patch};
pub use patch::{PatchElement, PressurePatch};
pub use representative::{RepresentativePoint, representative_points};
