//! From the triangles of a hull to polygons: grow, then walk around the rim.

use stiction_dynamics::spatial::Vec3;

/// A polygon of the surface of a [`crate::ConvexMesh`].
#[derive(Clone, Debug)]
pub struct Face {
    /// Outward unit normal in G.
    pub normal: Vec3,
    /// The face lies in `normal · x = offset`, its vertices at most a millionth of the extent
    /// below; no vertex of the mesh is above [m].
    pub offset: f64,
    /// Corners, counter-clockwise seen from outside: indices of vertices.
    pub vertices: Vec<u32>,
    /// `edges[k]` is the index of the edge from corner k to corner k + 1; two faces share it.
    pub edges: Vec<u32>,
    /// `neighbors[k]` is the face on the other side of `edges[k]`.
    pub neighbors: Vec<u32>,
}

/// Merges triangles that lie within `tolerance` [m] of the plane of a larger one. Every edge of
/// a polygon is an edge of a triangle, so that neighbouring polygons share whole edges. Returns
/// the faces and the face of every triangle.
pub(crate) fn merge_faces(
    vertices: &[Vec3],
    triangles: &[[u32; 3]],
    tolerance: f64,
) -> (Vec<Face>, Vec<usize>) {
    let corner = |t: usize, k: usize| vertices[triangles[t][k % 3] as usize];
    let cross = |t: usize| (corner(t, 1) - corner(t, 0)).cross(corner(t, 2) - corner(t, 0));
    let across = triangles_across(triangles);

    let mut seeds: Vec<usize> = (0..triangles.len()).collect();
    // Sorting is stable: equal areas keep the order of the triangles.
    seeds.sort_by(|a, b| cross(*b).norm_squared().total_cmp(&cross(*a).norm_squared()));

    let mut region_of = vec![usize::MAX; triangles.len()];
    let mut rims: Vec<Vec<u32>> = Vec::new();
    for seed in seeds {
        if region_of[seed] != usize::MAX {
            continue;
        }
        let n = cross(seed).normalized().unwrap_or(Vec3::Z);
        let plane = n.dot(corner(seed, 0));
        let in_plane = |t: usize| {
            let near = (0..3).all(|k| (n.dot(corner(t, k)) - plane).abs() <= tolerance);
            // Slivers have no normal of their own; the back of a thin plate has the opposite.
            near && n.dot(cross(t)) >= 0.7 * cross(t).norm()
        };
        let region = rims.len();
        region_of[seed] = region;
        let mut members = vec![seed];
        let mut next = 0;
        while next < members.len() {
            for &t in &across[members[next]] {
                if region_of[t] == usize::MAX && in_plane(t) {
                    region_of[t] = region;
                    members.push(t);
                }
            }
            next += 1;
        }
        match rim(triangles, &across, &members, |t| region_of[t] == region) {
            Some(loop_) => rims.push(loop_),
            None => {
                // A rim that touches itself: leave the triangles as they are.
                for (i, t) in members.into_iter().enumerate() {
                    region_of[t] = region + i;
                    rims.push(triangles[t].to_vec());
                }
            }
        }
    }
    let mut faces = link(rims, vertices);
    for (t, region) in region_of.iter().enumerate() {
        // Over all vertices of the face, also those inside it.
        let face = &mut faces[*region];
        face.offset = (0..3).map(|k| face.normal.dot(corner(t, k))).fold(face.offset, f64::max);
    }
    (faces, region_of)
}

/// `across[t][k]`: the triangle on the other side of the edge from corner k to k + 1 of t.
fn triangles_across(triangles: &[[u32; 3]]) -> Vec<[usize; 3]> {
    let mut edges = Vec::with_capacity(3 * triangles.len());
    for (t, c) in triangles.iter().enumerate() {
        for k in 0..3 {
            let (u, v) = (c[k], c[(k + 1) % 3]);
            edges.push((u.min(v), u.max(v), t, k));
        }
    }
    edges.sort_unstable();
    let mut across = vec![[0; 3]; triangles.len()];
    for pair in edges.chunks_exact(2) {
        let [(_, _, t, k), (_, _, s, j)] = [pair[0], pair[1]];
        across[t][k] = s;
        across[s][j] = t;
    }
    across
}

/// The boundary of the `members` as one loop of vertices, or `None` when it is not one loop.
fn rim(
    triangles: &[[u32; 3]],
    across: &[[usize; 3]],
    members: &[usize],
    is_member: impl Fn(usize) -> bool,
) -> Option<Vec<u32>> {
    let mut sides = Vec::new();
    for &t in members {
        for k in 0..3 {
            if !is_member(across[t][k]) {
                sides.push((triangles[t][k], triangles[t][(k + 1) % 3]));
            }
        }
    }
    sides.sort_unstable();
    if sides.len() < 3 || sides.windows(2).any(|w| w[0].0 == w[1].0) {
        return None;
    }
    let (start, mut at) = sides[0];
    let mut loop_ = vec![start];
    while at != start && loop_.len() <= sides.len() {
        loop_.push(at);
        let next = sides.binary_search_by_key(&at, |side| side.0).ok()?;
        at = sides[next].1;
    }
    (loop_.len() == sides.len()).then_some(loop_)
}

/// Numbers the edges, finds the neighbours and the normals.
fn link(rims: Vec<Vec<u32>>, vertices: &[Vec3]) -> Vec<Face> {
    let mut edges = Vec::new();
    let mut faces: Vec<Face> = Vec::with_capacity(rims.len());
    for (f, rim) in rims.into_iter().enumerate() {
        let n = rim.len();
        for k in 0..n {
            let (u, v) = (rim[k], rim[(k + 1) % n]);
            edges.push((u.min(v), u.max(v), f, k));
        }
        let origin = vertices[rim[0] as usize];
        let arm = |k: usize| vertices[rim[k] as usize] - origin;
        let twice_area = (1..n - 1).fold(Vec3::ZERO, |sum, k| sum + arm(k).cross(arm(k + 1)));
        let normal = twice_area.normalized().unwrap_or(Vec3::Z);
        let offset = f64::NEG_INFINITY;
        faces.push(Face { normal, offset, edges: vec![0; n], neighbors: vec![0; n], vertices: rim });
    }
    edges.sort_unstable();
    for (e, pair) in edges.chunks_exact(2).enumerate() {
        let [(_, _, f, k), (_, _, g, j)] = [pair[0], pair[1]];
        (faces[f].edges[k], faces[f].neighbors[k]) = (e as u32, g as u32);
        (faces[g].edges[j], faces[g].neighbors[j]) = (e as u32, f as u32);
    }
    faces
}
