//! A flat rectangular face on a plane: one set for the whole patch, its friction a limit surface sampled from motions.
//!
//! ```text
//!     pressed at corner k alone      c(δ_k) (n + μ t_j) at the corner                 (1)
//!     pressed evenly                 c̄ (n + Σ_e f_e/E),   f_e = −μ v_e/|v_e|           (2)
//!     c̄ = (¼ Σ_k 1/c(δ_k))⁻¹                                                          (3)
//! ```
//!
//! v_e is the velocity of element e of the patch under a sampled motion in the plane: the wrenches (2) are data, points of the
//! limit surface under even pressure [Zhou2018], and their hull is the polytope that they span. Convex combinations of (1) and
//! (2) move the centre of pressure. (3), zero unless all corners are deep, is smooth where they are. Beside points at the
//! corners, friction of the patch resists spinning however the pressure is spread. How it is spread is not known, and the
//! principle of maximal dissipation takes the pressure that brakes most: a spinning square is borne by its corners. Without
//! edges, the pressure is even.

use super::cone::{Ground, Growth};
use super::{Place, WrenchSet};
use crate::body_forces::{Mat6, cross_matrix, outer};
use stiction_dynamics::spatial::{Force, Vec3};

/// Elements of the patch along each side.
const ELEMENTS: usize = 16;

/// The set of a flat face; the site is its centre, and the axes of the body's face are those of its sides.
#[derive(Clone, Debug)]
pub struct Patch {
    ground: Ground,
    growth: Growth,
    /// Corners from the centre, in axes of the body [m].
    corners: [Vec3; 4],
    /// Edges of the cone, n + μ t_j, in W.
    edges: Vec<Vec3>,
    /// Per sampled motion: force and moment of (2) over c̄, in axes of the patch: along its sides and its normal.
    samples: Vec<Force>,
    /// Sides and outward normal of the face, in axes of the body.
    axes: [Vec3; 3],
}

impl Patch {
    /// A face with half sides `half` [m] along the first two of `axes` and its outward normal along the third, which point
    /// into the plane when it lies flat; with `edges` edges of friction `mu`, and `samples` motions that turn beside the pure
    /// translations along the edges.
    pub fn new(
        ground: Ground,
        growth: Growth,
        (half, axes): ([f64; 2], [Vec3; 3]),
        mu: f64,
        [edges, samples]: [usize; 2],
    ) -> Self {
        let (t1, t2) = ground.normal.tangents();
        let edge = |j: usize| {
            let angle = std::f64::consts::TAU * j as f64 / edges as f64;
            ground.normal + (t1 * angle.cos() + t2 * angle.sin()) * mu
        };
        let corner = |x: f64, y: f64| axes[0] * (x * half[0]) + axes[1] * (y * half[1]);
        Self {
            ground,
            growth,
            corners: [corner(-1.0, -1.0), corner(1.0, -1.0), corner(-1.0, 1.0), corner(1.0, 1.0)],
            edges: (0..edges).map(edge).collect(),
            samples: motions(samples).into_iter().map(|m| friction(half, mu, m)).collect(),
            axes,
        }
    }

    /// c and its slope at the corners, and c̄ with its slopes by their depths.
    fn sizes(&self, place: &Place) -> ([[f64; 2]; 4], f64, [f64; 4]) {
        let at = self.corners.map(|r| {
            let gap = self.ground.gap(place.p + place.R_WB * r, 0.0);
            self.growth.at(-gap)
        });
        if at.iter().any(|[c, _]| *c <= 0.0) {
            return (at, 0.0, [0.0; 4]);
        }
        let mean = 4.0 / at.iter().map(|[c, _]| 1.0 / c).sum::<f64>(); // (3)
        (at, mean, at.map(|[c, slope]| 0.25 * mean * mean * slope / (c * c)))
    }

    /// (2) over c̄, in W.
    fn even(&self, place: &Place, sample: &Force) -> Force {
        let [a, b, down] = self.axes.map(|axis| place.R_WB * axis);
        let in_world = |v: Vec3| a * v.x + b * v.y - down * v.z;
        Force::new(in_world(sample.angular), in_world(sample.linear))
    }
}

