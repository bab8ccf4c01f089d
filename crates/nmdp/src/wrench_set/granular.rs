//! A sole in granular ground: the wrenches that the ground can exert on it at a pose, by resistive-force theory.
//!
//! Every element of the sole that is a depth δ_e below the surface feels a stress in proportion to its depth, which depends on
//! the inclination β of its face and the direction γ of its motion in the vertical plane of that motion [LiZhangGoldman2013]:
//!
//! ```text
//!     σ = ζ δ_e (α_x(β, γ) e + α_z(β, γ) n)                                          (1)
//!     B_j = Σ_e dA σ(β_j, γ_j) at the element                                        (2)
//! ```
//!
//! e is the horizontal direction of motion and n the vertical. One vertex for each of a set of motions, straight down, and
//! down, level and up along azimuths: what moves in any other way feels a mixture of these, and of all mixtures the principle
//! of maximal dissipation takes the one against the motion. Set-up of α: the generic Fourier series of the authors.
//!
//! The set depends on the depths of the elements and on β of the sole in each azimuth's plane. Its derivative is analytic.

use super::{Place, WrenchSet};
use crate::body_forces::{Mat6, cross_matrix, outer};
use crate::sole::{Outline, Sole};
use crate::wrench_set::cone::Ground;
use serde::{Deserialize, Serialize};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, TAU};
use stiction_dynamics::spatial::{Force, Mat3, Vec3};

/// α_x and α_z with their derivatives by β, of the generic material [N/cm³ over ζ].
pub fn stress(beta: f64, gamma: f64) -> [[f64; 2]; 2] {
    // (m, n), A, B of α_z; C, D of α_x: A cos(2 m β + n γ) + B sin(2 m β + n γ), and so on.
    const SERIES: [(f64, f64, [f64; 4]); 5] = [
        (0.0, 0.0, [0.206, 0.0, 0.0, 0.0]),
        (1.0, 0.0, [0.169, 0.0, 0.0, 0.088]),
        (1.0, 1.0, [0.0, 0.212, -0.124, 0.0]),
        (0.0, 1.0, [0.0, 0.358, 0.253, 0.0]),
        (-1.0, 1.0, [0.0, 0.055, 0.007, 0.0]),
    ];
    let (mut x, mut z) = ([0.0; 2], [0.0; 2]);
    for (m, n, [a, b, c, d]) in SERIES {
        let (sin, cos) = (2.0 * m * beta + n * gamma).sin_cos();
        for (out, [p, q]) in [(&mut z, [a, b]), (&mut x, [c, d])] {
            out[0] += p * cos + q * sin;
            out[1] += 2.0 * m * (q * cos - p * sin);
        }
    }
    [x, z]
}

/// A motion of the foot: azimuth of its vertical plane, and its direction in it, downwards positive.
#[derive(Clone, Copy, Debug)]
struct Direction {
    e: Vec3,
    gamma: f64,
}

/// The set of a sole; the site is its centre.
#[derive(Clone, Debug)]
pub struct Granular {
    ground: Ground,
    /// Area of an element times ζ [N/m].
    strength: f64,
    /// Elements from the centre, in axes of the body [m].
    elements: Vec<Vec3>,
    /// Normal of the sole in axes of the body, away from the ground.
    up: Vec3,
    directions: Vec<Direction>,
}

/// Numbers of granular sets.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GranularParams {
    /// ζ: strength of the material; 1e6 N/m³ is 1 N/cm³ at α = 1; typical 2e5 … 2e6 [N/m³].
    pub strength: f64,
    /// Rings of elements of a disc, and half the rows of a rectangle; 2 … 4 for simulation, 20 for data.
    pub rings: u32,
    /// Azimuths of motions; 4 … 16.
    pub azimuths: u32,
}

impl Default for GranularParams {
    fn default() -> Self {
        Self { strength: 5e5, rings: 3, azimuths: 6 }
    }
}

impl Granular {
    /// A sole with its centre at the site.
    pub fn new(ground: Ground, sole: &Sole, params: &GranularParams) -> Self {
        let GranularParams { strength, rings, azimuths } = *params;
        let (elements, area) = elements(sole, rings);
        let (t1, t2) = ground.normal.tangents();
        let mut directions = vec![Direction { e: t1, gamma: FRAC_PI_2 }];
        for k in 0..azimuths {
            let angle = TAU * f64::from(k) / f64::from(azimuths);
            let e = t1 * angle.cos() + t2 * angle.sin();
            directions.extend([FRAC_PI_4, 0.0, -FRAC_PI_4].map(|gamma| Direction { e, gamma }));
        }
        Self { ground, strength: strength * area, elements, up: sole.axes[2] * -1.0, directions }
    }

