//! Convex polyhedra: the hull of a cloud of points, with polygons for faces.
//!
//! A hull algorithm returns triangles; contact needs faces. Triangles that lie in one plane, to
//! a millionth of the extent, are merged into one polygon: seeds in order of falling area, grown
//! over shared edges. Without this an octagonal prism stands on a triangle.
//!
//! Support vertices of large hulls are found by climbing along the edges: on a convex
//! polyhedron a vertex without a higher neighbour is the highest.
//!
//! Units: m, in the frame G of the mesh.

use crate::aabb::Aabb;
use crate::error::ShapeError;
use crate::faces::{Face, merge_faces};
use crate::hull::checked_hull;
use crate::parry_hulls;
use stiction_dynamics::spatial::Vec3;

/// Relative to the extent: points closer than this are one.
const SAME_POINT: f64 = 1e-9;
/// Relative to the extent: a triangle is in the plane of a face when all its corners are.
const SAME_PLANE: f64 = 1e-6;
/// Relative to extent³: hulls of less volume are flat.
const FLAT: f64 = 1e-12;
/// Hulls with more vertices than this are climbed rather than scanned.
const CLIMB: usize = 48;
/// Cells along a side of the cube of [`seed_of`].
const SEEDS: usize = 6;

/// A convex polyhedron in its own frame G. Constant once built.
#[derive(Clone, Debug)]
pub struct ConvexMesh {
    vertices: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    faces: Vec<Face>,
    /// Normal and offset of every face once more, close together in memory.
    planes: Vec<[f64; 4]>,
    /// Corners of the face that has most.
    most_corners: usize,
    /// Along the edges of the triangles.
    vertex_neighbors: Rows,
    vertex_faces: Rows,
    /// The support vertex of each direction of [`seed_of`], where climbs start.
    seeds: Vec<u32>,
    bounds: Aabb,
    center: Vec3,
    radius: f64,
    bounding_radius: f64,
}

impl ConvexMesh {
    /// The convex hull of `points` [m], with coplanar triangles merged into polygons.
    ///
    /// Err when a coordinate is not finite or the points (nearly) lie in one plane.
    pub fn from_points(points: &[Vec3]) -> Result<Self, ShapeError> {
        let (distinct, extent) = distinct_points(points)?;
        if distinct.len() < 4 {
            return Err(ShapeError::TooFewPoints { distinct: distinct.len() });
        }
        let (vertices, triangles) = checked_hull(&distinct, parry_hulls::convex_hull)?;

        let (mut volume, mut first) = (0.0, Vec3::ZERO);
        let origin = vertices[0];
        for t in &triangles {
            let [a, b, c] = t.map(|i| vertices[i as usize] - origin);
            let v = a.dot(b.cross(c)) / 6.0;
            volume += v;
            first += (a + b + c) * (v / 4.0);
        }
        if volume.is_nan() || volume <= FLAT * extent * extent * extent {
            return Err(ShapeError::Flat { volume: volume.abs(), extent });
        }

        let (faces, face_of) = merge_faces(&vertices, &triangles, SAME_PLANE * extent);
        let center = origin + first * (1.0 / volume);
        let farthest_from = |c: Vec3| vertices.iter().map(|v| (*v - c).norm()).fold(0.0, f64::max);
        let mut mesh = Self {
            vertex_neighbors: neighbors_of(vertices.len(), &triangles),
            vertex_faces: faces_at_vertices(vertices.len(), &triangles, &face_of),
            seeds: Vec::new(),
            bounds: bounds_of(&vertices),
            center,
            radius: farthest_from(center),
            bounding_radius: farthest_from(Vec3::ZERO),
            vertices,
            triangles,
            planes: faces.iter().map(|f| [f.normal.x, f.normal.y, f.normal.z, f.offset]).collect(),
            most_corners: faces.iter().map(|f| f.vertices.len()).max().unwrap_or(0),
            faces,
        };
        if mesh.vertices.len() > CLIMB {
            mesh.seeds = (0..SEEDS * SEEDS * 6).map(|s| mesh.scan(seed_direction(s)) as u32).collect();
        }
        Ok(mesh)
    }

    /// The vertices [m].
    pub fn vertices(&self) -> &[Vec3] {
        &self.vertices
    }

    /// The polygons of the surface.
    pub fn faces(&self) -> &[Face] {
        &self.faces
    }

    /// The surface as triangles, counter-clockwise from outside, for drawing.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// The indices of the faces that meet at `vertex`; one where it lies inside a merged face.
    pub fn faces_at(&self, vertex: usize) -> &[u32] {
        self.vertex_faces.row(vertex)
    }

