//! The axis between round shapes, made exact where iterations stop early.
//!
//! With w(n) = a(n) − b(−n) the difference of the support points, s(n) = −n · w(n). GJK and EPA close in on
//! round surfaces slowly; what they leave of the angle is enough to start from:
//!
//! ```text
//!     n + T x, T = (t₁, t₂):    ∇s = −Tᵀw,   ∇²s = −Tᵀ ∂w/∂x − s 1      Newton's method       (1)
//!     u · n = c                 where w jumps: across the line of a cylinder, a cone or an edge that
//!                               is nearest, n stays on a circle about its axis u              (2)
//! ```
//!
//! On a circle s is maximised by a secant method in a bracket; two circles meet in points. The best s of
//! all candidates is the answer: it is a lower bound of the distance, whichever wins.

use crate::convex::ConvexMesh;
use crate::frame::Frame;
use crate::parry::Separation;
use crate::shape::Shape;
use stiction_dynamics::spatial::Vec3;

/// Angle from a circle within which the axis may be on it, and on it the way it may be off [rad].
const NEAR: f64 = 0.3;
/// Longest step of (1) [rad]: of bodies that hardly part, the gap alone tells the axis, and little of it.
const STRIDE: f64 = 0.5;
/// Relative to the size: support points this little off the axis are the closest points.
const ON_AXIS: f64 = 1e-7;
/// Step of the differences for ∂w/∂x [rad].
const DIFFERENCE: f64 = 1e-5;
const NEWTON_STEPS: usize = 16;
/// Lengths tried of a step that does not rise, each a quarter of the one before.
const QUARTERS: usize = 4;
const SECANT_STEPS: usize = 40;

/// (2): n · u = c.
#[derive(Clone, Copy)]
struct Circle {
    u: Vec3,
    c: f64,
}

/// The circles that a pair may have: three of a polyhedron, one of any other shape.
const CIRCLES: usize = 6;

/// A pair, by its support points.
struct Pair<'a> {
    a: (&'a Shape, &'a Frame),
    b: (&'a Shape, &'a Frame),
}

/// The unit vector near that of `found` along which the cores are separated most, and the closest points
/// there; `found` for pairs that need no such care.
pub(crate) fn refined(a: &Shape, A: &Frame, b: &Shape, B: &Frame, found: Separation) -> Separation {
    let n = found.normal;
    let is_round =
        |s: &Shape| matches!(s, Shape::Cylinder { .. } | Shape::Cone { .. } | Shape::Ellipsoid { .. });
    if !is_round(a) && !is_round(b) {
        return found;
    }
    let pair = Pair { a: (a, A), b: (b, B) };
    let mut best = (pair.along(n), n);
    let mut consider = |n: Vec3| {
        let s = pair.along(n);
        if s > best.0 {
            best = (s, n);
        }
    };
    consider(pair.newton(n));
    let n = best.1;
    let mut consider = |n: Vec3| {
        let s = pair.along(n);
        if s > best.0 {
            best = (s, n);
        }
    };
    let mut circles = [Circle { u: Vec3::ZERO, c: 0.0 }; CIRCLES];
    let mut count = 0;
    for circle in circles_of(a, A, n, 1.0).chain(circles_of(b, B, n, -1.0)) {
        if (circle.u.dot(n) - circle.c).abs() < NEAR && count < CIRCLES {
            circles[count] = circle;
            count += 1;
        }
    }
    for (k, circle) in circles[..count].iter().enumerate() {
        consider(pair.on_circle(circle, n));
        circles[..k].iter().filter_map(|other| crossing(other, circle, n)).for_each(&mut consider);
    }
    let (s, normal) = best;
    let [on_a, on_b] = pair.supports(normal);
    let off = (on_b - on_a - normal * s).norm();
    if off <= ON_AXIS * a.size().min(b.size()) {
        Separation { normal, on_a, on_b, ..found }
    } else {
        Separation { normal, ..found }
    }
}

/// The circles of a shape whose outward normal is near `sign` n.
fn circles_of(shape: &Shape, X: &Frame, n: Vec3, sign: f64) -> impl Iterator<Item = Circle> {
    let axis = |i: usize, c: f64| Some(Circle { u: X.R.column(i) * sign, c });
    let all = match shape {
        Shape::Capsule { .. } | Shape::Cylinder { .. } => [axis(2, 0.0), None, None],
        // The normal of the side leans towards the apex.
        Shape::Cone { radius, half_height } => {
            [axis(2, radius / (radius * radius + 4.0 * half_height * half_height).sqrt()), None, None]
        }
        Shape::Box { .. } => [axis(0, 0.0), axis(1, 0.0), axis(2, 0.0)],
        Shape::Convex(mesh) => flattest_edges(mesh, X.inverse_direction(n * sign))
            .map(|e| e.map(|e| Circle { u: X.direction(e), c: 0.0 })),
        _ => [None; 3],
    };
    all.into_iter().flatten()
}

