//! How deep two overlapping cores are in each other, with a proof.
//!
//! With D = A − B = {a − b}, whose support function is H, the depth is
//!
//! ```text
//!     δ = min { H(n) : ‖n‖ = 1 } = the distance of the origin from the surface of D      (1)
//! ```
//!
//! A polytope P inside D is grown, one support point of D at a time, over the face nearest to
//! the origin. Every H(n) seen is an upper bound of δ, the smallest offset of a face of P a lower
//! one,
//!
//! ```text
//!     min over faces of P  n·w  =  min over n  H_P(n)  ≤  δ  ≤  H(n)                     (2)
//! ```
//!
//! so that the search ends when the two meet, and what it returns is the depth: of polyhedra up to
//! rounding, since a face of D is reached in finitely many steps. This is the expanding polytope
//! algorithm [VanDenBergen2001] with a bound for its end; the origin may be outside P at the start.
//!
//! A sliver, a face without a normal, is never the nearest; it goes with the first face next to
//! it. What that hides is as small as the sliver is thin. Lengths are in units of the size of D.

use stiction_dynamics::spatial::Vec3;

/// The bounds (2) are this close at the end.
const CLOSE: f64 = 1e-12;
/// A point this much over a face sees it.
const ABOVE: f64 = 1e-14;
/// Twice the area of a face below which it has no normal.
const SLIVER: f64 = 1e-15;
/// Extents below this are none.
const FLAT: f64 = 1e-9;
/// Points of P, at most: polyhedra need a few dozen, round shapes as many as they get.
const POINTS: usize = 250;

/// The way to the nearest point of the surface of D.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Depth {
    /// Unit, out of D: the way B must go to leave A.
    pub(crate) normal: Vec3,
    /// Interval between the bounds (2) [m].
    pub(crate) slack: f64,
}

/// A triangle of P, counter-clockwise from outside.
#[derive(Clone, Copy, Debug)]
struct Triangle {
    corners: [usize; 3],
    /// `across[k]` is beyond the side from corner k to the next.
    across: [usize; 3],
    normal: Vec3,
    /// n·w; infinite for slivers.
    offset: f64,
    alive: bool,
}

/// A side of a hole in P, from corner to corner around it, and the face beyond.
#[derive(Clone, Copy, Debug)]
struct Side {
    from: usize,
    to: usize,
    beyond: usize,
}

/// P, kept between calls to save its allocation; it carries nothing from call to call.
#[derive(Debug, Default)]
pub(crate) struct Polytope {
    points: Vec<Vec3>,
    faces: Vec<Triangle>,
    /// Faces that a new point sees: their places are used again.
    seen: Vec<usize>,
    /// The rim of the hole they leave.
    rim: Vec<Side>,
}

impl Polytope {
    /// (1). `support(n)` is a point of D farthest along n, `start` any direction. `None` when D is
    /// flat.
    pub(crate) fn depth(&mut self, support: impl Fn(Vec3) -> Vec3, start: Vec3) -> Option<Depth> {
        self.begin(&support, start)?;
        let mut least = (self.faces[self.nearest()], f64::INFINITY);
        loop {
            let nearest = self.nearest();
            let face = self.faces[nearest];
            let point = support(face.normal);
            let h = face.normal.dot(point);
            if h < least.1 {
                least = (face, h);
            }
            let slack = least.1 - face.offset;
            if slack <= CLOSE || self.points.len() == POINTS || !self.add(point, nearest) {
                return Some(Depth { normal: least.0.normal, slack });
            }
        }
    }

    /// A tetrahedron of support points.
    fn begin(&mut self, support: impl Fn(Vec3) -> Vec3, start: Vec3) -> Option<()> {
        self.points.clear();
        self.faces.clear();
        let farthest = |d: Vec3, height: &dyn Fn(Vec3) -> f64| {
            let [p, q] = [support(d), support(-d)];
            let best = if height(q) > height(p) { q } else { p };
            (height(best) > FLAT).then_some(best)
        };
        let (p, q) = (support(start), support(-start));
        let line = (q - p).normalized()?;
        let (u, v) = line.tangents();
        let from_line = |w: Vec3| (w - p).cross(line).norm();
        let r = farthest(u, &from_line).or_else(|| farthest(v, &from_line))?;
        let n = (q - p).cross(r - p).normalized()?;
        let s = farthest(n, &|w| n.dot(w - p).abs())?;
        self.points.extend([p, q, r, s]);
        let (i, j) = if n.dot(s - p) < 0.0 { (1, 2) } else { (2, 1) };
        // (0, i, j) faces away from 3.
        let around =
            [([0, i, j], [1, 2, 3]), ([0, 3, i], [3, 2, 0]), ([i, 3, j], [1, 3, 0]), ([j, 3, 0], [2, 1, 0])];
        for (corners, across) in around {
            let face = self.triangle(corners, across);
            self.faces.push(face);
        }
        Some(())
    }

    fn triangle(&self, corners: [usize; 3], across: [usize; 3]) -> Triangle {
        let [a, b, c] = corners.map(|i| self.points[i]);
        let cross = (b - a).cross(c - a);
        let twice_area = cross.norm();
        let (normal, offset) = if twice_area > SLIVER {
            let normal = cross * (1.0 / twice_area);
            (normal, normal.dot(a))
        } else {
            (Vec3::ZERO, f64::INFINITY)
        };
        Triangle { corners, across, normal, offset, alive: true }
    }

