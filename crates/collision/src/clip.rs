//! The common part of two patches, seen along the normal n from A to B.
//!
//! Projected along n, the overlap of two convex polygons is a convex polygon whose corners are
//! corners of A under B, corners of B over A, and crossings of a side of A with a side of B.
//! Both surfaces are planes there, hence the gap
//!
//! ```text
//!     φ = n · (p_B − p_A) − ρ_A − ρ_B,   p_B − p_A ∥ n,   ρ the roundings      (1)
//! ```
//!
//! is affine over the overlap and smallest at one of its corners: the corners are all the
//! contact points there can be. The overlap is found by cutting A with the sides of B, one after
//! the other [SutherlandHodgman1974]. A corner within `tolerance` of a cutting plane counts as on
//! it, so that stacks of equal boxes keep their corners whatever the solver has left of their speeds. Such a corner then
//! moves across n to where both polygons are.
//!
//! Two round bodies side by side (capsules, cylinders, cones; radii of curvature R) touch in a line only when exactly
//! parallel. Where their lines pass at an offset o across n, they are nearest along n where it is shared in proportion to
//! the radii:
//!
//! ```text
//!     φ = φₙ + (R_A + R_B) (1 − √(1 − q²)),   q = o/(R_A + R_B)                (2)
//! ```
//!
//! and from q = 1 on they do not face each other.

use crate::patch::{Corner, Patch, pair_code};
use crate::reduce::Candidates;
use stiction_dynamics::spatial::{Vec3, vec3};

/// How often a corner of the overlap is moved behind the sides in front of it, and when that ends [tolerances].
const MOVES: usize = 16;
const SETTLED: f64 = 1e-9;

/// A corner of the overlap: the index of a corner of A or B, or of two sides that cross.
#[derive(Clone, Copy)]
enum At {
    A(u8),
    B(u8),
    Crossing(u8, u8),
}

/// Whose side leads from a corner of the overlap to the next: that of A or B after its corner i.
#[derive(Clone, Copy)]
enum Side {
    A(u8),
    B(u8),
}

/// A corner of the overlap: `p` on the plane of A, in [`Axes`].
#[derive(Clone, Copy)]
struct Cut {
    p: Vec3,
    at: At,
    side: Side,
}

/// Coordinates across the normal (x, y) and along it (z): cutting needs two products per corner.
#[derive(Clone, Copy)]
struct Axes {
    origin: Vec3,
    t1: Vec3,
    t2: Vec3,
    n: Vec3,
}

impl Axes {
    #[inline]
    fn new(origin: Vec3, n: Vec3) -> Self {
        let (t1, t2) = n.tangents();
        Self { origin, t1, t2, n }
    }

    #[inline]
    fn direction(&self, d: Vec3) -> Vec3 {
        vec3(self.t1.dot(d), self.t2.dot(d), self.n.dot(d))
    }

    #[inline]
    fn place(&self, p: Vec3) -> Vec3 {
        self.direction(p - self.origin)
    }

    #[inline]
    fn point(&self, p: Vec3) -> Vec3 {
        self.origin + self.t1 * p.x + self.t2 * p.y + self.n * p.z
    }
}

/// A side of B, seen along the normal.
#[derive(Clone, Copy)]
struct Knife {
    start: Vec3,
    along: Vec3,
    /// Length of the side, squared [m²].
    squared: f64,
}

impl Knife {
    #[inline]
    fn new(start: Vec3, end: Vec3) -> Self {
        let along = end - start;
        Self { start, along, squared: along.x * along.x + along.y * along.y }
    }

    /// Height over the side, outward, times its length [m²].
    #[inline]
    fn over(&self, p: Vec3) -> f64 {
        self.along.x * (p.y - self.start.y) - self.along.y * (p.x - self.start.x)
    }

    /// The height along the normal of the point of the side under or over `p` [m].
    #[inline]
    fn height_at(&self, p: Vec3) -> f64 {
        let r = p - self.start;
        let share = (r.x * self.along.x + r.y * self.along.y) / self.squared;
        self.start.z + self.along.z * share.clamp(0.0, 1.0)
    }
}

