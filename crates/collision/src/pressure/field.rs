//! The pressure field of a compliant solid: convex cells, in each of which the pressure is linear.
//!
//! The pressure is E e, with the modulus E and the extent e of a point, which is 0 on the surface and 1 where the solid is deepest:
//!
//! ```text
//!     box, cylinder, cone,
//!     convex polyhedron      e = depth under the nearest face over the largest depth                      (1)
//!     ball, ellipsoid        e = 1 − ‖D⁻¹ x‖, D the semi-axes: 1 at the centre                             (2)
//!     capsule                e = 1 − distance from its segment over the radius                            (3)
//!     half-space             e = depth over a thickness that is given                                     (4)
//! ```
//!
//! The cells of (1) lie under the panels of faces, cut by the planes that are as far from two faces (the [medial] surface); those of
//! (2) are the pyramids over faces from the centre, those of (3) wedges and pyramids from the segment. e is
//! continuous from cell to cell. [Elandt2019]

use super::faces::{self, Face, Panel};
use super::medial::{self, Medial};
use super::polygon::{HalfSpace, Linear};
use crate::aabb::Aabb;
use crate::mesh::tree::Tree;
use crate::shape::Shape;
use stiction_dynamics::spatial::{Vec3, vec3};

/// A convex part of the solid: where all its walls are behind.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    walls: [u32; 2],
    pub(super) pressure: Linear,
    pub(super) bounds: Aabb,
}

/// Cells, in the frame of the geometry.
#[derive(Clone, Debug)]
pub(super) struct Field {
    pub(super) cells: Vec<Cell>,
    walls: Vec<HalfSpace>,
    pub(super) tree: Tree,
    pub(super) modulus: f64,
}

impl Field {
    pub(super) fn walls(&self, cell: usize) -> &[HalfSpace] {
        let [start, end] = self.cells[cell].walls;
        &self.walls[start as usize..end as usize]
    }

    /// The field of a bounded convex shape; `None` for others.
    pub(super) fn new(shape: &Shape, modulus: f64, edge: f64) -> Option<Self> {
        let mut made = Making { cells: Vec::new(), walls: Vec::new(), modulus };
        match shape {
            Shape::Plane | Shape::HeightField(_) | Shape::Mesh(_) => return None,
            Shape::Sphere { .. } | Shape::Ellipsoid { .. } => {
                for face in faces::of_shape(shape, edge) {
                    made.pyramid(Vec3::ZERO, &face, &face.corners);
                }
            }
            Shape::Convex(_) => {
                let all = faces::of_shape(shape, edge);
                let Medial { beside, deepest } = Medial::new(&all);
                made.medial(&all, &|i| beside[i].clone(), deepest, edge);
            }
            Shape::Capsule { radius, half_length } => {
                let [strips, upper, lower] = faces::of_capsule(*radius, *half_length, edge);
                let strips_of = strips.len();
                for (k, face) in strips.iter().enumerate() {
                    made.wedges(face, (k, strips_of), *half_length, edge);
                }
                for (cap, z) in [(&upper, *half_length), (&lower, -half_length)] {
                    for face in cap {
                        made.pyramid(vec3(0.0, 0.0, z), face, &face.corners);
                    }
                }
            }
            Shape::Box { half } => {
                let all = faces::of_box(*half);
                let others = |i: usize| (0..6).filter(|j| *j != i).collect();
                made.medial(&all, &others, half.x.min(half.y).min(half.z), edge);
            }
            Shape::Cylinder { radius, half_length } => {
                let n = faces::around(*radius, edge);
                let all = faces::of_cylinder(*radius, *half_length, n);
                let deepest = all[0].offset.min(*half_length);
                made.medial(&all, &|i| beside(i, n, 2), deepest, edge);
            }
            Shape::Cone { radius, half_height } => {
                let n = faces::around(*radius, edge);
                let all = faces::of_cone(*radius, *half_height, n);
                // Where on the axis the base is as far as the sides: z + H = offset − n_z z.
                let side = &all[0];
                let z = (side.offset - half_height) / (1.0 + side.normal.z);
                made.medial(&all, &|i| beside(i, n, 1), z + half_height, edge);
            }
        }
        let boxes: Vec<Aabb> = made.cells.iter().map(|c| c.bounds).collect();
        Some(Self { tree: Tree::new(&boxes), cells: made.cells, walls: made.walls, modulus })
    }

