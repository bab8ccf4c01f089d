//! MuJoCo's own mesh files (`.msh`), all numbers little-endian.
//!
//! ```text
//!     int32    vertices nv, normals nn, texture coordinates nt, faces nf
//!     float32  nv·3 vertices, nn·3 normals, nt·2 texture coordinates
//!     int32    nf·3 indices of vertices
//! ```

use crate::files::read_bytes;
use crate::triangle_mesh::TriangleMesh;
use std::path::Path;
use stiction_dynamics::spatial::vec3;

/// Largest file read [bytes].
const MAX_BYTES: u64 = 256 << 20;

/// The mesh in the file at `path`; without faces, vertices alone.
pub(crate) fn read(path: &Path) -> Result<TriangleMesh, String> {
    parse(&read_bytes(path, MAX_BYTES)?)
}

fn parse(bytes: &[u8]) -> Result<TriangleMesh, String> {
    let (words, rest) = bytes.as_chunks::<4>();
    let count = |i: usize| words.get(i).and_then(|w| usize::try_from(i32::from_le_bytes(*w)).ok());
    let (Some(nv), Some(nn), Some(nt), Some(nf)) = (count(0), count(1), count(2), count(3)) else {
        return Err("malformed; expected four counts >= 0 first (.msh)".to_owned());
    };
    let expected =
        [4, nv.saturating_mul(3), nn.saturating_mul(3), nt.saturating_mul(2), nf.saturating_mul(3)];
    let expected = expected.into_iter().fold(0_usize, usize::saturating_add);
    let matching = |n: usize| n == 0 || n == nv;
    if words.len() != expected || !rest.is_empty() || nv < 4 || !matching(nn) || !matching(nt) {
        let n = bytes.len();
        return Err(format!(
            "malformed: {n} bytes do not hold {nv} vertices, {nn} normals, {nt} texture coordinates, {nf} faces \
             (.msh; at least 4 vertices)"
        ));
    }
    let (vertices, rest) = words.get(4..).unwrap_or_default().split_at(3 * nv);
    let faces = rest.get(3 * nn + 2 * nt..).unwrap_or_default();
    let mut mesh = TriangleMesh::default();
    for [x, y, z] in vertices.as_chunks::<3>().0 {
        let [x, y, z] = [x, y, z].map(|w| f64::from(f32::from_le_bytes(*w)));
        if !(x.is_finite() && y.is_finite() && z.is_finite()) {
            return Err(format!("a vertex is [{x}, {y}, {z}]; expected finite coordinates"));
        }
        mesh.vertices.push(vec3(x, y, z));
    }
    for face in faces.as_chunks::<3>().0 {
        let face = face.map(u32::from_le_bytes);
        if face.iter().any(|&i| i as usize >= nv) {
            return Err(format!("a face names the vertices {face:?}; there are {nv}"));
        }
        mesh.triangles.push(face);
    }
    Ok(mesh)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(counts: [i32; 4], floats: &[f32], indices: &[i32]) -> Vec<u8> {
        let ints = |all: &[i32]| all.iter().flat_map(|i| i.to_le_bytes()).collect::<Vec<u8>>();
        let floats = floats.iter().flat_map(|x| x.to_le_bytes());
        ints(&counts).into_iter().chain(floats).chain(ints(indices)).collect()
    }

    const CORNERS: [f32; 12] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 3.0];

    #[test]
    fn a_tetrahedron_is_read_past_its_texture_coordinates() {
        let floats: Vec<f32> = CORNERS.into_iter().chain([9.0; 8]).collect();
        let mesh = parse(&file([4, 0, 4, 1], &floats, &[0, 2, 1])).unwrap();
        assert_eq!((mesh.vertices.len(), mesh.vertices[3].z), (4, 3.0));
        assert_eq!(mesh.triangles, [[0, 2, 1]]);
    }

    #[test]
    fn sizes_that_lie_and_indices_beyond_are_refused() {
        for (counts, indices) in [
            ([4, 0, 0, 2], vec![0, 1, 2]),
            ([4, 0, 0, 1], vec![0, 1, 4]),
            ([4, 0, 0, 1], vec![0, 1, -1]),
            ([-4, 0, 0, 1], vec![0, 1, 2]),
            ([i32::MAX, i32::MAX, i32::MAX, i32::MAX], vec![]),
        ] {
            assert!(parse(&file(counts, &CORNERS, &indices)).is_err());
        }
        assert!(parse(&[1, 2, 3]).is_err());
    }
}
