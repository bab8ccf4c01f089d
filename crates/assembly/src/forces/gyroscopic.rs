//! The gyroscopic moment of a free body, taken at the midpoint of the step.

use stiction_dynamics::spatial::{Mat3, Sym3, Vec3};

/// ω̄ × I ω̄ − ω × I ω [N·m], body axes: what to add to the explicit bias so that
///
/// ```text
///     I (ω⁺ − ω) + h ω̄ × I ω̄ = 0,     ω̄ = (ω + ω⁺)/2                    (1)
/// ```
///
/// I is about the centre of mass. With s = ω̄ (unknown), (1) is 2 I (s − ω) + h s × I s = 0; Newton
/// with Jacobian 2 I + h (s× I − (I s)×). Converges in two or three steps while h‖ω‖ < 1; faster bodies take (1) in
/// parts so short. Every part keeps ω·Iω and ‖Iω‖, where the explicit moment would add energy without bound. What turns
/// farther than [`PARTS`] parts in a step, or has a singular I, keeps its ω as it is.
pub fn midpoint_moment(inertia: &Sym3, omega: &[f64], h: f64) -> Vec3 {
    let w = Vec3::from([omega[0], omega[1], omega[2]]);
    let explicit = w.cross(*inertia * w);
    let turn = h * w.norm();
    if explicit == Vec3::ZERO || turn <= STILL {
        return Vec3::ZERO;
    }
    if turn <= 1.0 {
        return midpoint(inertia, w, h).map_or(-explicit, |s| s.cross(*inertia * s) - explicit);
    }
    let parts = (2.0 * turn).ceil();
    if parts.is_nan() || parts > PARTS {
        return -explicit;
    }
    let mut end = w;
    for _ in 0..parts as u32 {
        let Some(s) = midpoint(inertia, end, h / parts) else { return -explicit };
        end = s * 2.0 - end;
    }
    (*inertia * (w - end)) * (1.0 / h) - explicit
}

/// What turns less than this in a step is explicit [rad]: that differs from (1) by the square of it, a share of ω.
const STILL: f64 = 1e-9;
/// Parts of a step, at most: one for every half radian.
const PARTS: f64 = 64.0;

/// s of (1); `None` if Newton does not find it.
fn midpoint(inertia: &Sym3, w: Vec3, h: f64) -> Option<Vec3> {
    let mut s = w;
    let mut last = f64::INFINITY;
    for _ in 0..8 {
        let momentum = *inertia * s;
        let residual = (*inertia * (s - w)) * 2.0 + s.cross(momentum) * h;
        let jacobian = inertia.to_mat3() * 2.0 + (skew(s) * inertia.to_mat3() - skew(momentum)) * h;
        let step = jacobian.inverse()? * residual;
        s -= step;
        last = step.norm() / w.norm();
        if last <= 1e-16 {
            break;
        }
    }
    (last <= 1e-10).then_some(s)
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

    /// Ten and thirty radians a step: energy stays to rounding. A hundred: ω stays as it is.
    #[test]
    fn fast_bodies_keep_their_energy() {
        let i = Sym3::diagonal(1.0, 2.0, 2.9);
        for (speed, h) in [(1000.0, 1e-2), (3000.0, 1e-2), (1e4, 1e-2), (1e100, 1e-2)] {
            let mut w = vec3(0.6, 0.7, 0.39) * speed;
            let (start, energy) = (w, w.dot(i * w));
            for _ in 0..100 {
                let moment = w.cross(i * w) + midpoint_moment(&i, &w.to_array(), h);
                w -= vec3(moment.x / 1.0, moment.y / 2.0, moment.z / 2.9) * h;
            }
            assert!((w.dot(i * w) / energy - 1.0).abs() < 1e-10, "{speed}: {w:?}");
            assert_eq!(w == start, speed * h > 32.0);
        }
    }
    /// At [`STILL`] what is left out changes ω by less than its rounding.
    #[test]
    fn what_hardly_turns_is_explicit() {
        let (i, h) = (Sym3::diagonal(1.0, 2.0, 2.9), 1e-3);
        let w = vec3(0.6, 0.7, 0.39) * (STILL / h);
        let s = midpoint(&i, w, h).expect("Newton converges");
        let left_out = s.cross(i * s) - w.cross(i * w);
        assert!(h * left_out.norm() < f64::EPSILON * w.norm());
        assert_eq!(midpoint_moment(&i, &(w * 0.9).to_array(), h), Vec3::ZERO);
    }
}
