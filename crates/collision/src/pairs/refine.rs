//! The axis between two cores, made exact: iterations stop early on round shapes and lose digits where bodies touch.
//!
//! Near the axis n that they found each core touches with one of few elements: a vertex, a line (an edge, or the side of
//! a cylinder or cone), a rim, an ellipsoid. With p_A and p_B on them, t along a line and φ around a rim,
//!
//! ```text
//!     p_B − p_A = s n,   n · n = 1                                                     (1)
//!     u · n = c          of a line: p = q + t (u − c n), of an edge c = 0              (2)
//!     τ · n = 0          of a rim, τ its tangent: p = q + r ρ(φ), τ = ρ′(φ)            (3)
//!     p = q + D² n/‖D n‖ of an ellipsoid with the semi-axes D
//! ```
//!
//! say where s(n) has its largest value, be it positive, zero or negative: Newton's method for n, s and the parameters. If
//! then s(n), of the whole cores, is that s, and the points are within their lines, the points prove the axis. Else the
//! next elements are tried; the best s(n) of all is the answer, since s(n) is a lower bound of the distance whatever
//! wins.

use super::witness::{MET, middle_of};
use crate::element::Element;
use crate::frame::Frame;
use crate::support::Support;
use stiction_dynamics::spatial::{Mat3, Vec3, vec3};

/// Relative to the smaller core: what the proof may leave open.
const PROVEN: f64 = 1e-12;
/// Longest step of n, and of the angle about a rim [rad].
const STRIDE: f64 = 0.5;
const STEPS: usize = 12;
/// Steps as small as this are rounding [rad].
const ROUNDED: f64 = 1e-15;
/// Added to s in the equations, relative to the smaller core: where points meet, n moves no farther than it has to.
const LOOSE: f64 = 1e-10;
/// Pivots of equations with coefficients near one are none below this.
const SINGULAR: f64 = 1e-14;
/// From the best axis the elements are found anew so often.
const ROUNDS: usize = 4;

