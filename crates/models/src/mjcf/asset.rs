//! <asset>: meshes, height fields and the colours of materials.

use super::Reader;
use super::builtin;
use super::compiler::{Compiler, path};
use super::defaults::{Defaults, MAIN};
use super::hfield::{self, Ground};
use super::msh;
use crate::error::LoadError;
use crate::mesh::FORMATS;
use crate::meshes::NO_HULL;
use crate::names::Names;
use crate::triangle_mesh::{Filling, TriangleMesh};
use crate::xml::Attribute;
use crate::xml::Element;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use stiction_collision::Shape;
use stiction_dynamics::spatial::{Inertia, Quat, Vec3, vec3};
use stiction_world::Fate;

/// A mesh in the frame its geoms are stated in.
pub(crate) struct LoadedMesh {
    pub(crate) mesh: TriangleMesh,
    /// Shapes that touch, if these were asked for; none of a mesh that is all but flat.
    pub(crate) shapes: Vec<Shape>,
    shapes_tried: bool,
    /// About the origin, at unit density.
    pub(crate) inertia: Inertia,
}

#[derive(Clone, Copy, PartialEq)]
enum Mass {
    Filled(Filling),
    /// The solid of the hull.
    Convex,
}

const UNTOUCHED: &str = "no convex hull can be made: its geoms do not touch";

const MASSES: [(&str, Mass); 4] = [
    ("exact", Mass::Filled(Filling::Exact)),
    ("legacy", Mass::Filled(Filling::Legacy)),
    ("shell", Mass::Filled(Filling::Shell)),
    ("convex", Mass::Convex),
];

/// Meshes, height fields and materials of one model, by name.
pub(crate) struct Assets<'d> {
    mesh_names: Names<'d>,
    meshes: Vec<Element<'d>>,
    field_names: Names<'d>,
    fields: Vec<Element<'d>>,
    material_names: Names<'d>,
    materials: Vec<[f32; 4]>,
}

/// Assets that were read before, by model and index.
#[derive(Default)]
pub(crate) struct Loaded {
    meshes: BTreeMap<(usize, usize), Arc<LoadedMesh>>,
    fields: BTreeMap<(usize, usize), Ground>,
}

impl<'d> Assets<'d> {
    pub(crate) fn read(root: Element<'d>, defaults: &Defaults<'d>) -> Result<Self, LoadError> {
        let mut assets = Self {
            mesh_names: Names::new("mesh"),
            meshes: Vec::new(),
            field_names: Names::new("height field"),
            fields: Vec::new(),
            material_names: Names::new("material"),
            materials: Vec::new(),
        };
        for e in root.children_named("asset").flat_map(Element::children) {
            match e.name() {
                "mesh" => {
                    e.mark(Fate::Used, "");
                    assets.mesh_names.insert(&name(e)?, assets.meshes.len(), e)?;
                    assets.meshes.push(e);
                }
                "hfield" => {
                    e.mark(Fate::Used, "");
                    assets.field_names.insert(&name(e)?, assets.fields.len(), e)?;
                    assets.fields.push(e);
                }
                "material" => {
                    let material = defaults.styled(e, "material", MAIN)?;
                    let name = e.require("name", "the name of the material")?;
                    assets.material_names.insert(name.value(), assets.materials.len(), e)?;
                    assets.materials.push(material.get("rgba").map_or(Ok([1.0; 4]), |a| a.rgba())?);
                }
                _ => {}
            }
        }
        Ok(assets)
    }

    pub(crate) fn rgba(&self, material: Attribute<'_>) -> Result<[f32; 4], LoadError> {
        let index = self.material_names.index(material)?;
        Ok(self.materials.get(index).copied().unwrap_or([0.5, 0.5, 0.5, 1.0]))
    }
}

/// The stated name, else that of the file without its ending.
fn name(e: Element<'_>) -> Result<String, LoadError> {
    if let Some(name) = e.get("name") {
        return Ok(name.value().to_owned());
    }
    let stem = e.get("file").and_then(|file| Path::new(file.value().trim()).file_stem());
    let stem = stem.map(|s| s.to_string_lossy().into_owned());
    stem.ok_or_else(|| e.missing("the attribute `name`", "a name, or a file"))
}

impl<'d> Reader<'d> {
    /// The mesh of the model `scope` that `mesh` names, read on first use; with what touches of it if that is
    /// wanted.
    pub(crate) fn mesh(
        &mut self,
        scope: usize,
        mesh: Attribute<'_>,
        touches: bool,
    ) -> Result<Arc<LoadedMesh>, LoadError> {
        let scopes = self.scopes.clone();
        let model = self.scope(scope);
        let index = model.assets.mesh_names.index(mesh)?;
        if let Some(mesh) = self.loaded.meshes.get(&(scope, index))
            && (mesh.shapes_tried || !touches)
        {
            return Ok(mesh.clone());
        }
        let element = scopes.get(scope).and_then(|s| s.assets.meshes.get(index).map(|e| (s, *e)));
        let Some((model, element)) = element else { return Err(mesh.error("a mesh")) };
        let mesh = Arc::new(self.read_mesh((&model.defaults, &model.compiler), element, touches)?);
        self.loaded.meshes.insert((scope, index), mesh.clone());
        Ok(mesh)
    }

    /// The height field of the model `scope` that `field` names, read on first use.
    pub(crate) fn ground(&mut self, scope: usize, field: Attribute<'_>) -> Result<Ground, LoadError> {
        let model = self.scope(scope);
        let index = model.assets.field_names.index(field)?;
        if let Some(ground) = self.loaded.fields.get(&(scope, index)) {
            return Ok(ground.clone());
        }
        let Some(element) = model.assets.fields.get(index) else { return Err(field.error("a height field")) };
        let ground = hfield::read(*element, &model.compiler)?;
        self.loaded.fields.insert((scope, index), ground.clone());
        Ok(ground)
    }

