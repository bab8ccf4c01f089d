//! Meshes as OBJ files beside the file that names them.

use super::Notes;
use super::names::{Unique, of_file};
use super::xml::number;
use std::collections::BTreeMap;
use std::f64::consts::TAU;
use stiction_collision::{HeightField, Shape};
use stiction_dynamics::spatial::{Vec3, vec3};

/// Sides of the prism that stands for a round shape.
const SIDES: u32 = 64;

/// Vertices and triangles.
pub(crate) type Triangles = (Vec<Vec3>, Vec<[u32; 3]>);

/// The files written so far: equal meshes share one.
pub(crate) struct MeshFiles {
    folder: String,
    names: Unique,
    known: BTreeMap<String, String>,
    pub(crate) files: Vec<(String, String)>,
}

impl MeshFiles {
    /// Meshes of the file called `stem`.
    pub(crate) fn new(stem: &str) -> Self {
        let folder = format!("{}_meshes", of_file(stem));
        Self { folder, names: Unique::default(), known: BTreeMap::new(), files: Vec::new() }
    }

    /// The path of a file with this mesh, named after `after` if it is new.
    pub(crate) fn path(&mut self, (vertices, triangles): &Triangles, after: &str) -> String {
        let text = obj(vertices, triangles);
        if let Some(path) = self.known.get(&text) {
            return path.clone();
        }
        // File systems may not tell capitals.
        let name = self.names.give(&of_file(after).to_ascii_lowercase(), "mesh", &mut Notes::default());
        let path = format!("{}/{name}.obj", self.folder);
        self.known.insert(text.clone(), path.clone());
        self.files.push((path.clone(), text));
        path
    }
}

fn obj(vertices: &[Vec3], triangles: &[[u32; 3]]) -> String {
    let mut text = String::new();
    for v in vertices {
        let [x, y, z] = v.to_array().map(number);
        text.push_str(&format!("v {x} {y} {z}\n"));
    }
    for t in triangles {
        let [a, b, c] = t.map(|i| u64::from(i) + 1);
        text.push_str(&format!("f {a} {b} {c}\n"));
    }
    text
}

/// The surface of a shape that formats know as a mesh only; `None` for the others.
pub(crate) fn triangles_of(shape: &Shape) -> Option<Triangles> {
    match shape {
        Shape::Convex(mesh) => Some((mesh.vertices().to_vec(), mesh.triangles().to_vec())),
        Shape::Mesh(mesh) => Some((mesh.vertices().to_vec(), mesh.triangles().to_vec())),
        Shape::HeightField(field) => Some(field_surface(field)),
        Shape::Cone { radius, half_height } => Some(cone(*radius, *half_height)),
        _ => None,
    }
}

/// The upper side of a height field.
fn field_surface(field: &HeightField) -> Triangles {
    let (rows, cols, [sx, sy]) = (field.rows(), field.cols(), field.size());
    let place = |i: usize, n: usize, s: f64| s * (i as f64 / (n - 1) as f64 - 0.5);
    let vertices = (field.heights().iter().enumerate())
        .map(|(i, h)| vec3(place(i % cols, cols, sx), place(i / cols, rows, sy), *h))
        .collect();
    let mut triangles = Vec::new();
    for r in 0..rows - 1 {
        for c in 0..cols - 1 {
            let at = |r: usize, c: usize| (r * cols + c) as u32;
            triangles.push([at(r, c), at(r, c + 1), at(r + 1, c + 1)]);
            triangles.push([at(r, c), at(r + 1, c + 1), at(r + 1, c)]);
        }
    }
    (vertices, triangles)
}

fn cone(radius: f64, half_height: f64) -> Triangles {
    let mut vertices: Vec<Vec3> = (0..SIDES)
        .map(|i| {
            let (s, c) = (TAU * f64::from(i) / f64::from(SIDES)).sin_cos();
            vec3(radius * c, radius * s, -half_height)
        })
        .collect();
    vertices.push(vec3(0.0, 0.0, half_height));
    vertices.push(vec3(0.0, 0.0, -half_height));
    let side = |i: u32| {
        let next = (i + 1) % SIDES;
        [[i, next, SIDES], [next, i, SIDES + 1]]
    };
    (vertices, (0..SIDES).flat_map(side).collect())
}