/// Two patches, the normal from A to B, the roundings [m] and the largest gap wanted [m].
pub(crate) struct Meeting<'a, const N: usize> {
    pub(crate) a: &'a Patch<N>,
    pub(crate) b: &'a Patch<N>,
    pub(crate) normal: Vec3,
    pub(crate) rounding_a: f64,
    pub(crate) rounding_b: f64,
    pub(crate) margin: f64,
    /// Distance from a cutting plane up to which a corner is on it [m].
    pub(crate) tolerance: f64,
    /// Distance that rounding leaves between points that are one [m].
    pub(crate) rounding: f64,
}

impl<const N: usize> Meeting<'_, N> {
    /// Adds the corners of the overlap that are no farther than the margin; M is at least the sum
    /// of the corners of both. B must be a polygon; A may be a segment.
    pub(crate) fn overlap<const M: usize>(&self, out: &mut Candidates<M>) {
        let (a, b) = (self.a.corners(), self.b.corners());
        let axes = Axes::new(a[0].p, self.normal);
        let mut places = [Vec3::ZERO; N];
        for (place, corner) in places.iter_mut().zip(b) {
            *place = axes.place(corner.p);
        }
        let around = &places[..b.len()];
        let knife = |k: usize| Knife::new(around[k], around[if k + 1 == around.len() { 0 } else { k + 1 }]);
        let tolerance2 = self.tolerance * self.tolerance;

        let mut polygon = List::<M>::new();
        let mut heights = [0.0; M];
        for (i, corner) in a.iter().enumerate() {
            polygon.push(Cut { p: axes.place(corner.p), at: At::A(i as u8), side: Side::A(i as u8) });
        }
        let (mut beyond, rounding2) = (false, self.rounding * self.rounding);
        for k in 0..around.len() {
            let knife = knife(k);
            if knife.squared <= rounding2 {
                continue; // A side along the normal cuts nothing off.
            }
            let mut most = 0.0;
            for (height, cut) in heights.iter_mut().zip(polygon.items()) {
                *height = knife.over(cut.p);
                most = if *height > most { *height } else { most };
                let over = *height * *height;
                beyond |=
                    *height > 0.0 && over > rounding2 * knife.squared && over <= tolerance2 * knife.squared;
            }
            if most * most <= tolerance2 * knife.squared {
                continue;
            }
            polygon = self.cut(&polygon, k, &heights, &knife, &mut beyond);
            if polygon.len == 0 {
                return;
            }
        }

        let up = axes.direction(self.b.normal);
        let slope = [up.x / up.z, up.y / up.z];
        let over = |p: Vec3| around[0].z - slope[0] * (p.x - around[0].x) - slope[1] * (p.y - around[0].y);
        let shift = 0.5 * (self.rounding_a - self.rounding_b);
        if beyond {
            self.move_into_both(&mut polygon, &axes, around);
        }
        for cut in polygon.items() {
            // The heights of A and B, and the middle, from the corner itself where it is one.
            let (z_a, n) = (cut.p.z, self.normal);
            let feature = match cut.at {
                At::A(i) => pair_code(a[i as usize].vertex, self.b.face),
                At::B(k) => pair_code(self.a.face, b[k as usize].vertex),
                At::Crossing(i, k) => pair_code(a[i as usize].edge, b[k as usize].edge),
            };
            let (z_b, middle) = match cut.at {
                At::A(i) if !beyond => {
                    let z_b = over(cut.p);
                    (z_b, a[i as usize].p + n * (0.5 * (z_b - z_a) + shift))
                }
                At::B(k) if !beyond => {
                    let z_b = around[k as usize].z;
                    (z_b, b[k as usize].p + n * (0.5 * (z_a - z_b) + shift))
                }
                _ => {
                    let z_b = match cut.at {
                        At::Crossing(_, k) if !beyond => knife(k as usize).height_at(cut.p),
                        _ => over(cut.p),
                    };
                    (z_b, axes.point(vec3(cut.p.x, cut.p.y, 0.5 * (z_a + z_b) + shift)))
                }
            };
            self.point(middle, z_b - z_a - self.rounding_a - self.rounding_b, feature, out);
        }
    }

    /// Moves the corners of the overlap that are beyond a side by at most the tolerance to where both polygons are; drops
    /// what is nowhere near.
    #[cold]
    fn move_into_both<const M: usize>(&self, polygon: &mut List<M>, axes: &Axes, of_b: &[Vec3]) {
        let mut of_a = [Vec3::ZERO; N];
        for (place, corner) in of_a.iter_mut().zip(self.a.corners()) {
            *place = axes.place(corner.p);
        }
        let of_a = &of_a[..self.a.corners().len()];
        let side = |p: &[Vec3], k: usize, sign: f64| {
            let knife = Knife::new(p[k], p[if k + 1 == p.len() { 0 } else { k + 1 }]);
            let length = knife.squared.sqrt();
            // Outward from A is inward seen from B.
            let out = vec3(knife.along.y, -knife.along.x, 0.0) * (-sign / length);
            (length > self.rounding).then_some((out, out.dot(vec3(knife.start.x, knife.start.y, 0.0))))
        };
        let sides = || {
            let a = (0..of_a.len()).filter_map(move |k| side(of_a, k, -1.0));
            a.chain((0..of_b.len()).filter_map(move |k| side(of_b, k, 1.0)))
        };
        let slope = axes.direction(self.a.normal);
        let rise = if of_a.len() > 2 {
            vec3(-slope.x / slope.z, -slope.y / slope.z, 0.0)
        } else {
            let u = of_a[1] - of_a[0];
            vec3(u.x, u.y, 0.0) * (u.z / (u.x * u.x + u.y * u.y))
        };
        let mut kept = List::new();
        for cut in polygon.items() {
            let (mut p, mut most) = (cut.p, 0.0);
            for _ in 0..MOVES {
                most = 0.0_f64;
                for (out, reach) in sides() {
                    let over = out.dot(vec3(p.x, p.y, 0.0)) - reach;
                    if over > 0.0 {
                        p -= out * over;
                        most = most.max(over);
                    }
                }
                if most <= SETTLED * self.tolerance {
                    break;
                }
            }
            if most <= self.rounding {
                p.z = cut.p.z + rise.dot(p - cut.p);
                kept.push(Cut { p, ..*cut });
            }
        }
        *polygon = kept;
    }

    /// Two nearly parallel segments: the ends of the stretch they share; B may be any segment.
    pub(crate) fn stretch<const M: usize>(&self, out: &mut Candidates<M>) {
        let (a, b) = (self.a.corners(), self.b.corners());
        let flat = |v: Vec3| v - self.normal * self.normal.dot(v);
        let side = flat(a[1].p - a[0].p);
        let length = side.norm();
        let t = side * (1.0 / length);
        let place = |c: &Corner| t.dot(c.p - a[0].p);
        let (b0, b1) = (place(&b[0]), place(&b[1]));
        let (first, last) = if b0 <= b1 { (&b[0], &b[1]) } else { (&b[1], &b[0]) };
        let (low, high) = (b0.min(b1), b0.max(b1));
        let (from, to) = (low.max(0.0), high.min(length));
        if from > to {
            return;
        }
        // An end of A counts as inside B within the tolerance, as in the overlap of polygons.
        let from_a = low <= self.tolerance;
        let to_a = high >= length - self.tolerance;
        let ends = [(from, from_a, &a[0], first), (to, to_a, &a[1], last)];
        for (x, end_of_a, corner_a, corner_b) in ends {
            let p_a = a[0].p + (a[1].p - a[0].p) * (x / length);
            let p_b = b[0].p + (b[1].p - b[0].p) * ((x - b0) / (b1 - b0));
            let feature = if end_of_a {
                pair_code(corner_a.vertex, b[0].edge)
            } else {
                pair_code(a[0].edge, corner_b.vertex)
            };
            let radius = |[r0, r1]: [f64; 2], share: f64| r0 + (r1 - r0) * share;
            let r_a = radius(self.a.radii, x / length);
            let r_b = radius(self.b.radii, (x - b0) / (b1 - b0));
            let (offset, r) = (flat(p_b - p_a), r_a + r_b);
            // Edges face each other where they cross.
            let width = if r > 0.0 { r } else { self.rounding };
            let (share, q) = (if r > 0.0 { r_a / r } else { 0.5 }, offset.norm() / width);
            if q >= 1.0 {
                continue;
            }
            // (2), and halfway between both surfaces there.
            let fall = 1.0 - (1.0 - q * q).sqrt();
            let gap = self.gap(p_a, p_b) + r * fall;
            let (from_a, to_b) = (p_a + offset * share, p_b - offset * (1.0 - share));
            let shift = 0.5 * (self.rounding_a - self.rounding_b + (r_b - r_a) * fall);
            self.point((from_a + to_b) * 0.5 + self.normal * shift, gap, feature, out);
        }
    }

    /// Gap (1) along the normal between a point of A and one of B [m].
    fn gap(&self, p_a: Vec3, p_b: Vec3) -> f64 {
        self.normal.dot(p_b - p_a) - self.rounding_a - self.rounding_b
    }

    #[inline]
    fn point<const M: usize>(&self, middle: Vec3, gap: f64, feature: u32, out: &mut Candidates<M>) {
        // A segment is a polygon of two sides in one place: it meets a side of B twice.
        let segment = self.a.corners().len() == 2;
        let repeated = segment && out.points().iter().any(|p| p.feature == feature);
        if gap <= self.margin && !repeated {
            out.push(middle, gap, feature);
        }
    }

    /// The part of `polygon` behind side k of B, the knife, given the heights of its corners over that side, times
    /// its length. A crossing at an end of the side is that corner of B, from which it may be a little away: `beyond`.
    #[inline]
    fn cut<const M: usize>(
        &self,
        polygon: &List<M>,
        k: usize,
        heights: &[f64; M],
        knife: &Knife,
        beyond: &mut bool,
    ) -> List<M> {
        let (corners, tolerance) = (self.b.corners().len(), self.tolerance * knife.squared.sqrt());
        let mut kept = List::new();
        let items = polygon.items();
        let heights = &heights[..items.len()];
        let mut d = heights[0];
        for (i, here) in items.iter().enumerate() {
            let next = if i + 1 == items.len() { 0 } else { i + 1 };
            let (there, d_next) = (&items[next], heights[next]);
            let inside = d <= tolerance;
            let leaves = d_next > tolerance;
            if inside {
                let side = if leaves && d >= -tolerance { Side::B(k as u8) } else { here.side };
                kept.push(Cut { side, ..*here });
            }
            let goes_out = d < -tolerance && leaves;
            let comes_in = d > tolerance && d_next < -tolerance;
            if goes_out || comes_in {
                let p = here.p + (there.p - here.p) * (d / (d - d_next));
                let at = match here.side {
                    Side::A(i) => {
                        let r = p - knife.start;
                        let along = r.x * knife.along.x + r.y * knife.along.y;
                        let next = if k + 1 == corners { 0 } else { k + 1 };
                        let from_next = knife.squared - along;
                        let (near, corner) = if along < from_next { (along, k) } else { (from_next, next) };
                        if near.abs() <= tolerance {
                            *beyond |= near.abs() > self.rounding * knife.squared.sqrt();
                            At::B(corner as u8)
                        } else {
                            At::Crossing(i, k as u8)
                        }
                    }
                    Side::B(j) => At::B(shared_corner(j as usize, k, corners) as u8),
                };
                kept.push(Cut { p, at, side: if goes_out { Side::B(k as u8) } else { here.side } });
            }
            d = d_next;
        }
        kept
    }
}

