//! A contact surface as four points, for laws whose cost grows with the number of contacts.
//!
//! With f = p dA and k = g dA over the polygons, F n = ∫ n_i f their resultant, w = n · n_i, M its moment about some point and
//! ⟨·⟩ the mean with the weight w f:
//!
//! ```text
//!     c      the point of the line on which F n acts that is as high along n as the polygons are in the mean                 (1)
//!     S      = ⟨(x − c)_T (x − c)_Tᵀ⟩,   ρ = ⟨‖(x − c)_T‖⟩,   with the axes e of S and its values s² across n              (2)
//!     points x = c ± a₁ e₁ ± a₂ e₂,   a = ρ s/√(s₁² + s₂²),   each with f = F/4 and k = σ K/4,   K = ∫ w² k               (3)
//! ```
//!
//! (1) carries force and moment, but for the component of the moment along n, which is zero where the patch is flat. All four points of
//! (3) are at ρ from c: friction holds back what spins about c by μ F ρ, as over the area. While it slides far faster than it spins the
//! torque is ρ²/⟨r²⟩ of that over the area, .89 of it for a disc of uniform pressure and .85 for a ball.
//!
//! Springs whose pressure is nearer to c than the area resist tilting less than the patch does. Implicit steps are stable where
//! stiffness is at least half of the true one. σ ≥ 1 sees to that: the patch, as a quadratic form in sinking and tilting about c, is at
//! most [`SOFTER`] times that of the points. It is 1 unless the pressure is far to one side, as under a tilted box.

use super::patch::{PatchElement, PressurePatch};
use stiction_dynamics::spatial::Vec3;

/// The patch may be stiffer than its points by this factor [–].
const SOFTER: f64 = 1.8;

/// One of at most four points that stand for a patch, in W.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RepresentativePoint {
    /// Position [m].
    pub position: Vec3,
    /// Unit normal from A to B; that of the resultant.
    pub normal: Vec3,
    /// Stiffness along the normal [N/m].
    pub stiffness: f64,
    /// Gap at which a spring of this stiffness carries its share of the pressure [m].
    pub gap: f64,
    /// Share of the area [m²].
    pub area: f64,
    /// Number among the points of the patch, 0 … 3.
    pub feature: u32,
}

/// The points (3) of a patch, appended to `out`; none of an empty patch, or one whose resultant is zero.
pub fn representative_points(patch: &PressurePatch, out: &mut Vec<RepresentativePoint>) {
    let elements = patch.elements();
    let mut weights = 0.0;
    let (mut sum, mut middle, mut area) = (Vec3::ZERO, Vec3::ZERO, 0.0);
    for e in elements {
        let f = e.area * e.pressure;
        weights += f;
        sum += e.normal * f;
        middle += e.center_of_pressure * f;
        area += e.area;
    }
    let Some(n) = sum.normalized() else { return };
    let force = sum.norm();
    let middle = middle * (1.0 / weights);
    let moment = patch.wrench(middle).angular;
    // (n × M)/F is where F n has the moment M, but for what is along n.
    let c = middle + n.cross(moment) * (1.0 / force);
    let (t1, t2) = n.tangents();
    let (mut load, mut springs) = (Moments::default(), Moments::default());
    for e in elements {
        let w = e.normal.dot(n);
        samples(patch, e, |x, area, pressure| {
            let d = x - c;
            let at = [t1.dot(d), t2.dot(d)];
            load.add(at, area * pressure * w);
            springs.add(at, area * e.slope * w * w);
        });
    }
    let (stiffness, [xx, xy, yy]) = (springs.sum, load.second());
    if stiffness.is_nan() || stiffness <= 0.0 {
        return;
    }
    let (mean, half) = (0.5 * (xx + yy), 0.5 * (xx - yy));
    let radius = half.hypot(xy);
    let share = if mean > 0.0 { load.lever / load.sum / (2.0 * mean).sqrt() } else { 0.0 };
    let [a1, a2] = [mean + radius, mean - radius].map(|s| s.max(0.0).sqrt() * share);
    let (sin, cos) = (0.5 * xy.atan2(half)).sin_cos();
    let (e1, e2) = (t1 * cos + t2 * sin, t2 * cos - t1 * sin);
    let stiffness = stiffness * (springs.beside([sin, cos], [a1, a2]) / SOFTER).max(1.0);
    for (feature, (a, b)) in [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)].into_iter().enumerate() {
        out.push(RepresentativePoint {
            position: c + e1 * (a * a1) + e2 * (b * a2),
            normal: n,
            stiffness: 0.25 * stiffness,
            gap: -force / stiffness,
            area: 0.25 * area,
            feature: feature as u32,
        });
    }
}

/// Calls `take` with points of a polygon, their shares of its area [m²] and the pressure there [Pa]: exact for integrals of
/// quadratic functions.
fn samples(patch: &PressurePatch, e: &PatchElement, mut take: impl FnMut(Vec3, f64, f64)) {
    let (corners, pressures) = patch.corners(e);
    let n = corners.len();
    for k in 0..n {
        let x = [e.centroid, corners[k], corners[(k + 1) % n]];
        let p = [e.pressure, pressures[k], pressures[(k + 1) % n]];
        let area = 0.5 * e.normal.dot((x[1] - x[0]).cross(x[2] - x[0]));
        let (middle, mean) = ((x[0] + x[1] + x[2]) * (1.0 / 6.0), (p[0] + p[1] + p[2]) / 6.0);
        for (x, p) in x.into_iter().zip(p) {
            take(middle + x * 0.5, area / 3.0, mean + 0.5 * p);
        }
    }
}

/// Moments of a distribution across n, about c.
#[derive(Default)]
struct Moments {
    sum: f64,
    first: [f64; 2],
    /// Sums of x², x y and y².
    squares: [f64; 3],
    /// Sum of ‖x‖.
    lever: f64,
}

impl Moments {
    fn add(&mut self, [x, y]: [f64; 2], weight: f64) {
        self.sum += weight;
        self.first[0] += weight * x;
        self.first[1] += weight * y;
        self.squares[0] += weight * x * x;
        self.squares[1] += weight * x * y;
        self.squares[2] += weight * y * y;
        self.lever += weight * x.hypot(y);
    }

    fn second(&self) -> [f64; 3] {
        self.squares.map(|s| s / self.sum)
    }

    /// The largest ratio, or a little more, of the stiffness of these springs to that of four of the same sum that are at ± a₁ and ± a₂
    /// along axes turned by an angle.
    fn beside(&self, [sin, cos]: [f64; 2], [a1, a2]: [f64; 2]) -> f64 {
        let [xx, xy, yy] = self.second();
        let [x, y] = self.first.map(|m| m / self.sum);
        // In units of a; what has no extent at all resists no tilting.
        let unit = |a: f64| if a > 1e-6 * a1 && a > 0.0 { 1.0 / a } else { 0.0 };
        let [u1, u2] = [a1, a2].map(unit);
        let beside = u1 * (cos * x + sin * y);
        let above = u2 * (cos * y - sin * x);
        let b11 = u1 * u1 * (cos * cos * xx + 2.0 * sin * cos * xy + sin * sin * yy);
        let b22 = u2 * u2 * (sin * sin * xx - 2.0 * sin * cos * xy + cos * cos * yy);
        let b12 = u1 * u2 * ((cos * cos - sin * sin) * xy + sin * cos * (yy - xx));
        let tilting = 0.5 * (b11 + b22) + (0.5 * (b11 - b22)).hypot(b12);
        0.5 * (1.0 + tilting) + (0.5 * (1.0 - tilting)).hypot(beside.hypot(above))
    }
}
