//! A contact surface as four points, for laws whose cost grows with the number of contacts.
//!
//! With f_i = A p, k_i = A g of the polygons, x_i their centres of pressure, F n = Σ f_i n_i their resultant, w_i = n · n_i and
//! M its moment about some point:
//!
//! ```text
//!     c      the point of the line on which F n acts that is as high along n as the polygons are in the mean                 (1)
//!     S      = Σ k_i w_i² (x_i − c)_T (x_i − c)_Tᵀ/K,   K = Σ k_i w_i²,   with the axes e and values s² across n           (2)
//!     points x = c ± s₁ e₁ ± s₂ e₂,   each with f = F/4 and k = K/4                                                      (3)
//! ```
//!
//! (1) carries force and moment, but for the component of the moment along n, which is zero where the patch is flat. (3) has the
//! stiffness of the patch against sinking and, about c, against tilting: Σ k x xᵀ of the four is S K.

use super::patch::PressurePatch;
use stiction_dynamics::spatial::Vec3;

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
    let (mut stiffness, mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0, 0.0);
    for e in elements {
        let w = e.normal.dot(n);
        let k = e.stiffness() * w * w;
        let d = e.center_of_pressure - c;
        let (x, y) = (t1.dot(d), t2.dot(d));
        stiffness += k;
        xx += k * x * x;
        xy += k * x * y;
        yy += k * y * y;
    }
    if stiffness.is_nan() || stiffness <= 0.0 {
        return;
    }
    let [xx, xy, yy] = [xx, xy, yy].map(|s| s / stiffness);
    let (mean, half) = (0.5 * (xx + yy), 0.5 * (xx - yy));
    let radius = half.hypot(xy);
    let [s1, s2] = [mean + radius, mean - radius].map(|s| s.max(0.0).sqrt());
    let (sin, cos) = (0.5 * xy.atan2(half)).sin_cos();
    let (e1, e2) = (t1 * cos + t2 * sin, t2 * cos - t1 * sin);
    for (feature, (a, b)) in [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)].into_iter().enumerate() {
        out.push(RepresentativePoint {
            position: c + e1 * (a * s1) + e2 * (b * s2),
            normal: n,
            stiffness: 0.25 * stiffness,
            gap: -force / stiffness,
            area: 0.25 * area,
            feature: feature as u32,
        });
    }
}
