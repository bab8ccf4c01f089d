//! When two moving shapes first come together: conservative advancement.
//!
//! Over s from 0 to 1 the origins of both shapes move along straight lines and their axes turn at a
//! constant rate. Along a fixed unit vector n from A to B, with Δ the displacements of the
//! origins, θ the angles turned and r the radii about the origins, the separation falls no
//! faster than
//!
//! ```text
//!     c(n) = n · (Δ_A − Δ_B) + θ_A r_A + θ_B r_B       per unit of s            (1)
//! ```
//!
//! and the distance φ is at least the separation along n. From φ and n at s, nothing happens before
//!
//! ```text
//!     s + (φ − φ*) / c(n)                                                    (2)
//! ```
//!
//! and nothing at all when c(n) ≤ 0. Stepping so from bound to bound ends at the impact and never
//! jumps over it [Mirtich1996].

use crate::aabb::Aabb;
use crate::manifold::Manifold;
use crate::narrow::collide;
use crate::shape::Shape;
use stiction_dynamics::spatial::{Pose, Quat, Vec3};

/// Steps (2) after which the last bound is returned: it is never too late, but may be early.
const STEPS: usize = 100;

/// A shape on its way from one pose to another.
#[derive(Clone, Copy, Debug)]
pub struct Moving<'a> {
    shape: &'a Shape,
    from: Pose,
    displacement: Vec3,
    /// θ times the axis, in W.
    turn: Vec3,
    /// θ r [m].
    swing: f64,
}

impl<'a> Moving<'a> {
    /// From X_WG = `from` to `to`, by the shorter way round.
    pub fn new(shape: &'a Shape, from: Pose, to: Pose) -> Self {
        let turn = (to.rotation * from.rotation.conjugate()).log();
        let angle = turn.norm();
        // A ball looks alike however it has turned.
        let turns = angle > 0.0 && !matches!(shape, Shape::Sphere { .. });
        let swing = if turns { angle * shape.bounding_radius() } else { 0.0 };
        Self { shape, from, displacement: to.translation - from.translation, turn, swing }
    }

    /// The pose at s.
    fn at(&self, s: f64) -> Pose {
        let rotation = (Quat::exp(self.turn * s) * self.from.rotation).renormalized();
        Pose::new(rotation, self.from.translation + self.displacement * s)
    }

    /// The space that the shape fills moves no farther [m].
    pub fn reach(&self) -> f64 {
        self.displacement.norm() + self.swing
    }

    /// A box in W around all the shape passes through. A point that turns by θ about the origin leaves
    /// the chord of its arc by at most r (1 − cos θ/2) ≤ r θ²/8.
    pub(crate) fn aabb(&self) -> Aabb {
        let bulge = self.swing * self.turn.norm() / 8.0;
        self.shape.aabb(&self.from, bulge).joined(&self.shape.aabb(&self.at(1.0), bulge))
    }

    /// The least height of the origin along `n` over the point o, on the way [m].
    pub(crate) fn lowest(&self, n: Vec3, o: Vec3) -> f64 {
        let start = n.dot(self.from.translation - o);
        start.min(start + n.dot(self.displacement))
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
        let closing = manifold.normal.dot(a.displacement - b.displacement) + a.swing + b.swing; // (1)
        // To the middle of the tolerance: the limit itself is reached after infinitely many steps.
        s += (above - 0.5 * tolerance) / closing; // (2)
        if closing <= 0.0 || s > 1.0 {
            return None;
        }
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
        Moving::new(&PLATE, Pose::IDENTITY, Pose::IDENTITY)
    }

    fn flight<'a>(shape: &'a Shape, from: Vec3, to: Vec3) -> Moving<'a> {
        Moving::new(shape, Pose::from_translation(from), Pose::from_translation(to))
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
        let rolling = Moving::new(&ball, Pose::from_translation(height), turned);
        let plane = Moving::new(&Shape::Plane, Pose::IDENTITY, Pose::IDENTITY);
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
        let s = time_of_impact(&Moving::new(&rod, lying(0.0), lying(2.0)), &plate(), 1e-6, 1e-7).unwrap();
        // The axis has its end 0.1 m below the middle at 30 degrees.
        let expected = std::f64::consts::FRAC_PI_6 / 2.0;
        assert!(s <= expected && s > expected - 1e-5, "{s} {expected}");
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
                    let (p, q) = (Moving::new(a, fixed, fixed), Moving::new(b, from, to));
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
