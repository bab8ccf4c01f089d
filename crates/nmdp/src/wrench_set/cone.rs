//! The linearised friction cone of a ball or a point on a plane, as large as its depth allows.
//!
//! ```text
//!     δ = max(0, r − (n · p − d)),   c(δ) = ε + k δ^m                                 (1)
//!     B_j = (−r n × f_j, f_j),   f_j = c(δ) (n + μ t_j)                               (2)
//! ```
//!
//! t_j are directions at equal angles in the plane, n its normal, r the radius of the ball, p its centre. With m = 2 this is
//! the paper's model (remark 4), with ε > 0 that of its remark 5; larger m and k are smoother or stiffer, and m = 1 breaks
//! assumption A V.3, smoothness. A mass m g rests on one such set at the depth √((m g − ε)/k) at m = 2.

use super::{Place, WrenchSet};
use crate::body_forces::{Mat6, outer};
use serde::{Deserialize, Serialize};
use stiction_dynamics::spatial::{Force, Vec3};

/// How large a cone grows with depth: c(δ) of (1).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Growth {
    /// k [N/m^m]; larger: stiffer, less deep, smaller steps.
    pub stiffness: f64,
    /// m, 1 … 4 [–].
    pub exponent: f64,
    /// ε, a force where nothing touches [N].
    pub offset: f64,
}

impl Default for Growth {
    fn default() -> Self {
        Self { stiffness: 1e6, exponent: 2.0, offset: 0.0 }
    }
}

impl Growth {
    /// c and its derivative by δ.
    pub fn at(&self, depth: f64) -> [f64; 2] {
        if depth <= 0.0 {
            return [self.offset, 0.0];
        }
        let lower = if self.exponent == 2.0 { depth } else { depth.powf(self.exponent - 1.0) };
        let slope = self.exponent * self.stiffness * lower;
        [self.offset + self.stiffness * lower * depth, slope]
    }
}

/// A half space n · x ≤ d with unit outward normal n.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ground {
    /// n, in W.
    pub normal: Vec3,
    /// d [m].
    pub offset: f64,
}

impl Ground {
    /// Gap of a ball of `radius` about `p` [m].
    pub fn gap(&self, p: Vec3, radius: f64) -> f64 {
        self.normal.dot(p) - self.offset - radius
    }
}

/// A linearised friction cone on a plane.
#[derive(Clone, Debug)]
pub struct Cone {
    ground: Ground,
    /// r [m].
    radius: f64,
    growth: Growth,
    /// n + μ t_j.
    edges: Vec<Vec3>,
}

impl Cone {
    /// A cone with `edges` edges of friction `mu`; one edge, the normal, without friction.
    pub fn new(ground: Ground, radius: f64, growth: Growth, mu: f64, edges: usize) -> Self {
        let (t1, t2) = ground.normal.tangents();
        let edge = |j: usize| {
            let angle = std::f64::consts::TAU * j as f64 / edges as f64;
            ground.normal + (t1 * angle.cos() + t2 * angle.sin()) * mu
        };
        let edges = if mu > 0.0 { (0..edges).map(edge).collect() } else { vec![ground.normal] };
        Self { ground, radius, growth, edges }
    }

    fn arm(&self) -> Vec3 {
        self.ground.normal * -self.radius
    }
}

impl WrenchSet for Cone {
    fn len(&self) -> usize {
        self.edges.len()
    }

    fn vertices_into(&self, place: &Place, out: &mut [Force]) {
        let [c, _] = self.growth.at(self.depth(place));
        let arm = self.arm();
        for (out, edge) in out.iter_mut().zip(&self.edges) {
            *out = Force::at(arm, *edge * c); // (2)
        }
    }

    fn slope(&self, place: &Place, weights: &[f64]) -> Mat6 {
        let [_, slope] = self.growth.at(self.depth(place));
        let mut f = Vec3::ZERO;
        for (w, edge) in weights.iter().zip(&self.edges) {
            f += *edge * (w * slope);
        }
        // The depth grows by −n · u.
        let n = self.ground.normal * -1.0;
        Mat6 { al: outer(self.arm().cross(f), n), ll: outer(f, n), ..Mat6::ZERO }
    }

    fn acts(&self, place: &Place) -> bool {
        self.growth.offset > 0.0 || self.depth(place) > 0.0
    }

    fn depth(&self, place: &Place) -> f64 {
        (-self.ground.gap(place.p, self.radius)).max(0.0)
    }

    fn boxed(&self) -> Box<dyn WrenchSet> {
        Box::new(self.clone())
    }
}
