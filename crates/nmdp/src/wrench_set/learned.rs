//! A set that was learned from samples of another, by radial basis functions of the pose.
//!
//! Over level ground the wrenches on an axisymmetric foot depend on the depth of its site and on the tilt (a, b) of its axis:
//! the parts of its unit vector along two horizontal directions. With δ the depth of its lowest point, nearly,
//! x = (δ/δ₀, a/a₀, b/a₀) and every coordinate y of every vertex,
//!
//! ```text
//!     δ = depth of the site + r (√(a² + b² + ε²) − ε),   r the radius of the foot     (0)
//!     y(x) = δ₊ Σ_k θ_k φ(|x − x_k|),   φ(r) = exp(−r²/(2 s²))                        (1)
//!     θ = argmin Σ_samples (y − y(x))² + ρ |θ|²                                       (2)
//! ```
//!
//! The factor δ₊ keeps what hovers free of force, and the set as smooth there as its teacher. Derivatives follow from (1);
//! the zeroth-order method does without. As in [Zhu2019], whose sets were learned from measurements; here the teacher is any
//! other [`WrenchSet`], mostly a finer one.

use super::{Place, WrenchSet};
use crate::body_forces::{Mat6, outer};
use crate::wrench_set::cone::Ground;
use nalgebra::{DMatrix, DVector};
use stiction_dynamics::spatial::{Force, Quat, Vec3, vec3};

/// ε of (0): tilts well below it count as level [–].
const LEVEL: f64 = 0.3;

/// Poses that are sampled, and the basis.
#[derive(Clone, Copy, Debug, PartialEq)]
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
    /// ρ of (2) [–].
    pub ridge: f64,
}

impl Default for LearnedParams {
    fn default() -> Self {
        Self { radius: 0.05, depth: 0.06, tilt: 0.5, samples: [9, 9], width: 0.5, ridge: 1e-9 }
    }
}

/// The student.
#[derive(Clone, Debug)]
pub struct Learned {
    ground: Ground,
    params: LearnedParams,
    /// Axis of the foot in axes of its body.
    axis: Vec3,
    tangents: [Vec3; 2],
    centres: Vec<Vec3>,
    /// θ: one row per centre, six numbers per vertex.
    theta: DMatrix<f64>,
    len: usize,
}

impl Learned {
    /// Learns `teacher`, a set on `ground` of a foot with `axis` in axes of its body; `None` if the samples determine nothing.
    pub fn new(teacher: &dyn WrenchSet, ground: Ground, axis: Vec3, params: &LearnedParams) -> Option<Self> {
        let (t1, t2) = ground.normal.tangents();
        let [depths, tilts] = params.samples;
        let grid = |k: usize, n: usize| if n > 1 { k as f64 / (n - 1) as f64 } else { 0.5 };
        let mut xs = Vec::new();
        let mut centres = Vec::new();
        for i in 0..depths {
            for j in 0..tilts {
                for k in 0..tilts {
                    let depth = 0.02 + 0.98 * grid(i, depths);
                    let x = vec3(depth, 2.0 * grid(j, tilts) - 1.0, 2.0 * grid(k, tilts) - 1.0);
                    xs.push(x);
                    if i % 2 == 0 && j % 2 == 0 && k % 2 == 0 {
                        centres.push(x);
                    }
                }
            }
        }
        let mut student = Self {
            ground,
            params: *params,
            axis,
            tangents: [t1, t2],
            theta: DMatrix::zeros(centres.len(), 6 * teacher.len()),
            len: teacher.len(),
            centres,
        };
        let mut features = DMatrix::zeros(xs.len(), student.centres.len());
        let mut targets = DMatrix::zeros(xs.len(), 6 * student.len);
        let mut vertices = vec![Force::new(Vec3::ZERO, Vec3::ZERO); student.len];
        for (row, x) in xs.iter().enumerate() {
            teacher.vertices_into(&student.pose(*x), &mut vertices);
            let depth = x.x * params.depth;
            for (k, centre) in student.centres.iter().enumerate() {
                features[(row, k)] = student.basis(*x, *centre);
            }
            for (j, vertex) in vertices.iter().enumerate() {
                let numbers = vertex.angular.to_array().into_iter().chain(vertex.linear.to_array());
                for (k, y) in numbers.enumerate() {
                    targets[(row, 6 * j + k)] = y / depth;
                }
            }
        }
        let mut normal = features.transpose() * &features;
        for k in 0..student.centres.len() {
            normal[(k, k)] += params.ridge;
        }
        student.theta = normal.cholesky()?.solve(&(features.transpose() * targets)); // (2)
        Some(student)
    }

