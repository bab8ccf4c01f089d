//! What is mended, what is refused, and what is known about a mesh that is built.

use super::*;
use crate::pairs::testing::{Lcg, grid_mesh, torus};
use stiction_dynamics::spatial::vec3;

const CUBE: [[u32; 3]; 12] = [
    [0, 2, 1],
    [1, 2, 3],
    [4, 5, 6],
    [5, 7, 6],
    [0, 1, 4],
    [1, 5, 4],
    [2, 6, 3],
    [3, 6, 7],
    [0, 4, 2],
    [2, 4, 6],
    [1, 3, 5],
    [3, 7, 5],
];

fn corners() -> Vec<Vec3> {
    let at = |i: usize, bit: usize| if i >> bit & 1 == 1 { 0.5 } else { -0.5 };
    (0..8).map(|i| vec3(at(i, 0), at(i, 1), at(i, 2))).collect()
}

#[test]
fn a_cube_is_closed_and_has_six_regions() {
    let mesh = TriangleMesh::new(&corners(), &CUBE).unwrap();
    assert_eq!(*mesh.report(), MeshReport { orientable: true, ..MeshReport::default() });
    assert!(mesh.is_closed());
    let mut regions = mesh.regions.clone();
    regions.sort_unstable();
    assert!(regions.chunks(2).all(|pair| pair[0] == pair[1]));
    regions.dedup();
    assert_eq!(regions.len(), 6);
    assert!((0..12).all(|t| mesh.normals[t].dot(mesh.corners(t)[0]) > 0.0));
}

/// A mesh as exported: three corners of its own for every triangle, one turned round, all inside out,
/// one triangle twice as a line.
#[test]
fn a_soup_is_mended_and_the_mending_told() {
    let mut vertices: Vec<Vec3> = CUBE.iter().flatten().map(|i| corners()[*i as usize]).collect();
    let mut triangles: Vec<[u32; 3]> = (0..12).map(|t| [3 * t, 3 * t + 2, 3 * t + 1]).collect();
    triangles[5].swap(0, 1);
    vertices.push(vec3(0.0, 0.0, 0.0));
    triangles.push([0, 1, 1]);
    let mesh = TriangleMesh::new(&vertices, &triangles).unwrap();
    assert!(mesh.is_closed());
    assert_eq!((mesh.report().degenerate, mesh.report().turned), (1, 11));
    assert_eq!((mesh.vertices().len(), mesh.triangles().len()), (8, 12));
    assert!((volume(&mesh.vertices, &mesh.triangles) / 6.0 - 1.0).abs() < 1e-15);
}

#[test]
fn holes_and_walls_within_are_told() {
    let open = TriangleMesh::new(&corners(), &CUBE[1..]).unwrap();
    assert_eq!((open.report().open_edges, open.is_closed()), (3, false));
    let mut crowded = CUBE.to_vec();
    crowded.push([0, 1, 7]);
    let crowded = TriangleMesh::new(&corners(), &crowded).unwrap();
    assert_eq!((crowded.report().crowded_edges, crowded.is_closed()), (1, false));
}

#[test]
fn a_fine_flat_sheet_is_one_region_with_no_features_inside() {
    let mesh = grid_mesh(20, 1.0, |_, _| 0.0);
    assert!(mesh.regions.iter().all(|r| *r == 0));
    assert_eq!(mesh.flat.iter().filter(|f| **f).count(), 19 * 19);
}

#[test]
fn support_is_the_farthest_vertex() {
    let mesh = torus(24, 12, 0.3, 0.1);
    let mut random = Lcg::new(12);
    for _ in 0..200 {
        let d = random.unit();
        let farthest = mesh.vertices().iter().map(|v| v.dot(d)).fold(f64::NEG_INFINITY, f64::max);
        assert_eq!(mesh.support(d).dot(d), farthest);
    }
}

#[test]
fn bad_meshes_are_refused_with_the_element_named() {
    let text = |vertices: &[Vec3], triangles: &[[u32; 3]]| {
        TriangleMesh::new(vertices, triangles).unwrap_err().to_string()
    };
    let mut bad = corners();
    bad[6].y = f64::NAN;
    let message = text(&bad, &CUBE);
    assert!(message.contains("vertex 6") && message.contains("NaN"), "{message}");
    bad[6].y = 1e200;
    assert!(text(&bad, &CUBE).contains("vertex 6"));
    let message = text(&corners(), &[[0, 1, 2], [0, 1, 8]]);
    assert!(message.contains("triangle 1") && message.contains("vertex 8"), "{message}");
    assert!(text(&corners(), &[]).contains("none of its 0 triangles"));
    assert!(text(&[], &[]).contains("none"));
    assert!(text(&corners(), &[[0, 0, 1], [2, 2, 2]]).contains("none of its 2 triangles"));
    let huge = vec![[0, 1, 2]; MAX_TRIANGLES + 1];
    let message = text(&corners(), &huge);
    assert!(message.contains("4194305 triangles") && message.contains("4194304"), "{message}");
}
