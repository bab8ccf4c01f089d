//! Triangle meshes read from files, once each.

use crate::files::read_bytes;
pub(crate) use crate::mesh_file::FORMATS;
use crate::mesh_file::{self, MAX_BYTES};
use crate::meshes::{Meshes, NO_HULL};
use crate::triangle_mesh::TriangleMesh;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use stiction_collision::Shape;
use stiction_dynamics::spatial::Vec3;

impl TriangleMesh {
    /// Reads a file; the ending says the format.
    pub(crate) fn read(path: &Path) -> Result<Self, String> {
        Self::read_part(path, None)
    }

    /// Reads the parts of a file that are called `only`, or all.
    fn read_part(path: &Path, only: Option<&str>) -> Result<Self, String> {
        let bytes = read_bytes(path, MAX_BYTES).map_err(|e| format!("{e}; expected {FORMATS}"))?;
        if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("obj")) {
            let mesh = crate::obj::read(&bytes, only).map_err(|e| format!("{e}; expected {FORMATS}"))?;
            if !mesh.triangles.is_empty() {
                return Ok(mesh);
            }
            let no_hull = |e| {
                format!("no triangles, and of its vertices no hull can be made ({e}); expected {FORMATS}")
            };
            return mesh.hull().map(|hull| Self::of_hull(&hull)).map_err(no_hull);
        }
        let parts = mesh_file::parts(path, &bytes)?;
        let mut mesh = Self::default();
        let mut known: BTreeMap<[u64; 3], u32> = BTreeMap::new();
        if let Some(name) = only.filter(|name| parts.iter().all(|p| p.name != *name)) {
            let names: Vec<&str> = parts.iter().take(20).map(|p| p.name.as_str()).collect();
            return Err(format!("no part is called `{name}`; there are: {}", names.join(", ")));
        }
        for part in parts.iter().filter(|p| only.is_none_or(|name| p.name == name)) {
            let mut index = Vec::with_capacity(part.vertices.len());
            for v in &part.vertices {
                let next = known.len() as u32;
                let id = *known.entry(v.to_array().map(|x| (x + 0.0).to_bits())).or_insert(next);
                if id == next && mesh.vertices.len() == next as usize {
                    mesh.vertices.push(*v);
                }
                index.push(id);
            }
            for face in &part.faces {
                let corner = |i: u32| index.get(i as usize).copied();
                match face.map(corner) {
                    [Some(a), Some(b), Some(c)] => mesh.triangles.push([a, b, c]),
                    _ => return Err(format!("a face names the vertices {face:?}, which do not all exist")),
                }
            }
        }
        if mesh.triangles.is_empty() {
            return Err(format!("no triangles; expected {FORMATS}"));
        }
        Ok(mesh)
    }
}

/// Shapes by which a mesh touches, and a message about them.
type Touching = (Vec<Shape>, Option<String>);

/// Files and shapes read before, by one reader: twenty equal legs load one mesh.
#[derive(Default)]
pub(crate) struct MeshStore {
    files: BTreeMap<PathBuf, Arc<TriangleMesh>>,
    shapes: BTreeMap<(PathBuf, [u64; 3]), Touching>,
}

impl MeshStore {
    pub(crate) fn file(&mut self, path: &Path) -> Result<Arc<TriangleMesh>, String> {
        if let Some(mesh) = self.files.get(path) {
            return Ok(mesh.clone());
        }
        let mesh = Arc::new(TriangleMesh::read(path)?);
        self.files.insert(path.to_owned(), mesh.clone());
        Ok(mesh)
    }

    /// The part of a file that is called `name`.
    pub(crate) fn part(&mut self, path: &Path, name: &str) -> Result<Arc<TriangleMesh>, String> {
        TriangleMesh::read_part(path, Some(name)).map(Arc::new)
    }

    /// Shapes by which a file's mesh touches, scaled, and a message about them.
    pub(crate) fn shapes(&mut self, path: &Path, scale: Vec3, meshes: &Meshes) -> Result<Touching, String> {
        let key = (path.to_owned(), scale.to_array().map(f64::to_bits));
        if let Some(shapes) = self.shapes.get(&key) {
            return Ok(shapes.clone());
        }
        let (shapes, reason) = meshes.shapes(&self.file(path)?.scaled(scale)).map_err(|e| e.to_string())?;
        let shapes = (shapes, reason.map(|reason| format!("{NO_HULL} ({reason})")));
        self.shapes.insert(key, shapes.clone());
        Ok(shapes)
    }
}
