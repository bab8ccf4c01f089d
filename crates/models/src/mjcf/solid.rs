//! What a geom is made of: its shape, its inertia at unit density, how it is drawn.

use super::asset::LoadedMesh;
use super::defaults::Styled;
use super::geom_kind::Kind;
use super::hfield::Ground;
use super::shell::Shell;
use crate::error::LoadError;
use crate::triangle_mesh::TriangleMesh;
use std::sync::Arc;
use stiction_collision::Shape;
use stiction_dynamics::spatial::{Inertia, Vec3};
use stiction_world::Drawing;

/// The shape of a geom in its own frame.
pub(crate) enum Solid {
    Shape(Shape),
    Mesh(Arc<LoadedMesh>),
    Ground(Ground),
    Nothing,
}

impl Solid {
    /// The shape of a geom that is no mesh.
    pub(crate) fn new(geom: Styled<'_, '_>, kind: Kind, size: [f64; 3]) -> Result<Self, LoadError> {
        let checked = |need: usize, what: &str| {
            if size.iter().take(need).all(|s| *s > 0.0) {
                return Ok(size);
            }
            let expected = format!("{need} number{} > 0: {what}", if need == 1 { "" } else { "s" });
            Err(match geom.get("size") {
                Some(size) => size.error(expected),
                None => geom.element.missing("the attribute `size`", &expected),
            })
        };
        Ok(match kind {
            Kind::Plane => Self::Shape(Shape::Plane),
            Kind::Sphere => {
                let [radius, ..] = checked(1, "radius")?;
                Self::Shape(Shape::Sphere { radius })
            }
            Kind::Capsule => {
                let [radius, half_length, _] = checked(2, "radius, half length")?;
                Self::Shape(Shape::Capsule { radius, half_length })
            }
            Kind::Cylinder => {
                let [radius, half_length, _] = checked(2, "radius, half length")?;
                Self::Shape(Shape::Cylinder { radius, half_length })
            }
            Kind::Box => Self::Shape(Shape::Box { half: Vec3::from(checked(3, "half sides")?) }),
            Kind::Ellipsoid => Self::Shape(Shape::Ellipsoid { radii: Vec3::from(checked(3, "half axes")?) }),
            Kind::Mesh | Kind::HeightField | Kind::Sdf => Self::Nothing,
        })
    }

    /// About the origin, at unit density.
    pub(crate) fn inertia(&self) -> Inertia {
        match self {
            Self::Shape(shape) => shape.inertia(1.0).unwrap_or(Inertia::ZERO),
            Self::Ground(ground) => ground.inertia,
            Self::Mesh(mesh) => mesh.inertia,
            Self::Nothing => Inertia::ZERO,
        }
    }

    /// Inertia of the surface alone, if it has one of its own: a mesh says it as an asset.
    pub(crate) fn shell_inertia(&self) -> Option<Inertia> {
        let shell = match self {
            Self::Shape(Shape::Ellipsoid { radii }) => Shell::Ellipsoid(*radii),
            Self::Shape(Shape::Sphere { radius }) => Shell::Sphere(*radius),
            Self::Shape(Shape::Capsule { radius, half_length }) => Shell::Capsule(*radius, *half_length),
            Self::Shape(Shape::Cylinder { radius, half_length }) => Shell::Cylinder(*radius, *half_length),
            Self::Shape(Shape::Box { half }) => Shell::Box(*half),
            _ => return None,
        };
        Some(shell.inertia())
    }

    /// Shapes that touch: one, several parts of a mesh, or none.
    pub(crate) fn shapes(&self) -> Vec<Shape> {
        match self {
            Self::Shape(shape) => vec![shape.clone()],
            Self::Mesh(mesh) => mesh.shapes.clone(),
            Self::Ground(ground) => vec![ground.shape.clone()],
            Self::Nothing => Vec::new(),
        }
    }

    pub(crate) fn drawing(&self) -> Option<Drawing> {
        let triangles =
            |m: &TriangleMesh| Drawing::Mesh { vertices: m.vertices.clone(), triangles: m.triangles.clone() };
        match self {
            Self::Shape(shape) => Some(Drawing::Shape(shape.clone())),
            Self::Ground(ground) => Some(Drawing::Shape(ground.shape.clone())),
            Self::Mesh(mesh) => Some(triangles(&mesh.mesh)),
            Self::Nothing => None,
        }
    }
}
