//! Positions about the start of a step, as a vector of nv numbers: q = q₀ ⊕ δ.
//!
//! ```text
//!     scalar joints and shifts    δ̇ = v                                                              (1)
//!     rotations, ω in body axes   δ̇ = ω + ½ δ × ω + k δ × (δ × ω),   k = (1 − (θ/2) cot(θ/2))/θ², θ = ‖δ‖  (2)
//! ```
//!
//! (2) is the inverse of the derivative of exp; it is regular up to one turn. With δ, methods for vectors integrate rotations
//! at their own order, and quaternions stay of unit length.

use stiction_dynamics::spatial::{Vec3, vec3};
use stiction_dynamics::{JointKind, Model};

/// (1) and (2), into `out`.
pub(super) fn rate_into(model: &Model, delta: &[f64], v: &[f64], out: &mut [f64]) {
    out.copy_from_slice(v);
    for joint in &model.joints {
        let first = match joint.kind {
            JointKind::Ball => joint.idx_v,
            JointKind::Free => joint.idx_v + 3,
            JointKind::Hinge | JointKind::Slide | JointKind::Screw => continue,
        };
        let of = |x: &[f64]| vec3(x[first], x[first + 1], x[first + 2]);
        let (d, w) = (of(delta), of(v));
        let cross = d.cross(w);
        let rate: Vec3 = w + cross * 0.5 + d.cross(cross) * weight(d.norm());
        out[first..first + 3].copy_from_slice(&rate.to_array());
    }
}

/// k of (2).
fn weight(theta: f64) -> f64 {
    if theta < 1e-2 {
        let square = theta * theta;
        return (1.0 + square / 60.0) / 12.0;
    }
    let half = 0.5 * theta;
    (1.0 - half / half.tan()) / (theta * theta)
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction_dynamics::spatial::{Inertia, Pose, Sym3};
    use stiction_dynamics::{JointSpec, ModelBuilder, difference_into, integrate_into};

    /// The rate is that of the chart along q₀ ⊕ δ ⊕ ε v, by differences.
    #[test]
    fn rates_are_those_of_the_chart() {
        let mut builder = ModelBuilder::new();
        let solid = Inertia::new(1.0, Vec3::ZERO, Sym3::diagonal(1.0, 1.0, 1.0));
        let link = builder.link("body", None, Pose::IDENTITY, solid);
        builder.joint(link, JointSpec::free("free"));
        let model = builder.build(Vec3::ZERO).unwrap();
        let start = model.neutral();
        for size in [1e-3, 0.3, 2.0] {
            let delta: Vec<f64> = [0.1, 0.2, -0.3, 0.5, -0.7, 0.4].map(|x| x * size).to_vec();
            let v = [1.0, -0.5, 0.3, 0.9, 0.4, -1.1];
            let (mut q, mut moved) = (start.clone(), start.clone());
            integrate_into(&model, &start, &delta, 1.0, &mut q);
            let (mut out, mut ends) = (vec![0.0; 6], [vec![0.0; 6], vec![0.0; 6]]);
            rate_into(&model, &delta, &v, &mut out);
            let h = 1e-5;
            for (end, h) in ends.iter_mut().zip([h, -h]) {
                integrate_into(&model, &q, &v, h, &mut moved);
                difference_into(&model, &start, &moved, 1.0, end);
            }
            for (i, out) in out.iter().enumerate() {
                let by_differences = (ends[0][i] - ends[1][i]) / (2.0 * h);
                assert!((out - by_differences).abs() < 1e-8, "{size} {i}: {out} {by_differences}");
            }
        }
    }
}
