//! Surfaces of shapes as flat faces: those that are round as polyhedra of the same volume, large faces as panels.
//!
//! ```text
//!     circle of radius r   n corners at R = r √(2π/(n sin(2π/n))), an n-gon of the same area                (1)
//!     ball                 the 20 faces of an icosahedron in n² triangles each, thrown onto the sphere of
//!                          radius R for which their volume is that of the ball                              (2)
//!     hemisphere           rings of (1), those over the equator farther out by the factor of the same volume   (3)
//! ```
//!
//! Inscribed polyhedra are smaller than what they stand for by a share of the order of (edge/r)², and every force with them; of the
//! same volume, errors of single faces cancel.

use super::polygon::{HalfSpace, Polygon};
use crate::shape::Shape;
use std::f64::consts::{PI, TAU};
use stiction_dynamics::spatial::{Vec3, vec3};

/// A flat face in the frame of its shape.
#[derive(Clone, Debug)]
pub(super) struct Face {
    /// Outward unit normal.
    pub(super) normal: Vec3,
    /// `normal` · x of its points [m].
    pub(super) offset: f64,
    /// Counter-clockwise from outside.
    pub(super) corners: Vec<Vec3>,
}

/// A part of a face no larger than the edge length that was asked for.
#[derive(Clone, Debug)]
pub(super) struct Panel {
    pub(super) corners: Vec<Vec3>,
    /// Walls between the panels of a face, at right angles to it.
    pub(super) walls: Vec<HalfSpace>,
}

impl Face {
    pub(super) fn new(corners: Vec<Vec3>) -> Self {
        let first = corners[0];
        let area =
            corners[1..].windows(2).fold(Vec3::ZERO, |sum, two| sum + (two[0] - first).cross(two[1] - first));
        let normal = area.normalized().unwrap_or(Vec3::Z);
        let offset = corners.iter().map(|x| normal.dot(*x)).sum::<f64>() / corners.len() as f64;
        Self { normal, offset, corners }
    }

    /// How many panels there are along the two sides at this edge length [m].
    fn grid(&self, edge: f64) -> ([Vec3; 2], [[f64; 2]; 2], [usize; 2]) {
        let n = self.corners.len();
        let along = |i: usize| self.corners[(i + 1) % n] - self.corners[i];
        let longest = (0..n).max_by(|&i, &j| along(i).norm_squared().total_cmp(&along(j).norm_squared()));
        let t1 = longest.and_then(|i| along(i).normalized()).unwrap_or(Vec3::X);
        let axes = [t1, self.normal.cross(t1)];
        let range = axes.map(|t| {
            let heights = self.corners.iter().map(|x| t.dot(*x));
            heights.fold([f64::INFINITY, f64::NEG_INFINITY], |[l, h], x| [l.min(x), h.max(x)])
        });
        (axes, range, range.map(|[l, h]| ((h - l) / edge - 1e-9).ceil().max(1.0) as usize))
    }

    /// The most panels that [`Self::panels`] makes.
    pub(super) fn count(&self, edge: f64) -> usize {
        let (_, _, [a, b]) = self.grid(edge);
        a.saturating_mul(b)
    }

    /// The face, cut by a grid along its longest side.
    pub(super) fn panels(&self, edge: f64) -> Vec<Panel> {
        let (axes, range, counts) = self.grid(edge);
        if counts == [1, 1] {
            return vec![Panel { corners: self.corners.clone(), walls: Vec::new() }];
        }
        let line = |axis: usize, k: usize| {
            let [l, h] = range[axis];
            l + (h - l) * (k as f64 / counts[axis] as f64)
        };
        let size = range.iter().fold(0.0_f64, |s, [l, h]| s.max(h - l));
        let (mut panels, mut polygon) = (Vec::new(), Polygon::default());
        for i in 0..counts[0] {
            for j in 0..counts[1] {
                let mut walls = Vec::new();
                for (axis, k) in [(0, i), (1, j)] {
                    if k > 0 {
                        walls.push(HalfSpace { normal: -axes[axis], offset: -line(axis, k) });
                    }
                    if k + 1 < counts[axis] {
                        walls.push(HalfSpace { normal: axes[axis], offset: line(axis, k + 1) });
                    }
                }
                polygon.set(self.corners.iter().copied());
                if walls.iter().all(|w| polygon.cut(w, 1e-12 * size))
                    && area(&polygon.corners) > 1e-14 * size * size
                {
                    panels.push(Panel { corners: polygon.corners.clone(), walls });
                }
            }
        }
        panels
    }
}

