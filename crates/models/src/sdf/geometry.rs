//! <geometry>: one shape, to touch or to draw.

use super::Reader;
use super::heightmap;
use super::pose::{required, truth, value, vector};
use crate::error::LoadError;
use crate::hulls::HullCache;
use crate::mesh::FORMATS;
use crate::meshes::{Meshes, NO_HULL, is_hollow};
use crate::path::{self, Wanted};
use crate::shapes::{POINT, half_box};
use crate::triangle_mesh::{Filling, TriangleMesh};
use crate::xml::Element;
use std::sync::Arc;
use stiction_collision::{ConvexMesh, Decomposition, Shape};
use stiction_dynamics::spatial::{Inertia, Pose, Quat, Vec3, vec3};
use stiction_world::Drawing;
use stiction_world::Fate;

const SHAPES: &str =
    "one of box, sphere, cylinder, capsule, cone, ellipsoid, plane, polyline, mesh, heightmap";

const KNOWN: &str = "empty box sphere cylinder capsule cone ellipsoid plane polyline mesh heightmap image";

/// A shape that can touch.
pub(crate) struct Solid {
    /// One, or the convex parts of a mesh.
    pub(crate) shapes: Vec<Shape>,
    /// Pose in the frame that the <collision> states.
    pub(crate) X_CG: Pose,
    /// About the origin of that frame, at unit density; `None` for what has no volume.
    pub(crate) inertia: Option<Inertia>,
}

