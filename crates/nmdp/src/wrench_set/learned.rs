//! A set that was learned from samples, by radial basis functions of the pose.
//!
//! Over level ground the wrenches on an axisymmetric foot depend on the depth of its site and on the tilt (a, b) of its axis:
//! the parts of its unit vector along two horizontal directions. With δ the depth of its lowest point, nearly,
//! x = (δ/δ₀, a/a₀, b/a₀) and every coordinate y of every vertex, along these directions and the normal,
//!
//! ```text
//!     δ = depth of the site + r (√(a² + b² + ε²) − ε),   r the radius of the foot     (0)
//!     y(x) = δ₊ Σ_k θ_k φ(|x − x_k|),   φ(r) = exp(−r²/(2 s²))                        (1)
//! ```
//!
//! The factor δ₊ keeps what hovers free of force, and the set as smooth there as what it was learned from. Derivatives follow
//! from (1); the zeroth-order method does without. Beyond the range of the samples φ is what it is at their edge: deeper
//! wrenches grow with the depth, steeper ones no more. θ is found in [`super::learning`], as in [Zhu2019].

use super::{Place, WrenchSet};
use crate::body_forces::{Mat6, outer};
use crate::wrench_set::cone::Ground;
use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use stiction_dynamics::spatial::{Force, Vec3, vec3};

/// ε of (0): tilts well below it count as level [–].
const LEVEL: f64 = 0.3;

/// The range of a learned set, and its basis.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LearnedParams {
    /// Radius r of the foot about its site [m].
    pub radius: f64,
    /// Deepest sample δ₀ [m].
    pub depth: f64,
    /// Largest tilt a₀ along each direction, the sine of an angle [–].
    pub tilt: f64,
    /// Samples along the depth and along each tilt; centres of the basis are every other one.
    pub samples: [usize; 2],
    /// Width s of the basis, in units of x [–].
    pub width: f64,
    /// Regularisation ρ of the fit [–].
    pub ridge: f64,
}

impl Default for LearnedParams {
    fn default() -> Self {
        Self { radius: 0.05, depth: 0.06, tilt: 0.5, samples: [9, 9], width: 0.5, ridge: 1e-9 }
    }
}

impl LearnedParams {
    /// How much deeper than its site a foot with the tilt (a, b) reaches by (0), and the derivatives by a and b [m].
    pub(super) fn reach(&self, a: f64, b: f64) -> [f64; 3] {
        let root = (a * a + b * b + LEVEL * LEVEL).sqrt();
        [root - LEVEL, a / root, b / root].map(|x| x * self.radius)
    }

    /// The basis function of a centre at x.
    pub(super) fn basis(&self, x: Vec3, centre: Vec3) -> f64 {
        (-0.5 * (x - centre).norm_squared() / (self.width * self.width)).exp()
    }
}

/// The learned numbers, which serve a foot on any plane.
#[derive(Clone, Debug, PartialEq)]
pub struct LearnedTable {
    pub params: LearnedParams,
    /// Centres x_k.
    pub centres: Vec<Vec3>,
    /// Number of vertices.
    pub vertices: usize,
    /// θ: a row per centre, six numbers per vertex: moment [N·m/m] and force [N/m] along the two directions and the normal.
    pub theta: DMatrix<f64>,
}

/// The set of a foot on a plane; the site is the centre of its sole.
#[derive(Clone, Debug)]
pub struct Learned {
    table: Arc<LearnedTable>,
    ground: Ground,
    /// Axis of the foot in axes of its body, away from the ground.
    axis: Vec3,
    tangents: [Vec3; 2],
}

impl Learned {
    /// A foot with `axis`, away from the ground, in axes of its body.
    pub fn new(table: Arc<LearnedTable>, ground: Ground, axis: Vec3) -> Self {
        let (t1, t2) = ground.normal.tangents();
        Self { table, ground, axis, tangents: [t1, t2] }
    }

