//! When two moving shapes first come together: conservative advancement.
//!
//! Over s from 0 to 1 a point of each shape, its pivot, moves along a straight line, and the shape turns about it at a
//! constant rate: the joint of a link, the centre of mass of what flies. Along a fixed unit vector n from A to B both lie on
//! their sides of planes, and the distance φ is at least as large as that between these. From its pivot a convex shape reaches h(d) in
//! a direction d of its own, which turns by ψ from d₀ to d₁ in a share x of the way. Between them d = α d₀ + β d₁ with
//! α + β ≤ 1/cos ½ψ, and h is convex:
//!
//! ```text
//!     h(d) ≤ h₀ + (h₁ − h₀) u + max(h₀, h₁, 0) (1/cos ½ψ − 1),    0 ≤ u ≤ 1              (1)
//! ```
//!
//! A surface, which is not convex, advances along n by no more than its pivot and its points do,
//!
//! ```text
//!     x n · Δ + x max ρ · (n × θ) + ½ x² θ² max |ρ|                                    (2)
//! ```
//!
//! with Δ the displacement of the pivot, θ the turn and ρ the points from the pivot. The longest x over which the planes stay
//! apart is gone at once; nothing happens in it. Stepping so from bound to bound ends at the impact and never
//! jumps over it [Mirtich1996].

use crate::aabb::Aabb;
use crate::manifold::Manifold;
use crate::narrow::collide;
use crate::shape::Shape;
use std::f64::consts::FRAC_PI_2;
use stiction_dynamics::spatial::{Pose, Quat, Vec3};

/// Steps after which the last bound is returned: it is never too late, but may be early.
const STEPS: usize = 100;
/// Shares of x that are tried where x is too long.
const SHORTER: [f64; 2] = [0.05, 0.95];

/// How a body-fixed frame moves.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    /// Pose at the start.
    pub from: Pose,
    /// Pose at the end.
    pub to: Pose,
    /// Pivot at the start, in W [m].
    pub pivot: Vec3,
}

impl Way {
    /// The way of a frame that stays.
    pub fn none(at: Pose) -> Self {
        Self { from: at, to: at, pivot: at.translation }
    }
}

/// A shape on its way from one pose to another.
#[derive(Clone, Copy, Debug)]
pub struct Moving<'a> {
    shape: &'a Shape,
    way: Way,
    /// The pivot moves by this [m].
    displacement: Vec3,
    /// θ times the axis, in W.
    turn: Vec3,
    /// θ times the radius of the shape, and θ r [m].
    spin: f64,
    swing: f64,
}

impl<'a> Moving<'a> {
    /// By the shorter way round.
    pub fn new(shape: &'a Shape, way: Way) -> Self {
        let Way { from, to, pivot } = way;
        let between = to.rotation * from.rotation.conjugate();
        let (turn, arm) = (between.log(), from.translation - pivot);
        let angle = turn.norm();
        // A ball looks alike however it has turned.
        let radius = if matches!(shape, Shape::Sphere { .. }) { 0.0 } else { shape.bounding_radius() };
        let spin = if angle > 0.0 { angle * radius } else { 0.0 };
        let displacement = to.translation - between.rotate(arm) - pivot;
        Self { shape, way, displacement, turn, spin, swing: turn.cross(arm).norm() + spin }
    }

    /// The pose at s.
    fn at(&self, s: f64) -> Pose {
        let (Way { from, pivot, .. }, turned) = (self.way, Quat::exp(self.turn * s));
        let arm = turned.rotate(from.translation - pivot);
        Pose::new((turned * from.rotation).renormalized(), pivot + self.displacement * s + arm)
    }

    /// How far the shape advances along n from s over the share x, at the end and on the way beyond that [m].
    fn advance(&self, s: f64, x: f64, n: Vec3) -> [f64; 2] {
        let (straight, turn) = (x * n.dot(self.displacement), self.turn.norm());
        if turn == 0.0 {
            return [straight, 0.0];
        }
        let along = |s: f64, n: Vec3| {
            let X = self.at(s);
            let on = match self.shape {
                Shape::Sphere { .. } => X.translation,
                shape => X.transform(shape.support(X.rotation.conjugate().rotate(n))),
            };
            n.dot(on - self.way.pivot - self.displacement * s)
        };
        if !self.shape.is_convex() {
            let farthest = turn * (self.way.from.translation - self.way.pivot).norm() + self.spin;
            return [straight + x * along(s, n.cross(self.turn)) + 0.5 * x * x * turn * farthest, 0.0]; // (2)
        }
        let (h, ahead, half) = (along(s, n), along(s + x, n), 0.5 * x * turn);
        let bulge =
            if half < FRAC_PI_2 { h.max(ahead).max(0.0) * (1.0 / half.cos() - 1.0) } else { f64::INFINITY };
        [straight + ahead - h, bulge] // (1)
    }

