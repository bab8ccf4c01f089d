//! Questions that are not contacts: rays, distances, overlaps; of a shape and of a world of them.
//!
//! A filter is a function of a collider and its index: only those it keeps are asked. Distances are
//! signed, negative where solids overlap [m]. Nothing here changes anything or remembers.

mod distance;
mod ray;
mod world;

pub use distance::{Distance, distance, overlaps};
pub use ray::{Ray, RayHit};
pub use world::{WorldDistance, WorldHit};

use crate::point::{away_from, to_box, to_capsule, to_cone, to_cylinder, to_ellipsoid, to_hull};
use crate::shape::Shape;
use crate::surface::Surface;
use stiction_dynamics::spatial::Vec3;

impl Shape {
    /// The signed distance of the point `p` from the surface, negative inside, and the unit vector
    /// in whose direction it grows (1 m per m), all in G [m]: the nearest point of the surface is p − d m.
    ///
    /// Exact for every shape; of polyhedra inside a convex one, from the nearest face. A shell, which
    /// is what an open mesh is, has no inside: its distance is never negative. Where several points
    /// are nearest, one of them.
    pub fn signed_distance(&self, p: Vec3) -> (f64, Vec3) {
        match self {
            Self::Plane => (p.z, Vec3::Z),
            Self::Sphere { radius } => {
                let (d, m) = away_from(p, Vec3::Z);
                (d - radius, m)
            }
            Self::Box { half } => to_box(p, *half),
            Self::Capsule { radius, half_length } => to_capsule(p, *radius, *half_length),
            Self::Cylinder { radius, half_length } => to_cylinder(p, *radius, *half_length),
            Self::Ellipsoid { radii } => to_ellipsoid(p, *radii),
            Self::Cone { radius, half_height } => to_cone(p, *radius, *half_height),
            Self::Convex(mesh) => to_hull(p, mesh),
            Self::HeightField(_) | Self::Mesh(_) => {
                let surface = Surface::of(self).and_then(|s| s.distance(p, f64::INFINITY));
                surface.unwrap_or((f64::INFINITY, Vec3::Z))
            }
        }
    }

    /// True when the point `p` in G is in the solid or on its surface; never in a shell.
    pub fn contains(&self, p: Vec3) -> bool {
        match Surface::of(self) {
            Some(surface) => surface.contains(p),
            None => self.signed_distance(p).0 <= 0.0,
        }
    }
}

#[cfg(test)]
mod tests;