/// Directions, in G, of the edges at the vertex farthest along `d` that are most nearly at right angles to it.
fn flattest_edges(mesh: &ConvexMesh, d: Vec3) -> [Option<Vec3>; 3] {
    let vertex = mesh.support_vertex(d);
    let mut edges = [(f64::INFINITY, None); 4];
    for &i in mesh.neighbors(vertex) {
        let edge = (mesh.vertices()[i as usize] - mesh.vertices()[vertex]).normalized();
        edges[3] = (edge.map_or(f64::INFINITY, |e| e.dot(d).abs()), edge);
        let mut k = 3;
        while k > 0 && edges[k].0 < edges[k - 1].0 {
            edges.swap(k, k - 1);
            k -= 1;
        }
    }
    [edges[0].1, edges[1].1, edges[2].1]
}

/// The point near n in which two circles meet.
fn crossing(p: &Circle, q: &Circle, n: Vec3) -> Option<Vec3> {
    let across = p.u.cross(q.u);
    let (d, det) = (p.u.dot(q.u), across.norm_squared());
    if det < 1e-6 {
        return None;
    }
    let (x, y) = ((p.c - q.c * d) / det, (q.c - p.c * d) / det);
    let rest = 1.0 - (x * x + y * y + 2.0 * x * y * d);
    let z = (rest.max(0.0) / det).sqrt();
    (p.u * x + q.u * y + across * z.copysign(across.dot(n))).normalized()
}

impl Pair<'_> {
    /// a(n) and b(−n), in W.
    fn supports(&self, n: Vec3) -> [Vec3; 2] {
        let on = |(shape, X): (&Shape, &Frame), d: Vec3| X.point(shape.core_support(X.inverse_direction(d)));
        [on(self.a, n), on(self.b, -n)]
    }

    /// w(n), in W.
    fn difference(&self, n: Vec3) -> Vec3 {
        let [on_a, on_b] = self.supports(n);
        on_a - on_b
    }

    fn along(&self, n: Vec3) -> f64 {
        -n.dot(self.difference(n))
    }

    /// (1), as long as it rises.
    fn newton(&self, start: Vec3) -> Vec3 {
        let mut n = start;
        let mut w = self.difference(n);
        for _ in 0..NEWTON_STEPS {
            let (t1, t2) = n.tangents();
            let s = -n.dot(w);
            let slope = [-w.dot(t1), -w.dot(t2)];
            let bend = |t: Vec3| (w - self.difference(n + t * DIFFERENCE)) * (1.0 / DIFFERENCE);
            let (b1, b2) = (bend(t1), bend(t2));
            let (b11, b22, h12) = (b1.dot(t1), b2.dot(t2), 0.5 * (b1.dot(t2) + b2.dot(t1)));
            let hessian = |s: f64| (b11 - s, b22 - s, (b11 - s) * (b22 - s) - h12 * h12);
            let (mut h11, mut h22, mut det) = hessian(s);
            if !(h11 < 0.0 && det > 0.0) {
                // Not at a maximum: as if the points found were all there is.
                (h11, h22, det) = hessian(w.norm());
            }
            let x = (h12 * slope[1] - h22 * slope[0]) / det;
            let y = (h12 * slope[0] - h11 * slope[1]) / det;
            let far = (x * x + y * y).sqrt();
            let mut share = (STRIDE / far).min(1.0);
            let mut rises = false;
            for _ in 0..QUARTERS {
                let Some(next) = (n + (t1 * x + t2 * y) * share).normalized() else { break };
                let w_next = self.difference(next);
                rises = -next.dot(w_next) > s;
                if rises {
                    (n, w) = (next, w_next);
                    break;
                }
                share *= 0.25;
            }
            if !rises || far < 1e-12 {
                break;
            }
        }
        n
    }

    /// The largest s on a circle, near n: a root of ds/dφ, which falls with the angle φ.
    fn on_circle(&self, circle: &Circle, n: Vec3) -> Vec3 {
        let Circle { u, c } = *circle;
        let Some(m) = (n - u * u.dot(n)).normalized() else { return n };
        let (side, k) = (u.cross(m), (1.0 - c * c).max(0.0).sqrt());
        let at = |phi: f64| u * c + (m * phi.cos() + side * phi.sin()) * k;
        let slope = |phi: f64| -self.difference(at(phi)).dot(side * phi.cos() - m * phi.sin());
        let ((mut low, mut f_low), (mut high, mut f_high)) = ((-NEAR, slope(-NEAR)), (NEAR, slope(NEAR)));
        if !(f_low > 0.0 && f_high < 0.0) {
            return at(0.0);
        }
        let (mut phi, mut last) = (0.0, 0.0);
        for _ in 0..SECANT_STEPS {
            let f = slope(phi);
            // The end that stays twice counts half (Illinois).
            let other = if f * last > 0.0 { 0.5 } else { 1.0 };
            if f > 0.0 {
                (low, f_low, f_high) = (phi, f, other * f_high);
            } else {
                (high, f_high, f_low) = (phi, f, other * f_low);
            }
            last = f;
            let next = (low * f_high - high * f_low) / (f_high - f_low);
            if f == 0.0 || (next - phi).abs() < 1e-13 {
                break;
            }
            phi = next.clamp(low, high);
        }
        at(phi)
    }
}