    /// Features of a pose, not clamped.
    fn features(&self, place: &Place) -> Vec3 {
        let (axis, params) = (place.R_WB * self.axis, &self.table.params);
        let [a, b] = self.tangents.map(|t| axis.dot(t));
        let depth = params.reach(a, b)[0] - self.ground.gap(place.p, 0.0);
        vec3(depth / params.depth, a / params.tilt, b / params.tilt)
    }

    /// φ of every centre, and its gradient by x; both of the nearest pose among those of the samples.
    fn bases(&self, x: Vec3) -> (DVector<f64>, [DVector<f64>; 3]) {
        let LearnedTable { params, centres, .. } = &*self.table;
        let n = centres.len();
        let beyond = [x.x > 1.0, x.y.abs() > 1.0, x.z.abs() > 1.0];
        let x = vec3(x.x.min(1.0), x.y.clamp(-1.0, 1.0), x.z.clamp(-1.0, 1.0));
        let mut out = (DVector::zeros(n), [DVector::zeros(n), DVector::zeros(n), DVector::zeros(n)]);
        for (k, centre) in centres.iter().enumerate() {
            let phi = params.basis(x, *centre);
            let slope = (*centre - x) * (phi / (params.width * params.width));
            out.0[k] = phi;
            for ((by, slope), beyond) in out.1.iter_mut().zip(slope.to_array()).zip(beyond) {
                by[k] = if beyond { 0.0 } else { slope };
            }
        }
        out
    }

    /// The wrench of six numbers along the directions of the ground, in W.
    fn in_world(&self, y: &[f64]) -> Force {
        let ([t1, t2], n) = (self.tangents, self.ground.normal);
        let at = |k: usize| t1 * y[k] + t2 * y[k + 1] + n * y[k + 2];
        Force::new(at(0), at(3))
    }
}

impl WrenchSet for Learned {
    fn len(&self) -> usize {
        self.table.vertices
    }

    fn vertices_into(&self, place: &Place, out: &mut [Force]) {
        let x = self.features(place);
        let depth = (x.x * self.table.params.depth).max(0.0);
        let (phi, _) = self.bases(x);
        let y = self.table.theta.tr_mul(&phi) * depth; // (1)
        for (out, y) in out.iter_mut().zip(y.as_slice().chunks_exact(6)) {
            *out = self.in_world(y);
        }
    }

    fn slope(&self, place: &Place, weights: &[f64]) -> Mat6 {
        let (x, params) = (self.features(place), &self.table.params);
        let depth = x.x * params.depth;
        if depth <= 0.0 {
            return Mat6::ZERO;
        }
        let (phi, by_x) = self.bases(x);
        let weigh = |phi: &DVector<f64>| {
            let mut F = Force::new(Vec3::ZERO, Vec3::ZERO);
            let y = self.table.theta.tr_mul(phi);
            for (w, y) in weights.iter().zip(y.as_slice().chunks_exact(6)) {
                F += self.in_world(y) * *w;
            }
            F
        };
        let value = weigh(&phi);
        let [by_depth, by_a, by_b] = by_x.map(|by| weigh(&by) * depth);
        let axis = place.R_WB * self.axis;
        let n = self.ground.normal;
        // The depth of the site grows by −n · u; a by α · (axis × t₁), b by α · (axis × t₂).
        let by_depth = value + by_depth * (1.0 / params.depth);
        let mut out = Mat6 {
            al: outer(by_depth.angular, n * -1.0),
            ll: outer(by_depth.linear, n * -1.0),
            ..Mat6::ZERO
        };
        let [_, reach_a, reach_b] = params.reach(x.y * params.tilt, x.z * params.tilt);
        for (by, t, reach) in [(by_a, self.tangents[0], reach_a), (by_b, self.tangents[1], reach_b)] {
            let turn = axis.cross(t);
            let by = by * (1.0 / params.tilt) + by_depth * reach;
            out.aa = out.aa + outer(by.angular, turn);
            out.la = out.la + outer(by.linear, turn);
        }
        out
    }

    fn depth(&self, place: &Place) -> f64 {
        (self.features(place).x * self.table.params.depth).max(0.0)
    }

    fn boxed(&self) -> Box<dyn WrenchSet> {
        Box::new(self.clone())
    }
}