    /// The box around the mesh, in G [m].
    pub fn bounds(&self) -> Aabb {
        self.bounds
    }

    /// Centre of volume in G [m].
    pub fn center(&self) -> Vec3 {
        self.center
    }

    /// The largest distance of a vertex from the centre [m].
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// The largest distance of a vertex from the origin of G [m].
    pub fn bounding_radius(&self) -> f64 {
        self.bounding_radius
    }

    /// Corners of the face that has most.
    pub(crate) fn most_corners(&self) -> usize {
        self.most_corners
    }

    /// The vertices joined to `vertex` by an edge of a triangle.
    pub(crate) fn neighbors(&self, vertex: usize) -> &[u32] {
        self.vertex_neighbors.row(vertex)
    }

    /// The face over whose plane the point `p` in G is highest, or least deep under, and that height [m].
    pub(crate) fn highest_over(&self, p: Vec3) -> (usize, f64) {
        let mut best = (0, f64::NEG_INFINITY);
        for (f, [x, y, z, offset]) in self.planes.iter().enumerate() {
            let h = x * p.x + y * p.y + z * p.z - offset;
            if h > best.1 {
                best = (f, h);
            }
        }
        best
    }

    /// From a face uphill over its neighbours: one over whose plane `p` is higher than over theirs, and that
    /// height [m]. With a point outside it is the face under it, if any is.
    pub(crate) fn climb_over(&self, p: Vec3, from: usize) -> (usize, f64) {
        let height = |f: usize| {
            let [x, y, z, offset] = self.planes[f];
            x * p.x + y * p.y + z * p.z - offset
        };
        let (mut at, mut highest) = (from, height(from));
        // Each round rises, so that it ends: there are finitely many faces.
        loop {
            let before = at;
            for &next in &self.faces[before].neighbors {
                let h = height(next as usize);
                if h > highest {
                    (at, highest) = (next as usize, h);
                }
            }
            if at == before {
                return (at, highest);
            }
        }
    }

    /// Among the faces at the support vertex in the direction `d`, the best aligned with it.
    pub(crate) fn face_toward(&self, d: Vec3) -> usize {
        let faces = self.faces_at(self.support_vertex(d)).iter().map(|f| *f as usize);
        let aligned = |f: &usize| self.faces[*f].normal.dot(d);
        // Every vertex belongs to a triangle, hence to a face.
        faces.max_by(|f, g| aligned(f).total_cmp(&aligned(g))).unwrap_or(0)
    }

    /// The vertex farthest along `d`, and of the edges there those most nearly at right angles to it: their directions
    /// from the vertex and lengths [m].
    pub(crate) fn flattest_edges(&self, d: Vec3) -> (Vec3, [Option<(Vec3, f64)>; 3]) {
        let vertex = self.support_vertex(d);
        let p = self.vertices[vertex];
        let mut edges = [(f64::INFINITY, None); 4];
        for &i in self.neighbors(vertex) {
            let side = self.vertices[i as usize] - p;
            let length = side.norm();
            let edge = side * (1.0 / length);
            edges[3] = (edge.dot(d).abs(), Some((edge, length)));
            let mut k = 3;
            while k > 0 && edges[k].0 < edges[k - 1].0 {
                edges.swap(k, k - 1);
                k -= 1;
            }
        }
        (p, [edges[0].1, edges[1].1, edges[2].1])
    }

    /// The index of a vertex farthest in `direction`.
    pub fn support_vertex(&self, direction: Vec3) -> usize {
        if self.seeds.is_empty() {
            return self.scan(direction);
        }
        let mut at = self.seeds[seed_of(direction)];
        let mut height = self.vertices[at as usize].dot(direction);
        // Each round rises, so that it ends: there are finitely many vertices.
        loop {
            let before = at;
            for &next in self.vertex_neighbors.row(before as usize) {
                let h = self.vertices[next as usize].dot(direction);
                if h > height {
                    (at, height) = (next, h);
                }
            }
            if at == before {
                return at as usize;
            }
        }
    }

    fn scan(&self, direction: Vec3) -> usize {
        let (mut best, mut height) = (0, f64::NEG_INFINITY);
        for (i, v) in self.vertices.iter().enumerate() {
            let h = v.dot(direction);
            if h > height {
                (best, height) = (i, h);
            }
        }
        best
    }
}