/// The one shape inside <geometry>; `None` for <empty/>.
fn shape_of(around: Element<'_>) -> Result<Option<Element<'_>>, LoadError> {
    let geometry = around.child("geometry")?;
    let geometry = geometry.ok_or_else(|| around.missing("<geometry>", SHAPES))?;
    // What else stands there is no shape, and told by the ledger.
    let is_shape = |c: &Element<'_>| KNOWN.split_whitespace().any(|shape| shape == c.name());
    let mut shapes = geometry.children().filter(is_shape);
    match (shapes.next(), shapes.next()) {
        (Some(shape), None) if shape.name() == "empty" => {
            shape.mark(Fate::Used, "");
            Ok(None)
        }
        (Some(shape), None) => Ok(Some(shape)),
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
    required(of, name, "a length > 0 [m]")?.positive()
}

/// A shape with exact contact and its pose, or `None` for meshes and shapes without.
fn primitive(shape: Element<'_>) -> Result<Option<(Shape, Pose)>, LoadError> {
    let found = match shape.name() {
        "box" => Shape::Box { half: half_box(required(shape, "size", "three lengths > 0 [m]")?, 0.5)? },
        "sphere" => {
            let radius = required(shape, "radius", "a length >= 0 [m]")?.not_negative()?;
            Shape::Sphere { radius: if radius > 0.0 { radius } else { POINT } }
        }
        "cylinder" => {
            Shape::Cylinder { radius: length(shape, "radius")?, half_length: 0.5 * length(shape, "length")? }
        }
        "capsule" => {
            Shape::Capsule { radius: length(shape, "radius")?, half_length: 0.5 * length(shape, "length")? }
        }
        "cone" => {
            Shape::Cone { radius: length(shape, "radius")?, half_height: 0.5 * length(shape, "length")? }
        }
        "ellipsoid" => {
            let radii = required(shape, "radii", "three lengths > 0 [m]")?;
            Shape::Ellipsoid { radii: half_box(radii, 1.0)? }
        }
        "plane" => {
            shape.mark(Fate::Used, "");
            let normal = vector(shape, "normal", Vec3::Z)?;
            let Some(normal) = normal.normalized() else {
                return Err(shape.structure("the <normal> of the plane is 0; expected a vector that is not"));
            };
            if let Some(size) = shape.child("size")? {
                size.mark(Fate::Kept, "a plane that touches has no edge");
            }
            return Ok(Some((Shape::Plane, Pose::new(Quat::between(Vec3::Z, normal), Vec3::ZERO))));
        }
        "polyline" => return Ok(Some((prism(shape)?, Pose::IDENTITY))),
        _ => return Ok(None),
    };
    shape.mark(Fate::Used, "");
    Ok(Some((found, Pose::IDENTITY)))
}

/// <polyline>: an outline in the plane z = 0, and a height. Of one that is not convex the hull.
fn prism(shape: Element<'_>) -> Result<Shape, LoadError> {
    let height = value(shape, "height")?.map_or(Ok(1.0), |h| h.positive())?;
    let mut outline: Vec<Vec3> = Vec::new();
    for point in shape.children_named("point") {
        let [x, y] = point.content().array::<2>()?;
        outline.push(vec3(x, y, 0.0));
    }
    let top = outline.iter().map(|p| *p + Vec3::Z * height);
    let hull = ConvexMesh::from_points(&outline.iter().copied().chain(top).collect::<Vec<_>>());
    let hull = hull.map_err(|e| shape.structure(format!("an outline without a hull ({e})")))?;
    // Every corner of a convex outline is one of its hull, at the bottom and at the top.
    let whole = hull.vertices().len() == 2 * outline.len();
    if whole {
        shape.mark(Fate::Used, "");
    } else {
        shape.mark(Fate::Unsupported, "its outline is not convex: it touches by the convex hull");
    }
    Ok(Shape::Convex(Arc::new(hull)))
}

/// The shape of a <collision>; `None`, with a warning, for one that cannot touch yet. Of a mesh that stands
/// `still` every triangle touches, of one that moves its hull, unless the options say otherwise.
pub(crate) fn collision(
    reader: &mut Reader<'_, '_>,
    around: Element<'_>,
    still: bool,
) -> Result<Option<Solid>, LoadError> {
    let Some(shape) = shape_of(around)? else { return Ok(None) };
    if let Some((primitive, X_CG)) = primitive(shape)? {
        let inertia = primitive.inertia(1.0);
        return Ok(Some(Solid { shapes: vec![primitive], X_CG, inertia }));
    }
    let note = match shape.name() {
        "mesh" => {
            let mesh = mesh(reader, shape)?;
            let unread = |reason: String| shape.structure(reason);
            let inertia = Some(mesh.inertia(Filling::Exact)).filter(|i| i.mass > 0.0);
            let meshes = match (&reader.context.options.meshes, optimization(shape)?) {
                (Meshes::Hull, Some(stated)) => stated,
                // The format's word: the mesh as it is.
                (Meshes::Hull, None) if still || is_hollow(&mesh) => Meshes::Triangles,
                (chosen, _) => chosen.clone(),
            };
            let (shapes, reason) = meshes.shapes(&mesh).map_err(|e| unread(e.to_string()))?;
            if let Some(reason) = reason {
                reader.warn(shape.place(), format!("<mesh>: {NO_HULL} ({reason})"));
            }
            if shape.peek("optimization").is_none() {
                reader.filled.look(&mesh, &shapes, || shape.place());
            }
            return Ok(Some(Solid { shapes, X_CG: Pose::IDENTITY, inertia }));
        }
        "heightmap" => {
            let (field, X_CG) = heightmap::read(reader, shape)?;
            return Ok(Some(Solid { shapes: vec![field], X_CG, inertia: None }));
        }
        "image" => "does not touch yet: left out of contact",
        other => return Err(shape.structure(format!("<{other}> is no shape; expected {SHAPES}"))),
    };
    shape.mark(Fate::Unsupported, note);
    reader.warn(shape.place(), format!("<{}> {note}", shape.name()));
    Ok(None)
}

/// How a mesh touches, as the file says it.
fn optimization(mesh: Element<'_>) -> Result<Option<Meshes>, LoadError> {
    let Some(stated) = mesh.get("optimization").filter(|a| !a.value().trim().is_empty()) else {
        return Ok(None);
    };
    let mut how = Decomposition::default();
    if let Some(wishes) = mesh.child("convex_decomposition")? {
        if let Some(most) = value(wishes, "max_convex_hulls")? {
            how.max_hulls = most.positive()?.round().clamp(1.0, 1024.0) as u32;
        }
        if let Some(voxels) = value(wishes, "voxel_resolution")? {
            // In all, as VHACD counts them; ours is along the longest side.
            how.resolution = voxels.positive()?.cbrt().round().clamp(8.0, 256.0) as u32;
        }
    }
    match stated.value().trim() {
        "convex_hull" => Ok(Some(Meshes::Hull)),
        "convex_decomposition" => Ok(Some(Meshes::Decompose { how, cache: HullCache::default() })),
        _ => Err(stated.error("convex_hull or convex_decomposition")),
    }
}

/// Drawing of a <visual> and its place; `None`, with a warning, when its mesh cannot be read.
pub(crate) fn visual(
    reader: &mut Reader<'_, '_>,
    around: Element<'_>,
) -> Result<Option<(Drawing, Pose)>, LoadError> {
    let shape = match shape_of(around) {
        Ok(Some(shape)) => shape,
        Ok(None) => return Ok(None),
        Err(e) => {
            let shapes = around.children_named("geometry").flat_map(Element::children);
            shapes.for_each(|shape| shape.mark(Fate::Unsupported, "not drawn"));
            reader.warn(around.place(), format!("not drawn: {e}"));
            return Ok(None);
        }
    };
    match primitive(shape) {
        Ok(Some((primitive, X_VG))) => return Ok(Some((Drawing::Shape(primitive), X_VG))),
        Ok(None) => {}
        Err(e) => {
            reader.warn(shape.place(), format!("not drawn: {e}"));
            return Ok(None);
        }
    }
    let mesh = match shape.name() {
        "mesh" if !reader.context.options.visuals => {
            shape.mark(Fate::Used, "");
            return Ok(None);
        }
        "mesh" => mesh(reader, shape),
        "heightmap" => match heightmap::read(reader, shape) {
            Ok((field, X_VG)) => return Ok(Some((Drawing::Shape(field), X_VG))),
            Err(e) => {
                reader.warn(shape.place(), format!("not drawn: {e}"));
                return Ok(None);
            }
        },
        other => {
            shape.mark(Fate::Kept, "not drawn");
            reader.warn(shape.place(), format!("<{other}> is not drawn; drawn are {SHAPES}"));
            return Ok(None);
        }
    };
    match mesh {
        Ok(mesh) => {
            let drawing =
                Drawing::Mesh { vertices: mesh.vertices.clone(), triangles: mesh.triangles.clone() };
            Ok(Some((drawing, Pose::IDENTITY)))
        }
        Err(e) => {
            reader.warn(shape.place(), format!("not drawn: {e}"));
            Ok(None)
        }
    }
}

/// The scaled mesh of a file, or the part of it that <submesh> names.
fn mesh(reader: &mut Reader<'_, '_>, shape: Element<'_>) -> Result<Arc<TriangleMesh>, LoadError> {
    shape.mark(Fate::Used, "");
    let uri = required(shape, "uri", "a mesh file")?;
    let scale = vector(shape, "scale", vec3(1.0, 1.0, 1.0))?;
    if scale.x == 0.0 || scale.y == 0.0 || scale.z == 0.0 {
        return Err(shape.structure("a <scale> holds a 0; expected numbers that are not"));
    }
    let found = path::resolve(reader.context, &reader.folder(shape), uri, Wanted::File(FORMATS))?;
    let place = uri.place();
    let unread = |reason: String| LoadError::Mesh { place, path: found.clone(), reason };
    let mut mesh = match shape.child("submesh")? {
        None => reader.meshes.file(&found),
        Some(sub) => {
            let name = required(sub, "name", "the name of a part of the mesh")?.value();
            reader.meshes.part(&found, name)
        }
    }
    .map_err(unread)?;
    let centre = shape.child("submesh")?.map_or(Ok(None), |s| value(s, "center"))?;
    if centre.map_or(Ok(false), truth)? {
        let middle = mesh.middle();
        mesh = Arc::new(mesh.mapped(|v| v - middle, false));
    }
    Ok(if scale == vec3(1.0, 1.0, 1.0) { mesh } else { Arc::new(mesh.scaled(scale)) })
}