/// Two cores, in axes of W about the origin of A.
struct Pair<'a, P, Q> {
    a: (&'a P, Frame),
    b: (&'a Q, Frame),
    size: f64,
    rounding: f64,
}

/// An axis made exact.
#[derive(Clone, Copy)]
pub(crate) struct Refined {
    pub(crate) normal: Vec3,
    /// s(n) [m].
    pub(crate) distance: f64,
    /// Midway between the closest points of the cores in W, where these are known [m].
    pub(crate) middle: Option<Vec3>,
    /// The points prove the axis.
    pub(crate) proven: bool,
}

/// The axis near `n` along which the cores are separated most. `known` where a search over all directions led to it: then
/// the points have no others to beat.
pub(crate) fn refined<P: Support, Q: Support>(
    (a, A): (&P, &Frame),
    (b, B): (&Q, &Frame),
    n: Vec3,
    known: bool,
) -> Refined {
    let pair = Pair::new((a, A), (b, B));
    let proven = pair.proven();
    let mut best = Refined { normal: n, distance: pair.along(n), middle: None, proven: known };
    for _ in 0..ROUNDS {
        let (start, before) = (best.normal, best.distance);
        let of_a = a.elements(&pair.a.1, start);
        let of_b = b.elements(&pair.b.1, -start);
        for n in of_a.face.into_iter().chain(of_b.face.map(|n| -n)) {
            let along = pair.along(n);
            if along >= best.distance - proven
                && let Some(middle) = pair.meets_a_face(n, along < -proven && !known)
            {
                return Refined { normal: n, distance: along, middle: Some(A.origin + middle), proven: true };
            }
            if along > best.distance {
                best = Refined { normal: n, distance: along, middle: None, proven: known };
            }
        }
        for p in of_a.iter() {
            for q in of_b.iter() {
                let Some(found) = pair.solve(p, q, start) else { continue };
                let (Solution { n, s, middle, held }, meets) = (found, pair.meets(&found));
                let along = pair.along(n);
                let middle = meets.then_some(A.origin + middle);
                let largest = known || s >= -proven || s >= -held;
                if along >= best.distance - proven && meets && largest {
                    return Refined { normal: n, distance: along, middle, proven: true };
                }
                if along > best.distance {
                    best = Refined { normal: n, distance: along, middle, proven: known };
                }
            }
        }
        if best.distance <= before + proven {
            break;
        }
    }
    best
}

/// Where the elements of a pair meet.
#[derive(Clone, Copy)]
struct Solution {
    n: Vec3,
    /// The separation of the elements, if the points are on the elements, else NaN [m].
    s: f64,
    /// Midway between the points, on the surfaces of the cores [m].
    middle: Vec3,
    /// No other axis parts bodies sooner that overlap by less than this [m].
    held: f64,
}

/// Calls with all axes along which elements near `n` of two cores meet.
pub(crate) fn each_meeting<P: Support, Q: Support>(
    a: (&P, &Frame),
    b: (&Q, &Frame),
    n: Vec3,
    visit: &mut dyn FnMut(Vec3),
) {
    let pair = Pair::new(a, b);
    let (of_a, of_b) = (a.0.elements(&pair.a.1, n), b.0.elements(&pair.b.1, -n));
    of_a.face.into_iter().chain(of_b.face.map(|n| -n)).for_each(&mut *visit);
    for p in of_a.iter() {
        let met = of_b.iter().filter_map(|q| pair.solve(p, q, n)).filter(|found| pair.meets(found));
        met.for_each(|found| visit(found.n));
    }
}

impl<'a, P: Support, Q: Support> Pair<'a, P, Q> {
    fn new((a, A): (&'a P, &Frame), (b, B): (&'a Q, &Frame)) -> Self {
        Self {
            a: (a, A.from(A.origin)),
            b: (b, B.from(A.origin)),
            size: a.size().min(b.size()),
            rounding: f64::EPSILON * (a.size() + b.size()),
        }
    }

    /// The gap that the proof may leave open [m].
    fn proven(&self) -> f64 {
        PROVEN * self.size + 8.0 * self.rounding
    }

    /// True where no part of the cores reaches farther than the elements.
    fn meets(&self, found: &Solution) -> bool {
        (self.along(found.n) - found.s).abs() <= self.proven()
    }

    /// a(n) − b(−n) [m].
    fn difference(&self, n: Vec3) -> Vec3 {
        let ((a, A), (b, B)) = (&self.a, &self.b);
        A.point(a.core_support(A.inverse_direction(n))) - B.point(b.core_support(B.inverse_direction(-n)))
    }

    /// Where the cores meet along the normal of a face of one of them, if they do: where they overlap, farther from its
    /// sides than they do.
    fn meets_a_face(&self, n: Vec3, overlap: bool) -> Option<Vec3> {
        let ((a, A), (b, B)) = (&self.a, &self.b);
        let sizes = (a.size(), b.size());
        let (apart, x) = middle_of(|level| a.highest(A, n, level), (*b, B), n, sizes);
        let level = MET * self.size + self.rounding;
        let within = || a.highest(A, n, level).clearance(x, n).max(b.highest(B, -n, level).clearance(x, n));
        (apart <= level && (!overlap || within() >= -self.along(n))).then_some(x)
    }

    /// s(n) [m].
    fn along(&self, n: Vec3) -> f64 {
        -n.dot(self.difference(n))
    }

    /// (1) to (3) for two elements from an axis near the solution.
    fn solve(&self, p: &Element, q: &Element, start: Vec3) -> Option<Solution> {
        let (mut n, unit) = (start, 1.0 / self.size);
        let (mut a, mut b) = (Place::new(p, n, 1.0), Place::new(q, n, -1.0));
        a.turn_to(b.point(n));
        b.turn_to(a.point(n));
        let mut s = n.dot(b.point(n) - a.point(n)) * unit;
        for _ in 0..STEPS {
            let apart = (b.point(n) - a.point(n)) * unit - n * s;
            let (by_n_a, by_n_b) = (a.by_normal(n), b.by_normal(n));
            let (along_a, along_b) = (a.by_parameter(n) * unit, b.by_parameter(n) * unit);
            let mut m = [[0.0; 7]; 6];
            for (i, row) in m.iter_mut().take(3).enumerate() {
                let change = (by_n_b.rows[i] - by_n_a.rows[i]) * unit;
                row[..3].copy_from_slice(&change.to_array());
                row[i] -= s + LOOSE.copysign(s);
                row[3..].copy_from_slice(&[-n[i], -along_a[i], along_b[i], -apart[i]]);
            }
            m[3][..3].copy_from_slice(&n.to_array());
            m[3][6] = 0.5 * (1.0 - n.norm_squared());
            for (row, place) in [(4, &a), (5, &b)] {
                let (value, by_n, by_parameter) = place.condition(n);
                m[row][..3].copy_from_slice(&by_n.to_array());
                (m[row][row], m[row][6]) = (by_parameter, -value);
            }
            let x = eliminated(m)?;
            let step = vec3(x[0], x[1], x[2]);
            let far = step.norm().max(a.angle(x[4])).max(b.angle(x[5]));
            let share = if far > STRIDE { STRIDE / far } else { 1.0 };
            n += step * share;
            s += x[3] * share;
            a.advance(x[4] * share);
            b.advance(x[5] * share);
            if far < ROUNDED {
                break;
            }
        }
        // Of vertices, edges and rims the opposite of a solution is one.
        let n = n.normalized().map(|n| if n.dot(start) < 0.0 { -n } else { n })?;
        let s = n.dot(b.point(n) - a.point(n)) - p.radius() - q.radius();
        let slack = PROVEN * self.size + self.rounding;
        let s = if a.is_within(slack) && b.is_within(slack) { s } else { f64::NAN };
        let middle = (a.point(n) + n * p.radius() + b.point(n) - n * q.radius()) * 0.5;
        Some(Solution { n, s, middle, held: held(&a, &b, n) })
    }
}

/// A point of an element: t [m], or ρ and τ.
#[derive(Clone, Copy)]
struct Place<'a> {
    element: &'a Element,
    /// 1 where n is the outward normal, −1 where −n is.
    sign: f64,
    t: f64,
    rho: Vec3,
    tau: Vec3,
}