    /// The pressure at a point [Pa], and in how many cells it is; zero outside.
    #[cfg(test)]
    pub(super) fn at(&self, x: Vec3) -> (f64, usize) {
        let holds = |i: &usize| self.walls(*i).iter().all(|w| w.normal.dot(x) <= w.offset);
        let inside: Vec<usize> = (0..self.cells.len()).filter(holds).collect();
        (inside.first().map_or(0.0, |i| self.cells[*i].pressure.at(x)), inside.len())
    }
}

/// Faces that share an edge with side i of n, or with one of the `ends` faces after the sides.
fn beside(i: usize, n: usize, ends: usize) -> Vec<usize> {
    if i < n {
        [(i + 1) % n, (i + n - 1) % n].into_iter().chain(n..n + ends).collect()
    } else {
        (0..n + ends).filter(|j| *j != i).collect()
    }
}

struct Making {
    cells: Vec<Cell>,
    walls: Vec<HalfSpace>,
    modulus: f64,
}

impl Making {
    fn push(&mut self, walls: impl IntoIterator<Item = HalfSpace>, pressure: Linear, bounds: Aabb) {
        let start = self.walls.len() as u32;
        self.walls.extend(walls);
        self.cells.push(Cell { walls: [start, self.walls.len() as u32], pressure, bounds });
    }

    /// Pressure that falls to zero over `depth` [m] towards the face.
    fn falling(&self, face: &Face, depth: f64) -> Linear {
        let slope = self.modulus / depth;
        Linear { gradient: face.normal * -slope, at_origin: face.offset * slope }
    }

    /// The part between `apex` and a part of a face.
    fn pyramid(&mut self, apex: Vec3, face: &Face, corners: &[Vec3]) {
        let depth = face.offset - face.normal.dot(apex);
        if depth.is_nan() || depth <= 0.0 {
            return;
        }
        let n = corners.len();
        let side = |k: usize| {
            let across = (corners[(k + 1) % n] - apex).cross(corners[k] - apex).normalized()?;
            Some(HalfSpace { normal: across, offset: across.dot(apex) })
        };
        let sides: Vec<HalfSpace> = (0..n).filter_map(side).collect();
        let base = HalfSpace { normal: face.normal, offset: face.offset };
        let bounds = around(corners).joined(&Aabb::around(apex, Vec3::ZERO));
        self.push(sides.into_iter().chain([base]), self.falling(face, depth), bounds);
    }

    /// The parts between side k of n of a prism and its axis z.
    fn wedges(&mut self, face: &Face, (k, n): (usize, usize), half_length: f64, edge: f64) {
        let parts = ((2.0 * half_length / edge).ceil() as usize).max(1);
        let height = |i: usize| half_length * (2.0 * i as f64 / parts as f64 - 1.0);
        // Directions of the two edges of the side, turned by a right angle.
        let [from, to] = [k, k + 1].map(|k| {
            let x = faces::on_circle(1.0, 0.0, k, n);
            vec3(-x.y, x.x, 0.0)
        });
        for i in 0..parts {
            let (low, high) = (height(i), height(i + 1));
            let walls = [
                HalfSpace { normal: face.normal, offset: face.offset },
                HalfSpace { normal: -from, offset: 0.0 },
                HalfSpace { normal: to, offset: 0.0 },
                HalfSpace { normal: Vec3::Z, offset: high },
                HalfSpace { normal: -Vec3::Z, offset: -low },
            ];
            let mut bounds = around(&face.corners).joined(&Aabb::around(Vec3::ZERO, Vec3::ZERO));
            (bounds.min.z, bounds.max.z) = (low, high);
            self.push(walls, self.falling(face, face.offset), bounds);
        }
    }

    /// The parts under every panel of every face that are nearer to it than to the faces of `neighbors`.
    fn medial(&mut self, all: &[Face], neighbors: &dyn Fn(usize) -> Vec<usize>, deepest: f64, edge: f64) {
        for (i, face) in all.iter().enumerate() {
            let mut own: Vec<HalfSpace> =
                neighbors(i).into_iter().filter_map(|j| medial::between(face, &all[j])).collect();
            own.push(HalfSpace { normal: face.normal, offset: face.offset });
            for Panel { corners, walls } in face.panels(edge) {
                // The nearest point of the surface of a point of the cell is in the panel.
                let top = around(&corners);
                let bounds = top.joined(&top.shifted(face.normal * -deepest));
                self.push(own.iter().copied().chain(walls), self.falling(face, deepest), bounds);
            }
        }
    }
}

fn around(points: &[Vec3]) -> Aabb {
    let one = |x: Vec3| Aabb::around(x, Vec3::ZERO);
    points[1..].iter().fold(one(points[0]), |sum, x| sum.joined(&one(*x)))
}
