//! What of a mesh touches: its hull, convex parts, or every triangle.
//!
//! A hull fills every notch, and is the fastest. Convex parts keep notches, holes and handles, up to
//! [`Decomposition`]; they are made once and then read from the cache. Triangles are exact, and have
//! an inside only where the mesh is closed.

use crate::hulls::HullCache;
use crate::mesh::TriangleMesh;
use crate::world::Geometry;
use stiction_collision::{Decomposition, Shape, ShapeError};

/// Message about a mesh without a hull.
pub(crate) const NO_HULL: &str = "no convex hull can be made: its triangles touch";

/// Shapes by which meshes from files touch.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Meshes {
    /// The convex hull; in SDF, of a mesh that stands still, its triangles.
    #[default]
    Hull,
    /// Convex parts.
    Decompose { how: Decomposition, cache: HullCache },
    /// Triangles of the mesh; a mesh without any (MJCF vertices) touches with its hull.
    Triangles,
}

impl Meshes {
    /// Convex parts as they are made by default, remembered in the user's cache.
    pub fn decompose() -> Self {
        Self::Decompose { how: Decomposition::default(), cache: HullCache::default() }
    }

    /// The shapes of `mesh`, in its frame: one, or the convex parts. What has no hull, as a membrane that is too flat for
    /// one, touches with its triangles, and why is told.
    pub(crate) fn shapes(&self, mesh: &TriangleMesh) -> Result<(Vec<Shape>, Option<ShapeError>), ShapeError> {
        let no_hull = |e: &ShapeError| matches!(e, ShapeError::Flat { .. } | ShapeError::Hull { .. });
        match self.solids(mesh) {
            Err(reason) if no_hull(&reason) => match mesh.surface() {
                Ok(surface) => Ok((vec![Shape::Mesh(surface)], Some(reason))),
                Err(_) => Err(reason),
            },
            solids => solids.map(|shapes| (shapes, None)),
        }
    }

    fn solids(&self, mesh: &TriangleMesh) -> Result<Vec<Shape>, ShapeError> {
        let (vertices, triangles) = (&mesh.vertices, &mesh.triangles);
        match self {
            Self::Decompose { how, cache } if !triangles.is_empty() => {
                let parts = cache.parts(vertices, triangles, how)?;
                Ok(parts.into_iter().map(Shape::Convex).collect())
            }
            Self::Triangles if !triangles.is_empty() => Ok(vec![Shape::Mesh(mesh.surface()?)]),
            _ => Ok(vec![Shape::Convex(mesh.hull()?)]),
        }
    }
}

/// A geometry of each of `shapes`, like `first` but for the shape and a number behind the name of all but
/// the first.
pub(crate) fn parts(first: Geometry, shapes: Vec<Shape>) -> impl Iterator<Item = Geometry> {
    shapes.into_iter().enumerate().map(move |(i, shape)| {
        let name = match i {
            0 => first.name.clone(),
            _ if first.name.is_empty() => String::new(),
            _ => format!("{}.{i}", first.name),
        };
        Geometry { name, shape, ..first.clone() }
    })
}
