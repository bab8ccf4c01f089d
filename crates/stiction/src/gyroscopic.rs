//! The gyroscopic moment of a free body, taken at the midpoint of the step.

use stiction_dynamics::spatial::{Mat3, Sym3, Vec3};

/// ω̄ × I ω̄ − ω × I ω [N·m], body axes: what to add to the explicit bias so that
///
/// ```text
///     I (ω⁺ − ω) + h ω̄ × I ω̄ = 0,     ω̄ = (ω + ω⁺)/2                    (1)
/// ```
///
/// I is about the centre of mass. With s = ω̄ (unknown), (1) is 2 I (s − ω) + h s × I s = 0; Newton
/// with Jacobian 2 I + h (s× I − (I s)×). Converges in two or three steps while h‖ω‖ < 1; beyond
/// that, or if I is singular, the explicit moment stands.
pub(crate) fn midpoint_moment(inertia: &Sym3, omega: &[f64], h: f64) -> Vec3 {
    let w = Vec3::from([omega[0], omega[1], omega[2]]);
    let explicit = w.cross(*inertia * w);
    if explicit == Vec3::ZERO || h * w.norm() > 1.0 {
        return Vec3::ZERO;
    }
    let mut s = w;
    for _ in 0..6 {
        let momentum = *inertia * s;
        let residual = (*inertia * (s - w)) * 2.0 + s.cross(momentum) * h;
        let jacobian = inertia.to_mat3() * 2.0 + (skew(s) * inertia.to_mat3() - skew(momentum)) * h;
        let Some(inverse) = jacobian.inverse() else { return Vec3::ZERO };
        let step = inverse * residual;
        s -= step;
        if step.norm() <= 1e-16 * w.norm() {
            break;
        }
    }
    s.cross(*inertia * s) - explicit
}

/// The matrix of v ×.
fn skew(v: Vec3) -> Mat3 {
    let z = Vec3::ZERO;
    let mut m = Mat3 { rows: [z; 3] };
    m.rows[0].y = -v.z;
    m.rows[0].z = v.y;
    m.rows[1].x = v.z;
    m.rows[1].z = -v.x;
    m.rows[2].x = -v.y;
    m.rows[2].y = v.x;
    m
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction_dynamics::spatial::vec3;

    /// A thousand steps about the unstable axis: energy and ‖I ω‖ stay to rounding.
    #[test]
    fn energy_and_momentum_norm_are_kept() {
        let i = Sym3::diagonal(1.0, 2.0, 3.0);
        let mut w = vec3(0.01, 5.0, 0.01);
        let (energy, momentum) = (w.dot(i * w), (i * w).norm());
        let h = 1e-2;
        let mut lowest = f64::INFINITY;
        for _ in 0..1000 {
            let moment = w.cross(i * w) + midpoint_moment(&i, &w.to_array(), h);
            w -= vec3(moment.x / 1.0, moment.y / 2.0, moment.z / 3.0) * h;
            lowest = lowest.min(w.y);
        }
        assert!((w.dot(i * w) / energy - 1.0).abs() < 1e-12);
        assert!(((i * w).norm() / momentum - 1.0).abs() < 1e-12);
        assert!(lowest < -4.9, "the body must have flipped");
    }
}