    fn read_mesh(
        &mut self,
        (defaults, compiler): (&Defaults<'d>, &Compiler),
        e: Element<'d>,
        touches: bool,
    ) -> Result<LoadedMesh, LoadError> {
        let asset = defaults.styled(e, "mesh", MAIN)?;
        let usual = if compiler.exact_meshes { Filling::Exact } else { Filling::Legacy };
        let mut mass = asset.get("inertia").map_or(Ok(Mass::Filled(usual)), |a| a.keyword(&MASSES))?;
        let scale = asset.get("scale").map_or(Ok(vec3(1.0, 1.0, 1.0)), |a| a.vector())?;
        let refpos = e.get("refpos").map_or(Ok(Vec3::ZERO), |a| a.vector())?;
        let turn = match e.get("refquat") {
            Some(a) => {
                let [w, x, y, z] = a.array::<4>()?;
                a.unit(Quat::new(w, x, y, z))?
            }
            None => Quat::IDENTITY,
        };
        let back = turn.conjugate();
        let place = |v: Vec3| {
            let v = back.rotate(v - refpos);
            vec3(v.x * scale.x, v.y * scale.y, v.z * scale.z)
        };
        let mirrored = scale.x * scale.y * scale.z < 0.0;
        let (source, path, surface) = self.vertices_and_faces(compiler, e)?;
        if surface {
            mass = Mass::Filled(Filling::Shell);
        }
        // MuJoCo keeps vertices in single precision: masses follow it, shapes keep what the file says.
        let single = builtin::rounded(source.clone()).mapped(place, mirrored);
        let source = source.mapped(place, mirrored);
        let failed = |reason: String| LoadError::Mesh { place: e.place(), path: path.clone(), reason };
        let bare = source.triangles.is_empty();
        let needed = bare || mass == Mass::Convex;
        let (shapes, without_hull) = match touches.then(|| self.touching.shapes(&source)) {
            Some(Ok((shapes, reason))) => (shapes, reason.map(|reason| (Fate::Used, NO_HULL, reason))),
            Some(Err(reason)) => (Vec::new(), Some((Fate::Unsupported, UNTOUCHED, reason))),
            None => (Vec::new(), None),
        };
        if let Some((fate, note, reason)) = without_hull {
            e.mark(fate, note);
            self.warn(e.place(), format!("{}: {note} ({reason})", e.described()));
        }
        let hull = needed.then(|| source.hull()).transpose().map_err(|e| failed(e.to_string()))?;
        let of_hull = hull.as_deref().map(TriangleMesh::of_hull);
        let mesh = if bare { of_hull.clone().unwrap_or_default() } else { source };
        let inertia = match (mass, &of_hull) {
            (Mass::Convex, Some(hull)) => hull.inertia(Filling::Exact),
            (Mass::Convex, None) => Inertia::ZERO,
            (Mass::Filled(filling), _) if bare => mesh.inertia(filling),
            (Mass::Filled(filling), _) => single.inertia(filling),
        };
        Ok(LoadedMesh { mesh, shapes, shapes_tried: touches, inertia })
    }

    /// Vertices and faces of a mesh, its name in messages, and whether it is a surface without inside.
    fn vertices_and_faces(
        &mut self,
        compiler: &Compiler,
        e: Element<'d>,
    ) -> Result<(TriangleMesh, PathBuf, bool), LoadError> {
        match (e.get("file"), e.get("vertex"), e.get("builtin")) {
            (Some(_), Some(a), _) | (Some(_), _, Some(a)) | (_, Some(_), Some(a)) => {
                Err(a.error("a file, vertices or a built-in mesh, only one of them"))
            }
            (Some(file), None, None) => {
                let path = path(file, compiler);
                let failed = |reason| LoadError::Mesh { place: file.place(), path: path.clone(), reason };
                let mesh = if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("msh")) {
                    msh::read(&path).map_err(failed)?
                } else {
                    (*self.files.file(&path).map_err(failed)?).clone()
                };
                Ok((mesh, path, false))
            }
            (None, Some(vertex), None) => {
                Ok((builtin::rounded(inline(e, vertex)?), PathBuf::from("(vertices)"), false))
            }
            (None, None, Some(builtin)) => {
                let (mesh, surface) = builtin::read(e, builtin)?;
                Ok((mesh, PathBuf::from("(built-in)"), surface))
            }
            (None, None, None) => {
                Err(e.missing("the attribute `file`", &format!("a mesh file (.msh, {FORMATS}), or `vertex`")))
            }
        }
    }
}

/// Vertices, and faces if there are any, written into the file.
fn inline(e: Element<'_>, vertex: Attribute<'_>) -> Result<TriangleMesh, LoadError> {
    let numbers = vertex.numbers(12, usize::MAX)?;
    let (points, rest) = numbers.as_chunks::<3>();
    if !rest.is_empty() {
        return Err(vertex.error("a multiple of 3 numbers"));
    }
    let mut mesh =
        TriangleMesh { vertices: points.iter().map(|p| Vec3::from(*p)).collect(), triangles: Vec::new() };
    if let Some(face) = e.get("face") {
        let words: Option<Vec<u32>> = face.value().split_whitespace().map(|w| w.parse().ok()).collect();
        let expected = || face.error(format!("triples of indices of the {} vertices", points.len()));
        let words = words.ok_or_else(expected)?;
        let (faces, rest) = words.as_chunks::<3>();
        if !rest.is_empty() || words.iter().any(|&i| i as usize >= points.len()) {
            return Err(expected());
        }
        mesh.triangles = faces.to_vec();
    }
    Ok(mesh)
}
