//! Approximate convex decomposition: a mesh as a set of hulls that overlap little.
//!
//! The mesh is filled with voxels; the set of voxels is cut by planes, each time where the hulls of
//! the two halves fill least air, until what air they fill is a small share of the volume [MamouGhorbel2009].
//! Every hull is that of the triangles in its part: on the outside it is as exact as the mesh. Cuts
//! are moved onto flat faces of the mesh ([`crate::cuts`]), so that floors stay flat. Flat parts have no hull and are
//! left out; the same mesh and parameters give the same hulls, to the bit.

use crate::convex::ConvexMesh;
use crate::cuts;
use crate::error::ShapeError;
use crate::parry_hulls;
use stiction_dynamics::spatial::Vec3;

/// How finely a mesh is decomposed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decomposition {
    /// Voxels along the longest side, 8 … 256; typical 64. Time and memory grow with its cube.
    pub resolution: u32,
    /// Air that hulls may fill, relative to the volume, 0 … 1; typical 0.01. Less gives more
    /// hulls.
    pub concavity: f64,
    /// Most hulls, 1 … 1024; typical 32.
    pub max_hulls: u32,
}

impl Default for Decomposition {
    fn default() -> Self {
        Self { resolution: 64, concavity: 0.01, max_hulls: 32 }
    }
}

impl Decomposition {
    /// Err when a number is outside its range.
    pub fn validate(&self) -> Result<(), ShapeError> {
        let check = |what, value: f64, fine: bool, expected| {
            if fine { Ok(()) } else { Err(ShapeError::Decomposition { what, value, expected }) }
        };
        let Self { resolution, concavity, max_hulls } = *self;
        check("resolution", f64::from(resolution), (8..=256).contains(&resolution), "8 to 256 voxels")?;
        check("concavity", concavity, (0.0..=1.0).contains(&concavity), "a share in [0, 1]")?;
        check("max_hulls", f64::from(max_hulls), (1..=1024).contains(&max_hulls), "1 to 1024")
    }

    /// The hulls of a mesh whose triangles are counter-clockwise seen from outside, in its frame.
    ///
    /// Err when a coordinate is not finite, a triangle names a vertex that does not exist, or
    /// no part has a hull.
    pub fn of(&self, vertices: &[Vec3], triangles: &[[u32; 3]]) -> Result<Vec<ConvexMesh>, ShapeError> {
        self.validate()?;
        for (triangle, t) in triangles.iter().enumerate() {
            if let Some(index) = t.iter().copied().find(|i| *i as usize >= vertices.len()) {
                return Err(ShapeError::Index { triangle, index, vertices: vertices.len() });
            }
        }
        let whole = ConvexMesh::from_points(vertices)?;
        let hull = volume(whole.vertices(), whole.triangles());
        let air = (hull - volume(vertices, triangles)) / hull;
        if self.max_hulls == 1 || triangles.is_empty() || air.abs() <= self.concavity {
            return Ok(vec![whole]);
        }
        let parts =
            parry_hulls::convex_parts(vertices, triangles, [self.resolution, self.max_hulls], self.concavity);
        let parts = parts.map_err(|reason| ShapeError::Hull { points: vertices.len(), reason })?;
        let hulls = hulls_of(&parts.points);
        let on_faces = cuts::on_faces(vertices, triangles, &parts.boxes, parts.voxel);
        // A cut that was moved past a thin wall would leave parts without hulls, or fill others with air.
        let better = |moved: &Vec<ConvexMesh>| moved.len() == hulls.len() && filled(moved) <= filled(&hulls);
        let hulls = on_faces.map(|points| hulls_of(&points)).filter(better).unwrap_or(hulls);
        Ok(if hulls.is_empty() { vec![whole] } else { hulls })
    }
}

fn hulls_of(parts: &[Vec<Vec3>]) -> Vec<ConvexMesh> {
    parts.iter().filter_map(|points| ConvexMesh::from_points(points).ok()).collect()
}

/// The volume inside hulls that overlap little [m³].
fn filled(hulls: &[ConvexMesh]) -> f64 {
    hulls.iter().map(|hull| volume(hull.vertices(), hull.triangles())).sum()
}