/// Directions through a grid of SEEDS × SEEDS cells on every side of a cube: the middle of a cell.
fn seed_direction(s: usize) -> Vec3 {
    let (side, u, v) = (s / (SEEDS * SEEDS), s / SEEDS % SEEDS, s % SEEDS);
    let along = |k: usize| (2 * k + 1) as f64 / SEEDS as f64 - 1.0;
    let axis = side / 2;
    let mut d = Vec3::ZERO;
    d[axis] = if side % 2 == 1 { 1.0 } else { -1.0 };
    d[(axis + 1) % 3] = along(u);
    d[(axis + 2) % 3] = along(v);
    d
}

/// The cell that a direction goes through.
fn seed_of(d: Vec3) -> usize {
    let (x, y, z) = (d.x.abs(), d.y.abs(), d.z.abs());
    let (side, largest, u, v) = if x >= y && x >= z {
        (usize::from(d.x > 0.0), x, d.y, d.z)
    } else if y >= z {
        (2 + usize::from(d.y > 0.0), y, d.z, d.x)
    } else {
        (4 + usize::from(d.z > 0.0), z, d.x, d.y)
    };
    // A float that is no number becomes cell 0.
    let scale = 0.5 * SEEDS as f64 / largest;
    let cell = |x: f64| ((x * scale + 0.5 * SEEDS as f64) as usize).min(SEEDS - 1);
    (side * SEEDS + cell(u)) * SEEDS + cell(v)
}

/// Rows of different lengths: row i is `items[start[i]..start[i + 1]]`.
#[derive(Clone, Debug)]
pub(crate) struct Rows {
    start: Vec<u32>,
    items: Vec<u32>,
}

impl Rows {
    /// From (row, item) pairs; every row sorted and without repetition.
    pub(crate) fn new(rows: usize, mut pairs: Vec<(u32, u32)>) -> Self {
        pairs.sort_unstable();
        pairs.dedup();
        let mut start = vec![0_u32; rows + 1];
        for (row, _) in &pairs {
            start[*row as usize + 1] += 1;
        }
        for i in 0..rows {
            start[i + 1] += start[i];
        }
        Self { start, items: pairs.into_iter().map(|(_, item)| item).collect() }
    }

    pub(crate) fn row(&self, i: usize) -> &[u32] {
        &self.items[self.start[i] as usize..self.start[i + 1] as usize]
    }
}

fn neighbors_of(vertices: usize, triangles: &[[u32; 3]]) -> Rows {
    let half_edges = |t: &[u32; 3]| [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])];
    Rows::new(vertices, triangles.iter().flat_map(half_edges).flat_map(|(a, b)| [(a, b), (b, a)]).collect())
}

/// The faces that the triangles at each vertex belong to; one for a vertex inside a face.
fn faces_at_vertices(vertices: usize, triangles: &[[u32; 3]], face_of: &[usize]) -> Rows {
    let corners = triangles.iter().zip(face_of).flat_map(|(t, f)| t.map(|v| (v, *f as u32)));
    Rows::new(vertices, corners.collect())
}

fn bounds_of(points: &[Vec3]) -> Aabb {
    let mut bounds = Aabb { min: points[0], max: points[0] };
    for p in points {
        for i in 0..3 {
            bounds.min[i] = bounds.min[i].min(p[i]);
            bounds.max[i] = bounds.max[i].max(p[i]);
        }
    }
    bounds
}