pub(super) fn area(corners: &[Vec3]) -> f64 {
    let first = corners[0];
    let sum = corners[1..].windows(2).fold(Vec3::ZERO, |s, two| s + (two[0] - first).cross(two[1] - first));
    0.5 * sum.norm()
}

/// Corners around a circle of radius `r` at this edge length.
pub(super) fn around(r: f64, edge: f64) -> usize {
    ((TAU * r / edge).ceil() as usize).max(8)
}

/// R of (1).
pub(super) fn same_area(r: f64, n: usize) -> f64 {
    let turn = TAU / n as f64;
    r * (turn / turn.sin()).sqrt()
}

/// Corner k of n at the radius `r` and the height `z`.
pub(super) fn on_circle(r: f64, z: f64, k: usize, n: usize) -> Vec3 {
    let (sin, cos) = (TAU * (k % n) as f64 / n as f64).sin_cos();
    vec3(r * cos, r * sin, z)
}

/// The faces of a box.
pub(super) fn of_box(half: Vec3) -> Vec<Face> {
    let mut faces = Vec::with_capacity(6);
    for axis in 0..3 {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        for sign in [1.0, -1.0] {
            let corner = |a: f64, b: f64| {
                let mut x = Vec3::ZERO;
                (x[axis], x[u], x[v]) = (sign * half[axis], sign * a * half[u], b * half[v]);
                x
            };
            faces.push(Face::new(vec![
                corner(-1.0, -1.0),
                corner(1.0, -1.0),
                corner(1.0, 1.0),
                corner(-1.0, 1.0),
            ]));
        }
    }
    faces
}

/// A prism with n sides: the sides, then the top, then the bottom.
pub(super) fn of_cylinder(radius: f64, half_length: f64, n: usize) -> Vec<Face> {
    let r = same_area(radius, n);
    let at = |k: usize, z: f64| on_circle(r, z, k, n);
    let l = half_length;
    let mut faces: Vec<Face> =
        (0..n).map(|k| Face::new(vec![at(k, -l), at(k + 1, -l), at(k + 1, l), at(k, l)])).collect();
    faces.push(Face::new((0..n).map(|k| at(k, l)).collect()));
    faces.push(Face::new((0..n).rev().map(|k| at(k, -l)).collect()));
    faces
}

/// A pyramid with n sides, then its base.
pub(super) fn of_cone(radius: f64, half_height: f64, n: usize) -> Vec<Face> {
    let r = same_area(radius, n);
    let at = |k: usize| on_circle(r, -half_height, k, n);
    let apex = vec3(0.0, 0.0, half_height);
    let mut faces: Vec<Face> = (0..n).map(|k| Face::new(vec![at(k), at(k + 1), apex])).collect();
    faces.push(Face::new((0..n).rev().map(at).collect()));
    faces
}

/// Parts of an edge of the icosahedron at this edge length on the unit ball.
pub(super) fn frequency(edge: f64) -> usize {
    // The angle that an edge of the icosahedron is seen under.
    let angle = (1.0 / 5.0_f64.sqrt()).acos();
    ((angle / edge).ceil() as usize).max(1)
}

