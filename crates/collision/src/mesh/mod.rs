//! Triangle meshes as shapes: not convex, closed or open.
//!
//! A mesh is closed when every edge has two triangles that agree on the outside. A closed mesh is
//! a solid: it has an inside, a volume and one-sided faces. Every other mesh is a shell: it has
//! two sides, and no mass of its own.
//!
//! What is wrong with a mesh and can be mended is, and is counted in a [`MeshReport`]: vertices in
//! one place are one vertex, triangles without an area are dropped, triangles that disagree with
//! their neighbours on the outside are turned round, as is a solid that was inside out.
//!
//! Units: m, in the frame G of the mesh.

pub(crate) mod topology;
pub(crate) mod tree;

use crate::aabb::Aabb;
use crate::convex::Rows;
use crate::error::ShapeError;
use crate::facet::FLAT;
use stiction_dynamics::spatial::Vec3;
use topology::{Across, NONE, neighbors, orient, pseudo_normals, turn_round, weld};
use tree::Tree;

/// Most triangles a mesh may have.
pub const MAX_TRIANGLES: usize = 1 << 22;
/// Most vertices that may be given for it.
pub const MAX_VERTICES: usize = 3 * MAX_TRIANGLES;
/// Relative to the extent: vertices closer than this are one.
const SAME_POINT: f64 = 1e-9;
/// Height of a triangle relative to its longest side: a flatter one has no plane of its own.
const SLIVER: f64 = 1e-9;

/// Defects that were found and mended while a [`TriangleMesh`] was built.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MeshReport {
    /// Triangles dropped because they have no area.
    pub degenerate: usize,
    /// Triangles turned round to agree with their neighbours, or because all faced inward.
    pub turned: usize,
    /// Edges of one triangle only: a closed mesh has none.
    pub open_edges: usize,
    /// Edges of more than two triangles: a closed mesh has none.
    pub crowded_edges: usize,
    /// False: some triangles disagree on the outside whichever way they are turned.
    pub orientable: bool,
}

impl MeshReport {
    /// True when the mesh bounds a solid.
    pub fn closed(&self) -> bool {
        self.open_edges == 0 && self.crowded_edges == 0 && self.orientable
    }
}

/// Triangles over shared vertices, with what contact and queries need. Constant once built.
#[derive(Clone, Debug)]
pub struct TriangleMesh {
    vertices: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    /// Unit, outward: by the right hand around the corners.
    normals: Vec<Vec3>,
    across: Across,
    /// Triangles in one plane that hang together share a number.
    regions: Vec<u32>,
    /// The vertices that share an edge with each vertex.
    rings: Rows,
    /// Per vertex: all triangles around it are in one plane.
    flat: Vec<bool>,
    /// Per vertex, see [`crate::nearest`].
    pseudo_normals: Vec<Vec3>,
    tree: Tree,
    report: MeshReport,
    bounding_radius: f64,
}