/// The corner between the sides j and k of a polygon of n sides; k's own when they are not
/// neighbours, which only happens when the sides between are shorter than the tolerance.
fn shared_corner(j: usize, k: usize, n: usize) -> usize {
    if j == k + 1 || j + n == k + 1 { j } else { k }
}

/// At most M corners of a polygon under the knife.
struct List<const M: usize> {
    items: [Cut; M],
    len: usize,
}

impl<const M: usize> List<M> {
    #[inline]
    fn new() -> Self {
        Self { items: [Cut { p: Vec3::ZERO, at: At::A(0), side: Side::A(0) }; M], len: 0 }
    }

    #[inline]
    fn items(&self) -> &[Cut] {
        &self.items[..self.len]
    }

    /// A cut adds at most one corner to a convex polygon; rounding could add more, which are
    /// dropped.
    #[inline]
    fn push(&mut self, cut: Cut) {
        if self.len < M {
            self.items[self.len] = cut;
            self.len += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Frame;
    use crate::patch::box_face;
    use stiction_dynamics::spatial::{Pose, Quat};

    /// Overlap of the top of a cube of side 2 with the bottom of another, moved and turned.
    fn stacked(x: f64, y: f64, yaw: f64) -> Candidates<16> {
        let half = vec3(1.0, 1.0, 1.0);
        let lower = Frame::new(&Pose::IDENTITY);
        let upper = Frame::new(&Pose::new(Quat::from_axis_angle(Vec3::Z, yaw), vec3(x, y, 1.999)));
        let (a, b) = (box_face::<4>(half, &lower, Vec3::Z), box_face::<4>(half, &upper, -Vec3::Z));
        let meeting = Meeting {
            a: &a,
            b: &b,
            normal: Vec3::Z,
            rounding_a: 0.0,
            rounding_b: 0.0,
            margin: 0.01,
            tolerance: 1e-6,
            rounding: 1e-12,
        };
        let mut out = Candidates::new();
        meeting.overlap(&mut out);
        out
    }

    #[test]
    fn offset_squares_share_a_rectangle() {
        let out = stacked(0.5, 1.5, 0.0);
        assert_eq!(out.points().len(), 4);
        for p in out.points() {
            assert!((p.gap + 0.001).abs() < 1e-15 && (p.position.z - 0.9995).abs() < 1e-15);
            assert!([-0.5, 1.0].iter().any(|x| (p.position.x - x).abs() < 1e-15));
            assert!([0.5, 1.0].iter().any(|y| (p.position.y - y).abs() < 1e-15));
        }
        assert_eq!(stacked(2.5, 0.0, 0.0).points().len(), 0);
    }

    #[test]
    fn squares_at_45_degrees_share_an_octagon() {
        let out = stacked(0.0, 0.0, std::f64::consts::FRAC_PI_4);
        assert_eq!(out.points().len(), 8);
        let radius = 1.0_f64.hypot(2.0_f64.sqrt() - 1.0);
        for p in out.points() {
            assert!((p.position.x.hypot(p.position.y) - radius).abs() < 1e-15);
        }
    }

    /// Equal squares on top of each other: four corners with the same codes, whatever the noise.
    #[test]
    fn equal_squares_share_their_corners() {
        let codes = |x, y, yaw| stacked(x, y, yaw).points().iter().map(|p| p.feature).collect::<Vec<_>>();
        let exact = codes(0.0, 0.0, 0.0);
        assert_eq!(exact.len(), 4);
        for (x, y, yaw) in [(1e-9, 0.0, 0.0), (-1e-8, 1e-10, 1e-9), (1e-7, -2e-7, -1e-8)] {
            assert_eq!(codes(x, y, yaw), exact);
            // And they are in both squares.
            let turned = Pose::new(Quat::from_axis_angle(Vec3::Z, yaw), vec3(x, y, 0.0)).inverse();
            for p in stacked(x, y, yaw).points() {
                for p in [p.position, turned.transform(p.position)] {
                    assert!(p.x.abs().max(p.y.abs()) < 1.0 + 2e-12, "{p:?}");
                }
            }
        }
    }

    /// A corner of the upper square over the lower one, and the two crossings beside it.
    #[test]
    fn corner_over_a_face() {
        let out = stacked(1.0 + 2.0_f64.sqrt() - 0.1, 0.0, std::f64::consts::FRAC_PI_4);
        assert_eq!(out.points().len(), 3);
        let tip = out.points().iter().find(|p| (p.position.x - 0.9).abs() < 1e-14).unwrap();
        assert_eq!(tip.feature >> 30, 0); // a face of A ...
        assert_eq!(tip.feature >> 14 & 3, 2); // ... and a vertex of B
    }
}