/// Triangles (2) of the unit ball.
pub(super) fn of_ball(frequency: usize) -> Vec<[Vec3; 3]> {
    let golden = 0.5 * (1.0 + 5.0_f64.sqrt());
    let mut corners = Vec::with_capacity(12);
    for (a, b) in [(1.0, golden), (-1.0, golden), (1.0, -golden), (-1.0, -golden)] {
        corners.extend([vec3(0.0, a, b), vec3(a, b, 0.0), vec3(b, 0.0, a)]);
    }
    let near = |i: usize, j: usize| i != j && (corners[i] - corners[j]).norm_squared() < 4.5;
    let f = frequency as f64;
    let mut out = Vec::with_capacity(20 * frequency * frequency);
    for i in 0..12 {
        for j in i + 1..12 {
            for k in j + 1..12 {
                if !(near(i, j) && near(j, k) && near(i, k)) {
                    continue;
                }
                let (a, mut b, mut c) = (corners[i], corners[j], corners[k]);
                if a.dot(b.cross(c)) < 0.0 {
                    (b, c) = (c, b);
                }
                let at = |u: usize, v: usize| {
                    let x = a * (f - (u + v) as f64) + b * u as f64 + c * v as f64;
                    x * (1.0 / x.norm())
                };
                for u in 0..frequency {
                    for v in 0..frequency - u {
                        out.push([at(u, v), at(u + 1, v), at(u, v + 1)]);
                        if u + v + 1 < frequency {
                            out.push([at(u + 1, v), at(u + 1, v + 1), at(u, v + 1)]);
                        }
                    }
                }
            }
        }
    }
    let volume = out.iter().map(|[a, b, c]| a.dot(b.cross(*c))).sum::<f64>() / 6.0;
    let scale = (4.0 / 3.0 * PI / volume).cbrt();
    out.iter_mut().flatten().for_each(|x| *x = *x * scale);
    out
}

/// The strips of a capsule, one side of a prism each; then the faces of its upper and of its lower cap.
pub(super) fn of_capsule(radius: f64, half_length: f64, edge: f64) -> [Vec<Face>; 3] {
    let n = around(radius, edge);
    let rings = ((0.5 * PI * radius / edge).ceil() as usize).max(2);
    let big = same_area(radius, n);
    let level = |i: usize| (0.5 * PI * i as f64 / rings as f64).sin_cos();
    // (3): of two rings at radii a and b, a height h apart, the volume is that of the n-gon times h (a² + a b + b²)/3. Of the unit ball,
    // with the factor x it is the sum of `first` and x³ times `rest`, to be 2π/3.
    let zone = |a: f64, b: f64, h: f64| PI * h * (a * a + a * b + b * b) / 3.0;
    let rest: f64 =
        (1..rings).map(|i| (level(i), level(i + 1))).map(|((s, c), (t, d))| zone(c, d, t - s)).sum();
    let (height, across) = level(1);
    let mut out = 1.0;
    for _ in 0..8 {
        let volume = zone(1.0, out * across, out * height) + out * out * out * rest;
        let slope = PI * height * (1.0 + 2.0 * out * across + 3.0 * (out * across).powi(2)) / 3.0
            + 3.0 * out * out * rest;
        out -= (volume - 2.0 / 3.0 * PI) / slope;
    }
    let at = |i: usize, k: usize, up: f64| {
        let (sin, cos) = level(i);
        let out = if i == 0 { 1.0 } else { out };
        on_circle(
            out * big * if i == rings { 0.0 } else { cos },
            up * (half_length + out * radius * sin),
            k,
            n,
        )
    };
    let strips = (0..n)
        .map(|k| Face::new(vec![at(0, k, -1.0), at(0, k + 1, -1.0), at(0, k + 1, 1.0), at(0, k, 1.0)]))
        .collect();
    let cap = |up: f64| {
        let mut faces = Vec::with_capacity(n * rings);
        for i in 0..rings {
            for k in 0..n {
                let mut corners = vec![at(i, k, up), at(i, k + 1, up), at(i + 1, k + 1, up)];
                if i + 1 < rings {
                    corners.push(at(i + 1, k, up));
                }
                if up < 0.0 {
                    corners.reverse();
                }
                faces.push(Face::new(corners));
            }
        }
        faces
    };
    [strips, cap(1.0), cap(-1.0)]
}

