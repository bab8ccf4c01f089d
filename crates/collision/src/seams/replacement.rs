//! The contact that takes the place of a ghost.
//!
//! ```text
//!     all of A_j behind a plane n     A_j is touched along n, or not at all
//!     else                            along argmax { s(m) : m a face normal of A_j, its face in front of all planes }
//! ```
//!
//! with s(m) the separation along m, and inner faces passed over. Without such a normal, and for meshes and height fields,
//! which have other manifolds, it is dropped; but a contact on an inner face stays as it was found if the best of the outer
//! faces is beside B, or there is none.

use super::along::along;
use super::ghost::sticks_out;
use super::{Scene, Touch};
use crate::frame::Frame;
use crate::manifold::Manifold;
use crate::pairs::axis::separation_along;
use crate::shape::Shape;
use stiction_dynamics::spatial::Vec3;

/// Hulls with more faces are not searched.
const SEARCHED: usize = 64;

impl Scene<'_> {
    /// Replaces the ghost `touch` in its manifold, given the planes in `front` and all contacts of the run; true when it
    /// has no points left.
    pub(super) fn replace(&self, touch: &Touch, front: &[Touch], run: &[Touch], m: &mut Manifold) -> bool {
        let (g, shape, other) = (touch.geometry, self.shape(touch.geometry), self.shape(self.other));
        let flipped = m.b == g;
        let was = *m;
        m.clear();
        if !shape.is_convex() || !other.is_convex() || matches!(shape, Shape::Plane) {
            if front.is_empty() {
                *m = was;
            }
            return m.points().is_empty();
        }
        let (X, Y) = (self.frame(g), self.frame(self.other));
        let meet = |n: Vec3, m: &mut Manifold| {
            m.clear();
            along((shape, &X), (other, &Y), n, self.margin(g), m);
            if flipped {
                m.flip();
            }
        };
        let shields = |t: &&Touch| self.is_behind(touch, &was, t);
        let whole = |t: &&Touch| self.all_behind(g, t.normal, t.level + self.flush);
        if let Some(plane) = front.iter().filter(shields).find(whole) {
            meet(plane.normal, m);
            return m.points().is_empty();
        }
        let out = |n: Vec3| front.iter().all(|t| sticks_out(shape, &X, n, t, self.flush));
        // From the best on; equal ones in their order.
        let mut last = (f64::INFINITY, 0);
        loop {
            let mut best: Option<(f64, usize, Vec3)> = None;
            each_face(shape, &X, |k, n| {
                let s = separation_along((shape, &X), (other, &Y), n);
                let next = s < last.0 || s == last.0 && k > last.1;
                if next && best.is_none_or(|b| s > b.0) && out(n) {
                    best = Some((s, k, n));
                }
            });
            let Some((s, k, n)) = best else { break };
            last = (s, k);
            meet(n, m);
            // Beside or beyond the face, or on it; an inner one is passed over.
            if m.points().is_empty() {
                break;
            }
            if !self.is_covered(&Touch::new(touch.index, g, m), m, run) {
                return false;
            }
        }
        if front.is_empty() {
            // No way out is seen, or the rule of ghost edges knows better.
            *m = was;
        } else {
            m.clear();
        }
        m.points().is_empty()
    }
}

/// Calls `visit` with a number and the outward normal, in W, of every face of a polyhedron and cap of a round body.
pub(crate) fn each_face(shape: &Shape, X: &Frame, mut visit: impl FnMut(usize, Vec3)) {
    let mut both = |i: usize| {
        let axis = X.R.column(i);
        visit(2 * i, axis);
        visit(2 * i + 1, -axis);
    };
    match shape {
        Shape::Box { .. } => (0..3).for_each(both),
        Shape::Cylinder { .. } => both(2),
        Shape::Cone { .. } => visit(0, -X.axis()),
        Shape::Convex(mesh) if mesh.faces().len() <= SEARCHED => {
            mesh.faces().iter().enumerate().for_each(|(k, f)| visit(k, X.direction(f.normal)));
        }
        _ => {}
    }
}
