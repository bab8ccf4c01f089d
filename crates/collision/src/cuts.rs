//! Cuts between the parts of a decomposition, moved from the sides of voxels onto flat faces of the mesh.
//!
//! A part that ends a little above its floor has a piece of the wall beside it, and its hull slopes from there: what
//! should lie in the notch rolls out of it. Parts come from cuts by planes x_k = c, one after the other, each through
//! all that is left on one side; hence a plane that has all parts on one side or the other is found again (1). Each is
//! moved to the nearest face that is flat across the same axis, if one is within a few voxels (2), and what of the
//! mesh is in the cell between the planes is the part (3).

use stiction_dynamics::spatial::Vec3;

/// From and to along each axis [m].
pub(crate) type Cell = [[f64; 2]; 3];

/// How far cuts are moved, in voxels: the plane is chosen among every fourth at first.
const REACH: f64 = 4.0;
/// Lengths below this share of a side of a voxel are rounding.
const ROUNDING: f64 = 1e-7;
/// A piece of a triangle with less than this share of its area only touches the cell.
const TOUCHING: f64 = 1e-6;

/// The points of the parts that lie in these boxes of voxels; `None` when no planes separate the boxes.
pub(crate) fn on_faces(
    vertices: &[Vec3],
    triangles: &[[u32; 3]],
    boxes: &[Cell],
    voxel: f64,
) -> Option<Vec<Vec<Vec3>>> {
    let triangles: Vec<[Vec3; 3]> = triangles.iter().map(|t| t.map(|i| vertices[i as usize])).collect();
    let flat = [0, 1, 2].map(|axis| flat_faces(&triangles, axis, ROUNDING * voxel));
    let mut cells: Vec<Cell> = vec![[[f64::NEG_INFINITY, f64::INFINITY]; 3]; boxes.len()];
    let mut groups: Vec<Vec<usize>> = vec![(0..boxes.len()).collect()];
    while let Some(group) = groups.pop() {
        if group.len() < 2 {
            continue;
        }
        let (axis, cut, [below, above]) = (0..3).find_map(|axis| apart(boxes, &group, axis, voxel))?; // (1)
        let nearest = flat[axis].iter().copied().min_by(|a, b| (a - cut).abs().total_cmp(&(b - cut).abs()));
        let cut = nearest.filter(|x| (x - cut).abs() <= REACH * voxel).unwrap_or(cut); // (2)
        below.iter().for_each(|i| cells[*i][axis][1] = cut);
        above.iter().for_each(|i| cells[*i][axis][0] = cut);
        groups.extend([below, above]);
    }
    let part = |cell: &Cell| triangles.iter().flat_map(|t| piece(t, cell, ROUNDING * voxel)).collect(); // (3)
    Some(cells.iter().map(part).collect())
}

/// Where faces are flat across `axis`.
fn flat_faces(triangles: &[[Vec3; 3]], axis: usize, rounding: f64) -> Vec<f64> {
    let flat = |[a, b, c]: &[Vec3; 3]| {
        let x = a[axis];
        let level = (b[axis] - x).abs() <= rounding && (c[axis] - x).abs() <= rounding;
        (level && (*b - *a).cross(*c - *a).norm() > 0.0).then_some(x)
    };
    triangles.iter().filter_map(flat).collect()
}

/// A plane across `axis` with boxes on either side: its place, and who is below and above.
fn apart(boxes: &[Cell], group: &[usize], axis: usize, voxel: f64) -> Option<(usize, f64, [Vec<usize>; 2])> {
    let mut order = group.to_vec();
    order.sort_by(|a, b| boxes[*a][axis][0].total_cmp(&boxes[*b][axis][0]));
    let mut reach = f64::NEG_INFINITY;
    let after = (1..order.len()).find(|k| {
        reach = reach.max(boxes[order[k - 1]][axis][1]);
        boxes[order[*k]][axis][0] > reach - 0.5 * voxel
    })?;
    let above = order.split_off(after);
    Some((axis, 0.5 * (reach + boxes[above[0]][axis][0]), [order, above]))
}

/// The corners of what of a triangle is in a cell. A triangle in a side of the cell is part of it if the solid
/// behind is.
fn piece(triangle: &[Vec3; 3], cell: &Cell, rounding: f64) -> Vec<Vec3> {
    let normal = |p: &[Vec3]| (2..p.len()).fold(Vec3::ZERO, |n, i| n + (p[i - 1] - p[0]).cross(p[i] - p[0]));
    let whole = normal(triangle);
    let mut polygon = triangle.to_vec();
    for (axis, sides) in cell.iter().enumerate() {
        for (at, inward) in sides.iter().copied().zip([1.0, -1.0]) {
            let depth = |p: &Vec3| inward * (p[axis] - at);
            if at.is_infinite() {
                continue;
            }
            if triangle.iter().all(|p| depth(p).abs() <= rounding) {
                if inward * whole[axis] > 0.0 {
                    return Vec::new();
                }
                continue;
            }
            polygon = inside(&polygon, depth);
        }
    }
    if normal(&polygon).norm() > TOUCHING * whole.norm() { polygon } else { Vec::new() }
}

/// The part of a polygon where the depth, linear in the point, is not negative.
fn inside(polygon: &[Vec3], depth: impl Fn(&Vec3) -> f64) -> Vec<Vec3> {
    let mut kept = Vec::with_capacity(polygon.len() + 1);
    for (i, p) in polygon.iter().enumerate() {
        let next = polygon[(i + 1) % polygon.len()];
        let (d, d_next) = (depth(p), depth(&next));
        if d >= 0.0 {
            kept.push(*p);
        }
        if d * d_next < 0.0 {
            kept.push(*p + (next - *p) * (d / (d - d_next)));
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction_dynamics::spatial::vec3;

    /// A step: the plane of its tread, next to the cut, has the tread below and the riser above.
    #[test]
    fn a_cut_moves_onto_the_tread() {
        let tread = [[1.0, 0.0], [2.0, 0.0], [2.0, 1.0]].map(|[x, y]| vec3(x, y, 1.0));
        let riser = [[0.0, 1.0], [1.0, 1.0], [1.0, 3.0]].map(|[y, z]| vec3(1.0, y, z));
        let vertices = [tread, riser].concat();
        let side = |z: [f64; 2]| [[0.0, 2.0], [0.0, 1.0], z];
        let boxes = [side([1.05, 3.0]), side([0.0, 1.05])];
        let parts = on_faces(&vertices, &[[0, 1, 2], [3, 4, 5]], &boxes, 0.1).unwrap();
        assert_eq!(parts, [riser, tread].map(|t| t.to_vec()));
        // Too far off it stays: the riser is cut.
        let parts = on_faces(&vertices, &[[0, 1, 2], [3, 4, 5]], &boxes, 0.01).unwrap();
        assert_eq!(parts[1].iter().map(|p| p.z).fold(0.0, f64::max), 1.05);
    }

    #[test]
    fn boxes_like_bricks_in_a_wheel_are_not_cut() {
        let wheel = [[[0, 2], [0, 1]], [[2, 3], [0, 2]], [[1, 3], [2, 3]], [[0, 1], [1, 3]]];
        let boxes = wheel.map(|[x, y]| [x.map(f64::from), y.map(f64::from), [0.0, 1.0]]);
        assert!(on_faces(&[], &[], &boxes, 0.1).is_none());
    }
}