/// The volume inside a closed surface [m³].
fn volume(vertices: &[Vec3], triangles: &[[u32; 3]]) -> f64 {
    let origin = vertices.first().copied().unwrap_or(Vec3::ZERO);
    let corner = |i: u32| vertices[i as usize] - origin;
    triangles.iter().map(|&[a, b, c]| corner(a).dot(corner(b).cross(corner(c))) / 6.0).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pairs::testing::{Lcg, box_mesh};
    use stiction_dynamics::spatial::vec3;

    /// The surfaces of boxes, given as (centre, half sides), in one list.
    fn boxes(list: &[(Vec3, Vec3)]) -> (Vec<Vec3>, Vec<[u32; 3]>) {
        let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
        for (center, half) in list {
            let mesh = box_mesh(*half, *center);
            let first = vertices.len() as u32;
            vertices.extend_from_slice(mesh.vertices());
            triangles.extend(mesh.triangles().iter().map(|t| t.map(|i| i + first)));
        }
        (vertices, triangles)
    }

    /// A table: a top and four legs.
    fn table() -> (Vec<Vec3>, Vec<[u32; 3]>) {
        let leg = |x, y| (vec3(x, y, 0.35), vec3(0.05, 0.05, 0.35));
        let top = (vec3(0.0, 0.0, 0.75), vec3(0.6, 0.4, 0.05));
        boxes(&[top, leg(0.5, 0.3), leg(-0.5, 0.3), leg(0.5, -0.3), leg(-0.5, -0.3)])
    }

    fn inside(hull: &ConvexMesh, p: Vec3) -> bool {
        hull.faces().iter().all(|f| f.normal.dot(p) <= f.offset)
    }

    #[test]
    fn a_table_has_room_for_knees() {
        let (vertices, triangles) = table();
        let hulls = Decomposition::default().of(&vertices, &triangles).unwrap();
        assert!((5..=16).contains(&hulls.len()), "{} hulls", hulls.len());
        let holds = |p: Vec3| hulls.iter().any(|hull| inside(hull, p));
        let mut random = Lcg::new(2);
        let (mut wrong, mut solid) = (0, 0);
        const TRIES: usize = 5000;
        for _ in 0..TRIES {
            let p =
                vec3(0.6 * random.symmetric(), 0.4 * random.symmetric(), 0.4 * (1.0 + random.symmetric()));
            let in_leg = (p.x.abs() - 0.5).abs() < 0.05 && (p.y.abs() - 0.3).abs() < 0.05;
            let truth = p.z > 0.7 || in_leg;
            wrong += usize::from(truth != holds(p));
            solid += usize::from(truth);
        }
        assert!(solid > 500 && wrong < TRIES / 50, "{wrong} of {TRIES} wrong, {solid} solid");
        assert!(!holds(vec3(0.0, 0.0, 0.4)), "under the table is nothing");
    }

    /// An L of two squares, a step in front of a wall: the step is level.
    #[test]
    fn a_step_is_level() {
        let outline = [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]];
        let vertices: Vec<Vec3> =
            [-1.0, 1.0].iter().flat_map(|y| outline.map(|[x, z]| vec3(x, *y, z))).collect();
        let sides = (0..6).map(|i| (i, (i + 1) % 6)).flat_map(|(i, j)| [[i, i + 6, j + 6], [i, j + 6, j]]);
        let ends = (1..5).flat_map(|i| [[0, i, i + 1], [6, i + 7, i + 6]]);
        let triangles: Vec<[u32; 3]> = ends.chain(sides).collect();
        let hulls = Decomposition::default().of(&vertices, &triangles).unwrap();
        assert_eq!(hulls.len(), 2);
        assert!((filled(&hulls) - 6.0).abs() < 1e-9, "{}", filled(&hulls));
    }

    #[test]
    fn the_same_mesh_gives_the_same_hulls() {
        let (vertices, triangles) = table();
        let corners = || {
            let hulls = Decomposition::default().of(&vertices, &triangles).unwrap();
            hulls.iter().flat_map(|h| h.vertices().to_vec()).collect::<Vec<_>>()
        };
        assert_eq!(corners(), corners());
    }

    #[test]
    fn a_convex_mesh_is_one_hull_and_bad_input_is_named() {
        let (vertices, triangles) = boxes(&[(Vec3::ZERO, vec3(0.1, 0.2, 0.3))]);
        let hulls = Decomposition::default().of(&vertices, &triangles).unwrap();
        assert_eq!(hulls.len(), 1);
        assert_eq!((hulls[0].vertices().len(), hulls[0].faces().len()), (8, 6));
        let of = |d: Decomposition| d.of(&vertices, &triangles).unwrap_err().to_string();
        let fine = Decomposition { resolution: 100_000, ..Default::default() };
        assert!(of(fine).contains("resolution is 100000"));
        assert!(of(Decomposition { concavity: f64::NAN, ..Default::default() }).contains("concavity is NaN"));
        let lost = Decomposition::default().of(&vertices, &[[0, 1, 99]]).unwrap_err();
        assert!(lost.to_string().contains("names vertex 99"));
        let flat = Decomposition::default().of(&vertices[..3], &triangles[..0]);
        assert!(flat.is_err());
    }

    /// Soups of triangles, open and crossing: some answer, no panic.
    #[test]
    fn triangle_soup_does_no_harm() {
        let mut random = Lcg::new(9);
        for n in [4, 12, 60] {
            let vertices: Vec<Vec3> = (0..n).map(|_| random.vector()).collect();
            let mut corner = || random.below(n) as u32;
            let triangles: Vec<[u32; 3]> = (0..2 * n).map(|_| [corner(), corner(), corner()]).collect();
            let coarse = Decomposition { resolution: 16, ..Default::default() };
            assert!(coarse.of(&vertices, &triangles).is_ok_and(|hulls| !hulls.is_empty()));
        }
    }
}
