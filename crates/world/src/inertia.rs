//! Principal moments of inertia, and what readers do with bodies whose inertia is none.

use stiction_dynamics::spatial::{Inertia, Mat3, Sym3, Vec3};

/// Eigenvalues of a symmetric matrix and the rotation R whose columns are its eigenvectors:
/// S = R diag(values) Rᵀ. Jacobi's method: turn away one off-diagonal entry at a time.
pub fn principal(s: &Sym3) -> (Vec3, Mat3) {
    let mut a = *s;
    let mut r = Mat3::IDENTITY;
    for _sweep in 0..30 {
        let off = a.xy.abs().max(a.xz.abs()).max(a.yz.abs());
        if off <= f64::EPSILON * 1e-3 * (a.xx.abs() + a.yy.abs() + a.zz.abs()) {
            break;
        }
        for (i, j) in [(0, 1), (0, 2), (1, 2)] {
            let m = a.to_mat3();
            let (aii, ajj, aij) = (m.rows[i][i], m.rows[j][j], m.rows[i][j]);
            if aij == 0.0 {
                continue;
            }
            let theta = 0.5 * (2.0 * aij).atan2(aii - ajj);
            let (sin, cos) = theta.sin_cos();
            let mut turn = Mat3::IDENTITY;
            turn.rows[i][i] = cos;
            turn.rows[j][j] = cos;
            turn.rows[i][j] = -sin;
            turn.rows[j][i] = sin;
            a = a.rotated(&turn.transpose());
            r = r * turn;
        }
    }
    (Vec3 { x: a.xx, y: a.yy, z: a.zz }, r)
}

/// The inertia with principal moments `values` along the columns of `r`.
pub fn from_principal(values: Vec3, r: &Mat3) -> Sym3 {
    Sym3::diagonal(values.x, values.y, values.z).rotated(r)
}

/// By how much the largest principal moment exceeds the sum of the others, relative to it: > 0
/// for a body that no distribution of positive mass can have.
pub fn triangle_excess(inertia: &Inertia) -> f64 {
    let (m, _) = principal(&inertia.about_com());
    let largest = m.x.max(m.y).max(m.z);
    if largest > 0.0 { (2.0 * largest - (m.x + m.y + m.z)) / largest } else { 0.0 }
}

/// Inertia of a body of the same shape, `s` times as dense.
pub fn scaled(i: &Inertia, s: f64) -> Inertia {
    let c = i.second;
    let second = Sym3 { xx: c.xx * s, yy: c.yy * s, zz: c.zz * s, xy: c.xy * s, xz: c.xz * s, yz: c.yz * s };
    Inertia { mass: i.mass * s, first: i.first * s, second }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction_dynamics::spatial::{Quat, vec3};

    #[test]
    fn principal_moments_and_axes_rebuild_the_matrix() {
        let turn = Quat::from_rpy(0.3, -1.2, 2.0).to_matrix();
        for values in [vec3(1.0, 2.0, 3.0), vec3(1.0, 1.0, 1e-6), vec3(2.0, 2.0, 2.0)] {
            let s = from_principal(values, &turn);
            let (m, r) = principal(&s);
            let mut sorted = m.to_array();
            sorted.sort_by(f64::total_cmp);
            let mut expected = values.to_array();
            expected.sort_by(f64::total_cmp);
            assert!(sorted.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-14));
            let rebuilt = (from_principal(m, &r) - s).to_mat3();
            assert!(rebuilt.rows.iter().all(|row| row.norm() < 1e-14));
        }
    }

    #[test]
    fn a_needle_is_possible_and_more_is_not() {
        let body = |xx, yy, zz| Inertia::new(1.0, Vec3::X, Sym3::diagonal(xx, yy, zz));
        assert!(triangle_excess(&body(1.0, 1.0, 2.0)).abs() < 1e-14);
        assert!(triangle_excess(&body(1.0, 1.0, 2.5)) > 0.1);
    }
}