/// All faces of a bounded shape at this edge length [m]; of triangle meshes and height fields their triangles.
pub(super) fn of_shape(shape: &Shape, edge: f64) -> Vec<Face> {
    let triangles = |list: Vec<[Vec3; 3]>| list.into_iter().map(|t| Face::new(t.to_vec())).collect();
    match shape {
        Shape::Plane => Vec::new(),
        Shape::Sphere { radius } => {
            triangles(of_ball(frequency(edge / radius)).iter().map(|t| t.map(|x| x * *radius)).collect())
        }
        Shape::Ellipsoid { radii } => {
            let scaled = |x: Vec3| vec3(x.x * radii.x, x.y * radii.y, x.z * radii.z);
            let largest = radii.x.max(radii.y).max(radii.z);
            triangles(of_ball(frequency(edge / largest)).iter().map(|t| t.map(scaled)).collect())
        }
        Shape::Box { half } => of_box(*half),
        Shape::Capsule { radius, half_length } => of_capsule(*radius, *half_length, edge).concat(),
        Shape::Cylinder { radius, half_length } => of_cylinder(*radius, *half_length, around(*radius, edge)),
        Shape::Cone { radius, half_height } => of_cone(*radius, *half_height, around(*radius, edge)),
        Shape::Convex(mesh) => {
            let corners =
                |f: &crate::faces::Face| f.vertices.iter().map(|v| mesh.vertices()[*v as usize]).collect();
            mesh.faces().iter().map(|f| Face::new(corners(f))).collect()
        }
        Shape::HeightField(field) => triangles(field.triangles().collect()),
        Shape::Mesh(mesh) => triangles((0..mesh.triangles().len()).map(|t| mesh.corners(t)).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pairs::testing::every_shape;

    fn volume(faces: &[Face]) -> f64 {
        let of = |f: &Face| {
            let first = f.corners[0];
            f.corners[1..].windows(2).map(|t| first.dot(t[0].cross(t[1])) / 6.0).sum::<f64>()
        };
        faces.iter().map(of).sum()
    }

    /// Faces close the volume of the shape, with normals outward; panels are parts of the same area.
    #[test]
    fn faces_have_the_volume_of_the_shape() {
        for shape in every_shape().iter().skip(1) {
            let expected = match shape {
                Shape::Sphere { radius } => 4.0 / 3.0 * PI * radius.powi(3),
                Shape::Box { half } => 8.0 * half.x * half.y * half.z,
                Shape::Capsule { radius, half_length } => {
                    PI * radius * radius * (4.0 / 3.0 * radius + 2.0 * half_length)
                }
                Shape::Cylinder { radius, half_length } => PI * radius * radius * 2.0 * half_length,
                Shape::Ellipsoid { radii } => 4.0 / 3.0 * PI * radii.x * radii.y * radii.z,
                Shape::Cone { radius, half_height } => PI * radius * radius * 2.0 * half_height / 3.0,
                _ => continue,
            };
            let edge = 0.3 * shape.size();
            let faces = of_shape(shape, edge);
            let error = volume(&faces) / expected - 1.0;
            assert!(error.abs() < 1e-12, "{}: {error}", shape.name());
            for face in &faces {
                assert!(face.corners.iter().all(|x| (face.normal.dot(*x) - face.offset).abs() < 1e-12));
                let parts: f64 = face.panels(edge).iter().map(|p| area(&p.corners)).sum();
                assert!((parts / area(&face.corners) - 1.0).abs() < 1e-12);
            }
        }
    }
}
