//! Which contacts are ghosts: conditions (1) and (2) of the module above.

use super::{SAME_NORMAL, Scene, Touch};
use crate::aabb::Aabb;
use crate::frame::Frame;
use crate::manifold::Manifold;
use crate::narrow::collide;
use crate::patch::{CORNERS, Patch, facing};
use crate::shape::Shape;
use crate::surface::Surface;
use stiction_dynamics::spatial::{Pose, Vec3};

/// Radius of the ball that stands for a point [m].
const POINT: f64 = 1e-6;
/// Corners this much lower along the normal than the highest, as a share of their distance, are touched with it [–].
const LEVEL: f64 = 0.02;
/// Sine of 5°, nearly.
const SLANT: f64 = 0.1;
/// Cosine of 5°: contacts along so nearly the same normal do not contradict each other as in (2).
const ALIKE: f64 = 0.996;

impl Scene<'_> {
    /// (1): true when the contact `touch`, with the manifold `m`, is behind the plane of the contact `front`.
    pub(super) fn is_behind(&self, touch: &Touch, m: &Manifold, front: &Touch) -> bool {
        let (n, level) = (front.normal, front.level + self.flush);
        if touch.geometry == front.geometry
            || (touch.normal - n).norm_squared() <= SAME_NORMAL
            || touch.on_group(m).any(|p| n.dot(p) > level + self.blur(touch))
        {
            return false;
        }
        // A body that is not convex may be behind the plane elsewhere: there this plane says nothing.
        let lowest = front.level + front.gap.min(0.0) - self.flush;
        if !self.shape(self.other).is_convex() && touch.on_other(m).any(|p| n.dot(p) < lowest) {
            return false;
        }
        let next_to = |p: Vec3| self.depth(p, front.geometry, self.bridged).is_some();
        (self.all_behind(touch.geometry, n, level) || self.feature_behind(touch, m, n, level))
            && (front.gap <= self.near || touch.on_group(m).all(next_to))
    }

    /// How far what is touched may be from where the manifold says [m]: one of a surface gathers normals 5° apart.
    fn blur(&self, touch: &Touch) -> f64 {
        if self.shape(touch.geometry).is_convex() { 0.0 } else { SLANT * touch.gap.abs() }
    }

    /// (2): true when other contacts of the run show that `touch` is on an inner face of the group.
    pub(super) fn is_covered(&self, touch: &Touch, m: &Manifold, run: &[Touch]) -> bool {
        touch.gap < -2.0 * self.flush
            && (run.iter())
                .filter(|t| t.geometry != touch.geometry && t.normal.dot(touch.normal) < ALIKE)
                .any(|t| touch.on_group(m).all(|p| self.is_inside(p + touch.normal * (2.0 * self.flush), t)))
    }

    /// True when the point p in W is inside the geometry of `touch`, more than rounding.
    fn is_inside(&self, p: Vec3, touch: &Touch) -> bool {
        self.depth(p, touch.geometry, 0.0).is_some_and(|d| d < -0.5 * self.flush)
    }

    /// The signed distance of the point p in W from a geometry [m]; `None` beyond `limit`.
    fn depth(&self, p: Vec3, geometry: usize, limit: f64) -> Option<f64> {
        let (shape, X_WG) = (self.shape(geometry), &self.poses[geometry]);
        if let Some(surface) = Surface::of(shape) {
            let c = Frame::new(X_WG).inverse_point(p);
            let near = surface.distance(c, limit.max(self.flush)).map(|d| d.0);
            return near.or_else(|| surface.contains(c).then_some(f64::NEG_INFINITY));
        }
        let mut touch = Manifold::new(0, 1);
        let ball = Shape::Sphere { radius: POINT };
        collide(shape, X_WG, &ball, &Pose::from_translation(p), limit, &mut touch);
        touch.deepest().map(|gap| gap + POINT)
    }

    /// True when no point of a convex geometry is in front of the plane n·x = level.
    pub(super) fn all_behind(&self, geometry: usize, n: Vec3, level: f64) -> bool {
        let (shape, X) = (self.shape(geometry), self.frame(geometry));
        match shape {
            Shape::Plane => (X.axis() - n).norm_squared() <= SAME_NORMAL && n.dot(X.origin) <= level,
            Shape::HeightField(_) | Shape::Mesh(_) => false,
            _ => n.dot(X.point(shape.support(X.inverse_direction(n)))) <= level,
        }
    }

    /// True when the feature of the geometry that is farthest along the normal of the contact is behind the plane
    /// n·x = level; of a mesh or field, all triangles at the points of the contact.
    fn feature_behind(&self, touch: &Touch, m: &Manifold, n: Vec3, level: f64) -> bool {
        let (shape, X) = (self.shape(touch.geometry), self.frame(touch.geometry));
        match shape {
            Shape::Box { .. } | Shape::Convex(_) | Shape::Cylinder { .. } | Shape::Cone { .. } => {
                let face: Patch<CORNERS> = facing(shape, &X, touch.normal);
                touched_corners(&face, touch.normal).all(|p| n.dot(p) <= level)
            }
            Shape::HeightField(_) | Shape::Mesh(_) => {
                let Some(surface) = Surface::of(shape) else { return false };
                let up = X.inverse_direction(n);
                let mut highest = f64::NEG_INFINITY;
                for p in touch.on_group(m) {
                    let reach = 10.0 * self.flush + self.blur(touch);
                    let around = Aabb::around(X.inverse_point(p), Vec3::ZERO).grown(reach);
                    surface.touching(&around, &mut |i| {
                        highest = surface.corners(i).iter().map(|c| up.dot(*c)).fold(highest, f64::max);
                    });
                }
                highest + n.dot(X.origin) <= level
            }
            // Round shapes go on beside the point they touch in.
            _ => false,
        }
    }
}

/// The corners of a patch that are farthest along the normal m, nearly.
fn touched_corners<const N: usize>(face: &Patch<N>, m: Vec3) -> impl Iterator<Item = Vec3> + '_ {
    let corners = face.corners().iter().map(|c| c.p);
    let first = corners.clone().max_by(|p, q| m.dot(*p).total_cmp(&m.dot(*q))).unwrap_or(Vec3::ZERO);
    corners.filter(move |p| m.dot(first - *p) <= LEVEL * (first - *p).norm())
}

/// True when some corner of the face of `shape` with the normal n is in front of the plane `front`.
pub(super) fn sticks_out(shape: &Shape, X: &Frame, n: Vec3, front: &Touch, flush: f64) -> bool {
    let face: Patch<CORNERS> = facing(shape, X, n);
    let mut corners = face.corners().iter();
    corners.any(|c| front.normal.dot(c.p) > front.level + flush)
}
