//! Convex hulls and decompositions by `parry3d-f64`, whose types leave neither this file nor [`crate::parry`].

use crate::cuts::Cell;
use parry3d_f64::math::Vector;
use parry3d_f64::transformation::try_convex_hull;
use parry3d_f64::transformation::vhacd::{VHACD, VHACDParameters};
use parry3d_f64::transformation::voxelization::VoxelSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use stiction_dynamics::spatial::{Vec3, vec3};

/// A vector of parry.
pub(crate) fn to(v: Vec3) -> Vector {
    Vector::new(v.x, v.y, v.z)
}

/// A vector of ours.
pub(crate) fn from(v: Vector) -> Vec3 {
    vec3(v.x, v.y, v.z)
}

/// Vertices and outward, counter-clockwise triangles of the convex hull; Err says why not.
pub(crate) fn convex_hull(points: &[Vec3]) -> Result<(Vec<Vec3>, Vec<[u32; 3]>), String> {
    let points: Vec<Vector> = points.iter().map(|p| to(*p)).collect();
    let (vertices, triangles) = try_convex_hull(&points).map_err(|e| e.to_string())?;
    Ok((vertices.into_iter().map(from).collect(), triangles))
}

/// A mesh in nearly convex parts.
pub(crate) struct Parts {
    /// The box around the voxels of each.
    pub(crate) boxes: Vec<Cell>,
    /// The points of the mesh in these voxels.
    pub(crate) points: Vec<Vec<Vec3>>,
    /// Side of a voxel [m].
    pub(crate) voxel: f64,
}

/// The nearly convex parts of a mesh, at most so many, on a grid of `resolution` voxels a side. Err says why not; parry asserts
/// what it expects of a surface, which a broken mesh may not fulfil.
pub(crate) fn convex_parts(
    vertices: &[Vec3],
    triangles: &[[u32; 3]],
    [resolution, max_hulls]: [u32; 2],
    concavity: f64,
) -> Result<Parts, String> {
    let points: Vec<Vector> = vertices.iter().map(|p| to(*p)).collect();
    let params =
        VHACDParameters { resolution, concavity, max_convex_hulls: max_hulls, ..VHACDParameters::default() };
    let decompose = || {
        let parts = VHACD::decompose(&params, &points, triangles, true);
        let boxes = parts.voxel_parts().iter().map(box_of).collect();
        let voxel = parts.voxel_parts().first().map_or(0.0, |part| part.scale);
        let of_mesh = parts.compute_primitive_intersections(&points, triangles);
        let points = of_mesh.into_iter().map(|part| part.into_iter().map(from).collect()).collect();
        Parts { boxes, points, voxel }
    };
    catch_unwind(AssertUnwindSafe(decompose))
        .map_err(|_| "the convex decomposition gave up; check the mesh for holes".to_owned())
}

/// Around the voxels of a part; their coordinates are those of their centres.
fn box_of(part: &VoxelSet) -> Cell {
    let mut sides = [[f64::INFINITY, f64::NEG_INFINITY]; 3];
    for voxel in part.voxels() {
        let center = from(part.get_voxel_point(voxel)).to_array();
        for (side, x) in sides.iter_mut().zip(center) {
            *side = [side[0].min(x - 0.5 * part.scale), side[1].max(x + 0.5 * part.scale)];
        }
    }
    sides
}
