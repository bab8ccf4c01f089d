//! Tangents of moves on the configuration manifold.
//!
//! With E = exp(−[r]×) and the right Jacobian of rotations J_r,
//!
//! ```text
//!     q ⊕ t w, r = t w:    δθ⁺ = E δθ + t J_r(r) δw       scalars and shifts: δq + t δw               (1)
//!     J_r(r) = 1 − (1 − cos ρ)/ρ² [r]× + (ρ − sin ρ)/ρ³ [r]×²,   ρ = ‖r‖                              (2)
//!     J_r⁻¹(r) = 1 + ½ [r]× + (1/ρ² − (1 + cos ρ)/(2 ρ sin ρ)) [r]×²                                  (3)
//! ```

#![expect(clippy::needless_range_loop, reason = "indices are rows and columns of matrices")]

use stiction_dynamics::spatial::{Quat, Vec3, vec3};
use stiction_dynamics::{Joint, JointKind};

/// The tangent of a move of one joint, in its up to six coordinates: by where it started, and by the velocity.
pub(crate) struct Moved {
    pub(crate) by_q: [[f64; 6]; 6],
    pub(crate) by_v: [[f64; 6]; 6],
}

/// (1) of a joint of this kind that moves at w for the time t.
pub(crate) fn moved(kind: JointKind, w: &[f64], t: f64) -> Moved {
    let mut moved = Moved { by_q: [[0.0; 6]; 6], by_v: [[0.0; 6]; 6] };
    for k in 0..kind.nv() {
        (moved.by_q[k][k], moved.by_v[k][k]) = (1.0, t);
    }
    let first = match kind {
        JointKind::Hinge | JointKind::Slide | JointKind::Screw => return moved,
        JointKind::Ball => 0,
        JointKind::Free => 3,
    };
    let r = vec3(w[first], w[first + 1], w[first + 2]) * t;
    let back = Quat::exp(-r).to_matrix();
    let right = right_jacobian(r);
    for k in 0..3 {
        for l in 0..3 {
            moved.by_q[first + k][first + l] = back.rows[k][l];
            moved.by_v[first + k][first + l] = t * right[k][l];
        }
    }
    moved
}

/// [r]×.
fn cross(r: Vec3) -> [[f64; 3]; 3] {
    [[0.0, -r.z, r.y], [r.z, 0.0, -r.x], [-r.y, r.x, 0.0]]
}

/// 1 + a [r]× + b [r]×².
fn polynomial(r: Vec3, a: f64, b: f64) -> [[f64; 3]; 3] {
    let x = cross(r);
    std::array::from_fn(|i| {
        std::array::from_fn(|j| {
            let square: f64 = (0..3).map(|k| x[i][k] * x[k][j]).sum();
            f64::from(u8::from(i == j)) + a * x[i][j] + b * square
        })
    })
}

/// Below this angle the series of (2) and (3) are exact to rounding.
const SMALL: f64 = 1e-2;

/// The right Jacobian J_r(r), (2).
pub(crate) fn right_jacobian(r: Vec3) -> [[f64; 3]; 3] {
    let angle = r.norm();
    let (x, small) = (angle * angle, angle < SMALL);
    let a = if small { 0.5 - x / 24.0 + x * x / 720.0 } else { (1.0 - angle.cos()) / x };
    let b = if small { 1.0 / 6.0 - x / 120.0 + x * x / 5040.0 } else { (angle - angle.sin()) / (x * angle) };
    polynomial(r, -a, b)
}

/// (3): how the rotation vector of a quaternion changes with its tangent.
pub(crate) fn rotation_vector_change(r: Vec3) -> [[f64; 3]; 3] {
    let angle = r.norm();
    let x = angle * angle;
    let b = if angle < SMALL {
        1.0 / 12.0 + x / 720.0 + x * x / 30240.0
    } else {
        1.0 / x - (1.0 + angle.cos()) / (2.0 * angle * angle.sin())
    };
    polynomial(r, 0.5, b)
}

/// How the stretch of the spring of a joint at the coordinates `q` changes with their tangent.
pub(crate) fn spring_stretch_change(joint: &Joint, q: &[f64]) -> [[f64; 3]; 3] {
    match joint.kind {
        JointKind::Ball => rotation_vector_change(joint.spring_stretch(q).into()),
        _ => [[1.0, 0.0, 0.0]; 3],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (1) and (3) against central differences, from tiny turns to large.
    #[test]
    fn turns_have_the_tangents_of_differences() {
        let (q, h) = (Quat::exp(vec3(0.3, -0.8, 0.4)), 1e-5);
        for size in [1e-4, 5e-3, 0.02, 1.7] {
            let (w, t) = (vec3(0.2, -0.7, 0.5), size);
            let end = |dq: Vec3, dw: Vec3| q * Quat::exp(dq) * Quat::exp((w + dw) * t);
            let moved = moved(JointKind::Ball, &w.to_array(), t);
            let change = rotation_vector_change(w * t);
            for l in 0..3 {
                let mut e = [0.0; 3];
                e[l] = h;
                let e = Vec3::from(e);
                let by = |f: &dyn Fn(Vec3) -> Quat| ((f(-e).conjugate() * f(e)).log() * (0.5 / h)).to_array();
                let (by_q, by_v) = (by(&|e| end(e, Vec3::ZERO)), by(&|e| end(Vec3::ZERO, e)));
                let log = |e: Vec3| (Quat::exp(w * t) * Quat::exp(e)).log();
                let by_log = ((log(e) - log(-e)) * (0.5 / h)).to_array();
                for k in 0..3 {
                    assert!((moved.by_q[k][l] - by_q[k]).abs() < 1e-9, "{size}");
                    assert!((moved.by_v[k][l] - by_v[k]).abs() < 1e-9, "{size}");
                    assert!((change[k][l] - by_log[k]).abs() < 1e-9, "{size}");
                }
            }
        }
    }
}