impl TriangleMesh {
    /// A mesh of `triangles` (indices of `vertices` [m], counter-clockwise from outside).
    ///
    /// Err when there are more than [`MAX_TRIANGLES`], a coordinate is not finite, an index leads
    /// nowhere, or no triangle has an area. What else may be wrong is told by [`Self::report`].
    pub fn new(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Result<Self, ShapeError> {
        let extent = check(vertices, triangles)?;
        let (vertices, mut triangles) = weld(vertices, triangles, SAME_POINT * extent);
        let given = triangles.len();
        triangles.retain(|[a, b, c]| a != b && b != c && c != a);
        // Slivers count as neighbours: a surface with one among its triangles is still closed.
        let (_, open_edges, crowded_edges) = neighbors(&triangles);
        triangles.retain(|t| has_plane(t.map(|i| vertices[i as usize])));
        if triangles.is_empty() {
            return Err(ShapeError::NoTriangles { triangles: given });
        }
        let degenerate = given - triangles.len();
        let (mut across, _, _) = neighbors(&triangles);
        let turned = orient(&mut triangles, &mut across);
        let mut report = MeshReport {
            degenerate,
            turned: turned.unwrap_or(0),
            open_edges,
            crowded_edges,
            orientable: turned.is_some(),
        };
        if report.closed() && volume(&vertices, &triangles) < 0.0 {
            triangles.iter_mut().zip(&mut across).for_each(|(t, a)| turn_round(t, a));
            report.turned = triangles.len() - report.turned;
        }
        Ok(Self::built(vertices, triangles, across, report))
    }

    fn built(vertices: Vec<Vec3>, triangles: Vec<[u32; 3]>, across: Across, report: MeshReport) -> Self {
        let corners = |t: &[u32; 3]| t.map(|i| vertices[i as usize]);
        let normals: Vec<Vec3> = triangles.iter().map(|t| normal(corners(t))).collect();
        let boxes: Vec<Aabb> = triangles.iter().map(|t| box_of(corners(t))).collect();
        let flat_edge = |t: usize, k: usize| {
            let s = across[t][k] as usize;
            across[t][k] != NONE
                && normals[t].dot(normals[s]) > 0.0
                && normals[t].cross(normals[s]).norm() < FLAT
        };
        let mut flat = vec![true; vertices.len()];
        for (t, c) in triangles.iter().enumerate() {
            for k in (0..3).filter(|k| !flat_edge(t, *k)) {
                flat[c[k] as usize] = false;
                flat[c[(k + 1) % 3] as usize] = false;
            }
        }
        let edges = triangles.iter().flat_map(|t| [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])]);
        Self {
            regions: regions(triangles.len(), &across, flat_edge),
            rings: Rows::new(vertices.len(), edges.flat_map(|(a, b)| [(a, b), (b, a)]).collect()),
            flat,
            pseudo_normals: pseudo_normals(&vertices, &triangles, &normals),
            tree: Tree::new(&boxes),
            bounding_radius: vertices.iter().map(|v| v.norm()).fold(0.0, f64::max),
            normals,
            across,
            report,
            triangles,
            vertices,
        }
    }

    /// The vertices [m]: those given, without repetitions and unused ones.
    pub fn vertices(&self) -> &[Vec3] {
        &self.vertices
    }

    /// The triangles, counter-clockwise from outside.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Defects that were found and mended.
    pub fn report(&self) -> &MeshReport {
        &self.report
    }

    /// True: a solid with one-sided faces; false: a shell with two sides.
    pub fn is_closed(&self) -> bool {
        self.report.closed()
    }

    /// The box around the mesh, in G [m].
    pub fn bounds(&self) -> Aabb {
        self.tree.bounds()
    }

    /// The largest distance of a vertex from the origin of G [m].
    pub fn bounding_radius(&self) -> f64 {
        self.bounding_radius
    }

    /// A vertex farthest in `direction` [m].
    pub fn support(&self, direction: Vec3) -> Vec3 {
        let (mut best, mut height) = (self.vertices[0], f64::NEG_INFINITY);
        let below = |b: &Aabb| -b.support(direction).dot(direction);
        self.tree.search(f64::INFINITY, &below, &mut |t, _| {
            for p in self.corners(t) {
                let h = p.dot(direction);
                if h > height {
                    (best, height) = (p, h);
                }
            }
            -height
        });
        best
    }

    /// A copy of the mesh, moved by `offset` [m] in its frame.
    #[cfg(test)]
    pub(crate) fn moved(&self, offset: Vec3) -> Self {
        let vertices: Vec<Vec3> = self.vertices.iter().map(|v| *v + offset).collect();
        Self::new(&vertices, &self.triangles).unwrap()
    }

    pub(crate) fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The outward unit normal of triangle t.
    #[inline]
    pub(crate) fn normal(&self, t: usize) -> Vec3 {
        self.normals[t]
    }

    /// The direction that tells outside from inside at vertex v.
    #[inline]
    pub(crate) fn pseudo_normal(&self, v: usize) -> Vec3 {
        self.pseudo_normals[v]
    }

    /// The triangle over the edge from corner k of t to corner k + 1, or [`NONE`].
    #[inline]
    pub(crate) fn neighbor(&self, t: usize, k: usize) -> u32 {
        self.across[t][k]
    }

    /// Equal for triangles in one plane that hang together.
    #[inline]
    pub(crate) fn region(&self, t: usize) -> u32 {
        self.regions[t]
    }

    /// True when all triangles around vertex v are in one plane.
    #[inline]
    pub(crate) fn is_flat(&self, v: usize) -> bool {
        self.flat[v]
    }

    /// The vertices that share an edge with vertex v.
    pub(crate) fn around(&self, v: usize) -> &[u32] {
        self.rings.row(v)
    }

    /// The corners of triangle t [m].
    #[inline]
    pub(crate) fn corners(&self, t: usize) -> [Vec3; 3] {
        self.triangles[t].map(|i| self.vertices[i as usize])
    }
}