    /// No point of one of the two moves farther, as seen from the other [m].
    pub fn apart(&self, other: &Self) -> f64 {
        (self.displacement - other.displacement).norm() + self.swing + other.swing
    }

    /// The space that the shape fills moves no farther [m].
    pub fn reach(&self) -> f64 {
        self.displacement.norm() + self.swing
    }

    /// A box in W around all the shape passes through. A point that turns by θ about the pivot leaves
    /// the chord of its arc by at most r (1 − cos θ/2) ≤ r θ²/8.
    pub(crate) fn aabb(&self) -> Aabb {
        let bulge = self.swing * self.turn.norm() / 8.0;
        self.shape.aabb(&self.way.from, bulge).joined(&self.shape.aabb(&self.at(1.0), bulge))
    }
}

/// The s in 0 … 1 at which the distance of two bounded or one bounded shape and a plane is down
/// to `distance` [m], which may be negative, or `None` when it never is. The distance at the s
/// returned is within `tolerance` [m] above `distance`, or the bodies already begin nearer: s = 0.
pub fn time_of_impact(a: &Moving, b: &Moving, distance: f64, tolerance: f64) -> Option<f64> {
    let mut manifold = Manifold::new(0, 1);
    let mut s = 0.0;
    for _ in 0..STEPS {
        let margin = (a.reach() + b.reach()) * (1.0 - s) + distance.max(0.0) + tolerance;
        collide(a.shape, &a.at(s), b.shape, &b.at(s), margin, &mut manifold);
        let above = manifold.deepest()? - distance;
        if above <= tolerance {
            return Some(s);
        }
        let n = manifold.normal;
        let rest = 1.0 - s;
        let mut x = rest;
        loop {
            let ([by_a, beyond_a], [by_b, beyond_b]) = (a.advance(s, x, n), b.advance(s, x, -n));
            let least = above - (by_a + by_b).max(0.0) - beyond_a - beyond_b;
            if least >= 0.0 || least.is_nan() {
                break;
            }
            // To the middle of the tolerance: the limit itself is reached after infinitely many steps.
            x *= ((above - 0.5 * tolerance) / (above - least)).clamp(SHORTER[0], SHORTER[1]);
        }
        if x == rest {
            return None;
        }
        s += x;
    }
    Some(s)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pairs::testing::{Lcg, every_shape};
    use stiction_dynamics::spatial::vec3;

    const PLATE: Shape = Shape::Box { half: vec3(0.5, 0.5, 0.0005) };

    fn plate() -> Moving<'static> {
        Moving::new(&PLATE, Way::none(Pose::IDENTITY))
    }

    fn moving(shape: &Shape, from: Pose, to: Pose) -> Moving<'_> {
        Moving::new(shape, Way { from, to, pivot: from.translation })
    }

    fn flight(shape: &Shape, from: Vec3, to: Vec3) -> Moving<'_> {
        moving(shape, Pose::from_translation(from), Pose::from_translation(to))
    }

    /// By hand: a ball of 1 mm a metre long on its way, through a plate of a millimetre.
    #[test]
    fn a_ball_meets_a_plate_when_it_should() {
        let ball = Shape::Sphere { radius: 1e-3 };
        let through = flight(&ball, vec3(0.1, 0.0, 0.3), vec3(0.4, 0.0, -0.7));
        let s = time_of_impact(&through, &plate(), 1e-6, 1e-7).unwrap();
        assert!((s - (0.3 - 0.0015)).abs() < 2e-6, "{s}");
        let back = time_of_impact(&plate(), &through, 1e-6, 1e-7).unwrap();
        assert!((back - s).abs() < 1e-12);
        // Past the edge, away, and short of it.
        for (from, to) in [
            (vec3(0.6, 0.0, 0.3), vec3(0.5015, 0.0, -0.7)),
            (vec3(0.0, 0.0, 0.3), vec3(0.1, 0.0, 0.9)),
            (vec3(0.0, 0.0, 0.3), vec3(0.1, 0.0, 0.0016)),
        ] {
            assert!(time_of_impact(&flight(&ball, from, to), &plate(), 1e-6, 1e-7).is_none());
        }
    }

    /// A ball that rolls on a plane faster than its size meets nothing.
    #[test]
    fn a_rolling_ball_meets_nothing() {
        let ball = Shape::Sphere { radius: 0.1 };
        let height = Vec3::Z * 0.1;
        let turned = Pose::new(Quat::from_axis_angle(Vec3::Y, 3.0), height + Vec3::X * 100.0);
        let rolling = moving(&ball, Pose::from_translation(height), turned);
        let plane = moving(&Shape::Plane, Pose::IDENTITY, Pose::IDENTITY);
        assert_eq!(time_of_impact(&plane, &rolling, -1e-6, 1e-7), None);
    }

    /// A rod that spins about its middle: its tip comes down on the plate.
    #[test]
    fn a_spinning_rod_meets_a_plate_with_its_tip() {
        let rod = Shape::Capsule { radius: 1e-3, half_length: 0.2 };
        let lying = |angle: f64| {
            let q = Quat::from_axis_angle(Vec3::Y, std::f64::consts::FRAC_PI_2 + angle);
            Pose::new(q, vec3(0.0, 0.0, 0.1015))
        };
        let s = time_of_impact(&moving(&rod, lying(0.0), lying(2.0)), &plate(), 1e-6, 1e-7).unwrap();
        // The axis has its end 0.1 m below the middle at 30 degrees.
        let expected = std::f64::consts::FRAC_PI_6 / 2.0;
        assert!(s <= expected && s > expected - 1e-5, "{s} {expected}");
    }

    /// A rod on a hinge 0.3 m from its middle swings past a ball: its tip is 0.1 mm short of it at the nearest.
    #[test]
    fn what_swings_about_a_hinge_keeps_to_its_arc() {
        let (rod, ball) = (Shape::Capsule { radius: 0.02, half_length: 0.1 }, Shape::Sphere { radius: 0.05 });
        let along = Quat::from_axis_angle(Vec3::Y, std::f64::consts::FRAC_PI_2);
        let swung = |angle: f64| {
            let q = Quat::from_axis_angle(Vec3::Z, angle);
            Pose::new(q * along, q.rotate(Vec3::X * 0.3))
        };
        let rod = |pivot: Vec3| Moving::new(&rod, Way { from: swung(-0.05), to: swung(0.05), pivot });
        let past =
            |gap: f64| Moving::new(&ball, Way::none(Pose::from_translation(Vec3::X * (0.42 + 0.05 + gap))));
        assert_eq!(time_of_impact(&rod(Vec3::ZERO), &past(1e-4), 1e-6, 1e-7), None);
        let met = time_of_impact(&rod(Vec3::ZERO), &past(-1e-4), 1e-6, 1e-7).unwrap();
        assert!(met > 0.0 && met < 0.5, "{met}");
    }

    /// Against the truth by walking in small steps, for every pair: never late, rarely early.
    #[test]
    fn never_later_than_small_steps_find_it() {
        let mut random = Lcg::new(5);
        let shapes = every_shape();
        let mut hits = 0;
        for a in &shapes {
            for b in &shapes[1..] {
                for _ in 0..6 {
                    let from = random.pose(0.5);
                    let to =
                        Pose::new(Quat::exp(random.vector() * 0.5) * from.rotation, random.vector() * 0.5);
                    let fixed = Pose::from_translation(vec3(0.0, 0.0, -0.2));
                    let (p, q) = (moving(a, fixed, fixed), moving(b, from, to));
                    let found = time_of_impact(&p, &q, 1e-4, 1e-5);
                    let mut m = Manifold::new(0, 1);
                    let walked = (0..=400).map(|k| f64::from(k) / 400.0).find(|s| {
                        collide(a, &p.at(*s), b, &q.at(*s), 1e-3, &mut m);
                        m.deepest().is_some_and(|gap| gap < 1e-4)
                    });
                    match (found, walked) {
                        (Some(s), Some(w)) => assert!(s <= w + 1e-9 && s > w - 0.1, "{s} {w}"),
                        (None, Some(w)) => panic!("missed at {w}: {a:.90?} {b:.90?} {from:?} {to:?}"),
                        _ => {}
                    }
                    hits += usize::from(walked.is_some());
                }
            }
        }
        assert!(hits > 60, "{hits}");
    }
}
