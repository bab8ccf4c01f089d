//! <geometry>: one shape, to touch or to draw.

use super::Reader;
use crate::error::LoadError;
use crate::mesh::FORMATS;
use crate::path::{self, Wanted};
use crate::shapes::{POINT, half_box};
use crate::xml::Element;
use stiction_collision::Shape;
use stiction_dynamics::spatial::{Vec3, vec3};
use stiction_world::Drawing;
use stiction_world::Fate;

const SHAPES: &str = "one of box, sphere, cylinder, capsule, ellipsoid, mesh";

fn is_shape(name: &str) -> bool {
    let plain = matches!(name, "box" | "sphere" | "cylinder" | "capsule" | "ellipsoid" | "mesh");
    plain || matches!(name, "drake:capsule" | "drake:ellipsoid")
}

/// The one shape inside <geometry>.
fn shape_of(around: Element<'_>) -> Result<Element<'_>, LoadError> {
    let geometry = around.child("geometry")?;
    let geometry = geometry.ok_or_else(|| around.missing("<geometry>", SHAPES))?;
    // What else stands there is no shape, and told by the ledger.
    let mut shapes = geometry.children().filter(|shape| is_shape(shape.name()));
    match (shapes.next(), shapes.next()) {
        (Some(shape), None) => Ok(shape),
        (None, _) => match geometry.children().next() {
            Some(other) => Err(other.structure(format!("<{}> is no shape; expected {SHAPES}", other.name()))),
            None => Err(geometry.missing("a shape", SHAPES)),
        },
        (_, Some(second)) => Err(second.structure(format!(
            "a second shape <{}> in one <geometry>; expected one: use several <{}>",
            second.name(),
            around.name()
        ))),
    }
}

fn length(of: Element<'_>, name: &str) -> Result<f64, LoadError> {
    of.require(name, "a length > 0 [m]")?.positive()
}

/// Drake's <ellipsoid a b c>, or <ellipsoid radii>.
fn radii(shape: Element<'_>) -> Result<Vec3, LoadError> {
    match shape.get("radii") {
        Some(radii) => half_box(radii, 1.0),
        None => Ok(vec3(length(shape, "a")?, length(shape, "b")?, length(shape, "c")?)),
    }
}

/// A shape with exact contact, or `None` for meshes and shapes without.
fn primitive(shape: Element<'_>) -> Result<Option<Shape>, LoadError> {
    let found = match shape.name().trim_start_matches("drake:") {
        "box" => Shape::Box { half: half_box(shape.require("size", "three lengths > 0 [m]")?, 0.5)? },
        "sphere" => Shape::Sphere { radius: length(shape, "radius")? },
        "cylinder" => {
            Shape::Cylinder { radius: length(shape, "radius")?, half_length: 0.5 * length(shape, "length")? }
        }
        "capsule" => {
            Shape::Capsule { radius: length(shape, "radius")?, half_length: 0.5 * length(shape, "length")? }
        }
        // Drake's.
        "ellipsoid" => Shape::Ellipsoid { radii: radii(shape)? },
        _ => return Ok(None),
    };
    shape.mark(Fate::Used, "");
    Ok(Some(found))
}

fn scale(mesh: Element<'_>) -> Result<Vec3, LoadError> {
    let Some(attribute) = mesh.get("scale") else { return Ok(vec3(1.0, 1.0, 1.0)) };
    let s = attribute.numbers(1, 3)?;
    let s = match *s.as_slice() {
        [s] => vec3(s, s, s),
        [x, y, z] => vec3(x, y, z),
        _ => return Err(attribute.error("1 or 3 numbers")),
    };
    if s.x == 0.0 || s.y == 0.0 || s.z == 0.0 {
        Err(attribute.error("numbers that are not 0"))
    } else {
        Ok(s)
    }
}

/// A size of `shape` is zero, as exporters write for what should not touch.
fn empty(shape: Element<'_>) -> bool {
    let zero = |name| {
        let sizes = shape.peek(name).and_then(|a| a.numbers(1, 3).ok());
        sizes.is_some_and(|s| s.contains(&0.0) && s.iter().all(|x| *x >= 0.0))
    };
    match shape.name().trim_start_matches("drake:") {
        "box" => zero("size"),
        "sphere" => zero("radius"),
        "cylinder" => zero("radius") || zero("length"),
        "capsule" => zero("radius"),
        _ => false,
    }
}

/// The shapes of a <collision>; none, with a warning, of one that cannot touch.
pub(crate) fn collision(reader: &mut Reader<'_>, around: Element<'_>) -> Result<Vec<Shape>, LoadError> {
    let shape = shape_of(around)?;
    if shape.name() == "sphere" && empty(shape) {
        shape.mark(Fate::Used, "a point");
        let radius = shape.require("radius", "a length")?;
        reader.warn(radius.place(), "a <sphere> of radius 0: it touches as a point");
        return Ok(vec![Shape::Sphere { radius: POINT }]);
    }
    if empty(shape) {
        let note = "has no extent: left out of contact";
        shape.mark(Fate::Unsupported, note);
        shape.attributes().for_each(|a| a.mark(Fate::Unsupported, note));
        reader.warn(shape.place(), format!("the <{}> {note}", shape.name()));
        return Ok(Vec::new());
    }
    if let Some(primitive) = primitive(shape)? {
        return Ok(vec![primitive]);
    }
    match shape.name() {
        "mesh" => {
            shape.mark(Fate::Used, "");
            let scale = scale(shape)?;
            let file = shape.require("filename", "a mesh file")?;
            let found = path::resolve(reader.context, reader.context.folder, file, Wanted::File(FORMATS))?;
            let (shapes, note) = (reader.meshes)
                .shapes(&found, scale, &reader.context.options.meshes)
                .map_err(|reason| LoadError::Mesh { place: file.place(), path: found.clone(), reason })?;
            if let Some(note) = note {
                reader.warn(file.place(), format!("{}: {note}", found.display()));
            }
            if let Ok(mesh) = reader.meshes.file(&found) {
                let size = (scale.x * scale.y * scale.z).abs();
                if size > 0.0 {
                    reader.filled.look(&mesh.scaled(scale), &shapes, || file.place());
                }
            }
            Ok(shapes)
        }
        other => Err(shape.structure(format!("<{other}> is no shape; expected {SHAPES}"))),
    }
}

/// Drawing of a <visual>; `None`, with a warning, when its mesh cannot be read.
pub(crate) fn visual(reader: &mut Reader<'_>, around: Element<'_>) -> Result<Option<Drawing>, LoadError> {
    let shape = match shape_of(around) {
        Ok(shape) => shape,
        Err(e) => {
            let shapes = around.children_named("geometry").flat_map(Element::children);
            shapes.for_each(|shape| shape.mark(Fate::Unsupported, "not drawn"));
            reader.warn(around.place(), format!("not drawn: {e}"));
            return Ok(None);
        }
    };
    match primitive(shape) {
        Ok(Some(primitive)) => return Ok(Some(Drawing::Shape(primitive))),
        Ok(None) => {}
        Err(e) => {
            reader.warn(shape.place(), format!("not drawn: {e}"));
            return Ok(None);
        }
    }
    match shape.name() {
        "mesh" => {
            shape.mark(Fate::Used, "");
            let scale = scale(shape)?;
            let file = shape.require("filename", "a mesh file")?;
            if !reader.context.options.visuals {
                return Ok(None);
            }
            let mesh = match path::resolve(reader.context, reader.context.folder, file, Wanted::File(FORMATS))
            {
                Ok(found) => reader.meshes.file(&found).map_err(|reason| {
                    LoadError::Mesh { place: file.place(), path: found, reason }.to_string()
                }),
                Err(e) => Err(e.to_string()),
            };
            match mesh {
                Ok(mesh) => {
                    let mesh = mesh.scaled(scale);
                    Ok(Some(Drawing::Mesh { vertices: mesh.vertices, triangles: mesh.triangles }))
                }
                Err(message) => {
                    reader.warn(file.place(), format!("not drawn: {message}"));
                    Ok(None)
                }
            }
        }
        other => {
            shape.mark(Fate::Unsupported, "not drawn");
            reader.warn(shape.place(), format!("<{other}> is not drawn; drawn are {SHAPES}"));
            Ok(None)
        }
    }
}