impl<'a> Place<'a> {
    fn new(element: &'a Element, n: Vec3, sign: f64) -> Self {
        let mut place = Self { element, sign, t: 0.0, rho: Vec3::ZERO, tau: Vec3::ZERO };
        match element {
            Element::Line { range, .. } => place.t = 0.5 * (range[0] + range[1]),
            Element::Rim { axis, .. } => place.look(*axis, n * sign),
            Element::Vertex(_) | Element::Ellipsoid { .. } => {}
        }
        place
    }

    /// Around a rim to where it is farthest along d.
    fn look(&mut self, axis: Vec3, d: Vec3) {
        let out = d - axis * axis.dot(d);
        self.rho = out.normalized().unwrap_or_else(|| axis.tangents().0);
        self.tau = axis.cross(self.rho);
    }

    /// Along a line to the point nearest to x.
    fn turn_to(&mut self, x: Vec3) {
        if let Element::Line { q, u, range, .. } = self.element {
            self.t = u.dot(x - *q).clamp(range[0], range[1]);
        }
    }

    fn point(&self, n: Vec3) -> Vec3 {
        match self.element {
            Element::Vertex(p) => *p,
            Element::Line { q, .. } => *q + self.by_parameter(n) * self.t,
            Element::Rim { q, radius, .. } => *q + self.rho * *radius,
            Element::Ellipsoid { q, axes, radii, .. } => {
                *q + *axes * on_ellipsoid(axes, *radii, n * self.sign).0
            }
        }
    }

    /// ∂p/∂n.
    fn by_normal(&self, n: Vec3) -> Mat3 {
        match self.element {
            Element::Vertex(_) | Element::Rim { .. } => Mat3::ZERO,
            Element::Line { c, .. } => {
                let d = -self.t * self.sign * c;
                Mat3 { rows: [Vec3::X * d, Vec3::Y * d, Vec3::Z * d] }
            }
            Element::Ellipsoid { axes, radii, .. } => {
                // (D² − x xᵀ)/‖D d‖, in axes of W.
                let (x, scale) = on_ellipsoid(axes, *radii, n * self.sign);
                let squares = vec3(radii.x * radii.x, radii.y * radii.y, radii.z * radii.z);
                let row = |i: usize| {
                    let mut row = x * -x[i];
                    row[i] += squares[i];
                    row * (self.sign / scale)
                };
                let H = Mat3 { rows: [row(0), row(1), row(2)] };
                *axes * H * axes.transpose()
            }
        }
    }

    /// The derivative of p by t, or by φ.
    fn by_parameter(&self, n: Vec3) -> Vec3 {
        match self.element {
            Element::Line { u, c, .. } => *u - n * (self.sign * c),
            Element::Rim { radius, .. } => self.tau * *radius,
            Element::Vertex(_) | Element::Ellipsoid { .. } => Vec3::ZERO,
        }
    }