    /// Inclination of the sole in the plane of a motion, and its gradient by the turning of the body.
    fn inclination(&self, place: &Place, e: Vec3) -> (f64, Vec3) {
        let (up, n) = (place.R_WB * self.up, self.ground.normal);
        let (x, z) = (up.dot(e), up.dot(n));
        let beta = -x.atan2(z);
        // δ(up · e) = (α × up) · e = α · (up × e), and so for n.
        let s = x * x + z * z;
        (beta, (up.cross(n) * (x / s)) - up.cross(e) * (z / s))
    }
}

/// Elements of equal area from the centre of a sole, in axes of the body [m], and the area of one [m²].
fn elements(sole: &Sole, rings: u32) -> (Vec<Vec3>, f64) {
    let [a, b, _] = sole.axes;
    let mut out = Vec::new();
    let total = match sole.outline {
        Outline::Disc { radius } => {
            // Rings of equal width with elements in proportion to their radii.
            for ring in 0..rings {
                let r = radius * (f64::from(ring) + 0.5) / f64::from(rings);
                let count = 3 * (2 * ring + 1);
                for k in 0..count {
                    let angle = TAU * (f64::from(k) + 0.5 * f64::from(ring % 2)) / f64::from(count);
                    out.push(a * (r * angle.cos()) + b * (r * angle.sin()));
                }
            }
            std::f64::consts::PI * radius * radius
        }
        Outline::Rectangle { half } => {
            let rows = 2 * rings;
            let at = |k: u32, half: f64| half * ((f64::from(k) + 0.5) / f64::from(rings) - 1.0);
            for i in 0..rows {
                out.extend((0..rows).map(|j| a * at(i, half[0]) + b * at(j, half[1])));
            }
            4.0 * half[0] * half[1]
        }
    };
    let area = total / out.len() as f64;
    (out, area)
}

impl WrenchSet for Granular {
    fn len(&self) -> usize {
        self.directions.len()
    }

    fn vertices_into(&self, place: &Place, out: &mut [Force]) {
        // All elements have the same stress but for their depth: one force, applied at their weighted mean.
        let mut first = Vec3::ZERO;
        let mut total = 0.0;
        for r in &self.elements {
            let arm = place.R_WB * *r;
            let depth = (-self.ground.gap(place.p + arm, 0.0)).max(0.0);
            total += depth;
            first += arm * depth;
        }
        for (out, direction) in out.iter_mut().zip(&self.directions) {
            let (beta, _) = self.inclination(place, direction.e);
            let [[x, _], [z, _]] = stress(beta, direction.gamma);
            let f = (direction.e * -x + self.ground.normal * z.max(0.0)) * self.strength;
            *out = Force::new(first.cross(f), f * total);
        }
    }

    fn slope(&self, place: &Place, weights: &[f64]) -> Mat6 {
        let n = self.ground.normal;
        let (mut total, mut first) = (0.0, Vec3::ZERO);
        // Derivatives of Σ δ and Σ δ arm by (α, u).
        let (mut total_a, mut total_u) = (Vec3::ZERO, Vec3::ZERO);
        let (mut first_a, mut first_u) = (Mat3::ZERO, Mat3::ZERO);
        for r in &self.elements {
            let arm = place.R_WB * *r;
            let depth = (-self.ground.gap(place.p + arm, 0.0)).max(0.0);
            if depth == 0.0 {
                continue;
            }
            let (by_a, by_u) = (n.cross(arm), n * -1.0);
            total += depth;
            first += arm * depth;
            total_a += by_a;
            total_u += by_u;
            first_a = first_a + outer(arm, by_a) - cross_matrix(arm * depth);
            first_u = first_u + outer(arm, by_u);
        }
        let mut out = Mat6::ZERO;
        for (w, direction) in weights.iter().zip(&self.directions) {
            let (beta, beta_a) = self.inclination(place, direction.e);
            let [[x, x_b], [z, z_b]] = stress(beta, direction.gamma);
            let scale = w * self.strength;
            let f = (direction.e * -x + n * z.max(0.0)) * scale;
            let f_b = (direction.e * -x_b + n * if z > 0.0 { z_b } else { 0.0 }) * scale;
            out.add(&Mat6 {
                aa: cross_matrix(f) * first_a * -1.0 + outer(first.cross(f_b), beta_a),
                al: cross_matrix(f) * first_u * -1.0,
                la: outer(f, total_a) + outer(f_b * total, beta_a),
                ll: outer(f, total_u),
            });
        }
        out
    }

    fn depth(&self, place: &Place) -> f64 {
        let deep = |r: &Vec3| -self.ground.gap(place.p + place.R_WB * *r, 0.0);
        self.elements.iter().map(deep).fold(0.0, f64::max)
    }

    fn boxed(&self) -> Box<dyn WrenchSet> {
        Box::new(self.clone())
    }
}
