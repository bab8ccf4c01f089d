//! What of a mesh touches: its hull, convex parts, or every triangle.
//!
//! A hull fills every notch, and is the fastest. Convex parts keep notches, holes and handles, up to
//! [`Decomposition`]; they are made once and then read from the cache. Triangles are exact, and have
//! an inside only where the mesh is closed.

use crate::hulls::HullCache;
use crate::triangle_mesh::{Filling, TriangleMesh};
use stiction_collision::{ConvexMesh, Decomposition, Shape, ShapeError};
use stiction_world::Geometry;
use stiction_world::{Note, Place, Severity, Topic};

/// Message about a mesh without a hull.
pub(crate) const NO_HULL: &str = "no convex hull can be made: its triangles touch";

/// Shapes by which meshes from files touch.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Meshes {
    /// The convex hull; in SDF, of a mesh that stands still or has hollows ([`is_hollow`]), its triangles.
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

/// Meshes that touch with a hull larger than they are: a bin that is full, a ring without a hole.
#[derive(Default)]
pub(crate) struct Filled {
    count: usize,
    /// Where the worst is, and how many times its volume the hull has.
    worst: Option<(Place, f64)>,
}

/// Hull over mesh from which a hull is told [–].
const ROOMY: f64 = 1.2;

/// Triangles with which a mesh that moves may touch: with more each step would take too long.
const MOST_TRIANGLES: usize = 20_000;

/// Volume of the hull over that of the mesh; 0 where the mesh has none.
fn room(mesh: &TriangleMesh, hull: &ConvexMesh) -> f64 {
    let own = mesh.inertia(Filling::Exact).mass.abs();
    if own > 0.0 { TriangleMesh::of_hull(hull).inertia(Filling::Exact).mass / own } else { 0.0 }
}

/// A solid whose hull would fill hollows, and not too fine to touch with its triangles.
pub(crate) fn is_hollow(mesh: &TriangleMesh) -> bool {
    mesh.triangles.len() <= MOST_TRIANGLES
        && mesh.surface().is_ok_and(|surface| surface.is_closed())
        && mesh.hull().is_ok_and(|hull| room(mesh, &hull) > ROOMY)
}

impl Filled {
    /// Looks at a mesh that touches with `shapes`.
    pub(crate) fn look(&mut self, mesh: &TriangleMesh, shapes: &[Shape], place: impl FnOnce() -> Place) {
        let [Shape::Convex(hull)] = shapes else { return };
        let ratio = room(mesh, hull);
        if ratio > ROOMY {
            self.count += 1;
            if self.worst.as_ref().is_none_or(|(_, worst)| ratio > *worst) {
                self.worst = Some((place(), ratio));
            }
        }
    }

    /// One note for all.
    pub(crate) fn note(self) -> Option<Note> {
        let (place, ratio) = self.worst?;
        let who = if self.count == 1 {
            "a mesh touches".to_owned()
        } else {
            format!("{} meshes touch", self.count)
        };
        Some(Note {
            severity: Severity::Note,
            topic: Topic::Reader,
            place: Some(place),
            word: "mesh".to_owned(),
            message: format!(
                "{who} with a convex hull of up to {ratio:.1} times the volume: hollows are full (--meshes decompose or triangles)"
            ),
        })
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
