//! Which parts of a convex polyhedron are nearest to which of its faces: the medial surface between them.
//!
//! What is nearest to a face is over that face and behind the planes that are as far from it and from another one. Most of these
//! planes bound it nowhere: the part is cut out of the prism over the face, and those that are left are its walls.

use super::faces::{Face, area};
use super::polygon::{HalfSpace, Polygon};
use stiction_dynamics::spatial::Vec3;

/// Points nearer to a plane than by this share of the size are on it [–].
const ON: f64 = 1e-10;

/// The parts of a polyhedron.
pub(super) struct Medial {
    /// Per face, those whose parts meet its own.
    pub(super) beside: Vec<Vec<usize>>,
    /// Largest distance of a point inside from the nearest face [m].
    pub(super) deepest: f64,
}

/// The plane that is as far from two faces; the part of the first is behind it. `None` of faces in one plane.
pub(super) fn between(face: &Face, other: &Face) -> Option<HalfSpace> {
    let across = other.normal - face.normal;
    let length = across.norm();
    let wall =
        HalfSpace { normal: across * (1.0 / length), offset: (other.offset - face.offset) * (1.0 / length) };
    (length > ON).then_some(wall)
}

impl Medial {
    pub(super) fn new(faces: &[Face]) -> Self {
        let mut medial = Self { beside: Vec::with_capacity(faces.len()), deepest: 0.0 };
        let corners = || faces.iter().flat_map(|f| &f.corners);
        for (i, face) in faces.iter().enumerate() {
            let depth = corners().fold(0.0_f64, |d, x| d.max(face.offset - face.normal.dot(*x)));
            let mut part = Part::prism(face, depth);
            let on = ON * depth;
            // What is opposite, and what leans most, cuts most off.
            let mut others: Vec<usize> = (0..faces.len()).filter(|j| *j != i).collect();
            let facing = |j: &usize| face.normal.dot(faces[*j].normal);
            others.sort_by(|a, b| facing(a).total_cmp(&facing(b)));
            for j in others {
                if let Some(wall) = between(face, &faces[j]) {
                    part.cut(&wall, j, on);
                }
            }
            let heights = part.sides.iter().flat_map(|(_, side)| &side.corners);
            let deepest = heights.fold(0.0_f64, |d, x| d.max(face.offset - face.normal.dot(*x)));
            medial.deepest = medial.deepest.max(deepest);
            part.sides.retain(|(_, side)| area(&side.corners) > on * depth);
            medial.beside.push(part.sides.iter().filter_map(|(of, _)| *of).collect());
        }
        medial
    }
}

/// A convex body by its sides, each with the face that it lies between, if any.
struct Part {
    sides: Vec<(Option<usize>, Polygon)>,
}

impl Part {
    /// All that is over a face, down to a depth.
    fn prism(face: &Face, depth: f64) -> Self {
        let (n, down) = (face.corners.len(), face.normal * -depth);
        let mut sides = Vec::with_capacity(n + 2);
        let mut side = |corners: Vec<Vec3>| {
            let mut polygon = Polygon::default();
            polygon.set(corners.into_iter());
            sides.push((None, polygon));
        };
        side(face.corners.clone());
        side(face.corners.iter().rev().map(|x| *x + down).collect());
        for k in 0..n {
            let [x, y] = [face.corners[k], face.corners[(k + 1) % n]];
            side(vec![y, x, x + down, y + down]);
        }
        Self { sides }
    }

    /// Takes away what is before a wall, which becomes a side.
    fn cut(&mut self, wall: &HalfSpace, of: usize, on: f64) {
        let height = |x: &Vec3| wall.normal.dot(*x) - wall.offset;
        if self.sides.iter().flat_map(|(_, side)| &side.corners).all(|x| height(x) <= on) {
            return;
        }
        let mut rim: Vec<Vec3> = Vec::new();
        self.sides.retain_mut(|(_, side)| {
            let left = side.cut(wall, on);
            if left {
                rim.extend(side.corners.iter().filter(|x| height(x).abs() <= on));
            }
            left
        });
        let middle = rim.iter().fold(Vec3::ZERO, |sum, x| sum + *x) * (1.0 / rim.len() as f64);
        let (t1, t2) = wall.normal.tangents();
        let angle = |x: &Vec3| t2.dot(*x - middle).atan2(t1.dot(*x - middle));
        rim.sort_by(|a, b| angle(a).total_cmp(&angle(b)));
        rim.dedup_by(|a, b| (*a - *b).norm() <= 4.0 * on);
        if rim.len() > 2 {
            let mut side = Polygon::default();
            side.set(rim.into_iter());
            self.sides.push((Some(of), side));
        }
    }
}
