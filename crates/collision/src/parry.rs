//! The axis along which two cores are closest, by GJK of `parry3d-f64`. Its types do not leave this file.
//!
//! For a unit normal n the shapes are separated along n by
//!
//! ```text
//!     s(n) = min_B n·x − max_A n·x,       signed distance = max over n of s(n)         (1)
//! ```
//!
//! GJK finds the maximiser from the shortest vector between the shapes, which loses its direction
//! to rounding as the shapes touch — where a resting robot spends its life. Hence GJK first sees
//! both shapes scaled down about their centres, so that each gives way by ε of the smaller one: scaling keeps the normals of faces and of
//! pairs of edges, and the gap of touching shapes does not vanish (2). Clear gaps are left to GJK
//! on the true shapes (3), deeper overlaps to [`crate::difference`] (4), which proves its answer
//! (parry's EPA is too shallow for about one pair of prisms in a hundred).
//!
//! The tolerances of parry are absolute; lengths are divided by the size of the smaller shape, so that a
//! gripper's finger and a warehouse are treated alike, and so is a coin on the floor of the warehouse.

use crate::difference::{Depth, Polytope};
use crate::frame::Frame;
use crate::parry_hulls::{from, to};
#[cfg(test)]
use crate::shape::Shape;
use crate::support::Support;
use parry3d_f64::math::{Pose, Rotation, Vector};
use parry3d_f64::query::gjk::{CsoPoint, GJKResult, VoronoiSimplex, closest_points};
use parry3d_f64::shape::SupportMap;
use std::cell::RefCell;
use stiction_dynamics::spatial::{Quat, Vec3};

/// The ε of (2).
const SHRINK: f64 = 1e-5;
/// An answer of (4) that is proven to this is exact.
const PROVEN: f64 = 1e-11;
/// The gap, relative to the smaller shape, from which (3) finds its direction.
const CLEAR: f64 = 1e-7;

/// Result of the search for the axis of (1).
pub(crate) enum Axis {
    /// The cores are farther apart than asked for.
    Apart,
    /// The maximiser.
    Found(Separation),
    /// The iterations failed.
    Unknown,
}

/// The maximiser of (1), in W.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Separation {
    /// Unit, from A to B.
    pub(crate) normal: Vec3,
    /// From (4): the axis is that of the depth.
    pub(crate) proven: bool,
    /// From (4) and not proven: other candidates for the axis are worth trying.
    pub(crate) doubtful: bool,
}

/// A shape without its rounding, scaled about its centre, in units of the size of the smaller shape.
struct Core<'a, S> {
    shape: &'a S,
    center: Vec3,
    scale: f64,
    unit: f64,
}

impl<'a, S: Support> Core<'a, S> {
    fn new(shape: &'a S, unit: f64) -> Self {
        Self { shape, center: shape.center(), scale: 1.0, unit }
    }

    /// The core with its farthest points moved inward by ε units. Segments and points need not shrink: their rounding keeps the cores
    /// apart.
    fn shrunk(&self) -> Self {
        let scale =
            if self.shape.rounding() > 0.0 { 1.0 } else { 1.0 - SHRINK / (self.shape.size() * self.unit) };
        Self { scale, ..*self }
    }
}

impl<S: Support> SupportMap for Core<'_, S> {
    fn local_support_point(&self, direction: Vector) -> Vector {
        let p = self.shape.core_support(from(direction));
        to((self.center + (p - self.center) * self.scale) * self.unit)
    }
}

thread_local! {
    /// Scratch of (4), kept to save its allocation. It carries nothing from call to call.
    static POLYTOPE: RefCell<Polytope> = RefCell::default();
}

