//! A geometry as it takes part in contact by pressure: a field, a rigid surface, or a half-space.

use super::faces;
use super::field::Field;
use super::polygon::Linear;
use crate::aabb::Aabb;
use crate::error::ShapeError;
use crate::mesh::tree::Tree;
use crate::shape::Shape;
use stiction_dynamics::spatial::Vec3;

/// The edge length of faces where none is stated, as a share of the radius of a ball in the shape [–].
pub const RESOLUTION: f64 = 0.25;
/// The least edge length that is asked for, as a share of the size of the shape [–].
pub const FINEST: f64 = 1e-3;
/// The most cells or faces of a geometry.
pub const MAX_CELLS: usize = 1 << 18;

/// How a geometry takes part in contact by pressure; constant once made.
#[derive(Clone, Debug)]
pub struct PressureGeometry(pub(super) Kind);

#[derive(Clone, Debug)]
pub(super) enum Kind {
    /// A bounded compliant solid.
    Solid(Field),
    /// A compliant half-space z ≤ 0.
    SoftGround(Linear),
    /// A rigid surface.
    Shell(Shell),
    /// A rigid half-space z ≤ 0.
    Ground,
}

/// Faces of a rigid surface, in the frame of the geometry.
#[derive(Clone, Debug)]
pub(super) struct Shell {
    pub(super) faces: Vec<Facet>,
    pub(super) tree: Tree,
}

#[derive(Clone, Debug)]
pub(super) struct Facet {
    pub(super) normal: Vec3,
    pub(super) corners: Vec<Vec3>,
    pub(super) bounds: Aabb,
}

impl PressureGeometry {
    /// A compliant solid with the modulus `modulus` [Pa], its surface in faces with edges of at most `edge` [m] or, where that
    /// is `None`, [`RESOLUTION`]; `thickness` is that of the layer in which the pressure of a half-space grows to its modulus [m].
    ///
    /// Err when the modulus is not positive, the shape is not convex, a half-space has no thickness, or there would be more than
    /// [`MAX_CELLS`] cells.
    pub fn compliant(
        shape: &Shape,
        modulus: f64,
        edge: Option<f64>,
        thickness: Option<f64>,
    ) -> Result<Self, ShapeError> {
        shape.validate()?;
        let fine = modulus > 0.0 && modulus.is_finite();
        let unfit =
            |what, value, expected| ShapeError::Pressure { shape: shape.name(), what, value, expected };
        if !fine {
            return Err(unfit("hydroelastic modulus", modulus, "a positive, finite pressure in Pa"));
        }
        if matches!(shape, Shape::Plane) {
            let Some(thickness) = thickness.filter(|t| *t > 0.0 && t.is_finite()) else {
                let expected = "the thickness of its compliant layer, positive and finite, in metres";
                return Err(unfit("slab thickness", thickness.unwrap_or(0.0), expected));
            };
            let slope = modulus / thickness;
            return Ok(Self(Kind::SoftGround(Linear { gradient: Vec3::Z * -slope, at_origin: 0.0 })));
        }
        let edge = checked_edge(shape, edge)?;
        match Field::new(shape, modulus, edge) {
            Some(field) if field.cells.len() <= MAX_CELLS => Ok(Self(Kind::Solid(field))),
            Some(field) => Err(too_many(shape, field.cells.len())),
            None => Err(ShapeError::NotConvex { shape: shape.name() }),
        }
    }

    /// A rigid surface, in faces with edges of at most `edge` [m]; triangles of meshes and height fields stay as they are.
    ///
    /// Err when there would be more than [`MAX_CELLS`] faces.
    pub fn rigid(shape: &Shape, edge: Option<f64>) -> Result<Self, ShapeError> {
        shape.validate()?;
        if matches!(shape, Shape::Plane) {
            return Ok(Self(Kind::Ground));
        }
        let edge = checked_edge(shape, edge)?;
        let whole = matches!(shape, Shape::Mesh(_) | Shape::HeightField(_));
        let mut facets = Vec::new();
        for face in faces::of_shape(shape, edge) {
            let panels = if whole { vec![face.corners.clone()] } else { parts(&face, edge) };
            for corners in panels {
                let one = |x: Vec3| Aabb::around(x, Vec3::ZERO);
                let bounds = corners[1..].iter().fold(one(corners[0]), |sum, x| sum.joined(&one(*x)));
                facets.push(Facet { normal: face.normal, corners, bounds });
            }
        }
        if facets.len() > MAX_CELLS {
            return Err(too_many(shape, facets.len()));
        }
        let boxes: Vec<Aabb> = facets.iter().map(|f| f.bounds).collect();
        Ok(Self(Kind::Shell(Shell { tree: Tree::new(&boxes), faces: facets })))
    }