/// Motions in the plane, (v_x, v_y, ω · length): both pure turns, and mixtures at equal angles.
fn motions(samples: usize) -> Vec<[f64; 3]> {
    let mut out = vec![[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]];
    for k in 0..samples {
        let angle = std::f64::consts::TAU * k as f64 / samples.max(1) as f64;
        for turn in [-1.0, 0.0, 1.0] {
            out.push([angle.cos(), angle.sin(), turn]);
        }
    }
    out
}

/// Σ_e of (2), with n along z: mean force and moment of unit normal force where the area slips and turns.
fn friction(half: [f64; 2], mu: f64, slip: [f64; 3]) -> Force {
    let [v_x, v_y, turn] = slip;
    let length = half[0].hypot(half[1]);
    let mut total = Force::new(Vec3::ZERO, Vec3::Z);
    let place = |k: usize, half: f64| half * ((2 * k + 1) as f64 / ELEMENTS as f64 - 1.0);
    for i in 0..ELEMENTS {
        for j in 0..ELEMENTS {
            let r = Vec3::X * place(i, half[0]) + Vec3::Y * place(j, half[1]);
            let v = Vec3::X * v_x + Vec3::Y * v_y + (Vec3::Z * (turn / length)).cross(r);
            if let Some(direction) = v.normalized() {
                let f = direction * (-mu / (ELEMENTS * ELEMENTS) as f64);
                total += Force::at(r, f);
            }
        }
    }
    total
}

impl WrenchSet for Patch {
    fn len(&self) -> usize {
        4 * self.edges.len() + self.samples.len()
    }

    fn vertices_into(&self, place: &Place, out: &mut [Force]) {
        let (at, mean, _) = self.sizes(place);
        let (corners, even) = out.split_at_mut(4 * self.edges.len());
        for (k, ([c, _], r)) in at.iter().zip(self.corners).enumerate() {
            let arm = place.R_WB * r;
            for (j, edge) in self.edges.iter().enumerate() {
                corners[k * self.edges.len() + j] = Force::at(arm, *edge * *c); // (1)
            }
        }
        for (out, sample) in even.iter_mut().zip(&self.samples) {
            *out = self.even(place, sample) * mean;
        }
    }

    fn slope(&self, place: &Place, weights: &[f64]) -> Mat6 {
        let (at, mean, mean_slopes) = self.sizes(place);
        let (corners, even) = weights.split_at(4 * self.edges.len());
        let mut total = Mat6::ZERO;
        let mut of_even = Force::new(Vec3::ZERO, Vec3::ZERO);
        for (w, sample) in even.iter().zip(&self.samples) {
            of_even += self.even(place, sample) * *w;
        }
        // (2) turns with the body.
        total.aa = cross_matrix(of_even.angular * mean) * -1.0;
        total.la = cross_matrix(of_even.linear * mean) * -1.0;
        for (k, r) in self.corners.iter().enumerate() {
            let ([c, slope], arm) = (at[k], place.R_WB * *r);
            let mut f = Vec3::ZERO;
            for (w, edge) in corners[k * self.edges.len()..].iter().zip(&self.edges) {
                f += *edge * *w;
            }
            // The depth of the corner grows by −n · (u + α × arm): by its columns.
            let (by_u, by_alpha) = (self.ground.normal * -1.0, self.ground.normal.cross(arm));
            let moment = arm.cross(f) * slope + of_even.angular * mean_slopes[k];
            let force = f * slope + of_even.linear * mean_slopes[k];
            total.add(&Mat6 {
                aa: outer(moment, by_alpha),
                al: outer(moment, by_u),
                la: outer(force, by_alpha),
                ll: outer(force, by_u),
            });
            // The arm turns: (α × arm) × f c.
            let turned = cross_matrix(f * c) * cross_matrix(arm);
            total.aa = total.aa + turned;
        }
        total
    }

    fn depth(&self, place: &Place) -> f64 {
        let deep = |r: &Vec3| -self.ground.gap(place.p + place.R_WB * *r, 0.0);
        self.corners.iter().map(deep).fold(0.0, f64::max)
    }

    fn boxed(&self) -> Box<dyn WrenchSet> {
        Box::new(self.clone())
    }
}