/// The axis of two bounded cores that may be `limit` [m] apart; finite frames. Of cores that are known to
/// overlap by more than ε, only (4) is asked, from the axis `overlap` in W.
pub(crate) fn separation<P: Support, Q: Support>(
    a: &P,
    A: &Frame,
    b: &Q,
    B: &Frame,
    limit: f64,
    overlap: Option<Vec3>,
) -> Axis {
    let size = a.size() + b.size();
    let between = A.inverse_direction(B.point(b.center()) - A.point(a.center()));
    let distance = between.norm();
    if distance > size + limit || !distance.is_finite() {
        return Axis::Apart;
    }
    let smaller = a.size().min(b.size());
    let (unit, limit) = (1.0 / smaller, limit / smaller);
    let pose = relative_pose(A, B, unit);
    let (a, b) = (Core::new(a, unit), Core::new(b, unit));
    let start = between.normalized().map_or(Vector::X, to);
    let mut simplex = VoronoiSimplex::new();
    let gjk = |a: &Core<P>, b: &Core<Q>, start: Vector, simplex: &mut VoronoiSimplex| {
        simplex.reset(CsoPoint::from_shapes(&pose, a, b, start));
        // The shrunk shapes are at most 2 ε farther apart.
        closest_points(&pose, a, b, limit + 2.0 * SHRINK, true, simplex)
    };

    let along = |n: Vector| -CsoPoint::from_shapes(&pose, &a, &b, n).point.dot(n); // (1)
    let is_clear = |result: &GJKResult| match result {
        GJKResult::ClosestPoints(_, _, n) => along(*n) > CLEAR,
        result => matches!(result, GJKResult::NoIntersection(_)),
    };

    // (3) at once where the rounding is likely to keep the cores apart.
    let rounded = a.shape.rounding() + b.shape.rounding() > 0.0;
    let mut result =
        if rounded && overlap.is_none() { gjk(&a, &b, start, &mut simplex) } else { GJKResult::Intersection };
    if overlap.is_none() && !is_clear(&result) {
        result = gjk(&a.shrunk(), &b.shrunk(), start, &mut simplex); // (2)
        if is_clear(&result) {
            result = gjk(&a, &b, start, &mut simplex); // (3)
        }
    }
    let found = |n: Vec3, proven, doubtful| {
        let normal = A.direction(n).normalized();
        normal.map_or(Axis::Unknown, |normal| Axis::Found(Separation { normal, proven, doubtful }))
    };
    match result {
        GJKResult::ClosestPoints(_, _, n) => found(from(n), false, false),
        // parry says the same when it gives up: believe it only if n separates.
        GJKResult::NoIntersection(n) if along(n) > limit => Axis::Apart,
        _ => {
            // (4)
            let support = |n: Vec3| from(CsoPoint::from_shapes(&pose, &a, &b, to(n)).point);
            let deep = POLYTOPE.with_borrow_mut(|polytope| {
                polytope.depth(support, overlap.map_or(from(start), |n| A.inverse_direction(n)))
            });
            let axis = |d: Depth| found(d.normal, d.slack <= PROVEN, d.slack > PROVEN);
            deep.map_or(Axis::Unknown, axis)
        }
    }
}

fn relative_pose(A: &Frame, B: &Frame, unit: f64) -> Pose {
    let q = Quat::from_matrix(&(A.R.transpose() * B.R));
    let p = A.inverse_point(B.origin) * unit;
    Pose::from_parts(to(p), Rotation::from_xyzw(q.x, q.y, q.z, q.w))
}

/// parry's own answers, for tests.
#[cfg(test)]
pub(crate) mod oracle {
    use super::*;
    use parry3d_f64::query;
    use parry3d_f64::shape::Shape as ParryShape;
    use parry3d_f64::shape::{Ball, Capsule, Cone, ConvexPolyhedron, Cuboid, Cylinder, HalfSpace};

    /// Signed distance of two shapes [m] as parry computes it; `None` beyond `limit`.
    pub(crate) fn distance(
        a: &Shape,
        X_WA: &stiction_dynamics::spatial::Pose,
        b: &Shape,
        X_WB: &stiction_dynamics::spatial::Pose,
        limit: f64,
    ) -> Option<f64> {
        let ((a, X_a), (b, X_b)) = (convert(a, X_WA), convert(b, X_WB));
        query::contact(&X_a, &*a, &X_b, &*b, limit).ok()?.map(|c| c.dist)
    }

    fn convert(shape: &Shape, X: &stiction_dynamics::spatial::Pose) -> (Box<dyn ParryShape>, Pose) {
        // The axis of parry's cylinder is y.
        let lying = Quat::from_axis_angle(Vec3::X, std::f64::consts::FRAC_PI_2);
        let (shape, q): (Box<dyn ParryShape>, Quat) = match shape {
            Shape::Plane => (Box::new(HalfSpace::new(Vector::Z)), X.rotation),
            Shape::Sphere { radius } => (Box::new(Ball::new(*radius)), X.rotation),
            Shape::Box { half } => (Box::new(Cuboid::new(to(*half))), X.rotation),
            Shape::Capsule { radius, half_length } => {
                (Box::new(Capsule::new_z(*half_length, *radius)), X.rotation)
            }
            Shape::Cylinder { radius, half_length } => {
                (Box::new(Cylinder::new(*half_length, *radius)), X.rotation * lying)
            }
            Shape::Cone { radius, half_height } => {
                (Box::new(Cone::new(*half_height, *radius)), X.rotation * lying)
            }
            Shape::Ellipsoid { .. } | Shape::HeightField(_) | Shape::Mesh(_) => {
                panic!("parry is not asked about a {}", shape.name())
            }
            Shape::Convex(mesh) => {
                let points: Vec<Vector> = mesh.vertices().iter().map(|v| to(*v)).collect();
                (Box::new(ConvexPolyhedron::from_convex_hull(&points).unwrap()), X.rotation)
            }
        };
        (shape, Pose::from_parts(to(X.translation), Rotation::from_xyzw(q.x, q.y, q.z, q.w)))
    }
}