    /// True of what yields.
    pub fn is_compliant(&self) -> bool {
        matches!(self.0, Kind::Solid(_) | Kind::SoftGround(_))
    }

    /// The number of its cells or faces; a half-space has one.
    pub fn cells(&self) -> usize {
        match &self.0 {
            Kind::Solid(field) => field.cells.len(),
            Kind::Shell(shell) => shell.faces.len(),
            Kind::SoftGround(_) | Kind::Ground => 1,
        }
    }

    /// The elastic modulus [Pa] of what is compliant: of a half-space, its slope of pressure [Pa/m]; infinite of what is rigid.
    pub(super) fn stiffness(&self) -> f64 {
        match &self.0 {
            Kind::Solid(field) => field.modulus,
            Kind::SoftGround(pressure) => pressure.gradient.norm(),
            Kind::Shell(_) | Kind::Ground => f64::INFINITY,
        }
    }

    /// True where the two meet in a surface of pressure: one at least is compliant, and one at least is bounded.
    pub fn meets(&self, other: &Self) -> bool {
        let bounded = |g: &Self| matches!(g.0, Kind::Solid(_) | Kind::Shell(_));
        (self.is_compliant() || other.is_compliant()) && (bounded(self) || bounded(other))
    }
}

fn parts(face: &faces::Face, edge: f64) -> Vec<Vec<Vec3>> {
    face.panels(edge).into_iter().map(|p| p.corners).collect()
}

fn too_many(shape: &Shape, count: usize) -> ShapeError {
    ShapeError::TooLarge {
        shape: shape.name(),
        what: "cells of a pressure field or rigid surface",
        count: count as u128,
        limit: MAX_CELLS,
    }
}

/// The edge length, or that of [`RESOLUTION`]; refused before anything is made where there would be too many faces.
fn checked_edge(shape: &Shape, edge: Option<f64>) -> Result<f64, ShapeError> {
    let size = shape.size();
    let edge = edge.unwrap_or_else(|| RESOLUTION * inner_radius(shape));
    if edge.is_nan() || edge < FINEST * size {
        return Err(ShapeError::Pressure {
            shape: shape.name(),
            what: "mesh resolution",
            value: edge,
            expected: "an edge length of at least a thousandth of the size of the shape, in metres",
        });
    }
    let count = match shape {
        Shape::Sphere { radius } => 20 * faces::frequency(edge / radius).pow(2),
        Shape::Ellipsoid { radii } => 20 * faces::frequency(edge / radii.x.max(radii.y).max(radii.z)).pow(2),
        Shape::Plane | Shape::HeightField(_) | Shape::Mesh(_) => 0,
        // The faces of these are few or thin.
        _ => faces::of_shape(shape, edge).iter().map(|f| f.count(edge)).sum(),
    };
    if count > MAX_CELLS { Err(too_many(shape, count)) } else { Ok(edge) }
}

/// The radius of a ball in the shape, roughly [m].
fn inner_radius(shape: &Shape) -> f64 {
    match shape {
        Shape::Sphere { radius } | Shape::Capsule { radius, .. } => *radius,
        Shape::Box { half } => half.x.min(half.y).min(half.z),
        Shape::Cylinder { radius, half_length } => radius.min(*half_length),
        Shape::Cone { radius, half_height } => radius.min(*half_height),
        Shape::Ellipsoid { radii } => radii.x.min(radii.y).min(radii.z),
        Shape::Convex(mesh) => {
            let c = mesh.center();
            mesh.faces().iter().map(|f| f.offset - f.normal.dot(c)).fold(f64::INFINITY, f64::min)
        }
        Shape::Plane | Shape::HeightField(_) | Shape::Mesh(_) => shape.size(),
    }
    .max(4.0 * FINEST * shape.size().min(f64::MAX))
}