/// The first thing that is wrong with the lists, or the largest side of the box of the vertices [m].
fn check(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Result<f64, ShapeError> {
    let limits = [("triangles", triangles.len(), MAX_TRIANGLES), ("vertices", vertices.len(), MAX_VERTICES)];
    for (what, count, limit) in limits {
        if count > limit {
            return Err(ShapeError::TooLarge { shape: "mesh", what, count: count as u128, limit });
        }
    }
    for (index, p) in vertices.iter().enumerate() {
        // Squares of larger numbers overflow.
        if !p.is_finite() || !p.norm_squared().is_finite() {
            return Err(ShapeError::Vertex { index, x: p.x, y: p.y, z: p.z });
        }
    }
    for (triangle, corners) in triangles.iter().enumerate() {
        if let Some(&index) = corners.iter().find(|i| **i as usize >= vertices.len()) {
            return Err(ShapeError::Index { triangle, index, vertices: vertices.len() });
        }
    }
    let Some(first) = vertices.first() else {
        return Err(ShapeError::NoTriangles { triangles: triangles.len() });
    };
    let point = |p: &Vec3| Aabb { min: *p, max: *p };
    let bounds = vertices.iter().fold(point(first), |sum, p| sum.joined(&point(p)));
    let side = bounds.max - bounds.min;
    Ok(side.x.max(side.y).max(side.z))
}

fn has_plane([a, b, c]: [Vec3; 3]) -> bool {
    let cross = (b - a).cross(c - a);
    let longest = (b - a).norm_squared().max((c - a).norm_squared()).max((c - b).norm_squared());
    cross.norm() > SLIVER * longest && cross.normalized().is_some()
}

fn normal([a, b, c]: [Vec3; 3]) -> Vec3 {
    // Slivers are gone: every triangle has a normal.
    (b - a).cross(c - a).normalized().unwrap_or(Vec3::Z)
}

pub(crate) fn box_of([a, b, c]: [Vec3; 3]) -> Aabb {
    let point = |p: Vec3| Aabb { min: p, max: p };
    point(a).joined(&point(b)).joined(&point(c))
}

/// Six times what the surface encloses [m³].
fn volume(vertices: &[Vec3], triangles: &[[u32; 3]]) -> f64 {
    let origin = vertices[0];
    let of = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|i| vertices[i as usize] - origin);
        a.dot(b.cross(c))
    };
    triangles.iter().map(of).sum()
}

/// Numbers the parts that hang together over flat edges.
fn regions(n: usize, across: &Across, flat_edge: impl Fn(usize, usize) -> bool) -> Vec<u32> {
    let mut region = vec![NONE; n];
    let mut count = 0;
    let mut stack = Vec::new();
    for seed in 0..n {
        if region[seed] != NONE {
            continue;
        }
        region[seed] = count;
        stack.push(seed);
        while let Some(t) = stack.pop() {
            for k in (0..3).filter(|k| flat_edge(t, *k)) {
                let s = across[t][k] as usize;
                if region[s] == NONE {
                    region[s] = count;
                    stack.push(s);
                }
            }
        }
        count += 1;
    }
    region
}

#[cfg(test)]
mod tests;