    /// A pose with the features x.
    fn pose(&self, x: Vec3) -> Place {
        let (a, b) = (x.y * self.params.tilt, x.z * self.params.tilt);
        let up = (1.0 - (a * a + b * b).min(0.99)).sqrt();
        let [t1, t2] = self.tangents;
        let axis = (t1 * a + t2 * b + self.ground.normal * up).normalized().unwrap_or(self.ground.normal);
        let R_WB = Quat::between(self.axis, axis).to_matrix();
        let depth = x.x * self.params.depth - self.reach(a, b)[0];
        Place { R_WB, p: self.ground.normal * (self.ground.offset - depth) }
    }

    /// How much deeper than its site the foot reaches (0), and the derivatives by a and b.
    fn reach(&self, a: f64, b: f64) -> [f64; 3] {
        let root = (a * a + b * b + LEVEL * LEVEL).sqrt();
        [root - LEVEL, a / root, b / root].map(|x| x * self.params.radius)
    }

    /// Features of a pose, the depth not clamped.
    fn features(&self, place: &Place) -> Vec3 {
        let axis = place.R_WB * self.axis;
        let [t1, t2] = self.tangents;
        let depth = self.reach(axis.dot(t1), axis.dot(t2))[0] - self.ground.gap(place.p, 0.0);
        vec3(depth / self.params.depth, axis.dot(t1) / self.params.tilt, axis.dot(t2) / self.params.tilt)
    }

    fn basis(&self, x: Vec3, centre: Vec3) -> f64 {
        (-0.5 * (x - centre).norm_squared() / (self.params.width * self.params.width)).exp()
    }

    /// φ of every centre, and its gradient by x.
    fn bases(&self, x: Vec3) -> (DVector<f64>, [DVector<f64>; 3]) {
        let n = self.centres.len();
        let mut out = (DVector::zeros(n), [DVector::zeros(n), DVector::zeros(n), DVector::zeros(n)]);
        for (k, centre) in self.centres.iter().enumerate() {
            let phi = self.basis(x, *centre);
            let slope = (*centre - x) * (phi / (self.params.width * self.params.width));
            out.0[k] = phi;
            for (by, slope) in out.1.iter_mut().zip(slope.to_array()) {
                by[k] = slope;
            }
        }
        out
    }
}

impl WrenchSet for Learned {
    fn len(&self) -> usize {
        self.len
    }

    fn vertices_into(&self, place: &Place, out: &mut [Force]) {
        let x = self.features(place);
        let depth = (x.x * self.params.depth).max(0.0);
        let (phi, _) = self.bases(x);
        let y = self.theta.tr_mul(&phi) * depth; // (1)
        for (j, out) in out.iter_mut().enumerate() {
            let at = |k: usize| vec3(y[6 * j + k], y[6 * j + k + 1], y[6 * j + k + 2]);
            *out = Force::new(at(0), at(3));
        }
    }

    fn slope(&self, place: &Place, weights: &[f64]) -> Mat6 {
        let x = self.features(place);
        let depth = x.x * self.params.depth;
        if depth <= 0.0 {
            return Mat6::ZERO;
        }
        let (phi, by_x) = self.bases(x);
        let weigh = |y: &DVector<f64>| {
            let mut F = Force::new(Vec3::ZERO, Vec3::ZERO);
            for (j, w) in weights.iter().enumerate() {
                let at = |k: usize| vec3(y[6 * j + k], y[6 * j + k + 1], y[6 * j + k + 2]);
                F += Force::new(at(0), at(3)) * *w;
            }
            F
        };
        let value = weigh(&self.theta.tr_mul(&phi));
        let [by_depth, by_a, by_b] = by_x.map(|by| weigh(&(self.theta.tr_mul(&by) * depth)));
        let axis = place.R_WB * self.axis;
        let n = self.ground.normal;
        // The depth of the site grows by −n · u; a by α · (axis × t₁), b by α · (axis × t₂).
        let by_depth = value + by_depth * (1.0 / self.params.depth);
        let mut out = Mat6 {
            al: outer(by_depth.angular, n * -1.0),
            ll: outer(by_depth.linear, n * -1.0),
            ..Mat6::ZERO
        };
        let [_, reach_a, reach_b] = self.reach(x.y * self.params.tilt, x.z * self.params.tilt);
        for (by, t, reach) in [(by_a, self.tangents[0], reach_a), (by_b, self.tangents[1], reach_b)] {
            let turn = axis.cross(t);
            let by = by * (1.0 / self.params.tilt) + by_depth * reach;
            out.aa = out.aa + outer(by.angular, turn);
            out.la = out.la + outer(by.linear, turn);
        }
        out
    }

    fn depth(&self, place: &Place) -> f64 {
        (self.features(place).x * self.params.depth).max(0.0)
    }

    fn boxed(&self) -> Box<dyn WrenchSet> {
        Box::new(self.clone())
    }
}