    /// (2) or (3): the value, and its derivatives by n and by the parameter.
    fn condition(&self, n: Vec3) -> (f64, Vec3, f64) {
        match self.element {
            Element::Line { u, c, .. } => (u.dot(n) - self.sign * c, *u, 0.0),
            Element::Rim { .. } => (self.tau.dot(n), self.tau, -self.rho.dot(n)),
            Element::Vertex(_) | Element::Ellipsoid { .. } => (0.0, Vec3::ZERO, 1.0),
        }
    }

    /// The angle of a step of the parameter [rad].
    fn angle(&self, step: f64) -> f64 {
        if matches!(self.element, Element::Rim { .. }) { step.abs() } else { 0.0 }
    }

    fn advance(&mut self, step: f64) {
        match self.element {
            Element::Line { .. } => self.t += step,
            Element::Rim { axis, .. } => {
                let (sin, cos) = step.sin_cos();
                self.look(*axis, self.rho * cos + self.tau * sin);
            }
            Element::Vertex(_) | Element::Ellipsoid { .. } => {}
        }
    }

    /// The direction in which the core goes on from the point across n and how far at least both ways, and how far at
    /// right angles to that [m].
    fn goes_on(&self, n: Vec3) -> (Vec3, f64, f64) {
        match self.element {
            Element::Line { u, c, range, radius, .. } => {
                let within = (self.t - range[0]).min(range[1] - self.t);
                (*u - n * n.dot(*u), within, radius + (self.t * c).abs())
            }
            Element::Rim { radius, .. } => (self.tau, *radius, 0.0),
            Element::Ellipsoid { radii, .. } => {
                // Its least radius of curvature.
                let (least, most) = (radii.x.min(radii.y).min(radii.z), radii.x.max(radii.y).max(radii.z));
                (n.tangents().0, least * (least / most), least * (least / most))
            }
            Element::Vertex(_) => (Vec3::ZERO, 0.0, 0.0),
        }
    }

    fn is_within(&self, slack: f64) -> bool {
        match self.element {
            Element::Line { range, .. } => self.t >= range[0] - slack && self.t <= range[1] + slack,
            _ => true,
        }
    }
}

/// Up to what overlap no axis but n parts bodies sooner [m]. Their difference goes on from its point nearest to the origin
/// as far as they do: what it holds across n is cut by any plane that is nearer.
fn held(a: &Place, b: &Place, n: Vec3) -> f64 {
    let ((u, x, across_u), (v, y, across_v)) = (a.goes_on(n), b.goes_on(n));
    let sine = u.cross(v).norm() / (u.norm() * v.norm()).max(f64::MIN_POSITIVE);
    0.5 * x.min(across_u).max(y.min(across_v)).max(x.min(y) * sine)
}

/// The point of an ellipsoid about its centre with the outward direction m in W, in its own axes [m], and ‖D d‖ there.
fn on_ellipsoid(axes: &Mat3, radii: Vec3, m: Vec3) -> (Vec3, f64) {
    let d = axes.transpose_mul(m);
    let scaled = vec3(radii.x * d.x, radii.y * d.y, radii.z * d.z);
    let scale = scaled.norm();
    (vec3(radii.x * scaled.x, radii.y * scaled.y, radii.z * scaled.z) * (1.0 / scale), scale)
}

/// The solution of six linear equations, the right side in the last column; `None` where rows depend on one another.
fn eliminated(mut m: [[f64; 7]; 6]) -> Option<[f64; 6]> {
    for k in 0..6 {
        let pivot = (k..6).max_by(|i, j| m[*i][k].abs().total_cmp(&m[*j][k].abs()))?;
        m.swap(k, pivot);
        if m[k][k].abs() < SINGULAR {
            return None;
        }
        let (above, below) = m.split_at_mut(k + 1);
        let top = &above[k];
        for row in below.iter_mut().filter(|row| row[k] != 0.0) {
            let share = row[k] / top[k];
            row.iter_mut().zip(top).skip(k).for_each(|(x, t)| *x -= share * t);
        }
    }
    let mut x = [0.0; 6];
    for k in (0..6).rev() {
        let rest = (k + 1..6).fold(m[k][6], |rest, j| rest - m[k][j] * x[j]);
        x[k] = rest / m[k][k];
    }
    Some(x)
}