    fn nearest(&self) -> usize {
        let (mut best, mut offset) = (0, f64::INFINITY);
        for (i, face) in self.faces.iter().enumerate() {
            if face.alive && face.offset < offset {
                (best, offset) = (i, face.offset);
            }
        }
        best
    }

    /// Replaces what `point` sees, `first` among it, by a cone over the rim; false when rounding
    /// leaves no proper rim.
    fn add(&mut self, point: Vec3, first: usize) -> bool {
        let apex = self.points.len();
        self.points.push(point);
        self.seen.clear();
        self.rim.clear();
        self.seen.push(first);
        self.faces[first].alive = false;
        let mut next = 0;
        while let Some(&here) = self.seen.get(next) {
            next += 1;
            for k in 0..3 {
                let there = self.faces[here].across[k];
                let beyond = &mut self.faces[there];
                if !beyond.alive {
                    continue;
                }
                if beyond.normal.dot(point) - beyond.offset > ABOVE || beyond.offset == f64::INFINITY {
                    beyond.alive = false;
                    self.seen.push(there);
                }
            }
        }
        for &here in &self.seen {
            let Triangle { corners, across, .. } = self.faces[here];
            for k in 0..3 {
                if self.faces[across[k]].alive {
                    self.rim.push(Side { from: corners[k], to: corners[(k + 1) % 3], beyond: across[k] });
                }
            }
        }
        self.close(apex)
    }

    /// The cone from the rim to the new point.
    fn close(&mut self, apex: usize) -> bool {
        let n = self.rim.len();
        // A hole without islands has two sides more than it had faces.
        if n != self.seen.len() + 2 || !chain(&mut self.rim) {
            return false;
        }
        let (faces, fresh) = (self.faces.len(), self.seen.len());
        let place = |seen: &[usize], i: usize| if i < fresh { seen[i] } else { faces + i - fresh };
        for i in 0..n {
            let Side { from, to, beyond } = self.rim[i];
            let here = place(&self.seen, i);
            let across = [beyond, place(&self.seen, (i + 1) % n), place(&self.seen, (i + n - 1) % n)];
            let face = self.triangle([from, to, apex], across);
            if here < faces {
                self.faces[here] = face
            } else {
                self.faces.push(face)
            }
            let neighbor = &mut self.faces[beyond];
            let Some(k) = neighbor.corners.iter().position(|c| *c == to) else { return false };
            neighbor.across[k] = here;
        }
        true
    }
}

/// Puts the sides in the order in which they follow one another; false when they are not one loop.
fn chain(rim: &mut [Side]) -> bool {
    for i in 1..rim.len() {
        let end = rim[i - 1].to;
        match rim[i..].iter().position(|side| side.from == end) {
            Some(k) => rim.swap(i, i + k),
            None => return false,
        }
    }
    rim.last().is_some_and(|last| last.to == rim[0].from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pairs::testing::Lcg;
    use stiction_dynamics::spatial::vec3;

    fn cube(n: Vec3, half: f64) -> Vec3 {
        vec3(half.copysign(n.x), half.copysign(n.y), half.copysign(n.z))
    }

    /// Two cubes of side 1, B moved by p: they part along the axis in which p is longest.
    #[test]
    fn cubes_part_along_the_longest_offset() {
        let mut random = Lcg::new(3);
        let mut polytope = Polytope::default();
        for _ in 0..500 {
            let p = random.vector() * 0.9;
            let support = |n: Vec3| cube(n, 0.5) - cube(-n, 0.5) - p;
            let found = polytope.depth(support, random.unit()).unwrap();
            let longest = p.x.abs().max(p.y.abs()).max(p.z.abs());
            let depth = found.normal.dot(support(found.normal));
            assert!((depth - (1.0 - longest)).abs() < 1e-12 && found.slack < 1e-11, "{found:?}");
            assert!((found.normal.dot(p) - longest).abs() < 1e-12);
        }
    }

    /// Round shapes are met to the square of the angle that the points leave.
    #[test]
    fn balls_part_along_their_centres() {
        let mut random = Lcg::new(4);
        let mut polytope = Polytope::default();
        for _ in 0..100 {
            let p = random.unit() * 0.3;
            let support = |n: Vec3| n * (1.0 / n.norm()) - p;
            let found = polytope.depth(support, random.unit()).unwrap();
            let depth = found.normal.dot(support(found.normal));
            assert!((depth - 0.7).abs() < 1e-6 && found.slack < 1e-6, "{found:?}");
        }
    }

    #[test]
    fn a_flat_difference_has_no_depth() {
        let square = |n: Vec3| vec3(0.5_f64.copysign(n.x), 0.5_f64.copysign(n.y), 0.0);
        let support = |n: Vec3| square(n) + square(n);
        assert!(Polytope::default().depth(support, vec3(0.3, 0.2, 0.1)).is_none());
        assert!(Polytope::default().depth(|_| Vec3::ZERO, Vec3::Z).is_none());
    }
}