/// The points without (near) repetitions, in an order that does not depend on the order given,
/// and the largest side of their box.
fn distinct_points(points: &[Vec3]) -> Result<(Vec<Vec3>, f64), ShapeError> {
    for (index, p) in points.iter().enumerate() {
        if !p.is_finite() {
            return Err(ShapeError::Point { index, x: p.x, y: p.y, z: p.z });
        }
    }
    let Some(bounds) = (!points.is_empty()).then(|| bounds_of(points)) else {
        return Err(ShapeError::TooFewPoints { distinct: 0 });
    };
    let side = bounds.max - bounds.min;
    let extent = side.x.max(side.y).max(side.z);
    if !(extent > 0.0 && extent.is_finite()) {
        return Err(ShapeError::TooFewPoints { distinct: 1 });
    }
    let cell = |p: &Vec3| (*p - bounds.min).to_array().map(|x| (x / (SAME_POINT * extent)).round() as i64);
    let mut keyed: Vec<([i64; 3], Vec3)> = points.iter().map(|p| (cell(p), *p)).collect();
    keyed.sort_by_key(|(key, _)| *key);
    keyed.dedup_by_key(|(key, _)| *key);
    Ok((keyed.into_iter().map(|(_, p)| p).collect(), extent))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pairs::testing::{Lcg, box_mesh, prism};
    use stiction_dynamics::spatial::vec3;

    /// Euler: V − E + F = 2; every edge is seen from both of its faces.
    fn assert_closed(mesh: &ConvexMesh) {
        let sides: usize = mesh.faces().iter().map(|f| f.vertices.len()).sum();
        let used = (0..mesh.vertices().len()).filter(|v| mesh.faces_at(*v).len() > 1).count();
        assert_eq!(used + mesh.faces().len(), sides / 2 + 2);
        for (i, face) in mesh.faces().iter().enumerate() {
            for (edge, other) in face.edges.iter().zip(&face.neighbors) {
                let other = &mesh.faces()[*other as usize];
                let k = other.edges.iter().position(|e| e == edge).unwrap();
                assert_eq!(other.neighbors[k] as usize, i);
            }
        }
    }

    #[test]
    fn box_has_six_faces_of_four_corners() {
        let mesh = box_mesh(vec3(0.1, 0.2, 0.3), vec3(1.0, 2.0, 3.0));
        assert_eq!((mesh.vertices().len(), mesh.faces().len()), (8, 6));
        assert!(mesh.faces().iter().all(|f| f.vertices.len() == 4));
        assert!((mesh.center() - vec3(1.0, 2.0, 3.0)).norm() < 1e-14);
        assert_closed(&mesh);
    }

    #[test]
    fn prism_has_polygons_for_ends() {
        for n in [3, 6, 8, 16, 32, 100] {
            let mesh = prism(n, 0.3, 0.1);
            assert_eq!((mesh.vertices().len(), mesh.faces().len()), (2 * n, n + 2));
            assert_eq!(
                mesh.faces().iter().filter(|f| f.vertices.len() == n && f.normal.z.abs() > 0.9).count(),
                2
            );
            assert_closed(&mesh);
        }
    }

    /// Points in single precision, many of them inside or repeated, as in mesh files.
    #[test]
    fn noisy_cloud_of_a_box_is_a_box() {
        let mut random = Lcg::new(7);
        let mut points = Vec::new();
        for _ in 0..5000 {
            let mut p = vec3(random.symmetric(), random.symmetric(), random.symmetric());
            let i = random.below(3);
            p[i] = p[i].signum();
            points.push(vec3(p.x as f32 as f64, p.y as f32 as f64, p.z as f32 as f64) * 0.1);
        }
        points.extend(box_mesh(vec3(0.1, 0.1, 0.1), Vec3::ZERO).vertices().to_vec());
        let mesh = ConvexMesh::from_points(&points).unwrap();
        assert_eq!(mesh.faces().len(), 6);
        assert_closed(&mesh);
    }

    #[test]
    fn climbing_finds_what_scanning_finds() {
        let mut random = Lcg::new(3);
        for n in [20, 200, 2000] {
            let points: Vec<Vec3> = (0..n).map(|_| random.unit() * 0.1).collect();
            let mesh = ConvexMesh::from_points(&points).unwrap();
            assert_eq!(mesh.vertices().len(), n);
            assert_closed(&mesh);
            for _ in 0..500 {
                let d = random.unit();
                let height = |i: usize| mesh.vertices()[i].dot(d);
                assert!((height(mesh.support_vertex(d)) - height(mesh.scan(d))).abs() < 1e-16);
            }
        }
    }

    #[test]
    fn bad_clouds_are_refused_with_a_reason() {
        let flat: Vec<Vec3> = (0..20).map(|i| vec3((i % 5) as f64, (i / 5) as f64, 1.0)).collect();
        assert!(matches!(
            ConvexMesh::from_points(&flat),
            Err(ShapeError::Flat { .. } | ShapeError::Hull { .. })
        ));
        let line: Vec<Vec3> = (0..9).map(|i| vec3(i as f64, 2.0 * i as f64, 0.5)).collect();
        assert!(ConvexMesh::from_points(&line).is_err());
        assert!(matches!(ConvexMesh::from_points(&[]), Err(ShapeError::TooFewPoints { distinct: 0 })));
        assert!(matches!(
            ConvexMesh::from_points(&[Vec3::X; 9]),
            Err(ShapeError::TooFewPoints { distinct: 1 })
        ));
        let bad = [Vec3::X, Vec3::Y, vec3(f64::NAN, 0.0, 0.0), Vec3::Z];
        assert!(matches!(ConvexMesh::from_points(&bad), Err(ShapeError::Point { index: 2, .. })));
    }
}
