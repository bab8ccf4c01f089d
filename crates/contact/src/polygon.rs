//! Polygons in place of the friction disc ‖λ_T‖ ≤ r, and the cones over them.
//!
//! ```text
//!     regular     conv {r (cos 2πj/n, sin 2πj/n)},  j = 0 … n − 1     [StewartTrinkle1996]
//!     square      |λ_t1| ≤ r, |λ_t2| ≤ r
//! ```
//!
//! Edges are alike. With s along the axis to the middle of the edge that a vector looks at, and t across,
//! the edge is
//!
//! ```text
//!     s = κ r,   |t| ≤ σ r                                            (1)
//! ```
//!
//! with κ = cos(π/n), σ = sin(π/n) for n facets, and κ = σ = 1 for the square. The nearest point of a
//! polygon, or of the cone {λ_T in the polygon of radius μ λ_N}, looks at the same edge, by symmetry.

use std::f64::consts::{PI, TAU};
use stiction_dynamics::spatial::{Vec3, vec3};

/// A polygon that stands for the friction disc of radius μ λ_N.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Polygon {
    /// Sides along t₁ and t₂; it holds the disc.
    Square,
    /// Corners on the circle, the first on t₁; the disc holds it. At least three facets.
    Regular { facets: u32 },
}

impl Polygon {
    /// κ and σ of (1).
    #[inline]
    pub fn edge(self) -> (f64, f64) {
        match self {
            Polygon::Square => (1.0, 1.0),
            Polygon::Regular { facets } => {
                let (sigma, kappa) = (PI / f64::from(facets)).sin_cos();
                (kappa, sigma)
            }
        }
    }

    /// Unit vector to the middle of the edge that `x` looks at.
    #[inline]
    pub fn toward(self, x: [f64; 2]) -> [f64; 2] {
        match self {
            Polygon::Square if x[0].abs() >= x[1].abs() => [1_f64.copysign(x[0]), 0.0],
            Polygon::Square => [0.0, 1_f64.copysign(x[1])],
            Polygon::Regular { facets } => {
                let step = TAU / f64::from(facets);
                let (sin, cos) = (((x[1].atan2(x[0]) / step).floor() + 0.5) * step).sin_cos();
                [cos, sin]
            }
        }
    }

    /// Number of corners.
    #[inline]
    pub fn corners(self) -> u32 {
        match self {
            Polygon::Square => 4,
            Polygon::Regular { facets } => facets,
        }
    }

    /// Corner j for r = 1, counted from 0.
    pub fn corner(self, j: u32) -> [f64; 2] {
        match self {
            Polygon::Square => [[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]][(j % 4) as usize],
            Polygon::Regular { facets } => {
                let (sin, cos) = (f64::from(j) * TAU / f64::from(facets)).sin_cos();
                [cos, sin]
            }
        }
    }

    /// Nearest point of the polygon of radius r ≥ 0.
    #[inline]
    pub fn project(self, x: [f64; 2], r: f64) -> [f64; 2] {
        let ((kappa, sigma), m) = (self.edge(), self.toward(x));
        let s = m[0] * x[0] + m[1] * x[1];
        if s <= kappa * r {
            return x;
        }
        let t = limit(m[0] * x[1] - m[1] * x[0], sigma * r);
        let s = kappa * r;
        [m[0] * s - m[1] * t, m[1] * s + m[0] * t]
    }

    /// Nearest point of the cone over the polygon, λ_T within radius μ λ_N.
    #[inline]
    pub fn project_cone(self, x: Vec3, mu: f64) -> Vec3 {
        let ((kappa, sigma), m) = (self.edge(), self.toward([x.x, x.y]));
        let (kappa, sigma) = (mu * kappa, mu * sigma);
        let (s, t) = (m[0] * x.x + m[1] * x.y, m[0] * x.y - m[1] * x.x);
        if s <= kappa * x.z && x.z >= 0.0 {
            return x;
        }
        // On the facet, or beyond its side on an edge of the cone, or at the apex.
        let facet = (kappa * s + x.z) / (1.0 + kappa * kappa);
        let (normal, across) = if t.abs() <= sigma * facet {
            (facet, t)
        } else {
            let edge = (kappa * s + sigma * t.abs() + x.z) / (1.0 + kappa * kappa + sigma * sigma);
            let edge = if edge < 0.0 { 0.0 } else { edge };
            (edge, (sigma * edge).copysign(t))
        };
        let s = kappa * normal;
        vec3(m[0] * s - m[1] * across, m[1] * s + m[0] * across, normal)
    }
}

/// Nearest number of [−side, side]; NaN stays.
#[inline]
fn limit(x: f64, side: f64) -> f64 {
    if x > side {
        side
    } else if x < -side {
        -side
    } else {
        x
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POLYGONS: [Polygon; 4] = [
        Polygon::Square,
        Polygon::Regular { facets: 4 },
        Polygon::Regular { facets: 6 },
        Polygon::Regular { facets: 16 },
    ];

    fn corners(polygon: Polygon) -> Vec<[f64; 2]> {
        (0..polygon.corners()).map(|j| polygon.corner(j)).collect()
    }

    /// y = P(x) if y is in the set and (x − y)·(z − y) ≤ 0 for all corners z.
    #[test]
    fn the_nearest_point_of_a_polygon() {
        for polygon in POLYGONS {
            for k in 0..400 {
                let (sin, cos) = (0.37 * f64::from(k)).sin_cos();
                let length = 0.02 * f64::from(k % 150);
                let (x, r) = ([length * cos, length * sin], 0.7);
                let y = polygon.project(x, r);
                let furthest = corners(polygon)
                    .iter()
                    .map(|z| (x[0] - y[0]) * (r * z[0] - y[0]) + (x[1] - y[1]) * (r * z[1] - y[1]))
                    .fold(f64::NEG_INFINITY, f64::max);
                assert!(furthest < 1e-14, "{polygon:?} {x:?} {y:?}");
                let again = polygon.project(y, r);
                assert!((again[0] - y[0]).abs() + (again[1] - y[1]).abs() < 1e-15);
            }
        }
    }

    /// y = P_K(x) if y ∈ K, x − y ⟂ y and (x − y)·z ≤ 0 for all edges z of the cone.
    #[test]
    fn the_nearest_point_of_a_cone() {
        for polygon in POLYGONS {
            for k in 0..2000 {
                let (sin, cos) = (0.37 * f64::from(k)).sin_cos();
                let length = 0.02 * f64::from(k % 150);
                let mu = [0.0, 0.3, 1.0, 2.0][k as usize % 4];
                let x = vec3(length * cos, length * sin, f64::from(k % 37) * 0.1 - 1.8);
                let y = polygon.project_cone(x, mu);
                let d = x - y;
                let furthest = corners(polygon)
                    .iter()
                    .map(|z| d.dot(vec3(mu * z[0], mu * z[1], 1.0)))
                    .fold(f64::NEG_INFINITY, f64::max);
                assert!(furthest < 1e-14, "{polygon:?} {mu} {x:?} {y:?}");
                assert!(d.dot(y).abs() < 1e-14 && (polygon.project_cone(y, mu) - y).norm() < 1e-15);
            }
        }
    }
}
